//! Snapshots as text: CSV, the plain text of NEMO's `atos`, and extended XYZ.

use std::io::{BufRead, Write};

use crate::{Error, Particle, Snapshot};

const COLUMNS: [&str; 7] = ["mass", "x", "y", "z", "vx", "vy", "vz"];

impl Snapshot {
    /// Writes CSV: the columns mass, x, y, z, vx, vy, vz under their names, after a comment with
    /// the time. Numbers have enough digits to be read back exactly.
    pub fn write_csv(&self, mut to: impl Write) -> Result<(), Error> {
        let mut write = || {
            writeln!(to, "# time {}", self.time)?;
            writeln!(to, "{}", COLUMNS.join(","))?;
            for Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] } in &self.particles {
                writeln!(to, "{mass},{x},{y},{z},{vx},{vy},{vz}")?;
            }
            to.flush()
        };
        write().map_err(|source| Error::Io { action: "write CSV", source })
    }

    /// Reads CSV as [`write_csv`](Self::write_csv) writes it. The columns may come in any order
    /// and among others. The time is that of the first comment `# time 0.5`, which may also be
    /// `# time = 0.5` or `# t = 0.5`; without one it is 0.
    pub fn read_csv(mut from: impl BufRead) -> Result<Self, Error> {
        let mut text = String::new();
        let read = from.read_to_string(&mut text);
        read.map_err(|source| Error::Io { action: "read CSV", source })?;
        let comment = text
            .lines()
            .enumerate()
            .find_map(|(k, line)| Some((k as u64 + 1, time_in(line.strip_prefix('#')?.trim())?)));
        let time = comment.map_or(Ok(0.0), |(line, text)| number(line, text, "the time"))?;
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| wrong_csv(&error))?.clone();
        let line = header.position().map_or(1, csv::Position::line);
        let mut columns = [0; COLUMNS.len()];
        for (column, name) in columns.iter_mut().zip(COLUMNS) {
            let found = header.iter().position(|found| found.trim() == name);
            *column = found.ok_or_else(|| Error::Syntax {
                line,
                found: format!("the columns {}", header.iter().collect::<Vec<_>>().join(", ")),
                expected: format!("a column {name}"),
            })?;
        }
        let mut particles = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| wrong_csv(&error))?;
            let line = record.position().map_or(0, csv::Position::line);
            let mut row = [0.0; COLUMNS.len()];
            for (value, (column, name)) in row.iter_mut().zip(columns.iter().zip(COLUMNS)) {
                *value = number(line, record.get(*column).unwrap_or_default(), name)?;
            }
            let [mass, x, y, z, vx, vy, vz] = row;
            particles.push(Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] });
        }
        Ok(Self { time, particles })
    }

    /// Writes the text that NEMO's `atos` reads: the number of particles, the number of
    /// dimensions and the time, a line each; then a line for each mass, each position and each
    /// velocity.
    pub fn write_nemo(&self, mut to: impl Write) -> Result<(), Error> {
        let mut write = || {
            writeln!(to, "{}\n3\n{}", self.particles.len(), self.time)?;
            for particle in &self.particles {
                writeln!(to, "{}", particle.mass)?;
            }
            let positions = self.particles.iter().map(|particle| particle.pos);
            let velocities = self.particles.iter().map(|particle| particle.vel);
            for [x, y, z] in positions.chain(velocities) {
                writeln!(to, "{x} {y} {z}")?;
            }
            to.flush()
        };
        write().map_err(|source| Error::Io { action: "write NEMO text", source })
    }

    /// Writes extended XYZ, which viewers of particles read: the number of particles; the names and
    /// numbers of columns, and the time; then a line for each particle, with its position, velocity
    /// and mass. Numbers have enough digits to be read back exactly.
    pub fn write_xyz(&self, mut to: impl Write) -> Result<(), Error> {
        let mut write = || {
            writeln!(to, "{}", self.particles.len())?;
            writeln!(to, "Properties=pos:R:3:velo:R:3:mass:R:1 Time={}", self.time)?;
            for Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] } in &self.particles {
                writeln!(to, "{x} {y} {z} {vx} {vy} {vz} {mass}")?;
            }
            to.flush()
        };
        write().map_err(|source| Error::Io { action: "write extended XYZ", source })
    }

    /// Reads text as [`write_nemo`](Self::write_nemo) writes it; line breaks are treated as blanks.
    pub fn read_nemo(from: impl BufRead) -> Result<Self, Error> {
        let mut words = Words::read(from)?;
        let count = words.count("the number of particles")?;
        let dimensions = words.next("the number of dimensions, 3")?;
        if dimensions.1 != "3" {
            return Err(wrong(&dimensions, "3 dimensions"));
        }
        let time = words.number("the time")?;
        // The file may announce more particles than it has: allocate for those that are read.
        let mut particles = Vec::new();
        for _ in 0..count {
            particles.push(Particle { mass: words.number("a mass")?, ..Particle::default() });
        }
        for particle in &mut particles {
            particle.pos = words.vector("a position")?;
        }
        for particle in &mut particles {
            particle.vel = words.vector("a velocity")?;
        }
        match words.words.next() {
            Some(more) => Err(wrong(&more, "the end of the file")),
            None => Ok(Self { time, particles }),
        }
    }
}

/// Extracts the time from a comment. Other words may begin like it: `timestep`, `total`.
fn time_in(comment: &str) -> Option<&str> {
    if let Some(rest) = comment.strip_prefix("time") {
        let is_word = !rest.starts_with(|c: char| c != '=' && !c.is_whitespace());
        let rest = rest.trim_start();
        return is_word.then(|| rest.strip_prefix('=').unwrap_or(rest));
    }
    comment.strip_prefix('t')?.trim_start().strip_prefix('=')
}

fn wrong_csv(error: &csv::Error) -> Error {
    Error::Syntax {
        line: error.position().map_or(0, csv::Position::line),
        found: error.to_string(),
        expected: format!("{} columns", COLUMNS.len()),
    }
}

/// Parses a finite number.
fn number(line: u64, text: &str, what: &str) -> Result<f64, Error> {
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| Error::Syntax {
        line,
        found: format!("`{}`", text.trim()),
        expected: format!("{what}, a finite number"),
    })
}

fn wrong((line, word): &(u64, String), expected: &str) -> Error {
    Error::Syntax { line: *line, found: format!("`{word}`"), expected: expected.to_owned() }
}

/// Words of a text, with their line numbers.
struct Words {
    words: std::vec::IntoIter<(u64, String)>,
    last: u64,
}

impl Words {
    fn read(from: impl BufRead) -> Result<Self, Error> {
        let mut words = Vec::new();
        let mut last = 1;
        for (k, line) in from.lines().enumerate() {
            let line = line.map_err(|source| Error::Io { action: "read NEMO text", source })?;
            last = k as u64 + 1;
            words.extend(line.split_whitespace().map(|word| (last, word.to_owned())));
        }
        Ok(Self { words: words.into_iter(), last })
    }

    fn next(&mut self, expected: &str) -> Result<(u64, String), Error> {
        self.words.next().ok_or_else(|| Error::Syntax {
            line: self.last,
            found: "the end of the file".to_owned(),
            expected: expected.to_owned(),
        })
    }

    fn count(&mut self, what: &str) -> Result<usize, Error> {
        let word = self.next(what)?;
        word.1.parse().map_err(|_| wrong(&word, what))
    }

    fn number(&mut self, what: &str) -> Result<f64, Error> {
        let (line, word) = self.next(what)?;
        number(line, &word, what)
    }

    fn vector(&mut self, what: &str) -> Result<[f64; 3], Error> {
        Ok([self.number(what)?, self.number(what)?, self.number(what)?])
    }
}
