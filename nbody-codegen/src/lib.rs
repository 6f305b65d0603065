//! The compiler of interactions: from a Rust module to CUDA C++ and Rust.
