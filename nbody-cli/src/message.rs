//! Messages on the standard error.

use std::fmt::Display;
use std::io::Write as _;

/// Prints a line at once: what a launcher prints for other processes comes between pieces.
pub fn print(line: impl Display) {
    let line = format!("{line}\n");
    // The terminal may be gone.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
