//! Declarations of interactions as text at run time.
//!
//! Data flows one way: nbody-codegen describes a text (`describe`), [`declare`](declare()) turns the
//! description into tables of laws (`table`), and `cpu` compiles the C++ of a law when a CPU engine
//! asks for its loops. The headers of this C++ are in `cpp/`. [`adjoint`](adjoint()) makes texts from a text.
//!
//! Modules import only earlier modules of this list: `error`, `declarations`, `cpu`, `table`,
//! `declare`, `adjoint`.

mod adjoint;
mod cpu;
mod declarations;
mod declare;
mod error;
mod table;

pub use adjoint::adjoint;
pub use declarations::Declarations;
pub use declare::{declare, declare_in, read};
pub use error::{Error, Fault};
pub use nbody_codegen::adjoint::{
    Adjoint, AdjointLaw, Cotangent, Gradient, Refusal, Selection, Variable,
};
