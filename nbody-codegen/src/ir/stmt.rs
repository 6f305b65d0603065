//! Statements.

use std::ops::Range;

use syn::Attribute;

use super::expr::{BinaryOp, Expr, Index};
use super::id::{FieldId, LocalId};
use super::types::{Reduction, Type};

pub struct Stmt {
    /// Lint levels that were written in front of it.
    pub lints: Vec<Attribute>,
    pub comments: Vec<String>,
    pub behind: Option<String>,
    pub kind: StmtKind,
}

pub enum StmtKind {
    Let {
        local: LocalId,
        value: Expr,
    },
    /// A variable that both branches of the following `if` set.
    Declare {
        local: LocalId,
    },
    Assign {
        place: Place<LocalId>,
        op: Option<BinaryOp>,
        value: Expr,
    },
    /// Changes a field of the particle, in an update.
    Change {
        place: Place<FieldId>,
        op: Option<BinaryOp>,
        value: Expr,
    },
    Accumulate {
        side: Side,
        place: Place<FieldId>,
        how: Accumulate,
        value: Expr,
    },
    If {
        condition: Expr,
        yes: Vec<Stmt>,
        no: Vec<Stmt>,
    },
    For {
        local: LocalId,
        range: Range<u32>,
        body: Vec<Stmt>,
    },
    /// A return, with a value in helper functions.
    Return {
        value: Option<Expr>,
    },
}

/// Particle whose result is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The i-particle, with the result `f`.
    I,
    /// The j-particle, with the result `g`, which only functions of both directions have.
    J,
    /// A particle of a tuple, by its place.
    Member(usize),
}

/// Operation that accumulates a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    Add,
    Sub,
    Reduce(Reduction),
}

/// A variable or an output field, or one component of it.
#[derive(Clone)]
pub struct Place<T> {
    pub of: T,
    /// Type of the whole variable or field.
    pub whole: Type,
    pub component: Option<Index>,
}

impl<T> Place<T> {
    /// Returns the type of the assigned part.
    pub fn ty(&self) -> Type {
        if self.component.is_some() { self.whole.component() } else { self.whole }
    }

    /// Tests whether it is one number of an array.
    pub fn is_entry_of_array(&self) -> bool {
        self.component.is_some() && matches!(self.whole, Type::Array(_) | Type::Counts(_))
    }
}
