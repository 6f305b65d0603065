// One result over all pairs. A block meets a tile of i-particles with a range of j-particles, which
// it loads into shared memory in bags. Its threads add to arrays of counts in shared memory, and
// keep the other sums of their i-particles in registers. At the end the counts are added to the
// counts of all blocks, and the sums of the threads are merged; the host merges the blocks. The
// order of all sums of reals is fixed.
namespace nbody {

// The host packs particles without padding.
static_assert(IDIM == 0 || sizeof(ParticleI) == IDIM * sizeof(real), "padding in ParticleI");
static_assert(JDIM == 0 || sizeof(ParticleJ) == JDIM * sizeof(real), "padding in ParticleJ");

// Adds the pairs of a bag, at whose beginning is the j-particle `first`. If `is_checked`, i-particles
// from `ni` on, which are not there, meet none, and no particle meets itself if `skips_self`.
template <bool IS_CHECKED>
__device__ __forceinline__ void meet_bag(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD], u32 mine, u32 ni,
    const Slot *bag, u32 first, u32 count, bool skips_self, Running (&current)[I_PER_THREAD])
{
#pragma unroll UNROLL
    for (u32 k = 0; k < count; ++k) {
        const ParticleJ j = bag[k].j;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const u32 index = mine + m * BLOCK;
            if (!IS_CHECKED || (index < ni && !(skips_self && index == first + k))) {
                meet(self, space, i[m], j, bag[k].index(first + k), current[m]);
            }
        }
    }
}

// Block = split * tiles + tile. Number c of the sums of block b is at [c * blocks + b] of `parts`.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) pair_total(
    const Parameters parameters, const Space space,
    const ParticleI *__restrict__ i_particles, const u32 ni,
    const ParticleJ *__restrict__ j_particles, const u32 nj,
    const u32 tiles, const u32 bags_per_split, const u32 one_set,
    unsigned long long *counts, backup *__restrict__ parts)
{
    constexpr u32 TILE = BLOCK * I_PER_THREAD;
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    __shared__ Slot bag[BAG];
    for (u32 k = threadIdx.x; k < COUNTS; k += BLOCK) shared_counts()[k] = 0;

    const u32 tile_begin = blockIdx.x % tiles * TILE;
    const u32 mine = tile_begin + threadIdx.x; // and every BLOCK-th from there
    const size_t split_begin = size_t(blockIdx.x / tiles) * bags_per_split * BAG;
    const size_t split_end = split_begin + size_t(bags_per_split) * BAG;
    const u32 begin = split_begin < nj ? u32(split_begin) : nj;
    const u32 end = split_end < nj ? u32(split_end) : nj;
    const bool is_whole = tile_begin + TILE <= ni;
    const bool skips_self = one_set && !SELF_PAIRS;

    ParticleI i[I_PER_THREAD];
    Running current[I_PER_THREAD];
    backup total[FDIM];
    reset(total);
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        const u32 index = mine + m * BLOCK;
        i[m] = i_particles[index < ni ? index : ni - 1];
        current[m] = nothing_yet();
    }
    for (u32 first = begin; first < end; first += BAG) {
        const u32 count = end - first < u32(BAG) ? end - first : u32(BAG);
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += BLOCK) bag[k].j = j_particles[first + k];
        __syncthreads();
        // The bag contains particles of this tile.
        const bool diagonal = skips_self && first < tile_begin + TILE && tile_begin < first + count;
        if (is_whole && !diagonal && count == BAG) {
            meet_bag<false>(self, space, i, mine, ni, bag, first, BAG, false, current);
        } else {
            meet_bag<true>(self, space, i, mine, ni, bag, first, count, diagonal, current);
        }
        if constexpr (FOLD_EACH_BAG) {
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) {
                fold(current[m], total);
                current[m] = nothing_yet();
            }
        }
    }
    if constexpr (!FOLD_EACH_BAG) {
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) fold(current[m], total);
    }
    merge_block<MERGING>(total);
    if (threadIdx.x == 0) {
#pragma unroll UNROLL_TOTAL
        for (int c = 0; c < FDIM; ++c) parts[size_t(c) * gridDim.x + blockIdx.x] = total[c];
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < COUNTS; k += BLOCK) {
        const u32 n = shared_counts()[k];
        if (n != 0) ::atomicAdd(counts + k, (unsigned long long)n);
    }
}

} // namespace nbody
