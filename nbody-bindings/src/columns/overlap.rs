//! Columns of results that would write to the same memory.

use super::place::Place;
use crate::failure::Failure;

/// Refuses columns of `n` records that overlap; each was checked for itself.
pub fn check(places: &[Place], n: usize) -> Result<(), Failure> {
    for (k, a) in places.iter().enumerate() {
        if let Some(b) = places[..k].iter().find(|b| a.overlaps(b, n)) {
            return Err(Failure::argument(format!(
                "the columns `{}` and `{}` overlap, and both are written; give each memory of its own",
                b.name, a.name
            )));
        }
    }
    Ok(())
}

impl Place<'_> {
    /// Returns whether a number of `n` records shares a byte with one of another column.
    fn overlaps(&self, other: &Self, n: usize) -> bool {
        let ([from, to], [other_from, other_to]) = (self.bounds(n), other.bounds(n));
        if n == 0 || to <= other_from || other_to <= from {
            return false;
        }
        if self.record_stride == other.record_stride {
            self.meets(other, n)
        } else {
            self.shares(other, n)
        }
    }

    /// Returns the same by a look at each number.
    fn shares(&self, other: &Self, n: usize) -> bool {
        let mut starts: Vec<_> = self.starts(n).collect();
        starts.sort_unstable();
        let size = self.kind.size() as i128;
        other.starts(n).any(|start| {
            // The first number that does not end before this one.
            let next = starts.partition_point(|it| it + size <= start);
            starts.get(next).is_some_and(|it| *it < start + other.kind.size() as i128)
        })
    }

    /// Returns the same of columns with one step from record to record, such as the fields of an array of
    /// structs, without a look at each record.
    fn meets(&self, other: &Self, n: usize) -> bool {
        let (size, other_size) = (self.kind.size() as i128, other.kind.size() as i128);
        // A number of records lies between the two numbers.
        let step = (self.record_stride as i128).abs().max(1);
        let most = n as i128 - 1;
        self.starts(1).any(|start| {
            other.starts(1).any(|of_other| {
                let apart = start - of_other;
                // The least number at which this one does not end before the other begins.
                let least = -(size - 1 + apart).div_euclid(step);
                let records = least.max(-most);
                records <= most && apart + records * step < other_size
            })
        })
    }

    /// Returns the addresses of all numbers.
    fn starts(&self, n: usize) -> impl Iterator<Item = i128> {
        let components = 0..self.numbers.len() as i128;
        let (begin, record, component) =
            (self.data.addr() as i128, self.record_stride as i128, self.component_stride as i128);
        (0..n as i128)
            .flat_map(move |k| components.clone().map(move |c| begin + k * record + c * component))
    }

    /// Returns the first address and the one behind the last.
    fn bounds(&self, n: usize) -> [i128; 2] {
        let ends = |count: usize, stride: isize| {
            let extent = count.saturating_sub(1) as i128 * stride as i128;
            [extent.min(0), extent.max(0)]
        };
        let [of_records, of_components] =
            [ends(n, self.record_stride), ends(self.numbers.len(), self.component_stride)];
        let begin = self.data.addr() as i128;
        let size = self.kind.size() as i128;
        [begin + of_records[0] + of_components[0], begin + of_records[1] + of_components[1] + size]
    }
}

#[cfg(test)]
mod tests {
    use nbody::law::{Field, FieldKind};
    use nbody::untyped::NumberType;

    use super::super::{Column, Columns, Direction, Memory, places};
    use super::Place;

    const FIELDS: &[Field] = &[
        Field { name: "acc", kind: FieldKind::Vector(3) },
        Field { name: "pot", kind: FieldKind::Real },
    ];

    /// Tests whether columns at these bytes, with these strides from record to record, are written.
    fn are_apart(n: usize, [acc, pot]: [(isize, isize); 2]) -> bool {
        let mut memory = [0.0_f64; 100];
        let data = memory.as_mut_ptr().cast::<u8>();
        let column = |field, (offset, stride): (isize, isize)| Column {
            field,
            data: data.wrapping_offset(offset),
            kind: NumberType::F64,
            memory: Memory::Host,
            record_stride: Some(stride),
            component_stride: None,
        };
        let columns = [column("acc", acc), column("pot", pot)];
        // SAFETY: the data are not used.
        let of = |direction| unsafe { places(&columns, FIELDS, n, direction) };
        assert!(matches!(of(Direction::FromCaller), Ok(Columns::Host(_))));
        of(Direction::ToCaller).is_ok()
    }

    #[test]
    fn one_step_is_decided_without_a_look_at_each_number() {
        let (data, mut met) = (1000_usize, [0, 0]);
        for (n, stride, offset) in (1..5).flat_map(|n| {
            (24..60).flat_map(move |step| (-130..130).map(move |offset| (n, step, offset)))
        }) {
            for stride in [stride, -stride] {
                let column = |field, offset: isize, kind| {
                    let column = Column {
                        field,
                        data: std::ptr::without_provenance_mut(data.wrapping_add_signed(offset)),
                        kind,
                        memory: Memory::Host,
                        record_stride: Some(stride),
                        component_stride: None,
                    };
                    Place::new(column, FIELDS).unwrap()
                };
                let (acc, pot) =
                    (column("acc", 0, NumberType::F64), column("pot", offset, NumberType::F32));
                assert_eq!(acc.meets(&pot, n), acc.shares(&pot, n), "{n} {stride} {offset}");
                assert_eq!(pot.meets(&acc, n), acc.meets(&pot, n), "{n} {stride} {offset}");
                met[usize::from(acc.meets(&pot, n))] += 1;
            }
        }
        assert!(met.iter().all(|count| *count > 1000), "{met:?}");
    }

    #[test]
    fn overlapping_columns_are_not_written() {
        for apart in
            [[(0, 24), (240, 8)], [(0, 32), (24, 32)], [(288, -32), (24, 32)], [(0, 40), (32, 40)]]
        {
            assert!(are_apart(10, apart), "{apart:?}");
        }
        for overlapping in [
            [(0, 24), (0, 24)],
            [(0, 24), (16, 24)],
            [(0, 24), (232, 8)],
            [(0, 32), (20, 32)],
            [(288, -32), (8, 32)],
            [(0, 24), (4, 24)],
        ] {
            assert!(!are_apart(10, overlapping), "{overlapping:?}");
        }
        assert!(are_apart(1, [(0, 24), (24, 8)]) && !are_apart(1, [(0, 24), (16, 8)]));
        assert!(are_apart(0, [(0, 24), (0, 24)]));
    }
}
