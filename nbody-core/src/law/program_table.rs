//! Programs per particle made at run time.

use crate::error::Error;
use crate::field::FieldKind;
use crate::law::interaction::Operations;
use crate::law::interned::Interned;
use crate::law::particle_loop::LoadParticleLoop;
use crate::law::program::{CpuLoop, ParticleProgram, ParticleText};
use crate::law::records::{self, Refusal, Use};
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
        static KNOWN: Interned<ProgramTable, ParticleProgram> = Interned::new();
        self.check().map_err(|refusal| refusal.of(&self.name))?;
        Ok(KNOWN.get(self, code, |table, code| {
            table.program(code.map_or(CpuLoop::None, CpuLoop::Loaded))
        }))
    }

    fn program(self, cpu_loop: CpuLoop) -> ParticleProgram {
        let Self { name, operations, cuda, changes, records } = self;
        let [law, names] = cuda.map(text);
        let [parameters, p, q, f, total] = records.map(table::fields);
        let (name, changes, cuda) = (text(name), slice(changes), ParticleText { law, names });
        ParticleProgram { name, operations, cuda, changes, parameters, p, q, f, total, cpu_loop }
    }

    /// Refuses a table that engines cannot run.
    fn check(&self) -> Result<(), Refusal> {
        records::text("name", &self.name)?;
        if self.name.is_empty() {
            return Err(Refusal::new("name", "empty", "a name"));
        }
        for (part, text) in ["CUDA text", "CUDA text of names"].into_iter().zip(&self.cuda) {
            records::text(part, text)?;
        }
        let uses = [Use::Input, Use::Input, Use::Input, Use::Either, Use::Output];
        for ((record, usage), fields) in RECORDS.into_iter().zip(uses).zip(&self.records) {
            records::check(record, usage, fields)?;
        }
        let [_, p, _, _, total] = &self.records;
        if p.is_empty() {
            return Err(Refusal::new("p", "without fields", "a field at least"));
        }
        match (self.changes.len(), total.len()) {
            (0, 1..) => Ok(()),
            (n, 0) if n == p.len() => Ok(()),
            (n, 0) => {
                let expected = format!("{} as of p", p.len());
                Err(Refusal::new("number of changes", n.to_string(), &expected))
            }
            (..) => Err(Refusal::new("changes", "given with a total", "one of them")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ProgramTable {
        let record = |kind| vec![("x".to_owned(), kind)];
        ProgramTable {
            name: "some".to_owned(),
            operations: Operations::default(),
            cuda: Default::default(),
            changes: vec![true],
            records: [
                Vec::new(),
                record(FieldKind::Point(3)),
                Vec::new(),
                record(FieldKind::Count),
                Vec::new(),
            ],
        }
    }

    #[track_caller]
    fn refused(change: impl Fn(&mut ProgramTable), message: &str) {
        let mut table = table();
        change(&mut table);
        let error = table.check().map_err(|refusal| refusal.of("some")).unwrap_err().to_string();
        assert!(error.starts_with(&format!("table of `some`: {message}")), "{error}");
    }

    #[test]
    fn tables_that_contradict_themselves_are_refused() {
        assert!(table().check().is_ok());
        refused(|it| it.name.clear(), "name is empty, expected a name");
        refused(|it| it.cuda[1].push('\0'), "CUDA text of names is a text with a NUL at byte 0");
        refused(
            |it| it.records[1][0].1 = FieldKind::Min,
            "field 0 of p is `x: Min<Real>`, expected a type of particles",
        );
        refused(
            |it| it.records[4] = vec![("x".to_owned(), FieldKind::U32)],
            "field 0 of totals is `x: u32`, expected a type of results",
        );
        let twice = |it: &mut ProgramTable| {
            let field = it.records[1][0].clone();
            it.records[1].push(field);
        };
        refused(twice, "field 1 of p is named `x`, expected a name of its own");
        refused(|it| it.records[1].clear(), "p is without fields");
        refused(|it| it.changes.push(true), "number of changes is 2, expected 1 as of p");
        let total = |it: &mut ProgramTable| it.records[4] = vec![("x".to_owned(), FieldKind::Real)];
        refused(total, "changes is given with a total");
    }
}
