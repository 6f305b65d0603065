//! Programs in C that link the library, on the CPU and in the emulator.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];
const CHECKED: [&str; 4] =
    ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folder of the build that this test belongs to.
fn target() -> PathBuf {
    let test = env::current_exe().unwrap();
    test.ancestors().nth(3).unwrap().to_owned()
}

/// Runs a command and returns its output.
fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let printed = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(output.status.success(), "{command:?}: {}\n{printed}", output.status);
    output
}

/// Returns the folder of the shared library, which Cargo puts beside the tests.
fn library() -> PathBuf {
    let library = env::current_exe().unwrap().with_file_name("libsapporo.so");
    assert!(library.exists(), "no {}", library.display());
    library.parent().unwrap().to_owned()
}

fn compiler(variable: &str, default: &str) -> Command {
    Command::new(env::var_os(variable).unwrap_or_else(|| OsString::from(default)))
}

/// Compiles a program of the folder `c` to a file.
fn compile(name: &str, options: &[&str], to: &Path) -> PathBuf {
    let program = to.join(name);
    let mut cc = compiler("CC", "cc");
    cc.args(["-std=gnu99", "-O1"]).args(STRICT).args(options);
    cc.arg("-I").arg(package().join("include"));
    cc.arg(package().join("tests/c").join(name).with_extension("c")).arg("-o").arg(&program);
    cc.arg("-L").arg(library()).arg("-lsapporo").args(["-lm", "-pthread"]);
    run(&mut cc);
    program
}

/// Returns the command that runs a compiled program on a device.
fn on(device: &str, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", library()).env("NBODY_G6_DEVICE", device);
    command.env("NBODY_CACHE_DIR", target().join("kernels")).current_dir(program.parent().unwrap());
    // The library keeps its devices until the process ends.
    command.env("ASAN_OPTIONS", "detect_leaks=0");
    command
}

#[test]
fn programs_run_on_each_device() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["traps", "hermite", "threads"] {
        let program = compile(name, &[], folder.path());
        for device in ["cpu", "emulator"] {
            let output = run(&mut on(device, &program));
            println!("{device}: {}", String::from_utf8_lossy(&output.stdout));
            let told = String::from_utf8(output.stderr).unwrap();
            let lines: BTreeSet<_> = told.lines().collect();
            assert_eq!(lines.len(), told.lines().count(), "each message once:\n{told}");
        }
    }
}

#[test]
fn programs_run_with_sanitizers() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["traps", "hermite", "threads"] {
        run(&mut on("cpu", &compile(name, &CHECKED, folder.path())));
    }
}

#[test]
fn the_cluster_needs_a_device_and_a_precision_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile("traps", &[], folder.path());
    let refused = |command: &mut Command, expected: &str| {
        let output = command.output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && told.contains(expected), "{told}");
    };
    refused(&mut on("abacus", &program), "g6_open_: unknown device `abacus`: expected cpu");
    let wrong = "g6_open_: NBODY_G6_PRECISION is `triple`, expected single, double, mixed";
    refused(on("cpu", &program).env("NBODY_G6_PRECISION", "triple"), wrong);
    run(on("cpu", &program).env("NBODY_G6_PRECISION", "double"));
    fs::write(folder.path().join("sapporo2.config"), "1\nfirst\n").unwrap();
    let wrong = "g6_open_: sapporo2.config:2: found `first`, expected the ordinal of a device";
    refused(on("cpu", &program).env_remove("NBODY_G6_DEVICE"), wrong);
}

#[test]
fn the_header_compiles_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("header");
    let text =
        "#include \"g6lib.h\"\n#include \"g6lib.h\"\nint main(void) { return g6_npipes() < 0; }\n";
    for (variable, default, extension, standards) in [
        ("CC", "cc", "c", ["c99", "c11", "c17"]),
        ("CXX", "c++", "cc", ["c++11", "c++17", "c++20"]),
    ] {
        let source = source.with_extension(extension);
        fs::write(&source, text).unwrap();
        for standard in standards {
            let mut command = compiler(variable, default);
            command.args(STRICT).arg(format!("-std={standard}")).arg("-fsyntax-only");
            run(command.arg("-I").arg(package().join("include")).arg(&source));
        }
    }
}

/// The library has the functions that the header declares, and no other symbol.
#[test]
fn the_library_has_the_functions_of_the_header() {
    let header = fs::read_to_string(package().join("include/g6lib.h")).unwrap();
    let declared: BTreeSet<_> = header
        .lines()
        .filter(|line| line.starts_with("int ") || line.starts_with("void "))
        .map(|line| line.split(['(', ' ']).nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(declared.len(), 16, "{declared:?}");
    assert!(declared.iter().all(|name| name.starts_with("g6") && name.ends_with('_')));
    let mut nm = Command::new("nm");
    nm.args(["-D", "--defined-only"]).arg(library().join("libsapporo.so"));
    let output = run(&mut nm).stdout;
    let symbols = String::from_utf8(output).unwrap();
    let exported: BTreeSet<_> =
        symbols.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect();
    assert_eq!(exported, declared);
}
