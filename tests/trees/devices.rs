//! Trees on every device: the results of all pairs, and the same bits everywhere in exact
//! mathematics.

use nbody::check::Case;
use nbody::cuda::Walk;
use nbody::law::Record;
use nbody::prelude::*;
use nbody::{Accumulation, Expansion, Interaction, Math, Options};
use nbody_interactions::Visitor;
use nbody_interactions::hermite::Hermite;
use nbody_tests::charged::{currents, kinds, planar, plasma, spline};
use nbody_tests::inputs::{Digits, Inputs, particles_twice, sets};

use super::bodies::{CLOSED, GRAVITY};

const INPUTS: [Inputs; 8] = [
    Inputs::Uniform,
    Inputs::Dense,
    Inputs::Slab,
    Inputs::Plane,
    Inputs::Line,
    Inputs::Far,
    Inputs::Outlier,
    Inputs::Point,
];

const SIZES: [usize; 7] = [0, 1, 2, 31, 33, 130, 500];

/// Checks interactions in turn.
struct Everywhere {
    devices: Vec<Device>,
    /// Number of visited interactions that trees can evaluate.
    met: usize,
    /// Number of checked interactions.
    turn: usize,
}

impl Visitor for Everywhere {
    fn visit<X: Interaction>(&mut self, x: X) {
        if X::LAW.charges.is_err() {
            return;
        }
        self.met += 1;
        // Programs of trees take long to compile: a quick test checks every third law.
        if nbody_tests::is_quick() && !self.met.is_multiple_of(3) {
            return;
        }
        for device in &self.devices {
            check_groups(device, x.clone(), self.turn);
            check_particles(device, x.clone(), self.turn);
        }
        self.turn += 1;
    }
}

fn options(turn: usize, math: Math) -> Options {
    let domains = [
        Domain::Open,
        Domain::periodic([2.0; 3]).unwrap(),
        Domain::periodic([2.0, f64::INFINITY, 4.0]).unwrap(),
    ];
    let accumulation = [
        Accumulation::BlockedF64,
        Accumulation::Direct,
        Accumulation::Compensated,
        Accumulation::Blocked,
    ];
    let precision = [Precision::Single, Precision::Double, Precision::Mixed][turn % 3];
    let options = Options::default().precision(precision).domain(domains[turn / 3 % 3]).math(math);
    options.accumulation(accumulation[turn % 4])
}

fn case<X: Interaction>(
    x: &X,
    options: &Options,
    n: usize,
    inputs: Inputs,
    twice: bool,
) -> Case<X> {
    // Random particles of two types are at different positions.
    if twice && X::I::FIELDS == X::J::FIELDS {
        let (i, j) = particles_twice(n, inputs, Digits::Few);
        Case::one_set(x, options.domain, i, j).unwrap()
    } else {
        let (i, j) = sets(n, inputs, Digits::Few);
        Case::two_sets(x, options.domain, i, j).unwrap()
    }
}

/// Tests whether results have the bits of the CPU: on a GPU, NaN and functions have different
/// bits.
fn has_bits_of_cpu<X: Interaction>(device: &Device, inputs: Inputs) -> bool {
    device.properties().is_none() || X::LAW.operations.special == 0 && !inputs.is_special()
}

/// Checks the results of a tree with all cells opened. Some interactions are infinite where
/// particles coincide, or underflow far away; so are they over all pairs.
fn check_opened<X: Interaction>(
    tree: &mut Tree<X>,
    x: X,
    options: &Options,
    (case, inputs): (&Case<X>, Inputs),
) {
    let report = case.check(tree).unwrap();
    let is_beyond = || {
        let mut direct = AllPairs::with_options(&Device::cpu(), x, *options).unwrap();
        inputs.is_special() && !case.check(&mut direct).unwrap().passes()
    };
    let (name, case, device, walk) = (X::LAW.name, case.name(), tree.device(), tree.walk());
    let is_good = report.passes() || is_beyond();
    assert!(is_good, "{name} {case} {device} {inputs:?} {walk} {options:?}\n{report}");
}

/// Checks walks of groups: with opened cells they give the results of all pairs, and with any
/// cells the bits of the CPU.
fn check_groups<X: Interaction>(device: &Device, x: X, turn: usize) {
    let (name, options) = (X::LAW.name, options(turn, Math::Exact));
    let opened = Opening::theta(CLOSED);
    let mut tree = Tree::with_options(device, x.clone(), opened, options).unwrap();
    let mut cpu = Tree::with_options(&Device::cpu(), x.clone(), opened, options).unwrap();
    for (k, n) in SIZES.into_iter().enumerate() {
        let inputs = INPUTS[(turn + k) % INPUTS.len()];
        let case = case(&x, &options, n, inputs, k % 2 == 0);
        check_opened(&mut tree, x.clone(), &options, (&case, inputs));
        if has_bits_of_cpu::<X>(device, inputs) {
            assert!(case.same_bits(&mut tree, &mut cpu).unwrap(), "{name} {device} {inputs:?} {n}");
        }
    }
    let expansion = [Expansion::Second, Expansion::Monopole][turn % 2];
    let mut openings = vec![Opening::theta(0.6).expansion(expansion), Opening::theta(1.0)];
    let relative = Opening::relative(0.01).expansion(expansion);
    // The logarithm on a GPU differs in the last bits.
    if device.properties().is_none() && tree.set_opening(relative).is_ok() {
        openings.push(relative);
    }
    for (k, opening) in openings.into_iter().enumerate() {
        tree.set_opening(opening).unwrap();
        cpu.set_opening(opening).unwrap();
        let inputs = INPUTS[(turn + k) % INPUTS.len()];
        let case = case(&x, &options, 1500, inputs, k % 2 == 0);
        if has_bits_of_cpu::<X>(device, inputs) {
            let is_same = case.same_bits(&mut tree, &mut cpu).unwrap();
            assert!(is_same, "{name} {device} {inputs:?} {opening:?}");
        }
    }
}

/// Checks walks of particles: with opened cells they give the results of all pairs.
fn check_particles<X: Interaction>(device: &Device, x: X, turn: usize) {
    let options = options(turn + 1, [Math::Fast, Math::Exact][turn % 2]);
    let mut tree = Tree::with_options(device, x.clone(), Opening::theta(CLOSED), options).unwrap();
    tree.set_walk(Walk::Particles).unwrap();
    for (k, n) in SIZES.into_iter().enumerate() {
        let inputs = INPUTS[(turn + k) % INPUTS.len()];
        let case = case(&x, &options, n, inputs, k % 2 == 1);
        check_opened(&mut tree, x.clone(), &options, (&case, inputs));
    }
}

#[test]
fn interactions_of_the_library_agree_everywhere() {
    let devices = nbody_tests::cuda_devices();
    let mut all = Everywhere { devices, met: 0, turn: 0 };
    nbody_interactions::visit_all(&mut all);
    assert!(all.met >= 8 && all.turn > 1, "{} of {} interactions", all.turn, all.met);
}

#[test]
fn other_interactions_agree_everywhere() {
    let devices = nbody_tests::cuda_devices();
    let mut all = Everywhere { devices, met: 0, turn: 1 };
    all.visit(planar::Planar { core2: 0.0625 });
    all.visit(spline::SplineSoftened { radius: 0.25 });
    all.visit(plasma::Plasma);
    all.visit(kinds::Kinds { eps2: [0.0625, 0.125, 0.25, 1.0] });
    all.visit(currents::Currents { core2: 0.0625 });
    all.visit(Hermite { eps2: 1e-4 });
}

/// Checks each precision in each domain: with opened cells both walks give the results of all
/// pairs, and groups have the bits of the CPU.
fn check_precisions_and_domains<X: Interaction>(x: X) {
    let devices = nbody_tests::cuda_devices();
    for device in &devices {
        // Every fourth turn has another precision and another domain.
        let step = if nbody_tests::is_quick() { 4 } else { 1 };
        for options in (0..9).step_by(step).map(|turn| options(turn, Math::Exact)) {
            let opened = Opening::theta(CLOSED);
            let mut tree = Tree::with_options(device, x.clone(), opened, options).unwrap();
            let mut cpu = Tree::with_options(&Device::cpu(), x.clone(), opened, options).unwrap();
            // `Far` is left out: masses over distances just above 2^18 are a little less than
            // multiples of half a unit in the last place of sums in `f32`, so that their rounding
            // errors add up.
            let each = INPUTS.into_iter().filter(|&inputs| inputs != Inputs::Far);
            for (k, inputs) in each.enumerate() {
                let case = case(&x, &options, 130, inputs, k % 2 == 0);
                for walk in [Walk::Particles, Walk::Groups] {
                    tree.set_walk(walk).unwrap();
                    check_opened(&mut tree, x.clone(), &options, (&case, inputs));
                }
                if has_bits_of_cpu::<X>(device, inputs) {
                    check_bits((&mut tree, &mut cpu), (&case, inputs));
                }
            }
        }
    }
}

/// Checks that two trees have the same bits, with all cells opened and with a wide angle.
fn check_bits<X: Interaction>(
    (tree, cpu): (&mut Tree<X>, &mut Tree<X>),
    (case, inputs): (&Case<X>, Inputs),
) {
    let wide = Opening::theta(2.0).expansion(Expansion::Monopole);
    for opening in [wide, Opening::theta(CLOSED)] {
        tree.set_opening(opening).unwrap();
        cpu.set_opening(opening).unwrap();
        let (name, options) = (X::LAW.name, cpu.options());
        assert!(case.same_bits(tree, cpu).unwrap(), "{name} {inputs:?} {opening:?} {options:?}");
    }
}

#[test]
fn gravity_agrees_in_all_precisions_and_domains() {
    check_precisions_and_domains(GRAVITY);
}

#[test]
fn a_plane_agrees_in_all_precisions_and_domains() {
    check_precisions_and_domains(planar::Planar { core2: 0.0625 });
}

/// Checks all distributions and sizes, as one set and as two.
#[test]
fn gravity_agrees_for_all_distributions() {
    let devices = nbody_tests::cuda_devices();
    let options = Options::default().math(Math::Exact);
    for device in &devices {
        let opening = Opening::theta(0.7);
        let mut tree = Tree::with_options(device, GRAVITY, opening, options).unwrap();
        let mut cpu = Tree::with_options(&Device::cpu(), GRAVITY, opening, options).unwrap();
        for (k, inputs) in INPUTS.into_iter().enumerate() {
            for (m, n) in [1, 16, 17, 33, 700, 4097].into_iter().enumerate() {
                let case = case(&GRAVITY, &options, n, inputs, (k + m) % 2 == 0);
                let is_same = case.same_bits(&mut tree, &mut cpu).unwrap();
                assert!(is_same, "{device} {inputs:?} {n}");
            }
        }
    }
}
