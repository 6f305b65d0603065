//! Replacements of functions give the same values, and no function is mistaken for another.

use syn::Expr;

use super::*;
use crate::check::advice::written;

/// Methods of `f64` in std, and functions of C and CUDA.
const OTHERS: &str = "exp2 exp10 exp_m1 expm1 ln_1p log1p log log2 log10 logb hypot rhypot signum sgn sign \
    fract fmod rem_euclid div_euclid to_radians to_degrees sin_cos sincos sinpi cospi tanpi sind cosd tand cot \
    sec csc coth sech csch acot asec acsc asinh acosh atanh erfcx erfinv erfcinv erfi tgamma lgamma gamma \
    ln_gamma j0 j1 jn y0 y1 yn rcbrt powr pown pow sq sqr square cube inv maximum minimum abs_sub fdim fma mad \
    mix lerp midpoint clip saturate is_nan is_finite is_infinite is_sign_negative rint nearbyint \
    round_ties_even sinc norm1 abs2 normsq norm_inf dist total_cmp to_bits next_up mod frac exp1 expi";

#[test]
fn no_function_is_taken_for_another() {
    let methods: Vec<_> = Builtin::OF_REAL.iter().chain(Builtin::OF_VECTOR).collect();
    for name in OTHERS.split_whitespace() {
        for method in &methods {
            assert!(!is_misspelt(name, method.name()), "{name}: {}", method.name());
        }
    }
}

#[test]
fn misspelt_names_are_found() {
    for (name, method) in [
        ("sqtr", "sqrt"),
        ("abss", "abs"),
        ("Exp", "exp"),
        ("atan_2", "atan2"),
        ("nrom", "norm"),
        ("copysgn", "copysign"),
        ("florr", "floor"),
    ] {
        assert!(is_misspelt(name, method), "{name}: {method}");
    }
    assert!(!is_misspelt("norm1", "norm2"));
}

/// Evaluates an expression of `x`, `y` and `z`; a condition gives 1 or 0.
fn value(expr: &Expr, numbers: [f64; 3]) -> f64 {
    let of = |expr| value(expr, numbers);
    match expr {
        Expr::Lit(literal) => written(literal).parse().unwrap(),
        Expr::Paren(paren) => of(&paren.expr),
        Expr::Unary(unary) => -of(&unary.expr),
        Expr::Path(path) => match &*written(path) {
            "x" => numbers[0],
            "y" => numbers[1],
            "z" => numbers[2],
            path => {
                let name = path.strip_prefix("core::f64::consts::").unwrap();
                crate::ir::CONSTS.iter().find(|(known, _)| *known == name).unwrap().1
            }
        },
        Expr::Binary(binary) => {
            let (a, b) = (of(&binary.left), of(&binary.right));
            let is = |condition: bool| f64::from(u8::from(condition));
            match &*written(&binary.op) {
                "+" => a + b,
                "-" => a - b,
                "*" | "&&" => a * b,
                "/" => a / b,
                "<" => is(a < b),
                "<=" => is(a <= b),
                ">" => is(a > b),
                ">=" => is(a >= b),
                "==" => is(a == b),
                "!=" => is(a != b),
                other => panic!("{other}"),
            }
        }
        Expr::MethodCall(call) => {
            let arguments: Vec<f64> = call.args.iter().map(of).collect();
            if let Expr::Call(vector) = &*call.receiver {
                let norm2 = vector.args.iter().map(|x| of(x) * of(x)).sum::<f64>();
                return if call.method == "norm" { norm2.sqrt() } else { norm2 };
            }
            method(&call.method.to_string(), of(&call.receiver), &arguments)
        }
        other => panic!("{}", written(other)),
    }
}

/// Evaluates a method of the language.
fn method(name: &str, x: f64, arguments: &[f64]) -> f64 {
    match (name, arguments) {
        ("exp", []) => x.exp(),
        ("ln", []) => x.ln(),
        ("sqrt", []) => x.sqrt(),
        ("rsqrt", []) => x.sqrt().recip(),
        ("recip", []) => x.recip(),
        ("cbrt", []) => x.cbrt(),
        ("abs", []) => x.abs(),
        ("trunc", []) => x.trunc(),
        ("floor", []) => x.floor(),
        ("ceil", []) => x.ceil(),
        ("sin", []) => x.sin(),
        ("cos", []) => x.cos(),
        ("tan", []) => x.tan(),
        ("asin", []) => x.asin(),
        ("acos", []) => x.acos(),
        ("atan", []) => x.atan(),
        ("cosh", []) => x.cosh(),
        ("sinh", []) => x.sinh(),
        ("tanh", []) => x.tanh(),
        ("powf" | "powi", [y]) => x.powf(*y),
        ("atan2", [y]) => x.atan2(*y),
        ("copysign", [y]) => x.copysign(*y),
        ("max", [y]) => x.max(*y),
        ("min", [y]) => x.min(*y),
        ("clamp", [y, z]) => x.clamp(*y, *z),
        ("mul_add", [y, z]) => x.mul_add(*y, *z),
        ("select", [y, z]) => {
            if x == 0.0 {
                *z
            } else {
                *y
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn replacements_have_the_same_value() {
    type OfNumbers = fn(f64, f64, f64) -> f64;
    let functions: [(&str, OfNumbers); 37] = [
        ("exp2", |x, _, _| x.exp2()),
        ("exp10", |x, _, _| 10_f64.powf(x)),
        ("log2", |x, _, _| x.log2()),
        ("log10", |x, _, _| x.log10()),
        ("pow", |x, y, _| x.powf(y)),
        ("square", |x, _, _| x * x),
        ("cube", |x, _, _| x * x * x),
        ("hypot", |x, y, _| x.hypot(y)),
        ("rhypot", |x, y, _| 1.0 / x.hypot(y)),
        ("signum", |x, _, _| x.signum()),
        ("sgn", |x, _, _| if x == 0.0 { 0.0 } else { x.signum() }),
        ("fract", |x, _, _| x.fract()),
        ("fmod", |x, y, _| x % y),
        ("rem_euclid", |x, y, _| x.rem_euclid(y)),
        ("div_euclid", |x, y, _| x.div_euclid(y)),
        ("to_radians", |x, _, _| x.to_radians()),
        ("to_degrees", |x, _, _| x.to_degrees()),
        ("sinpi", |x, _, _| (x * std::f64::consts::PI).sin()),
        ("cot", |x, _, _| x.cos() / x.sin()),
        ("coth", |x, _, _| 1.0 + 2.0 / ((2.0 * x).exp() - 1.0)),
        ("asinh", |x, _, _| x.asinh()),
        ("acosh", |x, _, _| x.acosh()),
        ("atanh", |x, _, _| x.atanh()),
        ("rcbrt", |x, _, _| 1.0 / x.cbrt()),
        ("maximum", |x, y, _| x.max(y)),
        ("abs_sub", |x, y, _| (x - y).max(0.0)),
        ("abs_diff", |x, y, _| (x - y).abs()),
        ("lerp", |x, y, z| x * (1.0 - z) + y * z),
        ("midpoint", |x, y, _| x.midpoint(y)),
        ("fma", |x, y, z| x.mul_add(y, z)),
        ("saturate", |x, _, _| x.clamp(0.0, 1.0)),
        ("is_nan", |x, _, _| f64::from(u8::from(x.is_nan()))),
        ("is_finite", |x, _, _| f64::from(u8::from(x.is_finite()))),
        ("is_infinite", |x, _, _| f64::from(u8::from(x.is_infinite()))),
        ("is_sign_negative", |x, _, _| f64::from(u8::from(x.is_sign_negative()))),
        ("inv", |x, _, _| x.recip()),
        ("truncate", |x, _, _| x.trunc()),
    ];
    let names = |texts: [&str; 2]| texts.map(str::to_owned);
    // Sums replace operands, too.
    let written = [("x", names(["y", "z"])), ("(x + x)", names(["y + y", "z + z"]))];
    for (factor, (receiver, texts)) in [1.0, 2.0].into_iter().zip(&written) {
        for (name, function) in &functions {
            let known = OF_REAL.iter().find(|(names, ..)| names.split(' ').any(|n| n == *name));
            let (_, arguments, text) = known.unwrap();
            let call = Call { name, receiver, arguments: &texts[..*arguments] };
            let expr: Expr = syn::parse_str(&call.filled(text)).unwrap();
            for x in [0.0, 0.3, 0.75, 1.5, 17.25, -0.3, -2.5, f64::INFINITY, f64::NAN] {
                for (y, z) in [(0.7, 0.25), (-1.5, 0.5)] {
                    let found = value(&expr, [x, y, z]);
                    let expected = function(factor * x, factor * y, factor * z);
                    // Results that are left open: remainders of infinity, and the sign of NaN.
                    let is_open = !x.is_finite() && (*arguments > 0 || name.starts_with('s'));
                    let is_same = found == expected
                        || (found - expected).abs() < 1e-13 * expected.abs().max(1.0)
                        || found.is_nan() && expected.is_nan();
                    let place = format!("{name}({x}, {y}, {z}): {found}, {expected}");
                    assert!(is_same || is_open, "{place}");
                }
            }
        }
    }
}

#[test]
fn replacements_are_of_the_language() {
    let tables = [
        (OF_REAL, "j.mass", "i.mass", Type::Real),
        (OF_VECTOR, "d", "e", Type::Vector(3)),
        (OF_INTEGER, "j.kind", "i.kind", Type::U32),
    ];
    for (table, receiver, argument, ty) in tables {
        for (names, arguments, _) in table {
            let name = names.split(' ').next().unwrap();
            let power = ["pown", "powi"].contains(&name).then_some("2");
            let factor =
                ["mul", "div"].contains(&name).then_some("i.mass").filter(|_| ty != Type::U32);
            let argument = power.or(factor).unwrap_or(argument);
            let arguments = vec![argument.to_owned(); *arguments];
            let help = Call { name, receiver, arguments: &arguments }.advice(ty).unwrap();
            let code = help.strip_prefix("write `").and_then(|text| text.strip_suffix('`'));
            let code = code.unwrap_or_else(|| panic!("{help}"));
            let module = format!(
                "mod m {{ pub struct Law; pub struct Body {{ pos: Point, mass: Real, kind: u32 }} pub struct Sum {{ n: Count }}
                 impl Interaction for Law {{ type I = Body; type J = Body; type F = Sum;
                 fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{
                     let d = j.pos - i.pos; let e = 2.0 * d; let found = {code}; f.n += 1; }} }} }}"
            );
            let checked = crate::cuda(module.parse().unwrap());
            assert!(checked.is_ok(), "{code}: {}", checked.unwrap_err());
        }
    }
}

#[test]
fn functions_of_std_have_replacements() {
    let x = "x".to_owned();
    for name in OTHERS.split_whitespace().chain(["fabs", "sqrtf", "__expf", "fminf"]) {
        let call = |ty| Call { name, receiver: &x, arguments: &[] }.advice(ty);
        let known = call(Type::Real).or(call(Type::Vector(3)));
        assert!(known.is_some(), "{name}");
    }
}
