//! What the environment variables do, each in a process of its own.

use std::path::Path;
use std::process::{Command, Output};

use nbody::nvrtc::Nvrtc;
use nbody::prelude::*;
use nbody::{Error, Origin, sass};
use nbody_interactions::gravity::Gravity;

/// Set for the processes that the tests start.
const CHILD: &str = "NBODY_TEST_CHILD";

fn child(test: &str, set: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "yes");
    command.envs(set.iter().copied()).output().unwrap()
}

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

#[test]
fn nbody_cache_dir_holds_the_cache() {
    if is_child() {
        let direct = AllPairs::new(&Device::emulator().unwrap(), Gravity { eps2: 1.0 }).unwrap();
        println!("origin {:?}", direct.build().unwrap().origin);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for expected in [Origin::Compiled, Origin::Cached] {
        let set = [("NBODY_CACHE_DIR", folder.path())];
        let output = child("nbody_cache_dir_holds_the_cache", &set);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(&format!("origin {expected:?}")), "{text}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn nbody_nvrtc_names_the_library() {
    if is_child() {
        match Nvrtc::find() {
            Err(Error::NvrtcNotFound(places)) => println!("places {places:?}"),
            other => println!("{other:?}"),
        }
        // Without NVRTC a GPU is of no use, and the CPU computes.
        println!("cpu {}", Device::best().is_cpu());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = child("nbody_nvrtc_names_the_library", &[("NBODY_NVRTC", folder.path())]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&format!("places [{:?}]", folder.path())), "{text}");
    assert!(text.contains("cpu true"), "{text}");
}

#[test]
fn nbody_nvdisasm_names_the_program() {
    if is_child() {
        match sass::find() {
            Err(Error::NvdisasmNotFound(places)) => println!("places {places:?}"),
            other => println!("{other:?}"),
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = child("nbody_nvdisasm_names_the_program", &[("NBODY_NVDISASM", folder.path())]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&format!("places [{:?}]", folder.path())), "{text}");
}

#[test]
fn cxx_names_the_compiler() {
    if is_child() {
        match Device::emulator() {
            Err(Error::NoCompiler { tried }) => println!("tried {tried}"),
            other => println!("{other:?}"),
        }
        return;
    }
    let output = child("cxx_names_the_compiler", &[("CXX", Path::new("/no/such/compiler"))]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("tried /no/such/compiler"), "{text}");
}
