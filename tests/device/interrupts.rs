//! Evaluations on the CPU end early when they are interrupted, and later ones are whole.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use nbody::cpu::Interrupt;
use nbody::prelude::*;
use nbody::{Error, ShortRange};
use nbody_interactions::gravity::Body;
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use slow::{Place, Slow};

/// A law that takes much longer than the search for its pairs.
#[nbody::interaction]
mod slow {
    pub struct Slow {
        pub cutoff: Real,
    }
    pub struct Place {
        pub pos: Point,
    }
    pub struct Sum {
        pub roots: Real,
    }

    impl Interaction for Slow {
        type I = Place;
        type J = Place;
        type F = Sum;

        fn cutoff(&self, _i: &Place, _j: &Place) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Place, j: &Place, f: &mut Sum) {
            let mut root = (j.pos - i.pos).norm2();
            for _k in 0..64 {
                root = (root + 1.0).sqrt();
            }
            f.roots += root;
        }
    }
}

/// Returns the shortest time of three calls.
fn shortest(mut work: impl FnMut()) -> Duration {
    let timed = |_| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    };
    (0..3).map(timed).min().unwrap()
}

/// Tests that an engine that is interrupted from the beginning takes a small part of the time, and
/// that its results afterwards are the first ones.
fn ends_early<R: PartialEq>(name: &str, mut evaluate: impl FnMut() -> Result<R, Error>) {
    let expected = evaluate().unwrap();
    let interrupt = Interrupt::default();
    interrupt.set();
    let ended = shortest(|| {
        let found = interrupt.during(&mut evaluate);
        assert!(matches!(found, Err(Error::Interrupted)), "{name}");
    });
    assert!(evaluate().unwrap() == expected, "{name}: after an interrupted evaluation");
    let whole = shortest(|| drop(evaluate()));
    assert!(ended < whole / 3, "{name}: interrupted {ended:?}, whole {whole:?}");
}

#[test]
fn loops_look_at_the_interrupt_of_their_thread() {
    let stars = bodies(12_000);
    for pairs in [Pairs::Ordered, Pairs::Symmetric] {
        let options = Options::default().pairs(pairs);
        let mut direct = AllPairs::with_options(&Device::cpu(), GRAVITY, options).unwrap();
        ends_early(&pairs.to_string(), || direct.evaluate_self(&stars));
    }
    let mut tree = Tree::new(&Device::cpu(), GRAVITY, Opening::theta(0.1)).unwrap();
    ends_early("tree", || tree.evaluate_self(&stars));
    let places: Vec<Place> =
        Random(1).balls(5_000).iter().map(|ball| Place { pos: ball.pos }).collect();
    let mut lists = ShortRange::new(&Device::cpu(), Slow { cutoff: 0.5 }).unwrap();
    ends_early("lists", || lists.evaluate_self(&places));
}

#[test]
fn an_interrupt_ends_an_evaluation_that_another_thread_began() {
    // All pairs of these would take an hour.
    let stars: Vec<Body> = bodies(3_000_000);
    let interrupt = Interrupt::default();
    let of_thread = interrupt.clone();
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let mut direct = AllPairs::new(&Device::cpu(), GRAVITY).unwrap();
        let found = of_thread.during(|| direct.evaluate_self(&stars));
        sender.send(matches!(found, Err(Error::Interrupted))).unwrap();
    });
    assert!(ended.recv_timeout(Duration::from_secs(2)).is_err(), "it ended by itself");
    interrupt.set();
    assert!(ended.recv_timeout(Duration::from_secs(60)).expect("an end"));
}

#[test]
fn interrupts_are_of_one_call_alone() {
    let stars = bodies(100);
    let mut direct = AllPairs::new(&Device::cpu(), GRAVITY).unwrap();
    let (inner, outer) = (Interrupt::default(), Interrupt::default());
    inner.set();
    outer.during(|| {
        assert!(inner.during(|| direct.evaluate_self(&stars)).is_err());
        assert!(direct.evaluate_self(&stars).is_ok());
        outer.set();
        assert!(direct.evaluate_self(&stars).is_err());
    });
    assert!(direct.evaluate_self(&stars).is_ok());
    // Other threads have interrupts of their own.
    let mut other = AllPairs::new(&Device::cpu(), GRAVITY).unwrap();
    let found = inner.during(|| {
        let evaluation = || other.evaluate_self(&stars).map(drop);
        std::thread::scope(|scope| scope.spawn(evaluation).join().unwrap())
    });
    assert!(found.is_ok());
}
