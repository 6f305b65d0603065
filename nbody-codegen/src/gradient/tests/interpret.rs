//! Evaluates a checked pair in `f64`, statement by statement.

use std::collections::BTreeMap;

use crate::ir::{
    Accumulate, BinaryOp, Body, Builtin, Expr, ExprKind, FieldId, Index, Input, LocalId, Module,
    Place, Stmt, StmtKind, UnaryOp, Value as Number,
};

/// A value: numbers, an integer or a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Numbers(Vec<f64>),
    Integer(u32),
    Truth(bool),
}

/// The numbers of each field that is read, and of each field of the result.
pub type Inputs = BTreeMap<(Input, FieldId), Value>;

/// Returns the key of a field.
pub fn key(input: Input, field: FieldId) -> (Input, FieldId) {
    (input, field)
}

#[derive(Clone, Debug, PartialEq)]
enum Returned {
    NotYet,
    Nothing,
    Value(Value),
}

pub struct Interpreter<'a> {
    module: &'a Module,
    inputs: &'a Inputs,
    locals: BTreeMap<LocalId, Value>,
    pub results: BTreeMap<FieldId, Vec<f64>>,
    /// The exponents of the greatest and of the smallest number that was computed, zeros apart.
    pub exponents: [f64; 2],
    /// The returned value, or none of a `pair`, after a return.
    returned: Returned,
}

impl<'a> Interpreter<'a> {
    pub fn new(module: &'a Module, inputs: &'a Inputs) -> Self {
        let (locals, results) = (BTreeMap::new(), BTreeMap::new());
        let (exponents, returned) = ([0.0; 2], Returned::NotYet);
        Self { module, inputs, locals, results, exponents, returned }
    }

    pub fn run(&mut self, body: &Body) -> Option<Value> {
        self.statements(&body.statements);
        match std::mem::replace(&mut self.returned, Returned::NotYet) {
            Returned::Nothing => None,
            Returned::Value(value) => Some(value),
            Returned::NotYet => body.value.as_ref().map(|value| self.expr(value)),
        }
    }

    fn statements(&mut self, list: &[Stmt]) {
        for statement in list {
            if self.returned != Returned::NotYet {
                return;
            }
            self.statement(&statement.kind);
        }
    }

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Let { local, value } => {
                let value = self.expr(value);
                self.locals.insert(*local, value);
            }
            StmtKind::Declare { .. } => {}
            StmtKind::Assign { place, op, value } => {
                let value = self.expr(value);
                let new = self.assigned(place, *op, value);
                self.locals.insert(place.of, new);
            }
            StmtKind::Change { .. } => unreachable!("a pair changes no particle"),
            StmtKind::Accumulate { place, how, value, .. } => {
                let Value::Numbers(value) = self.expr(value) else { unreachable!() };
                let sign = if *how == Accumulate::Sub { -1.0 } else { 1.0 };
                let first = place.component.as_ref().map_or(0, |index| self.index(index));
                let n = place.whole.components();
                let sums = self.results.entry(place.of).or_insert_with(|| vec![0.0; n]);
                sums[first..].iter_mut().zip(value).for_each(|(sum, x)| *sum += sign * x);
            }
            StmtKind::If { condition, yes, no } => {
                let branch = if self.expr(condition) == Value::Truth(true) { yes } else { no };
                self.statements(branch);
            }
            StmtKind::For { local, range, body } => {
                for turn in range.clone() {
                    self.locals.insert(*local, Value::Integer(turn));
                    self.statements(body);
                }
            }
            StmtKind::Return { value } => {
                self.returned = match value {
                    Some(value) => Returned::Value(self.expr(value)),
                    None => Returned::Nothing,
                };
            }
        }
    }

    fn assigned(&mut self, place: &Place<LocalId>, op: Option<BinaryOp>, value: Value) -> Value {
        let combine = |before: Value| match op {
            Some(op) => binary(op, before, value.clone()),
            None => value.clone(),
        };
        match &place.component {
            None if op.is_none() => value,
            None => combine(self.locals[&place.of].clone()),
            Some(index) => {
                let k = self.index(index);
                let Value::Numbers(mut numbers) = self.locals[&place.of].clone() else {
                    unreachable!()
                };
                numbers[k] = real(&combine(Value::Numbers(vec![numbers[k]])));
                Value::Numbers(numbers)
            }
        }
    }

    fn index(&mut self, index: &Index) -> usize {
        match index {
            Index::Fixed(k) => *k,
            Index::Loop(index) => integer(&self.expr(index)) as usize,
        }
    }

    fn expr(&mut self, expr: &Expr) -> Value {
        let value = self.value(expr);
        if let Value::Numbers(numbers) = &value {
            for x in numbers.iter().filter(|x| **x != 0.0) {
                let [most, least] = &mut self.exponents;
                (*most, *least) = (most.max(x.abs().log2()), least.min(x.abs().log2()));
            }
        }
        value
    }

    fn value(&mut self, expr: &Expr) -> Value {
        let number = |x: f64| Value::Numbers(vec![x]);
        match &expr.kind {
            ExprKind::Real(text) => number(text.parse().unwrap()),
            ExprKind::U32(n) => Value::Integer(*n),
            ExprKind::Bool(value) => Value::Truth(*value),
            ExprKind::Local(local) => self.locals[local].clone(),
            ExprKind::Constant(id) => match self.module[*id].value {
                Number::Real(x) => number(x),
                Number::U32(n) => Value::Integer(n),
            },
            ExprKind::Input(input, field) => self.inputs[&key(*input, *field)].clone(),
            ExprKind::Component(base, index) => {
                let (base, k) = (numbers(self.expr(base)), self.index(index));
                number(base[k])
            }
            ExprKind::Entry(base, indices) => {
                let base = numbers(self.expr(base));
                let k = integer(&self.expr(&indices[0])) as usize;
                number(base.get(k).copied().unwrap_or(f64::NAN))
            }
            ExprKind::Gather(..) => unreachable!("gradients are tested without second particles"),
            ExprKind::Unary(UnaryOp::Neg, x) => {
                Value::Numbers(numbers(self.expr(x)).into_iter().map(|x| -x).collect())
            }
            ExprKind::Unary(UnaryOp::Not, x) => Value::Truth(self.expr(x) != Value::Truth(true)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                binary(*op, a, b)
            }
            ExprKind::Math(builtin, operands) => {
                let operands = operands.iter().map(|x| numbers(self.expr(x)));
                Value::Numbers(math(*builtin, &operands.collect::<Vec<_>>()))
            }
            ExprKind::Powi(x, n) => number(real(&self.expr(x)).powi(*n)),
            ExprKind::Components(parts) => {
                Value::Numbers(parts.iter().map(|part| real(&self.expr(part))).collect())
            }
            ExprKind::Call(id, arguments) => {
                let function = &self.module[*id];
                let arguments = arguments.iter().map(|argument| self.expr(argument));
                let own = function.parameters.iter().copied().zip(arguments).collect();
                let mut inner = Interpreter::new(self.module, self.inputs);
                inner.locals = own;
                inner.run(&function.body).unwrap()
            }
            ExprKind::Select(parts) => {
                let k = if self.expr(&parts[0]) == Value::Truth(true) { 1 } else { 2 };
                self.expr(&parts[k])
            }
            ExprKind::Convert(x) => number(f64::from(integer(&self.expr(x)))),
        }
    }
}

fn numbers(value: Value) -> Vec<f64> {
    if let Value::Numbers(numbers) = value { numbers } else { unreachable!("{value:?}") }
}

fn real(value: &Value) -> f64 {
    if let Value::Numbers(numbers) = value { numbers[0] } else { unreachable!("{value:?}") }
}

fn integer(value: &Value) -> u32 {
    if let Value::Integer(n) = value { *n } else { unreachable!("{value:?}") }
}

fn binary(op: BinaryOp, a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => match op {
            BinaryOp::Add => Value::Integer(a.wrapping_add(b)),
            BinaryOp::Mul => Value::Integer(a.wrapping_mul(b)),
            BinaryOp::Eq => Value::Truth(a == b),
            BinaryOp::Lt => Value::Truth(a < b),
            _ => unreachable!("{op:?}"),
        },
        (Value::Truth(a), Value::Truth(b)) => Value::Truth(match op {
            BinaryOp::And => a && b,
            BinaryOp::Or => a || b,
            _ => unreachable!("{op:?}"),
        }),
        (Value::Numbers(a), Value::Numbers(b)) => {
            if op.is_comparison() {
                let (a, b) = (a[0], b[0]);
                return Value::Truth(match op {
                    BinaryOp::Lt => a < b,
                    BinaryOp::Le => a <= b,
                    BinaryOp::Gt => a > b,
                    BinaryOp::Ge => a >= b,
                    BinaryOp::Eq => a == b,
                    _ => a != b,
                });
            }
            let apply = |a: f64, b: f64| match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                _ => unreachable!("{op:?}"),
            };
            let at = |x: &[f64], k: usize| if x.len() == 1 { x[0] } else { x[k] };
            let n = a.len().max(b.len());
            Value::Numbers((0..n).map(|k| apply(at(&a, k), at(&b, k))).collect())
        }
        (a, b) => unreachable!("{a:?} {op:?} {b:?}"),
    }
}

fn math(builtin: Builtin, x: &[Vec<f64>]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let n = |k: usize| x[k][0];
    let value = match builtin {
        Builtin::Sqrt => n(0).sqrt(),
        Builtin::Rsqrt => 1.0 / n(0).sqrt(),
        Builtin::Recip => 1.0 / n(0),
        Builtin::Powf => n(0).powf(n(1)),
        Builtin::Cbrt => n(0).cbrt(),
        Builtin::Exp => n(0).exp(),
        Builtin::Ln => n(0).ln(),
        Builtin::Sin => n(0).sin(),
        Builtin::Cos => n(0).cos(),
        Builtin::Tan => n(0).tan(),
        Builtin::Asin => n(0).asin(),
        Builtin::Acos => n(0).acos(),
        Builtin::Atan => n(0).atan(),
        Builtin::Atan2 => n(0).atan2(n(1)),
        Builtin::Sinh => n(0).sinh(),
        Builtin::Cosh => n(0).cosh(),
        Builtin::Tanh => n(0).tanh(),
        Builtin::Erf => erf(n(0)),
        Builtin::Erfc => 1.0 - erf(n(0)),
        Builtin::Abs => n(0).abs(),
        Builtin::Min => n(0).min(n(1)),
        Builtin::Max => n(0).max(n(1)),
        Builtin::Clamp => n(0).max(n(1)).min(n(2)),
        Builtin::Floor => n(0).floor(),
        Builtin::Ceil => n(0).ceil(),
        Builtin::Round => n(0).round(),
        Builtin::Trunc => n(0).trunc(),
        Builtin::Copysign => n(0).copysign(n(1)),
        Builtin::MulAdd => n(0) * n(1) + n(2),
        Builtin::Dot => dot(&x[0], &x[1]),
        Builtin::Norm => dot(&x[0], &x[0]).sqrt(),
        Builtin::Norm2 => dot(&x[0], &x[0]),
        Builtin::Least
        | Builtin::Greatest
        | Builtin::RotateLeft
        | Builtin::CountOnes
        | Builtin::MulHigh
        | Builtin::At
        | Builtin::Slope
        | Builtin::Curvature
        | Builtin::Third => unreachable!("a function of integers, or a spline"),
        Builtin::Cross => {
            let [a, b] = [&x[0], &x[1]];
            let part = |k: usize, l: usize| a[k] * b[l] - a[l] * b[k];
            return vec![part(1, 2), part(2, 0), part(0, 1)];
        }
    };
    vec![value]
}

/// Returns the error function by its series.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    // All terms have one sign.
    let (mut term, mut sum) = (x, x);
    for k in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * k + 1);
        sum += term;
    }
    sum * (-x * x).exp() * std::f64::consts::FRAC_2_SQRT_PI
}
