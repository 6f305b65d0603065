//! Programs per particle and per tuple: updates, measures and tuples.

use syn::Attribute;

use super::expr::{ExprKind, Input};
use super::function::Body;
use super::id::StructId;
use super::roles::{Named, Roles};

/// `impl Update for ...` or `impl Measure for ...`, a program per particle, or `impl Tuple for ...`.
pub struct Program {
    pub attrs: Vec<Attribute>,
    pub name: String,
    pub parameters: Named,
    /// The particle, or each particle of a tuple.
    pub p: Named,
    /// The record of the tuple.
    pub record: Option<Named>,
    /// The second records of the particle.
    pub q: Vec<Named>,
    /// The results that are read.
    pub f: Vec<Named>,
    /// The totals that all particles read.
    pub g: Vec<Named>,
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
    /// A tuple: the number of its particles, and the result of each.
    Tuple(usize, Named),
}

impl Program {
    /// Returns the records that it reads besides the parameters, with their roles.
    pub fn inputs(&self) -> Vec<(Input, &Named)> {
        let members = (0..self.members()).map(|place| (Input::Member(place), &self.p));
        let of_tuple = self.record.iter().map(|record| (Input::Tuple, record)).chain(members);
        let p = (self.members() == 0).then_some((Input::P, &self.p));
        of_tuple.chain(p).chain(self.beside().into_iter().flatten()).collect()
    }

    /// Returns the second records, the results and the totals that it reads, with their roles.
    pub fn beside<'a>(&'a self) -> [Vec<(Input, &'a Named)>; 3] {
        let each = |records: &'a [Named], of: fn(usize) -> Input| {
            records.iter().enumerate().map(|(place, named)| (of(place), named)).collect()
        };
        [each(&self.q, Input::Q), each(&self.f, Input::F), each(&self.g, Input::G)]
    }

    /// Returns the total of a measure, or the result of a particle of a tuple.
    pub fn output(&self) -> Option<&Named> {
        match &self.kind {
            ProgramKind::Update(_) => None,
            ProgramKind::Measure(output) | ProgramKind::Tuple(_, output) => Some(output),
        }
    }

    /// Returns the number of particles of a tuple; 0 for a program per particle.
    pub fn members(&self) -> usize {
        if let ProgramKind::Tuple(members, _) = self.kind { members } else { 0 }
    }

    /// Returns the number of expressions that read second particles by an index.
    pub fn gathers(&self) -> usize {
        self.body.exprs().filter(|expr| matches!(expr.kind, ExprKind::Gather(..))).count()
    }

    /// Returns the structs that it needs.
    pub fn records(&self) -> impl Iterator<Item = StructId> {
        let inputs = self.inputs().into_iter().map(|(_, named)| named.id);
        inputs.chain([self.parameters.id]).chain(self.output().map(|output| output.id))
    }
}
