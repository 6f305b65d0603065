//! Splines of interactions, programs per particle and tuples, on every device.

use nbody::prelude::*;
use nbody::{Selection, Store};
use nbody_tests::inputs::{Digits, Inputs, particles};
use nbody_tests::splines::alloys::{self, Alloy};
use nbody_tests::splines::nine;
use nbody_tests::splines::splines::{Atom, Bend, Embed, Measured, Sums, Tabulated};

fn atoms(n: usize, seed: u64) -> Vec<Atom> {
    particles(n, Inputs::Uniform, Digits::Few, seed)
}

/// Returns the force of a spline of the square of the distance, and its value.
fn force(energy: f64, slope: f64, d: Vector) -> [f64; 4] {
    let factor = -2.0 * slope;
    [energy, factor * d.x, factor * d.y, factor * d.z]
}

/// Returns the sums of a particle by the splines of the host.
fn expected(law: &Tabulated, i: &Atom, j: &[Atom]) -> Sums {
    let mut f = Sums::default();
    for j in j {
        let d = i.pos - j.pos;
        let (r2, x) = (d.norm2(), i.density - d.norm2());
        let energy = law.energy.at(r2) + law.scale * law.other.at(x);
        let slope = law.energy.slope(r2) - law.scale * law.other.slope(x);
        let [energy, x, y, z] = force(energy, slope, d);
        if j.kind != law.kind {
            f.energy += energy;
        }
        f.force += Vector::new(x, y, z);
        f.bend += law.energy.curvature(j.density) + law.other.third_derivative(i.density);
        f.least = f.least.min(law.other.slope(i.density + j.density));
    }
    f
}

/// Compares found numbers with their expected values, whose terms are below 100.
fn assert_near<const N: usize>(pairs: [(f64, f64); N], precision: Precision, device: &Device) {
    let bound = if precision == Precision::Double { 1e-12 } else { 1e-4 };
    for (found, expected) in pairs {
        let error = (found - expected).abs();
        assert!(error <= bound * (100.0 + expected.abs()), "{device}: {found}, {expected}");
    }
}

#[test]
fn sums_are_sums_of_the_splines_of_the_host() {
    let (i, j, law) = (atoms(37, 1), atoms(90, 2), Tabulated::example());
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision);
            let mut engine = AllPairs::with_options(&device, law.clone(), options).unwrap();
            assert_eq!(engine.parameters(), law);
            let found = engine.evaluate(&i, &j).unwrap();
            for (i, found) in i.iter().zip(&found) {
                let expected = expected(&law, i, &j);
                let pairs = [
                    (found.energy, expected.energy),
                    (found.force.x, expected.force.x),
                    (found.force.y, expected.force.y),
                    (found.force.z, expected.force.z),
                    (found.bend, expected.bend),
                    (found.least, expected.least),
                ];
                assert_near(pairs, precision, &device);
            }
        }
    }
}

/// Returns the sums of a particle of an alloy by the splines of the host.
fn expected_of_alloy(law: &Alloy, i: &alloys::Atom, j: &[alloys::Atom]) -> alloys::Sums {
    let mut f = alloys::Sums::default();
    let row = |kind: u32| kind as usize;
    for j in j {
        let d = i.pos - j.pos;
        let (r2, k, l) = (d.norm2(), row(i.kind), row(j.kind));
        let pair = law.of_pair.get(k, l).unwrap();
        let [of_i, of_j] = [k, l].map(|kind| law.of_type.get(kind, 0).unwrap());
        let energy = i.slope * of_j.at(r2) + j.slope * of_i.at(r2);
        let slope = i.slope * of_j.slope(r2) + j.slope * of_i.slope(r2);
        let [energy, x, y, z] =
            force(pair.at(r2) + law.scale * energy, pair.slope(r2) + law.scale * slope, d);
        f.energy += energy;
        f.force += Vector::new(x, y, z);
        f.bend += law.of_pair.get(l, k).unwrap().curvature(j.slope);
        f.bend += law.of_type.get((l + 1) % 4, 0).unwrap().third_derivative(i.slope);
        f.most = f.most.max(law.mixed.get(k, l % 2).unwrap().slope(i.slope + j.slope));
    }
    f
}

/// Each type and each pair of types has its own function, and a type without one gives NaN.
#[test]
fn pairs_of_types_choose_their_splines() {
    let (i, j): (Vec<alloys::Atom>, Vec<_>) = (
        particles(37, Inputs::Uniform, Digits::Few, 1),
        particles(90, Inputs::Uniform, Digits::Few, 2),
    );
    let law = Alloy::example();
    let mut strange = i.clone();
    strange[5].kind = 4;
    strange[9].kind = u32::MAX;
    for device in nbody_tests::all_devices() {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision);
            let mut engine = AllPairs::with_options(&device, law.clone(), options).unwrap();
            assert_eq!(engine.parameters(), law);
            let found = engine.evaluate(&i, &j).unwrap();
            for (i, found) in i.iter().zip(&found) {
                let expected = expected_of_alloy(&law, i, &j);
                let pairs = [
                    (found.energy, expected.energy),
                    (found.force.x, expected.force.x),
                    (found.force.y, expected.force.y),
                    (found.force.z, expected.force.z),
                    (found.bend, expected.bend),
                    (found.most, expected.most),
                ];
                assert_near(pairs, precision, &device);
            }
            // An atom of an unknown type, as i and as j.
            let found = engine.evaluate(&strange, &j).unwrap();
            for (k, sums) in found.iter().enumerate() {
                let parts = [sums.energy, sums.force.x, sums.force.y, sums.force.z];
                assert!(
                    parts.iter().all(|x| x.is_nan() == (k == 5 || k == 9)),
                    "{device} {sums:?}"
                );
            }
            let found = engine.evaluate(&i, &strange).unwrap();
            assert!(found.iter().all(|f| f.energy.is_nan() && f.force.x.is_nan()), "{device}");
        }
    }
}

#[test]
fn splines_can_be_set() {
    let (i, j) = (atoms(20, 1), atoms(40, 2));
    let law = Tabulated::example();
    let other = Tabulated { energy: Spline::from_fn(0.1..=2.0, f64::sqrt).unwrap(), ..law.clone() };
    for device in nbody_tests::all_devices() {
        let options = Options::default().math(Math::Exact);
        let evaluate = |law: &Tabulated| {
            AllPairs::with_options(&device, law.clone(), options).unwrap().evaluate(&i, &j).unwrap()
        };
        let mut engine = AllPairs::with_options(&device, law.clone(), options).unwrap();
        let (before, after) = (evaluate(&law), evaluate(&other));
        assert_ne!(before, after);
        for (law, expected) in [(&law, &before), (&other, &after), (&law, &before)] {
            engine.set_parameters(law.clone());
            assert_eq!(engine.evaluate(&i, &j).unwrap(), *expected, "{device}");
        }
        // NaN among the numbers of a spline is refused, and other splines are taken again.
        let engine = engine.untyped_mut();
        let mut row = engine.parameters().to_vec();
        row[9] = f64::NAN.to_bits();
        let error = engine.set_parameters(&row).unwrap_err().to_string();
        assert!(error.starts_with("parameter `energy[8]` is NaN"), "{error}");
    }
}

#[test]
fn programs_and_tuples_have_the_bits_of_the_host() {
    let atoms = atoms(300, 3);
    let embed = Embed::example();
    let value = |x: f64| embed.embedding.at(x) + embed.embedding.slope(x);
    let bend = Bend { energy: nine(0.25) };
    let pairs: Vec<[u32; 2]> = (0..299).map(|k| [k, k + 1]).collect();
    for device in nbody_tests::all_devices() {
        let mut particles = device.upload(&atoms, Precision::Double).unwrap();
        let mut update = PerParticle::new(&device, embed.clone()).unwrap();
        // The time of a selection takes the place of an integer before or behind the spline.
        let mut selection = Selection::new(&device).unwrap();
        let count = selection.select_soonest(&particles, "kind", 0).unwrap().0;
        let mut copies = device.upload::<Atom>(&[], Precision::Double).unwrap();
        for (name, other) in [("due", embed.until), ("until", embed.due)] {
            selection.seek_soonest(&particles, "kind", 0).unwrap();
            update.update_copies_due(name, &selection, 300, &particles, &mut copies, ()).unwrap();
            let soonest = atoms.iter().map(|it| it.kind).min().unwrap();
            let kinds: Vec<_> = copies.download().unwrap().iter().map(|it| it.kind).collect();
            assert!(count > 0 && kinds.iter().all(|kind| *kind == soonest + other), "{device}");
        }

        let mut bends = Tuples::new(&device, bend.clone()).unwrap();
        bends.set(&pairs, &[], 300).unwrap();
        let mut sums = bends.results(300, Precision::Double).unwrap();
        bends.evaluate_into(&particles, &mut sums, Store::Replace).unwrap();
        let sums = sums.download::<f64>().unwrap();
        for (k, pair) in atoms.windows(2).enumerate() {
            let r2 = (pair[0].pos - pair[1].pos).norm2();
            assert_eq!(sums[k].energy.to_bits(), bend.energy.at(r2).to_bits(), "{device}");
        }

        update.update(&mut particles, ()).unwrap();
        let after = particles.download().unwrap();
        for (before, after) in atoms.iter().zip(&after) {
            let expected = value(before.density * embed.factor);
            assert_eq!(after.density.to_bits(), expected.to_bits(), "{device}");
            assert_eq!(after.kind, embed.due + embed.until);
        }
        // Embedding functions by the kinds, which are 7 or less.
        let of_kind: [Spline<9>; 4] = [0.0, 0.25, 1.0, 1.5].map(nine);
        let measured = Measured { offset: 3, embedding: of_kind.clone().into() };
        let mut measure = PerParticle::new(&device, measured).unwrap();
        let found = measure.measure(&particles, ()).unwrap().sum;
        let value = |it: &Atom| of_kind[(it.kind as usize + 3) % 4].at(it.density);
        let expected: f64 = after.iter().map(value).sum();
        assert!((found - expected).abs() < 1e-11, "{device}: {found}, {expected}");
    }
}
