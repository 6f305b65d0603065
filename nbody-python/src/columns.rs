//! Arrays as columns of records.

use nbody::law::{Field, FieldKind};
use nbody::untyped::{Buffer, CallerWork, LentMemory, NumberType, Rows};
use nbody::{Device, Precision};
use nbody_bindings::{
    Column, ColumnRows, Columns, Direction, Download, Failure, Memory, check_whole, of_device,
    parts, places,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::collections::HashMap;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::arrays::{Array, Maker, Place, View};
use crate::failure::OrRaise;

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

    fn new(
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
    fn put(&self, rows: &dyn Rows) -> Result<(), Failure> {
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

/// A column of records.
pub struct Named {
    pub name: String,
    /// The numbers of a record.
    pub numbers: usize,
    /// Whether a record has its numbers along a second axis.
    pub has_axis: bool,
    pub is_integer: bool,
}

impl Named {
    /// Returns the type of numbers of results: integers have 64 bits and a sign, since every library of
    /// arrays has them.
    fn type_of_result(&self, precision: Precision) -> NumberType {
        match (self.is_integer, precision) {
            (true, _) => NumberType::I64,
            (false, Precision::Single) => NumberType::F32,
            (false, _) => NumberType::F64,
        }
    }
}

/// Returns the columns of fields, described once.
pub fn names(fields: &'static [Field]) -> &'static [Named] {
    type Known = HashMap<(usize, usize), &'static [Named]>;
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let key = (fields.as_ptr().addr(), fields.len());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    known.entry(key).or_insert_with(|| Vec::leak(fields.iter().flat_map(described).collect()))
}

/// Describes the columns of a field: two, if it has indices.
fn described(field: &Field) -> Vec<Named> {
    let Field { name, kind } = *field;
    let numbers = kind.components();
    let has_axis = matches!(
        kind,
        FieldKind::Vector(_)
            | FieldKind::Tensor(_)
            | FieldKind::Point(_)
            | FieldKind::Array(_)
            | FieldKind::Nearest(_)
            | FieldKind::Counts(_)
    );
    let Some([values, indices]) = parts(kind) else {
        let is_integer = kind.is_count() || kind == FieldKind::U32;
        return vec![Named { name: name.to_owned(), numbers, has_axis, is_integer }];
    };
    let part = |part, is_integer| Named {
        name: format!("{name}.{part}"),
        numbers: numbers / 2,
        has_axis,
        is_integer,
    };
    vec![part(values, false), part(indices, true)]
}

/// Returns the names of columns in a list.
fn expected(fields: &'static [Field]) -> String {
    let names: Vec<_> = names(fields).iter().map(|it| format!("`{}`", it.name)).collect();
    listed(&names)
}

/// Returns the name of a type in Python's libraries.
pub fn type_name(kind: NumberType) -> &'static str {
    match kind {
        NumberType::F32 => "float32",
        NumberType::F64 => "float64",
        NumberType::I32 => "int32",
        NumberType::U32 => "uint32",
        NumberType::I64 => "int64",
        NumberType::U64 => "uint64",
    }
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

/// Returns the number of records of an array of this shape; `None` if it is one number for all.
fn records(named: &Named, shape: &[usize]) -> PyResult<Option<usize>> {
    let Named { name, numbers, has_axis, .. } = named;
    match (shape, has_axis) {
        ([], false) => Ok(None),
        (&[n] | &[n, 1], false) => Ok(Some(n)),
        (&[n, found], true) if found == *numbers => Ok(Some(n)),
        _ => {
            let expected = if *has_axis { format!("(n, {numbers})") } else { "(n,)".to_owned() };
            let is_turned = matches!(shape, &[rows, n] if rows == *numbers && n != *numbers);
            let help = if is_turned { format!("; give {name}.T") } else { String::new() };
            Err(PyValueError::new_err(format!(
                "`{name}` has the shape {}, expected {expected}{help}",
                shape_of(shape)
            )))
        }
    }
}

fn shape_of(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        shape => {
            let numbers: Vec<_> = shape.iter().map(ToString::to_string).collect();
            format!("({})", numbers.join(", "))
        }
    }
}

/// Returns names in a list.
pub fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The origin of arrays for results.
#[derive(Clone, Copy)]
pub struct Origin<'a, 'py> {
    /// The functions of the library of the arguments.
    pub maker: Option<Maker>,
    /// A function of a shape and a type that returns an array.
    pub empty: Option<&'a Bound<'py, PyAny>>,
    /// The GPU of arrays of nbody, which libraries get whose arrays are not written to.
    pub on: Option<(&'a Device, i32)>,
}

/// Allocates arrays for `n` records; returns them by their names, and their views.
pub fn allocated<'py>(
    py: Python<'py>,
    (fields, n): (&'static [Field], usize),
    precision: Precision,
    origin: Origin<'_, 'py>,
) -> PyResult<(Bound<'py, PyDict>, Arrays)> {
    let by_name = PyDict::new(py);
    let mut arrays = Vec::with_capacity(fields.len());
    for named in names(fields) {
        let shape: &[usize] = if named.has_axis { &[n, named.numbers] } else { &[n] };
        let (array, view) = origin.empty(py, shape, named.type_of_result(precision))?;
        by_name.set_item(&named.name, array)?;
        arrays.push((named, view));
    }
    Ok((by_name, Arrays::new(fields, arrays, "results")?))
}

impl<'py> Origin<'_, 'py> {
    /// Allocates an array; returns it and its view.
    fn empty(
        self,
        py: Python<'py>,
        shape: &[usize],
        kind: NumberType,
    ) -> PyResult<(Bound<'py, PyAny>, View)> {
        if let Some(maker) = self.maker
            && let Some(made) = maker.empty(py, shape, kind)?
        {
            return Ok(made);
        }
        let array = match self.empty {
            Some(empty) => empty.call1((PyTuple::new(py, shape)?, type_name(kind)))?,
            None => Bound::new(py, Array::new(shape, kind, self.on)?)?.into_any(),
        };
        let view = View::of(&array, "results", false)?;
        Ok((array, view))
    }
}

/// Returns rows of the host as new arrays.
pub fn new_arrays<'py>(
    py: Python<'py>,
    fields: &'static [Field],
    rows: &(dyn Rows + Sync),
    empty: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let origin = Origin { maker: None, empty, on: None };
    let (arrays, written) = allocated(py, (fields, rows.count()), Precision::Double, origin)?;
    py.detach(|| written.put(rows)).or_raise()?;
    Ok(arrays)
}
