//! Missing devices, kernels that do not fit, broken caches: typed errors, or still a result.

use std::fs;
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use nbody::prelude::*;
use nbody::{CpuNeighbours, CpuShortRange, Error, ErrorBounds, Math, Origin, Program};
use nbody_interactions::gravity::{Body, Field, Gravity};
use nbody_interactions::hermite::Hermite;
use nbody_interactions::lennard_jones::{Atom, LennardJones};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Near, Uniform};
use rayon::prelude::*;

const GRAVITY: Gravity = Gravity { eps2: 0.25 };

fn bodies(n: usize) -> Vec<Body> {
    nbody::models::uniform(n, 1)
}

fn emulator() -> (tempfile::TempDir, Device) {
    let cache = tempfile::tempdir().unwrap();
    let device = Device::emulator().unwrap().with_cache_dir(cache.path());
    (cache, device)
}

#[test]
fn the_error_of_a_missing_gpu_names_it() {
    match Device::cuda_count() {
        Err(Error::NoDriver) => {
            let error = Device::cuda(0).unwrap_err();
            assert!(matches!(error, Error::NoDriver));
            assert!(error.to_string().contains("looked for libcuda.so.1"), "{error}");
        }
        Ok(count) => {
            let error = Device::cuda(count).unwrap_err();
            let message = format!("no CUDA device {count}: the driver sees {count}");
            assert!(error.to_string().contains(&message), "{error}");
        }
        Err(error) => assert!(matches!(error, Error::Driver { .. }), "{error}"),
    }
}

#[test]
fn the_best_device_computes_and_gives_its_fallback_reason() {
    let device = Device::best();
    assert_eq!(device.is_cpu(), device.fallback_reason().is_some());
    if Device::cuda_count().is_err() {
        assert!(matches!(device.fallback_reason(), Some(Error::NoDriver)));
    }
    let fields = AllPairs::new(&device, GRAVITY).unwrap().evaluate_self(&bodies(3)).unwrap();
    let expected = nbody::reference_self(&GRAVITY, Domain::Open, &bodies(3), &bodies(3));
    let report = nbody::compare(&fields, &expected, None).unwrap();
    assert!(report.fields.iter().all(|field| field.max < 1e-6), "{report}");
    assert!(Device::cpu().fallback_reason().is_none());
    assert!(Device::all().iter().any(Device::is_cpu));
}

#[test]
fn no_particles_give_no_results_and_no_sources_give_zeros() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        assert_eq!(direct.evaluate(&bodies(0), &bodies(5)).unwrap(), [], "{device}");
        assert_eq!(direct.evaluate(&bodies(0), &bodies(0)).unwrap(), [], "{device}");
        assert_eq!(direct.evaluate_self(&bodies(0)).unwrap(), [], "{device}");
        let zeros = direct.evaluate(&bodies(3), &bodies(0)).unwrap();
        assert_eq!(zeros, [Field::default(); 3], "{device}");
        assert_eq!(direct.evaluate_self(&bodies(1)).unwrap(), [Field::default()], "{device}");
    }
}

#[test]
fn an_evaluation_without_sources_clears_the_results() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let (i, none) = (direct.upload(&bodies(4)).unwrap(), direct.upload(&bodies(0)).unwrap());
        let mut out = direct.results(4).unwrap();
        direct.evaluate_into(&i, &i, &mut out).unwrap();
        direct.evaluate_into(&i, &none, &mut out).unwrap();
        let fields: Vec<Field> = direct.download(&out).unwrap();
        assert_eq!(fields, [Field::default(); 4], "{device}");
    }
}

#[test]
fn non_finite_inputs_give_non_finite_results() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        for value in [f64::NAN, f64::INFINITY, f64::MAX] {
            let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
            let mut targets = bodies(300);
            targets[7].pos = Point::new(value, 0.0, 0.0);
            let is_finite = |field: &Field| field.acc.0.iter().all(|acc| acc.is_finite());
            let fields = direct.evaluate(&targets, &bodies(300)).unwrap();
            for (k, field) in fields.iter().enumerate() {
                assert_eq!(is_finite(field), k != 7, "{device}: {value}, particle {k}: {field:?}");
            }
            // It acts on all particles, and no result hides that.
            let fields = direct.evaluate_self(&targets).unwrap();
            assert_eq!(fields.len(), 300);
            for (k, field) in fields.iter().enumerate() {
                assert!(!is_finite(field), "{device}: {value}, particle {k}: {field:?}");
            }
        }
    }
}

#[test]
fn a_cutoff_does_not_hide_nan() {
    let devices = nbody_tests::all_devices();
    let law = LennardJones { sigma2: [[0.01; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 0.25 };
    let mut atoms: Vec<Atom> = nbody::models::uniform(300, 1);
    atoms[7].pos = Point::new(0.5, f64::NAN, 0.5);
    for (device, &precision) in
        devices.iter().flat_map(|it| Precision::ALL.iter().map(move |p| (it, p)))
    {
        let options = Options::default().precision(precision);
        let mut direct = AllPairs::with_options(device, law, options).unwrap();
        let forces = direct.evaluate_self(&atoms).unwrap();
        assert!(forces.iter().all(|force| force.pot.is_nan()), "{device}, {precision}");
    }
}

#[test]
fn coincident_particles_without_softening_do_not_meet_themselves() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, Gravity { eps2: 0.0 }).unwrap();
        let fields = direct.evaluate_self(&bodies(300)).unwrap();
        assert!(fields.iter().all(|field| field.pot.is_finite()), "{device}");
    }
}

#[nbody::interaction]
mod heavy {
    pub struct Heavy;
    pub struct Big {
        pub coefficients: [Real; 400],
    }
    pub struct Sum {
        pub x: Real,
    }
    impl Interaction for Heavy {
        type I = Big;
        type J = Big;
        type F = Sum;
        fn pair(&self, i: &Big, j: &Big, f: &mut Sum) {
            f.x += i.coefficients[0] * j.coefficients[399];
        }
    }
}

#[test]
fn bags_shrink_where_j_particles_are_large() {
    let program = Program::new(heavy::Heavy::LAW, Options::default()).unwrap();
    assert_eq!(program.config.bag, 16);
    let (_cache, device) = emulator();
    let (i, j) = (nbody::models::uniform(20, 1), nbody::models::uniform(300, 2));
    let fields = AllPairs::new(&device, heavy::Heavy).unwrap().evaluate(&i, &j).unwrap();
    let expected = nbody::reference(&heavy::Heavy, Domain::Open, &i, &j);
    let report = nbody::compare(&fields, &expected, None).unwrap();
    assert!(report.fields[0].max < 1e-6, "{report}");
}

#[test]
fn a_large_bag_leaves_room_for_fewer_i_particles() {
    let config = |bag| {
        let options = Options::default().order(SummationOrder { bag, splits: 1 });
        Program::new(LennardJones::LAW, options).map(|program| program.config)
    };
    let fitting: Vec<_> = [256, 512, 900].map(|bag| config(bag).unwrap().i_per_thread).to_vec();
    assert_eq!(fitting, [2, 2, 1]);
    assert!(matches!(config(1100), Err(Error::KernelDoesNotFit { .. })));
}

#[test]
fn a_warm_cache_compiles_nothing_and_a_damaged_one_is_repaired() {
    let (cache, device) = emulator();
    let origin = || AllPairs::new(&device, GRAVITY).unwrap().build().unwrap().origin;
    assert_eq!(origin(), Origin::Compiled);
    assert_eq!(origin(), Origin::Cached);
    let entries = || fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path());
    let compiled = entries().find(|path| path.extension().is_some_and(|x| x == "so")).unwrap();
    let whole = fs::read(&compiled).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"", b"nbody kernel cache 2\n"] {
        fs::write(&compiled, damaged).unwrap();
        assert_eq!(origin(), Origin::Repaired);
        assert_eq!(fs::read(&compiled).unwrap().len(), whole.len());
    }
    assert_eq!(origin(), Origin::Cached);
}

#[test]
fn other_options_are_other_entries() {
    let (_cache, device) = emulator();
    let origin = |options| {
        AllPairs::with_options(&device, GRAVITY, options).unwrap().build().unwrap().origin
    };
    for &math in Math::ALL {
        for &accumulation in Accumulation::ALL {
            let options = Options::default().math(math).accumulation(accumulation);
            assert_eq!(origin(options), Origin::Compiled, "{options:?}");
        }
    }
    let hermite = AllPairs::new(&device, Hermite { eps2: 1.0 }).unwrap();
    assert_eq!(hermite.build().unwrap().origin, Origin::Compiled);
}

#[test]
fn a_cache_that_cannot_be_written_costs_only_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let device = Device::emulator().unwrap().with_cache_dir(file.join("cache"));
    for _ in 0..2 {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let build = direct.build().unwrap();
        assert_eq!((build.origin, &build.source), (Origin::Compiled, &None));
        assert!(build.cache_error.as_ref().unwrap().contains("file/cache"), "{build:?}");
        assert_eq!(direct.evaluate_self(&bodies(9)).unwrap().len(), 9);
    }
}

#[test]
fn the_source_is_kept_where_the_build_says() {
    let (_cache, device) = emulator();
    let direct = AllPairs::new(&device, GRAVITY).unwrap();
    let path = direct.build().unwrap().source.clone().unwrap();
    let program = Program::new(Gravity::LAW, Options::default()).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), program.source);
}

#[test]
fn parameters_change_without_a_new_program() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let before = direct.evaluate_self(&bodies(2)).unwrap();
        direct.set_interaction(Gravity { eps2: 100.0 });
        assert_eq!(direct.interaction().eps2, 100.0);
        let after = direct.evaluate_self(&bodies(2)).unwrap();
        assert!(after[0].pot.abs() < 0.5 * before[0].pot.abs(), "{device}");
    }
}

#[test]
fn boxes_come_and_go_and_change_their_lengths() {
    let at = |x: f64| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let gravity = Gravity { eps2: 0.0 };
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, gravity).unwrap();
        let mut pot = |domain| {
            direct.set_domain(domain).unwrap();
            assert_eq!(direct.options().domain, domain);
            direct.evaluate_self(&[at(0.0), at(4.0)]).unwrap()[0].pot
        };
        assert_eq!(pot(Domain::Open), -0.25, "{device}");
        assert_eq!(pot(Domain::periodic([5.0; 3]).unwrap()), -1.0, "{device}");
        assert_eq!(pot(Domain::periodic([4.5; 3]).unwrap()), -2.0, "{device}");
        assert_eq!(pot(Domain::periodic([f64::INFINITY, 1.0, 1.0]).unwrap()), -0.25, "{device}");
        assert_eq!(pot(Domain::Open), -0.25, "{device}");
    }
}

#[test]
fn boxes_that_the_precision_cannot_hold_are_refused() {
    let at = |x: f64| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let gravity = Gravity { eps2: 0.0 };
    let devices = nbody_tests::all_devices();
    for (device, &precision) in
        devices.iter().flat_map(|it| Precision::ALL.iter().map(move |p| (it, p)))
    {
        let options = Options::default().precision(precision);
        let mut direct = AllPairs::with_options(device, gravity, options).unwrap();
        for length in [1e-300, 1e-39, 1e38, 1e300] {
            let domain = Domain::periodic([1.0, length, 1.0]).unwrap();
            let options = options.domain(domain);
            let made = AllPairs::with_options(device, gravity, options).map(|_| ());
            let set = direct.set_domain(domain);
            if precision == Precision::Double {
                made.and(set).unwrap();
                assert_eq!(direct.options().domain, domain);
                direct.set_domain(Domain::Open).unwrap();
                continue;
            }
            for refused in [made, set] {
                let error = refused.unwrap_err().to_string();
                let box_length = format!("periodic box of length {length:e} along y: expected");
                let range = format!("in {precision} precision");
                let names_both = error.starts_with(&box_length) && error.contains(&range);
                assert!(names_both, "{device}: {error}");
            }
        }
        // Restore the previous space.
        assert_eq!(direct.options().domain, Domain::Open);
        let fields = direct.evaluate_self(&[at(0.0), at(4.0)]).unwrap();
        assert_eq!(fields[0].pot, -0.25, "{device}, {precision}");
    }
    assert!(Domain::periodic([1e-320, 1.0, 1.0]).is_err());
}

#[test]
fn positions_beyond_the_range_of_the_precision_are_at_infinity() {
    let at = |x: f64| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let devices = nbody_tests::all_devices();
    for (device, &precision) in
        devices.iter().flat_map(|it| Precision::ALL.iter().map(move |p| (it, p)))
    {
        let options = Options::default().precision(precision);
        let mut direct = AllPairs::with_options(device, Gravity { eps2: 1.0 }, options).unwrap();
        let mut found = |x| direct.evaluate(&[at(0.0)], &[at(x)]).unwrap()[0];
        let (far, infinite) = (found(1e60), found(f64::INFINITY));
        assert!(infinite.acc.x.is_nan(), "{device}, {precision}: {infinite:?}");
        if precision == Precision::Double {
            assert!((far.acc.x / 1e-120 - 1.0).abs() < 1e-14, "{device}: {far:?}");
        } else {
            assert!(
                far.acc.x.is_nan() && far.pot == infinite.pot,
                "{device}, {precision}: {far:?}"
            );
        }
    }
}

#[test]
fn a_device_that_was_trimmed_computes_as_before() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let first = direct.evaluate_self(&bodies(300)).unwrap();
        device.trim().unwrap();
        assert_eq!(first, direct.evaluate_self(&bodies(300)).unwrap(), "{device}");
    }
}

#[test]
fn results_are_the_same_in_every_run() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let first = direct.evaluate_self(&bodies(1500)).unwrap();
        assert_eq!(first, direct.evaluate_self(&bodies(1500)).unwrap(), "{device}");
        let mut again = AllPairs::new(&device, GRAVITY).unwrap();
        assert_eq!(first, again.evaluate_self(&bodies(1500)).unwrap(), "{device}");
    }
}

#[test]
fn results_are_the_same_for_every_number_of_threads() {
    // An odd number of i-blocks, the last one incomplete.
    let bodies = bodies(2200);
    for pairs in [Pairs::Ordered, Pairs::Symmetric] {
        // Sums of `f32` in `f64` are often exact, in any order; those of `f64` are not.
        let options = Options::default().pairs(pairs).precision(Precision::Double);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut direct = AllPairs::with_options(&Device::cpu(), GRAVITY, options).unwrap();
            pool.install(|| direct.evaluate_self(&bodies).unwrap())
        };
        let one = run(1);
        for threads in [2, 3, 16] {
            assert_eq!(run(threads), one, "{pairs}, {threads} threads");
        }
    }
}

#[test]
fn devices_serve_the_tasks_of_one_thread_pool_at_once() {
    // Large enough for uploads and downloads on several threads, which then steal tasks of others.
    let (targets, sources) = (bodies(30_000), bodies(2));
    let mut devices = nbody_tests::all_devices();
    devices.push(nbody_tests::emulator());
    let evaluate = |device: &Device| {
        AllPairs::new(device, GRAVITY).unwrap().evaluate(&targets, &sources).unwrap()
    };
    let expected: Vec<Vec<Field>> = devices.iter().map(evaluate).collect();
    (0..4 * devices.len()).into_par_iter().for_each(|task| {
        let k = task % devices.len();
        assert!(evaluate(&devices[k]) == expected[k], "{}", devices[k]);
    });
}

/// Does work that must end on a thread of its own, with a pool of this many threads.
fn ends(threads: usize, work: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(work);
        done.send(()).unwrap();
    });
    let waited = ended.recv_timeout(Duration::from_secs(60));
    assert!(waited.is_ok(), "{threads} threads: a task failed, or waits for itself");
}

/// A thread that waits for the tasks of an evaluation may begin another one of the same engine.
#[test]
fn tasks_of_one_pool_share_what_is_found_once() {
    for threads in [2, 3, 6] {
        ends(threads, || {
            let balls = Random(3).balls(6000);
            let mut engine = CpuShortRange::new(Uniform { cutoff: 0.25 }).unwrap();
            engine.exclude(&(0..3000).map(|k| [k, k + 3000]).collect::<Vec<_>>());
            let domain = Domain::periodic([2.0; 3]).unwrap();
            let mut near = CpuNeighbours::new(domain, Skin::Auto).unwrap();
            let particles = near.upload(&balls).unwrap();
            near.update(&particles, &[&engine]).unwrap();
            let evaluate = |engine: &CpuShortRange<Uniform>| {
                let mut out = engine.results(balls.len()).unwrap();
                engine.evaluate_into(&near, &particles, &mut out).unwrap();
                engine.download::<f64>(&out).unwrap()
            };
            let expected = evaluate(&engine.clone());
            engine.exclude(&(0..3000).map(|k| [k + 3000, k]).collect::<Vec<_>>());
            (0..24).into_par_iter().for_each(|_| assert!(evaluate(&engine) == expected));
        });
        ends(threads, || {
            let bodies = bodies(300);
            let bounds = ErrorBounds::new(&GRAVITY, Domain::Open, &bodies, &bodies);
            let all = (0..24).into_par_iter().map(|_| bounds.bounds(&Options::default()));
            let all: Vec<_> = all.collect();
            assert!(all.iter().all(|one| *one == all[0] && one.len() == 300));
        });
    }
}

/// Variable that is set in the process that a test starts.
const CHILD: &str = "NBODY_TEST_CHILD";

/// An evaluation that waits for the pool holds nothing that a task of the pool waits for. The pool of the process has
/// one thread.
#[test]
fn an_evaluation_that_waits_for_the_pool_keeps_no_task_waiting() {
    if std::env::var_os(CHILD).is_none() {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "an_evaluation_that_waits_for_the_pool_keeps_no_task_waiting"]);
        let output = child.env(CHILD, "yes").env("RAYON_NUM_THREADS", "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    // Few enough for the masks to be the first parallel loop.
    let balls = Random(3).balls(64);
    let mut engine = CpuShortRange::new(Uniform { cutoff: 0.25 }).unwrap();
    engine.exclude(&(0..32).map(|k| [k, k + 32]).collect::<Vec<_>>());
    let mut near = CpuNeighbours::new(Domain::Open, Skin::Auto).unwrap();
    let particles = near.upload(&balls).unwrap();
    near.update(&particles, &[&engine]).unwrap();
    waits_for_the_pool("pairs that are left out", move || {
        let mut out = engine.results(balls.len()).unwrap();
        engine.evaluate_into(&near, &particles, &mut out).unwrap();
        engine.download::<f64>(&out).unwrap()
    });
    let bodies = bodies(100);
    let bounds = ErrorBounds::new(&GRAVITY, Domain::Open, &bodies, &bodies);
    waits_for_the_pool("bounds", move || bounds.bounds(&Options::default()));
}

/// Does work on a thread of its own, which waits for the only thread of the pool; that is busy at first and then does
/// the same work.
fn waits_for_the_pool<T: PartialEq + Send + 'static>(
    what: &str,
    work: impl Fn() -> T + Send + Sync + 'static,
) {
    assert_eq!(rayon::current_num_threads(), 1);
    let (work, (done, ended)) = (Arc::new(work), mpsc::channel());
    let (of_pool, done_in_pool) = (work.clone(), done.clone());
    let (begins, begun) = mpsc::channel();
    rayon::spawn(move || {
        begins.send(()).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        done_in_pool.send(of_pool()).unwrap();
    });
    begun.recv().unwrap();
    std::thread::spawn(move || done.send(work()).unwrap());
    let both = [(); 2].map(|()| {
        let result = ended.recv_timeout(Duration::from_secs(20));
        result.unwrap_or_else(|_| {
            panic!("{what}: a thread and a task of the pool wait for each other")
        })
    });
    assert!(both[0] == both[1], "{what}");
}

/// Orders of summation of far more bags, splits, or j-particles of a bag than there are j-particles: the result, or
/// an error, soon.
#[test]
fn orders_beyond_the_particles_end_soon() {
    const MOST: usize = usize::MAX;
    let orders =
        [(1, 1 << 30), (3, MOST), (1 << 40, 1 << 40), (MOST, 1), (MOST, MOST), (1 << 62, 2)];
    let devices = nbody_tests::all_devices();
    ends(2, move || {
        for device in &devices {
            for (bag, splits) in orders {
                let options = Options::default().order(SummationOrder { bag, splits });
                // Programs have one order for both.
                let each = if device.is_cpu() { 2 } else { 1 };
                for math in [Math::Fast, Math::Exact].into_iter().take(each) {
                    check_order(device, options.math(math));
                }
            }
        }
    });
}

fn check_order(device: &Device, options: Options) {
    let balls = Random(3).balls(300);
    let (uniform, usual) = (Uniform { cutoff: 0.25 }, Options::default());
    let ended = |result: Result<Vec<Near>, Error>, expected: &[Near]| match result {
        Ok(found) => assert_eq!(found, expected, "{device} {options:?}"),
        Err(error) => {
            let error = error.to_string();
            assert!(error.contains("use") || error.contains("give"), "{device}: {error}");
            assert!(!device.is_cpu(), "{options:?}: {error}");
        }
    };
    let direct = |options| {
        AllPairs::with_options(device, uniform, options).and_then(|mut it| it.evaluate_self(&balls))
    };
    let expected = direct(usual).unwrap();
    ended(direct(options), &expected);
    let lists = |excluded: &[[u32; 2]], options| {
        let mut engine = ShortRange::with_options(device, uniform, options)?;
        engine.exclude(excluded);
        engine.evaluate::<f64>(Domain::Open, &balls)
    };
    ended(lists(&[], options), &expected);
    ended(lists(&[[1, 2]], options), &lists(&[[1, 2]], usual).unwrap());
    let bodies = bodies(300);
    let walk = |options| {
        let opening = Opening::theta(0.5);
        let mut tree = Tree::with_options(device, GRAVITY, opening, options)?;
        tree.evaluate_self(&bodies)
    };
    let expected = walk(usual).unwrap();
    match walk(options) {
        Ok(found) => {
            let near = |a: &Field, b: &Field| (a.pot - b.pot).abs() <= 1e-5 * b.pot.abs();
            let is_near = found.iter().zip(&expected).all(|(a, b)| near(a, b));
            assert!(found.len() == 300 && is_near, "{device} {options:?}");
        }
        Err(error) => assert!(!device.is_cpu(), "{options:?}: {error}"),
    }
}

#[test]
fn a_repeated_evaluation_follows_changes() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let particles = direct.upload(&bodies(300)).unwrap();
        let (mut out, mut other) = (direct.results(300).unwrap(), direct.results(300).unwrap());
        let mut evaluate = |direct: &mut AllPairs<Gravity>| {
            // Often enough that a GPU records a graph and replays it.
            for _ in 0..6 {
                direct.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            }
            direct.download::<f64>(&out).unwrap()
        };
        let before = evaluate(&mut direct);
        direct.set_interaction(Gravity { eps2: 0.5 });
        let softer = evaluate(&mut direct);
        assert!(softer[7].pot > before[7].pot, "{device}");
        direct.set_domain(Domain::periodic([1.0; 3]).unwrap()).unwrap();
        let periodic = evaluate(&mut direct);
        assert_ne!(periodic[7].acc, softer[7].acc, "{device}");
        direct.evaluate_into(&particles, &particles, &mut other).unwrap();
        let with_itself = direct.download::<f64>(&other).unwrap();
        assert!(with_itself[7].pot < periodic[7].pot, "{device}");
        assert_eq!(periodic, evaluate(&mut direct), "{device}");
    }
}
