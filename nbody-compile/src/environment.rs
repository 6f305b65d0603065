//! Environment variables.

use std::env;
use std::ffi::OsString;

/// Returns the value of an environment variable that is set and not empty.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
