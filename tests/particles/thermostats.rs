//! The thermostats of the library on every device.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody_interactions::langevin::{Baoa, Kick, Thermostat};

#[nbody::interaction]
mod springs {
    /// A spring to an anchor.
    pub struct Spring {
        pub stiffness: Real,
    }
    pub struct Anchor {
        pub pos: Point,
    }
    /// A particle with other fields, too.
    pub struct Ball {
        pub id: u32,
        pub charge: Real,
        pub mass: Real,
        pub vel: Vector,
        pub pos: Point,
    }
    pub struct Pull {
        pub force: Vector,
    }

    impl Interaction for Spring {
        type I = Ball;
        type J = Anchor;
        type F = Pull;

        fn pair(&self, i: &Ball, j: &Anchor, f: &mut Pull) {
            f.force += self.stiffness * (j.pos - i.pos);
        }
    }
}
use springs::{Anchor, Ball, Spring};

/// More particles than a block, and no multiple of a vector.
const N: usize = 301;
const DT: f64 = 0.25;

fn baoa(step: u32) -> Baoa {
    Baoa { friction: 0.75, temperature: 2.0, dt: DT, seed: 3, step }
}

fn thermostat(step: u32) -> Thermostat {
    let Baoa { friction, temperature, dt, seed, step } = baoa(step);
    Thermostat { friction, temperature, dt, seed, step }
}

fn balls() -> Vec<Ball> {
    let mut balls: Vec<Ball> = uniform(N, 5);
    (0..).zip(&mut balls).for_each(|(id, ball)| ball.id = id);
    balls
}

/// Takes three steps, and friction and noise once more.
fn moved(device: &Device, precision: Precision) -> Vec<Ball> {
    let options = Options::default().precision(precision).math(Math::Exact);
    let mut spring = AllPairs::with_options(device, Spring { stiffness: 4.0 }, options).unwrap();
    let mut balls = spring.upload(&balls()).unwrap();
    let anchor = spring.upload(&[Anchor::<f64>::default()]).unwrap();
    let mut pulls = spring.results(N).unwrap();
    let mut begin = PerParticle::new(device, baoa(0)).unwrap();
    let mut end = PerParticle::new(device, Kick { dt: DT }).unwrap();
    spring.evaluate_into(&balls, &anchor, &mut pulls).unwrap();
    for step in 0..3 {
        begin.set_parameters(baoa(step));
        begin.update_by_name(&mut balls, &pulls).unwrap();
        spring.evaluate_into(&balls, &anchor, &mut pulls).unwrap();
        end.update_by_name(&mut balls, &pulls).unwrap();
    }
    let mut last = PerParticle::new(device, thermostat(3)).unwrap();
    last.update_by_name(&mut balls, ()).unwrap();
    balls.download().unwrap()
}

/// Numbers agree with the CPU's to rounding; in the emulator, which calls the same functions of the
/// platform, to the last bit.
#[test]
fn devices_draw_the_same_noise() {
    for (precision, tolerance) in [(Precision::Mixed, 1e-5), (Precision::Double, 1e-13)] {
        let expected = moved(&Device::cpu(), precision);
        let is_moved = |(new, old): (&Ball, &Ball)| (new.vel - old.vel).norm() > 1e-3;
        assert!(expected.iter().zip(&balls()).all(is_moved));
        assert_eq!(moved(&nbody_tests::emulator(), precision), expected, "{precision}");
        for device in nbody_tests::cuda_devices() {
            for (found, expected) in moved(&device, precision).iter().zip(&expected) {
                let off = (found.pos - expected.pos).norm() + (found.vel - expected.vel).norm();
                assert!(off <= tolerance, "{device} {precision}: {found:?} {expected:?}");
            }
        }
    }
}

/// The beginning of a step equals its parts, each by itself.
#[test]
fn a_step_has_its_parts() {
    let device = Device::cpu();
    let options = Options::default().precision(Precision::Double);
    let mut spring = AllPairs::with_options(&device, Spring { stiffness: 4.0 }, options).unwrap();
    let mut balls = spring.upload(&balls()).unwrap();
    let mut parts = spring.upload(&self::balls()).unwrap();
    let anchor = spring.upload(&[Anchor::<f64>::default()]).unwrap();
    let mut pulls = spring.results(N).unwrap();
    spring.evaluate_into(&balls, &anchor, &mut pulls).unwrap();
    PerParticle::new(&device, baoa(7)).unwrap().update_by_name(&mut balls, &pulls).unwrap();

    let drifted = |balls: Vec<Ball>| -> Vec<Ball> {
        balls.into_iter().map(|it| Ball { pos: it.pos + 0.5 * DT * it.vel, ..it }).collect()
    };
    let mut kick = PerParticle::new(&device, Kick { dt: DT }).unwrap();
    kick.update_by_name(&mut parts, &pulls).unwrap();
    parts.replace(&drifted(parts.download().unwrap())).unwrap();
    let mut exchange = PerParticle::new(&device, thermostat(7)).unwrap();
    exchange.update_by_name(&mut parts, ()).unwrap();
    let expected = drifted(parts.download().unwrap());
    for (found, expected) in balls.download().unwrap().iter().zip(&expected) {
        assert_eq!(found.vel, expected.vel);
        let off = (found.pos - expected.pos).norm();
        assert!(off <= 1e-14, "{found:?} {expected:?}");
        assert_eq!((found.id, found.charge), (expected.id, expected.charge));
    }
}
