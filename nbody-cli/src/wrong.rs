//! Command lines that are refused after they are parsed.

/// A reason to refuse the command line: the exit code is 2, as for what clap refuses.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Wrong(pub String);

impl Wrong {
    /// Refuses the command line if this holds.
    pub fn if_so(holds: bool, message: &str) -> Result<(), Self> {
        if holds { Err(Self(message.to_owned())) } else { Ok(()) }
    }
}
