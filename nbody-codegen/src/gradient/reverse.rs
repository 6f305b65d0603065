//! Passes derivatives from a value back to the nodes that it was computed from.

use std::collections::BTreeMap;

use super::graph::{Graph, NodeId, Op};
use super::monomial::Monomial;
use super::slopes::Slopes;
use super::sum::{Direction, Sum, Term};
use crate::ir::{BinaryOp, Builtin, Type, UnaryOp};

/// The reason why there is no gradient.
pub enum Refusal {
    /// The value does not depend on this one of the targets.
    Independent(usize),
    /// The value depends on this variable or field of earlier iterations.
    Unknown(Op),
}

/// Returns the derivative of a real number by a node.
pub fn gradient(graph: &mut Graph, value: NodeId, target: NodeId) -> Result<NodeId, Refusal> {
    let depends = depending(graph, value, &[target])?;
    graph.limit_degrees(value);
    let known = products(graph);
    let mut sweep = Sweep { graph, depends, target, known, terms: BTreeMap::new() };
    let one = Term { path: Vec::new(), factor: Monomial::number(1.0), direction: None };
    sweep.terms.insert(value, vec![one]);
    while let Some((node, terms)) = sweep.terms.pop_last() {
        let ty = match sweep.graph.ty(node) {
            Type::Point(n) => Type::Vector(n),
            ty => ty,
        };
        let Sweep { graph, known, depends, .. } = &mut sweep;
        let mut sum = Sum { graph, known, depends, ty };
        let term = sum.of(terms, 0);
        if node == target {
            return Ok(sum.value(term, 0));
        }
        sweep.pass(node, &term);
    }
    Ok(graph.real(0.0))
}

/// Returns whether each node depends on a target; the value depends on each.
pub fn depending(graph: &Graph, value: NodeId, targets: &[NodeId]) -> Result<Vec<bool>, Refusal> {
    let last = targets.iter().fold(value, |last, &target| last.max(target));
    let mut depends = vec![false; last + 1];
    for node in 0..=last {
        depends[node] = targets.contains(&node)
            || differentiable(graph, node).iter().any(|&operand| depends[operand]);
    }
    let (mut open, mut seen) = (vec![value], vec![false; last + 1]);
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) || targets.contains(&node) {
            continue;
        }
        if let op @ (Op::Unknown(_) | Op::UnknownField(_)) = &graph.node(node).op {
            return Err(Refusal::Unknown(op.clone()));
        }
        open.extend_from_slice(differentiable(graph, node));
    }
    match targets.iter().position(|&target| !seen[target]) {
        Some(k) => Err(Refusal::Independent(k)),
        None => Ok(depends),
    }
}

/// Returns the products and roots that a body has computed, each behind its operands.
pub fn products(graph: &Graph) -> Vec<NodeId> {
    (0..graph.len()).filter(|&id| is_product(graph, id)).collect()
}

/// Returns the operands that a node has derivatives by.
pub fn differentiable(graph: &Graph, node: NodeId) -> &[NodeId] {
    let it = graph.node(node);
    let operands = &it.operands[..];
    match it.op {
        _ if matches!(it.ty, Type::U32 | Type::Bool) => &[],
        Op::Convert
        | Op::Gather(..)
        | Op::Math(
            Builtin::Floor | Builtin::Ceil | Builtin::Round | Builtin::Trunc | Builtin::Third,
        ) => &[],
        Op::Math(Builtin::Copysign) | Op::At | Op::Entry => &operands[..1],
        Op::Select | Op::Math(Builtin::At | Builtin::Slope | Builtin::Curvature) => &operands[1..],
        _ => operands,
    }
}

fn is_product(graph: &Graph, id: NodeId) -> bool {
    let it = graph.node(id);
    let op = match it.op {
        Op::Binary(op) => matches!(op, BinaryOp::Mul | BinaryOp::Div),
        Op::Powi(_) => true,
        Op::Math(builtin) => {
            matches!(builtin, Builtin::Recip | Builtin::Sqrt | Builtin::Rsqrt | Builtin::Norm)
        }
        _ => false,
    };
    it.ty == Type::Real && op
}

struct Sweep<'a> {
    graph: &'a mut Graph,
    depends: Vec<bool>,
    target: NodeId,
    /// Products and roots that the body has computed, each behind its operands.
    known: Vec<NodeId>,
    terms: BTreeMap<NodeId, Vec<Term>>,
}

impl Sweep<'_> {
    fn depends_on(&self, node: NodeId) -> bool {
        self.depends.get(node) == Some(&true)
    }

    fn add(&mut self, node: NodeId, term: Term) {
        if self.depends_on(node) && term.factor.number != 0.0 {
            self.terms.entry(node).or_default().push(term);
        }
    }

    /// Adds the term of a node to a real operand, times a factor.
    fn real(&mut self, node: NodeId, term: &Term, factor: &Monomial) {
        let factor = term.factor.clone().product(factor, self.graph);
        self.add(node, Term { path: term.path.clone(), factor, direction: None });
    }

    /// Adds the term of a node to a vector, times a factor and with this direction.
    fn vector(&mut self, node: NodeId, term: &Term, factor: &Monomial, direction: Direction) {
        let factor = term.factor.clone().product(factor, self.graph);
        self.add(node, Term { path: term.path.clone(), factor, direction: Some(direction) });
    }

    /// Adds the term of a node, under a further condition.
    fn branch(&mut self, node: NodeId, term: &Term, condition: NodeId, holds: bool) {
        let mut term = term.clone();
        term.path.push((condition, holds));
        self.add(node, term);
    }

    fn node(&self, node: NodeId) -> Monomial {
        Monomial::of(self.graph, node)
    }

    fn math(&mut self, builtin: Builtin, operands: &[NodeId]) -> NodeId {
        self.graph.math(builtin, operands.to_vec())
    }

    /// Passes the derivative by a node on to its operands.
    fn pass(&mut self, node: NodeId, term: &Term) {
        let it = self.graph.node(node).clone();
        let x = &it.operands[..];
        let one = Monomial::number(1.0);
        if it.ty == Type::Real
            && matches!(
                it.op,
                Op::Binary(BinaryOp::Mul | BinaryOp::Div) | Op::Powi(_) | Op::Unary(UnaryOp::Neg)
            )
        {
            return self.slopes(node, term);
        }
        match it.op {
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub)) => {
                self.add(x[0], term.clone());
                let sign = if op == BinaryOp::Sub { -1.0 } else { 1.0 };
                self.add(x[1], Term { factor: term.factor.clone().scaled(sign), ..term.clone() });
            }
            Op::Unary(UnaryOp::Neg) => {
                self.add(x[0], Term { factor: term.factor.clone().scaled(-1.0), ..term.clone() });
            }
            Op::Binary(BinaryOp::Mul | BinaryOp::Div) => self.scaled(node, term),
            Op::Select => {
                self.branch(x[1], term, x[0], true);
                self.branch(x[2], term, x[0], false);
            }
            Op::Components => {
                for (k, &part) in x.iter().enumerate() {
                    match direction(term) {
                        Direction::Unit(l) if l == k => self.real(part, term, &one),
                        Direction::Unit(_) => {}
                        Direction::Node(w) => {
                            let component = self.graph.component(w, k);
                            let factor = self.node(component);
                            self.real(part, term, &factor);
                        }
                    }
                }
            }
            Op::Component(k) => self.vector(x[0], term, &one, Direction::Unit(k)),
            Op::At | Op::Entry => {
                let n = self.graph.ty(x[0]).components();
                // NaN where the index is out of range, as the entry is.
                let zero = (it.op == Op::Entry).then(|| {
                    let zeros = vec![self.graph.real(0.0); n];
                    let zeros = self.graph.apply(Op::Components, zeros, self.graph.ty(x[0]));
                    let zero = self.graph.apply(Op::Entry, vec![zeros, x[1]], Type::Real);
                    self.node(zero)
                });
                for k in 0..n {
                    if let Some(zero) = &zero {
                        self.vector(x[0], term, zero, Direction::Unit(k));
                    }
                    let number = self.graph.integer(k as u32);
                    let is_it = self.graph.binary(BinaryOp::Eq, x[1], number, Type::Bool);
                    let mut term = term.clone();
                    term.path.push((is_it, true));
                    self.vector(x[0], &term, &one, Direction::Unit(k));
                }
            }
            Op::Math(builtin) => self.math_of(builtin, (node, x), term),
            _ => {}
        }
    }

    /// Passes the derivative by a function on to its arguments.
    fn math_of(&mut self, builtin: Builtin, (node, x): (NodeId, &[NodeId]), term: &Term) {
        let one = Monomial::number(1.0);
        match builtin {
            Builtin::Dot if x[0] == x[1] => {
                self.vector(x[0], term, &Monomial::number(2.0), Direction::Node(x[0]));
            }
            Builtin::Dot => {
                self.vector(x[0], term, &one, Direction::Node(x[1]));
                self.vector(x[1], term, &one, Direction::Node(x[0]));
            }
            Builtin::Norm2 => {
                self.vector(x[0], term, &Monomial::number(2.0), Direction::Node(x[0]));
            }
            Builtin::Norm => {
                let inverse = Monomial::number(1.0).times(self.graph, node, -1);
                self.vector(x[0], term, &inverse, Direction::Node(x[0]));
            }
            Builtin::Cross => {
                let w = self.whole(term);
                let (a, b) = ([x[1], w], [w, x[0]]);
                let (a, b) = (self.math(Builtin::Cross, &a), self.math(Builtin::Cross, &b));
                self.vector(x[0], term, &one, Direction::Node(a));
                self.vector(x[1], term, &one, Direction::Node(b));
            }
            _ => self.slopes(node, term),
        }
    }

    /// Passes the derivative by a real number on to the real numbers that it was computed from.
    fn slopes(&mut self, node: NodeId, term: &Term) {
        let it = self.graph.node(node);
        let extreme = match it.op {
            Op::Math(Builtin::Min | Builtin::Max) => self.vanishing(node, &it.operands, term),
            _ => None,
        };
        if let Some(operand) = extreme {
            return self.real(operand, term, &Monomial::number(1.0));
        }
        let Sweep { graph, depends, target, .. } = self;
        for slope in (Slopes { graph, depends, targets: &[*target] }).of(node) {
            let mut term = term.clone();
            term.path.extend(slope.path);
            self.real(slope.operand, &term, &slope.factor);
        }
    }

    /// Returns the operand of a minimum or a maximum that needs no condition: the other is 0, and
    /// the term has the result as a factor, so that it is 0 where the other is taken.
    fn vanishing(&self, node: NodeId, x: &[NodeId], term: &Term) -> Option<NodeId> {
        let is_factor = term.factor.powers.get(&node).is_some_and(|power| *power > 0);
        let is_zero = |operand: NodeId| self.graph.literal(operand) == Some(0.0);
        let operand = [x[0], x[1]].into_iter().zip([x[1], x[0]]);
        let mut operand = operand.filter(|(_, other)| is_factor && is_zero(*other));
        operand.next().map(|(operand, _)| operand)
    }

    /// Passes the derivative by a scaled vector on.
    fn scaled(&mut self, node: NodeId, term: &Term) {
        let it = self.graph.node(node).clone();
        let is_quotient = it.op == Op::Binary(BinaryOp::Div);
        let (mut scalar, mut vector) = (it.operands[0], it.operands[1]);
        if self.graph.ty(scalar) != Type::Real {
            (scalar, vector) = (vector, scalar);
        }
        let power = if is_quotient { -1 } else { 1 };
        let factor = Monomial::number(1.0).times(self.graph, scalar, power);
        let direction = direction(term);
        self.vector(vector, term, &factor, direction);
        if !self.depends_on(scalar) {
            return;
        }
        let of = if is_quotient { node } else { vector };
        let along = match direction {
            Direction::Unit(k) => self.graph.component(of, k),
            Direction::Node(w) if w == of => self.math(Builtin::Norm2, &[of]),
            Direction::Node(w) => self.math(Builtin::Dot, &[w, of]),
        };
        let mut factor = self.node(along);
        if is_quotient {
            factor = factor.times(self.graph, scalar, -1).scaled(-1.0);
        }
        self.real(scalar, term, &factor);
    }

    /// Returns the direction of a term as a node.
    fn whole(&mut self, term: &Term) -> NodeId {
        match direction(term) {
            Direction::Node(node) => node,
            Direction::Unit(k) => self.graph.unit(k, Type::Vector(3)),
        }
    }
}

fn direction(term: &Term) -> Direction {
    term.direction.expect("a vector has a direction")
}
