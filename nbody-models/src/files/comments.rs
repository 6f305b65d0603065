//! Times and numbers of particles in the comments of tables.

use super::text::{finite, quoted, syntax};
use crate::Error;

/// Words before `time` that keep its meaning.
const OF_THE_SNAPSHOT: [&str; 7] =
    ["snapshot", "simulation", "current", "model", "output", "physical", "at"];
/// Words after `time` that change its meaning.
const OF_ANOTHER: [&str; 5] = ["step", "steps", "unit", "units", "scale"];

/// Figures stated in the comments of a table, each with its line.
#[derive(Default)]
pub struct Stated {
    pub time: Option<(u64, f64)>,
    pub particles: Option<(u64, usize)>,
}

impl Stated {
    /// Reads a comment. The first comment that states a figure counts.
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

/// Extracts the time from a comment, from one of its parts between commas or semicolons:
/// `time 0.5`, or after other figures, as in `N = 300, t = 0.5` and `N=300 time=0.5`.
pub fn time(line: u64, comment: &str) -> Result<Option<(u64, f64)>, Error> {
    let comment = comment.replace(['"', '\'', '{', '}'], " ");
    let mut parts = comment.split([',', ';']).enumerate().peekable();
    while let Some((k, part)) = parts.next() {
        let Some(stated) = times(part).find(Stating::is_of_snapshot) else { continue };
        let wrong = |found: &str| syntax(line, quoted(found), "the time, a finite number");
        // A unit may follow, or another figure.
        let (first, rest) =
            stated.value.split_once(char::is_whitespace).unwrap_or((stated.value, ""));
        let is_alone = !rest.contains(|c: char| c.is_ascii_digit()) || rest.contains(['=', ':']);
        let Some(time) = finite(first.trim_end_matches(')')).filter(|_| is_alone) else {
            if stated.is_assigned || k == 0 && stated.before.is_empty() {
                return Err(wrong(stated.value));
            }
            continue;
        };
        // A decimal comma, as in some languages: `0,5` must not be read as 0.
        if let Some((_, next)) = parts.peek()
            && next.starts_with(|c: char| c.is_ascii_digit())
            && !first.contains('.')
        {
            return Err(wrong(&format!("{first},{next}")));
        }
        return Ok(Some((line, time)));
    }
    Ok(None)
}

/// The word `time` or `t` in a comment, with the text before and after it.
struct Stating<'a> {
    before: &'a str,
    is_short: bool,
    value: &'a str,
    /// Whether `=` or `:` is before the value.
    is_assigned: bool,
}

/// Finds the words `time` and `t`, but not words that merely begin or end so, such as `timestep`
/// and `dt`.
fn times(part: &str) -> impl Iterator<Item = Stating<'_>> {
    let is_of_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let begins = part.char_indices().map(|(at, _)| part.split_at(at));
    begins.filter_map(move |(before, rest)| {
        let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        let is_short = word == "t";
        let is_named = is_short || word.eq_ignore_ascii_case("time");
        if !is_named || before.ends_with(is_of_word) {
            return None;
        }
        let rest = without_unit(rest).trim_start();
        let value = rest.strip_prefix(['=', ':']);
        let (is_assigned, value) = (value.is_some(), value.unwrap_or(rest).trim());
        Some(Stating { before: before.trim(), is_short, value, is_assigned })
    })
}

impl Stating<'_> {
    /// Returns whether it is the time of the snapshot, and not of something else, as in
    /// `end time`, or a word of running text.
    fn is_of_snapshot(&self) -> bool {
        let next = self.value.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        if OF_ANOTHER.iter().any(|it| it.eq_ignore_ascii_case(next)) {
            return false;
        }
        let last = self.before.split_whitespace().next_back().unwrap_or_default();
        let is_its_own = OF_THE_SNAPSHOT.iter().any(|it| it.eq_ignore_ascii_case(last));
        // After another figure.
        let follows = !last.contains(char::is_alphabetic) || last.contains(['=', ':']);
        let is_number = self.value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        if self.before.is_empty() && !self.is_short {
            return true;
        }
        (is_its_own || follows) && (self.is_assigned || is_number && !self.is_short)
    }
}

/// Removes a unit in brackets: ` [Myr] = 5`.
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
