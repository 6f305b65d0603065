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
    /// The second record of the particle, or the record of the tuple.
    pub q: Option<Named>,
    pub f: Option<Named>,
    /// The total that all particles read.
    pub g: Option<Named>,
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
    pub fn inputs(&self) -> impl Iterator<Item = (Input, &Named)> {
        let members = (0..self.members()).map(|place| (Input::Member(place), Some(&self.p)));
        let of_tuple = [(Input::Tuple, self.q.as_ref())].into_iter().chain(members);
        let of_particle = [
            (Input::P, Some(&self.p)),
            (Input::Q, self.q.as_ref()),
            (Input::F, self.f.as_ref()),
            (Input::G, self.g.as_ref()),
        ];
        let is_tuple = self.members() > 0;
        let of_tuple = of_tuple.filter(move |_| is_tuple);
        let all = of_tuple.chain(of_particle.into_iter().filter(move |_| !is_tuple));
        all.filter_map(|(input, named)| Some((input, named?)))
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
        let inputs = self.inputs().map(|(_, named)| named.id);
        inputs.chain([self.parameters.id]).chain(self.output().map(|output| output.id))
    }
}
