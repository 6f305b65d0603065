//! The model of Portegies Zwart, Belleman & Geldof 2007, section 5, for integrations that stay on
//! a device. The number of block steps and the mean block are power laws of N; a block step takes
//! a constant time, a time for each particle, and a time for each pair.

use super::fit::{PowerLaw, non_negative};

/// Number of constants in the time of a block step.
const CONSTANTS: usize = 3;

/// A measurement that the model is fitted to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Number of particles.
    pub n: usize,
    /// Block steps in a time unit.
    pub steps: f64,
    /// Mean number of particles that a block step advances.
    pub block: f64,
    /// Time of a block step, in seconds.
    pub seconds: f64,
}

/// A reason why no model can be fitted.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Error {
    #[error(
        "no model is fitted to {found} different N: the time of a block step has {expected} constants; \
         give at least {expected} numbers with -n"
    )]
    TooFew { found: usize, expected: usize },

    #[error("no model is fitted: at N = {n} the {quantity} is {value}, expected a positive number")]
    NotPositive { n: usize, quantity: &'static str, value: f64 },

    #[error("no model is fitted: the measurements are too large or too small for sums of squares")]
    Range,
}

/// A fitted model. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Block steps in a time unit, as a function of N.
    pub steps: PowerLaw,
    /// Mean block as a function of N.
    pub block: PowerLaw,
    /// Constant time of a block step: launches, latency and the host.
    pub constant: f64,
    /// Time for each particle: its prediction, and the search for the next block.
    pub particle: f64,
    /// Time for each pair.
    pub pair: f64,
}

/// Rms relative residuals of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residuals {
    pub steps: f64,
    pub block: f64,
    /// Residuals of the time of a block step, with the measured mean block.
    pub seconds: f64,
}

impl Model {
    /// Fits the power laws by regression of logarithms, and the time of a block step by least
    /// squares of relative errors with non-negative constants.
    pub fn fit(points: &[Point]) -> Result<Self, Error> {
        check(points)?;
        let law = |of: fn(&Point) -> f64| {
            let points: Vec<_> = points.iter().map(|point| (point.n as f64, of(point))).collect();
            PowerLaw::fit(&points).ok_or(Error::Range)
        };
        let row = |&Point { n, block, seconds, .. }: &Point| {
            [1.0, n as f64, block * n as f64].map(|x| x / seconds)
        };
        let rows: Vec<_> = points.iter().map(row).collect();
        let constants: [f64; CONSTANTS] = non_negative(&rows).ok_or(Error::Range)?;
        let [constant, particle, pair] = constants;
        let (steps, block) = (law(|point| point.steps)?, law(|point| point.block)?);
        Ok(Self { steps, block, constant, particle, pair })
    }

    /// Returns the time of a block step.
    pub fn block_step(&self, n: f64, block: f64) -> f64 {
        self.constant + self.particle * n + self.pair * block * n
    }

    /// Returns the time for a quarter of a time unit, with the measured block steps and mean
    /// block.
    pub fn quarter(&self, point: &Point) -> f64 {
        0.25 * point.steps * self.block_step(point.n as f64, point.block)
    }

    pub fn residuals(&self, points: &[Point]) -> Residuals {
        let rms = |ratio: &dyn Fn(&Point) -> f64| {
            let sum: f64 = points.iter().map(|point| (ratio(point) - 1.0).powi(2)).sum();
            (sum / points.len() as f64).sqrt()
        };
        Residuals {
            steps: rms(&|point| self.steps.at(point.n as f64) / point.steps),
            block: rms(&|point| self.block.at(point.n as f64) / point.block),
            seconds: rms(&|point| self.block_step(point.n as f64, point.block) / point.seconds),
        }
    }
}

/// Refuses points that do not determine the constants.
fn check(points: &[Point]) -> Result<(), Error> {
    for &Point { n, steps, block, seconds } in points {
        let quantities = [
            ("number of particles", n as f64),
            ("number of block steps", steps),
            ("mean block", block),
            ("time of a block step", seconds),
        ];
        for (quantity, value) in quantities {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::NotPositive { n, quantity, value });
            }
        }
    }
    let mut sizes: Vec<_> = points.iter().map(|point| point.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() < CONSTANTS {
        return Err(Error::TooFew { found: sizes.len(), expected: CONSTANTS });
    }
    Ok(())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A model similar to a GPU's.
    pub fn sample() -> Model {
        Model {
            steps: PowerLaw { factor: 247.0, exponent: 0.35 },
            block: PowerLaw { factor: 0.2, exponent: 0.81 },
            constant: 45e-6,
            particle: 2e-11,
            pair: 1e-12,
        }
    }

    pub fn points(model: &Model, sizes: &[usize]) -> Vec<Point> {
        let point = |&n: &usize| {
            let (steps, block) = (model.steps.at(n as f64), model.block.at(n as f64));
            Point { n, steps, block, seconds: model.block_step(n as f64, block) }
        };
        sizes.iter().map(point).collect()
    }

    const SIZES: [usize; 5] = [1024, 4096, 16384, 65536, 262_144];

    fn is_near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-4
    }

    #[test]
    fn a_model_is_recovered_and_predicts() {
        let known = sample();
        let points = points(&known, &SIZES);
        let found = Model::fit(&points).unwrap();
        let constants = |model: &Model| {
            let &Model { steps, block, constant, particle, pair } = model;
            [steps.factor, steps.exponent, block.factor, block.exponent, constant, particle, pair]
        };
        let pairs = constants(&found).into_iter().zip(constants(&known));
        assert!(pairs.into_iter().all(|(a, b)| is_near(a, b)), "{found:?}");
        // A quarter of the block steps in a time unit.
        let predicted = 0.25 * points[2].steps * points[2].seconds;
        assert!(is_near(found.quarter(&points[2]), predicted), "{found:?}");
        let Residuals { steps, block, seconds } = found.residuals(&points);
        assert!([steps, block, seconds].iter().all(|x| *x < 1e-6), "{steps} {block} {seconds}");
    }

    #[test]
    fn residuals_are_relative() {
        let model = sample();
        let mut points = points(&model, &SIZES);
        for point in &mut points {
            point.steps /= 1.5;
            point.block /= 0.5;
            point.seconds = model.block_step(point.n as f64, point.block) / 1.25;
        }
        let Residuals { steps, block, seconds } = model.residuals(&points);
        assert!(is_near(steps, 0.5) && is_near(block, 0.5) && is_near(seconds, 0.25));
    }

    #[test]
    fn points_that_do_not_determine_a_model_are_refused() {
        let known = sample();
        for sizes in [&[][..], &[1024], &[1024, 2048], &[1024, 2048, 1024, 2048]] {
            let mut different = sizes.to_vec();
            different.sort_unstable();
            different.dedup();
            let refused = Error::TooFew { found: different.len(), expected: 3 };
            assert_eq!(Model::fit(&points(&known, sizes)), Err(refused), "{sizes:?}");
        }
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut points = points(&known, &SIZES);
            points[1].seconds = value;
            let message = Model::fit(&points).unwrap_err().to_string();
            let part = format!("at N = 4096 the time of a block step is {value}");
            assert!(message.contains(&part), "{message}");
        }
        let mut points = points(&known, &SIZES);
        for point in &mut points {
            point.seconds = 1e-300;
        }
        assert_eq!(Model::fit(&points), Err(Error::Range));
    }

    /// Blocks of all particles, so that the times per pair and per squared N cannot be told apart,
    /// and equal times, so that the best time per pair would be negative.
    #[test]
    fn constants_that_cannot_be_told_apart_are_finite() {
        let point = |n: usize, block: f64| Point { n, steps: 8.0, block, seconds: 1e-6 };
        for points in [
            [1, 2, 3].map(|n| point(n, 1.0)),
            [16, 32, 64].map(|n| point(n, n as f64)),
            [16, 32, 64].map(|n| point(n, 1.0 / n as f64)),
        ] {
            let model = Model::fit(&points).unwrap();
            let constants = [model.constant, model.particle, model.pair];
            assert!(constants.iter().all(|c| c.is_finite() && *c >= 0.0), "{model:?}");
            assert!(is_near(model.block_step(32.0, 1.0), 1e-6), "{model:?}");
        }
    }
}
