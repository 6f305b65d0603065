//! Instruction counts of compiled kernels, without a GPU.
//!
//! NVIDIA's nvdisasm turns a CUBIN into text. This module reads the kernels from the text, their
//! loops, and the instructions of an iteration by kind. Every instruction takes one issue slot of
//! a scheduler, so that the issue slots per pair of the FORCE-LOOP limit the pairs per second of a
//! GPU. Unlike times, they do not vary from run to run.
//!
//! # Limits of the counts
//!
//! A loop with branches has no single count. [`Loop::instructions`] counts all of its
//! instructions, as if every branch were taken both ways; [`Loop::least`] counts the instructions
//! on its shortest path. The cost of an iteration lies between them and depends on the data. Of
//! called functions (the slow paths of roots and divisions in double precision) only the call is
//! counted.

mod flow;
mod loops;
mod slots;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compile::temporary::Temporary;
use crate::compile::toolkit::{toolkits, variable};
use crate::error::Error;

pub use slots::{Slots, force_loop};

/// The file name of the disassembler.
const PROGRAM: &str = "nvdisasm";

/// Lanes of a multiprocessor that issue an instruction in one clock cycle: four schedulers issue
/// one instruction each, for a warp of 32 lanes.
const LANES: f64 = 128.0;

/// A disassembled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kernel {
    /// The name.
    pub name: String,
    /// The instructions of the kernel and of the functions in it, without NOPs.
    pub instructions: usize,
    /// The loops, in the order of their first instructions.
    pub loops: Vec<Loop>,
}

/// A loop of a kernel: all instructions from which its first instruction can be reached again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loop {
    /// Whether the loop contains no other loop.
    pub innermost: bool,
    /// The number of instructions, on any path.
    pub instructions: usize,
    /// The number of instructions on the shortest path through the loop.
    pub least: usize,
    /// Arithmetic, comparisons and selections in single precision.
    pub fp32: usize,
    /// Arithmetic and comparisons in double precision.
    pub fp64: usize,
    /// Roots, reciprocals, exponentials, sines; and conversions, which use the same unit.
    pub special: usize,
    /// Reads of shared memory.
    pub shared_loads: usize,
    /// Writes to shared memory.
    pub shared_stores: usize,
    /// Reads and writes of global memory.
    pub global: usize,
    /// Reads and writes of local memory.
    pub local: usize,
    /// Exchanges between the threads of a warp.
    pub shuffles: usize,
    /// Integers, addresses, predicates and moves.
    pub integer: usize,
    /// Branches, calls, and reconvergence of threads.
    pub branches: usize,
    /// All other instructions.
    pub other: usize,
    /// The addresses from which the loop reads shared memory: a base register and an offset.
    reads: Vec<(String, i64)>,
}

impl Kernel {
    /// Returns the FORCE-LOOP. Among the innermost loops that read this number of particles per
    /// iteration, at this distance in shared memory, it is the loop with the fewest instructions.
    /// The other such loops are for pairs on the diagonal and have additional selections.
    ///
    /// Returns `None` if there is no such loop, for example if the compiler unrolled it
    /// differently.
    pub fn force_loop(&self, particles: usize, bytes_apart: usize) -> Option<&Loop> {
        let innermost = self.loops.iter().filter(|each| each.innermost);
        let reading = innermost.filter(|each| each.particles(bytes_apart).contains(&particles));
        reading.min_by_key(|each| each.instructions)
    }

    /// Returns the shortest of the other innermost loops that read shared memory and compute.
    fn shortest_beside(&self, force: &Loop) -> Option<&Loop> {
        let others = self.loops.iter().filter(|each| each.innermost && *each != force);
        let computing = others.filter(|each| each.shared_loads > 0 && each.fp32 + each.fp64 > 0);
        computing.min_by_key(|each| each.instructions)
    }
}

impl Loop {
    /// Returns the numbers of particles that an iteration may read from shared memory, where
    /// consecutive particles are `bytes_apart` bytes apart: a number for each base register, as if
    /// all reads relative to it were reads of particles.
    ///
    /// The numbers show whether the compiler unrolled the loop as requested. All particles are
    /// read relative to one register, and tables relative to others.
    pub fn particles(&self, bytes_apart: usize) -> BTreeSet<usize> {
        let Some(apart) = i64::try_from(bytes_apart).ok().filter(|&apart| apart > 0) else {
            return BTreeSet::new();
        };
        let mut bases: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
        for (base, offset) in &self.reads {
            bases.entry(base).or_default().insert(*offset);
        }
        let count = |offsets: &BTreeSet<i64>| {
            let first = offsets.first().copied().unwrap_or_default();
            let number = |&offset: &i64| offset.saturating_sub(first) / apart;
            offsets.iter().map(number).collect::<BTreeSet<_>>().len()
        };
        bases.values().map(count).collect()
    }
}

/// Returns the pairs per second of a GPU with this number of multiprocessors at its full issue
/// rate, if a pair takes this number of issue slots.
pub fn issue_limit(multiprocessors: u32, hertz: f64, slots_per_pair: f64) -> f64 {
    f64::from(multiprocessors) * LANES * hertz / slots_per_pair
}

/// Finds the disassembler: only at `NBODY_NVDISASM` (the program or its folder) if it is set,
/// otherwise in `PATH`, `CUDA_HOME`, `CUDA_PATH` and `/usr/local/cuda*`.
pub fn find() -> Result<PathBuf, Error> {
    let mut folders: Vec<_> =
        variable("PATH").iter().flat_map(|paths| env::split_paths(paths)).collect();
    folders.extend(toolkits().iter().map(|toolkit| toolkit.join("bin")));
    folders.retain(|folder| !folder.as_os_str().is_empty());
    find_in(variable("NBODY_NVDISASM").map(PathBuf::from), folders)
}

/// Finds the disassembler at the place that the user names, or in the first folder that has it.
fn find_in(named: Option<PathBuf>, folders: Vec<PathBuf>) -> Result<PathBuf, Error> {
    let (candidates, places) = match named {
        Some(named) if named.is_dir() => (vec![named.join(PROGRAM)], vec![named]),
        Some(named) => (vec![named.clone()], vec![named]),
        None => (folders.iter().map(|folder| folder.join(PROGRAM)).collect(), folders),
    };
    let found = candidates.into_iter().find(|candidate| candidate.is_file());
    found.ok_or(Error::NvdisasmNotFound(places))
}

/// Disassembles a CUBIN with the program at this path, and returns its kernels.
pub fn disassemble(nvdisasm: &Path, cubin: &[u8]) -> Result<Vec<Kernel>, Error> {
    let io = |action: &str| {
        let action = action.to_owned();
        move |source| Error::Io { action, source }
    };
    let folder = Temporary::folder().map_err(io("make a temporary folder"))?;
    let file = folder.path().join("nbody.cubin");
    fs::write(&file, cubin).map_err(io("write the CUBIN"))?;
    let broken = |message| Error::Disassembly { path: nvdisasm.to_owned(), message };
    let output = Command::new(nvdisasm).arg("--print-code").arg(&file).output();
    let output = output.map_err(|error| broken(error.to_string()))?;
    if !output.status.success() {
        return Err(broken(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let kernels = parse(&String::from_utf8_lossy(&output.stdout));
    if kernels.is_empty() {
        return Err(broken("its output has no kernel".to_owned()));
    }
    Ok(kernels)
}

/// Parses the output of `nvdisasm --print-code`.
pub fn parse(text: &str) -> Vec<Kernel> {
    text::sections(text)
        .into_iter()
        .map(|section| Kernel {
            name: section.name.to_owned(),
            instructions: section.instructions.len(),
            loops: loops::loops(&section),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_program_is_used_alone() {
        let full = tempfile::tempdir().unwrap();
        let empty = tempfile::tempdir().unwrap();
        let program = full.path().join(PROGRAM);
        fs::write(&program, b"").unwrap();
        let folders = vec![empty.path().to_owned(), full.path().to_owned()];
        assert_eq!(find_in(None, folders.clone()).unwrap(), program);
        for named in [full.path(), &program] {
            assert_eq!(find_in(Some(named.to_owned()), Vec::new()).unwrap(), program);
        }
        for missing in [empty.path().to_owned(), full.path().join("other")] {
            let error = find_in(Some(missing.clone()), folders.clone()).unwrap_err();
            assert!(matches!(&error, Error::NvdisasmNotFound(places) if *places == [missing]));
        }
    }

    #[test]
    fn errors_list_the_places_searched_and_the_program() {
        let error = find_in(None, vec!["/no/where".into(), "/else".into()]).unwrap_err();
        assert!(error.to_string().contains("/no/where, /else"), "{error}");
        let error = disassemble(Path::new("/no/nvdisasm"), b"").unwrap_err();
        assert!(error.to_string().starts_with("/no/nvdisasm cannot disassemble"), "{error}");
    }

    #[test]
    fn the_force_loop_is_the_shortest_that_reads_the_particles_of_an_iteration() {
        let each = |innermost, particles: i64, instructions| Loop {
            innermost,
            instructions,
            reads: (0..particles).map(|k| ("R1".to_owned(), 16 * k)).collect(),
            ..Loop::default()
        };
        let (force, diagonal) = (each(true, 4, 217), each(true, 4, 237));
        let (outer, ragged) = (each(false, 4, 30), each(true, 1, 60));
        let mut kernel = Kernel { name: String::new(), instructions: 0, loops: Vec::new() };
        assert_eq!(kernel.force_loop(4, 16), None);
        kernel.loops = vec![outer, diagonal, force.clone(), ragged.clone()];
        assert_eq!(kernel.force_loop(4, 16), Some(&force));
        assert_eq!(kernel.force_loop(1, 16), Some(&ragged));
        assert_eq!(kernel.force_loop(8, 16), None);
    }

    #[test]
    fn particles_are_counted_by_their_addresses() {
        let read = |reads: &[(&str, i64)], apart| {
            let reads = reads.iter().map(|&(base, offset)| (base.to_owned(), offset)).collect();
            Loop { reads, ..Loop::default() }.particles(apart).into_iter().collect::<Vec<_>>()
        };
        let four = [("R1", 0x18), ("R1", -0x18), ("R1", -0x10), ("R1", 8), ("R1", -8)];
        assert_eq!(read(&four, 16), [4]);
        assert_eq!(read(&four, 32), [2]);
        assert_eq!(read(&four, 0), []);
        assert_eq!(read(&[], 16), []);
        assert_eq!(read(&[&four[..], &[("R2", 64), ("R2", 0), ("R3", 0)]].concat(), 16), [1, 2, 4]);
        assert_eq!(read(&[("", i64::MIN), ("", i64::MAX)], 1), [2]);
    }

    #[test]
    fn an_h200_issues_two_tera_pairs_of_fifteen_slots() {
        let limit = issue_limit(132, 1.98e9, 15.5);
        assert!((limit / 2.158e12 - 1.0).abs() < 1e-3, "{limit}");
    }
}
