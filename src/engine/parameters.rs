//! Parameters of interactions and programs without their types.

use nbody_core::pack;

use crate::Error;
use crate::law::Record;

/// Returns the parameters of an interaction or a program as one row.
pub(super) fn row<X: Record<Lane = f64>>(parameters: &X) -> Vec<u64> {
    pack::rows(&std::slice::from_ref(parameters))
}

/// Asserts that an engine has taken the parameters of its own record. Each evaluation refuses NaN.
pub(super) fn assert_taken(set: Result<(), Error>) {
    match set {
        Ok(()) | Err(Error::NanParameter { .. }) => {}
        Err(error) => panic!("a record has all numbers of its fields: {error}"),
    }
}
