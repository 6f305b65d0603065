//! Follows rates of change from velocities of given nodes to a value that was computed from them.

use std::collections::BTreeMap;

use super::graph::{Graph, NodeId, Op};
use super::monomial::Monomial;
use super::reverse::{Refusal, depending, differentiable, products};
use super::slopes::Slopes;
use super::sum::{Direction, Sum, Term};
use crate::ir::{BinaryOp, Builtin, Type};

/// A node, and the node of its velocity.
pub type Along = (NodeId, NodeId);

/// Returns the rate of change of a value as each of these nodes changes with its velocity.
pub fn rate(graph: &mut Graph, value: NodeId, along: &[Along]) -> Result<NodeId, Refusal> {
    let targets: Vec<_> = along.iter().map(|(target, _)| *target).collect();
    let depends = depending(graph, value, &targets)?;
    graph.limit_degrees(value);
    let known = products(graph);
    let order = order(graph, value, &depends, &targets);
    let mut sweep = Sweep { graph, depends: &depends, targets: &targets, rates: BTreeMap::new() };
    for &(target, velocity) in along {
        let term = sweep.whole(velocity);
        sweep.rates.insert(target, term);
    }
    for node in order {
        let terms = sweep.terms(node);
        let ty = displacement(sweep.graph.ty(node));
        let mut sum = Sum { graph: sweep.graph, known: &known, depends: &depends, ty };
        let Some(term) = (!terms.is_empty()).then(|| sum.of(terms, 0)) else { continue };
        // Each branch has its own rate from here on.
        let term = if term.path.is_empty() {
            term
        } else {
            let chosen = sum.value(term, 0);
            whole(sum.graph, chosen)
        };
        if term.factor.number != 0.0 {
            sweep.rates.insert(node, term);
        }
    }
    let ty = displacement(sweep.graph.ty(value));
    let term = sweep.rates.remove(&value);
    let mut sum = Sum { graph: sweep.graph, known: &known, depends: &depends, ty };
    Ok(match term {
        Some(term) => sum.value(term, 0),
        None => sum.zero(),
    })
}

/// Returns the type of the change of a value.
pub fn displacement(ty: Type) -> Type {
    match ty {
        Type::Point(n) => Type::Vector(n),
        ty => ty,
    }
}

/// Returns the nodes between the targets and the value, each behind its operands.
fn order(graph: &Graph, value: NodeId, depends: &[bool], targets: &[NodeId]) -> Vec<NodeId> {
    let mut needed = vec![false; value + 1];
    needed[value] = true;
    for node in (0..=value).rev() {
        if needed[node] && depends[node] && !targets.contains(&node) {
            for &operand in differentiable(graph, node) {
                needed[operand] = true;
            }
        }
    }
    (0..=value).filter(|&it| needed[it] && depends[it] && !targets.contains(&it)).collect()
}

/// Returns a node as a term.
fn whole(graph: &Graph, node: NodeId) -> Term {
    let (factor, direction) = match graph.ty(node) {
        Type::Real => (Monomial::of(graph, node), None),
        _ => (Monomial::number(1.0), Some(Direction::Node(node))),
    };
    Term { path: Vec::new(), factor, direction }
}

struct Sweep<'a> {
    graph: &'a mut Graph,
    depends: &'a [bool],
    targets: &'a [NodeId],
    /// Rates that are not zero.
    rates: BTreeMap<NodeId, Term>,
}

impl Sweep<'_> {
    fn whole(&self, node: NodeId) -> Term {
        whole(self.graph, node)
    }

    /// Returns the rate of an operand times a factor.
    fn scaled(&self, operand: NodeId, factor: &Monomial) -> Option<Term> {
        let rate = self.rates.get(&operand)?;
        let factor = rate.factor.clone().product(factor, self.graph);
        Some(Term { factor, ..rate.clone() })
    }

    /// Returns the rate of an operand, a vector or an array, as a factor and a node.
    fn directed(&mut self, operand: NodeId) -> Option<(Monomial, NodeId)> {
        let Term { factor, direction, .. } = self.rates.get(&operand)?.clone();
        let node = match direction.expect("a vector has a direction") {
            Direction::Node(node) => node,
            Direction::Unit(k) => {
                let ty = displacement(self.graph.ty(operand));
                self.graph.unit(k, ty)
            }
        };
        Some((factor, node))
    }

    fn math(&mut self, builtin: Builtin, operands: [NodeId; 2]) -> NodeId {
        self.graph.math(builtin, operands.to_vec())
    }

    /// Returns the scalar product, in the order in which the body has computed it.
    fn dot(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let found = self.graph.find(Op::Math(Builtin::Dot), &[b, a], Type::Real);
        found.unwrap_or_else(|| self.math(Builtin::Dot, [a, b]))
    }

    /// Returns the terms of the rate of a node.
    fn terms(&mut self, node: NodeId) -> Vec<Term> {
        let it = self.graph.node(node).clone();
        let (x, one) = (&it.operands[..], Monomial::number(1.0));
        let terms: Vec<Option<Term>> = match it.op {
            Op::Binary(BinaryOp::Add) => x.iter().map(|&x| self.scaled(x, &one)).collect(),
            Op::Binary(BinaryOp::Sub) => {
                vec![self.scaled(x[0], &one), self.scaled(x[1], &Monomial::number(-1.0))]
            }
            Op::Unary(_) => vec![self.scaled(x[0], &Monomial::number(-1.0))],
            Op::Binary(_) if it.ty != Type::Real => self.multiple(node),
            Op::Select => vec![self.branch(x[1], (x[0], true)), self.branch(x[2], (x[0], false))],
            Op::Components => {
                let parts = x.iter().enumerate();
                parts.map(|(k, &part)| self.along(part, &one, Direction::Unit(k))).collect()
            }
            Op::Component(_) | Op::At | Op::Entry => vec![self.part(node)],
            Op::Math(Builtin::Dot | Builtin::Norm2 | Builtin::Norm | Builtin::Cross) => {
                self.of_vectors(node)
            }
            _ => self.slopes(node),
        };
        terms.into_iter().flatten().filter(|term| term.factor.number != 0.0).collect()
    }

    /// Returns the rate of an operand under a condition.
    fn branch(&self, operand: NodeId, condition: (NodeId, bool)) -> Option<Term> {
        let rate = self.rates.get(&operand)?;
        Some(Term { path: vec![condition], ..rate.clone() })
    }

    /// Returns the rate of a real operand, times a factor and in this direction.
    fn along(&self, operand: NodeId, factor: &Monomial, direction: Direction) -> Option<Term> {
        let term = self.scaled(operand, factor)?;
        Some(Term { direction: Some(direction), ..term })
    }

    /// Returns the rate of a component or an entry.
    fn part(&mut self, node: NodeId) -> Option<Term> {
        let it = self.graph.node(node).clone();
        let (factor, rates) = self.directed(it.operands[0])?;
        let operands = [&[rates], &it.operands[1..]].concat();
        let part = self.graph.apply(it.op, operands, Type::Real);
        Some(Term { path: Vec::new(), factor: factor.times(self.graph, part, 1), direction: None })
    }

    /// Returns the terms of a vector times a number, or divided by one.
    fn multiple(&mut self, node: NodeId) -> Vec<Option<Term>> {
        let it = self.graph.node(node).clone();
        let is_quotient = it.op == Op::Binary(BinaryOp::Div);
        let (mut scalar, mut vector) = (it.operands[0], it.operands[1]);
        if self.graph.ty(scalar) != Type::Real {
            (scalar, vector) = (vector, scalar);
        }
        let power = if is_quotient { -1 } else { 1 };
        let factor = Monomial::number(1.0).times(self.graph, scalar, power);
        let of_scalar = if is_quotient {
            self.along(scalar, &factor.clone().scaled(-1.0), Direction::Node(node))
        } else {
            self.along(scalar, &Monomial::number(1.0), Direction::Node(vector))
        };
        vec![self.scaled(vector, &factor), of_scalar]
    }

    /// Returns the terms of a function of vectors.
    fn of_vectors(&mut self, node: NodeId) -> Vec<Option<Term>> {
        let it = self.graph.node(node).clone();
        let Op::Math(builtin) = it.op else { unreachable!("called for functions") };
        let x = it.operands;
        let is_square = builtin != Builtin::Cross && x.iter().all(|it| *it == x[0]);
        let mut terms = Vec::new();
        for (k, &operand) in x.iter().enumerate().take(if is_square { 1 } else { 2 }) {
            let Some((factor, rate)) = self.directed(operand) else { continue };
            let other = x[x.len() - 1 - k];
            let (path, sign) = (Vec::new(), if is_square { 2.0 } else { 1.0 });
            terms.push(Some(match builtin {
                Builtin::Cross => {
                    let pair = if k == 0 { [rate, other] } else { [other, rate] };
                    let cross = self.math(Builtin::Cross, pair);
                    Term { path, factor, direction: Some(Direction::Node(cross)) }
                }
                Builtin::Norm => {
                    let dot = self.dot(rate, other);
                    let factor = factor.times(self.graph, dot, 1).times(self.graph, node, -1);
                    Term { path, factor, direction: None }
                }
                _ => {
                    let dot = self.dot(rate, other);
                    let factor = factor.times(self.graph, dot, 1).scaled(sign);
                    Term { path, factor, direction: None }
                }
            }));
        }
        terms
    }

    /// Returns the terms of a function of numbers.
    fn slopes(&mut self, node: NodeId) -> Vec<Option<Term>> {
        let Self { graph, depends, targets, .. } = self;
        let slopes = (Slopes { graph, depends, targets }).of(node);
        let terms = slopes.into_iter().map(|slope| {
            let term = self.scaled(slope.operand, &slope.factor)?;
            Some(Term { path: slope.path, ..term })
        });
        terms.collect()
    }
}
