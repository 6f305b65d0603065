// The cells of neighbour lists: nbody-core's `Grid::LISTS`.
namespace nbody {

constexpr u32 KEY_BITS = 48; // of all axes
constexpr u32 OCTAVES = 4; // bits of the octave of a coordinate

} // namespace nbody
