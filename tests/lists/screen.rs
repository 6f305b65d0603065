//! The screen of neighbour lists by tensor cores: no pair within the cutoff is missing and none beyond it
//! counts, however close to the edge, in whatever units.

use nbody::prelude::*;
use nbody::{Interaction, Options, Precision, ShortRange};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Gather, Near, Uniform};

/// Relative distances from the edge: some that rounding blurs, some that the screen cannot tell apart.
const MARGINS: [f64; 9] = [0.0, 1e-7, -1e-7, 1e-5, -1e-5, 1e-3, -1e-3, 4e-3, -4e-3];

/// A configuration of balls, in units of `scale`.
#[derive(Clone, Copy, Debug)]
struct Case {
    n: usize,
    seed: u64,
    /// The cutoff of a ball with h = 1.
    factor: f64,
    /// The distance of some balls, whose groups are wide.
    far: f64,
    scale: f64,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let n = [1, 2, 33, 100, 300][random.below(5) as usize];
        let factor = 0.2 + random.below(400) as f64 / 100.0;
        let far = [1.0, 1.0, 30.0, 1e4][random.below(4) as usize];
        // Lists of smaller cutoffs are refused (`scales.rs`).
        let scale = 2.0_f64.powi(random.below(107) as i32 - 46);
        Self { n, seed, factor, far, scale }
    }

    /// Returns the balls: half of them at the edge of the cutoff of others, some at the place of another one,
    /// and some without any reach.
    fn balls(&self) -> Vec<Ball> {
        let mut random = Random(self.seed);
        let unit = |random: &mut Random| random.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0;
        let mut found: Vec<([f64; 3], f64)> = Vec::new();
        for k in 0..self.n {
            let d = [0; 3].map(|_| unit(&mut random));
            let other = random.below(k.max(1) as u64) as usize;
            let at = match found.get(other) {
                Some((at, _)) if k % 29 == 28 => *at,
                Some((at, h)) if k % 2 == 1 => {
                    let length = d.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
                    let reach = self.factor * h * (1.0 + MARGINS[k / 2 % MARGINS.len()]);
                    std::array::from_fn(|axis| at[axis] + d[axis] / length * reach)
                }
                _ => d.map(|x| if k % 31 == 30 { x * self.far } else { x }),
            };
            found.push((at, if k % 17 == 16 { 0.0 } else { 0.25 + (k % 5) as f64 * 0.125 }));
        }
        let rounded = |x: f64| f64::from((x * self.scale) as f32);
        let ball = |([x, y, z], h): ([f64; 3], f64)| {
            let [x, y, z, h] = [x, y, z, h].map(rounded);
            Ball { pos: Point::new(x, y, z), h, mass: 1.0 }
        };
        found.into_iter().map(ball).collect()
    }

    /// Compares counts with those of all pairs in `f64`, in which those at the edge may count or not. Returns
    /// how many pairs count.
    fn check<X>(&self, engine: &mut ShortRange<X>, reach: impl Fn(&Ball) -> f64) -> u32
    where
        X: Interaction<I = Ball<f64>, J = Ball<f64>, F = Near<f64>>,
    {
        let balls = self.balls();
        let found = engine.evaluate_self::<f64>(&balls).unwrap();
        let norm = |d: [f64; 3]| d.iter().map(|x| x * x).sum::<f64>().sqrt();
        let at = |ball: &Ball| [ball.pos.x, ball.pos.y, ball.pos.z];
        for (k, (ball, found)) in balls.iter().zip(&found).enumerate() {
            let [mut least, mut most] = [0; 2];
            for (_, other) in balls.iter().enumerate().filter(|&(l, _)| l != k) {
                let [a, b] = [at(ball), at(other)];
                let distance = norm(std::array::from_fn(|axis| b[axis] - a[axis]));
                // Of the square too, by the least normal number.
                let underflow = f64::from(f32::MIN_POSITIVE) / reach(ball).max(1e-30);
                let blur = 4e-6 * reach(ball) + 2.4e-7 * (norm(a) + norm(b)) + underflow;
                least += u32::from(distance < reach(ball) - blur);
                most += u32::from(distance < reach(ball) + blur);
            }
            let count = found.count;
            assert!(
                (least..=most).contains(&count),
                "{self:?}, ball {k}: {count}, not {least} to {most}"
            );
        }
        found.iter().map(|near| near.count).sum()
    }
}

#[test]
fn the_edge_is_that_of_the_cutoff() {
    for device in nbody_tests::all_devices() {
        for precision in [Precision::Single, Precision::Mixed] {
            let options = Options::default().precision(precision);
            let (uniform, gather) = (Uniform { cutoff: 1.0 }, Gather { factor: 1.0 });
            let mut uniform = ShortRange::with_options(&device, uniform, options).unwrap();
            let mut gather = ShortRange::with_options(&device, gather, options).unwrap();
            let mut pairs = 0;
            for case in (0..60).map(Case::new) {
                let cutoff = f64::from((case.factor * 0.5 * case.scale) as f32);
                uniform.set_parameters(Uniform { cutoff });
                pairs += case.check(&mut uniform, |_| cutoff);
                let factor = f64::from(case.factor as f32);
                gather.set_parameters(Gather { factor });
                pairs += case.check(&mut gather, |ball| factor * ball.h);
            }
            assert!(pairs > 10_000, "{pairs}");
        }
    }
}

#[test]
fn squares_that_overflow_lose_no_pair() {
    let ball = |x: f64| Ball { pos: Point::new(x, x, x), h: 1.0, mass: 1.0 };
    let balls: Vec<_> = [0.0, 1e20, 0.0, 1e20].map(ball).into();
    for device in nbody_tests::all_devices() {
        let mut engine = ShortRange::new(&device, Uniform { cutoff: 1e15 }).unwrap();
        let found = engine.evaluate_self::<f64>(&balls).unwrap();
        assert!(found.iter().all(|near| near.count == 1), "{found:?}");
    }
}
