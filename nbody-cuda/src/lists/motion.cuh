// The motion of particles since lists were built.
namespace nbody {

// Returns whether a coordinate is so far outside a periodic box that its distance from a position
// in the box would lose digits. Such a coordinate is wrapped first, which is exact.
__device__ __forceinline__ bool is_outside(double x, double length)
{
    return length > 0.0 && ::fabs(x) > OUTSIDE * length;
}

// Returns the displacement of a particle along an axis from its earlier position, to the nearest
// image.
__device__ __forceinline__ double moved_along(double x, double before, double length)
{
    double moved = x - before;
    if (length > 0.0) {
        moved = ::__dsub_rn(moved, ::__dmul_rn(length, ::rint(moved / length)));
        // The earlier position was wrapped into the box, and rounded.
        if (::fabs(moved) <= WRAPPED * (::fabs(x) + length)) moved = 0.0;
    }
    return moved;
}

// Returns the displacement of a particle from its earlier position in a triclinic box, to the
// image within half of each length.
__device__ __forceinline__ Position moved_tilted(
    Position x, const Position &before, const double *length, const double *tilt)
{
    bool is_far = false;
    for (u32 axis = 0; axis < 3; ++axis) is_far |= is_outside(x.x[axis], length[axis]);
    if (is_far) wrap_tilted(x.x, length, tilt);
    Position moved;
    double extent = 0.0;
    for (u32 axis = 0; axis < 3; ++axis) {
        moved.x[axis] = x.x[axis] - before.x[axis];
        extent += ::fabs(x.x[axis]) + length[axis];
    }
    nearest_tilted(moved.x, length, tilt);
    for (u32 axis = 0; axis < 3; ++axis) {
        if (::fabs(moved.x[axis]) <= WRAPPED * extent) moved.x[axis] = 0.0;
    }
    return moved;
}

} // namespace nbody
