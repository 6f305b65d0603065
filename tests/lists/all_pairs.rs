//! Neighbour lists against all pairs, for every interaction with a cutoff, on every kind of input
//! and on every device.

use nbody::check::{Case, ErrorBounds, compare, reference};
use nbody::prelude::*;
use nbody::{Accumulation, Error, Interaction, Math, Skin};
use nbody_interactions::Visitor;
use nbody_interactions::lennard_jones::LennardJones;
use nbody_tests::contacts::contact::{Ball, Either, Near, Uniform};
use nbody_tests::inputs::{Digits, Inputs, particles, particles_twice, sets};
use nbody_tests::lists::over_lists;
use nbody_tests::spaces::{Source, Spaces, Target};

/// Bound on the distances that lists round: 8 reaches, plus one.
const ROUNDED: f64 = 9.0;

/// Checks the cases of an interaction.
struct Check {
    device: Device,
    sizes: &'static [usize],
    digits: Digits,
    laws: usize,
    /// Cases that were compared, refused since the cutoff is half of a box or more, or left out
    /// since results are infinite.
    compared: usize,
    refused: usize,
    infinite: usize,
    /// Whether each law is evaluated in one way, instead of in one way for each case.
    one_way: bool,
}

impl Check {
    fn new(device: Device, sizes: &'static [usize], digits: Digits) -> Self {
        let [laws, compared, refused, infinite] = [0; 4];
        Self { device, sizes, digits, laws, compared, refused, infinite, one_way: false }
    }

    /// Checks that more than `laws` laws, and most cases, were compared.
    fn conclude(&self, laws: usize) {
        let Self { compared, refused, infinite, .. } = *self;
        assert!(self.laws > laws, "{} laws with a cutoff", self.laws);
        let counts = format!("{compared} cases compared, {refused} refused, {infinite} infinite");
        assert!(compared > 6 * laws && 5 * (refused + infinite) < compared, "{counts}");
    }
}

impl Visitor for Check {
    fn visit<X: Interaction>(&mut self, x: X) {
        if !X::LAW.cutoff || self.one_way && !nbody_tests::is_tested(X::LAW, true) {
            return;
        }
        self.laws += 1;
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
            Inputs::Far,
            Inputs::Point,
        ];
        for (turn, inputs) in each.into_iter().enumerate() {
            for (k, &n) in self.sizes.iter().enumerate() {
                let domain = domains[(turn + k + self.laws) % domains.len()];
                let (i, j) = sets(n, inputs, self.digits);
                let (a, b) = particles_twice(n, inputs, self.digits);
                let one = Case::one_set(&x, domain, a, b).unwrap();
                for mut case in [Case::two_sets(&x, domain, i, j).unwrap(), one] {
                    if self.digits == Digits::All {
                        case = case.with_position_error(ROUNDED);
                    }
                    let way = if self.one_way { self.laws } else { turn + k };
                    *match check(&self.device, &x, domain, inputs, &case, way) {
                        Outcome::Compared => &mut self.compared,
                        Outcome::Refused => &mut self.refused,
                        Outcome::Infinite => &mut self.infinite,
                    } += 1;
                }
            }
        }
    }
}

/// Outcome of a case that does not fail.
#[derive(Debug, PartialEq)]
enum Outcome {
    Compared,
    /// The cutoff is half of a box or more.
    Refused,
    /// Some interactions are infinite where particles coincide.
    Infinite,
}

fn check<X: Interaction>(
    device: &Device,
    x: &X,
    domain: Domain,
    inputs: Inputs,
    case: &Case<X>,
    turn: usize,
) -> Outcome {
    let precision = [Precision::Single, Precision::Double, Precision::Mixed][turn % 3];
    let accumulation = [Accumulation::BlockedF64, Accumulation::Direct, Accumulation::Compensated];
    let math = [Math::Fast, Math::Exact][turn / 2 % 2];
    let options = Options::default().precision(precision).domain(domain).math(math);
    let options = options.accumulation(accumulation[turn % 3]);
    let skin = [Skin::Auto, Skin::Length(0.0), Skin::Length(0.375)][turn % 3];
    let mut lists = over_lists(device, x.clone(), options, skin);
    if let Err(Error::CutoffBeyondBox { .. }) = case.evaluate(&mut lists) {
        return Outcome::Refused;
    }
    let report = case.check(&mut lists).unwrap();
    let infinite =
        inputs == Inputs::Point && report.fields.iter().any(|field| field.non_finite > 0);
    assert!(
        report.passes() || infinite,
        "{device} {} {} {inputs:?} {domain:?} {options:?} {skin:?}\n{report}",
        X::LAW.name,
        case.name()
    );
    if report.passes() { Outcome::Compared } else { Outcome::Infinite }
}

#[test]
fn lists_give_the_results_of_all_pairs() {
    let mut check = Check::new(Device::cpu(), &[0, 1, 2, 31, 32, 33, 257], Digits::Few);
    nbody_tests::visit_all(&mut check);
    check.conclude(12);
}

/// Each law is compiled once for every device; precision, mathematics and accumulation take turns.
#[test]
fn lists_of_devices_give_the_results_of_all_pairs() {
    for device in nbody_tests::cuda_devices() {
        let mut check = Check::new(device, &[33, 257], Digits::All);
        check.one_way = true;
        nbody_tests::visit_all(&mut check);
        let least = if nbody_tests::is_quick() { 1 } else { 12 };
        check.conclude(least);
    }
}

/// A pair whose distance equals the cutoff within rounding errors may count or not.
#[test]
fn positions_with_all_their_digits_give_results_within_the_bounds() {
    let mut check = Check::new(Device::cpu(), &[2, 40, 300], Digits::All);
    nbody_tests::visit_all(&mut check);
    check.conclude(12);
}

/// Returns the counts of lists and of all pairs, and their bounds, for pairs whose distance
/// differs from the cutoff by at most this relative difference.
fn counts_at_the_edge(difference: f64, precision: Precision) -> [Vec<Near>; 3] {
    let x = Uniform { cutoff: 0.3 };
    let i: Vec<Ball> = particles(300, Inputs::Uniform, Digits::All, 7);
    let at = |(k, ball): (usize, &Ball)| {
        let angle = k as f64;
        let (sin, cos) = angle.sin_cos();
        let distance = x.cutoff * (1.0 + difference * (k % 7) as f64 / 3.0 - difference);
        // The pairs lie far above each other, so that each i-particle has one j-particle nearby.
        let pos = Point::new(ball.pos.x, ball.pos.y, 3.0 * angle);
        let [a, b] = [cos, sin].map(|along| along * distance);
        (Ball { pos, ..*ball }, Ball { pos: Point::new(pos.x + a, pos.y + b, pos.z), ..*ball })
    };
    let (i, j): (Vec<_>, Vec<_>) = i.iter().enumerate().map(at).unzip();
    let options = Options::default().precision(precision);
    let bounds = ErrorBounds::new(&x, Domain::Open, &i, &j).unwrap().with_position_error(ROUNDED);
    let bounds = bounds.bounds(&options);
    let expected = reference::<Uniform, f64>(&x, Domain::Open, &i, &j).unwrap();
    let case = Case::two_sets(&x, Domain::Open, i, j).unwrap().with_position_error(ROUNDED);
    let mut lists = over_lists(&Device::cpu(), x, options, Skin::Auto);
    let found = case.evaluate(&mut lists).unwrap();
    let report = case.check(&mut lists).unwrap();
    assert!(report.passes(), "{difference:e} {precision}\n{report}");
    [found, expected, bounds]
}

#[test]
fn pairs_at_the_edge_of_the_cutoff_may_count_or_not() {
    let count = |of: &[Near]| of.iter().map(|near| near.count).sum::<u32>();
    for (precision, roundoff) in
        [(Precision::Single, 6e-8), (Precision::Mixed, 6e-8), (Precision::Double, 1e-16)]
    {
        let [found, expected, bounds] = counts_at_the_edge(roundoff, precision);
        assert!(count(&bounds) > 250, "{precision}: {} pairs at the edge", count(&bounds));
        let differ = found.iter().zip(&expected).filter(|(a, b)| a.count != b.count).count();
        assert!(differ > 20 || precision == Precision::Double, "{precision}: {differ} differ");
        // Only every seventh pair is at the edge; all other counts are exact.
        let [found, expected, bounds] = counts_at_the_edge(1e5 * roundoff, precision);
        let at_edge = (0..300).filter(|k| k % 7 == 3).count();
        assert_eq!(count(&bounds) as usize, at_edge, "{precision}");
        let differ = found.iter().zip(&expected).filter(|(a, b)| a.count != b.count).count();
        assert!(differ <= at_edge, "{precision}: {differ} differ");
    }
}

/// A cutoff that grows with the distance: a pair that is a little too close for it may count.
#[test]
fn pairs_at_the_edge_of_a_growing_cutoff_may_count_or_not() {
    let x = Spaces { scale: 0.625 };
    for sign in [-1.0, 1.0] {
        // The cutoff of this pair is 0.3125 up to the distance sqrt(1/8), and 0.625 beyond.
        let distance = 0.125_f64.sqrt() * (1.0 + 1e-9 * sign);
        let i = [Target { pos: Point::new(0.0, 0.0, 0.0), reach: 0.5 }];
        let j = [Source { pos: Point::new(distance, 0.0, 0.0), kind: 1 }];
        let expected = reference::<_, f64>(&x, Domain::Open, &i, &j).unwrap()[0].cutoff;
        assert_eq!(expected, if sign > 0.0 { 0.5 } else { 0.0 });
        let bounds = ErrorBounds::new(&x, Domain::Open, &i, &j).unwrap();
        let bound = |precision| bounds.bounds(&Options::default().precision(precision))[0].cutoff;
        assert!(bound(Precision::Single) >= 0.5, "{sign}");
        assert!(bound(Precision::Mixed) >= 0.5, "{sign}");
        assert!(bound(Precision::Double) < 1e-15, "{sign}");
    }
}

/// Checks a case of many particles.
struct Large;

impl Visitor for Large {
    fn visit<X: Interaction>(&mut self, x: X) {
        const N: usize = 4099;
        let domain = Domain::periodic([2.0; 3]).unwrap();
        let inputs = Inputs::Uniform;
        let (i, j) = particles_twice(N, inputs, Digits::All);
        let case = Case::one_set(&x, domain, i, j).unwrap().with_position_error(ROUNDED);
        for turn in 0..3 {
            let outcome = check(&Device::cpu(), &x, domain, inputs, &case, turn);
            assert_eq!(outcome, Outcome::Compared);
        }
    }
}

#[test]
fn many_particles_give_results_within_the_bounds() {
    let table = [[0.001; 4]; 4];
    Large.visit(LennardJones { sigma2: table, epsilon: [[1.0; 4]; 4], cutoff: 0.125 });
    Large.visit(Either { factor: 0.75 });
}

/// Evaluates without one of the j-particles, as if the lists had missed it.
struct Missing {
    seen: usize,
    unseen: usize,
}

impl Visitor for Missing {
    fn visit<X: Interaction>(&mut self, x: X) {
        if !X::LAW.cutoff {
            return;
        }
        let domain = Domain::Open;
        let (i, j) = sets::<X::I, X::J>(200, Inputs::Uniform, Digits::All);
        let expected = reference::<X, f64>(&x, domain, &i, &j).unwrap();
        let bounds = ErrorBounds::new(&x, domain, &i, &j).unwrap().with_position_error(ROUNDED);
        for missing in 0..8 {
            let mut others = j.clone();
            others.remove(missing);
            let without = reference::<X, f64>(&x, domain, &i, &others).unwrap();
            let change = compare::<X::F, f64>(&without, &expected, None).unwrap();
            let is_met = change.fields.iter().any(|field| field.max > 0.0);
            for &precision in Precision::ALL {
                let options = Options::default().precision(precision).domain(domain);
                let mut lists = over_lists(&Device::cpu(), x.clone(), options, Skin::Auto);
                let case = Case::two_sets(&x, domain, i.clone(), others.clone()).unwrap();
                let found = case.evaluate(&mut lists).unwrap();
                let bounds = bounds.bounds(&options);
                let report = compare::<X::F, f64>(&found, &expected, Some(&bounds)).unwrap();
                assert!(is_met || report.passes(), "{}: {report}", X::LAW.name);
                if is_met {
                    self.seen += usize::from(!report.passes());
                    self.unseen += usize::from(report.passes());
                }
            }
        }
    }
}

#[test]
fn a_pair_that_lists_miss_exceeds_the_bounds() {
    let mut missing = Missing { seen: 0, unseen: 0 };
    nbody_tests::visit_all(&mut missing);
    // A missing term may be less than the rounding errors of the other terms.
    let Missing { seen, unseen } = missing;
    assert!(seen > 200 && unseen * 20 <= seen, "{seen} seen, {unseen} not");
}
