//! Arrays as columns of records.

use nbody::law::Field;
use nbody::untyped::{Buffer, CallerWork, LentMemory, NumberType, Rows};
use nbody::{Device, Precision};
use nbody_bindings::{
    Column, ColumnRows, Columns, Direction, Download, Failure, Memory, check_whole, of_device,
    places,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::arrays::{Maker, Place, View};
use crate::named::{Named, expected, names, records};

/// Arrays of the fields of records.
pub struct Arrays {
    fields: &'static [Field],
    views: Vec<(&'static Named, View)>,
    /// The number of records.
    pub n: usize,
    pub place: Place,
}

// SAFETY: views are addresses of memory that their owners keep; the owners are dropped with the
// interpreter attached.
unsafe impl Send for Arrays {}
// SAFETY: as above; nothing changes a view.
unsafe impl Sync for Arrays {}

impl Arrays {
    /// Views an array for each field; `what` names the records in messages.
    pub fn of(fields: &'static [Field], given: &Bound<'_, PyDict>, what: &str) -> PyResult<Self> {
        Self::filled(fields, given, what, &|_| true)
    }

    /// Views arrays of fields. A field that is not given is 0; one that is read must be given.
    pub fn filled(
        fields: &'static [Field],
        given: &Bound<'_, PyDict>,
        what: &str,
        is_read: &dyn Fn(&Field) -> bool,
    ) -> PyResult<Self> {
        let mut arrays = Self::some_of(fields, given, what)?;
        let is_given = |it: &Named| arrays.views.iter().any(|(named, _)| named.name == it.name);
        let missing: Vec<_> = names(fields).iter().filter(|it| !is_given(it)).collect();
        let reads = |named: &Named| {
            let name = named.name.split('.').next();
            fields.iter().any(|field| Some(field.name) == name && is_read(field))
        };
        if let Some(missing) = missing.iter().find(|it| reads(it)) {
            return Err(PyTypeError::new_err(format!(
                "{what} without a field `{}`: expected {}",
                missing.name,
                expected(fields)
            )));
        }
        arrays.views.extend(missing.into_iter().map(|named| (named, View::zero(named.is_integer))));
        Ok(arrays)
    }

    /// Views arrays of some fields.
    pub fn some_of(
        fields: &'static [Field],
        given: &Bound<'_, PyDict>,
        what: &str,
    ) -> PyResult<Self> {
        let mut arrays = Vec::with_capacity(fields.len());
        for (key, object) in given.iter() {
            let key = key.cast::<PyString>().map_err(PyErr::from)?;
            let name = key.to_str()?;
            let Some(named) = names(fields).iter().find(|it| it.name == name) else {
                return Err(PyTypeError::new_err(format!(
                    "{what} have no field `{name}`: expected {}",
                    expected(fields)
                )));
            };
            arrays.push((named, View::of(&object, name, named.is_integer)?));
        }
        Self::new(fields, arrays, what)
    }

    /// Checks that the arrays have one number of records, in one memory.
    pub fn new(
        fields: &'static [Field],
        arrays: Vec<(&'static Named, View)>,
        what: &str,
    ) -> PyResult<Self> {
        let n = count(fields, &arrays, what)?;
        let mut place = None;
        // One number of the host stands for every record, wherever the others are.
        let anywhere = |view: &View| view.is_scalar() && view.place == Place::Host;
        for &(named, ref view) in arrays.iter().filter(|(_, view)| !anywhere(view)) {
            match place {
                None => place = Some((named, view.place)),
                Some((other, found)) if found != view.place => {
                    return Err(PyValueError::new_err(format!(
                        "`{}` is in memory of {found}, `{}` of {}; give all arrays in one memory",
                        other.name, named.name, view.place
                    )));
                }
                Some(_) => {}
            }
        }
        let place = place.map_or(Place::Host, |(_, place)| place);
        Ok(Self { fields, views: arrays, n, place })
    }

    /// Returns whether any array has numbers of 64 bits; `None` without arrays of reals.
    pub fn is_double(&self) -> Option<bool> {
        let reals =
            self.views.iter().filter(|(_, view)| !view.is_scalar() && !view.kind.is_integer());
        reals.map(|(_, view)| view.kind == NumberType::F64).reduce(|a, b| a || b)
    }

    /// Returns the functions of the library of the first array.
    pub fn maker(&self) -> Option<Maker> {
        self.views.iter().find(|(_, view)| !view.is_scalar()).and_then(|(_, view)| view.maker)
    }

    /// Returns the precision of the arrays: double if any has 64 bits.
    pub fn precision(&self) -> Precision {
        if self.is_double() == Some(false) { Precision::Single } else { Precision::Double }
    }

    /// Returns the work of the libraries on a GPU: in known streams, which `in_turn` orders, or anywhere.
    fn work(&self) -> CallerWork {
        let mut on_gpu = self.views.iter().filter(|(_, view)| view.place != Place::Host);
        let is_known = on_gpu.all(|(_, view)| view.stream.is_some());
        if is_known { CallerWork::Ordered } else { CallerWork::Anywhere }
    }

    fn columns(&self) -> Vec<Column<'_>> {
        let memory = match self.place {
            Place::Host => Memory::Host,
            Place::Cuda(_) => Memory::Device,
        };
        self.views.iter().map(|(named, view)| column(&named.name, view, memory)).collect()
    }

    /// Moves numbers of the host, which stand for every record, to the device of the other arrays; returns
    /// their memory there.
    fn move_numbers(
        &self,
        columns: &mut [Column<'_>],
        device: &Device,
    ) -> Result<Option<Box<dyn LentMemory>>, Failure> {
        let views = self.views.iter().map(|(_, view)| view);
        let of_host = columns.iter_mut().zip(views).filter(|(_, view)| view.place != self.place);
        let (mut of_host, words): (Vec<_>, Vec<_>) =
            of_host.map(|(column, view)| (column, view.word())).unzip();
        if words.is_empty() {
            return Ok(None);
        }
        let memory = device.untyped().lend_words(&words)?;
        for (k, column) in of_host.iter_mut().enumerate() {
            column.data = ptr::with_exposed_provenance_mut(memory.address() as usize + 8 * k);
        }
        Ok(Some(memory))
    }

    /// Copies the records to the device, into a buffer if there is one.
    pub fn upload(
        &self,
        device: &Device,
        precision: Precision,
        reused: Option<Box<dyn Buffer>>,
    ) -> Result<Box<dyn Buffer>, Failure> {
        let mut columns = self.columns();
        let _numbers = self.move_numbers(&mut columns, device)?;
        let (fields, n) = (self.fields, self.n);
        let is_such =
            |buffer: &dyn Buffer| buffer.precision() == precision && buffer.fields() == fields;
        // SAFETY: the views describe live memory, which nothing writes during the call, as the caller
        // of the module promises.
        let columns = unsafe { places(&columns, fields, n, Direction::FromCaller) }?;
        match &columns {
            Columns::Host(places) => {
                check_whole(fields, places)?;
                let rows = ColumnRows { n, fields, places };
                match reused {
                    Some(mut buffer) if is_such(&*buffer) => {
                        buffer.replace(&rows)?;
                        Ok(buffer)
                    }
                    _ => Ok(device.untyped().upload(&rows, precision)?),
                }
            }
            Columns::Device(places) => {
                check_whole(fields, places)?;
                let mut buffer = match reused {
                    Some(buffer) if is_such(&*buffer) => buffer,
                    _ => {
                        let none = ColumnRows { n: 0, fields, places: &[] };
                        device.untyped().upload(&none, precision)?
                    }
                };
                if buffer.len() != n {
                    buffer.resize(n)?;
                }
                let columns = of_device(places);
                // SAFETY: as above; `in_turn` orders the streams of the arrays.
                unsafe { device.untyped().write_columns(&mut *buffer, &columns, self.work()) }?;
                Ok(buffer)
            }
        }
    }

    /// Calls a function with the records, which are in memory of the CPU.
    pub fn with_rows<T>(
        &self,
        work: impl FnOnce(&dyn Rows) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let columns = self.columns();
        let (fields, n) = (self.fields, self.n);
        // SAFETY: as in `upload`.
        match unsafe { places(&columns, fields, n, Direction::FromCaller) }? {
            Columns::Host(places) => {
                check_whole(fields, &places)?;
                work(&ColumnRows { n, fields, places: &places })
            }
            Columns::Device(_) => {
                let place = self.place;
                Err(Failure::unsupported(format!("arrays on {place}; give arrays of the CPU")))
            }
        }
    }

    /// Copies rows of the host to the arrays.
    pub fn put(&self, rows: &dyn Rows) -> Result<(), Failure> {
        let columns = self.columns();
        let (fields, n) = (self.fields, self.n);
        // SAFETY: as in `download`.
        let columns = unsafe { places(&columns, fields, n, Direction::ToCaller) }?;
        let (Columns::Host(places) | Columns::Device(places)) = &columns;
        let failure = Mutex::new(None);
        let download = Download { n, fields, places };
        download.take(false, &failure, &|records, to| rows.write(records, to));
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Copies the records to results on the device.
    pub fn upload_results(&self, device: &Device) -> Result<Box<dyn Buffer>, Failure> {
        let mut results = device.untyped().total(self.fields)?;
        self.with_rows(|rows| {
            results.resize(rows.count())?;
            Ok(results.write_results(rows)?)
        })?;
        Ok(results)
    }

    /// Copies the records of a buffer to the arrays.
    pub fn download(&self, device: &Device, buffer: &dyn Buffer) -> Result<(), Failure> {
        let columns = self.columns();
        let (fields, n) = (self.fields, self.n);
        // SAFETY: the views describe live memory that nothing else uses during the call, as the caller of
        // the module promises.
        let columns = unsafe { places(&columns, fields, n, Direction::ToCaller) }?;
        match &columns {
            Columns::Host(places) => {
                if n == 0 || places.is_empty() {
                    return Ok(());
                }
                let failure = Mutex::new(None);
                let download = Download { n, fields, places };
                buffer.read(0..n, &mut |write| download.take(false, &failure, write))?;
                failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
            }
            Columns::Device(places) => {
                let columns = of_device(places);
                // SAFETY: as above; `in_turn` orders the streams of the arrays.
                Ok(unsafe { device.untyped().read_columns(buffer, 0..n, &columns, self.work()) }?)
            }
        }
    }

    /// Refuses arrays that must not be written.
    pub fn check_writable(&self) -> PyResult<()> {
        for (named, view) in &self.views {
            let name = &named.name;
            if view.is_scalar() {
                return Err(PyValueError::new_err(format!(
                    "`{name}` is one number, and results are to be written to it; give an array"
                )));
            }
            if view.is_read_only {
                return Err(PyValueError::new_err(format!(
                    "`{name}` is read only, and results are to be written to it; give an array that may change"
                )));
            }
        }
        Ok(())
    }
}

/// Does work on a device in the order of the known streams of arrays on it.
pub fn in_turn<T>(
    device: &Device,
    arrays: &[&Arrays],
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut streams: Vec<u64> = Vec::new();
    for arrays in arrays {
        // Arrays of several libraries may be in several streams.
        for stream in arrays.views.iter().filter_map(|(_, view)| view.stream) {
            if !streams.contains(&stream) {
                streams.push(stream);
            }
        }
    }
    for &stream in &streams {
        // SAFETY: the library of the arrays works in this stream of the device.
        unsafe { device.untyped().follow(stream) }?;
    }
    let done = work();
    // After a failure, too: copies may be on their way.
    for &stream in &streams {
        // SAFETY: as above.
        unsafe { device.untyped().lead(stream) }?;
    }
    done
}

/// Returns a view as a column. One number stands for every record.
fn column<'a>(name: &'a str, view: &View, memory: Memory) -> Column<'a> {
    let record_stride = view.strides.first().copied().unwrap_or(0);
    let component_stride = view.strides.get(1).copied();
    let (data, kind) = (view.data, view.kind);
    Column { field: name, data, kind, memory, record_stride: Some(record_stride), component_stride }
}

/// Returns the number of records, which the arrays must agree on.
fn count(fields: &'static [Field], arrays: &[(&Named, View)], what: &str) -> PyResult<usize> {
    let mut first: Option<(&str, usize)> = None;
    for (named, view) in arrays {
        let Some(n) = records(named, &view.shape)? else { continue };
        match first {
            None => first = Some((&named.name, n)),
            Some((other, found)) if found != n => {
                return Err(PyValueError::new_err(format!(
                    "`{}` has {n} records, and `{other}` has {found}; give one number of records",
                    named.name
                )));
            }
            Some(_) => {}
        }
    }
    first.map(|(_, n)| n).ok_or_else(|| {
        PyTypeError::new_err(format!("no array of {what}; give {}", expected(fields)))
    })
}
