//! Programs per particle, and tuples of particles.

use std::sync::{Mutex, MutexGuard};

use nbody::law::ParticleProgram;
use nbody::untyped::{self, Beside, Buffer, OwnedRows, TupleList};
use nbody::{Precision, Store};
use nbody_bindings::{Failure, reals};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::{Arrays, in_turn};
use crate::device::Device;
use crate::failure::OrRaise;
use crate::law::Program;
use crate::named::{Named, names};
use crate::options;
use crate::results::{Origin, allocated};

/// A program per particle with its parameters, on a device.
#[pyclass(frozen, module = "nbody._native")]
pub struct Runner {
    device: Py<Device>,
    program: &'static ParticleProgram,
    engine: Mutex<Box<dyn untyped::PerParticle>>,
}

#[pymethods]
impl Runner {
    /// Creates a runner.
    #[new]
    fn new(
        device: Py<Device>,
        program: &Program,
        region: &Bound<'_, PyAny>,
        wraps: bool,
        parameters: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let program = program.0;
        program.check_particle().or_raise()?;
        let row = options::parameters(program.parameters, parameters, program.name)?;
        let domain = options::domain(region)?;
        let of_device = device.get().device.clone();
        let engine = region.py().detach(|| -> Result<_, Failure> {
            let mut engine = of_device.untyped().per_particle(program.parameters, &row)?;
            engine.set_domain(domain)?;
            engine.set_wrap(wraps);
            Ok(engine)
        });
        Ok(Self { device, program, engine: Mutex::new(engine.or_raise()?) })
    }

    /// Sets the parameters.
    fn set_parameters(&self, py: Python<'_>, parameters: &Bound<'_, PyDict>) -> PyResult<()> {
        let row = options::parameters(self.program.parameters, parameters, self.program.name)?;
        py.detach(|| Ok::<_, Failure>(self.lock()?.set_parameters(&row)?)).or_raise()
    }

    /// Updates particles, and returns their fields.
    fn update<'py>(
        &self,
        py: Python<'py>,
        particles: &Bound<'py, PyDict>,
        beside: Vec<Bound<'py, PyDict>>,
        empty: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let given = self.given(particles, &beside)?;
        let precision = given.particles.precision();
        let on = self.device.get().memory_of(given.particles.place);
        let origin = Origin { maker: given.particles.maker(), empty, on };
        let of = (self.program.p, given.particles.n);
        let (results, written) = allocated(py, of, precision, origin)?;
        self.device.get().check(written.place)?;
        let device = self.device.get().device.clone();
        let arrays: Vec<_> =
            [&given.particles, &written].into_iter().chain(&given.beside).collect();
        let work = || -> Result<(), Failure> {
            let mut particles = given.particles.upload(&device, Precision::Double, None)?;
            let beside = given.buffers(&device)?;
            beside.with(|beside| {
                self.lock()?.update(self.program, &mut *particles, beside, None)?;
                Ok::<_, Failure>(())
            })?;
            written.download(&device, &*particles)
        };
        py.detach(|| in_turn(&device, &arrays, work)).or_raise()?;
        Ok(results)
    }

    /// Returns the numbers of the total over all particles, field by field.
    fn measure(
        &self,
        py: Python<'_>,
        particles: &Bound<'_, PyDict>,
        beside: Vec<Bound<'_, PyDict>>,
    ) -> PyResult<Vec<(String, Vec<Number>)>> {
        self.program.check_measure().or_raise()?;
        let given = self.given(particles, &beside)?;
        let device = self.device.get().device.clone();
        let arrays: Vec<_> = [&given.particles].into_iter().chain(&given.beside).collect();
        let work = || -> Result<Vec<u64>, Failure> {
            let particles = given.particles.upload(&device, Precision::Double, None)?;
            let beside = given.buffers(&device)?;
            beside.with(|beside| Ok(self.lock()?.measure(self.program, &*particles, beside)?))
        };
        let row = py.detach(|| in_turn(&device, &arrays, work)).or_raise()?;
        let numbers = reals(self.program.total, &row);
        let mut rest = &numbers[..];
        let mut total = Vec::new();
        for named in names(self.program.total) {
            let (found, others) = rest.split_at(named.numbers);
            total.push((
                named.name.clone(),
                found.iter().map(|&it| Number::of(named, it)).collect(),
            ));
            rest = others;
        }
        Ok(total)
    }
}

impl Runner {
    fn lock(&self) -> Result<MutexGuard<'_, Box<dyn untyped::PerParticle>>, Failure> {
        self.engine.lock().map_err(|_| Failure::poisoned("runner"))
    }

    /// Views the arrays of particles and of the records beside them.
    fn given(
        &self,
        particles: &Bound<'_, PyDict>,
        beside: &[Bound<'_, PyDict>],
    ) -> PyResult<GivenParticles> {
        let ParticleProgram { name, p, q, f, g, .. } = *self.program;
        let [seconds, results, totals] = [q.len(), f.len(), g.len()];
        if beside.len() != seconds + results + totals {
            return Err(PyTypeError::new_err(format!(
                "`{name}` reads {} records besides the particles (second particles: {seconds}, results: \
                 {results}, totals: {totals}), found {}; give them in this order",
                seconds + results + totals,
                beside.len()
            )));
        }
        let particles = Arrays::of(p, particles, "particles")?;
        self.device.get().check(particles.place)?;
        let all = q.iter().chain(f).chain(g).zip(beside);
        let mut views = Vec::new();
        for (fields, given) in all {
            let arrays = Arrays::of(fields, given, "records")?;
            self.device.get().check(arrays.place)?;
            views.push(arrays);
        }
        Ok(GivenParticles { particles, beside: views, numbers: [seconds, results] })
    }
}

/// A number of a total.
#[derive(IntoPyObject)]
enum Number {
    Real(f64),
    Integer(i64),
}

impl Number {
    /// Returns a number of a column; -1 for the index of an extreme over no particles.
    fn of(named: &Named, found: f64) -> Self {
        match found {
            _ if !named.is_integer => Self::Real(found),
            _ if named.is_part && found == f64::from(u32::MAX) => Self::Integer(-1),
            _ => Self::Integer(found as i64),
        }
    }
}

/// The arrays of an update or a measure.
struct GivenParticles {
    particles: Arrays,
    beside: Vec<Arrays>,
    /// The numbers of second particles and of results.
    numbers: [usize; 2],
}

/// Buffers beside the particles.
struct BesideBuffers {
    buffers: [Vec<Box<dyn Buffer>>; 3],
}

impl GivenParticles {
    fn buffers(&self, device: &nbody::Device) -> Result<BesideBuffers, Failure> {
        let [seconds, results] = self.numbers;
        let mut buffers: [Vec<Box<dyn Buffer>>; 3] = Default::default();
        for (k, arrays) in self.beside.iter().enumerate() {
            if k < seconds {
                buffers[0].push(arrays.upload(device, Precision::Double, None)?);
                continue;
            }
            let of = if k < seconds + results { 1 } else { 2 };
            buffers[of].push(arrays.upload_results(device)?);
        }
        Ok(BesideBuffers { buffers })
    }
}

impl BesideBuffers {
    /// Calls a function with the buffers.
    fn with<T>(&self, work: impl FnOnce(Beside<'_>) -> T) -> T {
        let [q, f, g] =
            [0, 1, 2].map(|k| self.buffers[k].iter().map(|it| &**it).collect::<Vec<_>>());
        work(Beside { q: &q, f: &f, g: &g })
    }
}

/// Tuples of particles with their program, on a device.
#[pyclass(frozen, module = "nbody._native")]
pub struct Tuples {
    device: Py<Device>,
    program: &'static ParticleProgram,
    engine: Mutex<Box<dyn untyped::Tuples>>,
    precision: Option<Precision>,
}

#[pymethods]
impl Tuples {
    /// Creates an engine of the tuples of these particles.
    #[new]
    fn new(
        device: Py<Device>,
        program: &Program,
        members: Vec<u32>,
        particles: usize,
        records: &Bound<'_, PyDict>,
        given: &Bound<'_, PyDict>,
        parameters: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (program, py) = (program.0, given.py());
        program.check_tuple().or_raise()?;
        let (options, precision) = options::options(given)?;
        let row = options::parameters(program.parameters, parameters, program.name)?;
        let records =
            (!program.record.is_empty()).then(|| Arrays::of(program.record, records, "tuples"));
        let records = records.transpose()?;
        let of_device = device.get().device.clone();
        let engine = py.detach(|| -> Result<_, Failure> {
            let mut engine = of_device.untyped().tuples(program, &row)?;
            engine.set_domain(options.domain)?;
            let list = TupleList::new(program.members, members, particles)?;
            match &records {
                Some(records) => records.with_rows(|rows| Ok(engine.set(list, rows)?))?,
                None => engine.set(list, &OwnedRows::new(&[], Vec::new())?)?,
            }
            Ok(engine)
        });
        Ok(Self { device, program, engine: Mutex::new(engine.or_raise()?), precision })
    }

    /// Evaluates the tuples.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        particles: &Bound<'py, PyDict>,
        empty: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let given = Arrays::of(self.program.p, particles, "particles")?;
        self.device.get().check(given.place)?;
        let of_arrays = given.precision();
        let precision = self.precision.unwrap_or(of_arrays);
        let fields = self.program.total;
        let on = self.device.get().memory_of(given.place);
        let origin = Origin { maker: given.maker(), empty, on };
        let (results, written) = allocated(py, (fields, given.n), of_arrays, origin)?;
        self.device.get().check(written.place)?;
        let device = self.device.get().device.clone();
        let work = || -> Result<(), Failure> {
            let particles = given.upload(&device, precision, None)?;
            let mut engine = self.engine.lock().map_err(|_| Failure::poisoned("tuples"))?;
            let is_single = precision == Precision::Single;
            let of_results = if is_single { Precision::Single } else { Precision::Double };
            let mut out = engine.results(given.n, of_results)?;
            engine.evaluate(&*particles, &mut *out, Store::Replace)?;
            written.download(&device, &*out)
        };
        py.detach(|| in_turn(&device, &[&given, &written], work)).or_raise()?;
        Ok(results)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let count =
            || Ok::<_, Failure>(self.engine.lock().map_err(|_| Failure::poisoned("tuples"))?.len());
        py.detach(count).or_raise()
    }
}
