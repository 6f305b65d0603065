// The positions of particles in records.
namespace nbody {

// Returns a coordinate exactly as stored.
__device__ __forceinline__ double coordinate(const Positions &from, u32 k, u32 axis)
{
    const Byte *const at = from.rows + size_t(k) * from.row_bytes + from.byte;
    if (from.kind == DOUBLE) return reinterpret_cast<const double *>(at)[axis];
    const float *const words = reinterpret_cast<const float *>(at);
    if (from.kind == SINGLE) return words[axis];
    return double(words[2 * axis]) + double(words[2 * axis + 1]);
}

// Returns a position in the box. In two dimensions its third coordinate is 0.
__device__ __forceinline__ Position position_of(const Positions &from, const Frame &frame, u32 k)
{
    Position position;
    for (u32 axis = 0; axis < 3; ++axis) {
        double &x = position.x[axis];
        x = axis < frame.dimensions ? coordinate(from, k, axis) : 0.0;
        if (!TILTED && axis < frame.dimensions && frame.length[axis] > 0.0) x = wrap(x, frame.length[axis]);
    }
    if constexpr (TILTED) wrap_tilted(position.x, frame.length, frame.tilt);
    return position;
}

} // namespace nbody
