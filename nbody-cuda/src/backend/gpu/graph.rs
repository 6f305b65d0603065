//! Captured launches, which the driver repeats as one.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{CudaGraph, result};

use super::Gpu;
use crate::Error;
use crate::backend::LaunchGraph;

/// A CUDA graph of launches, replayed by one thread at a time.
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

impl LaunchGraph for Graph {
    fn replay(&self) -> Result<(), Error> {
        self.gpu.bind()?;
        let graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the graph lives as long as `self`. `CudaEngine::run` borrows the buffers that the
        // graph was captured for, and never replays it after another evaluation, which may have
        // replaced the scratch memory.
        let launched =
            unsafe { result::graph::launch(graph.0.cu_graph_exec(), self.gpu.stream.cu_stream()) };
        launched.map_err(|e| self.gpu.failed("cuGraphLaunch", e))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // The graph is destroyed next, in its context. A destructor cannot report an error.
        let _ = self.gpu.bind();
    }
}
