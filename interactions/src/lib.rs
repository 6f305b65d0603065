//! Ready interactions.
