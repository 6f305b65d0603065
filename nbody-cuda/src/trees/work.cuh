// The work of walks. Groups of i-particles that took much more than the mean effort in the last
// walks come first in the next walks, in any order, so that no heavy group runs alone at the end.
// Results do not depend on the order of groups.
namespace nbody {

constexpr u32 OF_PAIRS = 3; // effort of a pair per i-particle, in units of the test of a cell

} // namespace nbody
