// Displacements of positions, for programs per particle.
namespace nbody {

// The record of second particles or results that a program does not read.
struct Nothing {};

template <int D>
__device__ __forceinline__ Point<D> &operator+=(Point<D> &a, const Vector<D> &b)
{
    a.x += b.x;
    if constexpr (D > 1) a.y += b.y;
    if constexpr (D == 3) a.z += b.z;
    return a;
}

template <int D>
__device__ __forceinline__ Point<D> &operator-=(Point<D> &a, const Vector<D> &b)
{
    a.x -= b.x;
    if constexpr (D > 1) a.y -= b.y;
    if constexpr (D == 3) a.z -= b.z;
    return a;
}

} // namespace nbody
