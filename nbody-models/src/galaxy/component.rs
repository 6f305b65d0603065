//! Components: their masses, their lengths and their particles.

use std::ops::Range;

/// A component of a [`galaxy`](super::galaxy).
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
