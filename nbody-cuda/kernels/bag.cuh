// Bags of j-particles in shared memory, which a schedule fills and the FORCE-LOOP reads.
namespace nbody {

// One j-particle of a bag, aligned so that few accesses read it.
struct alignas(16) Slot {
    ParticleJ j;
};

} // namespace nbody
