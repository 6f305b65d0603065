//! Tests launches of several phases, in the emulator and on the first GPU, if any.

use nbody_compile::Cache;

use super::emulator::Emulator;
use super::{Backend, Launch, Memory, Module, gpu, in_batch};
use crate::compile::program::Program;
use crate::error::Error;

const GRID: &str = include_str!("../../kernels/grid.cuh");
const PHASES: u32 = 5;
const LAUNCHES: u32 = 8;

/// In each phase, a block sums the numbers that all blocks wrote in the previous phase. The first
/// phase takes `n`.
const KERNEL: &str = "
extern \"C\" __global__ void by_hand(u32 *arrived, u32 *sums, u32 n, u32 first_phase, u32 end_phase)
{
    in_phases(first_phase, end_phase, arrived, [=](u32 phase) {
        u32 sum = n + blockIdx.x;
        for (u32 b = 0; b < gridDim.x && phase > 0; ++b) sum += sums[(phase - 1) * gridDim.x + b];
        if (threadIdx.x == 0) sums[phase * gridDim.x + blockIdx.x] = 3 * sum;
    });
}
";

/// Returns the sums of all blocks after each phase.
fn expected(blocks: u32, n: u32) -> Vec<u32> {
    let (mut all, mut before) = (Vec::new(), 0_u32);
    for _ in 0..PHASES {
        let sums: Vec<_> = (0..blocks)
            .map(|block| n.wrapping_add(block).wrapping_add(before).wrapping_mul(3))
            .collect();
        before = sums.iter().copied().fold(0, u32::wrapping_add);
        all.extend(sums);
    }
    all
}

fn check(backend: &dyn Backend) {
    let folder = tempfile::tempdir().unwrap();
    let source = format!(
        "namespace nbody {{
using u32 = unsigned int;
constexpr int BLOCK = 32;
}} // namespace nbody
{GRID}
namespace nbody {{
{KERNEL}
}} // namespace nbody
"
    );
    let module = match backend.build(&Program::by_hand(source), &Cache::at(folder.path())) {
        Err(Error::NvrtcNotFound(_)) => return,
        built => built.unwrap().0,
    };
    let most = module.resident_blocks(c"by_hand") as u32;
    assert!(most > 1, "{most}");
    let mut arrived = backend.allocate(8).unwrap();
    arrived.zero().unwrap();
    let sums = backend.allocate((PHASES * most) as usize * size_of::<u32>()).unwrap();
    let launch_phases = |module: &dyn Module, blocks, n, phases| {
        let launch = Launch::new(c"by_hand", blocks).pointers([&*arrived, &*sums]);
        module.launch(launch.numbers([n]).phases(phases))
    };
    let launch = |module: &dyn Module, blocks, n| launch_phases(module, blocks, n, 0..PHASES);
    // A batch of such launches soon becomes a graph, whose arguments then change.
    let mut batch = backend.batch();
    for n in 0..LAUNCHES {
        for blocks in [1, most / 2, most] {
            launch(&*module, blocks, n).unwrap();
            assert_eq!(read(&*sums, blocks), expected(blocks, n), "{blocks}, {n}");
            // In two launches.
            let n = n + 10;
            launch_phases(&*module, blocks, n, 0..2).unwrap();
            launch_phases(&*module, blocks, n, 2..PHASES).unwrap();
            assert_eq!(read(&*sums, blocks), expected(blocks, n), "{blocks}, {n}, in two");
        }
        let blocks = most - n % 2;
        in_batch(batch.as_mut(), || {
            launch(&*module, blocks, n + 100)?;
            launch(&*module, blocks, n + 1000)
        })
        .unwrap();
        assert_eq!(read(&*sums, blocks), expected(blocks, n + 1000), "{blocks}, {n}, in a batch");
    }
}

fn read(sums: &dyn Memory, blocks: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let take = &mut |words: &[u64]| found = bytemuck::cast_slice(words).to_owned();
    sums.read(take).unwrap();
    found.truncate((PHASES * blocks) as usize);
    found
}

#[test]
fn phases_see_what_all_blocks_wrote_before_them() {
    check(&Emulator::open().unwrap());
    if let Some((_one, gpu)) = gpu::tests::gpu() {
        check(&gpu);
    }
}
