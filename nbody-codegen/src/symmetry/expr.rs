//! Derives expressions in both directions.

use crate::ir::{BinaryOp, Expr, ExprKind, Input, Sign, Type, UnaryOp};
use crate::symmetry::signed::{Signed, Two};
use crate::symmetry::symmetrizer::{Symmetrizer, is_worth_sharing};

impl<'a> Symmetrizer<'a> {
    /// Derives both directions of an expression of `pair`. A product is `fused` if it is added to
    /// a value: its last factor then costs nothing.
    pub fn two(&mut self, expr: &'a Expr, fused: bool) -> Two {
        self.operand(expr, fused, "part")
    }

    /// Derives both directions of a factor of a product.
    pub fn factor(&mut self, expr: &'a Expr) -> Two {
        self.operand(expr, false, "factor")
    }

    /// Derives both directions of an operand. A value without a better name is named after the
    /// target of the statement and `part`.
    fn operand(&mut self, expr: &'a Expr, fused: bool, part: &str) -> Two {
        if self.is_product(expr) {
            return self.product(expr, fused);
        }
        let parity = self.parities.expr(expr);
        if parity.is_known() {
            let value = expr.clone();
            let value = if is_worth_sharing(expr) { self.share(value, part) } else { value };
            return Two::known(Signed::plus(value), parity);
        }
        match &expr.kind {
            ExprKind::Local(local) => {
                Two { forth: Signed::plus(expr.clone()), back: self.turned(*local) }
            }
            ExprKind::Input(input, field) => {
                let other = match input {
                    Input::I => Input::J,
                    Input::J => Input::I,
                    other => *other,
                };
                let kind = ExprKind::Input(other, *field);
                let back = Signed::plus(Expr { kind, ..*expr });
                Two { forth: Signed::plus(expr.clone()), back }
            }
            _ => {
                let fused = is_sum(expr);
                let parts = expr.parts().into_iter().map(|part| self.two(part, fused));
                let (forth, back): (Vec<_>, Vec<_>) =
                    parts.map(|Two { forth, back }| (forth, back)).unzip();
                Two { forth: with_parts(expr, forth), back: with_parts(expr, back) }
            }
        }
    }
}

fn is_sum(expr: &Expr) -> bool {
    let is_sum = matches!(
        &expr.kind,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, _) if !matches!(a.ty, Type::Point(_))
    );
    is_sum && expr.ty != Type::U32
}

/// Rebuilds the expression with other operands, and moves their signs to the front where possible.
fn with_parts(expr: &Expr, parts: Vec<Signed>) -> Signed {
    if is_sum(expr) {
        return sum(expr, parts);
    }
    let odd = parts.iter().fold(false, |odd, part| odd != part.minus);
    let minus = match &expr.kind {
        ExprKind::Unary(UnaryOp::Neg, _) => !odd,
        ExprKind::Component(..) => odd,
        ExprKind::Powi(_, n) => odd && n % 2 != 0,
        ExprKind::Math(builtin, _) if builtin.sign() == Sign::Odd => odd,
        ExprKind::Math(builtin, _) if builtin.sign() == Sign::Even => false,
        ExprKind::Select(_) if parts[1].minus && parts[2].minus => true,
        ExprKind::Components(_) if parts.iter().all(|part| part.minus) => true,
        _ => {
            let parts = parts.into_iter().map(Signed::explicit).collect();
            return Signed::plus(rebuilt(expr, parts));
        }
    };
    let bare: Vec<_> = parts.into_iter().map(|part| part.expr).collect();
    if matches!(expr.kind, ExprKind::Unary(UnaryOp::Neg, _)) {
        return bare.into_iter().map(|expr| Signed { minus, expr }).next().expect("one operand");
    }
    Signed { minus, expr: rebuilt(expr, bare) }
}

fn sum(expr: &Expr, parts: Vec<Signed>) -> Signed {
    let subtracts = matches!(expr.kind, ExprKind::Binary(BinaryOp::Sub, ..));
    let [a, b] = <[Signed; 2]>::try_from(parts).unwrap_or_else(|_| unreachable!("two operands"));
    let b = b.times(subtracts);
    let (op, minus, a, b) = match (a.minus, b.minus) {
        (false, false) => (BinaryOp::Add, false, a, b),
        (false, true) => (BinaryOp::Sub, false, a, b),
        (true, false) => (BinaryOp::Sub, false, b, a),
        (true, true) => (BinaryOp::Add, true, a, b),
    };
    let kind = ExprKind::Binary(op, Box::new(a.expr), Box::new(b.expr));
    Signed { minus, expr: Expr { kind, ..*expr } }
}

/// Rebuilds the expression with other operands.
fn rebuilt(expr: &Expr, parts: Vec<Expr>) -> Expr {
    let mut new = expr.clone();
    for (place, part) in new.parts_mut().into_iter().zip(parts) {
        *place = part;
    }
    new
}
