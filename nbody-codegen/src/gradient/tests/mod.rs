//! Gradients and rates of random bodies against finite differences, and bodies without a gradient.

mod interpret;
mod rates;

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::check;
use crate::check::operator;
use crate::diagnostics::Ctxt;
use crate::ir::{BinaryOp, ExprKind, Input, Module, StructId, Type, UnaryOp};
use crate::syntax;
use interpret::{Inputs, Interpreter, Value, key};

/// Fields by which gradients are taken, and the fields of the result.
const ENDING: &str = "
    f.energy += e;
    f.by_pos += e.gradient(i.pos);
    f.by_other += e.gradient(j.pos);
    f.by_mu += e.gradient(i.mu);
    f.by_q += e.gradient(i.q);
    f.by_k += e.gradient(self.k);
    f.by_mode += e.gradient(self.modes[1]);";

/// Checks a body that ends with the energy `e`, or returns its messages.
fn checked(body: &str, ending: &str) -> Result<Module, Vec<String>> {
    let all = [
        ("energy", "Real"),
        ("by_pos", "Vector"),
        ("by_other", "Vector"),
        ("by_mu", "Vector"),
        ("by_q", "Real"),
        ("by_k", "Real"),
        ("by_mode", "Real"),
        ("rate", "Real"),
        ("vector", "Vector"),
        ("vector_rate", "Vector"),
        ("tensor", "Tensor"),
        ("tensor_rate", "Tensor"),
    ];
    let fields = all.iter().filter(|(name, _)| ending.contains(&format!("f.{name} ")));
    let fields: Vec<_> = fields.map(|(name, ty)| format!("pub {name}: {ty}")).collect();
    let fields = fields.join(", ");
    let text = format!(
        "mod law {{
            pub struct Law {{ pub k: Real, pub modes: [Real; 3] }}
            pub struct Body {{ pub pos: Point, pub mu: Vector, pub q: Real, pub kind: u32, pub vel: Vector, pub strain: Tensor }}
            pub struct Sum {{ {fields} }}
            const HALF: Real = 0.5;
            fn hat(x: Real, a: Real) -> Real {{
                if x > 1.0 {{ return a * 0.25; }}
                let y = (1.0 - x) * a;
                if y < 0.0 {{ return y * y; }}
                y * (x + HALF)
            }}
            fn turned(v: Vector, a: Real) -> Vector {{ Vector::new(v.y * a, v.z, v.x - a) }}
            impl Interaction for Law {{
                type I = Body; type J = Body; type F = Sum;
                fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{
                    let d = i.pos - j.pos;
                    let r2 = d.norm2();
                    let r = r2.sqrt();
                    let mut t = i.q * j.q;
                    let mut w = i.mu + d * 0.25;
                    let mut a = [i.q, r, self.modes[1]];
                    let mut h = Tensor::symmetric(w, d) - t * i.strain;
                    {body}
                    {ending}
                }}
            }}
        }}"
    );
    let cx = Ctxt::new();
    let module = syntax::Module::parse(&cx, text.parse().unwrap()).unwrap();
    let checked = check::check(&cx, &module);
    let messages = cx.messages();
    let _ = cx.finish();
    checked.filter(|_| messages.is_empty()).ok_or(messages)
}

/// Numbers for all fields of the parameters and of two particles.
fn inputs(module: &Module, seed: &[f64]) -> Inputs {
    let mut seed = seed.iter().copied().cycle();
    let law = &module.interactions[0];
    let records =
        [(Input::Parameters, law.parameters.id), (Input::I, law.i.id), (Input::J, law.j.id)];
    let mut inputs = BTreeMap::new();
    for (input, record) in records {
        for (field, it) in module.structs.fields(record) {
            let value = match it.ty {
                Type::U32 => Value::Integer(if input == Input::I { 1 } else { 2 }),
                ty => Value::Numbers((0..ty.components()).map(|_| seed.next().unwrap()).collect()),
            };
            inputs.insert(key(input, field), value);
        }
    }
    inputs
}

fn results(module: &Module, inputs: &Inputs) -> BTreeMap<String, Vec<f64>> {
    let mut interpreter = Interpreter::new(module, inputs);
    interpreter.run(&module.interactions[0].pair.body);
    let named = interpreter.results.into_iter();
    named.map(|(field, sums)| (module.structs[field].ident.to_string(), sums)).collect()
}

/// Returns the slopes of the energy to both sides.
fn slopes(
    module: &Module,
    inputs: &Inputs,
    (input, record, name, k): (Input, StructId, &str, usize),
    step: f64,
) -> [f64; 2] {
    let (field, _) = module.structs.fields(record).find(|(_, it)| it.ident == name).unwrap();
    let energy = |by: f64| {
        let mut moved = inputs.clone();
        let Some(Value::Numbers(numbers)) = moved.get_mut(&key(input, field)) else { panic!() };
        numbers[k] += by;
        results(module, &moved)["energy"][0]
    };
    let middle = energy(0.0);
    [(energy(step) - middle) / step, (middle - energy(-step)) / step]
}

/// Checks the types of operations, as written ones are.
fn assert_typed(module: &Module) {
    for expr in module.interactions[0].pair.body.exprs() {
        if let ExprKind::Binary(op, a, b) = &expr.kind {
            assert_eq!(operator::binary(*op, a.ty, b.ty), Some(expr.ty), "{op:?}");
        }
        if let ExprKind::Unary(UnaryOp::Neg, x) = &expr.kind {
            assert!(matches!(x.ty, Type::Real | Type::Vector(_)) && x.ty == expr.ty);
        }
        if let ExprKind::Components(parts) = &expr.kind {
            assert_eq!(parts.len(), expr.ty.components());
        }
    }
}

/// Compares each gradient with differences, wherever the energy is smooth, and returns the number of
/// comparisons.
fn compare(body: &str, seed: &[f64]) -> usize {
    let module = checked(body, ENDING).unwrap_or_else(|messages| panic!("{messages:?}\n{body}"));
    assert_typed(&module);
    let (inputs, law) = (inputs(&module, seed), &module.interactions[0]);
    let found = results(&module, &inputs);
    let energy = found["energy"][0];
    let mut compared = 0;
    let pos = |input, record: StructId| (input, record, "pos", 0..3);
    for (result, (input, record, name, numbers)) in [
        ("by_pos", pos(Input::I, law.i.id)),
        ("by_other", pos(Input::J, law.j.id)),
        ("by_mu", (Input::I, law.i.id, "mu", 0..3)),
        ("by_q", (Input::I, law.i.id, "q", 0..1)),
        ("by_k", (Input::Parameters, law.parameters.id, "k", 0..1)),
        ("by_mode", (Input::Parameters, law.parameters.id, "modes", 1..2)),
    ] {
        for (place, k) in numbers.enumerate() {
            let of = |step| slopes(&module, &inputs, (input, record, name, k), step);
            let ([a, b], [c, d]) = (of(1e-5), of(1e-6));
            let size = 1.0 + a.abs() + b.abs();
            let is_smooth = [a - b, a - c, b - d].iter().all(|it| it.abs() < 1e-3 * size);
            if !is_smooth || size > 1e4 {
                continue;
            }
            let (expected, found) = (0.5 * (a + b), found[result][place]);
            let error = (found - expected).abs();
            let rounding = 1e-9 * energy.abs();
            assert!(
                error < 1e-5 * size + (a - b).abs() + rounding,
                "{result} {place}: {found}, not {expected}\n{body}"
            );
            compared += 1;
        }
    }
    compared
}

/// An expression that is a real number.
fn real() -> impl Strategy<Value = String> {
    let leaves = prop::sample::select(vec![
        "r2",
        "r",
        "i.q",
        "j.q",
        "self.k",
        "d.x",
        "d.z",
        "0.7",
        "1.3",
        "t",
        "w.y",
        "a[0]",
        "a[2]",
        "self.modes[1]",
        "i.mu.dot(d)",
        "w.norm()",
        "a[i.kind]",
        "HALF",
        "d[1]",
        "2.0",
        "h.xy",
        "h.trace()",
        "h.dot(d).z",
    ]);
    leaves.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let one = inner.clone().prop_flat_map(|x| {
            prop::sample::select(vec![
                format!("({x}).sin()"),
                format!("({x}).cos()"),
                format!("({x}).tanh().exp()"),
                format!("(({x}).powi(2) + 0.3).sqrt()"),
                format!("(({x}).powi(2) + 0.4).rsqrt()"),
                format!("(({x}).powi(2) + 0.5).recip()"),
                format!("(({x}).powi(2) + 0.5).ln()"),
                format!("(({x}).powi(2) + 0.2).cbrt()"),
                format!("({x}).abs()"),
                format!("({x}).erf()"),
                format!("({x}).tanh().erfc()"),
                format!("({x}).atan()"),
                format!("({x}).tanh().sinh()"),
                format!("({x}).tanh().cosh()"),
                format!("(({x}).tanh() * 0.9).asin()"),
                format!("(({x}).tanh() * 0.9).acos()"),
                format!("({x}).tanh().tan()"),
                format!("({x}).powi(3)"),
                format!("(({x}).powi(2) + 0.6).powi(-2)"),
                format!("-({x})"),
                format!("({x}).floor() * 0.5"),
                format!("hat({x}, t)"),
                format!("turned(w, {x}).dot(d)"),
                format!("Vector::new({x}, r, 0.3).norm()"),
                format!("Vector::new({x}, r, 0.3).cross(i.mu).dot(w)"),
            ])
        });
        let two = (inner.clone(), inner.clone()).prop_flat_map(|(x, y)| {
            prop::sample::select(vec![
                format!("({x} + {y})"),
                format!("({x} - {y})"),
                format!("({x}) * ({y})"),
                format!("({x}) * ({y}) * ({x})"),
                format!("({x}) / (({y}).powi(2) + 0.4)"),
                format!("({x}).min({y})"),
                format!("({x}).max({y})"),
                format!("({x}).atan2(({y}).powi(2) + 0.3)"),
                format!("(({x}).powi(2) + 0.4).powf(({y}).tanh())"),
                format!("(({x}).powi(2) + 0.4).powf(1.5)"),
                format!("({x}).copysign({y})"),
                format!("(d * ({x}) - w / (({y}).powi(2) + 1.0)).norm2()"),
                format!("(w * ({x})).dot(d * ({y}))"),
                format!("[{x}, {y}, r][j.kind]"),
            ])
        });
        let three = (inner.clone(), inner.clone(), inner).prop_flat_map(|(x, y, z)| {
            prop::sample::select(vec![
                format!("({x}).mul_add({y}, {z})"),
                format!("({x}).clamp(-1.0, 2.0 + ({y}).powi(2))"),
                format!("(if {x} < {y} {{ {z} }} else {{ {x} }})"),
                format!("({x} < {y}).select({y}, {z})"),
                format!("[{x}, {y}, {z}][1]"),
            ])
        });
        prop_oneof![one, two, three]
    })
}

/// A statement; `n` makes its variables unique.
fn statement(n: usize) -> impl Strategy<Value = String> {
    (real(), real(), real()).prop_flat_map(move |(x, y, z)| {
        prop::sample::select(vec![
            format!("let v{n} = {x}; t = v{n} * 0.5 + ({y}).sin();"),
            format!("t += {x};"),
            format!("t *= ({x}).tanh();"),
            format!("w += d * ({x}).tanh();"),
            format!("w.y = {x};"),
            format!("a[1] = {x};"),
            format!("a[0] -= {x};"),
            format!("h -= Tensor::outer(w) * ({x}).tanh();"),
            format!("h.yz = {x};"),
            format!("h = if {x} < {y} {{ h * 0.5 }} else {{ Tensor::outer(d * ({z}).tanh()) }};"),
            format!("if {x} < {y} {{ t = {z}; }} else {{ t *= 0.5; w = turned(w, 0.5); }}"),
            format!("if {x} > 1.5 {{ let u = {y}; t = u * u; a[2] = u; }}"),
            format!("for k in 0..3 {{ t = t * 0.5 + ({x}).tanh() * (k as Real); a[k] += t; }}"),
            format!("let v{n} = if {x} < 0.5 {{ let u = {y}; u * u }} else {{ {z} }}; t = v{n};"),
        ])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn gradients_are_the_limits_of_differences(
        (first, second, e) in (statement(1), statement(2), real()),
        seed in prop::collection::vec(-1.2..1.4f64, 18),
    ) {
        // Every gradient depends on its variable.
        let all = "1e-3 * (r2 + i.mu.x + i.mu.y * i.q + self.k + i.q + self.modes[1] + t * t)";
        let body = format!("{first}\n{second}\nlet e = ({e}) + {all};");
        compare(&body, &seed);
    }
}

/// The number of comparisons of the same body at several places.
#[test]
fn gradients_are_compared() {
    let body = "t += (r * self.k).sin(); let e = t * i.mu.dot(d) / r2 + self.modes[1] * r2;";
    let seeds = (1..9).map(|k| (1..18).map(|n| (f64::from(k * n) * 0.37).sin()).collect());
    let compared: usize = seeds.map(|seed: Vec<f64>| compare(body, &seed)).sum();
    assert!(compared > 8 * 9, "{compared}");
}

/// Returns the exponents of the numbers that a body computes, with inputs of this exponent.
fn exponents(body: &str, ending: &str, exponent: i32) -> [f64; 2] {
    let module = checked(body, ending).unwrap_or_else(|messages| panic!("{messages:?}"));
    let seed = (0..18).map(|n| 2.0_f64.powi(exponent) * (1.0 + 0.3 * f64::from(5 * n % 7)));
    let inputs = inputs(&module, &seed.collect::<Vec<_>>());
    let mut interpreter = Interpreter::new(&module, &inputs);
    interpreter.run(&module.interactions[0].pair.body);
    interpreter.exponents
}

/// Derivatives in other units overflow no earlier than their values do, but for the division by the
/// variable.
#[test]
fn gradients_stay_in_the_range_of_their_values() {
    let ratio = "let s = (self.k / r).powi(6);";
    let near =
        "let x = w.dot(d) / r; let s = 1.0 / (1.0 / (self.k * self.k) + 1.0 / (x * x)).sqrt();
                let q = (self.k / (r - s + self.k)).powi(6);";
    for body in [
        format!("{ratio} let e = s * s - s;"),
        format!("{ratio} let w = (r / self.modes[1]).powi(4); let e = (s * s - s) * w;"),
        format!("{ratio} let e = s * s * (1.0 - (r / i.q).powi(2)).powi(4);"),
        "let e = (i.q / r).powi(12) * (r / self.k).powi(9) * (1.0 + r / self.modes[1]).powi(5);"
            .to_owned(),
        format!("{near} let e = (q * q - q) * (1.0 + (x / self.modes[1]).powi(2)).powi(2);"),
        "let e = i.q * j.q / r * (-r / self.k).exp() * (self.modes[1] / r).powi(8);".to_owned(),
        format!(
            "{ratio} let e = s * (1.0 + (r / self.modes[1]).powi(7)).powi(3) * (-(self.k / r)).exp() + s;"
        ),
    ] {
        for exponent in [40, -40] {
            let value = exponents(&body, "f.energy += e;", exponent);
            let ending = "f.energy += e; f.by_pos += e.gradient(i.pos);";
            let all = exponents(&body, ending, exponent);
            let more = 2.0 * 40.0 + 12.0;
            let is_within = all[0] <= value[0] + more && all[1] >= value[1] - more;
            assert!(is_within, "{all:?}, {value:?}: {body}");
        }
    }
}

/// A product of quotients of lengths.
fn quotients() -> impl Strategy<Value = String> {
    let lengths = prop::sample::select(vec!["r", "self.k", "i.q", "self.modes[1]"]);
    let quotient =
        (lengths.clone(), lengths, 1..9_i32).prop_map(|(x, y, n)| format!("({x} / {y}).powi({n})"));
    let leaves = prop_oneof![quotient, Just("(self.k / r)".to_owned()), Just("s".to_owned())];
    leaves.prop_recursive(3, 8, 3, |inner| {
        (inner.clone(), inner.clone(), inner).prop_flat_map(|(x, y, z)| {
            prop::sample::select(vec![
                format!("{x} * {y} * {z}"),
                format!("({x} - {y}) * {z}"),
                format!("({x} + 1.5) * {y}"),
                format!("{x} * (1.0 + {y}).powi(3)"),
                format!("{x} / (1.0 + {y})"),
                format!("{x} * (-{y}).exp()"),
                format!("(0.5 + {x}).sqrt() * {y}"),
            ])
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn gradients_of_quotients_stay_in_the_range_of_their_values(e in quotients()) {
        let body = format!("let s = (self.k / r).powi(6); let e = {e} + s;");
        for exponent in [60, -60] {
            let value = exponents(&body, "f.energy += e;", exponent);
            let ending = "f.energy += e; f.by_pos += e.gradient(i.pos);";
            let all = exponents(&body, ending, exponent);
            let is_within = all[0] <= value[0] + 200.0 && all[1] >= value[1] - 200.0;
            prop_assert!(is_within, "{all:?}, {value:?}: {body}");
        }
    }
}

/// A number that is not there has no slope that looks right.
#[test]
fn slopes_of_entries_out_of_range_are_nan() {
    let ending = "f.energy += e; f.by_pos += e.gradient(i.pos);";
    // Also where some entries do not depend on the position.
    for entries in ["[r, r2, t]", "[t, 2.0, r2]"] {
        let body = format!("let e = {entries}[i.kind + j.kind];");
        let module = checked(&body, ending).unwrap();
        let found = results(&module, &inputs(&module, &[0.3, -0.7, 0.9, 1.1, -0.2]));
        assert!(found["energy"][0].is_nan(), "{entries}");
        assert!(found["by_pos"].iter().all(|x| x.is_nan()), "{entries}");
    }
}

/// Returns the messages of a body with this gradient.
fn messages(body: &str, gradient: &str) -> Vec<String> {
    let ending = format!("f.energy += e; f.by_pos += {gradient};");
    checked(body, &ending).err().unwrap_or_default()
}

#[test]
fn values_without_a_gradient_are_refused() {
    let of = |body, gradient| {
        let messages = messages(body, gradient);
        let [message] = &messages[..] else { panic!("{messages:?}") };
        message.lines().next().unwrap().to_owned()
    };
    let e = "let e = r2;";
    assert_eq!(of(e, "d * e.gradient(i.q)"), "`e` does not depend on `i.q`");
    assert_eq!(of("let e = t; t = 1.0;", "d * e.gradient(t)"), "`e` does not depend on `t`");
    let by = "a gradient is by a field, a parameter or a variable";
    for gradient in ["e.gradient(2.0)", "e.gradient(d + w)", "d * e.gradient(i.kind)"] {
        assert_eq!(of(e, gradient), by, "{gradient}");
    }
    let body = "let mut e = 0.0; for k in 0..3 { e += t * r2; t *= 0.5; w += t.gradient(i.pos); }";
    assert_eq!(
        of(body, "e.gradient(i.pos)"),
        "`t` has a value of an earlier iteration, whose derivative is not known here"
    );
}

#[test]
fn gradients_inside_loops_and_branches_are_those_of_the_statements_before() {
    let body = "
        let mut e = 0.0;
        for k in 0..3 {
            let s = r2 * self.modes[k] + (k as Real);
            e += s * s;
            w += s.gradient(i.pos);
        }
        if e > 0.0 { let u = e * e; w += u.gradient(i.pos); }
        let extra = w.norm2() * 1e-2;
        e += extra + i.mu.x + i.q + self.k;";
    let seed: Vec<_> = (1..18).map(|n| (f64::from(n) * 0.37).sin()).collect();
    assert_eq!(compare(body, &seed), 12);
}

/// A power of an extreme with 0 needs no selection, and quotients by a root and by its square have one
/// division.
#[test]
fn powers_of_extremes_need_no_selection_and_quotients_share_a_division() {
    let body = "
        let x = (r - 1.1).max(0.0);
        let y = (0.0).min(0.9 - r);
        let e = i.q * x * x * x + y * y + 3.0 / r2 + (i.mu.x + j.mu.x + self.k + self.modes[1]);";
    let module = checked(body, ENDING).unwrap();
    let exprs = || module.interactions[0].pair.body.exprs();
    assert!(exprs().all(|it| !matches!(it.kind, ExprKind::Select(_))), "no selection");
    let mut divisors = exprs().filter_map(|it| match &it.kind {
        ExprKind::Binary(BinaryOp::Div, _, divisor) => Some(divisor),
        _ => None,
    });
    let first = divisors.next().expect("quotients by the square");
    assert!(divisors.all(|divisor| divisor == first), "one divisor");
    let mut compared = 0;
    for k in 0..12 {
        let far = 0.2 + 0.1 * f64::from(k);
        compared += compare(body, &[0.3, 0.7, 0.9, 0.4, far, 0.2, 0.8, 0.5, -0.3, 0.6, 0.1]);
    }
    assert!(compared > 100, "{compared} comparisons");
    // A first power needs its selection.
    let first =
        "let x = (r - 1.1).max(0.0); let e = x + i.q + j.q + self.k + self.modes[1] + i.mu.x;";
    let module = checked(first, ENDING).unwrap();
    let selects = module.interactions[0].pair.body.exprs();
    assert!(selects.filter(|it| matches!(it.kind, ExprKind::Select(_))).count() > 0);
}

/// A direction whose factors cancel leaves the others.
#[test]
fn directions_that_cancel_leave_the_others() {
    let body = "
        let all = i.mu.x + i.q + self.k + self.modes[1];
        let e = d.dot(j.mu) - 0.5 * (2.0 * d).dot(j.mu) + i.q * d.dot(i.mu) + all * r2;";
    let seed: Vec<_> = (1..18).map(|n| (f64::from(n) * 0.37).sin()).collect();
    assert_eq!(compare(body, &seed), 12);
}

#[test]
fn high_powers_and_products_of_products_are_taken_apart_as_far_as_there_is_time() {
    let squares = "e = e * e; ".repeat(45);
    let mixed = (0..30).map(|k| format!("let p{} = p{} * p{k}; ", k + 2, k + 1));
    let mixed: String = mixed.collect();
    for body in [
        "let e = (1.0 + 1e-9 * i.q).powi(100) * (i.pos - j.pos).norm2();".to_owned(),
        "let e = (1.0 + 1e-9 * i.q).powi(501).powi(-501) * (i.pos - j.pos).norm();".to_owned(),
        format!("let mut e = 1.0 + 1e-16 * i.q; {squares}"),
        format!("let p0 = 1.0 + 1e-20 * i.q; let p1 = 2.0 - p0; {mixed} let e = p31;"),
    ] {
        let module = checked(&body, "f.by_q += e.gradient(i.q);").unwrap();
        let inputs = inputs(&module, &[0.9, 1.1, 0.95, 1.05]);
        let found = results(&module, &inputs)["by_q"][0];
        assert!(found.is_finite(), "{body}: {found}");
    }
    // The slope of a high power is the slope of the formula.
    let module =
        checked("let e = i.q.powi(100);", "f.by_q += e.gradient(i.q); f.energy += e;").unwrap();
    let inputs = inputs(&module, &[0.9, 1.1, 0.95, 1.05]);
    let found = results(&module, &inputs);
    let [value, slope] = ["energy", "by_q"].map(|name| found[name][0]);
    let q = value.powf(0.01);
    assert!((slope.abs() - 100.0 * value / q).abs() < 1e-9 * slope.abs(), "{slope} of {value}");
}
