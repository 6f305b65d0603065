//! The checked module: what both emitters print.

use std::ops::Range;

use proc_macro2::Span;
use syn::{Attribute, Ident, Visibility};

use crate::analysis::Summary;
use crate::builtin::Builtin;
use crate::names::Unique;

/// A module, resolved and typed.
pub struct Module {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    /// The names in C++ that are taken in the whole module.
    pub names: Unique,
    pub structs: Vec<Struct>,
    pub constants: Vec<Constant>,
    /// Helper functions, each behind those that it calls.
    pub functions: Vec<Function>,
    pub interactions: Vec<Interaction>,
}

/// A particle, the parameters of an interaction, or a result.
pub struct Struct {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub fields: Vec<Field>,
    /// Whether some interaction accumulates it.
    pub is_output: bool,
}

impl Struct {
    /// How many numbers a value is made of.
    pub fn dim(&self) -> usize {
        self.fields.iter().map(|field| field.ty.components()).sum()
    }
}

pub struct Field {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Real,
    U32,
    Bool,
    Vector(usize),
    Point(usize),
    Array(usize),
    /// Rows and columns.
    Table(usize, usize),
    /// A result that is no sum.
    Reduced(Reduction),
}

/// How a result takes what pairs give, if not as a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Min,
    Max,
    /// The least value, and the index of its j-particle.
    ArgMin,
    Count,
}

impl Type {
    pub fn components(self) -> usize {
        match self {
            Self::Reduced(Reduction::ArgMin) => 2,
            Self::Real | Self::U32 | Self::Bool | Self::Reduced(_) => 1,
            Self::Vector(n) | Self::Point(n) | Self::Array(n) => n,
            Self::Table(rows, columns) => rows * columns,
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Real => f.write_str("Real"),
            Self::U32 => f.write_str("u32"),
            Self::Bool => f.write_str("bool"),
            Self::Vector(3) => f.write_str("Vector"),
            Self::Point(3) => f.write_str("Point"),
            Self::Vector(n) => write!(f, "Vector<{n}>"),
            Self::Point(n) => write!(f, "Point<{n}>"),
            Self::Array(n) => write!(f, "[Real; {n}]"),
            Self::Reduced(Reduction::Min) => f.write_str("Min<Real>"),
            Self::Reduced(Reduction::Max) => f.write_str("Max<Real>"),
            Self::Reduced(Reduction::ArgMin) => f.write_str("ArgMin<Real>"),
            Self::Reduced(Reduction::Count) => f.write_str("Count"),
            Self::Table(rows, columns) => write!(f, "[[Real; {columns}]; {rows}]"),
        }
    }
}

/// A constant of the module, computed in `f64`.
pub struct Constant {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Real(f64),
    U32(u32),
}

impl Value {
    pub fn ty(self) -> Type {
        match self {
            Self::Real(_) => Type::Real,
            Self::U32(_) => Type::U32,
        }
    }
}

/// A helper function.
pub struct Function {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub parameters: Vec<LocalId>,
    pub output: Type,
    pub body: Body,
    pub value: Expr,
    pub summary: Summary,
}

/// `impl Interaction for ...`.
pub struct Interaction {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    /// The name in commands.
    pub name: String,
    pub i: Ident,
    pub j: Ident,
    pub f: Ident,
    pub self_pairs: bool,
    pub cutoff: Option<Cutoff>,
    pub pair: Pair,
}

/// The function that adds to `f` what `j` does to `i`.
pub struct Pair {
    pub attrs: Vec<Attribute>,
    pub roles: Roles,
    pub body: Body,
}

/// The function that tells how far a pair reaches.
pub struct Cutoff {
    pub attrs: Vec<Attribute>,
    pub roles: Roles,
    pub body: Body,
    pub value: Expr,
    /// The positions of i and j that are compared.
    pub points: [FieldName; 2],
}

/// What a function calls the particles.
pub struct Roles {
    pub i: String,
    pub j: String,
    /// The result.
    pub f: String,
    /// The index of j, which some results keep.
    pub index: String,
    /// The result of j, in a function of both directions.
    pub g: Option<String>,
}

impl Roles {
    /// The result of i or of j.
    pub fn result(&self, side: Side) -> &str {
        match (side, &self.g) {
            (Side::J, Some(g)) => g,
            _ => &self.f,
        }
    }
}

/// The statements of a function, with all its variables.
pub struct Body {
    pub locals: Vec<Local>,
    pub statements: Vec<Stmt>,
    /// What the function calls the space in which positions differ.
    pub space: String,
    /// Comments behind the last statement.
    pub comments: Vec<String>,
}

pub type LocalId = usize;

/// A variable or a parameter of a helper function. Its name is used once in the function.
#[derive(Clone)]
pub struct Local {
    pub name: String,
    /// Whether it was written with an underscore in front, so that it may go unused.
    pub may_be_unused: bool,
    pub span: Span,
    pub ty: Type,
    pub mutable: bool,
    /// The values that the variable of a `for` takes.
    pub range: Option<Range<u32>>,
}

pub struct Stmt {
    /// The lint levels that were written in front of it.
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
    /// A variable that the branches of the `if` behind it give a value.
    Declare {
        local: LocalId,
    },
    Assign {
        place: Place<LocalId>,
        op: Option<BinaryOp>,
        value: Expr,
    },
    Accumulate {
        side: Side,
        place: Place<FieldName>,
        how: Accumulate,
        value: Expr,
    },
    If {
        condition: Expr,
        yes: Vec<Stmt>,
        no: Vec<Stmt>,
    },
    /// Its variable knows the range.
    For {
        local: LocalId,
        body: Vec<Stmt>,
    },
    /// With a value in helper functions.
    Return {
        value: Option<Expr>,
    },
}

/// Whose result is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What i feels: `f`.
    I,
    /// What j feels: `g`, which only functions of both directions have.
    J,
}

/// What becomes of a value that is accumulated.
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
    /// The type of the variable or the field.
    pub whole: Type,
    pub component: Option<Index>,
}

impl<T> Place<T> {
    /// The type of what is assigned.
    pub fn ty(&self) -> Type {
        if self.component.is_some() { Type::Real } else { self.whole }
    }

    /// Whether it is one number of an array.
    pub fn is_entry_of_array(&self) -> bool {
        self.component.is_some() && matches!(self.whole, Type::Array(_))
    }
}

/// A field under its two names.
#[derive(Clone, PartialEq)]
pub struct FieldName {
    pub ident: Ident,
    pub name: String,
}

#[derive(Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

/// Expressions are the same wherever they stand.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.ty == other.ty
    }
}

#[derive(Clone, PartialEq)]
pub enum ExprKind {
    /// A literal, as it was written.
    Real(String),
    U32(u32),
    Bool(bool),
    Local(LocalId),
    Constant(usize),
    Input(Input, FieldName),
    Component(Box<Expr>, Index),
    /// An element of an array or a table by indices that come from the data; NaN if they are
    /// out of range.
    Entry(Box<Expr>, Vec<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Math(Builtin, Vec<Expr>),
    Powi(Box<Expr>, i32),
    /// A vector or an array from its components.
    Components(Vec<Expr>),
    Call(usize, Vec<Expr>),
    Select(Box<[Expr; 3]>),
    /// An integer as a real number.
    Convert(Box<Expr>),
}

/// Which component, within its range for certain.
#[derive(Clone, PartialEq)]
pub enum Index {
    Fixed(usize),
    /// Computed from variables of loops.
    Loop(Box<Expr>),
}

/// What a pair function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    Parameters,
    I,
    J,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Neg,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    /// `&&` of conditions, `&` of integers.
    And,
    /// `||` of conditions, `|` of integers.
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
