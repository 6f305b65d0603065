//! The leapfrog integrator: its order, its symmetry in time, and the bits of all devices.

use nbody::untyped::EngineState;
use nbody::{AllPairs, Device, Domain, Math, Neighbours, Options, Precision, ShortRange, Skin};
use nbody_integrate::{Error, Integrator, Leapfrog, LeapfrogCheckpoint, Motion, Start, Steps};
use nbody_interactions::gravity::{self, Gravity};
use nbody_interactions::lennard_jones::{Atom, LennardJones, ShiftedLennardJones};
use nbody_models::uniform;

fn exact() -> Options {
    Options::default().precision(Precision::Double).math(Math::Exact)
}

/// Two bodies of mass 1/2 at the largest distance 1 + e of an orbit with eccentricity e and period
/// 2 π.
fn orbit(e: f64) -> (Vec<gravity::Body>, Vec<Motion>) {
    let (distance, speed) = (1.0 + e, ((1.0 - e) / (1.0 + e)).sqrt());
    let body =
        |sign: f64| gravity::Body { pos: [sign * 0.5 * distance, 0.0, 0.0].into(), mass: 0.5 };
    let bodies = vec![body(-1.0), body(1.0)];
    let mut motions = Motion::of(&bodies).unwrap();
    for (motion, sign) in motions.iter_mut().zip([-1.0, 1.0]) {
        motion.vel = [0.0, sign * 0.5 * speed, 0.0].into();
    }
    (bodies, motions)
}

fn gravity(device: &Device, e: f64, step: f64) -> Leapfrog {
    let (bodies, motions) = orbit(e);
    let engine = AllPairs::with_options(device, Gravity { eps2: 0.0 }, exact()).unwrap();
    Leapfrog::new(engine, Start::new(&bodies).motions(&motions), step).unwrap()
}

/// The distance of a body from its starting point after one period of a circular orbit.
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
    let energy = run.energies().unwrap().total();
    for _ in 0..1000 {
        run.advance().unwrap();
    }
    let change = (run.energies().unwrap().total() - energy).abs() / energy.abs();
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
fn a_run_continues_from_a_checkpoint_to_the_last_bit() {
    let mut whole = gravity(&Device::cpu(), 0.5, 0.01);
    whole.advance().unwrap();
    whole.set_step(0.007).unwrap();
    (0..50).try_for_each(|_| whole.advance()).unwrap();
    let (bodies, _) = orbit(0.5);
    let engine = AllPairs::with_options(&Device::cpu(), Gravity { eps2: 0.0 }, exact()).unwrap();
    let checkpoint = whole.checkpoint().unwrap();
    let mut rest = Leapfrog::resume(engine, &bodies, &checkpoint, 0.007).unwrap();
    assert_eq!((rest.time(), rest.motions().unwrap()), (whole.time(), whole.motions().unwrap()));
    // Measuring in between changes nothing.
    whole.energies().unwrap();
    whole.motions_at(0.5 * (whole.time() + whole.next_time())).unwrap();
    for _ in 0..50 {
        whole.advance().unwrap();
        rest.advance().unwrap();
    }
    assert_eq!(whole.checkpoint().unwrap(), rest.checkpoint().unwrap());
    assert_eq!((whole.time(), whole.steps().steps), (rest.time(), 101));
    assert_eq!(rest.steps(), Steps { steps: 50, particle_steps: 100 });
}

#[test]
fn a_run_advances_to_the_last_step_before_a_time_and_predicts() {
    for step in [0.1, -0.1] {
        let mut run = gravity(&Device::cpu(), 0.0, step);
        // 3 · 0.1 is more than 0.3 in f64.
        run.advance_to(3.0 * step).unwrap();
        assert_eq!((run.steps().steps, run.time()), (3, 3.0 * step));
        run.advance_to(3.0 * step).unwrap();
        let past = run.advance_to(-step).unwrap_err();
        assert!(matches!(past, Error::Past { time, .. } if time == -step), "{past}");
        let end = if step > 0.0 { "or later" } else { "or earlier" };
        assert!(past.to_string().ends_with(end), "{past}");
        let gone = run.motions_at(2.5 * step).unwrap_err().to_string();
        assert!(gone.contains("past motions are gone"), "{gone}");
        run.advance_to(3.99 * step).unwrap();
        assert_eq!((run.steps().steps, run.next_time()), (3, 4.0 * step));
        assert_eq!(run.motions_at(run.time()).unwrap(), run.motions().unwrap());
        for part in [0.0, 0.5, 1.0] {
            let time = (3.0 + part) * step;
            let Motion { pos, vel, .. } = run.motions_at(time).unwrap()[0];
            let (far, fast) = (pos.y + 0.5 * time.sin(), vel.y + 0.5 * time.cos());
            assert!(far.abs() < 1e-3 && fast.abs() < 1e-2, "{part}: {pos:?} {vel:?}");
        }
        // The predicted positions at the end of a step are the positions after the step.
        let predicted = run.motions_at(run.next_time()).unwrap();
        run.advance().unwrap();
        let found = run.motions().unwrap();
        let far = (found[0].pos - predicted[0].pos).norm();
        assert!(far < 1e-15, "{far}");
    }
    let mut run = gravity(&Device::cpu(), 0.0, 0.1);
    for time in [f64::NAN, f64::INFINITY] {
        assert!(matches!(run.advance_to(time), Err(Error::TimeNotFinite { .. })), "{time}");
        assert!(matches!(run.motions_at(time), Err(Error::Outside { .. })), "{time}");
    }
    let found = run.motions_at(0.2).unwrap_err().to_string();
    let expected = "motions at time 0.2, expected a time within the next step, from 0 to 0.1";
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn motions_by_forces_are_predicted_within_the_box() {
    let atoms = [0.1, 1.1].map(|x| Atom { pos: [x, 0.5, 0.5].into(), kind: 0 });
    let law = LennardJones { sigma2: [[1.0; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 2.5 };
    let options = exact().domain(Domain::periodic([10.0; 3]).unwrap());
    let engine = AllPairs::with_options(&Device::cpu(), law, options).unwrap();
    let mut motions = Motion::of(&atoms).unwrap();
    (motions[0].mass, motions[0].vel.x) = (2.0, -30.0);
    let mut run = Leapfrog::new(engine, Start::new(&atoms).motions(&motions), 0.01).unwrap();
    run.set_wrap(true).unwrap();
    let predicted = run.motions_at(0.01).unwrap();
    run.advance().unwrap();
    let found = run.motions().unwrap();
    for (predicted, found) in predicted.iter().zip(&found) {
        assert!((predicted.pos - found.pos).norm() < 1e-14, "{predicted:?} {found:?}");
    }
    assert!((9.0..10.0).contains(&found[0].pos.x), "{found:?}");
    // The force at a distance of 1 is 24.
    for (motion, expected) in predicted.iter().zip([-30.0 - 0.12, 0.24]) {
        assert!((motion.vel.x - expected).abs() < 1e-12, "{motion:?} {expected}");
    }
}

#[test]
fn devices_agree_to_the_last_bit() {
    let run = |device: &Device| {
        let mut run = gravity(device, 0.5, 0.01);
        (0..100).try_for_each(|_| run.advance()).unwrap();
        run.motions().unwrap()
    };
    let expected = run(&Device::cpu());
    let devices = Device::all();
    assert!(devices.len() > 1, "no device beside the CPU");
    for device in devices {
        assert!(run(&device) == expected, "{device}");
    }
}

/// Two bodies that circle each other while they move through a box together.
fn in_a_box(device: &Device, motions: Option<&[Motion]>) -> (Leapfrog, Domain) {
    let domain = Domain::periodic([4.0, 3.0, f64::INFINITY]).unwrap();
    let (bodies, mut moving) = orbit(0.2);
    for motion in &mut moving {
        motion.vel += [1.0, -2.0, 1.0].into();
    }
    let options = exact().domain(domain);
    let engine = AllPairs::with_options(device, Gravity { eps2: 0.01 }, options).unwrap();
    let run = Leapfrog::new(engine, Start::new(&bodies).motions(motions.unwrap_or(&moving)), 0.01);
    (run.unwrap(), domain)
}

#[test]
fn positions_stay_in_the_box_if_told_to() {
    let (mut free, domain) = in_a_box(&Device::cpu(), None);
    let (mut inside, _) = in_a_box(&Device::cpu(), None);
    inside.set_wrap(true).unwrap();
    for _ in 0..300 {
        free.advance().unwrap();
        inside.advance().unwrap();
        for (free, inside) in free.motions().unwrap().iter().zip(inside.motions().unwrap()) {
            let [x, y, _] = inside.pos.0;
            assert!((0.0..4.0).contains(&x) && (0.0..3.0).contains(&y), "{inside:?}");
            let (far, fast) = ((domain.wrap(free.pos) - inside.pos).norm(), free.vel - inside.vel);
            assert!(far < 1e-11 && fast.norm() < 1e-11, "{far} {fast:?}");
        }
    }
    let [end, _] = free.motions().unwrap()[..] else { panic!("two bodies") };
    assert!(end.pos.x > 2.0 && end.pos.y < -5.0 && end.pos.z > 2.0, "{end:?}");
    // A run that begins at the wrapped positions gives the same bits.
    let motions = inside.motions().unwrap();
    let (mut rest, _) = in_a_box(&Device::cpu(), Some(&motions));
    rest.set_wrap(true).unwrap();
    for _ in 0..50 {
        inside.advance().unwrap();
        rest.advance().unwrap();
    }
    assert_eq!(inside.motions().unwrap(), rest.motions().unwrap());
    inside.set_wrap(false).unwrap();
    (0..300).try_for_each(|_| inside.advance()).unwrap();
    assert!(inside.motions().unwrap()[0].pos.y < 0.0);
}

#[test]
fn positions_are_not_wrapped_in_open_space() {
    let mut run = gravity(&Device::cpu(), 0.5, 0.01);
    let error = run.set_wrap(true).unwrap_err();
    let expected = "positions cannot be wrapped in open space; give the engine a periodic box before \
                    the run begins";
    assert_eq!(error.to_string(), expected);
    run.set_wrap(false).unwrap();
    run.advance().unwrap();
}

#[test]
fn devices_agree_in_a_box_to_the_last_bit() {
    let run = |device: &Device| {
        let (mut run, _) = in_a_box(device, None);
        run.set_wrap(true).unwrap();
        (0..60).try_for_each(|_| run.advance()).unwrap();
        run.motions().unwrap()
    };
    let expected = run(&Device::cpu());
    let devices = Device::all();
    assert!(devices.len() > 1, "no device beside the CPU");
    for device in devices {
        assert!(run(&device) == expected, "{device}");
    }
}

#[test]
fn bad_input_is_refused() {
    let (bodies, motions) = orbit(0.0);
    let start = |bodies: &[gravity::Body], motions: &[Motion], step| {
        let engine = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
        Leapfrog::new(engine, Start::new(bodies).motions(motions), step).unwrap_err()
    };
    let message = |error: Error| error.to_string();
    let engine = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
    let found = message(Leapfrog::new(engine, &bodies, 0.1).unwrap_err());
    let expected = "the particles have no field `vel: Vector`; give particles that have it, or";
    assert!(found.starts_with(expected), "{found}");
    assert!(matches!(start(&bodies, &motions, 0.0), Error::Step { step: 0.0 }));
    assert!(matches!(start(&bodies, &motions, f64::NAN), Error::Step { .. }));
    let engine = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
    let error = Leapfrog::new(engine, Start::new(&bodies).motions(&motions).begin(f64::NAN), 0.1)
        .unwrap_err();
    assert_eq!(message(error), "the beginning of the run is NaN, expected a finite time");
    let found = message(start(&bodies, &motions[..1], 0.1));
    assert!(found.starts_with("motions: found 1, expected 2"), "{found}");
    let mut wrong = motions.clone();
    wrong[1].vel[2] = f64::INFINITY;
    let found = message(start(&bodies, &wrong, 0.1));
    assert_eq!(found, "particle 1 has vel inf, expected a finite number");
    let mut wrong = motions.clone();
    wrong[0].pos[1] = f64::NAN;
    assert!(matches!(start(&bodies, &wrong, 0.1), Error::NotFinite { index: 0, field: "pos", .. }));
}

#[test]
fn masses_that_forces_are_divided_by_are_positive() {
    let atoms = [0.0, 1.5].map(|x| Atom { pos: [x, 0.0, 0.0].into(), kind: 0 });
    let start = |mass: f64| {
        let law = LennardJones { sigma2: [[1.0; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 2.5 };
        let engine = AllPairs::with_options(&Device::cpu(), law, exact()).unwrap();
        let mut motions = Motion::of(&atoms).unwrap();
        motions[1].mass = mass;
        Leapfrog::new(engine, Start::new(&atoms).motions(&motions), 0.01).map(drop)
    };
    start(1e-3).unwrap();
    for mass in [0.0, -0.0, -1.0] {
        let found = start(mass).unwrap_err().to_string();
        let expected = format!(
            "particle 1 has mass {mass}; forces are divided by it, so that it must be positive"
        );
        assert_eq!(found, expected);
    }
    assert!(matches!(start(f64::NAN), Err(Error::NotFinite { index: 1, field: "mass", .. })));
    // Accelerations are not divided by masses.
    let (bodies, mut motions) = orbit(0.0);
    motions[1].mass = 0.0;
    let engine = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
    Leapfrog::new(engine, Start::new(&bodies).motions(&motions), 0.1).unwrap();
}

/// A run over neighbour lists, which are rebuilt on the way, equals the run over all pairs.
#[test]
fn lists_give_the_motion_of_all_pairs() {
    let law = ShiftedLennardJones { sigma2: [[1.0; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 2.0 };
    let domain = Domain::periodic([6.0; 3]).unwrap();
    let options = Options::default().precision(Precision::Double);
    let place = |k: usize| [k % 5, k / 5 % 5, k / 25].map(|k| 1.2 * k as f64).into();
    let atoms: Vec<_> = (0..125).map(|k| Atom { pos: place(k), kind: 0 }).collect();
    let speeds = uniform::<Motion>(125, 3);
    let motion = |(k, speed): (usize, &Motion)| Motion { pos: place(k), vel: speed.vel, mass: 1.0 };
    let motions: Vec<_> = speeds.iter().enumerate().map(motion).collect();
    let device = Device::cpu();
    let all = AllPairs::with_options(&device, law, options.domain(domain)).unwrap();
    let mut all = Leapfrog::new(all, Start::new(&atoms).motions(&motions), 0.005).unwrap();
    let options = Options::default().precision(Precision::Double).domain(domain);
    let near = Neighbours::with_options(&device, Skin::Auto, options).unwrap();
    let engine = ShortRange::with_options(&device, law, options).unwrap();
    let mut near =
        Leapfrog::new(engine.with_lists(near), Start::new(&atoms).motions(&motions), 0.005)
            .unwrap();
    for _ in 0..100 {
        all.advance().unwrap();
        near.advance().unwrap();
    }
    for (a, b) in all.motions().unwrap().iter().zip(near.motions().unwrap()) {
        assert!((a.pos - b.pos).norm2() < 1e-18, "{a:?} {b:?}");
    }
    let [a, b] = [all.energies().unwrap().total(), near.energies().unwrap().total()];
    assert!((a / b - 1.0).abs() < 1e-10, "{a} {b}");
}

#[test]
fn wrong_checkpoints_are_refused() {
    let mut run = gravity(&Device::cpu(), 0.5, 0.01);
    run.advance().unwrap();
    let checkpoint = run.checkpoint().unwrap();
    let refused = |change: &dyn Fn(&mut LeapfrogCheckpoint)| {
        let mut changed = checkpoint.clone();
        change(&mut changed);
        let engine = AllPairs::with_options(&Device::cpu(), Gravity { eps2: 0.0 }, exact());
        let (bodies, _) = orbit(0.5);
        let bodies = &bodies[..changed.motions.len()];
        Leapfrog::resume(engine.unwrap(), bodies, &changed, 0.01).unwrap_err()
    };
    let negative = refused(&|it| it.motions[1].mass = -1e-300);
    assert!(matches!(negative, Error::NegativeMass { index: 1, .. }), "{negative}");
    assert!(matches!(refused(&|it| it.motions.clear()), Error::NoParticles));
    for steps in [u64::MAX, (1 << 53) + 1] {
        assert!(matches!(refused(&|it| it.steps = steps), Error::TooManySteps { .. }));
    }
    assert!(matches!(refused(&|it| it.begin = 1e300), Error::Resolution { .. }));
    assert!(matches!(refused(&|it| it.begin = f64::NAN), Error::TimeNotFinite { .. }));
}

/// The last steps with distinct times, and their end.
#[test]
fn times_that_f64_cannot_tell_apart_are_refused() {
    let resume = |steps: u64| {
        let engine = AllPairs::with_options(&Device::cpu(), Gravity { eps2: 0.0 }, exact());
        let (bodies, motions) = orbit(0.5);
        let checkpoint =
            LeapfrogCheckpoint { begin: 0.0, steps, motions, engine: EngineState::Nothing };
        Leapfrog::resume(engine.unwrap(), &bodies, &checkpoint, 1.0 / 128.0)
    };
    let mut run = resume((1 << 53) - 2).unwrap();
    run.advance().unwrap();
    let time = run.time();
    run.advance().unwrap();
    assert!(run.time() > time);
    assert!(matches!(run.advance(), Err(Error::Resolution { .. })));
    assert_eq!(run.steps().steps, 2);
    assert!(matches!(resume(1 << 53), Err(Error::Resolution { .. })));
    let mut run = gravity(&Device::cpu(), 0.5, 0.01);
    assert!(matches!(run.advance_to(1e30), Err(Error::Resolution { .. })));
    assert!(matches!(run.set_step(1e-320), Ok(())));
    run.advance().unwrap();
    assert!(matches!(run.advance_to(1.0), Err(Error::Resolution { .. })));
}

/// Gravity of sources of another type.
#[nbody::interaction]
mod pull {
    pub struct Pull {
        pub eps2: Real,
    }
    pub struct Target {
        pub pos: Point,
    }
    pub struct Source {
        pub mass: Real,
        pub pos: Point,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Pull {
        type I = Target;
        type J = Source;
        type F = Field;
        fn pair(&self, i: &Target, j: &Source, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }
}

/// Returns the motions after some steps.
fn after_steps(run: Result<Leapfrog, Error>) -> Vec<Motion> {
    let mut run = run.unwrap();
    (0..50).try_for_each(|_| run.advance()).unwrap();
    run.motions().unwrap()
}

#[test]
fn particles_have_the_fields_of_the_interaction_by_name() {
    let (bodies, motions) = orbit(0.3);
    let device = Device::cpu();
    let engine = || AllPairs::with_options(&device, Gravity { eps2: 1e-4 }, exact()).unwrap();
    let expected =
        after_steps(Leapfrog::new(engine(), Start::new(&bodies).motions(&motions), 0.01));
    assert_eq!(after_steps(Leapfrog::new(engine(), &motions, 0.01)), expected);
    // Of two types.
    let law = pull::Pull { eps2: 1e-4 };
    let engine = || AllPairs::with_options(&device, law, exact()).unwrap();
    assert_eq!(after_steps(Leapfrog::new(engine(), &motions, 0.01)), expected);
    let targets: Vec<_> = motions.iter().map(|it| pull::Target { pos: it.pos }).collect();
    let source = |it: &Motion| pull::Source { mass: it.mass, pos: it.pos };
    let sources: Vec<_> = motions.iter().map(source).collect();
    let start = Start::new(&targets).motions(&motions);
    assert_eq!(after_steps(Leapfrog::new(engine(), start.sources(&sources), 0.01)), expected);
    let few = Leapfrog::new(engine(), start.sources(&sources[..1]), 0.01).unwrap_err();
    assert!(few.to_string().starts_with("j-particles of one set: found 1, expected 2"), "{few}");
    let lacking = Leapfrog::new(engine(), start, 0.01).unwrap_err().to_string();
    assert!(lacking.contains("needs a field `mass: Real`, found pos: Point"), "{lacking}");
}

#[test]
fn contradictory_starts_are_refused() {
    let (bodies, motions) = orbit(0.3);
    let engine = || AllPairs::new(&Device::cpu(), Gravity { eps2: 1e-4 }).unwrap();
    let twice = Start::new(&motions).sources(&bodies);
    let error = Leapfrog::new(engine(), twice, 0.01).unwrap_err();
    assert!(matches!(error, Error::OneType { .. }), "{error}");
    let run = Leapfrog::new(engine(), &motions, 0.01).unwrap();
    let checkpoint = run.checkpoint().unwrap();
    let start = Start::new(&bodies);
    for start in [start.begin(1.0), start.motions(&motions)] {
        let error = Leapfrog::resume(engine(), start, &checkpoint, 0.01).unwrap_err();
        assert!(matches!(error, Error::Resumed), "{error}");
    }
}
