//! Grains with cutoffs of every form, and their lists on every device.

use nbody::law::Record;
use nbody::lists::HasCutoff;
use nbody::prelude::*;
use nbody::{Interaction, Neighbours, ShortRange, Skin};

#[nbody::interaction]
pub mod grains {
    pub struct Grain {
        pub h: Real,
        pub pos: Point,
        pub kind: u32,
        pub limits: [Real; 2],
        pub vel: Vector,
    }
    pub struct Wall {
        pub pos: Point,
        pub radius: Real,
    }
    pub struct Number {
        pub count: Count,
    }

    pub struct Uniform {
        pub cutoff: Real,
    }
    /// A cutoff for each pair of types.
    pub struct ByTypes {
        pub cutoffs: [[Real; 3]; 3],
    }
    /// A cutoff for each type of j.
    pub struct ByType {
        pub cutoffs: [Real; 3],
    }
    pub struct OfI {
        pub factor: Real,
    }
    pub struct Greater;
    pub struct Radii;
    /// A cutoff that grows with two numbers of a particle.
    pub struct Sums;
    /// A cutoff with branches and a helper function.
    pub struct Branches {
        pub threshold: Real,
    }
    /// A cutoff with an early return, for moving particles.
    pub struct Moving {
        pub time: Real,
    }
    pub struct Powers {
        pub exponent: Real,
    }
    pub struct OfWall;

    const KINDS: u32 = 3;
    const HALF: Real = 0.5;

    fn mean(a: Real, b: Real) -> Real {
        HALF * (a + b)
    }
    fn least(a: Real, b: Real, threshold: Real) -> Real {
        if a < threshold {
            return mean(a, b);
        }
        a.min(b)
    }

    impl Interaction for Uniform {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, _i: &Grain, _j: &Grain) -> Real {
            self.cutoff
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByTypes {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            self.cutoffs[i.kind][j.kind]
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for ByType {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, _i: &Grain, j: &Grain) -> Real {
            self.cutoffs[j.kind]
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for OfI {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, _j: &Grain) -> Real {
            self.factor * i.h
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Greater {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            2.0 * i.h.max(j.h)
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Radii {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            i.h + j.h
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Sums {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            i.h.max(j.h) + i.limits[0].max(j.limits[0])
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Branches {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            let mut reach = least(i.h, j.limits[1], self.threshold);
            if i.kind == j.kind && i.kind + 1 < KINDS {
                reach *= 1.5;
            } else if j.kind == 0 {
                reach += 0.25 * i.limits[0];
            }
            let farther = if reach > self.threshold { 1.25 * reach } else { self.threshold };
            farther
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Moving {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            if j.kind == 2 {
                return i.h;
            }
            let mut reach = 0.5 * j.h;
            for k in 0..2 {
                reach += 0.125 * j.limits[k];
            }
            reach + self.time * (i.vel - j.vel).norm()
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for Powers {
        type I = Grain;
        type J = Grain;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            (i.h * j.h).cbrt().powf(self.exponent) * (-i.h).exp().sqrt()
        }
        fn pair(&self, _i: &Grain, _j: &Grain, f: &mut Number) {
            f.count += 1;
        }
    }
    impl Interaction for OfWall {
        type I = Grain;
        type J = Wall;
        type F = Number;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            i.h + j.radius
        }
        fn pair(&self, _i: &Grain, _j: &Wall, f: &mut Number) {
            f.count += 1;
        }
    }
}
use grains::Grain;

/// Pseudo-random numbers below 1.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns grains in a box of length 2 with smoothing lengths over a ratio of 100:1;
    /// neighbouring grains have similar lengths.
    pub fn grains(&mut self, n: usize) -> Vec<Grain> {
        let grain = |_| {
            let [x, y, z] = [0; 3].map(|_| 2.0 * self.next());
            let h = 0.3 * 100.0_f64.powf(-0.9 * x / 2.0 - 0.1 * self.next());
            let vel = nbody::Vector::new(self.next(), self.next(), self.next());
            let kind = [0, 1, 2].into_iter().find(|_| self.next() < 0.5).unwrap_or(2);
            Grain { h, pos: nbody::Point::new(x, y, z), kind, limits: [0.1 * y + 0.01, h], vel }
        };
        (0..n).map(grain).collect()
    }
}

/// Lists of the same particles on every device.
pub struct Lists(pub Vec<Neighbours>);

impl Lists {
    pub fn new(devices: &[Device], domain: Domain, skin: Skin) -> Self {
        Self(
            devices
                .iter()
                .map(|it| {
                    Neighbours::with_options(it, skin, Options::default().domain(domain)).unwrap()
                })
                .collect(),
        )
    }

    /// Updates the lists of one set or two sets, and checks that they equal the CPU's. Returns the
    /// number of rebuilds, or the error.
    pub fn update<P, Q>(&mut self, i: &[P], j: Option<&[Q]>, of: &Engines) -> Result<u64, String>
    where
        P: Record<Lane = f64, Host = P>,
        Q: Record<Lane = f64, Host = Q>,
    {
        let mut first = None;
        for (k, near) in self.0.iter_mut().enumerate() {
            let of: Vec<_> = of.iter().map(|engines| &*engines[k]).collect();
            let particles = near.upload(i).unwrap();
            let updated = match j {
                None => near.update(&particles, &of),
                Some(j) => {
                    let j = near.upload(j).unwrap();
                    near.update_with(&particles, Sources::Others(&j), &of)
                }
            };
            let found = match updated.and_then(|()| near.stats()) {
                Err(error) => Err(error.to_string()),
                Ok(stats) => {
                    let figures = [stats.entries, stats.neighbours, stats.tested];
                    Ok((stats.rebuilds, stats.age, figures, near.to_csr().unwrap()))
                }
            };
            let expected = first.get_or_insert_with(|| found.clone());
            let is_same = found == *expected;
            let print = |it| match it {
                Ok((rebuilds, age, figures, _)) => format!("{rebuilds}, {age}, {figures:?}"),
                Err(error) => error,
            };
            assert!(is_same, "{}: {}; {}", near.device(), print(found), print(expected.clone()));
        }
        first.unwrap().map(|(rebuilds, ..)| rebuilds)
    }
}

/// Interactions, each with an engine on every device.
pub type Engines = [Vec<Box<dyn HasCutoff>>];

pub fn engines<X: Interaction>(devices: &[Device], x: X) -> Vec<Box<dyn HasCutoff>> {
    let engine =
        |device| -> Box<dyn HasCutoff> { Box::new(ShortRange::new(device, x.clone()).unwrap()) };
    devices.iter().map(engine).collect()
}

pub const ALONE: Option<&[Grain]> = None;
