//! Positions that updates wrap into a periodic box, on every device, compared bit for bit with
//! plain loops.

use nbody::law::DoubleSingle;
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Error, Particles, Selection};
use nbody_tests::contacts::Random;
use nbody_tests::particle_programs::{Advance, Body, Drift, Relax, Runner, Star};
use nbody_tests::points::points::Step;
use nbody_tests::ways::difference;

const LENGTHS: [f64; 3] = [0.9, 0.3, f64::INFINITY];

fn rounded(x: f64, precision: Precision) -> f64 {
    match precision {
        Precision::Single => f64::from(x as f32),
        Precision::Mixed => DoubleSingle::from(x).into(),
        Precision::Double => x,
    }
}

/// Returns the image in the box as it is stored.
fn wrapped(x: f64, length: f64, precision: Precision) -> f64 {
    if !x.is_finite() || !length.is_finite() {
        return rounded(x, precision);
    }
    let inside = x.rem_euclid(length) + 0.0;
    let stored = rounded(inside, precision);
    if inside >= length || stored >= length { 0.0 } else { stored }
}

/// Returns coordinates at the faces of boxes of these lengths, at their images, and far away.
fn coordinates() -> Vec<f64> {
    let mut coordinates = vec![1e300, -1e300, 1e17, -1e17, f64::INFINITY, f64::NEG_INFINITY];
    coordinates.extend([f64::NAN, 5e-324, -5e-324, 1e-40, -1e-40, -1e-9, -1e-20, 0.1, -0.1]);
    for length in [0.9, 0.3] {
        for image in -2..=2 {
            let face = f64::from(image) * length;
            for step in [0.0, 1e-16, 1e-15, 1e-12, 2e-8, 4e-8, 1e-7, 1e-3] {
                coordinates.extend([face - step, face + step]);
            }
            coordinates.extend([face.next_down(), face.next_up()]);
        }
    }
    coordinates
}

/// Returns bodies with each coordinate along each axis.
fn bodies() -> Vec<Body> {
    let coordinates = coordinates();
    let mut bodies = uniform::<Body>(coordinates.len(), 1);
    for (k, body) in bodies.iter_mut().enumerate() {
        let x = |c: usize| coordinates[(k + c) % coordinates.len()];
        (body.pos, body.vel) = (Point::new(x(0), x(1), x(2)), Vector::new(0.0, 0.0, 0.0));
    }
    bodies
}

fn positions(bodies: &Particles<Body>) -> Vec<[f64; 3]> {
    bodies.download().unwrap().iter().map(|body| body.pos.0).collect()
}

/// Compares positions bit for bit; every NaN equals every other.
fn same(what: &str, found: &[[f64; 3]], expected: &[[f64; 3]]) {
    assert_eq!(found.len(), expected.len());
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        for (found, expected) in found.iter().zip(expected) {
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{what}, particle {k}: {found:e}, expected {expected:e}");
        }
    }
}

#[test]
fn positions_at_the_faces_are_wrapped() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic(LENGTHS).unwrap();
    for device in &devices {
        for &precision in Precision::ALL {
            let mut bodies = device.upload(&bodies(), precision).unwrap();
            let what = format!("{device}, {precision}");
            let mut drift = PerParticle::new(device, Drift { dt: 1.0 }).unwrap();
            let start: Vec<_> = positions(&bodies).iter().map(|x| x.map(|x| x + 0.0)).collect();
            // Positions stay in open space, and in a box until wrapping is enabled.
            assert!(!drift.wraps());
            drift.update(&mut bodies, ()).unwrap();
            same(&what, &positions(&bodies), &start);
            drift.set_domain(domain).unwrap();
            drift.update(&mut bodies, ()).unwrap();
            same(&what, &positions(&bodies), &start);
            drift.set_wrap(true);
            assert!(drift.wraps());
            drift.update(&mut bodies, ()).unwrap();
            let image = |x: &[f64; 3]| [0, 1, 2].map(|c| wrapped(x[c], LENGTHS[c], precision));
            let expected: Vec<_> = start.iter().map(image).collect();
            let found = positions(&bodies);
            same(&what, &found, &expected);
            let is_inside = |x: f64, length| (0.0..length).contains(&x) || !x.is_finite();
            let are_inside = |x: &[f64; 3]| is_inside(x[0], 0.9) && is_inside(x[1], 0.3);
            assert!(found.iter().all(are_inside), "{what}");
            // Positions inside the box stay.
            drift.update(&mut bodies, ()).unwrap();
            same(&what, &positions(&bodies), &found);
        }
    }
}

/// Positions in a triclinic box stay at an image, and each coordinate is less than its length.
#[test]
fn positions_are_wrapped_into_triclinic_boxes() {
    let vectors = [[0.9, 0.0, 0.0], [-0.4, 0.3, 0.0], [0.35, 0.11, 0.9]];
    let domain = Domain::triclinic(vectors).unwrap();
    for (precision, error) in
        [(Precision::Single, 3e-7), (Precision::Mixed, 1e-13), (Precision::Double, 1e-14)]
    {
        let mut expected: Option<Vec<[f64; 3]>> = None;
        for device in nbody_tests::all_devices() {
            let mut bodies = device.upload(&bodies(), precision).unwrap();
            let what = format!("{device}, {precision}");
            let start = positions(&bodies);
            let mut drift = PerParticle::new(&device, Drift { dt: 1.0 }).unwrap();
            drift.set_domain(domain).unwrap();
            drift.set_wrap(true);
            drift.update(&mut bodies, ()).unwrap();
            let found = positions(&bodies);
            let mut near = 0;
            for (k, (before, after)) in start.iter().zip(&found).enumerate() {
                let is_inside = |c: usize| (0.0..vectors[c][c]).contains(&after[c]);
                let are_inside = (0..3).all(|c| is_inside(c) || !before[c].is_finite());
                assert!(are_inside, "{what}, particle {k}: {before:?} {after:?}");
                if before.iter().all(|x| x.abs() < 1e3) {
                    let moved = difference(Point(*after), Point(*before), domain);
                    assert!(moved.norm() < error, "{what}, particle {k}: {before:?} {after:?}");
                    near += 1;
                }
            }
            assert!(near > 100, "{near}");
            drift.update(&mut bodies, ()).unwrap();
            same(&what, &positions(&bodies), &found);
            same(&what, &found, expected.get_or_insert_with(|| found.clone()));
        }
    }
}

#[test]
fn wrapping_in_open_space_is_refused() {
    let open = [Domain::Open, Domain::periodic([f64::INFINITY; 3]).unwrap()];
    for device in nbody_tests::all_devices() {
        let start = uniform::<Body>(3, 1);
        let mut bodies = device.upload(&start, Precision::Double).unwrap();
        let mut drift = PerParticle::new(&device, Drift { dt: 1.0 }).unwrap();
        drift.set_wrap(true);
        for domain in open {
            drift.set_domain(domain).unwrap();
            let error = drift.update(&mut bodies, ()).unwrap_err();
            assert!(matches!(error, Error::WrapWithoutBox { program: "drift" }), "{error}");
            let expected = "`drift` cannot wrap positions in open space; call `set_domain` with a \
                            periodic box first, or `set_wrap(false)`";
            assert_eq!(error.to_string(), expected, "{device}");
            assert_eq!(bodies.download().unwrap(), start, "{device}");
        }
        // Without particles, too.
        let mut none = device.upload::<Body>(&[], Precision::Double).unwrap();
        assert!(drift.update(&mut none, ()).is_err(), "{device}");
        drift.set_domain(Domain::periodic(LENGTHS).unwrap()).unwrap();
        drift.update(&mut bodies, ()).unwrap();
        assert!(bodies.download().unwrap().iter().all(|it| (0.0..0.9).contains(&it.pos.x)));
        drift.set_domain(Domain::Open).unwrap();
        drift.set_wrap(false);
        drift.update(&mut bodies, ()).unwrap();
    }
}

#[test]
fn coordinates_are_wrapped_before_they_are_rounded() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([1.0, 0.75, 0.3]).unwrap();
    for device in &devices {
        for &precision in Precision::ALL {
            let mut start = uniform::<Body>(300, 1);
            for body in &mut start {
                body.vel = Vector(body.vel.0.map(|v| (v - 0.5) * 1e7));
            }
            let mut bodies = device.upload(&start, precision).unwrap();
            let mut drift = PerParticle::new(device, Drift { dt: 0.1 }).unwrap();
            drift.set_domain(domain).unwrap();
            drift.set_wrap(true);
            let lengths = [1.0, 0.75, 0.3];
            let single = if precision == Precision::Mixed { Precision::Single } else { precision };
            let mut expected: Vec<_> =
                start.iter().map(|body| body.pos.0.map(|x| rounded(x, precision))).collect();
            for _ in 0..3 {
                drift.update(&mut bodies, ()).unwrap();
                for (body, x) in start.iter().zip(&mut expected) {
                    *x = [0, 1, 2].map(|c| {
                        let moved = x[c] + 0.1 * rounded(body.vel[c], single);
                        wrapped(moved, lengths[c], precision)
                    });
                }
                same(&format!("{device}, {precision}"), &positions(&bodies), &expected);
            }
        }
    }
}

#[test]
fn fields_that_an_update_does_not_assign_stay() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([0.25; 3]).unwrap();
    for device in &devices {
        let start = uniform::<Runner>(300, 1);
        let mut runners = device.upload(&start, Precision::Mixed).unwrap();
        let others = device.upload(&start, Precision::Mixed).unwrap();
        let before = runners.download().unwrap();
        let mut advance = PerParticle::new(device, Advance { dt: 1.0 }).unwrap();
        advance.set_domain(domain).unwrap();
        advance.set_wrap(true);
        advance.update(&mut runners, &others).unwrap();
        let after = runners.download().unwrap();
        assert!(before.iter().zip(&after).all(|(a, b)| a.pos == b.pos && a.x != b.x), "{device}");
    }
}

#[test]
fn displacements_in_a_box_do_not_depend_on_wrapping() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([0.75; 3]).unwrap();
    let stars = uniform::<Star>(300, 2);
    for device in &devices {
        let relaxed = |wrap: bool| {
            let mut start = uniform::<Body>(300, 1);
            for body in &mut start {
                body.pos.x -= 3.0;
            }
            let mut bodies = device.upload(&start, Precision::Double).unwrap();
            let stars = device.upload(&stars, Precision::Double).unwrap();
            let mut relax = PerParticle::new(device, Relax { rate: 0.1 }).unwrap();
            relax.set_domain(domain).unwrap();
            relax.set_wrap(wrap);
            for _ in 0..3 {
                relax.update(&mut bodies, &stars).unwrap();
            }
            bodies.download().unwrap()
        };
        for (free, inside) in relaxed(false).iter().zip(&relaxed(true)) {
            assert!(inside.pos.0.iter().all(|x| (0.0..0.75).contains(x)), "{device}: {inside:?}");
            let image = domain.wrap(free.pos);
            let d = Vector::new(image.x - inside.pos.x, image.y - inside.pos.y, 0.0);
            assert!(d.norm() < 1e-12, "{device}: {image:?} {inside:?}");
            let change = (free.vel - inside.vel).norm() / free.vel.norm();
            assert!(change < 1e-12, "{device}: {change}");
        }
    }
}

/// Differences take the nearest image for each point of a particle, and each assigned point is
/// wrapped.
#[test]
fn every_point_of_a_particle_is_wrapped() {
    let devices = nbody_tests::all_devices();
    let lengths = [1.0, 0.75, f64::INFINITY];
    let domain = Domain::periodic(lengths).unwrap();
    let nearest = |a: Point, b: Point| {
        let mut d = a - b;
        for (d, length) in d.0.iter_mut().zip(lengths).filter(|(_, length)| length.is_finite()) {
            *d -= length * (*d * (1.0 / length)).round_ties_even();
        }
        d
    };
    for (device, &precision) in
        devices.iter().flat_map(|it| Precision::ALL.iter().map(move |p| (it, p)))
    {
        let mut random = Random(7);
        let (mut expected, others) = (random.atoms(300), random.bare(300));
        let mut atoms = device.upload(&expected, precision).unwrap();
        let others_there = device.upload(&others, precision).unwrap();
        let mut step = PerParticle::new(device, Step { rate: 0.3 }).unwrap();
        step.set_domain(domain).unwrap();
        step.set_wrap(true);
        for _ in 0..2 {
            step.update(&mut atoms, &others_there).unwrap();
            for (p, q) in expected.iter_mut().zip(&others) {
                let to = nearest(q.was, p.pos);
                p.im = nearest(p.pos, p.was).norm2() + p.vel.x * f64::from(p.kind);
                p.was = p.pos;
                p.pos += 0.3 * to;
                for (k, &length) in lengths.iter().enumerate() {
                    p.was[k] = wrapped(p.was[k], length, precision);
                    p.pos[k] = wrapped(p.pos[k], length, precision);
                }
                p.im = if precision == Precision::Double { p.im } else { f64::from(p.im as f32) };
            }
        }
        for (found, expected) in atoms.download().unwrap().iter().zip(&expected) {
            assert_eq!(found, expected, "{device}, {precision}");
        }
    }
}

#[test]
fn selected_particles_are_wrapped() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([0.25; 3]).unwrap();
    for device in &devices {
        let mut start = uniform::<Selected>(300, 1);
        for (k, body) in start.iter_mut().enumerate() {
            body.active = u32::from(k % 3 == 0);
        }
        let mut bodies = device.upload(&start, Precision::Double).unwrap();
        let mut selection = Selection::new(device).unwrap();
        let count = selection.select(&bodies, "active").unwrap();
        let mut move_by = PerParticle::new(device, MoveBy { x: -1.0 }).unwrap();
        move_by.set_domain(domain).unwrap();
        move_by.set_wrap(true);
        move_by.update_selected(&selection, count, &mut bodies, ()).unwrap();
        for (before, after) in start.iter().zip(bodies.download().unwrap()) {
            let moved = Point([before.place.x - 1.0, before.place.y]);
            let expected = if before.active == 1 { domain.wrap(moved) } else { before.place };
            assert_eq!(after.place, expected, "{device}");
        }
    }
}

use programs::{MoveBy, Selected};

#[nbody::interaction]
#[allow(missing_docs, reason = "programs of these tests")]
mod programs {
    /// A particle in two dimensions.
    pub struct Selected {
        pub weight: Real,
        pub active: u32,
        pub place: Point<2>,
    }

    pub struct MoveBy {
        pub x: Real,
    }
    impl Update for MoveBy {
        type P = Selected;
        fn update(&self, p: &mut Selected) {
            p.place += Vector::new(self.x, 0.0);
        }
    }
}
