// The cells of trees: nbody-core's `Grid::TREES`.
namespace nbody {

constexpr u32 KEY_BITS = 63; // of all axes; two have 62
constexpr u32 OCTAVES = 5; // bits of the octave of a coordinate

} // namespace nbody
