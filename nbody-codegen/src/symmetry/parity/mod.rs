//! Finds the parity of every value of an interaction under the exchange of i and j.
//!
//! A body is evaluated on a [graph](crate::values::graph::Graph) of values instead of numbers. A
//! value is even if the exchange of the particles keeps its node and its sign, and odd if it keeps
//! the node and changes the sign. Zeros have no sign here: a body that depends on the sign of a
//! zero is refused, and a product may be multiplied in any order.

mod observer;
mod parities;

use crate::ir::{Body, Interaction, Module};
use crate::values::interpret::Interpreter;

use observer::{Found, parity};

pub use parities::{Parities, Parity};

impl Parities {
    /// Returns the parities of an interaction, if both directions can be evaluated at once.
    ///
    /// Both particles must be of one type, no result may hold the index of j, and all conditions
    /// of an accumulation must be even: the cutoff, and the conditions of `if`.
    pub fn of(module: &Module, interaction: &Interaction) -> Option<Self> {
        if interaction.i.id != interaction.j.id || module[interaction.f.id].keeps_index() {
            return None;
        }
        if let Some(cutoff) = &interaction.cutoff {
            let mut interpreter = Interpreter::new(module, &cutoff.body, Found::of(&cutoff.body));
            let reach = interpreter.run()?;
            parity(&mut interpreter.graph, reach).even.then_some(())?;
        }
        let body = &interaction.pair.body;
        let parities = Self::of_body(module, body)?;
        parities.conditions_are_even(body).then_some(parities)
    }

    /// Returns the parities of a body; `None` if it is too long or depends on the sign of a zero.
    fn of_body(module: &Module, body: &Body) -> Option<Self> {
        let mut interpreter = Interpreter::new(module, body, Found::of(body));
        interpreter.run()?;
        Some(interpreter.observer.parities(&mut interpreter.graph))
    }
}

#[cfg(test)]
mod tests;
