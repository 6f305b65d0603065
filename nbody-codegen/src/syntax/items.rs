//! Items of a module.

use syn::{Attribute, Expr, Ident, Type, Visibility};

/// A module such as `mod gravity { ... }`.
pub struct Module {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub structs: Vec<Struct>,
    /// Structs whose fields have no names, which are refused.
    pub tuples: Vec<Tuple>,
    pub constants: Vec<Constant>,
    pub functions: Vec<Function>,
    pub interactions: Vec<Interaction>,
    pub programs: Vec<Program>,
    /// Structs that each `impl` names, even an invalid one.
    pub roles: Vec<Roles>,
}

/// Trait that a module implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    Interaction,
    Update,
    Measure,
    Tuple,
}

/// Structs that an `impl` names, as far as it does.
pub struct Roles {
    pub of: Trait,
    pub target: Option<Ident>,
    /// Types that the `impl` must name, found or missing, and optional types that it does name.
    pub types: Vec<(&'static str, Option<Ident>)>,
    /// The number of particles of a tuple, as far as its function tells.
    pub members: Option<usize>,
}

pub struct Struct {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub fields: Vec<Field>,
    /// Whether the struct has braces, with or without fields.
    pub has_braces: bool,
}

pub struct Tuple {
    pub ident: Ident,
    pub fields: Vec<Type>,
}

pub struct Field {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub ty: Type,
}

pub struct Constant {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub ty: Type,
    pub value: Expr,
}

pub struct Function {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    /// Parameters; a pattern that is no plain name is refused.
    pub parameters: Vec<(syn::Pat, Type)>,
    /// Whether it has a parameter `self`, which is refused.
    pub takes_self: bool,
    /// Result; a missing one is refused.
    pub output: Option<Type>,
    pub block: syn::Block,
}

/// `impl Interaction for ...`.
pub struct Interaction {
    pub attrs: Vec<Attribute>,
    pub target: Ident,
    pub i: Ident,
    pub j: Ident,
    pub f: Ident,
    pub self_pairs: Option<Expr>,
    pub cutoff: Option<Cutoff>,
    pub pair: syn::ImplItemFn,
    /// Names of the parameters of `pair`.
    pub names: [Ident; 3],
}

/// `impl Update for ...`, `impl Measure for ...` or `impl Tuple for ...`.
pub struct Program {
    pub of: Trait,
    pub attrs: Vec<Attribute>,
    pub target: Ident,
    pub p: Ident,
    /// Record of a tuple.
    pub record: Option<Ident>,
    /// Second records of the particle.
    pub q: Vec<Ident>,
    /// Results that are read.
    pub f: Vec<Ident>,
    /// Totals that all particles read.
    pub g: Vec<Ident>,
    /// Total of a measure, or the result of each particle of a tuple.
    pub t: Option<Ident>,
    /// Number of particles of a tuple.
    pub members: usize,
    pub function: syn::ImplItemFn,
    /// Names of the parameters of its function, one for each type; of a tuple the record, the
    /// particles and their results.
    pub names: Vec<Ident>,
}

impl Program {
    /// Returns the structs that its function names, in the order of its parameters.
    pub fn types(&self) -> impl Iterator<Item = &Ident> {
        let of_particle = self.q.iter().chain(&self.f).chain(&self.g);
        [&self.p].into_iter().chain(&self.record).chain(of_particle).chain(&self.t)
    }
}

/// `fn cutoff(&self, i: &I, j: &J) -> Real`.
pub struct Cutoff {
    pub function: syn::ImplItemFn,
    /// Names of its parameters.
    pub names: [Ident; 2],
}
