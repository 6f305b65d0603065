//! Products of powers of nodes. Derivatives are kept in this form until they are printed, so that
//! powers cancel before they are computed, and products that the body has computed are found again.

use std::collections::BTreeMap;

use super::degree::{Quotient, power};
use super::graph::{Graph, NodeId, Op};
use crate::ir::{BinaryOp, Builtin, Type, UnaryOp};

/// A number times powers of nodes that are real numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Monomial {
    pub number: f64,
    pub powers: BTreeMap<NodeId, i32>,
}

/// Most factors of a product that is taken apart.
const LONGEST: usize = 24;
/// Most products that are taken apart at a time: powers of powers have more factors than there is time for.
const MOST: u32 = 256;
/// The greatest power of a product that is taken apart.
const HIGHEST: u32 = 64;

impl Monomial {
    pub fn number(number: f64) -> Self {
        Self { number, powers: BTreeMap::new() }
    }

    pub fn of(graph: &Graph, node: NodeId) -> Self {
        Self::number(1.0).times(graph, node, 1)
    }

    /// Multiplies by a power of a node; numbers and signs go into the number.
    #[must_use]
    pub fn times(mut self, graph: &Graph, node: NodeId, power: i32) -> Self {
        let operand = graph.node(node).operands.first();
        if let Some(x) = graph.literal(node).filter(|x| *x != 0.0 || power > 0) {
            self.number *= x.powi(power);
        } else if let (Op::Unary(UnaryOp::Neg), Some(&x)) = (&graph.node(node).op, operand) {
            self.number *= if power % 2 == 0 { 1.0 } else { -1.0 };
            return self.times(graph, x, power);
        } else {
            let sum = self.powers.entry(node).or_insert(0);
            *sum += power;
            if *sum == 0 {
                self.powers.remove(&node);
            }
        }
        self
    }

    #[must_use]
    pub fn product(mut self, other: &Self, graph: &Graph) -> Self {
        self.number *= other.number;
        other.powers.iter().fold(self, |product, (&node, &power)| product.times(graph, node, power))
    }

    #[must_use]
    pub fn scaled(mut self, by: f64) -> Self {
        self.number *= by;
        self
    }

    /// Returns the factors of a product of real numbers; `is_atom` nodes stay whole.
    pub fn factors(graph: &Graph, node: NodeId, is_atom: &dyn Fn(NodeId) -> bool) -> Self {
        let mut factors = Self::number(1.0);
        factors.multiply(graph, (node, 1), is_atom, &mut { MOST });
        factors
    }

    /// Multiplies by a power of the factors of a node; `rest` products are taken apart, the first one in any
    /// case.
    fn multiply(
        &mut self,
        graph: &Graph,
        (node, power): (NodeId, i32),
        is_atom: &dyn Fn(NodeId) -> bool,
        rest: &mut u32,
    ) {
        let it = graph.node(node);
        let is_first = *rest == MOST;
        let is_open = it.ty == Type::Real
            && !is_atom(node)
            && self.powers.len() < LONGEST
            && power.unsigned_abs() <= HIGHEST
            && *rest > 0;
        *rest = rest.saturating_sub(1);
        match (&it.op, &*it.operands) {
            (Op::Binary(BinaryOp::Mul), &[a, b]) if is_open && a == b => {
                self.multiply(graph, (a, 2 * power), is_atom, rest);
            }
            (Op::Binary(BinaryOp::Mul), &[a, b]) if is_open => {
                self.multiply(graph, (a, power), is_atom, rest);
                self.multiply(graph, (b, power), is_atom, rest);
            }
            (Op::Binary(BinaryOp::Div), &[a, b]) if is_open => {
                self.multiply(graph, (a, power), is_atom, rest);
                self.multiply(graph, (b, -power), is_atom, rest);
            }
            (Op::Powi(n), &[x]) if is_open && (is_first || n.unsigned_abs() <= HIGHEST) => {
                self.multiply(graph, (x, power * n), is_atom, rest);
            }
            (Op::Unary(UnaryOp::Neg), &[x]) if is_open => {
                self.number *= if power % 2 == 0 { 1.0 } else { -1.0 };
                self.multiply(graph, (x, power), is_atom, rest);
            }
            _ => *self = std::mem::replace(self, Self::number(0.0)).times(graph, node, power),
        }
    }

    /// Returns the product of the factors of all factors; `is_atom` nodes stay whole.
    #[must_use]
    pub fn expanded(&self, graph: &Graph, is_atom: &dyn Fn(NodeId) -> bool) -> Self {
        let mut expanded = Self::number(self.number);
        let mut rest = MOST - 1;
        for (&node, &power) in &self.powers {
            expanded.multiply(graph, (node, power), is_atom, &mut rest);
        }
        expanded
    }

    /// Returns the quotient of a product by one of its factors, without a division if the factor
    /// stands only above the line.
    pub fn without(
        graph: &Graph,
        product: NodeId,
        factor: NodeId,
        is_atom: &dyn Fn(NodeId) -> bool,
    ) -> Self {
        if product == factor {
            return Self::number(1.0);
        }
        let all = Self::factors(graph, product, is_atom);
        if all.powers.get(&factor).is_none_or(|power| *power < 0) {
            return Self::of(graph, product).times(graph, factor, -1);
        }
        let has = |node: NodeId| Self::factors(graph, node, is_atom).powers.contains_key(&factor);
        let it = graph.node(product);
        match (&it.op, &*it.operands) {
            (Op::Unary(UnaryOp::Neg), &[x]) => {
                Self::without(graph, x, factor, is_atom).scaled(-1.0)
            }
            (Op::Binary(BinaryOp::Mul), &[a, b]) if has(a) => {
                Self::without(graph, a, factor, is_atom).times(graph, b, 1)
            }
            (Op::Binary(BinaryOp::Mul), &[a, b]) => {
                Self::without(graph, b, factor, is_atom).times(graph, a, 1)
            }
            (Op::Binary(BinaryOp::Div), &[a, b]) if has(a) && !has(b) => {
                Self::without(graph, a, factor, is_atom).times(graph, b, -1)
            }
            (&Op::Powi(n), &[x]) if n > 0 => {
                Self::without(graph, x, factor, is_atom).times(graph, x, n - 1)
            }
            _ => all.times(graph, factor, -1),
        }
    }

    /// Replaces factors by products of them that the body has computed.
    pub fn regrouped(mut self, graph: &Graph, known: &[NodeId]) -> Self {
        for &product in known {
            let it = graph.node(product);
            match (&it.op, &*it.operands) {
                (Op::Binary(BinaryOp::Mul), &[a, b]) => {
                    self.replace(graph, &[(a, 1), (b, 1)], product);
                }
                (Op::Binary(BinaryOp::Div), &[a, b]) => {
                    self.replace(graph, &[(a, 1), (b, -1)], product);
                }
                (Op::Powi(n), &[x]) if *n > 1 => self.replace(graph, &[(x, *n)], product),
                (Op::Math(Builtin::Recip | Builtin::Rsqrt), &[x]) => {
                    self.replace(graph, &[(x, -1)], product);
                }
                (Op::Math(Builtin::Sqrt), &[x]) => self.squares(product, x),
                (Op::Math(Builtin::Norm), operands) => {
                    if let Some(x) = graph.find(Op::Math(Builtin::Norm2), operands, Type::Real) {
                        self.squares(product, x);
                    }
                }
                _ => {}
            }
        }
        self
    }

    /// Replaces pairs of a root by the number below it.
    fn squares(&mut self, root: NodeId, number: NodeId) {
        let power = self.powers.get(&root).copied().unwrap_or(0);
        if power.abs() < 2 {
            return;
        }
        let (pairs, rest) = (power / 2, power % 2);
        if rest == 0 {
            self.powers.remove(&root);
        } else {
            self.powers.insert(root, rest);
        }
        let sum = self.powers.entry(number).or_insert(0);
        *sum += pairs;
        if *sum == 0 {
            self.powers.remove(&number);
        }
    }

    /// Replaces a product of powers by its node wherever all of them are there.
    fn replace(&mut self, graph: &Graph, of: &[(NodeId, i32)], by: NodeId) {
        let mut needed = Self::number(1.0);
        for &(node, power) in of {
            needed = needed.times(graph, node, power);
        }
        // A root of an inverse is half of it.
        let power = if matches!(graph.node(by).op, Op::Math(Builtin::Rsqrt)) { 2 } else { 1 };
        loop {
            let has = |(node, power): (&NodeId, &i32)| {
                let own = self.powers.get(node).copied().unwrap_or(0);
                own.signum() == power.signum() && own.abs() >= power.abs()
            };
            // A quotient of literals stays a literal that people would write.
            let quotient = 8.0 * self.number / needed.number;
            let is_written = quotient.fract() == 0.0 && quotient.abs() <= 8192.0;
            if needed.powers.is_empty() || !is_written || !needed.powers.iter().all(has) {
                return;
            }
            for (&node, &power) in &needed.powers {
                *self = std::mem::replace(self, Self::number(0.0)).times(graph, node, -power);
            }
            *self = std::mem::replace(self, Self::number(0.0)).times(graph, by, power);
            self.number /= needed.number;
        }
    }
}

/// Returns the node of a product; divisions come last.
pub fn node_of(graph: &mut Graph, monomial: &Monomial) -> NodeId {
    if monomial.number == 0.0 {
        return graph.real(0.0);
    }
    let size = monomial.number.abs();
    let number = (size != 1.0).then(|| graph.real(size));
    let Quotient { above, below } = Quotient::of(graph, monomial);
    let mut product = |first: Option<NodeId>, factors: &[(NodeId, i32)]| {
        factors.iter().fold(first, |before, &factor| {
            let factor = power(graph, factor);
            Some(match before {
                Some(before) => graph.binary(BinaryOp::Mul, before, factor, Type::Real),
                None => factor,
            })
        })
    };
    let (above, below) = (product(number, &above), product(None, &below));
    let above = above.unwrap_or_else(|| graph.real(1.0));
    let value = match below {
        Some(below) => graph.binary(BinaryOp::Div, above, below, Type::Real),
        None => above,
    };
    if monomial.number < 0.0 {
        graph.apply(Op::Unary(UnaryOp::Neg), vec![value], Type::Real)
    } else {
        value
    }
}
