//! Programs per particle made at run time.

use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::field::FieldKind;
use crate::law::interaction::Operations;
use crate::law::particle_loop::LoadParticleLoop;
use crate::law::program::{CpuLoop, ParticleProgram, ParticleText};
use crate::law::table::{self, slice, text};

/// The names of the records in messages.
const RECORDS: [&str; 5] = ["parameters", "p", "q", "f", "totals"];

/// A program per particle as a table: everything that code generation knows of a declaration,
/// without a loop for the CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramTable {
    /// The name in messages.
    pub name: String,
    /// The cost for one particle.
    pub operations: Operations,
    /// The CUDA text of the declaration and of its names: [`ParticleText`].
    pub cuda: [String; 2],
    /// Whether an update assigns each field of `p`; empty for a measure.
    pub changes: Vec<bool>,
    /// The fields of the parameters, of the particle, of the second particle, of the results that
    /// are read, and of the total; empty where there is none.
    pub records: [Vec<(String, FieldKind)>; 5],
}

impl ProgramTable {
    /// Returns the program of this table. Equal tables give the same program, which lives as long as
    /// the process. A table that contradicts itself is refused, and takes no memory.
    ///
    /// # Safety
    ///
    /// As for [`LawTable::intern`](crate::law::table::LawTable::intern).
    #[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
    pub unsafe fn intern(self) -> Result<&'static ParticleProgram, Error> {
        self.known(None)
    }

    /// Returns the program of this table with its loop on the CPU.
    ///
    /// # Safety
    ///
    /// As for [`intern`](Self::intern).
    #[doc(hidden)]
    #[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
    pub unsafe fn intern_with(
        self,
        code: Box<dyn LoadParticleLoop>,
    ) -> Result<&'static ParticleProgram, Error> {
        self.known(Some(code))
    }

    fn known(
        self,
        code: Option<Box<dyn LoadParticleLoop>>,
    ) -> Result<&'static ParticleProgram, Error> {
        /// Programs, with their tables and whether they have loops.
        type Known = Vec<((ProgramTable, bool), &'static ParticleProgram)>;
        static KNOWN: Mutex<Known> = Mutex::new(Vec::new());
        self.check()?;
        let key = (self, code.is_some());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, program)) = known.iter().find(|(other, _)| *other == key) {
            return Ok(program);
        }
        let code = code.map_or(CpuLoop::None, |code| CpuLoop::Loaded(Box::leak(code)));
        let program: &'static ParticleProgram = Box::leak(Box::new(key.0.clone().program(code)));
        known.push((key, program));
        Ok(program)
    }

    fn program(self, cpu_loop: CpuLoop) -> ParticleProgram {
        let Self { name, operations, cuda, changes, records } = self;
        let [law, names] = cuda.map(text);
        let [parameters, p, q, f, total] = records.map(table::fields);
        let (name, changes, cuda) = (text(name), slice(changes), ParticleText { law, names });
        ParticleProgram { name, operations, cuda, changes, parameters, p, q, f, total, cpu_loop }
    }

    /// Refuses a table that engines cannot run.
    fn check(&self) -> Result<(), Error> {
        let refuse = |part: &str, found: String, expected: &str| {
            let (law, part, expected) = (self.name.clone(), part.to_owned(), expected.to_owned());
            Err(Error::LawTable { law, part, found, expected })
        };
        if self.name.is_empty() {
            return refuse("name", "empty".to_owned(), "a name");
        }
        let names = self.records.iter().flatten().map(|(name, _)| name);
        for text in self.cuda.iter().chain([&self.name]).chain(names) {
            if let Some(at) = text.find('\0') {
                return refuse("texts", format!("a NUL at byte {at}"), "none");
            }
        }
        for (k, record) in RECORDS.into_iter().enumerate() {
            let is_total = k == 4;
            for (name, kind) in &self.records[k] {
                if !table::is_known(*kind, is_total, k == 3) {
                    let expected = "a type of such a record";
                    return refuse(record, format!("`{name}: {kind}`"), expected);
                }
            }
        }
        let [_, p, _, _, total] = &self.records;
        if p.is_empty() {
            return refuse("p", "without fields".to_owned(), "a field at least");
        }
        match (self.changes.len(), total.len()) {
            (0, 1..) => Ok(()),
            (n, 0) if n == p.len() => Ok(()),
            (n, 0) => {
                let expected = format!("{} as of p", p.len());
                refuse("number of changes", n.to_string(), &expected)
            }
            (..) => refuse("changes", "given with a total".to_owned(), "one of them"),
        }
    }
}
