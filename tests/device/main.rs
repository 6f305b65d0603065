//! Devices, the cache of their programs, threads, and environment variables.

mod cache;
mod environment;
mod finding;
#[cfg(not(feature = "quick"))]
mod foreign;
mod interrupts;
mod laws;
mod parameters;
mod threads;
mod untyped;

use std::process::Command;

/// Environment variable that marks the processes that tests start.
const CHILD: &str = "NBODY_TEST_CHILD";

/// Returns the command that runs one test of this program in its own process.
fn alone(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).env(CHILD, "yes");
    command
}

/// Tests whether this is a process that a test started.
fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}
