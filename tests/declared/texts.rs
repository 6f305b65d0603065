//! Texts that are declarations, and the messages of texts that are not.

use nbody::law::{DeclareError, declare, read};
use nbody::untyped::OwnedRows;
use nbody::{Device, Options, Precision, Sources, Store};

const PULL: &str = "
struct Pull { eps2: Real }
struct Mass { pos: Point, mass: Real }
struct Field { acc: Vector }

impl Interaction for Pull {
    type I = Mass;
    type J = Mass;
    type F = Field;
    fn pair(&self, i: &Mass, j: &Mass, f: &mut Field) {
        let d = j.pos - i.pos;
        let rinv = (d.norm2() + self.eps2).rsqrt();
        f.acc += j.mass * rinv * rinv * rinv * d;
    }
}
";

/// Returns the message of a text that is refused.
fn refused(text: &str) -> String {
    declare(text).unwrap_err().to_string()
}

#[test]
fn a_text_is_the_inside_of_a_module_or_modules_or_a_source_file() {
    let law = declare(PULL).unwrap().only_law().unwrap();
    assert_eq!(law.name, "pull");
    let module = format!("/// Docs.\npub mod laws {{ {PULL} }}");
    assert!(std::ptr::eq(declare(&module).unwrap().only_law().unwrap(), law));
    let source = format!(
        "//! A program.\nuse nbody::prelude::*;\n\
         mod other {{ struct Unknown(std::fs::File); }}\n\
         mod inner {{ #[nbody::interaction] mod laws {{ {PULL} }} }}\n\
         fn main() {{ println!(\"{{}}\", 1); }}"
    );
    assert!(std::ptr::eq(declare(&source).unwrap().only_law().unwrap(), law));
    let two = format!("mod one {{ {PULL} }} mod two {{ {} }}", PULL.replace("Pull", "Push"));
    let declared = declare(&two).unwrap();
    assert!(std::ptr::eq(declared.law("pull").unwrap(), law));
    assert_eq!(declared.law("push").unwrap().name, "push");
    assert_eq!(
        declared.only_law().unwrap_err().to_string(),
        "2 interactions declared, expected one; ask for it by its name: `pull`, `push`"
    );
    assert_eq!(
        declared.law("pul").unwrap_err().to_string(),
        "no interaction `pul` among the declarations: expected `pull`, `push`"
    );
    assert_eq!(
        declared.program("pull").unwrap_err().to_string(),
        "no program per particle `pull` among the declarations: expected none"
    );
}

#[test]
fn a_message_shows_the_place_the_line_and_a_remedy() {
    assert_eq!(
        refused(&PULL.replace("d.norm2()", "d.nor2()")),
        "error: `Vector` has no method `nor2`\n  \
           --> text:12:23\n   \
            |\n\
         12 |         let rinv = (d.nor2() + self.eps2).rsqrt();\n   \
            |                       ^^^^\n   \
            = help: there is `cross`, `dot`, `norm`, `norm2`, `rate`"
    );
    let two = PULL.replace("eps2: Real", "eps2: Reel").replace("j.mass", "j.charge");
    let Err(DeclareError::Text(faults)) = declare(&two) else { panic!("{two} is refused") };
    let places: Vec<_> = faults.iter().map(|fault| (fault.line, fault.column)).collect();
    assert_eq!(places, [(2, 21), (13, 20)]);
    assert_eq!(faults[1].length, "charge".len());
}

#[test]
fn texts_that_are_no_rust_are_refused_at_their_place() {
    for (text, place, message) in [
        ("", "1:1", "there is no declaration in this text"),
        ("use nbody::prelude::*;", "1:1", "has no `impl Interaction"),
        ("struct A { x: Real ", "1:10", "this is no token of Rust"),
        ("mod a { \"", "1:9", "this is no token of Rust"),
        ("struct A { x: }", "1:15", "expected"),
        (
            &format!("mod one {{ {PULL} }} mod two {{ {PULL} }}"),
            "21:22",
            "two declarations have the name `pull`",
        ),
        (&" ".repeat(1 << 21), "1:1", "more than 262144 bytes"),
    ] {
        let found = refused(text);
        let place = format!("--> text:{place}\n");
        assert!(found.contains(&place) && found.contains(message), "{text:.60}: {found}");
    }
}

#[test]
fn files_are_read_and_named_in_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pull.rs");
    let error = read(&path).unwrap_err();
    assert!(matches!(error, DeclareError::File { .. }), "{error}");
    std::fs::write(&path, PULL).unwrap();
    assert!(std::ptr::eq(
        read(&path).unwrap().only_law().unwrap(),
        declare(PULL).unwrap().only_law().unwrap()
    ));
    std::fs::write(&path, PULL.replace("rsqrt", "rqsrt")).unwrap();
    let found = read(&path).unwrap_err().to_string();
    assert!(found.contains(&format!("--> {}:12:44\n", path.display())), "{found}");
}

/// Names that the emitted C++ might use for itself.
#[test]
fn records_may_have_any_name() {
    let device = Device::cpu();
    for [parameters, i, j, f] in [
        ["mask", "yes", "no", "total"],
        ["term", "lost", "self_", "select"],
        ["space", "index", "visit", "term"],
        ["Space", "Visit", "compensate", "yes"],
    ] {
        let text = format!(
            "mod any {{
                struct {parameters} {{ k: Real }}
                struct {i} {{ pos: Point }}
                struct {j} {{ pos: Point, q: Real }}
                struct {f} {{ acc: Vector, near: ArgMin<Real>, most: ArgMax<Real>, n: Count, two: Nearest<2> }}
                impl Interaction for {parameters} {{
                    type I = {i};
                    type J = {j};
                    type F = {f};
                    fn pair(&self, i: &{i}, j: &{j}, f: &mut {f}) {{
                        let d = j.pos - i.pos;
                        f.acc += self.k * j.q * d;
                        f.near.min(d.norm2());
                        f.two.insert(d.norm2());
                        if d.norm2() < 0.5 {{
                            f.most.max(j.q);
                            f.n += 1;
                        }}
                    }}
                }}
            }}"
        );
        let law = declare(&text).unwrap().only_law().unwrap();
        let device = device.untyped();
        let mut engine = device.all_pairs(law, &[1_f64.to_bits()], Options::default()).unwrap();
        let row = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect();
        let upload = |fields, numbers: &[f64]| {
            let rows = OwnedRows::new(fields, row(numbers)).unwrap();
            device.upload(&rows, Precision::Single).unwrap()
        };
        let (i, j) = (upload(law.i, &[0.0; 3]), upload(law.j, &[0.5, 0.0, 0.0, 3.0]));
        let mut results = engine.results(1).unwrap();
        // The first evaluation compiles the C++.
        engine.evaluate(&*i, Sources::Others(&*j), &mut *results, Store::Replace).unwrap();
        let mut found = vec![0; 12];
        results.read(0..1, &mut |write| write(0..1, &mut found)).unwrap();
        let expected = [1.5, 0.0, 0.0, 0.25, 0.0, 3.0, 1.0].map(f64::to_bits);
        let two = [expected[3], f64::INFINITY.to_bits(), 0, u32::MAX.into()];
        let expected = [&expected[..4], &[0, expected[5], 0, 1], &two].concat();
        assert_eq!(found, expected, "{f}");
    }
}
