//! Every CUDA program, compiled by NVRTC, and its instructions counted. No GPU is needed.
//!
//! The last lines give the numbers of compiled programs and of compared kernels.

#[path = "common/compiler.rs"]
mod compiler;
#[path = "common/cubin.rs"]
mod cubin;
mod list_nvrtc;
mod nvrtc;
mod particle_nvrtc;
#[path = "common/record.rs"]
mod record;
mod sass;
mod tree_nvrtc;

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
    trials.extend(particle_nvrtc::trials(&compiler));
    trials.extend(list_nvrtc::trials(&compiler));
    trials.extend(tree_nvrtc::trials(&compiler));
    trials.extend(of_machine_code);
    let conclusion = libtest_mimic::run(&arguments, trials);
    nvrtc::conclude(&compiler);
    comparison.conclude()?;
    conclusion.exit();
}
