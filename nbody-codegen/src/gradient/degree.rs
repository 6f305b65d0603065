//! Degrees: the power with which a node grows when all inputs grow by one factor, as in other units.
//!
//! A derivative is not to leave the range of `f32` where the value does not. So its products have no
//! degrees that the value's have not, but for the division by the variable: larger ones are divided
//! before they are multiplied on.

use super::graph::{Graph, NodeId, Op};
use super::monomial::Monomial;
use crate::ir::{BinaryOp, Builtin, Type};

/// Degrees by which a derivative may exceed its value: of a force over the square of a distance.
const MORE: f64 = 2.0;

/// Returns the degree of an operation on operands of these degrees.
pub fn degree(op: &Op, of: &[f64], exponent: Option<f64>) -> f64 {
    let most = || of.iter().copied().fold(0.0, larger);
    match op {
        Op::Input(..) | Op::Gather(..) | Op::Local(_) | Op::Unknown(_) | Op::UnknownField(_) => 1.0,
        Op::Unary(_) | Op::Component(_) | Op::At | Op::Entry => of[0],
        Op::Binary(BinaryOp::Mul) => of[0] + of[1],
        Op::Binary(BinaryOp::Div) => of[0] - of[1],
        Op::Binary(BinaryOp::Add | BinaryOp::Sub) | Op::Components => most(),
        Op::Select => larger(of[1], of[2]),
        Op::Powi(n) => f64::from(*n) * of[0],
        Op::Math(builtin) => of_function(*builtin, of, exponent, most()),
        _ => 0.0,
    }
}

fn of_function(builtin: Builtin, of: &[f64], exponent: Option<f64>, most: f64) -> f64 {
    match builtin {
        Builtin::Sqrt => 0.5 * of[0],
        Builtin::Rsqrt => -0.5 * of[0],
        Builtin::Recip => -of[0],
        Builtin::Cbrt => of[0] / 3.0,
        Builtin::Norm2 => 2.0 * of[0],
        Builtin::Norm | Builtin::Abs | Builtin::Copysign | Builtin::Clamp => of[0],
        Builtin::Dot | Builtin::Cross => of[0] + of[1],
        Builtin::MulAdd => larger(of[0] + of[1], of[2]),
        Builtin::Powf => exponent.unwrap_or(0.0) * of[0],
        Builtin::Min | Builtin::Max => most,
        Builtin::At | Builtin::Slope | Builtin::Curvature | Builtin::Third => 1.0,
        _ => 0.0,
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if b.abs() > a.abs() { b } else { a }
}

impl Graph {
    /// Sets the greatest degree of products to the degrees that this value has computed.
    pub fn limit_degrees(&mut self, value: NodeId) {
        let (mut open, mut seen) = (vec![value], vec![false; self.len()]);
        let mut most = 0.0_f64;
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                most = most.max(self.degree(node).abs());
                open.extend_from_slice(&self.node(node).operands);
            }
        }
        self.most = most + MORE;
    }
}

/// The factors of a quotient, above and below the line.
pub struct Quotient {
    pub above: Vec<(NodeId, i32)>,
    pub below: Vec<(NodeId, i32)>,
}

impl Quotient {
    /// Sorts the factors of a product, the factors that change least first. Where one side has too large
    /// a degree, factors are divided by one another.
    pub fn of(graph: &mut Graph, monomial: &Monomial) -> Self {
        let mut powers: Vec<_> =
            monomial.powers.iter().map(|(&node, &power)| (node, power)).collect();
        powers.sort_by_key(|&(node, _)| (graph.rank(node), node));
        let (above, below): (Vec<_>, Vec<_>) = powers.into_iter().partition(|it| it.1 > 0);
        let below = below.into_iter().map(|(node, power)| (node, -power)).collect();
        let mut quotient = Self { above, below };
        while quotient.is_too_large(graph) && quotient.divide(graph) {}
        quotient
    }

    fn is_too_large(&self, graph: &Graph) -> bool {
        let degree = |side: &[(NodeId, i32)]| -> f64 {
            side.iter().map(|&(node, power)| f64::from(power) * graph.degree(node)).sum()
        };
        degree(&self.above).abs() > graph.most || degree(&self.below).abs() > graph.most
    }

    /// Divides the factor of the largest degree above the line by the one below it. Returns whether there
    /// are both.
    fn divide(&mut self, graph: &mut Graph) -> bool {
        let most = |side: &[(NodeId, i32)]| {
            let degree = |k: usize| f64::from(side[k].1) * graph.degree(side[k].0);
            let largest = (0..side.len()).max_by(|&a, &b| degree(a).total_cmp(&degree(b)));
            largest.filter(|&k| degree(k) > 0.0)
        };
        let (Some(a), Some(b)) = (most(&self.above), most(&self.below)) else { return false };
        let ((x, p), (y, q)) = (self.above[a], self.below[b]);
        // (x / y)^n, or x / y^n for a large x.
        let (of_x, of_y) = (graph.degree(x), graph.degree(y));
        let each = if p == 1 { ((of_x / of_y).floor() as i32).clamp(1, q) } else { 1 };
        let times = if p == 1 { 1 } else { p.min(q) };
        let divisor = power(graph, (y, each));
        let ratio = graph.binary(BinaryOp::Div, x, divisor, Type::Real);
        self.above[a].1 -= times;
        self.below[b].1 -= times * each;
        self.above.push((ratio, times));
        self.above.retain(|it| it.1 > 0);
        self.below.retain(|it| it.1 > 0);
        true
    }
}

/// Returns the node of a power.
pub fn power(graph: &mut Graph, (node, power): (NodeId, i32)) -> NodeId {
    if power == 1 { node } else { graph.apply(Op::Powi(power), vec![node], Type::Real) }
}
