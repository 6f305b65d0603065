//! Velocities of models: rotation, and motion of cold models.

use crate::random::{Random, Stream};
use crate::{Error, Particle, Snapshot};

impl Snapshot {
    /// Lets the particles rotate about the z axis: each with a negative velocity about this axis
    /// is reflected, with the probability `share` from 0 to 1, so that this velocity becomes
    /// positive. With 0 nothing changes, with 1 all particles rotate counterclockwise when seen
    /// from positive z.
    ///
    /// Speeds and positions are kept, and so are the energies and the equilibrium of an
    /// axisymmetric model: only the part of the distribution function that is odd in the angular
    /// momentum changes (Lynden-Bell 1960, Mon. Not. R. Astron. Soc. 120, 204). The mean velocity
    /// about the axis becomes `share` times the mean of its modulus. The same seed reflects the
    /// same particles on every machine.
    pub fn rotate(&mut self, share: f64, seed: u64) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&share) {
            let what = "the share of particles that rotation reflects";
            return Err(Error::OutOfRange { what, found: share, low: 0.0, high: 1.0 });
        }
        let mut random = Random::of(seed, Stream::Rotation);
        for particle in &mut self.particles {
            let is_chosen = random.uniform() < share;
            let Particle { pos: [x, y, _], vel: [vx, vy, _], .. } = *particle;
            let (momentum, square) = (x * vy - y * vx, x * x + y * y);
            if is_chosen && momentum < 0.0 && square > 0.0 {
                let change = -2.0 * momentum / square;
                particle.vel[0] -= change * y;
                particle.vel[1] += change * x;
            }
        }
        Ok(())
    }

    /// Gives cold particles velocities of the normal distribution, of variance 1 along each axis
    /// and independent of place and mass, and brings the centre of mass to rest at the origin.
    /// [`virialise_to`](Self::virialise_to) scales them. The same seed gives the same velocities
    /// on every machine.
    pub fn heat(&mut self, seed: u64) {
        let mut random = Random::of(seed, Stream::Velocities);
        for particle in &mut self.particles {
            particle.vel = [0; 3].map(|_| random.normal());
        }
        self.centre();
    }
}
