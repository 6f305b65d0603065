//! Parities of small bodies.

use super::{Parities, Parity};
use crate::check;
use crate::diagnostics::Ctxt;
use crate::ir;
use crate::symmetry;
use crate::syntax;

const PARTICLE: &str = "
    pub struct Law {
        pub scale: Real,
        pub table: [[Real; 2]; 2],
    }
    pub struct Body {
        pub pos: Point,
        pub v: Vector,
        pub mass: Real,
        pub h: Real,
        pub kind: u32,
        pub modes: [Real; 3],
    }
    pub struct Other {
        pub pos: Point,
    }
    pub struct Sum {
        pub sum: Real,
    }
    pub struct Nearest {
        pub sum: Real,
        pub nearest: ArgMin<Real>,
    }
    fn odd(x: Real) -> Real {
        let mut sum = x;
        for k in 0..3 {
            if k == 1 {
                sum += x.powi(3);
            }
        }
        if x == 0.0 {
            return 0.0;
        }
        sum * x.abs()
    }
    fn weight(a: Real, b: Real) -> Real {
        if a < b {
            return a + b;
        }
        b + a
    }
";

fn module(items: &str) -> ir::Module {
    let cx = Ctxt::new();
    let text = format!("pub mod law {{ {PARTICLE} {items} }}");
    let module = syntax::Module::parse(&cx, text.parse().unwrap()).unwrap();
    let checked = check::check(&cx, &module);
    assert_eq!(cx.messages(), [""; 0]);
    let _ = cx.finish();
    checked.unwrap()
}

/// Returns the parity of the first variable of `pair`.
fn first(module: &ir::Module, parities: &Parities) -> Parity {
    let mut locals = module.interactions[0].pair.body.locals.by_id();
    parities.local(locals.next().unwrap().0)
}

fn law(j: &str, f: &str, cutoff: &str, body: &str) -> ir::Module {
    module(&format!(
        "impl Interaction for Law {{
            type I = Body;
            type J = {j};
            type F = {f};
            {cutoff}
            fn pair(&self, i: &Body, j: &{j}, f: &mut {f}) {{ {body} }}
        }}
        impl Interaction for Keep {{
            type I = Other;
            type J = Body;
            type F = Nearest;
            fn pair(&self, i: &Other, j: &Body, f: &mut Nearest) {{
                f.sum += 1.0;
                f.nearest.min((i.pos - j.pos).norm());
            }}
        }}
        impl Interaction for KeepSum {{
            type I = Body;
            type J = Body;
            type F = Sum;
            fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{ f.sum += 1.0; }}
        }}
        pub struct Keep;
        pub struct KeepSum;"
    ))
}

/// Returns the parity of `let x = value;`.
fn parity(value: &str) -> Parity {
    let module = law("Body", "Sum", "", &format!("let x = {value}; f.sum += 1.0;"));
    let parities = Parities::of_body(&module, &module.interactions[0].pair.body).unwrap();
    first(&module, &parities)
}

fn assert_even(value: &str) {
    assert_eq!(parity(value), Parity { even: true, odd: false }, "{value}");
}

fn assert_odd(value: &str) {
    assert_eq!(parity(value), Parity { even: false, odd: true }, "{value}");
}

fn assert_neither(value: &str) {
    assert_eq!(parity(value), Parity::NEITHER, "{value}");
}

#[test]
fn what_i_and_j_have_in_common_is_even() {
    assert_even("(j.pos - i.pos).norm2()");
    assert_even("i.mass * j.mass");
    assert_even("j.mass * self.scale * i.mass");
    assert_even("i.mass / (j.h * 2.0) * (j.mass / i.h)");
    assert_even("i.h.max(j.h)");
    assert_even("i.kind == j.kind");
    assert_even("i.kind + 1 != j.kind + 1");
    assert_even("(i.v - j.v).dot(i.pos - j.pos)");
    assert_even("(i.mass - j.mass).powi(4) + (i.h - j.h).cos()");
    assert_even("(i.mass - j.mass).abs().sqrt()");
    assert_even("weight(i.h, j.h) + weight(j.h, i.h)");
    assert_even("(i.h == j.h).select(i.mass + j.mass, 0.5)");
    assert_even("(i.h < j.h) ^ (j.h < i.h)");
    assert_even("i.v.dot((i.pos - j.pos).cross(j.v))");
    assert_even("(i.mass * 2.0).mul_add(j.mass * 2.0, self.scale)");
}

#[test]
fn differences_are_odd() {
    assert_odd("j.pos - i.pos");
    assert_odd("-(i.v - j.v) / i.h * j.mass / j.h * i.mass");
    assert_odd("i.v.cross(j.v)");
    assert_odd("(j.pos - i.pos).x");
    assert_odd("(i.mass - j.mass).powi(-3)");
    assert_odd("(i.mass - j.mass).sin() + odd(i.h - j.h)");
    assert_odd("(i.mass - j.mass).round()");
    assert_odd("Vector::new(i.h - j.h, 0.0, (i.mass - j.mass).erf())");
    assert_odd("(i.h == j.h).select(i.mass - j.mass, 0.0)");
    assert_odd("(i.h - j.h).mul_add(i.mass * j.mass, i.mass - j.mass)");
    assert_odd("(i.h - j.h).min(0.0) - (j.h - i.h).min(0.0)");
}

#[test]
fn other_values_are_neither() {
    assert_neither("self.table[i.kind][j.kind]");
    assert_neither("i.mass - 2.0 * j.mass");
    assert_neither("(i.mass - j.mass).floor()");
    assert_neither("(i.mass - j.mass).ceil()");
    assert_neither("(i.mass - j.mass).exp()");
    assert_neither("i.h < j.h");
    assert_neither("(i.h < j.h).select(i.mass, j.mass + 1.0)");
    assert_neither("i.modes[j.kind]");
    assert_neither("i.kind - j.kind");
    assert_neither("(i.kind - j.kind) as Real");
}

#[test]
fn a_choice_by_an_exchanged_condition_is_even_if_its_values_are_exchanged() {
    // The selected value differs where both are equal, so that it has no parity.
    assert_neither("(i.h < j.h).select(i.h, j.h)");
    assert_even("(i.kind == j.kind).select(1.0, 2.0)");
}

#[test]
fn a_variable_keeps_its_parity_only_if_all_its_values_have_it() {
    let of = |body: &str| {
        let module = law("Body", "Sum", "", body);
        let parities = Parities::of_body(&module, &module.interactions[0].pair.body).unwrap();
        first(&module, &parities)
    };
    let even = of("let mut x = 0.0; for k in 0..3 { x += (i.modes[k] - j.modes[k]).powi(2); }
        f.sum += x;");
    assert_eq!(even, Parity { even: true, odd: false });
    let odd = of("let mut x = i.v - j.v; x.y = 0.0; if i.kind == j.kind { x.z = i.h - j.h; }
        f.sum += x.x;");
    assert_eq!(odd, Parity { even: false, odd: true });
    let mixed = of("let mut x = i.h - j.h; x = x * x; f.sum += x;");
    assert_eq!(mixed, Parity::NEITHER);
    let halfway = of("let mut x = i.h; x += j.h; f.sum += x;");
    assert_eq!(halfway, Parity::NEITHER);
}

fn is_eligible(module: &ir::Module) -> bool {
    symmetry::symmetric(module, &module.interactions[0]).is_some()
}

#[test]
fn only_interactions_of_one_type_with_even_conditions_have_both_directions() {
    let guarded = |condition: &str| {
        law("Body", "Sum", "", &format!("if {condition} {{ return; }} f.sum += 1.0;"))
    };
    assert!(is_eligible(&guarded("(i.pos - j.pos).norm() < self.scale")));
    assert!(is_eligible(&guarded("i.kind == j.kind || i.h.max(j.h) > 1.0")));
    assert!(!is_eligible(&guarded("i.h < 1.0")));
    assert!(!is_eligible(&guarded("i.h < j.h")));
    assert!(!is_eligible(&guarded("(i.pos - j.pos).x < 0.0")));
    let cut = |value: &str| {
        let cutoff = format!("fn cutoff(&self, i: &Body, j: &Body) -> Real {{ {value} }}");
        law("Body", "Sum", &cutoff, "f.sum += 1.0;")
    };
    assert!(is_eligible(&cut("if i.kind == j.kind { return self.scale; } i.h.max(j.h)")));
    assert!(!is_eligible(&cut("if i.kind == 0 { return self.scale; } i.h.max(j.h)")));
    assert!(!is_eligible(&cut("i.h")));
    assert!(!is_eligible(&law("Body", "Nearest", "", "f.sum += 1.0; f.nearest.min(i.h * j.h);")));
    assert!(!is_eligible(&law("Other", "Sum", "", "f.sum += (i.pos - j.pos).norm();")));
}

#[test]
fn where_the_sign_of_a_zero_counts_there_is_no_such_form() {
    let body = |value: &str| law("Body", "Sum", "", &format!("f.sum += {value};"));
    assert!(is_eligible(&body("(i.mass - j.mass).atan()")));
    assert!(!is_eligible(&body("(i.mass - j.mass).atan2(i.h - j.h)")));
    assert!(!is_eligible(&body("self.scale.copysign(i.mass - j.mass)")));
}

#[test]
fn too_long_loops_are_not_run_through() {
    let turns = |n: u32| {
        let body = format!(
            "let mut x = i.mass; for k in 0..{n} {{ for l in 0..{n} {{ x = x * x + j.mass; }} }}
            f.sum += x;"
        );
        law("Body", "Sum", "", &body)
    };
    assert!(is_eligible(&turns(30)));
    assert!(!is_eligible(&turns(300)));
}
