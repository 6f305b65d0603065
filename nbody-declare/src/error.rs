//! Errors of declarations, as people read them.

use std::fmt;
use std::io;
use std::path::PathBuf;

use nbody_codegen::adjoint::Refusal;
use nbody_codegen::describe::Diagnostic;

/// The reason why a text declares nothing.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not in the language. The message shows each fault with its line.
    #[error("{}", Faults(.0))]
    Text(Vec<Fault>),
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is no declaration of this kind and name, or there are several to choose from.
    #[error("no {kind} `{found}` among the declarations: expected {expected}")]
    Unknown {
        /// An interaction, or a program per particle.
        kind: &'static str,
        /// The name that was asked for.
        found: String,
        /// The names that there are.
        expected: String,
    },
    /// The declarations were asked for the only one of a kind, and there are none or several.
    #[error("{found} {kind}s declared, expected one; ask for it by its name: {names}")]
    NotOne {
        /// An interaction, or a program per particle.
        kind: &'static str,
        /// Their number.
        found: usize,
        /// Their names.
        names: String,
    },
    /// The interaction has no adjoint, or not for this selection.
    #[error("no adjoint of `{name}`: {refusal}")]
    Adjoint {
        /// The interaction.
        name: String,
        /// The reason.
        refusal: Refusal,
    },
    /// The table of a declaration is refused: a fault of nbody.
    #[error(transparent)]
    Table(nbody_core::Error),
}

impl Error {
    /// Returns the error of a name that is not among the expected ones.
    pub(crate) fn unknown(kind: &'static str, name: &str, expected: &[impl AsRef<str>]) -> Self {
        Self::Unknown { kind, found: name.to_owned(), expected: names(expected) }
    }
}

/// Lists names.
pub(crate) fn names(names: &[impl AsRef<str>]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Prints the message, so that a `main` that returns the error ends with it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A fault of a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The file, or `text`.
    pub file: String,
    /// The line, from 1 on.
    pub line: usize,
    /// The column of the first character, from 1 on.
    pub column: usize,
    /// The fault; its remedy follows in a line that begins with `help:`.
    pub message: String,
    /// The line of the text, or the part of a long line around the fault.
    pub excerpt: String,
    /// The number of characters of this line that the fault is about.
    pub length: usize,
    /// The number of characters of the line before the excerpt.
    skipped: usize,
}

/// The most faults that are listed: each word of a text may be one.
const MOST: usize = 100;
/// The longest excerpt, in characters.
const LONGEST: usize = 160;
/// The characters of an excerpt before the fault.
const BEFORE: usize = 80;

/// Returns the faults of a text, and a last one for all that are not listed.
pub(crate) fn faults(diagnostics: Vec<Diagnostic>, file: &str, text: &str) -> Vec<Fault> {
    let more = diagnostics.len().saturating_sub(MOST);
    let fault = |(k, mut diagnostic): (usize, Diagnostic)| {
        if k == MOST {
            diagnostic.message = format!("{more} more faults\nhelp: mend the faults above first");
        }
        Fault::new(diagnostic, file, text)
    };
    diagnostics.into_iter().enumerate().take(MOST + 1).map(fault).collect()
}

impl Fault {
    fn new(diagnostic: Diagnostic, file: &str, text: &str) -> Self {
        let Diagnostic { line, column, end: [last_line, last_column], message } = diagnostic;
        let whole = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        let is_long = whole.chars().nth(LONGEST).is_some();
        let skipped = if is_long { column.saturating_sub(1 + BEFORE) } else { 0 };
        let excerpt: String = whole.chars().skip(skipped).take(LONGEST).collect();
        let before = column.saturating_sub(1 + skipped);
        let rest = excerpt.chars().count().saturating_sub(before);
        let length = if last_line == line { last_column.saturating_sub(column) } else { rest };
        let length = length.min(rest).max(1);
        Self { file: file.to_owned(), line, column, message, excerpt, length, skipped }
    }
}

/// Prints the message as the Rust compiler does.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, excerpt, length, skipped } = self;
        let (text, help) = message.split_once('\n').unwrap_or((message, ""));
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs keep their width above the marks.
        let before = excerpt.chars().take(column.saturating_sub(1 + skipped));
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let marks = "^".repeat(*length);
        writeln!(f, "error: {text}\n{margin}--> {file}:{line}:{column}")?;
        write!(f, "{margin} |\n{number} | {excerpt}\n{margin} | {indent}{marks}")?;
        if help.is_empty() { Ok(()) } else { write!(f, "\n{margin} = {help}") }
    }
}

struct Faults<'a>(&'a [Fault]);

impl fmt::Display for Faults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, fault) in self.0.iter().enumerate() {
            let gap = if k == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{fault}")?;
        }
        Ok(())
    }
}
