// Both directions of each pair at once, by Newton's third law: each pair of one set is evaluated
// once. Each lane of a warp has several i-particles. At each step it evaluates another of 32
// j-particles, whose sums it receives from the next lane.
//
// The particles are divided into tiles of i-particles, one for all warps of a block, and into
// groups of j-particles. A tile meets its own groups and all later groups. The blocks take equal
// shares of these meetings, tile after tile. The sums of i-particles are folded into `i_parts`
// after each bag. The sums of the j-particles of a group are written to `j_parts`, one row per
// tile. The kernel `merge_parts` adds both in a fixed order.
namespace nbody {

static_assert(sizeof(ParticleI) == IDIM * sizeof(real), "padding in ParticleI");

constexpr u32 WARPS = BLOCK / LANES;

// Passes a value to the previous lane; the first lane passes it to the last.
template <typename T>
__device__ __forceinline__ void pass_on(T &value)
{
    constexpr u32 WORDS = sizeof(T) / sizeof(u32);
    u32 words[WORDS];
    ::memcpy(words, &value, sizeof(T));
#pragma unroll
    for (u32 &word : words) word = ::__shfl_sync(~0u, word, threadIdx.x + 1);
    ::memcpy(&value, words, sizeof(T));
}

// Adds the contributions of both particles of a pair to each other.
__device__ __forceinline__ void meet_symmetric(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j,
    Accumulators &f, Accumulators &g)
{
    if (!is_beyond(self, space, i, j)) law::pair_symmetric(self, space, i, j, f, g);
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) symmetric(
    const Parameters parameters, const Space space, const ParticleI *__restrict__ particles,
    const Share share, backup *__restrict__ i_parts, backup *__restrict__ j_parts)
{
    // The j-particles in rows of 32, each row twice, so that every lane reads 32 consecutive slots
    // from its own on; and the sums of j-particles over the i-particles of each warp.
    __shared__ Slot bag[2 * J_GROUP];
    __shared__ Accumulators felt[WARPS][J_GROUP];
    __shared__ Parameters shared_self; // for entries whose index differs between lanes
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    if (LOOKS_UP) __syncthreads();
    const Parameters &self = LOOKS_UP ? shared_self : parameters;

    const u32 lane = threadIdx.x % LANES;
    const u32 warp = threadIdx.x / LANES;
    const u32 n = share.n;
    const u32 block = share.block_begin + blockIdx.x;
    const u64 end = share.begin(block + 1);

    u32 tile = share.first;
    for (u64 meeting = share.begin(block); meeting < end;) {
        while (share.meetings_before(tile + 1) <= meeting) ++tile;
        const u64 tile_first = share.meetings_before(tile);
        const u64 tile_last = share.meetings_before(tile + 1);
        const u64 tile_end = tile_last < end ? tile_last : end;
        const u32 tile_begin = tile * TILE;
        // The first i-particle of this lane; the others follow at a distance of 32.
        const u32 row = warp * (LANES * I_PER_THREAD) + lane;
        const u32 warp_begin = tile_begin + warp * (LANES * I_PER_THREAD);

        backup *const i_part = i_parts + share.i_part(block, tile);
        backup *const j_part = j_parts + share.j_part(tile);
        ParticleI i[I_PER_THREAD];
        Accumulators current[I_PER_THREAD];
        backup nil[FDIM];
        reset(nil);
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const u32 index = tile_begin + row + m * LANES;
            i[m] = particles[index < n ? index : n - 1];
            current[m] = nothing();
            store(nil, i_part, row + m * LANES, TILE);
            const bool itself = SELF_PAIRS && meeting == tile_first;
            if (itself && !is_beyond(self, space, i[m], i[m])) {
                act(self, space, i[m], i[m], index, current[m]);
            }
        }

        for (; meeting < tile_end; ++meeting) {
            const u32 column = u32(meeting - tile_first) * J_GROUP;
            const u32 first = tile_begin + column;
            const bool mine = threadIdx.x < J_GROUP && first + threadIdx.x < n;
            if (mine) {
                const u32 at = 2 * LANES * warp + lane;
                bag[at].j = bag[at + LANES].j = particles[first + threadIdx.x];
            }
            __syncthreads();
#pragma unroll 1
            for (u32 part = 0; part < J_GROUP; part += LANES) {
                const Slot *const others = bag + 2 * part + lane;
                const u32 j_begin = first + part;
                Accumulators g = nothing();
                if (warp_begin + LANES * I_PER_THREAD <= j_begin && j_begin + LANES <= n) {
#pragma unroll UNROLL
                    for (u32 turn = 0; turn < LANES; ++turn) {
                        const ParticleJ j = others[turn].j;
#pragma unroll
                        for (int m = 0; m < I_PER_THREAD; ++m) {
                            meet_symmetric(self, space, i[m], j, current[m], g);
                        }
                        pass_on(g);
                    }
                } else if (warp_begin < j_begin + LANES) {
                    // Counts only pairs above the diagonal, of particles that exist.
#pragma unroll 1
                    for (u32 turn = 0; turn < LANES; ++turn) {
                        const ParticleJ j = others[turn].j;
                        const u32 at = j_begin + (lane + turn) % LANES;
#pragma unroll
                        for (int m = 0; m < I_PER_THREAD; ++m) {
                            const Accumulators before = current[m], g_before = g;
                            meet_symmetric(self, space, i[m], j, current[m], g);
                            const bool met = tile_begin + row + m * LANES < at && at < n;
                            if (!met) current[m] = before;
                            if (!met) g = g_before;
                        }
                        pass_on(g);
                    }
                }
                felt[warp][part + lane] = g;
            }
            __syncthreads();
            if (mine) {
                backup total[FDIM];
                reset(total);
#pragma unroll
                for (u32 w = 0; w < WARPS; ++w) fold(felt[w][threadIdx.x], total);
                store(total, j_part, column + threadIdx.x, n - tile_begin);
            }
            const bool bag_ends = (column + J_GROUP) % BAG == 0;
            if ((FOLD_EACH_BAG && bag_ends) || meeting + 1 == tile_end) {
#pragma unroll
                for (int m = 0; m < I_PER_THREAD; ++m) {
                    backup total[FDIM];
                    load(i_part, row + m * LANES, TILE, total);
                    fold(current[m], total);
                    current[m] = nothing();
                    store(total, i_part, row + m * LANES, TILE);
                }
            }
        }
    }
}

// Merges the partial sums of each particle, the sums of its own tile first. The launch with the
// first tile starts from zero; later launches add to `out`.
extern "C" __global__ void __launch_bounds__(BLOCK) merge_parts(
    const Share share, const backup *__restrict__ i_parts,
    const backup *__restrict__ j_parts, backup *__restrict__ out)
{
    const u32 n = share.n;
    const u32 k = share.first * TILE + blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    backup total[FDIM];
    backup part[FDIM];
    if (share.first == 0) reset(total);
    else load(out, k, n, total);
    const u32 own = k / TILE;
    if (own < share.end) {
        const u32 last = share.block_of(share.meetings_before(own + 1) - 1);
        for (u32 block = share.block_of(share.meetings_before(own)); block <= last; ++block) {
            load(i_parts + share.i_part(block, own), k % TILE, TILE, part);
            merge(part, total);
        }
    }
    for (u32 tile = share.first; tile < share.end && tile <= own; ++tile) {
        load(j_parts + share.j_part(tile), k - tile * TILE, n - tile * TILE, part);
        merge(part, total);
    }
    store(total, out, k, n);
}

} // namespace nbody
