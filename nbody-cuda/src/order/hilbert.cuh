// Indices along the Hilbert curve of Skilling 2004 (AIP Conf. Proc. 707, 381), by a table of the
// parts of a cube.
namespace nbody {

// Returns the lowest bits of n, D places apart: 32 bits in two dimensions, 21 bits in three.
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

// The orientation of the curve in a cube. Each of its axes is an axis of space, possibly inverted.
template <u32 D> struct Orientation {
    u32 axes[D];
    u32 inverted; // a bit for each axis

    // Returns the number of the orientation, of 4 + D bits.
    __device__ __forceinline__ u32 number() const { return axes[0] | axes[1] << 2 | inverted << 4; }

    static __device__ __forceinline__ Orientation of(u32 number)
    {
        Orientation of = {{number % 4, number / 4 % 4}, number >> 4};
        if constexpr (D == 3) of.axes[2] = (3 - of.axes[0] - of.axes[1]) % 4;
        return of;
    }

    // Enters the part of the cube with these coordinates, a bit for each axis of space: sets the
    // orientation in the part. Returns the place of the part along the curve: Gray codes are
    // counted up or down.
    __device__ __forceinline__ u32 enter(u32 part)
    {
        u32 bits = 0, place = 0, parity = ::__popc(inverted) % 2;
        for (u32 axis = 0; axis < D; ++axis) {
            const u32 bit = (part >> axes[axis] ^ inverted >> axis) % 2;
            bits |= bit << axis;
            parity ^= bit;
            place = place << 1 | parity;
        }
        for (u32 axis = 0; axis < D; ++axis) {
            if (bits >> axis & 1) {
                inverted ^= 1;
                continue;
            }
            const u32 first = axes[0], differ = (inverted ^ inverted >> axis) % 2;
            axes[0] = axes[axis];
            axes[axis] = first;
            inverted ^= differ | differ << axis;
        }
        return place;
    }
};

// For each part of a cube in each orientation: its place along the curve, and in the bits above
// the number of the orientation in the part. The threads of a block share the table.
struct Curve {
    u16 parts[1 << (4 + 3 + 3)];
};

template <u32 D> __device__ __forceinline__ void find_curve(Curve &curve)
{
    for (u32 k = threadIdx.x; k < 1u << (4 + 2 * D); k += BLOCK) {
        Orientation<D> orientation = Orientation<D>::of(k >> D);
        const u32 place = orientation.enter(k % (1u << D));
        curve.parts[k] = u16(orientation.number() << D | place);
    }
}

// Returns the index of a cell along the curve through cells with BITS bits along each of D axes.
template <u32 D, u32 BITS>
__device__ __forceinline__ u64 hilbert(const Curve &curve, const u32 (&cell)[D])
{
    constexpr u32 PARTS = 1u << D;
    u64 cells = 0, index = 0;
    for (u32 axis = 0; axis < D; ++axis) cells |= spread<D>(cell[axis]) << axis;
    u32 orientation = 1u << (D + 2); // the axes of space
#pragma unroll
    for (u32 level = BITS; level-- > 0;) {
        const u32 part = u32(cells >> (level * D)) % PARTS;
        const u32 found = curve.parts[orientation | part];
        index = index << D | found % PARTS;
        orientation = found / PARTS * PARTS;
    }
    return index;
}

} // namespace nbody
