//! Graph of the values that a body has computed so far. Equal expressions are one node.
//!
//! Unlike the graph of `values/`, it keeps operands in their order and signs in their place, so that
//! a node is an expression of the body that compilers find again.

use std::collections::HashMap;

use super::degree::degree;
use crate::ir::{BinaryOp, Builtin, ConstantId, FieldId, Input, LocalId, Type, UnaryOp};

/// Index of a node; operands come before their node.
pub type NodeId = usize;

/// Operation that makes a node from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A literal as it was written.
    Real(String),
    U32(u32),
    Bool(bool),
    Constant(ConstantId),
    /// A field, as it is before the body changes it.
    Input(Input, FieldId),
    /// A parameter of a helper function, or the variable of an open loop.
    Local(LocalId),
    /// A variable whose value depends on earlier iterations of an open loop.
    Unknown(LocalId),
    /// A field of the particle whose value depends on earlier iterations of an open loop.
    UnknownField(FieldId),
    Unary(UnaryOp),
    Binary(BinaryOp),
    Math(Builtin),
    Powi(i32),
    Component(usize),
    /// A component with an index that an open loop computes: base and index.
    At,
    /// An entry with indices from the data: base and indices.
    Entry,
    /// A field of the second particle of an index, in the second record of this place.
    Gather(usize, FieldId),
    Components,
    Select,
    Convert,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub op: Op,
    pub operands: Vec<NodeId>,
    pub ty: Type,
}

/// All values so far.
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Node>,
    found: HashMap<Node, NodeId>,
    /// For each node 0 without inputs, 1 with parameters alone, 2 with other inputs but not j, else 3:
    /// products begin with the factors that change least.
    ranks: Vec<u8>,
    /// The degree of each node.
    degrees: Vec<f64>,
    /// The greatest degree of products.
    pub most: f64,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    pub fn ty(&self, id: NodeId) -> Type {
        self.nodes[id].ty
    }

    pub fn rank(&self, id: NodeId) -> u8 {
        self.ranks[id]
    }

    /// Returns the power with which a node grows with its inputs.
    pub fn degree(&self, id: NodeId) -> f64 {
        self.degrees[id]
    }

    /// Returns the cost of a node in multiplications.
    pub fn cost(&self, id: NodeId) -> u32 {
        match self.nodes[id].op {
            Op::Binary(BinaryOp::Div)
            | Op::Math(Builtin::Recip | Builtin::Rsqrt | Builtin::Sqrt) => 6,
            Op::Powi(n) => n.unsigned_abs().ilog2() + n.unsigned_abs().count_ones() - 1,
            Op::Binary(_) | Op::Select => 1,
            Op::Math(_) => 12,
            _ => 0,
        }
    }

    /// Returns the node of an operation, if there is one.
    pub fn find(&self, op: Op, operands: &[NodeId], ty: Type) -> Option<NodeId> {
        self.found.get(&Node { op, operands: operands.to_vec(), ty }).copied()
    }

    /// Returns the node of an operation. Integers and conditions that are known are computed.
    pub fn apply(&mut self, op: Op, operands: Vec<NodeId>, ty: Type) -> NodeId {
        if let Some(folded) = self.folded(&op, &operands) {
            return folded;
        }
        let own = match op {
            Op::Real(_) | Op::U32(_) | Op::Bool(_) | Op::Constant(_) => 0,
            Op::Input(Input::Parameters, _) => 1,
            Op::Input(Input::J, _) => 3,
            Op::Gather(..) => 2,
            _ if operands.is_empty() => 2,
            _ => 0,
        };
        let rank = operands.iter().map(|&id| self.ranks[id]).fold(own, u8::max);
        let of: Vec<_> = operands.iter().map(|&id| self.degrees[id]).collect();
        let exponent = operands.get(1).and_then(|&id| self.literal(id));
        let degree =
            if matches!(ty, Type::U32 | Type::Bool) { 0.0 } else { degree(&op, &of, exponent) };
        let node = Node { op, operands, ty };
        let next = self.nodes.len();
        let found = *self.found.entry(node.clone()).or_insert(next);
        if found == next {
            self.nodes.push(node);
            self.ranks.push(rank);
            self.degrees.push(degree);
        }
        found
    }

    pub fn real(&mut self, x: f64) -> NodeId {
        let literal = self.apply(Op::Real(format!("{:?}", x.abs())), Vec::new(), Type::Real);
        if x < 0.0 {
            self.apply(Op::Unary(UnaryOp::Neg), vec![literal], Type::Real)
        } else {
            literal
        }
    }

    /// Returns the unit vector of a component.
    pub fn unit(&mut self, k: usize, ty: Type) -> NodeId {
        let parts = 0..ty.components();
        let parts = parts.map(|l| self.real(f64::from(u8::from(l == k)))).collect();
        self.apply(Op::Components, parts, ty)
    }

    pub fn integer(&mut self, n: u32) -> NodeId {
        self.apply(Op::U32(n), Vec::new(), Type::U32)
    }

    pub fn truth(&mut self, value: bool) -> NodeId {
        self.apply(Op::Bool(value), Vec::new(), Type::Bool)
    }

    pub fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId, ty: Type) -> NodeId {
        self.apply(Op::Binary(op), vec![a, b], ty)
    }

    pub fn math(&mut self, builtin: Builtin, operands: Vec<NodeId>) -> NodeId {
        let ty = builtin.output(self.ty(operands[0]));
        self.apply(Op::Math(builtin), operands, ty)
    }

    pub fn component(&mut self, base: NodeId, k: usize) -> NodeId {
        self.apply(Op::Component(k), vec![base], Type::Real)
    }

    pub fn select(&mut self, condition: NodeId, yes: NodeId, no: NodeId) -> NodeId {
        let ty = self.ty(yes);
        self.apply(Op::Select, vec![condition, yes, no], ty)
    }

    /// Returns the number, if the node is a literal.
    pub fn literal(&self, id: NodeId) -> Option<f64> {
        match &self.nodes[id].op {
            Op::Real(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub fn known_integer(&self, id: NodeId) -> Option<u32> {
        if let Op::U32(n) = self.nodes[id].op { Some(n) } else { None }
    }

    pub fn known_truth(&self, id: NodeId) -> Option<bool> {
        if let Op::Bool(value) = self.nodes[id].op { Some(value) } else { None }
    }

    /// Returns the value of an operation that needs no node of its own.
    fn folded(&mut self, op: &Op, operands: &[NodeId]) -> Option<NodeId> {
        let integer = |k: usize| operands.get(k).and_then(|&id| self.known_integer(id));
        let (a, b) = (integer(0), integer(1));
        match (op, a, b) {
            (Op::Binary(op), Some(a), Some(b)) => Some(match op {
                BinaryOp::Add => self.integer(a.wrapping_add(b)),
                BinaryOp::Sub => self.integer(a.wrapping_sub(b)),
                BinaryOp::Mul => self.integer(a.wrapping_mul(b)),
                BinaryOp::Lt => self.truth(a < b),
                BinaryOp::Le => self.truth(a <= b),
                BinaryOp::Gt => self.truth(a > b),
                BinaryOp::Ge => self.truth(a >= b),
                BinaryOp::Eq => self.truth(a == b),
                BinaryOp::Ne => self.truth(a != b),
                _ => return None,
            }),
            (Op::Convert, Some(n), _) => Some(self.real(f64::from(n))),
            (Op::Component(k), ..) => match &self.nodes[operands[0]] {
                Node { op: Op::Components, operands, .. } => Some(operands[*k]),
                _ => None,
            },
            (Op::At, _, Some(k)) => Some(self.component(operands[0], k as usize)),
            (Op::Select, ..) => self.folded_select([operands[0], operands[1], operands[2]]),
            (Op::Unary(UnaryOp::Not), ..) => {
                let known = self.known_truth(operands[0])?;
                Some(self.truth(!known))
            }
            _ => None,
        }
    }

    fn folded_select(&mut self, [condition, yes, no]: [NodeId; 3]) -> Option<NodeId> {
        if let Some(value) = self.known_truth(condition) {
            return Some(if value { yes } else { no });
        }
        match (self.known_truth(yes), self.known_truth(no)) {
            _ if yes == no => Some(yes),
            (Some(true), Some(false)) => Some(condition),
            (Some(true), _) => Some(self.binary(BinaryOp::Or, condition, no, Type::Bool)),
            (_, Some(false)) => Some(self.binary(BinaryOp::And, condition, yes, Type::Bool)),
            _ => None,
        }
    }
}
