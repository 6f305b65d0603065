//! Positions, cutoffs and boxes at every power of ten: results are right, or every device refuses
//! them in the same way.

use nbody::prelude::*;
use nbody::{Interaction, Skin};
use nbody_tests::contacts::contact::{Ball, Either, Near, Uniform};
use nbody_tests::scales::{CUTOFF, LENGTH, balls, cube, is_right, powers, ten_to, told};

/// Creates an interaction at a scale.
type Scaled<X> = fn(f64) -> X;

/// Returns the scales of a precision at which lists of an interaction are right on all devices.
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
    let expected =
        nbody::check::reference_self(&law(1.0), domain, &balls(1.0), &balls(1.0)).unwrap();
    let options = Options::default().precision(precision);
    let engine = |device| {
        let near = Neighbours::with_options(
            device,
            Skin::Auto,
            Options::default().precision(precision).domain(domain),
        )
        .unwrap();
        (ShortRange::with_options(device, law(1.0), options).unwrap(), near)
    };
    let mut engines: Vec<_> = devices.iter().map(engine).collect();
    let right = powers(precision).filter(|&power| {
        let unit = ten_to(power);
        let evaluate = |(engine, near): &mut (ShortRange<X>, Neighbours)| {
            if is_periodic {
                near.set_domain(cube(LENGTH * unit)?)?;
            }
            engine.set_parameters(law(unit));
            let particles = near.upload(&balls(unit))?;
            let mut out = engine.results(particles.len())?;
            near.update(&particles, &[&*engine])?;
            // Wait for the outcome on the device.
            near.rebuilds()?;
            engine.evaluate_over(near, &particles, &mut out)?;
            out.download::<f64>()
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

/// Within the skin a cutoff may not grow beyond the range of the precision.
#[test]
fn cutoffs_that_grow_beyond_the_precision_are_refused() {
    let devices = nbody_tests::all_devices();
    for (precision, most) in [(Precision::Single, 62), (Precision::Double, 100)] {
        // A fraction of the largest cutoff.
        let unit = 0.9375 * 2.0_f64.powi(most) / (0.5 * CUTOFF * 2.0);
        let grown = |device: &Device| {
            let law = Either { factor: 2.0 };
            let options = Options::default().precision(precision);
            let engine = ShortRange::with_options(device, law, options).unwrap();
            let mut near = Neighbours::with_options(
                device,
                Skin::Auto,
                Options::default().precision(precision),
            )
            .unwrap();
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
            found.as_ref().is_err_and(|error| {
                error.contains("` is up to ") && error.contains("in neighbour lists")
            })
        };
        let refused = found[0].each_ref().map(is_refused);
        assert_eq!(refused, [false, false, true, false, false], "{:?}", found[0]);
        assert!(found.iter().all(|it| *it == found[0]), "{found:?}");
    }
}

/// Positions far outside a box act as their images inside: whole lengths are subtracted exactly.
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
        let mut near = Neighbours::with_options(
            device,
            skin,
            Options::default().precision(precision).domain(domain),
        )
        .unwrap();
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
            let expected = nbody::check::reference_self(&law, domain, &wrapped, &wrapped).unwrap();
            let particles = near.upload(&balls).unwrap();
            near.rebuild();
            let before = near.rebuilds().unwrap();
            // The second update checks the motion of the particles.
            for _ in 0..2 {
                near.update(&particles, &[&engine]).unwrap();
                engine.evaluate_over(&near, &particles, &mut out).unwrap();
                let found = out.download::<f64>().unwrap();
                assert!(found == expected, "{of}");
                assert_eq!(near.rebuilds().unwrap(), before + 1, "{of}");
            }
            // The next representable number may be at another place in the box; then it counts as
            // a motion.
            let next = match precision {
                Precision::Single => f64::from((far as f32).next_up()),
                _ => far.next_up(),
            };
            let place = |x: f64| domain.wrap(Point([x])).0[0];
            let apart = (place(next) - place(far)).abs();
            let is_far = apart.min(length - apart) > 0.006;
            balls[0].pos.0[0] = next;
            let moved = near.upload(&balls).unwrap();
            let done = engine.evaluate_over(&near, &moved, &mut out);
            assert_eq!(done.is_err(), is_far, "{of}: {done:?}");
        }
    }
}
