//! The particles of a run, and its beginning.

use std::any::TypeId;
use std::borrow::Cow;

use nbody::law::Record;
use nbody::{Error as EngineError, Interaction};
use nbody_core::pack::{self, Binding};

use crate::{Error, Motion};

/// Number of particles that are converted at a time.
const CHUNK: usize = 1 << 12;

/// The particles of a run, and its beginning. Every integrator also takes `&particles` alone.
///
/// Particles are records of any type that has the fields of the interaction's particles, by name
/// and kind: [`Motion`] for gravity, whose `Body` has no velocity. Their motions are given by
/// their fields `pos`, `vel` and `mass`, or by [`motions`](Self::motions). A run begins at time 0,
/// or at the time of [`begin`](Self::begin).
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
    particles: &'a [P],
    sources: Option<&'a [Q]>,
    motions: Option<&'a [Motion]>,
    begin: Option<f64>,
}

impl<'a, P> Start<'a, P> {
    /// Begins with these particles, at time 0.
    #[must_use]
    pub const fn new(particles: &'a [P]) -> Self {
        Self { particles, sources: None, motions: None, begin: None }
    }
}

impl<'a, P, Q> Start<'a, P, Q> {
    /// Sets the j-particles, in the order of the particles, for an interaction whose j-particles
    /// are of another type. Without them, the j-particles have the fields of the particles.
    #[must_use]
    pub const fn sources<R>(self, sources: &'a [R]) -> Start<'a, P, R> {
        let Self { particles, motions, begin, .. } = self;
        Start { particles, sources: Some(sources), motions, begin }
    }

    /// Sets the motions of the particles, in place of their own fields.
    #[must_use]
    pub const fn motions(self, motions: &'a [Motion]) -> Self {
        Self { motions: Some(motions), ..self }
    }

    /// Sets the time at which the run begins.
    #[must_use]
    pub const fn begin(self, time: f64) -> Self {
        Self { begin: Some(time), ..self }
    }

    pub(crate) fn time(&self) -> f64 {
        self.begin.unwrap_or(0.0)
    }

    /// Refuses a beginning of a run that is resumed.
    pub(crate) fn check_resumed(&self) -> Result<(), Error> {
        let begins = self.begin.is_some() || self.motions.is_some();
        if begins { Err(Error::Resumed) } else { Ok(()) }
    }
}

impl<'a, P: Record<Lane = f64>, Q: Record<Lane = f64>> Start<'a, P, Q> {
    /// Returns the motions of the particles.
    pub(crate) fn moving(&self) -> Result<Cow<'a, [Motion]>, Error> {
        match self.motions {
            Some(motions) => Ok(Cow::Borrowed(motions)),
            None => Ok(Cow::Owned(Motion::of_all_fields(self.particles)?)),
        }
    }

    /// Returns the particles as records of an interaction.
    pub(crate) fn sets<X: Interaction>(&self) -> Result<Sets<X>, Error> {
        let Self { particles, sources, .. } = *self;
        let one_type = TypeId::of::<X::I>() == TypeId::of::<X::J>();
        let j = match sources {
            None if one_type => None,
            None => Some(converted::<X, P, X::J>(particles)?),
            Some(_) if one_type => return Err(Error::OneType { interaction: X::LAW.name }),
            Some(sources) => {
                let (found, expected) = (sources.len(), particles.len());
                EngineError::check_length("j-particles of one set", found, expected)?;
                Some(converted::<X, Q, X::J>(sources)?)
            }
        };
        Ok(Sets { i: converted::<X, P, X::I>(particles)?, j })
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

/// The particles of an interaction, which are one set.
#[derive(Debug)]
pub(crate) struct Sets<X: Interaction> {
    pub i: Vec<X::I>,
    /// The j-particles, where they are of another type.
    pub j: Option<Vec<X::J>>,
}

/// Returns particles of an interaction, with the fields of these particles by name and kind.
fn converted<X: Interaction, P: Record<Lane = f64>, T: Record<Lane = f64>>(
    particles: &[P],
) -> Result<Vec<T>, Error> {
    let binding = Binding::new(X::LAW.name, T::FIELDS, P::FIELDS)?;
    let mut converted = Vec::with_capacity(particles.len());
    let mut numbers = vec![0; T::DIM];
    for chunk in particles.chunks(CHUNK) {
        for row in pack::rows(&chunk).chunks_exact(P::DIM.max(1)) {
            for (number, place) in numbers.iter_mut().zip(binding.places()) {
                *number = row[place.component()];
            }
            converted.push(pack::record(&numbers));
        }
    }
    Ok(converted)
}
