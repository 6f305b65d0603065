//! Trees against all pairs, for every interaction that is a sum over charges.

use nbody::check::Case;
use nbody::law::Record;
use nbody::prelude::*;
use nbody::{Accumulation, AllPairs, Interaction, Math, Opening, Tree};
use nbody_tests::inputs::{Digits, Inputs, particles_twice, sets};

use super::bodies::CLOSED;
use super::charges::{Check, check_all};

/// Opens every cell, so that only the particles themselves act.
struct Opened;

impl Check for Opened {
    fn check<X: Interaction>(&mut self, x: X) {
        let domains = [
            Domain::Open,
            Domain::periodic([2.0; 3]).unwrap(),
            Domain::periodic([2.0, f64::INFINITY, 4.0]).unwrap(),
        ];
        let each = [
            Inputs::Uniform,
            Inputs::Dense,
            Inputs::Slab,
            Inputs::Plane,
            Inputs::Line,
            Inputs::Far,
            Inputs::Outlier,
            Inputs::Point,
        ];
        for (turn, inputs) in each.into_iter().enumerate() {
            for (k, n) in [0, 1, 2, 31, 33, 130].into_iter().enumerate() {
                let domain = domains[(turn + k) % 3];
                let (i, j) = sets(n, inputs, Digits::Few);
                let (a, b) = particles_twice(n, inputs, Digits::Few);
                let mut cases = vec![Case::two_sets(&x, domain, i, j).unwrap()];
                // Random particles of two types are at different positions.
                if X::I::FIELDS == X::J::FIELDS {
                    cases.push(Case::one_set(&x, domain, a, b).unwrap());
                }
                for case in &cases {
                    check_opened(&x, domain, inputs, case, turn + k);
                }
            }
        }
    }
}

fn check_opened<X: Interaction>(
    x: &X,
    domain: Domain,
    inputs: Inputs,
    case: &Case<X>,
    turn: usize,
) {
    let precision = [Precision::Single, Precision::Double, Precision::Mixed][turn % 3];
    let accumulation = [
        Accumulation::BlockedF64,
        Accumulation::Direct,
        Accumulation::Compensated,
        Accumulation::Blocked,
    ];
    let math = [Math::Fast, Math::Exact][turn / 2 % 2];
    let options = Options::default().precision(precision).domain(domain).math(math);
    let options = options.accumulation(accumulation[turn % 4]);
    let mut tree =
        Tree::with_options(&Device::cpu(), x.clone(), Opening::theta(CLOSED), options).unwrap();
    let report = case.check(&mut tree).unwrap();
    // Some interactions are infinite where particles coincide, or underflow far away; so are they
    // over all pairs.
    let is_beyond = || {
        let mut direct = AllPairs::with_options(&Device::cpu(), x.clone(), options).unwrap();
        inputs.is_special() && !case.check(&mut direct).unwrap().passes()
    };
    assert!(
        report.passes() || is_beyond(),
        "{} {} {inputs:?} {domain:?} {options:?}\n{report}",
        X::LAW.name,
        case.name()
    );
}

#[test]
fn opened_cells_give_the_results_of_all_pairs() {
    check_all(Opened);
}
