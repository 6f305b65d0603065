// The work of walks. Groups of i-particles that took much more than the mean in the last walks come first in the next
// ones, in any order, so that none is at work alone at the end. Results do not depend on the order of groups.
namespace nbody {

// The work of walks.
struct Work {
    unsigned long long tested, evaluations, walks; // cells, pairs, and walks of groups
};

// The counters of the launches of an evaluation.
struct Counters {
    // The first particle whose position is not finite, those of j before those of i; or a mark and the first one of j
    // that is not at the place of that of i. The host resets it.
    u32 refused;
    u32 next; // number of a group of a walk, the heavy ones first
    Work work; // of all groups
};

struct Efforts {
    u32 *of_particles; // that of its group in the last walks, for each i-particle
    u32 *heavy; // the number of heavy groups, and then these
    u32 *is_heavy; // of each group
};

constexpr u32 OF_PAIRS = 3; // the effort of a pair for each i-particle, in units of that of a test of a cell

} // namespace nbody
