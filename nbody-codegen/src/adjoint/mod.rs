//! The adjoint of a declared interaction: two interactions, as text, that compute its vector-Jacobian
//! product.
//!
//! For a cotangent b of each result of each i-particle, φ(i, j) is the sum over the results of b
//! times the contribution of the pair. The adjoint of the targets sums the derivatives of φ by the
//! fields of i and by the parameters; in the adjoint of the sources j and i change places, and it sums
//! the derivatives by the fields of j.
//!
//! The syntax tree is rewritten: `selection` chooses results and variables, `body` has `sums`
//! turn each `f.x += e` into `phi += i.x_bar * e`, and `returns` turn guards into conditions where φ has
//! terms before them, `dependence` finds the variables that φ depends on, and `text` writes the modules, with
//! `phi.gradient(i.x)` at the end of `pair`. The checker reads the texts before they are returned.

mod body;
mod dependence;
mod names;
mod refusal;
mod returns;
mod selection;
mod sums;
mod text;

use syn::visit::Visit as _;

use crate::describe::{Source, in_thread, sources};
use crate::diagnostics::{Ctxt, Diagnostic};
use crate::{ir, syntax};

pub use refusal::Refusal;
pub use selection::Selection;

use body::Body;
use names::{Binders, Names};
use selection::{Chosen, Field};
use text::Side;

/// The adjoint of an interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adjoint {
    /// The fields that the i-particles of the interaction get, behind their own fields: a cotangent of
    /// each sum, with its type.
    pub cotangents: Vec<Cotangent>,
    /// The adjoint of the targets: its i-particles have the cotangents, its j-particles are the j-particles
    /// of the interaction. `None` if all its derivatives are zero.
    pub of_targets: Option<AdjointLaw>,
    /// The adjoint of the sources: its i-particles are the j-particles of the interaction, and its
    /// j-particles the i-particles with the cotangents. `None` if all its derivatives are zero.
    pub of_sources: Option<AdjointLaw>,
    /// The variables that no sum depends on: their derivatives are zero.
    pub zero: Vec<Variable>,
    /// The variables that there are no derivatives by: integers, tables and splines.
    pub constant: Vec<Variable>,
}

/// One of both interactions of an adjoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdjointLaw {
    /// The name of the interaction.
    pub name: String,
    /// Its declaration: a module in the language of interactions.
    pub text: String,
    /// Its results, in order.
    pub gradients: Vec<Gradient>,
}

/// A field of the i-particles that holds the derivative of a scalar by a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cotangent {
    /// The name of the field.
    pub field: String,
    /// The result of the interaction.
    pub of: String,
}

/// A result that is a derivative: a vector by a point or a vector, else a value of the type of the
/// variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gradient {
    /// The name of the result.
    pub field: String,
    /// The variable of the interaction.
    pub by: Variable,
}

/// A variable of an interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A field of the i-particle.
    I(String),
    /// A field of the j-particle.
    J(String),
    /// A parameter. The result of each i-particle is the sum over its pairs; the derivative is the
    /// sum over the i-particles.
    Parameter(String),
}

/// The reason why there is no adjoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text has faults.
    Text(Vec<Diagnostic>),
    /// The adjoint of the interaction has faults: it is too long, for example.
    Adjoint {
        /// The text of the adjoint.
        text: String,
        /// Its faults.
        faults: Vec<Diagnostic>,
    },
    /// There is no interaction of this name.
    Unknown {
        /// The names that there are.
        expected: Vec<String>,
    },
    /// The interaction, or the selection, is refused.
    Refused(Refusal),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The interaction that is derived, as it was written and as it was checked.
struct Law<'a> {
    module: &'a syntax::Module,
    written: &'a syntax::Interaction,
    checked: &'a ir::Module,
    interaction: &'a ir::Interaction,
}

/// Returns the adjoint of the interaction of this name, its struct in snake case, among the
/// declarations of a text.
pub fn adjoint(text: &str, name: &str, selection: &Selection) -> Result<Adjoint, Fault> {
    in_thread(|| derive(text, name, selection), |message| Fault::Text(vec![message]))
}

fn derive(text: &str, name: &str, selection: &Selection) -> Result<Adjoint, Fault> {
    let sources = checked(text).map_err(Fault::Text)?;
    let laws = sources.iter().flat_map(|source| {
        let pairs = source.written.interactions.iter().zip(&source.checked.interactions);
        pairs.map(|(written, interaction)| Law {
            module: &source.written,
            written,
            checked: &source.checked,
            interaction,
        })
    });
    let laws: Vec<_> = laws.collect();
    let law = laws.iter().find(|law| law.interaction.name == name).ok_or_else(|| {
        Fault::Unknown { expected: laws.iter().map(|law| law.interaction.name.clone()).collect() }
    })?;
    of_law(law, selection)
}

/// Reads a text, and returns its modules.
fn checked(text: &str) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let cx = Ctxt::new();
    let sources = sources(&cx, text);
    if cx.messages().is_empty() {
        let _none = cx.finish();
        return Ok(sources);
    }
    Err(cx.diagnostics())
}

fn of_law(law: &Law, selection: &Selection) -> Result<Adjoint, Fault> {
    let mut chosen = Chosen::of(law, selection)?;
    let mut binders = Binders::default();
    binders.visit_block(&law.written.pair.block);
    if let Some(hidden) = law.written.names.iter().find(|name| binders.has(name)) {
        return Err(Refusal::Hidden { name: hidden.to_string() }.into());
    }
    let mut names = Names::of(law.module);
    chosen.name_cotangents(law);
    let body = Body::of(law, &chosen, &mut names, &binders)?;
    let writer = text::Writer::new(law, &chosen, &body, &mut names);
    let dependent = dependence::dependent(&writer)?;
    let of_targets = part(&writer, Side::Targets, &dependent)?;
    let of_sources = part(&writer, Side::Sources, &dependent)?;
    let zero = chosen.variables.iter().filter(|field| !dependent.contains(field));
    let variable = |field: &Field| field.variable();
    Ok(Adjoint {
        cotangents: chosen.cotangents(),
        of_targets,
        of_sources,
        zero: zero.map(variable).collect(),
        constant: chosen.constant.iter().map(variable).collect(),
    })
}

/// Writes one of both interactions; `None` if it has no results.
fn part(
    writer: &text::Writer,
    side: Side,
    dependent: &[&Field],
) -> Result<Option<AdjointLaw>, Fault> {
    let of_side = |field: &&&Field| (field.input == ir::Input::J) == (side == Side::Sources);
    let variables: Vec<&Field> = dependent.iter().filter(of_side).copied().collect();
    if variables.is_empty() {
        return Ok(None);
    }
    let (text, gradients) = writer.law(side, &variables);
    match checked(&text) {
        Ok(_) => Ok(Some(AdjointLaw { name: writer.name(side), text, gradients })),
        Err(faults) => Err(Fault::Adjoint { text, faults }),
    }
}
