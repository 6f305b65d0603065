//! Runs the test programs of the workspace, two at a time: most have one long test, and a core
//! would idle meanwhile.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::packages;

const AT_ONCE: usize = 2;

/// A test program that cargo has built.
pub struct Program {
    /// Package and target: `nbody-tests lists`.
    pub name: String,
    package: String,
    /// Folder of the package.
    folder: PathBuf,
    executable: PathBuf,
}

impl Program {
    /// Returns the test program in a message of cargo; `None` for a test program that only runs
    /// when it is named.
    fn of(message: &Value) -> Option<Self> {
        let target = &message["target"];
        let is_test = message["profile"]["test"].as_bool()? && target["test"].as_bool()?;
        let executable = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
        let package = package(message["package_id"].as_str()?)?;
        let name = format!("{package} {}", target["name"].as_str()?);
        Some(Self { name, package, folder, executable })
    }

    /// Runs the program as `cargo test` does.
    fn run(&self, skipped: &[&str], set: &[(&str, OsString)]) -> std::io::Result<Output> {
        let mut command = Command::new(&self.executable);
        command.args(skipped.iter().flat_map(|name| ["--skip", name])).envs(set.to_vec());
        command.env("CARGO", env!("CARGO")).env("CARGO_PKG_NAME", &self.package);
        command.env("CARGO_MANIFEST_DIR", &self.folder).current_dir(&self.folder);
        command.stdin(Stdio::null()).output()
    }
}

/// Extracts the name from the identifier of a package:
/// `path+file:///nbody/tests#nbody-tests@0.1.0`, or `path+file:///nbody/xtask#0.1.0`.
fn package(id: &str) -> Option<String> {
    let (path, version) = id.rsplit_once('#')?;
    let name = version.split_once('@').map_or(path.rsplit('/').next()?, |(name, _)| name);
    Some(name.to_owned())
}

/// Returns the names of the test programs in `tests` folders of all packages.
pub fn names(root: &Path) -> Result<Vec<String>, String> {
    let metadata = packages::metadata(root, &["--no-deps"])?;
    let mut names = Vec::new();
    for package in packages::list(&metadata, "packages")? {
        for target in packages::list(package, "targets")? {
            if packages::list(target, "kind")?.iter().any(|kind| kind == "test") {
                names.push(packages::text(target, "name")?.to_owned());
            }
        }
    }
    Ok(names)
}

/// Builds the test programs and returns them, largest first, since large programs tend to run
/// longest. Returns none if they do not build.
pub fn build(command: &mut Command) -> Result<Vec<Program>, String> {
    command.args(["--no-run", "--message-format", "json-render-diagnostics"]);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err("the test programs do not build".to_owned());
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    let messages = lines.lines().filter_map(|line| serde_json::from_str(line).ok());
    let mut programs: Vec<_> = messages.filter_map(|message| Program::of(&message)).collect();
    let size = |it: &Program| it.executable.metadata().map_or(0, |data| data.len());
    programs.sort_by_cached_key(|program| std::cmp::Reverse(size(program)));
    if programs.is_empty() { Err("cargo names no test program".to_owned()) } else { Ok(programs) }
}

/// Runs programs without the tests of these names, and passes each program with its output and
/// time to `end`.
pub fn run(
    programs: &[Program],
    skipped: &[&str],
    set: &[(&str, OsString)],
    end: &mut (dyn FnMut(&Program, std::io::Result<Output>, Duration) + Send),
) {
    let (next, end) = (Mutex::new(programs.iter()), Mutex::new(end));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let program = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(program) = program else { break };
                    let start = Instant::now();
                    let output = program.run(skipped, set);
                    let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
                    end(program, output, start.elapsed());
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(test: bool, profile: bool) -> Value {
        serde_json::json!({
            "package_id": "path+file:///nbody/tests#nbody-tests@0.1.0",
            "manifest_path": "/nbody/tests/Cargo.toml",
            "target": { "name": "lists", "test": test },
            "profile": { "test": profile },
            "executable": "/nbody/target/debug/deps/lists-1",
        })
    }

    #[test]
    fn test_programs_are_those_that_run_unnamed() {
        let program = Program::of(&message(true, true)).unwrap();
        assert_eq!(program.name, "nbody-tests lists");
        assert_eq!(program.folder, Path::new("/nbody/tests"));
        assert!(Program::of(&message(false, true)).is_none());
        assert!(Program::of(&message(true, false)).is_none());
        assert_eq!(package("path+file:///nbody/xtask#0.1.0").unwrap(), "xtask");
    }

    /// Each program runs once, and failures are reported.
    #[test]
    fn programs_run_once() {
        let program = |name: &str, executable: &str| Program {
            name: name.to_owned(),
            package: "nbody".to_owned(),
            folder: ".".into(),
            executable: executable.into(),
        };
        let programs = [program("a", "true"), program("b", "false"), program("c", "/missing")];
        let mut ended = Vec::new();
        run(&programs, &["slow"], &[], &mut |program, output, _| {
            ended.push((program.name.clone(), output.is_ok_and(|it| it.status.success())));
        });
        ended.sort();
        let expected = [("a", true), ("b", false), ("c", false)];
        assert_eq!(ended, expected.map(|(name, passed)| (name.to_owned(), passed)));
    }
}
