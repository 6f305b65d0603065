//! The Hermite integrator with block time steps.

use nbody::{AllPairs, Device, Math, Options, Precision};
use nbody_integrate::{BlockHermite, Error, Hermite, HermiteOptions, Motion};
use nbody_interactions::hermite::{self, Body};
use nbody_models::{Particle, plummer};

const EPS2: f64 = 1e-4;

fn exact() -> Options {
    Options::default().precision(Precision::Double).math(Math::Exact)
}

fn cluster(n: usize) -> Vec<Body> {
    let particles = plummer(n, 1).unwrap().particles;
    let body = |it: &Particle| Body { pos: it.pos.into(), vel: it.vel.into(), mass: it.mass };
    particles.iter().map(body).collect()
}

fn engine(device: &Device) -> AllPairs<hermite::Hermite> {
    AllPairs::with_options(device, hermite::Hermite { eps2: EPS2 }, exact()).unwrap()
}

fn run(
    device: &Device,
    bodies: &[Body],
    options: HermiteOptions,
) -> BlockHermite<hermite::Hermite> {
    let motions = Motion::of("hermite", bodies).unwrap();
    BlockHermite::new(engine(device), bodies, &motions, 0.0, options).unwrap()
}

fn options(eta: f64) -> HermiteOptions {
    HermiteOptions::default().eta(eta).eta_start(0.25 * eta)
}

fn energy(run: &mut BlockHermite<hermite::Hermite>) -> f64 {
    let energies = run.energies().unwrap();
    energies.kinetic + energies.potential
}

#[test]
fn energies_of_a_cluster_are_conserved() {
    let bodies = cluster(128);
    let error = |eta: f64| {
        let mut run = run(&Device::cpu(), &bodies, options(eta));
        let before = energy(&mut run);
        run.advance_to(1.0).unwrap();
        assert_eq!(run.time(), 1.0);
        let [steps, advanced] = run.steps();
        assert!(advanced > 2 * steps && advanced < 64 * steps, "{advanced} in {steps}");
        ((energy(&mut run) - before) / before).abs()
    };
    let (coarse, fine) = (error(0.02), error(0.00125));
    assert!(coarse < 1e-4 && fine < 1e-7 && fine < 0.1 * coarse, "{coarse:e} {fine:e}");
}

#[test]
fn individual_steps_agree_with_shared_ones() {
    let bodies = cluster(32);
    let motions = Motion::of("hermite", &bodies).unwrap();
    let end = |eta: f64| {
        let mut block = run(&Device::cpu(), &bodies, options(eta));
        block.advance_to(0.25).unwrap();
        let engine = engine(&Device::cpu());
        let mut shared = Hermite::new(engine, &bodies, &motions, 0.0, options(eta)).unwrap();
        shared.advance_to(0.25).unwrap();
        let (block, shared) = (block.motions().unwrap(), shared.motions().unwrap());
        let errors = block.iter().zip(&shared).map(|(a, b)| (a.pos - b.pos).norm());
        errors.fold(0.0, f64::max)
    };
    let (coarse, fine) = (end(0.02), end(0.00125));
    assert!(coarse < 1e-4 && fine < 1e-7, "{coarse:e} {fine:e}");
}

#[test]
fn a_run_continues_from_a_checkpoint_to_the_last_bit() {
    let bodies = cluster(65);
    let mut whole = run(&Device::cpu(), &bodies, options(0.02));
    (0..150).try_for_each(|_| whole.advance()).unwrap();
    let checkpoint = whole.checkpoint().unwrap();
    let device = Device::cpu();
    let mut rest =
        BlockHermite::resume(engine(&device), &bodies, &checkpoint, options(0.02)).unwrap();
    // Measuring in between changes nothing.
    energy(&mut whole);
    whole.motions_at(0.5 * (whole.time() + whole.next_time())).unwrap();
    for _ in 0..150 {
        whole.advance().unwrap();
        rest.advance().unwrap();
    }
    let [whole, rest] = [whole, rest].map(|run| run.checkpoint().unwrap());
    assert_eq!(whole, rest);
}

#[test]
fn devices_agree_to_the_last_bit() {
    let Ok(emulator) = Device::emulator() else { return };
    let bodies = cluster(33);
    let end = |device: &Device| {
        let mut run = run(device, &bodies, options(0.02));
        (0..100).try_for_each(|_| run.advance()).unwrap();
        run.checkpoint().unwrap()
    };
    assert_eq!(end(&emulator), end(&Device::cpu()));
}

#[test]
fn bodies_at_one_place_are_named() {
    let mut bodies = cluster(10);
    bodies[7].pos = bodies[3].pos;
    let motions = Motion::of("hermite", &bodies).unwrap();
    let interaction = hermite::Hermite { eps2: 0.0 };
    let engine = AllPairs::with_options(&Device::cpu(), interaction, exact()).unwrap();
    let error = BlockHermite::new(engine, &bodies, &motions, 0.0, options(0.02)).unwrap_err();
    assert!(matches!(error, Error::Close { first: 3, second: 7, distance: 0.0, .. }), "{error}");
}
