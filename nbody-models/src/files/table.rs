//! Tables with named columns: CSV, and text with columns separated by blanks, tabs or semicolons.

use super::columns::{COLUMNS, Order};
use super::comments::{self, Stated};
use super::text::{check_end, finite, last_line, lines, number, quoted, syntax};
use crate::{Error, Particle, Snapshot};

/// Characters with which comments begin.
const COMMENTS: [char; 3] = ['#', '%', '!'];
const ONE_SNAPSHOT: &str = "one snapshot in a file";

/// Reads a table.
pub fn read(text: &str) -> Result<Snapshot, Error> {
    let (mut reading, mut cells) = (Reading::default(), Vec::new());
    for (line, content) in lines(text) {
        let content = content.trim();
        if let Some(comment) = content.strip_prefix(COMMENTS) {
            reading.comment(line, comment.trim_start_matches(COMMENTS).trim())?;
        } else if !content.is_empty() {
            split(content, &mut cells);
            reading.row(line, &cells)?;
        }
    }
    reading.finish(text)
}

/// The columns of a table, by their place in a row.
struct Columns {
    line: u64,
    count: usize,
    places: [usize; COLUMNS.len()],
    time: Option<usize>,
}

impl Columns {
    /// Finds the columns by their names, in any case.
    fn find(line: u64, names: &[&str]) -> Result<Self, Error> {
        let mut places = [0; COLUMNS.len()];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            *place = place_of(line, names, name)?.ok_or_else(|| {
                let found = format!("the columns {}", quoted(&names.join(", ")));
                syntax(line, found, format!("a column {name}"))
            })?;
        }
        let time = place_of(line, names, "time")?;
        let time = time.or_else(|| names.iter().position(|name| *name == "t"));
        Ok(Self { line, count: names.len(), places, time })
    }
}

fn place_of(line: u64, names: &[&str], name: &str) -> Result<Option<usize>, Error> {
    let mut places = (0..names.len()).filter(|&k| names[k].eq_ignore_ascii_case(name));
    let place = places.next();
    match places.next() {
        None => Ok(place),
        Some(_) => Err(syntax(line, format!("two columns {name}"), format!("one column {name}"))),
    }
}

/// The part of a table read so far.
#[derive(Default)]
struct Reading {
    columns: Option<Columns>,
    /// Columns named by a comment, as numpy writes them.
    commented: Option<Columns>,
    stated: Stated,
    /// The time in a column `time` or `t`, and the first line with it.
    time: Option<(u64, f64)>,
    particles: Vec<Particle>,
}

impl Reading {
    fn comment(&mut self, line: u64, comment: &str) -> Result<(), Error> {
        let mut names = Vec::new();
        split(comment, &mut names);
        if COLUMNS.iter().all(|name| names.iter().any(|found| found.eq_ignore_ascii_case(name))) {
            if !self.particles.is_empty() {
                return Err(syntax(line, "the names of columns".to_owned(), ONE_SNAPSHOT));
            }
            self.commented = Some(Columns::find(line, &names)?);
            return Ok(());
        }
        self.stated.read(line, comment)?;
        let is_later = |time| self.stated.time.is_some_and(|it| it.1 != time);
        match comments::time(line, comment)? {
            Some((_, time)) if !self.particles.is_empty() && is_later(time) => {
                Err(syntax(line, format!("the time {time}"), ONE_SNAPSHOT))
            }
            _ => Ok(()),
        }
    }

    fn row(&mut self, line: u64, cells: &[&str]) -> Result<(), Error> {
        if self.columns.is_none() {
            let is_header = cells.iter().any(|cell| finite(cell).is_none());
            match self.commented.take() {
                Some(columns) if !is_header => self.columns = Some(columns),
                _ => {
                    self.columns = Some(Columns::find(line, cells)?);
                    return Ok(());
                }
            }
        }
        let Some(Columns { line: header, count, places, time }) = &self.columns else {
            return Ok(());
        };
        if cells.len() != *count {
            let expected = format!("{count} columns, as in line {header}");
            return Err(syntax(line, format!("{} columns", cells.len()), expected));
        }
        let mut row = [0.0; COLUMNS.len()];
        for (value, (&place, name)) in row.iter_mut().zip(places.iter().zip(COLUMNS)) {
            *value = number(line, cells[place], name)?;
        }
        if let Some(place) = *time {
            let time = number(line, cells[place], "the time")?;
            let (first, expected) = *self.time.get_or_insert((line, time));
            if time != expected {
                let expected = format!("{expected} as in line {first}: one snapshot in a file");
                return Err(syntax(line, format!("the time {time}"), expected));
            }
        }
        self.particles.push(Order::MassFirst.particle(row));
        Ok(())
    }

    fn finish(self, text: &str) -> Result<Snapshot, Error> {
        let (last, found) = (last_line(text), self.particles.len());
        if self.columns.or(self.commented).is_none() {
            let expected = format!("the names of columns: {}", COLUMNS.join(","));
            return Err(syntax(last, "the end of the file".to_owned(), expected));
        }
        if let Some((line, count)) = self.stated.particles
            && found != count
        {
            let expected = format!("{count} particles, as line {line} states");
            return Err(syntax(last, format!("{found} particles"), expected));
        }
        check_end(text)?;
        let stated = self.stated.time;
        if let (Some((line, time)), Some((other, stated))) = (self.time, stated)
            && time != stated
        {
            let expected = format!("{stated} as in line {other}");
            return Err(syntax(line, format!("the time {time}"), expected));
        }
        let time = stated.or(self.time).map_or(0.0, |(_, time)| time);
        Ok(Snapshot { time, particles: self.particles })
    }
}

/// Splits a line into cells at commas, semicolons, tabs or blanks, whichever the line has.
fn split<'a>(line: &'a str, cells: &mut Vec<&'a str>) {
    cells.clear();
    match [',', ';', '\t'].into_iter().find(|&separator| line.contains(separator)) {
        None => cells.extend(line.split_whitespace().map(unquoted)),
        Some(separator) if line.contains('"') => split_quoted(line, separator, cells),
        Some(separator) => cells.extend(line.split(separator).map(str::trim)),
    }
}

/// Splits a line in which separators within quotes belong to a cell.
fn split_quoted<'a>(line: &'a str, separator: char, cells: &mut Vec<&'a str>) {
    let (mut is_quoted, mut begin) = (false, 0);
    for (at, c) in line.char_indices() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if c == separator && !is_quoted {
            cells.push(unquoted(&line[begin..at]));
            begin = at + 1;
        }
    }
    cells.push(unquoted(&line[begin..]));
}

fn unquoted(cell: &str) -> &str {
    let cell = cell.trim();
    cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell)
}
