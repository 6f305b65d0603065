//! The checked module that both emitters print: its names are ids, and its expressions have types.
//!
//! To add a reduction: name it in [`Reduction`]; its initial value, fold and merge are in
//! `emit_cuda/sums.rs`, the same in Rust in `emit_rust/record.rs`, and its comparison in
//! `FieldKind` of nbody-core. `tests/modules/extremes.rs` is an example of the emitted text, and
//! `reductions.rs` of the tests of pairs checks it against a plain search.

mod builtin;
mod id;
mod summary;
mod types;
mod walk;

use std::ops::Range;

use proc_macro2::Span;
use syn::{Attribute, Ident, Visibility};

use crate::names::Unique;

pub use builtin::{Builtin, CONSTS, Sign};
pub use id::{ConstantId, ExprId, FieldId, FunctionId, List, LocalId, StructId};
pub use summary::{LONGEST_UNROLLED, Operations, Summary};
pub use types::{Reduction, Type};
pub use walk::statements;

/// A module, resolved and typed.
pub struct Module {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    /// Names in C++ that are taken in the whole module.
    pub names: Unique,
    pub structs: List<Struct>,
    pub constants: List<Constant>,
    /// Helper functions, each behind the functions that it calls.
    pub functions: List<Function>,
    pub interactions: Vec<Interaction>,
    pub programs: Vec<Program>,
}

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

impl Struct {
    /// Returns the number of reals and integers in a value.
    pub fn dim(&self) -> usize {
        self.fields.iter().map(|field| field.ty.components()).sum()
    }

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

    /// Tests whether a field of the result keeps the index of a j-particle.
    pub fn keeps_index(&self) -> bool {
        self.fields.iter().any(|field| field.ty == Type::Reduced(Reduction::ArgMin))
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

/// A constant of the module, computed in `f64`.
pub struct Constant {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub value: Value,
    /// Whether the type was refused, so that uses of the constant are not checked.
    pub is_refused: bool,
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
}

/// `impl Interaction for ...`.
pub struct Interaction {
    pub attrs: Vec<Attribute>,
    /// Name in commands.
    pub name: String,
    pub parameters: Named,
    pub i: Named,
    pub j: Named,
    pub f: Named,
    pub self_pairs: bool,
    pub cutoff: Option<Cutoff>,
    pub pair: Pair,
}

impl Interaction {
    /// Returns the bodies of its functions.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.cutoff.iter().map(|cutoff| &cutoff.body).chain([&self.pair.body])
    }

    /// Returns the operations of one evaluation of this body, which is `pair` or the body of both
    /// directions.
    pub fn operations(&self, body: &Body) -> Operations {
        let mut operations = body.summary.operations;
        if let Some(cutoff) = &self.cutoff {
            operations.add_cutoff(cutoff.body.summary.operations);
        }
        operations
    }

    /// Tests whether parameters are looked up by indices that differ from pair to pair.
    pub fn looks_up(&self) -> bool {
        self.bodies().flat_map(Body::exprs).any(|expr| match &expr.kind {
            ExprKind::Entry(base, _) => matches!(base.kind, ExprKind::Input(Input::Parameters, _)),
            _ => false,
        })
    }
}

/// A struct, with the place in the source that names it.
pub struct Named {
    pub id: StructId,
    pub ident: Ident,
}

/// The function that adds the action of `j` on `i` to `f`.
pub struct Pair {
    pub attrs: Vec<Attribute>,
    pub roles: Roles,
    pub body: Body,
}

/// The function that returns the cutoff of a pair.
pub struct Cutoff {
    pub attrs: Vec<Attribute>,
    pub roles: Roles,
    pub body: Body,
    /// Positions of i and j whose distance is compared.
    pub points: [FieldId; 2],
}

impl Cutoff {
    /// Tests whether the cutoff depends on the j-particle.
    pub fn reads_j(&self) -> bool {
        self.body.exprs().any(|expr| matches!(expr.kind, ExprKind::Input(Input::J, _)))
    }
}

/// `impl Update for ...` or `impl Measure for ...`: a program per particle.
pub struct Program {
    pub attrs: Vec<Attribute>,
    pub name: String,
    pub parameters: Named,
    pub p: Named,
    pub q: Option<Named>,
    pub f: Option<Named>,
    pub kind: ProgramKind,
    /// Attributes of its function.
    pub fn_attrs: Vec<Attribute>,
    pub roles: Roles,
    pub body: Body,
}

pub enum ProgramKind {
    /// An update, and whether it assigns each field of the particle.
    Update(Vec<bool>),
    /// A measure, and its total.
    Measure(Named),
}

impl Program {
    /// Returns the records that it reads besides the parameters, with their roles.
    pub fn inputs(&self) -> impl Iterator<Item = (Input, &Named)> {
        let others = [(Input::Q, &self.q), (Input::F, &self.f)];
        let others = others.into_iter().filter_map(|(input, named)| Some((input, named.as_ref()?)));
        [(Input::P, &self.p)].into_iter().chain(others)
    }
}

/// Names of the records in a function.
pub struct Roles {
    /// Particles, and results that are read.
    pub inputs: Vec<(Input, String)>,
    /// Result that is accumulated.
    pub f: String,
    /// Index of j, which some results keep.
    pub index: String,
    /// Result of j, in a function of both directions.
    pub g: Option<String>,
}

impl Roles {
    /// Returns the name of an input other than the parameters.
    pub fn input(&self, input: Input) -> &str {
        let found = self.inputs.iter().find(|(known, _)| *known == input);
        found.map(|(_, name)| &**name).expect("checked: a name is bound to its input")
    }

    /// Returns the name of the result of i or of j.
    pub fn result(&self, side: Side) -> &str {
        match (side, &self.g) {
            (Side::I, _) => &self.f,
            (Side::J, Some(g)) => g,
            (Side::J, None) => unreachable!("only both directions together add to the result of j"),
        }
    }
}

/// Statements of a function, with all its variables.
pub struct Body {
    pub locals: List<Local>,
    pub statements: Vec<Stmt>,
    /// Value at its end, if it returns one.
    pub value: Option<Expr>,
    /// Name of the space that computes differences of positions.
    pub space: String,
    /// Comments after the last statement.
    pub comments: Vec<String>,
    /// Number of expressions; their ids are below it.
    pub exprs: usize,
    pub summary: Summary,
}

impl Body {
    /// Creates a body that calls only these functions.
    pub fn new(
        functions: &List<Function>,
        locals: List<Local>,
        mut statements: Vec<Stmt>,
        mut value: Option<Expr>,
        (space, comments): (String, Vec<String>),
    ) -> Self {
        let exprs = walk::number(&mut statements, value.as_mut());
        let summary = Summary::default();
        let mut body = Self { locals, statements, value, space, comments, exprs, summary };
        body.summary = Summary::of(functions, &body);
        body
    }

    /// Tests whether its first difference of positions is `i.pos - j.pos`.
    pub fn is_from_j(&self) -> bool {
        let of_i = |expr: &Expr| matches!(expr.kind, ExprKind::Input(Input::I, _));
        let first = self.exprs().find_map(|expr| match &expr.kind {
            ExprKind::Binary(BinaryOp::Sub, a, _) if matches!(a.ty, Type::Point(_)) => Some(a),
            _ => None,
        });
        first.is_some_and(|first| of_i(first))
    }
}

/// A variable, or a parameter of a helper function. Its name is unique in the function.
#[derive(Clone)]
pub struct Local {
    pub name: String,
    /// Whether it was written with a leading underscore, so that it may stay unused.
    pub may_be_unused: bool,
    pub span: Span,
    pub ty: Type,
    pub mutable: bool,
    /// Values of the variable of a `for`.
    pub range: Option<Range<u32>>,
}

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
        if self.component.is_some() { Type::Real } else { self.whole }
    }

    /// Tests whether it is one number of an array.
    pub fn is_entry_of_array(&self) -> bool {
        self.component.is_some() && matches!(self.whole, Type::Array(_))
    }
}

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

    /// Tests whether this variable occurs in it.
    pub fn reads(&self, local: LocalId) -> bool {
        self.walk().any(|part| part.is(local))
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
    /// An integer, converted to a real number.
    Convert(Box<Expr>),
}

/// Index of a component, certainly within range.
#[derive(Clone, PartialEq)]
pub enum Index {
    Fixed(usize),
    /// An index that is computed from loop variables.
    Loop(Box<Expr>),
}

impl Index {
    fn computed(&self) -> Option<&Expr> {
        match self {
            Self::Fixed(_) => None,
            Self::Loop(index) => Some(index),
        }
    }

    fn computed_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Self::Fixed(_) => None,
            Self::Loop(index) => Some(index),
        }
    }
}

/// Record that a function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    Parameters,
    /// The i-particle of a pair.
    I,
    J,
    /// The particle of a program per particle; `Q` is its second record.
    P,
    Q,
    /// The result of an interaction for the particle.
    F,
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
    /// `&&` for conditions, `&` for integers.
    And,
    /// `
    ///
    /// ` for conditions, `|` for integers.
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
