//! Evaluations end: on any number of threads, with the same results, and in any order of
//! summation.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use nbody::check::ErrorBounds;
use nbody::prelude::*;
use nbody::{Error, Math, Neighbours, ShortRange};
use nbody_interactions::gravity::Field;
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Near, Uniform};
use rayon::prelude::*;

use crate::{alone, is_child};

#[test]
fn results_are_the_same_for_every_number_of_threads() {
    // An odd number of i-blocks, the last one incomplete.
    let bodies = bodies(2200);
    for pairs in [Pairs::Ordered, Pairs::Symmetric] {
        // Sums of `f32` in `f64` are often exact in any order; sums of `f64` are not.
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
    // Large enough for uploads and downloads on several threads, which then steal each other's
    // tasks.
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

/// Does work in a pool of this many threads, on a separate thread; panics if the work does not
/// end.
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

/// A thread that waits for the tasks of an evaluation may begin another evaluation over the same
/// lists.
#[test]
fn tasks_of_one_pool_share_what_is_found_once() {
    for threads in [2, 3, 6] {
        ends(threads, || {
            let balls = Random(3).balls(6000);
            let engine = |a: u32, b: u32| {
                let mut engine = ShortRange::new(&Device::cpu(), Uniform { cutoff: 0.25 }).unwrap();
                engine.exclude(&(0..3000).map(|k| [k + a, k + b]).collect::<Vec<_>>());
                engine
            };
            let domain = Domain::periodic([2.0; 3]).unwrap();
            let mut near = Neighbours::with_options(
                &Device::cpu(),
                Skin::Auto,
                Options::default().domain(domain),
            )
            .unwrap();
            let particles = near.upload(&balls).unwrap();
            near.update(&particles, &[&engine(0, 3000)]).unwrap();
            let evaluate = |mut engine: ShortRange<Uniform>| {
                let mut out = engine.results(balls.len()).unwrap();
                engine.evaluate_over(&near, &particles, &mut out).unwrap();
                out.download::<f64>().unwrap()
            };
            let expected = evaluate(engine(0, 3000));
            let tasks = (0..24).into_par_iter();
            tasks.for_each(|_| assert!(evaluate(engine(3000, 0)) == expected));
        });
        ends(threads, || {
            let bodies = bodies(300);
            let bounds = ErrorBounds::new(&GRAVITY, Domain::Open, &bodies, &bodies).unwrap();
            let all = (0..24).into_par_iter().map(|_| bounds.bounds(&Options::default()));
            let all: Vec<_> = all.collect();
            assert!(all.iter().all(|one| *one == all[0] && one.len() == 300));
        });
    }
}

/// An evaluation that waits for the pool holds nothing that a task of the pool needs. The pool of
/// this process has one thread.
#[test]
fn an_evaluation_that_waits_for_the_pool_keeps_no_task_waiting() {
    if !is_child() {
        let mut child =
            alone("threads::an_evaluation_that_waits_for_the_pool_keeps_no_task_waiting");
        let output = child.env("RAYON_NUM_THREADS", "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    // Few enough that building the masks is the first parallel loop.
    let balls = Random(3).balls(64);
    let engine = || {
        let mut engine = ShortRange::new(&Device::cpu(), Uniform { cutoff: 0.25 }).unwrap();
        engine.exclude(&(0..32).map(|k| [k, k + 32]).collect::<Vec<_>>());
        engine
    };
    let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
    let particles = near.upload(&balls).unwrap();
    near.update(&particles, &[&engine()]).unwrap();
    waits_for_the_pool("pairs that are left out", move || {
        let mut engine = engine();
        let mut out = engine.results(balls.len()).unwrap();
        engine.evaluate_over(&near, &particles, &mut out).unwrap();
        out.download::<f64>().unwrap()
    });
    let bodies = bodies(100);
    let bounds = ErrorBounds::new(&GRAVITY, Domain::Open, &bodies, &bodies).unwrap();
    waits_for_the_pool("bounds", move || bounds.bounds(&Options::default()));
}

/// Does work on a separate thread that waits for the only thread of the pool; the pool's thread is
/// busy at first and then does the same work.
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

/// Summation orders with far more bags, splits, or j-particles in a bag than there are
/// j-particles: the result or an error comes soon.
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
                // CUDA programs have one order for both kinds of mathematics.
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
        engine.evaluate_self::<f64>(&balls)
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
