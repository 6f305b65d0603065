//! Interactions and programs in one dimension, compared with plain loops.

use nbody::prelude::*;
use nbody::{Csr, Error, Interaction, Math, Opening, Skin};
use nbody_tests::line::line::{Bead, Beads, Push, Slide, Touch};

const BEADS: Beads = Beads { eps2: 0.01, drag: Vector([0.75]) };
const TOUCH: Touch = Touch { reach: 0.375 };
/// Half of it is no difference of positions.
const LENGTH: f64 = 2049.0 / 1024.0;

/// Returns beads whose numbers every precision holds; no pair is half of the box apart.
fn beads() -> Vec<Bead> {
    let number = |k: usize, n: usize| (k * n % 2047) as f64 / 1024.0;
    let bead = |k| Bead {
        pos: Point([number(k, 619) - 0.25 + (k % 2) as f64 / 4096.0]),
        vel: Vector([number(k, 257) - 1.0]),
        charge: number(k, 431) + 0.5,
    };
    (0..150).map(bead).collect()
}

/// Returns force, potential and number of each bead, for each law.
fn plain_loop(beads: &[Bead], is_periodic: bool) -> Vec<[([f64; 2], u32); 2]> {
    let of = |(k, i): (usize, &Bead)| {
        let (mut all, mut near, mut pull, mut touched) = ([0.0; 2], 0, [0.0; 2], 0);
        for (_, j) in beads.iter().enumerate().filter(|(l, _)| *l != k) {
            let mut d = i.pos.x - j.pos.x;
            if is_periodic {
                d -= LENGTH * (d / LENGTH).round();
            }
            let r = (d * d + BEADS.eps2).sqrt();
            all[0] += i.charge * j.charge * d / r.powi(3);
            all[0] += BEADS.drag.x * 0.5 * (j.vel.x - i.vel.x) * d;
            all[1] += 0.5 * i.charge * j.charge / r;
            near += u32::from(d < 0.25);
            if d.abs() < TOUCH.reach {
                pull[0] -= j.charge * d;
                pull[1] += j.charge;
                touched += 1;
            }
        }
        [(all, near), (pull, touched)]
    };
    beads.iter().enumerate().map(of).collect()
}

fn evaluate<X>(device: &Device, law: X, options: Options, beads: &[Bead]) -> Vec<Push>
where
    X: Interaction<I = Bead, J = Bead, F = Push>,
{
    AllPairs::with_options(device, law, options).unwrap().evaluate_self::<f64>(beads).unwrap()
}

#[test]
fn pairs_on_a_line_are_those_of_a_plain_loop() {
    let beads = beads();
    let boxed = Domain::periodic([LENGTH, f64::INFINITY, f64::INFINITY]).unwrap();
    let skewed = [[LENGTH, 0.0, 0.0], [0.5, 3.0, 0.0], [-0.75, 1.0, 4.0]];
    for domain in [Domain::Open, boxed, Domain::triclinic(skewed).unwrap()] {
        let expected = plain_loop(&beads, domain.is_periodic());
        for (precision, tolerance) in
            [(Precision::Single, 2e-5), (Precision::Mixed, 2e-5), (Precision::Double, 1e-12)]
        {
            for &math in Math::ALL {
                let options = Options::default().precision(precision).domain(domain).math(math);
                let mut bits = None;
                for device in nbody_tests::all_devices() {
                    let found = evaluate(&device, BEADS, options, &beads);
                    let touched = evaluate(&device, TOUCH, options, &beads);
                    let what = format!("{device} {options}");
                    let both = found.iter().zip(&touched).map(|(a, b)| [a, b]);
                    let each = both
                        .zip(&expected)
                        .flat_map(|(found, expected)| found.into_iter().zip(expected));
                    for (found, &([force, pot], near)) in each {
                        assert_eq!(found.near, near, "{what}");
                        for (found, expected) in [(found.force.x, force), (found.pot, pot)] {
                            let error = (found - expected).abs();
                            assert!(error <= tolerance * (pot.abs() + 100.0), "{what}: {error:e}");
                        }
                    }
                    if math == Math::Exact {
                        let order = SummationOrder { bag: 32, splits: 2 };
                        let found = evaluate(&device, BEADS, options.order(Some(order)), &beads);
                        let first = bits.get_or_insert_with(|| nbody_tests::ways::bits(&found));
                        assert!(*first == nbody_tests::ways::bits(&found), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn programs_move_beads_on_a_line() {
    let beads = beads();
    let boxed = Domain::periodic([LENGTH, 1.0, 1.0]).unwrap();
    for device in nbody_tests::all_devices() {
        let mut particles = device.upload(&beads, Precision::Double).unwrap();
        let mut slide = PerParticle::new(&device, Slide { dt: 3.0 }).unwrap();
        slide.set_domain(boxed).unwrap();
        slide.set_wrap(true);
        slide.update(&mut particles, ()).unwrap();
        for (found, before) in particles.download().unwrap().iter().zip(&beads) {
            let expected = (before.pos.x + 3.0 * before.vel.x).rem_euclid(LENGTH);
            assert_eq!(found.pos.x, expected, "{device}");
            assert_eq!(found.vel, Vector([-before.vel.x / 2.0]), "{device}");
        }
    }
}

#[test]
fn lists_and_trees_need_two_dimensions() {
    for device in nbody_tests::all_devices() {
        let touch = ShortRange::new(&device, TOUCH).unwrap();
        let rows = Csr::from_pairs(150, &[[0, 1]]).unwrap();
        for mut near in
            [Neighbours::new(&device, Skin::Auto).unwrap(), Neighbours::new(&device, rows).unwrap()]
        {
            let particles = near.upload(&beads()).unwrap();
            let error = near.update(&particles, &[&touch]).unwrap_err();
            assert!(matches!(error, Error::OneDimension { law: "touch" }), "{device}: {error}");
        }
        let error = Tree::new(&device, BEADS, Opening::theta(0.5)).unwrap_err();
        assert!(error.to_string().contains("in one dimension"), "{device}: {error}");
    }
}
