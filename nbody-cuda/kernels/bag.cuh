// Bags of j-particles in shared memory. A schedule fills them; the FORCE-LOOP does not know from where.
namespace nbody {

// One j-particle of a bag, aligned so that it is read in as few accesses as possible.
struct alignas(16) Slot {
    ParticleJ j;
};

} // namespace nbody
