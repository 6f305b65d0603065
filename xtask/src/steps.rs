//! The steps of `cargo xtask test`.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::wheels::WHEELS;
use crate::{root, target};

/// Counts and times of the steps.
#[derive(Default)]
struct Report {
    passed: usize,
    failed: usize,
    /// Lines to repeat at the end: numbers of programs compiled, run and counted.
    counts: Vec<String>,
    /// Duration of each step.
    times: Vec<(&'static str, Duration)>,
    /// Failed steps.
    failures: Vec<String>,
}

/// Runs the steps; a quick test skips the most expensive ones and most of the CUDA programs.
pub fn test(quick: bool) -> ExitCode {
    let start = Instant::now();
    let (root, target) = (root(), target());
    let mut set = Vec::new();
    for wheel in &WHEELS {
        match wheel.provide(&target) {
            Ok(path) => {
                println!("{}: {}", wheel.name, path.display());
                set.push((wheel.variable, path.into_os_string()));
            }
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    // Read by `tests/common/lib.rs`.
    set.push(("NBODY_TEST_QUICK", if quick { "1" } else { "" }.into()));
    let mut report = Report::default();
    for step in STEPS.iter().filter(|step| !quick || step.when == When::Always) {
        println!("\n== {}: cargo {}", step.name, step.arguments.join(" "));
        let mut command = Command::new(env!("CARGO"));
        command.args(step.arguments).current_dir(root).envs(set.clone()).envs(step.set.to_vec());
        report.step(step.name, command);
    }
    report.conclude(start)
}

/// Kind of test that includes a step.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Always,
    NotIfQuick,
}

struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Environment variables of this step.
    set: &'static [(&'static str, &'static str)],
    when: When,
}

const STEPS: &[Step] = &[
    Step {
        name: "formatting",
        arguments: &["fmt", "--all", "--check"],
        set: &[],
        when: When::Always,
    },
    Step {
        name: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        set: &[],
        when: When::NotIfQuick,
    },
    // All packages at once, so that no core idles while one compiles the largest.
    Step {
        name: "build",
        arguments: &[
            "test",
            "--workspace",
            "--lib",
            "--bins",
            "--examples",
            "--test",
            "*",
            "--no-run",
            "--quiet",
        ],
        set: &[],
        when: When::Always,
    },
    Step {
        name: "tests",
        arguments: &["test", "--workspace", "--no-fail-fast"],
        set: &[],
        when: When::Always,
    },
    Step {
        name: "packages",
        arguments: &["run", "--quiet", "--package", "xtask", "--", "package"],
        set: &[],
        when: When::NotIfQuick,
    },
    Step {
        name: "checked core",
        arguments: &["test", "--package", "nbody-core", "--profile", "checked"],
        set: &[],
        when: When::NotIfQuick,
    },
    Step {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--document-private-items"],
        set: &[("RUSTDOCFLAGS", "-D warnings")],
        when: When::NotIfQuick,
    },
    Step {
        name: "emulated programs",
        arguments: &["test", "--workspace", "--test", "emulated"],
        set: &[],
        when: When::Always,
    },
    Step {
        name: "NVRTC and machine code",
        arguments: &["test", "--workspace", "--test", "programs"],
        set: &[],
        when: When::Always,
    },
    Step {
        name: "instructions of the CPU",
        arguments: &["test", "--workspace", "--test", "instructions"],
        // A different count fails instead of being recorded.
        set: &[("INSTA_UPDATE", "no")],
        when: When::NotIfQuick,
    },
];

/// Prefixes of the lines with the numbers of programs compiled, run and counted.
const COUNTS: [&str; 3] = ["emulated: ", "nvrtc: ", "sass: "];

impl Report {
    /// Runs a step, and prints its duration.
    fn step(&mut self, name: &'static str, command: Command) {
        let start = Instant::now();
        if !self.run(command) {
            self.failures.push(name.to_owned());
        }
        println!("-- {name}: {} s", start.elapsed().as_secs());
        self.times.push((name, start.elapsed()));
    }

    /// Forwards the output of a step, and extracts the counts from it.
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

    /// Parses a line such as `test result: ok. 5 passed; 0 failed; ...`, or a count of programs.
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

    /// Tests whether any programs were compiled, run and counted.
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
        println!("\n== times");
        let all = ("all", start.elapsed());
        for (name, time) in self.times.iter().copied().chain([all]) {
            println!("{name:<24}{:>6} s", time.as_secs());
        }
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
        report.count("emulated: 60 programs and kernels, 30 compiled, 1392 runs");
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
