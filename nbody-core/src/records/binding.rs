//! The fields of a program per particle, found by name in the records of a buffer.
//!
//! An integrator is written once, with records of its own, and runs on the particles and results
//! of any interaction whose records have its fields. Fields that it does not know stay as they
//! are.

use std::ops::Range;
use std::slice;

use crate::error::Error;
use crate::field::Field;
use crate::field::FieldKind;
use crate::numeric::scalar::Scalar;
use crate::records::numbers::{Number, numbers};

/// The numbers of a program's record among the words of a buffer's records, which may have more
/// fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    places: Vec<Place>,
    is_whole: bool,
}

/// The place of a number in the records of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) number: Number,
    /// The numbers of coordinates and of other numbers in front of it.
    coordinates: usize,
    others: usize,
}

impl Place {
    /// Returns the index of its first word in records in `S`.
    pub fn word<S: Scalar>(self) -> usize {
        self.coordinates * S::COORDINATE_WORDS + self.others
    }

    /// Returns its words in records in `S`.
    pub fn words<S: Scalar>(self) -> Range<usize> {
        let first = self.word::<S>();
        first..first + self.number.words::<S>()
    }

    /// Returns the value of its 64-bit word.
    pub fn value(self, word: u64) -> f64 {
        match self.number {
            Number::Index => word as f64,
            Number::Real | Number::Coordinate => f64::from_bits(word),
        }
    }

    /// Returns the 64-bit word of a value.
    #[expect(clippy::cast_sign_loss, reason = "casts saturate")]
    pub fn word_of(self, value: f64) -> u64 {
        match self.number {
            Number::Index => u64::from(value as u32),
            Number::Real | Number::Coordinate => value.to_bits(),
        }
    }

    /// Returns whether it is an integer.
    pub fn is_integer(self) -> bool {
        self.number == Number::Index
    }

    /// Returns its index among the numbers of a record.
    pub fn component(self) -> usize {
        self.coordinates + self.others
    }
}

impl Binding {
    /// Finds the fields of a program in the records of a buffer, by name and type.
    pub fn new(
        program: &'static str,
        fields: &'static [Field],
        buffer: &'static [Field],
    ) -> Result<Self, Error> {
        let mut places = Vec::new();
        for field in fields {
            let found = buffer.iter().position(|other| other.name == field.name);
            let found = found.filter(|&k| field.kind.has_layout_of(buffer[k].kind));
            let Some(found) = found else {
                return Err(Error::MissingField { program, field, found: buffer });
            };
            let before = numbers(&buffer[..found]);
            let coordinates = before.filter(|number| *number == Number::Coordinate).count();
            let others = crate::records::record::dim(&buffer[..found]) - coordinates;
            let mut next = Place { number: Number::Real, coordinates, others };
            for number in numbers(slice::from_ref(field)) {
                places.push(Place { number, ..next });
                match number {
                    Number::Coordinate => next.coordinates += 1,
                    Number::Real | Number::Index => next.others += 1,
                }
            }
        }
        let is_whole = fields.len() == buffer.len()
            && fields.iter().zip(buffer).all(|(field, other)| field.name == other.name);
        Ok(Self { places, is_whole })
    }

    /// Binds every field of a record to itself.
    pub(crate) fn whole(fields: &'static [Field]) -> Self {
        Self::new("", fields, fields).expect("a record has its own fields")
    }

    /// Binds the numbers at these places.
    pub(crate) fn of_places(places: Vec<Place>) -> Self {
        Self { places, is_whole: false }
    }

    /// Finds the field of this name, a `u32`.
    pub fn integer(name: &str, buffer: &'static [Field]) -> Result<Place, Error> {
        let is_named = |it: &&Field| it.name == name && FieldKind::U32.has_layout_of(it.kind);
        let Some(field) = buffer.iter().find(is_named) else {
            return Err(Error::NoInteger { name: name.to_owned(), found: buffer });
        };
        Ok(Self::new("selection", slice::from_ref(field), buffer)?.places[0])
    }

    /// Returns the places in results, where a number takes one word.
    pub(crate) fn in_results(&self) -> Self {
        let place = |place: &Place| Place {
            number: place.number,
            coordinates: 0,
            others: place.component(),
        };
        Self { places: self.places.iter().map(place).collect(), is_whole: self.is_whole }
    }

    /// Returns the places of the program's numbers, in their order.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Returns whether the buffer has the program's own records.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldKind;
    use crate::numeric::mixed::Mixed;

    const fn field(name: &'static str, kind: FieldKind) -> Field {
        Field { name, kind }
    }

    const BUFFER: &[Field] = &[
        field("id", FieldKind::U32),
        field("pos", FieldKind::Point(3)),
        field("mass", FieldKind::Real),
        field("vel", FieldKind::Vector(3)),
    ];

    #[test]
    fn fields_are_found_by_name() {
        const FIELDS: &[Field] =
            &[field("vel", FieldKind::Vector(3)), field("pos", FieldKind::Point(3))];
        let binding = Binding::new("drift", FIELDS, BUFFER).unwrap();
        let words = |of: fn(Place) -> usize| binding.places().iter().copied().map(of);
        assert_eq!(words(Place::word::<f32>).collect::<Vec<_>>(), [5, 6, 7, 1, 2, 3]);
        assert_eq!(words(Place::word::<Mixed>).collect::<Vec<_>>(), [8, 9, 10, 1, 3, 5]);
        assert_eq!(words(Place::component).collect::<Vec<_>>(), [5, 6, 7, 1, 2, 3]);
        assert!(!binding.is_whole() && Binding::new("all", BUFFER, BUFFER).unwrap().is_whole());
    }

    #[test]
    fn integers_are_found_by_name() {
        assert_eq!(Binding::integer("id", BUFFER).unwrap().component(), 0);
        for name in ["mass", "due"] {
            let error = Binding::integer(name, BUFFER).unwrap_err().to_string();
            let expected = format!("no field `{name}: u32`, found id: u32; name one of these");
            assert_eq!(error, expected);
        }
        let error = Binding::integer("due", &BUFFER[1..]).unwrap_err().to_string();
        let expected = "no field `due: u32`, found none of `u32`; give it records that have one";
        assert_eq!(error, expected);
    }

    #[test]
    fn missing_fields_and_other_kinds_are_refused() {
        const MISSING: &[Field] = &[field("acc", FieldKind::Vector(3))];
        const OTHER: &[Field] = &[field("vel", FieldKind::Vector(2))];
        let error = Binding::new("kick", MISSING, BUFFER).unwrap_err().to_string();
        let expected = "`kick` needs a field `acc: Vector`, found id: u32, pos: Point, mass: Real, \
                        vel: Vector; give it records that have it";
        assert_eq!(error, expected);
        assert!(Binding::new("kick", OTHER, BUFFER).is_err());
    }
}
