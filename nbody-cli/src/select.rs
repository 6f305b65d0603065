//! Devices, numerics and openings of trees by name.

use std::num::{NonZeroUsize, ParseIntError};

use clap::builder::PossibleValuesParser;
use nbody::{
    Accumulation, Device, DeviceName, Expansion, Interaction, Math, Opening, Options, Precision,
};
use nbody_interactions::{Visitor, visit_all};

/// The names of all interactions, for the command line.
pub fn interactions() -> PossibleValuesParser {
    struct Names(Vec<&'static str>);
    impl Visitor for Names {
        fn visit<X: Interaction>(&mut self, _: X) {
            self.0.push(X::LAW.name);
        }
    }
    let mut names = Names(Vec::new());
    visit_all(&mut names);
    names.0.into()
}

/// Visits the interactions of these names, or all if the list is empty.
pub fn visit_named(names: &[String], visitor: &mut impl Visitor) {
    struct Filter<'a, V>(&'a [String], &'a mut V);
    impl<V: Visitor> Visitor for Filter<'_, V> {
        fn visit<X: Interaction>(&mut self, interaction: X) {
            if self.0.is_empty() || self.0.iter().any(|name| name == X::LAW.name) {
                self.1.visit(interaction);
            }
        }
    }
    visit_all(&mut Filter(names, visitor));
}

/// Parses a number of particles, which must be positive and fit into memory.
pub fn number(text: &str) -> Result<NonZeroUsize, String> {
    let number: NonZeroUsize = text.parse().map_err(|error: ParseIntError| error.to_string())?;
    // The least memory that a command needs per particle: position, velocity and mass.
    let reserved = Vec::<[f64; 7]>::new().try_reserve_exact(number.get());
    reserved.map_err(|_| "so many particles do not fit into memory".to_owned())?;
    Ok(number)
}

/// Numerics of a program, as given on the command line.
#[derive(clap::Args, Clone, Copy)]
pub struct Numerics {
    /// The arithmetic of a pair: single, double, mixed [default: single].
    #[arg(long)]
    pub precision: Option<Precision>,
    /// The accumulation of sums: direct, blocked, blocked-f64, compensated [default: blocked-f64].
    #[arg(long)]
    pub accumulation: Option<Accumulation>,
    /// The arithmetic: fast (approximate division and roots, contraction), exact (IEEE) [default:
    /// fast].
    #[arg(long)]
    pub math: Option<Math>,
}

impl Numerics {
    /// Returns the options with these numerics.
    pub fn options(self) -> Options {
        let Self { precision, accumulation, math } = self;
        Options::default()
            .precision(precision.unwrap_or_default())
            .accumulation(accumulation.unwrap_or_default())
            .math(math.unwrap_or_default())
    }
}

/// Opens the devices of these names; by default the GPUs and the CPU.
pub fn devices(names: &[DeviceName]) -> Result<Vec<Device>, nbody::Error> {
    match names {
        [] => Ok(Device::all().into_iter().filter(|each| each.name() != "emulator").collect()),
        names => names.iter().map(|name| name.open()).collect(),
    }
}

/// Opens the devices of these names; by default the first GPU, or the CPU.
pub fn devices_or_best(names: &[DeviceName]) -> Result<Vec<Device>, nbody::Error> {
    match names {
        [] => Ok(vec![Device::best()]),
        names => devices(names),
    }
}

/// Returns openings with these angles and these fractions, with far particles of each kind.
pub fn openings(angles: &[f64], shares: &[f64], expansions: &[Expansion]) -> Vec<Opening> {
    let by_angle = angles.iter().map(|&theta| Opening::theta(theta));
    let by_share = shares.iter().map(|&share| Opening::relative(share));
    let all: Vec<_> = by_angle.chain(by_share).collect();
    let each = expansions.iter();
    each.flat_map(|&expansion| all.iter().map(move |it| it.expansion(expansion))).collect()
}
