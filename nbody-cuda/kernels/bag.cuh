// Bags of j-particles in shared memory, which a schedule fills and the FORCE-LOOP reads.
namespace nbody {

// One j-particle of a bag, aligned so that a thread reads it in few accesses.
struct alignas(16) Slot {
    ParticleJ j;

    // Returns the index, in the whole set of j-particles, of the j-particle at this place.
    __device__ __forceinline__ u32 index(u32 place) const { return place; }
};

} // namespace nbody
