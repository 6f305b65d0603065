//! Errors of compilers and of the cache.

mod excerpt;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use excerpt::Excerpt;

/// The failure of a compilation, or of the kernel cache.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program does not compile. The message shows the first errors and the lines around them.
    #[error("{compiler} refused the program:\n{}", Excerpt { log, source_text, file: file.as_deref() })]
    Compilation {
        /// The compiler and its target.
        compiler: String,
        /// The whole log of the compiler.
        log: String,
        /// The whole program, with line numbers.
        source_text: String,
        /// A file with the program; `None` if the cache cannot be written.
        file: Option<PathBuf>,
    },

    /// There is no C++ compiler that works.
    #[error(
        "no C++ compiler that works: tried {tried}; install g++ (`apt install g++`, `dnf install \
         gcc-c++`) or clang++, or set CXX to the command of a compiler"
    )]
    NoCompiler {
        /// The commands that failed.
        tried: String,
    },

    /// The C++ compiler exceeded its time limit and was stopped.
    #[error(
        "{compiler} did not compile the program within {} s and was stopped; set NBODY_CXX_TIMEOUT \
         to more seconds, or make the results and the parameters smaller",
        limit.as_secs_f64()
    )]
    CompilerTimeout {
        /// The version of the compiler.
        compiler: String,
        /// The time limit.
        limit: Duration,
    },

    /// Others may write to the folder of the kernel cache, so it is not used.
    #[error(
        "the kernel cache {} is not used, since it holds code that is run: {reason}; `chmod go-w` it \
         if it is yours and nobody else wrote to it, or set NBODY_CACHE_DIR to a folder of your own",
        folder.display()
    )]
    UntrustedCache {
        /// The folder.
        folder: PathBuf,
        /// The owner or mode of the folder, and the expected one.
        reason: String,
    },

    /// No environment variable names a folder for the kernel cache.
    #[error("no folder for the kernel cache: set NBODY_CACHE_DIR")]
    NoCacheFolder,

    /// An environment variable has an invalid value.
    #[error("{name} is `{found}`, expected {expected}")]
    Variable {
        /// The name of the variable.
        name: &'static str,
        /// The value of the variable.
        found: String,
        /// The kind of valid values.
        expected: &'static str,
    },

    /// A file could not be read or written.
    #[error("cannot {action}: {source}")]
    Io {
        /// The action that failed.
        action: String,
        /// The cause.
        source: io::Error,
    },
}

/// Prints the message, which includes the cause, so that a `main` that returns the error ends with
/// it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// Adds the file of a program that does not compile.
    #[doc(hidden)] // for crates that compile, as `io` is
    #[must_use]
    pub fn with_file(mut self, path: Option<&Path>) -> Self {
        if let Self::Compilation { file, .. } = &mut self {
            *file = path.map(Path::to_owned);
        }
        self
    }

    /// Returns the function that makes the error of this action from its cause, for `map_err`.
    #[doc(hidden)]
    pub fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Io { action: action.into(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_is_the_message() {
        let error = Error::io("read it")(io::Error::other("the disk is full"));
        assert_eq!(format!("{error:?}"), "cannot read it: the disk is full");
        assert_eq!(format!("{error:?}"), error.to_string());
    }
}
