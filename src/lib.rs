//! Pairwise interactions.
