//! Neighbour lists on every device: the results of the reference, and the same bits everywhere in
//! exact mathematics.

use nbody::check::Case;
use nbody::law::Record;
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Interaction, Store};
use nbody_interactions::cubic_spline_2d::CubicDensity2;
use nbody_interactions::cubic_spline_3d::{CubicDensity3, CubicMomentum3};
use nbody_interactions::lennard_jones::{Atom, LennardJones};
use nbody_tests::grains::Grains;
use nbody_tests::lists::over_lists;

pub fn lennard_jones() -> LennardJones {
    let table = |f: fn(f64) -> f64| {
        std::array::from_fn(|k| std::array::from_fn(|l| f(k.max(l) as f64) * f(k.min(l) as f64)))
    };
    let (sigma2, epsilon) = (table(|k| (1.0 + k / 4.0) / 32.0), table(|k| 1.0 + k / 8.0));
    LennardJones { sigma2, epsilon, cutoff: 0.25 }
}

const SIZES: [usize; 8] = [0, 1, 2, 31, 32, 33, 300, 1100];

/// Checks cases of one set and of two sets on each device except the CPU, and that the CPU gives
/// the same bits in exact mathematics.
fn check<X: Interaction>(x: X, domain: Domain, sizes: &[usize]) {
    let devices = nbody_tests::all_devices();
    let precisions = [Precision::Single, Precision::Mixed, Precision::Double];
    for (turn, &n) in sizes.iter().enumerate() {
        let case = if turn % 3 == 2 {
            Case::two_sets(&x, domain, uniform(n, 1), uniform(n / 2 + 3, 2)).unwrap()
        } else {
            Case::one_set(&x, domain, uniform(n, 3), uniform(n, 3)).unwrap()
        };
        let math = [Math::Fast, Math::Exact][turn % 2];
        let options = Options::default().domain(domain).math(math).precision(precisions[turn % 3]);
        for device in &devices {
            let mut lists = over_lists(device, x.clone(), options, Skin::Length(0.0625));
            let report = case.check(&mut lists).unwrap();
            let name = X::LAW.name;
            assert!(report.passes(), "{name}, {device}, {}, {options:?}: {report}", case.name());
            if math == Math::Exact {
                let mut cpu = over_lists(
                    &devices[devices.len() - 2],
                    x.clone(),
                    options,
                    Skin::Length(0.0625),
                );
                assert!(cpu.device().is_cpu());
                assert!(case.same_bits(&mut lists, &mut cpu).unwrap(), "{name}, {device}, {n}");
            }
        }
    }
}

#[test]
fn lennard_jones_in_a_box() {
    check(lennard_jones(), Domain::periodic([1.0; 3]).unwrap(), &SIZES);
}

#[test]
fn lennard_jones_in_open_space() {
    check(lennard_jones(), Domain::Open, &[32, 33, 300]);
}

#[test]
fn smoothed_particles() {
    let domain = Domain::periodic([8.0, f64::INFINITY, 16.0]).unwrap();
    check(CubicDensity3, domain, &SIZES);
    check(CubicMomentum3 { alpha: 1.0 }, domain, &[1, 33, 300]);
}

#[test]
fn grains_that_keep_extremes_and_counts() {
    check(Grains { reach: 0.625 }, Domain::Open, &[33, 300, 200]);
}

/// The results of a step have the same bits in every run, whatever the history of the lists.
#[test]
fn lists_follow_particles_that_move() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([1.0; 3]).unwrap();
    for device in &devices {
        let mut engine = ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::with_options(
            device,
            Skin::Length(0.125),
            Options::default().domain(domain),
        )
        .unwrap();
        let mut atoms: Vec<Atom> = uniform(500, 7);
        let mut out = engine.results(500).unwrap();
        for step in 0..6 {
            let particles = near.upload(&atoms).unwrap();
            near.update(&particles, &[&engine]).unwrap();
            engine.evaluate_over(&near, &particles, &mut out).unwrap();
            let found = out.download::<f64>().unwrap();
            let case =
                Case::one_set(&lennard_jones(), domain, atoms.clone(), atoms.clone()).unwrap();
            let mut all = AllPairs::with_options(
                &Device::cpu(),
                lennard_jones(),
                Options::default().domain(domain).precision(Precision::Double),
            )
            .unwrap();
            let expected = case.evaluate(&mut all).unwrap();
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let error = (found.pot - expected.pot).abs();
                assert!(
                    error <= 1e-4 * (1.0 + expected.pot.abs()),
                    "{device}, {step}, {k}: {error}"
                );
            }
            for (k, atom) in atoms.iter_mut().enumerate() {
                let turn = (k % 3) as f64 - 1.0;
                atom.pos.x += turn / 64.0;
                atom.pos.y -= turn / 128.0 + if k == 9 { 1.0 } else { 0.0 };
            }
        }
    }
}

#[test]
fn lists_and_their_figures_are_the_same_on_every_device() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([1.0, f64::INFINITY, 1.0]).unwrap();
    let atoms: Vec<Atom> = uniform(700, 5);
    let figures = devices.iter().map(|device| {
        let engine = ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::with_options(
            device,
            Skin::Length(0.03125),
            Options::default().domain(domain),
        )
        .unwrap();
        assert!(near.to_csr().unwrap().is_none());
        let particles = near.upload(&atoms).unwrap();
        near.update(&particles, &[&engine]).unwrap();
        near.update(&particles, &[&engine]).unwrap();
        let stats = near.stats().unwrap();
        assert_eq!([stats.rebuilds, stats.age], [1, 1]);
        (near.to_csr().unwrap().unwrap(), stats.entries, stats.neighbours, stats.tested)
    });
    let figures: Vec<_> = figures.collect();
    assert!(figures[0].2 > 10.0 && figures.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Particles come together between two updates, so that their lists do not fit in the reserved
/// memory: no pair is lost.
#[test]
fn lists_that_outgrow_their_memory_lose_no_pair() {
    outgrow(
        CubicDensity3,
        [8.0, 8.0, f64::INFINITY],
        |x, i, j| (i.pos, j.pos) = (Point([0.0, 0.0, x]), Point([0.0, 0.0, x])),
        |f| f.density,
    );
    // A box that is open along the third axis.
    outgrow(
        CubicDensity2,
        [8.0, f64::INFINITY, 8.0],
        |x, i, j| (i.pos, j.pos) = (Point([0.0, x]), Point([0.0, x])),
        |f| f.density,
    );
}

/// Evaluates a density of particles that `put` has placed far apart, when memory for their lists
/// is reserved, and then of the particles at their own places.
fn outgrow<X>(
    density: X,
    lengths: [f64; 3],
    put: impl Fn(f64, &mut X::I, &mut X::J),
    density_of: impl Fn(&X::F) -> f64,
) where
    X: Interaction + Copy,
    X::I: Record<With<f64> = X::I> + Clone,
    X::J: Record<With<f64> = X::J> + Clone,
    X::F: Record<With<f64> = X::F>,
{
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic(lengths).unwrap();
    for device in &devices {
        let mut engine = ShortRange::new(device, density).unwrap();
        let mut near =
            Neighbours::with_options(device, Skin::Length(0.25), Options::default().domain(domain))
                .unwrap();
        let sources: Vec<X::J> = uniform(1500, 7);
        let targets: Vec<X::I> = uniform(1500, 7);
        let case = Case::two_sets(&density, domain, targets.clone(), sources.clone()).unwrap();
        let options = Options::default().domain(domain).precision(Precision::Double);
        let mut all = AllPairs::with_options(&Device::cpu(), density, options).unwrap();
        let expected = case.evaluate(&mut all).unwrap();
        let (mut apart, mut sources_apart) = (targets.clone(), sources.clone());
        for (k, (target, source)) in apart.iter_mut().zip(&mut sources_apart).enumerate() {
            put(8.0 * k as f64, target, source);
        }
        let mut out = engine.results(1500).unwrap();
        for (turn, (i, j)) in [(&apart, &sources_apart), (&targets, &sources), (&targets, &sources)]
            .into_iter()
            .enumerate()
        {
            let (i, j) = (near.upload(i).unwrap(), near.upload(j).unwrap());
            near.update_with(&i, Sources::Others(&j), &[&engine]).unwrap();
            engine
                .evaluate_over_with(&near, &i, Sources::Others(&j), &mut out, Store::Replace)
                .unwrap();
            let found = out.download::<f64>().unwrap();
            for (found, expected) in found.iter().zip(&expected).filter(|_| turn > 0) {
                let error = (density_of(found) / density_of(expected) - 1.0).abs();
                assert!(error < 1e-5, "{device}, turn {turn}: {error}");
            }
        }
        assert!(near.rebuilds().unwrap() >= 2);
    }
}

/// Without a skin, lists are valid for positions that have not moved, even outside the box.
#[test]
fn one_call_takes_positions_beyond_the_box() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([0.7, 1.1, 1.3]).unwrap();
    let options = Options::default().precision(Precision::Double);
    let shifted = |(k, atom): (usize, Atom)| {
        let shift = (k % 7) as f64 - 3.0;
        let Point([x, y, z]) = atom.pos;
        Atom { pos: Point([x + 0.7 * shift, y - 1.1 * shift, z + 2.6 * shift]), ..atom }
    };
    let atoms: Vec<Atom> = uniform::<Atom>(300, 5).into_iter().enumerate().map(shifted).collect();
    let mut all =
        AllPairs::with_options(&Device::cpu(), lennard_jones(), options.domain(domain)).unwrap();
    let expected = all.evaluate_self::<f64>(&atoms).unwrap();
    for device in &devices {
        let options = options.domain(domain);
        let mut engine = ShortRange::with_options(device, lennard_jones(), options).unwrap();
        let found = engine.evaluate_self::<f64>(&atoms).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            let error = (found.pot / expected.pot - 1.0).abs();
            assert!(error < 1e-9, "{device}: {error}");
        }
    }
}

/// No particle interacts with itself, wherever the bags of a list end.
#[test]
fn bags_of_any_length_leave_out_self_pairs() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::Open;
    for bag in [1, 7, 31, 40, 100] {
        let order = SummationOrder { bag, splits: 1 };
        let options = Options::default().order(order).math(Math::Exact);
        for n in [19, 33, 51, 77, 108] {
            let atoms = || uniform(n, 3);
            let case = Case::one_set(&lennard_jones(), domain, atoms(), atoms()).unwrap();
            for device in &devices {
                let mut lists = over_lists(device, lennard_jones(), options, Skin::Auto);
                let report = case.check(&mut lists).unwrap();
                assert!(report.passes(), "{device}, {bag}, {n}: {report}");
            }
        }
    }
}

#[test]
fn lists_serve_a_part_of_the_interactions_that_they_were_updated_for() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let [one, other] = [0.25, 0.125].map(|cutoff| {
            ShortRange::new(device, LennardJones { cutoff, ..lennard_jones() }).unwrap()
        });
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        assert_eq!(near.stats().unwrap().rebuilds, 0);
        let atoms: Vec<Atom> = uniform(100, 5);
        let atoms = near.upload(&atoms).unwrap();
        near.update(&atoms, &[&other, &one]).unwrap();
        near.update(&atoms, &[&one]).unwrap();
        near.update(&atoms, &[&one, &other]).unwrap();
        assert_eq!(near.rebuilds().unwrap(), 1, "{device}");
        let fluid: Vec<<CubicMomentum3 as Interaction>::I> = uniform(100, 5);
        let fluid = near.upload(&fluid).unwrap();
        let momentum = ShortRange::new(device, CubicMomentum3 { alpha: 1.0 }).unwrap();
        near.update(&fluid, &[&momentum]).unwrap();
        assert_eq!(near.rebuilds().unwrap(), 2, "{device}");
    }
}
