//! The tree for lanes: functions of the lane, selections by masks, and plain control flow.

use std::ops::Range;

use crate::ir::{ConstantId, FieldId, FunctionId, Input, LocalId, Side, Stmt, Type};

/// Body of a function.
pub struct LaneBody<'a> {
    pub statements: Vec<LaneStmt<'a>>,
    /// Value at its end, if it returns one.
    pub value: Option<LaneExpr<'a>>,
}

pub enum LaneStmt<'a> {
    /// A statement of the declaration, with its lints and comments, and the statements for lanes
    /// that it becomes.
    Source(&'a Stmt, Vec<Self>),
    Let {
        name: Name,
        mutable: bool,
        ty: Type,
        value: LaneExpr<'a>,
    },
    Assign {
        target: LaneExpr<'a>,
        value: LaneExpr<'a>,
    },
    /// Takes a value, and its index, where it is more extreme than earlier values.
    Take {
        target: LaneExpr<'a>,
        value: LaneExpr<'a>,
    },
    /// Adds to the entry [`Name::Entry`] of a range of an array, where [`Name::Mask`] holds.
    AddToEntry {
        target: LaneExpr<'a>,
        range: &'a Range<u32>,
        /// Whether it is an array of counts.
        counts: bool,
        value: LaneExpr<'a>,
    },
    Block(Vec<Self>),
    For {
        local: LocalId,
        range: &'a Range<u32>,
        body: Vec<Self>,
    },
    /// Ends the function once no particle is left.
    EndEarly(End),
}

/// A way to end a function early.
#[derive(Clone, Copy)]
pub enum End {
    /// With nothing.
    Nothing,
    /// With nothing, on lanes that gain by it.
    NothingOnSome,
    /// With [`Name::Value`].
    Value,
}

#[derive(Clone)]
pub enum LaneExpr<'a> {
    /// A real number, as it was written.
    Number(&'a str),
    /// An infinity of this sign.
    Infinity {
        negative: bool,
    },
    /// A `u32` of the host.
    Integer(u32),
    Truth(bool),
    Name(Name),
    Constant(ConstantId),
    /// The zero of a type.
    Zero(Type),
    /// A field of a record.
    Field(Name, FieldId),
    /// A field of the second particle of an index, in the second record of this place.
    Gather(Box<Self>, usize, FieldId),
    /// The values or the indices of extremes, by the name of the part.
    Part(Box<Self>, &'static str),
    Component(Box<Self>, usize),
    /// The component of this index, a `u32` of the host.
    At(Box<Self>, Box<Self>),
    /// An entry of an array or a table, with indices from the data.
    Entry(Box<Self>, Vec<Self>),
    Paren(Box<Self>),
    Prefix(char, Box<Self>),
    Infix(Box<Self>, char, Box<Self>),
    /// A function of the lane.
    Real(&'static str, Vec<Self>),
    Method(Box<Self>, &'static str, Vec<Self>),
    /// A method with a constant generic.
    MethodOf(Box<Self>, &'static str, i32, Box<Self>),
    /// An integer power.
    Powi(Box<Self>, i32),
    /// A vector or an array, from its components.
    Components(Type, Vec<Self>),
    /// A call of a helper function.
    Call(FunctionId, Vec<Self>),
    /// A selection by a mask between values of a type.
    Select(Type, Box<[Self; 3]>),
    /// The mask of pairs within the cutoff.
    Within,
}

/// A variable of the emitted text.
#[derive(Clone, Copy)]
pub enum Name {
    Local(LocalId),
    Input(Input),
    Result(Side),
    /// Index of j.
    Index,
    /// All second particles.
    Others,
    Space,
    /// Mask of the particles that have not returned.
    On,
    /// Value of the particles that have returned.
    Value,
    /// Mask and index of a sum into an entry.
    Mask,
    Entry,
    /// Condition of an `if`, and the masks of its branches.
    Holds(usize),
    When(usize),
    Unless(usize),
}

impl From<Name> for LaneExpr<'_> {
    fn from(name: Name) -> Self {
        Self::Name(name)
    }
}

impl LaneExpr<'_> {
    pub(super) fn paren(self) -> Self {
        Self::Paren(Box::new(self))
    }

    pub(super) fn not(self) -> Self {
        Self::Prefix('!', Box::new(self))
    }

    pub(super) fn negative(self) -> Self {
        Self::Prefix('-', Box::new(self))
    }

    pub(super) fn infix(self, sign: char, other: Self) -> Self {
        Self::Infix(Box::new(self), sign, Box::new(other))
    }

    pub(super) fn method(self, name: &'static str, arguments: Vec<Self>) -> Self {
        Self::Method(Box::new(self), name, arguments)
    }
}
