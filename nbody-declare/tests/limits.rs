//! Texts beyond limits are refused before they take time or memory.

use nbody_declare::{Error, Fault, declare};

/// Returns the faults of a text that is refused.
fn faults(text: &str) -> Vec<Fault> {
    match declare(text) {
        Err(Error::Text(faults)) => faults,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{text:.80} is refused"),
    }
}

fn law(statements: &str) -> String {
    format!(
        "struct Law; struct Body {{ x: Real }} struct Sum {{ sum: Real }}\n\
         impl Interaction for Law {{ type I = Body; type J = Body; type F = Sum;\n\
         fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{ {statements} }} }}"
    )
}

#[test]
fn excesses_are_refused() {
    let structs: Vec<_> = (0..5000).map(|k| format!("struct S{k} {{ x: Real }}")).collect();
    for (text, line, message) in [
        (format!("\nuse {}a;", "a::".repeat(80_000)), 2, "more than 500 operators"),
        (law(&format!("f.sum += 0x{}.0;", "9".repeat(200_000))), 3, "more than 1000 characters"),
        (law(&format!("let {} = 1.0;", "long".repeat(1000))), 3, "more than 1000 characters"),
        (
            law("f.sum += i.x;") + "\n" + &structs.join("\n"),
            1000,
            "more than 1000 structs, constants",
        ),
    ] {
        let faults = faults(&text);
        assert_eq!(faults.len(), 1, "{}", faults[0]);
        assert!(faults[0].message.contains(message), "{}", faults[0]);
        assert_eq!(faults[0].line, line, "{}", faults[0]);
    }
    let comment = format!("/// {}\n", "long".repeat(1000));
    declare(&(comment + &law("f.sum += i.x;"))).unwrap();
}

#[test]
fn the_first_of_many_faults_are_listed() {
    let text = law(&"f.sum += i.unknown;".repeat(5000));
    let faults = faults(&text);
    assert_eq!(faults.len(), 101);
    assert_eq!(faults[100].message, "4900 more faults\nhelp: mend the faults above first");
    assert!(faults.iter().all(|fault| fault.line == 3 && fault.excerpt.len() <= 160));
}

#[test]
fn a_long_line_is_shown_around_the_fault() {
    let long = "let a = 1.0; ".repeat(100);
    let faults = faults(&law(&format!("{long}f.sum += i.unknown; {long}")));
    let [fault] = &faults[..] else { panic!("one fault") };
    let shown = fault.to_string();
    let [excerpt, marks] = [3, 4].map(|line| shown.lines().nth(line).unwrap());
    let at = marks.find('^').unwrap();
    assert_eq!(&excerpt[at..at + fault.length], "unknown", "{shown}");
    assert!(excerpt.len() < 200, "{shown}");
}
