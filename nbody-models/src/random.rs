//! Random numbers that depend only on the seed, not on the platform.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

/// A seeded random number generator.
pub(crate) struct Random {
    source: ChaCha8Rng,
}

/// A stream of random numbers, independent of the other streams of its seed.
#[derive(Clone, Copy)]
pub(crate) enum Stream {
    /// Positions and velocities of models, and records.
    Model,
    Masses,
    Binaries,
    Rotation,
    /// Velocities of cold models.
    Velocities,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self::of(seed, Stream::Model)
    }

    pub fn of(seed: u64, stream: Stream) -> Self {
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        source.set_stream(stream as u64);
        Self { source }
    }

    /// Samples uniformly from [0, 1), in multiples of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.source.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Samples uniformly from (0, 1], in multiples of 2⁻¹⁰.
    pub fn uniform_coarse(&mut self) -> f64 {
        f64::from((self.source.next_u32() >> 22) + 1) / f64::from(1 << 10)
    }

    /// Samples uniformly from `0..n`, for small `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.source.next_u32() % n
    }

    /// Samples uniformly from `0..n`.
    pub fn position(&mut self, n: usize) -> usize {
        ((u128::from(self.source.next_u64()) * n as u128) >> 64) as usize
    }

    /// Samples the normal distribution of mean 0 and variance 1 (Marsaglia & Bray 1964, SIAM Rev.
    /// 6, 260).
    pub fn normal(&mut self) -> f64 {
        let (x, _, s) = self.in_circle();
        x * (-2.0 * libm::log(s) / s).sqrt()
    }

    /// Samples a direction uniformly in the plane.
    pub fn plane_direction(&mut self) -> [f64; 2] {
        let (x, y, s) = self.in_circle();
        [x / s.sqrt(), y / s.sqrt()]
    }

    /// Samples a point uniformly in the unit circle, without its centre, and its squared radius.
    fn in_circle(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return (x, y, s);
            }
        }
    }

    /// Samples a direction uniformly over the sphere (Marsaglia 1972, Ann. Math. Stat. 43, 645).
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = x * x + y * y;
            if s < 1.0 {
                let scale = 2.0 * (1.0 - s).sqrt();
                return [x * scale, y * scale, 1.0 - 2.0 * s];
            }
        }
    }
}
