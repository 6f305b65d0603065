//! Lines, words and numbers of text files, each with its line number.

use std::io::{BufRead, ErrorKind};

use crate::Error;

/// Longest part of a text that a message repeats.
const LONGEST: usize = 60;

/// Longest line, in bytes: a stream without line breaks would be read without end.
const LONGEST_LINE: usize = 1 << 20;

/// Reads a text with line breaks of any system. A byte-order mark is removed. Bytes that are not
/// UTF-8, as in comments in Latin-1, become the replacement character, which is not part of any
/// number. Refuses other bytes than text, and lines that do not end, as soon as it meets them.
pub fn read(from: impl BufRead, action: &'static str) -> Result<String, Error> {
    let bytes = bytes(from, action)?;
    let text = String::from_utf8(bytes);
    let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

/// Reads all bytes, and checks them piece by piece.
fn bytes(mut from: impl BufRead, action: &'static str) -> Result<Vec<u8>, Error> {
    let (mut bytes, mut lines) = (Vec::new(), Lines { number: 1, length: 0 });
    loop {
        let piece = match from.fill_buf() {
            Ok([]) => return Ok(bytes),
            Ok(piece) => piece,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(source) => return Err(Error::Io { action, source }),
        };
        let count = piece.len();
        bytes.extend_from_slice(piece);
        from.consume(count);
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(syntax(1, "text in UTF-16".to_owned(), "text in UTF-8 or ASCII"));
        }
        lines.check(&bytes[bytes.len() - count..])?;
    }
}

/// The number and the length of the present line.
struct Lines {
    number: u64,
    length: usize,
}

impl Lines {
    fn check(&mut self, piece: &[u8]) -> Result<(), Error> {
        for &byte in piece {
            match byte {
                b'\r' => self.length = 0,
                b'\n' => (self.number, self.length) = (self.number + 1, 0),
                b'\t' | b'\x0b' | b'\x0c' | b' '.. => self.length += 1,
                _ => return Err(syntax(self.number, format!("a byte {byte:#04x}"), "text")),
            }
            if self.length > LONGEST_LINE {
                let found = format!("a line of more than {LONGEST_LINE} bytes");
                return Err(syntax(self.number, found, "lines of text"));
            }
        }
        Ok(())
    }
}

/// Returns the lines with their numbers, from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines())
}

/// Returns the number of the last line.
pub fn last_line(text: &str) -> u64 {
    text.lines().count().max(1) as u64
}

/// Refuses a text whose last line does not end: its last number may be cut short.
pub fn check_end(text: &str) -> Result<(), Error> {
    if text.ends_with(char::is_whitespace) {
        return Ok(());
    }
    let found = "the end of the file within a line".to_owned();
    Err(syntax(
        last_line(text),
        found,
        "a line break after the last number, which may be cut short",
    ))
}

pub fn syntax(line: u64, found: String, expected: impl Into<String>) -> Error {
    Error::Syntax { line, found, expected: expected.into() }
}

/// Quotes a text for a message, or its beginning if it is long.
pub fn quoted(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}...`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// Parses a finite number.
pub fn number(line: u64, text: &str, what: &str) -> Result<f64, Error> {
    finite(text).ok_or_else(|| syntax(line, quoted(text), format!("{what}, a finite number")))
}

/// Parses a finite number, also in Fortran's form: `1.0D-01`, and `1.0-101` with an exponent of
/// three digits.
pub fn finite(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = text.parse().ok().or_else(|| double_precision(text)).or_else(|| no_letter(text));
    value.filter(|value: &f64| value.is_finite())
}

fn double_precision(text: &str) -> Option<f64> {
    let at = text.find(['d', 'D'])?;
    format!("{}e{}", &text[..at], &text[at + 1..]).parse().ok()
}

/// Parses a number whose exponent has no letter. The point and the three digits distinguish it
/// from two numbers without a blank between them.
fn no_letter(text: &str) -> Option<f64> {
    let at = text.rfind(['+', '-'])?;
    let (mantissa, exponent) = text.split_at(at);
    let is_exponent = exponent.len() == 4 && exponent[1..].bytes().all(|c| c.is_ascii_digit());
    let is_mantissa = mantissa.contains('.') && !mantissa.contains(['e', 'E']);
    (is_exponent && is_mantissa).then(|| format!("{mantissa}e{exponent}").parse().ok())?
}

/// Words of a text, with the numbers of their lines.
pub struct Words<'a> {
    words: Box<dyn Iterator<Item = (u64, &'a str)> + 'a>,
    last: u64,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Self {
        let words =
            lines(text).flat_map(|(k, line)| line.split_whitespace().map(move |word| (k, word)));
        Self { words: Box::new(words), last: last_line(text) }
    }

    /// Returns the next word, if there is one.
    pub fn get(&mut self) -> Option<(u64, &'a str)> {
        self.words.next()
    }

    pub fn next(&mut self, what: &str) -> Result<(u64, &'a str), Error> {
        let last = self.last;
        self.get().ok_or_else(|| syntax(last, "the end of the file".to_owned(), what))
    }

    pub fn count(&mut self, what: &str) -> Result<usize, Error> {
        let (line, word) = self.next(what)?;
        word.parse().map_err(|_| syntax(line, quoted(word), what))
    }

    pub fn number(&mut self, what: &str) -> Result<f64, Error> {
        let (line, word) = self.next(what)?;
        number(line, word, what)
    }

    pub fn vector(&mut self, what: &str) -> Result<[f64; 3], Error> {
        Ok([self.number(what)?, self.number(what)?, self.number(what)?])
    }
}
