//! Tests the intrinsics of kernels, in the emulator and on the first GPU, if any: both must
//! compute the values of the tests.

use nbody_compile::Cache;

use super::emulator::Emulator;
use super::{Backend, Launch, gpu};
use crate::compile::program::Program;
use crate::error::Error;

const LANES: u64 = 32;

/// Checks the words that each lane of a warp writes. `body` computes them for lane `l`.
fn check<const N: usize>(body: &str, expected: impl Fn(u64) -> [u64; N]) {
    let source = format!(
        "
namespace nbody {{
using u32 = unsigned int;
using u64 = unsigned long long;
constexpr int BLOCK = 32;
__device__ __forceinline__ u64 bits(double x) {{ return u64(::__double_as_longlong(x)); }}
__device__ __forceinline__ u64 bits(float x) {{ return ::__float_as_uint(x); }}
extern \"C\" __global__ void by_hand(u64 *found)
{{
    const u32 l = threadIdx.x;
    u64 *const word = found + {N} * l;
{body}
}}
}} // namespace nbody
"
    );
    let words: Vec<_> = (0..LANES).map(expected).collect();
    assert_eq!(run(&Emulator::open().unwrap(), &source, N).unwrap(), words.concat(), "emulator");
    let Some((_one, gpu)) = gpu::tests::gpu() else { return };
    match run(&gpu, &source, N) {
        Err(Error::NvrtcNotFound(_)) => {}
        found => assert_eq!(found.unwrap(), words.concat(), "GPU"),
    }
}

/// Runs a kernel in one warp, where each lane writes `n` words, and returns the words.
fn run(backend: &dyn Backend, source: &str, n: usize) -> Result<Vec<u64>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let (module, _) = backend.build(&Program::by_hand(source), &Cache::at(folder.path()))?;
    let memory = backend.allocate(n * LANES as usize * size_of::<u64>())?;
    module.launch(Launch::new(c"by_hand", 1).pointers([&*memory]))?;
    let mut found = Vec::new();
    memory.read(&mut |words| found = words.to_owned())?;
    Ok(found)
}

#[test]
fn shuffles_return_values_of_other_lanes() {
    let body = "
    word[0] = ::__shfl_sync(~0u, 3 * l, int((l + 5) % 32));
    word[1] = ::__shfl_sync(~0u, u64(l) << 40 | 7, int(l ^ 9));
    word[2] = bits(::__shfl_sync(~0u, 1.0 / (1.0 + l), int(l / 2)));";
    check(body, |l| {
        let half = 1.0 / (1.0 + (l / 2) as f64);
        [3 * ((l + 5) % LANES), ((l ^ 0b1001) << 40) + 7, half.to_bits()]
    });
}

#[test]
fn votes_count_every_lane() {
    let body = "
    word[0] = ::__ballot_sync(~0u, l % 3 == 1);
    word[1] = u64(::__any_sync(~0u, l == 31)) << 8 | u64(::__any_sync(~0u, l > 31));
    word[2] = u64(::__all_sync(~0u, l < 32)) << 8 | u64(::__all_sync(~0u, l < 31));";
    let third = (0..LANES).filter(|l| l % 3 == 1).map(|l| 1 << l).sum();
    check(body, |_| [third, 1 << 8, 1 << 8]);
}

#[test]
fn lanes_see_what_others_wrote_before_a_barrier_of_the_warp() {
    let body = "
    __shared__ u32 values[32];
    values[l] = l * l;
    ::__syncwarp();
    word[0] = values[(l + 1) % 32];
    ::__syncwarp();
    values[l] = 0;
    ::__syncwarp();
    word[1] = values[31 - l];";
    check(body, |l| [((l + 1) % LANES).pow(2), 0]);
}

#[test]
fn bits_are_counted_and_found() {
    let body = "
    const u32 n = l * 2654435761u;
    word[0] = u64(::__popc(n));
    word[1] = u64(::__clz(int(n)));
    word[2] = u64(::__ffs(int(n)));";
    check(body, |l| {
        let n = (l as u32).wrapping_mul(2_654_435_761);
        let first = if n == 0 { 0 } else { n.trailing_zeros() + 1 };
        [n.count_ones(), n.leading_zeros(), first].map(u64::from)
    });
}

#[test]
fn atomic_operations_take_effect_and_return_the_previous_value() {
    // Lanes after the first must not lose earlier contents.
    let body = "
    __shared__ u32 sum, least, greatest, any;
    __shared__ u64 large, largest;
    if (l == 0) {
        sum = 5, least = 20, greatest = 10, any = 1u << 31, large = 1ull << 40, largest = 1ull << 36;
        word[5] = ::atomicAdd(&sum, 2u);
        word[6] = ::atomicAdd(&large, 3ull);
        word[7] = ::atomicMin(&least, 30u) << 8 | ::atomicMax(&greatest, 3u);
        word[8] = ::atomicOr(&any, 4u);
        word[10] = ::atomicMax(&largest, 3ull << 35);
    } else {
        word[5] = word[6] = word[7] = word[8] = word[10] = 0;
    }
    ::__syncwarp();
    ::atomicAdd(&sum, l);
    ::atomicAdd(&large, u64(l) << 32);
    ::atomicMin(&least, 40 - l);
    ::atomicMax(&greatest, l);
    ::atomicOr(&any, 1u << l % 3);
    ::atomicMax(&largest, u64(l) << 33);
    ::__syncwarp();
    word[0] = sum;
    word[1] = large;
    word[2] = least;
    word[3] = greatest;
    word[4] = any;
    word[9] = largest;";
    check::<11>(body, |l| {
        let sum = LANES * (LANES - 1) / 2;
        let after = [7 + sum, (1 << 40) + 3 + (sum << 32), 9, 31, (1 << 31) + 7];
        let before = if l == 0 { [5, 1 << 40, (20 << 8) + 10, 1 << 31] } else { [0; 4] };
        let largest = [31 << 33, if l == 0 { 1 << 36 } else { 0 }];
        [after.as_slice(), &before, &largest].concat().try_into().unwrap()
    });
}

#[test]
fn arithmetic_is_rounded_after_each_operation() {
    let body = "
    const double x = 1.0 + 1e-9 * l, y = 1.0 / 3.0;
    const float a = float(x), b = 1.0f / 3.0f;
    word[0] = bits(::__dadd_rn(::__dmul_rn(x, y), -y));
    word[1] = bits(::__dsub_rn(::__dmul_rn(x, x), 1.0));
    word[2] = bits(::__fadd_rn(::__fmul_rn(a, b), -b));
    word[3] = bits(::__fsub_rn(::__fmul_rn(b, b), a));
    word[4] = bits(::__double2float_rn(x * y));
    word[5] = bits(::__fdiv_rn(a, b));";
    check::<6>(body, |l| {
        let (x, y) = (1.0 + 1e-9 * l as f64, 1.0 / 3.0);
        let (a, b) = (x as f32, 1.0_f32 / 3.0);
        let single =
            [a * b - b, b * b - a, (x * y) as f32, a / b].map(|it| u64::from(it.to_bits()));
        let double = [x * y - y, x * x - 1.0].map(f64::to_bits);
        [double.as_slice(), &single].concat().try_into().unwrap()
    });
}

#[test]
fn intrinsics_in_divergent_code_are_errors_in_the_emulator() {
    let emulator = Emulator::open().unwrap();
    let calls =
        ["::__ballot_sync(~0u, 1)", "::__any_sync(~0u, 1)", "::__syncwarp()", "__syncthreads()"];
    for call in calls {
        let source = format!(
            "namespace nbody {{
constexpr int BLOCK = 32;
__global__ void by_hand(unsigned *) {{ if (threadIdx.x != 7) {call}; }}
}}"
        );
        let error = run(&emulator, &source, 1).unwrap_err().to_string();
        assert!(error.contains("a barrier that not every thread"), "{call}: {error}");
    }
}
