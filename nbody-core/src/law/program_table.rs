//! Programs per particle and per tuple made at run time.

use crate::error::Error;
use crate::field::FieldKind;
use crate::law::interaction::Operations;
use crate::law::interned::Interned;
use crate::law::particle_loop::LoadParticleLoop;
use crate::law::program::{CpuLoop, ParticleProgram, ParticleText};
use crate::law::records::{self, Refusal, Use};
use crate::law::table::{self, slice, text};

/// The most particles of a tuple.
const MOST_MEMBERS: usize = 8;
/// The most records of one kind that a program reads.
const MOST_RECORDS: usize = 4;

/// A program per particle or per tuple as a table: everything that code generation knows of a declaration,
/// without a loop for the CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramTable {
    /// The name in messages.
    pub name: String,
    /// The cost for one particle or tuple.
    pub operations: Operations,
    /// The number of particles of a tuple; 0 for a program per particle.
    pub members: usize,
    /// The CUDA text of the declaration and of its names: [`ParticleText`].
    pub cuda: [String; 2],
    /// The number of expressions that read second particles by an index.
    pub gathers: usize,
    /// Whether an update assigns each field of `p`; empty for other programs.
    pub changes: Vec<bool>,
    /// The fields of its records.
    pub records: ProgramRecords,
}

/// The fields of a record: names and types.
pub type Fields = Vec<(String, FieldKind)>;

/// The fields of the records of a program per particle or per tuple; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramRecords {
    /// The parameters.
    pub parameters: Fields,
    /// The particle, or each particle of a tuple.
    pub p: Fields,
    /// The record of a tuple.
    pub record: Fields,
    /// Each second particle.
    pub q: Vec<Fields>,
    /// Each of the results that are read.
    pub f: Vec<Fields>,
    /// Each total that is read.
    pub g: Vec<Fields>,
    /// The total of a measure, or the result of a particle of a tuple.
    pub total: Fields,
}

impl ProgramRecords {
    /// Returns each record with its name in messages, and its use.
    fn each(&self) -> impl Iterator<Item = (&'static str, Use, &Fields)> {
        let q = self.q.iter().map(|q| ("q", Use::Input, q));
        let f = self.f.iter().map(|f| ("f", Use::Either, f));
        let g = self.g.iter().map(|g| ("g", Use::Either, g));
        let one = [
            ("parameters", Use::Input, &self.parameters),
            ("p", Use::Input, &self.p),
            ("record", Use::Input, &self.record),
            ("totals", Use::Output, &self.total),
        ];
        one.into_iter().chain(q).chain(f).chain(g)
    }
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
        let Self { name, operations, members, cuda, gathers, changes, records } = self;
        let [law, names] = cuda.map(text);
        let [parameters, p, record, total] =
            [records.parameters, records.p, records.record, records.total].map(table::fields);
        let [q, f, g] = [records.q, records.f, records.g]
            .map(|each| slice(each.into_iter().map(table::fields)));
        let (name, changes, cuda) = (text(name), slice(changes), ParticleText { law, names });
        ParticleProgram {
            name,
            operations,
            members,
            cuda,
            changes,
            gathers,
            parameters,
            p,
            record,
            q,
            f,
            g,
            total,
            cpu_loop,
        }
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
        for (record, usage, fields) in self.records.each() {
            records::check(record, usage, fields)?;
        }
        let ProgramRecords { p, q, f, g, total, .. } = &self.records;
        for (record, fields) in [("q", q), ("f", f), ("g", g)] {
            if fields.iter().any(Vec::is_empty) {
                return Err(Refusal::new(record, "without fields", "a field at least"));
            }
            if fields.len() > MOST_RECORDS {
                let found = format!("of {} records", fields.len());
                return Err(Refusal::new(record, found, &format!("{MOST_RECORDS} at most")));
            }
        }
        if p.is_empty() {
            return Err(Refusal::new("p", "without fields", "a field at least"));
        }
        if self.gathers > 0 && q.is_empty() {
            return Err(Refusal::new(
                "gathers",
                self.gathers.to_string(),
                "second particles to gather",
            ));
        }
        if self.members > 0 {
            return self.check_tuple(!(q.is_empty() && f.is_empty() && g.is_empty()), total);
        }
        if !self.records.record.is_empty() {
            return Err(Refusal::new("record", "given without members", "one of a tuple"));
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

impl ProgramTable {
    /// Refuses a tuple that engines cannot run.
    fn check_tuple(&self, reads: bool, result: &[(String, FieldKind)]) -> Result<(), Refusal> {
        if self.members > MOST_MEMBERS {
            let expected = format!("{MOST_MEMBERS} at most");
            return Err(Refusal::new("members", self.members.to_string(), &expected));
        }
        if reads || !self.changes.is_empty() {
            return Err(Refusal::new("members", "given with q, f, g or changes", "one of them"));
        }
        if result.is_empty() {
            return Err(Refusal::new("totals", "without fields", "a field at least"));
        }
        if let Some((_, kind)) = result.iter().find(|(_, kind)| kind.keeps_index()) {
            let found = format!("with an `{kind}`");
            return Err(Refusal::new("totals", found, "sums, extremes and counts"));
        }
        Ok(())
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
            members: 0,
            gathers: 0,
            cuda: Default::default(),
            changes: vec![true],
            records: ProgramRecords {
                p: record(FieldKind::Point(3)),
                f: vec![record(FieldKind::Count)],
                g: vec![record(FieldKind::Min)],
                ..ProgramRecords::default()
            },
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
            |it| it.records.p[0].1 = FieldKind::Min,
            "field 0 of p is `x: Min<Real>`, expected a type of particles",
        );
        refused(
            |it| it.records.total = vec![("x".to_owned(), FieldKind::U32)],
            "field 0 of totals is `x: u32`, expected a type of results",
        );
        let twice = |it: &mut ProgramTable| {
            let field = it.records.p[0].clone();
            it.records.p.push(field);
        };
        refused(twice, "field 1 of p is named `x`, expected a name of its own");
        refused(|it| it.records.p.clear(), "p is without fields");
        refused(|it| it.gathers = 2, "gathers is 2, expected second particles to gather");
        refused(|it| it.changes.push(true), "number of changes is 2, expected 1 as of p");
        refused(|it| it.records.f.push(Vec::new()), "f is without fields");
        let many = |it: &mut ProgramTable| it.records.g = vec![it.records.p.clone(); 5];
        refused(many, "g is of 5 records, expected 4 at most");
        let record = |it: &mut ProgramTable| it.records.record = it.records.p.clone();
        refused(record, "record is given without members, expected one of a tuple");
        let total =
            |it: &mut ProgramTable| it.records.total = vec![("x".to_owned(), FieldKind::Real)];
        refused(total, "changes is given with a total");
        let tuple = |it: &mut ProgramTable| {
            (it.members, it.changes) = (2, Vec::new());
            (it.records.f, it.records.g) = (Vec::new(), Vec::new());
            it.records.total = vec![("x".to_owned(), FieldKind::Real)];
        };
        let mut table = table();
        tuple(&mut table);
        assert!(table.check().is_ok());
        let of_tuple = |change: &dyn Fn(&mut ProgramTable), message| {
            refused(
                |it| {
                    tuple(it);
                    change(it);
                },
                message,
            );
        };
        of_tuple(&|it| it.members = 9, "members is 9, expected 8 at most");
        of_tuple(&|it| it.changes.push(true), "members is given with q, f, g or changes");
        of_tuple(
            &|it| it.records.g = vec![vec![("x".to_owned(), FieldKind::Min)]],
            "members is given with q, f, g or changes",
        );
        of_tuple(&|it| it.records.total.clear(), "totals is without fields");
        of_tuple(
            &|it| it.records.total[0].1 = FieldKind::ArgMin,
            "totals is with an `ArgMin<Real>`",
        );
    }
}
