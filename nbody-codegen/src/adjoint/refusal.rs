//! Refusals, as people read them.

use std::fmt;

/// The reason why an interaction has no adjoint, or why a selection is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A result is no sum.
    NotASum {
        /// The result.
        result: String,
        /// Its type.
        ty: String,
        /// The sums that may be selected instead.
        sums: Vec<String>,
    },
    /// The selection names a field that the record does not have, or that has no derivative.
    Unknown {
        /// The record: the results, the i-particle, the j-particle or the parameters.
        record: &'static str,
        /// The name.
        found: String,
        /// The names that may be selected.
        expected: Vec<String>,
    },
    /// A variable of `pair` has the name of a particle or of the result.
    Hidden {
        /// The name.
        name: String,
    },
    /// A sum is accumulated, or `pair` ends, within the value of an expression.
    Inside {
        /// The statement.
        statement: &'static str,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASum { result, ty, sums } => {
                write!(f, "the result `{result}` is a `{ty}`, and only sums have adjoints: ")?;
                if sums.is_empty() {
                    return f.write_str("the interaction has no sum");
                }
                write!(f, "select the results that are sums, {}", list(sums))
            }
            Self::Unknown { record, found, expected } => {
                write!(f, "{record} has no `{found}` to select: expected {}", list(expected))
            }
            Self::Hidden { name } => write!(
                f,
                "a variable of `pair` is called `{name}`, as a particle or the result is: give it another name"
            ),
            Self::Inside { statement } => write!(
                f,
                "{statement} stands within the value of an expression: write it as a statement of its own, before \
                 the value"
            ),
        }
    }
}

fn list(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
