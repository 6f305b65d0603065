// Efforts of groups of i-particles. Those that took much more than the mean in the last walks come first in the next
// ones, in any order, so that none is at work alone at the end. Results do not depend on the order of groups.
namespace nbody {

struct Efforts {
    u32 *of_particles; // that of its group in the last walks, for each i-particle
    u32 *heavy; // the number of heavy groups, and then these
    u32 *is_heavy; // of each group
};

constexpr u32 OF_PAIRS = 3; // the effort of a pair for each i-particle, in units of that of a test of a cell

} // namespace nbody
