// Pairs that act, for neighbour lists with excluded pairs and for given pairs.
namespace nbody {

constexpr bool RESTRICTED = true;

// Returns the number by which excluded pairs name a particle.
__device__ __forceinline__ u32 number_of(const u32 *numbers, u32 index)
{
    return SUBSET ? numbers[index] : index;
}

// Returns whether an i-particle excludes a j-particle.
__device__ __forceinline__ bool have(const ExcludedRows &rows, u32 i, u32 j)
{
    if (rows.begins == nullptr) return false;
    u64 first = rows.begins[i];
    u64 end = rows.begins[i + 1];
    while (first < end) {
        const u64 middle = (first + end) / 2;
        if (rows.indices[middle] < j) first = middle + 1;
        else end = middle;
    }
    return first < rows.begins[i + 1] && rows.indices[first] == j;
}

// A hash table of the j-particles that i-particles of a group exclude.
struct Excluded {
    static constexpr u32 SIZE = 1u << TABLE_BITS, PROBES = 16, NONE = ~0u;
    u32 indices[SIZE];
    u32 masks[SIZE]; // a bit for each i-particle that excludes it
    u32 overflows; // whether a j-particle found no place

    static __device__ __forceinline__ u32 place(u32 index, u32 probe)
    {
        return ((index * 0x9e3779b1u >> (32 - TABLE_BITS)) + probe) % SIZE;
    }

    // Fills the table; each lane adds the rows of its i-particle.
    __device__ __forceinline__ void fill(const Restriction &restriction, u32 i)
    {
        const u32 lane = threadIdx.x % LANES;
        for (u32 k = lane; k < SIZE; k += LANES) {
            indices[k] = NONE;
            masks[k] = 0;
        }
        if (lane == 0) overflows = 0;
        ::__syncwarp();
        for (const ExcludedRows &rows : restriction.excluded) {
            if (rows.begins == nullptr) continue;
            for (u64 k = rows.begins[i]; k < rows.begins[i + 1]; ++k) {
                if (!add(rows.indices[k], 1u << lane)) {
                    ::atomicOr(&overflows, 1u);
                    break;
                }
            }
        }
        ::__syncwarp();
    }

    // Returns the i-particles that exclude a j-particle. Valid only if the table has not
    // overflowed.
    __device__ __forceinline__ u32 find(u32 index) const
    {
        for (u32 probe = 0; probe < PROBES; ++probe) {
            const u32 k = place(index, probe);
            if (indices[k] == index) return masks[k];
            if (indices[k] == NONE) break;
        }
        return 0;
    }

private:
    // Adds a j-particle. Returns false if it finds no place.
    __device__ __forceinline__ bool add(u32 index, u32 mask)
    {
        for (u32 probe = 0; probe < PROBES; ++probe) {
            const u32 k = place(index, probe);
            const u32 found = ::atomicCAS(&indices[k], u32(NONE), index);
            if (found == NONE || found == index) {
                ::atomicOr(&masks[k], mask);
                return true;
            }
        }
        return false;
    }
};

// Transposes the bits of a warp: bit k of lane m becomes bit m of lane k.
__device__ __forceinline__ u32 transposed(u32 bits)
{
    const u32 lane = threadIdx.x % LANES;
    u32 low = 0xffff;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2, low ^= low << step) {
        const u32 other = ::__shfl_sync(~0u, bits, lane ^ step);
        if (lane & step) bits = (bits & ~low) | (other & ~low) >> step;
        else bits = (bits & low) | (other & low) << step;
    }
    return bits;
}

// The i-particles of a group on which the j-particles of a bag act.
class ActsOn {
    const Restriction &restriction;
    const u32 *i; // indices of the i-particles
    u32 n;
    const Excluded *excluded;
    u32 *masks; // for each j-particle of the bag, a bit for each i-particle that it acts on

public:
    // The group has `n` i-particles; their indices are the indices of the caller.
    __device__ __forceinline__ ActsOn(const Restriction &restriction, const u32 *i, u32 n)
        : restriction(restriction), i(i), n(n)
    {
        __shared__ Excluded tables[BLOCK / 32];
        __shared__ u32 of_bags[BLOCK / 32][WORDS * WORD];
        const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / 32;
        tables[warp].fill(restriction, number_of(restriction.numbers.of_i, i[lane < n ? lane : n - 1]));
        excluded = &tables[warp];
        masks = of_bags[warp];
    }

    // Finds the i-particles that j-particle k of the bag acts on. It has index `j`, and comes from
    // this entry of all lists. If `own` is below 32, it is particle `own` of the group itself and
    // does not act on itself.
    __device__ __forceinline__ void set(u32 k, u64 entry, u32 j, u32 own) const
    {
        u32 mask = restriction.masks ? restriction.masks[entry] : ~0u;
        if (own < 32) mask &= ~(1u << own);
        const Numbers &numbers = restriction.numbers;
        const u32 number = number_of(numbers.of_j, j);
        if (!excluded->overflows) {
            mask &= ~excluded->find(number);
        } else {
            for (u32 at = 0; at < n; ++at) {
                for (const ExcludedRows &rows : restriction.excluded) {
                    if (have(rows, number_of(numbers.of_i, i[at]), number)) mask &= ~(1u << at);
                }
            }
        }
        masks[k] = mask;
    }

    // Returns the candidates of a word that do not act on the i-particle of this lane, a bit each,
    // the last candidate lowest.
    __device__ __forceinline__ u32 operator()(u32 begin) const
    {
        const u32 mask = masks[begin + WORD - 1 - threadIdx.x % LANES];
        return ::__all_sync(~0u, mask == ~0u) ? 0 : ~transposed(mask);
    }
};

} // namespace nbody
