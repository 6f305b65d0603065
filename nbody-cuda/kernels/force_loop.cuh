// Bags of j-particles, and the FORCE-LOOP: what a bag does to the i-particles of a thread.
namespace nbody {

// One j-particle of a bag, aligned so that it is read in as few accesses as possible.
struct alignas(16) Slot {
    ParticleJ j;
};

constexpr u32 WORD = 32; // j-particles that a word has a bit for each of
constexpr u32 WORDS = (BAG + WORD - 1) / WORD;
constexpr u32 PATIENCE = 8; // bags to take without notes, after one that was not worth them
constexpr u32 FIRST = 0x80000000u; // the highest bit

// A whole bag, all lanes of a warp side by side.
__device__ __forceinline__ void side_by_side(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 first, Running (&current)[I_PER_THREAD])
{
#pragma unroll UNROLL
    for (u32 k = 0; k < BAG; ++k) {
        const ParticleJ j = bag[k].j;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) meet(self, space, i[m], j, first + k, current[m]);
    }
}

// A bag that is not whole, or that has particles of the tile: particle `mine + m * BLOCK` of it
// must not meet i-particle m.
__device__ __forceinline__ void one_by_one(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 first, u32 count, u32 mine, bool diagonal, Running (&current)[I_PER_THREAD])
{
#pragma unroll UNROLL
    for (u32 k = 0; k < count; ++k) {
        const ParticleJ j = bag[k].j;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const bool itself = diagonal && mine + m * BLOCK == k;
            if constexpr (CUTOFF) {
                // There are branches anyway.
                if (!itself) meet(self, space, i[m], j, first + k, current[m]);
            } else {
                const Running before = current[m];
                meet(self, space, i[m], j, first + k, current[m]);
                if (itself) current[m] = before;
            }
        }
    }
}

// Notes which j-particles of a bag are within the cutoff of the i-particles of this thread, a bit
// for each, the first one highest. Whether no more than half of them are, for any thread of the
// warp.
__device__ __forceinline__ bool note(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 count, u32 (*notes)[I_PER_THREAD][BLOCK])
{
    u32 most = 0;
    u32 within_reach[I_PER_THREAD] = {};
#pragma unroll 1
    for (u32 word = 0; word < WORDS; ++word) {
        u32 beyond[I_PER_THREAD] = {};
#pragma unroll
        for (u32 k = 0; k < WORD; ++k) {
            const ParticleJ j = bag[word * WORD + k].j;
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) {
                push_sign(within(self, space, i[m], j), beyond[m]);
            }
        }
        const u32 begin = word * WORD;
        const u32 missing = begin >= count ? ~0u : count - begin < WORD ? ~0u >> (count - begin) : 0;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const u32 near = ~(beyond[m] | missing);
            notes[word][m][threadIdx.x] = near;
            within_reach[m] += ::__popc(near);
            most = within_reach[m] > most ? within_reach[m] : most;
        }
    }
    return ::__all_sync(~0u, most <= count / 2);
}

// Each thread goes through what it noted by itself: a warp takes the long way as often as its
// busiest thread needs it, where side by side it does if any thread does.
__device__ __forceinline__ void noted(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 first, u32 count, u32 mine, bool diagonal,
    u32 (*notes)[I_PER_THREAD][BLOCK], Running (&current)[I_PER_THREAD])
{
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        const u32 me = mine + m * BLOCK;
        if (diagonal && me < count) notes[me / WORD][m][threadIdx.x] &= ~(FIRST >> me % WORD);
        u32 near = notes[0][m][threadIdx.x];
        for (u32 word = 0; word < WORDS;) {
            if (near != 0) {
                const u32 bit = ::__clz(near);
                const u32 k = word * WORD + bit;
                meet(self, space, i[m], bag[k].j, first + k, current[m]);
                near &= ~(FIRST >> bit);
            }
            if (near == 0 && ++word < WORDS) near = notes[word][m][threadIdx.x];
        }
    }
}

} // namespace nbody
