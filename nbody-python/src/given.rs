//! The arrays of a call, as records of its law.

use std::sync::{Mutex, PoisonError};

use nbody::law::{Field, FieldKind, Law};
use nbody::untyped::Buffer;
use nbody::{Precision, Sources};
use nbody_bindings::Failure;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::Arrays;
use crate::device::Device;
use crate::named::{Named, listed, names};

/// The fields of a law's targets or sources, and the numbers of them that its cutoff reads.
type Role = (&'static [Field], &'static [usize]);

/// Returns the fields of a record that has all of these, each once. Records are kept for the process,
/// one of each kind.
fn fields_of(roles: &[Role]) -> PyResult<&'static [Field]> {
    static KNOWN: Mutex<Vec<&[Field]>> = Mutex::new(Vec::new());
    let mut fields: Vec<Field> = Vec::new();
    for field in roles.iter().flat_map(|(fields, _)| *fields) {
        match fields.iter().find(|known| known.name == field.name) {
            None => fields.push(*field),
            Some(known) if known == field => {}
            Some(known) => {
                return Err(PyValueError::new_err(format!(
                    "particles with `{known}` and `{field}`: lists that laws share need one type of a field"
                )));
            }
        }
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|known| **known == fields).copied();
    Ok(found.unwrap_or_else(|| {
        let fields: &[Field] = fields.leak();
        known.push(fields);
        fields
    }))
}

/// Returns whether lists read a field of these: positions, and what cutoffs depend on.
fn is_read((fields, reads): &Role, field: &Field) -> bool {
    let Some(place) = fields.iter().position(|it| it == field) else { return false };
    let first: usize = fields[..place].iter().map(|it| it.kind.components()).sum();
    let numbers = first..first + field.kind.components();
    matches!(field.kind, FieldKind::Point(_)) || reads.iter().any(|read| numbers.contains(read))
}

/// The arrays of an evaluation.
pub struct Given {
    pub i: Arrays,
    /// The sources; `None` if the targets are the sources, of one record.
    pub j: Option<Arrays>,
    pub is_one_set: bool,
}

impl Given {
    /// Views the arrays of targets and sources, or of particles that are both.
    pub fn of(
        law: &'static Law,
        targets: &Bound<'_, PyDict>,
        sources: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let Some(sources) = sources else { return Self::one_set(law, targets) };
        let i = Arrays::of(law.i, targets, "targets")?;
        let j = Arrays::of(law.j, sources, "sources")?;
        Ok(Self { i, j: Some(j), is_one_set: false })
    }

    /// Views the arrays as lists of several laws take them: a record has the fields of all laws, and
    /// particles that are both targets and sources are one record. If `fills`, a field that is not given
    /// is 0, unless lists read it.
    pub fn of_lists(
        laws: &[&'static Law],
        targets: &Bound<'_, PyDict>,
        sources: Option<&Bound<'_, PyDict>>,
        fills: bool,
    ) -> PyResult<Self> {
        let of_i = laws.iter().map(|law| (law.i, law.cutoff_reads[0]));
        let of_j = laws.iter().map(|law| (law.j, law.cutoff_reads[1]));
        let view = |roles: &[Role], given: &Bound<'_, PyDict>, what| {
            let is_needed = |field: &Field| !fills || roles.iter().any(|it| is_read(it, field));
            Arrays::filled(fields_of(roles)?, given, what, &is_needed)
        };
        let Some(sources) = sources else {
            let i = view(&of_i.chain(of_j).collect::<Vec<_>>(), targets, "particles")?;
            return Ok(Self { i, j: None, is_one_set: true });
        };
        let i = view(&of_i.collect::<Vec<_>>(), targets, "targets")?;
        let j = view(&of_j.collect::<Vec<_>>(), sources, "sources")?;
        Ok(Self { i, j: Some(j), is_one_set: false })
    }

    /// Takes particles that are both targets and sources.
    fn one_set(law: &'static Law, particles: &Bound<'_, PyDict>) -> PyResult<Self> {
        if law.i == law.j {
            let i = Arrays::of(law.i, particles, "particles")?;
            return Ok(Self { i, j: None, is_one_set: true });
        }
        let py = particles.py();
        let [of_i, of_j] = [PyDict::new(py), PyDict::new(py)];
        for (name, object) in particles.iter() {
            let key: String = name.extract()?;
            let mut is_known = false;
            for (fields, given) in [(law.i, &of_i), (law.j, &of_j)] {
                if names(fields).iter().any(|known| known.name == key) {
                    given.set_item(&name, &object)?;
                    is_known = true;
                }
            }
            if !is_known {
                let mut expected: Vec<_> = names(law.i).iter().map(Named::quoted).collect();
                let of_j = names(law.j).iter().map(Named::quoted);
                of_j.for_each(|name| {
                    if !expected.contains(&name) {
                        expected.push(name);
                    }
                });
                return Err(PyTypeError::new_err(format!(
                    "particles have no field `{key}`: expected {}",
                    listed(&expected)
                )));
            }
        }
        let i = Arrays::of(law.i, &of_i, "particles")?;
        let j = Arrays::of(law.j, &of_j, "particles")?;
        if i.n != j.n {
            let [of_i, of_j] = [i.n, j.n];
            return Err(PyValueError::new_err(format!(
                "{of_i} and {of_j} particles; give one number of records, or sources besides targets"
            )));
        }
        Ok(Self { i, j: Some(j), is_one_set: true })
    }

    /// Copies the particles to the device, into the buffers of an earlier call if there are any.
    pub fn upload(
        &self,
        device: &nbody::Device,
        precision: Precision,
        [i, j]: Kept,
    ) -> Result<Uploaded, Failure> {
        let i = self.i.upload(device, precision, i)?;
        let j = self.j.as_ref().map(|given| given.upload(device, precision, j)).transpose()?;
        Ok(Uploaded { i, j, is_one_set: self.is_one_set })
    }

    /// Refuses arrays in memory that the device does not read.
    pub fn check_place(&self, device: &Device) -> PyResult<()> {
        let all = [Some(&self.i), self.j.as_ref()];
        all.into_iter().flatten().try_for_each(|arrays| device.check(arrays.place))
    }

    /// Returns the precision of the arrays.
    pub fn precision(&self) -> Precision {
        let of_j = self.j.as_ref().and_then(Arrays::is_double);
        let is_double = self.i.is_double().into_iter().chain(of_j).reduce(|a, b| a || b);
        if is_double.unwrap_or(true) { Precision::Double } else { Precision::Single }
    }
}

/// Buffers of an earlier call, to be used again: of targets and of sources.
pub type Kept = [Option<Box<dyn Buffer>>; 2];

/// Particles on a device.
pub struct Uploaded {
    pub i: Box<dyn Buffer>,
    j: Option<Box<dyn Buffer>>,
    is_one_set: bool,
}

impl Uploaded {
    /// Returns the sources: the targets, unless there are others.
    pub fn sources(&self) -> Sources<'_, dyn Buffer> {
        let j = self.j.as_deref().unwrap_or(&*self.i);
        if self.is_one_set { Sources::Same(j) } else { Sources::Others(j) }
    }

    /// Keeps the buffers for a later call.
    pub fn kept(self) -> Kept {
        [Some(self.i), self.j]
    }
}
