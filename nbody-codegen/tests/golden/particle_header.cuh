// The text before the generated part of a program per particle.
using size_t = decltype(sizeof(0));
namespace nbody {
using real = double;
using Coordinate = real;
using backup = double;
constexpr bool EXACT = true, PERIODIC = false, TRICLINIC = false, IN_ORDER = true;
struct Nothing {};
} // namespace nbody
#include "../../../nbody-cuda/kernels/prelude.cuh"
#include "../../../nbody-cuda/kernels/nearest.cuh"
#include "../../../nbody-cuda/kernels/spline.cuh"
namespace nbody {
template <int D> void operator+=(Point<D> &, const Vector<D> &) {}
template <int D> void operator-=(Point<D> &, const Vector<D> &) {}
} // namespace nbody
