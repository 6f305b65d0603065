//! Neighbour lists on every device: the results of all pairs, the same bits everywhere in exact
//! mathematics, and refusals.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Case, Error, Interaction, NeighbourTimes, Record, Store};
use nbody_interactions::cubic_spline_2d::CubicDensity2;
use nbody_interactions::cubic_spline_3d::{CubicDensity3, CubicMomentum3};
use nbody_interactions::lennard_jones::{Atom, LennardJones};
use nbody_tests::grains::Grains;
use nbody_tests::lists::Lists;

fn lennard_jones() -> LennardJones {
    let table = |f: fn(f64) -> f64| {
        std::array::from_fn(|k| std::array::from_fn(|l| f(k.max(l) as f64) * f(k.min(l) as f64)))
    };
    let (sigma2, epsilon) = (table(|k| (1.0 + k / 4.0) / 32.0), table(|k| 1.0 + k / 8.0));
    LennardJones { sigma2, epsilon, cutoff: 0.25 }
}

const SIZES: [usize; 8] = [0, 1, 2, 31, 32, 33, 300, 1100];

/// Checks cases of one set and of two sets on each device but the CPU, and that the CPU gives the same
/// bits in exact mathematics.
fn check<X: Interaction>(x: X, domain: Domain, sizes: &[usize]) {
    let devices = nbody_tests::all_devices();
    let precisions = [Precision::Single, Precision::Mixed, Precision::Double];
    for (turn, &n) in sizes.iter().enumerate() {
        let case = if turn % 3 == 2 {
            Case::two_sets(&x, domain, uniform(n, 1), uniform(n / 2 + 3, 2))
        } else {
            Case::one_set(&x, domain, uniform(n, 3), uniform(n, 3)).unwrap()
        };
        let math = [Math::Fast, Math::Exact][turn % 2];
        let options = Options::default().domain(domain).math(math).precision(precisions[turn % 3]);
        for device in &devices {
            let mut lists = Lists::new(device, x, options, Skin::Length(0.0625));
            let report = case.check(&mut lists, &options).unwrap();
            let name = X::LAW.name;
            assert!(report.passes(), "{name}, {device}, {}, {options:?}: {report}", case.name());
            if math == Math::Exact {
                let mut cpu =
                    Lists::new(&devices[devices.len() - 2], x, options, Skin::Length(0.0625));
                assert!(cpu.engine.device().is_cpu());
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

/// The results of a step are the same bits from run to run, however the lists came about.
#[test]
fn lists_follow_particles_that_move() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([1.0; 3]).unwrap();
    for device in &devices {
        let mut engine = ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::new(device, domain, Skin::Length(0.125)).unwrap();
        let mut atoms: Vec<Atom> = uniform(500, 7);
        let mut out = engine.results(500).unwrap();
        for step in 0..6 {
            let particles = near.upload(&atoms).unwrap();
            near.update(&particles, &[&engine]).unwrap();
            engine.evaluate_into(&near, &particles, &mut out).unwrap();
            let found = engine.download::<f64>(&out).unwrap();
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
        let mut near = Neighbours::new(device, domain, Skin::Length(0.03125)).unwrap();
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

/// Times are those of the parts that ran, and to measure them changes no result.
#[test]
fn only_parts_that_ran_took_time() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([1.0; 3]).unwrap();
    for device in &devices {
        let mut engine = ShortRange::new(device, lennard_jones()).unwrap();
        let new = || Neighbours::new(device, domain, Skin::Length(0.0625)).unwrap();
        let (mut near, mut plain) = (new(), new());
        near.set_timed(true);
        assert_eq!(near.stats().unwrap().times, Some(NeighbourTimes::default()));
        let mut atoms: Vec<Atom> = uniform(500, 7);
        let mut out = [engine.results(500).unwrap(), engine.results(500).unwrap()];
        let mut before = NeighbourTimes::default();
        for (step, is_rebuilt) in [true, false, true, false].into_iter().enumerate() {
            // Every other step by more than half of the skin.
            atoms[77].pos.y += if step == 2 { 0.25 } else { 1.0 / 128.0 };
            let particles = near.upload(&atoms).unwrap();
            for (near, out) in [&mut near, &mut plain].into_iter().zip(&mut out) {
                near.update(&particles, &[&engine]).unwrap();
                engine.evaluate_into(near, &particles, out).unwrap();
                engine.add_into(near, &particles, out).unwrap();
            }
            let [found, expected] = out.each_ref().map(|out| engine.download::<f64>(out).unwrap());
            assert!(found == expected, "{device}, {step}");
            assert!(near.to_csr().unwrap() == plain.to_csr().unwrap(), "{device}, {step}");
            assert_eq!(plain.stats().unwrap().times, None);
            let stats = near.stats().unwrap();
            let now = stats.times.unwrap();
            assert_eq!([now.rebuilds, now.updates], [stats.rebuilds, step as u64 + 1]);
            assert_eq!(now.evaluations, 2 * now.updates);
            let ran = [now.look > before.look, now.pack > before.pack, now.force > before.force];
            assert_eq!(ran, [true; 3], "{device}, {step}: {now:?}");
            let built = [now.rebuilds > before.rebuilds, now.order > before.order];
            assert_eq!(built, [is_rebuilt; 2], "{device}, {step}: {now:?}");
            assert_eq!(now.list > before.list, is_rebuilt, "{device}, {step}: {now:?}");
            before = now;
        }
        atoms[33].pos.x = f64::NAN;
        let bad = near.upload(&atoms).unwrap();
        assert!(near.update(&bad, &[&engine]).is_err(), "{device}");
        assert_eq!(near.stats().unwrap().times, Some(before), "{device}: an update that failed");
        near.set_timed(true);
        assert_eq!(near.stats().unwrap().times, Some(NeighbourTimes::default()));
        near.set_timed(false);
        assert_eq!(near.stats().unwrap().times, None);
    }
}

#[test]
fn bad_input_is_refused() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let engine = &mut ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::new(device, Domain::Open, Skin::Auto).unwrap();
        let mut out = engine.results(40).unwrap();
        let mut atoms: Vec<Atom> = uniform(40, 5);
        let particles = near.upload(&atoms).unwrap();
        let error = |result: Result<(), Error>| result.unwrap_err().to_string();
        let refusal = error(engine.evaluate_into(&near, &particles, &mut out));
        assert!(refusal.starts_with("neighbour lists that are not built"), "{refusal}");
        near.update(&particles, &[&*engine]).unwrap();
        engine.evaluate_into(&near, &particles, &mut out).unwrap();
        let before = engine.download::<f64>(&out).unwrap();

        atoms[33].pos.y = f64::NAN;
        let bad = near.upload(&atoms).unwrap();
        // A GPU tells it at the next update at the latest.
        let result = near.update(&bad, &[&*engine]);
        let result = result.and_then(|()| near.update(&particles, &[&*engine]));
        let refusal = error(result);
        assert!(
            refusal.contains("particles[33]") && refusal.contains("finite"),
            "{device}: {refusal}"
        );
        // The lists of the good ones are as before.
        engine.evaluate_into(&near, &particles, &mut out).unwrap();
        near.update(&particles, &[&*engine]).unwrap();

        let other = LennardJones { cutoff: 0.5, ..lennard_jones() };
        let mut other = ShortRange::new(device, other).unwrap();
        let refusal = error(other.evaluate_into(&near, &particles, &mut out));
        assert!(refusal.contains("other interactions"), "{device}: {refusal}");
        let fewer = near.upload(&atoms[..39]).unwrap();
        let refusal = error(engine.evaluate_into(&near, &fewer, &mut out));
        assert!(refusal.contains("39"), "{device}: {refusal}");
        let double = device.upload(&atoms, Precision::Double).unwrap();
        let refusal = error(near.update(&double, &[&*engine]));
        assert!(refusal.contains("double"), "{device}: {refusal}");
        near.set_domain(Domain::periodic([0.5; 3]).unwrap()).unwrap();
        let refusal = error(near.update(&particles, &[&*engine]));
        assert!(refusal.contains("half"), "{device}: {refusal}");
        let refusal = error(engine.evaluate_into(&near, &particles, &mut out));
        assert!(refusal.starts_with("neighbour lists that are not built"), "{device}: {refusal}");
        let after = engine.download::<f64>(&out).unwrap();
        assert!(before == after, "{device}: results of a refused evaluation");
    }
    let gravity = nbody_interactions::gravity::Gravity { eps2: 1.0 };
    for device in &devices {
        let without = ShortRange::new(device, gravity).unwrap();
        let mut near = Neighbours::new(device, Domain::Open, Skin::Auto).unwrap();
        let bodies: Vec<nbody_interactions::gravity::Body> = uniform(5, 1);
        let bodies = near.upload(&bodies).unwrap();
        let refusal = near.update(&bodies, &[&without]).unwrap_err().to_string();
        assert!(refusal.starts_with("`gravity` has no cutoff"), "{device}: {refusal}");
        let periodic = Options::default().domain(Domain::periodic([1.0; 3]).unwrap());
        let refusal = ShortRange::with_options(device, lennard_jones(), periodic);
        assert!(refusal.unwrap_err().to_string().contains("give the box to the lists"));
        let refusal = Neighbours::new(device, Domain::Open, Skin::Length(-1.0)).unwrap_err();
        assert!(refusal.to_string().contains("skin of -1"), "{device}: {refusal}");
    }
}

/// Where all particles come together between two updates, their lists do not fit in the memory of the
/// earlier ones: nobody notices.
#[test]
fn lists_that_outgrow_their_memory_lose_no_pair() {
    outgrow(
        CubicDensity3,
        [8.0, 8.0, f64::INFINITY],
        |x, i, j| (i.pos, j.pos) = (Point([0.0, 0.0, x]), Point([0.0, 0.0, x])),
        |f| f.density,
    );
    // Without images along the third axis.
    outgrow(
        CubicDensity2,
        [8.0, f64::INFINITY, 8.0],
        |x, i, j| (i.pos, j.pos) = (Point([0.0, x]), Point([0.0, x])),
        |f| f.density,
    );
}

/// Evaluates a density of particles that were apart, put at a distance by a function, when the memory of
/// their lists was reserved.
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
        let mut near = Neighbours::new(device, domain, Skin::Length(0.25)).unwrap();
        let sources: Vec<X::J> = uniform(1500, 7);
        let targets: Vec<X::I> = uniform(1500, 7);
        let case = Case::two_sets(&density, domain, targets.clone(), sources.clone());
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
            engine.evaluate_with(&near, &i, Sources::Others(&j), &mut out, Store::Replace).unwrap();
            let found = engine.download::<f64>(&out).unwrap();
            for (found, expected) in found.iter().zip(&expected).filter(|_| turn > 0) {
                let error = (density_of(found) / density_of(expected) - 1.0).abs();
                assert!(error < 1e-5, "{device}, turn {turn}: {error}");
            }
        }
        assert!(near.rebuilds().unwrap() >= 2);
    }
}

/// Without a skin, lists are good for positions that have not moved, wherever these are.
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
    let mut all = CpuAllPairs::with_options(lennard_jones(), options.domain(domain)).unwrap();
    let expected = all.evaluate_self::<f64>(&atoms).unwrap();
    for device in &devices {
        let mut engine = ShortRange::with_options(device, lennard_jones(), options).unwrap();
        let found = engine.evaluate::<f64>(domain, &atoms).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            let error = (found.pot / expected.pot - 1.0).abs();
            assert!(error < 1e-9, "{device}: {error}");
        }
    }
}

/// Wherever the bags of a list end, no particle meets itself.
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
                let mut lists = Lists::new(device, lennard_jones(), options, Skin::Auto);
                let report = case.check(&mut lists, &options).unwrap();
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
        let mut near = Neighbours::new(device, Domain::Open, Skin::Auto).unwrap();
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

#[test]
fn refused_positions_leave_results_as_they_are() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut engine = ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::new(device, Domain::Open, Skin::Auto).unwrap();
        let mut atoms: Vec<Atom> = uniform(50, 5);
        let good = near.upload(&atoms).unwrap();
        near.update(&good, &[&engine]).unwrap();
        let mut out = engine.results(50).unwrap();
        engine.add_into(&near, &good, &mut out).unwrap();
        let before = engine.download::<f64>(&out).unwrap();
        atoms[7].pos.x = f64::INFINITY;
        let bad = near.upload(&atoms).unwrap();
        // A GPU may know it later only.
        if near.update(&bad, &[&engine]).is_ok() {
            engine.add_into(&near, &bad, &mut out).unwrap();
            assert!(near.update(&good, &[&engine]).is_err(), "{device}");
        }
        assert!(engine.download::<f64>(&out).unwrap() == before, "{device}");
        let fewer = near.upload(&atoms[10..]).unwrap();
        near.update(&fewer, &[&engine]).unwrap();
    }
}

#[test]
fn two_buffers_of_one_set_have_the_same_positions() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let engine = ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::new(device, Domain::Open, Skin::Auto).unwrap();
        let mut atoms: Vec<Atom> = uniform(50, 5);
        let (i, same) = (near.upload(&atoms).unwrap(), near.upload(&atoms).unwrap());
        near.update_with(&i, Sources::Same(&same), &[&engine]).unwrap();
        atoms[9].pos.z += 0.5;
        let other = near.upload(&atoms).unwrap();
        let result = near.update_with(&i, Sources::Same(&other), &[&engine]);
        let result = result.and_then(|()| near.update_with(&i, Sources::Same(&same), &[&engine]));
        let refusal = result.unwrap_err().to_string();
        assert!(refusal.contains("different positions"), "{device}: {refusal}");
    }
}
