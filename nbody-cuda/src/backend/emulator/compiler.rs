//! The C++ compiler that builds emulated programs.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;
use crate::compile::temporary::Temporary;
use crate::compile::toolkit::variable;

/// Little optimised: a program takes longer to compile than to run.
/// No contraction: the CPU engine has none.
/// No fortified source: it takes the jumps between fibers for overruns of a stack.
/// Hidden symbols: loaders would share the shared memory of inline functions between programs.
pub(super) const OPTIONS: [&str; 8] = [
    "-O1",
    "-std=c++17",
    "-ffp-contract=off",
    "-fPIC",
    "-shared",
    "-w",
    "-U_FORTIFY_SOURCE",
    "-fvisibility=hidden",
];
/// The variable that says how many seconds a program may take to compile, and what it says by
/// default: a hundred times what large programs take.
const LIMIT: &str = "NBODY_CXX_TIMEOUT";
const DEFAULT_LIMIT: Duration = Duration::from_secs(5 * 60);
/// How long a compiler may take to say what it is.
const ANSWER: Duration = Duration::from_secs(30);
/// The longest pause between two looks at whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// A command that compiles C++.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// The program and its first arguments.
    words: Vec<OsString>,
    /// The first line of what it says of itself.
    pub version: String,
    /// All that it defines by itself, which tells the processor that it compiles for.
    target: String,
    /// How long it may take for a program.
    limit: Duration,
}

/// What a command wrote before it ended.
struct Output {
    success: bool,
    stdout: String,
    stderr: String,
}

impl Compiler {
    /// The first C++ compiler that answers: `CXX` alone if it is set, else c++, g++, clang++.
    pub fn find() -> Result<Self, Error> {
        match variable("CXX") {
            Some(command) => Self::first_of(&[&command]),
            None => Self::first_of(&["c++", "g++", "clang++"].map(OsStr::new)),
        }
    }

    fn first_of(commands: &[&OsStr]) -> Result<Self, Error> {
        let limit = limit()?;
        let found = commands.iter().find_map(|command| {
            let words = words(command)?;
            let version = answer(&words, &["--version"])?;
            let version = version.lines().next().unwrap_or_default().to_owned();
            let target = answer(&words, &["-dM", "-E", "-x", "c++", "-"])?;
            Some(Self { words, version, target, limit })
        });
        found.ok_or_else(|| {
            let tried: Vec<_> = commands.iter().map(|command| command.to_string_lossy()).collect();
            Error::NoCompiler { tried: tried.join(", ") }
        })
    }

    /// What compiled programs depend on besides their text.
    pub fn identity(&self) -> String {
        format!("{:?} {OPTIONS:?} {} {}", self.words, self.version, self.target)
    }

    /// Compiles to a shared object; the inner error is the compiler's log.
    pub fn compile(&self, text: &str) -> Result<Result<Vec<u8>, String>, Error> {
        let folder = Temporary::folder().map_err(|e| failed("make a temporary folder", e))?;
        let (source, library) = (folder.path().join("nbody.cpp"), folder.path().join("nbody.so"));
        fs::write(&source, text).map_err(|e| failed("write the emulated program", e))?;
        let mut command = command(&self.words);
        command.args(OPTIONS).arg(&source).arg("-o").arg(&library);
        let output = run(command, folder.path(), self.limit)
            .map_err(|e| failed(&format!("run {}", self.version), e))?;
        match output {
            None => {
                Err(Error::CompilerTimeout { compiler: self.version.clone(), limit: self.limit })
            }
            Some(Output { success: false, stderr, .. }) => Ok(Err(stderr.trim_end().to_owned())),
            Some(_) => {
                fs::read(&library).map(Ok).map_err(|e| failed("read the emulated program", e))
            }
        }
    }
}

/// The words of a command, as a shell splits it: `ccache g++` are two. A file that there is is one,
/// whatever its name.
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

/// What a compiler says if it answers.
fn answer(words: &[OsString], arguments: &[&str]) -> Option<String> {
    let folder = Temporary::folder().ok()?;
    let mut command = command(words);
    command.args(arguments);
    let output = run(command, folder.path(), ANSWER).ok().flatten()?;
    output.success.then_some(output.stdout)
}

/// How long a program may take to compile.
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

/// Runs a command, which may write files in a folder; `None` if it takes longer than the limit. Then
/// it is stopped with all that it started, which for compilers is most of the work.
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
    // It may have ended in the meantime.
    let _ = kill(child);
    child.wait()?;
    Ok(None)
}

/// Ends a process and those that it started.
fn kill(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        kill_process_group(Pid::from_child(child), Signal::KILL)?;
    }
    child.kill()
}

pub(super) fn failed(action: &str, source: io::Error) -> Error {
    Error::Io { action: action.to_owned(), source }
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
    fn a_file_that_there_is_is_one_word() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my compiler");
        assert_eq!(words(path.as_os_str()).unwrap().len(), 2);
        fs::write(&path, b"").unwrap();
        assert_eq!(words(path.as_os_str()).unwrap(), [path]);
    }

    #[test]
    fn a_compiler_tells_its_target() {
        let compiler = Compiler::find().unwrap();
        let other = Compiler { target: "another processor".to_owned(), ..compiler.clone() };
        assert_ne!(compiler.identity(), other.identity());
        let processor = match std::env::consts::ARCH {
            "x86_64" => "__x86_64__",
            "aarch64" => "__aarch64__",
            _ => return,
        };
        assert!(compiler.identity().contains(processor));
    }

    #[cfg(unix)]
    #[test]
    fn what_takes_too_long_is_stopped_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & echo $! > sleeper; wait"]).current_dir(folder.path());
        let start = Instant::now();
        assert!(run(command, folder.path(), Duration::from_millis(300)).unwrap().is_none());
        assert!(start.elapsed() < Duration::from_secs(100));
        let sleeper = fs::read_to_string(folder.path().join("sleeper")).unwrap();
        let status = || fs::read_to_string(format!("/proc/{}/status", sleeper.trim()));
        // Whoever inherits it may not have seen that it ended.
        let ended = || status().map_or(true, |status| status.contains("State:\tZ"));
        while !ended() && start.elapsed() < Duration::from_secs(20) {
            thread::sleep(PAUSE);
        }
        assert!(ended(), "{:?}", status());
    }
}
