//! Programs per particle: updates and measures.

use syn::Attribute;

use super::expr::Input;
use super::function::Body;
use super::id::StructId;
use super::roles::{Named, Roles};

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

    /// Returns the structs that it needs.
    pub fn records(&self) -> impl Iterator<Item = StructId> {
        let total = match &self.kind {
            ProgramKind::Update(_) => None,
            ProgramKind::Measure(total) => Some(total.id),
        };
        let inputs = self.inputs().map(|(_, named)| named.id);
        inputs.chain([self.parameters.id]).chain(total)
    }
}
