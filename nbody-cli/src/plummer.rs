//! `nbody plummer`.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use nbody::models::plummer;

use crate::destination::Destination;
use crate::{Outcome, numbers, sphere};

#[derive(clap::Args)]
pub struct Arguments {
    /// The number of particles.
    #[arg(value_parser = numbers::particles)]
    n: NonZeroUsize,
    /// The seed of the random numbers; a seed always gives the same particles.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave out the scaling to virial equilibrium.
    #[arg(long)]
    as_sampled: bool,
    #[command(flatten)]
    destination: Destination,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let format = arguments.destination.format()?;
    let mut snapshot = plummer(arguments.n.get(), arguments.seed)?;
    if !arguments.as_sampled {
        sphere::virialise(&mut snapshot)?;
    }
    let units = sphere::units(arguments.as_sampled, None);
    arguments.destination.write(&snapshot, format, Some(&units))?;
    Ok(ExitCode::SUCCESS)
}
