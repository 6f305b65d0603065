// The FORCE-LOOP: adds the contributions of a bag of j-particles to the i-particles of a thread.
// With a cutoff, the j-particles are candidates, and a filter finds the hits: the candidates
// within the cutoff.
//
// A warp that branches evaluates every j-particle that is a hit for any of its 32 lanes. So each
// lane first tests all candidates of a bag, by eight instructions for a pair and with a bit for
// each, keeps the words with hits, and loops over its own hits in their order, without a second
// test of the distance.
namespace nbody {

constexpr u32 WORD = 32; // candidates per word, one per bit
constexpr u32 WORDS = (BAG + WORD - 1) / WORD;
constexpr u32 UNFILTERED = 8; // bags without the filter after a bag with many hits

// Hits among 32 candidates: one bit for each candidate, the last candidate lowest; and the index
// of the last candidate in the bag.
struct alignas(8) Hits {
    u32 bits, last;
};

// The distance between consecutive words of hits of one i-particle, and the number of words of a
// block. The words of i-particle m of a thread begin at `threadIdx.x + m * BLOCK`. There is room
// for one word after the last.
constexpr u32 NEXT_HITS = I_PER_THREAD * BLOCK;
constexpr u32 HITS = (WORDS + 1) * NEXT_HITS;

// Keeps an address in shared memory in a register. The compiler knows the address at compile time,
// and would compute it by four instructions wherever it is used.
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

// Evaluates a whole bag: all lanes of a warp read the same j-particle.
__device__ __forceinline__ void side_by_side(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 first, Running (&current)[I_PER_THREAD])
{
#pragma unroll UNROLL
    for (u32 k = 0; k < BAG; ++k) {
        const ParticleJ j = bag[k].j;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            meet(self, space, i[m], j, bag[k].index(first + k), current[m]);
        }
    }
}

// A part of the j-particles of a bag: `count` of them, `step` apart.
struct Strided {
    u32 begin, step, count;
};

// Evaluates a part of the j-particles of a bag, one after another. On the `diagonal` the bag
// contains the i-particles: particle `mine + m * next` is i-particle m itself and is left out.
__device__ __forceinline__ void one_by_one(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 first, Strided some, u32 mine, u32 next, bool diagonal,
    Running (&current)[I_PER_THREAD])
{
#pragma unroll UNROLL
    for (u32 turn = 0; turn < some.count; ++turn) {
        const u32 k = some.begin + turn * some.step;
        const ParticleJ j = bag[k].j;
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const bool itself = diagonal && mine + m * next == k;
            if constexpr (CUTOFF) {
                // A cutoff needs a branch anyway.
                if (!itself) meet(self, space, i[m], j, bag[k].index(first + k), current[m]);
            } else {
                const Running before = current[m];
                meet(self, space, i[m], j, bag[k].index(first + k), current[m]);
                if (itself) current[m] = before;
            }
        }
    }
}

// Leaves out no candidate.
struct NoneLeftOut {
    __device__ __forceinline__ u32 operator()(u32) const { return 0; }
};

// Returns a bit for each place of a word without a candidate: places beyond the end of the bag
// and, on the diagonal, the i-particle itself.
__device__ __forceinline__ u32 no_candidates(u32 last, u32 count, u32 mine, bool diagonal)
{
    const u32 missing = last < count ? 0 : ~0u >> (count + (WORD - 1) - last);
    const u32 before_last = last - mine;
    return missing | (diagonal && before_last < WORD ? 1u << before_last : 0);
}

// Stores the hits of an i-particle in a word, unless there are none. Returns the number of hits.
__device__ __forceinline__ u32 store_hits(u32 bits, u32 last, Hits *hits, u32 &end)
{
    hits[end] = {bits, last};
    if (bits != 0) end += NEXT_HITS;
    return ::__popc(bits);
}

// The cutoff filter: finds the hits of the i-particles of this thread in a bag, and stores the
// words with hits, up to `ends` for each i-particle. Candidates that `left_out` names are no hits.
// Returns whether each i-particle of the warp has hits for at most half of the bag.
template <typename Law, typename LeftOut = NoneLeftOut>
__device__ __forceinline__ bool filter(
    const Law &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 count, u32 mine, bool diagonal, Hits *hits, u32 (&ends)[I_PER_THREAD],
    const LeftOut &left_out = {})
{
    u32 found[I_PER_THREAD] = {};
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
                if constexpr (CUTOFF) push_sign(within(self, space, i[m], j), beyond[m]);
            }
        }
        const u32 last = begin + WORD - 1;
        const u32 out = left_out(begin);
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const u32 none = no_candidates(last, count, mine + m * BLOCK, diagonal);
            found[m] += store_hits(~(beyond[m] | none | out), last, hits, ends[m]);
        }
    }
    bool few = true;
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) few &= found[m] <= count / 2;
    return ::__all_sync(~0u, few);
}

// Returns a copy of a slot, with its padding, read in as few accesses as possible: threads that
// read different slots have bank conflicts in each access.
__device__ __forceinline__ Slot whole(const Slot &slot)
{
#ifdef __CUDACC__
    struct alignas(16) Quad {
        u32 words[4];
    };
    Slot copy;
#pragma unroll
    for (u32 k = 0; k < sizeof(Slot) / sizeof(Quad); ++k) {
        reinterpret_cast<Quad *>(&copy)[k] = reinterpret_cast<const Quad *>(&slot)[k];
    }
    return copy;
#else
    return slot;
#endif
}

// Evaluates the hits of each thread. A warp iterates as often as its busiest lane has hits; with
// the same j-particle for all lanes it would iterate for each hit of any lane.
__device__ __forceinline__ void hit_by_hit(
    const Parameters &self, const Space &space, const ParticleI (&i)[I_PER_THREAD],
    const Slot *bag, u32 first, const Hits *hits, const u32 (&ends)[I_PER_THREAD],
    Running (&current)[I_PER_THREAD])
{
#pragma unroll
    for (int m = 0; m < I_PER_THREAD; ++m) {
        Hits word = hits[m * BLOCK];
        for (u32 at = m * BLOCK; at < ends[m];) {
            const u32 before_last = WORD - 1 - ::__clz(word.bits);
            const u32 k = word.last - before_last;
            const Slot slot = whole(bag[k]);
            meet_near(self, space, i[m], slot.j, slot.index(first + k), current[m]);
            word.bits ^= 1u << before_last;
            if (word.bits == 0) word = hits[at += NEXT_HITS];
        }
    }
}

} // namespace nbody
