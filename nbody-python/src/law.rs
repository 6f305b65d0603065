//! Laws and programs.

use nbody::cuda::{Program as CudaProgram, Schedule, Walk};
use nbody::law::{
    self, AdjointSelection, AdjointVariable as Variable, DeclareError, Field, FieldKind,
};
use nbody::{Error, Interaction as _, Update as _};
use nbody_interactions::gravity::Gravity;
use nbody_interactions::hermite::Hermite;
use nbody_interactions::langevin::{Baoa, Kick, Thermostat};
use nbody_interactions::lennard_jones::LennardJones;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::{OrRaise, TextFaults};
use crate::named::{Named, names};
use crate::options;

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

    /// The columns of the results: their names, the numbers of a record along a second axis, 0 without
    /// one, and whether they are integers.
    #[getter]
    fn columns(&self) -> Vec<(&'static str, usize, bool)> {
        let each = |it: &'static Named| {
            (&it.name[..], if it.has_axis { it.numbers } else { 0 }, it.is_integer)
        };
        names(self.0.f).iter().map(each).collect()
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
    let found = py.detach(|| law::declare(text)).map_err(refused)?;
    let laws = found.laws.iter().map(|law| Law(law)).collect();
    Ok((laws, found.programs.iter().map(|program| Program(program)).collect()))
}

/// Returns the names of the ready declarations, each with its trait.
#[pyfunction]
pub fn ready_names() -> Vec<(&'static str, String)> {
    nbody_interactions::names().collect()
}

/// Returns the text of the module that declares a name.
#[pyfunction]
pub fn source(name: &str) -> Option<&'static str> {
    nbody_interactions::source(name)
}

/// Returns a law whose loops on the CPU are part of the extension, so that it needs no compiler there.
/// The others are declared from their texts, which keeps the extension small.
#[pyfunction]
pub fn compiled_law(name: &str) -> Option<Law> {
    let laws = [Gravity::LAW, Hermite::LAW, LennardJones::LAW];
    laws.into_iter().find(|law| law.name == name).map(Law)
}

/// Returns a program whose loop on the CPU is part of the extension.
#[pyfunction]
pub fn compiled_program(name: &str) -> Option<Program> {
    let programs = [Baoa::PROGRAM, Kick::PROGRAM, Thermostat::PROGRAM];
    programs.into_iter().find(|program| program.name == name).map(Program)
}

/// A law of an adjoint: its name, its text, and its results, each with the side and the name of the
/// variable that it is a derivative by.
type Part = (String, String, Vec<(String, &'static str, String)>);

/// A field that has the cotangent of a result, and the result.
type Cotangent = (String, String);

/// The fields of cotangents and their results, the laws of the targets and of the sources, and the parameters
/// that there are no derivatives by: integers, tables and splines.
type Adjoint = (Vec<Cotangent>, Option<Part>, Option<Part>, Vec<String>);

/// Returns the adjoint of a law.
#[pyfunction]
pub fn adjoint(py: Python<'_>, text: &str, name: &str, results: Vec<String>) -> PyResult<Adjoint> {
    let selection = AdjointSelection { results: Some(results), ..AdjointSelection::default() };
    let found = py.detach(|| law::adjoint(text, name, &selection)).map_err(refused)?;
    let part = |law: law::AdjointLaw| {
        let gradients = law.gradients.into_iter().map(|gradient| {
            let (side, variable) = match gradient.by {
                Variable::I(name) => ("targets", name),
                Variable::J(name) => ("sources", name),
                Variable::Parameter(name) => ("parameters", name),
            };
            (gradient.field, side, variable)
        });
        (law.name, law.text, gradients.collect())
    };
    let cotangents = found.cotangents.into_iter().map(|it| (it.field, it.of)).collect();
    let constant = found.constant.into_iter().filter_map(|variable| match variable {
        Variable::Parameter(name) => Some(name),
        _ => None,
    });
    let constant = constant.collect();
    Ok((cotangents, found.of_targets.map(part), found.of_sources.map(part), constant))
}

/// Returns the exception of a text that is refused.
fn refused(error: DeclareError) -> PyErr {
    let DeclareError::Text(faults) = &error else {
        return PyValueError::new_err(error.to_string());
    };
    let each = |fault: &law::Fault| {
        let (message, help) = fault.message.split_once('\n').unwrap_or((&fault.message, ""));
        let help = help.strip_prefix("help: ").unwrap_or(help);
        (fault.line, fault.column, message.to_owned(), help.to_owned())
    };
    let faults: Vec<_> = faults.iter().map(each).collect();
    TextFaults::new_err((error.to_string(), faults))
}

/// Returns the CUDA program of a law as it is compiled, for a schedule or else for a walk through a tree,
/// and the part of it that is the declaration.
#[pyfunction]
pub fn emit(
    law: &Law,
    schedule: Option<&str>,
    walk: Option<&str>,
    given: &Bound<'_, PyDict>,
) -> PyResult<(String, String)> {
    let (options, precision) = options::options(given)?;
    let options = options.precision(precision.unwrap_or_default());
    let law = law.0;
    let program = match (schedule, walk) {
        (Some(schedule), Some(walk)) => {
            return Err(PyValueError::new_err(format!(
                "the schedule {schedule:?} and the walk {walk:?} are of two programs; give one"
            )));
        }
        (None, Some(walk)) => {
            let walk: Walk = walk.parse().or_raise()?;
            CudaProgram::walk(law, options, walk).map(Some)
        }
        (schedule, None) => {
            let schedule: Schedule = schedule.unwrap_or("ordered").parse().or_raise()?;
            CudaProgram::of_schedule(law, options, schedule)
        }
    };
    let Some(program) = program.map_err(Error::from).or_raise()? else {
        return Err(PyValueError::new_err(format!(
            "`{}` has no program of the schedule {:?} with these options; take \"ordered\"",
            law.name,
            schedule.unwrap_or("ordered"),
        )));
    };
    Ok((program.source.clone(), program.declaration().to_owned()))
}
