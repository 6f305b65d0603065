//! Columns: numbers of a field in memory of a caller, at any strides.

mod download;
mod fields;
mod overlap;
mod place;
mod rows;

use nbody::law::Field;
use nbody::untyped::{DeviceColumn, NumberType};

pub use download::Download;
pub use fields::{parts, width};
pub use place::Place;
pub use rows::{ColumnRows, FieldRows, check_whole, replace};

use crate::failure::Failure;

/// A field of records in memory of a caller.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The name of the field. The parts of a field with indices have names of their own:
    /// `nearest.value` and `nearest.index`, `few.values` and `few.indices`.
    pub field: &'a str,
    /// The first number of the first record.
    pub data: *mut u8,
    /// The type of a number.
    pub kind: NumberType,
    /// The memory of the numbers.
    pub memory: Memory,
    /// Bytes from record to record; `None` for records without gaps.
    pub record_stride: Option<isize>,
    /// Bytes from component to component; `None` for components without gaps.
    pub component_stride: Option<isize>,
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

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From memory of the caller.
    FromCaller,
    /// To memory of the caller.
    ToCaller,
}

/// Columns whose memory is checked: all of the host, or all of the device.
pub enum Columns<'a> {
    /// In memory of the host.
    Host(Vec<Place<'a>>),
    /// In memory of the device.
    Device(Vec<Place<'a>>),
}

/// Checks columns of `n` records of these fields.
///
/// # Safety
///
/// The data of each column are NULL or good, at its strides, for `n` records: for reads, or for writes
/// that no one else sees. This must hold until the places are dropped.
pub unsafe fn places<'a>(
    columns: &[Column<'a>],
    fields: &'static [Field],
    n: usize,
    direction: Direction,
) -> Result<Columns<'a>, Failure> {
    let mut places: Vec<Place> = Vec::new();
    for column in columns {
        let place = Place::new(*column, fields)?;
        place.check(n, direction)?;
        if places.iter().any(|other| other.numbers == place.numbers) {
            return Err(Failure::argument(format!("two columns of `{}`; give one", column.field)));
        }
        places.push(place);
    }
    if direction == Direction::ToCaller {
        overlap::check(&places, n)?;
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
pub fn of_device(places: &[Place]) -> Vec<DeviceColumn> {
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

#[cfg(test)]
mod tests {
    use super::fields::find;
    use super::*;
    use nbody::law::FieldKind;

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
        let none = |stride: isize| (stride != 0).then_some(stride);
        let column = Column {
            field: "pos",
            data: data[50..].as_mut_ptr().cast(),
            kind: NumberType::F64,
            memory: Memory::Host,
            record_stride: none(record_stride),
            component_stride: none(component_stride),
        };
        // SAFETY: the data are not used.
        unsafe { places(&[column], FIELDS, n, direction) }.is_ok()
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
}
