//! A warm start, with everything in the cache, runs no compiler.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use nbody_core::untyped::{Device as _, OwnedRows};
use nbody_core::{Cpu, Options, Precision, Sources, Store};
use nbody_declare::declare;

const LAW: &str = "
pub struct Law { pub scale: Real }
pub struct Body { pub pos: Point, pub mass: Real }
pub struct Sum { pub sum: Real }
impl Interaction for Law {
    type I = Body;
    type J = Body;
    type F = Sum;
    fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
        f.sum += self.scale * i.mass * j.mass;
    }
}
";
const CHILD: &str = "NBODY_TEST_CHILD";

/// Evaluates a law from its text, and prints the time in milliseconds from the text to the result.
fn evaluate() {
    let start = Instant::now();
    let law = declare(LAW).unwrap().laws[0];
    let declared = start.elapsed();
    let cpu = Cpu::new(None);
    let mut engine = cpu.all_pairs(law, &[2.0_f64.to_bits()], Options::default()).unwrap();
    let rows = [[0.0, 0.0, 0.0, 3.0], [1.0, 0.0, 0.0, 5.0]];
    let words = rows.concat().into_iter().map(f64::to_bits).collect();
    let bodies = OwnedRows::new(law.i, words).unwrap();
    let bodies = cpu.upload(&bodies, Precision::Single).unwrap();
    let mut out = engine.results(2).unwrap();
    engine.evaluate(&*bodies, Sources::Same(&*bodies), &mut *out, Store::Replace).unwrap();
    let total = start.elapsed();
    let mut words = [0; 2];
    out.read(0..2, &mut |write| write(0..2, &mut words)).unwrap();
    assert_eq!(words.map(f64::from_bits), [30.0, 30.0]);
    let [declared, total] = [declared, total].map(|time| time.as_secs_f64() * 1e3);
    println!("declared {declared:.2} ms, first result {total:.2} ms");
}

/// Compiles a program that writes a line to a file, and then is c++.
fn counted(folder: &Path) -> PathBuf {
    let (source, compiler) = (folder.join("counted.cpp"), folder.join("counted"));
    let log = folder.join("log").display().to_string();
    let text = format!(
        "#include <stdio.h>\n#include <unistd.h>\nint main(int, char **words) {{\n\
         FILE *log = fopen(\"{log}\", \"a\"); fputs(\"start\\n\", log); fclose(log);\n\
         words[0] = const_cast<char *>(\"c++\"); return execvp(\"c++\", words); }}"
    );
    fs::write(&source, text).unwrap();
    assert!(Command::new("c++").arg(&source).arg("-o").arg(&compiler).status().unwrap().success());
    compiler
}

#[test]
fn a_warm_start_runs_no_compiler() {
    if std::env::var_os(CHILD).is_some() {
        return evaluate();
    }
    let folder = tempfile::tempdir().unwrap();
    let compiler = counted(folder.path());
    let starts = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["a_warm_start_runs_no_compiler", "--exact", "--nocapture"]);
        child
            .env(CHILD, "1")
            .env("CXX", &compiler)
            .env("NBODY_CACHE_DIR", folder.path().join("cache"));
        let output = child.output().unwrap();
        let [text, errors] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(output.status.success() && text.contains("first result"), "{text}{errors}");
        println!("{}", text.lines().find(|line| line.contains("first result")).unwrap());
        fs::read_to_string(folder.path().join("log")).unwrap().lines().count()
    };
    // The version, the macros, and the program.
    assert_eq!(starts(), 3);
    assert_eq!(starts(), 3);
}
