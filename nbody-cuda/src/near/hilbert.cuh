// Indices along a Hilbert curve (Skilling 2004, AIP Conf. Proc. 707, 381).
namespace nbody {

// Returns the lowest bits of n, D places apart: 32 bits in two dimensions, and 21 in three.
template <u32 D> __device__ __forceinline__ u64 spread(u32 n)
{
    u64 bits = n;
    if constexpr (D == 2) {
        bits = (bits | bits << 16) & 0x0000ffff0000ffffull;
        bits = (bits | bits << 8) & 0x00ff00ff00ff00ffull;
        bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0full;
        bits = (bits | bits << 2) & 0x3333333333333333ull;
        return (bits | bits << 1) & 0x5555555555555555ull;
    } else {
        bits = (bits | bits << 32) & 0x001f00000000ffffull;
        bits = (bits | bits << 16) & 0x001f0000ff0000ffull;
        bits = (bits | bits << 8) & 0x100f00f00f00f00full;
        bits = (bits | bits << 4) & 0x10c30c30c30c30c3ull;
        return (bits | bits << 2) & 0x1249249249249249ull;
    }
}

// Returns the index of a cell along the curve through cells of BITS bits along each of D axes.
template <u32 D, u32 BITS> __device__ __forceinline__ u64 hilbert(u32 (&cell)[D])
{
    // From the coordinates to the transposed index: undo the excess work of all smaller cubes.
    for (u32 bit = 1u << (BITS - 1); bit > 1; bit >>= 1) {
        const u32 below = bit - 1;
        for (u32 axis = 0; axis < D; ++axis) {
            const bool inverts = cell[axis] & bit;
            const u32 exchanged = inverts ? 0 : (cell[0] ^ cell[axis]) & below;
            cell[axis] ^= exchanged;
            cell[0] ^= inverts ? below : exchanged;
        }
    }
    // Gray code.
    for (u32 axis = 1; axis < D; ++axis) cell[axis] ^= cell[axis - 1];
    // Each bit is flipped by those above it of the last axis.
    u32 flips = cell[D - 1] >> 1;
    for (u32 step = 1; step < BITS; step *= 2) flips ^= flips >> step;
    u64 index = 0;
    for (u32 axis = 0; axis < D; ++axis) index |= spread<D>(cell[axis] ^ flips) << (D - 1 - axis);
    return index;
}

} // namespace nbody
