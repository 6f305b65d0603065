//! Prints expressions as in the declaration, for messages.

use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Index, Input, Module, Pair, TENSOR, Type, UnaryOp,
};

/// Names of the components of positions and vectors.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Prints expressions of a body.
pub struct Text<'a> {
    pub module: &'a Module,
    /// Function that names the records, and the body that is printed.
    pub pair: &'a Pair,
    pub body: &'a Body,
}

impl Text<'_> {
    pub fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Real(text) => text.clone(),
            ExprKind::U32(n) => n.to_string(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Local(id) => self.body.locals[*id].name.clone(),
            ExprKind::Constant(id) => self.module[*id].name.clone(),
            ExprKind::Input(input, field) => {
                let record = match input {
                    Input::Parameters => "self",
                    input => self.pair.roles.input(*input),
                };
                format!("{record}.{}", self.module[*field].name)
            }
            ExprKind::Component(base, Index::Fixed(k)) => match (base.ty, AXES.get(*k)) {
                (Type::Point(_) | Type::Vector(_), Some(axis)) => {
                    format!("{}.{axis}", self.operand(base))
                }
                (Type::Tensor(n), _) => format!("{}.{}", self.operand(base), TENSOR[n - 1][*k].0),
                _ => format!("{}[{k}]", self.operand(base)),
            },
            ExprKind::Component(base, Index::Loop(k)) => {
                format!("{}[{}]", self.operand(base), self.expr(k))
            }
            ExprKind::Entry(base, indices) => {
                let indices = indices.iter().map(|index| format!("[{}]", self.expr(index)));
                format!("{}{}", self.operand(base), indices.collect::<String>())
            }
            ExprKind::Gather(..) => unreachable!("checked: a pair gathers no second particles"),
            ExprKind::Unary(UnaryOp::Neg, x) => format!("-{}", self.operand(x)),
            ExprKind::Unary(UnaryOp::Not, x) => format!("!{}", self.operand(x)),
            ExprKind::Binary(op, a, b) => {
                format!("{} {} {}", self.term(*op, a), sign(*op), self.term(*op, b))
            }
            ExprKind::Math(builtin, operands) => {
                format!(
                    "{}.{}({})",
                    self.operand(&operands[0]),
                    builtin.name(),
                    self.list(&operands[1..])
                )
            }
            ExprKind::Powi(base, n) => format!("{}.powi({n})", self.operand(base)),
            ExprKind::Components(parts) => format!("[{}]", self.list(parts)),
            ExprKind::Call(function, arguments) => {
                format!("{}({})", self.module[*function].name, self.list(arguments))
            }
            ExprKind::Select(parts) => {
                let [condition, yes, no] = [0, 1, 2].map(|k| self.expr(&parts[k]));
                format!("if {condition} {{ {yes} }} else {{ {no} }}")
            }
            ExprKind::Convert(number) => format!("{} as {}", self.operand(number), expr.ty),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    /// Prints an operand, in parentheses if it is an operation.
    fn operand(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        let is_operation = matches!(
            expr.kind,
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Select(_) | ExprKind::Convert(_)
        );
        if is_operation { format!("({text})") } else { text }
    }

    /// Prints an operand of this operation: a product in a sum needs no parentheses.
    fn term(&self, op: BinaryOp, expr: &Expr) -> String {
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub) || op.is_comparison();
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, ..) if is_sum => self.expr(expr),
            ExprKind::Binary(BinaryOp::Mul, ..) if op == BinaryOp::Mul => self.expr(expr),
            _ => self.operand(expr),
        }
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Xor => "^",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
    }
}
