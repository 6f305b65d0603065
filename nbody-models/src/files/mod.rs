//! Snapshots as text: CSV, the plain text of NEMO's `atos`, and extended XYZ; and as HDF5.

mod columns;
mod comments;
#[cfg(feature = "hdf5")]
mod hdf5;
mod lines;
mod table;
mod text;
mod xyz;

use std::io::{BufRead, Write};

use self::columns::COLUMNS;
use self::text::{Words, quoted, syntax};
use crate::{Error, Particle, Snapshot};

impl Snapshot {
    /// Writes CSV: comments with the time and the number of particles, a header, and the columns
    /// mass, x, y, z, vx, vy and vz. Numbers have enough digits to be read back exactly.
    pub fn write_csv(&self, mut to: impl Write) -> Result<(), Error> {
        let mut write = || {
            writeln!(to, "# time {}", self.time)?;
            writeln!(to, "# particles {}", self.particles.len())?;
            writeln!(to, "{}", COLUMNS.join(","))?;
            lines::write(&mut to, &self.particles, |line, particle| {
                let Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] } = particle;
                writeln!(line, "{mass},{x},{y},{z},{vx},{vy},{vz}")
            })?;
            to.flush()
        };
        write().map_err(|source| Error::Io { action: "write CSV", source })
    }

    /// Reads a table written by [`write_csv`](Self::write_csv) or by another program: a header
    /// with the names of columns, then a line for each particle. The header may be a comment, as
    /// numpy writes it; its names may be in any order and case, with other columns among them.
    /// Columns are separated by commas, semicolons, tabs or blanks. Exponents may be in Fortran's
    /// form: `1.0D-01`.
    ///
    /// Comments begin with `#`, `%` or `!`.
    ///
    /// The time is taken from the first comment `# time 0.5`, which may also be `# Time: 0.5` or
    /// `# t = 0.5`, alone or after other figures (`# N=300 t=0.5`), or from a column `time` or
    /// `t`; it is 0 if there is none. A comment `# particles 300` states the number of particles;
    /// a file with fewer or more is refused. So is a file without a line break at its end, since
    /// its last number may be cut short.
    pub fn read_csv(from: impl BufRead) -> Result<Self, Error> {
        table::read(&text::read(from, "read CSV")?)
    }

    /// Writes the text that NEMO's `atos` reads: the number of particles, the number of dimensions
    /// and the time, a line each; then a line for each mass, for each position and for each
    /// velocity.
    pub fn write_nemo(&self, mut to: impl Write) -> Result<(), Error> {
        let mut write = || {
            writeln!(to, "{}\n3\n{}", self.particles.len(), self.time)?;
            lines::write(&mut to, &self.particles, |line, it| writeln!(line, "{}", it.mass))?;
            for vector in [|it: &Particle| it.pos, |it: &Particle| it.vel] {
                lines::write(&mut to, &self.particles, |line, it| {
                    let [x, y, z] = vector(it);
                    writeln!(line, "{x} {y} {z}")
                })?;
            }
            to.flush()
        };
        write().map_err(|source| Error::Io { action: "write NEMO text", source })
    }

    /// Writes extended XYZ, which particle viewers read: the number of particles; the names and
    /// numbers of columns, and the time; then a line for each particle, with its position,
    /// velocity and mass. Numbers have enough digits to be read back exactly.
    pub fn write_xyz(&self, mut to: impl Write) -> Result<(), Error> {
        let mut write = || {
            writeln!(to, "{}", self.particles.len())?;
            writeln!(to, "Properties=pos:R:3:velo:R:3:mass:R:1 Time={}", self.time)?;
            lines::write(&mut to, &self.particles, |line, particle| {
                let Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] } = particle;
                writeln!(line, "{x} {y} {z} {vx} {vy} {vz} {mass}")
            })?;
            to.flush()
        };
        write().map_err(|source| Error::Io { action: "write extended XYZ", source })
    }

    /// Reads text as [`write_nemo`](Self::write_nemo) writes it. Line breaks count as blanks,
    /// except for the last one, which shows that the last number is complete.
    pub fn read_nemo(from: impl BufRead) -> Result<Self, Error> {
        let text = text::read(from, "read NEMO text")?;
        let mut words = Words::new(&text);
        let count = words.count("the number of particles")?;
        let (line, dimensions) = words.next("the number of dimensions, 3")?;
        if dimensions != "3" {
            return Err(syntax(line, quoted(dimensions), "3 dimensions"));
        }
        let time = words.number("the time")?;
        // The file may announce more particles than it has: allocate only as they are read.
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
        if let Some((line, more)) = words.get() {
            return Err(syntax(line, quoted(more), "the end of the file"));
        }
        text::check_end(&text)?;
        Ok(Self { time, particles })
    }

    /// Reads extended XYZ written by [`write_xyz`](Self::write_xyz) or by another program: one
    /// frame, whose `Properties` include positions `pos`, velocities `velo` and masses `mass`, in
    /// any order. Without `Time` or `t` the time is 0.
    pub fn read_xyz(from: impl BufRead) -> Result<Self, Error> {
        xyz::read(&text::read(from, "read extended XYZ")?)
    }
}
