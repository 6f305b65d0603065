//! Parities of the values of a body.

use std::collections::HashMap;

use crate::ir::{Body, Expr, LocalId, StmtKind, statements};

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
    pub(super) const BOTH: Self = Self { even: true, odd: true };

    /// Tests whether one evaluation serves both directions.
    pub fn is_known(self) -> bool {
        self.even || self.odd
    }

    /// Tests whether the value changes its sign.
    pub fn changes_sign(self) -> bool {
        self.odd && !self.even
    }

    /// Returns the parity that both have.
    pub(super) fn and(self, other: Self) -> Self {
        Self { even: self.even && other.even, odd: self.odd && other.odd }
    }
}

/// Parities of a body. Each holds for every evaluation of the expression, or for every change of
/// the variable.
pub struct Parities {
    /// Parities by the place of the expression; `None` for expressions that are never evaluated.
    pub(super) exprs: Vec<Option<Parity>>,
    pub(super) locals: HashMap<LocalId, Parity>,
    /// Partner of a variable: another variable of the same block that has the exchanged value, and
    /// whether its sign is opposite.
    pub(super) partners: HashMap<LocalId, (LocalId, bool)>,
}

impl Parities {
    pub(super) fn new(body: &Body) -> Self {
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

    pub(super) fn conditions_are_even(&self, body: &Body) -> bool {
        statements(&body.statements).all(|statement| match &statement.kind {
            StmtKind::If { condition, .. } => self.expr(condition).even,
            _ => true,
        })
    }
}
