//! Star clusters: masses, rotation, virial ratio and binaries of a model.

use std::error::Error as StdError;
use std::num::NonZeroUsize;

use clap::ValueEnum;
use nbody::models::{Binaries, Error, MassFunction, Snapshot};

use crate::destination::Destination;
use crate::wrong::Wrong;
use crate::{message, numbers, sphere};

/// Velocities of a model before it is scaled.
#[derive(Clone, Copy, PartialEq)]
pub enum Start {
    Equilibrium,
    Rest,
}

#[derive(clap::Args)]
pub struct Cluster {
    /// The number of particles; both stars of a binary count.
    #[arg(value_parser = numbers::particles)]
    n: NonZeroUsize,
    /// The seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The masses: equal, or of stars by Kroupa (2001) or Salpeter (1955), scaled to a total of 1
    /// and independent of place.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Masses::Equal)]
    mass_function: Masses,
    /// The least and the greatest mass of stars, from 0.01 to 1000 solar masses [default: 0.1,100].
    #[arg(long, value_name = "LEAST,MOST", requires = "mass_function", value_parser = numbers::masses)]
    masses: Option<[f64; 2]>,
    /// The share of binaries among single stars and binaries, from 0 to 1. They come first, both
    /// stars in turn, paired at random; eccentricities e are thermal, of density 2e.
    #[arg(long, value_name = "FRACTION", default_value = "0", value_parser = numbers::share)]
    binaries: f64,
    /// The least and the greatest semi-major axis of binaries, uniform in the logarithm, in units of
    /// the virial radius [default: 0.0001,0.01].
    #[arg(long, value_name = "LEAST,MOST", requires = "binaries", value_parser = numbers::limits)]
    axes: Option<[f64; 2]>,
    /// Rotation about the z axis: the share, from 0 to 1, of the particles with a negative velocity
    /// about it whose velocity about it is reversed (Lynden-Bell 1960).
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = numbers::share)]
    rotation: f64,
    /// The kinetic energy in units of the modulus of the potential energy: 0.5 is equilibrium, 0 is
    /// rest. Binaries count as single particles. Models at rest get a normal distribution of
    /// velocities [default: 0.5, and 0 for models at rest].
    #[arg(long, value_name = "Q", value_parser = numbers::zero_or_more)]
    virial_ratio: Option<f64>,
    /// Leave out the scaling to the virial radius and the virial ratio.
    #[arg(long, conflicts_with = "virial_ratio")]
    as_sampled: bool,
    #[command(flatten)]
    pub destination: Destination,
}

/// A mass function by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Masses {
    Equal,
    Kroupa,
    Salpeter,
}

/// Virial ratio of the equilibrium.
const EQUILIBRIUM: f64 = 0.5;
const MASSES: [f64; 2] = [0.1, 100.0];
const AXES: [f64; 2] = [1e-4, 1e-2];

impl Cluster {
    /// Samples a cluster with this model of positions and velocities; describes its units, too.
    pub fn sample(
        &self,
        start: Start,
        model: impl Fn(usize, u64) -> Result<Snapshot, Error>,
    ) -> Result<(Snapshot, String), Box<dyn StdError>> {
        let ratio =
            self.virial_ratio.unwrap_or(if start == Start::Rest { 0.0 } else { EQUILIBRIUM });
        self.check(start, ratio)?;
        let pairs = self.pairs();
        let mut snapshot = model(self.n.get() - pairs, self.seed)?;
        let masses = self.masses()?;
        let solar = masses.as_ref().map(|masses| masses.iter().sum());
        if let Some(masses) = &masses {
            let (of_pairs, single) = masses.split_at(2 * pairs);
            let of_pairs = of_pairs.as_chunks().0.iter().map(|[a, b]| a + b);
            snapshot.set_masses(&of_pairs.chain(single.iter().copied()).collect::<Vec<_>>())?;
        } else if pairs > 0 {
            let masses = (0..self.n.get() - pairs).map(|k| if k < pairs { 2.0 } else { 1.0 });
            snapshot.set_masses(&masses.collect::<Vec<_>>())?;
        }
        // The scaling needs velocities, also of particles that come to rest.
        if start == Start::Rest && !self.as_sampled {
            snapshot.heat(self.seed);
        }
        if self.rotation > 0.0 {
            snapshot.rotate(self.rotation, self.seed)?;
        }
        if !self.as_sampled {
            sphere::virialise(&mut snapshot)?;
            if ratio != EQUILIBRIUM {
                snapshot.virialise_to(ratio, -0.5)?;
            }
        }
        if pairs > 0 {
            let [least, most] = self.axes.unwrap_or(AXES);
            let shares = (0..pairs).map(|k| match &masses {
                Some(masses) => masses[2 * k + 1] / (masses[2 * k] + masses[2 * k + 1]),
                None => 0.5,
            });
            let shares: Vec<_> = shares.collect();
            Binaries { least, most }.divide(&mut snapshot, &shares, self.seed)?;
        }
        Ok((snapshot, sphere::units(self.as_sampled, solar)))
    }

    /// Refuses options that have no effect.
    fn check(&self, start: Start, ratio: f64) -> Result<(), Wrong> {
        Wrong::if_so(
            self.masses.is_some() && self.mass_function == Masses::Equal,
            "--masses are limits of a mass function, but masses are equal: give --mass-function kroupa \
             or salpeter",
        )?;
        Wrong::if_so(
            self.axes.is_some() && self.binaries == 0.0,
            "--axes are of binaries, but there are none: give --binaries above 0",
        )?;
        let is_at_rest = ratio == 0.0 && !(self.as_sampled && start == Start::Equilibrium);
        if self.rotation > 0.0 && is_at_rest {
            return Err(Wrong(format!(
                "--rotation {}: particles at rest have no rotation; give --virial-ratio above 0",
                self.rotation
            )));
        }
        Ok(())
    }

    /// Returns the number of binaries: B of them and S single stars have 2 B + S particles.
    #[expect(clippy::cast_sign_loss, reason = "casts saturate")]
    fn pairs(&self) -> usize {
        let pairs = self.binaries * self.n.get() as f64 / (1.0 + self.binaries);
        (pairs.round() as usize).min(self.n.get() / 2)
    }

    /// Samples the masses of stars; `None` if they are equal. Prints the unit of mass.
    fn masses(&self) -> Result<Option<Vec<f64>>, Error> {
        let law = match self.mass_function {
            Masses::Equal => return Ok(None),
            Masses::Kroupa => MassFunction::Kroupa,
            Masses::Salpeter => MassFunction::Salpeter,
        };
        let masses = law.sample(self.n.get(), self.masses.unwrap_or(MASSES), self.seed)?;
        let total: f64 = masses.iter().sum();
        message::print(format_args!("the unit of mass is {total} solar masses"));
        Ok(Some(masses))
    }
}
