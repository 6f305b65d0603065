//! The two galaxies in motion.

use std::ops::Range;

use nbody::models::{Component, Particle, Snapshot, galaxy};
use nbody::{Device, Tree};
use nbody_integrate::{Energies, Integrator as _, Leapfrog, Motion};
use nbody_interactions::gravity::Gravity;

use crate::arguments::Arguments;
use crate::error::Error;
use crate::orbit::incline;

/// Two galaxies that attract each other.
pub struct Simulation {
    run: Leapfrog,
    /// Indices of the stars (disk and bulge) of each galaxy.
    stars: [Range<usize>; 2],
}

impl Simulation {
    /// Begins at time 0 with two galaxies on their orbit.
    pub fn new(device: &Device, arguments: &Arguments) -> Result<Self, Error> {
        let particles = particles(arguments)?;
        let motion = |it: &Particle| Motion::new(it.pos, it.vel, it.mass);
        let motions: Vec<_> = particles.iter().map(motion).collect();
        let law = Gravity { eps2: arguments.eps * arguments.eps };
        // The integrator rebuilds the tree in each step from the current positions.
        let tree = Tree::new(device, law, arguments.opening())?;
        let run = Leapfrog::new(tree, &motions, arguments.step)?;
        Ok(Self { run, stars: stars(arguments.n) })
    }

    /// Takes a step, and waits until the device has finished it.
    pub fn advance(&mut self) -> Result<(), Error> {
        self.run.advance()?;
        Ok(self.run.wait()?)
    }

    /// Returns the time of the last step.
    pub fn time(&self) -> f64 {
        self.run.time()
    }

    /// Returns the energies at the time of the last step.
    pub fn energies(&mut self) -> Result<Energies, Error> {
        Ok(self.run.energies()?)
    }

    /// Returns the positions of all stars, projected on the plane of the orbit.
    pub fn stars(&self) -> Result<Vec<[f64; 2]>, Error> {
        let motions = self.run.motions()?;
        let stars = self.stars.iter().flat_map(|range| &motions[range.clone()]);
        Ok(stars.map(|star| [star.pos.x, star.pos.y]).collect())
    }
}

/// Returns the numbers of particles of the two galaxies.
fn halves(n: usize) -> [usize; 2] {
    [n - n / 2, n / 2]
}

/// Returns the indices of the stars of each galaxy.
fn stars(n: usize) -> [Range<usize>; 2] {
    let [first, second] = halves(n);
    let end = |n| Component::Bulge.range(n).end;
    [0..end(first), first..first + end(second)]
}

/// Returns the particles of two galaxies: the first disk lies in the plane of the orbit, the
/// second is inclined.
fn particles(arguments: &Arguments) -> Result<Vec<Particle>, Error> {
    let [first, second] = halves(arguments.n);
    let mut galaxies =
        [galaxy(first, arguments.seed)?, galaxy(second, arguments.seed.wrapping_add(1))?];
    incline(&mut galaxies[1], arguments.inclination);
    let centres = arguments.orbit().centres([galaxies[0].mass(), galaxies[1].mass()]);
    for (galaxy, centre) in galaxies.iter_mut().zip(centres) {
        centre.carry(galaxy);
    }
    Ok(galaxies.into_iter().flat_map(|Snapshot { particles, .. }| particles).collect())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn the_momentum_and_the_centre_of_mass_are_zero() {
        let options = ["galaxies", "-o", "folder", "--n", "1001"];
        let particles = particles(&Arguments::try_parse_from(options).unwrap()).unwrap();
        assert_eq!(particles.len(), 1001);
        let sum = |of: fn(&Particle) -> [f64; 3]| {
            [0, 1, 2].map(|c| particles.iter().map(|it| it.mass * of(it)[c]).sum::<f64>())
        };
        for sum in [sum(|it| it.pos), sum(|it| it.vel)] {
            assert!(sum.iter().all(|x| x.abs() < 1e-12), "{sum:?}");
        }
        // The orbit begins at the centre of the first galaxy.
        let x = particles[..501].iter().map(|it| it.mass * it.pos[0]).sum::<f64>();
        assert!((x - 6.0).abs() < 1e-12, "{x}");
    }

    #[test]
    fn stars_are_those_of_disks_and_bulges() {
        assert_eq!(stars(1001), [0..100, 501..601]);
        assert_eq!(stars(4), [0..0, 2..2]);
    }
}
