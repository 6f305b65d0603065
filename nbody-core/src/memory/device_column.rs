//! Numbers of records in memory of a device that the caller owns.

use std::ops::Range;

use crate::error::Error;
use crate::field::Field;
use crate::records::numbers::{Number, numbers};
use crate::records::record::dim;

/// The type of a number in memory of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
    /// `float`
    F32,
    /// `double`
    F64,
    /// `int32_t`
    I32,
    /// `uint32_t`
    U32,
    /// `int64_t`
    I64,
    /// `uint64_t`
    U64,
}

impl NumberType {
    /// Returns the size in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Returns whether it is an integer.
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Returns the name in C.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "float",
            Self::F64 => "double",
            Self::I32 => "int32_t",
            Self::U32 => "uint32_t",
            Self::I64 => "int64_t",
            Self::U64 => "uint64_t",
        }
    }
}

/// The work of the caller that uses the memory of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerWork {
    /// In any stream. A copy waits before until all work of the process on the device has
    /// ended, and after until the copy has ended.
    Anywhere,
    /// In streams that the caller orders by [`Device::follow`](crate::device::Device::follow) and
    /// [`Device::lead`](crate::device::Device::lead). The host does not wait, except to check integers.
    /// The memory is of the device, which is not checked.
    Ordered,
}

/// One number of each record, in memory of a device that the caller owns. Reals are `float` or
/// `double`. Integers have one of the other types; the index of a minimum over no pairs is -1 in
/// types with a sign.
#[derive(Clone, Copy, Debug)]
pub struct DeviceColumn {
    /// The index of the number in a row of the record.
    pub number: usize,
    /// The type in memory of the caller.
    pub kind: NumberType,
    /// The address of the number of the first record.
    pub address: u64,
    /// Bytes from record to record.
    pub stride: i64,
}

impl DeviceColumn {
    /// Refuses numbers that the record does not have, numbers that come twice, and numbers of
    /// another type.
    pub fn check(columns: &[Self], fields: &'static [Field], n: usize) -> Result<(), Error> {
        let kinds: Vec<_> = numbers(fields).collect();
        for (k, column) in columns.iter().enumerate() {
            let Some(kind) = kinds.get(column.number) else {
                let (found, numbers) = (column.number, dim(fields));
                return Err(Error::NoNumber { found, numbers });
            };
            let refuse = |found, expected| column.refused(fields, found, expected);
            if columns[..k].iter().any(|other| other.number == column.number) {
                return refuse("two columns".to_owned(), "one column".to_owned());
            }
            if column.kind.is_integer() != (*kind == Number::Index) {
                let expected =
                    if column.kind.is_integer() { "float or double" } else { "an integer type" };
                return refuse(column.kind.name().to_owned(), expected.to_owned());
            }
            let size = column.kind.size();
            let is_aligned = |it: u64| it.is_multiple_of(size as u64);
            if n > 0 && !(is_aligned(column.address) && is_aligned(column.stride.unsigned_abs())) {
                let found = format!(
                    "the address {:#x} and a stride of {} bytes",
                    column.address, column.stride
                );
                return refuse(found, format!("multiples of {size} bytes"));
            }
            column.extent(n, fields)?;
        }
        Ok(())
    }

    /// Returns the addresses of all numbers of `n` records; an error if they are beyond any memory.
    pub fn extent(&self, n: usize, fields: &'static [Field]) -> Result<Range<u64>, Error> {
        let Some(last) = n.checked_sub(1) else { return Ok(self.address..self.address) };
        let extent = || {
            let last = i64::try_from(last).ok()?.checked_mul(self.stride)?;
            let last = self.address.checked_add_signed(last)?;
            let end = last.max(self.address).checked_add(self.kind.size() as u64)?;
            Some(last.min(self.address)..end)
        };
        extent().map_or_else(
            || {
                let found = format!("{n} records with a stride of {} bytes", self.stride);
                self.refused(fields, found, "less than the address space".to_owned())
            },
            Ok,
        )
    }

    /// Returns the error of a column that is not as expected.
    ///
    /// # Panics
    ///
    /// If the record has no such number.
    pub fn refused<T>(
        &self,
        fields: &'static [Field],
        found: String,
        expected: String,
    ) -> Result<T, Error> {
        let each = |field: &'static Field| (0..field.kind.components()).map(move |_| field);
        let field = fields.iter().flat_map(each).nth(self.number);
        let field = *field.expect("a number of the record");
        Err(Error::DeviceColumn { field, found, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldKind;

    const FIELDS: &[Field] = &[
        Field { name: "pos", kind: FieldKind::Point(2) },
        Field { name: "id", kind: FieldKind::U32 },
    ];

    fn column(number: usize, kind: NumberType, address: u64, stride: i64) -> DeviceColumn {
        DeviceColumn { number, kind, address, stride }
    }

    #[test]
    fn columns_are_checked() {
        use NumberType::{F32, F64, I64, U32};
        let message = |columns: &[DeviceColumn], n| {
            let error = DeviceColumn::check(columns, FIELDS, n).unwrap_err();
            error.to_string()
        };
        let good = [column(0, F64, 64, 8), column(1, F32, 64, -4), column(2, I64, 64, 0)];
        assert_eq!(DeviceColumn::check(&good, FIELDS, 17), Ok(()));
        assert!(message(&[column(3, F64, 64, 8)], 1).contains("number 3 of a record of 3"));
        assert!(message(&[good[0], good[0]], 1).contains("found two columns"));
        assert!(message(&[column(0, U32, 64, 8)], 1).contains("found uint32_t, expected float"));
        assert!(message(&[column(2, F32, 64, 8)], 1).contains("expected an integer type"));
        assert!(message(&[column(0, F64, 68, 8)], 1).contains("multiples of 8"));
        assert!(message(&[column(0, F64, 64, 12)], 1).contains("multiples of 8"));
        for (n, address, stride) in
            [(usize::MAX, 64, 8), (18, 64, -4), (3, 64, i64::MAX - 7), (2, u64::MAX - 7, 8)]
        {
            let (kind, stride) = if stride == -4 { (F32, stride) } else { (F64, stride & !7) };
            assert!(message(&[column(0, kind, address & !7, stride)], n).contains("address space"));
        }
    }

    #[test]
    fn extents_hold_every_number() {
        let extent = |stride, n| column(0, NumberType::F32, 100, stride).extent(n, FIELDS).unwrap();
        assert_eq!([extent(8, 0), extent(8, 1), extent(8, 3)], [100..100, 100..104, 100..120]);
        assert_eq!([extent(-8, 3), extent(0, 3)], [84..104, 100..104]);
    }
}
