//! Splits a text into tokens that together are the text again.

/// The tokens of several characters.
const LONG: [&str; 19] = [
    "..=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "..",
    "r#", "/*", "*/", "//",
];

/// Returns the tokens of a text: words, numbers, operators, blanks and comments.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (token, behind) = rest.split_at(length(rest));
        tokens.push(token.to_owned());
        rest = behind;
    }
    tokens
}

/// Returns the length of the first token in bytes.
fn length(text: &str) -> usize {
    let first = text.chars().next().expect("a token");
    let run = |holds: &dyn Fn(char) -> bool| text.find(|c| !holds(c)).unwrap_or(text.len());
    if text.starts_with("//") {
        return run(&|c| c != '\n');
    }
    if first.is_whitespace() {
        return run(&char::is_whitespace);
    }
    if first.is_ascii_digit() {
        return number(text);
    }
    if is_letter(first) {
        return run(&is_letter);
    }
    let long = LONG.iter().find(|long| text.starts_with(**long));
    long.map_or(first.len_utf8(), |long| long.len())
}

/// Returns the length of a number: `1.5e-3`, but `0` of `0..3` and `1` of `1.max(2)`.
fn number(text: &str) -> usize {
    let (bytes, mut end) = (text.as_bytes(), 0);
    while let Some(&byte) = bytes.get(end) {
        let next = bytes.get(end + 1).copied().unwrap_or(b' ');
        let is_exponent = matches!(byte, b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E');
        let is_point = byte == b'.' && next.is_ascii_digit();
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || is_point || is_exponent) {
            break;
        }
        end += 1;
    }
    end
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether a token begins with a letter.
pub fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| is_letter(c) && !c.is_ascii_digit())
}

/// Returns whether a token is a number.
pub fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether a token is a blank or a comment.
pub fn is_gap(token: &str) -> bool {
    token.starts_with(char::is_whitespace) || token.starts_with("//")
}
