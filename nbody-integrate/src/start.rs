//! The particles of a run, and its beginning.

use std::fmt;

use nbody::Error as EngineError;
use nbody::law::{Law, Nothing, Record};
use nbody::untyped::{OwnedRows, Rows};

use crate::rows::NamedRows;
use crate::{Error, Motion};

/// The particles of a run, and its beginning. Every integrator also takes `&particles` alone.
///
/// Particles are records of any type that has the fields of the interaction's particles, by name
/// and kind: [`Motion`] for gravity, whose `Body` has no velocity. Their motions are given by
/// their fields `pos`, `vel` and `mass`, or by [`motions`](Self::motions). A run begins at time 0,
/// or at the time of [`begin`](Self::begin).
///
/// Other languages give [`rows`](Self::rows) of described records instead, such as columns in
/// memory.
///
/// ```
/// use nbody::prelude::*;
/// use nbody_integrate::{Integrator, Leapfrog, Motion, Start};
/// use nbody_interactions::lennard_jones::{Atom, LennardJones};
///
/// # fn run(
/// #     engine: ShortRange<LennardJones>,
/// #     near: Neighbours,
/// # ) -> Result<(), nbody_integrate::Error> {
/// let atoms = [0.0, 1.1].map(|x| Atom { pos: Point::new(x, 0.0, 0.0), kind: 0 });
/// let motions = Motion::of(&atoms)?; // at rest, with masses of 1
/// let start = Start::new(&atoms).motions(&motions).begin(2.0);
/// let run = Leapfrog::new(engine.with_lists(near), start, 0.01)?;
/// assert_eq!(run.time(), 2.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Start<'a, P, Q = P> {
    particles: Given<'a, P>,
    sources: Option<Given<'a, Q>>,
    motions: Option<Given<'a, Motion>>,
    begin: Option<f64>,
}

/// Records of a type, or rows of any record.
#[derive(Clone, Copy)]
enum Given<'a, P> {
    Records(&'a [P]),
    Rows(&'a dyn Rows),
}

impl<P: Record<Lane = f64>> Given<'_, P> {
    fn rows(&self) -> &dyn Rows {
        match self {
            Self::Records(records) => records,
            Self::Rows(rows) => *rows,
        }
    }
}

impl<P: fmt::Debug> fmt::Debug for Given<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Records(records) => records.fmt(f),
            Self::Rows(rows) => write!(f, "{} rows", rows.count()),
        }
    }
}

impl<'a, P> Start<'a, P> {
    /// Begins with these particles, at time 0.
    #[must_use]
    pub const fn new(particles: &'a [P]) -> Self {
        Self { particles: Given::Records(particles), sources: None, motions: None, begin: None }
    }
}

impl<'a> Start<'a, Nothing> {
    /// Begins with particles that are rows of a described record, at time 0. The record has the
    /// fields of the law's particles, by name and kind.
    #[must_use]
    pub const fn rows(particles: &'a dyn Rows) -> Self {
        Self { particles: Given::Rows(particles), sources: None, motions: None, begin: None }
    }
}

impl<'a, P, Q> Start<'a, P, Q> {
    /// Sets the j-particles, in the order of the particles, for an interaction whose j-particles
    /// are of another type. Without them, the j-particles have the fields of the particles.
    #[must_use]
    pub const fn sources<R>(self, sources: &'a [R]) -> Start<'a, P, R> {
        let Self { particles, motions, begin, .. } = self;
        Start { particles, sources: Some(Given::Records(sources)), motions, begin }
    }

    /// Sets the j-particles as [`sources`](Self::sources) does, by rows of a described record.
    #[must_use]
    pub const fn source_rows(self, sources: &'a dyn Rows) -> Start<'a, P, Nothing> {
        let Self { particles, motions, begin, .. } = self;
        Start { particles, sources: Some(Given::Rows(sources)), motions, begin }
    }

    /// Sets the motions of the particles, in place of their own fields.
    #[must_use]
    pub const fn motions(self, motions: &'a [Motion]) -> Self {
        Self { motions: Some(Given::Records(motions)), ..self }
    }

    /// Sets the motions as [`motions`](Self::motions) does, by rows with the fields `pos: Point`,
    /// `vel: Vector` and `mass: Real`.
    #[must_use]
    pub const fn motion_rows(self, motions: &'a dyn Rows) -> Self {
        Self { motions: Some(Given::Rows(motions)), ..self }
    }

    /// Sets the time at which the run begins.
    #[must_use]
    pub const fn begin(self, time: f64) -> Self {
        Self { begin: Some(time), ..self }
    }
}

impl<P: Record<Lane = f64>, Q: Record<Lane = f64>> Start<'_, P, Q> {
    /// Returns the beginning without the types of the records.
    pub(crate) fn untyped(&self) -> Beginning<'_> {
        Beginning {
            particles: self.particles.rows(),
            sources: self.sources.as_ref().map(Given::rows),
            motions: self.motions.as_ref().map(Given::rows),
            begin: self.begin,
        }
    }
}

impl<'a, P> From<&'a [P]> for Start<'a, P> {
    fn from(particles: &'a [P]) -> Self {
        Self::new(particles)
    }
}

impl<'a, P, const N: usize> From<&'a [P; N]> for Start<'a, P> {
    fn from(particles: &'a [P; N]) -> Self {
        Self::new(particles)
    }
}

impl<'a, P> From<&'a Vec<P>> for Start<'a, P> {
    fn from(particles: &'a Vec<P>) -> Self {
        Self::new(particles)
    }
}

impl<'a> From<&'a OwnedRows> for Start<'a, Nothing> {
    fn from(particles: &'a OwnedRows) -> Self {
        Self::rows(particles)
    }
}

impl<'a> From<&'a dyn Rows> for Start<'a, Nothing> {
    fn from(particles: &'a dyn Rows) -> Self {
        Self::rows(particles)
    }
}

/// A [`Start`] without the types of its records.
#[derive(Clone, Copy)]
pub(crate) struct Beginning<'a> {
    particles: &'a dyn Rows,
    sources: Option<&'a dyn Rows>,
    motions: Option<&'a dyn Rows>,
    begin: Option<f64>,
}

impl<'a> Beginning<'a> {
    pub fn time(&self) -> f64 {
        self.begin.unwrap_or(0.0)
    }

    /// Refuses a beginning of a run that is resumed.
    pub fn check_resumed(&self) -> Result<(), Error> {
        let begins = self.begin.is_some() || self.motions.is_some();
        if begins { Err(Error::Resumed) } else { Ok(()) }
    }

    /// Returns the motions of the particles.
    pub fn moving(&self) -> Result<Vec<Motion>, Error> {
        Motion::of_all_fields(self.motions.unwrap_or(self.particles))
    }

    /// Returns the particles as records of a law, whose i-particles and j-particles may be of one
    /// type.
    pub fn sets(&self, law: &Law, is_one_type: bool) -> Result<Sets<'a>, Error> {
        let &Self { particles, sources, .. } = self;
        let j = match sources {
            None if is_one_type => None,
            None => Some(NamedRows::new(law.name, law.j, particles)?),
            Some(_) if is_one_type => return Err(Error::OneType { interaction: law.name }),
            Some(sources) => {
                let sources = NamedRows::new(law.name, law.j, sources)?;
                let (found, expected) = (sources.count(), particles.count());
                EngineError::check_length("j-particles of one set", found, expected)?;
                Some(sources)
            }
        };
        Ok(Sets { i: NamedRows::new(law.name, law.i, particles)?, j })
    }
}

/// The particles of a law, which are one set.
pub(crate) struct Sets<'a> {
    pub i: NamedRows<'a>,
    /// The j-particles, where they are of another type.
    pub j: Option<NamedRows<'a>>,
}
