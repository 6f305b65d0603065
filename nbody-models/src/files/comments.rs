//! Times and numbers of particles in the comments of tables.

use super::text::{finite, quoted, syntax};
use crate::Error;

/// Words before `time` that leave its meaning.
const OF_THE_SNAPSHOT: [&str; 5] = ["snapshot", "simulation", "current", "model", "output"];

/// Figures that the comments of a table state, each with its line.
#[derive(Default)]
pub struct Stated {
    pub time: Option<(u64, f64)>,
    pub particles: Option<(u64, usize)>,
}

impl Stated {
    /// Reads a comment. The first that states a figure counts.
    pub fn read(&mut self, line: u64, comment: &str) -> Result<(), Error> {
        if self.time.is_none() {
            self.time = time(line, comment)?;
        }
        if self.particles.is_none() {
            self.particles = particles(line, comment)?;
        }
        Ok(())
    }
}

/// Extracts the time from a comment, one of its parts between commas or semicolons.
pub fn time(line: u64, comment: &str) -> Result<Option<(u64, f64)>, Error> {
    for (k, part) in comment.split([',', ';']).enumerate() {
        let Some((value, is_assigned)) = time_in(part.trim()) else { continue };
        // A unit may follow.
        let (first, rest) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
        match finite(first).filter(|_| !rest.contains(|c: char| c.is_ascii_digit())) {
            Some(time) => return Ok(Some((line, time))),
            None if k == 0 || is_assigned => {
                return Err(syntax(line, quoted(value), "the time, a finite number"));
            }
            None => {}
        }
    }
    Ok(None)
}

/// Returns the text after `time` or `t =`, and whether `=` or `:` is between them. Other words may begin
/// alike: `timestep`, `total`.
fn time_in(part: &str) -> Option<(&str, bool)> {
    let end = part.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(part.len());
    let (word, rest) = part.split_at(end);
    if OF_THE_SNAPSHOT.iter().any(|it| word.eq_ignore_ascii_case(it)) && rest.starts_with(' ') {
        return time_in(rest.trim_start());
    }
    let rest = without_unit(rest);
    let value = rest.trim_start().strip_prefix(['=', ':']).map(str::trim);
    if word.eq_ignore_ascii_case("time") {
        let is_word = value.is_some() || rest.starts_with(char::is_whitespace) || rest.is_empty();
        return is_word.then(|| (value.unwrap_or(rest.trim()), value.is_some()));
    }
    value.filter(|_| word == "t").map(|value| (value, true))
}

/// Leaves out a unit in brackets: ` [Myr] = 5`.
fn without_unit(rest: &str) -> &str {
    let brackets = [('[', ']'), ('(', ')')];
    let after = brackets
        .into_iter()
        .find_map(|(open, close)| Some(rest.trim_start().strip_prefix(open)?.split_once(close)?.1));
    after.unwrap_or(rest)
}

/// Extracts the number of particles from a comment: `particles 300`.
fn particles(line: u64, comment: &str) -> Result<Option<(u64, usize)>, Error> {
    let end = comment.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(comment.len());
    let (word, rest) = comment.split_at(end);
    if !word.eq_ignore_ascii_case("particles") {
        return Ok(None);
    }
    let value = rest.trim().strip_prefix(['=', ':']);
    match value.unwrap_or(rest).trim().parse() {
        Ok(count) => Ok(Some((line, count))),
        Err(_) if value.is_some() => {
            Err(syntax(line, quoted(comment), "particles, a whole number"))
        }
        Err(_) => Ok(None),
    }
}
