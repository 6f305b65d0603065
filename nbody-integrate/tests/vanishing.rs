//! Bodies with a vanishing acceleration or jerk: orbits through a centre, bodies at rest, massless
//! bodies and single ones.

use nbody::{AllPairs, Device, Engine, Opening, Options, Point, Precision, Tree};
use nbody_integrate::{
    BlockHermite, Error, Hermite, HermiteOptions, Integrator, Leapfrog, Motion, Start,
};
use nbody_interactions::gravity::{self, Gravity};
use nbody_interactions::hermite::{self, Body};

/// A shared step, or block time steps.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Shared,
    Block,
}
const KINDS: [Kind; 2] = [Kind::Shared, Kind::Block];

fn start(
    kind: Kind,
    (bodies, eps2): (&[Body], f64),
    options: HermiteOptions,
    precision: Precision,
) -> Result<Box<dyn Integrator>, Error> {
    let law = hermite::Hermite { eps2 };
    let engine =
        AllPairs::with_options(&Device::cpu(), law, Options::default().precision(precision))?;
    Ok(match kind {
        Kind::Shared => Box::new(Hermite::new(engine, bodies, options)?),
        Kind::Block => Box::new(BlockHermite::new(engine, bodies, options)?),
    })
}

fn run(kind: Kind, system: (&[Body], f64), eta: f64) -> Box<dyn Integrator> {
    let options = HermiteOptions::default().eta(eta).eta_start(0.25 * eta);
    start(kind, system, options, Precision::Double)
        .unwrap_or_else(|error| panic!("{kind:?}: {error}"))
}

fn body(pos: [f64; 3], vel: [f64; 3], mass: f64) -> Body {
    Body { pos: pos.into(), vel: vel.into(), mass }
}

/// Returns the motions at a time, integrated by leapfrog.
fn leapfrog(bodies: &[Body], until: f64, steps: u32) -> Vec<Motion> {
    let options = Options::default().precision(Precision::Double);
    let engine = AllPairs::with_options(&Device::cpu(), Gravity { eps2: 0.0 }, options).unwrap();
    let step = until / f64::from(steps);
    let mut run = Leapfrog::new(engine, bodies, step).unwrap();
    (0..steps).try_for_each(|_| run.advance()).unwrap();
    run.motions().unwrap()
}

/// Returns the greatest distance of bodies from their expected positions; infinite instead of NaN.
fn error(found: &[Motion], expected: &[Motion]) -> f64 {
    assert!(found.len() == expected.len() && !found.is_empty());
    let far = found.iter().zip(expected).map(|(a, b)| (a.pos - b.pos).norm());
    far.fold(0.0, |most, far| {
        if far <= most {
            most
        } else if far > most {
            far
        } else {
            f64::INFINITY
        }
    })
}

/// Three equal bodies that follow each other along a figure eight; one begins in the middle
/// (Chenciner & Montgomery 2000).
fn eight() -> Vec<Body> {
    let (pos, vel) = ([0.970_004_36, -0.243_087_53], [-0.932_407_37, -0.864_731_46]);
    vec![
        body([pos[0], pos[1], 0.0], [-0.5 * vel[0], -0.5 * vel[1], 0.0], 1.0),
        body([-pos[0], -pos[1], 0.0], [-0.5 * vel[0], -0.5 * vel[1], 0.0], 1.0),
        body([0.0; 3], [vel[0], vel[1], 0.0], 1.0),
    ]
}

#[test]
fn the_figure_eight_closes() {
    const PERIOD: f64 = 6.325_913_98;
    let bodies = eight();
    let begin = Motion::of(&bodies).unwrap();
    for kind in KINDS {
        let mut run = run(kind, (&bodies, 0.0), 1e-3);
        run.advance_to(PERIOD).unwrap();
        let error = error(&run.motions_at(PERIOD).unwrap(), &begin);
        let steps = run.steps();
        // Leapfrog takes more steps for as small an error.
        let of_leapfrog = 9000;
        let by_leapfrog = self::error(&leapfrog(&bodies, PERIOD, of_leapfrog), &begin);
        assert!(by_leapfrog > error, "{kind:?}: {by_leapfrog:e} {error:e}");
        assert!(error < 1e-6, "{kind:?}: {error:e}");
        assert!(steps.particle_steps < 3 * u64::from(of_leapfrog), "{kind:?}: {steps:?}");
    }
}

/// Returns the distance from the origin.
fn radius(place: Point) -> f64 {
    (place - Point::default()).norm()
}

/// A star circled by massless bodies, many of them at the same place.
fn star() -> Vec<Body> {
    let around = |k: u32| {
        let (radius, angle) = (1.0 + f64::from(k / 2) / 500.0, 2.4 * f64::from(k / 2));
        let ((y, x), speed) = (angle.sin_cos(), 1.0 / radius.sqrt());
        body([radius * x, radius * y, 0.0], [-speed * y, speed * x, 0.0], 0.0)
    };
    [body([0.0; 3], [0.0; 3], 1.0)].into_iter().chain((0..1000).map(around)).collect()
}

#[test]
fn massless_bodies_circle_a_star() {
    let bodies = star();
    for precision in [Precision::Double, Precision::Mixed, Precision::Single] {
        for kind in KINDS {
            let options = HermiteOptions::default();
            let mut run = start(kind, (&bodies, 0.0), options, precision).unwrap();
            run.advance_to(1.0).unwrap();
            let motions = run.motions_at(1.0).unwrap();
            assert_eq!(motions[0].pos, bodies[0].pos, "{kind:?}, {precision:?}");
            for (motion, body) in motions.iter().zip(&bodies) {
                let change = radius(motion.pos) - radius(body.pos);
                assert!(change.abs() < 1e-4, "{kind:?}, {precision:?}: {change:e}");
            }
            assert!(run.steps().steps < 300, "{kind:?}, {precision:?}: {:?}", run.steps());
        }
    }
}

/// With a constant step, by all pairs and by trees.
#[test]
fn massless_bodies_circle_a_star_in_constant_steps() {
    let (stars, device) = (star(), Device::cpu());
    let motions = Motion::of(&stars).unwrap();
    let bodies: Vec<_> =
        stars.iter().map(|it| gravity::Body { pos: it.pos, mass: it.mass }).collect();
    let law = || Gravity { eps2: 0.0 };
    for precision in [Precision::Double, Precision::Mixed, Precision::Single] {
        let options = Options::default().precision(precision);
        let tree = |opening| Tree::with_options(&device, law(), opening, options).unwrap();
        let engines: [Box<dyn Engine<_>>; 3] = [
            Box::new(AllPairs::with_options(&device, law(), options).unwrap()),
            Box::new(tree(Opening::theta(0.5))),
            Box::new(tree(Opening::relative(0.01))),
        ];
        for (k, engine) in engines.into_iter().enumerate() {
            let mut run =
                Leapfrog::new(engine, Start::new(&bodies).motions(&motions), 0.01).unwrap();
            run.advance_to(1.0).unwrap();
            for (motion, body) in run.motions().unwrap().iter().zip(&bodies) {
                let change = radius(motion.pos) - radius(body.pos);
                assert!(change.abs() < 1e-4, "engine {k}, {precision:?}: {change:e}");
            }
        }
    }
}

/// Bodies of equal mass at the corners of a regular polygon of radius 1, which rotates or not, and
/// one in the middle.
fn polygon(corners: u32, speed: f64, middle: f64) -> Vec<Body> {
    let corner = |k: u32| {
        let (y, x) = (std::f64::consts::TAU * f64::from(k) / f64::from(corners)).sin_cos();
        body([x, y, 0.0], [-speed * y, speed * x, 0.0], 1.0)
    };
    (0..corners).map(corner).chain([body([0.0; 3], [0.0; 3], middle)]).collect()
}

/// Returns the acceleration of a corner towards the middle.
fn pull(corners: u32, middle: f64) -> f64 {
    let chord = |k: u32| (std::f64::consts::PI * f64::from(k) / f64::from(corners)).sin();
    middle + (1..corners).map(|k| 0.25 / chord(k)).sum::<f64>()
}

#[test]
fn regular_polygons_fall_from_rest() {
    for (corners, middle) in [(3, 0.0), (4, 1.0), (5, 0.0), (6, 0.5), (7, 1e-9)] {
        let bodies = polygon(corners, 0.0, middle);
        // Half of the time to their collision, as on a radial orbit.
        let until = 0.25 * std::f64::consts::PI / (2.0 * pull(corners, middle)).sqrt();
        let expected = leapfrog(&bodies, until, 4000);
        for kind in KINDS {
            let mut run = run(kind, (&bodies, 0.0), 0.01);
            run.advance_to(until).unwrap();
            let error = error(&run.motions_at(until).unwrap(), &expected);
            assert!(error < 1e-5, "{kind:?}, {corners}: {error:e}");
            assert!(run.steps().steps < 200, "{kind:?}, {corners}: {:?}", run.steps());
        }
    }
}

#[test]
fn regular_polygons_turn() {
    for (corners, middle) in [(3, 0.0), (5, 30.0), (6, 100.0)] {
        let speed = pull(corners, middle).sqrt();
        let bodies = polygon(corners, speed, middle);
        let until = 0.5 * std::f64::consts::TAU / speed;
        for precision in [Precision::Double, Precision::Single] {
            for kind in KINDS {
                let options = HermiteOptions::default().largest(0.125 / 8.0);
                let mut run = start(kind, (&bodies, 0.0), options, precision).unwrap();
                run.advance_to(until).unwrap();
                for motion in &run.motions_at(until).unwrap()[..corners as usize] {
                    let radius = motion.pos.0.iter().map(|x| x * x).sum::<f64>().sqrt();
                    assert!((radius - 1.0).abs() < 1e-3, "{kind:?}, {corners}: {motion:?}");
                }
                let steps = run.steps().steps;
                assert!(steps < 400, "{kind:?}, {precision}, {corners}: {steps}");
            }
        }
    }
}

#[test]
fn lattices_fall_from_rest() {
    for edge in [2, 3, 4, 5_u32] {
        let mass = 1.0 / f64::from(edge).powi(3);
        let along = |k: u32| f64::from(k) - 0.5 * f64::from(edge - 1);
        let site = |k: u32| [k % edge, k / edge % edge, k / edge / edge].map(along);
        let bodies: Vec<_> = (0..edge.pow(3)).map(|k| body(site(k), [0.0; 3], mass)).collect();
        let expected = leapfrog(&bodies, 1.0, 500);
        for kind in KINDS {
            let mut run = run(kind, (&bodies, 0.0), 0.02);
            let before = run.energies().unwrap().total();
            run.advance_to(1.0).unwrap();
            let change = run.energies().unwrap().total() / before - 1.0;
            let error = error(&run.motions().unwrap(), &expected);
            assert!(change.abs() < 1e-5 && error < 1e-4, "{kind:?}, {edge}: {change:e} {error:e}");
            assert!(run.steps().steps < 100, "{kind:?}, {edge}: {:?}", run.steps());
        }
    }
}

#[test]
fn bodies_without_forces_move_straight_on() {
    let (still, moving) = ([0.0; 3], [1.0, -2.0, 0.5]);
    let one = body([1.0, 2.0, 3.0], moving, 1.0);
    let massless = |vel| body([1.0, 2.0, 3.0], vel, 0.0);
    let systems = [
        vec![one],
        vec![massless(moving)],
        vec![massless(moving), massless(moving), massless(still)],
        vec![one, body([5.0; 3], moving, 0.0), body([5.0; 3], moving, 0.0)],
        Vec::new(),
    ];
    for (k, bodies) in systems.iter().enumerate() {
        for kind in KINDS {
            let mut run = run(kind, (bodies, 0.0), 0.02);
            run.advance_to(2.0).unwrap();
            let first = bodies.first().map(|it| it.pos + 2.0 * it.vel);
            assert_eq!(run.motions().unwrap().first().map(|it| it.pos), first, "{k}, {kind:?}");
            assert_eq!(run.time(), 2.0);
            assert!(run.steps().steps < 200, "{k}, {kind:?}: {:?}", run.steps());
        }
    }
}

/// Softened bodies that move apart from the same place.
#[test]
fn bodies_part_from_one_place() {
    let bodies = [-0.5, 0.5].map(|speed| body([0.0; 3], [speed, 0.0, 0.0], 0.5));
    for kind in KINDS {
        let mut run = run(kind, (&bodies, 0.01), 0.01);
        let before = run.energies().unwrap().total();
        run.advance_to(1.0).unwrap();
        let change = run.energies().unwrap().total() / before - 1.0;
        assert!(change.abs() < 1e-5, "{kind:?}: {change:e}");
        assert!(run.steps().steps < 700, "{kind:?}: {:?}", run.steps());
    }
}

#[test]
fn a_binary_of_a_short_period_needs_a_smaller_largest_step() {
    let distance = (1e-9 / std::f64::consts::TAU).powf(2.0 / 3.0);
    let speed = (0.25 / distance).sqrt();
    let of = |sign: f64| body([0.5 * sign * distance, 0.0, 0.0], [0.0, sign * speed, 0.0], 0.5);
    let bodies = [of(-1.0), of(1.0)];
    let options = HermiteOptions::default();
    let double = Precision::Double;
    let started = start(Kind::Block, (&bodies, 0.0), options, double).map(drop);
    let found = started.unwrap_err().to_string();
    assert!(found.contains("less than 1.1641532182693481e-10"), "{found}");
    assert!(found.contains("`--largest`"), "{found}");
    for kind in KINDS {
        let options = options.largest(1e-10);
        let mut run = start(kind, (&bodies, 0.0), options, double).unwrap();
        run.advance_to(1e-9).unwrap();
        let error = error(&run.motions_at(1e-9).unwrap(), &Motion::of(&bodies).unwrap());
        assert!(error < 1e-3 * distance, "{kind:?}: {error:e} {distance:e}");
        assert!(run.steps().steps < 700, "{kind:?}: {:?}", run.steps());
    }
}
