//! Evaluations over neighbour lists without a preceding update: on every device their results are
//! right, or they are refused and the results stay.

use nbody::law::Record;
use nbody::lists::HasCutoff;
use nbody::prelude::*;
use nbody::{Error, Interaction, Particles, PerParticle, Results, Sequence, Skin, Store, Update};
use nbody_tests::contacts::contact::{Ball, Either, Near, Uniform};
use nbody_tests::contacts::{Random, UNIT};
use programs::{ByMass, ByReach, Dot, Dots, Grow, Pebble, Shift, Weigh, Wide};

const N: usize = 200;
const UNIFORM: Uniform = Uniform { cutoff: 0.25 };
const EITHER: Either = Either { factor: 2.0 };
const SKIN: f64 = 128.0 * UNIT;

/// Programs that change one field of each ball, and a record with the fields of balls and more.
#[nbody::interaction]
mod programs {
    pub struct Ball {
        pub pos: Point,
        pub h: Real,
        pub mass: Real,
    }

    pub struct Pebble {
        pub mass: Real,
        pub vel: Vector,
        pub h: Real,
        pub pos: Point,
    }

    pub struct Shift {
        pub by: Vector,
    }

    pub struct Grow {
        pub by: Real,
    }

    pub struct Weigh {
        pub by: Real,
    }

    pub struct Push {
        pub by: Vector,
    }

    /// A particle that has a position alone.
    pub struct Dot {
        pub pos: Point,
    }

    pub struct Dots {
        pub cutoff: Real,
    }

    pub struct Met {
        pub count: Count,
    }

    impl Interaction for Dots {
        type I = Dot;
        type J = Dot;
        type F = Met;
        fn cutoff(&self, _i: &Dot, _j: &Dot) -> Real {
            self.cutoff
        }
        fn pair(&self, _i: &Dot, _j: &Dot, f: &mut Met) {
            f.count += 1;
        }
    }

    /// Particles that have a part of the fields of balls.
    pub struct Wide {
        pub pos: Point,
        pub h: Real,
    }

    pub struct Heavy {
        pub mass: Real,
        pub pos: Point,
    }

    pub struct ByReach;

    pub struct ByMass {
        pub factor: Real,
    }

    impl Interaction for ByReach {
        type I = Wide;
        type J = Wide;
        type F = Met;
        fn cutoff(&self, i: &Wide, j: &Wide) -> Real {
            2.0 * i.h.max(j.h)
        }
        fn pair(&self, _i: &Wide, _j: &Wide, f: &mut Met) {
            f.count += 1;
        }
    }

    impl Interaction for ByMass {
        type I = Heavy;
        type J = Heavy;
        type F = Met;
        fn cutoff(&self, i: &Heavy, j: &Heavy) -> Real {
            self.factor * i.mass.max(j.mass)
        }
        fn pair(&self, _i: &Heavy, _j: &Heavy, f: &mut Met) {
            f.count += 1;
        }
    }

    impl Update for Push {
        type P = Pebble;
        fn update(&self, p: &mut Pebble) {
            p.vel += self.by / p.mass;
        }
    }

    impl Update for Shift {
        type P = Ball;
        fn update(&self, p: &mut Ball) {
            p.pos += self.by;
        }
    }

    impl Update for Grow {
        type P = Ball;
        fn update(&self, p: &mut Ball) {
            p.h += self.by;
        }
    }

    impl Update for Weigh {
        type P = Ball;
        fn update(&self, p: &mut Ball) {
            p.mass += self.by;
        }
    }
}

/// Returns the program that moves each ball along x.
fn shift(x: f64) -> Shift {
    Shift { by: Vector::new(x, 0.0, 0.0) }
}

/// Lists of balls on a device, with the results of an interaction over them.
struct Setup<X: Interaction> {
    device: Device,
    near: Neighbours,
    engine: ShortRange<X>,
    balls: Vec<Ball>,
    particles: Particles<Ball>,
    out: Results<Near>,
}

impl<X: Interaction<I = Ball, J = Ball, F = Near>> Setup<X> {
    fn new(device: &Device, law: X, domain: Domain) -> Self {
        let engine = ShortRange::new(device, law).unwrap();
        let mut near =
            Neighbours::with_options(device, Skin::Length(SKIN), Options::default().domain(domain))
                .unwrap();
        let balls = Random(1).balls(N);
        let particles = near.upload(&balls).unwrap();
        near.update(&particles, &[&engine]).unwrap();
        let out = engine.results(N).unwrap();
        let mut setup = Self { device: device.clone(), near, engine, balls, particles, out };
        setup.is_right(None);
        setup
    }

    fn found(&self) -> Vec<Near> {
        self.out.download::<f64>().unwrap()
    }

    /// Changes the balls of the lists by a program.
    fn change<U: Update>(&mut self, program: U) {
        let mut program = PerParticle::new(&self.device, program).unwrap();
        program.update_by_name(&mut self.particles, ()).unwrap();
        self.balls = self.particles.download().unwrap();
    }

    /// Compares the results with all pairs, for the balls of the lists or for other balls.
    fn is_right(&mut self, others: Option<&Particles<Ball>>) {
        let particles = others.unwrap_or(&self.particles);
        self.engine.evaluate_over(&self.near, particles, &mut self.out).unwrap();
        let balls = particles.download().unwrap();
        self.compare(&balls);
    }

    fn compare(&self, balls: &[Ball]) {
        let options = Options::default().domain(self.near.domain());
        let mut all =
            AllPairs::with_options(&Device::cpu(), self.engine.parameters(), options).unwrap();
        let expected = all.evaluate_self::<f64>(balls).unwrap();
        assert!(self.found() == expected, "{}", self.device);
    }

    /// Checks that evaluations are refused and leave the results unchanged.
    fn refuses<P: Record<Lane = f64>>(&mut self, particles: &Particles<P>, message: &str) {
        let (before, device) = (self.found(), &self.device);
        for store in [Store::Replace, Store::Add, Store::Replace] {
            let j = Sources::Same(particles);
            let done =
                self.engine.evaluate_over_with(&self.near, particles, j, &mut self.out, store);
            let error = done.expect_err(message).to_string();
            assert!(error.starts_with(message), "{device}: {error}");
        }
        assert!(self.found() == before, "{device}: the results have changed");
    }

    fn refuses_own(&mut self, message: &str) {
        let others = self.near.upload::<Ball>(&[]).unwrap();
        let own = std::mem::replace(&mut self.particles, others);
        self.refuses(&own, message);
        self.particles = own;
    }
}

const OLD: &str = "particles have moved by more than half of the skin since the neighbour lists were \
                   updated, or something that their cutoffs depend on has changed; update the lists";

fn domains() -> [Domain; 2] {
    [Domain::Open, Domain::periodic([2.0; 3]).unwrap()]
}

#[test]
fn programs_that_move_particles_or_change_cutoffs_make_lists_old() {
    let devices = nbody_tests::all_devices();
    for (device, domain) in devices.iter().flat_map(|it| domains().map(|domain| (it, domain))) {
        let mut setup = Setup::new(device, EITHER, domain);
        // Within half of the skin, and by the length of a box.
        for by in [32.0 * UNIT, 32.0 * UNIT, -64.0 * UNIT] {
            setup.change(shift(by));
            setup.is_right(None);
        }
        if domain.is_periodic() {
            setup.change(shift(-4.0));
            setup.is_right(None);
        }
        setup.change(shift(65.0 * UNIT));
        setup.refuses_own(OLD);
        setup.near.update(&setup.particles, &[&setup.engine]).unwrap();
        setup.is_right(None);
        setup.change(Grow { by: 0.25 });
        setup.refuses_own(OLD);
        setup.near.update(&setup.particles, &[&setup.engine]).unwrap();
        setup.is_right(None);
        // Sums depend on masses, and lists do not.
        setup.change(Weigh { by: 3.0 });
        setup.is_right(None);
    }
}

#[test]
fn a_cutoff_that_depends_on_no_particle_stays() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut setup = Setup::new(device, UNIFORM, Domain::Open);
        setup.change(Grow { by: 50.0 });
        setup.is_right(None);
        setup.change(shift(1.0));
        setup.refuses_own(OLD);
        setup.change(shift(-1.0));
        setup.is_right(None);
    }
}

#[test]
fn other_buffers_are_looked_at() {
    let devices = nbody_tests::all_devices();
    for (device, domain) in devices.iter().flat_map(|it| domains().map(|domain| (it, domain))) {
        let mut setup = Setup::new(device, EITHER, domain);
        let upload = |setup: &Setup<_>, change: &dyn Fn(&mut [Ball])| {
            let mut balls = setup.balls.clone();
            change(&mut balls);
            setup.near.upload(&balls).unwrap()
        };
        for _ in 0..2 {
            let near = upload(&setup, &|balls| balls[3].pos.y += 63.0 * UNIT);
            setup.is_right(Some(&near));
        }
        let far = upload(&setup, &|balls| balls[130].pos.y += 65.0 * UNIT);
        setup.refuses(&far, OLD);
        let wide = upload(&setup, &|balls| balls[7].h = 50.0);
        setup.refuses(&wide, OLD);
        let reversed = upload(&setup, &|balls| balls.reverse());
        setup.refuses(&reversed, OLD);
        let lost = upload(&setup, &|balls| balls[N - 1].pos.z = f64::NAN);
        setup.refuses(&lost, &format!("particles[{}]", N - 1));
        let lost = upload(&setup, &|balls| balls[5].h = f64::NAN);
        setup.refuses(&lost, OLD);
        setup.is_right(None);
        // The numbers of the last update are still known.
        setup.near.update(&far, &[&setup.engine]).unwrap();
        setup.is_right(Some(&far));
        setup.refuses_own(OLD);
    }
}

/// A box that is smaller by a 64th leaves fewer than 61 units for motion, and growing cutoffs
/// leave less.
#[test]
fn other_buffers_are_looked_at_within_the_margin() {
    const FACTOR: f64 = 1.0 - 1.0 / 64.0;
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut setup = Setup::new(device, EITHER, Domain::periodic([2.0; 3]).unwrap());
        for ball in &mut setup.balls {
            ball.pos = Point(ball.pos.0.map(|x| FACTOR * x));
        }
        setup.near.set_domain(Domain::periodic([2.0 * FACTOR; 3]).unwrap()).unwrap();
        setup.particles = setup.near.upload(&setup.balls).unwrap();
        setup.near.update(&setup.particles, &[&setup.engine]).unwrap();
        setup.is_right(None);
        assert_eq!(setup.near.rebuilds().unwrap(), 1, "{device}");
        let greatest = setup.balls.iter().map(|ball| ball.h).fold(0.0, f64::max);
        for (moved, grown, is_good) in [
            (54.0, 0.0, true),
            (-54.0, 0.0, true),
            (63.0, 0.0, false),
            (0.0, 20.0, true),
            (20.0, 16.0, true),
            (40.0, 16.0, false),
            (0.0, 32.0, false),
        ] {
            let mut balls = setup.balls.clone();
            balls[30].pos.x += moved * UNIT;
            if grown > 0.0 {
                balls[30].h = greatest + grown * UNIT;
            }
            let other = setup.near.upload(&balls).unwrap();
            if is_good { setup.is_right(Some(&other)) } else { setup.refuses(&other, OLD) }
        }
    }
}

/// If records hold nothing but positions, an evaluation uses the positions of the last check only
/// if that check read this buffer.
#[test]
fn positions_alone_are_those_of_the_buffer() {
    let devices = nbody_tests::all_devices();
    let law = Dots { cutoff: 0.25 };
    for (device, domain) in devices.iter().flat_map(|it| domains().map(|domain| (it, domain))) {
        let mut engine = ShortRange::new(device, law).unwrap();
        let mut near =
            Neighbours::with_options(device, Skin::Length(SKIN), Options::default().domain(domain))
                .unwrap();
        let dots: Vec<_> = Random(1).balls(N).iter().map(|ball| Dot { pos: ball.pos }).collect();
        let mut random = Random(2);
        let mut moved = dots.clone();
        for dot in &mut moved {
            for axis in 0..3 {
                dot.pos[axis] += random.around(30);
            }
        }
        let [own, other] = [&dots, &moved].map(|dots| near.upload(dots).unwrap());
        near.update(&own, &[&engine]).unwrap();
        let mut out = engine.results(N).unwrap();
        let both = [&dots, &moved]
            .map(|dots| nbody::check::reference_self(&law, domain, dots, dots).unwrap());
        assert!(both[0] != both[1]);
        for (particles, expected) in [(&own, &both[0]), (&other, &both[1]), (&own, &both[0])] {
            engine.evaluate_over(&near, particles, &mut out).unwrap();
            let found = out.download::<f64>().unwrap();
            assert!(found == *expected, "{device}, {domain:?}");
        }
    }
}

#[test]
fn records_of_other_fields_are_looked_at() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut setup = Setup::new(device, EITHER, Domain::Open);
        let pebbles = |change: &dyn Fn(&mut [Pebble])| {
            let pebble = |it: &Ball| {
                let (vel, &Ball { pos, h, mass }) = (Vector::new(9.0, 7.0, 5.0), it);
                Pebble { mass, vel, h, pos }
            };
            let mut pebbles: Vec<_> = setup.balls.iter().map(pebble).collect();
            change(&mut pebbles);
            setup.near.upload(&pebbles).unwrap()
        };
        let [same, far, wide] = [
            pebbles(&|_| ()),
            pebbles(&|pebbles| pebbles[131].pos.z -= 65.0 * UNIT),
            pebbles(&|pebbles| pebbles[9].h = 50.0),
        ];
        // The CPU learns of other records by an update only.
        if !device.is_cpu() {
            setup.engine.evaluate_over(&setup.near, &same, &mut setup.out).unwrap();
            setup.compare(&setup.balls);
            setup.refuses(&far, OLD);
            setup.refuses(&wide, OLD);
        }
        setup.near.update(&wide, &[&setup.engine]).unwrap();
        setup.engine.evaluate_over(&setup.near, &wide, &mut setup.out).unwrap();
        let mut balls = setup.balls.clone();
        balls[9].h = 50.0;
        setup.compare(&balls);
    }
}

/// Records may lack numbers that other cutoffs of the lists depend on.
#[test]
fn numbers_beside_those_that_records_lack_are_looked_at() {
    for device in &nbody_tests::cuda_devices() {
        let mut engine = ShortRange::new(device, ByReach).unwrap();
        let by_mass = ShortRange::new(device, ByMass { factor: UNIT }).unwrap();
        let mut near = Neighbours::new(device, Skin::Length(SKIN)).unwrap();
        let balls = Random(1).balls(N);
        near.update(&near.upload(&balls).unwrap(), &[&by_mass, &engine]).unwrap();
        let mut wide: Vec<_> = balls.iter().map(|&Ball { pos, h, .. }| Wide { pos, h }).collect();
        let mut out = engine.results(N).unwrap();
        engine.evaluate_over(&near, &near.upload(&wide).unwrap(), &mut out).unwrap();
        let found = out.download::<f64>().unwrap();
        assert_eq!(
            found,
            nbody::check::reference_self(&ByReach, Domain::Open, &wide, &wide).unwrap(),
            "{device}"
        );
        wide[9].h = 50.0;
        let done = engine.evaluate_over(&near, &near.upload(&wide).unwrap(), &mut out);
        assert_eq!(done.unwrap_err().to_string(), OLD, "{device}");
    }
}

#[test]
fn each_of_two_sets_is_looked_at() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut setup = Setup::new(device, EITHER, Domain::Open);
        let mut others = Random(2).balls(150);
        // The j-particles have shorter cutoffs, and bounds of their own.
        for ball in &mut others {
            ball.h /= 4.0;
        }
        let upload = |near: &Neighbours, k: usize, by: f64| {
            let mut balls = others.clone();
            balls[k].pos.x += by;
            near.upload(&balls).unwrap()
        };
        let [j, close, far] =
            [0.0, 60.0 * UNIT, 70.0 * UNIT].map(|by| upload(&setup.near, 149, by));
        let Setup { near, engine, balls, particles: i, out, .. } = &mut setup;
        near.update_with(&*i, Sources::Others(&j), &[&*engine as &dyn HasCutoff]).unwrap();
        let mut evaluate = |j, i: &Particles<Ball>| {
            engine.evaluate_over_with(near, i, Sources::Others(j), out, Store::Replace)
        };
        evaluate(&j, i).unwrap();
        evaluate(&close, i).unwrap();
        evaluate(&j, &near.upload(balls).unwrap()).unwrap();
        let error = evaluate(&far, i).unwrap_err().to_string();
        assert_eq!(error, format!("j-{OLD}"), "{device}");
        let mut moved = balls.clone();
        moved[40].pos.z -= 70.0 * UNIT;
        let moved = near.upload(&moved).unwrap();
        let error =
            engine.evaluate_over_with(near, &moved, Sources::Others(&j), out, Store::Replace);
        assert_eq!(error.unwrap_err().to_string(), format!("i-{OLD}"), "{device}");
        let mut all = AllPairs::new(&Device::cpu(), EITHER).unwrap();
        engine.evaluate_over_with(near, i, Sources::Others(&close), out, Store::Replace).unwrap();
        let expected = all.evaluate::<f64>(balls, &close.download().unwrap()).unwrap();
        assert!(setup.found() == expected, "{device}");
    }
}

#[test]
fn sequences_are_looked_at() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut setup = Setup::new(device, EITHER, Domain::Open);
        let mut sequence = Sequence::new(device);
        let mut shift = PerParticle::new(device, shift(8.0 * UNIT)).unwrap();
        for step in 0..12 {
            let done = sequence.run(|| {
                let particles = &mut setup.particles;
                shift.update_by_name(particles, ())?;
                setup.engine.evaluate_over(&setup.near, particles, &mut setup.out)
            });
            // Half of the skin is 64 units.
            assert_eq!(done.is_ok(), step < 8, "{device}: step {step}: {done:?}");
        }
    }
}

#[test]
fn an_update_that_was_refused_is_not_forgotten() {
    let devices = nbody_tests::all_devices();
    for device in devices.iter().filter(|device| !device.is_cpu()) {
        let mut setup = Setup::new(device, EITHER, Domain::Open);
        let mut balls = setup.balls.clone();
        balls[33].pos.x = f64::INFINITY;
        let lost = setup.near.upload(&balls).unwrap();
        let is_refused = |done: Result<(), Error>| {
            done.is_err_and(|error| error.to_string().starts_with("particles[33]"))
        };
        // The host may learn of the refusal only later.
        let first = setup.near.update(&lost, &[&setup.engine]);
        if first.is_ok() {
            setup.refuses_own("particles[33]");
            assert!(is_refused(setup.near.update(&setup.particles, &[&setup.engine])), "{device}");
        } else {
            assert!(is_refused(first), "{device}");
        }
        setup.refuses(&lost, "particles[33]");
        // The lists are unchanged since the last successful update.
        setup.is_right(None);
    }
}
