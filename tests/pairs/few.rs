//! The schedule for few i-particles, on the emulator and on every GPU.

use nbody::Interaction;
use nbody::check::Case;
use nbody::cuda::{KernelConfig, Schedule};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody_interactions::hermite::{Body, Hermite};
use rayon::prelude::*;

/// Evaluates by the schedule for few i-particles in each of its configurations.
fn check<X: Interaction>(x: X, options: Options, sizes: &[[usize; 2]]) {
    let devices = nbody_tests::cuda_devices();
    for device in &devices {
        for config in KernelConfig::of(Schedule::Few, X::LAW, options).unwrap() {
            sizes.into_par_iter().for_each(|&[ni, nj]| {
                let mut direct = AllPairs::with_options(device, x.clone(), options).unwrap();
                direct.set_kernel_config(Some(config)).unwrap();
                let (i, j) = (uniform(ni, 1), uniform(nj, 2));
                let case = Case::two_sets(&x, options.domain, i, j).unwrap();
                let report = case.check(&mut direct).unwrap();
                assert!(report.passes(), "{device}, {config:?}, {}: {report}", case.name());
            });
        }
    }
}

#[test]
fn every_number_of_few_particles_is_evaluated() {
    let sizes: Vec<_> = (1..=130).map(|ni| [ni, 37 * ni % 700 + 1]).collect();
    check(Hermite { eps2: 0.01 }, Options::default(), &sizes);
}

#[test]
fn particles_of_one_set_do_not_meet_themselves() {
    let devices = nbody_tests::cuda_devices();
    let options = Options::default();
    let x = Hermite { eps2: 0.01 };
    for device in &devices {
        for config in KernelConfig::of(Schedule::Few, Hermite::LAW, options).unwrap() {
            [1, 2, 31, 64, 513, 1100].into_par_iter().for_each(|n| {
                let mut direct = AllPairs::with_options(device, x, options).unwrap();
                direct.set_kernel_config(Some(config)).unwrap();
                let case = Case::one_set(&x, Domain::Open, uniform(n, 1), uniform(n, 1)).unwrap();
                let report = case.check(&mut direct).unwrap();
                assert!(report.passes(), "{device}, {config:?}, {n}: {report}");
            });
        }
    }
}

#[test]
fn the_first_particles_of_a_set_meet_all_others() {
    let devices = nbody_tests::cuda_devices();
    // Without softening, a particle that interacted with itself would give NaN.
    let x = Hermite { eps2: 0.0 };
    let n = 700;
    let all = uniform::<Body>(n, 1);
    let order = SummationOrder { bag: 256, splits: 2 };
    let exact = Options::default().math(Math::Exact).order(order);
    for device in devices.iter().chain([&Device::cpu()]) {
        for options in [Options::default(), exact] {
            let mut direct = AllPairs::with_options(device, x, options).unwrap();
            let whole = direct.evaluate_self::<f64>(&all).unwrap();
            let set = direct.upload(&all).unwrap();
            for first in [1, 2, 31, 64, 129, 255, 256, 257, n - 1, n] {
                let mut out = direct.results(first).unwrap();
                direct.evaluate_first_into(&set, &set, &mut out).unwrap();
                for (k, found) in out.download::<f64>().unwrap().iter().enumerate() {
                    let error = (found.acc - whole[k].acc).norm() / whole[k].acc.norm();
                    assert!(error < 1e-4, "{device}, {options:?}, {k} of {first}: {error:e}");
                    assert!(options != exact || *found == whole[k], "{device}, {k} of {first}");
                }
            }
        }
    }
}
