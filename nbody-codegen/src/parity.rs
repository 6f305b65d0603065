//! What becomes of every value of an interaction when i and j change places.
//!
//! A body is run on a [graph](graph::Graph) of values instead of numbers, helper functions and loops
//! included. A value is even if the exchange of the particles leaves its node and its sign, and
//! odd if it leaves the node and changes the sign. Zeros have no sign here, so that a body in which
//! the sign of a zero counts is refused, and a product may be multiplied in any order.

mod graph;
mod interpret;

use std::collections::HashMap;

use crate::emit_cuda::keeps_index;
use crate::ir::{Body, Expr, Interaction, LocalId, Module, Stmt, StmtKind};

use interpret::Interpreter;

/// How a value takes the exchange of i and j; only zero is both even and odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parity {
    /// It stays the same.
    pub even: bool,
    /// It becomes its opposite.
    pub odd: bool,
}

impl Parity {
    pub const NEITHER: Self = Self { even: false, odd: false };
    const BOTH: Self = Self { even: true, odd: true };

    /// Whether one evaluation serves both directions.
    pub fn is_known(self) -> bool {
        self.even || self.odd
    }

    /// Whether the value changes its sign.
    pub fn changes_sign(self) -> bool {
        self.odd && !self.even
    }

    /// What is true of both.
    fn and(self, other: Self) -> Self {
        Self { even: self.even && other.even, odd: self.odd && other.odd }
    }
}

/// The parities of a body, each for every time that the expression is evaluated or the variable
/// changes.
pub struct Parities {
    /// By the place of the expression in memory: the body outlives its parities.
    exprs: HashMap<*const Expr, Parity>,
    locals: Vec<Parity>,
    /// The partner of a variable: another of the same block, in whose value its own turns, and
    /// whether with the opposite sign.
    partners: HashMap<LocalId, (LocalId, bool)>,
}

impl Parities {
    /// The parities of an interaction both directions of which can be evaluated at once.
    ///
    /// Both particles must be of one type, no result may keep the index of j, and whatever
    /// decides if something is accumulated must be even: the cutoff, and the conditions of `if`.
    pub fn of(module: &Module, interaction: &Interaction) -> Option<Self> {
        if interaction.i != interaction.j || keeps_index(module, interaction) {
            return None;
        }
        if let Some(cutoff) = &interaction.cutoff {
            let mut interpreter = Interpreter::new(module, &cutoff.body);
            interpreter.run(Some(&cutoff.value))?;
            interpreter.parities.expr(&cutoff.value).even.then_some(())?;
        }
        let body = &interaction.pair.body;
        let parities = Self::of_body(module, body)?;
        parities.conditions_are_even(&body.statements).then_some(parities)
    }

    /// `None` where there is too much to run through, or the sign of a zero counts.
    fn of_body(module: &Module, body: &Body) -> Option<Self> {
        let mut interpreter = Interpreter::new(module, body);
        interpreter.run(None)?;
        interpreter.find_partners();
        Some(interpreter.parities)
    }

    fn new(body: &Body) -> Self {
        let locals = vec![Parity::BOTH; body.locals.len()];
        Self { exprs: HashMap::new(), locals, partners: HashMap::new() }
    }

    /// The parity of an expression of the body itself; of a copy of it nothing is known.
    pub fn expr(&self, expr: &Expr) -> Parity {
        self.exprs.get(&std::ptr::from_ref(expr)).copied().unwrap_or(Parity::NEITHER)
    }

    pub fn local(&self, local: LocalId) -> Parity {
        self.locals[local]
    }

    pub fn partner(&self, local: LocalId) -> Option<(LocalId, bool)> {
        self.partners.get(&local).copied()
    }

    fn conditions_are_even(&self, statements: &[Stmt]) -> bool {
        statements.iter().all(|statement| match &statement.kind {
            StmtKind::If { condition, yes, no } => {
                self.expr(condition).even
                    && self.conditions_are_even(yes)
                    && self.conditions_are_even(no)
            }
            StmtKind::For { body, .. } => self.conditions_are_even(body),
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests;
