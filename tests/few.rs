//! The schedule for few i-particles, on the emulator and on every GPU.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Case, Interaction, KernelConfig, Schedule};
use nbody_interactions::hermite::Hermite;
use rayon::prelude::*;

/// The devices that run CUDA programs.
fn devices() -> (tempfile::TempDir, Vec<Device>) {
    let cache = tempfile::tempdir().unwrap();
    let devices = Device::all().into_iter().filter(|device| !device.is_cpu());
    let devices = devices.map(|device| device.with_cache_dir(cache.path())).collect();
    (cache, devices)
}

/// Evaluates by the schedule for few i-particles in each of its configurations.
fn check<X: Interaction>(x: X, options: Options, sizes: &[[usize; 2]]) {
    let (_cache, devices) = devices();
    for device in &devices {
        for config in KernelConfig::of(Schedule::Few, X::LAW, options).unwrap() {
            sizes.into_par_iter().for_each(|&[ni, nj]| {
                let mut direct = AllPairs::with_options(device, x, options).unwrap();
                direct.set_kernel_config(Some(config)).unwrap();
                let (i, j) = (uniform(ni, 1), uniform(nj, 2));
                let case = Case::two_sets(&x, options.domain, i, j);
                let report = case.check(&mut direct, &options).unwrap();
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
    let (_cache, devices) = devices();
    let options = Options::default();
    let x = Hermite { eps2: 0.01 };
    for device in &devices {
        for config in KernelConfig::of(Schedule::Few, Hermite::LAW, options).unwrap() {
            [1, 2, 31, 64, 513, 1100].into_par_iter().for_each(|n| {
                let mut direct = AllPairs::with_options(device, x, options).unwrap();
                direct.set_kernel_config(Some(config)).unwrap();
                let case = Case::one_set(&x, Domain::Open, uniform(n, 1), uniform(n, 1)).unwrap();
                let report = case.check(&mut direct, &options).unwrap();
                assert!(report.passes(), "{device}, {config:?}, {n}: {report}");
            });
        }
    }
}
