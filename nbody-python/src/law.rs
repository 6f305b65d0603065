//! Laws and programs.

use nbody::law::{self, DeclareError, Field, FieldKind};
use nbody::{Interaction, Tuple};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::failure::TextFaults;

/// An interaction of pairs.
#[pyclass(frozen, module = "nbody._native")]
pub struct Law(pub &'static law::Law);

/// A program per particle or per tuple.
#[pyclass(frozen, module = "nbody._native")]
pub struct Program(pub &'static law::ParticleProgram);

/// A field: its name, its declaration and the numbers of a record.
type Described = (&'static str, String, usize);

fn described(fields: &'static [Field]) -> Vec<Described> {
    fields.iter().map(|field| (field.name, kind_of(field.kind), field.kind.components())).collect()
}

/// Returns the declaration of a field.
fn kind_of(kind: FieldKind) -> String {
    let text = Field { name: "", kind }.to_string();
    text.trim_start_matches([':', ' ']).to_owned()
}

#[pymethods]
impl Law {
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    #[getter]
    fn parameters(&self) -> Vec<Described> {
        described(self.0.parameters)
    }

    #[getter]
    fn targets(&self) -> Vec<Described> {
        described(self.0.i)
    }

    #[getter]
    fn sources(&self) -> Vec<Described> {
        described(self.0.j)
    }

    #[getter]
    fn results(&self) -> Vec<Described> {
        described(self.0.f)
    }

    #[getter]
    fn has_cutoff(&self) -> bool {
        self.0.cutoff
    }

    #[getter]
    fn no_tree(&self) -> Option<&'static str> {
        self.0.charges.as_ref().err().copied()
    }
}

#[pymethods]
impl Program {
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    #[getter]
    fn parameters(&self) -> Vec<Described> {
        described(self.0.parameters)
    }

    #[getter]
    fn particles(&self) -> Vec<Described> {
        described(self.0.p)
    }

    #[getter]
    fn record(&self) -> Vec<Described> {
        described(self.0.record)
    }

    #[getter]
    fn total(&self) -> Vec<Described> {
        described(self.0.total)
    }

    /// The number of particles of a tuple; 0 of a program per particle.
    #[getter]
    fn members(&self) -> usize {
        self.0.members
    }
}

/// Declares the laws and programs of a text.
#[pyfunction]
pub fn declare(py: Python<'_>, text: &str) -> PyResult<(Vec<Law>, Vec<Program>)> {
    let found = py.detach(|| law::declare(text)).map_err(|error| match error {
        DeclareError::Text(ref faults) => {
            let each = |fault: &law::Fault| {
                let (message, help) =
                    fault.message.split_once('\n').unwrap_or((&fault.message, ""));
                let help = help.strip_prefix("help: ").unwrap_or(help);
                (fault.line, fault.column, message.to_owned(), help.to_owned())
            };
            let faults: Vec<_> = faults.iter().map(each).collect();
            TextFaults::new_err((error.to_string(), faults))
        }
        other => PyValueError::new_err(other.to_string()),
    })?;
    let laws = found.laws.iter().map(|law| Law(law)).collect();
    Ok((laws, found.programs.iter().map(|program| Program(program)).collect()))
}

/// Returns the ready laws of nbody.
#[pyfunction]
pub fn ready_laws() -> Vec<Law> {
    struct Laws(Vec<Law>);
    impl nbody_interactions::Visitor for Laws {
        fn visit<X: Interaction>(&mut self, _: X) {
            self.0.push(Law(X::LAW));
        }
    }
    let mut laws = Laws(Vec::new());
    nbody_interactions::visit_all(&mut laws);
    laws.0
}

/// Returns the ready tuples of nbody.
#[pyfunction]
pub fn ready_programs() -> Vec<Program> {
    struct Programs(Vec<Program>);
    impl nbody_interactions::TupleVisitor for Programs {
        fn visit<X: Tuple>(&mut self, _: X) {
            self.0.push(Program(X::PROGRAM));
        }
    }
    let mut programs = Programs(Vec::new());
    nbody_interactions::visit_tuples(&mut programs);
    programs.0
}

/// Returns the CUDA program of a law on a device without the kernel's schedule: its declaration.
#[pyfunction]
pub fn cuda_text(law: &Law) -> &'static str {
    law.0.cuda.law
}
