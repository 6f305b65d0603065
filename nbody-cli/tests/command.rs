//! The command as people and scripts use it.

use std::process::{Command, Output, Stdio};

use nbody::models::Snapshot;
use nbody::{Device, Options, Program};
use nbody_interactions::{gravity::Gravity, hermite::Hermite};

fn nbody(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nbody")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn devices_are_listed_on_any_machine() {
    let output = nbody(&["devices"]);
    assert!(output.status.success());
    let text = stdout(&output);
    for line in ["cuda", "cpu", "emulator", "best", "NVRTC"] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line} in {text}");
    }
}

#[test]
fn emit_prints_the_program_that_is_compiled() {
    let output = nbody(&["emit", "gravity"]);
    assert_eq!(stdout(&output), Program::new::<Gravity>(Options::default()).unwrap().source);
    let output = nbody(&["emit", "hermite", "--precision", "double", "--math", "exact"]);
    assert_ne!(stdout(&output), Program::new::<Hermite>(Options::default()).unwrap().source);
    assert!(stdout(&output).contains("using real = double;"));
}

#[test]
fn wrong_names_are_refused_with_the_right_ones() {
    for (arguments, part) in [
        (&["emit", "gravitation"][..], "gravity, attraction, softened, hermite"),
        (&["emit", "gravity", "--precision", "half"], "expected single, double"),
        (&["verify", "--device", "gpu"], "expected cpu, emulator or cuda:N"),
        (&["bench", "-n", "0"], "invalid value '0'"),
        (&["plummer", "many"], "invalid value 'many'"),
        (&[], "Usage: nbody"),
    ] {
        let output = nbody(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn verify_passes_on_the_cpu() {
    let output = nbody(&["verify", "gravity", "--device", "cpu"]);
    let text = stdout(&output);
    assert!(output.status.success(), "{text}{}", stderr(&output));
    assert!(text.trim_end().ends_with("16 passed, 0 failed"), "{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}

#[test]
fn a_gpu_that_is_not_there_is_a_failure() {
    let missing = format!("cuda:{}", Device::cuda_count().unwrap_or(0));
    for command in ["verify", "bench"] {
        let output = nbody(&[command, "--device", &missing]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).starts_with("error: no CUDA "), "{}", stderr(&output));
    }
}

#[test]
fn bench_measures() {
    let output = nbody(&["bench", "gravity", "--device", "cpu", "-n", "64,100"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("gravity")).collect();
    assert_eq!(rows.len(), 2, "{text}");
    let rate: f64 = rows[0].split_whitespace().nth(3).unwrap().parse().unwrap();
    assert!(rate > 0.0, "{text}");
}

#[test]
fn plummer_writes_what_reads_back() {
    let csv = nbody(&["plummer", "50"]);
    let nemo = nbody(&["plummer", "50", "--format", "nemo"]);
    let snapshot = Snapshot::read_csv(&csv.stdout[..]).unwrap();
    assert_eq!(snapshot, Snapshot::read_nemo(&nemo.stdout[..]).unwrap());
    assert!((snapshot.potential_energy() + 0.5).abs() < 1e-12);
    assert_ne!(nbody(&["plummer", "50", "--as-sampled"]).stdout, csv.stdout);
    assert_ne!(nbody(&["plummer", "50", "--seed", "2"]).stdout, csv.stdout);
    let output = nbody(&["plummer", "0"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "error: 0 particles: a Plummer sphere needs at least 1\n");
    let output = nbody(&["plummer", "5", "-o", "/no/such/folder/file.csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/no/such/folder/file.csv"), "{}", stderr(&output));
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nbody"))
        .args(["plummer", "20000", "--as-sampled"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
}
