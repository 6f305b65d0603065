//! All pairs on the CPU against the reference.

use nbody::check::{Case, ErrorBounds, compare, reference, reference_self};
use nbody::cpu::SimdLevel;
use nbody::prelude::*;
use nbody::{Error, Vector};
use nbody_interactions::gravity::{Body, Field, Gravity};
use proptest::prelude::*;

const GRAVITY: Gravity = Gravity { eps2: 1e-4 };
const SIZES: [usize; 11] = [0, 1, 2, 127, 128, 129, 255, 256, 257, 512, 1000];

fn options() -> impl Iterator<Item = Options> {
    Precision::ALL.iter().flat_map(|&precision| {
        Accumulation::ALL.iter().map(move |&accumulation| {
            Options::default().precision(precision).accumulation(accumulation)
        })
    })
}

fn bodies(n: usize, seed: u64) -> Vec<Body> {
    nbody::models::uniform(n, seed)
}

fn engine(options: Options) -> AllPairs<Gravity> {
    AllPairs::with_options(&Device::cpu(), GRAVITY, options).unwrap()
}

fn engine_with(options: Options, level: SimdLevel) -> AllPairs<Gravity> {
    AllPairs::with_options(&Device::cpu_with(level).unwrap(), GRAVITY, options).unwrap()
}

fn check(options: Options, i: Vec<Body>, j: Vec<Body>) {
    let case = Case::two_sets(&GRAVITY, options.domain, i, j).unwrap();
    let report = case.check(&mut engine(options)).unwrap();
    assert!(report.passes(), "{options:?} {}\n{report}", case.name());
}

/// In double precision the bounds are for double precision: an error of single precision fails.
#[test]
fn cases_have_the_bounds_of_the_engine() {
    let (i, j) = (bodies(50, 1), bodies(60, 2));
    for device in nbody_tests::all_devices() {
        let case = Case::two_sets(&GRAVITY, Domain::Open, i.clone(), j.clone()).unwrap();
        let shifted = Gravity { eps2: GRAVITY.eps2 * (1.0 + 1e-6) };
        for (precision, passes) in [(Precision::Single, true), (Precision::Double, false)] {
            let options = Options::default().precision(precision);
            let mut engine = AllPairs::with_options(&device, GRAVITY, options).unwrap();
            assert!(case.check(&mut engine).unwrap().passes(), "{device} {precision}");
            engine.set_parameters(shifted);
            let report = case.check(&mut engine).unwrap();
            assert_eq!(report.passes(), passes, "{device} {precision}\n{report}");
        }
    }
}

#[test]
fn every_size_agrees_with_the_reference() {
    for options in options() {
        for (ni, nj) in SIZES.into_iter().zip(SIZES.into_iter().rev().cycle()) {
            check(options, bodies(ni, 1), bodies(nj, 2));
            check(options, bodies(nj, 1), bodies(nj, 2));
        }
    }
}

#[test]
fn every_level_agrees_with_the_reference() {
    let sizes = [0, 1, 15, 16, 17, 63, 64, 65, 129, 1000];
    for (ni, nj) in sizes.into_iter().zip(sizes.into_iter().rev()) {
        let one = Case::one_set(&GRAVITY, Domain::Open, bodies(ni, 1), bodies(ni, 1));
        let two = Case::two_sets(&GRAVITY, Domain::Open, bodies(ni, 1), bodies(nj, 2)).unwrap();
        for case in one.into_iter().chain([two]) {
            for options in options() {
                for level in SimdLevel::available() {
                    let mut direct = engine_with(options, level);
                    let report = case.check(&mut direct).unwrap();
                    assert!(report.passes(), "{level} {options} {}\n{report}", case.name());
                }
            }
        }
    }
}

#[test]
fn bits_are_the_same_at_every_level_in_exact_mathematics() {
    for options in options() {
        let order = Some(SummationOrder { bag: 37, splits: 3 });
        let options = options.math(Math::Exact).order(order);
        let case = Case::one_set(&GRAVITY, Domain::Open, bodies(333, 1), bodies(333, 1)).unwrap();
        let engine = |level| engine_with(options, level);
        for level in SimdLevel::available() {
            let same = case.same_bits(&mut engine(level), &mut engine(SimdLevel::Scalar)).unwrap();
            assert!(same, "{level} {options}");
        }
    }
}

/// Rounding errors of sums of equal terms have one sign.
#[test]
fn compensated_sums_of_many_terms_are_within_their_bounds() {
    let target = Body { pos: Point::new(-1.0, 0.5, 0.25), mass: 1.0 };
    let masses: [fn(usize) -> f64; 3] =
        [|_| 0.1, |k| 1.0 / (1.0 + k as f64), |k| [3e4, 0.1, -3e4, 0.3][k % 4]];
    for (turn, mass) in masses.into_iter().enumerate() {
        let body = |k: usize| Body { pos: Point::new(0.5, 1.0, 1.0), mass: mass(k) };
        let case = (0..1 << 18).map(body).collect();
        let case = Case::two_sets(&GRAVITY, Domain::Open, vec![target], case).unwrap();
        for (k, &precision) in Precision::ALL.iter().enumerate() {
            let options = Options::default().accumulation(Accumulation::Compensated);
            let options = options.precision(precision).math([Math::Fast, Math::Exact][k % 2]);
            let order = SummationOrder { bag: 1000, splits: 3 };
            let options = options.order([None, Some(order)][(k + turn) % 2]);
            for level in SimdLevel::available() {
                let mut direct = engine_with(options, level);
                let report = case.check(&mut direct).unwrap();
                assert!(report.passes(), "{level} {options:?} {turn}\n{report}");
            }
        }
    }
}

#[test]
fn unavailable_instructions_are_refused() {
    for level in SimdLevel::ALL.iter().filter(|level| !level.is_available()) {
        let error = Device::cpu_with(*level).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(level.name()) && message.contains("scalar"), "{message}");
    }
    assert!(SimdLevel::ALL.iter().any(|level| !level.is_available()));
    assert!(SimdLevel::best().is_available());
}

#[test]
fn one_pair_is_newtons_law() {
    let at = |x| Body { pos: Point::new(x, 0.0, 0.0), mass: 3.0 };
    let mut direct = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
    let results = direct.evaluate(&[at(0.0)], &[at(2.0)]).unwrap();
    assert_eq!(results, [Field { acc: Vector::new(0.75, 0.0, 0.0), pot: -1.5 }]);
}

#[test]
fn particles_do_not_act_on_themselves() {
    let bodies = bodies(300, 3);
    let gravity = Gravity { eps2: 0.0 };
    for options in options() {
        let mut direct = AllPairs::with_options(&Device::cpu(), gravity, options).unwrap();
        let results = direct.evaluate_self(&bodies).unwrap();
        let truth = reference_self(&gravity, Domain::Open, &bodies, &bodies).unwrap();
        let report = compare(&results, &truth, None).unwrap();
        assert!(report.fields.iter().all(|field| field.rms < 1e-4), "{options:?}\n{report}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let bodies = bodies(700, 4);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| engine(Options::default()).evaluate_self(&bodies).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn particles_and_results_may_be_f32() {
    let rounded = |body: &Body| Body::<f32> {
        pos: Point(body.pos.0.map(|x| x as f32)),
        mass: body.mass as f32,
    };
    let bodies: Vec<_> = bodies(100, 5).iter().map(rounded).collect();
    let results: Vec<Field<f32>> = engine(Options::default()).evaluate(&bodies, &bodies).unwrap();
    assert_eq!(results.len(), 100);
}

#[test]
fn nan_does_not_pass() {
    let mut j = bodies(10, 6);
    j[3].pos = Point::new(f64::NAN, 0.0, 0.0);
    let i = bodies(4, 7);
    let results = engine(Options::default()).evaluate(&i, &j).unwrap();
    let bounds =
        ErrorBounds::new(&GRAVITY, Domain::Open, &i, &j).unwrap().bounds(&Options::default());
    let report =
        compare(&results, &reference(&GRAVITY, Domain::Open, &i, &j).unwrap(), Some(&bounds))
            .unwrap();
    assert!(!report.passes(), "{report}");
    assert_eq!(report.fields[0].non_finite, 4);
}

#[test]
fn a_wrong_component_is_found() {
    let bodies = bodies(50, 8);
    let mut results = reference_self(&GRAVITY, Domain::Open, &bodies, &bodies).unwrap();
    let truth = results.clone();
    results[17].acc[1] *= 1.001;
    assert!(!compare(&truth, &truth, None).unwrap().passes(), "without bounds nothing passes");
    let bounds = ErrorBounds::one_set(&GRAVITY, Domain::Open, &bodies, &bodies)
        .unwrap()
        .bounds(&Options::default());
    assert!(compare(&truth, &truth, Some(&bounds)).unwrap().passes());
    let report = compare(&results, &truth, Some(&bounds)).unwrap();
    assert!(!report.passes(), "{report}");
    assert_eq!((report.fields[0].name, report.fields[0].worst), ("acc", Some(17)));
    assert!(report.fields[1].max == 0.0 && report.fields[0].max > 1e-5, "{report}");
}

#[test]
fn wrong_shapes_are_refused() {
    let mut direct = engine(Options::default());
    let i = direct.upload(&bodies(4, 1)).unwrap();
    let mut out = direct.results(3).unwrap();
    let error = direct.evaluate_into(&i, &i, &mut out).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { what: "results", found: 3, expected: 4 });
    let mut out = direct.results(4).unwrap();
    let j = direct.upload(&bodies(3, 1)).unwrap();
    let error = direct.evaluate_self_into(&i, &j, &mut out).unwrap_err();
    let what = "j-particles of one set";
    assert_eq!(error, Error::LengthMismatch { what, found: 3, expected: 4 });
    let mut five = direct.results(5).unwrap();
    let error = direct.evaluate_first_into(&i, &i, &mut five).unwrap_err();
    assert_eq!(error, Error::TooShort { what: "particles of one set", found: 4, least: 5 });
    let double = Options::default().precision(Precision::Double);
    let j = engine(double).upload(&bodies(4, 1)).unwrap();
    let error = direct.evaluate_into(&i, &j, &mut out).unwrap_err();
    let (found, expected) = (Precision::Double, Precision::Single);
    let mismatch = |what| Error::PrecisionMismatch { what, found, expected };
    assert_eq!(error, mismatch("j-particles"));
    let mut wide = engine(double).results(4).unwrap();
    let accumulation = Accumulation::Direct;
    let mut narrow = engine(Options::default().accumulation(accumulation));
    let error = narrow.evaluate_into(&i, &i, &mut wide).unwrap_err();
    assert_eq!(error, mismatch("results"));
    let order = Some(SummationOrder { bag: 0, splits: 1 });
    let error = AllPairs::with_options(&Device::cpu(), GRAVITY, Options::default().order(order));
    assert_eq!(error.unwrap_err(), Error::EmptySummationOrder { bag: 0, splits: 1 });
    assert!(compare::<Field, f64>(&[], &[Field::default()], None).is_err());
}

proptest! {
    #[test]
    fn every_summation_order_agrees(
        bag in 1_usize..300, splits in 1_usize..9, ni in 0_usize..40, nj in 0_usize..400,
    ) {
        for options in options() {
            let options = options.order(SummationOrder { bag, splits });
            check(options, bodies(ni, 9), bodies(nj, 10));
        }
    }
}
