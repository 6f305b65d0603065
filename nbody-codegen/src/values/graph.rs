//! Graph of values in which equal values are one node, and every value has a sign.
//!
//! Equal parts of two expressions become one node: operands that commute are sorted, signs are
//! factored out wherever that is exact, and products are multisets of factors, in any order. A
//! value is a node and a sign, so that values that are equal up to the sign have the same node.

use std::collections::HashMap;

use crate::ir::{Builtin, FieldId, Input, Sign, high_of_product};

/// Largest number of factors of a product that is expanded; it bounds products in loops.
const LONGEST_PRODUCT: usize = 16;

/// A node of the graph, or its negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    node: usize,
    minus: bool,
}

impl Value {
    /// The number 0, which is its own negative.
    pub const ZERO: Self = Self { node: 0, minus: false };

    /// Returns the index of its node.
    pub fn node(self) -> usize {
        self.node
    }

    /// Returns the negative value.
    #[must_use]
    pub fn negated(self) -> Self {
        self.times(true)
    }

    /// Negates the value if `minus`.
    fn times(self, minus: bool) -> Self {
        Self { minus: self.node != Self::ZERO.node && self.minus != minus, ..self }
    }
}

/// Operation that makes a node from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Sum of real numbers or vectors.
    Sum,
    /// Difference of two points.
    Difference,
    /// Product of this many factors, divided by the other operands.
    Product(usize),
    Less,
    LessEqual,
    Equal,
    Not,
    And,
    Or,
    Xor,
    /// Sum of integers, which wrap and have no sign.
    Plus,
    Minus,
    Times,
    /// Quotient, remainder and shifts of integers.
    Quotient,
    Remainder,
    Left,
    Right,
    Math(Builtin),
    /// The product a · (b × c).
    Triple,
    Powi(i32),
    Component(usize),
    /// An entry of an array or a table; the indices follow it.
    Entry,
    Components,
    /// A condition and two values.
    Select,
    Convert,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A real number by its bits.
    Real(u64),
    Integer(u32),
    Truth(bool),
    Input(Input, FieldId),
    Apply(Op, Vec<Value>),
}

/// All values so far. Operands come before their node.
pub struct Graph {
    nodes: Vec<Node>,
    found: HashMap<Node, usize>,
    /// Counterparts of nodes under the exchange of i and j, known for the first nodes.
    exchanged: Vec<Value>,
}

impl Graph {
    pub fn new() -> Self {
        let mut graph = Self { nodes: Vec::new(), found: HashMap::new(), exchanged: Vec::new() };
        graph.intern(Node::Real(0));
        graph
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the nodes, each behind its operands.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn intern(&mut self, node: Node) -> Value {
        let next = self.nodes.len();
        let found = *self.found.entry(node.clone()).or_insert(next);
        if found == next {
            self.nodes.push(node);
        }
        Value { node: found, minus: false }
    }

    pub fn real(&mut self, x: f64) -> Value {
        let minus = x.is_sign_negative();
        self.intern(Node::Real(x.abs().to_bits())).times(minus)
    }

    pub fn integer(&mut self, n: u32) -> Value {
        self.intern(Node::Integer(n))
    }

    pub fn truth(&mut self, value: bool) -> Value {
        self.intern(Node::Truth(value))
    }

    pub fn input(&mut self, input: Input, field: FieldId) -> Value {
        self.intern(Node::Input(input, field))
    }

    /// Returns the integer, if it is known.
    pub fn known_integer(&self, value: Value) -> Option<u32> {
        if let Node::Integer(n) = self.nodes[value.node] { Some(n) } else { None }
    }

    /// Returns the truth of a condition, if it is known.
    pub fn known_truth(&self, value: Value) -> Option<bool> {
        if let Node::Truth(value) = self.nodes[value.node] { Some(value) } else { None }
    }

    /// Returns the value under the exchange of i and j.
    pub fn exchange(&mut self, value: Value) -> Value {
        while self.exchanged.len() <= value.node {
            let new = match self.nodes[self.exchanged.len()].clone() {
                Node::Input(Input::I, field) => self.intern(Node::Input(Input::J, field)),
                Node::Input(Input::J, field) => self.intern(Node::Input(Input::I, field)),
                Node::Apply(op, operands) => {
                    let exchanged =
                        operands.iter().map(|x| self.exchanged[x.node].times(x.minus)).collect();
                    self.apply(op, exchanged)
                }
                leaf => self.intern(leaf),
            };
            self.exchanged.push(new);
        }
        self.exchanged[value.node].times(value.minus)
    }

    /// Returns the conjunction of two conditions.
    pub fn and(&mut self, a: Value, b: Value) -> Value {
        match (self.known_truth(a), self.known_truth(b)) {
            (Some(true), _) => b,
            (_, Some(true)) => a,
            _ => self.apply(Op::And, vec![a, b]),
        }
    }

    /// Returns the value of an operation.
    pub fn apply(&mut self, op: Op, mut x: Vec<Value>) -> Value {
        if let Some(folded) = self.folded(op, &x) {
            return folded;
        }
        let minus = match op {
            Op::Product(factors) => return self.product(factors, &x),
            Op::Math(builtin) => return self.math(builtin, x),
            Op::Select => return self.select(x[0], x[1], x[2]),
            Op::Sum => {
                x.sort();
                lead(&mut x)
            }
            // Points have no sign, but their differences do.
            Op::Difference => sort(&mut x),
            Op::Less | Op::LessEqual => {
                let opposite = vec![x[1].negated(), x[0].negated()];
                x = x.min(opposite);
                false
            }
            Op::Equal => {
                x.sort();
                lead(&mut x);
                false
            }
            Op::And | Op::Or | Op::Xor | Op::Plus | Op::Times => {
                x.sort();
                false
            }
            Op::Triple => strip(&mut x) != sort(&mut x),
            Op::Powi(n) => strip(&mut x) && n % 2 != 0,
            Op::Component(_) | Op::Entry => strip(&mut x[..1]),
            Op::Components => lead(&mut x),
            Op::Not
            | Op::Minus
            | Op::Quotient
            | Op::Remainder
            | Op::Left
            | Op::Right
            | Op::Convert => false,
        };
        self.intern(Node::Apply(op, x)).times(minus)
    }

    /// Returns the value of an operation that needs no node of its own.
    fn folded(&mut self, op: Op, x: &[Value]) -> Option<Value> {
        let integers = (
            x.first().and_then(|x| self.known_integer(*x)),
            x.get(1).and_then(|x| self.known_integer(*x)),
        );
        Some(match (op, integers) {
            (Op::Plus, (Some(a), Some(b))) => self.integer(a.wrapping_add(b)),
            (Op::Minus, (Some(a), Some(b))) => self.integer(a.wrapping_sub(b)),
            (Op::Times, (Some(a), Some(b))) => self.integer(a.wrapping_mul(b)),
            (Op::Quotient, (Some(a), Some(b))) => {
                self.integer(a.checked_div(b).unwrap_or(u32::MAX))
            }
            (Op::Remainder, (Some(a), Some(b))) => self.integer(a.checked_rem(b).unwrap_or(a)),
            (Op::Left, (Some(a), Some(b))) => self.integer(a.wrapping_shl(b)),
            (Op::Right, (Some(a), Some(b))) => self.integer(a.wrapping_shr(b)),
            (Op::Math(Builtin::Least), (Some(a), Some(b))) => self.integer(a.min(b)),
            (Op::Math(Builtin::Greatest), (Some(a), Some(b))) => self.integer(a.max(b)),
            (Op::Math(Builtin::RotateLeft), (Some(a), Some(b))) => {
                self.integer(a.rotate_left(b % u32::BITS))
            }
            (Op::Math(Builtin::CountOnes), (Some(a), _)) => self.integer(a.count_ones()),
            (Op::Math(Builtin::MulHigh), (Some(a), Some(b))) => self.integer(high_of_product(a, b)),
            (Op::Less, (Some(a), Some(b))) => self.truth(a < b),
            (Op::LessEqual, (Some(a), Some(b))) => self.truth(a <= b),
            (Op::Equal, (Some(a), Some(b))) => self.truth(a == b),
            (Op::Convert, (Some(n), _)) => self.real(f64::from(n)),
            (Op::Sum, _) if x[0] == Value::ZERO => x[1],
            (Op::Sum, _) if x[1] == Value::ZERO => x[0],
            (Op::Not, _) => match &self.nodes[x[0].node] {
                Node::Truth(value) => {
                    let value = !value;
                    self.truth(value)
                }
                Node::Apply(Op::Not, inner) => inner[0],
                _ => return None,
            },
            (Op::Component(k), _) => match &self.nodes[x[0].node] {
                Node::Apply(Op::Components, parts) => parts[k].times(x[0].minus),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn product(&mut self, count: usize, x: &[Value]) -> Value {
        let mut x = x.to_vec();
        let minus = strip(&mut x);
        let (mut factors, mut divisors) = (Vec::new(), Vec::new());
        for (k, value) in x.iter().enumerate() {
            let (over, under) = if k < count {
                (&mut factors, &mut divisors)
            } else {
                (&mut divisors, &mut factors)
            };
            match &self.nodes[value.node] {
                Node::Apply(Op::Product(inner), parts) if parts.len() < LONGEST_PRODUCT => {
                    over.extend_from_slice(&parts[..*inner]);
                    under.extend_from_slice(&parts[*inner..]);
                }
                _ => over.push(*value),
            }
        }
        factors.sort();
        divisors.sort();
        let op = Op::Product(factors.len());
        factors.append(&mut divisors);
        self.intern(Node::Apply(op, factors)).times(minus)
    }

    fn math(&mut self, builtin: Builtin, mut x: Vec<Value>) -> Value {
        let mut name = builtin;
        let minus = match builtin {
            Builtin::Cross => strip(&mut x) != sort(&mut x),
            Builtin::Dot => {
                let minus = strip(&mut x);
                x.sort();
                for k in 0..2 {
                    if let Node::Apply(Op::Math(Builtin::Cross), of) = &self.nodes[x[k].node] {
                        let triple = vec![x[1 - k], of[0], of[1]];
                        return self.apply(Op::Triple, triple).times(minus);
                    }
                }
                minus
            }
            // The minimum of negatives is the negative of the maximum.
            Builtin::Min | Builtin::Max => {
                x.sort();
                let minus = lead(&mut x);
                if minus {
                    let is_min = builtin == Builtin::Min;
                    name = if is_min { Builtin::Max } else { Builtin::Min };
                }
                minus
            }
            Builtin::MulAdd => {
                let minus = strip(&mut x[..2]);
                x[..2].sort();
                x[2] = x[2].times(minus);
                minus
            }
            Builtin::Least | Builtin::Greatest | Builtin::MulHigh => {
                x.sort();
                false
            }
            _ => match builtin.sign() {
                Sign::Odd => strip(&mut x),
                Sign::Even => {
                    strip(&mut x);
                    false
                }
                Sign::Kept => false,
            },
        };
        self.intern(Node::Apply(Op::Math(name), x)).times(minus)
    }

    fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        match &self.nodes[condition.node] {
            Node::Truth(value) => return if *value { yes } else { no },
            Node::Apply(Op::Not, inner) => return self.select(inner[0], no, yes),
            _ if yes == no => return yes,
            _ => {}
        }
        match (self.known_truth(yes), self.known_truth(no)) {
            (Some(true), Some(false)) => return condition,
            (Some(false), Some(true)) => return self.apply(Op::Not, vec![condition]),
            _ => {}
        }
        let mut x = vec![condition, yes, no];
        let minus = lead(&mut x[1..]);
        self.intern(Node::Apply(Op::Select, x)).times(minus)
    }
}

/// Removes all signs, and returns whether their product is negative.
fn strip(x: &mut [Value]) -> bool {
    let minus = x.iter().fold(false, |minus, x| minus != x.minus);
    for value in x {
        value.minus = false;
    }
    minus
}

/// Changes all signs and returns `true`, if the first operand with a sign is negative.
fn lead(x: &mut [Value]) -> bool {
    let first = x.iter().find(|x| **x != Value::ZERO);
    let minus = first.is_some_and(|x| x.minus);
    if minus {
        for value in x {
            *value = value.negated();
        }
    }
    minus
}

/// Sorts, and returns whether the permutation is odd.
fn sort(x: &mut [Value]) -> bool {
    let mut odd = false;
    for end in (1..x.len()).rev() {
        for k in 0..end {
            if x[k] > x[k + 1] {
                x.swap(k, k + 1);
                odd = !odd;
            }
        }
    }
    odd
}
