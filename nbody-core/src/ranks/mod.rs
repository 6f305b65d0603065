//! Ranks: processes or threads that work on one problem, each with a device of its own. Here are
//! the parts that devices need; the engines over ranks are in nbody-mpi.
//!
//! With all pairs, and with trees by default, every rank holds all particles. It evaluates its share
//! of the i-particles, and gathers the results of the others. The order of each sum follows from all
//! particles, so that results do not depend on the number of ranks. Neighbour lists, and trees on
//! request, leave each rank the particles in its region of space.

pub mod communicator;
pub mod connection;
pub mod dealt;
pub mod exchange;
pub mod gather;
pub mod parts;
pub mod regions;
pub mod shares;
