//! Every CUDA program, compiled by NVRTC for every architecture that it knows from sm_75 on.
//! It needs no GPU. The default configuration, in single and in double precision, in open space
//! and in a periodic box, is compiled for each of them. The other ways to compute, which change
//! little of a program, take turns: a way meets every architecture in some interactions, and an
//! interaction in some ways.
//!
//! The programs of the library keep nothing in local memory in the default configuration, and
//! double programs compute nothing in single precision.
//!
//! The last line tells how many compilations that were.

#[path = "common/cubin.rs"]
mod cubin;

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use nbody::nvrtc::{self, Nvrtc};
use nbody::{Domain, Error, Interaction, Options, Origin, Precision, Program, Scheme};
use nbody_interactions::{Visitor, gravity::Gravity};
use nbody_models::{domains, ways};

/// Set for a process that only prepares a program: the cache folder.
const PREPARE: &str = "NBODY_TEST_PREPARE";

/// Newer than any architecture: NVRTC gives PTX for it.
const NEWEST: u32 = 999;

/// How many ways to compute share the architectures: each takes every fourth, of old and new.
const TURNS: usize = 4;

/// An old, a middle and a new architecture.
const FEW: [u32; 3] = [75, 90, 120];

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);
static COMPILATIONS: AtomicUsize = AtomicUsize::new(0);

fn main() {
    if let Some(folder) = env::var_os(PREPARE) {
        return prepare(Path::new(&folder));
    }
    let arguments = Arguments::from_args();
    let nvrtc = match Nvrtc::find().and_then(|path| Nvrtc::open(&path)) {
        Ok(nvrtc) => Arc::new(nvrtc),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    let domains = domains().expect("a box with room");
    let mut trials = Trials { nvrtc: nvrtc.clone(), domains, library: true, trials: Vec::new() };
    nbody_interactions::visit_all(&mut trials);
    trials.library = false;
    nbody_tests::visit_others(&mut trials);
    let mut trials = trials.trials;
    trials.push(Trial::test("a_warm_cache_needs_no_nvrtc", a_warm_cache_needs_no_nvrtc));
    let shared = nvrtc.clone();
    trials.push(Trial::test("unknown_architectures", move || unknown_architectures(&shared)));
    let shared = nvrtc.clone();
    trials.push(Trial::test("a_refused_program", move || a_refused_program(&shared)));
    let conclusion = libtest_mimic::run(&arguments, trials);
    let programs = PROGRAMS.load(Ordering::Relaxed);
    let compilations = COMPILATIONS.load(Ordering::Relaxed);
    println!(
        "nvrtc: {compilations} compilations ({programs} programs, {} architectures, NVRTC {})",
        architectures(&nvrtc).count(),
        nvrtc.version()
    );
    conclusion.exit();
}

fn architectures(nvrtc: &Nvrtc) -> impl Iterator<Item = u32> {
    nvrtc.architectures().iter().copied().filter(|&architecture| architecture >= 75)
}

struct Trials {
    nvrtc: Arc<Nvrtc>,
    domains: [Domain; 2],
    /// Whether what is visited belongs to the library.
    library: bool,
    trials: Vec<Trial>,
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, _: X) {
        for options in self.domains.into_iter().flat_map(ways) {
            let (name, nvrtc) = (format!("{}/{options}", X::NAME), self.nvrtc.clone());
            let default = Options { domain: options.domain, ..Options::default() };
            let double = Options { precision: Precision::Double, ..default };
            let lean = self.library && options == default;
            // Fast and exact mathematics come one after the other, and take the same turn; the
            // next interaction begins with another.
            let turn = self.trials.len() / 2 % TURNS;
            let turn = (options != default && options != double).then_some(turn);
            self.trials.push(Trial::test(name, move || compile::<X>(&nvrtc, options, lean, turn)));
        }
    }
}

/// Compiles the program for many particles for every architecture, or for those of one turn. Those
/// of the library in the default configuration are lean: they must not use local memory, nor must
/// the others that an engine may choose.
fn compile<X: Interaction>(
    nvrtc: &Nvrtc,
    options: Options,
    lean: bool,
    turn: Option<usize>,
) -> Result<(), Failed> {
    for (k, program) in Program::all::<X>(options)?.into_iter().enumerate() {
        let main = k == 0;
        let chosen = |&(k, architecture): &(usize, u32)| match program.choices.scheme {
            _ if main => turn.is_none_or(|turn| k % TURNS == turn),
            Scheme::Symmetric => lean || architecture == 90,
            // They differ from the main program in a number.
            Scheme::AllPairs => lean && FEW.contains(&architecture),
        };
        let architectures = architectures(nvrtc).enumerate().filter(chosen);
        let architectures: Vec<u32> = architectures.map(|(_, architecture)| architecture).collect();
        for &architecture in &architectures {
            if lean {
                compile_lean::<X>(nvrtc, &program, architecture)?;
            } else {
                local_memory(nvrtc, &program, architecture)?;
            }
        }
        // The functions of CUDA's library work on halves of a double as they like.
        let double = options.precision == Precision::Double && X::OPERATIONS.special == 0;
        if double && !architectures.is_empty() {
            let ptx = nvrtc.compile(&program, NEWEST)?;
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
    nvrtc: &Nvrtc,
    program: &Program,
    architecture: u32,
) -> Result<(), Failed> {
    let wanted = program.choices.i_per_thread;
    let mut choices = Some(program.choices);
    while let Some(lean) = choices.filter(|choices| 4 * choices.i_per_thread > wanted) {
        let program = Program::with_choices::<X>(program.options, lean);
        if local_memory(nvrtc, &program, architecture)? == 0 {
            return Ok(());
        }
        choices = lean.narrower::<X>(program.options);
    }
    Err(format!("{:?}, sm_{architecture}: local memory", program.choices).into())
}

/// The bytes of local memory of a thread, in any of the program's kernels.
fn local_memory(nvrtc: &Nvrtc, program: &Program, architecture: u32) -> Result<u32, Failed> {
    let code = nvrtc.compile(program, architecture)?;
    if !code.starts_with(b"\x7fELF") {
        return Err(format!("{:?}, sm_{architecture}: not a CUBIN", program.choices).into());
    }
    COMPILATIONS.fetch_add(1, Ordering::Relaxed);
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

fn prepare(folder: &Path) {
    let program = Program::new::<Gravity>(Options::default()).unwrap();
    let build = nvrtc::prepare(&program, 90, folder).unwrap();
    assert!(build.cache_error.is_none() && build.source.is_some(), "{build:?}");
    assert_eq!(build.compile_time.is_zero(), build.origin == Origin::Cached);
    println!("{:?}, calls {}", build.origin, nvrtc::calls());
}

fn expect(what: &str, found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found}").into()) }
}

/// Newer than all that NVRTC knows: PTX, which the driver finishes. Older: an error.
fn unknown_architectures(nvrtc: &Nvrtc) -> Result<(), Failed> {
    let program = Program::new::<Gravity>(Options::default())?;
    let ptx = nvrtc.compile(&program, NEWEST)?;
    if !ptx.windows(8).any(|window| window == b".version") || ptx.last() != Some(&0) {
        return Err("sm_999: not a whole PTX".into());
    }
    match nvrtc.compile(&program, 20) {
        Err(Error::UnknownArchitecture { found: 20, known, .. }) if known.contains(&90) => Ok(()),
        other => Err(format!("sm_20: {other:?}").into()),
    }
}

fn a_refused_program(nvrtc: &Nvrtc) -> Result<(), Failed> {
    let mut program = Program::new::<Gravity>(Options::default())?;
    program.source = "int a;\nint b = nonsense;\n".to_owned();
    match nvrtc.compile(&program, 90) {
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
