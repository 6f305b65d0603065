//! `nbody model`.

mod cluster;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Subcommand;
use nbody::models::{Snapshot, fractal, galaxy, hernquist, king, plummer, uniform_sphere};

use self::cluster::{Cluster, Start};
use crate::destination::Destination;
use crate::{Outcome, numbers};

const AFTER_HELP: &str = "\
Clusters are in units of G = 1, total mass 1 and virial radius 1, so that the potential energy is \
-1/2; a virial ratio of 0.5 gives standard N-body units. The galaxy has the scale length of its disk \
as the unit of length. CSV begins with the units. A seed always gives the same particles, on every machine.";

/// The units of a galaxy.
const GALAXY: &str = "G = 1, total mass 1, scale length of the disk 1";

#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(subcommand)]
    model: Model,
}

#[derive(Subcommand)]
enum Model {
    /// The sphere of Plummer (1911): as `nbody plummer`, with more options.
    Plummer(Cluster),
    /// The truncated isothermal sphere of King (1966).
    King {
        /// The dimensionless central potential, from 0.1 to 16; higher is more concentrated.
        #[arg(long, value_name = "W0", value_parser = numbers::within(0.1..=16.0), default_value_t = 6.0)]
        w0: f64,
        #[command(flatten)]
        cluster: Cluster,
    },
    /// The sphere of Hernquist (1990), with a cusp in the centre.
    Hernquist(Cluster),
    /// A sphere of uniform density, by default at rest.
    Uniform(Cluster),
    /// A fractal cluster (Goodwin & Whitworth 2004), by default at rest.
    Fractal {
        /// The fractal dimension, from 1 to 3; lower has more substructure.
        #[arg(long, value_name = "D", value_parser = numbers::within(1.0..=3.0), default_value_t = 1.6)]
        dimension: f64,
        #[command(flatten)]
        cluster: Cluster,
    },
    /// A disk galaxy with bulge and halo, near equilibrium (Hernquist 1993).
    Galaxy {
        /// The number of particles.
        #[arg(value_parser = numbers::particles)]
        n: NonZeroUsize,
        /// The seed of the random numbers.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        destination: Destination,
    },
}

pub fn run(arguments: &Arguments) -> Outcome {
    let destination = arguments.model.destination();
    // Refused before the work.
    let format = destination.format()?;
    let (snapshot, units) = arguments.model.sample()?;
    destination.write(&snapshot, format, Some(&units))?;
    Ok(ExitCode::SUCCESS)
}

impl Model {
    fn destination(&self) -> &Destination {
        match self {
            Self::Plummer(cluster) | Self::Hernquist(cluster) | Self::Uniform(cluster) => {
                &cluster.destination
            }
            Self::King { cluster, .. } | Self::Fractal { cluster, .. } => &cluster.destination,
            Self::Galaxy { destination, .. } => destination,
        }
    }

    /// Returns the particles, and describes their units.
    fn sample(&self) -> Result<(Snapshot, String), Box<dyn std::error::Error>> {
        match self {
            Self::Plummer(cluster) => cluster.sample(Start::Equilibrium, plummer),
            Self::King { w0, cluster } => {
                cluster.sample(Start::Equilibrium, |n, seed| king(n, *w0, seed))
            }
            Self::Hernquist(cluster) => cluster.sample(Start::Equilibrium, hernquist),
            Self::Uniform(cluster) => cluster.sample(Start::Rest, uniform_sphere),
            Self::Fractal { dimension, cluster } => {
                cluster.sample(Start::Rest, |n, seed| fractal(n, *dimension, seed))
            }
            Self::Galaxy { n, seed, .. } => Ok((galaxy(n.get(), *seed)?, GALAXY.to_owned())),
        }
    }
}
