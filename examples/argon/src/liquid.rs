//! Liquid argon in a periodic box.

use nbody::models::uniform;
use nbody::{Device, Domain, Interaction, Neighbours, Options, Precision, ShortRange, Skin};
use nbody_integrate::{Error, Integrator, Leapfrog, Motion, Start};
use nbody_interactions::lennard_jones::{Atom, LennardJones};

/// A system of atoms: the number of cubic cells of the initial lattice along each axis (four atoms
/// each), and the edge of the box and the cutoff radius in σ.
#[derive(Clone, Copy, Debug)]
pub struct System {
    pub cells: u32,
    pub edge: f64,
    pub cutoff: f64,
}

/// The system of Rahman 1964.
pub const RAHMAN: System = System { cells: 6, edge: 10.229, cutoff: 2.25 };

/// Seed of the initial velocities.
const SEED: u64 = 1;

impl System {
    /// Number of atoms.
    pub fn atoms(&self) -> usize {
        4 * (self.cells as usize).pow(3)
    }

    /// Number of atoms in a volume of σ³.
    pub fn density(&self) -> f64 {
        self.atoms() as f64 / self.edge.powi(3)
    }

    /// Returns the sites of a face-centred cubic lattice.
    fn lattice(&self) -> Vec<[f64; 3]> {
        let cell = self.edge / f64::from(self.cells);
        let basis = [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]];
        let axis = || (0..self.cells).map(f64::from);
        let cells = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])));
        cells.flat_map(|at| basis.map(|atom| [0, 1, 2].map(|c| (at[c] + atom[c]) * cell))).collect()
    }
}

/// Units of length, temperature and time for argon of 39.948 u: σ in ångström, ε in kelvin (Rahman
/// 1964), and σ √(m/ε) in picoseconds.
pub const SIGMA: f64 = 3.4;
pub const EPSILON: f64 = 120.0;
pub const TAU: f64 = 2.1513;

/// Atoms that move by velocity Verlet. Positions are not wrapped into the box, so that their
/// differences are displacements.
pub struct Liquid<X: Interaction> {
    run: Leapfrog,
    law: X,
    system: System,
    device: Device,
    step: f64,
}

/// Returns the Lennard-Jones interaction of atoms of type 0, the only type here.
pub fn truncated(cutoff: f64) -> LennardJones {
    LennardJones { sigma2: [[1.0; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff }
}

impl<X: Interaction<I = Atom, J = Atom>> Liquid<X> {
    /// Begins with a face-centred cubic lattice, random velocities and a time step in τ.
    pub fn new(device: &Device, law: X, system: System, step: f64) -> Result<Self, Error> {
        let velocities = uniform::<Motion>(system.atoms(), SEED);
        let motion = |(pos, random): ([f64; 3], &Motion)| Motion {
            pos: pos.into(),
            vel: random.vel,
            mass: 1.0,
        };
        let motions: Vec<_> = system.lattice().into_iter().zip(&velocities).map(motion).collect();
        let run = begin(device, law.clone(), system, &motions, step)?;
        Ok(Self { run, law, system, device: device.clone(), step })
    }

    /// Advances by this many steps.
    pub fn advance(&mut self, steps: u32) -> Result<(), Error> {
        (0..steps).try_for_each(|_| self.run.advance())
    }

    /// Scales the velocities to a temperature in ε.
    pub fn scale_to(&mut self, temperature: f64) -> Result<(), Error> {
        let atoms = self.system.atoms();
        self.scale(|kinetic| temperature / temperature_of(kinetic, atoms))
    }

    /// Multiplies the kinetic energy by a factor.
    pub fn scale_by(&mut self, factor: f64) -> Result<(), Error> {
        self.scale(|_| factor)
    }

    /// Multiplies the kinetic energy in the frame of the centre of mass by a function of it.
    fn scale(&mut self, factor: impl Fn(f64) -> f64) -> Result<(), Error> {
        let mut motions = self.run.motions()?;
        let atoms = motions.len() as f64;
        let mean = |c: usize| motions.iter().map(|it| it.vel.0[c]).sum::<f64>() / atoms;
        let mean = [mean(0), mean(1), mean(2)];
        for motion in &mut motions {
            motion.vel = [0, 1, 2].map(|c| motion.vel.0[c] - mean[c]).into();
        }
        let kinetic: f64 = motions.iter().map(|it| 0.5 * it.vel.norm2()).sum();
        let factor = factor(kinetic).sqrt();
        for motion in &mut motions {
            motion.vel = motion.vel * factor;
        }
        self.run = begin(&self.device, self.law.clone(), self.system, &motions, self.step)?;
        Ok(())
    }

    /// Returns the temperature and the total energy, in ε.
    pub fn state(&mut self) -> Result<[f64; 2], Error> {
        let energies = self.run.energies()?;
        Ok([temperature_of(energies.kinetic, self.system.atoms()), energies.total()])
    }

    /// Returns the total momentum.
    pub fn momentum(&self) -> Result<[f64; 3], Error> {
        let motions = self.run.motions()?;
        Ok([0, 1, 2].map(|c| motions.iter().map(|it| it.vel.0[c]).sum()))
    }

    /// Returns the positions in σ.
    pub fn positions(&self) -> Result<Vec<[f64; 3]>, Error> {
        Ok(self.run.motions()?.into_iter().map(|motion| motion.pos.0).collect())
    }
}

/// Returns the temperature of atoms whose total momentum is zero.
fn temperature_of(kinetic: f64, atoms: usize) -> f64 {
    2.0 * kinetic / (3.0 * (atoms as f64 - 1.0))
}

fn begin<X: Interaction<I = Atom, J = Atom>>(
    device: &Device,
    law: X,
    system: System,
    motions: &[Motion],
    step: f64,
) -> Result<Leapfrog, Error> {
    let domain = Domain::periodic([system.edge; 3])?;
    let options = Options::default().precision(Precision::Double);
    let near = Neighbours::with_options(
        device,
        Skin::Auto,
        Options::default().precision(Precision::Double).domain(domain),
    )?;
    let engine = ShortRange::with_options(device, law, options)?;
    let atoms: Vec<_> = motions.iter().map(|motion| Atom { pos: motion.pos, kind: 0 }).collect();
    Leapfrog::new(engine.with_lists(near), Start::new(&atoms).motions(motions), step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lattice_fills_the_box() {
        let places = RAHMAN.lattice();
        assert_eq!(places.len(), 864);
        assert!(places.iter().flatten().all(|x| (0.0..RAHMAN.edge).contains(x)));
        let square =
            |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>();
        let nearest = places[1..].iter().map(|b| square(&places[0], b)).fold(f64::MAX, f64::min);
        assert!(
            (nearest.sqrt() - RAHMAN.edge / f64::from(RAHMAN.cells) / 2_f64.sqrt()).abs() < 1e-12
        );
    }

    #[test]
    fn the_unit_of_time_is_that_of_argon() {
        let (mass, kelvin) = (39.948 * 1.660_539e-27, 1.380_649e-23);
        let tau = SIGMA * 1e-10 * f64::sqrt(mass / (EPSILON * kelvin));
        assert!((tau / (TAU * 1e-12) - 1.0).abs() < 1e-4, "{tau}");
    }

    #[test]
    fn a_liquid_keeps_its_energy_and_has_the_temperature_that_it_is_scaled_to() {
        let mut liquid =
            Liquid::new(&Device::cpu(), truncated(RAHMAN.cutoff), RAHMAN, 0.005).unwrap();
        liquid.scale_to(0.8).unwrap();
        let [temperature, energy] = liquid.state().unwrap();
        assert!((temperature - 0.8).abs() < 1e-12, "{temperature}");
        liquid.scale_by(0.5).unwrap();
        assert!((liquid.state().unwrap()[0] - 0.4).abs() < 1e-12);
        liquid.scale_by(2.0).unwrap();
        // So short that no pair crosses the cutoff, where the potential has a step.
        liquid.advance(6).unwrap();
        let [cooler, after] = liquid.state().unwrap();
        assert!(cooler < 0.79, "the lattice takes up energy: {cooler}");
        assert!((after / energy - 1.0).abs() < 1e-4, "{energy} {after}");
    }
}
