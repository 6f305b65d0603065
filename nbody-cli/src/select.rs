//! Devices, numerics and openings of trees by name.

use nbody::{Accumulation, Device, DeviceName, Expansion, Math, Opening, Options, Precision};

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
    /// Returns whether any of these options is given.
    pub fn are_given(self) -> bool {
        let Self { precision, accumulation, math } = self;
        precision.is_some() || accumulation.is_some() || math.is_some()
    }

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

/// Names the far particles as --far does.
pub fn expansion(expansion: Expansion) -> &'static str {
    match expansion {
        Expansion::Monopole => "monopole",
        Expansion::Second => "second",
    }
}
