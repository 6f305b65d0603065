//! A column whose memory is checked.

use std::ops::Range;
use std::ptr;

use nbody::law::Field;
use nbody::untyped::NumberType as Type;

use super::fields::find;
use super::{Column, Direction, Memory};
use crate::failure::Failure;

/// A column whose memory is checked, as numbers of a row.
pub struct Place<'a> {
    pub(super) name: &'a str,
    pub(super) field: &'static Field,
    pub(super) data: *mut u8,
    pub(super) memory: Memory,
    pub(super) kind: Type,
    pub(super) record_stride: isize,
    pub(super) component_stride: isize,
    /// Its numbers in a row of the record.
    pub(super) numbers: Range<usize>,
}

// SAFETY: a place is an address and a layout. Memory that the library reads may be read by several
// threads; it writes to memory of the caller from one thread.
unsafe impl Sync for Place<'_> {}

impl<'a> Place<'a> {
    /// Finds the numbers of a column in records of these fields. Refuses other types.
    pub(super) fn new(column: Column<'a>, fields: &'static [Field]) -> Result<Self, Failure> {
        let Column { field: name, data, kind, memory, .. } = column;
        let (field, numbers, is_integer) = find(fields, name)?;
        if kind.is_integer() != is_integer {
            let expected = if is_integer { "an integer type" } else { "float or double" };
            return Err(Failure::argument(format!(
                "column `{name}` of {}: `{field}` needs {expected}",
                kind.name()
            )));
        }
        let component_stride = column.component_stride.unwrap_or(kind.size().cast_signed());
        // Records without gaps are in Fortran's order: the components of a record are adjacent.
        let whole = (kind.size() * numbers.len()).cast_signed();
        let record_stride = column.record_stride.unwrap_or(whole);
        Ok(Self { name, field, data, memory, kind, record_stride, component_stride, numbers })
    }
}

impl Place<'_> {
    fn offset(&self, record: usize, component: usize) -> isize {
        // `check` proves that this does not overflow.
        record.cast_signed() * self.record_stride + component.cast_signed() * self.component_stride
    }

    /// Refuses NULL, strides whose extent is beyond any memory, and, for the numbers that a call writes,
    /// strides at which numbers may overlap.
    pub(super) fn check(&self, n: usize, direction: Direction) -> Result<(), Failure> {
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
    pub(super) fn check_integers(&self, n: usize) -> Result<(), Failure> {
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
    pub(super) fn word(&self, record: usize, component: usize) -> u64 {
        // SAFETY: the caller of `places` promises data that are good for each number of each record; the
        // offset does not overflow, and the number may be at any address.
        unsafe {
            let at = self.data.offset(self.offset(record, component));
            match self.kind {
                Type::F32 => f64::from(ptr::read_unaligned(at.cast::<f32>())).to_bits(),
                Type::F64 => ptr::read_unaligned(at.cast::<f64>()).to_bits(),
                Type::U32 => ptr::read_unaligned(at.cast::<u32>()).into(),
                // A negative number is a wide integer, which is refused.
                Type::I32 => self.or_none(ptr::read_unaligned(at.cast::<i32>()).into()),
                Type::I64 => self.or_none(ptr::read_unaligned(at.cast::<i64>())),
                Type::U64 => ptr::read_unaligned(at.cast::<u64>()),
            }
        }
    }

    /// Returns an integer as a word: -1 is the index of an extreme over no pairs, as `put` writes it.
    fn or_none(&self, found: i64) -> u64 {
        let is_none = self.field.kind.keeps_index() && found == -1;
        if is_none { u32::MAX.into() } else { found.cast_unsigned() }
    }

    /// Writes a word of a row as a number; returns whether the type can hold it.
    pub(super) fn put(&self, record: usize, component: usize, word: u64) -> bool {
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
