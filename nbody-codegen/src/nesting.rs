//! Limits the nesting of the tokens of a module, so that no recursive code overflows the stack:
//! the parser, the checks, and the code that prints and drops a tree.

use std::vec::IntoIter;

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};
use quote::quote;

use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// Largest depth of nested parentheses, brackets and braces.
const DEEPEST: usize = 64;
/// Largest number of operators in an expression and in the expressions around it: each may be a
/// level of the tree.
const LONGEST: usize = 500;

/// Refuses excessive nesting, and removes it, so that the rest can be parsed.
pub fn check(cx: &Ctxt, item: TokenStream) -> TokenStream {
    let mut innermost = Open::new(cx, None, item, 0);
    let mut outer = Vec::new();
    loop {
        match innermost.rest.next() {
            Some((TokenTree::Group(group), operators)) => {
                let mut inside = group.stream();
                if outer.len() == DEEPEST {
                    let site = Site::at(group.span_open());
                    cx.error(site, &message::NESTING, &[&DEEPEST.to_string()]);
                    // The replacement is valid as an expression, as a type and as a pattern.
                    inside = quote!(_);
                }
                let inner = Open::new(cx, Some(group), inside, operators);
                outer.push(std::mem::replace(&mut innermost, inner));
            }
            Some((token, _)) => innermost.done.push(token),
            None => {
                let done: TokenStream = innermost.done.into_iter().collect();
                let (Some(before), Some(group)) = (outer.pop(), innermost.group) else {
                    return done;
                };
                innermost = before;
                let mut kept = Group::new(group.delimiter(), done);
                kept.set_span(group.span());
                innermost.done.push(kept.into());
            }
        }
    }
}

/// The group whose tokens are being visited; `group` is `None` at the outermost level.
struct Open {
    group: Option<Group>,
    /// The tokens not visited yet, each with the number of operators around it.
    rest: IntoIter<(TokenTree, usize)>,
    done: Vec<TokenTree>,
}

impl Open {
    fn new(cx: &Ctxt, group: Option<Group>, stream: TokenStream, around: usize) -> Self {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut rest = Vec::with_capacity(tokens.len());
        let mut begin = 0;
        // Tokens after an expression that is too long may belong to it, up to a semicolon.
        let mut is_whole = true;
        while begin < tokens.len() {
            let expression = &tokens[begin..expression_end(&tokens, begin)];
            begin += expression.len();
            // Operators of another operand do not count for this one.
            let (mut operators, mut steps, mut most_steps) = (around, 0, 0);
            let mut too_long = None;
            for at in 0..expression.len() {
                match level(expression, at) {
                    None => {}
                    Some(Level::Operator) => (operators, steps) = (operators + 1, 0),
                    Some(Level::Step) => steps += 1,
                }
                most_steps = most_steps.max(steps);
                if operators + most_steps > LONGEST && too_long.is_none() {
                    too_long = Some(expression[at].span());
                }
            }
            if let Some(span) = too_long {
                cx.error(Site::at(span), &message::EXPRESSION_LENGTH, &[&LONGEST.to_string()]);
                is_whole = false;
            }
            if is_whole {
                let operators = operators + most_steps;
                rest.extend(expression.iter().map(|token| (token.clone(), operators)));
            }
            let last = expression.last();
            is_whole |= matches!(last, Some(TokenTree::Punct(last)) if last.as_char() == ';');
        }
        Self { group, rest: rest.into_iter(), done: Vec::new() }
    }
}

/// Finds the end of the expression, statement or item that begins here: after `,`, after `;`, or
/// after braces that nothing continues.
fn expression_end(tokens: &[TokenTree], begin: usize) -> usize {
    let ends = |at: usize| match &tokens[at] {
        TokenTree::Punct(punct) => matches!(punct.as_char(), ',' | ';'),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            match tokens.get(at + 1) {
                Some(TokenTree::Ident(next)) => next != "else" && next != "as",
                Some(TokenTree::Punct(next)) => next.as_char() == '#',
                Some(TokenTree::Group(next)) => next.delimiter() == Delimiter::Brace,
                _ => true,
            }
        }
        _ => false,
    };
    (begin..tokens.len()).find(|at| ends(*at)).map_or(tokens.len(), |at| at + 1)
}

/// A token that makes an expression one level deeper.
enum Level {
    /// A token between or before operands.
    Operator,
    /// A step from an operand to a part or a method of it, or from a module to an item: `i.pos`,
    /// `f()()`, `consts::PI`.
    Step,
}

/// Classifies a token. Punctuation is an operator, and so is a word such as `as`, `else` or
/// `return` before another token.
fn level(tokens: &[TokenTree], at: usize) -> Option<Level> {
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let is_joint = |punct: &Punct| punct.spacing() == Spacing::Joint;
    match &tokens[at] {
        TokenTree::Punct(punct) => match (punct.as_char(), before) {
            // A path: each segment is a level of the tree of a `use`.
            (':', Some(TokenTree::Punct(punct))) if is_joint(punct) => Some(Level::Step),
            (',' | ';' | ':' | '\'' | '#', _) => None,
            ('=' | '>', Some(TokenTree::Punct(punct))) if is_joint(punct) => None,
            ('.', _) => Some(Level::Step),
            _ => Some(Level::Operator),
        },
        TokenTree::Ident(_) => {
            matches!(tokens.get(at + 1), Some(TokenTree::Ident(_))).then_some(Level::Operator)
        }
        TokenTree::Group(_) => matches!(before, Some(TokenTree::Group(_))).then_some(Level::Step),
        TokenTree::Literal(_) => None,
    }
}
