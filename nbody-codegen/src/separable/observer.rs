//! Collects the accumulated values while `pair` is evaluated.

use crate::ir::{Accumulate, Body, Expr, FieldId, LocalId};
use crate::values::graph::{Graph, Value};
use crate::values::interpret::Observer;

/// Accumulated values, and the source expression of each node.
#[derive(Default)]
pub struct Found<'a> {
    pub origins: Vec<Option<(&'a Body, &'a Expr)>>,
    pub accumulated: Vec<Accumulated>,
}

/// A value that a field of the result accumulates where a condition holds.
pub struct Accumulated {
    pub condition: Value,
    pub field: FieldId,
    pub how: Accumulate,
    pub value: Value,
}

impl<'a> Observer<'a> for Found<'a> {
    fn evaluated(
        &mut self,
        _: &mut Graph,
        body: &'a Body,
        expr: &'a Expr,
        value: Value,
    ) -> Option<()> {
        let node = value.node();
        if self.origins.len() <= node {
            self.origins.resize(node + 1, None);
        }
        self.origins[node].get_or_insert((body, expr));
        Some(())
    }

    fn given(&mut self, _: &'a Body, _: LocalId, _: LocalId, _: Value) {}

    fn assigned(&mut self, _: &mut Graph, _: &'a Body, _: LocalId, _: Value) {}

    fn accumulated(&mut self, condition: Value, field: FieldId, how: Accumulate, value: Value) {
        self.accumulated.push(Accumulated { condition, field, how, value });
    }
}
