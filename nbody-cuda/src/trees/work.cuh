// The work of walks. Groups of i-particles that took much more than the mean in the last walks come first in the next
// ones, in any order, so that none is at work alone at the end. Results do not depend on the order of groups.
namespace nbody {

constexpr u32 OF_PAIRS = 3; // the effort of a pair for each i-particle, in units of that of a test of a cell

} // namespace nbody
