//! The frame of every engine: untyped engines, and a typed shell for each of them.

mod all_pairs;
mod buffers;
mod inputs;
mod interface;
mod neighbours;
mod pair_totals;
mod parameters;
mod per_particle;
mod selection;
mod sequence;
mod short_range;
mod tree;
mod tuples;

pub use all_pairs::AllPairs;
pub use buffers::{Particles, Results, Total};
pub use inputs::Inputs;
pub use interface::Engine;
pub use neighbours::{HasCutoff, Neighbours};
pub use pair_totals::{PairTotal, PairTotals};
pub use per_particle::PerParticle;
pub use selection::Selection;
pub use sequence::Sequence;
pub use short_range::ShortRange;
pub use tree::Tree;
pub use tuples::Tuples;
