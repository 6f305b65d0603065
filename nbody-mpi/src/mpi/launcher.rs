//! The launcher that started this process, by the variables that it sets.

use std::env;
use std::path::PathBuf;

/// The launcher of an MPI job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The family of MPI libraries that it starts.
    pub family: Family,
    /// The number of processes, if the launcher tells it.
    pub size: Option<usize>,
}

/// A family of MPI libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// Open MPI, and launchers of its interface `PMIx`.
    OpenMpi,
    /// MPICH, Intel MPI, MVAPICH, and launchers of their interface PMI.
    Mpich,
}

/// Names of libraries of both families, and of the standard binary interface.
const OPEN_MPI: &str = "libmpi.so.40";
const MPICH: &str = "libmpi.so.12";
const STANDARD: &str = "libmpi_abi.so.1";

impl Launcher {
    /// Returns the launcher; `None` for a process that was started by itself.
    pub fn find() -> Option<Self> {
        Self::of(&|name| env::var(name).ok())
    }

    fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.parse().ok();
        if let Some(size) = number("OMPI_COMM_WORLD_SIZE") {
            return Some(Self { family: Family::OpenMpi, size: Some(size) });
        }
        if let Some(size) = number("PMI_SIZE") {
            return Some(Self { family: Family::Mpich, size: Some(size) });
        }
        variable("PMIX_RANK").map(|_| Self { family: Family::OpenMpi, size: None })
    }
}

/// Returns the libraries to look for: the library of the launcher first, beside `mpirun` and then
/// where the dynamic loader looks.
pub(super) fn candidates(launcher: Option<Launcher>) -> Vec<PathBuf> {
    let names = match launcher.map(|launcher| launcher.family) {
        Some(Family::Mpich) => [MPICH, STANDARD, OPEN_MPI],
        Some(Family::OpenMpi) | None => [OPEN_MPI, MPICH, STANDARD],
    };
    let paths = env::var_os("PATH").unwrap_or_default();
    let beside = env::split_paths(&paths)
        .filter(|folder| folder.join("mpirun").is_file() || folder.join("mpiexec").is_file())
        .flat_map(|folder| ["lib", "lib64"].map(|library| folder.join("..").join(library)))
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .filter(|library| library.is_file());
    let mut all: Vec<_> = beside.collect();
    // The family counts more than the folder.
    let of_family = |path: &PathBuf| path.file_name().is_some_and(|name| name == names[0]);
    all.sort_by_key(|path| !of_family(path));
    all.extend(names.map(PathBuf::from));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<Launcher> {
        let found = |name: &str| variables.iter().find(|(known, _)| *known == name);
        Launcher::of(&|name| found(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        assert_eq!(of(&[]), None);
        let open = of(&[("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "1")]);
        assert_eq!(open, Some(Launcher { family: Family::OpenMpi, size: Some(4) }));
        let mpich = of(&[("PMI_SIZE", "3"), ("PMI_RANK", "0")]);
        assert_eq!(mpich, Some(Launcher { family: Family::Mpich, size: Some(3) }));
        let pmix = of(&[("PMIX_RANK", "0")]);
        assert_eq!(pmix, Some(Launcher { family: Family::OpenMpi, size: None }));
    }

    #[test]
    fn the_library_of_the_launcher_comes_first() {
        let mpich = Some(Launcher { family: Family::Mpich, size: None });
        assert_eq!(candidates(mpich).first().and_then(|path| path.file_name()).unwrap(), MPICH);
        assert!(candidates(None).ends_with(&[OPEN_MPI, MPICH, STANDARD].map(PathBuf::from)));
    }
}
