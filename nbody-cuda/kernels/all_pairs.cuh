// The Chamomile scheme (Hamada & Iitaka 2007, section 2): the j-particles pass through shared
// memory in bags, each thread keeps some i-particles and their accumulators in registers, and
// after each bag the accumulators are folded into backup accumulators.
namespace nbody {

// Particles lie in memory as rows of words of the size of a `real`.
static_assert(IDIM == 0 || sizeof(ParticleI) == IDIM * sizeof(real), "padding in ParticleI");
static_assert(JDIM == 0 || sizeof(ParticleJ) == JDIM * sizeof(real), "padding in ParticleJ");

// One j-particle of a bag, aligned so that it is read in as few accesses as possible.
struct alignas(16) Slot {
    ParticleJ j;
};

// The sums over one split of the j-particles, for one tile of i-particles a block.
//
// The blocks of a split follow one another: block = split * tiles + tile. `sums` is a structure
// of arrays, component c of i-particle k in split s at [(s * FDIM + c) * ni + k]; with one split
// it is the result. With `one_set`, particle k of i is particle k of j, and meets itself only in
// an interaction of SELF_PAIRS.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) all_pairs(
    const Parameters self, const Space space,
    const ParticleI *__restrict__ i_particles, const u32 ni,
    const ParticleJ *__restrict__ j_particles, const u32 nj,
    const u32 tiles, const u32 bags_per_split, const u32 one_set,
    backup *__restrict__ sums)
{
    constexpr u32 TILE = BLOCK * I_PER_THREAD;
    __shared__ Slot bag[BAG];

    const u32 split = blockIdx.x / tiles;
    const u32 tile_begin = (blockIdx.x % tiles) * TILE;
    const u32 mine = tile_begin + threadIdx.x; // and every BLOCK-th from there
    const size_t split_begin = size_t(split) * bags_per_split * BAG;
    const size_t split_end = split_begin + size_t(bags_per_split) * BAG;
    const u32 begin = split_begin < nj ? u32(split_begin) : nj;
    const u32 end = split_end < nj ? u32(split_end) : nj;

    const bool skip_self = one_set && !SELF_PAIRS;

    // Threads beyond the last i-particle repeat it, and write nothing.
    ParticleI i[I_PER_THREAD];
    Accumulators current[I_PER_THREAD];
    backup total[I_PER_THREAD][FDIM];
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        const u32 index = mine + m * BLOCK;
        i[m] = i_particles[index < ni ? index : ni - 1];
        reset(total[m]);
        current[m] = nothing();
    }

    for (u32 first = begin; first < end; first += BAG) {
        const u32 count = end - first < u32(BAG) ? end - first : u32(BAG);
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += BLOCK) bag[k].j = j_particles[first + k];
        __syncthreads();

        // The FORCE-LOOP: without a branch, but for ragged bags and those that hold i-particles
        // of this tile.
        const bool diagonal =
            skip_self && first < tile_begin + TILE && tile_begin < first + count;
        if (count == BAG && !diagonal) {
#pragma unroll UNROLL
            for (int k = 0; k < BAG; ++k) {
                const ParticleJ j = bag[k].j;
#pragma unroll
                for (int m = 0; m < I_PER_THREAD; ++m) act(self, space, i[m], j, first + k, current[m]);
            }
        } else {
#pragma unroll 1
            for (u32 k = 0; k < count; ++k) {
                const ParticleJ j = bag[k].j;
#pragma unroll
                for (int m = 0; m < I_PER_THREAD; ++m) {
                    const bool itself = skip_self && mine + m * BLOCK == first + k;
                    if (!itself) act(self, space, i[m], j, first + k, current[m]);
                }
            }
        }

        if constexpr (FOLD_EACH_BAG) {
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) {
                fold(current[m], total[m]);
                current[m] = nothing();
            }
        }
    }

#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        if constexpr (!FOLD_EACH_BAG) fold(current[m], total[m]);
        const u32 index = mine + m * BLOCK;
        if (index < ni) {
            for (int c = 0; c < FDIM; ++c) {
                sums[(size_t(split) * FDIM + c) * ni + index] = total[m][c];
            }
        }
    }
}

// Merges the sums of the splits in their order, so that the result is the same in every run.
extern "C" __global__ void __launch_bounds__(BLOCK) merge_splits(
    const backup *__restrict__ sums, const u32 ni, const u32 splits, backup *__restrict__ out)
{
    const u32 i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= ni) return;
    backup total[FDIM];
    for (int c = 0; c < FDIM; ++c) total[c] = sums[size_t(c) * ni + i];
    for (u32 split = 1; split < splits; ++split) {
        backup part[FDIM];
        for (int c = 0; c < FDIM; ++c) part[c] = sums[(size_t(split) * FDIM + c) * ni + i];
        merge(part, total);
    }
    for (int c = 0; c < FDIM; ++c) out[size_t(c) * ni + i] = total[c];
}

} // namespace nbody
