//! Tests of the reference of a sample, and of the check of the range.
mod common;

use common::{Body, Field, Gravity, Whole, bodies};
use nbody_core::{
    Accumulation, Domain, Error, Options, Point, Precision, SummationOrder, check_range,
    check_range_self, compare, pack, reference, reference_sample, reference_self,
    reference_self_sample, sample,
};

const GRAVITY: Gravity = Gravity { eps2: 1e-4 };
const WHOLE: Whole = Whole { eps2: 1e-4 };

fn domains() -> [Domain; 3] {
    let vectors = [[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [-0.5, 0.3, 2.0]];
    let boxes = [Domain::periodic([1.0, 0.75, 2.0]), Domain::triclinic(vectors)];
    let [rectangular, triclinic] = boxes.map(Result::unwrap);
    [Domain::Open, rectangular, triclinic]
}

/// Lists of indices below `n`: samples, and others in any order, some of them twice.
fn targets(n: usize) -> Vec<Vec<usize>> {
    let samples = [0, 1, 2, 10, n, n + 1].map(|count| sample(n, count));
    let backwards = (0..n).rev().collect();
    let mixed = (0..n).map(|k| (7 * k + 3) % n / 2).collect();
    samples.into_iter().chain([backwards, mixed]).collect()
}

fn bits(results: &[Field]) -> Vec<u64> {
    pack::rows(&results)
}

#[test]
fn the_sample_of_two_sets_has_the_bits_of_all() {
    for (n, nj) in [(0, 10), (1, 0), (10, 300), (300, 50)] {
        let (i, j) = (bodies(n, 1), bodies(nj, 2));
        for domain in domains() {
            let all = reference(&GRAVITY, domain, &i, &j).unwrap();
            for targets in targets(n) {
                let expected: Vec<_> = targets.iter().map(|&k| all[k]).collect();
                let found = reference_sample(&GRAVITY, domain, &i, &j, &targets).unwrap();
                assert_eq!(bits(&found), bits(&expected), "{n} x {nj} {domain:?} {targets:?}");
            }
        }
    }
}

#[test]
fn the_sample_of_one_set_has_the_bits_of_all() {
    for n in [0, 1, 2, 10, 300] {
        let set = bodies(n, 3);
        for domain in domains() {
            let all = reference_self(&GRAVITY, domain, &set, &set).unwrap();
            let whole = reference_self(&WHOLE, domain, &set, &set).unwrap();
            assert!(n == 0 || bits(&all) != bits(&whole), "no particle acts on itself");
            for targets in targets(n) {
                let picked = |all: &[Field]| targets.iter().map(|&k| all[k]).collect::<Vec<_>>();
                let found = reference_self_sample(&GRAVITY, domain, &set, &set, &targets).unwrap();
                assert_eq!(bits(&found), bits(&picked(&all)), "{n} {domain:?} {targets:?}");
                let found = reference_self_sample(&WHOLE, domain, &set, &set, &targets).unwrap();
                assert_eq!(bits(&found), bits(&picked(&whole)), "{n} {domain:?} {targets:?}");
            }
        }
    }
}

#[test]
fn particles_of_a_sample_may_be_f32() {
    let set: Vec<Body<f32>> = pack::cast(&bodies(100, 4));
    let targets = sample(100, 9);
    let all = reference_self(&GRAVITY, Domain::Open, &set, &set).unwrap();
    let expected: Vec<_> = targets.iter().map(|&k| all[k]).collect();
    let found = reference_self_sample(&GRAVITY, Domain::Open, &set, &set, &targets).unwrap();
    assert_eq!(bits(&found), bits(&expected));
    let all = reference(&GRAVITY, Domain::Open, &set, &set).unwrap();
    let expected: Vec<_> = targets.iter().map(|&k| all[k]).collect();
    let found = reference_sample(&GRAVITY, Domain::Open, &set, &set, &targets).unwrap();
    assert_eq!(bits(&found), bits(&expected));
}

#[test]
fn a_wrong_result_is_found_in_a_sample() {
    let set = bodies(500, 5);
    let mut results = reference_self(&GRAVITY, Domain::Open, &set, &set).unwrap();
    let targets = sample(500, 50);
    results[targets[17]].acc[1] += 1.0;
    let truth = reference_self_sample(&GRAVITY, Domain::Open, &set, &set, &targets).unwrap();
    let found: Vec<_> = targets.iter().map(|&k| results[k]).collect();
    let report = compare(&found, &truth, None).unwrap();
    let acc = &report.fields[0];
    assert_eq!((report.n, acc.worst, acc.median), (50, Some(17), 0.0), "{report}");
    assert!(acc.p99 == acc.max && acc.max > 0.0, "{report}");
}

#[test]
fn targets_beyond_the_particles_are_refused() {
    // More j-particles than i-particles: the targets are i-particles.
    let (i, j) = (bodies(10, 6), bodies(20, 7));
    for found in [10, 15, usize::MAX] {
        let targets = [0, 9, found, 30];
        let error = Error::NoParticle { what: "targets", at: 2, found, n: 10 };
        let two = reference_sample(&GRAVITY, Domain::Open, &i, &j, &targets);
        assert_eq!(two, Err(error.clone()));
        let one = reference_self_sample(&GRAVITY, Domain::Open, &i, &j, &targets);
        assert_eq!(one, Err(error));
    }
    let none = reference_sample(&GRAVITY, Domain::Open, &bodies(0, 1), &j, &[0]).unwrap_err();
    let message = "targets[0] names particle 0 of 0; indices of particles begin with 0";
    assert_eq!(none.to_string(), message);
}

/// Returns the error of a check of the range, as text: none if the range holds the numbers.
fn range_of(bodies: &[Body], options: &Options) -> Option<String> {
    let law = Gravity { eps2: 0.0 };
    check_range_self(&law, options, bodies, bodies).err().map(|error| error.to_string())
}

#[test]
fn units_beyond_the_range_of_a_precision_are_found() {
    let body = |x: f64, mass: f64| Body { pos: Point::new(x, 0.0, 0.0), mass };
    let single = Options::default();
    let mixed = single.precision(Precision::Mixed);
    let double = single.precision(Precision::Double);
    // The squares of distances are beyond the range, or below it.
    for scale in [1.54e21, 1e-21] {
        let two = [body(-scale, 1.327e31), body(scale, 1.327e31)];
        for options in [single, mixed] {
            let error = range_of(&two, &options).unwrap();
            assert!(error.starts_with("results[0]: acc: Vector of"), "{error}");
            assert!(error.contains("scale the units"), "{error}");
        }
        assert_eq!(range_of(&two, &double), None);
    }
    // Some of the pairs alone.
    let mut cluster = bodies(200, 3);
    assert_eq!(range_of(&cluster, &single), None);
    assert_eq!(range_of(&cluster, &mixed), None);
    for body in &mut cluster {
        body.pos = Point(body.pos.0.map(|x| x * 2e19));
    }
    assert!(range_of(&cluster, &single).is_some());
    // The last particle, which its mass takes beyond the range.
    let mut cluster = bodies(200, 3);
    cluster[199].mass = 1e39;
    let error = range_of(&cluster, &single).unwrap();
    assert!(error.starts_with("i-particles[199]: mass: Real of 1e39 becomes inf"), "{error}");
    // An infinity or NaN that is given leaves no range.
    cluster[199].mass = f64::NAN;
    assert_eq!(range_of(&cluster, &single), None);
    cluster[199].mass = f64::INFINITY;
    assert_eq!(range_of(&cluster, &single), None);
    let error = check_range_self(&GRAVITY, &single, &cluster, &cluster[1..]);
    assert!(matches!(error, Err(Error::LengthMismatch { .. })), "{error:?}");
    assert_eq!(check_range(&GRAVITY, &single, &bodies(3, 1), &[]), Ok(()));
    assert_eq!(check_range(&GRAVITY, &single, &[], &bodies(3, 1)), Ok(()));
}

#[test]
fn sums_beyond_the_range_of_their_accumulators_are_found() {
    let far = Body { pos: Point::new(1.0, 0.0, 0.0), mass: 1e38 };
    let near = Body { pos: Point::default(), mass: 1.0 };
    let law = Gravity { eps2: 0.0 };
    for (accumulation, bag, is_beyond) in [
        (Accumulation::BlockedF64, 2, false),
        (Accumulation::BlockedF64, 4, true),
        (Accumulation::Blocked, 2, true),
        (Accumulation::Direct, 2, true),
    ] {
        let options = Options::default().accumulation(accumulation);
        let options = options.order(SummationOrder { bag, splits: 1 });
        let found = check_range(&law, &options, &[near], &[far; 4]);
        assert_eq!(found.is_err(), is_beyond, "{accumulation}: {found:?}");
        if let Err(Error::BeyondRange { found, computed, .. }) = found {
            assert_eq!((found, computed), (4e38, f64::INFINITY));
        }
    }
}

/// A particle of one set has no pair with itself; the parameters are checked, too; distances in a
/// box are to the nearest images.
#[test]
fn the_range_is_that_of_the_pairs_and_of_all_that_they_read() {
    let body = |x: f64| Body { pos: Point::new(x, 0.0, 0.0), mass: 1e20 };
    let (two, single) = ([body(0.0), body(1.0)], Options::default());
    // The softening is lost, which a particle at the same place alone can tell.
    let law = Gravity { eps2: 1e-60 };
    assert_eq!(check_range_self(&law, &single, &two, &two), Ok(()));
    assert!(check_range(&law, &single, &two, &two).is_err());
    let error = check_range_self(&Gravity { eps2: 1e39 }, &single, &two, &two).unwrap_err();
    assert!(error.to_string().starts_with("parameters[0]: eps2: Real of 1e39"), "{error}");
    // The square of their distance is beyond the range, but the nearest image is close.
    let (law, length) = (Gravity { eps2: 0.0 }, 3e19);
    let two = [body(1e15), body(length - 1e15)];
    assert!(check_range_self(&law, &single, &two, &two).is_err());
    let boxed = single.domain(Domain::periodic([length; 3]).unwrap());
    assert_eq!(check_range_self(&law, &boxed, &two, &two), Ok(()));
}
