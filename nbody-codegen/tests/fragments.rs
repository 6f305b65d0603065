//! The tokens of a macro fragment bind together as if in parentheses.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Replaces each `fragment!(...)` by a group with this delimiter.
fn with_fragments(tokens: TokenStream, delimiter: Delimiter) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let mut found = Vec::new();
    while let Some(token) = tokens.next() {
        found.push(match token {
            TokenTree::Ident(name) if name == "fragment" => {
                let Some(TokenTree::Group(group)) = tokens.nth(1) else { panic!("no group") };
                let inside = with_fragments(group.stream(), delimiter);
                TokenTree::Group(Group::new(delimiter, inside))
            }
            TokenTree::Group(group) => {
                let inside = with_fragments(group.stream(), delimiter);
                TokenTree::Group(Group::new(group.delimiter(), inside))
            }
            token => token,
        });
    }
    found.into_iter().collect()
}

/// Returns a module with this value of a constant and this body.
fn module(value: &str, body: &str) -> TokenStream {
    let text = format!(
        "mod held {{
            const VALUE: Real = {value};
            pub struct Law; pub struct Body {{ pub x: Real, pub a: [Real; 9] }}
            pub struct Sum {{ pub sum: Real }}
            impl Interaction for Law {{
                type I = Body; type J = Body; type F = Sum;
                fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {{ f.sum += VALUE; {body} }}
            }}
        }}"
    );
    text.parse().unwrap()
}

#[test]
fn expressions_of_fragments_hold_together() {
    for fragment in ["1.0 + i.x", "(1.0) + i.x", "-i.x + 1.0", "i.x + 1.0", "!(i.x < 1.0)"] {
        let body = if fragment.starts_with('!') {
            "if fragment!(!(i.x < 1.0)) == (j.x < 1.0) { f.sum += 1.0; }".to_owned()
        } else {
            ["1.0 - E", "-E", "E * 2.0", "E.sqrt()", "j.x / E"]
                .map(|use_| {
                    format!("f.sum += {use_};").replace('E', &format!("fragment!({fragment})"))
                })
                .concat()
        };
        same(&module("1.0", &body));
    }
    for fragment in ["1.0 + 3.0", "(1.0) + 3.0", "-1.0 + 3.0"] {
        for value in ["1.0 - E", "-E", "E * 2.0", "E / E"] {
            same(&module(&value.replace('E', &format!("fragment!({fragment})")), ""));
        }
    }
    for fragment in ["1 + 2", "(1) + 2"] {
        let body = "f.sum += i.a[2 * E] + i.x.powi(E); for k in 0..E * 2 { f.sum += i.a[k]; }";
        same(&module("1.0", &body.replace('E', &format!("fragment!({fragment})"))));
    }
}

fn same(module: &TokenStream) {
    let [held, written] = [Delimiter::None, Delimiter::Parenthesis]
        .map(|delimiter| nbody_codegen::cuda(with_fragments(module.clone(), delimiter)).unwrap());
    assert_eq!(held, written, "{module}");
}
