//! Errors of the calls, and their messages on standard error.

use std::io::Write as _;
use std::mem::{Discriminant, discriminant};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The most i-particles of a call: the pipes of `g6_npipes_`.
pub const NPIPES: usize = 16384;

/// The error of a call. The call has changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no cluster {id} is open, found {}; call g6_open_ first", list(open))]
    NotOpen { id: i32, open: Vec<i32> },
    #[error("`{argument}` is NULL; give its address")]
    Null { argument: &'static str },
    #[error("{argument} is {found}, expected 0 or more")]
    Negative { argument: &'static str, found: i32 },
    #[error("{found} i-particles, expected at most {NPIPES}; give this number at a time")]
    TooManyTargets { found: usize },
    #[error(
        "{nj} j-particles, but no particle at address {missing}; call g6_set_j_particle_ for each \
         address from 0 to {}", nj - 1
    )]
    NoSource { nj: usize, missing: usize },
    #[error("{what} at address {address} is {found}, expected a finite number")]
    NotFinite { what: &'static str, address: u32, found: f64 },
    #[error("{what} is {found}, expected a finite number{}", if *.what == "eps2" { " of at least 0" } else { "" })]
    BadNumber { what: &'static str, found: f64 },
    #[error("no evaluation; call g6calc_firsthalf_ first")]
    NotBegun,
    #[error("g6calc_firsthalf_ refused the evaluation; results are NaN")]
    Refused,
    #[error("results of {found} i-particles, but g6calc_firsthalf_ was given {expected}")]
    OtherTargets { found: usize, expected: usize },
    #[error("no neighbour lists; call g6_read_neighbour_list_ after the evaluation")]
    NoLists,
    #[error("pipe {found}, expected 0 to less than {pipes}, the i-particles of the evaluation")]
    NoPipe { found: i32, pipes: usize },
    #[error("g6calc_firsthalf_ was given no h2, the squared radii of neighbour lists")]
    NoRadii,
    #[error("{}:{line}: found `{found}`, expected {expected}", .path.display())]
    Config { path: PathBuf, line: usize, found: String, expected: &'static str },
    #[error("{}: {cause}", .path.display())]
    Read { path: PathBuf, cause: std::io::Error },
    #[error("{variable} is `{found}`, expected {expected}")]
    Variable { variable: &'static str, found: String, expected: String },
    #[error(transparent)]
    Nbody(#[from] nbody::Error),
    #[error("out of memory for the j-particles")]
    OutOfMemory,
    #[error("a panic: this is a bug of nbody; please report it")]
    Panic,
}

fn list(open: &[i32]) -> String {
    let open: Vec<_> = open.iter().map(ToString::to_string).collect();
    if open.is_empty() { "none".to_owned() } else { open.join(", ") }
}

/// The messages so far: the call, and the kind of its error.
static TOLD: Mutex<Vec<(&str, Discriminant<Error>)>> = Mutex::new(Vec::new());

/// Writes the message of an error to standard error, once for each call and kind of error: many
/// programs ignore the status of calls that they repeat in each step.
pub fn tell(call: &'static str, error: &Error) {
    let key = (call, discriminant(error));
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !told.contains(&key) {
        told.push(key);
        say(&format!("{call}: {error}"));
    }
}

/// Writes a line to standard error, which may be closed.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "libsapporo (nbody): {line}");
}
