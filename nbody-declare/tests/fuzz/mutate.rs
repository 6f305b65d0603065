//! Random changes of texts.

use fastrand::Rng;

use super::corpus::Corpus;
use super::extremes;
use super::tokens::{is_gap, is_number, is_word};

/// Tokens of the language that may replace any token.
const PIECES: [&str; 50] = [
    "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", ":", "::", ".", "..", "..=", "=", "+=", "-=",
    "*=", "/=", "+", "-", "*", "/", "%", "<<", ">>=", "!", "&", "&&", "||", "|", "^", "#", "?",
    "@", "$", "'", "'a", "\"", "\"text\"", "as", "->", "=>", "0", "1.0", "-1", "'c'", "b'x'", "\\",
];
/// Operators and functions that often may replace one another.
const CLASSES: [&[&str]; 9] = [
    &["+", "-", "*", "/"],
    &["<", "<=", ">", ">=", "==", "!="],
    &["+=", "-=", "*=", "/=", "="],
    &["&&", "||"],
    &[
        "abs", "sqrt", "rsqrt", "recip", "cbrt", "exp", "ln", "sin", "cos", "tan", "asin", "acos",
        "atan", "sinh", "cosh", "tanh", "erf", "erfc", "floor", "ceil", "round", "trunc", "norm",
        "norm2",
    ],
    &["rotate_left", "mul_high", "min", "max", "count_ones"],
    &["random", "gaussian", "random_bits"],
    &["min", "max", "powf", "atan2", "copysign", "dot", "cross", "powi"],
    &["Real", "Vector", "Point", "u32", "bool", "Count", "Vector<2>", "Point<2>", "[Real; 3]"],
];
const TYPES: [&str; 18] = [
    "Real",
    "Vector",
    "Point",
    "u32",
    "bool",
    "Count",
    "Min<Real>",
    "Max<Real>",
    "ArgMin<Real>",
    "ArgMax<Real>",
    "Nearest<3>",
    "Vector<2>",
    "Point<2>",
    "[Real; 3]",
    "[[Real; 2]; 3]",
    "[Real; 4096]",
    "[Real; 0]",
    "[u32; 2]",
];
const REALS: [&str; 18] = [
    "0.0",
    "1.0",
    "2.5",
    "0.1",
    "1e300",
    "1e-300",
    "1e308",
    "1e309",
    "3",
    "1_000.0",
    "5e-324",
    "1.",
    "1f32",
    "1.0f64",
    "123456789.123456789123456789",
    "0x10",
    "1e",
    "1.0e+10",
];
const INTEGERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "31",
    "32",
    "33",
    "4294967295",
    "4294967296",
    "-1",
    "1u32",
    "0b11",
    "2147483648",
];
const STATEMENTS: [&str; 12] = [
    "let fresh = 1.5;",
    "let mut fresh = 0.5; fresh += 1.0;",
    "return;",
    "if 1.0 < 2.0 { return; }",
    "for step in 0..3 { let twice = 2.0; }",
    "let fresh = Vector::new(1.0, 2.0, 3.0);",
    "let (a, b) = (1.0, 2.0);",
    "loop {}",
    "if true {}",
    "{ let inner = 1.0; }",
    ";",
    "let fresh: Real = if 1.0 < 2.0 { 3.0 } else { 4.0 };",
];

/// Returns the mutant of a number.
pub fn mutant(corpus: &Corpus, number: u64) -> String {
    let mut rng = Rng::with_seed(number);
    let rng = &mut rng;
    let mut tokens = pick(rng, &corpus.texts).clone();
    match rng.u32(0..100) {
        0..65 => (0..rng.u32(1..4)).for_each(|_| meant(rng, corpus, &mut tokens)),
        65..80 => (0..rng.u32(1..4)).for_each(|_| of_tokens(rng, corpus, &mut tokens)),
        80..83 => {
            meant(rng, corpus, &mut tokens);
            of_tokens(rng, corpus, &mut tokens);
        }
        83..90 => return of_characters(rng, &tokens.concat()),
        _ => return extremes::text(rng, tokens),
    }
    tokens.concat()
}

pub fn pick<'a, T>(rng: &mut Rng, of: &'a [T]) -> &'a T {
    &of[rng.usize(0..of.len())]
}

/// Returns a place of a token that `holds`; `None` if there is none.
pub fn place(rng: &mut Rng, tokens: &[String], holds: impl Fn(usize) -> bool) -> Option<usize> {
    let places: Vec<_> = (0..tokens.len()).filter(|&at| holds(at)).collect();
    (!places.is_empty()).then(|| *pick(rng, &places))
}

/// Changes tokens without regard to the grammar.
fn of_tokens(rng: &mut Rng, corpus: &Corpus, tokens: &mut Vec<String>) {
    let Some(at) = place(rng, tokens, |at| !is_gap(&tokens[at])) else { return };
    match rng.u32(0..8) {
        0 => _ = tokens.remove(at),
        1 => tokens.insert(at, tokens[at].clone()),
        2 => {
            let other = rng.usize(0..tokens.len());
            tokens.swap(at, other);
        }
        3 => (*pick(rng, &PIECES)).clone_into(&mut tokens[at]),
        4 => tokens.insert(at, format!(" {} ", pick(rng, &PIECES))),
        5 => tokens[at].clone_from(pick(rng, &corpus.words)),
        6 => {
            // Part of another text.
            let other = pick(rng, &corpus.texts);
            let from = rng.usize(0..other.len());
            let part = other[from..].iter().take(rng.usize(1..40)).cloned();
            tokens.splice(at..at, part);
        }
        _ => {
            let end = (at + rng.usize(1..20)).min(tokens.len());
            tokens.drain(at..end);
        }
    }
}

/// Changes characters.
fn of_characters(rng: &mut Rng, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..rng.u32(1..4) {
        let at = rng.usize(0..characters.len());
        match rng.u32(0..5) {
            0 => _ = characters.remove(at),
            1 => characters.insert(at, characters[at]),
            2 => {
                let other = rng.usize(0..characters.len());
                characters.swap(at, other);
            }
            3 => characters[at] = rng.char(..),
            _ => characters[at] = *pick(rng, &['\0', '"', '\'', '{', ')', '\\', '\u{feff}', '/']),
        }
        if characters.is_empty() {
            break;
        }
    }
    if rng.u32(0..10) == 0 {
        characters.truncate(rng.usize(0..=characters.len()));
    }
    characters.into_iter().collect()
}

/// Changes a text so that it often stays in the language.
fn meant(rng: &mut Rng, corpus: &Corpus, tokens: &mut Vec<String>) {
    match rng.u32(0..12) {
        0..4 => exchange(rng, tokens),
        4 => number(rng, tokens),
        5 | 6 => rename(rng, corpus, tokens),
        7 => operand(rng, tokens),
        8 | 9 => statement(rng, tokens),
        10 => field(rng, corpus, tokens),
        _ => {
            if let Some(at) = place(rng, tokens, |at| tokens[at] == ";") {
                tokens.insert(at + 1, format!(" {} ", pick(rng, &STATEMENTS)));
            }
        }
    }
}

/// Exchanges an operator, a function or a type for another one.
fn exchange(rng: &mut Rng, tokens: &mut [String]) {
    let class = *pick(rng, &CLASSES);
    if let Some(at) = place(rng, tokens, |at| class.contains(&&*tokens[at])) {
        (*pick(rng, class)).clone_into(&mut tokens[at]);
    }
}

fn number(rng: &mut Rng, tokens: &mut [String]) {
    if let Some(at) = place(rng, tokens, |at| is_number(&tokens[at])) {
        let is_real = tokens[at].contains(['.', 'e']);
        let list = if is_real { &REALS[..] } else { &INTEGERS[..] };
        (*pick(rng, list)).clone_into(&mut tokens[at]);
    }
}

/// Gives everything of one name another name.
fn rename(rng: &mut Rng, corpus: &Corpus, tokens: &mut [String]) {
    const FIXED: [&str; 42] = [
        "mod",
        "pub",
        "struct",
        "impl",
        "for",
        "type",
        "fn",
        "let",
        "mut",
        "if",
        "else",
        "return",
        "const",
        "self",
        "Self",
        "true",
        "false",
        "in",
        "as",
        "Real",
        "Vector",
        "Point",
        "u32",
        "bool",
        "Interaction",
        "Update",
        "Measure",
        "I",
        "J",
        "F",
        "P",
        "Q",
        "T",
        "Min",
        "Max",
        "ArgMin",
        "ArgMax",
        "Nearest",
        "Count",
        "pair",
        "new",
        "super",
    ];
    let is_name = |at: usize| is_word(&tokens[at]) && !FIXED.contains(&&*tokens[at]);
    let Some(at) = place(rng, tokens, is_name) else { return };
    let name = if rng.u32(0..50) == 0 {
        "long".repeat(rng.usize(10..10_000))
    } else {
        pick(rng, &corpus.words).clone()
    };
    let name = if rng.u32(0..20) == 0 { format!("r#{name}") } else { name };
    let old = tokens[at].clone();
    tokens.iter_mut().filter(|token| **token == old).for_each(|token| token.clone_from(&name));
}

/// Returns the first token that is no gap.
fn first<'a>(mut tokens: impl Iterator<Item = &'a String>) -> &'a str {
    tokens.find(|token| !is_gap(token)).map_or("", |token| &**token)
}

/// Returns whether a token is an operand by itself.
pub fn is_operand(tokens: &[String], at: usize) -> bool {
    let before = first(tokens[..at].iter().rev());
    let behind = first(tokens[at + 1..].iter());
    (is_word(&tokens[at]) || is_number(&tokens[at]))
        && ["+", "-", "*", "/", "=", "+=", "-=", "(", "<", ">"].contains(&before)
        && ["+", "-", "*", "/", ";", ")", ",", "<", ">"].contains(&behind)
}

/// Makes an operand an expression.
fn operand(rng: &mut Rng, tokens: &mut [String]) {
    let Some(at) = place(rng, tokens, |at| is_operand(tokens, at)) else { return };
    let x = tokens[at].clone();
    let number = *pick(rng, &REALS);
    let function = *pick(rng, CLASSES[4]);
    tokens[at] = match rng.u32(0..12) {
        0 => format!("({x} + {number})"),
        1 => format!("({x} * {number})"),
        2 => format!("{x}.{function}()"),
        3 => format!("(if {x} < {number} {{ {x} }} else {{ 2.0 * {x} }})"),
        4 => format!("{x}.min({number})"),
        5 => format!("({x})"),
        6 => format!("{{ let inner = {x}; inner }}"),
        7 => format!("(-{x})"),
        8 => format!("{x}.powi({})", pick(rng, &INTEGERS)),
        9 => format!("({x} as Real)"),
        10 => format!("{x}.mul_add({number}, {x})"),
        _ => format!("{x}.clamp({number}, {x})"),
    };
}

/// Doubles, removes, moves or wraps a statement.
fn statement(rng: &mut Rng, tokens: &mut Vec<String>) {
    let Some(end) = place(rng, tokens, |at| tokens[at] == ";") else { return };
    let mut depth = 0;
    let before = tokens[..end].iter().rposition(|token| {
        depth += match &**token {
            ")" | "]" => 1,
            "(" | "[" | "{" => -1,
            _ => 0,
        };
        depth < 0 || depth == 0 && [";", "}"].contains(&&**token)
    });
    let begin = before.map_or(0, |at| at + 1);
    let statement = tokens[begin..=end].to_vec();
    match rng.u32(0..5) {
        0 => _ = tokens.splice(begin..begin, statement),
        1 => _ = tokens.drain(begin..=end),
        2 => {
            tokens.drain(begin..=end);
            let to = place(rng, tokens, |at| tokens[at] == ";").map_or(0, |at| at + 1);
            tokens.splice(to..to, statement);
        }
        3 => {
            tokens.insert(end + 1, "}".to_owned());
            tokens.insert(begin, " if 1.0 < 2.0 {".to_owned());
        }
        _ => {
            tokens.insert(end + 1, "}".to_owned());
            tokens.insert(begin, format!(" for k in 0..{} {{", pick(rng, &INTEGERS)));
        }
    }
}

/// Adds a field to a struct.
fn field(rng: &mut Rng, corpus: &Corpus, tokens: &mut Vec<String>) {
    let begins = |at: usize| {
        let before = tokens[at.saturating_sub(5)..at].iter().any(|token| token == "struct");
        tokens[at] == "{" && before
    };
    if let Some(at) = place(rng, tokens, begins) {
        let field = format!(" {}: {}, ", pick(rng, &corpus.words), pick(rng, &TYPES));
        tokens.insert(at + 1, field);
    }
}
