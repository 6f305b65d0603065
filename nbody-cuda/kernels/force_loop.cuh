// Bags of j-particles, and the FORCE-LOOP: what a bag does to the i-particles of a thread.
namespace nbody {

constexpr u32 WORD = 32; // j-particles that a word has a bit for each of
constexpr u32 WORDS = (BAG + WORD - 1) / WORD;
constexpr u32 PATIENCE = 8; // bags to take without notes, after one that was not worth them

// Which j-particles of 32 are within a cutoff, the last one lowest, and the index of that in the bag.
struct alignas(8) Note {
    u32 near, last;
};

// The notes of a block; those of i-particle m of a thread are every NEXT_NOTE-th from
// `threadIdx.x + m * BLOCK`, and there is room for one behind the last.
constexpr u32 NEXT_NOTE = I_PER_THREAD * BLOCK;
constexpr u32 NOTES = (WORDS + 1) * NEXT_NOTE;

// The same address in shared memory, but kept in a register: one that is known at compile time would
// be made anew, by four instructions, wherever it is needed.
template <typename T>
__device__ __forceinline__ T *kept(T *shared)
{
#ifdef __CUDACC__
    const u32 address = u32(::__cvta_generic_to_shared(shared));
    return static_cast<T *>(
        ::__cvta_shared_to_generic(::__shfl_sync(~0u, address, threadIdx.x % 32)));
#else
    return shared;
#endif
}

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

// Notes which j-particles of a bag are within the cutoff of the i-particles of this thread, a note
// for each 32 of them that has any, and where the notes for each i-particle end. Whether no more
// than half of the bag is, for any thread of the warp.
template <typename Law>
__device__ __forceinline__ bool note(
    const Law &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 count, u32 mine, bool diagonal, Note *notes, u32 (&ends)[I_PER_THREAD])
{
    u32 within_reach[I_PER_THREAD] = {};
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) ends[m] = m * BLOCK;
#pragma unroll 1
    for (u32 begin = 0; begin < count; begin += WORD) {
        u32 beyond[I_PER_THREAD] = {};
#pragma unroll
        for (u32 k = 0; k < WORD; ++k) {
            const ParticleJ j = bag[begin + k].j;
#pragma unroll
            for (int m = 0; m < I_PER_THREAD; ++m) {
                push_sign(within(self, space, i[m], j), beyond[m]);
            }
        }
        const u32 last = begin + WORD - 1;
        const u32 missing = last < count ? 0 : ~0u >> (count - begin);
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const u32 before_last = last - (mine + m * BLOCK);
            const u32 itself = diagonal && before_last < WORD ? 1u << before_last : 0;
            const u32 near = ~(beyond[m] | missing | itself);
            notes[ends[m]] = {near, last};
            if (near != 0) ends[m] += NEXT_NOTE;
            within_reach[m] += ::__popc(near);
        }
    }
    bool few = true;
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) few &= within_reach[m] <= count / 2;
    return ::__all_sync(~0u, few);
}

// Each thread goes through what it noted by itself: a warp takes the long way as often as its
// busiest thread needs it, where side by side it does if any thread does.
__device__ __forceinline__ void noted(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 first, const Note *notes, const u32 (&ends)[I_PER_THREAD],
    Running (&current)[I_PER_THREAD])
{
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        Note note = notes[m * BLOCK];
        for (u32 at = m * BLOCK; at < ends[m];) {
            const u32 before_last = WORD - 1 - ::__clz(note.near);
            const u32 k = note.last - before_last;
            meet_near(self, space, i[m], bag[k].j, first + k, current[m]);
            note.near ^= 1u << before_last;
            if (note.near == 0) note = notes[at += NEXT_NOTE];
        }
    }
}

} // namespace nbody
