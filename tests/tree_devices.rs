//! Trees on every device: the results of all pairs, the same bits everywhere in exact mathematics, and refusals.

use nbody::prelude::*;
use nbody::{
    Accumulation, Case, CoreError, Error, Expansion, Interaction, Math, Options, Record, Sources,
    Store, Walk,
};
use nbody_interactions::Visitor;
use nbody_interactions::gravity::{Body, Field, Gravity};
use nbody_interactions::hermite::Hermite;
use nbody_tests::charged::{currents, kinds, planar, plasma, spline};
use nbody_tests::inputs::{Digits, Inputs, particles, particles_twice, sets};
use nbody_tests::spheres::{bodies_of, errors_of_first};

/// An angle at which every cell is opened.
const CLOSED: f64 = 1e-12;
const GRAVITY: Gravity = Gravity { eps2: 1e-4 };
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
    /// Number of interactions that trees can evaluate.
    met: usize,
    /// Number of checked ones.
    turn: usize,
}

impl Visitor for Everywhere {
    fn visit<X: Interaction>(&mut self, x: X) {
        if X::LAW.charges.is_err() {
            return;
        }
        self.met += 1;
        // The programs of trees take longer to compile than others: a quick test has those of every third law.
        if nbody_tests::is_quick() && !self.met.is_multiple_of(3) {
            return;
        }
        for device in &self.devices {
            check_groups(device, x, self.turn);
            check_particles(device, x, self.turn);
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
        Case::two_sets(x, options.domain, i, j)
    }
}

/// Returns whether results have the bits of the CPU: NaN and functions have others on a GPU.
fn has_bits_of_cpu<X: Interaction>(device: &Device, inputs: Inputs) -> bool {
    device.properties().is_none() || X::LAW.operations.special == 0 && !inputs.is_special()
}

/// Checks the results of a tree whose cells are all opened. Some interactions are infinite where particles
/// coincide, or underflow far away, in all pairs too.
fn check_opened<X: Interaction>(
    tree: &mut Tree<X>,
    x: X,
    options: &Options,
    (case, inputs): (&Case<X>, Inputs),
) {
    let report = case.check(tree, options).unwrap();
    let is_beyond = || {
        let mut direct = CpuAllPairs::with_options(x, *options).unwrap();
        inputs.is_special() && !case.check(&mut direct, options).unwrap().passes()
    };
    let (name, case, device, walk) = (X::LAW.name, case.name(), tree.device(), tree.walk());
    let is_good = report.passes() || is_beyond();
    assert!(is_good, "{name} {case} {device} {inputs:?} {walk} {options:?}\n{report}");
}

/// Groups: opened cells give the results of all pairs; these and others, the bits of the CPU.
fn check_groups<X: Interaction>(device: &Device, x: X, turn: usize) {
    let (name, options) = (X::LAW.name, options(turn, Math::Exact));
    let opened = Opening::theta(CLOSED);
    let mut tree = Tree::with_options(device, x, opened, options).unwrap();
    let mut cpu = Tree::with_options(&Device::cpu(), x, opened, options).unwrap();
    for (k, n) in SIZES.into_iter().enumerate() {
        let inputs = INPUTS[(turn + k) % INPUTS.len()];
        let case = case(&x, &options, n, inputs, k % 2 == 0);
        check_opened(&mut tree, x, &options, (&case, inputs));
        if has_bits_of_cpu::<X>(device, inputs) {
            assert!(case.same_bits(&mut tree, &mut cpu).unwrap(), "{name} {device} {inputs:?} {n}");
        }
    }
    let expansion = [Expansion::Second, Expansion::Monopole][turn % 2];
    let mut openings = vec![Opening::theta(0.6).expansion(expansion), Opening::theta(1.0)];
    let relative = Opening::relative(0.01).expansion(expansion);
    // The logarithms of a GPU have last bits of their own.
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

/// Walks of particles: opened cells give the results of all pairs.
fn check_particles<X: Interaction>(device: &Device, x: X, turn: usize) {
    let options = options(turn + 1, [Math::Fast, Math::Exact][turn % 2]);
    let mut tree = Tree::with_options(device, x, Opening::theta(CLOSED), options).unwrap();
    tree.set_walk(Walk::Particles).unwrap();
    for (k, n) in SIZES.into_iter().enumerate() {
        let inputs = INPUTS[(turn + k) % INPUTS.len()];
        let case = case(&x, &options, n, inputs, k % 2 == 1);
        check_opened(&mut tree, x, &options, (&case, inputs));
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
    all.visit(spline::Spline { radius: 0.25 });
    all.visit(plasma::Plasma);
    all.visit(kinds::Kinds { eps2: [0.0625, 0.125, 0.25, 1.0] });
    all.visit(currents::Currents { core2: 0.0625 });
    all.visit(Hermite { eps2: 1e-4 });
}

/// Each precision in each domain: opened cells give the results of all pairs by either walk, and groups have the
/// bits of the CPU.
fn check_precisions_and_domains<X: Interaction>(x: X) {
    let devices = nbody_tests::cuda_devices();
    for device in &devices {
        // Every fourth turn has another precision and another domain.
        let step = if nbody_tests::is_quick() { 4 } else { 1 };
        for options in (0..9).step_by(step).map(|turn| options(turn, Math::Exact)) {
            let opened = Opening::theta(CLOSED);
            let mut tree = Tree::with_options(device, x, opened, options).unwrap();
            let mut cpu = Tree::with_options(&Device::cpu(), x, opened, options).unwrap();
            // Masses over distances just above 2^18 are a little less than multiples of half a unit in the last place
            // of sums in `f32`: their rounding errors add up.
            let each = INPUTS.into_iter().filter(|&inputs| inputs != Inputs::Far);
            for (k, inputs) in each.enumerate() {
                let case = case(&x, &options, 130, inputs, k % 2 == 0);
                for walk in [Walk::Particles, Walk::Groups] {
                    tree.set_walk(walk).unwrap();
                    check_opened(&mut tree, x, &options, (&case, inputs));
                }
                if has_bits_of_cpu::<X>(device, inputs) {
                    check_bits((&mut tree, &mut cpu), (&case, inputs));
                }
            }
        }
    }
}

/// Checks that two trees have the same bits, with opened cells and with those of a wide angle.
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

/// All distributions, of all sizes, as one set and as two.
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

/// Returns bodies of equal masses.
fn bodies(n: usize, inputs: Inputs) -> Vec<Body> {
    let bodies = particles::<Body>(n, inputs, Digits::All, 9).into_iter();
    bodies.map(|body| Body { mass: 1.0 / n as f64, ..body }).collect()
}

fn bits(fields: &[Field]) -> Vec<[u64; 4]> {
    let bits = |field: &Field| {
        let [x, y, z] = field.acc.0;
        [x, y, z, field.pot].map(f64::to_bits)
    };
    fields.iter().map(bits).collect()
}

/// Returns the mean error of accelerations in units of their mean.
fn error(found: &[Field], expected: &[Field]) -> f64 {
    let sum = |of: &dyn Fn(usize) -> f64| (0..expected.len()).map(of).sum::<f64>();
    let errors = sum(&|k| (found[k].acc - expected[k].acc).norm2().sqrt());
    errors / sum(&|k| expected[k].acc.norm2().sqrt())
}

#[test]
fn errors_of_walks_by_particle_fall_with_the_angle() {
    let devices = nbody_tests::cuda_devices();
    let bodies = bodies(4000, Inputs::Dense);
    let expected = nbody::reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies);
    for device in &devices {
        let mut tree = Tree::new(device, GRAVITY, Opening::theta(0.6)).unwrap();
        for (expansion, power) in [(Expansion::Monopole, 1.5), (Expansion::Second, 2.2)] {
            let [wide, narrow] = [0.8, 0.4].map(|theta| {
                let opening = Opening::theta(theta).expansion(expansion);
                let mut at = |walk| {
                    tree.set_opening(opening).unwrap();
                    tree.set_walk(walk).unwrap();
                    let error = error(&tree.evaluate_self::<f64>(&bodies).unwrap(), &expected);
                    (error, tree.report().unwrap().evaluations_per_target())
                };
                let (of_groups, many) = at(Walk::Groups);
                let (of_particles, few) = at(Walk::Particles);
                assert!(few < many && of_groups < of_particles, "{few} {many}, {opening:?}");
                of_particles
            });
            let found = (wide / narrow).log2();
            assert!(found > power && narrow < 2e-3, "{device} {expansion} {wide:e} {narrow:e}");
        }
    }
}

#[test]
fn walks_by_particle_have_the_stated_errors_and_evaluations() {
    let bodies = bodies_of(&nbody::models::plummer(102_400, 1).unwrap());
    let x = Gravity { eps2: 0.0 };
    let devices = nbody_tests::cuda_devices();
    for device in &devices {
        let opening = Opening::theta(0.6).expansion(Expansion::Monopole);
        let mut tree = Tree::new(device, x, opening).unwrap();
        tree.set_walk(Walk::Particles).unwrap();
        // The standard error of the mean of so many is 3.3e-5.
        let mean = errors_of_first(&mut tree, x, &bodies, 2000).unwrap().mean;
        let evaluations = tree.report().unwrap().evaluations_per_target();
        let is_good = (1.2e-3..1.5e-3).contains(&mean) && evaluations < 2000.0;
        assert!(is_good, "{device} {mean:e}, {evaluations} evaluations");
    }
}

#[test]
fn the_last_results_scale_errors_on_every_device() {
    let devices = nbody_tests::cuda_devices();
    let bodies = bodies(3000, Inputs::Dense);
    let expected = nbody::reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies);
    for device in &devices {
        let opening = Opening::relative(3e-3);
        let mut tree = Tree::new(device, GRAVITY, opening).unwrap();
        let mut run = |bodies: &[Body]| tree.evaluate_self::<f64>(bodies).unwrap();
        let (first, second, third) = (run(&bodies), run(&bodies), run(&bodies));
        let errors = [&first, &second, &third].map(|found| error(found, &expected));
        assert!(errors.iter().all(|&error| error < 2e-3), "{device} {errors:?}");
        // The scale of the first evaluation has errors of its own.
        assert!(error(&second, &third) <= error(&first, &second), "{device}");
        // Other numbers of particles begin anew.
        let few = bits(&run(&bodies[..2000]));
        let mut other = Tree::new(device, GRAVITY, opening).unwrap();
        assert!(bits(&other.evaluate_self::<f64>(&bodies[..2000]).unwrap()) == few, "{device}");
        assert!(bits(&run(&bodies)) == bits(&first), "{device}");
    }
}

#[test]
fn sums_are_added_and_first_particles_are_evaluated_alone() {
    let devices = nbody_tests::cuda_devices();
    let bodies = bodies(2000, Inputs::Uniform);
    for (device, walk) in devices.iter().flat_map(|it| [(it, Walk::Groups), (it, Walk::Particles)])
    {
        let mut tree = Tree::new(device, GRAVITY, Opening::theta(0.6)).unwrap();
        tree.set_walk(walk).unwrap();
        let (all, mut out) = (tree.upload(&bodies).unwrap(), tree.results(2000).unwrap());
        tree.evaluate_self_into(&all, &all, &mut out).unwrap();
        let once = tree.download::<f64>(&out).unwrap();
        let mut first = tree.results(77).unwrap();
        tree.evaluate_with(&all, Sources::First(&all), &mut first, Store::Replace).unwrap();
        let found = tree.download::<f64>(&first).unwrap();
        assert!(bits(&found) == bits(&once[..77]), "{device} {walk:?}");
        assert_eq!(tree.report().unwrap().targets, 77);
        tree.evaluate_with(&all, Sources::Same(&all), &mut out, Store::Add).unwrap();
        let twice = tree.download::<f64>(&out).unwrap();
        let double = |field: &Field| Field { acc: field.acc * 2.0, pot: 2.0 * field.pot };
        assert!(bits(&twice) == bits(&once.iter().map(double).collect::<Vec<_>>()), "{device}");
        // Nothing is left of the evaluations before.
        let again = tree.evaluate_self::<f64>(&bodies).unwrap();
        assert!(bits(&again) == bits(&once), "{device} {walk:?}");
    }
}

/// Returns clusters of 17 bodies, which have 9 cells each: more than half a cell for each body.
fn clusters(edge: usize) -> Vec<Body> {
    let mut all = bodies(17 * edge.pow(3), Inputs::Uniform);
    for (k, body) in all.iter_mut().enumerate() {
        let cluster = [k / 17 % edge, k / 17 / edge % edge, k / 17 / edge.pow(2)];
        body.pos = Point(std::array::from_fn(|axis| 4.0 * cluster[axis] as f64 + body.pos.0[axis]));
    }
    all
}

#[test]
fn small_cells_have_room() {
    let all = clusters(4);
    let devices = nbody_tests::cuda_devices();
    let options = Options::default().math(Math::Exact);
    for device in &devices {
        let opening = Opening::theta(0.5);
        let mut tree = Tree::with_options(device, GRAVITY, opening, options).unwrap();
        let mut cpu = Tree::with_options(&Device::cpu(), GRAVITY, opening, options).unwrap();
        let found = bits(&tree.evaluate_self::<f64>(&all).unwrap());
        assert!(found == bits(&cpu.evaluate_self::<f64>(&all).unwrap()), "{device}");
        let (report, expected) = (tree.report().unwrap(), cpu.report().unwrap());
        assert!(report.cells > all.len() / 3 + 64, "{report}");
        let numbers = |of: nbody::TreeReport| {
            [of.cells, of.far_particles, of.groups, of.tested as usize, of.evaluations as usize]
        };
        assert_eq!(numbers(report), numbers(expected), "{device}");
        // Another walk does not change what is told of the last one.
        tree.set_walk(Walk::Particles).unwrap();
        assert_eq!(numbers(tree.report().unwrap()), numbers(expected), "{device}");
    }
}

/// Groups that took most effort come first the next time.
#[test]
fn each_group_has_one_walk_in_any_order() {
    let devices = nbody_tests::cuda_devices();
    let mut all = bodies(3000, Inputs::Uniform);
    for body in all.iter_mut().step_by(170) {
        body.pos = Point(body.pos.0.map(|x| 40.0 * x - 20.0));
    }
    let options = Options::default().math(Math::Exact);
    for device in &devices {
        let opening = Opening::theta(0.6);
        let mut tree = Tree::with_options(device, GRAVITY, opening, options).unwrap();
        let mut cpu = Tree::with_options(&Device::cpu(), GRAVITY, opening, options).unwrap();
        // The groups are others each time, and those before tell which are heavy.
        for n in [3000, 2500, 2990] {
            for _ in 0..3 {
                let found = bits(&tree.evaluate_self::<f64>(&all[..n]).unwrap());
                let expected = bits(&cpu.evaluate_self::<f64>(&all[..n]).unwrap());
                assert!(found == expected, "{device} {n}");
                let [report, of_cpu] = [&tree, &cpu].map(|tree| tree.report().unwrap());
                assert_eq!(report.evaluations, of_cpu.evaluations, "{device} {n}");
            }
        }
    }
}

#[test]
fn cells_without_room_in_the_queue_act_through_their_particles() {
    let mut devices = nbody_tests::cuda_devices();
    devices.push(Device::cpu());
    // Each fifth cluster is one cell, so that the last cell for which there is room has siblings without.
    let all = clusters(18);
    let some =
        all.chunks(17).enumerate().flat_map(|(k, cluster)| &cluster[usize::from(k % 5 == 0)..]);
    let all: Vec<_> = some.copied().collect();
    let expected = nbody::reference::<Gravity, f64>(&GRAVITY, Domain::Open, &all[..40], &all);
    let options = Options::default().math(Math::Exact);
    let mut all_bits = Vec::new();
    for device in &devices {
        let opening = Opening::theta(CLOSED);
        let mut tree = Tree::with_options(device, GRAVITY, opening, options).unwrap();
        let (particles, mut out) = (tree.upload(&all).unwrap(), tree.results(1).unwrap());
        tree.evaluate_with(&particles, Sources::First(&particles), &mut out, Store::Replace)
            .unwrap();
        let found = tree.download::<f64>(&out).unwrap();
        let error = (found[0].acc - expected[0].acc).norm2().sqrt();
        assert!(error < 1e-5 * expected[0].acc.norm2().sqrt(), "{device} {error:e}");
        let report = tree.report().unwrap();
        // Without the limit all cells would be tested.
        assert!(report.tested < report.cells as u64, "{device} {report}");
        all_bits.push((bits(&found), report.tested));
    }
    assert!(all_bits.windows(2).all(|two| two[0] == two[1]), "{all_bits:?}");
}

#[test]
fn bags_of_any_size_give_the_same_bits() {
    let devices = nbody_tests::cuda_devices();
    let all = bodies(700, Inputs::Uniform);
    for bag in [1, 33, 258] {
        let order = SummationOrder { bag, splits: 1 };
        let options = Options::default().math(Math::Exact).order(order);
        let results = |device: &Device| {
            let mut tree =
                Tree::with_options(device, GRAVITY, Opening::theta(0.6), options).unwrap();
            bits(&tree.evaluate_self::<f64>(&all).unwrap())
        };
        let expected = results(&Device::cpu());
        assert!(devices.iter().all(|device| results(device) == expected), "{bag}");
    }
}

/// The unit of lengths is that of the box, and then another one with the same exponent.
#[test]
fn estimates_follow_the_extent_along_open_axes() {
    let devices = nbody_tests::cuda_devices();
    let domain = Domain::periodic([2.0, f64::INFINITY, 4.0]).unwrap();
    let options = Options::default().math(Math::Exact).domain(domain);
    let opening = Opening::relative(0.003);
    for device in devices.iter().filter(|device| device.properties().is_none()) {
        let mut tree = Tree::with_options(device, GRAVITY, opening, options).unwrap();
        let mut cpu = Tree::with_options(&Device::cpu(), GRAVITY, opening, options).unwrap();
        for extent in [1.5, 2.5, 9.0] {
            let mut all = bodies(1000, Inputs::Uniform);
            for body in &mut all {
                body.pos[1] *= extent;
            }
            for _ in 0..2 {
                let found = bits(&tree.evaluate_self::<f64>(&all).unwrap());
                let expected = bits(&cpu.evaluate_self::<f64>(&all).unwrap());
                assert!(found == expected, "{device} {extent}");
            }
        }
    }
}

#[test]
fn images_of_one_set_are_the_same_particles() {
    let mut devices = nbody_tests::cuda_devices();
    devices.push(Device::cpu());
    let domain = Domain::periodic([2.0; 3]).unwrap();
    let options = Options::default().precision(Precision::Double).domain(domain);
    for device in &devices {
        let mut tree = Tree::with_options(device, GRAVITY, Opening::theta(0.6), options).unwrap();
        let all = particles::<Body>(100, Inputs::Uniform, Digits::Few, 1);
        let image = |body: &Body| Body { pos: body.pos + Vector::new(4.0, 0.0, -2.0), ..*body };
        let images: Vec<_> = all.iter().map(image).collect();
        let [i, j] = [&images, &all].map(|bodies| tree.upload(bodies).unwrap());
        let mut out = tree.results(100).unwrap();
        tree.evaluate_with(&i, Sources::Same(&j), &mut out, Store::Replace).unwrap();
        let found = tree.download::<f64>(&out).unwrap();
        let expected = tree.evaluate_self::<f64>(&all).unwrap();
        assert!(error(&found, &expected) < 1e-12, "{device}");
    }
}

#[test]
fn bags_that_do_not_fit_are_refused() {
    let devices = nbody_tests::cuda_devices();
    let order = SummationOrder { bag: 2371, splits: 1 };
    let options = Options::default().order(order);
    for device in &devices {
        let mut tree = Tree::with_options(device, GRAVITY, Opening::theta(0.6), options).unwrap();
        let error = tree.evaluate_self::<f64>(&bodies(10, Inputs::Uniform)).unwrap_err();
        assert!(matches!(error, Error::KernelDoesNotFit { .. }), "{device} {error}");
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
        let Error::Core(CoreError::NotFinite { what, index, found }) = error else {
            panic!("{error}")
        };
        assert!((what, index) == ("j-particles", 60) && found[1].is_nan());
        let error = tree.evaluate::<f64>(&bad, &good).unwrap_err();
        let is_named = |error: &Error| {
            let Error::Core(CoreError::NotFinite { what, index, .. }) = error else { return false };
            (*what, *index) == ("i-particles", 60)
        };
        assert!(is_named(&error), "{error}");
        // So it is where there are no pairs.
        assert!(is_named(&tree.evaluate::<f64>(&bad, &[]).unwrap_err()), "{device}");
        let error = tree.evaluate::<f64>(&[], &bad).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Core(CoreError::NotFinite { what: "j-particles", index: 60, .. })
            ),
            "{error}"
        );
        // Nothing of a refused evaluation is left.
        assert!(tree.evaluate_self::<f64>(&good).is_ok());
        let moved =
            good.iter().map(|body| Body { pos: body.pos + Vector::new(1.0, 0.0, 0.0), ..*body });
        let [i, j] = [&moved.collect::<Vec<_>>(), &good].map(|bodies| tree.upload(bodies).unwrap());
        let mut out = tree.results(100).unwrap();
        let error =
            tree.evaluate_with(&i, Sources::Same(&j), &mut out, Store::Replace).unwrap_err();
        assert!(matches!(error, Error::Core(CoreError::OtherPositions)), "{error}");
        let [i, j] = [&good, &good].map(|bodies| tree.upload(bodies).unwrap());
        tree.evaluate_with(&i, Sources::Same(&j), &mut out, Store::Replace).unwrap();
        let of_two = bits(&tree.download::<f64>(&out).unwrap());
        assert!(of_two == bits(&tree.evaluate_self::<f64>(&good).unwrap()), "{device}");
        let mut few = tree.results(99).unwrap();
        let error = tree.evaluate_self_into(&i, &i, &mut few).unwrap_err();
        assert!(matches!(error, Error::Core(CoreError::LengthMismatch { .. })), "{error}");
        let double = Options::default().precision(Precision::Double);
        let mut double = Tree::with_options(device, GRAVITY, Opening::theta(0.6), double).unwrap();
        let mut out = double.results(100).unwrap();
        let error = double.evaluate_self_into(&i, &i, &mut out).unwrap_err();
        assert!(matches!(error, Error::ForeignBuffer { .. }), "{error}");
    }
    let mut cpu = Tree::new(&Device::cpu(), GRAVITY, Opening::theta(0.6)).unwrap();
    let error = cpu.set_walk(Walk::Particles).unwrap_err();
    assert!(matches!(error, Error::NoWalk { .. }), "{error}");
    assert_eq!(cpu.walk(), Walk::Groups);
}
