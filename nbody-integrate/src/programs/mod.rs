//! The per-particle programs of the integrators. They are bound to records of any interaction by
//! the names of fields.

pub mod block;
pub mod hermite;
pub mod leapfrog;

#[cfg(test)]
mod tests {
    use nbody::cuda::{Error as CudaError, ParticleBuffers, Program, nvrtc};
    use nbody::law::ParticleProgram;
    use nbody::{Domain, Measure, Precision, Update};

    use super::{block, hermite, leapfrog};

    const STEPS: [&ParticleProgram; 17] = [
        block::Predict::PROGRAM,
        block::Begin::PROGRAM,
        block::FirstStep::PROGRAM,
        block::Improve::PROGRAM,
        block::Correct::PROGRAM,
        hermite::Predict::PROGRAM,
        hermite::Correct::PROGRAM,
        hermite::Place::PROGRAM,
        hermite::Accept::PROGRAM,
        hermite::Begin::PROGRAM,
        leapfrog::Kick::PROGRAM,
        leapfrog::Push::PROGRAM,
        leapfrog::Drift::PROGRAM,
        leapfrog::PlaceStill::PROGRAM,
        leapfrog::PlaceMoving::PROGRAM,
        hermite::FirstStep::PROGRAM,
        hermite::Step::PROGRAM,
    ];
    const ENERGIES: [&ParticleProgram; 2] =
        [leapfrog::EnergyPerMass::PROGRAM, leapfrog::Energy::PROGRAM];

    /// Compiles each program with its own records, in the precisions of an engine in mixed
    /// precision.
    #[test]
    fn nvrtc_compiles_all_programs() {
        let folder = tempfile::tempdir().unwrap();
        for program in STEPS.into_iter().chain(ENERGIES) {
            let precisions = [Precision::Mixed, Precision::Double, Precision::Single];
            let buffers = ParticleBuffers::of(program, precisions);
            let text = Program::per_particle(program, buffers, Domain::Open, false).unwrap();
            match nvrtc::prepare(&text, 90, folder.path()) {
                Err(CudaError::NvrtcNotFound(_)) => return,
                built => drop(built.unwrap()),
            }
        }
    }
}
