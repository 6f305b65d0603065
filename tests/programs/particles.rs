//! Programs per particle and per tuple, compiled by NVRTC: each for buffers of several precisions,
//! without local memory but for cosines; and the programs that move particles of any record, for every
//! architecture but most variants.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use nbody::cuda::{Layout, ParticleBuffers, Program};
use nbody::law::ParticleProgram;
use nbody::{Domain, Measure, Precision, Tuple, Update};
use nbody_interactions::bonded;
use nbody_interactions::langevin::{Baoa, Thermostat};
use nbody_tests::particle_programs::{Announce, Drift, Energy, Kick, Relax};
use nbody_tests::steps::programs::{
    Census, Course, Merge, Mirror, Paced, Rescale, Retally, Spacing, Take,
};
use nbody_tests::tuples::{Anchor, Bend, Link, Twist};

use crate::compiler::Compiler;
use crate::nvrtc::{local_memory, several};

/// An old, a middle and a new architecture, one for each choice of precisions.
const ARCHITECTURES: [u32; 3] = [80, 90, 120];

/// Local memory of CUDA's sine and cosine in `f64`, an array for large angles; `gaussian` calls it.
const COSINE: u32 = 40;

/// Local memory of a table among the parameters that data look up.
const TABLE: u32 = 32;

/// Local memory of a register that the compiler saves around calls in long programs, for one architecture.
const SAVED: u32 = 8;

pub fn trials(compiler: &Arc<Compiler>) -> Vec<Trial> {
    let updates = [Kick::PROGRAM, Drift::PROGRAM, Relax::PROGRAM, Announce::PROGRAM];
    let ready = [Baoa::PROGRAM, Thermostat::PROGRAM];
    let with_totals = [Course::PROGRAM, Paced::PROGRAM, Rescale::PROGRAM, Retally::PROGRAM];
    let with_others = [Mirror::PROGRAM, Spacing::PROGRAM, Take::PROGRAM];
    let with_several = [Merge::PROGRAM, Census::PROGRAM];
    let programs = updates.into_iter().chain([Energy::PROGRAM]);
    let programs = programs.chain(with_totals).chain(with_others).chain(with_several);
    let programs = programs.map(|program| (program, 0));
    let ready = ready.into_iter().map(|program| (program, COSINE));
    let trial = |(program, most): (&'static ParticleProgram, u32)| {
        let compiler = compiler.clone();
        Trial::test(format!("per_particle_{}", program.name), move || {
            compiles(&compiler, program, most)
        })
    };
    let mut trials: Vec<_> = programs.chain(ready).map(trial).collect();
    let of_any_record = [
        Program::row_copies(),
        Program::gather(),
        Program::images(),
        Program::parts(),
        Program::moving(),
        Program::subset(),
        Program::essential(),
        Program::column_copy(),
        Program::selection(),
        Program::neighbours(),
    ];
    trials.extend(of_any_record.into_iter().enumerate().map(|(turn, program)| {
        let compiler = compiler.clone();
        Trial::test(format!("per_particle_{}", program.name), move || {
            let mut architectures = several(&compiler, turn).into_iter();
            architectures.try_for_each(|it| uses_local_memory(&compiler, &program, it, 0))
        })
    }));
    trials.extend(tuples().into_iter().map(|(program, most)| {
        let compiler = compiler.clone();
        Trial::test(format!("per_tuple_{}", program.name), move || {
            compiles_tuple(&compiler, program, most)
        })
    }));
    trials
}

/// Returns the tuples of the library and of the tests, with the most local memory of each.
fn tuples() -> Vec<(&'static ParticleProgram, u32)> {
    vec![
        (bonded::HarmonicBond::PROGRAM, 0),
        (bonded::MorseBond::PROGRAM, 0),
        (bonded::FeneBond::PROGRAM, 0),
        (bonded::HarmonicAngle::PROGRAM, SAVED),
        (bonded::CosineAngle::PROGRAM, COSINE),
        (bonded::PeriodicDihedral::PROGRAM, COSINE),
        (bonded::RyckaertBellemans::PROGRAM, SAVED),
        (bonded::HarmonicImproper::PROGRAM, SAVED),
        (Anchor::PROGRAM, TABLE),
        (Link::PROGRAM, 0),
        (Bend::PROGRAM, 0),
        (Twist::PROGRAM, TABLE),
    ]
}

fn compiles_tuple(compiler: &Compiler, program: &ParticleProgram, most: u32) -> Result<(), Failed> {
    let lengths = Domain::periodic([1.0, 2.0, f64::INFINITY])?;
    let [single, mixed, double] = [Precision::Single, Precision::Mixed, Precision::Double];
    let of =
        [([single, single], Domain::Open), ([mixed, double], lengths), ([double, single], lengths)];
    for (([particles, results], domain), architecture) in of.into_iter().zip(ARCHITECTURES) {
        let particles = Layout { fields: program.p, precision: particles };
        let results = Layout { fields: program.total, precision: results };
        let program = Program::per_tuple(program, particles, results, domain)?;
        uses_local_memory(compiler, &program, architecture, most)?;
    }
    Ok(())
}

fn compiles(compiler: &Compiler, program: &ParticleProgram, most: u32) -> Result<(), Failed> {
    let lengths = Domain::periodic([1.0, 2.0, f64::INFINITY])?;
    let [single, mixed, double] = [Precision::Single, Precision::Mixed, Precision::Double];
    let of = [
        ([single, mixed, double], Domain::Open, false),
        ([mixed, double, single], lengths, true),
        ([double, single, double], lengths, false),
    ];
    for ((precisions, domain, wrap), architecture) in of.into_iter().zip(ARCHITECTURES) {
        let buffers = ParticleBuffers::of(program, precisions);
        let program = Program::per_particle(program, buffers, domain, wrap)?;
        uses_local_memory(compiler, &program, architecture, most)?;
    }
    Ok(())
}

/// Checks that a thread uses at most so many bytes of local memory.
fn uses_local_memory(
    compiler: &Compiler,
    program: &Program,
    architecture: u32,
    most: u32,
) -> Result<(), Failed> {
    let (name, local) = (program.name, local_memory(compiler, program, architecture)?);
    if local > most {
        return Err(format!("{name}, sm_{architecture}: {local} bytes of local memory").into());
    }
    Ok(())
}
