//! Expressions.

use proc_macro2::Span;

use super::builtin::Builtin;
use super::id::{ConstantId, ExprId, FieldId, FunctionId, LocalId};
use super::types::Type;

#[derive(Clone)]
pub struct Expr {
    pub id: ExprId,
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

impl Expr {
    /// Creates an expression without an id; a body gives it one.
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Self {
        Self { id: ExprId::OUTSIDE, kind, ty, span }
    }

    /// Tests whether it is this variable.
    pub fn is(&self, local: LocalId) -> bool {
        matches!(self.kind, ExprKind::Local(found) if found == local)
    }
}

/// Equality ignores the place of the expressions.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.ty == other.ty
    }
}

#[derive(Clone, PartialEq)]
pub enum ExprKind {
    /// A literal as it was written.
    Real(String),
    U32(u32),
    Bool(bool),
    Local(LocalId),
    Constant(ConstantId),
    Input(Input, FieldId),
    /// A field of the second particle of this index, in the second record of this place; NaN, or the
    /// greatest integer, if there is none.
    Gather(Box<Expr>, usize, FieldId),
    Component(Box<Expr>, Index),
    /// An entry of an array or a table, with indices from the data; NaN if an index is out of
    /// range.
    Entry(Box<Expr>, Vec<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Math(Builtin, Vec<Expr>),
    Powi(Box<Expr>, i32),
    /// A vector or an array, from its components.
    Components(Vec<Expr>),
    Call(FunctionId, Vec<Expr>),
    Select(Box<[Expr; 3]>),
    /// An integer, converted to a real number, or a real number to an integer, by the type of the
    /// expression: it is cut off, the nearest integer if there is none, and 0 for NaN.
    Convert(Box<Expr>),
}

/// Returns the method that chooses a spline of an array or a table by these indices.
pub fn spline_of(indices: &[Expr]) -> &'static str {
    if indices.len() == 1 { "element" } else { "entry" }
}

/// Index of a component, certainly within range.
#[derive(Clone, PartialEq)]
pub enum Index {
    Fixed(usize),
    /// An index that is computed from loop variables.
    Loop(Box<Expr>),
}

impl Index {
    pub(super) fn computed(&self) -> Option<&Expr> {
        match self {
            Self::Fixed(_) => None,
            Self::Loop(index) => Some(index),
        }
    }

    pub(super) fn computed_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Self::Fixed(_) => None,
            Self::Loop(index) => Some(index),
        }
    }
}

/// Record that a function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Input {
    /// The parameters.
    Parameters,
    /// The i-particle of a pair.
    I,
    /// The j-particle of a pair.
    J,
    /// The particle of a program per particle.
    P,
    /// A particle of a tuple, by its place.
    Member(usize),
    /// The record of a tuple.
    Tuple,
    /// A second record of this particle, by its place.
    Q(usize),
    /// A result of an interaction for the particle, by its place.
    F(usize),
    /// A total that is the same for all particles, by its place.
    G(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// `/`; a quotient of integers is cut off, and 2³² - 1 for a division by 0.
    Div,
    /// `%` of integers; the dividend for a division by 0.
    Rem,
    /// `<<` of an integer, by a number of bits modulo 32.
    Shl,
    /// `>>` of an integer, by a number of bits modulo 32.
    Shr,
    /// `&&` for conditions, `&` for integers.
    And,
    /// `||` for conditions, `|` for integers.
    Or,
    Xor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl BinaryOp {
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne)
    }
}
