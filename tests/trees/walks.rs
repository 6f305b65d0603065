//! Walks through trees on every device: their errors, cells without room in the queue, groups in
//! any order.

use nbody::cuda::Walk;
use nbody::prelude::*;
use nbody::{Expansion, Math, Options, Sources, Store};
use nbody_interactions::gravity::{Body, Field, Gravity};
use nbody_tests::inputs::{Digits, Inputs, particles};
use nbody_tests::spheres::{bodies_of, errors_of_first};
use nbody_tests::ways::bits;

use super::bodies::{CLOSED, GRAVITY, bodies};

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
    let expected =
        nbody::check::reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies)
            .unwrap();
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
        // The standard error of the mean of this many errors is 3.3e-5.
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
    let expected =
        nbody::check::reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies)
            .unwrap();
    for device in &devices {
        let opening = Opening::relative(3e-3);
        let mut tree = Tree::new(device, GRAVITY, opening).unwrap();
        let mut run = |bodies: &[Body]| tree.evaluate_self::<f64>(bodies).unwrap();
        let (first, second, third) = (run(&bodies), run(&bodies), run(&bodies));
        let errors = [&first, &second, &third].map(|found| error(found, &expected));
        assert!(errors.iter().all(|&error| error < 2e-3), "{device} {errors:?}");
        // The scale of the first evaluation has errors of its own.
        assert!(error(&second, &third) <= error(&first, &second), "{device}");
        // Changing the number of particles resets the scale.
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
        let once = out.download::<f64>().unwrap();
        let mut first = tree.results(77).unwrap();
        tree.evaluate_with(&all, Sources::First(&all), &mut first, Store::Replace).unwrap();
        let found = first.download::<f64>().unwrap();
        assert!(bits(&found) == bits(&once[..77]), "{device} {walk:?}");
        assert_eq!(tree.report().unwrap().targets, 77);
        tree.evaluate_with(&all, Sources::Same(&all), &mut out, Store::Add).unwrap();
        let twice = out.download::<f64>().unwrap();
        let double = |field: &Field| Field { acc: field.acc * 2.0, pot: 2.0 * field.pot };
        assert!(bits(&twice) == bits(&once.iter().map(double).collect::<Vec<_>>()), "{device}");
        // The earlier evaluations leave nothing behind.
        let again = tree.evaluate_self::<f64>(&bodies).unwrap();
        assert!(bits(&again) == bits(&once), "{device} {walk:?}");
    }
}

/// Returns clusters of 17 bodies with 9 cells each: more than half a cell for each body.
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
        let numbers = |of: nbody::trees::TreeReport| {
            [of.cells, of.far_particles, of.groups, of.tested as usize, of.evaluations as usize]
        };
        assert_eq!(numbers(report), numbers(expected), "{device}");
        // Setting another walk does not change the report of the last one.
        tree.set_walk(Walk::Particles).unwrap();
        assert_eq!(numbers(tree.report().unwrap()), numbers(expected), "{device}");
    }
}

/// Groups that took the most work are scheduled first the next time.
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
        // The groups differ each time, and the previous groups determine which ones are expected
        // to be heavy.
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
    // Each fifth cluster is one cell, so that the last cell with room in the queue has siblings
    // without room.
    let all = clusters(18);
    let some =
        all.chunks(17).enumerate().flat_map(|(k, cluster)| &cluster[usize::from(k % 5 == 0)..]);
    let all: Vec<_> = some.copied().collect();
    let expected =
        nbody::check::reference::<Gravity, f64>(&GRAVITY, Domain::Open, &all[..40], &all).unwrap();
    let options = Options::default().math(Math::Exact);
    let mut all_bits = Vec::new();
    for device in &devices {
        let opening = Opening::theta(CLOSED);
        let mut tree = Tree::with_options(device, GRAVITY, opening, options).unwrap();
        let (particles, mut out) = (tree.upload(&all).unwrap(), tree.results(1).unwrap());
        tree.evaluate_with(&particles, Sources::First(&particles), &mut out, Store::Replace)
            .unwrap();
        let found = out.download::<f64>().unwrap();
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

/// The unit of length follows the box at first, and then an extent with the same exponent.
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
        let found = out.download::<f64>().unwrap();
        let expected = tree.evaluate_self::<f64>(&all).unwrap();
        assert!(error(&found, &expected) < 1e-12, "{device}");
    }
}
