//! Advice on operators, conversions, conditions and values of the wrong type.

use syn::{BinOp, Expr, ExprBinary, UnOp};

use super::{operand, written};
use crate::ir::{self, BinaryOp, ExprKind, Type};
use crate::syntax::without_groups;

/// An operand: the expression and its type.
pub(crate) type Operand<'a> = (&'a Expr, Type);

/// Advises on an operator that is not defined for its operands.
pub(crate) fn of_binary(op: &BinOp, (left, a): Operand, (right, b): Operand) -> String {
    use Type::{Array, Bool, Point, Real, Tensor, U32, Vector};
    let (x, y) = (operand(left), operand(right));
    match (a, op, b) {
        (U32, BinOp::Rem(_) | BinOp::Shl(_) | BinOp::Shr(_), Real)
            if number_of_real(right).is_some() =>
        {
            format!("write `{}`", number_of_real(right).unwrap_or_default())
        }
        (_, BinOp::Rem(_), _) => remainder(&x, &y, [a, b]),
        (_, BinOp::Shr(_) | BinOp::Shl(_), _) => "only integers shift, by integers".to_owned(),
        (_, BinOp::And(_) | BinOp::Or(_), _) => {
            let op = written(op);
            format!("conditions are `bool`: write `{} {op} {}`", condition((left, a)), condition((right, b)))
        }
        (U32, BinOp::Eq(_) | BinOp::Ne(_), Bool) => flag(&x, matches!(op, BinOp::Eq(_)), right),
        (Bool, BinOp::Eq(_) | BinOp::Ne(_), U32) => flag(&y, matches!(op, BinOp::Eq(_)), left),
        (Bool, BinOp::Mul(_), _) => format!("write `{x}.select({y}, {})`", zero(b)),
        (_, BinOp::Mul(_), Bool) => format!("write `{y}.select({x}, {})`", zero(a)),
        (Bool, ..) | (.., Bool) => "use `if` to turn a condition into a number".to_owned(),
        (Point(_), BinOp::Add(_), Point(_)) => {
            "points cannot be added; only their difference exists".to_owned()
        }
        (Point(m), BinOp::Sub(_), Point(n)) if m != n => {
            "the points have different numbers of components".to_owned()
        }
        (Point(_), BinOp::Add(_) | BinOp::Sub(_), Vector(_)) => format!(
            "a position moves in an `update` alone: `p.pos += v`; in a pair, add to a difference of two points: \
             `(j.pos - i.pos) + {y}`"
        ),
        (Point(_) | Vector(_), BinOp::Eq(_) | BinOp::Ne(_), Point(_) | Vector(_)) if a == b => {
            format!("write `({x} - {y}).norm2() {} 0.0`", written(op))
        }
        (Point(_), ..) | (.., Point(_)) => {
            "a `Point` has no meaning by itself; only the difference of two exists, a `Vector`".to_owned()
        }
        (Tensor(_), BinOp::Mul(_), Vector(_)) => format!("write `{x}.dot({y})`"),
        (Tensor(_), ..) | (.., Tensor(_)) => {
            "tensors of the same dimension add, and a `Real` multiplies or divides a tensor; other operations are of \
             components, such as `t.xx`"
                .to_owned()
        }
        (Array(_), ..) | (.., Array(_)) => {
            "arrays have no arithmetic: a position is a `Point`, a quantity with a direction a `Vector`; of others \
             take the elements in a `for`"
                .to_owned()
        }
        (Vector(_), BinOp::Mul(_), Vector(_)) => {
            "write `a.dot(b)` for the scalar product or `a.cross(b)` for the vector product".to_owned()
        }
        (Real, BinOp::Div(_), Vector(_)) => {
            "a vector does not divide anything; `v / v.norm2()` has the inverse length".to_owned()
        }
        (Vector(_), BinOp::Div(_), Vector(_)) => {
            "a vector does not divide anything; the components do: `Vector::new(a.x / b.x, ...)`".to_owned()
        }
        (Vector(_), BinOp::Add(_) | BinOp::Sub(_), Real)
        | (Real, BinOp::Add(_) | BinOp::Sub(_), Vector(_)) => {
            "a `Vector` and a `Real` do not add; take a component or multiply a vector".to_owned()
        }
        (Vector(_), op, _) | (_, op, Vector(_)) if is_comparison(op) => {
            "vectors have no order; compare their lengths or components".to_owned()
        }
        (Vector(_), BinOp::Add(_) | BinOp::Sub(_), Vector(_)) => {
            "the vectors have different numbers of components".to_owned()
        }
        (Real | Vector(_), _, U32) => real_from(right),
        (U32, _, Real | Vector(_)) => match number_of_real(right) {
            Some(n) if number(left).is_none() && is_comparison(op) => format!("write `{n}`"),
            _ => real_from(left),
        },
        (Real, BinOp::BitAnd(_) | BinOp::BitOr(_), Real) => {
            "the bits of a `Real` are not seen; `&&` and `||` join conditions".to_owned()
        }
        _ => "the operators are `+ - * /`, comparisons, `&& || !` and, of integers, `% << >> & | ^ !`".to_owned(),
    }
}

fn remainder(x: &str, y: &str, types: [Type; 2]) -> String {
    if types[0] != Type::Real {
        return "only integers have a remainder".to_owned();
    }
    let y = if types[1] == Type::U32 { real_text(y) } else { y.to_owned() };
    format!("write `{x} - {y} * ({x} / {y}).trunc()`")
}

fn flag(x: &str, is_equal: bool, value: &Expr) -> String {
    let is_true = written(value) != "false";
    let op = if is_equal == is_true { "!=" } else { "==" };
    format!("a flag is compared with 0: write `{x} {op} 0`")
}

fn zero(ty: Type) -> &'static str {
    match ty {
        Type::U32 => "0",
        Type::Vector(1) => "Vector::new(0.0)",
        Type::Vector(2) => "Vector::new(0.0, 0.0)",
        Type::Vector(_) => "Vector::new(0.0, 0.0, 0.0)",
        _ => "0.0",
    }
}

fn is_comparison(op: &BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
}

/// Returns the expression inside parentheses.
fn inside(expr: &Expr) -> &Expr {
    match without_groups(expr) {
        Expr::Paren(paren) => inside(&paren.expr),
        expr => expr,
    }
}

/// Returns the value of an integer literal.
fn number(expr: &Expr) -> Option<u64> {
    match without_groups(expr) {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        Expr::Paren(paren) => number(&paren.expr),
        _ => None,
    }
}

/// Returns the integer that equals a `Real` literal.
fn number_of_real(expr: &Expr) -> Option<u32> {
    let text = written(expr);
    let text = text.strip_suffix(".0").or_else(|| text.strip_suffix('.'))?;
    text.parse().ok()
}

/// Advises to convert an integer to a `Real`.
pub(crate) fn real_from(expr: &Expr) -> String {
    match (number(expr), inside(expr)) {
        (Some(n), _) => format!("write `{n}.0`"),
        // The quotient of integers is cut off.
        (_, Expr::Binary(ExprBinary { left, op: BinOp::Div(_), right, .. })) => {
            let [a, b] = [left, right].map(|expr| real_text(&operand(expr)));
            format!("write `{a} / {b}`")
        }
        _ => format!("write `{}`", real_text(&operand(expr))),
    }
}

fn real_text(x: &str) -> String {
    if x.bytes().all(|c| c.is_ascii_digit()) { format!("{x}.0") } else { format!("({x} as Real)") }
}

/// Advises on a value that has not the type that is needed.
pub(crate) fn of_value(value: &ir::Expr, needed: Type) -> Option<String> {
    match (&value.kind, value.ty, needed) {
        (ExprKind::U32(n), _, Type::Real) => Some(format!("write `{n}.0`")),
        (ExprKind::Binary(BinaryOp::Div, ..), Type::U32, Type::Real) => Some(
            "the quotient of integers is cut off: divide numbers such as `1.0`, or convert with `as Real` before"
                .to_owned(),
        ),
        (_, Type::U32, Type::Real) => Some("convert it with `as Real`".to_owned()),
        (ExprKind::Real(text), _, Type::U32) => {
            let whole = text.strip_suffix(".0").or_else(|| text.strip_suffix('.'))?;
            Some(format!("write `{whole}`"))
        }
        (_, Type::Real, Type::U32) => {
            Some("count with integers from the start, or cut it off with `as u32`".to_owned())
        }
        (_, Type::Bool, Type::Real) => {
            Some("write `c.select(1.0, 0.0)` for a condition `c`".to_owned())
        }
        (_, Type::Bool, Type::U32) => Some("write `c.select(1, 0)` for a condition `c`".to_owned()),
        (_, Type::Real, Type::Vector(_)) => {
            Some("a number times a direction is a vector: `x / d.norm() * d`".to_owned())
        }
        (_, _, Type::Tensor(_)) => {
            Some("a tensor is made of vectors: `Tensor::outer(d)` or `Tensor::symmetric(d, force)`".to_owned())
        }
        (_, Type::Tensor(_), Type::Real) => {
            Some("take a component of the tensor, or its `trace()`".to_owned())
        }
        (_, Type::Vector(_), Type::Real) => {
            Some("take a component of the vector, or its `norm()`".to_owned())
        }
        _ => None,
    }
}

/// Advises on a unary operator that is not defined for its operand.
pub(crate) fn of_unary(op: UnOp, (expr, ty): Operand) -> String {
    let x = operand(expr);
    match (op, ty) {
        (UnOp::Deref(_), _) => format!("everything is passed by value: write `{x}`"),
        (UnOp::Neg(_), Type::U32) => match number(expr) {
            Some(n) => format!("an integer has no sign: write `-{n}.0`"),
            None => format!("an integer has no sign: write `-({x} as Real)`"),
        },
        (UnOp::Neg(_), Type::Point(_)) => {
            "a `Point` has no meaning by itself; only the difference of two exists".to_owned()
        }
        _ => "`-` takes a `Real`, a `Vector` or a `Tensor`, `!` a `bool` or a `u32`".to_owned(),
    }
}

/// Advises on a conversion that the language does not have.
pub(crate) fn of_cast((expr, ty): Operand, to: &str) -> String {
    let x = operand(expr);
    match (ty, to) {
        (Type::U32, "f64" | "f32") => format!("write `{x} as Real`"),
        (Type::U32, "usize" | "u32" | "i32" | "u64" | "i64" | "isize" | "u8" | "u16") => {
            format!("an index is a `u32` as it is: write `{x}`")
        }
        (Type::Real, "Real" | "f64" | "f32") => format!("it is a `Real` already: write `{x}`"),
        (Type::Real, "usize" | "u64" | "u16" | "u8") => format!("write `{x} as u32`"),
        (Type::Real, "i32" | "i64" | "isize" | "int") => {
            format!(
                "integers have no sign: `{x} as u32` is 0 for negative numbers, and `{x}.trunc()` is a `Real`"
            )
        }
        (Type::Bool, "u32" | "usize" | "i32") => format!("write `{x}.select(1, 0)`"),
        (Type::Bool, _) => format!("write `{x}.select(1.0, 0.0)`"),
        _ => "there are `u32 as Real` and `Real as u32`".to_owned(),
    }
}

/// Advises on a condition that is no `bool`.
pub(crate) fn of_condition((expr, ty): Operand) -> String {
    match ty {
        Type::U32 | Type::Real => format!("write `{}`", condition((expr, ty))),
        _ => "compare it with something".to_owned(),
    }
}

/// Returns the condition that a value was meant to be. `!` of an integer has all other bits.
fn condition((expr, ty): Operand) -> String {
    match (ty, without_groups(expr)) {
        (Type::Bool, _) => operand(expr),
        (Type::Real, _) => format!("{} != 0.0", operand(expr)),
        (_, Expr::Unary(unary)) if matches!(unary.op, UnOp::Not(_)) => {
            format!("{} == 0", operand(&unary.expr))
        }
        _ => format!("{} != 0", operand(expr)),
    }
}

/// Tests whether an operator is of integers alone.
fn sees_bits(op: &BinOp) -> bool {
    matches!(op, BinOp::Shl(_) | BinOp::Shr(_) | BinOp::Rem(_) | BinOp::BitAnd(_))
}

/// The power that `a ^ b` and `a ** b` were meant to be. It binds as in mathematics, tighter than
/// products.
pub(crate) struct Power<'a> {
    /// `^` or `**`.
    pub sign: &'static str,
    pub base: &'a Expr,
    pub exponent: &'a Expr,
    negative: bool,
    /// Whether an operation on bits binds tighter, as in `0xff ^ 1 << n`: nobody means a power there.
    is_of_bits: bool,
}

impl<'a> Power<'a> {
    /// Returns the power that an operator was meant to be, if any.
    pub fn of(binary: &'a ExprBinary) -> Option<Self> {
        let (sign, right) = match (&binary.op, without_groups(&binary.right)) {
            (BinOp::BitXor(_), right) => ("^", right),
            (BinOp::Mul(_), Expr::Unary(unary)) if matches!(unary.op, UnOp::Deref(_)) => {
                ("**", &*unary.expr)
            }
            _ => return None,
        };
        let (mut exponent, mut is_of_bits) = (right, false);
        while let Expr::Binary(inner) = without_groups(exponent) {
            is_of_bits |= sees_bits(&inner.op);
            exponent = &inner.left;
        }
        let mut negative = false;
        if let Expr::Unary(unary) = without_groups(exponent)
            && matches!(unary.op, UnOp::Neg(_))
        {
            negative = true;
            exponent = &unary.expr;
        }
        let mut base = &*binary.left;
        loop {
            base = match without_groups(base) {
                Expr::Binary(inner) => {
                    is_of_bits |= sees_bits(&inner.op);
                    &inner.right
                }
                Expr::Unary(unary) => {
                    is_of_bits |= matches!(unary.op, UnOp::Not(_));
                    &unary.expr
                }
                _ => break,
            };
        }
        Some(Self { sign, base, exponent, negative, is_of_bits })
    }

    /// Tests whether both operands are literal numbers, so that an operation on their bits makes
    /// no sense.
    pub fn is_of_numbers(&self) -> bool {
        !self.is_of_bits && number(self.base).is_some() && number(self.exponent).is_some()
    }

    /// Returns the value of a power of numbers, if it is a `u32`.
    fn value(&self, exponent: u64) -> Option<u32> {
        let base = u32::try_from(number(self.base)?).ok()?;
        base.checked_pow(u32::try_from(exponent).ok()?)
    }

    /// Returns the power inside the left side of this one, as in `x^2 + y^2`.
    pub fn before(binary: &'a ExprBinary) -> Option<&'a ExprBinary> {
        match without_groups(&binary.left) {
            Expr::Binary(inner) if matches!(inner.op, BinOp::BitXor(_)) => Some(inner),
            _ => None,
        }
    }

    /// Writes the expression of the language, given the types of the base and the exponent.
    pub fn text(&self, base: Type, exponent: Type) -> String {
        let x = operand(self.base);
        let sign = if self.negative { "-" } else { "" };
        let n = match without_groups(self.exponent) {
            Expr::Paren(paren) if !self.negative => written(&paren.expr),
            exponent => operand(exponent),
        };
        let whole = number(self.exponent).or(number_of_real(self.exponent).map(u64::from));
        match (base, whole, &*n) {
            (Type::Vector(_), Some(2), _) if !self.negative => format!("{x}.norm2()"),
            (Type::Vector(_), Some(n), _) => format!("{x}.norm().powi({sign}{n})"),
            (Type::Vector(_), None, _) => format!("{x}.norm().powf({sign}{n})"),
            (Type::U32, Some(n), _) if !self.negative && self.value(n).is_some() => {
                self.value(n).unwrap_or_default().to_string()
            }
            (Type::U32, Some(n), _) if number(self.base).is_some() => {
                format!("{x}.0.powi({sign}{n})")
            }
            (Type::U32, Some(2), _) if !self.negative => format!("{x} * {x}"),
            (Type::U32, Some(n), _) => format!("({x} as Real).powi({sign}{n})"),
            (_, Some(n), _) => format!("{x}.powi({sign}{n})"),
            (_, None, "0.5") if self.negative => format!("{x}.rsqrt()"),
            (_, None, "0.5") => format!("{x}.sqrt()"),
            _ => {
                let x = if base == Type::U32 { format!("({x} as Real)") } else { x };
                match (exponent, self.negative) {
                    (Type::U32, true) => format!("{x}.powf(-({n} as Real))"),
                    (Type::U32, false) => format!("{x}.powf({n} as Real)"),
                    _ => format!("{x}.powf({sign}{n})"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the power that was meant, for numbers of these types.
    fn power(text: &str, types: [Type; 2]) -> String {
        let binary: ExprBinary = syn::parse_str(text).unwrap();
        Power::of(&binary).unwrap().text(types[0], types[1])
    }

    #[test]
    fn powers_bind_as_in_mathematics() {
        let real = [Type::Real; 2];
        let whole = [Type::Real, Type::U32];
        for (text, types, meant) in [
            ("2.0 * r ^ 6", whole, "r.powi(6)"),
            ("r ^ 6 * 2.0", whole, "r.powi(6)"),
            ("-r ** 2", whole, "r.powi(2)"),
            ("r ** -3", whole, "r.powi(-3)"),
            ("(a / b)^2.0", real, "(a / b).powi(2)"),
            ("r ^ 1.5", real, "r.powf(1.5)"),
            ("r ^ -0.5", real, "r.rsqrt()"),
            ("r ^ (a + b)", real, "r.powf(a + b)"),
            ("r ^ -(a + b)", real, "r.powf(-(a + b))"),
            ("r ^ n", whole, "r.powf(n as Real)"),
            ("r ^ -n", whole, "r.powf(-(n as Real))"),
            ("d ^ 3", [Type::Vector(3), Type::U32], "d.norm().powi(3)"),
            ("n ** 3", [Type::U32; 2], "(n as Real).powi(3)"),
            ("10 ^ 6", [Type::U32; 2], "1000000"),
            ("10 ^ 20", [Type::U32; 2], "10.0.powi(20)"),
        ] {
            assert_eq!(power(text, types), meant, "{text}");
        }
    }
}
