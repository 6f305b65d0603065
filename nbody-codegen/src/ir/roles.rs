//! Records of a function, and the names by which it knows them.

use syn::Ident;

use super::expr::Input;
use super::id::StructId;
use super::stmt::Side;

/// A struct, with the place in the source that names it.
pub struct Named {
    pub id: StructId,
    pub ident: Ident,
}

/// Names of the records in a function.
pub struct Roles {
    /// Particles, and results that are read.
    pub inputs: Vec<(Input, String)>,
    /// Result that is accumulated.
    pub f: String,
    /// Index of j, which some results keep.
    pub index: String,
    /// All second particles, which some programs read by an index.
    pub others: String,
    /// Result of j, in a function of both directions.
    pub g: Option<String>,
    /// Results of the particles of a tuple; empty in other functions.
    pub members: Vec<String>,
}

impl Roles {
    /// Returns the name of an input other than the parameters.
    pub fn input(&self, input: Input) -> &str {
        let found = self.inputs.iter().find(|(known, _)| *known == input);
        found.map(|(_, name)| &**name).expect("checked: a name is bound to its input")
    }

    /// Returns the number of second records of a program per particle.
    pub fn seconds(&self) -> usize {
        self.inputs.iter().filter(|(input, _)| matches!(input, Input::Q(_))).count()
    }

    /// Returns the name of the result of i, of j or of a particle of a tuple.
    pub fn result(&self, side: Side) -> &str {
        match (side, &self.g) {
            (Side::Member(place), _) => &self.members[place],
            (Side::I, _) => &self.f,
            (Side::J, Some(g)) => g,
            (Side::J, None) => unreachable!("only both directions together add to the result of j"),
        }
    }
}
