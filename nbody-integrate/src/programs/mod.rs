//! The programs per particle of the integrators. They are bound to records of any interaction by the names of
//! fields.

pub mod block;
pub mod hermite;
pub mod leapfrog;
