// Running sums, and backup accumulators in global memory.
namespace nbody {

// Sums of a thread for one i-particle; with compensation also their rounding errors.
struct Running {
    Accumulators sum, lost;
};

__device__ __forceinline__ Running nothing_yet() { return {nothing(), nothing()}; }

// Some programs lack `within`, `beyond`, `add` and the index of j, so only templates may name
// them.

// Returns whether a pair is beyond the cutoff; false for NaN.
template <typename Law>
__device__ __forceinline__ bool is_beyond(
    const Law &self, const Space &space, const ParticleI &i, const ParticleJ &j)
{
    if constexpr (CUTOFF) return beyond(self, space, i, j);
    else return false;
}

// Adds the contribution of j, with its index, to i.
template <typename Law>
__device__ __forceinline__ void act(
    const Law &self, const Space &space, const ParticleI &i, const ParticleJ &j, u32 index,
    Accumulators &f)
{
    if constexpr (KEEPS_INDEX) pair(self, space, i, j, index, f);
    else pair(self, space, i, j, f);
}

// Adds the contribution of j to i, for a pair within the cutoff.
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

// Adds the contribution of j to i.
__device__ __forceinline__ void meet(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j, u32 index,
    Running &f)
{
    if (!is_beyond(self, space, i, j)) meet_near(self, space, i, j, index, f);
}

// Calls a function for each number of a result. The loop is unrolled, so that the numbers can be
// in registers, unless they exceed the 255 registers of a thread: such a loop would take long to
// compile.
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

// Folds the sums of a thread. The rounding error of an infinite sum is NaN and is left out.
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

// Stores component c of result k at [c * n + k].
__device__ __forceinline__ void store(const backup (&total)[FDIM], backup *to, u32 k, u32 n)
{
    for_each_number([&](int c) { to[size_t(c) * n + k] = total[c]; });
}

__device__ __forceinline__ void load(const backup *from, u32 k, u32 n, backup (&total)[FDIM])
{
    for_each_number([&](int c) { total[c] = from[size_t(c) * n + k]; });
}

} // namespace nbody
