//! Neighbour lists while particles move: they stay complete until they are rebuilt, and are
//! rebuilt exactly when necessary.

use nbody::lists::HasCutoff;
use nbody::prelude::*;
use nbody::{Neighbours, ShortRange, Skin};
use nbody_interactions::lennard_jones::{Atom, LennardJones};
use nbody_tests::contacts::contact::{Ball, Either, Gather, Uniform};
use nbody_tests::contacts::{Random, UNIT};
use nbody_tests::ways::difference;

const SKIN: f64 = 128.0 * UNIT;
const UNIFORM: Uniform = Uniform { cutoff: 0.25 };
const GATHER: Gather = Gather { factor: 2.0 };
const EITHER: Either = Either { factor: 2.0 };

fn domains() -> [Domain; 4] {
    let slab = Domain::periodic([2.0, f64::INFINITY, 4.0]).unwrap();
    let vectors = [[2.0, 0.0, 0.0], [-1.0, 2.0, 0.0], [0.75, 0.875, 4.0]];
    let triclinic = Domain::triclinic(vectors).unwrap();
    [Domain::Open, Domain::periodic([2.0; 3]).unwrap(), slab, triclinic]
}

/// Moving balls, their lists, and three interactions over the lists.
struct Motion {
    balls: Vec<Ball>,
    near: Neighbours,
    uniform: ShortRange<Uniform>,
    gather: ShortRange<Gather>,
    either: ShortRange<Either>,
}

impl Motion {
    fn new(balls: Vec<Ball>, domain: Domain, precision: Precision) -> Self {
        let options = Options::default().precision(precision);
        let skin = Skin::Length(SKIN);
        let mut motion = Self {
            balls,
            near: Neighbours::with_options(
                &Device::cpu(),
                skin,
                Options::default().precision(precision).domain(domain),
            )
            .unwrap(),
            uniform: ShortRange::with_options(&Device::cpu(), UNIFORM, options).unwrap(),
            gather: ShortRange::with_options(&Device::cpu(), GATHER, options).unwrap(),
            either: ShortRange::with_options(&Device::cpu(), EITHER, options).unwrap(),
        };
        assert!(motion.step(), "the first update builds the lists");
        motion
    }

    fn in_double(balls: Vec<Ball>, domain: Domain) -> Self {
        Self::new(balls, domain, Precision::Double)
    }

    /// Updates the lists, compares the results of each interaction with all pairs, and returns
    /// whether the lists were rebuilt.
    fn step(&mut self) -> bool {
        let Self { balls, near, uniform, gather, either } = self;
        let before = near.stats().unwrap();
        let particles = near.upload(balls).unwrap();
        let all: [&dyn HasCutoff; 3] = [uniform, gather, either];
        near.update(&particles, &all).unwrap();
        check(balls, near, uniform);
        check(balls, near, gather);
        check(balls, near, either);
        let after = near.stats().unwrap();
        let is_rebuilt = after.rebuilds > before.rebuilds;
        let age = if is_rebuilt { 0 } else { before.age + 1 };
        assert_eq!(after.rebuilds, before.rebuilds + u64::from(is_rebuilt));
        assert_eq!(after.age, age);
        is_rebuilt
    }

    fn x(&mut self, ball: usize) -> &mut f64 {
        &mut self.balls[ball].pos.x
    }
}

/// Compares the results over lists with the results over all pairs, which are exact.
fn check<X>(balls: &[Ball], near: &Neighbours, engine: &mut ShortRange<X>)
where
    X: nbody::Interaction<I = Ball, J = Ball, F = nbody_tests::contacts::contact::Near>,
{
    let particles = near.upload(balls).unwrap();
    let mut out = engine.results(balls.len()).unwrap();
    engine.evaluate_over(near, &particles, &mut out).unwrap();
    let found = out.download::<f64>().unwrap();
    let options = engine.options().domain(near.domain());
    let mut all = AllPairs::with_options(&Device::cpu(), engine.parameters(), options).unwrap();
    let expected = all.evaluate_self::<f64>(balls).unwrap();
    for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(
            found.count == expected.count && (found.mass - expected.mass).abs() < 0.5,
            "{} of particle {k}: {found:?}, expected {expected:?}",
            X::LAW.name
        );
    }
    assert!(expected.iter().any(|near| near.count > 0), "a test without pairs shows nothing");
}

#[test]
fn lists_are_complete_at_any_age_while_particles_move_at_random() {
    let (mut rebuilds, mut kept) = (0, 0);
    for (turn, domain) in domains().into_iter().enumerate() {
        for precision in [Precision::Single, Precision::Mixed, Precision::Double] {
            let mut random = Random(turn as u64 + 1);
            let mut motion = Motion::new(random.balls(200), domain, precision);
            let mut before = motion.balls.clone();
            for step in 0..30 {
                for ball in &mut motion.balls {
                    for axis in 0..3 {
                        ball.pos[axis] += random.around(10);
                    }
                    // Wrap positions into the box now and then, which changes no distance.
                    if step % 5 == 4 {
                        ball.pos = domain.wrap(ball.pos);
                    }
                }
                let both = motion.balls.iter().zip(&before);
                let farthest =
                    both.map(|(ball, before)| difference(ball.pos, before.pos, domain).norm());
                let must = farthest.fold(0.0, f64::max) > SKIN / 2.0;
                assert_eq!(motion.step(), must, "{domain:?} {precision} step {step}");
                if must {
                    before.clone_from(&motion.balls);
                    rebuilds += 1;
                } else {
                    kept += 1;
                }
            }
        }
    }
    assert!(rebuilds > 20 && kept > 100, "{rebuilds} rebuilds, {kept} steps without");
}

/// Two balls among others move by half of the skin each, towards each other, until they meet.
#[test]
fn half_of_the_skin_towards_each_other_misses_no_pair() {
    // At first their distance is a unit less than the reach of the lists, which is the cutoff plus
    // the skin.
    let distance = UNIFORM.cutoff + SKIN - UNIT;
    for domain in domains() {
        for first in [0.125, 1.9375] {
            let mut random = Random(7);
            let mut balls = random.balls(70);
            balls[0].pos = Point::new(first, 0.5, 0.5);
            balls[69].pos = Point::new(first + distance, 0.5, 0.5);
            let mut motion = Motion::in_double(balls, domain);
            for step in 1..=64 {
                *motion.x(0) += UNIT;
                *motion.x(69) -= UNIT;
                assert!(!motion.step(), "step {step}: no particle has left its half of the skin");
            }
            let [a, b] = [0, 69].map(|k| motion.balls[k].pos);
            assert!((b - a).norm() < UNIFORM.cutoff, "they are within the cutoff");
            *motion.x(0) += UNIT;
            assert!(motion.step(), "beyond half of the skin");
        }
    }
}

#[test]
fn one_fast_particle_makes_lists_old() {
    for domain in domains() {
        let mut balls = Random(3).balls(150);
        balls[77].pos.x = 1.0;
        let mut motion = Motion::in_double(balls, domain);
        for to in [1.5, 0.25, 2.0 - UNIT, 1.0] {
            *motion.x(77) = to;
            assert!(motion.step());
            assert!(!motion.step());
        }
    }
}

#[test]
fn all_together_by_more_than_half_of_the_skin() {
    for domain in domains() {
        let mut motion = Motion::in_double(Random(4).balls(150), domain);
        for [by, expected] in [[64.0, 0.0], [1.0, 1.0], [-64.0, 0.0], [300.0, 1.0]] {
            for ball in &mut motion.balls {
                ball.pos.y += by * UNIT;
            }
            assert_eq!(motion.step(), expected > 0.0, "{by} units");
        }
    }
}

#[test]
fn whole_boxes_and_wraps_are_no_motion() {
    let domain = Domain::periodic([2.0; 3]).unwrap();
    let mut balls = Random(5).balls(150);
    balls[0].pos = Point::new(2.0 - UNIT, 1.0, UNIT);
    balls[1].pos = Point::new(UNIT, 1.0, 2.0 - UNIT);
    let mut motion = Motion::in_double(balls, domain);
    // Both balls cross a face of the box, and act through other images.
    motion.balls[0].pos = Point::new(2.0 * UNIT, 1.0, 2.0 - 2.0 * UNIT);
    motion.balls[1].pos = Point::new(2.0 + 8.0 * UNIT, 1.0, -8.0 * UNIT);
    assert!(!motion.step());
    for (k, ball) in motion.balls.iter_mut().enumerate() {
        ball.pos.x += 2.0 * k as f64;
        ball.pos.z -= 4.0;
    }
    assert!(!motion.step());
}

#[test]
fn smoothing_lengths_age_lists_beyond_the_bounds_of_their_group() {
    // One group, with h from 1/16 to 1/8.
    let mut balls = Random(6).balls(32);
    for ball in &mut balls {
        ball.pos = Point(ball.pos.0.map(|x| x / 4.0));
    }
    (balls[3].h, balls[4].h) = (64.0 * UNIT, 128.0 * UNIT);
    let mut motion = Motion::in_double(balls, Domain::Open);
    let mut random = Random(8);
    for _ in 0..10 {
        for k in 5..32 {
            motion.balls[k].h = (64 + random.below(65)) as f64 * UNIT;
        }
        assert!(!motion.step(), "within the bounds");
    }
    // The cutoff is twice as long, and half of the skin has 64 units.
    for (h, must) in [(129.0, false), (63.0, false), (159.0, false), (0.0, false), (161.0, true)] {
        motion.balls[9].h = h * UNIT;
        assert_eq!(motion.step(), must, "{h} units");
        assert!(!motion.step());
    }
    // A negative number is new to the group. From then on, the magnitude may grow by the margin
    // on either side.
    motion.balls[9].h = -UNIT;
    assert!(motion.step());
    motion.balls[9].h = -32.0 * UNIT;
    assert!(!motion.step());
    motion.balls[9].h = -34.0 * UNIT;
    assert!(motion.step());
    motion.balls[9].h = 500.0 * UNIT;
    assert!(motion.step());
    // A constant cutoff does not depend on h.
    let engine = ShortRange::new(&Device::cpu(), UNIFORM).unwrap();
    let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
    for (h, mass) in [(1.0, 2.0), (5.0, 1.0), (f64::NAN, f64::NAN)] {
        (motion.balls[9].h, motion.balls[9].mass) = (h, mass);
        near.update(&near.upload(&motion.balls).unwrap(), &[&engine]).unwrap();
    }
    assert_eq!(near.stats().unwrap().rebuilds, 1);
}

#[test]
fn a_box_that_changes_at_every_step() {
    let mut motion = Motion::in_double(Random(9).balls(150), domains()[1]);
    for step in 1..10 {
        let length = 2.0 + f64::from(step % 4) / 16.0;
        let domain = Domain::periodic([length, 2.0, 2.0 * length]).unwrap();
        let is_new = domain != motion.near.domain();
        motion.near.set_domain(domain).unwrap();
        assert!(is_new);
        for ball in &mut motion.balls {
            ball.pos.x += 1.0 / 8.0;
        }
        assert!(motion.step());
        // Setting the same box changes nothing.
        motion.near.set_domain(domain).unwrap();
        assert!(!motion.step());
    }
}

impl Motion {
    /// Changes the box, and scales the positions with it.
    fn scale(&mut self, factors: [f64; 3]) {
        let Domain::Periodic(lengths) = self.near.domain() else { return };
        let lengths = lengths.to_array();
        let of_axis = |axis: usize| if lengths[axis].is_finite() { factors[axis] } else { 1.0 };
        let factors = [0, 1, 2].map(of_axis);
        let lengths = [0, 1, 2].map(|axis| lengths[axis] * factors[axis]);
        self.near.set_domain(Domain::periodic(lengths).unwrap()).unwrap();
        for ball in &mut self.balls {
            for (axis, factor) in factors.into_iter().enumerate() {
                ball.pos[axis] *= factor;
            }
        }
    }
}

/// Lists reach to 0.375 in a box of length 2, with a skin of 0.125.
#[test]
fn a_box_that_scales_within_the_margin_costs_a_look() {
    for (factor, must) in
        [(0.999, false), (1.001, false), (0.9, false), (0.66, true), (1.18, false), (1.2, true)]
    {
        let mut motion = Motion::in_double(Random(15).balls(150), domains()[1]);
        // Move balls by multiples of the length of the box, which changes nothing.
        for (k, ball) in motion.balls.iter_mut().enumerate() {
            ball.pos.y += 2.0 * (k % 5) as f64;
        }
        motion.scale([factor, 1.0, factor]);
        assert_eq!(motion.step(), must, "{factor}");
    }
    // Change the box alone, without scaling the particles.
    let mut motion = Motion::in_double(Random(15).balls(150), domains()[1]);
    motion.near.set_domain(Domain::periodic([1.9; 3]).unwrap()).unwrap();
    assert!(motion.step());
    // The cutoff of 0.25 is half of this box, which is refused.
    motion.near.set_domain(Domain::periodic([0.5; 3]).unwrap()).unwrap();
    let particles = motion.near.upload(&motion.balls).unwrap();
    assert!(motion.near.update(&particles, &[&motion.uniform]).is_err());
    // Lists are valid only for the box of their last update.
    let mut motion = Motion::in_double(Random(15).balls(150), domains()[1]);
    motion.scale([0.99; 3]);
    let particles = motion.near.upload(&motion.balls).unwrap();
    let mut out = motion.uniform.results(150).unwrap();
    assert!(motion.uniform.evaluate_over(&motion.near, &particles, &mut out).is_err());
    assert!(!motion.step());
}

/// Lists reach to 384 units. A box that is a sixteenth shorter along any axis takes 24 units from
/// the 128 units of the skin.
#[test]
fn a_smaller_box_leaves_less_for_motion() {
    for (axis, moved, must) in
        [(0, 51.5, false), (0, 52.5, true), (0, 60.0, true), (1, 60.0, true), (2, 60.0, true)]
    {
        let mut balls = Random(18).balls(70);
        // The two balls are no pair of the lists, and come within the cutoff after 53 units each.
        (balls[0].pos, balls[69].pos) = (Point([1.0; 3]), Point([1.0; 3]));
        balls[69].pos[axis] += UNIFORM.cutoff + SKIN + UNIT;
        let mut motion = Motion::in_double(balls, domains()[1]);
        let mut factors = [1.0; 3];
        factors[axis] = 15.0 / 16.0;
        motion.scale(factors);
        motion.balls[0].pos[axis] += moved * UNIT;
        motion.balls[69].pos[axis] -= moved * UNIT;
        assert_eq!(motion.step(), must, "{moved} along {axis}");
    }
}

/// Lists with a long reach, in a box that grows by a half: at their former positions, the nearest
/// image of two particles would be another one.
#[test]
fn nearest_images_stay_those_of_the_lists() {
    let options = Options::default().precision(Precision::Double);
    let mut engine = ShortRange::with_options(&Device::cpu(), UNIFORM, options).unwrap();
    let skin = Skin::Length(1.5);
    let mut near = Neighbours::with_options(
        &Device::cpu(),
        skin,
        Options::default().precision(Precision::Double).domain(domains()[1]),
    )
    .unwrap();
    let mut balls = Random(19).balls(40);
    (balls[0].pos, balls[1].pos) = (Point::new(1.90625, 1.0, 1.0), Point::new(1.703_125, 1.0, 1.0));
    near.update(&near.upload(&balls).unwrap(), &[&engine]).unwrap();
    near.set_domain(Domain::periodic([3.0; 3]).unwrap()).unwrap();
    for ball in &mut balls {
        ball.pos = Point(ball.pos.0.map(|x| 1.5 * x));
    }
    balls[0].pos.x += 0.5625;
    balls[1].pos.x += 0.640_625;
    assert!((balls[0].pos - balls[1].pos).norm() < UNIFORM.cutoff);
    near.update(&near.upload(&balls).unwrap(), &[&engine]).unwrap();
    check(&balls, &near, &mut engine);
    assert_eq!(near.stats().unwrap().rebuilds, 2);
}

/// Compares every result with all pairs at each step.
#[test]
fn motion_growth_and_boxes_together_miss_no_pair() {
    let (mut rebuilds, mut steps) = (0, 0);
    for turn in 0..12 {
        let domain = domains()[turn % 3];
        let mut random = Random(turn as u64 + 20);
        let mut motion = Motion::in_double(random.balls(200), domain);
        let [far, wide] = [[8, 24, 64][turn % 3], [4, 16, 64][turn / 3 % 3]];
        for _ in 0..25 {
            for ball in &mut motion.balls {
                for axis in 0..3 {
                    ball.pos[axis] += random.around(far) / 4.0;
                }
                ball.h = (ball.h + random.around(wide) / 4.0).clamp(0.0, 0.2);
            }
            let factors = [0; 3].map(|_| 1.0 + random.around(24));
            motion.scale(factors);
            rebuilds += u32::from(motion.step());
            steps += 1;
        }
    }
    assert!(rebuilds > 10 && rebuilds < steps / 2, "{rebuilds} rebuilds in {steps} steps");
}

/// A barostat that changes the box at every step.
#[test]
fn a_barostat_needs_few_rebuilds() {
    let mut motion = Motion::in_double(Random(16).balls(200), domains()[1]);
    let mut rebuilds = 0;
    for step in 0..40 {
        motion.scale([if step % 20 < 10 { 0.998 } else { 1.0025 }; 3]);
        rebuilds += u32::from(motion.step());
    }
    assert!(rebuilds <= 4, "{rebuilds} rebuilds");
}

#[test]
fn a_constant_cutoff_may_change_within_the_margin() {
    let mut balls = Random(17).balls(200);
    let mut near = Neighbours::with_options(
        &Device::cpu(),
        Skin::Length(SKIN),
        Options::default().domain(domains()[1]),
    )
    .unwrap();
    let engine = |cutoff: f64| ShortRange::new(&Device::cpu(), Uniform { cutoff }).unwrap();
    let each =
        [(0.25, 1), (0.125, 1), (0.3125, 1), (0.25 + SKIN, 1), (0.25 + SKIN + UNIT, 2), (0.3, 2)];
    for (cutoff, rebuilds) in each {
        let (mut engine, particles) = (engine(cutoff), near.upload(&balls).unwrap());
        near.update(&particles, &[&engine]).unwrap();
        check(&balls, &near, &mut engine);
        assert_eq!(near.stats().unwrap().rebuilds, rebuilds, "{cutoff}");
    }
    // Growth of the cutoff uses up margin that motion would need.
    let (grown, mut original) = (engine(0.25 + SKIN + 101.0 * UNIT), engine(0.25 + SKIN + UNIT));
    balls[3].pos.x += 16.0 * UNIT;
    near.update(&near.upload(&balls).unwrap(), &[&original]).unwrap();
    assert_eq!(near.stats().unwrap().rebuilds, 2);
    near.update(&near.upload(&balls).unwrap(), &[&grown]).unwrap();
    assert_eq!(near.stats().unwrap().rebuilds, 3);
    let mut out = original.results(200).unwrap();
    let particles = near.upload(&balls).unwrap();
    assert!(original.evaluate_over(&near, &particles, &mut out).is_err(), "lists of another one");
}

#[test]
fn lists_without_a_skin_are_good_for_one_place() {
    let mut engine = ShortRange::new(&Device::cpu(), UNIFORM).unwrap();
    let mut balls = Random(10).balls(100);
    let mut near = Neighbours::new(&Device::cpu(), Skin::Length(0.0)).unwrap();
    for rebuilds in 1..5 {
        for _ in 0..2 {
            near.update(&near.upload(&balls).unwrap(), &[&engine]).unwrap();
            assert_eq!(near.stats().unwrap().rebuilds, rebuilds);
            check(&balls, &near, &mut engine);
        }
        balls[50].pos.z += UNIT;
    }
}

#[test]
fn lists_are_built_for_the_interactions_that_are_named() {
    let [wide, narrow] =
        [0.25, 0.125].map(|cutoff| ShortRange::new(&Device::cpu(), Uniform { cutoff }).unwrap());
    let either = ShortRange::new(&Device::cpu(), EITHER).unwrap();
    let balls = Random(11).balls(100);
    let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
    let particles = near.upload(&balls).unwrap();
    let each: [(&[&dyn HasCutoff], u64); 7] = [
        (&[&narrow], 1),
        (&[&wide, &narrow], 2),
        (&[&wide], 2),
        (&[&narrow], 2),
        (&[&narrow, &either], 3),
        (&[&narrow], 3),
        (&[&wide], 4),
    ];
    for (turn, (interactions, rebuilds)) in each.into_iter().enumerate() {
        near.update(&particles, interactions).unwrap();
        assert_eq!(near.stats().unwrap().rebuilds, rebuilds, "turn {turn}");
    }
    near.rebuild();
    near.update(&particles, &[&wide]).unwrap();
    assert_eq!(near.stats().unwrap().rebuilds, 5);
}

/// Returns forces at the end of a motion; some atoms come as close as any integrator would let
/// them.
fn history(precision: Precision) -> Vec<u64> {
    let law = LennardJones { sigma2: [[0.0025; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 0.15 };
    let mut engine =
        ShortRange::with_options(&Device::cpu(), law, Options::default().precision(precision))
            .unwrap();
    let domain = Domain::periodic([2.0; 3]).unwrap();
    let skin = Skin::Length(0.05);
    let mut near = Neighbours::with_options(
        &Device::cpu(),
        skin,
        Options::default().precision(precision).domain(domain),
    )
    .unwrap();
    let mut random = Random(12);
    let mut atoms: Vec<_> =
        random.balls(6000).iter().map(|ball| Atom { pos: ball.pos, kind: 0 }).collect();
    let mut out = engine.results(atoms.len()).unwrap();
    let mut bits = Vec::new();
    for _ in 0..4 {
        let particles = near.upload(&atoms).unwrap();
        near.update(&particles, &[&engine]).unwrap();
        engine.evaluate_over(&near, &particles, &mut out).unwrap();
        let forces = out.download::<f64>().unwrap();
        let numbers = forces.iter().flat_map(|it| [it.force.x, it.force.y, it.force.z, it.pot]);
        bits.extend(numbers.map(f64::to_bits));
        for atom in &mut atoms {
            for axis in 0..3 {
                atom.pos[axis] += random.around(1000) / 51200.0 / UNIT;
            }
        }
    }
    bits
}

#[test]
fn the_same_history_gives_the_same_bits_on_any_number_of_threads() {
    for precision in [Precision::Single, Precision::Double] {
        let expected = history(precision);
        assert!(expected == history(precision), "once more");
        for threads in [1, 3, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(expected == pool.install(|| history(precision)), "{threads} threads");
        }
    }
}

/// The skin is limited so that every image is at most one length of the box away.
#[test]
fn a_skin_beyond_the_box_is_shorter() {
    let options = Options::default().precision(Precision::Double);
    let mut engine =
        ShortRange::with_options(&Device::cpu(), Uniform { cutoff: 0.9 }, options).unwrap();
    let domain = Domain::periodic([2.0; 3]).unwrap();
    for skin in [Skin::Auto, Skin::Length(5.0), Skin::Length(1e300)] {
        let mut near = Neighbours::with_options(
            &Device::cpu(),
            skin,
            Options::default().precision(Precision::Double).domain(domain),
        )
        .unwrap();
        let mut balls = Random(13).balls(40);
        // They cross the faces of the box towards each other, and meet.
        (balls[0].pos, balls[1].pos) = (Point::new(1.875, 1.0, 1.0), Point::new(0.125, 1.0, 1.0));
        for _ in 0..40 {
            near.update(&near.upload(&balls).unwrap(), &[&engine]).unwrap();
            check(&balls, &near, &mut engine);
            balls[0].pos.x += 48.0 * UNIT;
            balls[1].pos.x -= 48.0 * UNIT;
        }
        assert!(near.stats().unwrap().rebuilds > 2, "{skin:?}: {:?}", near.stats().unwrap());
    }
}

/// Distances are compared with the magnitude of the cutoff.
#[test]
fn the_sign_of_a_cutoff_does_not_matter() {
    let mut engine = ShortRange::new(&Device::cpu(), Uniform { cutoff: -0.25 }).unwrap();
    for domain in domains() {
        let balls = Random(14).balls(150);
        let mut near =
            Neighbours::with_options(&Device::cpu(), Skin::Auto, Options::default().domain(domain))
                .unwrap();
        near.update(&near.upload(&balls).unwrap(), &[&engine]).unwrap();
        check(&balls, &near, &mut engine);
    }
}
