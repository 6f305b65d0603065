// Running sums, backup accumulators in global memory, and blocks that wait for no other.
namespace nbody {

// What a thread sums for one i-particle, and what rounding took from that, where it is compensated.
struct Running {
    Accumulators sum, lost;
};

__device__ __forceinline__ Running nothing_yet() { return {nothing(), nothing()}; }

// Adds what j does to i.
__device__ __forceinline__ void meet(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j, u32 index,
    Running &f)
{
    if constexpr (COMPENSATED) {
        Accumulators term = nothing();
        act(self, space, i, j, index, term);
        add(term, f.sum, f.lost);
    } else {
        act(self, space, i, j, index, f.sum);
    }
}

__device__ __forceinline__ void fold(const Running &f, backup (&total)[FDIM])
{
    fold(f.sum, total);
    if constexpr (COMPENSATED) fold(f.lost, total);
}

// Component c of row k lies at [c * n + k].
__device__ __forceinline__ void store(const backup (&total)[FDIM], backup *to, u32 k, u32 n)
{
#pragma unroll
    for (int c = 0; c < FDIM; ++c) to[size_t(c) * n + k] = total[c];
}

__device__ __forceinline__ void load(const backup *from, u32 k, u32 n, backup (&total)[FDIM])
{
#pragma unroll
    for (int c = 0; c < FDIM; ++c) total[c] = from[size_t(c) * n + k];
}

// Whether this block is the last of `blocks` to come here, which then sees what the others wrote.
// The count is zero again behind it.
__device__ __forceinline__ bool is_last(u32 *ended, u32 blocks)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); // what this block wrote comes before the count,
        last = ::atomicAdd(ended, 1u) == blocks - 1;
        if (last) *ended = 0;
        __threadfence(); // and what the others wrote comes behind it
    }
    __syncthreads();
    return last;
}

} // namespace nbody
