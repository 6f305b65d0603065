//! Embedded-atom potentials in files of the format setfl (DYNAMO), as of the NIST repository.

use std::fmt;
use std::str::FromStr;

use nbody::{Error, Spline, Splines};

use crate::eam::{ELEMENTS, Eam, EamDensity, Embed, KNOTS, PAIRS};

/// A potential of one to eight elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Setfl {
    /// The elements, which the `kind` of an atom counts from 0.
    pub elements: Vec<Element>,
    /// Cutoff radius, in Å.
    pub cutoff: f64,
    /// Distance of densities in `embedding`, which begins at 0.
    pub density_step: f64,
    /// Distance of radii in `density` and `pairs`, in Å, which begin at 0.
    pub radius_step: f64,
    /// Pair potentials times distance r φ(r), in eV Å, of the pairs (0, 0), (1, 0), (1, 1), (2, 0) and so
    /// on.
    pub pairs: Vec<Vec<f64>>,
}

/// An element of a potential.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The name.
    pub name: String,
    /// Atomic number.
    pub number: u32,
    /// Mass of an atom, in u.
    pub mass: f64,
    /// Lattice constant, in Å.
    pub lattice: f64,
    /// Kind of lattice, for example `fcc`.
    pub structure: String,
    /// Embedding energies F(ρ), in eV.
    pub embedding: Vec<f64>,
    /// Densities ρ(r).
    pub density: Vec<f64>,
}

/// The reason why a text is no potential. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SetflError {
    /// The text ends early.
    End {
        /// The missing part.
        missing: &'static str,
        /// The number of lines of the text.
        lines: usize,
    },
    /// A word is no such number.
    Number {
        /// The part.
        part: &'static str,
        /// The expected number.
        expected: &'static str,
        /// The word.
        found: String,
        /// Its line.
        line: usize,
    },
    /// The file has another number of elements.
    Elements {
        /// The number.
        found: usize,
        /// Its line.
        line: usize,
    },
    /// A potential has another number of elements or pairs.
    Count {
        /// The counted part.
        part: &'static str,
        /// The number.
        found: usize,
        /// The expected number.
        expected: String,
    },
    /// A table makes no spline.
    Spline(Error),
    /// The tables are followed by more words.
    Rest {
        /// The first one.
        found: String,
        /// Its line.
        line: usize,
    },
}

impl fmt::Display for SetflError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End { missing, lines } => write!(
                f,
                "the setfl file ends with line {lines}, before {missing}; give the whole file"
            ),
            Self::Number { part, expected, found, line } => write!(
                f,
                "{part} in line {line} of a setfl file is `{found}`, expected {expected}; give a valid file"
            ),
            Self::Elements { found, line } => write!(
                f,
                "line {line} of the setfl file names {found} elements, expected 1 to {ELEMENTS}; give a file with these"
            ),
            Self::Count { part, found, expected } => {
                write!(
                    f,
                    "the potential has {found} {part}, expected {expected}; give each its tables"
                )
            }
            Self::Spline(error) => write!(f, "a table of the potential: {error}"),
            Self::Rest { found, line } => write!(
                f,
                "`{found}` in line {line} of a setfl file follows its tables; give tables as long as their line of sizes says"
            ),
        }
    }
}

impl std::error::Error for SetflError {}

/// The words of a file behind its comments, with their lines.
struct Words<'a> {
    words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    /// The number of lines of the text.
    lines: usize,
}

impl<'a> Words<'a> {
    /// Returns the words behind three lines of comments.
    fn of(text: &'a str) -> Self {
        let lines = text.lines().enumerate().skip(3);
        let words = lines.flat_map(|(k, line)| line.split_whitespace().map(move |it| (k + 1, it)));
        Self { words: Box::new(words), lines: text.lines().count() }
    }

    fn next(&mut self, part: &'static str) -> Result<(usize, &'a str), SetflError> {
        self.words.next().ok_or(SetflError::End { missing: part, lines: self.lines })
    }

    /// Reads a number that satisfies a condition.
    fn number<T>(
        &mut self,
        (part, expected): (&'static str, &'static str),
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, SetflError> {
        let (line, word) = self.next(part)?;
        let refusal = || SetflError::Number { part, expected, found: word.to_owned(), line };
        read(word).ok_or_else(refusal)
    }

    /// Reads the length of a table, at least as long as a cubic needs.
    fn length(&mut self, part: &'static str) -> Result<usize, SetflError> {
        self.number((part, "a whole number from 4"), |word| word.parse().ok().filter(|n| *n >= 4))
    }

    fn positive(&mut self, part: &'static str) -> Result<f64, SetflError> {
        self.number((part, "a number above 0"), |word| real(word).filter(|x| *x > 0.0))
    }

    fn real(&mut self, part: &'static str) -> Result<f64, SetflError> {
        self.number((part, "a finite number"), real)
    }

    fn table(&mut self, n: usize, part: &'static str) -> Result<Vec<f64>, SetflError> {
        (0..n).map(|_| self.real(part)).collect()
    }

    /// Reads the number of elements.
    fn elements(&mut self) -> Result<usize, SetflError> {
        let part = "the number of elements";
        let (line, word) = self.next(part)?;
        let expected = "a whole number";
        let refusal = |_| SetflError::Number { part, expected, found: word.to_owned(), line };
        let found = word.parse().map_err(refusal)?;
        if !(1..=ELEMENTS as usize).contains(&found) {
            return Err(SetflError::Elements { found, line });
        }
        Ok(found)
    }

    /// Reads the line of an element, and its tables of these lengths.
    fn element(
        &mut self,
        name: String,
        [densities, radii]: [usize; 2],
    ) -> Result<Element, SetflError> {
        let whole = ("the atomic number", "a whole number");
        Ok(Element {
            name,
            number: self.number(whole, |word| word.parse().ok())?,
            mass: self.real("the mass")?,
            lattice: self.real("the lattice constant")?,
            structure: self.next("the lattice")?.1.to_owned(),
            embedding: self.table(densities, "the embedding energies")?,
            density: self.table(radii, "the densities")?,
        })
    }
}

/// Reads a finite number, whose exponent may begin with `D`, as of Fortran.
fn real(word: &str) -> Option<f64> {
    word.replace(['D', 'd'], "e").parse().ok().filter(|x: &f64| x.is_finite())
}

impl FromStr for Setfl {
    type Err = SetflError;

    /// Reads a text in the format setfl: three lines of comments, the elements, the sizes of the
    /// tables, each element and its tables, then the pair potentials. Refuses more than eight elements.
    fn from_str(text: &str) -> Result<Self, SetflError> {
        let mut words = Words::of(text);
        let n = words.elements()?;
        let names: Vec<_> = (0..n).map(|_| words.next("the elements")).collect::<Result<_, _>>()?;
        let densities = words.length("the number of densities")?;
        let density_step = words.positive("the distance of densities")?;
        let radii = words.length("the number of radii")?;
        let radius_step = words.positive("the distance of radii")?;
        // Some files count the radii from one distance on.
        let last = radii as f64 * radius_step * (1.0 + 1e-9);
        let within = ("the cutoff", "a distance above 0 within the tables");
        let cutoff = words.number(within, |word| real(word).filter(|x| *x > 0.0 && *x <= last))?;
        let elements = names.into_iter();
        let elements = elements.map(|(_, name)| words.element(name.to_owned(), [densities, radii]));
        let elements = elements.collect::<Result<_, _>>()?;
        let pairs = (0..n * (n + 1) / 2).map(|_| words.table(radii, "the pair potentials"));
        let pairs = pairs.collect::<Result<_, _>>()?;
        match words.words.next() {
            Some((line, word)) => Err(SetflError::Rest { found: word.to_owned(), line }),
            None => Ok(Self { elements, cutoff, density_step, radius_step, pairs }),
        }
    }
}

/// A table of the laws.
type Table = Spline<{ KNOTS as usize }>;

impl Setfl {
    /// Returns the interactions and the update of [`eam`](crate::eam). Their knots are denser or
    /// sparser than the tables, whose values between are cubic. Refuses more elements than
    /// [`ELEMENTS`], another number of pairs, tables of fewer than four values, and numbers that are
    /// not finite.
    pub fn laws(&self) -> Result<(EamDensity, Embed, Eam), SetflError> {
        let (cutoff, n) = (self.cutoff, self.elements.len());
        let radial = |table: &Vec<f64>| resampled(table, self.radius_step, cutoff);
        let embedding = |element: &Element| {
            let most = self.density_step * element.embedding.len().saturating_sub(1) as f64;
            resampled(&element.embedding, self.density_step, most)
        };
        let most = ELEMENTS as usize;
        if !(1..=most).contains(&n) {
            let expected = format!("1 to {most}");
            return Err(SetflError::Count { part: "elements", found: n, expected });
        }
        let (found, expected) = (self.pairs.len(), n * (n + 1) / 2);
        if found != expected {
            let expected = expected.to_string();
            return Err(SetflError::Count { part: "pairs of elements", found, expected });
        }
        let density = all(self.elements.iter().map(|element| radial(&element.density)))?;
        let embedding = all(self.elements.iter().map(embedding))?;
        let pair = all::<{ PAIRS as usize }>(self.pairs.iter().map(radial))?;
        let elements = u32::try_from(n).unwrap_or(u32::MAX);
        Ok((
            EamDensity { density: density.clone(), elements, cutoff },
            Embed { embedding, elements },
            Eam { density, pair, elements, cutoff },
        ))
    }
}

/// Returns an array of these splines, at most `N`, and zeros behind them.
fn all<const N: usize>(
    splines: impl Iterator<Item = Result<Table, Error>>,
) -> Result<Splines<{ KNOTS as usize }, N>, SetflError> {
    let mut array: [Table; N] = std::array::from_fn(|_| Table::default());
    for (place, spline) in array.iter_mut().zip(splines) {
        *place = spline.map_err(SetflError::Spline)?;
    }
    Ok(array.into())
}

/// Returns the spline from 0 to `end` of a table with this distance of knots, which begins at 0.
fn resampled(table: &[f64], step: f64, end: f64) -> Result<Table, Error> {
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
