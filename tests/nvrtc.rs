//! Every CUDA program, compiled by NVRTC for the architectures that it knows from sm_75 on. It needs
//! no GPU. The default configuration, in single and in double precision, is compiled for each of
//! them, in single precision in a periodic box for a few. The other ways to compute, which change
//! little of a program, and of which an interaction has so many that any two choices meet, take
//! turns: a way meets every architecture in some interactions, and an interaction in some ways.
//!
//! The programs of the library keep nothing in local memory in the default configuration, and
//! double programs compute nothing in single precision.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Failed, Trial};
use nbody::{
    Domain, Error, Interaction, Options, Origin, Pairs, Precision, Program, Scheme, nvrtc,
};
use nbody_interactions::{Visitor, gravity::Gravity};
use nbody_models::{domains, paired_ways};

use crate::compiler::{Compiler, NEWEST};
use crate::cubin;

/// Set for a process that only prepares a program: the cache folder.
pub const PREPARE: &str = "NBODY_TEST_PREPARE";

/// How many interactions that compute in one way share the architectures: each takes one or two.
const TURNS: usize = 8;

/// How many interactions of the library share the architectures for both directions of a pair at
/// once: each takes every third, beside those of the record.
const SYMMETRIC_TURNS: usize = 3;

/// An old, a middle and a new architecture.
const FEW: [u32; 3] = [75, 90, 120];

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);

pub fn trials(compiler: &Arc<Compiler>) -> Vec<Trial> {
    let domains = domains().expect("a box with room");
    let mut trials = Trials { domains, library: true, ..Trials::of(compiler.clone()) };
    nbody_interactions::visit_all(&mut trials);
    trials.library = false;
    nbody_tests::visit_others(&mut trials);
    let Trials { mut trials, taken, .. } = trials;
    if !nbody_tests::is_quick() {
        trials.push(Trial::test("every_way_meets_every_architecture", move || {
            let few = taken.into_iter().find(|(_, times)| *times < TURNS);
            few.map_or(Ok(()), |(way, times)| Err(format!("{way}: {times} turns").into()))
        }));
    }
    trials.push(Trial::test("a_warm_cache_needs_no_nvrtc", a_warm_cache_needs_no_nvrtc));
    let shared = compiler.clone();
    trials.push(Trial::test("unknown_architectures", move || unknown_architectures(&shared)));
    let shared = compiler.clone();
    trials.push(Trial::test("a_refused_program", move || a_refused_program(&shared)));
    trials
}

/// How many compilations there were.
pub fn conclude(compiler: &Compiler) {
    let (programs, compilations) = (PROGRAMS.load(Ordering::Relaxed), compiler.compilations());
    let architectures = architectures(compiler).count();
    println!(
        "nvrtc: {compilations} compilations ({programs} programs, {architectures} architectures, \
         NVRTC {})",
        compiler.nvrtc.version()
    );
}

fn architectures(compiler: &Compiler) -> impl Iterator<Item = u32> {
    let taken = |architecture: &u32| *architecture >= 75;
    let taken = move |it: &u32| taken(it) && (!nbody_tests::is_quick() || FEW.contains(it));
    compiler.nvrtc.architectures().iter().copied().filter(taken)
}

struct Trials {
    compiler: Arc<Compiler>,
    domains: [Domain; 2],
    /// Whether what is visited belongs to the library.
    library: bool,
    /// How many interactions were visited.
    turn: usize,
    /// How often each way was taken.
    taken: BTreeMap<String, usize>,
    trials: Vec<Trial>,
}

/// What a program is compiled for.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    /// All there are; and the interaction's turn with other programs than that for many particles.
    Every(usize),
    Few,
    Turn(usize),
}

impl Scope {
    fn has(self, k: usize, architecture: u32) -> bool {
        match self {
            Self::Every(_) => true,
            Self::Few => FEW.contains(&architecture),
            Self::Turn(turn) => k % TURNS == turn % TURNS,
        }
    }
}

impl Trials {
    fn of(compiler: Arc<Compiler>) -> Self {
        let (domains, taken, trials) = Default::default();
        Self { compiler, domains, library: false, turn: 0, taken, trials }
    }
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, _: X) {
        let [default, boxed] = self.domains.map(|domain| Options { domain, ..Options::default() });
        let double = Options { precision: Precision::Double, ..default };
        let every = Scope::Every(self.turn);
        let mut ways = vec![(default, every), (double, every), (boxed, Scope::Few)];
        for options in paired_ways::<X>(self.domains, self.turn) {
            // Whatever the pairs, the program of ordered pairs is the same.
            let ordered = Options { pairs: default.pairs, ..options };
            let is_known = [default, double].contains(&ordered) || options == boxed;
            if !is_known {
                let times = self.taken.entry(options.to_string()).or_default();
                ways.push((options, Scope::Turn(*times)));
                *times += 1;
            }
        }
        let tested = nbody_tests::tested::<X>(self.library, ways.len());
        for &(options, scope) in &ways[..tested] {
            let lean = self.library && [default, boxed].contains(&options);
            let (name, compiler) =
                (format!("{}/{options}/{}", X::NAME, options.pairs), self.compiler.clone());
            self.trials
                .push(Trial::test(name, move || compile::<X>(&compiler, options, lean, scope)));
        }
        self.turn += 1;
    }
}

/// Compiles the program for many particles. Those of the library in the default configuration are
/// lean: they must not use local memory, nor must the others that an engine may choose.
fn compile<X: Interaction>(
    compiler: &Compiler,
    options: Options,
    lean: bool,
    scope: Scope,
) -> Result<(), Failed> {
    for (number, program) in Program::all(X::LAW, options)?.into_iter().enumerate() {
        let chosen = |&(k, architecture): &(usize, u32)| match (program.choices.scheme, scope) {
            _ if number == 0 => scope.has(k, architecture),
            (Scheme::Symmetric, Scope::Every(turn)) if lean => {
                k % SYMMETRIC_TURNS == turn % SYMMETRIC_TURNS
            }
            (Scheme::Symmetric, Scope::Few) => scope.has(k, architecture),
            (Scheme::Symmetric, Scope::Every(_)) => architecture == 90,
            (Scheme::Symmetric, Scope::Turn(_)) => {
                options.pairs == Pairs::Unordered && architecture == 90
            }
            // They differ from the main program in a number.
            (Scheme::AllPairs, Scope::Every(turn)) => {
                lean && architecture == FEW[(number + turn) % FEW.len()]
            }
            (Scheme::AllPairs, _) => false,
        };
        let architectures = architectures(compiler).enumerate().filter(chosen);
        let architectures: Vec<u32> = architectures.map(|(_, architecture)| architecture).collect();
        for &architecture in &architectures {
            if lean {
                compile_lean::<X>(compiler, &program, architecture)?;
            } else {
                local_memory(compiler, &program, architecture)?;
            }
        }
        // The functions of CUDA's library work on halves of a double as they like.
        let double = options.precision == Precision::Double && X::OPERATIONS.special == 0;
        if double && !architectures.is_empty() {
            let ptx = compiler.compile(&program, NEWEST)?;
            if ptx.windows(4).any(|window| window == b".f32") {
                return Err("single precision in a double program".into());
            }
        }
        PROGRAMS.fetch_add(usize::from(!architectures.is_empty()), Ordering::Relaxed);
    }
    Ok(())
}

/// With as many i-particles for a thread as an engine would take: without local memory, and
/// with more than a fourth of what was chosen.
fn compile_lean<X: Interaction>(
    compiler: &Compiler,
    program: &Program,
    architecture: u32,
) -> Result<(), Failed> {
    let wanted = program.choices.i_per_thread;
    let mut choices = Some(program.choices);
    while let Some(lean) = choices.filter(|choices| 4 * choices.i_per_thread > wanted) {
        let program = Program::with_choices(X::LAW, program.options, lean);
        if local_memory(compiler, &program, architecture)? == 0 {
            return Ok(());
        }
        choices = lean.narrower(X::LAW, program.options);
    }
    Err(format!("{:?}, sm_{architecture}: local memory", program.choices).into())
}

/// The bytes of local memory of a thread, in any of the program's kernels.
fn local_memory(compiler: &Compiler, program: &Program, architecture: u32) -> Result<u32, Failed> {
    let code = compiler.compile(program, architecture)?;
    if !code.starts_with(b"\x7fELF") {
        return Err(format!("{:?}, sm_{architecture}: not a CUBIN", program.choices).into());
    }
    let frames = cubin::attribute(&code, cubin::FRAME_SIZE).ok_or("a broken CUBIN")?;
    let largest = frames.iter().map(|(_, bytes)| *bytes).max();
    Ok(largest.ok_or("a CUBIN without frame sizes")?)
}

/// In processes of their own, so that the calls of other tests do not count.
fn a_warm_cache_needs_no_nvrtc() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let run = || -> Result<String, Failed> {
        let output = Command::new(env::current_exe()?).env(PREPARE, folder.path()).output()?;
        Ok(String::from_utf8(output.stdout)?)
    };
    let cold = run()?;
    if !cold.starts_with("Compiled") || cold.ends_with(" 0\n") {
        return Err(format!("cold start: {cold}").into());
    }
    expect("warm start", &run()?, "Cached, calls 0\n")?;
    for entry in std::fs::read_dir(folder.path())?.flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "cubin") {
            std::fs::write(entry.path(), b"half an entr")?;
        }
    }
    let repaired = run()?;
    if !repaired.starts_with("Repaired") {
        return Err(format!("damaged cache: {repaired}").into());
    }
    expect("after the repair", &run()?, "Cached, calls 0\n")
}

pub fn prepare(folder: &Path) {
    let program = Program::new(Gravity::LAW, Options::default()).unwrap();
    let build = nvrtc::prepare(&program, 90, folder).unwrap();
    assert!(build.cache_error.is_none() && build.source.is_some(), "{build:?}");
    assert_eq!(build.compile_time.is_zero(), build.origin == Origin::Cached);
    println!("{:?}, calls {}", build.origin, nvrtc::calls());
}

fn expect(what: &str, found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found}").into()) }
}

/// Newer than all that NVRTC knows: PTX, which the driver finishes. Older: an error.
fn unknown_architectures(compiler: &Compiler) -> Result<(), Failed> {
    let program = Program::new(Gravity::LAW, Options::default())?;
    let ptx = compiler.nvrtc.compile(&program, NEWEST)?;
    if !ptx.windows(8).any(|window| window == b".version") || ptx.last() != Some(&0) {
        return Err("sm_999: not a whole PTX".into());
    }
    match compiler.nvrtc.compile(&program, 20) {
        Err(Error::UnknownArchitecture { found: 20, known, .. }) if known.contains(&90) => Ok(()),
        other => Err(format!("sm_20: {other:?}").into()),
    }
}

fn a_refused_program(compiler: &Compiler) -> Result<(), Failed> {
    let mut program = Program::new(Gravity::LAW, Options::default())?;
    program.source = "int a;\nint b = nonsense;\n".to_owned();
    match compiler.nvrtc.compile(&program, 90) {
        Err(Error::Compilation { log, source_text, .. })
            if log.contains("nbody.cu(2)")
                && log.contains("nonsense")
                && source_text.contains("   2 | int b = nonsense;") =>
        {
            Ok(())
        }
        other => Err(format!("{other:?}").into()),
    }
}
