//! The least values of a result are in registers: programs use no local memory for them.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use nbody::cuda::{Program, Schedule};
use nbody::law::{Law, declare};
use nbody::{Accumulation, Options, Precision};

use crate::compiler::Compiler;
use crate::nvrtc::{compile_lean, local_memory};

/// As text, the laws need no compilation for the CPU.
const TEXT: &str = include_str!("laws/nearest.rs");
const ARCHITECTURES: [u32; 2] = [75, 90];

pub fn trials(compiler: &Arc<Compiler>) -> Result<Vec<Trial>, String> {
    let declared = declare(TEXT).map_err(|error| error.to_string())?;
    let law = |name: &str| declared.law(name).map_err(|error| error.to_string());
    let laws = [law("sixteen")?, law("eight")?];
    let mut trials = Vec::new();
    for precision in [Precision::Single, Precision::Double] {
        for accumulation in [Accumulation::BlockedF64, Accumulation::Compensated] {
            let options = Options::default().precision(precision).accumulation(accumulation);
            let compiler = compiler.clone();
            let name = format!("nearest/{precision}/{accumulation}");
            trials.push(Trial::test(name, move || check(&compiler, laws, options)));
        }
    }
    Ok(trials)
}

fn check(compiler: &Compiler, laws: [&'static Law; 2], options: Options) -> Result<(), Failed> {
    for law in laws {
        for program in Program::all(law, options)? {
            let is_ordered = program.config.schedule == Schedule::Ordered;
            for architecture in ARCHITECTURES.into_iter().filter(|it| is_ordered || *it == 90) {
                compile_lean(law, compiler, &program, architecture)?;
            }
        }
    }
    let [_, within] = laws;
    let list = Program::list(within, options, [within.i; 2])?;
    match local_memory(compiler, &list, 90)? {
        0 => Ok(()),
        bytes => Err(format!("a list: {bytes} bytes of local memory").into()),
    }
}
