//! The types of operators.

use syn::BinOp;

use crate::ir::{BinaryOp, Type};

/// The operator of an expression.
pub(crate) fn of(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::Add(_) => BinaryOp::Add,
        BinOp::Sub(_) => BinaryOp::Sub,
        BinOp::Mul(_) => BinaryOp::Mul,
        BinOp::Div(_) => BinaryOp::Div,
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

/// The operator of an assignment such as `+=`.
pub(crate) fn assignment(op: &BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::AddAssign(_) => BinaryOp::Add,
        BinOp::SubAssign(_) => BinaryOp::Sub,
        BinOp::MulAssign(_) => BinaryOp::Mul,
        BinOp::DivAssign(_) => BinaryOp::Div,
        BinOp::BitAndAssign(_) => BinaryOp::And,
        BinOp::BitOrAssign(_) => BinaryOp::Or,
        BinOp::BitXorAssign(_) => BinaryOp::Xor,
        _ => return None,
    })
}

/// The type of `a op b`, or advice.
pub(crate) fn binary(op: BinaryOp, a: Type, b: Type) -> Result<Type, &'static str> {
    use BinaryOp::{Add, And, Div, Eq, Mul, Ne, Or, Sub, Xor};
    use Type::{Bool, Point, Real, U32, Vector};
    match (a, op, b) {
        (Real, Add | Sub | Mul | Div, Real) => Ok(Real),
        (U32, Add | Sub | Mul | And | Or | Xor, U32) => Ok(U32),
        (Bool, And | Or | Xor | Eq | Ne, Bool) => Ok(Bool),
        (Vector(m), Add | Sub, Vector(n)) if m == n => Ok(Vector(n)),
        (Vector(n), Mul | Div, Real) | (Real, Mul, Vector(n)) => Ok(Vector(n)),
        (Point(m), Sub, Point(n)) if m == n => Ok(Vector(n)),
        (Real, op, Real) | (U32, op, U32) if op.is_comparison() => Ok(Bool),
        _ => Err(help(op, a, b)),
    }
}

fn help(op: BinaryOp, a: Type, b: Type) -> &'static str {
    use BinaryOp::{Add, Div, Mul, Sub};
    use Type::{Bool, Point, Real, U32, Vector};
    match (a, op, b) {
        (Point(_), Add, Point(_)) => "points cannot be added; only their difference exists",
        (Point(_), _, _) | (_, _, Point(_)) => {
            "a `Point` has no meaning by itself; only the difference of two exists, a `Vector`"
        }
        (Vector(_), Mul, Vector(_)) => {
            "write `a.dot(b)` for the scalar product or `a.cross(b)` for the vector product"
        }
        (Vector(_) | Real, Div, Vector(_)) => "a vector does not divide anything",
        (Vector(_), Add | Sub, Real) | (Real, Add | Sub, Vector(_)) => {
            "a `Vector` and a `Real` do not add; take a component or multiply a vector"
        }
        (Vector(_), op, _) | (_, op, Vector(_)) if op.is_comparison() => {
            "vectors have no order; compare their lengths or components"
        }
        (Vector(_), Add | Sub, Vector(_)) => "the vectors have different numbers of components",
        (Real, _, U32) | (U32, _, Real) => {
            "an integer becomes a `Real` by `as Real`, a literal by a decimal point, such as `2.0`"
        }
        (U32, Div, U32) => "integers do not divide; convert them with `as Real`",
        (Bool, _, _) | (_, _, Bool) => "use `if` to turn a condition into a number",
        _ => "the operands have types that do not go together",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_differences_of_points_exist() {
        assert_eq!(binary(BinaryOp::Sub, Type::Point(3), Type::Point(3)), Ok(Type::Vector(3)));
        assert!(binary(BinaryOp::Add, Type::Point(3), Type::Point(3)).is_err());
        assert!(binary(BinaryOp::Sub, Type::Point(3), Type::Point(2)).is_err());
        assert!(binary(BinaryOp::Lt, Type::Bool, Type::Bool).is_err());
    }
}
