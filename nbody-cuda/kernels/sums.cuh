// Running sums, backup accumulators in global memory, and blocks that wait for no other.
namespace nbody {

// What a thread sums for one i-particle, and what rounding took from that, where it is compensated.
struct Running {
    Accumulators sum, lost;
};

__device__ __forceinline__ Running nothing_yet() { return {nothing(), nothing()}; }

// What only some programs have, `within`, `add` and the index of j, only templates may name.

// Whether a pair contributes nothing. What is not a number is not beyond.
template <typename Law>
__device__ __forceinline__ bool is_beyond(
    const Law &self, const Space &space, const ParticleI &i, const ParticleJ &j)
{
    if constexpr (CUTOFF) return within(self, space, i, j) < real(0);
    else return false;
}

// Adds what j, which has this index, does to i.
template <typename Law>
__device__ __forceinline__ void act(
    const Law &self, const Space &space, const ParticleI &i, const ParticleJ &j, u32 index,
    Accumulators &f)
{
    if constexpr (KEEPS_INDEX) pair(self, space, i, j, index, f);
    else pair(self, space, i, j, f);
}

// Adds what j does to i, which is not beyond the cutoff.
template <typename Sums>
__device__ __forceinline__ void meet_near(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j, u32 index,
    Sums &f)
{
    if constexpr (COMPENSATED) {
        Accumulators term = nothing();
        act(self, space, i, j, index, term);
        add(term, f.sum, f.lost);
    } else {
        act(self, space, i, j, index, f.sum);
    }
}

// Adds what j does to i.
__device__ __forceinline__ void meet(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j, u32 index,
    Running &f)
{
    if (!is_beyond(self, space, i, j)) meet_near(self, space, i, j, index, f);
}

// Does something for each number of a result. The loop is unrolled, so that the numbers may be in
// registers; were they more than the 255 of a thread, that would only take long to compile.
template <typename Do>
__device__ __forceinline__ void for_each_number(const Do &act_on)
{
    if constexpr (FDIM * sizeof(backup) / sizeof(u32) <= 255) {
#pragma unroll
        for (int c = 0; c < FDIM; ++c) act_on(c);
    } else {
#pragma unroll 1
        for (int c = 0; c < FDIM; ++c) act_on(c);
    }
}

// Folds what a thread summed. An infinite sum lost what is not a number, which must not reach it.
__device__ __forceinline__ void fold(const Running &f, backup (&total)[FDIM])
{
    fold(f.sum, total);
    if constexpr (COMPENSATED) {
        backup whole[FDIM];
        for_each_number([&](int c) { whole[c] = total[c]; });
        fold(f.lost, whole);
        for_each_number([&](int c) { total[c] = whole[c] == whole[c] ? whole[c] : total[c]; });
    }
}

// Component c of row k lies at [c * n + k].
__device__ __forceinline__ void store(const backup (&total)[FDIM], backup *to, u32 k, u32 n)
{
    for_each_number([&](int c) { to[size_t(c) * n + k] = total[c]; });
}

__device__ __forceinline__ void load(const backup *from, u32 k, u32 n, backup (&total)[FDIM])
{
    for_each_number([&](int c) { total[c] = from[size_t(c) * n + k]; });
}

// Counts, and returns the count of before. Writes of this block come before it, reads behind it: less
// than a fence on both sides costs.
__device__ __forceinline__ u32 count_one_more(u32 *count)
{
#ifdef __CUDACC__
    u32 before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before) : "l"(count) : "memory");
    return before;
#else
    return ::atomicAdd(count, 1u);
#endif
}

// Whether this block is the last of `blocks` to come here, which then sees what the others wrote.
// The count is zero again behind it.
__device__ __forceinline__ bool is_last(u32 *ended, u32 blocks)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = count_one_more(ended) == blocks - 1;
        if (last) *ended = 0;
    }
    __syncthreads();
    return last;
}

} // namespace nbody
