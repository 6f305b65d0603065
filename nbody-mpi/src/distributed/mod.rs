//! Buffers whose rows are distributed over ranks, and the engines that use them.
//!
//! A buffer begins with all rows on every rank. Neighbour lists divide space into regions, one for
//! each rank, and leave each rank the particles in its region (`Placement`). For an evaluation,
//! copies of other ranks' particles within reach follow its own (`Ghosts`). Programs per particle
//! run on the particles of each rank. What needs all rows, such as a download or an evaluation of
//! all pairs, gathers them first; so every operation works on every buffer.
//!
//! Each module depends on earlier ones of this list: `rows`, `host`, `placement`, `ghosts`, `buffer`,
//! `sets`, `given`, `lengths`, `placing`, `lists`, `report`, `neighbours`, `short_range`, `tree`,
//! `particles`, `tuples`.

mod buffer;
mod ghosts;
mod given;
mod host;
mod lengths;
mod lists;
mod neighbours;
mod particles;
mod placement;
mod placing;
mod report;
mod rows;
mod sets;
mod short_range;
mod tree;
mod tuples;

pub(crate) use buffer::{Distributed, all, all_mut};
pub(crate) use host::HostParts;
pub(crate) use neighbours::{DistributedLists, check_lists};
pub(crate) use particles::{DistributedPrograms, DistributedSelection};
pub(crate) use rows::Kind;
pub(crate) use short_range::DistributedShortRange;
pub(crate) use tree::DistributedTree;
pub(crate) use tuples::DistributedTuples;
