//! From a text to the texts of an adjoint.

use nbody_codegen::adjoint::{Adjoint, Fault, Selection};

use crate::error::{Error, faults};

/// Returns the vector-Jacobian product of an interaction, as two further interactions.
///
/// The interaction is found by its name among the declarations of the text, which [`declare`](crate::declare())
/// reads. With a cotangent b for each result of each i-particle, the adjoint of the targets sums over j, and
/// the adjoint of the sources over i, the derivatives of b times the contribution of the pair: of the targets
/// by the fields of i and by the parameters, of the sources by the fields of j. Where i- and j-particles are
/// one set, the derivative by a field of a particle is the sum of both. Results that count pairs have no
/// cotangents. A cutoff has no derivative: a law that does not vanish there jumps, and its derivative lacks
/// the jump.
///
/// # Errors
///
/// The faults of the text, a name that it does not declare ([`Error::Unknown`]), results that are no sums and
/// names of the selection that there are not ([`Error::Adjoint`]), and derivatives that are too long, as faults
/// of the text of the adjoint.
pub fn adjoint(text: &str, name: &str, selection: &Selection) -> Result<Adjoint, Error> {
    nbody_codegen::adjoint::adjoint(text, name, selection).map_err(|fault| match fault {
        Fault::Text(found) => Error::Text(faults(found, "text", text)),
        Fault::Adjoint { text, faults: found } => {
            Error::Text(faults(found, &format!("the adjoint of `{name}`"), &text))
        }
        Fault::Unknown { expected } => Error::unknown("interaction", name, &expected),
        Fault::Refused(refusal) => Error::Adjoint { name: name.to_owned(), refusal },
    })
}
