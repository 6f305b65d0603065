//! Sums by trees on the CPU: the same bits with any threads and vector instructions, in bags of
//! any size.

use nbody::cpu::SimdLevel;
use nbody::prelude::*;
use nbody::{Accumulation, Math, Opening, Store, Tree};
use nbody_tests::inputs::Inputs;
use nbody_tests::ways::{bits, numbers};

use super::bodies::{GRAVITY, bodies, evaluate};

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
            let mut tree =
                Tree::with_options(&Device::cpu_with(level).unwrap(), GRAVITY, opening, options)
                    .unwrap();
            bits(&tree.evaluate_self::<f64>(&bodies).unwrap())
        });
        let all: Vec<_> = all.collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{precision}");
    }
}

#[test]
fn sums_are_added_and_first_particles_are_evaluated_alone() {
    let bodies = bodies(2000, Inputs::Uniform);
    let mut tree = Tree::new(&Device::cpu(), GRAVITY, Opening::theta(0.6)).unwrap();
    let (all, mut out) = (tree.upload(&bodies).unwrap(), tree.results(2000).unwrap());
    tree.evaluate_self_into(&all, &all, &mut out).unwrap();
    let once = out.download::<f64>().unwrap();
    let mut first = tree.results(77).unwrap();
    tree.evaluate_with(&all, Sources::First(&all), &mut first, Store::Replace).unwrap();
    assert_eq!(bits(&first.download::<f64>().unwrap()), bits(&once[..77]));
    tree.evaluate_with(&all, Sources::Same(&all), &mut out, Store::Add).unwrap();
    let twice = out.download::<f64>().unwrap();
    let double: Vec<_> = numbers(&once).into_iter().map(|x| (2.0 * x).to_bits()).collect();
    assert_eq!(bits(&twice), double);
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
