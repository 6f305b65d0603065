//! Columns: numbers of a field in memory of the caller, at any strides.

use std::ffi::{c_char, c_void};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::{ptr, slice};

use nbody::law::{Field, FieldKind};
use nbody::untyped::{DeviceColumn, NumberType as Type, Rows, WriteRows};
use nbody_core::pack::check_parameters;

use crate::pointers;
use crate::status::Failure;

/// A field of records in memory of the caller: `nbody_column` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name of the field.
    pub field: *const c_char,
    /// The first number of the first record.
    pub data: *mut c_void,
    /// The type of a number: `NBODY_F32` and its followers.
    pub kind: i32,
    /// The memory of the numbers: a [`Memory`].
    pub memory: i32,
    /// Bytes from record to record; 0 for records without gaps.
    pub record_stride: isize,
    /// Bytes from component to component; 0 for components without gaps.
    pub component_stride: isize,
}

/// The memory of a column.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The memory of the host.
    Host = 0,
    /// The memory of the device of the engine.
    Device = 1,
}

/// Returns the type of a number of the header.
fn type_of(found: i32) -> Option<Type> {
    let types = [Type::F32, Type::F64, Type::I32, Type::U32, Type::I64, Type::U64];
    types.get(usize::try_from(found).ok()?.checked_sub(1)?).copied()
}

/// The direction of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    FromCaller,
    ToCaller,
}

/// A column whose memory is checked, as numbers of a row.
pub(crate) struct Place<'a> {
    name: &'a str,
    field: &'static Field,
    data: *mut u8,
    memory: Memory,
    kind: Type,
    record_stride: isize,
    component_stride: isize,
    /// Its numbers in a row of the record.
    numbers: Range<usize>,
}

// SAFETY: a place is an address and a layout. Memory that the library reads may be read by several
// threads; it writes to memory of the caller from one thread.
unsafe impl Sync for Place<'_> {}

/// Returns the number of numbers of a record.
pub(crate) fn width(fields: &[Field]) -> usize {
    fields.iter().map(|field| field.kind.components()).sum()
}

/// Returns the names of the two columns of a field with indices.
fn parts(kind: FieldKind) -> Option<[&'static str; 2]> {
    match kind {
        FieldKind::Nearest(_) => Some(["values", "indices"]),
        kind => kind.keeps_index().then_some(["value", "index"]),
    }
}

/// Returns the field of a name, its numbers in a row, and whether they are integers. The parts of a
/// field with indices have names of their own: `field.value` and `field.index`.
fn find(
    fields: &'static [Field],
    name: &str,
) -> Result<(&'static Field, Range<usize>, bool), Failure> {
    let mut first = 0;
    for field in fields {
        let numbers = first..first + field.kind.components();
        first = numbers.end;
        if let Some(parts) = parts(field.kind) {
            let part = name.strip_prefix(field.name).and_then(|rest| rest.strip_prefix('.'));
            let middle = numbers.start + numbers.len() / 2;
            match parts.iter().position(|known| part == Some(known)) {
                Some(0) => return Ok((field, numbers.start..middle, false)),
                Some(_) => return Ok((field, middle..numbers.end, true)),
                None => {}
            }
        } else if field.name == name {
            let is_integer = field.kind == FieldKind::U32 || field.kind.is_count();
            return Ok((field, numbers, is_integer));
        }
    }
    Err(Failure::argument(format!("no field `{name}`: expected {}", names(fields))))
}

/// Returns the names of the columns that fields have.
fn names(fields: &[Field]) -> String {
    let mut names = Vec::new();
    for Field { name, kind } in fields {
        if let Some(parts) = parts(*kind) {
            names.extend(parts.map(|part| format!("`{name}.{part}`")));
        } else {
            names.push(format!("`{name}`"));
        }
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Columns whose memory is checked: all of the host, or all of the device.
pub(crate) enum Columns<'a> {
    Host(Vec<Place<'a>>),
    Device(Vec<Place<'a>>),
}

/// Checks columns of `n` records of these fields.
///
/// # Safety
///
/// The array is NULL or has this number of columns; each has a name that is NULL or ends with a zero,
/// and data that are NULL or good, at its strides, for `n` records: for reads, or for writes that no
/// one else sees. This must hold until the places are dropped.
pub(crate) unsafe fn places<'a>(
    columns: *const Column,
    count: usize,
    fields: &'static [Field],
    n: usize,
    direction: Direction,
) -> Result<Columns<'a>, Failure> {
    // SAFETY: as the caller promises.
    let columns = unsafe { pointers::array(columns, count, "columns") }?;
    let mut places: Vec<Place> = Vec::new();
    for (k, column) in columns.iter().enumerate() {
        // SAFETY: as the caller promises.
        let name = unsafe { pointers::text(column.field, &format!("columns[{k}].field")) }?;
        let (field, numbers, is_integer) = find(fields, name)?;
        let place = place(*column, name, field, numbers, is_integer)?;
        place.check(n, direction)?;
        if places.iter().any(|other| other.numbers == place.numbers) {
            return Err(Failure::argument(format!("two columns of `{name}`; give one")));
        }
        places.push(place);
    }
    let [of_host, of_device] = [Memory::Host, Memory::Device]
        .map(|memory| places.iter().find(|place| place.memory == memory).map(|place| place.name));
    match (of_host, of_device) {
        (Some(host), Some(device)) => Err(Failure::argument(format!(
            "column `{host}` in memory of the host and `{device}` in memory of the device; give all \
             columns of a call in one memory"
        ))),
        (None, Some(_)) => Ok(Columns::Device(places)),
        _ => {
            if direction == Direction::FromCaller {
                places.iter().try_for_each(|place| place.check_integers(n))?;
            }
            Ok(Columns::Host(places))
        }
    }
}

/// Returns the columns of a device, one for each number.
pub(crate) fn of_device(places: &[Place]) -> Vec<DeviceColumn> {
    let each = |place: &Place| {
        let (data, kind) = (place.data, place.kind);
        let [record, component] = [place.record_stride, place.component_stride];
        place.numbers.clone().zip(0_isize..).map(move |(number, k)| DeviceColumn {
            number,
            kind,
            // `check` proves that the address is within the address space.
            address: data.addr().wrapping_add_signed(k * component) as u64,
            stride: record as i64,
        })
    };
    places.iter().flat_map(each).collect()
}

fn place<'a>(
    column: Column,
    name: &'a str,
    field: &'static Field,
    numbers: Range<usize>,
    is_integer: bool,
) -> Result<Place<'a>, Failure> {
    let memory = match column.memory {
        0 => Memory::Host,
        1 => Memory::Device,
        found => {
            return Err(Failure::argument(format!(
                "memory {found} of column `{name}`: expected 0 or 1; use the names of nbody.h"
            )));
        }
    };
    let Some(kind) = type_of(column.kind) else {
        let found = column.kind;
        return Err(Failure::argument(format!(
            "type {found} of column `{name}`: expected 1 to 6; use the names of nbody.h"
        )));
    };
    if kind.is_integer() != is_integer {
        let expected = if is_integer { "an integer type" } else { "float or double" };
        return Err(Failure::argument(format!(
            "column `{name}` of {}: `{field}` needs {expected}",
            kind.name()
        )));
    }
    let or =
        |stride: isize, default: usize| if stride == 0 { default.cast_signed() } else { stride };
    let component_stride = or(column.component_stride, kind.size());
    // Records without gaps are in Fortran's order: the components of a record are adjacent.
    let record_stride = or(column.record_stride, kind.size() * numbers.len());
    let data = column.data.cast();
    Ok(Place { name, field, data, memory, kind, record_stride, component_stride, numbers })
}

impl Place<'_> {
    fn offset(&self, record: usize, component: usize) -> isize {
        // `check` proves that this does not overflow.
        record.cast_signed() * self.record_stride + component.cast_signed() * self.component_stride
    }

    /// Refuses NULL, strides whose extent is beyond any memory, and, for the numbers that a call writes,
    /// strides at which numbers may overlap.
    fn check(&self, n: usize, direction: Direction) -> Result<(), Failure> {
        if n == 0 {
            return Ok(());
        }
        let name = self.name;
        if self.data.is_null() {
            return Err(Failure::argument(format!(
                "the data of column `{name}` are NULL; give the address of its first number"
            )));
        }
        let components = self.numbers.len();
        let extent = |n: usize, stride: isize| {
            let length = n.saturating_sub(1).checked_mul(stride.unsigned_abs())?;
            isize::try_from(length).ok().map(|length| if stride < 0 { -length } else { length })
        };
        let ends = || {
            let of_records = extent(n, self.record_stride)?;
            let of_components = extent(components, self.component_stride)?;
            let first = of_records.min(0).checked_add(of_components.min(0))?;
            let last = of_records.max(0).checked_add(of_components.max(0))?;
            let last = last.checked_add_unsigned(self.kind.size())?;
            last.checked_sub(first)?;
            let address = self.data.addr();
            address.checked_add_signed(first)?;
            address.checked_add_signed(last)?;
            Some([of_records, of_components].map(isize::unsigned_abs))
        };
        let Some([of_records, of_components]) = ends() else {
            let [record, component] = [self.record_stride, self.component_stride];
            return Err(Failure::argument(format!(
                "column `{name}`: {n} records with strides of {record} and {component} bytes are beyond \
                 any memory; strides are in bytes"
            )));
        };
        let size = self.kind.size();
        let [record, component] =
            [self.record_stride, self.component_stride].map(isize::unsigned_abs);
        let is_apart = match (n, components) {
            (1, 1) => true,
            (_, 1) => record >= size,
            (1, _) => component >= size,
            // Records within the gaps of components, or components within records.
            _ => {
                component >= size && record >= of_components + size
                    || record >= size && component >= of_records + size
            }
        };
        if direction == Direction::ToCaller && !is_apart {
            let [record, component] = [self.record_stride, self.component_stride];
            return Err(Failure::argument(format!(
                "column `{name}`: numbers overlap at strides of {record} bytes from record to record and \
                 {component} from component to component; strides are in bytes"
            )));
        }
        Ok(())
    }

    /// Refuses integers that a field cannot hold.
    fn check_integers(&self, n: usize) -> Result<(), Failure> {
        if !self.kind.is_integer() || self.kind == Type::U32 {
            return Ok(());
        }
        for record in 0..n {
            let found = match self.word(record, 0) {
                word if u32::try_from(word).is_ok() => continue,
                word if self.kind == Type::U64 => word.to_string(),
                word => word.cast_signed().to_string(),
            };
            return Err(Failure::argument(format!(
                "column `{}`: {found} in record {record}, expected 0 to {}",
                self.name,
                u32::MAX
            )));
        }
        Ok(())
    }

    /// Returns a number as a word of a row.
    fn word(&self, record: usize, component: usize) -> u64 {
        // SAFETY: the caller of `places` promises data that are good for each number of each record; the
        // offset does not overflow, and the number may be at any address.
        unsafe {
            let at = self.data.offset(self.offset(record, component));
            match self.kind {
                Type::F32 => f64::from(ptr::read_unaligned(at.cast::<f32>())).to_bits(),
                Type::F64 => ptr::read_unaligned(at.cast::<f64>()).to_bits(),
                Type::U32 => ptr::read_unaligned(at.cast::<u32>()).into(),
                // A negative number is a wide integer, which is refused.
                Type::I32 => i64::from(ptr::read_unaligned(at.cast::<i32>())).cast_unsigned(),
                Type::I64 | Type::U64 => ptr::read_unaligned(at.cast::<u64>()),
            }
        }
    }

    /// Writes a word of a row as a number; returns whether the type can hold it.
    fn put(&self, record: usize, component: usize, word: u64) -> bool {
        // The index of an extreme over no pairs.
        let is_none = self.field.kind.keeps_index() && word == u32::MAX.into();
        // SAFETY: as for `word`, for writes.
        unsafe {
            let at = self.data.offset(self.offset(record, component));
            match self.kind {
                Type::F32 => ptr::write_unaligned(at.cast(), f64::from_bits(word) as f32),
                Type::F64 => ptr::write_unaligned(at.cast(), f64::from_bits(word)),
                Type::U32 => ptr::write_unaligned(at.cast(), word as u32),
                Type::I32 if is_none => ptr::write_unaligned(at.cast(), -1_i32),
                Type::I64 if is_none => ptr::write_unaligned(at.cast(), -1_i64),
                Type::I32 => {
                    let Ok(number) = i32::try_from(word) else { return false };
                    ptr::write_unaligned(at.cast(), number);
                }
                Type::I64 | Type::U64 => ptr::write_unaligned(at.cast(), word),
            }
        }
        true
    }
}

/// Records of columns. Every number of a record belongs to a column.
pub(crate) struct ColumnRows<'a> {
    pub n: usize,
    pub fields: &'static [Field],
    pub places: &'a [Place<'a>],
}

/// Refuses columns that leave out a field.
pub(crate) fn check_whole(fields: &'static [Field], places: &[Place]) -> Result<(), Failure> {
    let missing = |number: &usize| !places.iter().any(|place| place.numbers.contains(number));
    if (0..width(fields)).any(|number| missing(&number)) {
        let found: Vec<_> = places.iter().map(|place| format!("`{}`", place.name)).collect();
        let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
        return Err(Failure::argument(format!(
            "columns {found}, expected {}; give one for each field",
            names(fields)
        )));
    }
    Ok(())
}

impl Rows for ColumnRows<'_> {
    fn count(&self) -> usize {
        self.n
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        // The memory of the caller ends there.
        assert!(records.end <= self.n, "records {records:?} of {}", self.n);
        let width = width(self.fields).max(1);
        for place in self.places {
            for (record, row) in records.clone().zip(rows.chunks_exact_mut(width)) {
                for (component, word) in row[place.numbers.clone()].iter_mut().enumerate() {
                    *word = place.word(record, component);
                }
            }
        }
    }
}

/// Rows of one field of a particle, which has one column.
pub(crate) struct FieldRows<'a> {
    pub n: usize,
    pub place: &'a Place<'a>,
}

impl Rows for FieldRows<'_> {
    fn count(&self) -> usize {
        self.n
    }

    fn fields(&self) -> &'static [Field] {
        slice::from_ref(self.place.field)
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        // The memory of the caller ends there.
        assert!(records.end <= self.n, "records {records:?} of {}", self.n);
        let width = self.place.numbers.len().max(1);
        for (record, row) in records.zip(rows.chunks_exact_mut(width)) {
            for (component, word) in row.iter_mut().enumerate() {
                *word = self.place.word(record, component);
            }
        }
    }
}

/// Replaces words of rows by records of columns.
pub(crate) fn replace(rows: &mut [u64], width: usize, places: &[Place]) {
    for (record, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
        for place in places {
            for (component, word) in row[place.numbers.clone()].iter_mut().enumerate() {
                *word = place.word(record, component);
            }
        }
    }
}

/// The columns of a download.
pub(crate) struct Download<'a> {
    pub n: usize,
    pub fields: &'static [Field],
    pub places: &'a [Place<'a>],
}

impl Download<'_> {
    /// Rows that are converted at a time, which stay in the cache.
    const BATCH: usize = 256;

    /// Returns the field, if the columns are one whole field.
    pub fn only_field(&self) -> Option<&'static Field> {
        match self.places {
            [place] if place.numbers.len() == place.field.kind.components() => Some(place.field),
            _ => None,
        }
    }

    /// Writes rows of the whole record, or of one field, to the columns; keeps the first failure.
    pub fn take(&self, is_field: bool, failure: &Mutex<Option<Failure>>, write: &WriteRows) {
        let width = if is_field {
            self.places.iter().map(|place| place.numbers.len()).sum()
        } else {
            width(self.fields)
        };
        let mut rows = vec![0; Self::BATCH.min(self.n) * width];
        for begin in (0..self.n).step_by(Self::BATCH) {
            let batch = begin..self.n.min(begin + Self::BATCH);
            let rows = &mut rows[..batch.len() * width];
            write(batch.clone(), rows);
            for place in self.places {
                let numbers = if is_field { 0..place.numbers.len() } else { place.numbers.clone() };
                for (record, row) in batch.clone().zip(rows.chunks_exact(width.max(1))) {
                    for (component, word) in row[numbers.clone()].iter().enumerate() {
                        if !place.put(record, component, *word) {
                            let mut known = failure.lock().unwrap_or_else(PoisonError::into_inner);
                            known.get_or_insert_with(|| {
                                let (name, kind) = (place.name, place.kind.name());
                                Failure::argument(format!(
                                    "column `{name}` of {kind}: {word} in record {record} does not fit; \
                                     use uint32_t or a wider type"
                                ))
                            });
                        }
                    }
                }
            }
        }
    }
}

/// Returns parameters of these fields as words. Integers are given as doubles. Refuses NaN, so that no
/// object takes it.
// Only whole numbers of 32 bits are cast.
#[allow(clippy::cast_sign_loss)]
pub(crate) fn parameters(fields: &'static [Field], values: &[f64]) -> Result<Vec<u64>, Failure> {
    let expected = width(fields);
    if values.len() != expected {
        let fields: Vec<_> = fields.iter().map(ToString::to_string).collect();
        return Err(Failure::argument(format!(
            "{} parameters, expected {expected}: {}",
            values.len(),
            if fields.is_empty() { "none".to_owned() } else { fields.join(", ") }
        )));
    }
    let each = |field: &'static Field| std::iter::repeat_n(field, field.kind.components());
    let words = fields.iter().flat_map(each).zip(values).map(|(field, &value)| {
        if field.kind != FieldKind::U32 {
            return Ok(value.to_bits());
        }
        let is_index = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
        is_index.then_some(value as u64).ok_or_else(|| {
            Failure::argument(format!(
                "parameter `{field}` of {value}: expected a whole number from 0 to {}",
                u32::MAX
            ))
        })
    });
    let words: Vec<_> = words.collect::<Result<_, _>>()?;
    check_parameters(fields, &words)?;
    Ok(words)
}

/// Returns a row of a measure as numbers.
pub(crate) fn reals(fields: &[Field], words: &[u64]) -> Vec<f64> {
    let kinds = fields.iter().flat_map(|field| {
        (0..field.kind.components()).map(|component| match field.kind {
            FieldKind::U32 => true,
            kind => kind.is_count() || kind.is_index(component),
        })
    });
    let each = |(is_integer, &word): (bool, &u64)| {
        if is_integer { word as f64 } else { f64::from_bits(word) }
    };
    kinds.zip(words).map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        Field { name: "pos", kind: FieldKind::Point(3) },
        Field { name: "id", kind: FieldKind::U32 },
        Field { name: "near", kind: FieldKind::ArgMin },
        Field { name: "few", kind: FieldKind::Nearest(3) },
    ];

    /// Checks the strides of a column of three components.
    fn check(n: usize, strides: [isize; 2], direction: Direction) -> bool {
        let mut data = [0.0_f64; 100];
        let [record_stride, component_stride] = strides;
        let column = Column {
            field: c"pos".as_ptr(),
            data: data[50..].as_mut_ptr().cast(),
            kind: 2,
            memory: Memory::Host as i32,
            record_stride,
            component_stride,
        };
        // SAFETY: the name is a C string, and the data are not used.
        unsafe { places(&raw const column, 1, FIELDS, n, direction) }.is_ok()
    }

    #[test]
    fn strides_are_checked() {
        use Direction::{FromCaller, ToCaller};
        for direction in [FromCaller, ToCaller] {
            let good = [[0, 0], [24, 8], [-24, 8], [8, 32], [24, -8], [8, -32], [100, 8]];
            assert!(good.iter().all(|strides| check(4, *strides, direction)));
            let bad = [[isize::MAX, 0], [isize::MIN, 0], [0, isize::MAX], [1 << 62, 1 << 62]];
            assert!(!bad.iter().any(|strides| check(4, *strides, direction)));
            assert!(!check(usize::MAX, [0, 0], direction));
            assert!(!check(1 << 61, [8, 8], direction));
            assert!(check(1, [isize::MIN, 0], direction), "no second record");
            assert!(check(0, [isize::MIN, isize::MIN], direction), "no record");
        }
        for overlapping in [[8, 8], [16, 8], [24, 4], [4, 32], [8, 24], [-16, 8]] {
            assert!(check(4, overlapping, FromCaller));
            assert!(!check(4, overlapping, ToCaller), "{overlapping:?}");
        }
    }

    #[test]
    fn names_find_their_numbers() {
        let numbers =
            |name| find(FIELDS, name).map(|(_, numbers, is_integer)| (numbers, is_integer));
        assert_eq!(numbers("pos").unwrap(), (0..3, false));
        assert_eq!(numbers("id").unwrap(), (3..4, true));
        assert_eq!(numbers("near.value").unwrap(), (4..5, false));
        assert_eq!(numbers("near.index").unwrap(), (5..6, true));
        assert_eq!(numbers("few.values").unwrap(), (6..9, false));
        assert_eq!(numbers("few.indices").unwrap(), (9..12, true));
        let message = numbers("near").unwrap_err().message;
        let expected = "no field `near`: expected `pos`, `id`, `near.value`, `near.index`, `few.values`, \
                        `few.indices`";
        assert_eq!(message, expected);
    }

    #[test]
    fn integer_parameters_are_whole() {
        const ONE: &[Field] = &[Field { name: "kind", kind: FieldKind::U32 }];
        assert_eq!(parameters(ONE, &[4_294_967_295.0]).unwrap(), [u32::MAX.into()]);
        for wrong in [-1.0, 0.5, 4_294_967_296.0, f64::NAN, f64::INFINITY] {
            assert!(parameters(ONE, &[wrong]).is_err(), "{wrong}");
        }
        assert!(parameters(ONE, &[]).is_err());
    }
}
