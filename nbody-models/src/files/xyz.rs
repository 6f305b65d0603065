//! Extended XYZ.

use super::columns::{COLUMNS, Order};
use super::text::{check_end, last_line, lines, number, quoted, syntax};
use crate::{Error, Snapshot};

/// The properties that a particle needs, under the names that programs use, and the count of their
/// numbers.
const NEEDED: [(&[&str], usize); 3] =
    [(&["pos"], 3), (&["velo", "vel", "velocity", "velocities"], 3), (&["mass", "masses"], 1)];

/// Reads one frame.
pub fn read(text: &str) -> Result<Snapshot, Error> {
    let last = last_line(text);
    let end = |expected: &str| syntax(last, "the end of the file".to_owned(), expected);
    let mut lines = lines(text);
    let (line, count) = lines.next().ok_or_else(|| end("the number of particles"))?;
    let count: usize =
        count.trim().parse().map_err(|_| syntax(line, quoted(count), "the number of particles"))?;
    let (line, comment) = lines.next().ok_or_else(|| end("a line with Properties"))?;
    let Comment { time, places, columns } = Comment::read(line, comment)?;
    // The file may announce more particles than it has: allocate only as they are read.
    let mut particles = Vec::new();
    for (line, row) in lines.by_ref().take(count) {
        let cells: Vec<_> = row.split_whitespace().collect();
        if cells.len() != columns {
            let expected = format!("{columns} columns, as Properties states");
            return Err(syntax(line, format!("{} columns", cells.len()), expected));
        }
        let mut numbers = [0.0; COLUMNS.len()];
        for ((value, &place), name) in numbers.iter_mut().zip(&places).zip(Order::MassLast.names())
        {
            *value = number(line, cells[place], name)?;
        }
        particles.push(Order::MassLast.particle(numbers));
    }
    if particles.len() != count {
        return Err(end(&format!("{count} particles, as line 1 states")));
    }
    if let Some((line, more)) = lines.find(|(_, line)| !line.trim().is_empty()) {
        return Err(syntax(line, quoted(more), "the end of the file: one snapshot in a file"));
    }
    check_end(text)?;
    Ok(Snapshot { time, particles })
}

/// The line with the names of columns and the time.
struct Comment {
    time: f64,
    /// The columns of position, velocity and mass.
    places: Vec<usize>,
    /// Number of all columns.
    columns: usize,
}

impl Comment {
    fn read(line: u64, text: &str) -> Result<Self, Error> {
        let keys = keys(text);
        let get = |name: &str| {
            let mut found = keys.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
            match (found.next(), found.next()) {
                (Some(_), Some(_)) => Err(syntax(line, format!("two of {name}"), "one")),
                (first, _) => Ok(first.map(|(_, value)| *value)),
            }
        };
        let time = get("time")?.or(get("t")?);
        let time = time.map_or(Ok(0.0), |value| number(line, value, "the time"))?;
        let wrong = |found: String, expected: &str| {
            let layout = "Properties=pos:R:3:velo:R:3:mass:R:1";
            syntax(line, found, format!("{expected}, such as {layout}"))
        };
        let properties =
            get("properties")?.ok_or_else(|| wrong(quoted(text), "the columns of particles"))?;
        let parts: Vec<_> = properties.split(':').collect();
        let (mut columns, mut found) = (0_usize, [None; NEEDED.len()]);
        for part in parts.chunks(3) {
            let &[name, _, count] = part else {
                return Err(wrong(quoted(properties), "names, types and numbers of columns"));
            };
            let count = count.parse::<u16>().map(usize::from);
            let count = count.map_err(|_| wrong(quoted(properties), "numbers of columns"))?;
            for (place, (names, numbers)) in found.iter_mut().zip(NEEDED) {
                if names.iter().any(|it| it.eq_ignore_ascii_case(name)) {
                    if count != numbers || place.is_some() {
                        let expected = format!("{name} once, with {numbers} columns");
                        return Err(wrong(quoted(properties), &expected));
                    }
                    *place = Some(columns);
                }
            }
            columns += count;
        }
        let mut places = Vec::new();
        for (place, (names, numbers)) in found.into_iter().zip(NEEDED) {
            let missing = || wrong(quoted(properties), &format!("a property {}", names[0]));
            let first = place.ok_or_else(missing)?;
            places.extend(first..first + numbers);
        }
        Ok(Self { time, places, columns })
    }
}

/// Returns keys with their values, which may be quoted: `Time=2 Lattice="1 0 0"`.
fn keys(text: &str) -> Vec<(&str, &str)> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('=') {
        let before = before.trim_end();
        let key = before.rsplit(char::is_whitespace).next().unwrap_or(before);
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        keys.push((key.trim_matches('"'), value));
        rest = next;
    }
    keys
}
