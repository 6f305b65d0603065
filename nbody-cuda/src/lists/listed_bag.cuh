// Bags of j-particles of a list, which are not consecutive in their set.
namespace nbody {

// The index of a j-particle in its set, in programs that need it.
template <bool NEEDED> struct Index {
    u32 of_caller;

    __device__ __forceinline__ void set_index(const u32 *order, u32 place)
    {
        of_caller = order[place];
    }
    __device__ __forceinline__ u32 index(u32) const { return of_caller; }
};

template <> struct Index<false> {
    __device__ __forceinline__ void set_index(const u32 *, u32) {}
    __device__ __forceinline__ u32 index(u32) const { return 0; }
};

// One j-particle of a bag, aligned so that a thread reads it in few accesses.
struct alignas(16) Slot : Index<KEEPS_INDEX> {
    ParticleJ j;
};

} // namespace nbody
