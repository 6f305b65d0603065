//! Positions, cutoffs and boxes at every power of ten: results are right, or refused in the same way on every
//! device.

use nbody::prelude::*;
use nbody::{Error, Interaction, Skin};
use nbody_interactions::gravity::{Body, Gravity};
use nbody_tests::contacts::contact::{Ball, Either, Near, Uniform};
use nbody_tests::contacts::{Random, UNIT};

/// The length of the box, and a cutoff whose square is between those of distances.
const LENGTH: f64 = 2.0;
const CUTOFF: f64 = 0.26;

/// Returns the powers of ten of a precision in which the cutoff and the box are numbers.
fn powers(precision: Precision) -> std::ops::RangeInclusive<i32> {
    if precision == Precision::Double { -322..=307 } else { -44..=38 }
}

/// Returns a power of ten, a subnormal number, too.
fn ten_to(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap()
}

/// Returns balls whose distances are multiples of 1/64, in these units.
fn balls(unit: f64) -> Vec<Ball> {
    let coarse = |x: f64| (x * 64.0).floor() / 64.0 * unit;
    let mut balls = Random(1).balls(70);
    for ball in &mut balls {
        ball.pos = Point(ball.pos.0.map(coarse));
        ball.h = (0.5 * CUTOFF - 4.0 * UNIT * (ball.mass % 8.0) / 8.0) * unit;
    }
    balls
}

/// The results of a device, or the message of its refusal.
type Found = Result<Vec<Near>, String>;

fn told(found: Result<Vec<Near>, Error>) -> Found {
    found.map_err(|error| {
        // The CPU tells where a particle is that is not at a finite position.
        let message = error.to_string();
        let is_lost = message.ends_with("expected finite coordinates");
        let particle = message.split_inclusive(']').next().unwrap_or_default();
        if is_lost { particle.to_owned() } else { message }
    })
}

/// Checks that devices agree, on what is right or on a refusal. Returns whether it is right.
fn is_right(found: &[Found], expected: &[Near], of: &str) -> bool {
    for other in &found[1..] {
        assert!(*other == found[0], "{of}: {:?}, on the CPU {:?}", first(other), first(&found[0]));
    }
    let Ok(found) = &found[0] else { return false };
    assert!(found == expected, "{of}: {:?}, expected {:?}", found[0], expected[0]);
    true
}

fn first(found: &Found) -> Result<Near, String> {
    found.as_ref().map(|near| near[0]).map_err(Clone::clone)
}

fn cube(length: f64) -> Result<Domain, Error> {
    Ok(Domain::periodic([length; 3])?)
}

/// An interaction at a scale.
type Scaled<X> = fn(f64) -> X;

/// Lists of an interaction at every scale of a precision: those scales at which devices are right.
fn right_lists<X>(
    devices: &[Device],
    precision: Precision,
    is_periodic: bool,
    law: Scaled<X>,
) -> Vec<i32>
where
    X: Interaction<I = Ball, J = Ball, F = Near>,
{
    let domain = if is_periodic { cube(LENGTH).unwrap() } else { Domain::Open };
    let expected = nbody::reference_self(&law(1.0), domain, &balls(1.0), &balls(1.0));
    let options = Options::default().precision(precision);
    let engine = |device| {
        let near = Neighbours::with_precision(device, domain, Skin::Auto, precision).unwrap();
        (ShortRange::with_options(device, law(1.0), options).unwrap(), near)
    };
    let mut engines: Vec<_> = devices.iter().map(engine).collect();
    let right = powers(precision).filter(|&power| {
        let unit = ten_to(power);
        let evaluate = |(engine, near): &mut (ShortRange<X>, Neighbours)| {
            if is_periodic {
                near.set_domain(cube(LENGTH * unit)?)?;
            }
            engine.set_interaction(law(unit));
            let particles = near.upload(&balls(unit))?;
            let mut out = engine.results(particles.len())?;
            near.update(&particles, &[&*engine])?;
            // The device tells of the outcome.
            near.rebuilds()?;
            engine.evaluate_into(near, &particles, &mut out)?;
            engine.download::<f64>(&out)
        };
        let found: Vec<_> = engines.iter_mut().map(|engine| told(evaluate(engine))).collect();
        let of = format!("{} at 1e{power} in {precision}, periodic: {is_periodic}", X::LAW.name);
        is_right(&found, &expected, &of)
    });
    right.collect()
}

#[test]
fn lists_are_right_or_refused_at_every_scale() {
    let devices = nbody_tests::all_devices();
    for &precision in Precision::ALL {
        for is_periodic in [false, true] {
            let uniform: Scaled<Uniform> = |unit| Uniform { cutoff: CUTOFF * unit };
            let either: Scaled<Either> = |_| Either { factor: 2.0 };
            for right in [
                right_lists(&devices, precision, is_periodic, uniform),
                right_lists(&devices, precision, is_periodic, either),
            ] {
                let expected = match precision {
                    Precision::Double => -17..=30,
                    _ if is_periodic => -14..=18,
                    _ => -14..=19,
                };
                assert_eq!(right, expected.collect::<Vec<_>>(), "{precision}");
            }
        }
    }
}

/// Within the skin a cutoff may grow no farther than the precision allows.
#[test]
fn cutoffs_that_grow_beyond_the_precision_are_refused() {
    let devices = nbody_tests::all_devices();
    for (precision, most) in [(Precision::Single, 62), (Precision::Double, 100)] {
        // A share of the greatest cutoff.
        let unit = 0.9375 * 2.0_f64.powi(most) / (0.5 * CUTOFF * 2.0);
        let grown = |device: &Device| {
            let law = Either { factor: 2.0 };
            let options = Options::default().precision(precision);
            let engine = ShortRange::with_options(device, law, options).unwrap();
            let mut near =
                Neighbours::with_precision(device, Domain::Open, Skin::Auto, precision).unwrap();
            [1.0, 1.01, 1.07, 0.5, 1.0].map(|factor| {
                let mut balls = balls(unit);
                for ball in &mut balls {
                    ball.h *= factor;
                }
                let particles = near.upload(&balls).unwrap();
                let updated = near.update(&particles, &[&engine]).and_then(|()| near.rebuilds());
                updated.map_err(|error| error.to_string())
            })
        };
        let found: Vec<_> = devices.iter().map(grown).collect();
        let is_refused = |found: &Result<u64, String>| {
            found.as_ref().is_err_and(|error| error.starts_with("cutoffs of up to "))
        };
        let refused = found[0].each_ref().map(is_refused);
        assert_eq!(refused, [false, false, true, false, false], "{:?}", found[0]);
        assert!(found.iter().all(|it| *it == found[0]), "{found:?}");
    }
}

#[test]
fn all_pairs_in_a_box_are_right_or_refused_at_every_scale() {
    let devices = nbody_tests::all_devices();
    for &precision in Precision::ALL {
        let law = |unit: f64| Uniform { cutoff: CUTOFF * unit };
        let domain = cube(LENGTH).unwrap();
        let expected = nbody::reference_self(&law(1.0), domain, &balls(1.0), &balls(1.0));
        let options = Options::default().precision(precision).domain(domain);
        let engine = |device| AllPairs::with_options(device, law(1.0), options).unwrap();
        let mut engines: Vec<_> = devices.iter().map(engine).collect();
        let right = powers(precision).filter(|&power| {
            let unit = ten_to(power);
            let evaluate = |engine: &mut AllPairs<Uniform>| {
                engine.set_domain(cube(LENGTH * unit)?)?;
                engine.set_interaction(law(unit));
                engine.evaluate_self(&balls(unit))
            };
            let found: Vec<_> = engines.iter_mut().map(|engine| told(evaluate(engine))).collect();
            is_right(&found, &expected, &format!("all pairs at 1e{power} in {precision}"))
        });
        let expected = if precision == Precision::Double { -146..=153 } else { -15..=18 };
        assert_eq!(right.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{precision}");
    }
}

/// Trees refuse boxes as all pairs do, and elsewhere potentials are those of a cube of the same shape.
#[test]
fn trees_in_a_box_are_right_or_refused_at_every_scale() {
    let devices = nbody_tests::all_devices();
    let bodies = |unit: f64| {
        let mut bodies: Vec<Body> = nbody::models::uniform(400, 1);
        for body in &mut bodies {
            body.pos = Point(body.pos.0.map(|x| x * unit));
        }
        bodies
    };
    let at_one = |precision| {
        let options = Options::default().precision(precision).domain(cube(LENGTH).unwrap());
        let mut all = CpuAllPairs::with_options(Gravity { eps2: 0.0 }, options).unwrap();
        all.evaluate_self::<f64>(&bodies(1.0)).unwrap()
    };
    for (&precision, opening) in Precision::ALL.iter().flat_map(|precision| {
        let monopole = Opening::theta(0.5).expansion(nbody::Expansion::Monopole);
        [(precision, Opening::theta(0.7)), (precision, monopole)]
    }) {
        let (expected, mut right) = (at_one(precision), Vec::new());
        let step = if precision == Precision::Double { 23 } else { 6 };
        for power in powers(precision).step_by(step) {
            let unit = ten_to(power);
            let found: Vec<_> = devices
                .iter()
                .map(|device| -> Result<_, Error> {
                    let options =
                        Options::default().precision(precision).domain(cube(LENGTH * unit)?);
                    let mut tree =
                        Tree::with_options(device, Gravity { eps2: 0.0 }, opening, options)?;
                    tree.evaluate_self::<f64>(&bodies(unit))
                })
                .map(|found| found.map_err(|error| error.to_string()))
                .collect();
            let of = format!("{opening:?} at 1e{power} in {precision}");
            match &found[0] {
                Ok(_) => right.push(power),
                Err(message) => {
                    for other in &found {
                        assert_eq!(other.as_ref().unwrap_err(), message, "{of}");
                    }
                }
            }
            for found in found.iter().flatten() {
                for (found, expected) in found.iter().zip(&expected) {
                    let error = (found.pot * unit / expected.pot - 1.0).abs();
                    assert!(error < 0.02, "{of}: {}, expected {}", found.pot * unit, expected.pot);
                }
            }
        }
        assert!(right.len() > 4, "{precision}: {right:?}");
    }
}

/// Positions far outside a box are those of their images: whole lengths are taken off exactly.
#[test]
fn lists_are_right_however_far_particles_are_outside_the_box() {
    let devices = nbody_tests::all_devices();
    let length = 0.5;
    let domain = cube(length).unwrap();
    let law = Uniform { cutoff: 0.13 };
    for (device, precision) in devices
        .iter()
        .flat_map(|device| [Precision::Single, Precision::Double].map(|it| (device, it)))
    {
        let options = Options::default().precision(precision);
        let mut engine = ShortRange::with_options(device, law, options).unwrap();
        let skin = Skin::Length(0.01);
        let mut near = Neighbours::with_precision(device, domain, skin, precision).unwrap();
        let mut out = engine.results(70).unwrap();
        let stored = |x: f64| if precision == Precision::Single { f64::from(x as f32) } else { x };
        for power in powers(precision).filter(|power| *power > -20) {
            let of = format!("{device}: 1e{power} in {precision}");
            let (far, mut balls) = (stored(ten_to(power)), balls(0.25));
            for (k, ball) in balls.iter_mut().enumerate() {
                ball.pos.0[k % 3] = if k % 2 == 0 { far } else { -far };
            }
            let wrapped: Vec<_> =
                balls.iter().map(|it| Ball { pos: domain.wrap(it.pos), ..*it }).collect();
            let expected = nbody::reference_self(&law, domain, &wrapped, &wrapped);
            let particles = near.upload(&balls).unwrap();
            near.rebuild();
            let before = near.rebuilds().unwrap();
            // The second update follows the particles.
            for _ in 0..2 {
                near.update(&particles, &[&engine]).unwrap();
                engine.evaluate_into(&near, &particles, &mut out).unwrap();
                let found = engine.download::<f64>(&out).unwrap();
                assert!(found == expected, "{of}");
                assert_eq!(near.rebuilds().unwrap(), before + 1, "{of}");
            }
            // A motion is one, if the next number is at another place in the box.
            let next = match precision {
                Precision::Single => f64::from((far as f32).next_up()),
                _ => far.next_up(),
            };
            let place = |x: f64| domain.wrap(Point([x])).0[0];
            let apart = (place(next) - place(far)).abs();
            let is_far = apart.min(length - apart) > 0.006;
            balls[0].pos.0[0] = next;
            let moved = near.upload(&balls).unwrap();
            let done = engine.evaluate_into(&near, &moved, &mut out);
            assert_eq!(done.is_err(), is_far, "{of}: {done:?}");
        }
    }
}
