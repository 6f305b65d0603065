//! From a text to laws.

use std::path::{Path, PathBuf};

use nbody_codegen::describe::describe;
use nbody_compile::Cache;

use crate::declarations::Declarations;
use crate::error::{Error, faults};
use crate::table;

/// Returns the laws and programs that a text declares.
///
/// The text is the inside of a module of [`#[nbody::interaction]`](nbody_codegen::interaction), or
/// one or more such modules. In a source file of Rust the modules with this attribute count, and
/// everything else is ignored. Equal declarations give the same law, which lives as long as the
/// process.
pub fn declare(text: &str) -> Result<Declarations, Error> {
    declare_as(text, "text", &Cache::of_the_user())
}

/// Returns the laws and programs that a text declares. Their loops are kept in this folder, and not
/// in the cache of the user; a law that was declared before keeps its folder.
#[doc(hidden)] // for tests
pub fn declare_in(text: &str, folder: impl Into<PathBuf>) -> Result<Declarations, Error> {
    declare_as(text, "text", &Cache::at(folder))
}

/// Returns the laws and programs that a file declares, as [`declare`] does.
pub fn read(path: impl AsRef<Path>) -> Result<Declarations, Error> {
    let path = path.as_ref();
    let file = |source| Error::File { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(file)?;
    declare_as(&text, &path.display().to_string(), &Cache::of_the_user())
}

fn declare_as(text: &str, name: &str, cache: &Cache) -> Result<Declarations, Error> {
    let described = describe(text).map_err(|found| Error::Text(faults(found, name, text)))?;
    let laws = described.laws.into_iter().map(|it| table::law(it, cache));
    let programs = described.programs.into_iter().map(|it| table::program(it, cache));
    Ok(Declarations {
        laws: laws.collect::<Result<_, _>>().map_err(Error::Table)?,
        programs: programs.collect::<Result<_, _>>().map_err(Error::Table)?,
    })
}
