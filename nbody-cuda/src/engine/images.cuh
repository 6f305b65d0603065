// Copies of particles in another image of the box. One thread copies one particle.
namespace nbody {

// Returns a coordinate at these words exactly as stored.
__device__ __forceinline__ double stored(const u32 *at, u32 kind)
{
    if (kind == DOUBLE) return *reinterpret_cast<const double *>(at);
    const float *const hi = reinterpret_cast<const float *>(at);
    return kind == SINGLE ? double(hi[0]) : double(hi[0]) + double(hi[1]);
}

__device__ __forceinline__ void store_rounded(u32 *at, u32 kind, double x)
{
    if (kind == DOUBLE) {
        *reinterpret_cast<double *>(at) = x;
        return;
    }
    float *const hi = reinterpret_cast<float *>(at);
    hi[0] = float(x);
    // The rounding error of an infinity is zero.
    if (kind == DOUBLE_SINGLE) hi[1] = fabsf(hi[0]) <= GREATEST ? float(x - double(hi[0])) : 0.0f;
}

// Copies n rows of `words` words, and adds a displacement to their positions, whose coordinates
// take `width` words each from word `first` on.
extern "C" __global__ void __launch_bounds__(BLOCK) displace(
    const u32 *__restrict__ rows, u32 *__restrict__ to, const Displacement by)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= by.n) return;
    const u32 *const from = rows + size_t(k) * by.words;
    u32 *const copy = to + size_t(k) * by.words;
    const u32 end = by.first + by.dimensions * by.width;
    for (u32 word = 0; word < by.words; ++word) {
        if (word < by.first || word >= end) copy[word] = from[word];
    }
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
        if (axis == by.dimensions) break;
        const u32 at = by.first + axis * by.width;
        store_rounded(copy + at, by.kind, stored(from + at, by.kind) + by.x[axis]);
    }
}

} // namespace nbody
