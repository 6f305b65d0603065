//! The Hermite integrator: its order, its symmetry in time, energies, restarts, and the bits of
//! all devices.

use nbody::{AllPairs, Device, Math, Options, Precision};
use nbody_integrate::{
    Error, Hermite, HermiteCheckpoint, HermiteOptions, Integrator, Start, Steps,
};
use nbody_interactions::gravity::Gravity;
use nbody_interactions::hermite::{self, Body};
use nbody_models::{Particle, plummer};

fn exact() -> Options {
    Options::default().precision(Precision::Double).math(Math::Exact)
}

fn run(
    device: &Device,
    bodies: &[Body],
    eps2: f64,
    options: HermiteOptions,
) -> Result<Hermite, Error> {
    let engine = AllPairs::with_options(device, hermite::Hermite { eps2 }, exact()).unwrap();
    Hermite::new(engine, bodies, options)
}

/// Two bodies of mass 1/2 at the largest distance of an orbit with eccentricity e and period 2 π.
fn orbit(e: f64) -> Vec<Body> {
    let (distance, speed) = (1.0 + e, ((1.0 - e) / (1.0 + e)).sqrt());
    let body = |sign: f64| Body {
        pos: [sign * 0.5 * distance, 0.0, 0.0].into(),
        vel: [0.0, sign * 0.5 * speed, 0.0].into(),
        mass: 0.5,
    };
    vec![body(-1.0), body(1.0)]
}

/// Options with which all steps are of this length.
fn fixed(step: f64) -> HermiteOptions {
    HermiteOptions::default().largest(step).eta(1e6).eta_start(1e6)
}

fn energy(run: &mut Hermite) -> f64 {
    run.energies().unwrap().total()
}

/// The distance of a body from its starting point after one period, and the relative error of the
/// energy.
fn errors_of_orbit(e: f64, steps: u32, iterations: u32) -> [f64; 2] {
    let period = 2.0 * std::f64::consts::PI;
    let options = fixed(period / f64::from(steps)).iterations(iterations);
    let mut run = run(&Device::cpu(), &orbit(e), 0.0, options).unwrap();
    let (begin, before) = (run.motions().unwrap(), energy(&mut run));
    (0..steps).try_for_each(|_| run.advance()).unwrap();
    let (end, after) = (run.motions().unwrap(), energy(&mut run));
    [(end[0].pos - begin[0].pos).norm(), ((after - before) / before).abs()]
}

#[test]
fn errors_fall_with_the_fourth_power_of_the_step() {
    for (e, steps, iterations) in [(0.0, 400, 2), (0.5, 400, 2), (0.9, 4000, 3)] {
        let errors = [1, 2, 4].map(|times| errors_of_orbit(e, times * steps, iterations)[0]);
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((14.0..18.0).contains(&ratio), "e = {e}: {errors:?}");
        }
    }
}

#[test]
fn three_iterations_of_a_circular_binary_have_no_drift() {
    let [_, once] = errors_of_orbit(0.0, 100, 1);
    let [_, thrice] = errors_of_orbit(0.0, 100, 3);
    assert!(thrice < 1e-3 * once, "{once:e} {thrice:e}");
}

fn cluster(n: usize) -> Vec<Body> {
    let particles = plummer(n, 1).unwrap().particles;
    let body = |it: &Particle| Body { pos: it.pos.into(), vel: it.vel.into(), mass: it.mass };
    particles.iter().map(body).collect()
}

#[test]
fn energies_of_a_cluster_are_conserved() {
    let bodies = cluster(64);
    let error = |eta: f64| {
        let options = HermiteOptions::default().eta(eta).eta_start(0.25 * eta);
        let mut run = run(&Device::cpu(), &bodies, 1.0 / 256.0, options).unwrap();
        let before = energy(&mut run);
        run.advance_to(1.0).unwrap();
        assert_eq!(run.time(), 1.0);
        ((energy(&mut run) - before) / before).abs()
    };
    let (coarse, fine) = (error(0.04), error(0.0025));
    assert!(coarse < 1e-4 && fine < 1e-7 && fine < 0.1 * coarse, "{coarse:e} {fine:e}");
}

#[test]
fn a_run_continues_from_a_checkpoint_to_the_last_bit() {
    let (bodies, options) = (cluster(33), HermiteOptions::default());
    let mut whole = run(&Device::cpu(), &bodies, 1e-4, options).unwrap();
    (0..20).try_for_each(|_| whole.advance()).unwrap();
    let checkpoint = whole.checkpoint().unwrap();
    let engine = AllPairs::with_options(&Device::cpu(), *interaction(), exact()).unwrap();
    let mut rest = Hermite::resume(engine, &bodies, &checkpoint, options).unwrap();
    // Measuring in between changes nothing.
    energy(&mut whole);
    whole.motions_at(whole.time() + 0.5 * whole.step()).unwrap();
    for _ in 0..20 {
        whole.advance().unwrap();
        rest.advance().unwrap();
    }
    let end = whole.checkpoint().unwrap();
    assert_eq!(end, rest.checkpoint().unwrap());
    assert_eq!(rest.steps(), Steps { steps: 20, particle_steps: 20 * 33 });
    let engine = AllPairs::with_options(&Device::cpu(), *interaction(), exact()).unwrap();
    let mut bad = end;
    bad.stars[1].vel.y = f64::NAN;
    let error = Hermite::resume(engine, &bodies, &bad, options).unwrap_err();
    assert!(matches!(error, Error::NotFinite { index: 1, field: "vel", .. }), "{error}");
}

#[test]
fn a_run_advances_to_the_last_step_before_a_time_and_predicts() {
    let mut run = run(&Device::cpu(), &orbit(0.0), 0.0, fixed(0.05)).unwrap();
    run.advance_to(0.99).unwrap();
    assert_eq!(run.steps().steps, 19);
    // The step before ends at 0.9500000000000001.
    run.advance_to(0.95).unwrap();
    assert_eq!(run.steps().steps, 19);
    assert!(run.time() < 0.99 && run.next_time() > 0.99 && run.step() == 0.05);
    let [body, _] = run.motions_at(0.99).unwrap()[..] else { panic!("two bodies") };
    assert!((body.pos.x + 0.5 * f64::cos(0.99)).abs() < 1e-5, "{body:?}");
    let refused = |time| matches!(run.motions_at(time), Err(Error::Outside { .. }));
    assert!(refused(0.9) && refused(1.01) && refused(f64::NAN));
    assert!(matches!(run.advance_to(f64::NAN), Err(Error::TimeNotFinite { .. })));
}

#[test]
fn all_missing_fields_are_named_at_once() {
    let engine = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
    let found = Hermite::new(engine, &orbit(0.0), HermiteOptions::default()).unwrap_err();
    let expected = "`gravity` lacks fields for the integrator: `vel: Vector` of its particles, `jerk: Vector` of \
                    its results; declare them, or take an interaction that has them, such as \
                    `nbody_interactions::hermite::Hermite`";
    assert_eq!(found.to_string(), expected);
}

fn interaction() -> &'static hermite::Hermite {
    &hermite::Hermite { eps2: 1e-4 }
}

#[test]
fn devices_agree_to_the_last_bit() {
    let bodies = cluster(17);
    let end = |device: &Device| {
        let mut run = run(device, &bodies, 1e-4, HermiteOptions::default()).unwrap();
        (0..100).try_for_each(|_| run.advance()).unwrap();
        run.checkpoint().unwrap()
    };
    let expected = end(&Device::cpu());
    let devices = Device::all();
    assert!(devices.len() > 1, "no device beside the CPU");
    for device in devices {
        assert!(end(&device) == expected, "{device}");
    }
}

#[test]
fn bodies_at_one_place_are_named() {
    let mut bodies = cluster(10);
    bodies[7].pos = bodies[3].pos;
    let error = run(&Device::cpu(), &bodies, 0.0, HermiteOptions::default()).unwrap_err();
    let message = error.to_string();
    let expected =
        "particles 3 and 7 are at a distance of 0e0 at time 0, where a step of 0e0 is wanted";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_run_stays_as_it_was_when_a_step_is_too_short() {
    // Two bodies that fall onto each other.
    let body = |x: f64| Body { pos: [x, 0.0, 0.0].into(), vel: [0.0; 3].into(), mass: 0.5 };
    let bodies = [body(-0.25), body(0.25)];
    let mut run = run(&Device::cpu(), &bodies, 0.0, HermiteOptions::default()).unwrap();
    let error = (0..20_000).find_map(|_| run.advance().err()).expect("they meet");
    assert!(matches!(error, Error::Close { first: 0 | 1, second: 0 | 1, .. }), "{error}");
    let (before, steps) = (run.checkpoint().unwrap(), run.steps());
    for _ in 0..3 {
        assert!(matches!(run.advance(), Err(Error::Close { .. })));
        assert!(matches!(run.advance_to(10.0), Err(Error::Close { .. })));
    }
    assert!(run.checkpoint().unwrap() == before && run.steps() == steps);
    // The continued run has no next step, either.
    let engine = AllPairs::with_options(&Device::cpu(), hermite::Hermite { eps2: 0.0 }, exact());
    let options = HermiteOptions::default();
    let mut rest = Hermite::resume(engine.unwrap(), &bodies, &before, options).unwrap();
    assert!(matches!(rest.advance(), Err(Error::Close { first: 0 | 1, second: 0 | 1, .. })));
    assert!(rest.checkpoint().unwrap() == before);
}

#[test]
fn bad_options_are_refused() {
    let bodies = orbit(0.0);
    let message = |options| run(&Device::cpu(), &bodies, 0.0, options).unwrap_err().to_string();
    let options = HermiteOptions::default();
    assert_eq!(message(options.eta(-0.1)), "eta is -0.1, expected a positive number");
    assert_eq!(message(options.largest(f64::NAN)), "largest is NaN, expected a positive number");
    assert_eq!(message(options.iterations(0)), "iterations is 0, expected a positive number");
    let engine = AllPairs::with_options(&Device::cpu(), *interaction(), exact()).unwrap();
    let error = Hermite::new(engine, Start::new(&bodies).begin(f64::INFINITY), options)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "the beginning of the run is inf, expected a finite time");
}

/// A run has no last step: ticks are counted from a later time before they need more than 64 bits.
#[test]
fn a_run_goes_on_for_ever() {
    const LATE: u64 = (1 << 62) - (1 << 41);
    let options = HermiteOptions::default();
    for device in Device::all() {
        let mut early = run(&device, &cluster(9), 1e-4, options).unwrap();
        let mut checkpoint = early.checkpoint().unwrap();
        checkpoint.ticks += LATE;
        let resume = |checkpoint: &_| {
            let engine = AllPairs::with_options(&device, *interaction(), exact()).unwrap();
            Hermite::resume(engine, &cluster(9), checkpoint, options).unwrap()
        };
        let mut late = resume(&checkpoint);
        let shift = late.time();
        assert_eq!(shift, f64::exp2(22.0) * 0.125 - 0.25);
        for step in 0..40 {
            early.advance_to(early.next_time()).unwrap();
            late.advance_to(late.next_time()).unwrap();
            assert!((late.time() - shift - early.time()).abs() < 1e-9, "{device}, {step}");
            if step % 10 == 0 {
                late = resume(&late.checkpoint().unwrap());
            }
        }
        assert!(early.time() > 0.25, "{device}: {}", early.time());
        let [early, late] = [early, late].map(|run| run.checkpoint().unwrap());
        assert!(late.stars == early.stars && late.level == early.level, "{device}");
        assert_eq!(late.ticks, early.ticks - (1 << 41), "{device}");
    }
}

#[test]
fn times_that_f64_cannot_tell_apart_are_refused() {
    let engine = || AllPairs::with_options(&Device::cpu(), *interaction(), exact()).unwrap();
    let bodies = orbit(0.0);
    let options = HermiteOptions::default();
    let error = Hermite::new(engine(), Start::new(&bodies).begin(1e17), options).unwrap_err();
    assert!(matches!(error, Error::Resolution { time: 1e17, step: 0.125 }), "{error}");
    let error = Hermite::new(engine(), &bodies, options.largest(1e-300)).unwrap_err();
    assert!(matches!(error, Error::Resolution { .. }), "{error}");
    let mut run = Hermite::new(engine(), &bodies, options).unwrap();
    let found = run.advance_to(1e300).unwrap_err().to_string();
    assert!(found.starts_with("steps of 1.25e-1 at time 1e300: the next number"), "{found}");
    assert!(matches!(run.advance_to(-1e300), Err(Error::Past { now: 0.0, .. })));
    assert_eq!(run.steps(), Steps::default());
}

#[test]
fn wrong_checkpoints_are_refused() {
    let (bodies, options) = (cluster(5), HermiteOptions::default());
    let mut begun = run(&Device::cpu(), &bodies, 1e-4, options).unwrap();
    (0..5).try_for_each(|_| begun.advance()).unwrap();
    let checkpoint = begun.checkpoint().unwrap();
    let refused = |change: &dyn Fn(&mut HermiteCheckpoint)| {
        let mut changed = checkpoint.clone();
        change(&mut changed);
        let engine = AllPairs::with_options(&Device::cpu(), *interaction(), exact()).unwrap();
        let bodies = &bodies[..changed.stars.len()];
        Hermite::resume(engine, bodies, &changed, options).unwrap_err()
    };
    let error = refused(&|it| it.stars[2].mass = -0.5);
    assert_eq!(error.to_string(), "particle 2 has mass -0.5, expected zero or more");
    assert!(matches!(refused(&|it| it.stars.clear()), Error::NoParticles));
    let error = refused(&|it| it.stars[3].jerk.y = f64::INFINITY);
    assert!(matches!(error, Error::NotFinite { index: 3, field: "jerk", .. }), "{error}");
    for ticks in [u64::MAX, u64::MAX << 40, (1 << 62) + (1 << 40)] {
        assert!(matches!(refused(&|it| it.ticks = ticks), Error::Ticks { .. }));
    }
    assert!(matches!(refused(&|it| it.level = u32::MAX), Error::Time { .. }));
    assert!(matches!(refused(&|it| it.begin = 1e300), Error::Resolution { .. }));
    assert!(matches!(refused(&|it| it.limits.speed = f64::NAN), Error::Option { .. }));
}

#[test]
fn errors_are_printed_as_they_read() {
    let error = Error::NoMotion { field: "vel: Vector" };
    assert_eq!(format!("{error:?}"), error.to_string());
}
