//! Compiles every CUDA program by NVRTC, and counts the instructions. No GPU is needed.
//!
//! The last lines give the numbers of compiled programs and of compared kernels.

mod compiler;
mod cubin;
mod derived;
mod lists;
mod nearest;
mod nvrtc;
mod particles;
mod record;
mod sass;
mod trees;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use compiler::Compiler;
use libtest_mimic::Arguments;

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(folder) = std::env::var_os(nvrtc::PREPARE) {
        nvrtc::prepare(Path::new(&folder));
        return Ok(());
    }
    let arguments = Arguments::from_args();
    let compiler = Arc::new(Compiler::open()?);
    let (comparison, of_machine_code) = sass::trials(&compiler)?;
    let mut trials = nvrtc::trials(&compiler);
    trials.extend(particles::trials(&compiler));
    trials.extend(lists::trials(&compiler));
    trials.extend(nearest::trials(&compiler)?);
    trials.extend(trees::trials(&compiler));
    trials.extend(of_machine_code);
    let conclusion = libtest_mimic::run(&arguments, trials);
    nvrtc::conclude(&compiler);
    comparison.conclude()?;
    conclusion.exit();
}
