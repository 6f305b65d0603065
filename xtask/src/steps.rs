//! The steps of `cargo xtask test`.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::wheels::WHEELS;

/// What the steps count and report.
#[derive(Default)]
struct Report {
    passed: usize,
    failed: usize,
    /// Lines to repeat at the end: how many programs were compiled, run and counted.
    counts: Vec<String>,
    /// The steps that failed.
    failures: Vec<String>,
}

pub fn test() -> ExitCode {
    let start = Instant::now();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let mut provided = Vec::new();
    for wheel in &WHEELS {
        match wheel.provide(&target) {
            Ok(path) => {
                println!("{}: {}", wheel.name, path.display());
                provided.push((wheel.variable, path));
            }
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut report = Report::default();
    for (name, arguments, set) in STEPS {
        println!("\n== {name}: cargo {}", arguments.join(" "));
        let mut command = Command::new(env!("CARGO"));
        command.args(*arguments).current_dir(root).envs(provided.clone()).envs(set.to_vec());
        if !report.run(command) {
            report.failures.push((*name).to_owned());
        }
    }
    report.conclude(start)
}

type Step = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const STEPS: &[Step] = &[
    ("formatting", &["fmt", "--all", "--check"], &[]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]),
    ("tests", &["test", "--workspace", "--no-fail-fast"], &[]),
    (
        "documentation",
        &["doc", "--workspace", "--no-deps", "--document-private-items"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    ),
    (
        "emulated programs",
        &["test", "--release", "--package", "nbody-tests", "--test", "emulated"],
        &[],
    ),
    ("NVRTC", &["test", "--release", "--package", "nbody-tests", "--test", "nvrtc"], &[]),
    ("machine code", &["test", "--release", "--package", "nbody-tests", "--test", "sass"], &[]),
    (
        "instructions of the CPU",
        &["test", "--release", "--package", "nbody-tests", "--test", "instructions"],
        // A count that differs fails, and is not recorded.
        &[("INSTA_UPDATE", "no")],
    ),
];

/// The beginnings of the lines that tell how many programs were compiled, run and counted.
const COUNTS: [&str; 3] = ["emulated: ", "nvrtc: ", "sass: "];

impl Report {
    /// Runs a step, shows what it prints, and takes the counts from it.
    fn run(&mut self, mut command: Command) -> bool {
        let child = command.stdout(Stdio::piped()).spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                eprintln!("cannot start cargo: {error}");
                return false;
            }
        };
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                println!("{line}");
                self.count(&line);
            }
        }
        child.wait().is_ok_and(|status| status.success())
    }

    /// `test result: ok. 5 passed; 0 failed; ...`, or a count of programs.
    fn count(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            let number = |word: &str| {
                let before = result.split(word).next()?;
                before.split_whitespace().next_back()?.parse().ok()
            };
            self.passed += number(" passed").unwrap_or(0);
            self.failed += number(" failed").unwrap_or(0);
        }
        if COUNTS.iter().any(|count| line.starts_with(count)) {
            self.counts.push(line.to_owned());
        }
    }

    /// Whether programs were compiled, run and counted at all.
    fn counted(&self) -> bool {
        COUNTS.iter().all(|count| {
            let number = self.counts.iter().find_map(|line| {
                line.strip_prefix(count)?.split(' ').next()?.parse::<usize>().ok()
            });
            number.is_some_and(|number| number > 0)
        })
    }

    fn conclude(mut self, start: Instant) -> ExitCode {
        if !self.counted() {
            self.failures.push("no CUDA program was compiled, run or counted".to_owned());
        }
        println!("\n== {} s", start.elapsed().as_secs());
        for line in &self.counts {
            println!("{line}");
        }
        for failure in &self.failures {
            println!("FAILED: {failure}");
        }
        // A step that failed without a failed test, such as a lint, counts as one.
        let failed = self.failed.max(self.failures.len());
        println!("{} passed, {failed} failed", self.passed);
        if self.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_programs_are_counted() {
        let mut report = Report::default();
        report.count("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured");
        report.count("test result: FAILED. 7 passed; 2 failed; 0 ignored");
        report.count("test anything ... ok");
        assert_eq!((report.passed, report.failed), (12, 2));
        assert!(!report.counted());
        report.count("emulated: 60 programs, 1392 runs");
        assert!(!report.counted());
        report.count("nvrtc: 0 compilations (0 programs x 12 architectures, NVRTC 13.0)");
        assert!(!report.counted());
        report.counts.pop();
        report.count("nvrtc: 720 compilations (60 programs x 12 architectures, NVRTC 13.0)");
        assert!(!report.counted());
        report.count("sass: 96 kernels, NVRTC 13.0");
        assert!(report.counted());
    }
}
