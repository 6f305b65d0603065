//! Finds parities while a body is evaluated.

use std::collections::BTreeMap;

use super::parities::{Parities, Parity};
use crate::ir::{Accumulate, Body, Expr, ExprKind, FieldId, LocalId};
use crate::values::graph::{Graph, Value};
use crate::values::interpret::Observer;

/// Parities of a body so far.
pub(super) struct Found<'a> {
    body: &'a Body,
    parities: Parities,
    /// Values of each `let`.
    given: BTreeMap<LocalId, Given>,
}

/// Values of a `let`.
struct Given {
    /// First variable of its block.
    block: LocalId,
    /// One value for each evaluation.
    values: Vec<Value>,
}

/// Returns the parity of a value.
pub(super) fn parity(graph: &mut Graph, value: Value) -> Parity {
    let exchanged = graph.exchange(value);
    Parity { even: exchanged == value, odd: exchanged == value.negated() }
}

impl<'a> Found<'a> {
    pub fn of(body: &'a Body) -> Self {
        Self { body, parities: Parities::new(body), given: BTreeMap::new() }
    }

    fn is_outer(&self, body: &Body) -> bool {
        std::ptr::eq(self.body, body)
    }

    /// Returns the parities, with the pairs of variables that the exchange maps to each other.
    pub fn parities(&mut self, graph: &mut Graph) -> Parities {
        let mut parities = std::mem::replace(&mut self.parities, Parities::new(self.body));
        for (&local, Given { block, values }) in &self.given {
            let exchanged: Vec<_> = values.iter().map(|value| graph.exchange(*value)).collect();
            let opposite: Vec<_> = exchanged.iter().map(|value| value.negated()).collect();
            // Variables of one block are evaluated equally often, in step.
            let mut others = self.given.iter().filter(|(_, other)| other.block == *block);
            let found = others.find_map(|(&other, Given { values, .. })| {
                let minus = *values == opposite;
                (minus || *values == exchanged).then_some((other, minus))
            });
            if let Some(partner) = found {
                parities.partners.insert(local, partner);
            }
        }
        parities
    }
}

impl<'a> Observer<'a> for Found<'a> {
    /// Ends the evaluation if the result depends on the sign of a zero.
    fn evaluated(
        &mut self,
        graph: &mut Graph,
        body: &'a Body,
        expr: &'a Expr,
        value: Value,
    ) -> Option<()> {
        if matches!(expr.kind, ExprKind::Math(builtin, _) if builtin.sees_sign_of_zero()) {
            return None;
        }
        if self.is_outer(body) {
            let parity = parity(graph, value);
            let known = &mut self.parities.exprs[expr.id.place()];
            *known = Some(known.map_or(parity, |known| known.and(parity)));
        }
        Some(())
    }

    fn given(&mut self, body: &'a Body, local: LocalId, block: LocalId, value: Value) {
        if self.is_outer(body) && !body.locals[local].mutable {
            let given = self.given.entry(local);
            given.or_insert(Given { block, values: Vec::new() }).values.push(value);
        }
    }

    fn assigned(&mut self, graph: &mut Graph, body: &'a Body, local: LocalId, value: Value) {
        if self.is_outer(body) {
            let parity = parity(graph, value);
            let known = self.parities.locals.entry(local);
            known.and_modify(|known| *known = known.and(parity));
        }
    }

    fn accumulated(&mut self, _: Value, _: FieldId, _: Accumulate, _: Value) {}
}
