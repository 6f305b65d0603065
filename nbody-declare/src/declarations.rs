//! The declarations of a text.

use nbody_core::{Law, ParticleProgram};

use crate::error::{Error, names};

/// The laws and the programs per particle that a text declares.
#[derive(Debug)]
pub struct Declarations {
    /// The interactions, in their order in the text.
    pub laws: Vec<&'static Law>,
    /// The updates and measures, in their order in the text.
    pub programs: Vec<&'static ParticleProgram>,
}

impl Declarations {
    /// Returns the interaction of this name: the name of its struct in snake case.
    pub fn law(&self, name: &str) -> Result<&'static Law, Error> {
        find("interaction", &self.laws, |law| law.name, name)
    }

    /// Returns the program per particle of this name: the name of its struct in snake case.
    pub fn program(&self, name: &str) -> Result<&'static ParticleProgram, Error> {
        find("program per particle", &self.programs, |program| program.name, name)
    }

    /// Returns the interaction of a text that declares one.
    pub fn only_law(&self) -> Result<&'static Law, Error> {
        match self.laws[..] {
            [law] => Ok(law),
            _ => Err(Error::NotOne {
                kind: "interaction",
                found: self.laws.len(),
                names: names(&self.laws.iter().map(|law| law.name).collect::<Vec<_>>()),
            }),
        }
    }
}

fn find<T: Copy>(
    kind: &'static str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
    name: &str,
) -> Result<T, Error> {
    let found = all.iter().copied().find(|it| name_of(*it) == name);
    found.ok_or_else(|| {
        let expected: Vec<_> = all.iter().map(|it| name_of(*it)).collect();
        Error::unknown(kind, name, &expected)
    })
}
