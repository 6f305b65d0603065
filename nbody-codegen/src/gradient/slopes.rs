//! The slopes of operations that take and give real numbers: their derivatives by each operand, which both
//! directions of derivation need.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::graph::{Graph, NodeId, Op};
use super::monomial::Monomial;
use crate::ir::{BinaryOp, Builtin, Type, UnaryOp};

/// The derivative of a node by an operand, or by a factor further down.
pub struct Slope {
    pub operand: NodeId,
    /// The conditions under which it counts, the outermost first, and whether each holds.
    pub path: Vec<(NodeId, bool)>,
    pub factor: Monomial,
}

/// Derives operations of a graph.
pub struct Slopes<'a> {
    pub graph: &'a mut Graph,
    /// Whether a node depends on the variables; others are constant.
    pub depends: &'a [bool],
    /// The variables.
    pub targets: &'a [NodeId],
}

impl Slopes<'_> {
    fn depends_on(&self, node: NodeId) -> bool {
        self.depends.get(node) == Some(&true)
    }

    fn node(&self, node: NodeId) -> Monomial {
        Monomial::of(self.graph, node)
    }

    fn math(&mut self, builtin: Builtin, operands: &[NodeId]) -> NodeId {
        self.graph.math(builtin, operands.to_vec())
    }

    /// Returns the slopes of a node that is a real number, by operands that are. It is no sum and no
    /// selection.
    pub fn of(&mut self, node: NodeId) -> Vec<Slope> {
        let it = self.graph.node(node).clone();
        match it.op {
            Op::Math(builtin) => self.of_function(builtin, (node, &it.operands)),
            Op::Binary(_) | Op::Powi(_) | Op::Unary(_) => self.of_product(node),
            _ => Vec::new(),
        }
    }

    fn of_function(&mut self, builtin: Builtin, (node, x): (NodeId, &[NodeId])) -> Vec<Slope> {
        let one = || Monomial::number(1.0);
        let by = |operand, factor| Slope { operand, path: Vec::new(), factor };
        let under = |operand, path| Slope { operand, path, factor: one() };
        match builtin {
            Builtin::MulAdd => {
                let [a, b] = [self.node(x[0]), self.node(x[1])];
                vec![by(x[0], b), by(x[1], a), by(x[2], one())]
            }
            Builtin::Min | Builtin::Max => {
                let op = if builtin == Builtin::Min { BinaryOp::Lt } else { BinaryOp::Gt };
                let first = self.graph.binary(op, x[0], x[1], Type::Bool);
                vec![under(x[0], vec![(first, true)]), under(x[1], vec![(first, false)])]
            }
            Builtin::Clamp => {
                let below = self.graph.binary(BinaryOp::Lt, x[0], x[1], Type::Bool);
                let above = self.graph.binary(BinaryOp::Gt, x[0], x[2], Type::Bool);
                vec![
                    under(x[1], vec![(below, true)]),
                    under(x[2], vec![(below, false), (above, true)]),
                    under(x[0], vec![(below, false), (above, false)]),
                ]
            }
            Builtin::Atan2 => {
                let squares =
                    [x[0], x[1]].map(|it| self.graph.binary(BinaryOp::Mul, it, it, Type::Real));
                let sum = self.graph.binary(BinaryOp::Add, squares[0], squares[1], Type::Real);
                let [y, x_] = [self.node(x[0]), self.node(x[1])];
                let (by_y, by_x) = (x_.times(self.graph, sum, -1), y.times(self.graph, sum, -1));
                vec![by(x[0], by_y), by(x[1], by_x.scaled(-1.0))]
            }
            Builtin::Powf => {
                let less = if let Some(power) = self.graph.literal(x[1]) {
                    self.graph.real(power - 1.0)
                } else {
                    let one = self.graph.real(1.0);
                    self.graph.binary(BinaryOp::Sub, x[1], one, Type::Real)
                };
                let power = self.math(Builtin::Powf, &[x[0], less]);
                let by_base = self.node(x[1]).times(self.graph, power, 1);
                let mut slopes = vec![by(x[0], by_base)];
                if self.depends_on(x[1]) {
                    let ln = self.math(Builtin::Ln, &x[..1]);
                    let by_power = self.node(node).times(self.graph, ln, 1);
                    slopes.push(by(x[1], by_power));
                }
                slopes
            }
            Builtin::At | Builtin::Slope | Builtin::Curvature => {
                let next = match builtin {
                    Builtin::At => Builtin::Slope,
                    Builtin::Slope => Builtin::Curvature,
                    _ => Builtin::Third,
                };
                let slope = self.math(next, x);
                vec![by(x[1], self.node(slope))]
            }
            Builtin::Copysign => {
                let one = self.graph.real(1.0);
                let signs = [x[0], x[1]].map(|it| self.math(Builtin::Copysign, &[one, it]));
                vec![by(x[0], self.node(signs[0]).times(self.graph, signs[1], 1))]
            }
            _ => vec![by(x[0], self.slope(builtin, node, x[0]))],
        }
    }

    /// Returns the derivative of a function of one number.
    fn slope(&mut self, builtin: Builtin, y: NodeId, x: NodeId) -> Monomial {
        let real = Type::Real;
        let times = |this: &Self, node, power| Monomial::number(1.0).times(this.graph, node, power);
        match builtin {
            Builtin::Sqrt => times(self, y, -1).scaled(0.5),
            Builtin::Rsqrt => times(self, y, 3).scaled(-0.5),
            Builtin::Recip => times(self, y, 2).scaled(-1.0),
            Builtin::Cbrt => times(self, y, -2).scaled(1.0 / 3.0),
            Builtin::Exp => times(self, y, 1),
            Builtin::Ln => times(self, x, -1),
            Builtin::Sin | Builtin::Cosh | Builtin::Sinh | Builtin::Cos => {
                let (other, sign) = match builtin {
                    Builtin::Sin => (Builtin::Cos, 1.0),
                    Builtin::Cos => (Builtin::Sin, -1.0),
                    Builtin::Sinh => (Builtin::Cosh, 1.0),
                    _ => (Builtin::Sinh, 1.0),
                };
                let other = self.math(other, &[x]);
                times(self, other, 1).scaled(sign)
            }
            Builtin::Tan | Builtin::Tanh => {
                let (one, square) =
                    (self.graph.real(1.0), self.graph.binary(BinaryOp::Mul, y, y, real));
                let op = if builtin == Builtin::Tan { BinaryOp::Add } else { BinaryOp::Sub };
                let slope = self.graph.binary(op, one, square, real);
                times(self, slope, 1)
            }
            Builtin::Asin | Builtin::Acos => {
                let (one, square) =
                    (self.graph.real(1.0), self.graph.binary(BinaryOp::Mul, x, x, real));
                let rest = self.graph.binary(BinaryOp::Sub, one, square, real);
                let slope = self.math(Builtin::Rsqrt, &[rest]);
                times(self, slope, 1).scaled(if builtin == Builtin::Asin { 1.0 } else { -1.0 })
            }
            Builtin::Atan => {
                let (one, square) =
                    (self.graph.real(1.0), self.graph.binary(BinaryOp::Mul, x, x, real));
                let sum = self.graph.binary(BinaryOp::Add, one, square, real);
                times(self, sum, -1)
            }
            Builtin::Erf | Builtin::Erfc => {
                let square = self.graph.binary(BinaryOp::Mul, x, x, real);
                let minus = self.graph.apply(Op::Unary(UnaryOp::Neg), vec![square], real);
                let gauss = self.math(Builtin::Exp, &[minus]);
                let sign = if builtin == Builtin::Erf { 1.0 } else { -1.0 };
                times(self, gauss, 1).scaled(sign * FRAC_2_SQRT_PI)
            }
            Builtin::Abs => {
                let one = self.graph.real(1.0);
                let sign = self.math(Builtin::Copysign, &[one, x]);
                times(self, sign, 1)
            }
            Builtin::Floor
            | Builtin::Ceil
            | Builtin::Round
            | Builtin::Trunc
            | Builtin::Powf
            | Builtin::Atan2
            | Builtin::Min
            | Builtin::Max
            | Builtin::Clamp
            | Builtin::Copysign
            | Builtin::MulAdd
            | Builtin::Dot
            | Builtin::Cross
            | Builtin::Norm
            | Builtin::Norm2
            | Builtin::Least
            | Builtin::Greatest
            | Builtin::RotateLeft
            | Builtin::CountOnes
            | Builtin::MulHigh
            | Builtin::At
            | Builtin::Slope
            | Builtin::Curvature
            | Builtin::Third => unreachable!("derived above, or constant"),
        }
    }

    /// Returns the slopes of a product by its factors.
    fn of_product(&mut self, node: NodeId) -> Vec<Slope> {
        let is_atom = |it: NodeId| self.targets.contains(&it) || !self.depends_on(it);
        let factors = Monomial::factors(self.graph, node, &is_atom).powers.into_iter();
        let dependent = factors.filter(|(factor, _)| self.depends_on(*factor));
        let slopes = dependent.map(|(operand, power)| {
            let rest = Monomial::without(self.graph, node, operand, &is_atom);
            Slope { operand, path: Vec::new(), factor: rest.scaled(f64::from(power)) }
        });
        slopes.collect()
    }
}
