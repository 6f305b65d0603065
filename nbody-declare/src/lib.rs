//! Declarations of interactions as text at run time.
//!
//! Data flows one way: nbody-codegen describes a text (`describe`), [`declare`](declare()) turns the
//! description into tables of laws (`table`), and `cpu` compiles the C++ of a law when a CPU engine
//! asks for its loops. The headers of this C++ are in `cpp/`.
//!
//! Modules import only earlier modules of this list: `error`, `declarations`, `cpu`, `table`,
//! `declare`.

mod cpu;
mod declarations;
mod declare;
mod error;
mod table;

pub use declarations::Declarations;
pub use declare::{declare, declare_in, read};
pub use error::{Error, Fault};
