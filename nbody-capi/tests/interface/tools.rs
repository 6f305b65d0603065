//! Compilers, and the library that they link.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The warnings that the headers compile without.
pub const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Returns the library, which Cargo puts beside the tests.
pub fn library() -> PathBuf {
    let library = std::env::current_exe().unwrap().with_file_name("libnbody_capi.so");
    assert!(library.exists(), "no {}", library.display());
    library
}

/// Returns a compiler: a variable of the environment, or the usual name. `None` if it does not run.
pub fn compiler(variable: &str, usual: &str) -> Option<String> {
    let name = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let output = Command::new(&name).arg("--version").output();
    output.is_ok_and(|output| output.status.success()).then_some(name)
}

/// Runs a command; returns its output, and fails with all that it prints if it fails.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out
}

/// Compiles a program, links it with the library, and runs it with these arguments in a folder.
#[track_caller]
pub fn compile_and_run(
    compiler: &str,
    options: &[&str],
    sources: &[PathBuf],
    arguments: &[&str],
    folder: &Path,
) -> String {
    let program = compile(compiler, options, sources, folder);
    run(Command::new(&program)
        .current_dir(folder)
        .env("ASAN_OPTIONS", sanitizer_options())
        .env("LSAN_OPTIONS", "suppressions=suppressions")
        .args(arguments))
}

/// Compiles a program in a folder, links it with the library, and returns its path.
#[track_caller]
pub fn compile(compiler: &str, options: &[&str], sources: &[PathBuf], folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let linked = folder.join("libnbody.so");
    if !linked.exists() {
        std::os::unix::fs::symlink(library(), &linked).unwrap();
    }
    run(Command::new(compiler)
        .current_dir(folder)
        .args(options)
        .arg(format!("-I{ROOT}/include"))
        .args(sources)
        .arg(format!("-L{}", folder.display()))
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .args(["-lnbody", "-lm", "-o"])
        .arg(&program));
    program
}

/// Returns the options of the address sanitizer. It looks for leaks where the system allows it to stop
/// threads, as some containers do not.
fn sanitizer_options() -> &'static str {
    static OPTIONS: OnceLock<&str> = OnceLock::new();
    OPTIONS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let [source, program] = ["t.c", "t"].map(|name| folder.path().join(name));
        std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
        let mut cc = Command::new(compiler("CC", "cc").unwrap());
        run(cc.arg("-fsanitize=address").arg(source).arg("-o").arg(&program));
        let finds_leaks = Command::new(program).output().unwrap().status.success();
        if finds_leaks { "detect_leaks=1" } else { "detect_leaks=0" }
    })
}

/// Returns the Fortran compiler and its options, or says that a test is left out.
pub fn fortran() -> Option<(String, [&'static str; 4])> {
    let found = compiler("FC", "gfortran");
    if found.is_none() {
        // `eprintln!` is shown only if the test fails.
        let line = b"left out: no Fortran compiler; install gfortran, or set FC\n";
        std::io::stderr().write_all(line).unwrap();
    }
    Some((found?, ["-std=f2008", "-Wall", "-Wextra", "-Werror"]))
}

/// Returns the module and a program that uses it.
pub fn fortran_sources(program: PathBuf) -> [PathBuf; 2] {
    [PathBuf::from(format!("{ROOT}/fortran/nbody.f90")), program]
}
