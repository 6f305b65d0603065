//! Interactions: the pair and its cutoff.

use syn::Attribute;

use super::expr::{ExprKind, Input};
use super::function::Body;
use super::id::FieldId;
use super::module::Module;
use super::roles::{Named, Roles};
use super::summary::Operations;

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

    /// Returns the numbers of an i-particle and of a j-particle that the cutoff reads; none without
    /// a cutoff.
    pub fn cutoff_reads(&self, module: &Module) -> [Vec<usize>; 2] {
        [(Input::I, self.i.id), (Input::J, self.j.id)].map(|(particle, id)| {
            let cutoff = self.cutoff.as_ref();
            cutoff.map_or_else(Vec::new, |it| module[id].numbers_read(particle, &it.body))
        })
    }

    /// Tests whether parameters are looked up by indices that differ from pair to pair.
    pub fn looks_up(&self) -> bool {
        self.bodies().flat_map(Body::exprs).any(|expr| match &expr.kind {
            ExprKind::Entry(base, _) => matches!(base.kind, ExprKind::Input(Input::Parameters, _)),
            _ => false,
        })
    }
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
