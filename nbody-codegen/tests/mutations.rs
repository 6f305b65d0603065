//! Modules that were changed at random: the compiler refuses or accepts them, and never panics.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use proptest::prelude::*;

const MODULES: [&str; 2] =
    [include_str!("modules/gravity.rs"), include_str!("modules/everything.rs")];

/// A change at a token, counted through all groups.
#[derive(Clone, Debug)]
enum Change {
    Remove,
    Repeat,
    /// Replaces the token by this text.
    Replace(String),
    /// Writes this text before the token.
    Insert(String),
}

/// Pieces of the language, and of Rust that is not part of it.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "Real",
        "Vector",
        "Point",
        "Vector<2>",
        "[Real; 3]",
        "[Real; 0]",
        "[Real; 4294967295]",
        "u32",
        "self",
        "i",
        "j",
        "f",
        "0",
        "1.0",
        "1e999",
        "-1",
        "4294967296",
        "true",
        "+",
        "-",
        "*",
        "/",
        "=",
        "+=",
        "<",
        "==",
        "&&",
        "!",
        "as",
        "let",
        "mut",
        "if",
        "else",
        "fn",
        "impl",
        "const",
        "struct",
        "type",
        "return",
        "for",
        "loop",
        "{}",
        "()",
        "[0]",
        ".x",
        ".w",
        ".norm()",
        ".powi(3)",
        ".powi(-2147483648)",
        ";",
        ",",
        ":",
        "::",
        "pub",
        "where",
        "unsafe",
        "async",
        "match",
        "|x|",
        "..",
        "?",
        "r#type",
        "'a",
        "\"text\"",
        "'c'",
        "b'x'",
        "#",
        "€",
    ];
    prop::sample::select(pieces.map(str::to_owned).to_vec())
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Remove),
        Just(Change::Repeat),
        piece().prop_map(Change::Replace),
        piece().prop_map(Change::Insert),
    ]
}

/// Text that lexes to nothing where it is not Rust at all.
fn lex(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

fn apply(tokens: TokenStream, at: &mut usize, change: &Change) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        let here = *at == 0;
        *at = at.wrapping_sub(1);
        let token = match token {
            TokenTree::Group(group) => {
                let inner = apply(group.stream(), at, change);
                let mut new = Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            other => other,
        };
        match change {
            Change::Remove if here => {}
            Change::Repeat if here => out.extend([token.clone(), token]),
            Change::Replace(text) if here => out.extend(lex(text)),
            Change::Insert(text) if here => {
                out.extend(lex(text));
                out.extend([token]);
            }
            _ => out.extend([token]),
        }
    }
    out
}

fn count(tokens: TokenStream) -> usize {
    let inner = |token| match token {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => count(group.stream()),
        _ => 0,
    };
    tokens.into_iter().map(|token| 1 + inner(token)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn changed_modules_never_make_the_compiler_panic(
        module in prop::sample::select(MODULES.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..4),
    ) {
        let mut tokens = lex(module);
        for (index, change) in changes {
            let length = count(tokens.clone());
            prop_assume!(length > 0);
            tokens = apply(tokens, &mut index.index(length), &change);
        }
        let expansion = nbody_codegen::interaction(TokenStream::new(), tokens.clone());
        prop_assert!(!expansion.is_empty());
        // What it says nothing against is Rust.
        if nbody_codegen::cuda(tokens).is_ok() {
            prop_assert!(syn::parse2::<syn::File>(expansion).is_ok());
        }
    }
}
