//! Particle models to compute on, and their files.
