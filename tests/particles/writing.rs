//! Particles replaced, all or at addresses, on every device, compared with an upload of all
//! particles.

use nbody::law::{Field, FieldKind, Record};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::untyped::OwnedRows;
use nbody::{Error, Particles};
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Uniform};
use nbody_tests::particle_programs::{Body, Star};

/// Sizes around the boundaries of the blocks of the CPU, and of thread blocks for records of each
/// number of words.
const SIZES: [usize; 11] = [0, 1, 2, 15, 16, 17, 31, 33, 255, 256, 257];

/// Returns `count` addresses of `n`, in no order.
fn addresses(count: usize, n: usize) -> Vec<u32> {
    let step = [7, 11, 13].into_iter().find(|step| !n.is_multiple_of(*step)).unwrap();
    (0..count).map(|k| ((k + 3) * step % n) as u32).collect()
}

/// Writes particles at addresses and compares all particles with their upload.
fn write<P>(device: &Device, precision: Precision, n: usize, count: usize, more: usize)
where
    P: Record<Lane = f64, Host = P> + PartialEq,
{
    let mut expected = uniform::<P>(n, 1);
    let mut particles = device.upload(&expected, precision).unwrap();
    let mut at = addresses(count, n.max(1));
    at.extend((n..n + more).rev().map(|address| address as u32));
    let rows = uniform::<P>(at.len(), 2);
    particles.write_at(&at, &rows).unwrap();
    expected.resize(n + more, P::default());
    for (&address, row) in at.iter().zip(&rows) {
        expected[address as usize] = row.clone();
    }
    let expected = device.upload(&expected, precision).unwrap().download().unwrap();
    let found = particles.download().unwrap();
    assert!(found == expected, "{device}, {count} of {n} and {more} more in {precision}");
}

#[test]
fn rows_are_at_their_addresses_alone() {
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            for n in SIZES {
                for count in SIZES.into_iter().filter(|&count| count <= n) {
                    write::<Body>(&device, precision, n, count, 0);
                    // Records with an odd number of words.
                    write::<Star>(&device, precision, n, count, 0);
                }
            }
        }
    }
}

#[test]
fn buffers_grow_and_keep_earlier_rows() {
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            for n in SIZES {
                for more in [1, 2, 15, 16, 17, 300] {
                    write::<Body>(&device, precision, n, n.min(3), more);
                    write::<Star>(&device, precision, n, n, more);
                }
            }
            // A buffer from nothing, some rows at a time.
            let all = uniform::<Star>(700, 1);
            let mut stars = device.upload(&all[..0], precision).unwrap();
            while stars.len() < all.len() {
                let rows = stars.len()..all.len().min(stars.len() + 1 + stars.len() % 5);
                let at: Vec<_> = rows.clone().map(|k| k as u32).collect();
                stars.write_at(&at, &all[rows]).unwrap();
            }
            let expected = device.upload(&all, precision).unwrap().download().unwrap();
            assert_eq!(stars.download().unwrap(), expected, "{device} in {precision}");
        }
    }
}

#[test]
fn all_particles_are_replaced() {
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let mut particles = device.upload::<Star>(&[], precision).unwrap();
            for (seed, n) in SIZES.into_iter().chain([0, 300, 17, 301]).enumerate() {
                let stars = uniform::<Star>(n, seed as u64);
                particles.replace(&stars).unwrap();
                let expected = device.upload(&stars, precision).unwrap().download().unwrap();
                assert_eq!(particles.download().unwrap(), expected, "{device}, {n} in {precision}");
            }
        }
    }
}

#[test]
fn refused_rows_change_nothing() {
    for device in nbody_tests::all_devices() {
        let start = uniform::<Star>(5, 1);
        let mut stars = device.upload(&start, Precision::Double).unwrap();
        let mut refused = |addresses: &[u32], count| {
            let rows = uniform::<Star>(count, 2);
            let error = stars.write_at(addresses, &rows).unwrap_err();
            assert_eq!(stars.download().unwrap(), start, "{device}");
            error
        };
        let error = Error::RepeatedAddress { address: 3, at: [1, 2] };
        assert_eq!(refused(&[0, 3, 3], 3), error);
        let error = Error::MissingAddress { missing: 5, n: 5, largest: 6 };
        assert_eq!(refused(&[6, 0], 2), error);
        let (found, limit) = (u32::MAX as usize + 1, u32::MAX as usize);
        assert_eq!(refused(&[u32::MAX], 1), Error::TooManyParticles { found, limit });
        let error = Error::LengthMismatch { what: "rows to write", found: 2, expected: 3 };
        assert_eq!(refused(&[0, 1, 2], 2), error);

        let untyped = stars.untyped_mut();
        let what = "rows to write";
        let other = OwnedRows::new(FIELDS, vec![0; 2]).unwrap();
        let error = Error::OtherRecord { what, found: FIELDS, expected: <Star>::FIELDS };
        assert_eq!(untyped.write_at(&[0, 1], &other), Err(error.clone()), "{device}");
        assert_eq!(untyped.replace(&other), Err(error), "{device}");
        let mut words = [0; 10];
        words[5] = 1 << 32;
        let wide = OwnedRows::new(<Star>::FIELDS, words.to_vec()).unwrap();
        let error = untyped.write_at(&[1, 5], &wide).unwrap_err();
        assert!(matches!(error, Error::WideInteger { index: 1, .. }), "{device}: {error}");
        assert_eq!(untyped.replace(&wide), Err(error), "{device}");
        assert_eq!(stars.download().unwrap(), start, "{device}");

        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let mut out = direct.results(3).unwrap();
        let rows = OwnedRows::new(out.untyped().fields(), vec![0; 8]).unwrap();
        let error = Error::OtherBuffer { what: "particles to write", found: "results" };
        assert_eq!(out.untyped_mut().write_at(&[0, 1], &rows), Err(error.clone()), "{device}");
        assert_eq!(out.untyped_mut().replace(&rows), Err(error), "{device}");
        direct.set_parameters(GRAVITY);
    }
}

const FIELDS: &[Field] = &[Field { name: "kind", kind: FieldKind::U32 }];

/// Engines evaluate the present particles, and no earlier ones.
#[test]
fn engines_notice_written_particles() {
    for device in nbody_tests::all_devices() {
        let (mut all, rows) = (bodies(300), uniform(40, 2));
        let at = addresses(40, 310);
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let mut tree = Tree::new(&device, GRAVITY, Opening::theta(0.5)).unwrap();
        let mut particles = direct.upload(&all[..290]).unwrap();
        let mut out = direct.results(290).unwrap();
        for _ in 0..6 {
            direct.evaluate_self_into(&particles, &particles, &mut out).unwrap();
        }
        tree.evaluate_self_into(&particles, &particles, &mut out).unwrap();
        let within: Vec<_> = at.iter().filter(|&&at| at < 290).copied().chain(290..310).collect();
        let rows: Vec<_> = rows.iter().cycle().take(within.len()).copied().collect();
        particles.write_at(&within, &rows).unwrap();
        all.resize(310, nbody_interactions::gravity::Body::default());
        for (&address, row) in within.iter().zip(&rows) {
            all[address as usize] = *row;
        }
        out.resize(310).unwrap();
        direct.evaluate_self_into(&particles, &particles, &mut out).unwrap();
        let expected = direct.evaluate_self::<f64>(&all).unwrap();
        assert_eq!(out.download::<f64>().unwrap(), expected, "{device}");
        tree.evaluate_self_into(&particles, &particles, &mut out).unwrap();
        let expected = tree.evaluate_self::<f64>(&all).unwrap();
        assert_eq!(out.download::<f64>().unwrap(), expected, "{device}");
        for n in [310, 200] {
            let others = &all.iter().rev().take(n).copied().collect::<Vec<_>>()[..];
            particles.replace(others).unwrap();
            out.resize(n).unwrap();
            direct.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            let expected = direct.evaluate_self::<f64>(others).unwrap();
            assert_eq!(out.download::<f64>().unwrap(), expected, "{device}, {n}");
            tree.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            let expected = tree.evaluate_self::<f64>(others).unwrap();
            assert_eq!(out.download::<f64>().unwrap(), expected, "{device}, {n}");
        }
    }
}

#[test]
fn lists_notice_written_particles() {
    for device in nbody_tests::all_devices() {
        let mut balls = Random(1).balls(200);
        let mut near = ShortRange::new(&device, Uniform { cutoff: 0.25 }).unwrap();
        let mut particles: Particles<Ball> = near.upload(&balls).unwrap();
        let mut out = near.results(200).unwrap();
        let mut compare = |particles: &Particles<Ball>, balls: &[Ball]| {
            out.resize(balls.len()).unwrap();
            near.evaluate_self_into(particles, particles, &mut out).unwrap();
            let expected =
                nbody::check::reference_self(&Uniform { cutoff: 0.25 }, Domain::Open, balls, balls);
            assert_eq!(out.download::<f64>().unwrap(), expected.unwrap(), "{device}");
        };
        compare(&particles, &balls);
        // A particle goes to the opposite corner, farther than any skin.
        balls[7].pos = balls[190].pos;
        particles.write_at(&[7], &balls[7..8]).unwrap();
        compare(&particles, &balls);
        let more = Random(2).balls(30);
        balls.extend(&more);
        particles.write_at(&(200..230).collect::<Vec<_>>(), &more).unwrap();
        compare(&particles, &balls);
        for n in [230, 60] {
            let others = Random(3).balls(n);
            particles.replace(&others).unwrap();
            compare(&particles, &others);
        }
    }
}
