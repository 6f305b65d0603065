//! Comments in the CUDA text.

fn cuda(items: &str, body: &str) -> String {
    let text = format!(
        "mod comments {{
            pub struct Law; pub struct Body {{ pub x: Real }} pub struct Sum {{ pub sum: Real }}
            {items}
            impl Interaction for Law {{
                type I = Body; type J = Body; type F = Sum;
                fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{\n{body}\n}}
            }}
        }}"
    );
    let programs = nbody_codegen::cuda(text.parse().unwrap()).unwrap();
    programs.into_iter().map(|program| program.law).collect()
}

#[test]
fn comments_before_a_value_are_kept() {
    let text = cuda(
        "fn twice(x: Real) -> Real {
            // First.
            let y = x + x;
            // Before the value.
            y
            // Behind it.
        }",
        "// Of the statement.
        let x = {
            // Of the value.
            i.x
        };
        f.sum += twice(x);",
    );
    for lines in [
        "    // Before the value.\n    // Behind it.\n    return y;\n",
        "    // Of the statement.\n    // Of the value.\n    const real x = i.x;\n",
    ] {
        assert!(text.contains(lines), "{text}");
    }
}
