//! Prints expressions as a programmer writes them.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;

/// The preceding token, as far as it decides whether a space follows.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// Nothing, or a token without a space after it: `.`, `::`, a sign.
    Tight,
    /// A name, a number or a group.
    Operand,
    /// A word of Rust, an operator or a comma.
    Loose,
    /// The first character of a longer operator.
    Part { is_path: bool },
}

/// Returns the text of an expression with a programmer's usual spaces.
pub(crate) fn written(syntax: &impl ToTokens) -> String {
    let mut text = String::new();
    print(syntax.to_token_stream(), &mut text);
    text
}

/// Returns the text of an expression as the operand of a method, in parentheses where needed.
pub(crate) fn operand(expr: &Expr) -> String {
    match expr {
        Expr::Binary(_) | Expr::Unary(_) | Expr::Cast(_) | Expr::If(_) | Expr::Closure(_) => {
            format!("({})", written(expr))
        }
        Expr::Group(group) => operand(&group.expr),
        _ => written(expr),
    }
}

/// Returns the text of an expression, in parentheses if it is a sum, a product or has a sign.
pub(crate) fn operand_of(text: &str) -> String {
    let mut depth = 0;
    let is_compound = text.chars().any(|sign| {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && sign == ' '
    });
    if is_compound || text.starts_with(['-', '!', '*', '&']) {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

fn print(tokens: TokenStream, text: &mut String) {
    let mut before = Before::Tight;
    for token in tokens {
        before = match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                let is_apart = before == Before::Loose
                    || before == Before::Operand && group.delimiter() == Delimiter::Brace;
                text.push_str(if is_apart { " " } else { "" });
                text.push_str(open);
                print(group.stream(), text);
                text.push_str(close);
                Before::Operand
            }
            TokenTree::Punct(punct) => punctuation(&punct, before, text),
            word => {
                let word = word.to_string();
                if matches!(before, Before::Operand | Before::Loose) {
                    text.push(' ');
                }
                text.push_str(&word);
                let is_keyword = ["as", "if", "else", "let", "mut", "in", "return", "match"];
                if is_keyword.contains(&&*word) { Before::Loose } else { Before::Operand }
            }
        };
    }
}

fn punctuation(punct: &proc_macro2::Punct, before: Before, text: &mut String) -> Before {
    let sign = punct.as_char();
    let is_joint = punct.spacing() == Spacing::Joint;
    match (sign, before) {
        (_, Before::Part { is_path }) => {
            text.push(sign);
            match (is_joint, is_path) {
                (true, _) => before,
                (false, true) => Before::Tight,
                (false, false) => Before::Loose,
            }
        }
        ('.', _) => {
            text.push(sign);
            Before::Tight
        }
        (':', _) if is_joint => {
            text.push(sign);
            Before::Part { is_path: true }
        }
        (',' | ';' | ':' | '?', _) => {
            text.push(sign);
            Before::Loose
        }
        ('-' | '!' | '*' | '&', Before::Tight | Before::Loose) => {
            text.push_str(if before == Before::Loose { " " } else { "" });
            text.push(sign);
            Before::Tight
        }
        _ => {
            text.push_str(if before == Before::Tight { "" } else { " " });
            text.push(sign);
            if is_joint { Before::Part { is_path: false } } else { Before::Loose }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_printed_as_they_were_written() {
        for text in [
            "(d.norm2() + self.eps2).sqrt()",
            "core::f64::consts::PI * -x + a[k + 1]",
            "f64::max(i.mass, (a + b) * 2.0)",
            "if a <= b && !c { -1.0 } else { 2.0 }",
            "self.table[i.kind][j.kind] as Real - (a)",
        ] {
            assert_eq!(written(&text.parse::<TokenStream>().unwrap()), text);
        }
    }
}
