//! Sums of terms: what a node has in a derivative. Terms of different branches are selected between.

use std::collections::HashSet;

use super::graph::{Graph, NodeId, Op};
use super::monomial::{Monomial, node_of};
use crate::ir::{BinaryOp, Builtin, Type, UnaryOp};

/// A term of the derivative by a node.
#[derive(Clone, Debug)]
pub struct Term {
    /// The conditions under which it counts, the outermost first, and whether each holds. Elsewhere
    /// the factor may be anything, infinite too.
    pub path: Vec<(NodeId, bool)>,
    pub factor: Monomial,
    /// The direction, of a node that is no real number.
    pub direction: Option<Direction>,
}

/// A vector that a factor multiplies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    Node(NodeId),
    /// The unit vector of this component.
    Unit(usize),
}

/// The cost of a number of a degree that the value has not: any in-range form is cheaper.
const OUT_OF_RANGE: u32 = 1000;

/// Adds up terms, with node types `ty`.
pub struct Sum<'a> {
    pub graph: &'a mut Graph,
    /// Products that the body has computed.
    pub known: &'a [NodeId],
    /// Whether a node depends on the target; others stay whole.
    pub depends: &'a [bool],
    pub ty: Type,
}

impl Sum<'_> {
    /// Returns the sum of terms, which share the first `depth` conditions, as one term.
    pub fn of(&mut self, terms: Vec<Term>, depth: usize) -> Term {
        if let Type::Array(_) | Type::Tensor(_) = self.ty {
            return self.array(&terms, self.ty.components());
        }
        let first = terms[0].path.get(depth).copied();
        if first.is_some() && terms.iter().all(|term| term.path.get(depth).copied() == first) {
            return self.of(terms, depth + 1);
        }
        let path = terms[0].path[..depth].to_vec();
        let (mut direct, mut conditions, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        for term in terms {
            match term.path.get(depth) {
                None => direct.push((term.factor, term.direction)),
                Some(&(condition, _)) => {
                    if !conditions.contains(&condition) {
                        conditions.push(condition);
                    }
                    inside.push(term);
                }
            }
        }
        for condition in conditions {
            let mut branch = |holds| {
                let own = |term: &&Term| term.path[depth] == (condition, holds);
                let own: Vec<_> = inside.iter().filter(own).cloned().collect();
                if own.is_empty() {
                    return self.zero();
                }
                let sum = self.of(own, depth + 1);
                self.value(sum, depth + 1)
            };
            let (yes, no) = (branch(true), branch(false));
            let chosen = self.graph.select(condition, yes, no);
            direct.push(self.whole(chosen));
        }
        let (factor, direction) = self.plain(direct);
        Term { path, factor, direction }
    }

    /// Returns the sum of terms of an array: whole arrays are neither added nor scaled.
    fn array(&mut self, terms: &[Term], n: usize) -> Term {
        let ty = std::mem::replace(&mut self.ty, Type::Real);
        let components = (0..n).map(|k| {
            let terms = terms.iter().filter_map(|term| self.component(term, k)).collect::<Vec<_>>();
            if terms.is_empty() {
                return self.zero();
            }
            let sum = self.of(terms, 0);
            self.value(sum, 0)
        });
        let components = components.collect();
        self.ty = ty;
        let node = self.graph.apply(Op::Components, components, ty);
        let (factor, direction) = self.whole(node);
        Term { path: Vec::new(), factor, direction }
    }

    /// Returns a component of a term, unless it is zero.
    fn component(&mut self, term: &Term, k: usize) -> Option<Term> {
        let (path, mut factor) = (term.path.clone(), term.factor.clone());
        match term.direction.expect("an array has a direction") {
            Direction::Unit(l) if l == k => {}
            Direction::Unit(_) => return None,
            Direction::Node(node) => {
                let component = self.graph.component(node, k);
                factor = factor.product(&Monomial::of(self.graph, component), self.graph);
            }
        }
        (factor.number != 0.0).then_some(Term { path, factor, direction: None })
    }

    /// Returns the node of a term where the first `depth` conditions hold.
    pub fn value(&mut self, term: Term, depth: usize) -> NodeId {
        let factor = term.factor.regrouped(self.graph, self.known);
        let mut value = self.node((&factor, term.direction));
        for &(condition, holds) in term.path[depth..].iter().rev() {
            let zero = self.zero();
            let (yes, no) = if holds { (value, zero) } else { (zero, value) };
            value = self.graph.select(condition, yes, no);
        }
        value
    }

    pub fn zero(&mut self) -> NodeId {
        let zero = self.graph.real(0.0);
        if self.ty == Type::Real {
            return zero;
        }
        self.graph.apply(Op::Components, vec![zero; self.ty.components()], self.ty)
    }

    /// Returns a node as a term.
    fn whole(&self, node: NodeId) -> (Monomial, Option<Direction>) {
        match self.ty {
            Type::Real => (Monomial::of(self.graph, node), None),
            _ => (Monomial::number(1.0), Some(Direction::Node(node))),
        }
    }

    /// Returns the sum of terms without conditions.
    fn plain(
        &mut self,
        terms: Vec<(Monomial, Option<Direction>)>,
    ) -> (Monomial, Option<Direction>) {
        if self.ty == Type::Real {
            let factors = terms.into_iter().map(|(factor, _)| factor).collect();
            return (self.real(factors), None);
        }
        let whole = self.vector(&terms, Self::real);
        let expanded = self.vector(&terms, Self::real_expanded);
        let [of_whole, of_expanded] = [&whole, &expanded].map(|sum| self.cost(sum));
        if of_whole <= of_expanded { whole } else { expanded }
    }

    /// Returns the sum of vectors, whose factors `add` adds up.
    fn vector(
        &mut self,
        terms: &[(Monomial, Option<Direction>)],
        add: fn(&mut Self, Vec<Monomial>) -> Monomial,
    ) -> (Monomial, Option<Direction>) {
        let mut directions: Vec<(Direction, Vec<Monomial>)> = Vec::new();
        for (factor, direction) in terms {
            let direction = direction.expect("a vector has a direction");
            match directions.iter_mut().find(|(known, _)| *known == direction) {
                Some((_, factors)) => factors.push(factor.clone()),
                None => directions.push((direction, vec![factor.clone()])),
            }
        }
        let mut parts: Vec<(Monomial, Direction)> = Vec::new();
        let mut components = vec![None; self.ty.components()];
        for (direction, factors) in directions {
            let factor = add(self, factors);
            if factor.number == 0.0 {
                continue;
            }
            match direction {
                Direction::Unit(k) => components[k] = Some(node_of(self.graph, &factor)),
                Direction::Node(_) => parts.push((factor, direction)),
            }
        }
        if components.iter().any(Option::is_some) {
            let zero = self.graph.real(0.0);
            let components = components.into_iter().map(|part| part.unwrap_or(zero)).collect();
            let node = self.graph.apply(Op::Components, components, self.ty);
            parts.push((Monomial::number(1.0), Direction::Node(node)));
        }
        if parts.is_empty() {
            let zero = self.zero();
            return (Monomial::number(0.0), Some(Direction::Node(zero)));
        }
        if let [(factor, direction)] = &parts[..] {
            return (factor.clone(), Some(*direction));
        }
        let common = common(&parts.iter().map(|(factor, _)| factor).collect::<Vec<_>>());
        let rests = parts.iter().map(|(factor, direction)| {
            let rest = divided(self.graph, factor, &common).regrouped(self.graph, self.known);
            let node = self.node((&rest, Some(*direction)));
            self.signed(node)
        });
        let rests = rests.collect();
        let sum = self.added(rests);
        (common, Some(Direction::Node(sum)))
    }

    /// Returns the sum of products: their common factors times a node. Terms that share most are
    /// added first.
    ///
    /// The products that the body has computed stay whole, or are taken apart, where this takes fewer
    /// operations.
    fn real(&mut self, terms: Vec<Monomial>) -> Monomial {
        let whole = self.sum_of(terms.clone());
        let expanded = self.real_expanded(terms);
        let [of_whole, of_expanded] =
            [&whole, &expanded].map(|sum| self.cost(&(sum.clone(), None)));
        if of_whole <= of_expanded { whole } else { expanded }
    }

    /// Returns the sum of products that are taken apart.
    fn real_expanded(&mut self, terms: Vec<Monomial>) -> Monomial {
        let expanded = terms
            .into_iter()
            .map(|term| term.expanded(self.graph, &|node| self.depends.get(node) != Some(&true)));
        let expanded = expanded.collect();
        self.sum_of(expanded)
    }

    /// Returns the cost of a sum besides the body.
    fn cost(&mut self, (factor, direction): &(Monomial, Option<Direction>)) -> u32 {
        let factor = factor.clone().regrouped(self.graph, self.known);
        let node = self.node((&factor, *direction));
        let (mut open, mut seen, mut cost) = (vec![node], HashSet::new(), 0);
        while let Some(node) = open.pop() {
            if node >= self.depends.len() && seen.insert(node) {
                let is_large = self.graph.degree(node).abs() > self.graph.most;
                cost += self.graph.cost(node) + if is_large { OUT_OF_RANGE } else { 0 };
                open.extend_from_slice(&self.graph.node(node).operands);
            }
        }
        cost
    }

    fn sum_of(&mut self, terms: Vec<Monomial>) -> Monomial {
        let mut distinct: Vec<Monomial> = Vec::new();
        for term in terms {
            match distinct.iter_mut().find(|known| known.powers == term.powers) {
                Some(known) => known.number += term.number,
                None => distinct.push(term),
            }
        }
        distinct.retain(|term| term.number != 0.0);
        if distinct.is_empty() {
            return Monomial::number(0.0);
        }
        self.share_divisions(&mut distinct);
        while distinct.len() > 1 {
            let chosen = closest(&distinct);
            let (mut together, mut others) = (Vec::new(), Vec::new());
            for (k, term) in distinct.into_iter().enumerate() {
                if chosen.contains(&k) { together.push(term) } else { others.push(term) }
            }
            others.push(self.together(&together));
            distinct = others;
        }
        distinct.swap_remove(0)
    }

    /// Turns quotients by a root into quotients by its radicand where another term has one, so that
    /// both share a division: 1/√u is √u/u.
    fn share_divisions(&self, terms: &mut [Monomial]) {
        for k in 0..terms.len() {
            for (root, power) in terms[k].powers.clone() {
                let it = self.graph.node(root);
                let (true, &[radicand]) = (it.op == Op::Math(Builtin::Sqrt), &it.operands[..])
                else {
                    continue;
                };
                let divides =
                    |term: &Monomial| term.powers.get(&radicand).is_some_and(|power| *power < 0);
                let mut others = terms.iter().enumerate().filter(|(l, _)| *l != k);
                if power < 0 && others.any(|(_, term)| divides(term)) {
                    let term = terms[k].clone().times(self.graph, root, -(power % 2) - power);
                    terms[k] = term.times(self.graph, radicand, power.div_euclid(2));
                }
            }
        }
    }

    /// Returns the sum of several products.
    fn together(&mut self, terms: &[Monomial]) -> Monomial {
        let common = common(&terms.iter().collect::<Vec<_>>());
        let rests = terms.iter().map(|term| {
            let rest = divided(self.graph, term, &common).regrouped(self.graph, self.known);
            (node_of(self.graph, &rest.clone().scaled(rest.number.signum())), rest.number < 0.0)
        });
        let rests = rests.collect();
        let sum = self.added(rests);
        common.times(self.graph, sum, 1)
    }

    /// Returns a node without its sign, and whether it had one.
    fn signed(&self, node: NodeId) -> (NodeId, bool) {
        let it = self.graph.node(node);
        let is_negative = it.op == Op::Unary(UnaryOp::Neg);
        if is_negative { (it.operands[0], true) } else { (node, false) }
    }

    /// Adds up nodes with signs, a positive one first if there is one.
    fn added(&mut self, mut terms: Vec<(NodeId, bool)>) -> NodeId {
        terms.sort_by_key(|&(_, is_negative)| is_negative);
        let ty = self.graph.ty(terms[0].0);
        let mut terms = terms.into_iter();
        let (first, is_negative) = terms.next().expect("there are several terms");
        let first = if is_negative {
            self.graph.apply(Op::Unary(UnaryOp::Neg), vec![first], ty)
        } else {
            first
        };
        terms.fold(first, |sum, (term, is_negative)| {
            let op = if is_negative { BinaryOp::Sub } else { BinaryOp::Add };
            self.graph.binary(op, sum, term, ty)
        })
    }

    fn node(&mut self, (factor, direction): (&Monomial, Option<Direction>)) -> NodeId {
        let Some(direction) = direction else { return node_of(self.graph, factor) };
        let vector = match direction {
            Direction::Node(node) => node,
            Direction::Unit(k) => self.graph.unit(k, self.ty),
        };
        let ty = self.graph.ty(vector);
        if factor.powers.is_empty() && factor.number == 1.0 {
            return vector;
        }
        if factor.powers.is_empty() && factor.number == -1.0 {
            return self.graph.apply(Op::Unary(UnaryOp::Neg), vec![vector], ty);
        }
        let size = node_of(self.graph, &factor.clone().scaled(factor.number.signum()));
        let product = self.graph.binary(BinaryOp::Mul, size, vector, ty);
        if factor.number < 0.0 {
            return self.graph.apply(Op::Unary(UnaryOp::Neg), vec![product], ty);
        }
        product
    }
}

/// Returns the terms to add first: two that share more factors than all do, or all.
fn closest(terms: &[Monomial]) -> Vec<usize> {
    /// More terms are added without a search.
    const MOST: usize = 8;
    let size = |terms: &[&Monomial]| -> u32 {
        common(terms).powers.values().map(|power| power.unsigned_abs()).sum()
    };
    let all: Vec<_> = terms.iter().collect();
    let mut best = (size(&all), (0..terms.len()).collect());
    if terms.len() > MOST {
        return best.1;
    }
    for k in 0..terms.len() {
        for l in k + 1..terms.len() {
            let shared = size(&[&terms[k], &terms[l]]);
            if shared > best.0 {
                best = (shared, vec![k, l]);
            }
        }
    }
    best.1
}

/// Returns the common factors of products, with the number of the least size.
fn common(terms: &[&Monomial]) -> Monomial {
    let mut rest = terms.iter();
    let mut common = (*rest.next().expect("there are several terms")).clone();
    for term in rest {
        if term.number.abs() < common.number.abs() {
            common.number = term.number;
        }
        common.powers.retain(|node, power| {
            let other = term.powers.get(node).copied().unwrap_or(0);
            let agree = other.signum() == power.signum();
            *power = if agree { power.signum() * power.abs().min(other.abs()) } else { 0 };
            *power != 0
        });
    }
    if terms.iter().any(|term| term.number > 0.0) {
        common.number = common.number.abs();
    } else {
        common.number = -common.number.abs();
    }
    common
}

fn divided(graph: &Graph, term: &Monomial, by: &Monomial) -> Monomial {
    let mut rest = term.clone();
    for (&node, &power) in &by.powers {
        rest = rest.times(graph, node, -power);
    }
    rest.number /= by.number;
    rest
}
