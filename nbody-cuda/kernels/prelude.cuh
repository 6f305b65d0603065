// Types and functions of the language of interactions. All follow `real`: a float program calls no
// function of doubles, and a double program no function of floats.
namespace nbody {

using u32 = unsigned int;

// Returns the alignment of a particle with this many numbers, chosen so that a thread reads it in
// few accesses.
__device__ constexpr size_t packing(size_t numbers)
{
    const size_t bytes = numbers * sizeof(real);
    return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : sizeof(real);
}

template <int D> struct Vector;
template <> struct Vector<1> {
    real x;
    __device__ __forceinline__ real &operator[](u32) { return x; }
    __device__ __forceinline__ const real &operator[](u32) const { return x; }
};
template <> struct Vector<2> {
    real x, y;
    __device__ __forceinline__ real &operator[](u32 k) { return k == 0 ? x : y; }
    __device__ __forceinline__ const real &operator[](u32 k) const { return k == 0 ? x : y; }
};
template <> struct Vector<3> {
    real x, y, z;
    __device__ __forceinline__ real &operator[](u32 k) { return k == 0 ? x : k == 1 ? y : z; }
    __device__ __forceinline__ const real &operator[](u32 k) const
    {
        return k == 0 ? x : k == 1 ? y : z;
    }
};

// Numbers per coordinate: one, or two in mixed precision.
constexpr int COORDINATE = sizeof(Coordinate) / sizeof(real);

// A position; programs use differences of positions only.
template <int D> struct Point;
template <> struct Point<1> { Coordinate x; };
template <> struct Point<2> { Coordinate x, y; };
template <> struct Point<3> { Coordinate x, y, z; };

template <int N> struct Array {
    real at[N];
    __device__ __forceinline__ real &operator[](u32 k) { return at[k]; }
    __device__ __forceinline__ const real &operator[](u32 k) const { return at[k]; }
};

template <int ROWS, int COLUMNS> struct Table {
    real at[ROWS][COLUMNS];
};

__device__ __forceinline__ real infinity()
{
    if constexpr (sizeof(real) == 4) return ::__uint_as_float(0x7f800000u);
    else return ::__longlong_as_double(0x7ff0000000000000ll);
}

// Returns a constant, given in both precisions, in the precision of the program.
__device__ __forceinline__ real rounded(real single, double twice)
{
    if constexpr (sizeof(real) == 4) return single;
    else return twice;
}

__device__ __forceinline__ real not_a_number()
{
    if constexpr (sizeof(real) == 4) return ::__uint_as_float(0x7fffffffu);
    else return ::__longlong_as_double(0x7fffffffffffffffll);
}

// Returns the entry at an index from the data; NaN if the index is out of range.
template <int N>
__device__ __forceinline__ real entry(const Array<N> &array, u32 k)
{
    return k < N ? array.at[k] : not_a_number();
}

template <int ROWS, int COLUMNS>
__device__ __forceinline__ real entry(const Table<ROWS, COLUMNS> &table, u32 row, u32 column)
{
    return row < ROWS && column < COLUMNS ? table.at[row][column] : not_a_number();
}

// Returns the bits of an integer as a word of a result.
template <typename T> __device__ __forceinline__ T word(u32 n)
{
    if constexpr (sizeof(T) == 4) return ::__uint_as_float(n);
    else return ::__longlong_as_double((long long)n);
}

__device__ __forceinline__ u32 integer(float word) { return ::__float_as_uint(word); }
__device__ __forceinline__ u32 integer(double word) { return u32(::__double_as_longlong(word)); }

// The index without any j-particle.
constexpr u32 NONE = ~0u;

// The least or the greatest value, and the index of its j-particle.
template <bool GREATEST> struct Extremum {
    real value;
    u32 index;
};
using ArgMin = Extremum<false>;
using ArgMax = Extremum<true>;

// Returns whether a value is more extreme than the one so far, or equal and of a smaller index: the
// j-particles of lists do not come in the order of their indices. NONE is negative as an int and so
// before any index; the infinity without any j-particle therefore never comes first.
template <bool GREATEST, typename T>
__device__ __forceinline__ bool comes_first(real value, u32 index, T extreme, u32 first)
{
    const bool before = GREATEST ? value > extreme : value < extreme;
    if constexpr (IN_ORDER) return before;
    else return before || (value == extreme && int(index) < int(first));
}

template <bool GREATEST>
__device__ __forceinline__ void take(Extremum<GREATEST> &extremum, real value, u32 index)
{
    const bool first = comes_first<GREATEST>(value, index, extremum.value, extremum.index);
    extremum.value = first ? value : extremum.value;
    extremum.index = first ? index : extremum.index;
}

__device__ __forceinline__ real recip(real x) { return real(1) / x; }

// Divides. In single precision, fast mathematics multiplies by the reciprocal, which is zero for
// divisors beyond 2^126; the compiler's code for `/` takes five more instructions.
__device__ __forceinline__ real divide(real a, real b)
{
    if constexpr (EXACT || sizeof(real) == 8) return a / b;
    else return a * recip(b);
}

// Divides integers, cut off, and returns the remainder: of a division by 0, the greatest integer and
// the dividend.
__device__ __forceinline__ u32 quotient(u32 a, u32 b) { return b == 0 ? ~0u : a / b; }
__device__ __forceinline__ u32 remainder(u32 a, u32 b) { return b == 0 ? a : a % b; }

// Returns a number as an integer, cut off: the nearest one for numbers beyond integers, 0 for NaN.
__device__ __forceinline__ u32 to_u32(real x)
{
    return !(x > real(0)) ? 0u : x < real(4294967296.0) ? u32(x) : ~0u;
}

// Functions of integers: their extremes, the bits rotated to the left, the number of bits that are
// set, and the upper half of a product.
__device__ __forceinline__ u32 min(u32 a, u32 b) { return b < a ? b : a; }
__device__ __forceinline__ u32 max(u32 a, u32 b) { return a < b ? b : a; }
__device__ __forceinline__ u32 rotate_left(u32 a, u32 b) { return a << b % 32u | a >> (0u - b) % 32u; }
__device__ __forceinline__ u32 count_ones(u32 a) { return u32(::__popc(a)); }
__device__ __forceinline__ u32 mul_high(u32 a, u32 b) { return u32((unsigned long long)a * b >> 32); }

template <int D>
__device__ __forceinline__ Vector<D> operator+(const Vector<D> &a, const Vector<D> &b)
{
    if constexpr (D == 3) return {a.x + b.x, a.y + b.y, a.z + b.z};
    else if constexpr (D == 2) return {a.x + b.x, a.y + b.y};
    else return {a.x + b.x};
}

template <int D>
__device__ __forceinline__ Vector<D> operator-(const Vector<D> &a, const Vector<D> &b)
{
    if constexpr (D == 3) return {a.x - b.x, a.y - b.y, a.z - b.z};
    else if constexpr (D == 2) return {a.x - b.x, a.y - b.y};
    else return {a.x - b.x};
}

template <int D>
__device__ __forceinline__ Vector<D> operator-(const Vector<D> &a)
{
    if constexpr (D == 3) return {-a.x, -a.y, -a.z};
    else if constexpr (D == 2) return {-a.x, -a.y};
    else return {-a.x};
}

template <int D>
__device__ __forceinline__ Vector<D> operator*(real s, const Vector<D> &a)
{
    if constexpr (D == 3) return {s * a.x, s * a.y, s * a.z};
    else if constexpr (D == 2) return {s * a.x, s * a.y};
    else return {s * a.x};
}

template <int D>
__device__ __forceinline__ Vector<D> operator*(const Vector<D> &a, real s)
{
    return s * a;
}

template <int D>
__device__ __forceinline__ Vector<D> operator/(const Vector<D> &a, real s)
{
    if constexpr (!EXACT) return recip(s) * a;
    else if constexpr (D == 3) return {a.x / s, a.y / s, a.z / s};
    else if constexpr (D == 2) return {a.x / s, a.y / s};
    else return {a.x / s};
}

template <int D>
__device__ __forceinline__ Vector<D> &operator+=(Vector<D> &a, const Vector<D> &b)
{
    return a = a + b;
}

template <int D>
__device__ __forceinline__ Vector<D> &operator-=(Vector<D> &a, const Vector<D> &b)
{
    return a = a - b;
}

template <int D>
__device__ __forceinline__ Vector<D> &operator*=(Vector<D> &a, real s)
{
    return a = s * a;
}

template <int D>
__device__ __forceinline__ Vector<D> &operator/=(Vector<D> &a, real s)
{
    return a = a / s;
}

template <int D>
__device__ __forceinline__ real dot(const Vector<D> &a, const Vector<D> &b)
{
    if constexpr (D == 3) return a.x * b.x + a.y * b.y + a.z * b.z;
    else if constexpr (D == 2) return a.x * b.x + a.y * b.y;
    else return a.x * b.x;
}

__device__ __forceinline__ Vector<3> cross(const Vector<3> &a, const Vector<3> &b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <int D> __device__ __forceinline__ real norm2(const Vector<D> &a) { return dot(a, a); }

// Adds a term to a sum, and the rounding error to `lost`. The error is exact, whichever of term
// and sum is larger (Knuth 1969, The Art of Computer Programming 2, section 4.2.2).
__device__ __forceinline__ void compensate(real term, real &sum, real &lost)
{
    const real before = sum;
    sum += term;
    const real added = sum - before;
    lost += (before - (sum - added)) + (term - added);
}

template <int D>
__device__ __forceinline__ void compensate(
    const Vector<D> &term, Vector<D> &sum, Vector<D> &lost)
{
    compensate(term.x, sum.x, lost.x);
    if constexpr (D > 1) compensate(term.y, sum.y, lost.y);
    if constexpr (D == 3) compensate(term.z, sum.z, lost.z);
}

template <int N>
__device__ __forceinline__ void compensate(const Array<N> &term, Array<N> &sum, Array<N> &lost)
{
    if constexpr (N <= 255) {
#pragma unroll
        for (int k = 0; k < N; ++k) compensate(term.at[k], sum.at[k], lost.at[k]);
    } else {
#pragma unroll 1
        for (int k = 0; k < N; ++k) compensate(term.at[k], sum.at[k], lost.at[k]);
    }
}

// Returns dot(a, b) + c. Fast mathematics begins with c, which saves an instruction.
template <int D>
__device__ __forceinline__ real dot_plus(const Vector<D> &a, const Vector<D> &b, real c)
{
    if constexpr (EXACT) return dot(a, b) + c;
    else if constexpr (D == 3) return a.x * b.x + (a.y * b.y + (a.z * b.z + c));
    else if constexpr (D == 2) return a.x * b.x + (a.y * b.y + c);
    else return a.x * b.x + c;
}

template <int D>
__device__ __forceinline__ real norm2_plus(const Vector<D> &a, real c)
{
    return dot_plus(a, a, c);
}

// Shifts the sign of x into bit 0; NaN counts as non-negative.
__device__ __forceinline__ void push_sign(real x, u32 &bits)
{
#ifdef __CUDACC__
    // In single precision the GPU returns NaN without a sign.
    if constexpr (sizeof(real) == 4) {
        bits = ::__funnelshift_l(::__float_as_uint(x), bits, 1);
        return;
    }
#endif
    bits = bits << 1 | u32(x < real(0));
}

// CUDA's functions, under their names in the language and in the precision of the program.
#define NBODY_FUNCTION(name, single, twice) \
    __device__ __forceinline__ real name(real x) \
    { \
        if constexpr (sizeof(real) == 4) return ::single(x); \
        else return ::twice(x); \
    }
#define NBODY_FUNCTION_2(name, single, twice) \
    __device__ __forceinline__ real name(real x, real y) \
    { \
        if constexpr (sizeof(real) == 4) return ::single(x, y); \
        else return ::twice(x, y); \
    }
NBODY_FUNCTION(sqrt, sqrtf, sqrt)
NBODY_FUNCTION(cbrt, cbrtf, cbrt)
NBODY_FUNCTION(exp, expf, exp)
NBODY_FUNCTION(ln, logf, log)
NBODY_FUNCTION(asin, asinf, asin)
NBODY_FUNCTION(acos, acosf, acos)
NBODY_FUNCTION(atan, atanf, atan)
NBODY_FUNCTION(sinh, sinhf, sinh)
NBODY_FUNCTION(cosh, coshf, cosh)
NBODY_FUNCTION(tanh, tanhf, tanh)
NBODY_FUNCTION(erf, erff, erf)
NBODY_FUNCTION(erfc, erfcf, erfc)
NBODY_FUNCTION(abs, fabsf, fabs)
NBODY_FUNCTION(floor, floorf, floor)
NBODY_FUNCTION(ceil, ceilf, ceil)
NBODY_FUNCTION(round, roundf, round)
NBODY_FUNCTION(trunc, truncf, trunc)
NBODY_FUNCTION(rint, rintf, rint)
NBODY_FUNCTION_2(powf, powf, pow)
NBODY_FUNCTION_2(atan2, atan2f, atan2)
NBODY_FUNCTION_2(min, fminf, fmin)
NBODY_FUNCTION_2(max, fmaxf, fmax)
NBODY_FUNCTION_2(copysign, copysignf, copysign)
#undef NBODY_FUNCTION
#undef NBODY_FUNCTION_2

// An angle in half turns: a number of quarter turns and a remainder. CUDA's functions reduce large
// angles with an array in local memory; this reduction needs none.
struct Angle {
    u32 quarters;
    float rest; // from -1/4 to 1/4
};

// Reduces an angle of at least 2^17 by the bits of 1/pi whose product with x is not a multiple of
// whole turns (Payne & Hanek 1983, ACM SIGNUM Newsl. 18, 19).
__device__ __forceinline__ Angle reduce_large(float x)
{
    constexpr u32 BITS[] = {0u, 0x28be60dbu, 0x9391054au, 0x7f09d5f4u, 0x7d4d3770u, 0x36d8a566u,
                            0x4f10e410u, 0x7f9458eau};
    const u32 exponent = (::__float_as_uint(x) >> 23 & 0xffu) - 118u;
    const u32 mantissa = (::__float_as_uint(x) & 0x7fffffu) | 0x800000u;
    if (exponent > 136u) return {0u, x - x}; // infinite or NaN
    u32 window[4] = {};
#pragma unroll
    for (u32 word = 0; word < 20; ++word) {
        if (exponent / 32u == word / 4u) window[word % 4u] = BITS[word % 4u + word / 4u];
    }
    const u32 shift = exponent % 32u;
    const auto from = [&](u32 high, u32 low) {
        return shift == 0u ? high : high << shift | low >> (32u - shift);
    };
    using u64 = unsigned long long;
    const u64 high = u64(from(window[0], window[1])) << 32 | from(window[1], window[2]);
    const u64 low = from(window[2], window[3]);
    const u64 turns = high * mantissa + (low * mantissa >> 32); // units of 2^-64
    const u64 quarters = (turns + (u64(1) << 61)) >> 62;
    const float rest = float((long long)(turns - (quarters << 62))) * 1.08420217e-19f; // 2^-63
    return x < 0.0f ? Angle{0u - u32(quarters), -rest} : Angle{u32(quarters), rest};
}

__device__ __forceinline__ Angle reduce(float x)
{
    if (!(::fabsf(x) < 131072.0f)) return reduce_large(x);
    // 1/pi in three parts. The rounding error of the first product is exact, and so is
    // p - quarters / 2.
    const float p = x * 0.318309873f;
    const float lost = ::fmaf(x, 0.318309873f, -p);
    const float quarters = ::rintf(2.0f * p);
    const float rest = ::fmaf(x, 1.28412765e-8f, ::fmaf(-0.5f, quarters, p) + lost);
    return {u32(int(quarters)), ::fmaf(x, 1.46854774e-16f, rest)};
}

__device__ __forceinline__ float sine(const Angle &angle)
{
    const float x = angle.quarters & 1u ? ::cospif(angle.rest) : ::sinpif(angle.rest);
    return angle.quarters & 2u ? -x : x;
}

__device__ __forceinline__ float cosine(const Angle &angle)
{
    return sine({angle.quarters + 1u, angle.rest});
}

__device__ __forceinline__ real sin(real x)
{
    if constexpr (sizeof(real) == 4) return sine(reduce(x));
    else return ::sin(x);
}

__device__ __forceinline__ real cos(real x)
{
    if constexpr (sizeof(real) == 4) return cosine(reduce(x));
    else return ::cos(x);
}

__device__ __forceinline__ real tan(real x)
{
    if constexpr (sizeof(real) == 4) return divide(sine(reduce(x)), cosine(reduce(x)));
    else return ::tan(x);
}

__device__ __forceinline__ real mul_add(real x, real a, real b)
{
    if constexpr (sizeof(real) == 4) return ::fmaf(x, a, b);
    else return ::fma(x, a, b);
}

// Returns the square of the distance from which on a pair counts as beyond a reach. A pair
// computes its distance with rounding errors of its own. For a pair within reach, the computed
// distance, its square and its quotient by the reach must stay below the reach, its square and 1,
// so squares within a margin of some roundoffs below the squared reach count as beyond, too.
// Correctly rounded roots need two roundoffs, and the product has two more. Fast mathematics needs
// 18: seven for r² here and in the pair, twice the two of an approximate root and the three of an
// approximate quotient, and one for strict inequality. It also subtracts a constant, which matters
// if the square is nearly denormal.
__device__ __forceinline__ real limit_of(real reach)
{
    constexpr bool SINGLE = sizeof(real) == 4;
    constexpr real MARGIN = (EXACT ? 4 : 20) * (SINGLE ? 0x1p-24 : 0x1p-53);
    constexpr real LEAST = SINGLE ? 0x1p-126 : 0x1p-1074;
    if constexpr (EXACT) return reach * reach * (1 - MARGIN);
    else return mul_add(reach * reach, 1 - MARGIN, -LEAST);
}

// Returns whether a distance is at least the reach.
template <int D>
__device__ __forceinline__ bool beyond_reach(real reach, const Vector<D> &a)
{
    return limit_of(reach) <= norm2(a);
}

// Returns a negative number if a distance is below the reach. Takes fewer instructions where
// nothing else needs the square.
template <int D>
__device__ __forceinline__ real within_reach(real reach, const Vector<D> &a)
{
    if constexpr (EXACT) return beyond_reach(reach, a) ? real(-1) : real(0);
    else return dot_plus(-a, a, limit_of(reach));
}

// Returns the difference of two coordinates. In a periodic box it is the difference to the nearest
// image, by subtraction of whole lengths.
__device__ __forceinline__ real difference(real a, real b, real length, real inverse)
{
    const real d = a - b;
    if constexpr (PERIODIC) return d - length * rint(d * inverse);
    else return d;
}

// Returns the part that the difference d of the upper parts of two coordinates lacks: its rounding error
// (Knuth's two-sum), which matters if whole lengths cancel most of d, and the lower parts.
template <typename DoubleSingle>
__device__ __forceinline__ real rest_of(real d, const DoubleSingle &a, const DoubleSingle &b)
{
    const real back = d - a.hi;
    const real lost = (a.hi - (d - back)) - (b.hi + back);
    return lost + (a.lo - b.lo);
}

// Returns the difference of two coordinates in mixed precision. They are double-single: hi + lo.
template <typename DoubleSingle>
__device__ __forceinline__ real difference(
    const DoubleSingle &a, const DoubleSingle &b, const DoubleSingle &length, real inverse)
{
    // With cancellation, the first difference is exact (Sterbenz 1974).
    const real d = a.hi - b.hi;
    if constexpr (!PERIODIC) return d + (a.lo - b.lo);

    const real rest = rest_of(d, a, b);
    const real lengths = -rint((d + rest) * inverse);
    return mul_add(lengths, length.hi, d) + mul_add(lengths, length.lo, rest);
}

// Displacements in the precision of coordinates, from which whole vectors of a triclinic box are
// subtracted: the displacement of two coordinates, a displacement without n lengths, and one
// rounded to the precision of the program.
__device__ __forceinline__ real apart(real a, real b) { return a - b; }
__device__ __forceinline__ real without(real d, real n, real length) { return d - length * n; }
__device__ __forceinline__ real narrowed(real d) { return d; }

template <typename DoubleSingle>
__device__ __forceinline__ DoubleSingle apart(const DoubleSingle &a, const DoubleSingle &b)
{
    const real d = a.hi - b.hi;
    return {d, rest_of(d, a, b)};
}

template <typename DoubleSingle>
__device__ __forceinline__ DoubleSingle without(
    const DoubleSingle &d, real n, const DoubleSingle &length)
{
    const real hi = mul_add(-n, length.hi, d.hi);
    // The step from d to hi and its rounding error; the step differs from -n times the length by
    // the rounding error of hi. No product is rounded alone, so that contraction changes nothing.
    const real step = hi - d.hi;
    const real back = step - hi;
    const real lost = (hi - (step - back)) - (d.hi + back);
    const real error = mul_add(n, length.hi, step) + lost;
    return {hi, mul_add(-n, length.lo, d.lo - error)};
}

template <typename DoubleSingle>
__device__ __forceinline__ real narrowed(const DoubleSingle &d)
{
    return d.hi + d.lo;
}

// Space, open or periodic: computes differences of positions. In a triclinic box `length` has ax,
// by and cz, and `tilt` bx, cx and cy.
struct Space {
    Coordinate length[3];
    real inverse[3];
    Coordinate tilt[3];

    __device__ __forceinline__ Vector<1> difference(const Point<1> &a, const Point<1> &b) const
    {
        return {nbody::difference(a.x, b.x, length[0], inverse[0])};
    }

    __device__ __forceinline__ Vector<2> difference(const Point<2> &a, const Point<2> &b) const
    {
        if constexpr (TRICLINIC) return across(apart(a.x, b.x), apart(a.y, b.y));
        return {nbody::difference(a.x, b.x, length[0], inverse[0]),
                nbody::difference(a.y, b.y, length[1], inverse[1])};
    }

    __device__ __forceinline__ Vector<3> difference(const Point<3> &a, const Point<3> &b) const
    {
        if constexpr (TRICLINIC) {
            const Coordinate z = apart(a.z, b.z);
            const real n = whole(z, inverse[2]);
            const Vector<2> d = across(without(apart(a.x, b.x), n, tilt[1]), without(apart(a.y, b.y), n, tilt[2]));
            return {d.x, d.y, narrowed(without(z, n, length[2]))};
        }
        return {nbody::difference(a.x, b.x, length[0], inverse[0]),
                nbody::difference(a.y, b.y, length[1], inverse[1]),
                nbody::difference(a.z, b.z, length[2], inverse[2])};
    }

private:
    // Returns the number of lengths that is nearest to a displacement.
    static __device__ __forceinline__ real whole(const Coordinate &d, real inverse)
    {
        return rint(narrowed(d) * inverse);
    }

    // Subtracts whole vectors b and a.
    __device__ __forceinline__ Vector<2> across(const Coordinate &x, const Coordinate &y) const
    {
        const real of_b = whole(y, inverse[1]);
        const Coordinate rest = without(x, of_b, tilt[0]);
        const real of_a = whole(rest, inverse[0]);
        return {narrowed(without(rest, of_a, length[0])), narrowed(without(y, of_b, length[1]))};
    }
};

// Returns x to the power of N, by repeated squaring.
template <u32 N, typename T>
__device__ __forceinline__ T raise(T x)
{
    T square = x;
    T power = T(1);
    bool first = true;
#pragma unroll
    for (u32 rest = N; rest > 0; rest >>= 1) {
        if (rest & 1) {
            power = first ? square : power * square;
            first = false;
        }
        if (rest > 1) square = square * square;
    }
    return power;
}

// Returns the hardware's approximation of 1/sqrt(x), accurate to 20 bits; denormal x counts as
// zero.
#ifdef __CUDACC__
__device__ __forceinline__ double rsqrt_seed(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}
#endif

// Returns 1/sqrt(x) to a small power N: the power of the approximation, corrected by its residual
// to third order. For zero, infinity and NaN the power stays uncorrected.
template <int N, typename T>
__device__ __forceinline__ T rsqrt_by_seed(T x)
{
    const T y = rsqrt_seed(x);
    const T residual = ::fma(-x, y * y, T(1));
    const T power = raise<N>(y);
    const T step = ::fma(T(N * (N + 2) / 8.0), residual, T(N / 2.0)) * residual;
    // The residual of such an approximation has a large exponent. The power may also overflow.
    const bool stays = N == 1 ? ::__double2hiint(residual) & 0x40000000
                              : u32(::__double2hiint(power)) - 0x00100000u >= 0x7fe00000u;
    return stays ? power : ::fma(step, power, power);
}

// Returns 1/sqrt(x): the approximation of the hardware, refined in double precision; in exact
// mathematics a correctly rounded root and division.
__device__ __forceinline__ real rsqrt(real x)
{
    if constexpr (EXACT) return real(1) / sqrt(x);
    else if constexpr (sizeof(real) == 4) return ::rsqrtf(x);
    else return rsqrt_by_seed<1>(double(x));
}

__device__ __forceinline__ real clamp(real x, real low, real high)
{
    return min(max(x, low), high);
}

// Returns an integer power.
template <int N>
__device__ __forceinline__ real powi(real x)
{
    if constexpr (N < 0) return recip(raise<0u - u32(N)>(x));
    else return raise<u32(N)>(x);
}

// Returns a power of 1/sqrt(x), refined to full double precision in the same number of steps as
// the root itself.
template <int N>
__device__ __forceinline__ real rsqrt_powi(real x)
{
    if constexpr (EXACT || sizeof(real) == 4) return powi<N>(rsqrt(x));
    else return rsqrt_by_seed<N>(double(x));
}

template <int D> __device__ __forceinline__ real norm(const Vector<D> &a) { return sqrt(norm2(a)); }

} // namespace nbody
