//! Lists of items, and ids by which the rest of the tree refers to the items.

use std::ops::{Deref, Index, IndexMut};

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

/// An item of a list, with ids of its own type.
pub trait Item {
    type Id: Id;
}

/// The place of an item in its list.
pub trait Id: Copy {
    fn nth(place: usize) -> Self;
    fn place(self) -> usize;
}

impl<T: Item> List<T> {
    /// Appends an item.
    pub fn push(&mut self, item: T) -> T::Id {
        self.0.push(item);
        T::Id::nth(self.0.len() - 1)
    }

    /// Returns the items with their ids.
    pub fn by_id(&self) -> impl DoubleEndedIterator<Item = (T::Id, &T)> {
        self.0.iter().enumerate().map(|(place, item)| (T::Id::nth(place), item))
    }

    /// Tests whether an id refers to an item of this list. An id of an item that was added to a
    /// copy does not.
    pub fn has(&self, id: T::Id) -> bool {
        id.place() < self.0.len()
    }
}

impl<T: Item> Index<T::Id> for List<T> {
    type Output = T;

    fn index(&self, id: T::Id) -> &T {
        &self.0[id.place()]
    }
}

impl<T: Item> IndexMut<T::Id> for List<T> {
    fn index_mut(&mut self, id: T::Id) -> &mut T {
        &mut self.0[id.place()]
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(usize);

        impl Id for $id {
            fn nth(place: usize) -> Self {
                Self(place)
            }

            fn place(self) -> usize {
                self.0
            }
        }
    )*};
}

ids! {
    /// A struct of the module.
    StructId;
    /// A constant of the module.
    ConstantId;
    /// A helper function of the module.
    FunctionId;
    /// A variable of a body.
    LocalId;
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
    pub(super) fn new(of: StructId, place: usize) -> Self {
        Self { of, place }
    }

    /// Returns its struct.
    pub(super) fn of(self) -> StructId {
        self.of
    }

    /// Returns the number of fields before it in its struct.
    pub fn place(self) -> usize {
        self.place
    }
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
