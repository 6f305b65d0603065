//! The texts of adjoints, and the refusals of laws that have none.

use nbody_codegen::adjoint::{
    Adjoint, AdjointLaw, Cotangent, Fault, Gradient, Selection, Variable, adjoint,
};
use nbody_codegen::describe::describe;

/// Returns a law of a target and a source with these results and statements.
fn law(results: &str, statements: &str) -> String {
    format!(
        "/// Docs of the law.
        struct Law {{ scale: Real, table: [[Real; 2]; 2], n: u32 }}
        struct Target {{ pos: Point, charge: Real, kind: u32 }}
        struct Source {{ pos: Point, weight: [Real; 2] }}
        struct Sums {{ {results} }}
        /// Docs of a function.
        fn half(x: Real) -> Real {{ 0.5 * x }}
        fn unused(x: Real) -> Real {{ x }}
        impl Interaction for Law {{
            type I = Target;
            type J = Source;
            type F = Sums;
            fn pair(&self, i: &Target, j: &Source, f: &mut Sums) {{
                let d = i.pos - j.pos;
                {statements}
            }}
        }}"
    )
}

fn all(text: &str) -> Result<Adjoint, Fault> {
    adjoint(text, "law", &Selection::default())
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Returns the message of a law that has no adjoint.
fn refused(results: &str, statements: &str, selection: &Selection) -> String {
    let text = law(results, statements);
    assert!(describe(&text).is_ok(), "{text}");
    match adjoint(&text, "law", selection) {
        Err(Fault::Refused(refusal)) => refusal.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Returns the body of `pair` of the adjoint of the targets, on lines without indent.
fn body(results: &str, statements: &str) -> String {
    let text = all(&law(results, statements)).unwrap().of_targets.unwrap().text;
    let pair = text.split("fn pair").nth(1).unwrap().split_once("{\n").unwrap().1;
    let lines = pair.lines().map(str::trim).skip(1);
    lines.take_while(|line| !line.starts_with("f.pos_bar")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_text_of_an_adjoint() {
    let text = law(
        "pot: Real, force: Vector, n: Count, shells: [Real; 3]",
        "let r2 = d.norm2();
        if r2 > self.scale {
            return;
        }
        f.n += 1;
        f.pot += half(i.charge) * j.weight[0] / r2.sqrt();
        f.shells[i.kind] -= j.weight[1] * r2;
        if i.kind == 2 {
            return;
        }
        f.force -= self.scale * d;
        f.force.x += self.table[0][1];",
    );
    let found = all(&text).unwrap();
    let of_targets = found.of_targets.unwrap();
    insta::assert_snapshot!("targets", of_targets.text);
    let of_sources = found.of_sources.unwrap();
    insta::assert_snapshot!("sources", of_sources.text);
    let cotangent = |field: &str, of: &str| (field.to_owned(), of.to_owned());
    let cotangents = found.cotangents.into_iter().map(|Cotangent { field, of, .. }| (field, of));
    assert_eq!(
        cotangents.collect::<Vec<_>>(),
        ["pot", "force", "shells"].map(|of| cotangent(&format!("{of}_bar"), of))
    );
    let gradients = |law: AdjointLaw| {
        let gradient = |Gradient { field, by, .. }: Gradient| (field, by);
        law.gradients.into_iter().map(gradient).collect::<Vec<_>>()
    };
    let name = str::to_owned;
    assert_eq!(
        gradients(of_targets),
        [
            (name("pos_bar"), Variable::I(name("pos"))),
            (name("charge_bar"), Variable::I(name("charge"))),
            (name("scale_bar"), Variable::Parameter(name("scale"))),
        ]
    );
    assert_eq!(
        gradients(of_sources),
        [
            (name("pos_bar"), Variable::J(name("pos"))),
            (name("weight_bar"), Variable::J(name("weight"))),
        ]
    );
    assert_eq!(found.zero, []);
    let parameter = |of: &str| Variable::Parameter(name(of));
    assert_eq!(found.constant, [Variable::I(name("kind")), parameter("table"), parameter("n")]);
}

#[test]
fn the_text_of_an_adjoint_with_tensors_and_a_cutoff() {
    let text = "pub mod solids {
        /// A solid.
        pub struct Solid { pub strain: Tensor<2> }
        pub struct Grain { pub pos: Point<2>, pub h: Real }
        pub struct Sums { pub stress: Tensor<2>, pub reach: Max<Real> }
        impl Interaction for Solid {
            type I = Grain;
            type J = Grain;
            type F = Sums;
            const SELF_PAIRS: bool = true;
            /// Both radii.
            fn cutoff(&self, a: &Grain, b: &Grain) -> Real { a.h + b.h }
            fn pair(&self, i: &Grain, j: &Grain, f: &mut Sums) {
                let d = j.pos - i.pos;
                f.stress += Tensor::outer(d) - self.strain;
                f.stress.xy -= d.x;
                f.reach.max(d.norm());
            }
        }
    }";
    let selection = Selection { results: Some(names(&["stress"])), ..Selection::default() };
    let found = adjoint(text, "solid", &selection).unwrap();
    insta::assert_snapshot!("tensors", found.of_sources.unwrap().text);
    assert_eq!(
        found.zero,
        ["I", "J"].map(|side| {
            let name = "h".to_owned();
            if side == "I" { Variable::I(name) } else { Variable::J(name) }
        })
    );
}

#[test]
fn both_texts_may_stand_in_one_text_with_the_law() {
    let text = law("pot: Real", "f.pot += i.charge * d.norm();");
    let found = all(&text).unwrap();
    let [targets, sources] = [found.of_targets, found.of_sources].map(|law| law.unwrap().text);
    let declared = describe(&format!("mod law {{ {text} }} {targets} {sources}")).unwrap();
    let names: Vec<_> = declared.laws.iter().map(|law| law.text.name.as_str()).collect();
    assert_eq!(names, ["law", "law_of_targets", "law_of_sources"]);
}

#[test]
fn guards_stay_or_become_conditions() {
    assert_eq!(
        body("pot: Real", "if i.kind == 1 { return; } f.pot += d.x;"),
        "let d = i.pos - j.pos;\nif i.kind == 1 {\nreturn;\n}\nphi += i.pot_bar * d.x;"
    );
    assert_eq!(
        body("pot: Real", "f.pot += d.x; if i.kind == 1 { return; } f.pot += d.y;"),
        "let d = i.pos - j.pos;\nphi += i.pot_bar * d.x;\nif !(i.kind == 1) {\nphi += i.pot_bar * d.y;\n}"
    );
    assert_eq!(
        body("pot: Real", "f.pot += d.x; if i.kind == 1 { f.pot -= 1.0; return; } f.pot += d.y;"),
        "let d = i.pos - j.pos;\nphi += i.pot_bar * d.x;\nif i.kind == 1 {\nphi -= i.pot_bar * 1.0;\n\
         } else {\nphi += i.pot_bar * d.y;\n}"
    );
    assert_eq!(
        body(
            "pot: Real",
            "for k in 0..3 { f.pot += d[k]; if i.kind == k { return; } } f.pot += d.y;"
        ),
        "let mut done = false;\nlet d = i.pos - j.pos;\nfor k in 0..3 {\nif !done {\n\
         phi += i.pot_bar * d[k];\nif i.kind == k {\ndone = true;\n}\n}\n}\n\
         if !done {\nphi += i.pot_bar * d.y;\n}"
    );
}

#[test]
fn indices_beyond_the_end_add_nothing() {
    assert_eq!(
        body("a: [Real; 4]", "for k in 0..4 { f.a[k] += d.x; } f.a[i.kind] -= d.y;"),
        "let d = i.pos - j.pos;\nfor k in 0..4 {\nphi += i.a_bar[k] * d.x;\n}\n\
         if i.kind < 4 {\nphi -= i.a_bar[i.kind] * d.y;\n}"
    );
    // A variable hides the variable of the loop.
    assert_eq!(
        body("a: [Real; 4]", "for k in 0..4 { let k = i.kind + k; f.a[k] += d.x; }"),
        "let d = i.pos - j.pos;\nfor k in 0..4 {\nlet k = i.kind + k;\nif k < 4 {\n\
         phi += i.a_bar[k] * d.x;\n}\n}"
    );
}

#[test]
fn a_selection_leaves_variables_and_results_out() {
    let text = law(
        "pot: Real, force: Vector, least: Min<Real>",
        "f.pot += i.charge * self.scale * d.norm(); f.force += j.weight[1] * d; f.least.min(d.x);",
    );
    let selection = Selection {
        results: Some(names(&["pot"])),
        i: Some(names(&["pos"])),
        j: Some(names(&[])),
        parameters: Some(names(&["scale"])),
    };
    let found = adjoint(&text, "law", &selection).unwrap();
    assert_eq!((found.of_sources, found.zero, found.constant), (None, vec![], vec![]));
    let targets = found.of_targets.unwrap();
    let fields: Vec<_> = targets.gradients.iter().map(|gradient| &*gradient.field).collect();
    assert_eq!(fields, ["pos_bar", "scale_bar"]);
    assert!(!targets.text.contains("force") && !targets.text.contains("least"));
}

#[test]
fn counts_alone_have_no_derivatives() {
    let found = all(&law("n: Count", "if d.x > 0.0 { f.n += 1; }")).unwrap();
    assert_eq!((found.of_targets, found.of_sources), (None, None));
    assert_eq!((found.cotangents, found.zero.len()), (vec![], 5));
}

#[test]
fn refusals_name_the_cause_and_the_remedy() {
    let all = Selection::default();
    let least = ("least: Min<Real>, pot: Real", "f.least.min(d.x); f.pot += d.x;");
    assert_eq!(
        refused(least.0, least.1, &all),
        "the result `least` is a `Min<Real>`, and only sums have adjoints: select the results that are sums, `pot`"
    );
    assert_eq!(
        refused("two: Nearest<2>", "f.two.insert(d.x);", &all),
        "the result `two` is a `Nearest<2>`, and only sums have adjoints: the interaction has no sum"
    );
    let results = Selection { results: Some(names(&["least"])), ..Selection::default() };
    assert_eq!(
        refused(least.0, least.1, &results),
        "the result has no `least` to select: expected `pot`"
    );
    let i = Selection { i: Some(names(&["pos", "kind"])), ..Selection::default() };
    assert_eq!(
        refused("pot: Real", "f.pot += d.x;", &i),
        "the i-particle has no `kind` to select: expected `pos`, `charge`"
    );
    assert_eq!(
        refused("pot: Real", "f.pot += i.charge; let i = d.x; f.pot += i;", &all),
        "a variable of `pair` is called `i`, as a particle or the result is: give it another name"
    );
    assert_eq!(
        refused("pot: Real", "f.pot += { f.pot += d.x; d.y };", &all),
        "an accumulation stands within the value of an expression: write it as a statement of its own, before the value"
    );
    assert_eq!(
        refused(
            "pot: Real",
            "f.pot += d.x; let x = { if d.y > 0.0 { return; } d.z }; f.pot += x;",
            &all
        ),
        "a `return` stands within the value of an expression: write it as a statement of its own, before the value"
    );
}

#[test]
fn texts_and_names_that_are_unknown_are_faults() {
    let text = law("pot: Real", "f.pot += d.x;");
    let unknown = adjoint(&text, "lw", &Selection::default());
    assert_eq!(unknown, Err(Fault::Unknown { expected: vec!["law".to_owned()] }));
    let Err(Fault::Text(faults)) = all(&text.replace("d.x", "d.w")) else { panic!("a fault") };
    assert!(faults[0].message.contains("has no component `w`"), "{}", faults[0].message);
    // Loops have at most 1024 iterations.
    let text = law("pot: Real", "f.pot += i.a[1] * d.x;");
    match all(&text.replace("charge: Real", "a: [Real; 2000]")) {
        Err(Fault::Adjoint { faults, text }) => {
            assert!(faults[0].message.contains("1 to 1024 iterations"), "{}", faults[0].message);
            assert!(text.contains("phi.gradient(i.a[k])"));
        }
        other => panic!("{other:?}"),
    }
}
