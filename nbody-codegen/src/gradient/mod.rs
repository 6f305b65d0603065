//! Derivatives of a value that a body has computed, as further statements of the body: gradients by a field, a
//! parameter or a variable, and rates of change along velocities of these.
//!
//! `trace` follows the body up to the gradient, into the graph of `graph`. `reverse` passes
//! derivatives from the value back to the target (reverse accumulation; Griewank & Walther 2008,
//! Evaluating Derivatives, chapter 3), `forward` from the targets to the value (chapter 3, too), both by the
//! `slopes` of operations, as the products of `monomial` and the sums of `sum`. `print`
//! turns nodes into expressions, by the variables that have their values already. The result is
//! ordinary code: nothing later knows of gradients.

mod degree;
mod forward;
mod graph;
mod monomial;
mod print;
mod reverse;
mod slopes;
mod sum;
#[cfg(test)]
mod tests;
mod trace;

pub use forward::{displacement, rate};
pub use graph::{NodeId, Op};
pub use print::{Held, Lost, Printer};
pub use reverse::{Refusal, depending, gradient};
pub use trace::{LONGEST, TooLong, Trace};
