//! Finds the parity of every value of an interaction under the exchange of i and j.
//!
//! A body is evaluated on a [graph](crate::values::graph::Graph) of values instead of numbers. A
//! value is even if the exchange of the particles keeps its node and its sign, and odd if it keeps
//! the node and changes the sign. Zeros have no sign here: a body that depends on the sign of a
//! zero is refused, and a product may be multiplied in any order.

mod observer;

use std::collections::HashMap;

use crate::ir::{Body, Expr, Interaction, LocalId, Module, StmtKind, statements};
use crate::values::interpret::Interpreter;

use observer::{Found, parity};

/// Parity of a value under the exchange of i and j; only zero is both even and odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parity {
    /// Whether the exchange keeps the value.
    pub even: bool,
    /// Whether the exchange negates the value.
    pub odd: bool,
}

impl Parity {
    pub const NEITHER: Self = Self { even: false, odd: false };
    const BOTH: Self = Self { even: true, odd: true };

    /// Tests whether one evaluation serves both directions.
    pub fn is_known(self) -> bool {
        self.even || self.odd
    }

    /// Tests whether the value changes its sign.
    pub fn changes_sign(self) -> bool {
        self.odd && !self.even
    }

    /// Returns the parity that both have.
    fn and(self, other: Self) -> Self {
        Self { even: self.even && other.even, odd: self.odd && other.odd }
    }
}

/// Parities of a body. Each holds for every evaluation of the expression, or for every change of
/// the variable.
pub struct Parities {
    /// Parities by the place of the expression; `None` for expressions that are never evaluated.
    exprs: Vec<Option<Parity>>,
    locals: HashMap<LocalId, Parity>,
    /// Partner of a variable: another variable of the same block that has the exchanged value, and
    /// whether its sign is opposite.
    partners: HashMap<LocalId, (LocalId, bool)>,
}

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

    fn new(body: &Body) -> Self {
        let locals = body.locals.by_id().map(|(id, _)| (id, Parity::BOTH)).collect();
        Self { exprs: vec![None; body.exprs], locals, partners: HashMap::new() }
    }

    /// Returns the parity of an expression of the body.
    pub fn expr(&self, expr: &Expr) -> Parity {
        self.exprs[expr.id.place()].unwrap_or(Parity::NEITHER)
    }

    pub fn local(&self, local: LocalId) -> Parity {
        self.locals[&local]
    }

    pub fn partner(&self, local: LocalId) -> Option<(LocalId, bool)> {
        self.partners.get(&local).copied()
    }

    fn conditions_are_even(&self, body: &Body) -> bool {
        statements(&body.statements).all(|statement| match &statement.kind {
            StmtKind::If { condition, .. } => self.expr(condition).even,
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests;
