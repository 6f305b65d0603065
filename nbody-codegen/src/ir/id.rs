//! Lists of items, and ids by which the rest of the tree refers to the items.

use std::ops::{Deref, Index, IndexMut};

use crate::ir::{Constant, Field, Function, Local, Module, Struct};

/// A list that is indexed by ids of its own type.
#[derive(Clone)]
pub struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident of $item:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(usize);

        impl List<$item> {
            /// Appends an item.
            pub fn push(&mut self, item: $item) -> $id {
                self.0.push(item);
                $id(self.0.len() - 1)
            }

            /// Returns the items with their ids.
            pub fn by_id(&self) -> impl DoubleEndedIterator<Item = ($id, &$item)> {
                self.0.iter().enumerate().map(|(place, item)| ($id(place), item))
            }
        }

        impl Index<$id> for List<$item> {
            type Output = $item;

            fn index(&self, id: $id) -> &$item {
                &self.0[id.0]
            }
        }

        impl IndexMut<$id> for List<$item> {
            fn index_mut(&mut self, id: $id) -> &mut $item {
                &mut self.0[id.0]
            }
        }
    )*};
}

ids! {
    /// A struct of the module.
    StructId of Struct;
    /// A constant of the module.
    ConstantId of Constant;
    /// A helper function of the module.
    FunctionId of Function;
    /// A variable of a body.
    LocalId of Local;
}

impl List<Local> {
    /// Tests whether an id refers to a variable of this list. An id of a variable that was added
    /// to a copy does not.
    pub fn has(&self, id: LocalId) -> bool {
        id.0 < self.0.len()
    }
}

impl FunctionId {
    /// Returns the id of the function after this many others.
    pub fn nth(place: usize) -> Self {
        Self(place)
    }
}

/// A field of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId {
    of: StructId,
    place: usize,
}

impl FieldId {
    /// Returns the number of fields before it in its struct.
    pub fn place(self) -> usize {
        self.place
    }
}

impl List<Struct> {
    /// Returns the fields of a struct with their ids.
    pub fn fields(&self, of: StructId) -> impl Iterator<Item = (FieldId, &Field)> {
        let fields = self[of].fields.iter().enumerate();
        fields.map(move |(place, field)| (FieldId { of, place }, field))
    }
}

impl Index<FieldId> for List<Struct> {
    type Output = Field;

    fn index(&self, id: FieldId) -> &Field {
        &self[id.of].fields[id.place]
    }
}

macro_rules! of_module {
    ($($id:ident in $list:ident: $item:ident;)*) => {$(
        impl Index<$id> for Module {
            type Output = $item;

            fn index(&self, id: $id) -> &$item {
                &self.$list[id]
            }
        }
    )*};
}

of_module! {
    StructId in structs: Struct;
    FieldId in structs: Field;
    ConstantId in constants: Constant;
    FunctionId in functions: Function;
}

/// An expression of a body; ids number the expressions in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(usize);

impl ExprId {
    /// Id of an expression that is in no body yet.
    pub(super) const OUTSIDE: Self = Self(usize::MAX);

    pub(super) fn nth(place: usize) -> Self {
        Self(place)
    }

    /// Returns the number of expressions before it in its body.
    pub fn place(self) -> usize {
        self.0
    }
}
