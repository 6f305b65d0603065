//! Evaluates a body on the graph of values.

use std::collections::BTreeMap;

use crate::ir::{
    Accumulate, BinaryOp, Body, Expr, ExprKind, FieldId, FunctionId, Index, LocalId, Module, Place,
    Stmt, StmtKind, Type, UnaryOp, Value as Number,
};
use crate::values::graph::{Graph, Op, Value};

/// Largest number of evaluated expressions and of nodes.
const LIMIT: usize = 20_000;
/// Greatest depth of expressions, including the functions that they call.
const DEEPEST: usize = 1000;

/// Follows the evaluation of a body, and of the functions that it calls.
pub trait Observer<'a> {
    /// Receives the value of an expression in this body; `None` ends the evaluation.
    fn evaluated(
        &mut self,
        graph: &mut Graph,
        body: &'a Body,
        expr: &'a Expr,
        value: Value,
    ) -> Option<()>;

    /// Receives the value that a `let` gives to a variable; `block` is the first variable of its
    /// block.
    fn given(&mut self, body: &'a Body, local: LocalId, block: LocalId, value: Value);

    /// Receives the new value of a variable.
    fn assigned(&mut self, graph: &mut Graph, body: &'a Body, local: LocalId, value: Value);

    /// Receives a value that a field of the result accumulates where a condition holds.
    fn accumulated(&mut self, condition: Value, field: FieldId, how: Accumulate, value: Value);
}

/// Evaluates the body of a function and the functions that it calls.
pub struct Interpreter<'a, O> {
    module: &'a Module,
    body: &'a Body,
    pub graph: Graph,
    evaluated: usize,
    /// Number of nested expressions that are being evaluated.
    depth: usize,
    pub observer: O,
}

/// A function that is being evaluated.
struct Frame<'a> {
    body: &'a Body,
    /// Variables that have a value already.
    values: BTreeMap<LocalId, Value>,
    /// Condition under which the function has returned; `result` is the returned value.
    returned: Value,
    result: Value,
    /// Condition of the branch that is being evaluated.
    branch: Value,
}

impl Frame<'_> {
    fn value(&self, local: LocalId) -> Value {
        *self.values.get(&local).expect("checked: a variable has a value before it is read")
    }
}

impl<'a, O: Observer<'a>> Interpreter<'a, O> {
    pub fn new(module: &'a Module, body: &'a Body, observer: O) -> Self {
        Self { module, body, graph: Graph::new(), evaluated: 0, depth: 0, observer }
    }

    /// Evaluates the body and returns its value, if any; `None` if it is too long or if the
    /// observer ends it.
    pub fn run(&mut self) -> Option<Value> {
        let mut frame = self.frame(self.body);
        self.body(&mut frame)
    }

    fn frame(&mut self, body: &'a Body) -> Frame<'a> {
        let [returned, branch] = [false, true].map(|value| self.graph.truth(value));
        Frame { body, values: BTreeMap::new(), returned, result: Value::ZERO, branch }
    }

    fn body(&mut self, frame: &mut Frame<'a>) -> Option<Value> {
        let body = frame.body;
        self.statements(frame, &body.statements)?;
        let Some(value) = &body.value else { return Some(frame.result) };
        let last = self.expr(frame, value)?;
        Some(self.graph.apply(Op::Select, vec![frame.returned, frame.result, last]))
    }

    fn statements(&mut self, frame: &mut Frame<'a>, statements: &'a [Stmt]) -> Option<()> {
        let mut first = None;
        for statement in statements {
            if let StmtKind::Let { local, value } = &statement.kind {
                let value = self.expr(frame, value)?;
                self.set(frame, *local, value);
                let block = *first.get_or_insert(*local);
                self.observer.given(frame.body, *local, block, value);
            } else {
                self.statement(frame, &statement.kind)?;
            }
        }
        Some(())
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a StmtKind) -> Option<()> {
        match statement {
            StmtKind::Let { .. } | StmtKind::Declare { .. } => {}
            StmtKind::Assign { place, op, value } => {
                let value = self.expr(frame, value)?;
                self.assign(frame, place, *op, value)?;
            }
            StmtKind::Change { .. } => unreachable!("checked: only updates change a particle"),
            StmtKind::Accumulate { place, how, value, .. } => {
                let value = self.expr(frame, value)?;
                let goes_on = self.graph.apply(Op::Not, vec![frame.returned]);
                let here = self.graph.and(frame.branch, goes_on);
                self.observer.accumulated(here, place.of, *how, value);
            }
            StmtKind::If { condition, yes, no } => {
                let condition = self.expr(frame, condition)?;
                match self.graph.known_truth(condition) {
                    Some(true) => self.statements(frame, yes)?,
                    Some(false) => self.statements(frame, no)?,
                    None => self.branches(frame, condition, yes, no)?,
                }
            }
            StmtKind::For { local, range, body } => {
                for turn in range.clone() {
                    self.count()?;
                    frame.values.insert(*local, self.graph.integer(turn));
                    self.statements(frame, body)?;
                }
            }
            StmtKind::Return { value } => {
                if let Some(value) = value {
                    let value = self.expr(frame, value)?;
                    let chosen = vec![frame.returned, frame.result, value];
                    frame.result = self.graph.apply(Op::Select, chosen);
                }
                frame.returned = self.graph.truth(true);
            }
        }
        Some(())
    }

    /// Evaluates both branches, and selects between their values.
    fn branches(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Value,
        yes: &'a [Stmt],
        no: &'a [Stmt],
    ) -> Option<()> {
        let before = (frame.values.clone(), frame.returned, frame.result);
        let outer = frame.branch;
        frame.branch = self.graph.and(outer, condition);
        self.statements(frame, yes)?;
        let after = std::mem::replace(&mut frame.values, before.0);
        let (returned, result) = (frame.returned, frame.result);
        (frame.returned, frame.result) = (before.1, before.2);
        let fails = self.graph.apply(Op::Not, vec![condition]);
        frame.branch = self.graph.and(outer, fails);
        self.statements(frame, no)?;
        frame.branch = outer;
        let choose = |graph: &mut Graph, yes, no| graph.apply(Op::Select, vec![condition, yes, no]);
        frame.returned = choose(&mut self.graph, returned, frame.returned);
        frame.result = choose(&mut self.graph, result, frame.result);
        for (local, yes) in after {
            match frame.values.get(&local) {
                Some(no) if yes == *no => {}
                Some(no) => {
                    let chosen = choose(&mut self.graph, yes, *no);
                    self.set(frame, local, chosen);
                }
                // The variable belongs to the branch.
                None => {
                    frame.values.insert(local, yes);
                }
            }
        }
        Some(())
    }

    fn set(&mut self, frame: &mut Frame<'a>, local: LocalId, value: Value) {
        frame.values.insert(local, value);
        self.observer.assigned(&mut self.graph, frame.body, local, value);
    }

    fn assign(
        &mut self,
        frame: &mut Frame<'a>,
        place: &'a Place<LocalId>,
        op: Option<BinaryOp>,
        value: Value,
    ) -> Option<()> {
        let Some(index) = &place.component else {
            let value = match op {
                None => value,
                Some(op) => self.binary(op, place.whole, frame.value(place.of), value),
            };
            self.set(frame, place.of, value);
            return Some(());
        };
        let before = frame.value(place.of);
        let changed = self.index(frame, index)?;
        let mut parts = Vec::new();
        for k in 0..place.whole.components() {
            let part = self.graph.apply(Op::Component(k), vec![before]);
            parts.push(match op {
                _ if k != changed => part,
                None => value,
                Some(op) => self.binary(op, Type::Real, part, value),
            });
        }
        let whole = self.graph.apply(Op::Components, parts);
        self.set(frame, place.of, whole);
        Some(())
    }

    fn index(&mut self, frame: &Frame<'a>, index: &'a Index) -> Option<usize> {
        match index {
            Index::Fixed(k) => Some(*k),
            Index::Loop(index) => {
                let value = self.expr(frame, index)?;
                let k = self.graph.known_integer(value).expect("checked: loops tell the index");
                Some(k as usize)
            }
        }
    }

    fn expr(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Option<Value> {
        self.count()?;
        self.depth += 1;
        let value = if self.depth > DEEPEST { None } else { self.value(frame, expr) };
        self.depth -= 1;
        let value = value?;
        self.observer.evaluated(&mut self.graph, frame.body, expr, value)?;
        Some(value)
    }

    /// Counts an evaluation; returns `None` at the limit.
    fn count(&mut self) -> Option<()> {
        self.evaluated += 1;
        (self.evaluated.max(self.graph.len()) <= LIMIT).then_some(())
    }

    fn exprs(&mut self, frame: &Frame<'a>, exprs: &'a [Expr]) -> Option<Vec<Value>> {
        exprs.iter().map(|expr| self.expr(frame, expr)).collect()
    }

    fn value(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Option<Value> {
        let (op, operands) = match &expr.kind {
            ExprKind::Real(text) => {
                let x = text.parse().expect("checked: a literal is a number");
                return Some(self.graph.real(x));
            }
            ExprKind::U32(n) => return Some(self.graph.integer(*n)),
            ExprKind::Bool(value) => return Some(self.graph.truth(*value)),
            ExprKind::Local(id) => return Some(frame.value(*id)),
            ExprKind::Constant(id) => {
                return Some(match self.module[*id].value {
                    Number::Real(x) => self.graph.real(x),
                    Number::U32(n) => self.graph.integer(n),
                });
            }
            ExprKind::Input(input, field) => return Some(self.graph.input(*input, *field)),
            ExprKind::Gather(..) => unreachable!("checked: a pair gathers no second particles"),
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                return Some(self.expr(frame, operand)?.negated());
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.expr(frame, a)?, self.expr(frame, b)?);
                return Some(self.binary(*op, a.ty, left, right));
            }
            ExprKind::Call(function, arguments) => {
                let arguments = self.exprs(frame, arguments)?;
                return self.call(*function, arguments);
            }
            ExprKind::Component(base, index) => {
                let base = self.expr(frame, base)?;
                (Op::Component(self.index(frame, index)?), vec![base])
            }
            ExprKind::Entry(base, indices) => {
                let mut operands = vec![self.expr(frame, base)?];
                operands.extend(self.exprs(frame, indices)?);
                (Op::Entry, operands)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => (Op::Not, vec![self.expr(frame, operand)?]),
            ExprKind::Math(builtin, operands) => (Op::Math(*builtin), self.exprs(frame, operands)?),
            ExprKind::Powi(base, n) => (Op::Powi(*n), vec![self.expr(frame, base)?]),
            ExprKind::Components(parts) => (Op::Components, self.exprs(frame, parts)?),
            ExprKind::Select(parts) => (Op::Select, self.exprs(frame, &parts[..])?),
            ExprKind::Convert(integer) => (Op::Convert, vec![self.expr(frame, integer)?]),
        };
        Some(self.graph.apply(op, operands))
    }

    fn call(&mut self, function: FunctionId, arguments: Vec<Value>) -> Option<Value> {
        let function = &self.module[function];
        let mut frame = self.frame(&function.body);
        frame.values.extend(function.parameters.iter().copied().zip(arguments));
        self.body(&mut frame)
    }

    /// Evaluates an operation; `left` is the type on the left.
    fn binary(&mut self, op: BinaryOp, left: Type, a: Value, b: Value) -> Value {
        let is_integer = left == Type::U32;
        let (op, operands) = match op {
            BinaryOp::Add if is_integer => (Op::Plus, vec![a, b]),
            BinaryOp::Sub if is_integer => (Op::Minus, vec![a, b]),
            BinaryOp::Mul if is_integer => (Op::Times, vec![a, b]),
            BinaryOp::Div if is_integer => (Op::Quotient, vec![a, b]),
            BinaryOp::Rem => (Op::Remainder, vec![a, b]),
            BinaryOp::Shl => (Op::Left, vec![a, b]),
            BinaryOp::Shr => (Op::Right, vec![a, b]),
            BinaryOp::Sub if matches!(left, Type::Point(_)) => (Op::Difference, vec![a, b]),
            BinaryOp::Add => (Op::Sum, vec![a, b]),
            BinaryOp::Sub => (Op::Sum, vec![a, b.negated()]),
            BinaryOp::Mul => (Op::Product(2), vec![a, b]),
            BinaryOp::Div => (Op::Product(1), vec![a, b]),
            BinaryOp::And => (Op::And, vec![a, b]),
            BinaryOp::Or => (Op::Or, vec![a, b]),
            BinaryOp::Xor => (Op::Xor, vec![a, b]),
            BinaryOp::Lt => (Op::Less, vec![a, b]),
            BinaryOp::Le => (Op::LessEqual, vec![a, b]),
            BinaryOp::Gt => (Op::Less, vec![b, a]),
            BinaryOp::Ge => (Op::LessEqual, vec![b, a]),
            BinaryOp::Eq => (Op::Equal, vec![a, b]),
            BinaryOp::Ne => {
                let equal = self.graph.apply(Op::Equal, vec![a, b]);
                (Op::Not, vec![equal])
            }
        };
        self.graph.apply(op, operands)
    }
}
