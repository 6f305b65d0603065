//! Charges of small bodies, and reasons why other bodies have none.

use super::{Carried, Separable, separable};
use crate::check;
use crate::diagnostics::Ctxt;
use crate::syntax;

const ITEMS: &str = "
    pub struct Law { pub eps2: Real, pub scales: [Real; 3] }
    pub struct Target { pub pos: Point, pub v: Vector, pub h: Real, pub kind: u32 }
    pub struct Source {
        pub mass: Real, pub pos: Point, pub v: Vector, pub h: Real, pub kind: u32,
        pub modes: [Real; 3],
    }
    fn inverse(d: Vector, eps2: Real) -> Real {
        if d.norm2() == 0.0 {
            return 0.0;
        }
        (d.norm2() + eps2).rsqrt()
    }
";

/// Searches an interaction with these items in its `impl`. Its `pair` begins with the difference
/// `d`, and accumulates into the fields that the text names.
fn search_with(items: &str, pair: &str) -> Result<Separable, String> {
    let cx = Ctxt::new();
    let fields = ["sum: Real", "vector: Vector", "most: Max<Real>"].into_iter().filter(|field| {
        let name = field.split(':').next().unwrap();
        pair.contains(&format!("f.{name}"))
    });
    let fields: Vec<_> = fields.map(|field| format!("pub {field}")).collect();
    let fields = fields.join(", ");
    let text = format!(
        "pub mod law {{ {ITEMS}
            pub struct Sum {{ {fields} }}
            impl Interaction for Law {{
                type I = Target; type J = Source; type F = Sum;
                {items}
                fn pair(&self, i: &Target, j: &Source, f: &mut Sum) {{
                    let d = j.pos - i.pos;
                    {pair}
                }}
            }}
        }}"
    );
    let module = syntax::Module::parse(&cx, text.parse().unwrap()).unwrap();
    let checked = check::check(&cx, &module);
    assert_eq!(cx.messages(), [""; 0]);
    let _ = cx.finish();
    let module = checked.unwrap();
    separable(&module, &module.interactions[0])
}

fn search(pair: &str) -> Result<Separable, String> {
    search_with("", pair)
}

#[track_caller]
fn check_charges(pair: &str, expected: &[&[usize]]) -> Vec<Carried> {
    let found = search(pair).unwrap();
    assert_eq!(found.charges, expected, "{pair}");
    found.carried
}

#[track_caller]
fn check_reason(pair: &str, expected: &str) {
    assert_eq!(search(pair).unwrap_err(), expected, "{pair}");
}

// The numbers of a source: 0 mass; 1 to 3 pos; 4 to 6 v; 7 h; 8 kind; 9 to 11 modes.

#[test]
fn one_charge_is_a_field() {
    let carried = check_charges("f.sum -= j.mass * inverse(d, self.eps2);", &[&[0]]);
    assert_eq!(carried[0], Carried::Charge(0));
    assert!(carried[1..].iter().all(|carried| *carried == Carried::Zero));
    let in_steps = "
        let mut w = j.mass;
        for k in 0..3 { w *= self.scales[k] * d.norm2().exp(); }
        f.sum += w;
        f.vector += w * i.h.sqrt() * d;
    ";
    check_charges(in_steps, &[&[0]]);
}

#[test]
fn momentum_gives_the_velocity() {
    let jerk = "
        let v = j.v - i.v;
        let w = j.mass * inverse(d, self.eps2).powi(3);
        f.sum += w;
        f.vector += w * (v - 3.0 * d.dot(v) / (d.norm2() + self.eps2) * d);
    ";
    let carried = check_charges(jerk, &[&[0], &[0, 4], &[0, 5], &[0, 6]]);
    assert_eq!(carried[0], Carried::Charge(0));
    assert_eq!(carried[4..7], [1, 2, 3].map(|q| Carried::Ratio(q, 0)));
}

#[test]
fn products_distribute_over_sums_and_components() {
    check_charges("f.sum += d.cross(j.v).dot(i.v) * d.norm();", &[&[4], &[5], &[6]]);
    check_charges("f.sum += j.v.y * d.x;", &[&[5]]);
    // Each component of a product depends on every component of the factors.
    check_charges("f.sum += d.cross(j.v).z;", &[&[4], &[5], &[6]]);
    check_charges("let w = d.dot(j.v) * d; f.sum += w.x;", &[&[4], &[5], &[6]]);
    check_charges("f.sum += (j.modes[1] + 2.0 * j.h) / d.norm2();", &[&[7], &[10]]);
    check_charges("f.sum += d.norm().mul_add(j.h, j.mass * i.h);", &[&[0], &[7]]);
    let [one, charge] = [Carried::One, Carried::Charge(0)];
    let carried = check_charges("f.sum += j.h * j.mass / d.norm2();", &[&[0, 7]]);
    assert_eq!([carried[0], carried[7]], [charge, one]);
    // A momentum without a charge for the mass: the mass is 1, and the velocity is the charge.
    let carried = check_charges("f.sum += j.mass * d.dot(j.v);", &[&[0, 4], &[0, 5], &[0, 6]]);
    assert_eq!((carried[0], carried[4]), (one, charge));
}

#[test]
fn kernels_may_have_pieces() {
    let spline = "
        let w = if d.norm() < self.eps2 { d.norm2() } else { 1.0 / d.norm() };
        if d.norm2() > 0.0 && i.h > 1.0 { f.sum += j.mass * w; }
    ";
    check_charges(spline, &[&[0]]);
    let early = "
        if d.norm2() == 0.0 { return; }
        f.sum += j.mass / d.norm();
    ";
    check_charges(early, &[&[0]]);
}

#[test]
fn each_result_has_its_charges_and_what_it_depends_on() {
    let sums = |pair: &str| {
        let sums = search(pair).unwrap().sums.into_iter();
        sums.map(|sum| (sum.charges, sum.depends_on_i)).collect::<Vec<_>>()
    };
    let two = "f.sum += j.mass * d.norm(); f.vector += j.h * d.norm() * j.v + j.mass * i.v;";
    assert_eq!(sums(two), [(vec![0], false), (vec![0, 1, 2, 3], true)]);
    for of_i in ["self.scales[i.kind]", "i.h", "i.v.x"] {
        assert_eq!(sums(&format!("f.sum += j.mass * {of_i};")), [(vec![0], true)]);
    }
    assert_eq!(sums("if i.h > 9.0 { f.sum += j.mass; }"), [(vec![0], true)]);
    assert_eq!(sums("if d.norm() > 9.0 { f.sum += j.mass; }"), [(vec![0], false)]);
}

#[test]
fn zero_has_no_charge() {
    check_charges("f.sum += 0.0 * j.mass;", &[]);
}

#[test]
fn fields_within_the_kernel_are_told() {
    let softened = "
        let eps2 = i.h * i.h + j.h * j.h;
        let rinv = (d.norm2() + eps2).rsqrt();
        f.sum += j.mass * rinv;
    ";
    check_reason(softened, "`j.h` is no factor of `(d.norm2() + eps2).rsqrt()`");
    check_reason(
        "f.sum += j.mass / (d.norm() + j.h);",
        "`j.h` is no factor of `j.mass / (d.norm() + j.h)`",
    );
    check_reason(
        "if j.h < i.h { f.sum += j.mass / d.norm(); }",
        "the condition `j.h < i.h` depends on `j.h`",
    );
    let selected = "let w = if j.kind == i.kind { 1.0 } else { 2.0 }; f.sum += j.mass * w;";
    assert!(search(selected).unwrap_err().contains("`j.kind`"), "{:?}", search(selected));
}

#[test]
fn functions_of_j_alone_are_told() {
    let end = "is no product of fields: make it a field of j";
    check_reason("f.sum += j.h.sqrt() / d.norm();", &format!("the charge `j.h.sqrt()` {end}"));
    check_reason("f.sum += d.norm() / j.h;", &format!("the charge `d.norm() / j.h` {end}"));
    check_reason(
        "if j.kind == 2 { f.sum += j.mass / d.norm(); }",
        &format!("the charge `j.kind == 2` {end}"),
    );
}

#[test]
fn terms_without_a_charge_are_told() {
    check_reason(
        "f.sum += j.mass / d.norm(); f.vector += d;",
        "`j.pos - i.pos` is added for every j alike, not by a charge of j",
    );
    assert!(search("f.sum += (j.mass + 1.0) * d.norm();").is_err());
}

#[test]
fn charges_of_two_values_are_told() {
    let end = "its charges are products of fields that no single j can carry";
    check_reason("f.sum += j.mass; f.vector += j.mass * j.mass * d;", end);
    check_reason("f.sum += j.mass * j.h + j.h * j.v.x + j.mass * j.v.x;", end);
    check_reason("f.sum += j.mass + j.h + j.mass * j.h * d.norm();", end);
    check_reason("f.sum += j.v.dot(d) * j.v.dot(d);", end);
}

#[test]
fn waves_are_told() {
    check_reason(
        "f.sum += j.mass * d.norm().cos();",
        "`d.norm().cos()` oscillates with the position, so that cells converge badly",
    );
    check_reason(
        "if d.x.sin() > 0.0 { f.sum += j.mass; }",
        "`d.x.sin()` oscillates with the position, so that cells converge badly",
    );
    check_charges("f.sum += j.mass * i.h.cos() / d.norm();", &[&[0]]);
}

#[test]
fn other_reductions_and_cutoffs_are_told() {
    check_reason("f.most.max(j.mass / d.norm());", "a result is no sum");
    let cutoff = "fn cutoff(&self, _i: &Target, _j: &Source) -> Real { self.eps2 }";
    let found = search_with(cutoff, "f.sum += j.mass * d.norm();");
    assert!(found.unwrap_err().starts_with("it has a cutoff"));
}

#[test]
fn charges_of_many_factors_are_none() {
    let squares = |n: u32| format!("let mut q = j.mass * d.x; for k in 0..{n} {{ q *= q; }}");
    for n in [8, 100] {
        check_reason(
            &format!("{} f.sum += q;", squares(n)),
            "its charges are products of fields that no single j can carry",
        );
    }
}
