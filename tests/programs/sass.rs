//! Cost of the machine code of every interaction of the library, compared with
//! `tests/programs/sass.txt`: issue slots of a pair in the FORCE-LOOP, registers, local memory.
//! This needs no GPU, but NVRTC and nvdisasm.
//!
//! A figure that grows fails, and so does a kernel that is not in the file. A figure that shrinks
//! is reported, so that the file can follow: `NBODY_RECORD=1 cargo test -p nbody-tests --test
//! programs` writes it.
//!
//! These figures guard the speed without noise: they need no clock.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Failed, Trial};
use nbody::cuda::sass::{self, Kernel, Slots};
use nbody::cuda::{KernelConfig, Program, Schedule};
use nbody::law::Law;
use nbody::{Interaction, Options, Precision};
use nbody_interactions::{Visitor, gravity::Gravity};

use crate::compiler::Compiler;
use crate::cubin;
use crate::derived;
use crate::record::{Figures, Key, Record, Verdict};

/// An old, a middle and a new architecture; in double precision, one with fast `f64` units.
const SINGLE: [u32; 3] = [80, 90, 120];
const DOUBLE: [u32; 1] = [90];

/// Environment variable that makes the test write the file instead of comparing with it.
const RECORD: &str = "NBODY_RECORD";

const COMMENT: &str = "\
# What the machine code of each kernel costs: issue slots of a pair in the FORCE-LOOP, on all ways
# through it and on the shortest one; registers and bytes of local memory of a thread.
# Default options, open space. `cargo xtask test` fails when a figure grows.
# Written by `NBODY_RECORD=1 cargo test -p nbody-tests --test programs`.";

/// Tools of the comparison, and all sources that may be recorded.
pub struct Comparison {
    tools: Arc<Tools>,
    sources: BTreeSet<Source>,
}

/// Returns the trials; the error says what is missing.
pub fn trials(compiler: &Arc<Compiler>) -> Result<(Comparison, Vec<Trial>), String> {
    let tools = Arc::new(Tools::open(compiler.clone())?);
    let mut trials = Trials { tools: tools.clone(), sources: BTreeSet::new(), trials: Vec::new() };
    nbody_interactions::visit_all(&mut trials);
    let Trials { sources, mut trials, .. } = trials;
    let (shared, all) = (tools.clone(), sources.clone());
    trials.push(Trial::test("the_record_has_nothing_else", move || nothing_else(&shared, &all)));
    trials.push(Trial::test("growth_is_refused", growth_is_refused));
    trials.push(Trial::test("a_record_is_read_as_it_is_written", read_as_written));
    let shared = tools.clone();
    trials.push(Trial::test("gravity_takes_a_root_for_a_pair", move || a_root_for_a_pair(&shared)));
    trials.extend(derived::trials(&tools)?);
    Ok((Comparison { tools, sources }, trials))
}

impl Comparison {
    pub fn conclude(&self) -> Result<(), String> {
        self.tools.conclude(&self.sources)
    }
}

/// Interaction, precision and architecture of a compilation.
type Source = [String; 3];

fn source_of([interaction, _, precision, architecture]: &Key) -> Source {
    [interaction, precision, architecture].map(Clone::clone)
}

pub struct Tools {
    compiler: Arc<Compiler>,
    nvdisasm: PathBuf,
    record: Record,
    /// Whether the file is written instead of compared.
    recording: bool,
    /// Figures of this run.
    found: Mutex<BTreeMap<Key, Figures>>,
    /// Figures that are clearly less than recorded.
    less: Mutex<Vec<String>>,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/sass.txt")
}

impl Tools {
    fn open(compiler: Arc<Compiler>) -> Result<Self, String> {
        let nvdisasm = sass::find().map_err(|e| e.to_string())?;
        let recording = env::var_os(RECORD).is_some_and(|value| !value.is_empty());
        let text = match std::fs::read_to_string(path()) {
            Ok(text) => text,
            Err(_) if recording => String::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path().display())),
        };
        let record = Record::parse(&text).map_err(|e| format!("{}: {e}", path().display()))?;
        let (found, less) = (Mutex::default(), Mutex::default());
        Ok(Self { compiler, nvdisasm, record, recording, found, less })
    }

    /// Compares figures with the recorded ones, or keeps them to be recorded.
    fn judge(&self, key: &Key, figures: Figures) -> Result<(), String> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), figures);
        if self.recording {
            return Ok(());
        }
        let name = key.join(" ");
        let Some(recorded) = self.record.figures.get(key) else {
            return Err(format!("{name} is not recorded; set {RECORD}=1 to record it"));
        };
        match figures.against(recorded) {
            Verdict::Same => {}
            Verdict::Less(what) => {
                let mut less = self.less.lock().unwrap_or_else(PoisonError::into_inner);
                less.push(format!("{name}: {what}"));
            }
            Verdict::More(what) => return Err(format!("{name}: {what}{}", self.other_compiler())),
        }
        Ok(())
    }

    /// Explains a failure that a different compiler version may have caused.
    fn other_compiler(&self) -> String {
        let (now, then) = (self.compiler.nvrtc.version(), &self.record.nvrtc);
        if now == *then {
            return String::new();
        }
        format!("; this is NVRTC {now}, and the record was compiled by NVRTC {then}")
    }

    /// When recording, writes the file with the figures of this run in place of the old ones.
    /// Prints figures that shrank, and the number of compared kernels.
    fn conclude(&self, sources: &BTreeSet<Source>) -> Result<(), String> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if self.recording {
            let fresh: BTreeSet<_> = found.keys().map(source_of).collect();
            let mut record = Record { nvrtc: self.compiler.nvrtc.version(), ..self.record.clone() };
            record.figures.retain(|key, _| {
                let source = source_of(key);
                sources.contains(&source) && !fresh.contains(&source)
            });
            record.figures.extend(found.clone());
            std::fs::write(path(), record.print(COMMENT))
                .map_err(|error| format!("cannot write {}: {error}", path().display()))?;
            println!("recorded in {}", path().display());
        }
        let less = self.less.lock().unwrap_or_else(PoisonError::into_inner);
        for line in &*less {
            println!("less than recorded: {line}");
        }
        if !less.is_empty() {
            println!("set {RECORD}=1 to bring the record down");
        }
        println!("sass: {} kernels, NVRTC {}", found.len(), self.compiler.nvrtc.version());
        Ok(())
    }
}

struct Trials {
    tools: Arc<Tools>,
    /// All sources that may be recorded.
    sources: BTreeSet<Source>,
    trials: Vec<Trial>,
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, _: X) {
        let single = SINGLE.map(|architecture| (Precision::Single, architecture));
        let double = DOUBLE.map(|architecture| (Precision::Double, architecture));
        for (precision, architecture) in single.into_iter().chain(double) {
            let source =
                [X::LAW.name.to_owned(), precision.to_string(), format!("sm_{architecture}")];
            let (name, tools) = (source.join("/"), self.tools.clone());
            self.sources.insert(source.clone());
            if !nbody_tests::is_tested(X::LAW, true) {
                continue;
            }
            self.trials.push(Trial::test(name, move || {
                Ok(check(X::LAW, &tools, &source, precision, architecture)?)
            }));
        }
    }
}

/// Compares the kernels that evaluate pairs.
fn check(
    law: &Law,
    tools: &Tools,
    source: &Source,
    precision: Precision,
    architecture: u32,
) -> Result<(), String> {
    let options = Options::default().precision(precision);
    let configs = KernelConfig::all(law, options).map_err(|e| e.to_string())?;
    // The configuration with the most i-particles per thread, for each schedule.
    let widest = |config: &KernelConfig| configs.iter().find(|it| it.schedule == config.schedule);
    let mut failures = Vec::new();
    for &config in configs.iter().filter(|config| widest(config) == Some(config)) {
        let program = Program::with_config(law, options, config);
        let (cubin, kernels) = compile(tools, &program, architecture)?;
        let name = program.kernels[0].to_string_lossy().into_owned();
        let of_kernel = |attribute| {
            let all = cubin::attribute(&cubin, attribute).ok_or("a broken CUBIN")?;
            let found = all.into_iter().find(|(kernel, _)| *kernel == name);
            found.map(|(_, value)| value).ok_or("an attribute is missing in the CUBIN")
        };
        let (registers, local) = (of_kernel(cubin::REGISTERS)?, of_kernel(cubin::FRAME_SIZE)?);
        // For few i-particles, the stride of j-particles is known only at run time, so that the
        // loop cannot be told from others.
        let slots = match config.schedule {
            Schedule::Few => Some([0.0; 2]),
            _ => Slots::of(law, &program, &kernels).map(|slots| [slots.all, slots.least]),
        };
        let [all, least] = slots.ok_or("no FORCE-LOOP that is unrolled as asked for")?;
        let [interaction, precision, architecture] = source.clone();
        let key = [interaction, name, precision, architecture];
        failures.extend(tools.judge(&key, Figures { slots: all, least, registers, local }).err());
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

pub fn compile(
    tools: &Tools,
    program: &Program,
    architecture: u32,
) -> Result<(Arc<[u8]>, Vec<Kernel>), String> {
    let cubin = tools.compiler.compile(program, architecture)?;
    let kernels = sass::disassemble(&tools.nvdisasm, &cubin).map_err(|e| e.to_string())?;
    Ok((cubin, kernels))
}

/// Refuses lines of removed interactions: they would never fail.
fn nothing_else(tools: &Tools, sources: &BTreeSet<Source>) -> Result<(), Failed> {
    let stale = tools.record.figures.keys().find(|key| !sources.contains(&source_of(key)));
    match stale {
        Some(key) if !tools.recording => {
            Err(format!("recorded, but not compiled: {}", key.join(" ")).into())
        }
        _ => Ok(()),
    }
}

/// Checks the machine code itself: one root for each pair, and no local memory.
fn a_root_for_a_pair(tools: &Tools) -> Result<(), Failed> {
    let options = Options::default();
    let symmetric = KernelConfig::of(Schedule::Symmetric, Gravity::LAW, options)?.into_iter();
    for config in symmetric.chain([KernelConfig::widest(Gravity::LAW, options)?]) {
        let program = Program::with_config(Gravity::LAW, options, config);
        let (_, kernels) = compile(tools, &program, 90)?;
        let force = sass::force_loop(Gravity::LAW, &program, &kernels).ok_or("no loop")?;
        if (force.special, force.local) != (config.i_per_thread * config.unroll, 0) {
            return Err(format!("{config:?}: {force:?}").into());
        }
    }
    Ok(())
}

fn growth_is_refused() -> Result<(), Failed> {
    let then = Figures { slots: 15.5, least: 15.5, registers: 120, local: 0 };
    let verdicts = [
        (Figures { slots: 15.75, least: 15.25, registers: 118, local: 0 }, ""),
        (Figures { slots: 15.875, ..then }, "+slots 15.5 -> 15.875"),
        (Figures { slots: 14.0, least: 16.0, ..then }, "+least 15.5 -> 16"),
        (Figures { registers: 121, local: 8, ..then }, "+registers 120 -> 121, local 0 -> 8"),
        (
            Figures { slots: 15.0, registers: 112, ..then },
            "-slots 15.5 -> 15, registers 120 -> 112",
        ),
    ];
    for (now, expected) in verdicts {
        let found = match now.against(&then) {
            Verdict::Same => String::new(),
            Verdict::Less(what) => format!("-{what}"),
            Verdict::More(what) => format!("+{what}"),
        };
        if found != expected {
            return Err(format!("{now:?}: {found}").into());
        }
    }
    Ok(())
}

fn read_as_written() -> Result<(), Failed> {
    let key = |interaction: &str| [interaction, "ordered", "single", "sm_90"].map(str::to_owned);
    let figures = |slots| Figures { slots, least: 8.75, registers: 80, local: 16 };
    let record = Record {
        nvrtc: "13.0".to_owned(),
        figures: [(key("gravity"), figures(15.5)), (key("yukawa"), figures(34.75))].into(),
    };
    let text = record.print(COMMENT);
    if Record::parse(&text)? != record {
        return Err(text.into());
    }
    let line = text.lines().last().unwrap_or_default();
    let broken = [line.replace("8.75", "NaN"), line.replace(" 16", ""), format!("{text}{line}")];
    for broken in broken {
        if Record::parse(&broken).is_ok() {
            return Err(format!("accepted: {broken}").into());
        }
    }
    Ok(())
}
