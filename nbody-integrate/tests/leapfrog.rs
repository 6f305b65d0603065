//! The leapfrog integrator: its order, its symmetry in time, and the bits of all devices.

use nbody::{AllPairs, Device, Math, Options, Precision};
use nbody_integrate::{Error, Leapfrog, Motion};
use nbody_interactions::gravity::{self, Gravity};

fn exact() -> Options {
    Options::default().precision(Precision::Double).math(Math::Exact)
}

/// Two bodies of mass 1/2 at distance 1 + e, the largest of an orbit of eccentricity e, whose period is
/// 2 π.
fn orbit(e: f64) -> (Vec<gravity::Body>, Vec<Motion>) {
    let (distance, speed) = (1.0 + e, ((1.0 - e) / (1.0 + e)).sqrt());
    let body =
        |sign: f64| gravity::Body { pos: [sign * 0.5 * distance, 0.0, 0.0].into(), mass: 0.5 };
    let bodies = vec![body(-1.0), body(1.0)];
    let mut motions = Motion::of("gravity", &bodies).unwrap();
    for (motion, sign) in motions.iter_mut().zip([-1.0, 1.0]) {
        motion.vel = [0.0, sign * 0.5 * speed, 0.0].into();
    }
    (bodies, motions)
}

fn gravity(device: &Device, e: f64, step: f64) -> Leapfrog<Gravity> {
    let (bodies, motions) = orbit(e);
    let engine = AllPairs::with_options(device, Gravity { eps2: 0.0 }, exact()).unwrap();
    Leapfrog::new(engine, &bodies, &motions, 0.0, step).unwrap()
}

/// The distance from the place at which a body began, after a period of a circular orbit.
fn error_of_phase(steps: u32) -> f64 {
    let step = 2.0 * std::f64::consts::PI / f64::from(steps);
    let mut run = gravity(&Device::cpu(), 0.0, step);
    let begin = run.motions().unwrap();
    for _ in 0..steps {
        run.advance().unwrap();
    }
    let end = run.motions().unwrap();
    (end[0].pos - begin[0].pos).norm()
}

#[test]
fn errors_fall_with_the_square_of_the_step() {
    let errors = [100, 200, 400].map(error_of_phase);
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.9..4.1).contains(&ratio), "{errors:?}");
    }
}

#[test]
fn it_returns_when_the_step_is_turned_round() {
    let mut run = gravity(&Device::cpu(), 0.5, 0.01);
    let begin = run.motions().unwrap();
    let energies = run.energies().unwrap();
    let energy = energies.kinetic + energies.potential;
    for _ in 0..1000 {
        run.advance().unwrap();
    }
    let energies = run.energies().unwrap();
    let change = (energies.kinetic + energies.potential - energy).abs() / energy.abs();
    assert!((1e-9..1e-3).contains(&change), "{change}");
    run.set_step(-0.01).unwrap();
    for _ in 0..1000 {
        run.advance().unwrap();
    }
    assert!(run.time().abs() < 1e-12);
    for (begin, end) in begin.iter().zip(run.motions().unwrap()) {
        let (far, fast) = ((end.pos - begin.pos).norm(), (end.vel - begin.vel).norm());
        assert!(far < 1e-11 && fast < 1e-11, "{far} {fast}");
    }
}

#[test]
fn a_run_continues_from_its_motions_to_the_last_bit() {
    let mut whole = gravity(&Device::cpu(), 0.5, 0.01);
    for _ in 0..50 {
        whole.advance().unwrap();
    }
    let (bodies, _) = orbit(0.5);
    let engine = AllPairs::with_options(&Device::cpu(), Gravity { eps2: 0.0 }, exact()).unwrap();
    let motions = whole.motions().unwrap();
    let mut rest = Leapfrog::new(engine, &bodies, &motions, whole.time(), 0.01).unwrap();
    for _ in 0..50 {
        whole.advance().unwrap();
        rest.advance().unwrap();
    }
    assert_eq!(whole.motions().unwrap(), rest.motions().unwrap());
}

#[test]
fn devices_agree_to_the_last_bit() {
    let Ok(emulator) = Device::emulator() else { return };
    let run = |device: &Device| {
        let mut run = gravity(device, 0.5, 0.01);
        (0..100).try_for_each(|_| run.advance()).unwrap();
        run.motions().unwrap()
    };
    assert_eq!(run(&emulator), run(&Device::cpu()));
}

#[test]
fn bad_input_is_refused() {
    let (bodies, motions) = orbit(0.0);
    let start = |bodies: &[gravity::Body], motions: &[Motion], step| {
        let engine = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
        Leapfrog::new(engine, bodies, motions, 0.0, step).unwrap_err()
    };
    let message = |error: Error| error.to_string();
    assert!(matches!(start(&bodies, &motions, 0.0), Error::Step { step: 0.0 }));
    assert!(matches!(start(&bodies, &motions, f64::NAN), Error::Step { .. }));
    let found = message(start(&bodies, &motions[..1], 0.1));
    assert!(found.starts_with("motions: found 1, expected 2"), "{found}");
    let mut wrong = motions.clone();
    wrong[1].vel[2] = f64::INFINITY;
    let found = message(start(&bodies, &wrong, 0.1));
    assert_eq!(found, "particle 1 has vel inf, expected a finite number");
}
