//! Input that trees refuse with typed errors.

use nbody::cuda::{Error as CudaError, Walk};
use nbody::prelude::*;
use nbody::untyped::EngineState;
use nbody::{Error, Opening, Options, Sources, Store, Tree};
use nbody_interactions::gravity::{self, Body};
use nbody_interactions::softened::Softened;
use nbody_tests::inputs::Inputs;
use nbody_tests::ways::bits;

use super::bodies::{GRAVITY, bodies};

#[test]
fn bad_input_is_refused() {
    let found = Tree::new(&Device::cpu(), Softened, Opening::theta(0.6)).unwrap_err();
    let reason = "`j.eps` is no factor of `(d.norm2() + eps2).rsqrt()`";
    assert_eq!(found, Error::NoTree { law: "softened", reason });
    for number in [0.0, -0.5, f64::INFINITY, f64::NAN] {
        for opening in [Opening::theta(number), Opening::relative(number)] {
            let found = Tree::new(&Device::cpu(), GRAVITY, opening).unwrap_err();
            assert!(matches!(found, Error::InvalidOpening { .. }), "{found}");
            let mut tree = Tree::new(&Device::cpu(), GRAVITY, Opening::theta(0.6)).unwrap();
            tree.set_opening(opening).unwrap_err();
            assert_eq!(tree.opening(), Opening::theta(0.6));
        }
    }
    let mut tree = Tree::new(&Device::cpu(), GRAVITY, Opening::theta(0.6)).unwrap();
    let mut all = bodies(100, Inputs::Uniform);
    all[60].pos = Point::new(0.0, f64::NAN, 0.0);
    all[70].pos = Point::new(f64::INFINITY, 0.0, 0.0);
    let found = tree.evaluate_self::<f64>(&all).unwrap_err();
    let Error::NotFinite { what, index, found } = found else { panic!("{found}") };
    assert!((what, index) == ("j-particles", 60) && found.unwrap()[1].is_nan());
    let good = bodies(100, Inputs::Uniform);
    let found = tree.evaluate::<f64>(&all, &good).unwrap_err();
    assert!(matches!(found, Error::NotFinite { what: "i-particles", index: 60, .. }), "{found}");
    let moved = good
        .iter()
        .map(|body| gravity::Body { pos: body.pos + Vector::new(1.0, 0.0, 0.0), ..*body });
    let [i, j] = [&moved.collect::<Vec<_>>(), &good].map(|bodies| tree.upload(bodies).unwrap());
    let mut out = tree.results(100).unwrap();
    let found = tree.evaluate_with(&i, Sources::Same(&j), &mut out, Store::Replace).unwrap_err();
    assert_eq!(found, Error::OtherPositions);
    let (good, mut few) = (tree.upload(&good).unwrap(), tree.results(99).unwrap());
    let found = tree.evaluate_self_into(&good, &good, &mut few).unwrap_err();
    assert!(matches!(found, Error::LengthMismatch { .. }), "{found}");
    let options = Options::default().precision(Precision::Double);
    let mut double =
        Tree::with_options(&Device::cpu(), GRAVITY, Opening::theta(0.6), options).unwrap();
    let mut out = double.results(100).unwrap();
    let found = double.evaluate_self_into(&good, &good, &mut out).unwrap_err();
    assert!(matches!(found, Error::PrecisionMismatch { .. }), "{found}");
}

#[test]
fn bags_that_do_not_fit_are_refused() {
    let devices = nbody_tests::cuda_devices();
    let order = SummationOrder { bag: 2371, splits: 1 };
    let options = Options::default().order(order);
    for device in &devices {
        let mut tree = Tree::with_options(device, GRAVITY, Opening::theta(0.6), options).unwrap();
        let error = tree.evaluate_self::<f64>(&bodies(10, Inputs::Uniform)).unwrap_err();
        assert!(
            matches!(error.device(), Some(CudaError::KernelDoesNotFit { .. })),
            "{device} {error}"
        );
    }
}

#[test]
fn bad_input_is_refused_everywhere() {
    let devices = nbody_tests::cuda_devices();
    for device in &devices {
        let mut tree = Tree::new(device, GRAVITY, Opening::theta(0.6)).unwrap();
        let good = bodies(100, Inputs::Uniform);
        let mut bad = good.clone();
        bad[60].pos = Point::new(0.0, f64::NAN, 0.0);
        bad[70].pos = Point::new(f64::INFINITY, 0.0, 0.0);
        let error = tree.evaluate_self::<f64>(&bad).unwrap_err();
        let Error::NotFinite { what, index, found } = error else { panic!("{error}") };
        assert!((what, index) == ("j-particles", 60) && found.unwrap()[1].is_nan());
        let error = tree.evaluate::<f64>(&bad, &good).unwrap_err();
        let is_named = |error: &Error| {
            let Error::NotFinite { what, index, .. } = error else { return false };
            (*what, *index) == ("i-particles", 60)
        };
        assert!(is_named(&error), "{error}");
        // The same holds if there are no pairs.
        assert!(is_named(&tree.evaluate::<f64>(&bad, &[]).unwrap_err()), "{device}");
        let error = tree.evaluate::<f64>(&[], &bad).unwrap_err();
        assert!(
            matches!(error, Error::NotFinite { what: "j-particles", index: 60, .. }),
            "{error}"
        );
        // A refused evaluation leaves nothing behind.
        assert!(tree.evaluate_self::<f64>(&good).is_ok());
        let moved =
            good.iter().map(|body| Body { pos: body.pos + Vector::new(1.0, 0.0, 0.0), ..*body });
        let [i, j] = [&moved.collect::<Vec<_>>(), &good].map(|bodies| tree.upload(bodies).unwrap());
        let mut out = tree.results(100).unwrap();
        let error =
            tree.evaluate_with(&i, Sources::Same(&j), &mut out, Store::Replace).unwrap_err();
        assert!(matches!(error, Error::OtherPositions), "{error}");
        let [i, j] = [&good, &good].map(|bodies| tree.upload(bodies).unwrap());
        tree.evaluate_with(&i, Sources::Same(&j), &mut out, Store::Replace).unwrap();
        let of_two = bits(&out.download::<f64>().unwrap());
        assert!(of_two == bits(&tree.evaluate_self::<f64>(&good).unwrap()), "{device}");
        let mut few = tree.results(99).unwrap();
        let error = tree.evaluate_self_into(&i, &i, &mut few).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { .. }), "{error}");
        let double = Options::default().precision(Precision::Double);
        let mut double = Tree::with_options(device, GRAVITY, Opening::theta(0.6), double).unwrap();
        let mut out = double.results(100).unwrap();
        let error = double.evaluate_self_into(&i, &i, &mut out).unwrap_err();
        assert!(matches!(error, Error::ForeignBuffer { .. }), "{error}");
    }
    let mut cpu = Tree::new(&Device::cpu(), GRAVITY, Opening::theta(0.6)).unwrap();
    let error = cpu.set_walk(Walk::Particles).unwrap_err();
    assert!(matches!(error.device(), Some(CudaError::NoWalk { .. })), "{error}");
    assert_eq!(cpu.walk(), Walk::Groups);
}

/// Lengths of results of another number are refused, and wait for an evaluation of theirs.
#[test]
fn lengths_of_another_number_of_results_are_refused() {
    let all = bodies(100, Inputs::Uniform);
    for device in nbody_tests::all_devices() {
        let mut tree = Tree::new(&device, GRAVITY, Opening::relative(0.01)).unwrap();
        let expected = bits(&tree.evaluate_self::<f64>(&all[..60]).unwrap());
        let lengths = tree.compared().unwrap().unwrap();
        assert_eq!(tree.untyped().state().unwrap(), EngineState::Results(lengths.clone()));
        // More lengths than the last evaluation had, and fewer.
        for more in [100, 7] {
            let wrong = EngineState::Results(vec![1.0; more]);
            tree.untyped_mut().restore(&wrong).unwrap();
            assert_eq!(tree.untyped().state().unwrap(), wrong, "{device}");
            assert_eq!(tree.compared().unwrap().unwrap(), lengths, "{device}");
            for _ in 0..2 {
                let error = tree.evaluate_self::<f64>(&all[..60]).unwrap_err();
                let what = "lengths of results to compare with";
                let refusal = Error::LengthMismatch { what, found: more, expected: 60 };
                assert_eq!(error, refusal, "{device}");
                let error = tree.evaluate::<f64>(&all[..60], &[]).unwrap_err();
                assert_eq!(error, refusal, "{device}");
            }
        }
        tree.compare_with(&lengths).unwrap();
        let again = bits(&tree.evaluate_self::<f64>(&all[..60]).unwrap());
        assert!(again == expected, "{device}");
        assert_eq!(tree.compared().unwrap().unwrap(), lengths, "{device}");
        // The engine's own lengths of another number are not used.
        let fresh = Tree::new(&device, GRAVITY, Opening::relative(0.01));
        let expected = bits(&fresh.unwrap().evaluate_self::<f64>(&all).unwrap());
        assert!(bits(&tree.evaluate_self::<f64>(&all).unwrap()) == expected, "{device}");
        tree.compare_with(&[]).unwrap();
        assert_eq!(tree.untyped().state().unwrap(), EngineState::Nothing, "{device}");
        assert!(bits(&tree.evaluate_self::<f64>(&all).unwrap()) == expected, "{device}");
        // Without results nothing was compared.
        assert_eq!(tree.evaluate::<f64>(&[], &all).unwrap(), []);
        assert_eq!(tree.compared().unwrap(), None, "{device}");
    }
}

#[test]
fn triclinic_boxes_are_refused() {
    let vectors = [[2.0, 0.0, 0.0], [0.5, 2.0, 0.0], [0.0, -1.0, 2.0]];
    let domain = Domain::triclinic(vectors).unwrap();
    let options = Options::default().domain(domain);
    for device in nbody_tests::all_devices() {
        let mut tree = Tree::new(&device, GRAVITY, Opening::theta(0.6)).unwrap();
        let refused = [
            Tree::with_options(&device, GRAVITY, Opening::theta(0.6), options).map(|_| ()),
            tree.set_domain(domain),
        ];
        for refused in refused {
            let error = refused.unwrap_err().to_string();
            assert!(
                error.starts_with("trees in a triclinic box: expected a rectangular"),
                "{error}"
            );
        }
        assert_eq!(tree.options().domain, Domain::Open, "{device}");
    }
}
