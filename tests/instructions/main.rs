//! Cost of the vector code of every interaction of the library: the numbers of instructions in its
//! loops over particles, in the machine code of this test. They have little noise, unlike times.
//!
//! `NBODY_RECORD=1 cargo test --workspace --test instructions` records them again.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};
use nbody::models::uniform;
use nbody::{AllPairs, Device, Engine, Interaction};
use nbody_interactions::Visitor;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

/// Levels and precisions of the vectors whose loops are counted, in open space.
const LANES: [(&str, [&str; 2]); 3] = [
    ("avx2, single", ["avx2", "Single"]),
    ("avx512, single", ["avx512", "Single"]),
    ("avx512, double", ["avx512", "Double"]),
];
const LOOPS: [&str; 3] = ["several", "one", "symmetric"];

/// Environment variable that records the counts instead of comparing them.
const RECORD: &str = "NBODY_RECORD";

/// Interaction, lanes and loop.
type Key = (String, &'static str, &'static str);

/// Counts over all loops of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    instructions: usize,
    /// Instructions that access the stack, mostly register spills.
    stack: usize,
}

impl Counts {
    /// Compares with recorded counts. From one machine to another, the same compiler allocates registers
    /// differently.
    fn differs(self, recorded: Self) -> bool {
        let slack = recorded.instructions.div_ceil(50);
        self.instructions.abs_diff(recorded.instructions) > slack
            || self.stack.abs_diff(recorded.stack) > slack
    }
}

#[test]
fn of_all_interactions() {
    nbody_interactions::visit_all(&mut Evaluate);
    let program = fs::read(env::current_exe().unwrap()).unwrap();
    let counts = count(&program);
    assert!(
        counts.keys().any(|(interaction, ..)| interaction == "Attraction"),
        "no loop is found by its name: build with `-C symbol-mangling-version=v0`, as \
         .cargo/config.toml does where RUSTFLAGS is not set"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions/counts.txt");
    if env::var_os(RECORD).is_some_and(|value| !value.is_empty()) {
        fs::write(path, table(&counts)).unwrap();
        return;
    }
    let recorded = parse(&fs::read_to_string(path).unwrap());
    let keys: BTreeSet<_> = counts.keys().chain(recorded.keys()).collect();
    let differs = |key: &&&Key| match (counts.get(**key), recorded.get(**key)) {
        (Some(now), Some(then)) => now.differs(*then),
        _ => true,
    };
    let tell = |key: &&Key| format!("{key:?}: {:?} -> {:?}", recorded.get(*key), counts.get(*key));
    let all: Vec<_> = keys.iter().filter(differs).map(tell).collect();
    assert!(all.is_empty(), "set {RECORD}=1 to record these:\n{}", all.join("\n"));
}

/// Evaluates each interaction, so that the linker keeps its loops.
struct Evaluate;

impl Visitor for Evaluate {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        let mut direct = AllPairs::new(&Device::cpu(), interaction).unwrap();
        let i = direct.upload(&uniform::<X::I>(1, 1)).unwrap();
        let j = direct.upload(&uniform::<X::J>(1, 2)).unwrap();
        let mut out = direct.results(1).unwrap();
        direct.evaluate_into(&i, &j, &mut out).unwrap();
    }
}

/// Counts the loops of a program.
fn count(program: &[u8]) -> BTreeMap<Key, Counts> {
    let file = object::File::parse(program).unwrap();
    let mut all = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        let name = format!("{:#}", rustc_demangle::demangle(symbol.name().unwrap_or_default()));
        assert!(
            !is_apart(&name),
            "{name}: not compiled into its loop, so without vector instructions"
        );
        let Some(key) = key(&name) else { continue };
        let section = file.section_by_index(symbol.section_index().unwrap()).unwrap();
        let code = section.data_range(symbol.address(), symbol.size()).unwrap().unwrap();
        let code = Decoder::with_ip(64, code, symbol.address(), DecoderOptions::NONE);
        let counts = of_loops(&code.into_iter().collect::<Vec<_>>());
        let before = all.insert(key, counts);
        assert!(before.is_none_or(|before| before == counts), "{name}: two versions");
    }
    all
}

/// Returns whether this is a part of a loop over vectors that is a function of its own: it does not have
/// the instructions of its loop, and calls a function for each of them.
fn is_apart(name: &str) -> bool {
    let of_vectors = ["nbody_core::compiled::", "nbody_core::numeric::simd::avx"];
    let is_part = of_vectors.iter().all(|part| name.contains(part)) && name.contains("{closure");
    is_part && !name.contains("::vectorize_")
}

/// Parses the name of a counted function: the closure of a loop, compiled for a level.
fn key(name: &str) -> Option<Key> {
    let (function, kernel) = name.split_once(" as nbody_core::compiled::pairs::Compile<")?;
    let (interaction, rest) = kernel.split_once(", ")?;
    let (kernel, closure) = rest.split_once(">>::")?;
    let (lanes, [level, _]) = LANES.iter().find(|(_, [level, kind])| {
        kernel.starts_with(&format!("nbody_core::numeric::simd::{level}::{kind}, "))
    })?;
    let vectorized = function.contains(&format!("::vectorize_{level}::"));
    let is_open = kernel.ends_with(", nbody_core::numeric::space::Open");
    let the_loop = LOOPS.iter().find(|name| closure.starts_with(&format!("{name}::{{closure")))?;
    let interaction = interaction.rsplit("::").next()?.to_owned();
    (vectorized && is_open).then_some((interaction, *lanes, *the_loop))
}

/// Counts the instructions in cycles of the control flow graph without calls: a call handles a
/// bounds error (which does not return) or a rare argument, or clears memory for the next
/// iteration of an outer loop.
fn of_loops(code: &[Instruction]) -> Counts {
    let at: HashMap<_, _> = code.iter().enumerate().map(|(k, it)| (it.ip(), k as u32)).collect();
    let mut edges = Vec::new();
    for (k, instruction) in code.iter().enumerate() {
        let flow = instruction.flow_control();
        let branches =
            matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch);
        if branches && let Some(&target) = at.get(&instruction.near_branch_target()) {
            edges.push((k as u32, target));
        }
        assert_ne!(flow, FlowControl::IndirectBranch, "a jump table hides the targets of a branch");
        let goes_on = matches!(flow, FlowControl::Next | FlowControl::ConditionalBranch);
        if goes_on && k + 1 < code.len() {
            edges.push((k as u32, k as u32 + 1));
        }
    }
    let graph = DiGraph::<(), ()>::from_edges(edges);
    let components = tarjan_scc(&graph);
    let loops = components.iter().filter(|component| component.len() > 1);
    let instructions = loops.flatten().map(|node| &code[node.index()]);
    let count = |holds: fn(&&Instruction) -> bool| instructions.clone().filter(holds).count();
    Counts { instructions: count(|_| true), stack: count(|instruction| uses_stack(instruction)) }
}

fn uses_stack(instruction: &Instruction) -> bool {
    let reads_memory = instruction.op_kinds().any(|kind| kind == OpKind::Memory);
    reads_memory && matches!(instruction.memory_base(), Register::RSP | Register::RBP)
}

/// Reads a table.
fn parse(text: &str) -> BTreeMap<Key, Counts> {
    let row = |line: &str| {
        let (interaction, rest) = line.split_once(' ').unwrap();
        let (lanes, _) = LANES.iter().find(|(lanes, _)| rest.trim().starts_with(lanes)).unwrap();
        let mut words = rest.trim()[lanes.len()..].split_whitespace();
        let found = words.next().unwrap();
        let the_loop = LOOPS.iter().find(|name| **name == found).unwrap();
        let [instructions, stack] = [(); 2].map(|()| words.next().unwrap().parse().unwrap());
        ((interaction.to_owned(), *lanes, *the_loop), Counts { instructions, stack })
    };
    text.lines().skip(1).map(row).collect()
}

fn table(counts: &BTreeMap<Key, Counts>) -> String {
    let mut text = String::new();
    let mut line = |words: [&str; 5]| {
        let [interaction, lanes, the_loop, numbers @ ..] = words;
        let _ = write!(text, "{interaction:<22}{lanes:<17}{the_loop:<10}");
        let [instructions, stack] = numbers;
        let _ = writeln!(text, "{instructions:>12}{stack:>7}");
    };
    line(["interaction", "lanes", "loop", "instructions", "stack"]);
    for ((interaction, lanes, the_loop), counts) in counts {
        let [instructions, stack] = [counts.instructions, counts.stack].map(|n| n.to_string());
        line([interaction, lanes, the_loop, &instructions, &stack]);
    }
    text
}
