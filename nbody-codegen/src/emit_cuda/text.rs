//! Writes lines, indentation and comments.

use std::ops::Range;

use syn::{Attribute, Expr, Lit, Meta};

use crate::ir::LONGEST_UNROLLED;

/// Width at which lines are broken, where they can be.
const WIDTH: usize = 100;

const INDENT: &str = "    ";

/// A text that is written line by line.
#[derive(Default)]
pub(crate) struct Text {
    lines: String,
    depth: usize,
    /// Beginning of the next line, such as `} else `.
    prefix: &'static str,
    /// Whether long lines may be broken in lists of arguments, too.
    breaks_lists: bool,
}

impl Text {
    /// Creates a text of nested calls.
    pub fn of_calls() -> Self {
        Self { breaks_lists: true, ..Self::default() }
    }

    pub fn line(&mut self, line: &str) {
        self.line_with(line, None);
    }

    /// Writes a line with a comment after it.
    pub fn line_with(&mut self, line: &str, behind: Option<&str>) {
        let indent = INDENT.repeat(self.depth);
        let line = format!("{indent}{}{line}", std::mem::take(&mut self.prefix));
        for piece in wrap(line, &indent, self.breaks_lists) {
            self.lines.push_str(&piece);
            self.lines.push('\n');
        }
        let behind = behind.map(one_line).filter(|behind| !behind.is_empty());
        if let Some(behind) = behind {
            self.lines.pop();
            self.lines.push_str(" // ");
            self.lines.push_str(&behind);
            self.lines.push('\n');
        }
    }

    pub fn comment<S: AsRef<str>>(&mut self, lines: &[S]) {
        let indent = INDENT.repeat(self.depth);
        for line in lines {
            let line = format!("{indent}// {}", one_line(line.as_ref()));
            self.lines.push_str(line.trim_end());
            self.lines.push('\n');
        }
    }

    /// Writes a line with the doc comments of its declaration.
    pub fn documented(&mut self, line: &str, attrs: &[Attribute]) {
        match &docs(attrs)[..] {
            [] => self.line(line),
            [doc] => self.line_with(line, Some(doc)),
            docs => {
                self.comment(docs);
                self.line(line);
            }
        }
    }

    /// Writes the head of a loop over integers.
    pub fn for_each(&mut self, name: &str, range: &Range<u32>) {
        if range.len() <= LONGEST_UNROLLED {
            self.directive("#pragma unroll");
        }
        let Range { start, end } = range;
        self.open(&format!("for (u32 {name} = {start}; {name} < {end}; ++{name}) {{"));
    }

    /// Writes a directive, which is never indented.
    pub fn directive(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    /// Writes the head of a function of the device.
    pub fn function(&mut self, head: &str, parameters: &[String]) {
        self.head(&format!("__device__ __forceinline__ {head}"), parameters);
    }

    /// Writes the head of a function, with its parameters on one line if they fit.
    pub fn head(&mut self, head: &str, parameters: &[String]) {
        let whole = format!("{head}({})", parameters.join(", "));
        if self.depth * INDENT.len() + whole.len() <= WIDTH {
            return self.line(&whole);
        }
        self.line(&format!("{head}("));
        let mut line = String::from("   ");
        for (k, parameter) in parameters.iter().enumerate() {
            let end = if k + 1 == parameters.len() { ")" } else { "," };
            if line.len() + 1 + parameter.len() + end.len() > WIDTH {
                self.line(&std::mem::replace(&mut line, String::from("   ")));
            }
            line = format!("{line} {parameter}{end}");
        }
        self.line(&line);
    }

    /// Writes a line that opens a block.
    pub fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    /// Begins the inside of a block whose opening line is written already.
    pub fn indent(&mut self) {
        self.depth += 1;
    }

    /// Writes a line that closes a block.
    pub fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }

    /// Closes a block on the line where the next one begins.
    pub fn close_with(&mut self, prefix: &'static str) {
        self.depth -= 1;
        self.prefix = prefix;
    }

    /// Writes an empty line, unless there is one already.
    pub fn gap(&mut self) {
        if !self.lines.is_empty() && !self.lines.ends_with("\n\n") {
            self.lines.push('\n');
        }
    }

    pub fn finish(self) -> String {
        self.lines
    }
}

/// Breaks a long line before operators and, in a text of calls, behind commas, as far outside of
/// parentheses as possible.
fn wrap(line: String, indent: &str, breaks_lists: bool) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while rest.len() > WIDTH {
        let Some(at) = break_point(&rest, breaks_lists) else { break };
        let tail = format!("{indent}    {}", rest[at..].trim_start());
        rest.truncate(at);
        pieces.push(std::mem::replace(&mut rest, tail).trim_end().to_owned());
    }
    pieces.push(rest);
    pieces
}

fn break_point(line: &str, breaks_lists: bool) -> Option<usize> {
    let mut depth = 0;
    let mut best: Option<(i32, usize)> = None;
    let start = line.len() - line.trim_start().len();
    for (at, c) in line.char_indices().take_while(|(at, _)| *at <= WIDTH) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if at > start + 4 => {
                let starts = |words: &[&str]| words.iter().any(|word| line[at..].starts_with(word));
                let operator = starts(&[" + ", " - ", " * ", " / ", " && ", " || ", " ? ", " : "]);
                let calls = breaks_lists && (line[..at].ends_with(',') || starts(&[" & ", " | "]));
                if (operator || calls) && best.is_none_or(|(least, _)| depth <= least) {
                    best = Some((depth, at));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at)
}

/// Returns the lines of the doc comments among these attributes.
pub(crate) fn docs(attrs: &[Attribute]) -> Vec<String> {
    let doc = |attr: &Attribute| match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    let text: Vec<String> = attrs.iter().filter_map(doc).collect();
    text.join("\n").lines().map(|line| line.trim().to_owned()).collect()
}

/// Returns the lines of the doc comments, or another line if there are none.
pub(crate) fn docs_or(attrs: &[Attribute], other: impl FnOnce() -> String) -> Vec<String> {
    let docs = docs(attrs);
    if docs.is_empty() { vec![other()] } else { docs }
}

/// Makes the comment one line of C++: without line ends, without bidirectional formatting
/// characters, and without a line continuation (a final backslash or its trigraph).
fn one_line(comment: &str) -> String {
    let printable: String = comment.chars().map(|c| if is_print(c) { c } else { ' ' }).collect();
    let mut line = printable.trim_end();
    while let Some(rest) = line.strip_suffix('\\').or_else(|| line.strip_suffix("??/")) {
        line = rest.trim_end();
    }
    line.to_owned()
}

fn is_print(c: char) -> bool {
    let separates = matches!(c, '\u{2028}' | '\u{2029}');
    let turns = matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}');
    !(c.is_control() || separates || turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_outside_parentheses() {
        let line =
            format!("    x = {} + ({} + {});", "a".repeat(60), "b".repeat(30), "c".repeat(30));
        let pieces = wrap(line, "    ", false);
        assert_eq!(pieces.len(), 2);
        assert!(pieces[1].starts_with("        + (bbb"), "{pieces:?}");
    }

    #[test]
    fn comments_stay_on_their_line() {
        assert_eq!(one_line("a path C:\\dir\\ \\"), "a path C:\\dir");
        assert_eq!(one_line("a\rb\0c\u{85}d\u{2028}e\u{202e}f"), "a b c d e f");
        assert_eq!(one_line("ends \\\0"), "ends");
        assert_eq!(one_line("ends ??/\\\r"), "ends");
        assert_eq!(one_line("α → β"), "α → β");
    }
}
