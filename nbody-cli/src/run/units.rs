//! The units and the frame in which a run is computed.
//!
//! Numbers in any units are scaled to about one by powers of two, which changes no bit of a
//! result. A cluster that is far from the origin, or moves fast, is computed in the frame of its
//! centre of mass. Particles near N-body units are not scaled. The unit of time always gives G =
//! 1.

use nbody::models::{Particle, Snapshot};
use nbody_integrate::Energies;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Systems with masses and sizes between two to minus this power and two to this power are not
/// scaled.
const NEAR: i32 = 10;
/// Largest exponent of a unit, so that units of times and energies are finite.
const LARGEST: i32 = 300;
/// The centre of mass is moved to the origin if its distance is, or becomes, larger than this many
/// sizes.
const FAR: f64 = 2.0;

/// Units as exponents of two, relative to the units of the files, and the frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Units {
    length: i32,
    mass: i32,
    /// The gravitational constant in the units of the files. A run computes with masses times G.
    #[serde(default = "one")]
    gravity: f64,
    #[serde(default)]
    frame: Option<Frame>,
}

fn one() -> f64 {
    1.0
}

impl Default for Units {
    fn default() -> Self {
        Self { length: 0, mass: 0, gravity: one(), frame: None }
    }
}

/// The motion of the origin in the frame of the files.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Frame {
    /// The time at which the origin is at `pos`.
    time: f64,
    pos: [f64; 3],
    vel: [f64; 3],
    /// Mass of all particles, in the units of the files.
    mass: f64,
}

impl Units {
    /// Chooses units and a frame for particles until this time, with this softening length and this
    /// gravitational constant.
    pub fn of(snapshot: &Snapshot, until: f64, eps: f64, gravity: f64) -> Self {
        let mass = snapshot.mass();
        let mean = |of: fn(&Particle) -> [f64; 3]| {
            let sum = |c: usize| snapshot.particles.iter().map(|p| p.mass / mass * of(p)[c]).sum();
            [0, 1, 2].map(|c| -> f64 { sum(c) })
        };
        let (pos, vel) = (mean(|p| p.pos), mean(|p| p.vel));
        let apart = median(snapshot.particles.par_iter().map(|p| distance(p.pos, pos)));
        let speed = median(snapshot.particles.par_iter().map(|p| distance(p.vel, vel)));
        // Particles that move apart from the same place are at first within the softening length.
        let size = if apart == 0.0 && speed > 0.0 { eps } else { apart };
        let default = Self { gravity, ..Self::default() };
        if size == 0.0 {
            return default;
        }
        let speed = speed.max((gravity * mass / size).sqrt());
        let (offset, drift) = (distance(pos, [0.0; 3]), distance(vel, [0.0; 3]));
        let way = offset + drift * (until - snapshot.time).max(0.0);
        let is_far = way > FAR * size || drift > FAR * speed;
        let frame = is_far.then_some(Frame { time: snapshot.time, pos, vel, mass });
        let (length, mass) = (exponent(size), exponent(gravity * mass));
        if length.abs() <= NEAR && mass.abs() <= NEAR {
            return Self { frame, ..default };
        }
        // The unit of time is a power of two if this sum is even.
        let mass = mass + (length + mass).rem_euclid(2);
        Self { length, mass, gravity, frame }
    }

    /// Returns whether all particles move together, so that they have no scale.
    pub fn move_as_one(snapshot: &Snapshot) -> bool {
        let motion = |p: &Particle| (p.pos, p.vel);
        snapshot.particles.windows(2).all(|pair| motion(&pair[0]) == motion(&pair[1]))
    }

    /// Returns whether these are possible units of a run.
    pub fn is_valid(&self) -> bool {
        let &Self { length, mass, gravity, frame } = self;
        let bounds = -LARGEST..=LARGEST + 1;
        let is_finite = |it: Frame| {
            [it.pos, it.vel, [it.time, it.mass, 0.0]].as_flattened().iter().all(|x| x.is_finite())
        };
        bounds.contains(&length)
            && bounds.contains(&mass)
            && (length + mass) % 2 == 0
            && gravity.is_finite()
            && gravity > 0.0
            && frame.is_none_or(is_finite)
    }

    /// Returns whether the units of length, mass and time are the units of the files.
    pub fn are_of_files(&self) -> bool {
        (self.length, self.mass) == (0, 0)
    }

    pub fn length(&self) -> f64 {
        power(self.length)
    }

    pub fn time(&self) -> f64 {
        power(self.time_exponent())
    }

    fn time_exponent(&self) -> i32 {
        (3 * self.length - self.mass) / 2
    }

    pub fn velocity(&self) -> f64 {
        power(self.length - self.time_exponent())
    }

    /// Returns the unit of mass, which is not a power of two unless G is.
    pub fn mass(&self) -> f64 {
        power(self.mass) / self.gravity
    }

    pub fn energy(&self) -> f64 {
        power(2 * self.mass - self.length) / self.gravity
    }

    /// Returns energies in units of the files, still in the frame of the run.
    pub fn energies(&self, energies: Energies) -> Energies {
        let Energies { kinetic, potential } = energies;
        let energy = self.energy();
        Energies { kinetic: kinetic * energy, potential: potential * energy }
    }

    /// Returns the kinetic energy of the motion of the frame.
    pub fn bulk(&self) -> f64 {
        self.frame.map_or(0.0, |it| 0.5 * it.mass * it.vel.iter().map(|v| v * v).sum::<f64>())
    }

    /// Converts particles of a file to these units.
    pub fn inward(&self, snapshot: &Snapshot) -> Snapshot {
        let (origin, drift) = self.origin(snapshot.time);
        let (length, velocity, mass) = (self.length(), self.velocity(), self.mass());
        let particle = |it: &Particle| Particle {
            mass: it.mass / mass,
            pos: [0, 1, 2].map(|c| (it.pos[c] - origin[c]) / length),
            vel: [0, 1, 2].map(|c| (it.vel[c] - drift[c]) / velocity),
        };
        let particles = snapshot.particles.iter().map(particle).collect();
        Snapshot { time: snapshot.time / self.time(), particles }
    }

    /// Converts particles at this time to the units and the frame of the files.
    pub fn outward(&self, snapshot: &Snapshot, time: f64) -> Snapshot {
        let (origin, drift) = self.origin(time);
        let (length, velocity, mass) = (self.length(), self.velocity(), self.mass());
        let moved = |x: f64, by: f64| if self.frame.is_some() { x + by } else { x };
        let particle = |it: &Particle| Particle {
            mass: it.mass * mass,
            pos: [0, 1, 2].map(|c| moved(it.pos[c] * length, origin[c])),
            vel: [0, 1, 2].map(|c| moved(it.vel[c] * velocity, drift[c])),
        };
        Snapshot { time, particles: snapshot.particles.iter().map(particle).collect() }
    }

    /// Returns the place and the velocity of the origin at this time.
    pub fn origin(&self, time: f64) -> ([f64; 3], [f64; 3]) {
        let Some(Frame { time: begin, pos, vel, .. }) = self.frame else {
            return ([0.0; 3], [0.0; 3]);
        };
        ([0, 1, 2].map(|c| pos[c] + vel[c] * (time - begin)), vel)
    }
}

/// Returns the upper median, or the greatest value if that is zero.
fn median(values: impl ParallelIterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    let (_, median, above) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if *median > 0.0 { *median } else { above.iter().copied().fold(0.0, f64::max) }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|c| a[c] - b[c]);
    x.hypot(y).hypot(z)
}

/// Returns the exponent of two of a positive number, within the limits of units.
fn exponent(x: f64) -> i32 {
    (x.log2().floor() as i32).clamp(-LARGEST, LARGEST)
}

fn power(exponent: i32) -> f64 {
    2_f64.powi(exponent)
}

#[cfg(test)]
mod tests {
    use nbody::models::plummer;

    use super::*;

    /// Returns a sphere in units of two to these powers, at this place, with this velocity.
    fn sphere(length: i32, mass: i32, pos: f64, vel: f64) -> Snapshot {
        let mut sphere = plummer(100, 1).unwrap();
        let speed = power(length) / power((3 * length - mass) / 2);
        for it in &mut sphere.particles {
            it.mass *= power(mass);
            it.pos = it.pos.map(|x| (x + pos) * power(length));
            it.vel = it.vel.map(|v| (v + vel) * speed);
        }
        sphere
    }

    #[test]
    fn particles_near_standard_units_are_computed_as_they_are() {
        for (length, mass, pos, vel) in [(0, 0, 0.0, 0.0), (-8, 8, 0.0, 0.0), (9, 9, 0.5, 0.5)] {
            let sphere = sphere(length, mass, pos, vel);
            let units = Units::of(&sphere, 1.0, 0.0, 1.0);
            assert_eq!(units, Units::default(), "{length}, {mass}");
            assert!(units.inward(&sphere) == sphere && units.outward(&sphere, 0.0) == sphere);
        }
    }

    #[test]
    fn scales_are_powers_of_two_that_lose_no_bit() {
        for (length, mass) in [(70, 104), (-60, 3), (0, 41), (35, -35), (-250, 250), (11, 11)] {
            let sphere = sphere(length, mass, 0.0, 0.0);
            let until = power((3 * length - mass) / 2);
            let units = Units::of(&sphere, until, 0.0, 1.0);
            assert!(units.is_valid() && !units.are_of_files(), "{units:?}");
            let inner = units.inward(&sphere);
            assert_eq!(Units::of(&inner, 1.0, 0.0, 1.0), Units::default(), "{units:?}");
            assert!(units.outward(&inner, 0.0) == sphere, "{units:?}");
            let energies = Energies { kinetic: inner.kinetic_energy(), potential: -0.5 };
            assert_eq!(units.energies(energies).kinetic, sphere.kinetic_energy(), "{units:?}");
            // G = 1: a length cubed is a mass and a time squared.
            let lengths = units.length().powi(3);
            assert_eq!(lengths, power(units.mass) * units.time().powi(2), "{units:?}");
        }
    }

    #[test]
    fn the_frame_is_that_of_a_distant_or_fast_centre_of_mass() {
        for (pos, vel, until) in [(1e6, 0.0, 1.0), (0.0, 1e3, 1.0), (0.0, 1.0, 100.0)] {
            let sphere = sphere(0, 0, pos, vel);
            let units = Units::of(&sphere, until, 0.0, 1.0);
            assert!(units.are_of_files() && units.frame.is_some(), "{units:?}");
            let inner = units.inward(&sphere);
            assert_eq!(Units::of(&inner, until, 0.0, 1.0), Units::default(), "{units:?}");
            assert!((units.bulk() - 1.5 * vel * vel).abs() < 1e-9 * vel * vel + 1e-9);
            let later = units.outward(&inner, 2.0);
            for (a, b) in sphere.particles.iter().zip(&later.particles) {
                let error = (0..3).map(|c| (b.pos[c] - a.pos[c] - 2.0 * vel).abs());
                assert!(error.into_iter().all(|error| error < 1e-9), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn single_and_coincident_particles_have_units() {
        let body = |x: f64| Particle { mass: 1e30, pos: [x; 3], ..Particle::default() };
        for particles in [vec![body(1e20)], vec![body(5.0), body(5.0)], Vec::new()] {
            let units = Units::of(&Snapshot { time: 0.0, particles }, 1.0, 1e9, 1.0);
            assert_eq!(units, Units::default());
        }
    }

    #[test]
    fn particles_that_part_from_one_place_have_the_scale_of_their_softening() {
        let body = |v: f64| Particle { mass: 1e30, pos: [1e10, 0.0, 0.0], vel: [v, 0.0, 0.0] };
        let snapshot = Snapshot { time: 0.0, particles: vec![body(1e5), body(-1e5), body(0.0)] };
        assert!(!Units::move_as_one(&snapshot));
        let units = Units::of(&snapshot, 1.0, 1e9, 1.0);
        assert!(!units.are_of_files() && units.frame.is_some(), "{units:?}");
        let inner = units.inward(&snapshot);
        assert!(
            inner.particles.iter().all(|it| it.pos.iter().all(|x| x.abs() < 1e-6)),
            "{inner:?}"
        );
    }
}
