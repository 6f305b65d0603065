//! Environment variables, each tested in a process of its own.

use std::path::Path;
use std::process::{Command, Output};

use nbody::cuda::nvrtc::Nvrtc;
use nbody::cuda::{CompileError, Error as CudaError, Origin, sass};
use nbody::prelude::*;
use nbody_interactions::gravity::Gravity;

use crate::{alone, is_child};

fn child(test: &str, set: &[(&str, &Path)]) -> Output {
    output(alone(&format!("environment::{test}")).envs(set.iter().copied()))
}

fn output(command: &mut Command) -> Output {
    let output = command.arg("--nocapture").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("running 1 test\n"), "{text}");
    output
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
fn nbody_cache_limit_bounds_the_cache() {
    if is_child() {
        let device = Device::emulator().unwrap();
        for math in [Math::Fast, Math::Exact, Math::Fast] {
            let options = Options::default().math(math);
            let direct = AllPairs::with_options(&device, Gravity { eps2: 1.0 }, options).unwrap();
            let build = direct.build().unwrap();
            println!("origin {:?}, error {:?}", build.origin, build.cache_error);
        }
        return;
    }
    for (limit, third) in [("1", "Cached, error None"), ("0", "Compiled, error None")] {
        let folder = tempfile::tempdir().unwrap();
        let set = [("NBODY_CACHE_DIR", folder.path()), ("NBODY_CACHE_LIMIT", Path::new(limit))];
        let output = child("nbody_cache_limit_bounds_the_cache", &set);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let origins: Vec<_> =
            text.lines().filter_map(|line| line.strip_prefix("origin ")).collect();
        assert_eq!(origins, ["Compiled, error None", "Compiled, error None", third], "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_may_write_to_costs_only_time() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let mode = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path(), mode).unwrap();
        let device = Device::emulator().unwrap().with_cache_dir(folder.path());
        let mut direct = AllPairs::new(&device, Gravity { eps2: 1.0 }).unwrap();
        assert_eq!(direct.evaluate_self(&nbody::models::uniform(9, 1)).unwrap().len(), 9);
        let build = direct.build().unwrap().clone();
        (build.origin, build.cache_error)
    };
    assert_eq!(mode(0o700), (Origin::Compiled, None));
    assert_eq!(mode(0o755), (Origin::Cached, None));
    for _ in 0..2 {
        let (origin, error) = mode(0o775);
        assert_eq!(origin, Origin::Compiled);
        assert!(error.unwrap().contains("its mode is 775"));
    }
}

#[test]
fn a_driver_that_fails_to_load_is_not_reported_as_missing() {
    if is_child() {
        match Device::cuda_count() {
            Err(error) => match error.device() {
                Some(CudaError::DriverBroken { message }) => println!("message {message}"),
                _ => println!("{error:?}"),
            },
            other => println!("{other:?}"),
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libcuda.so.1");
    std::fs::write(&library, b"no library").unwrap();
    std::fs::copy(&library, folder.path().join("libcuda.so")).unwrap();
    let set = [("LD_LIBRARY_PATH", folder.path())];
    let output = child("a_driver_that_fails_to_load_is_not_reported_as_missing", &set);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // If another driver loads, it is used.
    let broken = text.contains(&format!("{}: ", library.display()));
    assert!(text.contains("message dlopen failed: ") && broken || text.contains("Ok("), "{text}");
}

#[test]
fn nbody_nvrtc_names_the_library() {
    if is_child() {
        match Nvrtc::find() {
            Err(CudaError::NvrtcNotFound(places)) => println!("places {places:?}"),
            other => println!("{other:?}"),
        }
        // A GPU is useless without NVRTC, so the CPU computes.
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
fn nbody_nvrtc_may_be_a_name_that_the_loader_finds() {
    if is_child() {
        println!("error {}", Nvrtc::find().unwrap_err());
        return;
    }
    let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for folder in [&here, &there] {
        std::fs::write(folder.path().join("libnvrtc.so.7"), b"no library").unwrap();
    }
    let mut command = alone("environment::nbody_nvrtc_may_be_a_name_that_the_loader_finds");
    command.current_dir(&here);
    command.env("NBODY_NVRTC", "libnvrtc.so.7").env("LD_LIBRARY_PATH", there.path());
    let output = output(&mut command);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // This library does not load either; the error has the path where it was found.
    assert!(text.contains("error libnvrtc.so.7 does not work as NVRTC"), "{text}");
    assert!(text.contains(&format!("{}/libnvrtc.so.7: ", there.path().display())), "{text}");
}

#[test]
fn nbody_nvdisasm_names_the_program() {
    if is_child() {
        match sass::find() {
            Err(CudaError::NvdisasmNotFound(places)) => println!("places {places:?}"),
            other => println!("{other:?}"),
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = child("nbody_nvdisasm_names_the_program", &[("NBODY_NVDISASM", folder.path())]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&format!("places [{:?}]", folder.path())), "{text}");
}

/// Writes a script that replaces a compiler.
fn script(folder: &Path, text: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;

    let path = folder.join("my compiler");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

#[test]
fn cxx_may_have_arguments_and_blanks_in_its_path() {
    if is_child() {
        let device = Device::emulator().unwrap();
        let direct = AllPairs::new(&device, Gravity { eps2: 1.0 }).unwrap();
        println!("compiler {}", direct.build().unwrap().compiler);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = script(folder.path(), "exec c++ \"$@\"");
    for command in [path, "env c++ -O0".into(), "'env' \"c++\"".into()] {
        let cache = folder.path().join("cache");
        let set = [("CXX", &*command), ("NBODY_CACHE_DIR", &*cache)];
        let output = child("cxx_may_have_arguments_and_blanks_in_its_path", &set);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("compiler "), "{command:?}: {text}");
    }
    // Each command is another compiler.
    let cache = std::fs::read_dir(folder.path().join("cache")).unwrap();
    let is_compiled = |path: &Path| path.extension().is_some_and(|found| found == "so");
    assert_eq!(cache.filter(|entry| is_compiled(&entry.as_ref().unwrap().path())).count(), 3);
}

#[test]
fn nbody_cxx_timeout_stops_the_compiler() {
    if is_child() {
        let device = Device::emulator().map(|device| device.with_cache_dir("/no/where"));
        let engine = device.and_then(|device| AllPairs::new(&device, Gravity { eps2: 1.0 }));
        println!("error {}", engine.unwrap_err());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = script(
        folder.path(),
        "case $1 in --version) echo Slow C++ 1;; -dM) echo;; *) sleep 1000; echo;; esac",
    );
    let run = |limit| {
        let set = [("CXX", &*path), ("NBODY_CXX_TIMEOUT", Path::new(limit))];
        let output = child("nbody_cxx_timeout_stops_the_compiler", &set);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = run("0.25");
    let expected = "error Slow C++ 1 did not compile the program within 0.25 s and was stopped; set \
                    NBODY_CXX_TIMEOUT to more seconds";
    assert!(text.contains(expected), "{text}");
    let text = run("soon");
    assert!(text.contains("error NBODY_CXX_TIMEOUT is `soon`, expected a number"), "{text}");
}

#[test]
fn cxx_names_the_compiler() {
    if is_child() {
        match Device::emulator() {
            Err(error) => match error.device() {
                Some(CudaError::Compile(CompileError::NoCompiler { tried })) => {
                    println!("tried {tried}");
                }
                _ => println!("{error:?}"),
            },
            other => println!("{other:?}"),
        }
        return;
    }
    let output = child("cxx_names_the_compiler", &[("CXX", Path::new("/no/such/compiler"))]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("tried /no/such/compiler"), "{text}");
}

/// Runs a `main` that returns an error, and checks its output.
#[cfg(unix)]
#[test]
fn a_main_that_fails_prints_the_message() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Termination as _;

    let name = "a_main_that_fails_prints_the_message";
    if is_child() {
        let made = Device::emulator().and_then(|device| {
            let law = Gravity { eps2: 1.0 };
            AllPairs::new(&device, law).map(|_| ())
        });
        let _ = made.report();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let stderr = |compiler: &Path| {
        let set = [("NBODY_CACHE_DIR", folder.path()), ("CXX", compiler)];
        String::from_utf8_lossy(&child(name, &set).stderr).into_owned()
    };
    let expected = "Error: no C++ compiler that works: tried /no/such/compiler; install g++ \
                    (`apt install g++`, `dnf install gcc-c++`) or clang++, or set CXX to the \
                    command of a compiler\n";
    assert_eq!(stderr(Path::new("/no/such/compiler")), expected);

    // A compiler that starts, and refuses every program.
    let compiler = folder.path().join("compiler");
    let script = "#!/bin/sh\ncase $1 in --version) echo Refuser 1; exit;; -dM) exit;; esac\n\
                  echo 'nbody.cu:40:7: error: no' >&2\nexit 1\n";
    std::fs::write(&compiler, script).unwrap();
    std::fs::set_permissions(&compiler, PermissionsExt::from_mode(0o755)).unwrap();
    let told = stderr(&compiler);
    assert!(told.starts_with("Error: Refuser 1 refused the program:\nnbody.cu:40:7: error: no\n"));
    assert!(told.contains("\n  40 | ") && !told.contains("\n  50 | "), "{told}");
    assert!(!told.contains("\\n") && told.len() < 2000, "{told}");
    // The message names the file with all errors.
    let file = told.trim_end().rsplit(' ').next().unwrap();
    assert!(std::fs::read_to_string(file).unwrap().contains("struct Gravity"), "{told}");
}
