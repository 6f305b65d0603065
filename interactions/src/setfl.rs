//! Embedded-atom potentials in files of the format setfl (DYNAMO), as of the NIST repository.

use std::fmt;
use std::str::FromStr;

use nbody::{Error, Spline};

use crate::eam::{Eam, EamDensity, Embed, KNOTS};

/// A potential of one element.
#[derive(Clone, Debug, PartialEq)]
pub struct Setfl {
    /// The name of the element.
    pub element: String,
    /// Atomic number.
    pub number: u32,
    /// Mass of an atom, in u.
    pub mass: f64,
    /// Lattice constant, in Å.
    pub lattice: f64,
    /// Kind of lattice, for example `fcc`.
    pub structure: String,
    /// Cutoff radius, in Å.
    pub cutoff: f64,
    /// Distance of densities in `embedding`, which begins at 0.
    pub density_step: f64,
    /// Distance of radii in `density` and `pair`, in Å, which begin at 0.
    pub radius_step: f64,
    /// Embedding energies F(ρ), in eV.
    pub embedding: Vec<f64>,
    /// Densities ρ(r).
    pub density: Vec<f64>,
    /// Pair potential times distance r φ(r), in eV Å.
    pub pair: Vec<f64>,
}

/// The reason why a text is no potential of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetflError {
    /// The text ends early.
    End {
        /// The missing part.
        missing: &'static str,
    },
    /// A word is no such number.
    Number {
        /// The part.
        part: &'static str,
        /// The word.
        found: String,
    },
    /// The file has several elements.
    Elements(usize),
    /// The tables are followed by more words.
    Rest(String),
}

impl fmt::Display for SetflError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End { missing } => {
                write!(f, "the setfl file ends before {missing}; give the whole file")
            }
            Self::Number { part, found } => {
                write!(
                    f,
                    "{part} of a setfl file is `{found}`, expected a number; give a valid file"
                )
            }
            Self::Elements(n) => {
                write!(f, "the setfl file has {n} elements, expected 1; declare a law for an alloy")
            }
            Self::Rest(found) => {
                write!(
                    f,
                    "`{found}` follows the tables of a setfl file; give a file of one element"
                )
            }
        }
    }
}

impl std::error::Error for SetflError {}

/// The words of a file behind its comments.
struct Words<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn next(&mut self, part: &'static str) -> Result<&'a str, SetflError> {
        self.0.next().ok_or(SetflError::End { missing: part })
    }

    fn number<T: FromStr>(&mut self, part: &'static str) -> Result<T, SetflError> {
        let word = self.next(part)?;
        word.parse().map_err(|_| SetflError::Number { part, found: word.to_owned() })
    }

    /// Reads finite numbers, whose exponents may begin with `D`, as of Fortran.
    fn real(&mut self, part: &'static str) -> Result<f64, SetflError> {
        let word = self.next(part)?;
        let number = word.replace(['D', 'd'], "e").parse().ok().filter(|x: &f64| x.is_finite());
        number.ok_or_else(|| SetflError::Number { part, found: word.to_owned() })
    }

    fn table(&mut self, n: usize, part: &'static str) -> Result<Vec<f64>, SetflError> {
        (0..n).map(|_| self.real(part)).collect()
    }
}

impl FromStr for Setfl {
    type Err = SetflError;

    /// Reads a text in the format setfl: three lines of comments, the elements, the sizes of the
    /// tables, then the element and its tables. Refuses potentials of several elements.
    fn from_str(text: &str) -> Result<Self, SetflError> {
        let mut lines = text.splitn(4, '\n').skip(3);
        let mut words = Words(lines.next().unwrap_or_default().split_whitespace());
        let elements: usize = words.number("the number of elements")?;
        if elements != 1 {
            return Err(SetflError::Elements(elements));
        }
        let element = words.next("the element")?.to_owned();
        let densities: usize = words.number("the number of densities")?;
        let density_step = words.real("the distance of densities")?;
        let radii: usize = words.number("the number of radii")?;
        let radius_step = words.real("the distance of radii")?;
        let cutoff = words.real("the cutoff")?;
        let potential = Self {
            element,
            density_step,
            radius_step,
            cutoff,
            number: words.number("the atomic number")?,
            mass: words.real("the mass")?,
            lattice: words.real("the lattice constant")?,
            structure: words.next("the lattice")?.to_owned(),
            embedding: words.table(densities, "the embedding energies")?,
            density: words.table(radii, "the densities")?,
            pair: words.table(radii, "the pair potential")?,
        };
        match words.0.next() {
            Some(word) => Err(SetflError::Rest(word.to_owned())),
            None => Ok(potential),
        }
    }
}

impl Setfl {
    /// Returns the interactions and the update of [`eam`](crate::eam). Their knots are denser or
    /// sparser than the tables, whose values between are cubic.
    pub fn laws(&self) -> Result<(EamDensity, Embed, Eam), Error> {
        let cutoff = self.cutoff;
        let radial = |table: &[f64]| resampled(table, self.radius_step, cutoff);
        let density = radial(&self.density)?;
        let most = self.density_step * self.embedding.len().saturating_sub(1) as f64;
        let embedding = resampled(&self.embedding, self.density_step, most)?;
        let pair = radial(&self.pair)?;
        Ok((
            EamDensity { density: density.clone(), cutoff },
            Embed { embedding },
            Eam { density, pair, cutoff },
        ))
    }
}

/// Returns the spline from 0 to `end` of a table with this distance of knots, which begins at 0.
fn resampled(table: &[f64], step: f64, end: f64) -> Result<Spline<{ KNOTS as usize }>, Error> {
    Spline::from_fn(0.0..=end, |x| interpolated(table, x / step))
}

/// Returns the value at a point, in units of the distance of knots, of the cubic through the four
/// values around it (Lagrange); NaN of a shorter table.
#[expect(clippy::cast_sign_loss, reason = "t is at least 1 there")]
fn interpolated(table: &[f64], t: f64) -> f64 {
    const POINTS: [f64; 4] = [0.0, 1.0, 2.0, 3.0];
    let Some(last) = table.len().checked_sub(4) else { return f64::NAN };
    let first = (t.max(1.0) as usize - 1).min(last);
    let u = t - first as f64;
    let weight = |k: usize| {
        let others = POINTS.into_iter().filter(|x| *x != POINTS[k]);
        others.map(|x| (u - x) / (POINTS[k] - x)).product::<f64>()
    };
    (0..4).map(|k| weight(k) * table[first + k]).sum()
}
