//! Trees over ranks: the device alone gives the same results, lengths of results and numbers of a
//! report.

use nbody::cuda::Walk;
use nbody::cuda::programs::set_walk;
use nbody::models::{Particle, Snapshot, fractal, galaxy, plummer, uniform_rows, uniform_sphere};
use nbody::prelude::*;
use nbody::trees::TreeReport;
use nbody::untyped::{Bounds, Essential, LENGTHS, OwnedRows, PartLengths, TargetBox, TreePart};
use nbody::{Accumulation, Expansion, Math, Opening, Sources, Store};
use nbody_interactions::gravity::{Body, Field, Gravity};
use nbody_mpi::threads;
use nbody_tests::covering::Covering;
use nbody_tests::ways;

use super::pairs::{Tested, laws, order, words};
use super::{RANKS, distributed, over};

/// Numbers of particles: around a group, fewer groups than ranks, and many groups.
const SIZES: [usize; 6] = [1, 31, 33, 65, 301, 1500];

fn openings() -> [Opening; 5] {
    [
        Opening::theta(0.6).expansion(Expansion::Monopole),
        Opening::theta(0.9),
        Opening::relative(0.01),
        Opening::relative(0.002).expansion(Expansion::Monopole),
        Opening::theta(1e-9),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Sets {
    Two,
    OneInOneBuffer,
    OneInTwoBuffers,
    First,
}

const SETS: [Sets; 4] = [Sets::Two, Sets::OneInOneBuffer, Sets::OneInTwoBuffers, Sets::First];
const STORES: [Store; 2] = [Store::Replace, Store::Add];

/// Evaluations by a tree.
struct Walks<'a> {
    tested: &'a Tested,
    opening: Opening,
    options: Options,
    sets: Sets,
    store: Store,
    walk: Walk,
    n: usize,
}

/// Results, compared lengths, and the work.
type Found = (Vec<u64>, Option<Vec<u64>>, [u64; 2]);

impl Walks<'_> {
    /// Returns whether there is such a tree.
    fn exists(&self) -> bool {
        let Self { tested: Tested { law, parameters }, opening, options, .. } = self;
        Device::cpu().untyped().tree(law, parameters, *opening, *options).is_ok()
    }

    /// Evaluates twice; a criterion by estimates then compares with the first results.
    fn run(&self, device: &Device) -> Found {
        let Self { tested: Tested { law, parameters }, opening, options, store, n, .. } = *self;
        let untyped = device.untyped();
        let mut tree = untyped.tree(law, parameters, opening, options).unwrap();
        if !device.is_cpu() {
            set_walk(&mut *tree, untyped, self.walk).unwrap();
        }
        let upload = |rows: &OwnedRows| untyped.upload(rows, options.precision).unwrap();
        let i = upload(&uniform_rows(law.i, n, 1));
        let j = match self.sets {
            Sets::Two => upload(&uniform_rows(law.j, 2 * n + 37, 2)),
            _ => upload(&uniform_rows(law.j, n, 1)),
        };
        let (sources, count) = match self.sets {
            Sets::Two => (Sources::Others(&*j), n),
            Sets::OneInOneBuffer => (Sources::Same(&*i), n),
            Sets::OneInTwoBuffers => (Sources::Same(&*j), n),
            Sets::First => (Sources::First(&*i), n.div_ceil(2)),
        };
        let mut out = tree.results(count).unwrap();
        for store in [Store::Replace, store] {
            tree.evaluate(&*i, sources, &mut *out, store).unwrap();
        }
        let compared = tree.compared().unwrap();
        let compared = compared.map(|lengths| lengths.into_iter().map(f64::to_bits).collect());
        let TreeReport { tested, evaluations, .. } = tree.report().unwrap();
        (words(&*out), compared, [tested, evaluations])
    }

    fn describe(&self) -> String {
        let Self { tested, opening, options, sets, store, walk, n } = self;
        let order = options.order;
        let name = tested.law.name;
        format!("{name} {opening:?} {options} {order:?} {sets:?} {store:?} {walk} {n}")
    }
}

/// Any two choices of the law, the criterion, the arithmetic, the order, the sets, the way of
/// storing, the numbers of ranks and of particles, and the vector instructions meet.
#[test]
fn trees_do_not_depend_on_the_number_of_ranks() {
    let (laws, levels) = (laws(), ways::levels());
    // Trees refuse triclinic boxes.
    let [open, boxed, _] = nbody_verify::domains().unwrap();
    let domains = [open, boxed];
    let laws: Vec<_> = laws.into_iter().filter(|tested| tested.law.charges.is_ok()).collect();
    let choices = [
        laws.len(),
        openings().len(),
        Precision::ALL.len(),
        Accumulation::ALL.len(),
        Math::ALL.len(),
        domains.len(),
        3,
        SETS.len(),
        STORES.len(),
        RANKS.len(),
        SIZES.len(),
        levels.len(),
    ];
    let walks = |row: &[usize]| Walks {
        tested: &laws[row[0]],
        opening: openings()[row[1]],
        options: Options::default()
            .precision(Precision::ALL[row[2]])
            .accumulation(Accumulation::ALL[row[3]])
            .math(Math::ALL[row[4]])
            .domain(domains[row[5]])
            .order(order(row[6])),
        sets: SETS[row[7]],
        store: STORES[row[8]],
        walk: Walk::Groups,
        n: SIZES[row[10]],
    };
    // Whether each law has a tree with each criterion.
    let exist: Vec<Vec<bool>> = (0..laws.len())
        .map(|law| {
            let of = |opening| walks(&[law, opening, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).exists();
            (0..openings().len()).map(of).collect()
        })
        .collect();
    let allows = |row: &[Option<usize>]| {
        let Some(law) = row[0] else { return true };
        let of_law = laws[law].law;
        row[1].is_none_or(|opening| exist[law][opening])
            && row[5].is_none_or(|domain| of_law.check_domain(&domains[domain]).is_ok())
            && row[7].is_none_or(|sets| sets == 0 || of_law.i == of_law.j)
    };
    let covering = Covering { choices: &choices, strength: 2, allows: &allows };
    let rows = covering.rows();
    assert_eq!(covering.faults(&rows), [""; 0]);
    for row in rows {
        let (walks, ranks, device) = (walks(&row), RANKS[row[9]], &levels[row[11]]);
        let expected = walks.run(device);
        for found in threads(ranks, |all| walks.run(&over(all, device))) {
            assert_eq!(found, expected, "{} {ranks} ranks {device}", walks.describe());
        }
    }
}

/// The kernels of walks by ranks give the bits of the kernels for all groups.
#[test]
fn kernels_of_walks_have_the_bits_of_one_rank() {
    let laws = laws();
    let ways = [
        ("gravity", Walk::Groups, 1025),
        ("gravity", Walk::Particles, 300),
        ("hermite", Walk::Groups, 1),
        ("single_layer", Walk::Groups, 300),
        ("single_layer", Walk::Particles, 33),
        ("hermite", Walk::Groups, 1500),
    ];
    for device in nbody_tests::cuda_devices() {
        for (k, (name, walk, n)) in ways.into_iter().enumerate() {
            let walks = Walks {
                tested: laws.iter().find(|tested| tested.law.name == name).unwrap(),
                opening: openings()[(k + 2) % 4],
                options: Options::default()
                    .precision(Precision::ALL[k % 3])
                    .accumulation(Accumulation::ALL[k % 4])
                    .math(Math::ALL[k % 2])
                    .order(order(k % 3)),
                sets: if name == "single_layer" { Sets::Two } else { SETS[(k + 1) % 4] },
                store: STORES[k % 2],
                walk,
                n,
            };
            assert!(walks.exists(), "{}", walks.describe());
            let expected = walks.run(&device);
            for ranks in [2, 3, 7] {
                for found in threads(ranks, |all| walks.run(&over(all, &device))) {
                    let walks = walks.describe();
                    assert_eq!(found, expected, "{walks} {ranks} ranks {device}");
                }
            }
        }
    }
}

/// Returns the models whose particles ranks distribute.
fn models(n: usize) -> [(&'static str, Snapshot); 4] {
    [
        ("plummer", plummer(n, 1).unwrap()),
        ("uniform", uniform_sphere(n, 2).unwrap()),
        ("galaxy", galaxy(n, 3).unwrap()),
        ("fractal", fractal(n, 1.6, 4).unwrap()),
    ]
}

/// Returns the relative error that nine of ten particles do not exceed.
fn error(found: &[[f64; 3]], expected: &[[f64; 3]]) -> f64 {
    let square = |x: &[f64; 3]| x.iter().map(|x| x * x).sum::<f64>();
    let relative = |(found, expected): (&[f64; 3], &[f64; 3])| {
        let off = std::array::from_fn(|axis| found[axis] - expected[axis]);
        (square(&off) / square(expected)).sqrt()
    };
    let mut errors: Vec<_> = found.iter().zip(expected).map(relative).collect();
    errors.sort_unstable_by(f64::total_cmp);
    errors[errors.len() * 9 / 10]
}

/// Trees of distributed particles have at most 1.2 times the errors of one process: by angles, and by
/// estimates that are compared with the results before.
#[test]
fn trees_of_distributed_particles_have_the_errors_of_one() {
    const N: usize = 20_000;
    let law = Gravity { eps2: 1e-6 };
    let options = Options::default().precision(Precision::Double);
    for (name, model) in models(N) {
        let body = |star: &Particle| Body { pos: Point(star.pos), mass: star.mass };
        let bodies: Vec<_> = model.particles.iter().map(body).collect();
        let accelerations = |fields: Vec<Field>| -> Vec<_> {
            fields.into_iter().map(|field| field.acc.0).collect()
        };
        let mut direct = AllPairs::with_options(&Device::cpu(), law, options).unwrap();
        let expected = accelerations(direct.evaluate_self(&bodies).unwrap());
        for opening in [Opening::theta(0.6), Opening::theta(0.9), Opening::relative(0.005)] {
            let run = |device: &Device| {
                let mut tree = Tree::with_options(device, law, opening, options).unwrap();
                tree.evaluate_self(&bodies).unwrap();
                let found = accelerations(tree.evaluate_self(&bodies).unwrap());
                (found, tree.report().unwrap().evaluations)
            };
            let (alone, work) = run(&Device::cpu());
            let alone = error(&alone, &expected);
            for ranks in [2, 3, 4, 7] {
                let run = |all| run(&distributed(all, &Device::cpu()));
                let all = threads(ranks, run);
                let (found, of_all) = &all[0];
                let found = error(found, &expected);
                let case = format!("{name}, {opening}, {ranks} ranks");
                assert!(found <= 1.2 * alone, "{case}: {found} instead of {alone}");
                // Particles that the walks of one tree would meet in a cell.
                assert!(*of_all != work && *of_all as f64 <= 1.4 * work as f64, "{case}");
                assert!(all.iter().all(|it| *it == all[0]), "{case}");
            }
        }
    }
}

/// Kernels list the sources for other ranks that the CPU lists: fewer of them the greater the least
/// result of a box, particles alone where nothing is known of it.
#[test]
fn kernels_list_the_sources_of_the_cpu() {
    const N: usize = 1500;
    let law = Gravity::LAW;
    let bounds = [
        Bounds { lo: [2.0, -0.5, 0.0], hi: [3.0, 0.5, 0.25] },
        Bounds { lo: [-0.1, 0.0, 0.0], hi: [0.1, 0.2, 0.1] },
    ];
    let stars = plummer(N, 1).unwrap().particles;
    let row = |star: &Particle| [&star.pos[..], &[star.mass]].concat();
    let words: Vec<_> = stars.iter().flat_map(row).map(f64::to_bits).collect();
    let of_lengths = vec![0.5_f64.to_bits(); N];
    let periodic = Domain::periodic([16.0, 16.0, f64::INFINITY]).unwrap();
    for (domain, opening) in [Domain::Open, periodic]
        .into_iter()
        .flat_map(|domain| [Opening::theta(0.7), Opening::relative(0.01)].map(|it| (domain, it)))
    {
        let options = Options::default().precision(Precision::Double).math(Math::Exact);
        let options = options.domain(domain);
        let list = |device: &Device, least: f64| {
            let device = device.untyped();
            let parameters = [1e-6_f64.to_bits()];
            let mut tree = device.tree(law, &parameters, opening, options).unwrap();
            let upload = |fields, words: &Vec<u64>| {
                let rows = OwnedRows::new(fields, words.clone()).unwrap();
                device.upload(&rows, Precision::Double).unwrap()
            };
            let particles = upload(law.j, &words);
            let (before, mut after) = (upload(LENGTHS, &of_lengths), upload(LENGTHS, &of_lengths));
            let mut out = tree.results(N).unwrap();
            let of_rank = |k: usize| bounds[k..].iter().map(|&bounds| TargetBox { bounds, least });
            let boxes: Vec<Vec<_>> = (0..3).map(|k| of_rank(k).collect()).collect();
            let lengths = PartLengths { before: Some(&*before), after: &mut *after };
            let part = TreePart { boxes: &boxes, lengths: Some(lengths) };
            let to = (&mut *out, Store::Replace);
            let found = tree.evaluate_part(&*particles, Sources::Same(&*particles), to, part);
            let Essential { sources, lists } = found.unwrap();
            let mut rows = vec![0; 4 * sources.len()];
            sources
                .read(0..sources.len(), &mut |write| write(0..sources.len(), &mut rows))
                .unwrap();
            let row = |row: u32| (row >= N as u32, rows[4 * row as usize..][..4].to_vec());
            let of_rank = |list: Vec<u32>| list.into_iter().map(row).collect::<Vec<_>>();
            let lists: Vec<_> = lists.rows().unwrap().into_iter().map(of_rank).collect();
            assert!(lists[2].is_empty());
            // The lengths of the results do not depend on boxes.
            let mut lengths = vec![0; N];
            after.read(0..N, &mut |write| write(0..N, &mut lengths)).unwrap();
            (lists, lengths)
        };
        let mut before = usize::MAX;
        for least in [0.0, 0.05, 2.0, f64::INFINITY] {
            let expected = list(&Device::cpu(), least);
            let count = expected.0[0].len();
            let is_by_errors = opening.share().is_some();
            let has_cells = expected.0[0].iter().any(|(is_far, _)| *is_far);
            assert_eq!(has_cells, !is_by_errors || least > 0.0, "{opening} {domain:?} {least}");
            assert!(count < before || (count == before && !is_by_errors), "{opening} {least}");
            before = count;
            for device in nbody_tests::cuda_devices() {
                let found = list(&device, least);
                assert!(found == expected, "{device}, {opening} {domain:?} {least}");
            }
        }
    }
}

#[nbody::interaction]
mod drifting {
    pub struct Star {
        pub pos: Point,
        pub mass: Real,
    }

    /// Moves stars that are heavier and stars that are lighter than 1 apart.
    pub struct Drift {
        pub step: Vector,
    }

    impl Update for Drift {
        type P = Star;

        fn update(&self, p: &mut Star) {
            p.pos += (p.mass - 1.0) * self.step;
        }
    }
}

/// Estimates of errors are compared with the lengths of the results before, also after particles have
/// moved to other ranks, and with lengths that the caller gives.
#[test]
fn lengths_of_results_follow_the_particles() {
    use drifting::Drift;
    const EVALUATIONS: usize = 20;
    for device in [vec![Device::cpu()], nbody_tests::cuda_devices()].concat() {
        let n = if device.is_cpu() { 600 } else { 200 };
        let stars = uniform_sphere(n, 5).unwrap().particles;
        let mass = |k: usize| 0.5 + (7 * k % 11) as f64 / 10.0;
        let star = |(k, star): (usize, &Particle)| Body { pos: Point(star.pos), mass: mass(k) };
        let stars: Vec<_> = stars.iter().enumerate().map(star).collect();
        let run = |all| {
            let device = distributed(all, &device);
            let options = Options::default().precision(Precision::Double);
            let opening = Opening::relative(0.01);
            let gravity = Gravity { eps2: 1e-4 };
            let mut tree = Tree::with_options(&device, gravity, opening, options).unwrap();
            let step = Drift { step: Vector([0.2, 0.1, 0.0]) };
            let mut drift = PerParticle::new(&device, step).unwrap();
            let mut stars = device.upload(&stars, Precision::Double).unwrap();
            let mut results = tree.results(n).unwrap();
            let lengths = |results: &nbody::Results<Field>| -> Vec<f64> {
                let length = |it: Field| it.acc.0.iter().map(|x| x * x).sum::<f64>().sqrt();
                results.download().unwrap().into_iter().map(length).collect()
            };
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-14 * b.abs();
            let mut before: Option<Vec<f64>> = None;
            for k in 0..EVALUATIONS {
                if k == 18 {
                    // The state of a checkpoint.
                    let given: Vec<_> = (0..n).map(|k| 1.0 + k as f64).collect();
                    assert!(tree.compare_with(&given[1..]).is_ok());
                    assert!(tree.evaluate_self_into(&stars, &stars, &mut results).is_err());
                    tree.compare_with(&given).unwrap();
                    before = Some(given);
                }
                tree.evaluate_self_into(&stars, &stars, &mut results).unwrap();
                let compared = tree.compared().unwrap().unwrap();
                if let Some(before) = before {
                    assert_eq!(compared.len(), before.len());
                    assert!(compared.iter().zip(&before).all(is_near), "{device}, {k}");
                }
                before = Some(lengths(&results));
                drift.update_by_name(&mut stars, ()).unwrap();
            }
            before
        };
        let all = threads(3, run);
        assert!(all.iter().all(|it| *it == all[0]), "{device}");
    }
}
