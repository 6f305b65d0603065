//! The C++ compiler of the system.

mod answers;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::cache::Cache;
use crate::environment::variable;
use crate::error::Error;
use crate::temporary::Temporary;
use answers::Answers;

/// The variable that sets the time limit for a program, in seconds; and the default limit, a
/// hundred times the time of large programs.
const LIMIT: &str = "NBODY_CXX_TIMEOUT";
const DEFAULT_LIMIT: Duration = Duration::from_secs(5 * 60);
/// The longest interval between two polls of a running compiler.
const PAUSE: Duration = Duration::from_millis(10);

/// A command that compiles C++.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program and its first arguments.
    words: Vec<OsString>,
    answers: Answers,
    /// The time limit for a program.
    limit: Duration,
}

/// The exit status and output of a command.
struct Output {
    success: bool,
    stdout: String,
    stderr: String,
}

impl Compiler {
    /// Returns the first C++ compiler that works: the command in `CXX` alone if it is set,
    /// otherwise c++, g++ or clang++.
    pub fn find() -> Result<Self, Error> {
        Self::by(&Answers::ask)
    }

    /// Returns the compiler of [`find`](Self::find), without running it if its answers are in the
    /// cache and neither its file, nor the processor, nor the environment changed.
    pub fn remembered(cache: &Cache) -> Result<Self, Error> {
        Self::by(&|words| Answers::remembered(words, cache))
    }

    fn by(answers: &dyn Fn(&[OsString]) -> Option<Answers>) -> Result<Self, Error> {
        match variable("CXX") {
            Some(command) => Self::first_of(&[&command], answers),
            None => Self::first_of(&["c++", "g++", "clang++"].map(OsStr::new), answers),
        }
    }

    fn first_of(
        commands: &[&OsStr],
        answers: &dyn Fn(&[OsString]) -> Option<Answers>,
    ) -> Result<Self, Error> {
        let limit = limit()?;
        let found = commands.iter().find_map(|command| {
            let words = words(command)?;
            Some(Self { answers: answers(&words)?, words, limit })
        });
        found.ok_or_else(|| {
            let tried: Vec<_> = commands.iter().map(|command| command.to_string_lossy()).collect();
            Error::NoCompiler { tried: tried.join(", ") }
        })
    }

    /// Returns the version: the first line of the compiler's output for `--version`.
    pub fn version(&self) -> &str {
        &self.answers.version
    }

    /// Identifies the compiler, its options and its target, for keys of the cache.
    pub fn identity(&self, options: &[&str]) -> String {
        let Answers { version, target } = &self.answers;
        format!("{:?} {options:?} {version} {target}", self.words)
    }

    /// Compiles by these options, which must ask for a shared object; the inner error is the
    /// compiler's log.
    ///
    /// The log names lines of `program.cpp`. After a line `#line 1 "nbody.cpp"` or `#line 1
    /// "nbody.cu"` it names the lines that [`Error::Compilation`] shows.
    pub fn compile(&self, text: &str, options: &[&str]) -> Result<Result<Vec<u8>, String>, Error> {
        let folder = Temporary::folder().map_err(Error::io("make a temporary folder"))?;
        let [source, library] = ["program.cpp", "nbody.so"].map(|name| folder.path().join(name));
        fs::write(&source, text).map_err(Error::io("write the C++ program"))?;
        let mut command = command(&self.words);
        command.args(options).arg(&source).arg("-o").arg(&library);
        let output = run(command, folder.path(), self.limit)
            .map_err(Error::io(format!("run {}", self.version())))?;
        match output {
            None => {
                let compiler = self.version().to_owned();
                Err(Error::CompilerTimeout { compiler, limit: self.limit })
            }
            Some(Output { success: false, stderr, .. }) => Ok(Err(stderr.trim_end().to_owned())),
            Some(_) => fs::read(&library).map(Ok).map_err(Error::io("read the compiled program")),
        }
    }
}

/// Splits a command into words as a shell does: `ccache g++` has two. The name of an existing file
/// is one word, whatever its characters.
fn words(command: &OsStr) -> Option<Vec<OsString>> {
    if Path::new(command).is_file() {
        return Some(vec![command.to_owned()]);
    }
    let words = shlex::split(command.to_str()?)?;
    (!words.is_empty()).then(|| words.into_iter().map(OsString::from).collect())
}

fn command(words: &[OsString]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// Returns the time limit for a program.
fn limit() -> Result<Duration, Error> {
    let Some(value) = variable(LIMIT) else { return Ok(DEFAULT_LIMIT) };
    let seconds = value.to_str().and_then(|text| text.parse().ok());
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| Error::Variable {
        name: LIMIT,
        found: value.to_string_lossy().into_owned(),
        expected: "a number of seconds",
    })
}

/// Runs a command, with its output in files of this folder; `None` if it exceeds the time limit.
/// It is then stopped together with its child processes, in which compilers do most of their work.
fn run(mut command: Command, folder: &Path, limit: Duration) -> io::Result<Option<Output>> {
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let Some(status) = wait(&mut child, limit)? else { return Ok(None) };
    let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let (stdout, stderr) = (text(stdout)?, text(stderr)?);
    Ok(Some(Output { success: status.success(), stdout, stderr }))
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let Some(left) = limit.checked_sub(start.elapsed()) else { break };
        thread::sleep(pause.min(left));
        pause = PAUSE.min(2 * pause);
    }
    // The command may have ended in the meantime.
    let _ = kill(child);
    child.wait()?;
    Ok(None)
}

/// Kills a process and its child processes.
fn kill(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        kill_process_group(Pid::from_child(child), Signal::KILL)?;
    }
    child.kill()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(command: &str) -> Option<Vec<OsString>> {
        words(OsStr::new(command))
    }

    #[test]
    fn a_command_is_split_as_a_shell_does() {
        assert_eq!(split("g++").unwrap(), ["g++"]);
        assert_eq!(split("ccache g++").unwrap(), ["ccache", "g++"]);
        assert_eq!(split("'/my compilers/g++' -m64").unwrap(), ["/my compilers/g++", "-m64"]);
        assert_eq!(split("'g++"), None);
        assert_eq!(split(" "), None);
    }

    #[test]
    fn the_name_of_an_existing_file_is_one_word() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my compiler");
        assert_eq!(words(path.as_os_str()).unwrap().len(), 2);
        fs::write(&path, b"").unwrap();
        assert_eq!(words(path.as_os_str()).unwrap(), [path]);
    }

    #[test]
    fn a_compiler_is_identified_by_its_target() {
        let compiler = Compiler::find().unwrap();
        let mut other = compiler.clone();
        other.answers.target = "another processor".to_owned();
        assert_ne!(compiler.identity(&[]), other.identity(&[]));
        assert_ne!(compiler.identity(&["-O1"]), compiler.identity(&["-O3"]));
        let processor = match std::env::consts::ARCH {
            "x86_64" => "__x86_64__",
            "aarch64" => "__aarch64__",
            _ => return,
        };
        assert!(compiler.identity(&[]).contains(processor));
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_exceeds_its_limit_is_stopped_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & echo $! > sleeper; wait"]).current_dir(folder.path());
        let start = Instant::now();
        assert!(run(command, folder.path(), Duration::from_millis(300)).unwrap().is_none());
        assert!(start.elapsed() < Duration::from_secs(100));
        let sleeper = fs::read_to_string(folder.path().join("sleeper")).unwrap();
        let status = || fs::read_to_string(format!("/proc/{}/status", sleeper.trim()));
        // Its new parent may not have reaped it yet.
        let ended = || status().map_or(true, |status| status.contains("State:\tZ"));
        while !ended() && start.elapsed() < Duration::from_secs(20) {
            thread::sleep(PAUSE);
        }
        assert!(ended(), "{:?}", status());
    }
}
