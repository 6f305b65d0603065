//! Snapshots as the page needs them.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use nbody::models::{Particle, Snapshot};
use rayon::prelude::*;

use crate::{centre, snapshots};

/// The shown particles of a snapshot.
#[derive(Debug, Default)]
pub struct Frame {
    pub time: f64,
    /// The number of particles in the snapshot, shown or not.
    pub total: usize,
    pub positions: Vec<[f64; 3]>,
    pub speeds: Vec<f64>,
    pub masses: Vec<f64>,
    /// The centre of mass of all particles of the snapshot.
    pub mass_centre: [f64; 3],
    /// The centre of density of all particles of the snapshot.
    pub density_centre: [f64; 3],
}

/// Reads the snapshots, with at most `limit` particles each.
pub fn read(paths: &[PathBuf], limit: Option<NonZeroUsize>) -> Result<Vec<Frame>, Box<dyn Error>> {
    let read: Vec<_> = paths.par_iter().map(|path| snapshots::read(path)).collect();
    // The message is about the first wrong file, whichever was read first.
    let snapshots = read.into_iter().collect::<Result<Vec<_>, String>>()?;
    let most = snapshots.iter().map(|snapshot| snapshot.particles.len()).max().unwrap_or(0);
    if most == 0 {
        return Err("the snapshots have no particles: expected at least one, in one of them".into());
    }
    let stride = limit.map_or(1, |limit| most.div_ceil(limit.get()));
    Ok(snapshots.into_par_iter().map(|snapshot| Frame::new(snapshot, stride)).collect())
}

impl Frame {
    /// Takes every `stride`-th particle of a snapshot.
    pub fn new(snapshot: Snapshot, stride: usize) -> Self {
        let Snapshot { time, particles } = snapshot;
        let shown = || particles.iter().step_by(stride);
        Self {
            time,
            total: particles.len(),
            positions: shown().map(|particle| particle.pos).collect(),
            speeds: shown().map(speed).collect(),
            masses: shown().map(|particle| particle.mass).collect(),
            mass_centre: centre::of_mass(&particles),
            density_centre: centre::of_density(&particles),
        }
    }
}

/// Returns the speed of a particle, which is finite where the true one is.
fn speed(particle: &Particle) -> f64 {
    let [x, y, z] = particle.vel;
    x.hypot(y).hypot(z).min(f64::MAX)
}
