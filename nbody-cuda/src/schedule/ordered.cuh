// The Chamomile scheme (Hamada & Iitaka 2007, section 2): the j-particles pass through shared
// memory in bags, each thread keeps some i-particles and their accumulators in registers, and
// after each bag the accumulators are folded into backup accumulators.
namespace nbody {

// Particles lie in memory as rows of words of the size of a `real`.
static_assert(IDIM == 0 || sizeof(ParticleI) == IDIM * sizeof(real), "padding in ParticleI");
static_assert(JDIM == 0 || sizeof(ParticleJ) == JDIM * sizeof(real), "padding in ParticleJ");

// Fills a bag with a range of j-particles, once the bag before has been used; all threads take part.
__device__ __forceinline__ void fill(
    Slot *bag, const ParticleJ *__restrict__ j_particles, u32 first, u32 count)
{
    __syncthreads();
    for (u32 k = threadIdx.x; k < count; k += BLOCK) bag[k].j = j_particles[first + k];
    __syncthreads();
}

// The sums of all j-particles for one tile of i-particles: as many blocks as there are splits
// sum a part of the j-particles each, and the last of them to end merges the parts.
//
// Block = split * tiles + tile. `out` is a structure of arrays, component c of i-particle k at
// [c * ni + k]; `parts` holds one such for each split, and `ended` counts the blocks of a tile
// that have ended, zero before and after. With `one_set`, particle k of i is particle k of j, and
// meets itself only in an interaction of SELF_PAIRS.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) ordered(
    const Parameters parameters, const Space space,
    const ParticleI *__restrict__ i_particles, const u32 ni,
    const ParticleJ *__restrict__ j_particles, const u32 nj,
    const u32 tiles, const u32 splits, const u32 bags_per_split, const u32 one_set,
    backup *parts, u32 *ended, backup *__restrict__ out)
{
    constexpr u32 TILE = BLOCK * I_PER_THREAD;
    __shared__ Parameters shared_self; // where threads look up entries, each its own
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    __shared__ Slot bag[CUTOFF ? WORDS * WORD : BAG];
    // What a thread needs to go through its hits.
    __shared__ Hits shared_hits[HITS];
    Hits *const hits = CUTOFF ? kept(shared_hits + threadIdx.x) : nullptr;
    const Slot *const kept_bag = CUTOFF ? kept(bag) : nullptr;
    const Parameters &kept_self = CUTOFF && LOOKS_UP ? *kept(&shared_self) : self;

    const u32 split = blockIdx.x / tiles;
    const u32 tile = blockIdx.x % tiles;
    const u32 tile_begin = tile * TILE;
    const u32 mine = tile_begin + threadIdx.x; // and every BLOCK-th from there
    const size_t split_begin = size_t(split) * bags_per_split * BAG;
    const size_t split_end = split_begin + size_t(bags_per_split) * BAG;
    const u32 begin = split_begin < nj ? u32(split_begin) : nj;
    const u32 end = split_end < nj ? u32(split_end) : nj;

    const bool skip_self = one_set && !SELF_PAIRS;

    // Threads beyond the last i-particle repeat it, and write nothing.
    const auto index_of = [=](int m) {
        const u32 index = mine + m * BLOCK;
        return index < ni ? index : ni - 1;
    };
    const auto is_there = [=](int m) { return mine + m * BLOCK < ni; };
    ParticleI i[I_PER_THREAD];
    Running current[I_PER_THREAD];
    backup total[I_PER_THREAD][FDIM];
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        i[m] = i_particles[index_of(m)];
        reset(total[m]);
        current[m] = nothing_yet();
    }

    u32 unfiltered = 0; // bags to come with many hits
    for (u32 first = begin; first < end; first += BAG) {
        const u32 count = end - first < u32(BAG) ? end - first : u32(BAG);
        fill(bag, j_particles, first, count);

        // Particles of this tile must not meet themselves.
        const bool diagonal =
            skip_self && first < tile_begin + TILE && tile_begin < first + count;
        if constexpr (CUTOFF) {
            u32 ends[I_PER_THREAD];
            if (unfiltered == 0
                && !filter(parameters, space, i, bag, count, mine - first, diagonal, hits, ends)) {
                unfiltered = UNFILTERED;
            }
            if (unfiltered == 0) {
                hit_by_hit(kept_self, space, i, kept_bag, first, hits, ends, current);
            } else {
                --unfiltered;
                one_by_one(
                    self, space, i, bag, first, {0, 1, count}, mine - first, BLOCK, diagonal, current);
            }
        } else if (count == BAG && !diagonal) {
            side_by_side(self, space, i, bag, first, current);
        } else {
            one_by_one(
                self, space, i, bag, first, {0, 1, count}, mine - first, BLOCK, diagonal, current);
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
        // The splits are merged in their order, so that the result is the same in every run.
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
        if (is_there(m)) store(total[m], out, index_of(m), ni);
    }
}

} // namespace nbody
