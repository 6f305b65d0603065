//! Gradients: the derivative of a value that a body has computed by a field, a parameter or a
//! variable, as further statements of the body.
//!
//! `trace` follows the body up to the gradient, into the graph of `graph`. `reverse` passes
//! derivatives from the value back to the target (reverse accumulation; Griewank & Walther 2008,
//! Evaluating Derivatives, chapter 3), as the products of `monomial` and the sums of `sum`. `print`
//! turns nodes into expressions, by the variables that have their values already. The result is
//! ordinary code: nothing later knows of gradients.

mod graph;
mod monomial;
mod print;
mod reverse;
mod sum;
#[cfg(test)]
mod tests;
mod trace;

pub use graph::{NodeId, Op};
pub use print::{Held, Lost, Printer};
pub use reverse::{Refusal, gradient};
pub use trace::{LONGEST, TooLong, Trace};
