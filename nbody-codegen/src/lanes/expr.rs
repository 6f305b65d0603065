//! Lowers expressions.

use super::lowering::Lowering;
use super::tree::{LaneExpr, Name};
use crate::ir::{
    BinaryOp, Builtin, Expr, ExprKind, Index, Type, UnaryOp, Value, part_name, spline_of,
};

impl<'a> Lowering<'a> {
    pub(super) fn expr(&self, expr: &'a Expr) -> LaneExpr<'a> {
        match &expr.kind {
            ExprKind::Real(text) => real("splat", vec![LaneExpr::Number(text)]),
            ExprKind::U32(n) => real("splat_u32", vec![LaneExpr::Integer(*n)]),
            ExprKind::Bool(value) => real("splat_mask", vec![LaneExpr::Truth(*value)]),
            ExprKind::Local(id) => {
                let name = Name::Local(*id).into();
                let counts = self.body.locals[*id].range.is_some();
                if counts { real("splat_u32", vec![name]) } else { name }
            }
            ExprKind::Constant(id) => {
                let splat = match self.module[*id].value {
                    Value::U32(_) => "splat_u32",
                    Value::Real(_) => "splat",
                };
                real(splat, vec![LaneExpr::Constant(*id)])
            }
            ExprKind::Input(input, field) => LaneExpr::Field(Name::Input(*input), *field),
            ExprKind::Gather(index, place, field) => {
                LaneExpr::Gather(Box::new(self.expr(index)), *place, *field)
            }
            ExprKind::Component(base, Index::Fixed(k)) if matches!(base.ty, Type::Reduced(_)) => {
                LaneExpr::Part(Box::new(self.operand(base)), part_name(base.ty, *k))
            }
            ExprKind::Component(base, index) => component(self.operand(base), index),
            ExprKind::Entry(base, indices) if base.ty.is_of_splines() => {
                self.operand(base).method(spline_of(indices), self.list(indices))
            }
            ExprKind::Entry(base, indices) => {
                LaneExpr::Entry(Box::new(self.operand(base)), self.list(indices))
            }
            ExprKind::Unary(UnaryOp::Neg, operand) => self.operand(operand).negative(),
            ExprKind::Unary(UnaryOp::Not, operand) => self.operand(operand).not(),
            ExprKind::Binary(BinaryOp::Sub, a, b) if matches!(a.ty, Type::Point(_)) => {
                let ends = vec![self.expr(a), self.expr(b)];
                LaneExpr::Name(Name::Space).method("difference", ends)
            }
            ExprKind::Binary(op, a, b) => self.sum_or_product(*op, a, b),
            ExprKind::Math(builtin, operands) => {
                if let Some(name) = builtin.of_integers() {
                    return real(name, self.list(operands));
                }
                self.operand(&operands[0]).method(builtin.name(), self.list(&operands[1..]))
            }
            ExprKind::Powi(base, n) => {
                if let Some((x, n)) = power_of_root(expr) {
                    let one = real("splat", vec![LaneExpr::Number("1.0")]);
                    return self.times_power_of_root(one, x, n);
                }
                LaneExpr::Powi(Box::new(self.operand(base)), *n)
            }
            ExprKind::Components(parts) => LaneExpr::Components(expr.ty, self.list(parts)),
            ExprKind::Call(function, arguments) => LaneExpr::Call(*function, self.list(arguments)),
            ExprKind::Select(parts) => {
                let [condition, yes, no] = &**parts;
                select(expr.ty, self.operand(condition), self.expr(yes), self.expr(no))
            }
            ExprKind::Convert(number) => {
                let name = if expr.ty == Type::U32 { "to_u32" } else { "from_u32" };
                real(name, vec![self.expr(number)])
            }
        }
    }

    fn list(&self, exprs: &'a [Expr]) -> Vec<LaneExpr<'a>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// Lowers the expression, in parentheses unless it is one word or one call.
    fn operand(&self, expr: &'a Expr) -> LaneExpr<'a> {
        let lowered = self.expr(expr);
        match expr.kind {
            ExprKind::Unary(..) => lowered.paren(),
            ExprKind::Binary(op, ..) if infix(op, expr) => lowered.paren(),
            _ => lowered,
        }
    }

    /// Lowers an operand like [`operand`](Self::operand), but without parentheses around chains of
    /// sums and products.
    fn left_operand(&self, op: BinaryOp, expr: &'a Expr) -> LaneExpr<'a> {
        use BinaryOp::{Add, Div, Mul, Sub};
        let bare = match (&expr.kind, op) {
            (ExprKind::Binary(Mul | Div, a, b), Mul | Div | Add | Sub) => {
                // A scalar factor on the left is moved behind its vector.
                !matches!((a.ty, b.ty), (Type::Real, Type::Vector(_))) || matches!(op, Add | Sub)
            }
            (ExprKind::Binary(Add | Sub, ..), Add | Sub) => true,
            _ => false,
        };
        let is_real = matches!(expr.ty, Type::Real | Type::Vector(_));
        if bare && is_real { self.expr(expr) } else { self.operand(expr) }
    }

    /// Lowers an operation to the fewest instructions where an operand is a product.
    fn sum_or_product(&self, op: BinaryOp, a: &'a Expr, b: &'a Expr) -> LaneExpr<'a> {
        use BinaryOp::{Add, Mul, Sub};
        if let (Mul, Type::Real, Some((x, n))) = (op, a.ty, power_of_root(b)) {
            return self.times_power_of_root(self.operand(a), x, n);
        }
        let plus_scalar_product = match (op, scalar_product(a), scalar_product(b)) {
            (Add, Some(product), _) => Some((product, b)),
            (Add, _, Some(product)) => Some((product, a)),
            _ => None,
        };
        if let Some(((name, vectors), rest)) = plus_scalar_product {
            let arguments = vectors[1..].iter().chain([rest]).map(|operand| self.expr(operand));
            return self.operand(&vectors[0]).method(name, arguments.collect());
        }
        let (left, right) = (product(a), product(b));
        match (op, left, right) {
            (Add, Some((scale, other)), None) => {
                let factors = vec![self.expr(scale), self.expr(other)];
                self.operand(b).method("plus_product", factors)
            }
            (Sub, Some((scale, other)), None) => {
                let arguments = vec![self.expr(scale), self.expr(b)];
                self.operand(other).method("times_minus", arguments)
            }
            (Add | Sub, _, Some(_)) => self.combined(self.operand(a), a.ty, op, b),
            _ => binary(op, (self.left_operand(op, a), a.ty), (self.operand(b), b.ty)),
        }
    }

    /// Lowers an operation on a variable and a value.
    pub(super) fn combined(
        &self,
        left: LaneExpr<'a>,
        ty: Type,
        op: BinaryOp,
        value: &'a Expr,
    ) -> LaneExpr<'a> {
        let name = match op {
            BinaryOp::Add => "plus_product",
            BinaryOp::Sub => "minus_product",
            _ => return binary(op, (left, ty), (self.operand(value), value.ty)),
        };
        match product(value).filter(|_| !matches!(ty, Type::Point(_))) {
            None => binary(op, (left, ty), (self.operand(value), value.ty)),
            Some((scale, other)) => left.method(name, vec![self.expr(scale), self.expr(other)]),
        }
    }

    /// Lowers `a * x.rsqrt().powi(n)`.
    fn times_power_of_root(&self, a: LaneExpr<'a>, x: &'a Expr, n: i32) -> LaneExpr<'a> {
        LaneExpr::MethodOf(Box::new(a), "times_rsqrt_powi", n, Box::new(self.expr(x)))
    }
}

/// Calls a function of the lane.
pub(super) fn real<'a>(name: &'static str, arguments: Vec<LaneExpr<'a>>) -> LaneExpr<'a> {
    LaneExpr::Real(name, arguments)
}

/// Takes a component.
pub(super) fn component<'a>(base: LaneExpr<'a>, index: &'a Index) -> LaneExpr<'a> {
    match index {
        Index::Fixed(k) => LaneExpr::Component(Box::new(base), *k),
        Index::Loop(index) => LaneExpr::At(Box::new(base), Box::new(host_integer(index))),
    }
}

/// Lowers an index to an integer of the host.
fn host_integer(expr: &Expr) -> LaneExpr<'_> {
    match &expr.kind {
        ExprKind::Local(id) => Name::Local(*id).into(),
        ExprKind::Constant(id) => LaneExpr::Constant(*id),
        ExprKind::Binary(op, a, b) => {
            let sign = match op {
                BinaryOp::Add => '+',
                BinaryOp::Sub => '-',
                BinaryOp::Mul => '*',
                _ => unreachable!("checked: loops count in `+ - *`"),
            };
            host_integer(a).infix(sign, host_integer(b)).paren()
        }
        ExprKind::U32(n) => LaneExpr::Integer(*n),
        _ => unreachable!("checked: loops count in numbers, constants and `+ - *`"),
    }
}

/// Selects a value by a mask.
pub(super) fn select<'a>(
    ty: Type,
    mask: LaneExpr<'a>,
    yes: LaneExpr<'a>,
    no: LaneExpr<'a>,
) -> LaneExpr<'a> {
    match (ty, &mask) {
        (Type::Bool, LaneExpr::Name(_)) => {
            let others = mask.clone().paren().not().infix('&', no.paren());
            mask.infix('&', yes.paren()).paren().infix('|', others.paren()).paren()
        }
        // A condition that is printed twice would grow exponentially when nested.
        _ => LaneExpr::Select(ty, Box::new([mask, yes, no])),
    }
}

fn binary<'a>(
    op: BinaryOp,
    (a, left): (LaneExpr<'a>, Type),
    (b, right): (LaneExpr<'a>, Type),
) -> LaneExpr<'a> {
    use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
    match (left, op, right) {
        (Type::U32, Add, _) => real("add_u32", vec![a, b]),
        (Type::U32, Sub, _) => real("sub_u32", vec![a, b]),
        (Type::U32, Mul, _) => real("mul_u32", vec![a, b]),
        (Type::U32, Div, _) => real("div_u32", vec![a, b]),
        (_, Rem, _) => real("rem_u32", vec![a, b]),
        (_, Shl, _) => real("shl_u32", vec![a, b]),
        (_, Shr, _) => real("shr_u32", vec![a, b]),
        (Type::U32, Lt, _) => real("lt_u32", vec![a, b]),
        (Type::U32, Le, _) => real("le_u32", vec![a, b]),
        (Type::U32, Gt, _) => real("lt_u32", vec![b, a]),
        (Type::U32, Ge, _) => real("le_u32", vec![b, a]),
        (Type::U32, Eq, _) => real("eq_u32", vec![a, b]),
        (Type::U32, Ne, _) => real("eq_u32", vec![a, b]).not(),
        (Type::Bool, Eq, _) => a.infix('^', b).paren().not(),
        (Type::Real, Lt, _) => real("lt", vec![a, b]),
        (Type::Real, Le, _) => real("le", vec![a, b]),
        (Type::Real, Gt, _) => real("lt", vec![b, a]),
        (Type::Real, Ge, _) => real("le", vec![b, a]),
        (Type::Real, Eq, _) => real("eq", vec![a, b]),
        (Type::Real, Ne, _) => real("eq", vec![a, b]).not(),
        (Type::Real, Mul, Type::Vector(_)) => b.infix('*', a.paren()),
        (_, Add, _) => a.infix('+', b),
        (_, Sub, _) => a.infix('-', b),
        (_, Mul, _) => a.infix('*', b),
        (_, Div, _) => a.infix('/', b),
        (_, And, _) => a.infix('&', b),
        (_, Or, _) => a.infix('|', b),
        (_, Xor | Ne, _) => a.infix('^', b),
        (_, Lt | Le | Gt | Ge | Eq, _) => unreachable!("checked: only numbers have an order"),
    }
}

/// Returns the factors of a product of two reals, or of a real and a vector; the vector comes
/// last.
fn product(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) => match (a.ty, b.ty) {
            (Type::Real, Type::Real | Type::Vector(_)) => Some((a, b)),
            (Type::Vector(_), Type::Real) => Some((b, a)),
            _ => None,
        },
        _ => None,
    }
}

/// Tests whether the expression is a product whose factors an operation can take directly.
pub(super) fn is_product(expr: &Expr) -> bool {
    product(expr).is_some()
}

/// Returns the vectors of a scalar product, and the name of the function that adds a number to it.
fn scalar_product(expr: &Expr) -> Option<(&'static str, &[Expr])> {
    match &expr.kind {
        ExprKind::Math(Builtin::Dot, vectors) => Some(("dot_plus", vectors)),
        ExprKind::Math(Builtin::Norm2, vectors) => Some(("norm2_plus", vectors)),
        _ => None,
    }
}

/// Returns the operand and the exponent of a power of a reciprocal square root.
fn power_of_root(expr: &Expr) -> Option<(&Expr, i32)> {
    match &expr.kind {
        ExprKind::Powi(base, n) if (2..=16).contains(n) => match &base.kind {
            ExprKind::Math(Builtin::Rsqrt, operands) => Some((&operands[0], *n)),
            _ => None,
        },
        _ => None,
    }
}

/// Tests whether the operator stands between its operands.
fn infix(op: BinaryOp, expr: &Expr) -> bool {
    use BinaryOp::{And, Or, Xor};
    let ExprKind::Binary(_, a, _) = &expr.kind else {
        return false;
    };
    let call = op.is_comparison() && a.ty != Type::Bool
        || a.ty == Type::U32 && !matches!(op, And | Or | Xor)
        || matches!(a.ty, Type::Point(_));
    !call || op == BinaryOp::Ne
}
