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
mod kernel;
mod loops;
mod slots;
mod text;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nbody_compile::{Error as CompileError, Temporary, variable};

use crate::compile::toolkit::toolkits;
use crate::error::Error;

pub use kernel::{Kernel, Loop};
pub use slots::{Slots, force_loop};

/// The file name of the disassembler.
const PROGRAM: &str = "nvdisasm";

/// Lanes of a multiprocessor that issue an instruction in one clock cycle: four schedulers issue
/// one instruction each, for a warp of 32 lanes.
const LANES: f64 = 128.0;

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
    let folder = Temporary::folder().map_err(CompileError::io("make a temporary folder"))?;
    let file = folder.path().join("nbody.cubin");
    fs::write(&file, cubin).map_err(CompileError::io("write the CUBIN"))?;
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
    fn an_h200_issues_two_tera_pairs_of_fifteen_slots() {
        let limit = issue_limit(132, 1.98e9, 15.5);
        assert!((limit / 2.158e12 - 1.0).abs() < 1e-3, "{limit}");
    }
}
