//! Structs of the module, with their fields.

use std::ops::Index;

use syn::{Attribute, Ident, Visibility};

use super::id::{FieldId, Item, List, StructId};
use super::types::Type;

/// A particle, the parameters of an interaction, or a result.
pub struct Struct {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub fields: Vec<Field>,
    /// Whether it is a result of an interaction or the total of a measure.
    pub is_output: bool,
}

impl Item for Struct {
    type Id = StructId;
}

impl Struct {
    /// Returns the number of reals and integers in a value.
    pub fn dim(&self) -> usize {
        self.fields.iter().map(|field| field.ty.components()).sum()
    }

    /// Returns the number of coordinates of positions among them.
    pub fn coordinates(&self) -> usize {
        let points = self.fields.iter().filter(|field| matches!(field.ty, Type::Point(_)));
        points.map(|field| field.ty.components()).sum()
    }

    /// Returns the number of counts in its arrays.
    pub fn counts(&self) -> usize {
        let of_field = |field: &Field| match field.ty {
            Type::Counts(n) => n,
            _ => 0,
        };
        self.fields.iter().map(of_field).sum()
    }

    /// Tests whether a field of the result keeps the index of a j-particle.
    pub fn keeps_index(&self) -> bool {
        let keeps =
            |field: &Field| matches!(field.ty, Type::Reduced(reduction) if reduction.keeps_index());
        self.fields.iter().any(keeps)
    }
}

pub struct Field {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub ty: Type,
    /// Whether the type was refused, so that uses of the field are not checked.
    pub is_refused: bool,
}

impl List<Struct> {
    /// Returns the fields of a struct with their ids.
    pub fn fields(&self, of: StructId) -> impl Iterator<Item = (FieldId, &Field)> {
        let fields = self[of].fields.iter().enumerate();
        fields.map(move |(place, field)| (FieldId::new(of, place), field))
    }
}

impl Index<FieldId> for List<Struct> {
    type Output = Field;

    fn index(&self, id: FieldId) -> &Field {
        &self[id.of()].fields[id.place()]
    }
}
