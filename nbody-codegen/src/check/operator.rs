//! Types of operators.

use syn::BinOp;

use crate::ir::{BinaryOp, Type};

/// Returns the operator of an expression with operands of these types.
pub(crate) fn of(op: &BinOp, [a, b]: [Type; 2]) -> Option<BinaryOp> {
    Some(match op {
        // As in Rust, `&&` and `
        //
        // ` apply to conditions only.
        BinOp::And(_) | BinOp::Or(_) if [a, b] != [Type::Bool; 2] => return None,
        BinOp::Add(_) => BinaryOp::Add,
        BinOp::Sub(_) => BinaryOp::Sub,
        BinOp::Mul(_) => BinaryOp::Mul,
        BinOp::Div(_) => BinaryOp::Div,
        BinOp::Rem(_) => BinaryOp::Rem,
        BinOp::Shl(_) => BinaryOp::Shl,
        BinOp::Shr(_) => BinaryOp::Shr,
        BinOp::And(_) | BinOp::BitAnd(_) => BinaryOp::And,
        BinOp::Or(_) | BinOp::BitOr(_) => BinaryOp::Or,
        BinOp::BitXor(_) => BinaryOp::Xor,
        BinOp::Lt(_) => BinaryOp::Lt,
        BinOp::Le(_) => BinaryOp::Le,
        BinOp::Gt(_) => BinaryOp::Gt,
        BinOp::Ge(_) => BinaryOp::Ge,
        BinOp::Eq(_) => BinaryOp::Eq,
        BinOp::Ne(_) => BinaryOp::Ne,
        _ => return None,
    })
}

/// Returns the operator of an assignment such as `+=`.
pub(crate) fn assignment(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::AddAssign(_) => BinaryOp::Add,
        BinOp::SubAssign(_) => BinaryOp::Sub,
        BinOp::MulAssign(_) => BinaryOp::Mul,
        BinOp::DivAssign(_) => BinaryOp::Div,
        BinOp::RemAssign(_) => BinaryOp::Rem,
        BinOp::ShlAssign(_) => BinaryOp::Shl,
        BinOp::ShrAssign(_) => BinaryOp::Shr,
        BinOp::BitAndAssign(_) => BinaryOp::And,
        BinOp::BitOrAssign(_) => BinaryOp::Or,
        BinOp::BitXorAssign(_) => BinaryOp::Xor,
        _ => return None,
    })
}

/// Returns the text of an assignment operator.
pub(crate) fn written_assignment(op: Option<BinaryOp>) -> &'static str {
    match op {
        Some(BinaryOp::Add) => "+= ",
        Some(BinaryOp::Sub) => "-= ",
        Some(BinaryOp::Mul) => "*= ",
        Some(BinaryOp::Div) => "/= ",
        Some(BinaryOp::Rem) => "%= ",
        Some(BinaryOp::Shl) => "<<= ",
        Some(BinaryOp::Shr) => ">>= ",
        Some(BinaryOp::And) => "&= ",
        Some(BinaryOp::Or) => "|= ",
        Some(BinaryOp::Xor) => "^= ",
        _ => "= ",
    }
}

/// Returns the type of `a op b`, if the operation is defined.
pub(crate) fn binary(op: BinaryOp, a: Type, b: Type) -> Option<Type> {
    use BinaryOp::{Add, And, Div, Eq, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
    use Type::{Bool, Point, Real, Tensor, U32, Vector};
    match (a, op, b) {
        (Real, Add | Sub | Mul | Div, Real) => Some(Real),
        (U32, Add | Sub | Mul | Div | Rem | Shl | Shr | And | Or | Xor, U32) => Some(U32),
        (Bool, And | Or | Xor | Eq | Ne, Bool) => Some(Bool),
        (Vector(m), Add | Sub, Vector(n)) if m == n => Some(Vector(n)),
        (Tensor(m), Add | Sub, Tensor(n)) if m == n => Some(Tensor(n)),
        (Tensor(n), Mul | Div, Real) | (Real, Mul, Tensor(n)) => Some(Tensor(n)),
        (Vector(n), Mul | Div, Real) | (Real, Mul, Vector(n)) => Some(Vector(n)),
        (Point(m), Sub, Point(n)) if m == n => Some(Vector(n)),
        (Real, op, Real) | (U32, op, U32) if op.is_comparison() => Some(Bool),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_differences_of_points_exist() {
        assert_eq!(binary(BinaryOp::Sub, Type::Point(3), Type::Point(3)), Some(Type::Vector(3)));
        assert!(binary(BinaryOp::Add, Type::Point(3), Type::Point(3)).is_none());
        assert!(binary(BinaryOp::Sub, Type::Point(3), Type::Point(2)).is_none());
        assert!(binary(BinaryOp::Lt, Type::Bool, Type::Bool).is_none());
    }
}
