//! Builds: load a program from the cache, or compile it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cache::{Cache, Entry};

/// The origin of a compiled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The program was compiled for this build.
    Compiled,
    /// The program was in the cache; no compiler ran.
    Cached,
    /// The cache entry was damaged or did not load on this computer; the program was compiled
    /// again.
    Repaired,
}

/// A compiler: from the file with the text to the compiled program.
type Compile<'a, E> = dyn Fn(Option<&Path>) -> Result<Vec<u8>, E> + 'a;

/// A program with its compiler. `E` is the error of the caller.
pub struct Recipe<'a, E> {
    /// The text of the program.
    pub text: &'a str,
    /// The file extension of the text in the cache: `cu` or `cpp`.
    pub text_extension: &'static str,
    /// The file extension of the compiled program in the cache: `so` or `cubin`.
    pub extension: &'static str,
    /// Further parts of the key: everything besides the text that the compiled program depends on,
    /// such as options and the [identity](crate::Compiler::identity) of the compiler.
    pub key: &'a [&'a str],
    /// Compiles the program. The argument is the file with the text, for the error message; `None`
    /// if the cache cannot be written.
    pub compile: &'a Compile<'a, E>,
}

/// A program that was loaded, and its origin.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The program.
    pub program: T,
    /// The origin of the compiled program.
    pub origin: Origin,
    /// A file with the text of the program; `None` if the cache cannot be written.
    pub source: Option<PathBuf>,
    /// The reason why the compiled program was not stored in the cache; `None` if it was stored.
    pub cache_error: Option<String>,
    /// The time of the compilation; zero if nothing was compiled.
    pub compile_time: Duration,
    /// The compiled program.
    pub image: Vec<u8>,
}

/// Loads the compiled program from the cache; or compiles, stores and loads it. An entry that does
/// not load is compiled again, since different types of computers may share the folder. Of several
/// threads that want a program, one compiles it.
pub fn load_or_compile<T, E>(
    recipe: &Recipe<E>,
    cache: &Cache,
    load: &dyn Fn(&[u8]) -> Result<T, E>,
) -> Result<Loaded<T>, E> {
    let &Recipe { text, text_extension, extension, key, compile } = recipe;
    let parts: Vec<_> = [text].iter().chain(key).map(|part| part.as_bytes()).collect();
    let key = Cache::key(&parts);
    let source = cache.store_text(&key, text_extension, text);
    let mut origin = Origin::Compiled;
    // Without a cache, threads have nothing to wait for.
    let turn = source.as_ref().map(|source| Turn::wait(source.with_extension(extension)));
    match cache.load(&key, extension) {
        Entry::Found(image) => match load(&image) {
            Ok(program) => {
                return Ok(Loaded {
                    program,
                    origin: Origin::Cached,
                    source,
                    cache_error: None,
                    compile_time: Duration::ZERO,
                    image,
                });
            }
            Err(_) => origin = Origin::Repaired,
        },
        Entry::Missing => {}
        Entry::Corrupt => origin = Origin::Repaired,
    }
    let start = Instant::now();
    let image = compile(source.as_deref())?;
    let compile_time = start.elapsed();
    let cache_error = cache.store(&key, extension, &image).err();
    drop(turn);
    Ok(Loaded { program: load(&image)?, origin, source, cache_error, compile_time, image })
}

/// The turn of a thread to look for a program and to compile it; other threads of this process wait
/// until it ends.
struct Turn(PathBuf);

/// The programs whose turn has begun, and the end of a turn.
static TURNS: (Mutex<BTreeSet<PathBuf>>, Condvar) = (Mutex::new(BTreeSet::new()), Condvar::new());

impl Turn {
    fn wait(program: PathBuf) -> Self {
        let turns = TURNS.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |turns: &mut BTreeSet<PathBuf>| turns.contains(&program);
        let turns = TURNS.1.wait_while(turns, is_taken);
        turns.unwrap_or_else(PoisonError::into_inner).insert(program.clone());
        Self(program)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        TURNS.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
        TURNS.1.notify_all();
    }
}

/// Returns a text with line numbers, for reading compiler messages.
pub fn numbered(text: &str) -> String {
    let mut numbered = String::new();
    for (k, line) in text.lines().enumerate() {
        let _ = writeln!(numbered, "{:>4} | {line}", k + 1);
    }
    numbered
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn an_entry_that_does_not_load_is_compiled_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let build = |code: &'static [u8]| {
            let recipe = Recipe {
                text: "text",
                text_extension: "cpp",
                extension: "so",
                key: &[],
                compile: &|_| Ok(code.to_vec()),
            };
            // This computer loads only its own code.
            load_or_compile(&recipe, &cache, &|code| {
                code.strip_prefix(b"ours").map(<[u8]>::to_vec).ok_or("is for another machine")
            })
        };
        // The entry of another computer.
        assert!(build(b"theirs").is_err());
        let first = build(b"ours 1").unwrap();
        assert_eq!((&first.program[..], first.origin), (&b" 1"[..], Origin::Repaired));
        assert_eq!(first.image, b"ours 1");
        let second = build(b"ours 2").unwrap();
        assert_eq!((&second.program[..], second.origin), (&b" 1"[..], Origin::Cached));
    }

    /// Threads that want one program at once, and threads that want it in vain.
    #[test]
    fn one_of_several_threads_compiles() {
        let folder = tempfile::tempdir().unwrap();
        let count = AtomicUsize::new(0);
        let build = |text: &str, compiled: Result<Vec<u8>, &'static str>| {
            let recipe = Recipe {
                text,
                text_extension: "cpp",
                extension: "so",
                key: &[],
                compile: &|_| {
                    count.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(20));
                    compiled.clone()
                },
            };
            load_or_compile(&recipe, &Cache::at(folder.path()), &|code| Ok(code.to_vec()))
        };
        let by_threads = |text: &str, compiled: &Result<Vec<u8>, &'static str>| {
            count.store(0, Ordering::Relaxed);
            let origins = thread::scope(|scope| {
                let threads = [(); 8].map(|()| scope.spawn(|| build(text, compiled.clone())));
                threads.map(|it| it.join().unwrap().map(|loaded| loaded.origin))
            });
            (origins, count.load(Ordering::Relaxed))
        };
        let (origins, compiled) = by_threads("good", &Ok(b"code".to_vec()));
        let cached = origins.iter().filter(|it| **it == Ok(Origin::Cached)).count();
        assert_eq!((cached, compiled), (7, 1));
        assert_eq!(by_threads("bad", &Err("refused")), ([Err("refused"); 8], 8));
    }

    #[test]
    fn the_text_is_stored_with_its_extension_before_the_compiler_runs() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        for extension in ["cu", "cpp"] {
            let recipe = Recipe {
                text: "text",
                text_extension: extension,
                extension: "so",
                key: &[extension],
                compile: &|file| {
                    let file = file.unwrap();
                    assert_eq!(file.extension().unwrap(), extension);
                    assert_eq!(fs::read_to_string(file).unwrap(), "text");
                    Err("refused")
                },
            };
            let refused = load_or_compile(&recipe, &cache, &|_| Ok(()));
            assert_eq!(refused.unwrap_err(), "refused");
        }
        assert_eq!(cache.clear().unwrap().entries, 2);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
