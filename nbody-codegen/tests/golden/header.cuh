// The text before the generated part of a program: a configuration, and the prelude.
using size_t = decltype(sizeof(0));
namespace nbody {
using real = float;
using Coordinate = real;
using backup = double;
constexpr bool EXACT = false, PERIODIC = false, TRICLINIC = false, IN_ORDER = true;
} // namespace nbody
#include "../../../nbody-cuda/kernels/prelude.cuh"
#include "../../../nbody-cuda/kernels/counts.cuh"
#include "../../../nbody-cuda/kernels/nearest.cuh"
#include "../../../nbody-cuda/kernels/spline.cuh"
