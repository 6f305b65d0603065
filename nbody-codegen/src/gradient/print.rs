//! Turns nodes into expressions. A node that a variable holds is this variable; other nodes that
//! stand several times are computed once.

use std::collections::{BTreeMap, HashMap};

use proc_macro2::Span;

use super::graph::{Graph, NodeId, Op};
use crate::ir::{Expr, ExprKind, FieldId, Index, Input, LocalId, Type};

/// The greatest depth of an expression.
const DEEPEST: usize = 32;

/// The variables that hold nodes, and the fields that have changed.
pub struct Held {
    pub locals: HashMap<NodeId, LocalId>,
    pub changed: BTreeMap<FieldId, NodeId>,
}

/// Prints nodes of a graph.
pub struct Printer<'a> {
    pub graph: &'a Graph,
    pub held: Held,
    pub span: Span,
    /// The numbers of the places where a node stands.
    places: HashMap<NodeId, usize>,
}

/// A node that has no expression any more.
pub struct Lost(pub NodeId);

impl<'a> Printer<'a> {
    pub fn new(graph: &'a Graph, held: Held, span: Span, root: NodeId) -> Self {
        let mut printer = Self { graph, held, span, places: HashMap::new() };
        printer.count(root);
        printer
    }

    fn count(&mut self, node: NodeId) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let places = self.places.entry(node).or_insert(0);
            *places += 1;
            if *places == 1 && !self.held.locals.contains_key(&node) {
                open.extend_from_slice(&self.graph.node(node).operands);
            }
        }
    }

    /// Returns nodes that stand several times and are worth a variable, each behind the nodes that
    /// it needs.
    pub fn shared(&self) -> Vec<NodeId> {
        let is_shared = |(&node, &places): (&NodeId, &usize)| {
            places > 1
                && !self.held.locals.contains_key(&node)
                && !self.graph.node(node).operands.is_empty()
                && !matches!(
                    self.graph.ty(node),
                    Type::Tensor(_) | Type::Array(_) | Type::Table(..) | Type::Point(_)
                )
        };
        let mut nodes: Vec<_> = self.places.iter().collect();
        nodes.sort_unstable();
        let mut depths: HashMap<NodeId, usize> = HashMap::new();
        let mut shared = Vec::new();
        for it in nodes {
            let operands = self.graph.node(*it.0).operands.iter();
            let depth = 1 + operands.filter_map(|part| depths.get(part)).max().unwrap_or(&0);
            let is_held = self.held.locals.contains_key(it.0);
            let is_value = !self.graph.ty(*it.0).is_of_splines();
            if !is_held && is_value && (is_shared(it) || depth > DEEPEST) {
                shared.push(*it.0);
            }
            let ends = is_held || shared.last() == Some(it.0);
            depths.insert(*it.0, if ends { 0 } else { depth });
        }
        shared
    }

    /// Returns the expression of a node.
    pub fn expr(&self, id: NodeId) -> Result<Expr, Lost> {
        let node = self.graph.node(id);
        let expr = |kind| Expr::new(kind, node.ty, self.span);
        if let Some(&local) = self.held.locals.get(&id) {
            return Ok(expr(ExprKind::Local(local)));
        }
        let parts = |from: usize| {
            node.operands[from..].iter().map(|&part| self.expr(part)).collect::<Result<Vec<_>, _>>()
        };
        let part = |k: usize| Ok(Box::new(self.expr(node.operands[k])?));
        Ok(expr(match &node.op {
            Op::Real(text) => ExprKind::Real(text.clone()),
            Op::U32(n) => ExprKind::U32(*n),
            Op::Bool(value) => ExprKind::Bool(*value),
            Op::Constant(id) => ExprKind::Constant(*id),
            Op::Input(Input::P, field) if self.held.changed.contains_key(field) => {
                return Err(Lost(id));
            }
            Op::Input(input, field) => ExprKind::Input(*input, *field),
            Op::Local(local) => ExprKind::Local(*local),
            Op::Unknown(_) | Op::UnknownField(_) => return Err(Lost(id)),
            Op::Unary(op) => ExprKind::Unary(*op, part(0)?),
            Op::Binary(op) => ExprKind::Binary(*op, part(0)?, part(1)?),
            Op::Math(builtin) => ExprKind::Math(*builtin, parts(0)?),
            Op::Powi(n) => ExprKind::Powi(part(0)?, *n),
            Op::Component(k) => ExprKind::Component(part(0)?, Index::Fixed(*k)),
            Op::At => ExprKind::Component(part(0)?, Index::Loop(part(1)?)),
            Op::Entry => ExprKind::Entry(part(0)?, parts(1)?),
            Op::Gather(place, field) => ExprKind::Gather(part(0)?, *place, *field),
            Op::Components => ExprKind::Components(parts(0)?),
            Op::Select => {
                let parts: [Expr; 3] =
                    parts(0)?.try_into().unwrap_or_else(|_| unreachable!("three operands"));
                ExprKind::Select(Box::new(parts))
            }
            Op::Convert => ExprKind::Convert(part(0)?),
        }))
    }
}
