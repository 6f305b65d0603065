//! Launches that repeat.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{CudaGraph, result};

use super::Gpu;
use crate::Error;
use crate::backend::Recording;

/// Launches that the driver knows as one; one thread at a time may ask for them.
pub(super) struct Graph {
    gpu: Gpu,
    graph: Mutex<Captured>,
}

struct Captured(CudaGraph);

impl Graph {
    pub fn new(gpu: &Gpu, graph: CudaGraph) -> Self {
        Self { gpu: gpu.clone(), graph: Mutex::new(Captured(graph)) }
    }
}

// SAFETY: a graph may be used and destroyed from any thread, one at a time.
unsafe impl Send for Captured {}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Graph")
    }
}

impl Recording for Graph {
    fn replay(&self) -> Result<(), Error> {
        self.gpu.bind()?;
        let graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the graph is whole until `self` is dropped; what its kernels read and write is
        // there while the engine that recorded it asks for the same evaluation.
        let launched =
            unsafe { result::graph::launch(graph.0.cu_graph_exec(), self.gpu.stream.cu_stream()) };
        launched.map_err(|e| self.gpu.failed("cuGraphLaunch", e))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // The graph goes next, in its context. What the driver says then helps nobody.
        let _ = self.gpu.bind();
    }
}
