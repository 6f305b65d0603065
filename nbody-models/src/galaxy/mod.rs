//! Disk galaxies of three components.

mod disk;
mod profile;
mod sphere;
mod table;

use std::ops::Range;

use self::disk::Disk;
use self::sphere::Sphere;
use crate::random::Random;
use crate::{Error, Snapshot, room_for};

/// A component of a [`galaxy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// A disk of surface density exp(−R/h), truncated at R = 10 h, and of density sech²(z/z₀)
    /// across its plane, z₀ = 0.1 h.
    Disk,
    /// A sphere of density 1 / (r (r + a)³) (Hernquist 1990, Astrophys. J. 356, 359), truncated at
    /// r = 15 a.
    Bulge,
    /// A sphere of the same density with its own scale length a, truncated at r = 10 a.
    Halo,
}

impl Component {
    /// The components, in the order of their particles.
    pub const ALL: [Self; 3] = [Self::Disk, Self::Bulge, Self::Halo];

    /// Returns the mass: 0.15 for the disk, 0.05 for the bulge, 0.8 for the halo.
    pub fn mass(self) -> f64 {
        match self {
            Self::Disk => 0.15,
            Self::Bulge => 0.05,
            Self::Halo => 0.8,
        }
    }

    /// Returns the scale length: h = 1 for the disk, the unit of length; a = 0.2 for the bulge, a
    /// = 3 for the halo.
    pub fn scale_length(self) -> f64 {
        match self {
            Self::Disk => 1.0,
            Self::Bulge => 0.2,
            Self::Halo => 3.0,
        }
    }

    /// Returns the indices of the component's particles in a galaxy of `n`. All particles have
    /// equal masses, so that the components' numbers of particles are in the ratio of their
    /// masses.
    pub fn range(self, n: usize) -> Range<usize> {
        let end = |percent: u128| ((n as u128 * percent + 50) / 100) as usize;
        let (disk, bulge) = (end(15), end(20));
        match self {
            Self::Disk => 0..disk,
            Self::Bulge => disk..bulge,
            Self::Halo => bulge..n,
        }
    }
}

/// Samples a disk galaxy of `n` equal masses: a disk, a bulge and a halo ([`Component`]), their
/// particles in this order. It rotates about the z axis, counterclockwise when seen from positive
/// z, and is near equilibrium. The centre of mass is at rest at the origin; the noise of the halo
/// displaces the centre of the disk from it by about 9 h/√n.
///
/// Units: G = 1, total mass 1, and the scale length h of the disk is 1. A circular orbit at R =
/// 2.2 h takes 36 units of time.
///
/// The velocities follow Hernquist (1993, Astrophys. J. Suppl. 86, 389), with these
/// approximations:
///
/// - Forces are computed from the spherically averaged mass; the disk itself attracts more
///   strongly in its plane beyond about h.
/// - In the bulge and the halo, the distribution of velocities at each radius is an isotropic
///   Gaussian, truncated at 0.95 of the escape speed, with the mean square of the Jeans equation.
///   Such spheres lose some of their central cusp (Kazantzidis, Magorrian & Moore 2004, Astrophys.
///   J. 601, 37).
/// - In the disk, it is a Gaussian along each direction. The radial dispersion falls as
///   exp(−R/2h), with a Toomre Q of 1.5 at R = 2 h, near its minimum. The tangential dispersion
///   follows from the epicycle approximation. The mean is the circular velocity less the
///   asymmetric drift, without the correlation of radial and vertical motion (Binney & Tremaine
///   2008, Galactic Dynamics, section 4.8.2). The vertical dispersion balances the disk's own
///   gravity, as in an isothermal sheet, and the attraction of the bulge and the halo.
///
/// The same seed gives the same particles on every machine.
pub fn galaxy(n: usize, seed: u64) -> Result<Snapshot, Error> {
    if n == 0 {
        return Err(Error::TooFew { what: "a galaxy", found: n, expected: 1 });
    }
    let mut random = Random::new(seed);
    let mass = 1.0 / n as f64;
    let mut particles = room_for(n, "a galaxy", n)?;
    let disk = Disk::new();
    particles.extend(Component::Disk.range(n).map(|_| disk.particle(&mut random, mass)));
    for component in [Component::Bulge, Component::Halo] {
        let sphere = Sphere::new(component);
        particles.extend(component.range(n).map(|_| sphere.particle(&mut random, mass)));
    }
    let mut snapshot = Snapshot { time: 0.0, particles };
    snapshot.centre();
    Ok(snapshot)
}
