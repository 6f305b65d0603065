//! Excerpts of compiler logs and of their programs.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

/// Lines of the log to show, from the first error on.
const SHOWN: usize = 16;
/// Lines of the program to show on each side of the first error.
const AROUND: usize = 3;
/// Characters of a line to show.
const WIDTH: usize = 160;

/// The first errors of a compiler, with the lines of the program around the first error.
pub struct Excerpt<'a> {
    pub log: &'a str,
    /// The program, with line numbers.
    pub source_text: &'a str,
    /// A file with the whole program.
    pub file: Option<&'a Path>,
}

impl Display for Excerpt<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.log.lines().collect();
        let first = lines.iter().position(|line| line.contains("error")).unwrap_or(0);
        let errors = lines.iter().skip(first);
        let more = errors.len().saturating_sub(SHOWN);
        let mut shown: Vec<_> = errors.take(SHOWN).map(|line| cut(line)).collect();
        if more > 0 {
            shown.push(format!("... and {more} more lines"));
        }
        if let Some(line) = lines.get(first).and_then(|line| line_number(line)) {
            let begin = line.saturating_sub(AROUND + 1);
            let around = self.source_text.lines().skip(begin).take(line + AROUND - begin);
            shown.push(format!("The program around line {line}:"));
            shown.extend(around.map(cut));
        }
        if let Some(file) = self.file {
            shown.push(format!("The whole program is in {}", file.display()));
        }
        f.write_str(&shown.join("\n"))
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line.to_owned(),
    }
}

/// Returns the line number of `nbody.cu(12): error`, the format of NVRTC, and of
/// `nbody.cpp:12:5: error`.
fn line_number(message: &str) -> Option<usize> {
    let mut names = ["nbody.cu", "nbody.cpp"].into_iter();
    let (_, rest) = names.find_map(|name| message.split_once(name))?;
    let digits = rest.strip_prefix(['(', ':'])?;
    digits.split([')', ':']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_of_both_compilers_are_found() {
        assert_eq!(line_number("nbody.cu(12): error: expected a \";\""), Some(12));
        assert_eq!(line_number("nbody.cu:12:5: error: expected ';'"), Some(12));
        assert_eq!(line_number("nbody.cpp:12:5: error: expected ';'"), Some(12));
        assert_eq!(line_number("/tmp/x/program.cpp:12:5: error: expected ';'"), None);
        assert_eq!(line_number("nbody.cu: In function 'int f()':"), None);
        assert_eq!(line_number("ptxas error   : too many parameters"), None);
    }

    #[test]
    fn long_programs_and_logs_are_cut() {
        let log = format!("nbody.cu(2): warning\n{}", "nbody.cu(500): error: é\n".repeat(1000));
        let source = (1..=1000).map(|k| format!("{k:>4} | é{}\n", "é".repeat(k)));
        let source = source.collect::<Vec<_>>().concat();
        let file = Some(Path::new("/cache/key.cu"));
        let text = Excerpt { log: &log, source_text: &source, file }.to_string();
        assert!(text.starts_with("nbody.cu(500): error: é\n"), "{text}");
        assert_eq!(text.lines().count(), SHOWN + 1 + 1 + 2 * AROUND + 1 + 1, "{text}");
        assert!(text.contains("... and 984 more lines\nThe program around line 500:\n 497 | é"));
        assert!(text.contains("\n 503 | é") && !text.contains("\n 504 | é"), "{text}");
        assert!(text.ends_with("\nThe whole program is in /cache/key.cu"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < WIDTH + 5), "{text}");
    }

    #[test]
    fn a_short_log_is_shown_whole() {
        let text = |log| Excerpt { log, source_text: "   1 | int a;\n", file: None }.to_string();
        assert_eq!(text("ptxas error   : no\nend"), "ptxas error   : no\nend");
        assert_eq!(text("something else"), "something else");
        assert_eq!(text(""), "");
        assert_eq!(
            text("nbody.cu(1): error: a"),
            "nbody.cu(1): error: a\nThe program around line 1:\n   1 | int a;"
        );
        // After the last line, in the text that the emulator appends.
        assert_eq!(
            text("nbody.cu(99): error: a"),
            "nbody.cu(99): error: a\nThe program around line 99:"
        );
    }
}
