//! Disk galaxies of three components.

mod component;
mod disk;
mod profile;
mod sphere;
mod table;

use self::disk::Disk;
use self::sphere::Sphere;
use crate::random::Random;
use crate::{Error, Snapshot, room_for};

pub use self::component::Component;

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
