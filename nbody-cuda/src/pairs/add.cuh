// Adds the results of an evaluation to earlier results, with one thread per i-particle.
//
// Schedules do not know that results are added, and their registers do not change: an evaluation
// goes to scratch memory, and this kernel, which is compiled at its first use, merges it.
namespace nbody {

// `results` and `out` are structures of arrays, component c of i-particle k at [c * n + k]. Only
// i-particles `begin` to `end` are added.
extern "C" __global__ void __launch_bounds__(BLOCK) add_results(
    const backup *__restrict__ results, backup *__restrict__ out, const u32 begin, const u32 end,
    const u32 n)
{
    const u32 k = begin + blockIdx.x * BLOCK + threadIdx.x;
    if (k >= end) return;
    backup term[FDIM];
    backup sum[FDIM];
    load(results, k, n, term);
    load(out, k, n, sum);
    merge(term, sum);
    store(sum, out, k, n);
}

} // namespace nbody
