//! The steps of `cargo xtask test`.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use crate::browser;
use crate::install;
use crate::programs::{self, Program};
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
    let set = match tools(&target) {
        Ok(set) => set,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut report = Report::default();
    let kind = if quick { When::Quick } else { When::Whole };
    for step in STEPS.iter().filter(|step| step.when == When::Always || step.when == kind) {
        let mut arguments = step.arguments.to_vec();
        if quick && arguments.starts_with(&["test", "--workspace"]) {
            arguments.extend(QUICK);
        }
        println!("\n== {}: cargo {}", step.name, arguments.join(" "));
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).current_dir(root).envs(set.clone()).envs(step.set.to_vec());
        match step.run {
            Run::Cargo => report.time(step.name, |report| report.run(command)),
            Run::Programs => report.programs(command, &[], &set),
            Run::Installation => report.time(step.name, |_| {
                let (prefix, archives) = (target.join("installed"), target.join("debug/deps"));
                let installed = install::install(root, &prefix, Some(&archives));
                installed.inspect_err(|error| eprintln!("{error}")).is_ok()
            }),
            Run::QuickPrograms => match programs::names(root) {
                Ok(names) => {
                    let names = names.iter().filter(|name| *name != INSTRUCTIONS);
                    command.args(names.flat_map(|name| ["--test", name]));
                    report.programs(command, THOROUGH, &set);
                }
                Err(error) => report.time(step.name, |_| {
                    eprintln!("{error}");
                    false
                }),
            },
        }
    }
    report.conclude(start)
}

/// Provides the tools of the checks, and returns the environment variables with their paths.
fn tools(target: &Path) -> Result<Vec<(&'static str, OsString)>, String> {
    let mut set = Vec::new();
    for wheel in &WHEELS {
        let path = wheel.provide(target)?;
        println!("{}: {}", wheel.name, path.display());
        set.push((wheel.variable, path.into_os_string()));
    }
    let path = browser::provide(target)?;
    println!("Chromium: {}", path.display());
    set.push((browser::VARIABLE, path.into_os_string()));
    Ok(set)
}

/// Kind of test that includes a step.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Always,
    Quick,
    Whole,
}

/// The work of a step.
#[derive(Clone, Copy)]
enum Run {
    /// The command itself.
    Cargo,
    /// The test programs that the command builds.
    Programs,
    /// Installs the libraries that the tests built.
    Installation,
    /// All test programs except [`INSTRUCTIONS`], without the tests that take long.
    QuickPrograms,
}

struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Environment variables of this step.
    set: &'static [(&'static str, &'static str)],
    when: When,
    run: Run,
}

impl Step {
    const NEW: Self =
        Self { name: "", arguments: &[], set: &[], when: When::Always, run: Run::Cargo };
}

const STEPS: &[Step] = &[
    Step { name: "formatting", arguments: &["fmt", "--all", "--check"], ..Step::NEW },
    Step {
        name: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        when: When::Whole,
        ..Step::NEW
    },
    // Compile all packages at once, so that no core idles while the largest one compiles. The core is
    // tested below, with checks.
    Step {
        name: "tests",
        arguments: &[
            "test",
            "--workspace",
            "--exclude",
            "nbody-core",
            "--lib",
            "--bins",
            "--examples",
            "--test",
            "*",
            "--quiet",
        ],
        when: When::Whole,
        run: Run::Programs,
        ..Step::NEW
    },
    // The examples have tests of their own.
    Step {
        name: "tests",
        arguments: &["test", "--workspace", "--lib", "--bin", "nbody", "--bin", "xtask", "--quiet"],
        when: When::Quick,
        run: Run::QuickPrograms,
        ..Step::NEW
    },
    Step {
        name: "tests of the documentation",
        arguments: &["test", "--workspace", "--doc", "--no-fail-fast"],
        ..Step::NEW
    },
    Step {
        name: "packages",
        arguments: &["run", "--quiet", "--package", "xtask", "--", "package"],
        when: When::Whole,
        ..Step::NEW
    },
    // Links the library that the tests built.
    Step {
        name: "installation",
        arguments: &["xtask", "install"],
        run: Run::Installation,
        when: When::Whole,
        ..Step::NEW
    },
    Step {
        name: "checked core",
        arguments: &[
            "test",
            "--package",
            "nbody-core",
            "--profile",
            "checked",
            "--lib",
            "--test",
            "*",
        ],
        when: When::Whole,
        ..Step::NEW
    },
    Step {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--document-private-items"],
        set: &[("RUSTDOCFLAGS", "-D warnings")],
        when: When::Whole,
        ..Step::NEW
    },
    Step {
        name: "emulated programs",
        arguments: &["test", "--workspace", "--test", "emulated"],
        ..Step::NEW
    },
    Step {
        name: "NVRTC and machine code",
        arguments: &["test", "--workspace", "--test", "programs"],
        ..Step::NEW
    },
    Step {
        name: "instructions of the CPU",
        arguments: &["test", "--workspace", "--test", "instructions"],
        when: When::Whole,
        ..Step::NEW
    },
];

/// Feature of the tests that leaves out most of the CUDA programs, and modules that take long to
/// compile or to run: other tests check nearly the same.
const QUICK: [&str; 2] = ["--features", "nbody-tests/quick"];

/// Test program that a quick test does not need.
const INSTRUCTIONS: &str = "instructions";

/// Tests that take long. A quick test leaves them out: other tests check nearly the same.
const THOROUGH: &[&str] = &[
    // Packages that rustc compiles or checks.
    "of_one_law",
    "declarations_are_refused_with_these_messages",
    // Every law in every way on the CPU; 3000 random declarations.
    "verify_passes_on_the_cpu",
    "changed_modules_are_refused_where_they_are_wrong_and_never_cause_a_panic",
    // Every power of ten.
    "lists_are_right_or_refused_at_every_scale",
    "lists_are_right_however_far_particles_are_outside_the_box",
    // A cutoff with every last digit.
    "the_edge_is_that_of_the_cutoff",
];

/// Prefixes of the lines with the numbers of programs compiled, run and counted.
const COUNTS: [&str; 3] = ["emulated: ", "nvrtc: ", "sass: "];

impl Report {
    /// Does a step, and prints its duration.
    fn time(&mut self, name: &'static str, step: impl FnOnce(&mut Self) -> bool) {
        let start = Instant::now();
        if !step(self) {
            self.failures.push(name.to_owned());
        }
        println!("-- {name}: {} s", start.elapsed().as_secs());
        self.times.push((name, start.elapsed()));
    }

    /// Builds test programs, and runs them without the tests of these names.
    fn programs(&mut self, mut command: Command, skipped: &[&str], set: &[(&str, OsString)]) {
        let mut built = Vec::new();
        self.time("build", |_| match programs::build(&mut command) {
            Ok(programs) => {
                built = programs;
                true
            }
            Err(error) => {
                eprintln!("{error}");
                false
            }
        });
        self.time("tests", |report| {
            let mut passed = true;
            programs::run(&built, skipped, set, &mut |program, output, time| {
                passed &= report.ended(program, output, time);
            });
            passed
        });
    }

    /// Prints the output of a test program that has ended, and returns whether it passed.
    fn ended(&mut self, program: &Program, output: io::Result<Output>, time: Duration) -> bool {
        println!("\n{}: {:.1} s", program.name, time.as_secs_f64());
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                println!("cannot start {}: {error}", program.name);
                return false;
            }
        };
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            println!("{line}");
            self.count(line);
        }
        print!("{}", String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            println!("{} failed: {}", program.name, output.status);
        }
        output.status.success()
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
        // A step that failed without a failed test, such as a lint, counts as one failure.
        let failed = self.failed.max(self.failures.len());
        println!("{} passed, {failed} failed", self.passed);
        if self.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thorough_tests_exist() {
        let names = programs::names(root()).unwrap();
        assert!(names.iter().any(|it| it == INSTRUCTIONS), "{names:?}");
        let files = crate::words::files();
        for name in THOROUGH {
            let count =
                files.iter().filter(|(_, text)| text.contains(&format!("fn {name}("))).count();
            assert_eq!(count, 1, "{name}");
        }
    }

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
