//! The least values of a result are in registers: programs use no local memory for them.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use nbody::cuda::{Program, Schedule};
use nbody::law::Record;
use nbody::{Accumulation, Interaction, Options, Precision};

use crate::compiler::Compiler;
use crate::nvrtc::{compile_lean, local_memory};

#[nbody::interaction]
mod nearest {
    /// The most values that a result may have, of all particles.
    pub struct Sixteen;
    /// Values of particles within a reach.
    pub struct Eight {
        pub reach: Real,
    }
    pub struct Place {
        pub pos: Point,
    }
    pub struct Many {
        pub near: Nearest<16>,
    }
    pub struct Few {
        pub near: Nearest<8>,
    }

    impl Interaction for Sixteen {
        type I = Place;
        type J = Place;
        type F = Many;

        fn pair(&self, i: &Place, j: &Place, f: &mut Many) {
            f.near.insert((i.pos - j.pos).norm2());
        }
    }

    impl Interaction for Eight {
        type I = Place;
        type J = Place;
        type F = Few;

        fn cutoff(&self, _i: &Place, _j: &Place) -> Real {
            self.reach
        }

        fn pair(&self, i: &Place, j: &Place, f: &mut Few) {
            f.near.insert((i.pos - j.pos).norm2());
        }
    }
}
use nearest::{Eight, Place, Sixteen};

const ARCHITECTURES: [u32; 2] = [75, 90];

pub fn trials(compiler: &Arc<Compiler>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for precision in [Precision::Single, Precision::Double] {
        for accumulation in [Accumulation::BlockedF64, Accumulation::Compensated] {
            let options = Options::default().precision(precision).accumulation(accumulation);
            let compiler = compiler.clone();
            let name = format!("nearest/{precision}/{accumulation}");
            trials.push(Trial::test(name, move || check(&compiler, options)));
        }
    }
    trials
}

fn check(compiler: &Compiler, options: Options) -> Result<(), Failed> {
    for law in [Sixteen::LAW, Eight::LAW] {
        for program in Program::all(law, options)? {
            let is_ordered = program.config.schedule == Schedule::Ordered;
            for architecture in ARCHITECTURES.into_iter().filter(|it| is_ordered || *it == 90) {
                compile_lean(law, compiler, &program, architecture)?;
            }
        }
    }
    let list = Program::list(Eight::LAW, options, [Place::<f64>::FIELDS; 2])?;
    match local_memory(compiler, &list, 90)? {
        0 => Ok(()),
        bytes => Err(format!("a list: {bytes} bytes of local memory").into()),
    }
}
