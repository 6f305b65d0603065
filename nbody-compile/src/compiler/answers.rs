//! The answers of a compiler to questions about itself. They are kept in the cache, so that nothing
//! is run when programs are in the cache, too.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{command, run};
use crate::cache::{ANSWERS, Cache, Entry};
use crate::temporary::Temporary;

/// The time limit for an answer.
const LIMIT: Duration = Duration::from_secs(30);
/// Between the two answers in the cache; no output of a compiler contains it.
const BETWEEN: char = '\0';

/// Variables that change the answers: where compilers and their wrappers find programs, and the
/// language of messages.
const VARIABLES: [&str; 8] = [
    "PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "CCC_OVERRIDE_OPTIONS",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_MESSAGES",
];
/// The beginnings of the names of variables of wrappers.
const OF_WRAPPERS: [&str; 4] = ["CCACHE_", "SCCACHE_", "DISTCC_", "ICECC_"];
/// The lines about the first processor that tell its instructions and its model.
const OF_PROCESSOR: [&str; 9] = [
    "vendor_id",
    "cpu family",
    "model",
    "stepping",
    "flags",
    "CPU implementer",
    "CPU variant",
    "CPU part",
    "Features",
];

/// The answers of a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answers {
    /// The first line of its output for `--version`.
    pub version: String,
    /// Its predefined macros, which depend on the target processor.
    pub target: String,
}

impl Answers {
    /// Asks a compiler; `None` if it does not work.
    pub fn ask(words: &[OsString]) -> Option<Self> {
        let version = answer(words, &["--version"])?;
        let version = version.lines().next().unwrap_or_default().to_owned();
        Some(Self { version, target: answer(words, &["-dM", "-E", "-x", "c++", "-"])? })
    }

    /// Returns the answers in the cache if nothing changed that they depend on; otherwise asks.
    pub fn remembered(words: &[OsString], cache: &Cache) -> Option<Self> {
        let Some(origin) = origin(words) else { return Self::ask(words) };
        let key = Cache::key(&[b"answers of a compiler", origin.as_bytes()]);
        if let Entry::Found(bytes) = cache.load(&key, ANSWERS)
            && let Ok(text) = String::from_utf8(bytes)
            && let Some((version, target)) = text.split_once(BETWEEN)
        {
            return Some(Self { version: version.to_owned(), target: target.to_owned() });
        }
        let answers = Self::ask(words)?;
        let Self { version, target } = &answers;
        let is_plain = ![version, target].into_iter().any(|it| it.contains(BETWEEN));
        // The compiler may have been replaced in the meantime.
        if is_plain && self::origin(words).as_ref() == Some(&origin) {
            // A cache that cannot be written is reported when the program is stored.
            let _ = cache.store(&key, ANSWERS, format!("{version}{BETWEEN}{target}").as_bytes());
        }
        Some(answers)
    }
}

/// Returns the output of a compiler for these arguments, if it succeeds.
fn answer(words: &[OsString], arguments: &[&str]) -> Option<String> {
    let folder = Temporary::folder().ok()?;
    let mut command = command(words);
    command.args(arguments);
    let output = run(command, folder.path(), LIMIT).ok().flatten()?;
    output.success.then_some(output.stdout)
}

/// Returns everything that the answers depend on: the words, the files that they may run, the
/// processor and the environment. `None` if that is not known, as for a script, which may run
/// anything.
fn origin(words: &[OsString]) -> Option<String> {
    let mut text = format!("{words:?}\n{}\n", processor()?);
    for (k, word) in words.iter().enumerate() {
        let is_option = word.as_encoded_bytes().starts_with(b"-");
        let files = if is_option { Vec::new() } else { candidates(word) };
        if k == 0 && files.is_empty() {
            return None;
        }
        for file in files {
            let _ = writeln!(text, "{}", identity(&file)?);
        }
    }
    let mut variables: Vec<_> = env::vars_os().filter(|(name, _)| is_read(name)).collect();
    variables.sort();
    let _ = write!(text, "{variables:?}");
    Some(text)
}

fn is_read(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    VARIABLES.contains(&&*name) || OF_WRAPPERS.iter().any(|begin| name.starts_with(begin))
}

/// Returns the files that a word may name: the path itself, or all files of this name in `PATH`. A
/// wrapper under the name of a compiler runs a later one.
fn candidates(word: &OsStr) -> Vec<PathBuf> {
    if word.as_encoded_bytes().contains(&b'/') {
        return vec![PathBuf::from(word)];
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let files = env::split_paths(&path).map(|folder| folder.join(word));
    files.filter(|file| file.is_file()).collect()
}

/// Identifies a file of machine code without reading all of it: the time of its last change tells
/// of a replacement that keeps size and time of modification.
fn identity(file: &Path) -> Option<String> {
    let path = fs::canonicalize(file).ok()?;
    let mut file = File::open(&path).ok()?;
    let mut begin = [0; 4];
    file.read_exact(&mut begin).ok()?;
    (begin == *b"\x7fELF").then_some(())?;
    let metadata = file.metadata().ok()?;
    let (size, modified) = (metadata.len(), metadata.modified().ok()?);
    Some(format!("{} {size} {modified:?} {}", path.display(), inode(&metadata)))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let change = (metadata.ctime(), metadata.ctime_nsec());
    format!("{} {} {change:?}", metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> String {
    String::new()
}

/// Returns the model and the instructions of the processor, on which `-march=native` depends.
fn processor() -> Option<String> {
    /// More than the system says of one processor.
    const LONGEST: u64 = 1 << 14;
    let mut text = Vec::new();
    File::open("/proc/cpuinfo").ok()?.take(LONGEST).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let first = text.lines().take_while(|line| !line.is_empty());
    let known = |line: &&str| OF_PROCESSOR.iter().any(|name| line.starts_with(name));
    let lines: Vec<_> = first.filter(known).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;

    /// A compiler that writes a line to a file at each start.
    struct Counted {
        folder: tempfile::TempDir,
        words: Vec<OsString>,
    }

    impl Counted {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let words = vec![folder.path().join("compiler").into_os_string()];
            Self { folder, words }
        }

        fn log(&self) -> PathBuf {
            self.folder.path().join("log")
        }

        /// Compiles the compiler.
        fn build(&self, version: &str) {
            let source = self.folder.path().join("compiler.cpp");
            let log = self.log().display().to_string();
            let text = format!(
                "#include <stdio.h>\n#include <string.h>\nint main(int, char **words) {{\n\
                 FILE *log = fopen(\"{log}\", \"a\"); fprintf(log, \"start\\n\"); fclose(log);\n\
                 puts(strcmp(words[1], \"--version\") ? \"#define A 1\" : {version:?}); }}"
            );
            fs::write(&source, text).unwrap();
            // A new file, since a running one cannot be written.
            let _ = fs::remove_file(&self.words[0]);
            let built = Command::new("c++").arg(&source).arg("-o").arg(&self.words[0]).status();
            assert!(built.unwrap().success());
        }

        fn script(&self, version: &str) {
            let log = self.log().display().to_string();
            let text = format!("#!/bin/sh\necho start >> '{log}'\necho {version}\n");
            fs::write(&self.words[0], text).unwrap();
            fs::set_permissions(&self.words[0], PermissionsExt::from_mode(0o700)).unwrap();
        }

        /// Returns the version, and the number of starts that it took.
        fn version(&self, cache: &Cache) -> (String, usize) {
            let starts = || fs::read_to_string(self.log()).unwrap_or_default().lines().count();
            let before = starts();
            let answers = Answers::remembered(&self.words, cache).unwrap();
            (answers.version, starts() - before)
        }
    }

    #[test]
    fn a_compiler_is_asked_once() {
        let counted = Counted::new();
        let cache = Cache::at(counted.folder.path().join("cache"));
        counted.build("C++ 1");
        assert_eq!(counted.version(&cache), ("C++ 1".to_owned(), 2));
        assert_eq!(counted.version(&cache), ("C++ 1".to_owned(), 0));
        assert_eq!(Answers::remembered(&counted.words, &cache), Answers::ask(&counted.words));
        // Other words are another command.
        let with_option = Counted {
            words: [&counted.words[..], &["-m64".into()]].concat(),
            folder: counted.folder,
        };
        assert_eq!(with_option.version(&cache).1, 2);
    }

    #[test]
    fn a_replaced_compiler_is_asked_again() {
        let counted = Counted::new();
        let cache = Cache::at(counted.folder.path().join("cache"));
        counted.build("C++ 1");
        assert_eq!(counted.version(&cache), ("C++ 1".to_owned(), 2));
        // The size and the time of modification stay.
        let modified = fs::metadata(&counted.words[0]).unwrap().modified().unwrap();
        counted.build("C++ 2");
        File::open(&counted.words[0]).unwrap().set_modified(modified).unwrap();
        assert_eq!(counted.version(&cache), ("C++ 2".to_owned(), 2));
    }

    #[test]
    fn a_script_is_asked_each_time() {
        let counted = Counted::new();
        let cache = Cache::at(counted.folder.path().join("cache"));
        for version in ["C++ 1", "C++ 1", "C++ 2"] {
            counted.script(version);
            assert_eq!(counted.version(&cache), (version.to_owned(), 2));
        }
    }

    #[test]
    fn every_file_of_a_name_in_the_path_counts() {
        let files = candidates(OsStr::new("c++"));
        assert!(!files.is_empty() && files.iter().all(|file| file.ends_with("c++")));
        assert_eq!(candidates(OsStr::new("/no/such")), [Path::new("/no/such")]);
        assert_eq!(identity(Path::new("/no/such")), None);
        let words = [OsString::from("c++")];
        let text = origin(&words).unwrap();
        for file in files {
            let file = fs::canonicalize(file).unwrap();
            assert!(text.contains(&*file.to_string_lossy()), "{text}");
        }
        assert!(text.contains("flags") || text.contains("Features"), "{text}");
    }
}
