//! Removes the groups without delimiters that `macro_rules!` puts around `$e:expr`, `$b:block` and
//! other fragments, wherever the tokens bind together without the group.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Returns the tokens without such groups; types, and expressions of several tokens, keep theirs.
pub fn spliced(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_alone = tokens.len() == 1;
    let each = tokens.into_iter().map(|token| {
        let TokenTree::Group(group) = token else { return token.into() };
        let inside = spliced(group.stream());
        if group.delimiter() == Delimiter::None && (is_alone || holds_together(&inside)) {
            return inside;
        }
        let mut kept = Group::new(group.delimiter(), inside);
        kept.set_span(group.span());
        TokenTree::Group(kept).into()
    });
    each.collect()
}

/// Tests whether the tokens bind together in any context: there is at most one, or they begin an
/// item, a statement, a visibility or a pattern.
fn holds_together(tokens: &TokenStream) -> bool {
    const FIRST: [&str; 12] = [
        "pub", "struct", "const", "fn", "impl", "type", "use", "static", "enum", "let", "mut",
        "ref",
    ];
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (None, _) | (_, None) => true,
        (Some(TokenTree::Ident(first)), _) => FIRST.iter().any(|word| first == word),
        (Some(TokenTree::Punct(first)), _) => first.as_char() == '#',
        // For example `1.0 + x` and `(x + 1.0) / 2.0`.
        (Some(TokenTree::Literal(_) | TokenTree::Group(_)), _) => false,
    }
}
