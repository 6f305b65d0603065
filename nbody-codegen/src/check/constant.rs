//! Evaluates constants in `f64`, so that both languages get the same number.

use quote::ToTokens;
use syn::{BinOp, Expr, Lit, UnOp};

use crate::check::operator;
use crate::diagnostics::{Ctxt, Site};
use crate::ir::{self, Constant, List, Type, Value};
use crate::message;
use crate::names::Unique;
use crate::syntax;

const CONSTANT: &str = "a constant is computed from numbers, other constants, `+ - * /`, of integers also `% << >> & | ^ !`, \
     and `core::f64::consts`";

/// Checks the constants of the module in order; each may use the constants before it.
pub(crate) fn check(cx: &Ctxt, items: &[syntax::Constant], names: &mut Unique) -> List<Constant> {
    let mut constants = List::default();
    for item in items {
        let name = item.ident.to_string();
        let ty = syntax::type_name(&item.ty).map(|ty| ty.to_string());
        let found = value(&item.value, &constants);
        let is_number = matches!(found, Some(Value::U32(_)));
        let written = if is_number { "u32" } else { "Real" };
        let (value_site, name_of) = (Site::of(&item.value), || vec![name.clone()]);
        let refused = match (ty.as_deref(), found) {
            (Some("Real"), Some(Value::Real(x))) if x.is_finite() => None,
            (Some("u32"), Some(Value::U32(_))) => None,
            (Some("Real"), Some(Value::Real(_))) => {
                Some((value_site, &message::CONST_RANGE, name_of()))
            }
            (Some("u32"), None) if is_whole(&item.value, &constants) => {
                Some((value_site, &message::CONST_RANGE, name_of()))
            }
            (Some("Real"), Some(Value::U32(n))) => {
                Some((value_site, &message::CONST_VALUE, vec![format!("write `{n}.0`")]))
            }
            (Some("Real" | "u32"), _) => {
                Some((value_site, &message::CONST_VALUE, vec![CONSTANT.to_owned()]))
            }
            _ => {
                let help = match &item.ty {
                    syn::Type::Array(_) => {
                        "numbers by index are a field of the parameters: `[Real; N]`, or a table"
                            .to_owned()
                    }
                    ty if syntax::type_name(ty)
                        .is_some_and(|ty| ty == "Vector" || ty == "Point") =>
                    {
                        "a direction or a position is a field of the parameters".to_owned()
                    }
                    ty if syntax::type_name(ty).is_some_and(|ty| ty == "bool") => {
                        format!("write `const {name}: u32 = 1;`, and compare it with 0")
                    }
                    _ => format!("write `const {name}: {written} = ...;`"),
                };
                Some((Site::of(&item.ty), &message::CONST_TYPE, vec![help]))
            }
        };
        if let Some((site, message, arguments)) = &refused {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            cx.error(*site, message, &arguments);
        }
        // A refused constant stays, so that its uses cause no further errors.
        let value = match (ty.as_deref(), found) {
            (Some("u32"), Some(Value::Real(_)) | None) => Value::U32(1),
            (_, Some(value)) if refused.is_none() => value,
            (_, Some(Value::U32(n))) if ty.as_deref() != Some("Real") => Value::U32(n),
            _ => Value::Real(1.0),
        };
        constants.push(Constant {
            attrs: item.attrs.clone(),
            vis: item.vis.clone(),
            ident: item.ident.clone(),
            name: names.name(&name),
            value,
            is_refused: refused.is_some()
                && !matches!(ty.as_deref(), Some("Real" | "u32" | "f64" | "f32" | "usize")),
        });
    }
    constants
}

/// Tests whether an expression consists of whole numbers and operators of the language.
fn is_whole(expr: &Expr, constants: &[Constant]) -> bool {
    let is_whole = |expr| is_whole(expr, constants);
    match expr {
        Expr::Lit(literal) => matches!(&literal.lit, Lit::Int(int) if int.suffix().is_empty()),
        Expr::Paren(paren) => is_whole(&paren.expr),
        Expr::Group(group) => is_whole(&group.expr),
        Expr::Unary(unary) => {
            matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) && is_whole(&unary.expr)
        }
        Expr::Binary(binary) => {
            operator::of(&binary.op, [Type::U32; 2]).is_some_and(|op| !op.is_comparison())
                && is_whole(&binary.left)
                && is_whole(&binary.right)
        }
        expr => index(expr, constants).is_some(),
    }
}

/// Returns a whole number that is written out or named.
pub(crate) fn index(expr: &Expr, constants: &[Constant]) -> Option<usize> {
    match value(expr, constants)? {
        Value::U32(n) => usize::try_from(n).ok(),
        Value::Real(_) => None,
    }
}

/// Returns a whole number with an optional sign.
pub(crate) fn exponent(expr: &Expr, constants: &[Constant]) -> Option<i32> {
    match expr {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            exponent(&unary.expr, constants).map(|n| -n)
        }
        Expr::Paren(paren) => exponent(&paren.expr, constants),
        Expr::Group(group) => exponent(&group.expr, constants),
        _ => i32::try_from(index(expr, constants)?).ok(),
    }
}

/// Returns the value of a constant expression.
fn value(expr: &Expr, constants: &[Constant]) -> Option<Value> {
    match expr {
        Expr::Lit(literal) => self::literal(&literal.lit),
        Expr::Paren(paren) => value(&paren.expr, constants),
        Expr::Group(group) => value(&group.expr, constants),
        Expr::Path(path) if path.qself.is_none() => named(&path.path, constants),
        Expr::Unary(unary) => match (&unary.op, value(&unary.expr, constants)?) {
            (UnOp::Neg(_), Value::Real(x)) => Some(Value::Real(-x)),
            (UnOp::Not(_), Value::U32(n)) => Some(Value::U32(!n)),
            _ => None,
        },
        Expr::Binary(binary) => {
            let (a, b) = (value(&binary.left, constants)?, value(&binary.right, constants)?);
            match (a, b) {
                (Value::Real(a), Value::Real(b)) => real(&binary.op, a, b).map(Value::Real),
                (Value::U32(a), Value::U32(b)) => integer(&binary.op, a, b).map(Value::U32),
                _ => None,
            }
        }
        _ => None,
    }
}

fn literal(literal: &Lit) -> Option<Value> {
    match literal {
        Lit::Float(float) if float.suffix().is_empty() => {
            float.base10_parse().ok().map(Value::Real)
        }
        Lit::Int(int) if int.suffix().is_empty() => int.base10_parse().ok().map(Value::U32),
        _ => None,
    }
}

/// Finds a constant of the module or of `core::f64::consts`.
pub(crate) fn named(path: &syn::Path, constants: &[Constant]) -> Option<Value> {
    if let Some(ident) = path.get_ident() {
        return constants.iter().find(|constant| constant.ident == *ident).map(|c| c.value);
    }
    library(path).map(Value::Real)
}

/// Finds a constant of `core::f64::consts`.
pub(crate) fn library(path: &syn::Path) -> Option<f64> {
    let written = path.to_token_stream().to_string().replace(' ', "");
    let written = written.trim_start_matches("::");
    let name = ["core::f64::consts::", "std::f64::consts::", "f64::consts::"]
        .iter()
        .find_map(|prefix| written.strip_prefix(prefix))?;
    ir::CONSTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn real(op: &BinOp, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        BinOp::Add(_) => a + b,
        BinOp::Sub(_) => a - b,
        BinOp::Mul(_) => a * b,
        BinOp::Div(_) => a / b,
        _ => return None,
    })
}

fn integer(op: &BinOp, a: u32, b: u32) -> Option<u32> {
    match op {
        BinOp::Add(_) => a.checked_add(b),
        BinOp::Sub(_) => a.checked_sub(b),
        BinOp::Mul(_) => a.checked_mul(b),
        BinOp::Div(_) => a.checked_div(b),
        BinOp::Rem(_) => a.checked_rem(b),
        BinOp::Shl(_) => a.checked_shl(b),
        BinOp::Shr(_) => a.checked_shr(b),
        BinOp::BitAnd(_) => Some(a & b),
        BinOp::BitOr(_) => Some(a | b),
        BinOp::BitXor(_) => Some(a ^ b),
        _ => None,
    }
}
