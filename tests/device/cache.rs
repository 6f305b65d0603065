//! Cache of compiled programs: warm, damaged, or unreachable.

use std::fs;

use nbody::Math;
use nbody::cuda::{Origin, Program};
use nbody::prelude::*;
use nbody_interactions::gravity::Gravity;
use nbody_interactions::hermite::Hermite;
use nbody_tests::bodies::{GRAVITY, bodies};

fn emulator() -> (tempfile::TempDir, Device) {
    let cache = tempfile::tempdir().unwrap();
    let device = Device::emulator().unwrap().with_cache_dir(cache.path());
    (cache, device)
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
