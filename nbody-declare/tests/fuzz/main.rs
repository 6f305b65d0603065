//! Mutated texts give laws or messages: never a panic, a hang, or text that a compiler refuses. The adjoint
//! of each law is accepted, too, or too long.
//!
//! `NBODY_FUZZ` sets the number of texts, and `NBODY_FUZZ_FIRST` the number of the first one; each
//! accepted law is then compiled. Otherwise a few texts are mutated, and fewer compiled. A text that
//! stops the process is in the folder that the test prints with `--nocapture`.

mod compile;
mod corpus;
mod extremes;
mod mutate;
mod tokens;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use nbody_codegen::describe::describe;
use nbody_core::Law;
use nbody_declare::{Error, Refusal, Selection, adjoint, declare_in};

use compile::{Compilers, Texts};
use corpus::Corpus;
use mutate::mutant;

/// The texts of an ordinary test, and one accepted text in so many that is compiled.
const FEW: u64 = 600;
const SHARE: u64 = 5;
/// The texts of laws that a compiler reads at a time.
const BATCH: usize = 64;
/// The longest time for a text; more without optimisation.
const LONGEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });

/// The outcome of a text.
enum Outcome {
    Accepted(Vec<Texts>),
    Refused,
    Fault(String),
}

/// Declares a text.
fn outcome(text: &str, cache: &Path, is_compiled: bool) -> Outcome {
    let mut least = Duration::MAX;
    let mut declared = None;
    // Other work on the computer takes time, too.
    for _ in 0..3 {
        let start = Instant::now();
        let Ok(result) = catch_unwind(|| declare_in(text, cache)) else {
            return Outcome::Fault("a panic".to_owned());
        };
        least = least.min(start.elapsed());
        declared = Some(result);
        if least <= LONGEST {
            break;
        }
    }
    if least > LONGEST {
        return Outcome::Fault("too slow".to_owned());
    }
    match declared.expect("the text was declared") {
        Err(Error::Text(faults)) if !faults.is_empty() => Outcome::Refused,
        Err(error) => Outcome::Fault(error.to_string()),
        Ok(declared)
            if let Some(fault) = declared.laws.iter().find_map(|law| adjoint_of(law, text)) =>
        {
            Outcome::Fault(fault)
        }
        Ok(_) if !is_compiled => Outcome::Accepted(Vec::new()),
        Ok(declared) => {
            let described = describe(text).expect("the text was accepted");
            let laws = declared.laws.iter().zip(described.laws);
            let laws = laws.map(|(law, it)| Texts::of_law(law, it.text.cpp, text));
            let programs = declared.programs.iter().zip(described.programs);
            let programs = programs.map(|(it, of)| Texts::of_program(it, of.text.cpp, text));
            Outcome::Accepted(laws.chain(programs).collect())
        }
    }
}

/// Derives the sums of a law; returns a fault.
fn adjoint_of(law: &Law, text: &str) -> Option<String> {
    let sums = law.f.iter().filter(|field| field.kind.is_sum());
    let results = Some(sums.map(|field| field.name.to_owned()).collect());
    let selection = Selection { results, ..Selection::default() };
    match catch_unwind(|| adjoint(text, law.name, &selection)) {
        Err(_) => Some(format!("a panic in the adjoint of {}", law.name)),
        Ok(
            Ok(_)
            | Err(Error::Adjoint {
                refusal: Refusal::Hidden { .. } | Refusal::Inside { .. }, ..
            }),
        ) => None,
        Ok(Err(error)) => {
            let error = error.to_string();
            // The derivative of a long or deep text is longer and deeper.
            let limits = ["has more than", "is nested more than"];
            (!limits.iter().any(|limit| error.contains(limit))).then_some(error)
        }
    }
}

/// The counts of a run.
#[derive(Default)]
struct Counts {
    accepted: usize,
    refused: usize,
    compiled: usize,
    slowest: Duration,
    /// Kinds of faults, each with the first texts.
    faults: BTreeMap<String, Vec<String>>,
}

impl Counts {
    fn fault(&mut self, reason: &str, text: &str) {
        let reason = reason.lines().find(|line| line.contains("error")).unwrap_or(reason);
        self.faults.entry(reason.to_owned()).or_default().push(text.to_owned());
    }
}

/// A run over numbered texts.
struct Run {
    corpus: Corpus,
    compilers: Compilers,
    folder: PathBuf,
    share: u64,
    counts: Mutex<Counts>,
}

impl Run {
    /// Mutates and compiles the texts of these numbers.
    fn texts(&self, thread: usize, numbers: &AtomicU64, end: u64) {
        let current = self.folder.join(format!("current_{thread}.rs"));
        let cache = self.folder.join("cache");
        let mut accepted = Vec::new();
        loop {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                break;
            }
            let text = mutant(&self.corpus, number);
            fs::write(&current, &text).unwrap();
            let is_compiled = number.is_multiple_of(self.share);
            let start = Instant::now();
            let outcome = outcome(&text, &cache, is_compiled);
            let mut counts = self.counts.lock().unwrap();
            counts.slowest = counts.slowest.max(start.elapsed());
            match outcome {
                Outcome::Accepted(texts) => {
                    counts.accepted += 1;
                    accepted.extend(texts);
                }
                Outcome::Refused => counts.refused += 1,
                Outcome::Fault(reason) => counts.fault(&reason, &text),
            }
            drop(counts);
            if accepted.len() >= BATCH {
                self.compile(&accepted);
                accepted.clear();
            }
        }
        self.compile(&accepted);
    }

    fn compile(&self, accepted: &[Texts]) {
        let texts: Vec<_> = accepted.iter().collect();
        for compiler in self.compilers.all() {
            let refused = self.compilers.refused(compiler, &texts, &self.folder);
            let mut counts = self.counts.lock().unwrap();
            for (text, log) in refused {
                counts.fault(&format!("{compiler:?}: {log}"), &text.declared);
            }
        }
        self.counts.lock().unwrap().compiled += texts.len();
    }
}

fn variable(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is {text}")))
}

#[test]
fn mutated_texts_give_laws_that_compile_or_messages() {
    let by_hand = variable("NBODY_FUZZ");
    let first = variable("NBODY_FUZZ_FIRST").unwrap_or(0);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    let cache = folder.join("cache");
    fs::create_dir_all(&cache).unwrap();
    println!("texts in {}", folder.display());
    let run = Run {
        corpus: Corpus::read(),
        compilers: Compilers::new(&folder),
        share: if by_hand.is_some() { 1 } else { SHARE },
        folder,
        counts: Mutex::default(),
    };
    let (numbers, end) = (AtomicU64::new(first), first + by_hand.unwrap_or(FEW));
    let threads = available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (run, numbers) = (&run, &numbers);
            scope.spawn(move || run.texts(thread, numbers, end));
        }
    });
    let counts = run.counts.into_inner().unwrap();
    let Counts { accepted, refused, compiled, slowest, faults } = counts;
    println!("{accepted} accepted, {refused} refused, {compiled} compiled, slowest {slowest:?}");
    for (k, (reason, texts)) in faults.iter().enumerate() {
        println!("fault {k}: {} texts: {reason:.300}", texts.len());
        let shortest = texts.iter().min_by_key(|text| text.len()).expect("a text");
        fs::write(run.folder.join(format!("fault_{k}.rs")), shortest).unwrap();
    }
    assert!(faults.is_empty(), "{} kinds of faults", faults.len());
    assert!(accepted > refused / 5, "{accepted} of {refused}: mutants stay in the language");
}
