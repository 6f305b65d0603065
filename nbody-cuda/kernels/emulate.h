// Declarations that let a C++ compiler compile a CUDA program for the CPU. This file includes no
// header, so that no system macro collides with a name of the program. The file `emulate_run.h`,
// after the program, runs it.
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
// One copy per host thread, which runs one block at a time.
#define __shared__ static thread_local

namespace emulated {
struct Dim {
    unsigned int x;
};
// Emulates the instruction mma.m16n8k4 for numbers in the format TF32.
static void multiply_add(float (&sums)[4], const unsigned int (&a)[2], unsigned int b);
} // namespace emulated
// Static, so that functions find them together with the shared variables.
static thread_local emulated::Dim threadIdx, blockIdx, gridDim;

// Static, so that a program has only the functions that it calls.
static void __syncthreads();
static void __syncwarp(unsigned int lanes = ~0u);
static unsigned int __shfl_sync(unsigned int lanes, unsigned int value, int lane);
static unsigned int __shfl_up_sync(unsigned int lanes, unsigned int value, unsigned int step);
static unsigned long long __shfl_sync(unsigned int lanes, unsigned long long value, int lane);
static double __shfl_sync(unsigned int lanes, double value, int lane);
static int __all_sync(unsigned int lanes, int holds);
static int __any_sync(unsigned int lanes, int holds);
static unsigned int __ballot_sync(unsigned int lanes, int holds);

using size_t = decltype(sizeof(0));

// Blocks run one after another, so memory needs no fences and no atomic accesses.
inline void __threadfence() {}
namespace emulated {
template <typename T> inline T replace(T *word, T next)
{
    const T before = *word;
    *word = next;
    return before;
}
} // namespace emulated
inline unsigned int atomicAdd(unsigned int *sum, unsigned int n)
{
    return emulated::replace(sum, *sum + n);
}
inline unsigned long long atomicAdd(unsigned long long *sum, unsigned long long n)
{
    return emulated::replace(sum, *sum + n);
}
inline unsigned int atomicMin(unsigned int *least, unsigned int n)
{
    return emulated::replace(least, n < *least ? n : *least);
}
inline unsigned long long atomicMax(unsigned long long *greatest, unsigned long long n)
{
    return emulated::replace(greatest, n > *greatest ? n : *greatest);
}
inline unsigned int atomicMax(unsigned int *greatest, unsigned int n)
{
    return emulated::replace(greatest, n > *greatest ? n : *greatest);
}
inline unsigned int atomicCAS(unsigned int *word, unsigned int expected, unsigned int next)
{
    return emulated::replace(word, *word == expected ? next : *word);
}
inline unsigned int atomicOr(unsigned int *bits, unsigned int more)
{
    return emulated::replace(bits, *bits | more);
}

extern "C" {
#define NBODY_DECLARE(name) \
    float name##f(float) noexcept; \
    double name(double) noexcept;
#define NBODY_DECLARE_2(name) \
    float name##f(float, float) noexcept; \
    double name(double, double) noexcept;
NBODY_DECLARE(sqrt) NBODY_DECLARE(cbrt) NBODY_DECLARE(exp) NBODY_DECLARE(log) NBODY_DECLARE(log2)
NBODY_DECLARE(sin) NBODY_DECLARE(cos) NBODY_DECLARE(tan)
NBODY_DECLARE(asin) NBODY_DECLARE(acos) NBODY_DECLARE(atan)
NBODY_DECLARE(sinh) NBODY_DECLARE(cosh) NBODY_DECLARE(tanh)
NBODY_DECLARE(erf) NBODY_DECLARE(erfc) NBODY_DECLARE(fabs)
NBODY_DECLARE(floor) NBODY_DECLARE(ceil) NBODY_DECLARE(round) NBODY_DECLARE(trunc)
NBODY_DECLARE(rint)
NBODY_DECLARE_2(pow) NBODY_DECLARE_2(atan2) NBODY_DECLARE_2(fmin) NBODY_DECLARE_2(fmax)
NBODY_DECLARE_2(copysign) NBODY_DECLARE_2(fmod)
#undef NBODY_DECLARE
#undef NBODY_DECLARE_2
void *memcpy(void *, const void *, size_t) noexcept;
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
}

inline float __uint_as_float(unsigned int bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
inline unsigned int __float_as_uint(float x)
{
    unsigned int bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline double __longlong_as_double(long long bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
inline long long __double_as_longlong(double x)
{
    long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline int __popc(unsigned int bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline unsigned int __byte_perm(unsigned int low, unsigned int high, unsigned int chosen)
{
    const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
    unsigned int result = 0;
    for (int k = 0; k < 4; ++k) {
        result |= unsigned(bytes >> (chosen >> 4 * k & 7) * 8 & 0xff) << 8 * k;
    }
    return result;
}
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(bits); }
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }

// Arithmetic without contraction to fused multiply-add: the options of the compiler forbid it
// everywhere.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __double2float_rn(double x) { return float(x); }

// Trigonometric functions of half turns, which the C library lacks.
inline float sinpif(float x) { return float(sin(3.14159265358979323846 * double(x))); }
inline float cospif(float x) { return float(cos(3.14159265358979323846 * double(x))); }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
// Rounds to nearest in the upper 32 bits, like the approximation of the hardware.
inline double rsqrt_seed(double x)
{
    const long long bits = __double_as_longlong(1.0 / sqrt(x));
    return __longlong_as_double((bits + 0x80000000ll) & ~0xffffffffll);
}
