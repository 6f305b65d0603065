//! Fields of an input that a body reads.

use super::expr::{ExprKind, Input};
use super::function::Body;
use super::record::{Field, Struct};
use super::types::Type;

impl Struct {
    /// Returns the fields of an input that a body reads, each with the index of its first number;
    /// positions are left out. The struct is the type of this input.
    pub fn fields_read(&self, input: Input, body: &Body) -> Vec<(usize, &Field)> {
        let reads = |place: usize| {
            body.exprs().any(|expr| match expr.kind {
                ExprKind::Input(found, field) => found == input && field.place() == place,
                _ => false,
            })
        };
        let (mut fields, mut first) = (Vec::new(), 0);
        for (place, field) in self.fields.iter().enumerate() {
            if !matches!(field.ty, Type::Point(_)) && reads(place) {
                fields.push((first, field));
            }
            first += field.ty.components();
        }
        fields
    }

    /// Returns the indices of the numbers of these fields.
    pub fn numbers_read(&self, input: Input, body: &Body) -> Vec<usize> {
        let fields = self.fields_read(input, body).into_iter();
        fields.flat_map(|(first, field)| first..first + field.ty.components()).collect()
    }
}
