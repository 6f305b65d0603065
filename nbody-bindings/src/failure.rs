//! Failures: a message, and a kind for the caller's language.

use nbody::{Error, cuda, law};
use nbody_mpi::Error as RankError;

/// The kind of a failure. Each language has its own form of it: a status, an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An argument is wrong.
    Argument,
    /// A declaration is wrong.
    Declaration,
    /// A device or its driver failed.
    Device,
    /// There is too little memory, on the host or on the device.
    Memory,
    /// The law, the device or this version cannot do it.
    Unsupported,
    /// A compiler is missing or failed, or the cache of compiled programs cannot be used.
    Compiler,
    /// Numbers are NaN or infinite, or no step is short enough.
    Numbers,
    /// The caller interrupted the call.
    Interrupted,
    /// A fault of nbody.
    Fault,
}

/// The engine of an integrator that a panic left in an unknown state.
#[derive(Debug, thiserror::Error)]
#[error("the engine of the integrator is in an unknown state after a fault of nbody; free both")]
pub struct UnknownState;

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The kind of the reason.
    pub kind: Kind,
    /// The finding, the expectation and the remedy.
    pub message: String,
}

impl Failure {
    /// Returns the failure of a wrong argument.
    pub fn argument(message: impl Into<String>) -> Self {
        Self { kind: Kind::Argument, message: message.into() }
    }

    /// Returns the failure of an object that a panic left in an unknown state.
    pub fn poisoned(what: &str) -> Self {
        let message =
            format!("{what}: an earlier fault of nbody left it in an unknown state; free it");
        Self { kind: Kind::Fault, message }
    }

    /// Returns the failure of a call that the law, the device or this version does not support.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { kind: Kind::Unsupported, message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        // `Debug` prints the causes too.
        Self { kind: kind_of(&error), message: format!("{error:?}") }
    }
}

fn kind_of(error: &Error) -> Kind {
    if let Some(error) = error.device::<cuda::Error>() {
        return match error {
            cuda::Error::Compile(_)
            | cuda::Error::NvrtcNotFound(_)
            | cuda::Error::NvrtcBroken { .. }
            | cuda::Error::UnknownArchitecture { .. } => Kind::Compiler,
            cuda::Error::OutOfMemory { .. } => Kind::Memory,
            cuda::Error::UnknownDevice { .. } | cuda::Error::TooManyParticles { .. } => {
                Kind::Argument
            }
            cuda::Error::KernelDoesNotFit { .. } | cuda::Error::NoWalk { .. } => Kind::Unsupported,
            cuda::Error::Emulation(_) => Kind::Fault,
            _ => Kind::Device,
        };
    }
    if let Some(error) = error.device::<RankError>() {
        return match error {
            RankError::NotNow { .. }
            | RankError::Diverged { .. }
            | RankError::OtherSize { .. }
            | RankError::OtherDevice { .. } => Kind::Argument,
            _ => Kind::Device,
        };
    }
    if error.device::<nbody_compile::Error>().is_some() {
        return Kind::Compiler;
    }
    if error.device::<UnknownState>().is_some() {
        return Kind::Fault;
    }
    match error {
        Error::Device(_) => Kind::Device,
        Error::OutOfMemory { .. } | Error::OutOfStack { .. } => Kind::Memory,
        Error::LawTable { .. } => Kind::Fault,
        Error::Interrupted => Kind::Interrupted,
        Error::NanParameter { .. } => Kind::Numbers,
        Error::NoTree { .. }
        | Error::NoEstimate { .. }
        | Error::NoLoops { .. }
        | Error::NoCutoff { .. }
        | Error::NoPoint { .. }
        | Error::NoDeviceMemory { .. }
        | Error::NoTriclinic { .. }
        | Error::OneDimension { .. }
        | Error::PointOfLists { .. }
        | Error::PointOfImages { .. }
        | Error::SimdUnavailable { .. } => Kind::Unsupported,
        _ => Kind::Argument,
    }
}

impl From<law::DeclareError> for Failure {
    fn from(error: law::DeclareError) -> Self {
        use law::DeclareError as E;
        let kind = match error {
            E::Text(_) => Kind::Declaration,
            E::Table(_) => Kind::Fault,
            _ => Kind::Argument,
        };
        Self { kind, message: error.to_string() }
    }
}

impl From<nbody_integrate::Error> for Failure {
    fn from(error: nbody_integrate::Error) -> Self {
        use nbody_integrate::Error as E;
        let kind = match error {
            E::Engine(error) => return error.into(),
            E::MissingFields { .. } | E::NoBlockSteps => Kind::Unsupported,
            E::NotFinite { .. } | E::Close { .. } | E::Resolution { .. } => Kind::Numbers,
            _ => Kind::Argument,
        };
        Self { kind, message: error.to_string() }
    }
}
