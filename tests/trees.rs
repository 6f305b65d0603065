//! Trees against all pairs: for every interaction that is a sum over charges.

mod tree_errors;

use nbody::prelude::*;
use nbody::{
    Accumulation, Case, CoreError, CpuAllPairs, CpuTree, Expansion, Interaction, Law, Math,
    Opening, Record, SimdLevel, Store, TreeReport, Writer, compare, reference_self,
};
use nbody_interactions::Visitor;
use nbody_interactions::gravity::{self, Gravity};
use nbody_interactions::softened::Softened;
use nbody_tests::charged::{currents, kinds, planar, plasma, spline};
use nbody_tests::inputs::{Digits, Inputs, particles, particles_twice, sets};

/// An angle at which every cell is opened.
const CLOSED: f64 = 1e-12;

/// Visits the interactions with charges.
fn visit_charges(visitor: &mut impl Visitor) {
    struct WithCharges<'a, V>(&'a mut V);
    impl<V: Visitor> Visitor for WithCharges<'_, V> {
        fn visit<X: Interaction>(&mut self, x: X) {
            if X::LAW.charges.is_ok() {
                self.0.visit(x);
            }
        }
    }
    let mut visitor = WithCharges(visitor);
    nbody_tests::visit_all(&mut visitor);
    visitor.visit(planar::Planar { core2: 0.0625 });
    visitor.visit(spline::Spline { radius: 0.25 });
    visitor.visit(plasma::Plasma);
    visitor.visit(kinds::Kinds { eps2: [0.0625, 0.125, 0.25, 1.0] });
    visitor.visit(currents::Currents { core2: 0.0625 });
}

/// Counts the interactions that were checked.
struct Checked<F>(usize, F);

/// Checks an interaction.
trait Check {
    fn check<X: Interaction>(&mut self, x: X);
}

impl<F: Check> Visitor for Checked<F> {
    fn visit<X: Interaction>(&mut self, x: X) {
        self.0 += 1;
        self.1.check(x);
    }
}

fn check_all(check: impl Check) {
    let mut checked = Checked(0, check);
    visit_charges(&mut checked);
    assert!(checked.0 >= 10, "{} laws with charges", checked.0);
}

#[test]
fn the_library_has_these_charges() {
    struct List(Vec<String>);
    impl Visitor for List {
        fn visit<X: Interaction>(&mut self, _: X) {
            let Law { name, charges, j, .. } = X::LAW;
            self.0.push(match charges {
                Ok(charges) => {
                    let names: Vec<_> = charges.names(j).map(|name| name.to_string()).collect();
                    format!("{name}: {}", names.join(", "))
                }
                Err(reason) => format!("{name} has none: {reason}"),
            });
        }
    }
    let mut list = List(Vec::new());
    nbody_interactions::visit_all(&mut list);
    insta::assert_snapshot!(list.0.join("\n"));
}

/// Opens every cell: all that is left are the particles themselves.
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
                let mut cases = vec![Case::two_sets(&x, domain, i, j)];
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
    let mut tree = CpuTree::with_options(*x, Opening::theta(CLOSED), options).unwrap();
    let report = case.check(&mut tree, &options).unwrap();
    // Some interactions are infinite where particles coincide, or underflow far away, in all pairs too.
    let is_beyond = || {
        let mut direct = CpuAllPairs::with_options(*x, options).unwrap();
        inputs.is_special() && !case.check(&mut direct, &options).unwrap().passes()
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

/// Returns the root mean square of the errors of each field, in units of that of the field.
fn errors<F: Record<Lane = f64>>(found: &[F], expected: &[F]) -> Vec<f64> {
    let [found, expected] = [found, expected].map(numbers);
    let (mut first, mut errors) = (0, Vec::new());
    for field in F::FIELDS {
        let end = first + field.kind.components();
        let (mut error2, mut value2) = (0.0, 0.0);
        for (found, expected) in found.chunks(F::DIM).zip(expected.chunks(F::DIM)) {
            for k in first..end {
                error2 += (found[k] - expected[k]).powi(2);
                value2 += expected[k].powi(2);
            }
        }
        errors.push((error2 / value2).sqrt());
        first = end;
    }
    errors
}

struct Numbers(Vec<f64>);

impl Writer<f64> for Numbers {
    fn real(&mut self, x: f64) {
        self.0.push(x);
    }

    fn index(&mut self, x: u32) {
        self.0.push(x.into());
    }

    fn coordinate(&mut self, x: f64) {
        self.0.push(x);
    }
}

fn numbers<F: Record<Lane = f64>>(records: &[F]) -> Vec<f64> {
    let mut numbers = Numbers(Vec::new());
    for record in records {
        record.write(&mut numbers);
    }
    numbers.0
}

/// Evaluates by a tree.
fn evaluate<X: Interaction>(
    x: X,
    opening: Opening,
    options: Options,
    (i, j, one_set): (&[X::I], &[X::J], bool),
) -> (Vec<X::F>, TreeReport) {
    let mut tree = CpuTree::with_options(x, opening, options).unwrap();
    let mut out = tree.results(i.len()).unwrap();
    let (i, j) = (tree.upload(i).unwrap(), tree.upload(j).unwrap());
    let sources = if one_set { Sources::Same(&j) } else { Sources::Others(&j) };
    tree.evaluate_with(&i, sources, &mut out, Store::Replace).unwrap();
    (tree.download::<f64>(&out).unwrap(), *tree.report())
}

/// Returns random bodies of equal masses.
fn bodies(n: usize, inputs: Inputs) -> Vec<gravity::Body> {
    let bodies = particles::<gravity::Body>(n, inputs, Digits::All, 9).into_iter();
    bodies.map(|body| gravity::Body { mass: 1.0 / n as f64, ..body }).collect()
}

const GRAVITY: Gravity = Gravity { eps2: 1e-4 };

fn bits(fields: &[gravity::Field]) -> Vec<u64> {
    numbers(fields).into_iter().map(f64::to_bits).collect()
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let bodies = bodies(5000, Inputs::Dense);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let opening = Opening::theta(0.7);
        let sets = (&bodies[..], &bodies[..], true);
        pool.install(|| evaluate(GRAVITY, opening, Options::default(), sets).0)
    };
    let expected = bits(&run(1));
    assert_eq!(bits(&run(1)), expected);
    assert_eq!(bits(&run(3)), expected);
}

#[test]
fn exact_mathematics_gives_the_same_bits_on_any_instructions() {
    let bodies = bodies(1100, Inputs::Uniform);
    for precision in [Precision::Single, Precision::Double, Precision::Mixed] {
        let options = Options::default().math(Math::Exact).precision(precision);
        let all = SimdLevel::available().map(|level| {
            let opening = Opening::theta(0.6);
            let mut tree = CpuTree::with_level(GRAVITY, opening, options, level).unwrap();
            bits(&tree.evaluate_self::<f64>(&bodies).unwrap())
        });
        let all: Vec<_> = all.collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{precision}");
    }
}

#[test]
fn sums_are_added_and_first_particles_are_evaluated_alone() {
    let bodies = bodies(2000, Inputs::Uniform);
    let mut tree = CpuTree::new(GRAVITY, Opening::theta(0.6)).unwrap();
    let (all, mut out) = (tree.upload(&bodies).unwrap(), tree.results(2000).unwrap());
    tree.evaluate_self_into(&all, &all, &mut out).unwrap();
    let once = tree.download::<f64>(&out).unwrap();
    let mut first = tree.results(77).unwrap();
    tree.evaluate_with(&all, Sources::First(&all), &mut first, Store::Replace).unwrap();
    assert_eq!(bits(&tree.download::<f64>(&first).unwrap()), bits(&once[..77]));
    tree.evaluate_with(&all, Sources::Same(&all), &mut out, Store::Add).unwrap();
    let twice = tree.download::<f64>(&out).unwrap();
    let double: Vec<_> = numbers(&once).into_iter().map(|x| (2.0 * x).to_bits()).collect();
    assert_eq!(bits(&twice), double);
}

#[test]
fn an_outlier_costs_the_others_nothing() {
    let mut bodies = bodies(6000, Inputs::Uniform);
    let opening = Opening::theta(0.6);
    let count = |bodies: &[gravity::Body]| {
        let (found, report) =
            evaluate(GRAVITY, opening, Options::default(), (bodies, bodies, true));
        let expected = reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, bodies, bodies);
        let errors = errors(&found, &expected);
        assert!(errors.iter().all(|&error| error < 1e-3), "{errors:?}");
        report.evaluations_per_target()
    };
    let without = count(&bodies);
    bodies[77].pos = Point::new(2e6, -1e6, 0.5);
    let with = count(&bodies);
    assert!((with / without - 1.0).abs() < 0.1, "{with} instead of {without}");
}

#[test]
fn clusters_within_clusters_have_small_cells() {
    // Each half of the particles is within a tenth of the distance of the others.
    let mut bodies = bodies(8192, Inputs::Uniform);
    for (k, body) in bodies.iter_mut().enumerate() {
        let size = 10.0_f64.powf(-f64::from((k + 1).trailing_zeros()));
        body.pos = Point(body.pos.0.map(|x| size * x));
    }
    let opening = Opening::theta(0.6);
    let (_, report) = evaluate(GRAVITY, opening, Options::default(), (&bodies, &bodies, true));
    assert!(report.evaluations_per_target() < 3000.0, "{report}");
}

#[test]
fn coincident_particles_are_evaluated() {
    let mut bodies = bodies(3000, Inputs::Uniform);
    for body in &mut bodies[..2500] {
        body.pos = Point::new(0.25, 0.5, 0.75);
    }
    let opening = Opening::theta(0.5);
    let options = Options::default().precision(Precision::Double);
    let (found, report) = evaluate(GRAVITY, opening, options, (&bodies, &bodies, true));
    let expected = reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies);
    let errors = errors(&found, &expected);
    assert!(errors.iter().all(|&error| error < 1e-3), "{errors:?} {report}");
}

/// Returns the greatest relative error of the potentials.
fn worst_potential(x: Gravity, opening: Opening, bodies: &[gravity::Body]) -> f64 {
    let options = Options::default().precision(Precision::Double);
    let expected = reference_self::<Gravity, f64>(&x, Domain::Open, bodies, bodies);
    let (found, _) = evaluate(x, opening, options, (bodies, bodies, true));
    let report = compare::<gravity::Field, f64>(&found, &expected, None).unwrap();
    report.fields[1].max
}

/// A cell without extent at the corner of the box of its group is at no distance from it, unless this is rounded.
#[test]
fn particles_at_the_corner_of_their_group_act_once() {
    for k in 0..24 {
        let mut bodies = bodies(400, Inputs::Uniform);
        let corner =
            Point(std::array::from_fn(|axis| 2.1 + f64::from(k * (axis as u32 + 1)) * 0.0137));
        bodies[..40].iter_mut().for_each(|body| body.pos = corner);
        let opening = Opening::relative(0.01);
        for opening in [opening, opening.expansion(Expansion::Monopole)] {
            let worst = worst_potential(GRAVITY, opening, &bodies);
            assert!(worst < 0.02, "{k} {opening:?} {worst:e}");
        }
    }
}

#[test]
fn tiny_and_huge_distances_lose_no_pair() {
    for scale in [1e-300, 1e-170, 1e170, 1e250] {
        let mut bodies = bodies(1500, Inputs::Uniform);
        for body in &mut bodies {
            body.pos = Point(body.pos.0.map(|x| scale * x));
        }
        for opening in [Opening::relative(0.01), Opening::theta(0.9), Opening::theta(30.0)] {
            // Potentials are those of the softening, or 0.
            let worst = worst_potential(Gravity { eps2: 1.0 }, opening, &bodies);
            assert!(worst < 1e-12, "{scale:e} {opening:?} {worst:e}");
        }
    }
}

/// Masses of which each is in the range of `f32`, but not always the sum of those in a cell.
#[test]
fn sums_of_charges_beyond_the_range_are_found() {
    let gravity = Gravity { eps2: 1e26 };
    let (options, mut wrong, mut refused) = (Options::default(), 0, 0);
    for opening in [Opening::theta(0.8), Opening::theta(0.8).expansion(Expansion::Second)] {
        for mass in [1e30, 1e33, 1e34, 3e35, 1e36, 1e37, 1e38] {
            let mut bodies = bodies(1500, Inputs::Uniform);
            for body in &mut bodies {
                *body = gravity::Body { pos: Point(body.pos.0.map(|x| 1e15 * x)), mass };
            }
            let expected = reference_self(&gravity, Domain::Open, &bodies, &bodies);
            let (found, _) = evaluate(gravity, opening, options, (&bodies, &bodies, true));
            let is_right = errors(&found, &expected).iter().all(|&error| error < 0.05);
            // All pairs have no sums of masses.
            assert_eq!(nbody::check_range_self(&gravity, &options, &bodies, &bodies), Ok(()));
            let checked = nbody::check_range_tree_self(&gravity, &options, &bodies, &bodies);
            let of_two = nbody::check_range_tree(&gravity, &options, &bodies[..3], &bodies);
            assert_eq!(checked, of_two);
            assert!(is_right || checked.is_err(), "{mass:e}: {checked:?}");
            wrong += usize::from(!is_right);
            refused += usize::from(checked.is_err());
            if let Err(error) = checked {
                let message = error.to_string();
                assert!(message.contains("]: mass: Real of "), "{message}");
                assert!(message.starts_with("four times the sum up to j-particles["), "{message}");
            }
        }
    }
    assert!((2..=refused).contains(&wrong) && refused <= 8, "{wrong} wrong, {refused} refused");
    // Terms whose sum is beyond the range, although all masses together are not.
    let near = [gravity::Body { pos: Point::default(), mass: 1.0 }];
    let far = [gravity::Body { pos: Point::new(0.5, 0.0, 0.0), mass: 2e37 }; 4];
    let gravity = Gravity { eps2: 0.0 };
    let options = options.order(SummationOrder { bag: 2, splits: 1 });
    assert_eq!(nbody::check_range(&gravity, &options, &near, &far), Ok(()));
    let found = nbody::check_range_tree(&gravity, &options, &near, &far).unwrap_err().to_string();
    assert!(found.starts_with("results[0]: acc: Vector"), "{found}");
    let softened = particles::<<Softened as Interaction>::I>(3, Inputs::Uniform, Digits::All, 9);
    let found = nbody::check_range_tree_self(&Softened, &options, &softened, &softened);
    assert!(matches!(found, Err(CoreError::NoTree { law: "softened", .. })), "{found:?}");
}

#[test]
fn flat_cells_of_both_signs_lose_no_digits() {
    // A plane that is not along the axes.
    let charge = |(k, body): (usize, gravity::Body)| {
        let [x, y, _] = body.pos.0;
        let pos = Point::new(x, y, 0.3 * x - 0.7 * y + 0.25);
        gravity::Body { pos, mass: if k % 2 == 0 { 1.0 } else { -0.9 } }
    };
    let bodies: Vec<_> =
        bodies(6000, Inputs::Uniform).into_iter().enumerate().map(charge).collect();
    let expected = reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies);
    let error = |precision| {
        let options = Options::default().precision(precision);
        let sets = (&bodies[..], &bodies[..], true);
        errors(&evaluate(GRAVITY, Opening::theta(0.5), options, sets).0, &expected)
    };
    let [single, double] = [Precision::Single, Precision::Double].map(error);
    for (single, double) in single.iter().zip(&double) {
        assert!(*double < 5e-3 && (single / double - 1.0).abs() < 0.1, "{single:e} {double:e}");
    }
}

#[test]
fn cells_of_several_images_are_opened_in_a_box() {
    let domain = Domain::periodic([2.0, 3.0, f64::INFINITY]).unwrap();
    let mut bodies = bodies(6000, Inputs::Uniform);
    for body in &mut bodies {
        body.pos[1] = 1.5 * body.pos[1] - 9.0;
    }
    let options = Options::default().domain(domain).precision(Precision::Double);
    let expected = reference_self::<Gravity, f64>(&GRAVITY, domain, &bodies, &bodies);
    for theta in [0.8, 5.0] {
        let opening = Opening::theta(theta);
        let (found, report) = evaluate(GRAVITY, opening, options, (&bodies, &bodies, true));
        let errors = errors(&found, &expected);
        let limit = if theta < 1.0 { 5e-3 } else { 0.2 };
        assert!(errors.iter().all(|&error| error < limit), "{theta}: {errors:?} {report}");
        assert!(report.evaluations_per_target() < 5500.0, "{theta}: {report}");
    }
}

#[test]
fn bad_input_is_refused() {
    let found = CpuTree::new(Softened, Opening::theta(0.6)).unwrap_err();
    let reason = "`j.eps` is no factor of `(d.norm2() + eps2).rsqrt()`";
    assert_eq!(found, CoreError::NoTree { law: "softened", reason });
    for number in [0.0, -0.5, f64::INFINITY, f64::NAN] {
        for opening in [Opening::theta(number), Opening::relative(number)] {
            let found = CpuTree::new(GRAVITY, opening).unwrap_err();
            assert!(matches!(found, CoreError::InvalidOpening { .. }), "{found}");
            let mut tree = CpuTree::new(GRAVITY, Opening::theta(0.6)).unwrap();
            tree.set_opening(opening).unwrap_err();
            assert_eq!(tree.opening(), Opening::theta(0.6));
        }
    }
    let mut tree = CpuTree::new(GRAVITY, Opening::theta(0.6)).unwrap();
    let mut all = bodies(100, Inputs::Uniform);
    all[60].pos = Point::new(0.0, f64::NAN, 0.0);
    all[70].pos = Point::new(f64::INFINITY, 0.0, 0.0);
    let found = tree.evaluate_self::<f64>(&all).unwrap_err();
    let CoreError::NotFinite { what, index, found } = found else { panic!("{found}") };
    assert!((what, index) == ("j-particles", 60) && found[1].is_nan());
    let good = bodies(100, Inputs::Uniform);
    let found = tree.evaluate::<f64>(&all, &good).unwrap_err();
    assert!(
        matches!(found, CoreError::NotFinite { what: "i-particles", index: 60, .. }),
        "{found}"
    );
    let moved = good
        .iter()
        .map(|body| gravity::Body { pos: body.pos + Vector::new(1.0, 0.0, 0.0), ..*body });
    let [i, j] = [&moved.collect::<Vec<_>>(), &good].map(|bodies| tree.upload(bodies).unwrap());
    let mut out = tree.results(100).unwrap();
    let found = tree.evaluate_with(&i, Sources::Same(&j), &mut out, Store::Replace).unwrap_err();
    assert_eq!(found, CoreError::OtherPositions);
    let (good, mut few) = (tree.upload(&good).unwrap(), tree.results(99).unwrap());
    let found = tree.evaluate_self_into(&good, &good, &mut few).unwrap_err();
    assert!(matches!(found, CoreError::LengthMismatch { .. }), "{found}");
    let options = Options::default().precision(Precision::Double);
    let mut double = CpuTree::with_options(GRAVITY, Opening::theta(0.6), options).unwrap();
    let mut out = double.results(100).unwrap();
    let found = double.evaluate_self_into(&good, &good, &mut out).unwrap_err();
    assert!(matches!(found, CoreError::PrecisionMismatch { .. }), "{found}");
}

#[test]
fn bags_of_any_size_hold_what_there_is() {
    let bodies = bodies(700, Inputs::Uniform);
    let run = |bag: usize| {
        let mut options = Options::default().accumulation(Accumulation::Direct);
        options.order = Some(nbody::SummationOrder { bag, splits: 1 });
        bits(&evaluate(GRAVITY, Opening::theta(0.8), options, (&bodies, &bodies, true)).0)
    };
    assert_eq!(run(usize::MAX), run(1 << 20));
}

#[test]
fn charges_that_are_nan_give_nan() {
    let mut bodies = bodies(500, Inputs::Uniform);
    bodies[123].mass = f64::NAN;
    let opening = Opening::theta(0.8);
    let (found, _) = evaluate(GRAVITY, opening, Options::default(), (&bodies, &bodies, true));
    assert!(found.iter().enumerate().all(|(k, field)| k == 123 || field.pot.is_nan()));
}
