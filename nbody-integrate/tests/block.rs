//! The Hermite integrator with block time steps.

use std::fs;
use std::path::Path;

use nbody::{AllPairs, Device, Math, Opening, Options, Point, Precision, Tree, Vector};
use nbody_integrate::{
    BlockCheckpoint, BlockHermite, Error, Hermite, HermiteOptions, Integrator, Leapfrog, Motion,
    Start, Steps,
};
use nbody_interactions::gravity::Gravity;
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

fn run(device: &Device, bodies: &[Body], options: HermiteOptions) -> BlockHermite {
    BlockHermite::new(engine(device), bodies, options).unwrap()
}

fn options(eta: f64) -> HermiteOptions {
    HermiteOptions::default().eta(eta).eta_start(0.25 * eta)
}

fn energy(run: &mut BlockHermite) -> f64 {
    run.energies().unwrap().total()
}

#[test]
fn energies_of_a_cluster_are_conserved() {
    let bodies = cluster(128);
    let error = |eta: f64| {
        let mut run = run(&Device::cpu(), &bodies, options(eta));
        let before = energy(&mut run);
        run.advance_to(1.0).unwrap();
        assert_eq!(run.time(), 1.0);
        let Steps { steps, particle_steps } = run.steps();
        let particles = particle_steps as f64 / steps as f64;
        assert!(2.0 < particles && particles < 64.0, "{particles} in a block");
        ((energy(&mut run) - before) / before).abs()
    };
    let (coarse, fine) = (error(0.02), error(0.00125));
    assert!(coarse < 1e-4 && fine < 1e-7 && fine < 0.1 * coarse, "{coarse:e} {fine:e}");
}

#[test]
fn energies_at_the_beginning_are_of_all_pairs() {
    // Masses and places differ, so that the order of particles shows.
    let mut bodies = cluster(150);
    for (k, body) in bodies.iter_mut().enumerate() {
        body.mass *= 1.0 + k as f64;
    }
    let pairs = (0..bodies.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let energy_of = |(i, j): (usize, usize)| {
        let [a, b] = [&bodies[i], &bodies[j]];
        -a.mass * b.mass / ((a.pos - b.pos).norm2() + EPS2).sqrt()
    };
    let potential: f64 = pairs.map(energy_of).sum();
    let kinetic: f64 = bodies.iter().map(|it| 0.5 * it.mass * it.vel.norm2()).sum();
    for device in [Device::cpu(), Device::emulator().unwrap()] {
        let mut new = run(&device, &bodies, options(0.02));
        let checkpoint = new.checkpoint().unwrap();
        let mut resumed =
            BlockHermite::resume(engine(&device), &bodies, &checkpoint, options(0.02)).unwrap();
        for (name, run) in [("new", &mut new), ("resumed", &mut resumed)] {
            for _ in 0..2 {
                let found = run.energies().unwrap();
                for (found, expected) in [(found.potential, potential), (found.kinetic, kinetic)] {
                    let error = (found / expected - 1.0).abs();
                    assert!(error < 1e-13, "{name} on {device}: {found} {expected}");
                }
            }
        }
        // Later ones are of the present state.
        new.advance_to(0.5).unwrap();
        resumed.advance_to(0.5).unwrap();
        let [new, resumed] = [new, resumed].map(|mut run| run.energies().unwrap());
        assert_eq!(new, resumed, "{device}");
        assert!((new.kinetic / kinetic - 1.0).abs() > 1e-6, "{device}");
    }
}

#[test]
fn individual_steps_agree_with_shared_ones() {
    let bodies = cluster(32);
    let shared = |eta: f64| {
        let engine = engine(&Device::cpu());
        let mut run = Hermite::new(engine, &bodies, options(eta)).unwrap();
        run.advance_to(0.5).unwrap();
        run.motions().unwrap()
    };
    let block = |eta: f64| {
        let mut run = run(&Device::cpu(), &bodies, options(eta));
        run.advance_to(0.5).unwrap();
        run.motions().unwrap()
    };
    let exact = shared(1e-4);
    let error = |motions: Vec<Motion>| {
        let squares = motions.iter().zip(&exact).map(|(a, b)| (a.pos - b.pos).norm2());
        (squares.sum::<f64>() / 32.0).sqrt()
    };
    // Shared steps are as short as the shortest, and so somewhat more accurate.
    for (eta, of_shared) in [(0.04, 5e-7), (0.02, 1e-7), (0.01, 2e-8)] {
        let errors = [error(block(eta)), error(shared(eta))];
        assert!(errors[1] < of_shared && errors[0] < 4.0 * errors[1], "{eta}: {errors:?}");
    }
    // Both give the same motions.
    let fine = error(block(0.00125));
    assert!(fine < 3e-9, "{fine:e}");
}

/// A light body that circles one of two heavy bodies, which circle each other more slowly.
fn triple() -> Vec<Body> {
    let body = |x: f64, v: f64, mass: f64| Body {
        pos: [x, 0.0, 0.0].into(),
        vel: [0.0, v, 0.0].into(),
        mass,
    };
    let fast = 0.5_f64.sqrt() + (0.5_f64 / 0.05).sqrt();
    vec![body(-0.5, -0.5_f64.sqrt(), 0.5), body(0.5, 0.5_f64.sqrt(), 0.5), body(0.55, fast, 1e-6)]
}

/// Options with which all steps have the largest length.
fn fixed(step: f64, iterations: u32) -> HermiteOptions {
    HermiteOptions::default().largest(step).eta(1e6).eta_start(1e6).iterations(iterations)
}

/// The motions after a time unit of steps of this length, with block steps and with shared steps.
fn at_fixed_steps(steps: u32, iterations: u32) -> [Vec<Motion>; 2] {
    let bodies = triple();
    let options = fixed(1.0 / f64::from(steps), iterations);
    let mut block = run(&Device::cpu(), &bodies, options);
    block.advance_to(1.0).unwrap();
    let engine = engine(&Device::cpu());
    let mut shared = Hermite::new(engine, &bodies, options).unwrap();
    shared.advance_to(1.0).unwrap();
    assert_eq!((block.time(), shared.time()), (1.0, 1.0));
    [block.motions().unwrap(), shared.motions().unwrap()]
}

fn distance(a: &[Motion], b: &[Motion]) -> f64 {
    let distances = a.iter().zip(b).map(|(a, b)| (a.pos - b.pos).norm() + (a.vel - b.vel).norm());
    // The greatest distance; NaN counts as greater than all numbers.
    distances.max_by(f64::total_cmp).expect("bodies")
}

#[test]
fn a_block_of_all_particles_is_corrected_as_often_as_with_shared_steps() {
    for iterations in 1..=3 {
        let [block, shared] = at_fixed_steps(256, iterations);
        let error = distance(&block, &shared);
        assert!(error < 1e-10, "{iterations} iterations: {error:e}");
        // One more iteration makes a difference.
        let [more, _] = at_fixed_steps(256, iterations + 1);
        let change = distance(&block, &more);
        assert!(change > 100.0 * error, "{iterations} iterations: {change:e} {error:e}");
    }
}

#[test]
fn errors_fall_with_the_fourth_power_of_the_step() {
    for iterations in [1, 2, 3] {
        let end = |steps| at_fixed_steps(steps, iterations)[0].clone();
        let [one, two, four] = [2048, 4096, 8192].map(end);
        let ratio = distance(&one, &two) / distance(&two, &four);
        assert!((14.0..18.0).contains(&ratio), "{iterations} iterations: {ratio}");
    }
}

#[test]
fn iterations_do_not_increase_the_error_of_the_energy() {
    let bodies = cluster(64);
    let error = |iterations: u32| {
        let mut run = run(&Device::cpu(), &bodies, options(0.01).iterations(iterations));
        let before = energy(&mut run);
        run.advance_to(1.0).unwrap();
        ((energy(&mut run) - before) / before).abs()
    };
    let [once, twice, thrice] = [1, 2, 3].map(error);
    assert!(once < 1e-6 && twice <= once && thrice <= once, "{once:e} {twice:e} {thrice:e}");
}

#[test]
fn a_run_continues_from_a_checkpoint_to_the_last_bit() {
    continues_to_the_last_bit(options(0.02));
    continues_to_the_last_bit(options(0.02).iterations(3));
}

fn continues_to_the_last_bit(options: HermiteOptions) {
    let bodies = cluster(65);
    let mut whole = run(&Device::cpu(), &bodies, options);
    (0..150).try_for_each(|_| whole.advance()).unwrap();
    let checkpoint = whole.checkpoint().unwrap();
    let device = Device::cpu();
    let mut rest = BlockHermite::resume(engine(&device), &bodies, &checkpoint, options).unwrap();
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
fn wrong_checkpoints_are_refused() {
    let bodies = cluster(9);
    let mut run = run(&Device::cpu(), &bodies, options(0.02));
    run.advance_to(0.1).unwrap();
    let checkpoint = run.checkpoint().unwrap();
    let refused = |change: &dyn Fn(&mut BlockCheckpoint)| {
        let mut changed = checkpoint.clone();
        change(&mut changed);
        let engine = engine(&Device::cpu());
        BlockHermite::resume(engine, &bodies, &changed, options(0.02)).unwrap_err()
    };
    let index_of = |error| match error {
        Error::BlockTime { index, .. } | Error::NotFinite { index, .. } => index,
        error => panic!("{error}"),
    };
    assert_eq!(index_of(refused(&|it| it.stars[3].due += 1)), 3);
    assert_eq!(index_of(refused(&|it| it.stars[4].step += 1)), 4);
    assert_eq!(index_of(refused(&|it| it.stars[5].step = 0)), 5);
    assert_eq!(index_of(refused(&|it| (it.stars[5].time, it.stars[5].due) = (1, 0))), 5);
    for step in [checkpoint.ticks as u32 + 1, 1 << 31] {
        let star = |it: &mut BlockCheckpoint| {
            let star = &mut it.stars[4];
            (star.time, star.step, star.due) = (0, step, step);
        };
        assert_eq!(index_of(refused(&star)), 4);
    }
    let waits = checkpoint.stars.iter().position(|it| it.time < checkpoint.ticks as u32).unwrap();
    let later = refused(&|it| {
        (it.stars[waits].time, it.stars[waits].due) = {
            let star = &it.stars[waits];
            (star.time + 1, star.due + 1)
        }
    });
    assert_eq!(index_of(later), waits);
    assert_eq!(index_of(refused(&|it| it.ticks += 1 << 30)), 0);
    assert_eq!(index_of(refused(&|it| it.stars[6].mass = f64::NAN)), 6);
    let late = refused(&|it| it.ticks = 1 << 63).to_string();
    assert!(late.starts_with("a state at 9223372036854775808 ticks: expected 2⁶²"), "{late}");
    assert!(matches!(refused(&|it| it.ticks = u64::MAX), Error::Ticks { .. }));
    let negative = refused(&|it| it.stars[7].mass = -1.0).to_string();
    assert_eq!(negative, "particle 7 has mass -1, expected zero or more");
    assert_eq!(index_of(refused(&|it| it.stars[2].acc.z = f64::NAN)), 2);
    assert!(matches!(refused(&|it| it.limits.longest = -1.0), Error::Option { .. }));
    let missing = refused(&|it| it.stars.truncate(8)).to_string();
    assert!(missing.starts_with("motions: found 8, expected 9"), "{missing}");
    let begin = refused(&|it| it.begin = f64::NAN).to_string();
    assert_eq!(begin, "the beginning of the run is NaN, expected a finite time");
}

#[test]
fn a_run_advances_to_the_last_step_before_a_time_and_predicts() {
    let mut run = run(&Device::cpu(), &triple(), fixed(0.125, 1));
    run.advance_to(0.3).unwrap();
    assert_eq!((run.time(), run.next_time()), (0.25, 0.375));
    assert_eq!(run.steps(), Steps { steps: 2, particle_steps: 6 });
    assert_eq!(run.time_steps().unwrap(), [0.125; 3]);
    let stars = run.checkpoint().unwrap().stars;
    let moved = |time: f64| (run.motions_at(time).unwrap()[0].pos - stars[0].pos).norm();
    let speed = stars[0].vel.norm();
    assert!(moved(0.25) == 0.0 && (moved(0.3) / (0.05 * speed) - 1.0).abs() < 0.1);
    let refused = |time| matches!(run.motions_at(time), Err(Error::Outside { .. }));
    assert!(refused(0.2) && refused(0.4) && refused(f64::NAN));
    // Times within the next block step need no step.
    for time in [0.25, 0.26, 0.3] {
        run.advance_to(time).unwrap();
    }
    assert!(matches!(run.advance_to(0.24), Err(Error::Past { time: 0.24, now: 0.25 })));
    assert_eq!(run.steps().steps, 2);
    assert!(matches!(run.advance_to(f64::INFINITY), Err(Error::TimeNotFinite { .. })));
}

#[test]
fn each_particle_has_a_time_step_of_its_own() {
    let mut run = run(&Device::cpu(), &triple(), options(0.02));
    run.advance_to(0.25).unwrap();
    let [heavy, other, light] = run.time_steps().unwrap()[..] else { panic!("three bodies") };
    assert!(light < 0.5 * heavy.min(other) && heavy <= 0.125, "{heavy} {other} {light}");
    let exponent = light.log2();
    assert!(exponent == exponent.round(), "{light}");
}

#[test]
fn devices_agree_to_the_last_bit() {
    let bodies = cluster(33);
    for iterations in [1, 2] {
        let end = |device: &Device| {
            let mut run = run(device, &bodies, options(0.02).iterations(iterations));
            (0..100).try_for_each(|_| run.advance()).unwrap();
            let (checkpoint, time) = (run.checkpoint().unwrap(), run.next_time());
            run.wait().unwrap();
            (checkpoint, run.motions_at(time).unwrap(), run.time_steps().unwrap())
        };
        let expected = end(&Device::cpu());
        let devices = Device::all();
        assert!(devices.len() > 1, "no device beside the CPU");
        for device in devices {
            assert!(end(&device) == expected, "{device}, {iterations}");
        }
    }
}

#[test]
fn bodies_at_one_place_are_named() {
    let mut bodies = cluster(10);
    bodies[7].pos = bodies[3].pos;
    let interaction = hermite::Hermite { eps2: 0.0 };
    let engine = AllPairs::with_options(&Device::cpu(), interaction, exact()).unwrap();
    let error = BlockHermite::new(engine, &bodies, options(0.02)).unwrap_err();
    assert!(matches!(error, Error::Close { first: 3, second: 7, distance: 0.0, .. }), "{error}");
}

#[test]
fn a_run_stays_as_it_was_when_a_step_is_too_short() {
    // Two bodies that meet head on, and others.
    let mut bodies = cluster(20);
    for (index, sign) in [(3, 1.0), (7, -1.0)] {
        let (pos, vel) = ([5.0 - 0.25 * sign, 0.0, 0.0].into(), [sign, 0.0, 0.0].into());
        bodies[index] = Body { pos, vel, mass: 1.0 };
    }
    let interaction = hermite::Hermite { eps2: 0.0 };
    let engine = AllPairs::with_options(&Device::cpu(), interaction, exact()).unwrap();
    let mut run = BlockHermite::new(engine, &bodies, options(0.02)).unwrap();
    let error = (0..20_000).find_map(|_| run.advance().err()).expect("they meet");
    assert!(matches!(error, Error::Close { first: 3 | 7, second: 3 | 7, .. }), "{error}");
    let (before, steps) = (run.checkpoint().unwrap(), run.steps());
    for _ in 0..3 {
        assert!(matches!(run.advance(), Err(Error::Close { .. })));
        assert!(matches!(run.advance_to(10.0), Err(Error::Close { .. })));
    }
    assert!(run.checkpoint().unwrap() == before && run.steps() == steps);
}

#[nbody::interaction]
mod silent {
    pub struct Silent {
        pub eps2: Real,
    }
    pub struct Star {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
        pub jerk: Vector,
    }
    impl Interaction for Silent {
        type I = Star;
        type J = Star;
        type F = Field;
        fn pair(&self, i: &Star, j: &Star, f: &mut Field) {
            let d = j.pos - i.pos;
            let v = j.vel - i.vel;
            let r2 = d.norm2() + self.eps2;
            let m = j.mass / (r2 * r2.sqrt());
            f.acc += m * d;
            f.jerk += m * (v - 3.0 * d.dot(v) / r2 * d);
        }
    }
}

#[test]
fn energies_that_are_refused_change_nothing() {
    let star = |it: &Body| silent::Star { pos: it.pos, vel: it.vel, mass: it.mass };
    let stars: Vec<_> = cluster(33).iter().map(star).collect();
    let [asked, not] = [true, false].map(|asks| {
        let interaction = silent::Silent { eps2: EPS2 };
        let engine = AllPairs::with_options(&Device::cpu(), interaction, exact()).unwrap();
        let mut run = BlockHermite::new(engine, &stars, options(0.02)).unwrap();
        for _ in 0..30 {
            if asks {
                let refused = run.energies();
                let Err(Error::MissingFields { results, .. }) = refused else {
                    panic!("{refused:?}")
                };
                assert_eq!(*results, ["pot: Real"]);
            }
            run.advance().unwrap();
        }
        run.checkpoint().unwrap()
    });
    assert!(asked == not);
}

/// A run has no last step: ticks are counted from a later time before they need more than 64 bits.
#[test]
fn a_run_goes_on_for_ever() {
    const LATE: u64 = (1 << 62) - (1 << 32);
    let bodies = cluster(9);
    let options = options(0.02);
    for device in Device::all() {
        let mut early = run(&device, &bodies, options);
        early.advance_to(0.3).unwrap();
        let mut checkpoint = early.checkpoint().unwrap();
        checkpoint.ticks += LATE;
        let resume = |checkpoint: &_| {
            BlockHermite::resume(engine(&device), &bodies, checkpoint, options).unwrap()
        };
        let mut late = resume(&checkpoint);
        let shift = late.time() - early.time();
        while early.time() < 0.6 {
            early.advance_to(early.next_time()).unwrap();
            late.advance_to(late.next_time()).unwrap();
            assert!((late.time() - shift - early.time()).abs() < 1e-9, "{device}");
            if early.steps().steps.is_multiple_of(50) {
                late = resume(&late.checkpoint().unwrap());
            }
        }
        let [early, late] = [early, late].map(|run| run.checkpoint().unwrap());
        assert!(late.stars == early.stars, "{device}");
        assert_eq!(late.ticks, early.ticks - (1 << 32), "{device}");
    }
}

#[test]
fn times_that_f64_cannot_tell_apart_are_refused() {
    let bodies = cluster(9);
    let error =
        BlockHermite::new(engine(&Device::cpu()), Start::new(&bodies).begin(-1e20), options(0.02));
    assert!(matches!(error.unwrap_err(), Error::Resolution { .. }));
    let mut run = run(&Device::cpu(), &bodies, options(0.02));
    assert!(matches!(run.advance_to(f64::MAX), Err(Error::Resolution { .. })));
    assert_eq!(run.steps(), Steps::default());
}

/// Trees with a relative opening would compare with results of other stars.
#[test]
fn engines_that_remember_are_refused() {
    let bodies = [-1.0, 1.0].map(|x| Body {
        pos: Point::new(x, 0.0, 0.0),
        vel: Vector::new(0.0, 0.5 * x, 0.0),
        mass: 1.0,
    });
    let law = hermite::Hermite { eps2: 0.01 };
    let start = |opening| {
        let tree = Tree::new(&Device::cpu(), law, opening).unwrap();
        BlockHermite::new(tree, &bodies, HermiteOptions::default())
    };
    let mut by_tree = start(Opening::theta(0.5)).unwrap();
    by_tree.advance_to(0.125).unwrap();
    let refused = Tree::new(&Device::cpu(), law, Opening::relative(0.01))
        .map(|tree| BlockHermite::new(tree, &bodies, HermiteOptions::default()).map(drop));
    if let Ok(refused) = refused {
        assert!(matches!(refused, Err(Error::NoBlockSteps)), "{refused:?}");
    }
}

fn motions(bodies: &[Body]) -> Vec<Motion> {
    bodies.iter().map(|it| Motion { pos: it.pos, vel: it.vel, mass: it.mass }).collect()
}

/// Returns the number of programs in a cache.
fn programs(cache: &Path) -> usize {
    let names = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".cu")).count()
}

#[test]
fn steps_compile_nothing() {
    let cache = tempfile::tempdir().unwrap();
    let device = Device::emulator().unwrap().with_cache_dir(cache.path());
    let (stars, motions) = (cluster(600), motions(&cluster(600)));
    let law = hermite::Hermite { eps2: EPS2 };
    let engine = || AllPairs::new(&device, law).unwrap();
    let options = options(0.02).iterations(2);
    let check = |what: &str, begin: &dyn Fn() -> Box<dyn Integrator>| {
        let before = programs(cache.path());
        let mut run = begin();
        run.energies().unwrap();
        let begun = programs(cache.path());
        assert!(begun > before, "{what}");
        (0..40).for_each(|_| run.advance().unwrap());
        run.energies().unwrap();
        assert_eq!(programs(cache.path()), begun, "{what}");
    };
    check("block", &|| Box::new(BlockHermite::new(engine(), &stars, options).unwrap()));
    check("shared", &|| Box::new(Hermite::new(engine(), &stars, options).unwrap()));
    let gravity = Gravity { eps2: EPS2 };
    check("leapfrog", &|| {
        let engine = AllPairs::new(&device, gravity).unwrap();
        Box::new(Leapfrog::new(engine, &motions, 0.01).unwrap())
    });
    check("tree", &|| {
        let engine = Tree::new(&device, gravity, Opening::theta(0.6)).unwrap();
        Box::new(Leapfrog::new(engine, &motions, 0.01).unwrap())
    });
}
