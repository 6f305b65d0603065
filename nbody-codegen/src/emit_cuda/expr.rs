//! Prints expressions with the fewest parentheses.

use std::num::FpCategory;

use crate::emit_cuda::joined::part_of_joined;
use crate::emit_cuda::structure::type_name;
use crate::ir::{
    BinaryOp, Body, Builtin, Expr, ExprKind, FieldId, Index, Input, Local, LocalId, Module, Roles,
    Side, Type, UnaryOp, Value, part_name, spline_of,
};

/// Precedence of operators, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Conditional,
    LogicalOr,
    LogicalAnd,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Comparison,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// Returns the single precision value of an `f64` constant that underflows to zero or overflows to
/// an infinity; compilers refuse to round such a constant.
fn lost_in_single(x: f64) -> Option<&'static str> {
    match (x as f32).classify() {
        FpCategory::Zero if x > 0.0 => Some("0.0f"),
        FpCategory::Zero if x < 0.0 => Some("-0.0f"),
        FpCategory::Infinite if x > 0.0 => Some("infinity()"),
        FpCategory::Infinite => Some("-infinity()"),
        _ => None,
    }
}

/// Tests whether a constant becomes a function in CUDA, where it is not a constant expression.
pub(super) fn is_function(constant: Value) -> bool {
    matches!(constant, Value::Real(x) if lost_in_single(x).is_some())
}

/// Prints a number, rounded to the precision of the program.
pub(super) fn rounded(x: f64) -> String {
    match lost_in_single(x) {
        Some(single) => format!("rounded({single}, {x:?})"),
        None => format!("real({x:?})"),
    }
}

/// Prints a literal as it is written, if compilers accept it.
fn literal(text: &str) -> String {
    let x: f64 = text.parse().expect("checked: a literal is a number");
    let is_zero = !text.bytes().any(|digit| matches!(digit, b'1'..=b'9'));
    // A literal with nonzero digits may underflow to zero even in `f64`.
    let as_written = lost_in_single(x).is_none() && (x != 0.0 || is_zero);
    if as_written { format!("real({text})") } else { rounded(x) }
}

/// Prints the expressions of one function.
pub(crate) struct Printer<'a> {
    module: &'a Module,
    body: &'a Body,
    /// Names of the particles, in functions that have particles.
    roles: Option<&'a Roles>,
}

impl<'a> Printer<'a> {
    pub fn new(module: &'a Module, body: &'a Body, roles: Option<&'a Roles>) -> Self {
        Self { module, body, roles }
    }

    pub fn local(&self, id: LocalId) -> &'a Local {
        &self.body.locals[id]
    }

    /// Returns the name of the result of i or of j.
    pub fn result(&self, side: Side) -> &'a str {
        self.roles().result(side)
    }

    /// Returns the name of the index of j.
    pub fn index_of_j(&self) -> &'a str {
        &self.roles().index
    }

    fn roles(&self) -> &'a Roles {
        self.roles.expect("checked: helper functions see no particles")
    }

    pub fn field(&self, id: FieldId) -> &'a str {
        &self.module[id].name
    }

    pub fn print(&self, expr: &Expr) -> String {
        self.expr(expr).0
    }

    /// Prints the expression, in parentheses if its place requires a higher precedence.
    fn at_least(&self, precedence: Precedence, expr: &Expr) -> String {
        let (text, found) = self.expr(expr);
        if found < precedence { format!("({text})") } else { text }
    }

    fn expr(&self, expr: &Expr) -> (String, Precedence) {
        use Precedence::{Conditional, LogicalOr, Primary, Unary};
        let text = match &expr.kind {
            ExprKind::Real(text) => literal(text),
            ExprKind::U32(n) => format!("{n}u"),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Local(id) => self.local(*id).name.clone(),
            ExprKind::Constant(id) => {
                let constant = &self.module[*id];
                let call = if is_function(constant.value) { "()" } else { "" };
                format!("{}{call}", constant.name)
            }
            ExprKind::Input(..) => self.base(expr),
            ExprKind::Gather(index, place, field) => {
                let others = &self.roles().others;
                let part = part_of_joined(*place, self.roles().seconds());
                format!("{others}.at({}){part}.{}", self.print(index), self.field(*field))
            }
            ExprKind::Component(base, index) => self.component(&self.base(base), base.ty, index),
            ExprKind::Entry(base, indices) if base.ty.is_of_splines() => {
                let name = spline_of(indices);
                format!("{}.{name}({})", self.base(base), self.list(indices))
            }
            ExprKind::Entry(base, indices) => {
                format!("entry({}, {})", self.base(base), self.list(indices))
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.at_least(Unary, operand);
                let op = if *op == UnaryOp::Neg { "-" } else { "!" };
                // `--x` would be another operator.
                let operand =
                    if operand.starts_with('-') { format!("({operand})") } else { operand };
                return (format!("{op}{operand}"), Unary);
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) if matches!(a.ty, Type::Point(_)) => {
                format!("{}.difference({}, {})", self.body.space, self.print(a), self.print(b))
            }
            ExprKind::Binary(BinaryOp::Div, a, b) if a.ty == Type::Real => {
                format!("divide({}, {})", self.print(a), self.print(b))
            }
            ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b)
                if a.ty == Type::U32 && !divides(b) =>
            {
                format!("{}({}, {})", division(*op), self.print(a), self.print(b))
            }
            ExprKind::Binary(BinaryOp::Xor, a, b) if b.kind == ExprKind::U32(u32::MAX) => {
                return (format!("~{}", self.at_least(Unary, a)), Unary);
            }
            ExprKind::Binary(op, a, b) => return self.binary(*op, a, b),
            ExprKind::Math(builtin, operands) if matches!(operands[0].ty, Type::Spline(_)) => {
                let arguments = self.list(&operands[1..]);
                format!("{}.{}({arguments})", self.base(&operands[0]), builtin.name())
            }
            ExprKind::Math(builtin, operands) => {
                format!("{}({})", builtin.name(), self.list(operands))
            }
            ExprKind::Powi(base, n) => match &base.kind {
                // The truncation error of the step grows with the cube of the power.
                ExprKind::Math(Builtin::Rsqrt, operands) if (2..=16).contains(n) => {
                    format!("rsqrt_powi<{n}>({})", self.list(operands))
                }
                _ => format!("powi<{n}>({})", self.print(base)),
            },
            ExprKind::Components(parts) => {
                format!("{}{{{}}}", type_name(expr.ty), self.list(parts))
            }
            ExprKind::Call(function, arguments) => {
                let function = &self.module[*function];
                let space = function.body.summary.needs_space.then(|| self.body.space.clone());
                let arguments = arguments.iter().map(|argument| self.print(argument));
                let arguments: Vec<_> = space.into_iter().chain(arguments).collect();
                format!("{}({})", function.name, arguments.join(", "))
            }
            ExprKind::Select(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.at_least(LogicalOr, condition);
                let (yes, no) = (self.at_least(LogicalOr, yes), self.at_least(Conditional, no));
                return (format!("{condition} ? {yes} : {no}"), Conditional);
            }
            ExprKind::Convert(number) => {
                let function = if expr.ty == Type::U32 { "to_u32" } else { "real" };
                format!("{function}({})", self.print(number))
            }
        };
        (text, Primary)
    }

    /// Prints the vector, array or table whose component or entry is taken.
    fn base(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Input(input, field) => {
                format!("{}.{}", self.input(*input), self.field(*field))
            }
            _ => self.at_least(Precedence::Primary, expr),
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> (String, Precedence) {
        if let Some(sum) = self.product_plus(op, a, b) {
            return (sum, Precedence::Primary);
        }
        let (sign, precedence) = operator(op, a.ty == Type::U32);
        if a.ty == Type::U32 && sees_bits(op) {
            return (self.of_bits(op, a, b), precedence);
        }
        let left = self.at_least(precedence, a);
        // Floating point is not associative: grouping to the right is kept.
        let (right, found) = self.expr(b);
        let right = if found <= precedence { format!("({right})") } else { right };
        (format!("{left} {sign} {right}"), precedence)
    }

    /// Prints an operation on bits; few know the precedence of other operators among these.
    fn of_bits(&self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let (sign, precedence) = operator(op, true);
        let is_alike = matches!(&a.kind, ExprKind::Binary(inner, ..) if *inner == op);
        let left = self.at_least(if is_alike { precedence } else { Precedence::Unary }, a);
        let right = match (op, &b.kind) {
            (BinaryOp::Shl | BinaryOp::Shr, ExprKind::U32(_)) => self.bits(b),
            (BinaryOp::Shl | BinaryOp::Shr, _) => format!("({})", self.bits(b)),
            _ => self.at_least(Precedence::Unary, b),
        };
        format!("{left} {sign} {right}")
    }

    /// Prints the bits of a shift, modulo 32.
    pub fn bits(&self, bits: &Expr) -> String {
        match bits.kind {
            ExprKind::U32(n) => format!("{}u", n % u32::BITS),
            _ => format!("{} % 32u", self.at_least(Precedence::Product, bits)),
        }
    }

    /// Prints a scalar product plus a number, for which the prelude has a function with the fewest
    /// instructions.
    fn product_plus(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<String> {
        let (builtin, operands, rest) = match (op, &a.kind, &b.kind) {
            (BinaryOp::Add, ExprKind::Math(builtin, operands), _) if is_product(*builtin) => {
                (builtin, operands, b)
            }
            (BinaryOp::Add, _, ExprKind::Math(builtin, operands)) if is_product(*builtin) => {
                (builtin, operands, a)
            }
            _ => return None,
        };
        let (name, operands, rest) = (builtin.name(), self.list(operands), self.print(rest));
        Some(format!("{name}_plus({operands}, {rest})"))
    }

    /// Prints one component of a vector or an array, or the value or the index of an extreme.
    pub fn component(&self, base: &str, ty: Type, index: &Index) -> String {
        match index {
            Index::Fixed(k) => component(base, ty, *k),
            Index::Loop(index) => format!("{base}[{}]", self.print(index)),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        let list: Vec<_> = exprs.iter().map(|expr| self.print(expr)).collect();
        list.join(", ")
    }

    pub fn input(&self, input: Input) -> &str {
        match input {
            Input::Parameters => "self",
            other => self.roles().input(other),
        }
    }
}

/// Tests whether an integer is certainly not 0.
pub(super) fn divides(integer: &Expr) -> bool {
    matches!(integer.kind, ExprKind::U32(1..))
}

/// Returns the function of a division, or of its remainder.
pub(super) fn division(op: BinaryOp) -> &'static str {
    if op == BinaryOp::Rem { "remainder" } else { "quotient" }
}

fn sees_bits(op: BinaryOp) -> bool {
    use BinaryOp::{And, Or, Shl, Shr, Xor};
    matches!(op, And | Or | Xor | Shl | Shr)
}

fn is_product(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::Dot | Builtin::Norm2)
}

/// Prints one component of a vector or an array.
pub(crate) fn component(base: &str, ty: Type, k: usize) -> String {
    match ty {
        Type::Vector(_) | Type::Point(_) => format!("{base}.{}", ["x", "y", "z"][k]),
        Type::Reduced(_) => format!("{base}.{}", part_name(ty, k)),
        _ => format!("{base}[{k}]"),
    }
}

/// Prints the operator of an assignment.
pub(crate) fn assignment(op: Option<BinaryOp>) -> String {
    op.map_or("=".to_owned(), |op| format!("{}=", operator(op, true).0))
}

fn operator(op: BinaryOp, bitwise: bool) -> (&'static str, Precedence) {
    match op {
        BinaryOp::Add => ("+", Precedence::Sum),
        BinaryOp::Sub => ("-", Precedence::Sum),
        BinaryOp::Mul => ("*", Precedence::Product),
        BinaryOp::Div => ("/", Precedence::Product),
        BinaryOp::Rem => ("%", Precedence::Product),
        BinaryOp::Shl => ("<<", Precedence::Shift),
        BinaryOp::Shr => (">>", Precedence::Shift),
        BinaryOp::And if bitwise => ("&", Precedence::BitAnd),
        BinaryOp::And => ("&&", Precedence::LogicalAnd),
        BinaryOp::Or if bitwise => ("|", Precedence::BitOr),
        BinaryOp::Or => ("||", Precedence::LogicalOr),
        BinaryOp::Xor => ("^", Precedence::BitXor),
        BinaryOp::Lt => ("<", Precedence::Comparison),
        BinaryOp::Le => ("<=", Precedence::Comparison),
        BinaryOp::Gt => (">", Precedence::Comparison),
        BinaryOp::Ge => (">=", Precedence::Comparison),
        BinaryOp::Eq => ("==", Precedence::Equality),
        BinaryOp::Ne => ("!=", Precedence::Equality),
    }
}
