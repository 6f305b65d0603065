//! Declarations beyond the limits of compilers, and the largest ones within them.

use std::fmt::Write as _;

use proc_macro2::TokenStream;

/// Stack size of rustc.
const STACK: usize = 8 << 20;

/// Returns a module whose `pair` has this body.
fn module(items: &str, body: &str) -> String {
    format!(
        "mod limits {{
            pub struct Law; pub struct Body {{ pub x: Real }} pub struct Sum {{ pub sum: Real }}
            {items}
            impl Interaction for Law {{
                type I = Body; type J = Body; type F = Sum;
                fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{ {body} }}
            }}
        }}"
    )
}

/// Returns the expansion as text.
fn expand(module: String) -> String {
    let expand = move || {
        let tokens: TokenStream = module.parse().unwrap();
        nbody_codegen::interaction(TokenStream::new(), tokens).to_string()
    };
    std::thread::Builder::new().stack_size(STACK).spawn(expand).unwrap().join().unwrap()
}

fn errors(expansion: &str) -> usize {
    expansion.matches("compile_error").count()
}

/// Returns bodies that nest `n` levels deep, one for each kind of nesting.
fn nested(n: usize) -> Vec<String> {
    let around = |before: &str, inner: &str, behind: &str| {
        [before.repeat(n), inner.to_owned(), behind.repeat(n)].concat()
    };
    let value = |value: String| format!("f.sum += {value};");
    vec![
        value(around("(", "i.x", ")")),
        value(around("{", "i.x", "}")),
        value(around("", "i.x", " + j.x")),
        value(around("", "i.x", " * j.x")),
        value(around("", "i.x", ".abs()")),
        value(around("- ", "i.x", "")),
        value(around("(j.x + ", "i.x", ")")),
        value(around("", "i.x", " as Real")),
        value(around("", "i.x", "[0]")),
        value(around("f", "", "()")),
        value(around("return ", "i.x", "")),
        value(around("|x| ", "i.x", "")),
        value(around("&", "i.x", "")),
        value(around("(i.x < 0.0).select(", "i.x", ", 1.0)")),
        value(format!(
            "if {} i.x < 0.0 {} {{ 1.0 }} else {{ 2.0 }}",
            "if ".repeat(n),
            "{ i.x < 1.0 } else { i.x < 2.0 }".repeat(n)
        )),
        value(around("if i.x < 0.0 { 1.0 } else ", "{ 2.0 }", "")),
        around("if i.x < 0.0 {", "f.sum += 1.0;", "}"),
        around("for k in 0..2 {", "f.sum += 1.0;", "}"),
        format!("let a: {} = 1.0; f.sum += a;", around("[", "Real", "; 2]")),
        format!("let a: {} = 1.0; f.sum += a;", around("Vector<", "Real", ">")),
        around("f.sum = ", "i.x;", ""),
    ]
}

#[test]
fn what_nests_too_deep_is_refused() {
    for n in [1000, 20_000] {
        for body in nested(n) {
            let expansion = expand(module("", &body));
            assert!(errors(&expansion) > 0, "{body:.80}");
            assert!(expansion.contains("struct Body"), "no stub: {body:.80}");
        }
    }
}

#[test]
fn what_stands_behind_something_long_is_left() {
    let long = format!("const LONG: Real = 1.0{};", " + 1.0".repeat(600));
    let expansion = expand(module("", "f.sum += i.x;").replacen('{', &format!("{{ {long}"), 1));
    assert_eq!(errors(&expansion), 1);
    for left in ["struct Law", "struct Body", "struct Sum", "Interaction for Law"] {
        assert!(expansion.contains(left), "{left}: {expansion}");
    }
}

#[test]
fn what_nests_less_is_compiled() {
    // Invalid code is refused at any depth.
    for n in [50, 60] {
        for body in nested(n) {
            assert!(expand(module("", &body)).len() < 1_000_000, "{body:.80}");
        }
    }
    let sum = |terms: usize| module("", &format!("f.sum += i.x{};", " + j.x".repeat(terms)));
    assert_eq!(errors(&expand(sum(490))), 0);
    assert_eq!(errors(&expand(sum(501))), 1);
    // The limit is on single statements, not on their sum.
    let statements = "f.sum += i.x; if i.x < 0.0 { f.sum += 1.0; }".repeat(2000);
    assert_eq!(errors(&expand(module("", &statements))), 0);
}

/// Declares functions that each call the preceding one `calls` times.
fn chain(functions: usize, calls: usize) -> String {
    let mut items = "fn f0(x: Real) -> Real { x }".to_owned();
    for k in 1..functions {
        let before = vec![format!("f{}(x)", k - 1); calls].join(" + ");
        let _ = write!(items, "fn f{k}(x: Real) -> Real {{ {before} }}");
    }
    module(&items, &format!("f.sum += f{}(i.x * j.x);", functions - 1))
}

#[test]
fn functions_are_looked_at_once() {
    assert_eq!(errors(&expand(chain(9, 2))), 0);
    assert_eq!(errors(&expand(chain(24, 2))), 1);
    assert_eq!(errors(&expand(chain(200, 9))), 1);
    assert_eq!(errors(&expand(chain(500, 1))), 0);
}

#[test]
fn operations_are_counted_as_far_as_a_counter_goes() {
    let loops = "for k in 0..1024 { for l in 0..1024 { for m in 0..1024 { y += x * y; } } }";
    let items = format!("fn w(x: Real) -> Real {{ let mut y = x; {loops} y }}");
    let expansion = expand(module(&items, "f.sum += w(w(w(w(w(i.x)))));"));
    assert!(expansion.contains("add : 4294967295u32"), "{expansion}");
    let empty =
        "for a in 0..1024 { for b in 0..1024 { for c in 0..1024 { for d in 0..1024 {} } } }";
    assert_eq!(errors(&expand(module("", &format!("{empty} f.sum += i.x;")))), 0);
}

#[test]
fn cutoffs_have_bounds_up_to_a_number_of_operations() {
    let bounds = |turns: &str| {
        let cutoff = format!("let mut h = i.h; {turns}; h");
        let module = format!(
            "mod long {{
                pub struct Law; pub struct Body {{ pub pos: Point, pub h: Real }}
                pub struct Sum {{ pub sum: Real }}
                impl Interaction for Law {{
                    type I = Body; type J = Body; type F = Sum;
                    fn cutoff(&self, i: &Body, _j: &Body) -> Real {{ {cutoff} }}
                    fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{ f.sum += j.h; }}
                }}
            }}"
        );
        let expansion = expand(module);
        assert_eq!(errors(&expansion), 0);
        !expansion.contains("& [Unknown]")
    };
    assert!(bounds("for k in 0..1000 { h += i.h * h; }"));
    assert!(!bounds("for k in 0..1024 { h += i.h * h; h = h * h; h = h.abs() + 1.0; }"));
    assert!(!bounds(
        "for k in 0..1024 { for l in 0..1024 { for m in 0..1024 { h += i.h * h; } } }"
    ));
    assert!(!bounds("for k in 0..1024 { for l in 0..1024 { for m in 0..1024 {} } }"));
    // Nothing depends on these values.
    assert!(bounds("for k in 0..1024 { let x = h * h; let y = x * h; let z = y * y; }"));
}

#[test]
fn long_results_take_few_lines() {
    let text = "mod long {
        pub struct Law; pub struct Body { pub x: Real }
        pub struct Sums { pub a: [Real; 4096], pub least: Min<Real>, pub b: [Real; 4096] }
        impl Interaction for Law {
            type I = Body; type J = Body; type F = Sums;
            fn pair(&self, i: &Body, j: &Body, f: &mut Sums) {
                f.a[0] += i.x;
                f.b[0] += j.x;
                f.least.min(i.x);
            }
        }
    }";
    let programs = nbody_codegen::cuda(text.parse().unwrap()).unwrap();
    let lines = programs[0].law.lines().count() + programs[0].sums.lines().count();
    assert!(lines < 110, "{lines}");
}
