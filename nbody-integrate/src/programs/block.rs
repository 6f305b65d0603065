//! Programs of the Hermite integrator with block time steps.

pub use programs::{Begin, BlockStar, Correct, FirstStep, Improve, Predict};

#[nbody::interaction]
pub mod programs {
    /// The state of a particle at its own time.
    pub struct BlockStar {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
        /// Mass.
        pub mass: Real,
        /// The time of the state in ticks, modulo 2³².
        pub time: u32,
        /// The step in ticks, a power of two; zero if none is short enough.
        pub step: u32,
        /// The time at which the step ends.
        pub due: u32,
    }

    /// Results of an interaction.
    pub struct Field {
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
    }

    /// The parts of an interaction's particle that move.
    pub struct Mover {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
    }

    /// Predicts particles from their own times (Makino & Aarseth 1992, equation 2).
    pub struct Predict {
        /// The time in ticks.
        pub due: u32,
        /// The length of a tick.
        pub tick: Real,
        /// The time since `due`, not in ticks.
        pub dt: Real,
    }

    impl Update for Predict {
        type P = Mover;
        type Q = BlockStar;
        fn update(&self, p: &mut Mover, q: &BlockStar) {
            let dt = (self.due - q.time) as Real * self.tick + self.dt;
            p.pos = q.pos;
            p.pos += dt * (q.vel + 0.5 * dt * (q.acc + dt / 3.0 * q.jerk));
            p.vel = q.vel + dt * (q.acc + 0.5 * dt * q.jerk);
        }
    }

    /// Returns the longest step, a power of two of at most 2³⁰ ticks, that does not exceed
    /// `wanted`; zero if there is none. It is found by bisection of the exponent.
    fn longest(wanted: Real, tick: Real) -> u32 {
        let mut step = 1;
        let mut length = tick;
        if 32768.0 * length <= wanted {
            step *= 32768;
            length *= 32768.0;
        }
        if 256.0 * length <= wanted {
            step *= 256;
            length *= 256.0;
        }
        if 16.0 * length <= wanted {
            step *= 16;
            length *= 16.0;
        }
        if 4.0 * length <= wanted {
            step *= 4;
            length *= 4.0;
        }
        if 2.0 * length <= wanted {
            step *= 2;
        }
        if tick <= wanted { step } else { 0 }
    }

    /// Returns x / y, but practically infinity if y is zero, for any x.
    fn ratio(x: Real, y: Real) -> Real {
        if y == 0.0 { 1e300 } else { x / y }
    }

    /// Takes accelerations and their derivatives from the results of an interaction.
    pub struct Begin;

    impl Update for Begin {
        type P = BlockStar;
        type F = Field;
        fn update(&self, p: &mut BlockStar, f: &Field) {
            p.acc = f.acc;
            p.jerk = f.jerk;
        }
    }

    /// Chooses the first step: eta |a| / |j|, with the acceleration a and the jerk j. This is
    /// infinite for bodies at rest, so the step is at most the one by the criterion of Aarseth
    /// with the second derivative s. It is at least so long that no more than rounding errors
    /// would change in it.
    pub struct FirstStep {
        /// The length of a tick.
        pub tick: Real,
        /// The accuracy of the first step.
        pub eta_start: Real,
        /// The accuracy of later steps.
        pub eta: Real,
        /// The time at which forces were evaluated again.
        pub dt: Real,
        /// The rounding error of velocities.
        pub speed: Real,
        /// The longest step chosen because of rounding errors.
        pub longest: Real,
    }

    impl Update for FirstStep {
        type P = BlockStar;
        type F = Field;
        fn update(&self, p: &mut BlockStar, f: &Field) {
            let a = p.acc.norm();
            let j = p.jerk.norm();
            let s = ((f.jerk - p.jerk) / self.dt).norm();
            let mut wanted = ratio(self.eta_start * a, j);
            if s > 0.0 {
                let by_snap = (self.eta * (a * s + j * j)).sqrt() / s;
                if by_snap < wanted {
                    wanted = by_snap;
                }
            }
            let by_acc = self.longest.min(ratio(self.speed, a));
            let by_jerk = by_acc.min(ratio(self.speed, j).sqrt());
            wanted = wanted.max(by_jerk.min(ratio(self.speed, s * self.longest).sqrt()));
            p.step = longest(wanted, self.tick);
            if a - a != 0.0 || j - j != 0.0 || wanted != wanted {
                p.step = 0;
            }
            p.due = p.time + p.step;
        }
    }

    /// Places particles at the corrected end of their steps, which do not end yet: the forces are
    /// evaluated there again.
    pub struct Improve {
        /// The length of a tick.
        pub tick: Real,
    }

    impl Update for Improve {
        type P = Mover;
        type Q = BlockStar;
        type F = Field;
        fn update(&self, p: &mut Mover, q: &BlockStar, f: &Field) {
            let dt = q.step as Real * self.tick;
            let half = 0.5 * dt;
            let twelfth = dt * dt / 12.0;
            p.vel = q.vel + (half * (q.acc + f.acc) + twelfth * (q.jerk - f.jerk));
            p.pos = q.pos;
            p.pos += half * (q.vel + p.vel) - twelfth * (f.acc - q.acc);
        }
    }

    /// Corrects particles at the end of their steps (Hut et al. 1995, equation 2), and chooses
    /// their next steps by the criterion of Aarseth (1985): the square root of eta (|a| |s| +
    /// |j|²) / (|j| |c| + |s|²), with the acceleration a, the jerk j, and the second and third
    /// derivatives s and c of the acceleration. The next step is shorter, the same, or twice as
    /// long if the time is a multiple of that. If no more than rounding errors change in a step,
    /// the next one is not shorter, and may be twice as long.
    pub struct Correct {
        /// The time in ticks.
        pub now: u32,
        /// The length of a tick.
        pub tick: Real,
        /// The accuracy.
        pub eta: Real,
        /// The largest step in ticks.
        pub largest: u32,
        /// The rounding error of velocities.
        pub speed: Real,
        /// The longest step chosen because of rounding errors.
        pub longest: Real,
    }

    impl Update for Correct {
        type P = BlockStar;
        type F = Field;
        fn update(&self, p: &mut BlockStar, f: &Field) {
            let dt = p.step as Real * self.tick;
            let half = 0.5 * dt;
            let twelfth = dt * dt / 12.0;
            let before = p.vel;
            let da = f.acc - p.acc;
            p.vel += half * (p.acc + f.acc) + twelfth * (p.jerk - f.jerk);
            p.pos += half * (before + p.vel) - twelfth * da;

            let crackle = (6.0 * dt * (p.jerk + f.jerk) - 12.0 * da) / (dt * dt * dt);
            let snap = (6.0 * da - dt * (4.0 * p.jerk + 2.0 * f.jerk)) / (dt * dt) + dt * crackle;
            let a = f.acc.norm();
            let j = f.jerk.norm();
            let s = snap.norm();
            let c = crackle.norm();
            let mut wanted = ratio(self.eta * (a * s + j * j), j * c + s * s).sqrt();
            let once = dt * (a + dt * (j + dt * (s + dt * c)));
            if dt <= self.longest && once <= self.speed {
                wanted = wanted.max(dt);
            }
            let two = 2.0 * dt;
            let doubled = two * (a + two * (j + two * (s + two * c)));
            if two <= self.longest && doubled <= self.speed {
                wanted = wanted.max(two);
            }
            let fits = longest(wanted, self.tick);
            let twice = 2 * p.step;
            let may_grow = twice <= self.largest && (self.now & (twice - 1)) == 0;
            if a - a != 0.0 || j - j != 0.0 || wanted != wanted {
                p.step = 0;
            } else if fits < p.step {
                p.step = fits;
            } else if fits >= twice && may_grow {
                p.step = twice;
            }
            p.time = self.now;
            p.due = self.now + p.step;
            p.acc = f.acc;
            p.jerk = f.jerk;
        }
    }
}

#[cfg(test)]
mod tests {
    use nbody::{AllPairs, Device, Engine as _, PerParticle, Precision};

    use super::*;

    #[nbody::interaction]
    mod constant {
        /// Copies the results of the j-particle.
        pub struct Constant;
        pub struct Body {
            pub acc: Vector,
            pub jerk: Vector,
        }
        pub struct Field {
            pub acc: Vector,
            pub jerk: Vector,
        }

        impl Interaction for Constant {
            type I = Body;
            type J = Body;
            type F = Field;
            fn pair(&self, _i: &Body, j: &Body, f: &mut Field) {
                f.acc += j.acc;
                f.jerk += j.jerk;
            }
        }
    }

    /// Finds the longest step by a loop over all of them.
    fn longest(wanted: f64, tick: f64) -> u32 {
        let mut fits = 0;
        for exponent in 0..=30 {
            if f64::from(1 << exponent) * tick <= wanted {
                fits = 1 << exponent;
            }
        }
        fits
    }

    #[test]
    fn the_longest_step_is_that_of_a_loop_over_all() {
        let device = Device::cpu();
        let mut engine = AllPairs::new(&device, constant::Constant).unwrap();
        // A constant derivative does not affect the step.
        let body: constant::Body =
            constant::Body { acc: [1.0, 0.0, 0.0].into(), jerk: [0.0, 1.0, 0.0].into() };
        let body = engine.upload(&[body]).unwrap();
        let mut field = engine.results(1).unwrap();
        engine.evaluate_into(&body, &body, &mut field).unwrap();
        let mut stars = device.upload(&[<BlockStar>::default()], Precision::Double).unwrap();
        PerParticle::new(&device, Begin).unwrap().update_by_name(&mut stars, &field).unwrap();
        let step = FirstStep {
            tick: 1.0,
            eta_start: 1.0,
            eta: 1.0,
            dt: 1.0,
            speed: 0.0,
            longest: f64::INFINITY,
        };
        let mut first = PerParticle::new(&device, step).unwrap();
        let extremes = [f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, 0.0];
        for tick in [f64::exp2(-33.0), 1e-10, f64::MAX * f64::exp2(-30.0), 5e-324] {
            let near = |exponent: i32| {
                let step = tick * f64::exp2(exponent.into());
                [step.next_down(), step, step.next_up(), 1.5 * step]
            };
            let values = (-3..34).flat_map(near).chain(extremes);
            for wanted in values.flat_map(|value| [value, -value]) {
                first.set_parameters(FirstStep { tick, eta_start: wanted, ..step });
                first.update_by_name(&mut stars, &field).unwrap();
                let step = stars.download().unwrap()[0].step;
                assert_eq!(step, longest(wanted, tick), "{wanted:e} in ticks of {tick:e}");
            }
        }
    }
}
