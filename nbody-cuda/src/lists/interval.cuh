// Types and primitive operations of interval arithmetic, which bounds the cutoffs of groups of
// particles. They match nbody-core's `numeric::interval`; the text of its functions of bounds
// follows. The program must be compiled without contraction.
namespace nbody::bounds {

constexpr u32 MOST = ~0u;

// Bounds of a number.
struct Interval {
    double lo, hi;
    bool may_be_nan;
};

// Bounds of an integer.
struct Integers {
    u32 lo, hi;
};

// Whether a condition may hold, and whether it may fail.
struct Truth {
    bool may_hold, may_fail;
};

__device__ __forceinline__ Interval interval(double lo, double hi, bool may_be_nan) { return {lo, hi, may_be_nan}; }
__device__ __forceinline__ Integers integers(u32 lo, u32 hi) { return {lo, hi}; }
__device__ __forceinline__ Truth truth(bool may_hold, bool may_fail) { return {may_hold, may_fail}; }

template <typename T> __device__ __forceinline__ T choose(bool condition, T yes, T no)
{
    return condition ? yes : no;
}

__device__ __forceinline__ double infinite() { return ::__longlong_as_double(0x7ff0000000000000ll); }
__device__ __forceinline__ bool is_nan(double x) { return !(x == x); }
__device__ __forceinline__ double fabs(double x) { return ::fabs(x); }
__device__ __forceinline__ double fmin(double x, double y) { return ::fmin(x, y); }
__device__ __forceinline__ double fmax(double x, double y) { return ::fmax(x, y); }
__device__ __forceinline__ double sqrt_of(double x) { return ::sqrt(x); }
__device__ __forceinline__ double floor_of(double x) { return ::floor(x); }
__device__ __forceinline__ double ceil_of(double x) { return ::ceil(x); }
__device__ __forceinline__ double round_of(double x) { return ::round(x); }
__device__ __forceinline__ double rint_of(double x) { return ::rint(x); }
__device__ __forceinline__ double trunc_of(double x) { return ::trunc(x); }
__device__ __forceinline__ double copysign_of(double x, double sign) { return ::copysign(x, sign); }
__device__ __forceinline__ double single(double x) { return ::__double2float_rn(x); }

__device__ __forceinline__ u32 saturated(double x) { return !(x > 0.0) ? 0 : x < double(MOST) ? u32(x) : MOST; }
__device__ __forceinline__ double number_of(u32 n) { return n; }
__device__ __forceinline__ unsigned long long wide(u32 n) { return n; }
__device__ __forceinline__ u32 sum_of(u32 a, u32 b) { return a + b; }
__device__ __forceinline__ u32 difference_of(u32 a, u32 b) { return a - b; }
__device__ __forceinline__ u32 product_of(u32 a, u32 b) { return a * b; }
__device__ __forceinline__ u32 quotient_of(u32 a, u32 b) { return b == 0 ? MOST : a / b; }
__device__ __forceinline__ u32 remainder_of(u32 a, u32 b) { return b == 0 ? a : a % b; }
__device__ __forceinline__ u32 leading_zeros(u32 n) { return u32(::__clz(int(n))); }
__device__ __forceinline__ u32 ones_of(u32 n) { return u32(::__popc(n)); }
__device__ __forceinline__ u32 high_of(u32 a, u32 b) { return u32(wide(a) * wide(b) >> 32); }

// For normal numbers only.
__device__ __forceinline__ double power_of_two(double exponent)
{
    return ::__longlong_as_double(((long long)exponent + 1023) << 52);
}
__device__ __forceinline__ double exponent_of(double x)
{
    return double((::__double_as_longlong(x) >> 52) - 1023);
}
__device__ __forceinline__ double mantissa_of(double x)
{
    return ::__longlong_as_double((::__double_as_longlong(x) & ((1ll << 52) - 1)) | 1023ll << 52);
}

} // namespace nbody::bounds
