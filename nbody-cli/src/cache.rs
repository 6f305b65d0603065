//! `nbody cache`.

use std::io::Write as _;
use std::process::ExitCode;

use nbody::Device;
use nbody::cuda::{Cache, CompileError};

use crate::interactions::Chosen;
use crate::record::{self, record};
use crate::table::Table;
use crate::{Outcome, message};

#[derive(clap::Args)]
pub struct Arguments {
    /// Remove all entries, including the measurements of `nbody tune`.
    #[arg(long)]
    clear: bool,
    /// Print one JSON document in place of a table.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let cache = Cache::of_the_user();
    let folder = cache.folder().ok_or(CompileError::NoCacheFolder)?.display().to_string();
    if arguments.clear {
        let removed = cache.clear()?;
        if arguments.json {
            let (entries, bytes) = (removed.entries, removed.bytes);
            let found = record! { folder: folder, removed_entries: entries, removed_bytes: bytes };
            record::print("cache", found)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "removed {} entries, {} bytes, from {folder}",
            removed.entries, removed.bytes
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let (contents, limit) = (cache.contents()?, cache.limit()?);
    if arguments.json {
        let (entries, bytes) = (contents.entries, contents.bytes);
        let found = record! { folder: folder, entries: entries, bytes: bytes, limit_bytes: limit };
        record::print("cache", found)?;
        cache.check()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = std::io::stdout().lock();
    let mut table = Table::new(&["folder", &folder]);
    let mut row = |name: &str, number: u64| table.row(vec![name.to_owned(), number.to_string()]);
    row("entries", contents.entries as u64);
    row("bytes", contents.bytes);
    row("limit", limit);
    for line in table.lines() {
        writeln!(out, "{line}")?;
    }
    cache.check()?;
    Ok(ExitCode::SUCCESS)
}

/// Warns of a cache that is not used, if programs are compiled: of laws from files, and of all laws on
/// devices other than the CPU.
pub fn warn(devices: &[Device], laws: &[Chosen]) {
    let are_compiled =
        laws.iter().any(|law| law.is_of_file) || devices.iter().any(|device| !device.is_cpu());
    if are_compiled && let Err(error) = Cache::of_the_user().check() {
        message::print(format_args!("warning: {error}; programs are compiled again at each start"));
    }
}
