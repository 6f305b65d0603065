//! Every CUDA program, compiled by NVRTC for the architectures that it supports from sm_75 on. No
//! GPU is needed. In the default configuration, an interaction of the library is compiled in single
//! precision for every second generation, besides the architectures whose machine code is counted, and
//! in double precision and in a periodic box, as other interactions in all three, for one generation;
//! generations and their architectures take turns. The other ways to compute change little of a
//! program: an interaction has a covering array of them, each compiled for one architecture, so that
//! every choice occurs with every architecture in some interaction; interactions of the library that
//! are alike share one array.
//!
//! The programs of the library use no local memory in the default configuration, and double
//! programs compute nothing in single precision.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;
use std::process::Command;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Failed, Trial};
use nbody::cuda::{CompileError, Error as CudaError, Origin, Program, Schedule, nvrtc};
use nbody::law::Law;
use nbody::{Domain, Interaction, Options, Pairs, Precision};
use nbody_interactions::{Visitor, gravity::Gravity};
use nbody_verify::{domains, paired_ways};

use crate::compiler::{Compiler, NEWEST};
use crate::cubin;

/// Environment variable with the cache folder, set for a process that only prepares a program.
pub const PREPARE: &str = "NBODY_TEST_PREPARE";

/// Number of interactions of the library that share the programs with fewer i-particles per thread.
const FEWER_TURNS: usize = 2;

/// Architectures of boards and variants: NVRTC generates nearly the code of an architecture of the
/// same generation. Programs that are compiled for several architectures leave them out.
const VARIANTS: [u32; 5] = [87, 88, 103, 110, 121];
/// An old, a middle and a new architecture.
const FEW: [u32; 3] = [75, 90, 120];
/// The architecture of a quick test.
const QUICK: [u32; 1] = [90];

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);

pub fn trials(compiler: &Arc<Compiler>) -> Vec<Trial> {
    let domains = domains().expect("a box with room");
    let mut trials = Trials { domains, library: true, ..Trials::of(compiler.clone()) };
    nbody_interactions::visit_all(&mut trials);
    trials.library = false;
    nbody_tests::visit_others(&mut trials);
    let Trials { mut trials, met, .. } = trials;
    if !nbody_tests::is_quick() {
        let architectures = architectures(compiler);
        trials.push(Trial::test("every_choice_meets_every_architecture", move || {
            all_meet(&met, &architectures)
        }));
    }
    trials.push(Trial::test("a_warm_cache_needs_no_nvrtc", a_warm_cache_needs_no_nvrtc));
    let shared = compiler.clone();
    trials.push(Trial::test("unknown_architectures", move || unknown_architectures(&shared)));
    let shared = compiler.clone();
    trials.push(Trial::test("a_patch_level", move || a_patch_level(&shared)));
    let shared = compiler.clone();
    trials.push(Trial::test("a_refused_program", move || a_refused_program(&shared)));
    trials
}

/// Prints the number of compilations.
pub fn conclude(compiler: &Compiler) {
    let (programs, compilations) = (PROGRAMS.load(Ordering::Relaxed), compiler.compilations());
    let architectures = architectures(compiler).len();
    println!(
        "nvrtc: {compilations} compilations ({programs} programs, {architectures} architectures, \
         NVRTC {})",
        compiler.nvrtc.version()
    );
}

/// Lists the architectures to compile for.
pub fn architectures(compiler: &Compiler) -> Vec<u32> {
    let known = compiler.nvrtc.architectures().iter().copied().filter(|it| *it >= 75);
    known.filter(|it| !nbody_tests::is_quick() || QUICK.contains(it)).collect()
}

/// Returns the architectures of [`FEW`], or of a quick test.
fn few() -> Vec<u32> {
    if nbody_tests::is_quick() { QUICK.to_vec() } else { FEW.to_vec() }
}

/// Lists the architectures to compile for without all variants but one, another one in each turn.
pub fn several(compiler: &Compiler, turn: usize) -> Vec<u32> {
    let variant = VARIANTS[turn % VARIANTS.len()];
    let is_taken = |it: &u32| *it == variant || !VARIANTS.contains(it);
    architectures(compiler).into_iter().filter(is_taken).collect()
}

/// Selects one architecture of each generation, such as sm_80 and sm_89 for 8: another one in each
/// turn.
fn generations(architectures: &[u32], turn: usize) -> Vec<u32> {
    let same = architectures.chunk_by(|a, b| a / 10 == b / 10);
    same.map(|generation| generation[turn % generation.len()]).collect()
}

/// Selects the architecture whose turn it is.
fn one_of(architectures: &[u32], turn: usize) -> Vec<u32> {
    architectures.iter().copied().skip(turn % architectures.len().max(1)).take(1).collect()
}

/// Pairs of a choice and an architecture for which it is compiled.
type Met = BTreeSet<(String, u32)>;

fn all_meet(met: &Met, architectures: &[u32]) -> Result<(), Failed> {
    let choices: BTreeSet<_> = met.iter().map(|(choice, _)| choice).collect();
    for choice in choices {
        let missing = architectures.iter().find(|it| !met.contains(&(choice.clone(), **it)));
        if let Some(architecture) = missing {
            return Err(format!("{choice} does not meet sm_{architecture}").into());
        }
    }
    Ok(())
}

struct Trials {
    compiler: Arc<Compiler>,
    domains: [Domain; 3],
    /// Whether the visited interactions belong to the library.
    library: bool,
    /// Number of visited interactions.
    turn: usize,
    /// Number of tested ways other than the default.
    others: usize,
    met: Met,
    trials: Vec<Trial>,
}

/// Architectures for which the programs of an interaction are compiled.
struct Targets {
    /// Architectures of the program for many particles.
    main: Vec<u32>,
    /// Architectures of the programs with fewer i-particles per thread; every other program takes one.
    fewer: Vec<u32>,
    /// Architectures of the symmetric program.
    symmetric: Vec<u32>,
}

impl Trials {
    fn of(compiler: Arc<Compiler>) -> Self {
        let (domains, met, trials) = Default::default();
        Self { compiler, domains, library: false, turn: 0, others: 0, met, trials }
    }

    /// Returns the architecture of a way: the next one in turn, or the one that lacks most of the
    /// choices if that has met them all.
    fn architecture(&self, all: &[u32], way: &str) -> u32 {
        let lacks = |it: &u32| {
            let choices = way.split('/');
            choices.filter(|choice| !self.met.contains(&((*choice).to_owned(), *it))).count()
        };
        let next = all[self.others % all.len()];
        let most = all.iter().copied().max_by_key(lacks).filter(|it| lacks(it) > 0);
        if lacks(&next) > 0 { next } else { most.unwrap_or(next) }
    }
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, _: X) {
        let [default, boxed, _] = self.domains.map(|domain| Options::default().domain(domain));
        let double = default.precision(Precision::Double);
        let (all, turn) = (architectures(&self.compiler), self.turn);
        let several: Vec<_> = all.iter().copied().filter(|it| !VARIANTS.contains(it)).collect();
        let each = generations(&several, turn);
        let half = each.iter().copied().skip(turn % 2).step_by(2).collect();
        let [fewer, symmetric] =
            if self.library { [few(), one_of(&several, turn)] } else { [vec![], vec![90]] };
        let main = if self.library { half } else { one_of(&each, turn) };
        let double_main = one_of(&each, turn + 1);
        let [boxed_main, boxed_symmetric] = [turn, turn + 1].map(|turn| one_of(&few(), turn));
        let mut ways = vec![
            (default, Targets { main, fewer, symmetric }),
            (double, Targets { main: double_main, fewer: vec![], symmetric: vec![90] }),
            (boxed, Targets { main: boxed_main, fewer: vec![], symmetric: boxed_symmetric }),
        ];
        let others = paired_ways(X::LAW, self.domains, turn);
        for options in nbody_tests::in_turn(X::LAW, self.library, others, turn) {
            // The ordered program does not depend on `pairs`.
            let ordered = options.pairs(default.pairs);
            let is_known = [default, double].contains(&ordered) || options == boxed;
            if !is_known {
                let name = format!("{options}/{}", options.pairs);
                let one = self.architecture(&all, &name);
                self.met.extend(name.split('/').map(|choice| (choice.to_owned(), one)));
                let symmetric = if options.pairs == Pairs::Symmetric { vec![one] } else { vec![] };
                ways.push((options, Targets { main: vec![one], fewer: vec![], symmetric }));
                self.others += 1;
            }
        }
        for (options, targets) in nbody_tests::tested(X::LAW, self.library, ways, turn) {
            let lean = self.library && [default, boxed].contains(&options);
            let (name, compiler) =
                (format!("{}/{options}/{}", X::LAW.name, options.pairs), self.compiler.clone());
            let compile = move || compile(X::LAW, &compiler, options, lean, &targets, turn);
            self.trials.push(Trial::test(name, compile));
        }
        self.turn += 1;
    }
}

/// Compiles the programs. Programs of the library in the default configuration are lean: they must
/// not use local memory. Of other programs only the text is tested, and a [small](self::small)
/// program contains all of it.
fn compile(
    law: &Law,
    compiler: &Compiler,
    options: Options,
    lean: bool,
    targets: &Targets,
    turn: usize,
) -> Result<(), Failed> {
    for (number, program) in Program::all(law, options)?.into_iter().enumerate() {
        let architectures = match program.config.schedule {
            Schedule::Symmetric => &*targets.symmetric,
            Schedule::Ordered if number == 0 => &*targets.main,
            _ if targets.fewer.is_empty() || !(number + turn).is_multiple_of(FEWER_TURNS) => &[],
            _ => slice::from_ref(&targets.fewer[(number + turn) % targets.fewer.len()]),
        };
        let small = small(law, &program);
        for &architecture in architectures {
            if lean {
                compile_lean(law, compiler, &program, architecture)?;
            } else {
                local_memory(compiler, &small, architecture)?;
            }
        }
        if program.config.schedule == Schedule::Symmetric && lean && !options.domain.is_periodic() {
            let sections = Program::sections(law, options, small.config);
            let mut first = architectures.iter().take(1);
            first.try_for_each(|it| local_memory(compiler, &sections, *it).map(|_| ()))?;
        }
        // CUDA's library functions may operate on the halves of a double.
        let double = options.precision == Precision::Double && law.operations.special == 0;
        if double && !architectures.is_empty() {
            let ptx = compiler.compile(&small, NEWEST)?;
            if ptx.windows(4).any(|window| window == b".f32") {
                return Err("single precision in a double program".into());
            }
        }
        PROGRAMS.fetch_add(usize::from(!architectures.is_empty()), Ordering::Relaxed);
    }
    Ok(())
}

/// Reduces a program to one i-particle per thread and no unrolling, which compiles in a third of
/// the time. The emulator runs the full programs.
fn small(law: &Law, program: &Program) -> Program {
    let mut config = program.config;
    (config.i_per_thread, config.unroll) = (1, 1);
    Program::with_config(law, program.options, config)
}

/// Compiles with the number of i-particles per thread that an engine would choose: the program
/// then uses no local memory, and the number is more than a fourth of the configured one.
pub fn compile_lean(
    law: &Law,
    compiler: &Compiler,
    program: &Program,
    architecture: u32,
) -> Result<(), Failed> {
    let wanted = program.config.i_per_thread;
    let mut config = Some(program.config);
    while let Some(lean) = config.filter(|config| 4 * config.i_per_thread > wanted) {
        let program = Program::with_config(law, program.options, lean);
        if local_memory(compiler, &program, architecture)? == 0 {
            return Ok(());
        }
        config = lean.narrower(law, program.options);
    }
    Err(format!("{:?}, sm_{architecture}: local memory", program.config).into())
}

/// Returns the largest local memory per thread of the program's kernels, in bytes.
pub fn local_memory(
    compiler: &Compiler,
    program: &Program,
    architecture: u32,
) -> Result<u32, Failed> {
    let code = compiler.compile(program, architecture)?;
    if !code.starts_with(b"\x7fELF") {
        return Err(format!("{:?}, sm_{architecture}: not a CUBIN", program.config).into());
    }
    let frames = cubin::attribute(&code, cubin::FRAME_SIZE).ok_or("a broken CUBIN")?;
    let largest = frames.iter().map(|(_, bytes)| *bytes).max();
    Ok(largest.ok_or("a CUBIN without frame sizes")?)
}

/// Runs in separate processes, so that the calls of other tests do not count.
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

/// For an architecture newer than NVRTC supports, compilation gives PTX, which the driver
/// compiles; an older architecture is an error.
fn unknown_architectures(compiler: &Compiler) -> Result<(), Failed> {
    let program = Program::new(Gravity::LAW, Options::default())?;
    let ptx = compiler.nvrtc.compile(&program, NEWEST)?;
    if !ptx.windows(8).any(|window| window == b".version") || ptx.last() != Some(&0) {
        return Err("sm_999: not a whole PTX".into());
    }
    match compiler.nvrtc.compile(&program, 20) {
        Err(CudaError::UnknownArchitecture { found: 20, known, .. }) if known.contains(&90) => {
            Ok(())
        }
        other => Err(format!("sm_20: {other:?}").into()),
    }
}

fn a_patch_level(compiler: &Compiler) -> Result<(), Failed> {
    let (version, full) = (compiler.nvrtc.version(), compiler.nvrtc.full_version()?);
    let patch = full.strip_prefix(&format!("{version}.")).map(str::parse::<u32>);
    if matches!(patch, Some(Ok(_))) { Ok(()) } else { Err(format!("{full} of {version}").into()) }
}

fn a_refused_program(compiler: &Compiler) -> Result<(), Failed> {
    let mut program = Program::new(Gravity::LAW, Options::default())?;
    program.source = "int a;\nint b = nonsense;\n".to_owned();
    match compiler.nvrtc.compile(&program, 90) {
        Err(CudaError::Compile(CompileError::Compilation { log, source_text, .. }))
            if log.contains("nbody.cu(2)")
                && log.contains("nonsense")
                && source_text.contains("   2 | int b = nonsense;") =>
        {
            Ok(())
        }
        other => Err(format!("{other:?}").into()),
    }
}
