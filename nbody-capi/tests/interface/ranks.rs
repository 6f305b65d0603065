//! Programs in C and Fortran over the ranks of MPI.
//!
//! `cargo xtask test` provides Open MPI and MPICH, and names their folders in the environment; a system
//! may have an MPI of its own, with Fortran.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::source;
use crate::tools::{WARNINGS, compile, fortran_sources, run};

/// Returns the folders of MPI programs: the folders that the environment names, and the folder of
/// the system.
fn folders() -> Vec<PathBuf> {
    let named = ["NBODY_OPENMPI", "NBODY_MPICH"].into_iter().filter_map(env::var_os);
    let named = named.filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let paths = env::var_os("PATH").unwrap_or_default();
    let of_system = env::split_paths(&paths).find(|folder| folder.join("mpirun").is_file());
    named.chain(of_system).collect()
}

/// Returns the output of a program as `n` processes.
fn processes(folder: &Path, n: usize, program: &Path) -> String {
    run(Command::new(folder.join("mpirun"))
        .args(["-n", &n.to_string()])
        .arg(program)
        .env("RAYON_NUM_THREADS", "1")
        // Open MPI refuses the superuser, and more processes than cores.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        .env_remove("NBODY_MPI"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn ranks_of_c_programs_have_the_bits_of_one() {
    for folder in folders().iter().filter(|folder| folder.join("mpicc").is_file()) {
        let build = tempfile::tempdir().unwrap();
        let options = [&["-std=c99", "-g"], &WARNINGS[..]].concat();
        let mpicc = folder.join("mpicc");
        let program = compile(text(&mpicc), &options, &[source("ranks.c")], build.path());
        for n in [1, 3] {
            let printed = processes(folder, n, &program);
            assert_eq!(printed, format!("ok on {n}\n"), "{}", folder.display());
        }
    }
}

#[test]
fn ranks_of_fortran_programs_have_the_bits_of_one() {
    for folder in folders().iter().filter(|folder| folder.join("mpifort").is_file()) {
        let build = tempfile::tempdir().unwrap();
        let mpifort = folder.join("mpifort");
        let sources = fortran_sources(source("ranks.f90"));
        let program = compile(text(&mpifort), &[], &sources, build.path());
        assert_eq!(processes(folder, 2, &program), "ok\n", "{}", folder.display());
    }
}
