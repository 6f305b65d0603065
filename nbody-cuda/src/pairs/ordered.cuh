// Ordered pairs by the Chamomile scheme (Hamada & Iitaka 2007, section 2). A block loads the
// j-particles into shared memory in bags. Each thread has i-particles and their accumulators in
// registers. After BAGS_PER_FOLD bags it folds the accumulators into backup accumulators, which
// are in registers, or in shared memory if TOTALS_ARE_SHARED.
//
// Tables are read from shared memory: constant memory serves one address at a time, and the
// lanes of a warp have particles of different types.
namespace nbody {

// The host packs particles without padding.
static_assert(IDIM == 0 || sizeof(ParticleI) == IDIM * sizeof(real), "padding in ParticleI");
static_assert(JDIM == 0 || sizeof(ParticleJ) == JDIM * sizeof(real), "padding in ParticleJ");

// The backup accumulators of a thread. Their number is odd: in shared memory, each thread of half
// a warp has its own banks.
struct Backups {
    backup total[I_PER_THREAD][FDIM];
    backup spare[1 + I_PER_THREAD * FDIM % 2];
};

// Loads a range of j-particles into the bag, after all threads have finished the previous one.
__device__ __forceinline__ void fill(
    Slot *bag, const ParticleJ *__restrict__ j_particles, u32 first, u32 count)
{
    __syncthreads();
    for (u32 k = threadIdx.x; k < count; k += BLOCK) bag[k].j = j_particles[first + k];
    __syncthreads();
}

// Sums over all j-particles for the i-particles of each tile; the tiles have `ni` i-particles: all, or
// a SHARE of `all` from `share_begin` on. Each tile and split has a block, which sums over the
// j-particles of the split. The last block of a tile to end merges the splits.
//
// Block = split * tiles + tile. `out` is a structure of arrays, component c of i-particle k at
// [c * n + k]; `parts` has one per split, of these i-particles alone; `ended` counts the finished
// blocks of each tile and is zero before and after the launch. With `one_set`, particle k of i is
// particle k of j, and the pair of a particle with itself is evaluated only with SELF_PAIRS.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) ordered(
    const Parameters parameters, const Space space,
    const ParticleI *__restrict__ i_particles, const u32 share_begin, const u32 ni, const u32 all,
    const ParticleJ *__restrict__ j_particles, const u32 nj,
    const u32 tiles, const u32 splits, const u32 bags_per_split, const u32 one_set,
    backup *parts, u32 *ended, backup *__restrict__ out)
{
    constexpr u32 TILE = BLOCK * I_PER_THREAD;
    const u32 i_begin = SHARE ? share_begin : 0;
    const u32 n = SHARE ? all : ni;
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    __shared__ Slot bag[CUTOFF ? WORDS * WORD : BAG];
    // Pointers for the loop over hits.
    __shared__ Hits shared_hits[HITS];
    Hits *const hits = CUTOFF ? kept(shared_hits + threadIdx.x) : nullptr;
    const Slot *const kept_bag = CUTOFF ? kept(bag) : nullptr;
    const Parameters &kept_self = CUTOFF && LOOKS_UP ? *kept(&shared_self) : self;

    const u32 split = blockIdx.x / tiles;
    const u32 tile = blockIdx.x % tiles;
    const u32 tile_begin = tile * TILE;
    const u32 mine = tile_begin + threadIdx.x; // and every BLOCK-th from there
    const u32 set_begin = i_begin + tile_begin; // indices in the set
    const u32 set_mine = i_begin + mine;
    const size_t split_begin = size_t(split) * bags_per_split * BAG;
    const size_t split_end = split_begin + size_t(bags_per_split) * BAG;
    const u32 begin = split_begin < nj ? u32(split_begin) : nj;
    const u32 end = split_end < nj ? u32(split_end) : nj;

    const bool skip_self = one_set && !SELF_PAIRS;

    // Threads beyond the last i-particle compute it again and write nothing.
    const auto index_of = [=](int m) {
        const u32 index = mine + m * BLOCK;
        return index < ni ? index : ni - 1;
    };
    const auto is_there = [=](int m) { return mine + m * BLOCK < ni; };
    ParticleI i[I_PER_THREAD];
    Running current[I_PER_THREAD];
    __shared__ Backups shared_backups[TOTALS_ARE_SHARED ? BLOCK : 1];
    Backups own_backups;
    Backups &backups = TOTALS_ARE_SHARED ? shared_backups[threadIdx.x] : own_backups;
    backup (&total)[I_PER_THREAD][FDIM] = backups.total;
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        i[m] = i_particles[i_begin + index_of(m)];
        reset(total[m]);
        current[m] = nothing_yet();
    }

    u32 unfiltered = 0; // bags left to evaluate without the filter
    for (u32 next = begin; next < end; next += BAGS_PER_FOLD * BAG) {
        for (u32 k = 0; k < BAGS_PER_FOLD; ++k) {
            const u32 first = next + k * BAG;
            if (k > 0 && first >= end) break;
            const u32 count = end - first < u32(BAG) ? end - first : u32(BAG);
            fill(bag, j_particles, first, count);

            // The bag contains particles of this tile.
            const bool diagonal =
                skip_self && first < set_begin + TILE && set_begin < first + count;
            if constexpr (CUTOFF) {
                u32 ends[I_PER_THREAD];
                if (unfiltered == 0
                    && !filter(parameters, space, i, bag, count, set_mine - first, diagonal, hits, ends)) {
                    unfiltered = UNFILTERED;
                }
                if (unfiltered == 0) {
                    hit_by_hit(kept_self, space, i, kept_bag, first, hits, ends, current);
                } else {
                    --unfiltered;
                    one_by_one(
                        self, space, i, bag, first, {0, 1, count}, set_mine - first, BLOCK, diagonal, current);
                }
            } else if (count == BAG && !diagonal) {
                side_by_side(self, space, i, bag, first, current);
            } else {
                one_by_one(
                    self, space, i, bag, first, {0, 1, count}, set_mine - first, BLOCK, diagonal, current);
            }
        }
        if constexpr (FOLD_EACH_BAG) {
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) {
                fold(current[m], total[m]);
                current[m] = nothing_yet();
            }
        }
    }
    if constexpr (!FOLD_EACH_BAG) {
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) fold(current[m], total[m]);
    }

    if (splits > 1) {
        backup *const part = parts + size_t(split) * FDIM * ni;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            if (is_there(m)) store(total[m], part, index_of(m), ni);
        }
        if (!is_last(ended + tile, splits)) return;
        // The splits are merged in order, so that results are reproducible.
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) load(parts, index_of(m), ni, total[m]);
#pragma unroll PARTS
        for (u32 s = 1; s < splits; ++s) {
            const backup *const later = parts + size_t(s) * FDIM * ni;
            backup part[I_PER_THREAD][FDIM];
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) load(later, index_of(m), ni, part[m]);
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) merge(part[m], total[m]);
        }
    }
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        if (is_there(m)) store(total[m], out, i_begin + index_of(m), n);
    }
}

} // namespace nbody
