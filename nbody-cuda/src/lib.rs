//! Devices, run-time compilation and launches of generated CUDA programs.
