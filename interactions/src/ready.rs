//! Interactions and tuples by their names, for tools that are told a name.

use std::sync::OnceLock;

use nbody::law::{Law, ParticleProgram};
use nbody::{Interaction, Tuple};

use crate::visit::{TupleVisitor, Visitor, visit_all, visit_tuples};

/// Returns the interactions that [`visit_all`] visits, in its order.
pub fn laws() -> &'static [&'static Law] {
    struct Laws(Vec<&'static Law>);
    impl Visitor for Laws {
        fn visit<X: Interaction>(&mut self, _: X) {
            self.0.push(X::LAW);
        }
    }
    static LAWS: OnceLock<Vec<&'static Law>> = OnceLock::new();
    LAWS.get_or_init(|| {
        let mut laws = Laws(Vec::new());
        visit_all(&mut laws);
        laws.0
    })
}

/// Returns the tuples that [`visit_tuples`] visits, in its order.
pub fn tuples() -> &'static [&'static ParticleProgram] {
    struct Tuples(Vec<&'static ParticleProgram>);
    impl TupleVisitor for Tuples {
        fn visit<X: Tuple>(&mut self, _: X) {
            self.0.push(X::PROGRAM);
        }
    }
    static TUPLES: OnceLock<Vec<&'static ParticleProgram>> = OnceLock::new();
    TUPLES.get_or_init(|| {
        let mut tuples = Tuples(Vec::new());
        visit_tuples(&mut tuples);
        tuples.0
    })
}

/// Returns the interaction of this name among [`laws()`]: the name of its struct in snake case.
pub fn law(name: &str) -> Option<&'static Law> {
    laws().iter().find(|law| law.name == name).copied()
}

/// Returns the tuple of this name among [`tuples()`]: the name of its struct in snake case.
pub fn tuple(name: &str) -> Option<&'static ParticleProgram> {
    tuples().iter().find(|tuple| tuple.name == name).copied()
}
