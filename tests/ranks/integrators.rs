//! Integrators over ranks: the bits of one rank, and checkpoints that any number of ranks resumes.

use nbody::models::plummer;
use nbody::prelude::*;
use nbody::{Opening, Pairs, Tree};
use nbody_integrate::{BlockHermite, Hermite, HermiteOptions, Integrator as _, Leapfrog, Motion};
use nbody_interactions::gravity::Gravity;
use nbody_interactions::hermite::Hermite as HermiteLaw;
use nbody_mpi::threads;

use super::{RANKS, distributed, over};

pub const EPS2: f64 = 1e-4;
const END: f64 = 0.0625;

pub fn motions(n: usize) -> Vec<Motion> {
    let stars = plummer(n, 1).unwrap().particles;
    stars.iter().map(|it| Motion::new(it.pos, it.vel, it.mass)).collect()
}

pub fn options() -> Options {
    Options::default().precision(Precision::Mixed).pairs(Pairs::Ordered)
}

pub fn law(device: &Device) -> AllPairs<HermiteLaw> {
    AllPairs::with_options(device, HermiteLaw { eps2: EPS2 }, options()).unwrap()
}

/// The checkpoints of block steps, of the Hermite integrator with a shared step and of the leapfrog
/// are equal for any number of ranks. A run that is resumed on another number goes on as if
/// nothing had happened.
#[test]
fn checkpoints_do_not_depend_on_the_number_of_ranks() {
    let motions = motions(130);
    let hermite = HermiteOptions::default();
    let begin = |device: &Device| {
        let mut block = BlockHermite::new(law(device), &motions, hermite).unwrap();
        block.advance_to(END).unwrap();
        let mut shared = Hermite::new(law(device), &motions, hermite).unwrap();
        shared.advance_to(END / 4.0).unwrap();
        let engine = AllPairs::with_options(device, Gravity { eps2: EPS2 }, options()).unwrap();
        let mut leapfrog = Leapfrog::new(engine, &motions, 1.0 / 256.0).unwrap();
        leapfrog.advance_to(END).unwrap();
        let energies = [block.energies(), shared.energies(), leapfrog.energies()];
        let energies = energies.map(|it| it.unwrap().total().to_bits());
        let checkpoints = (block.checkpoint(), shared.checkpoint(), leapfrog.checkpoint());
        (checkpoints.0.unwrap(), checkpoints.1.unwrap(), checkpoints.2.unwrap(), energies)
    };
    let expected = begin(&Device::cpu());
    for ranks in RANKS {
        for found in threads(ranks, |all| begin(&over(all, &Device::cpu()))) {
            assert_eq!(found, expected, "{ranks} ranks");
        }
    }
    // To twice the time, at once and by other numbers of ranks.
    let goes_on = |device: &Device| {
        let (of_block, ..) = &expected;
        let mut run = BlockHermite::resume(law(device), &motions, of_block, hermite).unwrap();
        run.advance_to(2.0 * END).unwrap();
        run.checkpoint().unwrap()
    };
    let mut whole = BlockHermite::new(law(&Device::cpu()), &motions, hermite).unwrap();
    whole.advance_to(2.0 * END).unwrap();
    let whole = whole.checkpoint().unwrap();
    for ranks in [1, 3] {
        for found in threads(ranks, |all| goes_on(&over(all, &Device::cpu()))) {
            assert_eq!(found, whole, "{ranks} ranks");
        }
    }
}

/// Block steps on GPUs, and in the emulator, where the ranks pass results through the host.
#[test]
fn block_steps_on_a_gpu_have_the_bits_of_one_rank() {
    let motions = motions(70);
    let run = |device: &Device| {
        let mut run = BlockHermite::new(law(device), &motions, HermiteOptions::default()).unwrap();
        run.advance_to(END / 8.0).unwrap();
        run.checkpoint().unwrap()
    };
    for device in nbody_tests::cuda_devices() {
        let [expected, two, three] =
            [1, 2, 3].map(|ranks| threads(ranks, |all| run(&over(all, &device))));
        assert!(two.iter().chain(&three).all(|found| *found == expected[0]));
    }
}

/// Leapfrog steps by a tree that compares errors with the last results: the checkpoint has the
/// lengths of results, and any number of ranks resumes it.
#[test]
fn steps_by_trees_do_not_depend_on_the_number_of_ranks() {
    let motions = motions(700);
    let tree = |device: &Device| {
        let law = Gravity { eps2: EPS2 };
        Tree::with_options(device, law, Opening::relative(0.01), options()).unwrap()
    };
    let begin = |device: &Device| {
        let mut run = Leapfrog::new(tree(device), &motions, 1.0 / 256.0).unwrap();
        run.advance_to(END / 4.0).unwrap();
        run.checkpoint().unwrap()
    };
    let resumed = |device: &Device, checkpoint| {
        let mut run = Leapfrog::resume(tree(device), &motions, checkpoint, 1.0 / 256.0).unwrap();
        run.advance_to(END / 2.0).unwrap();
        run.checkpoint().unwrap()
    };
    let first = begin(&Device::cpu());
    let second = resumed(&Device::cpu(), &first);
    for ranks in [2, 3] {
        for found in threads(ranks, |all| begin(&over(all, &Device::cpu()))) {
            assert_eq!(found, first, "{ranks} ranks");
        }
        for found in threads(ranks, |all| resumed(&over(all, &Device::cpu()), &first)) {
            assert_eq!(found, second, "resumed by {ranks} ranks");
        }
    }
}

/// Steps by trees of distributed particles follow the steps of one process within the errors of trees,
/// while particles move to other ranks and regions follow the work; and they repeat, to the last bit.
/// One process goes on from a checkpoint.
#[test]
fn steps_by_distributed_trees_repeat_and_follow_one_process() {
    // Particles move twice to the ranks of their regions.
    const STEPS: [f64; 2] = [40.0 / 256.0, 44.0 / 256.0];
    let devices = [Device::cpu()].into_iter().chain(nbody_tests::cuda_devices());
    for (device, opening) in devices
        .flat_map(|it| [Opening::theta(0.6), Opening::relative(0.01)].map(|by| (it.clone(), by)))
    {
        let motions = motions(if device.is_cpu() { 700 } else { 100 });
        let tree = |device: &Device| {
            Tree::with_options(device, Gravity { eps2: EPS2 }, opening, options()).unwrap()
        };
        let positions = |run: &mut Leapfrog, time: f64| -> Vec<[f64; 3]> {
            run.advance_to(time).unwrap();
            run.motions_at(time).unwrap().iter().map(|motion| motion.pos.0).collect()
        };
        let begin = |device: &Device| {
            let mut run = Leapfrog::new(tree(device), &motions, 1.0 / 256.0).unwrap();
            let found = positions(&mut run, STEPS[0]);
            (found, run.checkpoint().unwrap(), positions(&mut run, STEPS[1]))
        };
        let (expected, _, last) = begin(&device);
        let is_near = |found: &[[f64; 3]], expected: &[[f64; 3]]| {
            let off2 = |(a, b): (&[f64; 3], &[f64; 3])| -> f64 {
                (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum()
            };
            found.iter().zip(expected).map(off2).all(|off2| off2.sqrt() < 1e-3)
        };
        for ranks in [2, 3] {
            let case = format!("{ranks} ranks of {device}, {opening}");
            let run = || threads(ranks, |all| begin(&distributed(all, &device)));
            let all = run();
            assert!(all == run(), "{case}");
            let (found, checkpoint, then) = &all[0];
            assert!(all.iter().all(|it| it == &all[0]), "{case}");
            assert!(*found != expected && is_near(found, &expected), "{case}");
            assert!(is_near(then, &last), "{case}");
            let resumed = Leapfrog::resume(tree(&device), &motions, checkpoint, 1.0 / 256.0);
            assert!(is_near(&positions(&mut resumed.unwrap(), STEPS[1]), &last), "{case}");
        }
    }
}
