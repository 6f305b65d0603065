//! Pending launches that are repeated, which the driver runs as one graph.

use std::ptr;
use std::thread;

use cudarc::driver::{DriverError, sys};

use super::Gpu;
use super::held::{Held, HeldLaunch};
use crate::backend::Batch;
use crate::error::Error;

/// Repetitions of launches before they become a graph. To create a graph takes as long as a few
/// repetitions.
const REPEATED: u32 = 3;
/// The largest number of graphs of a batch.
const MOST_GRAPHS: usize = 8;
/// A batch of launches, and its graphs.
#[derive(Debug)]
pub(super) struct GpuBatch {
    gpu: Gpu,
    /// Earlier launches, the last one at the end.
    known: Vec<Known>,
    /// Whether the batch is within another batch, which then receives its launches.
    is_inner: bool,
}

/// Earlier launches.
#[derive(Debug, Default)]
struct Known {
    launches: Vec<HeldLaunch>,
    /// The number of launches of the same kernels; of a single kernel, with the same arguments.
    repeated: u32,
    graph: Option<Graph>,
}

impl Known {
    /// Launches the same kernels again; as a graph, if they were repeated often enough.
    fn launch(&mut self, gpu: &Gpu, mut launches: Vec<HeldLaunch>) -> Result<(), Error> {
        if let ([one], [last]) = (&launches[..], &self.launches[..])
            && !one.repeats(last)
        {
            // To update a graph takes longer than a single launch.
            (self.graph, self.repeated) = (None, 0);
        }
        if self.graph.is_none() && self.repeated >= REPEATED {
            // Without a graph, the kernels are launched one by one.
            self.graph = Graph::new(gpu, &mut launches).ok();
        } else if let Some(graph) = &mut self.graph {
            graph.update(&self.launches, &mut launches)?;
        }
        match &mut self.graph {
            Some(graph) => graph.launch()?,
            None => launches
                .iter_mut()
                .try_for_each(|launch| launch.launch(&gpu.stream, &gpu.health))?,
        }
        (self.launches, self.repeated) = (launches, self.repeated.saturating_add(1));
        Ok(())
    }
}

impl GpuBatch {
    pub fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), known: Vec::new(), is_inner: false }
    }

    fn launch(&mut self, launches: Vec<HeldLaunch>) -> Result<(), Error> {
        if launches.is_empty() {
            return Ok(());
        }
        let kernels = || launches.iter().map(|launch| launch.function);
        let is_same = |it: &Known| it.launches.iter().map(|launch| launch.function).eq(kernels());
        // If a call fails, the launches are forgotten.
        let mut known = match self.known.iter().rposition(is_same) {
            Some(found) => self.known.remove(found),
            None => Known::default(),
        };
        known.launch(&self.gpu, launches)?;
        if self.known.len() == MOST_GRAPHS {
            self.known.remove(0);
        }
        self.known.push(known);
        Ok(())
    }
}

impl Batch for GpuBatch {
    fn begin(&mut self) -> Result<(), Error> {
        self.is_inner = self.gpu.held()?.as_ref().is_some_and(Held::is_mine);
        if self.is_inner {
            return Ok(());
        }
        let thread = thread::current().id();
        self.gpu.hold(Some(Held { thread, launches: Vec::new() }))
    }

    fn end(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.is_inner) {
            return Ok(());
        }
        // No memory is freed before the launches are done.
        let gpu = self.gpu.clone();
        let mut held = gpu.held()?;
        if let Some(Held { launches, .. }) = held.take_if(|held| held.is_mine()) {
            let done = gpu.bind_context().and_then(|()| self.launch(launches));
            return done.map_err(|error| gpu.health.lost(error));
        }
        // Another operation of the device came in between and flushed the launches.
        Ok(())
    }
}

/// A graph of consecutive launches.
#[derive(Debug)]
struct Graph {
    gpu: Gpu,
    whole: sys::CUgraph,
    executable: sys::CUgraphExec,
    nodes: Vec<sys::CUgraphNode>,
}

// SAFETY: a graph may be used and destroyed from any thread, one at a time.
unsafe impl Send for Graph {}
// SAFETY: every method takes the graph mutably.
unsafe impl Sync for Graph {}

impl Graph {
    fn new(gpu: &Gpu, launches: &mut [HeldLaunch]) -> Result<Self, Error> {
        let mut graph = Self {
            gpu: gpu.clone(),
            whole: ptr::null_mut(),
            executable: ptr::null_mut(),
            nodes: Vec::new(),
        };
        let failed = |call| move |error: DriverError| gpu.failed(call, error);
        // SAFETY: the address points to a handle, which `drop` destroys.
        let created = unsafe { sys::cuGraphCreate(&raw mut graph.whole, 0) }.result();
        created.map_err(failed("cuGraphCreate"))?;
        for launch in launches {
            let mut arguments = launch.arguments.addresses();
            let parameters = launch.node(&mut arguments);
            let (mut node, before) = (ptr::null_mut(), graph.nodes.last());
            let (before, count) =
                (before.map_or(ptr::null(), ptr::from_ref), graph.nodes.len().min(1));
            // SAFETY: the arguments are as in `HeldLaunch::launch`, and the driver copies them.
            let added = unsafe {
                sys::cuGraphAddKernelNode_v2(
                    &raw mut node,
                    graph.whole,
                    before,
                    count,
                    &raw const parameters,
                )
            };
            added.result().map_err(failed("cuGraphAddKernelNode"))?;
            if launch.function.is_cooperative {
                let value = sys::CUkernelNodeAttrValue { cooperative: 1 };
                let cooperative = sys::CUkernelNodeAttrID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
                // SAFETY: the node is a kernel node of this graph, and the driver copies the
                // value.
                let set = unsafe {
                    sys::cuGraphKernelNodeSetAttribute(node, cooperative, &raw const value)
                };
                set.result().map_err(failed("cuGraphKernelNodeSetAttribute"))?;
            }
            graph.nodes.push(node);
        }
        // SAFETY: the graph is valid, and the address points to a handle, which `drop` destroys.
        let instantiated =
            unsafe { sys::cuGraphInstantiateWithFlags(&raw mut graph.executable, graph.whole, 0) };
        instantiated.result().map_err(failed("cuGraphInstantiate"))?;
        Ok(graph)
    }

    /// Replaces the arguments that have changed since the last launch of the same kernels.
    fn update(&mut self, last: &[HeldLaunch], launches: &mut [HeldLaunch]) -> Result<(), Error> {
        for ((launch, last), &node) in launches.iter_mut().zip(last).zip(&self.nodes) {
            if launch.repeats(last) {
                continue;
            }
            let mut arguments = launch.arguments.addresses();
            let parameters = launch.node(&mut arguments);
            // SAFETY: the node is a node of this graph, for the same kernel. The arguments are as
            // in `HeldLaunch::launch`, and the driver copies them.
            let updated = unsafe {
                sys::cuGraphExecKernelNodeSetParams_v2(self.executable, node, &raw const parameters)
            };
            let call = "cuGraphExecKernelNodeSetParams";
            updated.result().map_err(|error| self.gpu.failed(call, error))?;
        }
        Ok(())
    }

    fn launch(&mut self) -> Result<(), Error> {
        // SAFETY: the graph is valid. Its arguments come from the launches that were just held
        // back, so the reasons of `HeldLaunch::launch` hold.
        let launched = unsafe { sys::cuGraphLaunch(self.executable, self.gpu.stream.cu_stream()) };
        launched.result().map_err(|error| self.gpu.failed("cuGraphLaunch", error))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // A destructor cannot report an error.
        if self.gpu.health.check().and_then(|()| self.gpu.bind_context()).is_err() {
            return;
        }
        if !self.executable.is_null() {
            // SAFETY: `new` created it. A running graph is freed when it has ended.
            let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
        }
        if !self.whole.is_null() {
            // SAFETY: `new` created it.
            let _ = unsafe { sys::cuGraphDestroy(self.whole) };
        }
    }
}

#[cfg(test)]
mod tests {
    use nbody_compile::Cache;

    use super::*;
    use crate::backend::gpu::tests::gpu;
    use crate::backend::{Backend as _, Launch};
    use crate::compile::program::Program;

    const APPEND: &str = "\
extern \"C\" __global__ void by_hand(unsigned *sum, unsigned n)
{
    if (threadIdx.x == 0) atomicExch(sum, 3 * *sum + n);
}
";

    #[test]
    fn launches_of_a_batch_take_effect_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let Some((_one, gpu)) = gpu() else { return };
        let module = match gpu.build(&Program::by_hand(APPEND), &Cache::at(folder.path())) {
            Err(Error::NvrtcNotFound(_)) => return,
            built => built.unwrap().0,
        };
        let mut memory = gpu.allocate(8).unwrap();
        memory.zero().unwrap();
        let mut batch = gpu.batch().unwrap();
        let mut expected = 0_u32;
        let read = |memory: &dyn crate::backend::Memory| {
            let mut found = 0;
            memory.read(&mut |words| found = words[0] as u32).unwrap();
            found
        };
        for k in 0..10 {
            batch.begin().unwrap();
            // Within another batch, which receives its launches.
            let mut inner = gpu.batch().unwrap();
            for n in [1, k, 2] {
                inner.begin().unwrap();
                let launch = Launch::new(c"by_hand", 1).pointers([&*memory]).numbers([n]);
                module.launch(launch).unwrap();
                inner.end().unwrap();
                expected = expected.wrapping_mul(3).wrapping_add(n);
                // A copy comes after earlier launches.
                if k == 2 {
                    assert_eq!(read(&*memory), expected);
                }
            }
            batch.end().unwrap();
            if k % 4 == 3 {
                assert_eq!(read(&*memory), expected, "{k}");
            }
        }
        assert_eq!(read(&*memory), expected);
    }

    #[test]
    fn threads_hold_back_launches_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let Some((_one, gpu)) = gpu() else { return };
        let module = match gpu.build(&Program::by_hand(APPEND), &Cache::at(folder.path())) {
            Err(Error::NvrtcNotFound(_)) => return,
            built => built.unwrap().0,
        };
        let count = |first: u32| {
            let mut memory = gpu.allocate(8).unwrap();
            memory.zero().unwrap();
            let mut batch = gpu.batch().unwrap();
            let mut expected = 0_u32;
            for k in 0..500 {
                batch.begin().unwrap();
                for n in [first, k] {
                    let launch = Launch::new(c"by_hand", 1).pointers([&*memory]).numbers([n]);
                    module.launch(launch).unwrap();
                    expected = expected.wrapping_mul(3).wrapping_add(n);
                }
                batch.end().unwrap();
            }
            memory.read(&mut |words| assert_eq!(words[0] as u32, expected)).unwrap();
        };
        thread::scope(|scope| {
            for first in 1..4 {
                scope.spawn(move || count(first));
            }
        });
    }
}
