// Ordered pairs of few i-particles. The threads of a block form groups of `lanes` threads, enough
// lanes for the i-particles. All groups have the same i-particles and share out the j-particles of
// a bag. After the last bag, the block adds the sums of the groups in shared memory, always in the
// same order.
namespace nbody {

// The host packs particles without padding.
static_assert(IDIM == 0 || sizeof(ParticleI) == IDIM * sizeof(real), "padding in ParticleI");
static_assert(JDIM == 0 || sizeof(ParticleJ) == JDIM * sizeof(real), "padding in ParticleJ");

// Adds the sums of the groups; the first group receives the total.
__device__ __forceinline__ void add_up(backup (&total)[I_PER_THREAD][FDIM], u32 lanes)
{
    __shared__ backup others[FDIM == 0 ? 1 : FDIM * (BLOCK / 2)];
    for (u32 half = BLOCK / 2; half >= lanes; half /= 2) {
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            __syncthreads();
            const bool gives = threadIdx.x >= half && threadIdx.x < 2 * half;
            if (gives) store(total[m], others, threadIdx.x - half, BLOCK / 2);
            __syncthreads();
            if (threadIdx.x < half) {
                backup other[FDIM];
                load(others, threadIdx.x, BLOCK / 2, other);
                merge(other, total[m]);
            }
        }
    }
}

// Sums over all j-particles for the i-particles of each tile: `lanes` times I_PER_THREAD of them. The
// tiles have `ni` i-particles: all, or a SHARE of `all` from `share_begin` on. Each tile and split has
// a block, which sums over the j-particles of the split. The last block of a tile to end merges the
// splits.
//
// Block = split * tiles + tile; `lanes` is a power of two, at most BLOCK and BAG. The arguments
// `out`, `parts`, `ended` and `one_set` are the same as in the kernel `ordered`.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) few(
    const Parameters parameters, const Space space,
    const ParticleI *__restrict__ i_particles, const u32 share_begin, const u32 ni, const u32 all,
    const ParticleJ *__restrict__ j_particles, const u32 nj,
    const u32 lanes, const u32 tiles, const u32 splits, const u32 one_set,
    backup *parts, u32 *ended, backup *__restrict__ out)
{
    const u32 i_begin = SHARE ? share_begin : 0;
    const u32 n = SHARE ? all : ni;
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    __shared__ Slot bags[2][BLOCK]; // one is loaded while the other is used

    const u32 split = blockIdx.x / tiles;
    const u32 tile = blockIdx.x % tiles;
    const u32 tile_begin = tile * lanes * I_PER_THREAD;
    const u32 tile_end = tile_begin + lanes * I_PER_THREAD;
    // The first i-particle of this thread; the others follow at a distance of `lanes`.
    const u32 mine = tile_begin + threadIdx.x % lanes;
    const u32 group = threadIdx.x / lanes;
    const u32 groups = BLOCK / lanes;
    // The share of a group in `count` j-particles or splits. The number of groups is a power of
    // two.
    const u32 shift = 31 - ::__clz(groups);
    const auto share_of = [=](u32 count) { return (count + groups - 1 - group) >> shift; };
    const u32 begin = u32(size_t(nj) * split / splits);
    const u32 end = u32(size_t(nj) * (split + 1) / splits);

    const bool skip_self = one_set && !SELF_PAIRS;
    const u32 set_begin = i_begin + tile_begin; // indices in the set
    const u32 set_end = i_begin + tile_end;

    // Lanes beyond the last i-particle compute it again and write nothing.
    const auto index_of = [=](int m) {
        const u32 index = mine + m * lanes;
        return index < ni ? index : ni - 1;
    };
    const auto is_there = [=](int m) { return group == 0 && mine + m * lanes < ni; };
    ParticleI i[I_PER_THREAD];
    Running current[I_PER_THREAD];
    backup total[I_PER_THREAD][FDIM];
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        i[m] = i_particles[i_begin + index_of(m)];
        reset(total[m]);
        current[m] = nothing_yet();
    }

    // The next bag is loaded while this one is used, to hide the latency at low occupancy.
    const auto fetch = [=](u32 first) {
        const u32 index = first + threadIdx.x;
        return j_particles[index < end ? index : end - 1];
    };
    ParticleJ next = fetch(begin);
    u32 summed = 0; // j-particles of a thread since the last fold
    u32 turn = 0;
    for (u32 first = begin; first < end; first += BLOCK) {
        const u32 count = end - first < u32(BLOCK) ? end - first : u32(BLOCK);
        Slot *const bag = bags[turn++ % 2];
        bag[threadIdx.x].j = next;
        __syncthreads();
        if (first + BLOCK < end) next = fetch(first + BLOCK);

        const Strided share = {group, groups, share_of(count)};
        const bool diagonal = skip_self && first < set_end && set_begin < first + count;
        // Two loops, so that most bags need not compare indices.
        if (diagonal) {
            const u32 own = i_begin + mine - first;
            one_by_one(self, space, i, bag, first, share, own, lanes, true, current);
        } else {
            one_by_one(self, space, i, bag, first, share, 0, lanes, false, current);
        }

        // Between folds, a thread sums over at most a bag.
        summed += BLOCK / groups;
        if (FOLD_EACH_BAG && summed + BLOCK / groups > BAG) {
            summed = 0;
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) {
                fold(current[m], total[m]);
                current[m] = nothing_yet();
            }
        }
    }
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) fold(current[m], total[m]);
    add_up(total, lanes);

    if (splits > 1) {
        backup *const part = parts + size_t(split) * FDIM * ni;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            if (is_there(m)) store(total[m], part, index_of(m), ni);
        }
        if (!is_last(ended + tile, splits)) return;
        // The groups also share out the splits.
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) reset(total[m]);
        const u32 turns = share_of(splits);
#pragma unroll PARTS
        for (u32 turn = 0; turn < turns; ++turn) {
            const backup *const later = parts + size_t(group + turn * groups) * FDIM * ni;
            backup part[I_PER_THREAD][FDIM];
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) load(later, index_of(m), ni, part[m]);
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) merge(part[m], total[m]);
        }
        add_up(total, lanes);
    }
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        if (is_there(m)) store(total[m], out, i_begin + index_of(m), n);
    }
}

} // namespace nbody
