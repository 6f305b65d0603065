//! Modules with random changes: the compiler accepts them, or refuses them at a place inside them,
//! and never panics.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use proptest::prelude::*;

const MODULES: [&str; 5] = [
    include_str!("modules/gravity.rs"),
    include_str!("modules/everything.rs"),
    include_str!("modules/fluid.rs"),
    include_str!("modules/simulation.rs"),
    include_str!("modules/words.rs"),
];

/// A change at a token; tokens are counted through all groups.
#[derive(Clone, Debug)]
enum Change {
    Remove,
    Repeat,
    /// Replaces the token by this text.
    Replace(String),
    /// Writes this text before the token.
    Insert(String),
}

/// Returns pieces of the language, and pieces of Rust outside the language.
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

/// Lexes a text; a text that does not lex as Rust gives no tokens.
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

/// Returns the range of the source that the tokens span.
fn range(tokens: TokenStream) -> Range<usize> {
    let mut ranges = tokens.into_iter().map(|token| token.span().byte_range());
    let first = ranges.next().unwrap_or_default();
    first.start..ranges.last().unwrap_or(first).end
}

/// Returns the places of the errors of an expansion.
fn errors(expansion: TokenStream) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut tokens = expansion.into_iter();
    while let Some(token) = tokens.next() {
        let is_error = matches!(&token, TokenTree::Ident(ident) if ident == "compile_error");
        // The `!` and the text follow the name; the text has the end of the place.
        if is_error && let Some(end) = tokens.nth(1) {
            places.push(token.span().byte_range().start..end.span().byte_range().end);
        }
    }
    places
}

fn is_inside(place: &Range<usize>, whole: &Range<usize>) -> bool {
    whole.start <= place.start && place.start < place.end && place.end <= whole.end
}

#[test]
fn what_is_missing_at_the_end_is_missed_inside() {
    for text in ["mod gravity", "pub", "struct", "mod gravity { fn }", "mod gravity { struct A }"] {
        let tokens = lex(text);
        let places = errors(nbody_codegen::interaction(TokenStream::new(), tokens.clone()));
        assert!(!places.is_empty(), "{text}");
        assert!(places.iter().all(|place| is_inside(place, &range(tokens.clone()))), "{places:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn changed_modules_are_refused_where_they_are_wrong_and_never_cause_a_panic(
        module in prop::sample::select(MODULES.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..4),
    ) {
        let mut tokens = lex(module);
        for (index, change) in changes {
            let length = count(tokens.clone());
            prop_assume!(length > 0);
            tokens = apply(tokens, &mut index.index(length), &change);
        }
        // Lex one text again, so that every token has a place in it.
        let tokens = lex(&tokens.to_string());
        prop_assume!(!tokens.is_empty());
        let whole = range(tokens.clone());
        let expansion = nbody_codegen::interaction(TokenStream::new(), tokens.clone());
        for place in errors(expansion.clone()) {
            prop_assert!(is_inside(&place, &whole), "{place:?} of {whole:?}: {expansion}");
        }
        // A module without errors expands to valid Rust.
        if nbody_codegen::cuda(tokens).is_ok() {
            prop_assert!(syn::parse2::<syn::File>(expansion).is_ok());
        }
    }
}
