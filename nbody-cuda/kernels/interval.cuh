// Interval arithmetic, in which the cutoffs of groups of particles are bounded. nbody-core's
// `numeric::interval` defines it: the bounds here are the same, to the last bit. The program must be
// compiled without contraction.
namespace nbody::bounds {

constexpr double ROUNDOFF = 0x1p-24, SUM = 4.0, DIVISION = 4.0, ROOT = 2.0, FUNCTION = 16.0;
constexpr double SLACK = 2.0; // errors are taken for twice as large as they are known to be
constexpr double TINY = 0x1p-126; // smaller numbers may become 0
constexpr double LARGE = 0x1p124; // larger numbers may become infinite, and their reciprocals 0
constexpr double PI = 3.141592653589793;
constexpr u32 MOST = ~0u;

__device__ __forceinline__ double infinite() { return ::__longlong_as_double(0x7ff0000000000000ll); }
__device__ __forceinline__ bool is_nan(double x) { return !(x == x); }

// Bounds of an integer, which are exact.
struct Integers {
    u32 lo, hi;

    static __device__ __forceinline__ Integers of(u32 n) { return {n, n}; }
};

// Bounds of a number.
struct Interval {
    double lo, hi;
    bool may_be_nan;

    static __device__ __forceinline__ Interval whole() { return {-infinite(), infinite(), true}; }

    // Returns a number, rounded to the precision of engines.
    static __device__ __forceinline__ Interval of(double x) { return exactly(x).stored(); }
    static __device__ __forceinline__ Interval of(Integers n);

    static __device__ __forceinline__ Interval exactly(double x)
    {
        return is_nan(x) ? whole() : Interval{x, x, false};
    }

    // Returns bounds of the numbers that engines read from memory, rounded once.
    __device__ __forceinline__ Interval stored() const;

    // Returns the integers within the bounds.
    __device__ __forceinline__ Integers integers() const;

    __device__ __forceinline__ bool contains_zero() const { return lo <= 0.0 && 0.0 <= hi; }
    __device__ __forceinline__ bool is_unbounded() const { return lo == -infinite() || hi == infinite(); }
    __device__ __forceinline__ bool is_finite() const { return !is_unbounded() && !may_be_nan; }
    __device__ __forceinline__ Interval or_nan(bool nan) const { return {lo, hi, may_be_nan || nan}; }
};

// A product of numbers. A sum with it is never exact, since engines may add the products of a scalar
// product in another order.
struct Product : Interval {};

template <int D> struct Vector {
    Interval at[D];
    __device__ __forceinline__ Interval &operator[](u32 k) { return at[k]; }
    __device__ __forceinline__ const Interval &operator[](u32 k) const { return at[k]; }
};
template <int D> struct ProductVector : Vector<D> {};

// A position, of which nothing is known.
template <int D> struct Point {};

template <int N> struct Array {
    Interval at[N];
    __device__ __forceinline__ Interval &operator[](u32 k) { return at[k]; }
    __device__ __forceinline__ const Interval &operator[](u32 k) const { return at[k]; }
};

// An array and a table among parameters, which stay in memory.
template <int N> struct Entries {
    const Interval *at;
    __device__ __forceinline__ Interval operator[](u32 k) const { return at[k].stored(); }
    __device__ __forceinline__ Array<N> values() const
    {
        Array<N> array;
        for (u32 k = 0; k < N; ++k) array[k] = (*this)[k];
        return array;
    }
};
template <int ROWS, int COLUMNS> struct Table {
    const Interval *at;
};

__device__ __forceinline__ Interval hull(const Interval &a, const Interval &b)
{
    return {::fmin(a.lo, b.lo), ::fmax(a.hi, b.hi), a.may_be_nan || b.may_be_nan};
}
__device__ __forceinline__ Integers hull(Integers a, Integers b)
{
    return {a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
template <int D> __device__ __forceinline__ Vector<D> hull(const Vector<D> &a, const Vector<D> &b)
{
    Vector<D> both;
    for (u32 k = 0; k < D; ++k) both[k] = hull(a[k], b[k]);
    return both;
}
template <int N> __device__ __forceinline__ Array<N> hull(const Array<N> &a, const Array<N> &b)
{
    Array<N> both;
    for (u32 k = 0; k < N; ++k) both[k] = hull(a[k], b[k]);
    return both;
}
template <int D> __device__ __forceinline__ Point<D> hull(Point<D>, Point<D>) { return {}; }

// Whether a condition may hold, and whether it may fail: both if the numbers within the bounds of its
// operands do not agree.
struct Truth {
    bool may_hold, may_fail;

    static __device__ __forceinline__ Truth of(bool value) { return {value, !value}; }

    // Returns the choice, or the hull of both where it is undecided.
    template <typename T> __device__ __forceinline__ T choose(const T &yes, const T &no) const
    {
        return may_hold != may_fail ? may_hold ? yes : no : hull(yes, no);
    }
    __device__ __forceinline__ Interval select(const Interval &yes, const Interval &no) const
    {
        return choose(yes, no);
    }
    __device__ __forceinline__ Integers select(Integers yes, Integers no) const
    {
        return choose(yes, no);
    }
    __device__ __forceinline__ Truth select(Truth yes, Truth no) const;
    template <int D>
    __device__ __forceinline__ Vector<D> select(const Vector<D> &yes, const Vector<D> &no) const
    {
        return choose(yes, no);
    }
    template <int N>
    __device__ __forceinline__ Array<N> select(const Array<N> &yes, const Array<N> &no) const
    {
        return choose(yes, no);
    }
    template <int D> __device__ __forceinline__ Point<D> select(Point<D>, Point<D>) const
    {
        return {};
    }
};

__device__ __forceinline__ Truth operator!(Truth a) { return {a.may_fail, a.may_hold}; }
__device__ __forceinline__ Truth operator&&(Truth a, Truth b)
{
    return {a.may_hold && b.may_hold, a.may_fail || b.may_fail};
}
__device__ __forceinline__ Truth operator||(Truth a, Truth b) { return !(!a && !b); }
__device__ __forceinline__ Truth operator^(Truth a, Truth b) { return (a && !b) || (!a && b); }
__device__ __forceinline__ Truth operator!=(Truth a, Truth b) { return a ^ b; }
__device__ __forceinline__ Truth operator==(Truth a, Truth b) { return !(a ^ b); }

__device__ __forceinline__ Truth Truth::select(Truth yes, Truth no) const
{
    return (*this && yes) || (!*this && no);
}

__device__ __forceinline__ Truth operator<(const Interval &a, const Interval &b)
{
    return {a.lo < b.hi, a.hi >= b.lo || a.may_be_nan || b.may_be_nan};
}
__device__ __forceinline__ Truth operator<=(const Interval &a, const Interval &b)
{
    return {a.lo <= b.hi, a.hi > b.lo || a.may_be_nan || b.may_be_nan};
}
__device__ __forceinline__ Truth operator>(const Interval &a, const Interval &b) { return b < a; }
__device__ __forceinline__ Truth operator>=(const Interval &a, const Interval &b) { return b <= a; }
__device__ __forceinline__ Truth operator==(const Interval &a, const Interval &b)
{
    const bool differs = (a < b).may_hold || (b < a).may_hold;
    return {a.lo <= b.hi && b.lo <= a.hi, differs || a.may_be_nan || b.may_be_nan};
}
__device__ __forceinline__ Truth operator!=(const Interval &a, const Interval &b) { return !(a == b); }

__device__ __forceinline__ Truth operator<(Integers a, Integers b) { return {a.lo < b.hi, a.hi >= b.lo}; }
__device__ __forceinline__ Truth operator<=(Integers a, Integers b) { return {a.lo <= b.hi, a.hi > b.lo}; }
__device__ __forceinline__ Truth operator>(Integers a, Integers b) { return b < a; }
__device__ __forceinline__ Truth operator>=(Integers a, Integers b) { return b <= a; }
__device__ __forceinline__ Truth operator==(Integers a, Integers b)
{
    return {a.lo <= b.hi && b.lo <= a.hi, !(a.lo == b.hi && a.hi == b.lo)};
}
__device__ __forceinline__ Truth operator!=(Integers a, Integers b) { return !(a == b); }

__device__ __forceinline__ bool is_one(Integers a, Integers b) { return a.lo == a.hi && b.lo == b.hi; }

__device__ __forceinline__ Integers operator+(Integers a, Integers b)
{
    if (is_one(a, b)) return Integers::of(a.lo + b.lo);
    return a.hi <= MOST - b.hi ? Integers{a.lo + b.lo, a.hi + b.hi} : Integers{0, MOST};
}
__device__ __forceinline__ Integers operator-(Integers a, Integers b)
{
    if (is_one(a, b)) return Integers::of(a.lo - b.lo);
    return a.lo >= b.hi ? Integers{a.lo - b.hi, a.hi - b.lo} : Integers{0, MOST};
}
__device__ __forceinline__ Integers operator*(Integers a, Integers b)
{
    if (is_one(a, b)) return Integers::of(a.lo * b.lo);
    const unsigned long long most = (unsigned long long)a.hi * b.hi;
    return most <= MOST ? Integers{a.lo * b.lo, u32(most)} : Integers{0, MOST};
}
// Returns the largest integer with the bits of both.
__device__ __forceinline__ u32 most_of_bits(Integers a, Integers b)
{
    const u32 bits = a.hi | b.hi;
    return bits == 0 ? 0 : MOST >> ::__clz(int(bits));
}
__device__ __forceinline__ Integers operator&(Integers a, Integers b)
{
    return is_one(a, b) ? Integers::of(a.lo & b.lo) : Integers{0, a.hi < b.hi ? a.hi : b.hi};
}
__device__ __forceinline__ Integers operator|(Integers a, Integers b)
{
    if (is_one(a, b)) return Integers::of(a.lo | b.lo);
    return {a.lo > b.lo ? a.lo : b.lo, most_of_bits(a, b)};
}
__device__ __forceinline__ Integers operator^(Integers a, Integers b)
{
    return is_one(a, b) ? Integers::of(a.lo ^ b.lo) : Integers{0, most_of_bits(a, b)};
}

// Returns a lower bound of a number that is at least x but for an error.
__device__ __forceinline__ double below(double x, double error)
{
    const double bound = x == infinite() ? x : x - (SLACK * error + TINY);
    return bound < -LARGE ? -infinite() : bound;
}

__device__ __forceinline__ double above(double x, double error) { return -below(-x, error); }

// Returns whether every engine has exactly this number.
__device__ __forceinline__ bool is_exact(double x)
{
    const float rounded = ::__double2float_rn(x);
    const double size = ::fabs(double(rounded));
    return double(rounded) == x && (x == 0.0 || (size >= TINY && size < infinite()));
}

__device__ __forceinline__ bool is_exact(const Interval &a)
{
    return a.lo == a.hi && !a.may_be_nan && is_exact(a.lo);
}

// Returns whether a sum is exact: each term is its difference from the other (Dekker 1971).
__device__ __forceinline__ bool is_exact_sum(double a, double b)
{
    const double sum = a + b;
    return is_exact(sum) && sum - a == b && sum - b == a;
}

// Returns bounds of results between these two but for an error, in roundoffs. It does not change their
// sign.
__device__ __forceinline__ Interval rounded(double lo, double hi, double roundoffs)
{
    if (is_nan(lo) || is_nan(hi)) return Interval::whole();
    const double low = below(lo, roundoffs * ROUNDOFF * ::fabs(lo));
    const double high = above(hi, roundoffs * ROUNDOFF * ::fabs(hi));
    return {lo >= 0.0 ? ::fmax(low, 0.0) : low, hi <= 0.0 ? ::fmin(high, 0.0) : high, false};
}

// Returns the hull of these results, each with an error.
__device__ __forceinline__ Interval of_results(
    double a, double b, double c, double d, double roundoffs)
{
    if (is_nan(a) || is_nan(b) || is_nan(c) || is_nan(d)) return Interval::whole();
    const double lo = ::fmin(::fmin(a, b), ::fmin(c, d)), hi = ::fmax(::fmax(a, b), ::fmax(c, d));
    return rounded(lo, hi, roundoffs);
}

__device__ __forceinline__ Interval Interval::stored() const
{
    const Interval bounds = rounded(lo, hi, 1.0);
    return {is_exact(lo) ? lo : bounds.lo, is_exact(hi) ? hi : bounds.hi,
            may_be_nan || bounds.may_be_nan};
}

// Returns the nearest integer of 32 bits.
__device__ __forceinline__ u32 saturated(double x)
{
    return !(x > 0.0) ? 0 : x < double(MOST) ? u32(x) : MOST;
}

__device__ __forceinline__ Integers Interval::integers() const
{
    return {saturated(::ceil(lo)), saturated(::floor(hi))};
}

__device__ __forceinline__ Interval Interval::of(Integers n)
{
    const Interval bounds = {double(n.lo), double(n.hi), false};
    return n.lo <= n.hi ? bounds.stored() : whole();
}

__device__ __forceinline__ Interval operator-(const Interval &a) { return {-a.hi, -a.lo, a.may_be_nan}; }

// Returns bounds of a sum with rounding errors.
__device__ __forceinline__ Interval rounded_sum(const Interval &a, const Interval &b)
{
    const double lo = a.lo + b.lo, hi = a.hi + b.hi;
    if (is_nan(lo) || is_nan(hi)) return Interval::whole();
    const double low = below(lo, SUM * ROUNDOFF * (::fabs(a.lo) + ::fabs(b.lo)));
    const double high = above(hi, SUM * ROUNDOFF * (::fabs(a.hi) + ::fabs(b.hi)));
    // Infinities of opposite sign.
    const bool cancel = (::fabs(a.lo) == infinite() && b.hi == -a.lo)
        || (::fabs(a.hi) == infinite() && b.lo == -a.hi);
    return {a.lo >= 0.0 && b.lo >= 0.0 ? ::fmax(low, 0.0) : low,
            a.hi <= 0.0 && b.hi <= 0.0 ? ::fmin(high, 0.0) : high,
            a.may_be_nan || b.may_be_nan || cancel};
}

__device__ __forceinline__ Interval operator+(const Interval &a, const Interval &b)
{
    const bool exact = is_exact(a) && is_exact(b) && is_exact_sum(a.lo, b.lo);
    return exact ? Interval::exactly(a.lo + b.lo) : rounded_sum(a, b);
}
__device__ __forceinline__ Interval operator+(const Product &a, const Interval &b) { return rounded_sum(b, a); }
__device__ __forceinline__ Interval operator+(const Interval &a, const Product &b) { return rounded_sum(a, b); }
__device__ __forceinline__ Interval operator+(const Product &a, const Product &b) { return rounded_sum(a, b); }

__device__ __forceinline__ Interval operator-(const Interval &a, const Interval &b) { return a + -b; }

__device__ __forceinline__ Product operator*(const Interval &a, const Interval &b)
{
    // A product of two numbers of `f32` is exact in `f64`.
    if (is_exact(a) && is_exact(b) && is_exact(a.lo * b.lo)) {
        return {Interval::exactly(a.lo * b.lo)};
    }
    const Interval product =
        of_results(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi, 1.0);
    // Zero times infinity.
    const bool vanishes =
        (a.contains_zero() && b.is_unbounded()) || (b.contains_zero() && a.is_unbounded());
    return {product.or_nan(vanishes || a.may_be_nan || b.may_be_nan)};
}

__device__ __forceinline__ Interval operator/(const Interval &a, const Interval &b)
{
    if (b.contains_zero()) return Interval::whole();
    const Interval quotient =
        of_results(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi, DIVISION);
    const bool unbounded = a.is_unbounded() && b.is_unbounded();
    return quotient.or_nan(unbounded || a.may_be_nan || b.may_be_nan);
}

// Returns the part in the domain of a function, which is NaN elsewhere.
__device__ __forceinline__ Interval inside(const Interval &x, double lo, double hi)
{
    if (x.hi < lo || hi < x.lo) return Interval::whole();
    return {::fmax(x.lo, lo), ::fmin(x.hi, hi), x.may_be_nan || x.lo < lo || x.hi > hi};
}

// Functions of numbers in IEEE arithmetic alone.

__device__ __forceinline__ double exp_of(double x)
{
    constexpr double LOG2_E = 1.4426950408889634;
    // The upper bits of ln 2, whose products with small integers are exact, and the others.
    constexpr double HIGH = 0x1.62e42p-1, LOW = 4.7493250390316726e-7;
    constexpr double GREATEST = 709.0;
    if (is_nan(x) || x == infinite()) return x;
    x = ::fmin(x, GREATEST); // more than any float, but not infinite
    if (x < 1.0 - GREATEST) return x == -infinite() ? 0.0 : 0x1p-1022; // less than any float
    const double power = ::rint(x * LOG2_E);
    const double rest = (x - power * HIGH) - power * LOW;
    double sum = 1.0;
    for (int n = 13; n > 0; --n) sum = 1.0 + sum * rest / double(n);
    return sum * ::__longlong_as_double(((long long)power + 1023) << 52);
}

// Returns the natural logarithm of a number that is not negative.
__device__ __forceinline__ double ln_of(double x)
{
    constexpr double LN_2 = 0.6931471805599453, SQRT_2 = 1.4142135623730951;
    constexpr long long FRACTION = (1ll << 52) - 1;
    if (x < 0x1p-1022) return -infinite();
    if (x == infinite()) return x;
    const long long bits = ::__double_as_longlong(x);
    long long power = (bits >> 52) - 1023;
    double mantissa = ::__longlong_as_double((bits & FRACTION) | 1023ll << 52);
    if (mantissa > SQRT_2) {
        mantissa *= 0.5;
        power += 1;
    }
    // ln m = 2 artanh s.
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    double sum = 0.0;
    for (int n = 11; n >= 0; --n) sum = 1.0 / double(2 * n + 1) + s * s * sum;
    return double(power) * LN_2 + 2.0 * s * sum;
}

__device__ __forceinline__ double power_of(double x, double exponent)
{
    return exponent == 0.0 ? 1.0 : exp_of(exponent * ln_of(x));
}

__device__ __forceinline__ double cbrt_of(double x) { return ::copysign(exp_of(ln_of(::fabs(x)) / 3.0), x); }

constexpr double SMALL = 0x1p-12;

__device__ __forceinline__ double sinh_of(double x)
{
    return ::fabs(x) < SMALL ? x + x * x * x / 6.0 : (exp_of(x) - exp_of(-x)) * 0.5;
}
__device__ __forceinline__ double cosh_of(double x) { return (exp_of(x) + exp_of(-x)) * 0.5; }
__device__ __forceinline__ double tanh_of(double x)
{
    return ::fabs(x) < SMALL ? x - x * x * x / 3.0 : 1.0 - 2.0 / (exp_of(2.0 * x) + 1.0);
}

// The functions of the language.

__device__ __forceinline__ Interval abs(const Interval &x)
{
    const double hi = x.lo >= 0.0 ? x.hi : x.hi <= 0.0 ? -x.lo : ::fmax(x.hi, -x.lo);
    const double lo = x.lo >= 0.0 ? x.lo : x.hi <= 0.0 ? -x.hi : 0.0;
    return {::fmax(lo, 0.0), hi, x.may_be_nan};
}

__device__ __forceinline__ Interval min(const Interval &a, const Interval &b)
{
    const Interval lesser = {::fmin(a.lo, b.lo), ::fmin(a.hi, b.hi), false};
    // Of a number and NaN, the number.
    const auto alone = [](const Interval &nan, const Interval &bounds, const Interval &number) {
        return nan.may_be_nan ? hull(bounds, {number.lo, number.hi, false}) : bounds;
    };
    const Interval bounds = alone(b, alone(a, lesser, b), a);
    return bounds.or_nan(a.may_be_nan && b.may_be_nan);
}
__device__ __forceinline__ Interval max(const Interval &a, const Interval &b) { return -min(-a, -b); }
__device__ __forceinline__ Interval clamp(const Interval &x, const Interval &low, const Interval &high)
{
    return min(max(x, low), high);
}

__device__ __forceinline__ Interval increasing(
    const Interval &x, double lo, double hi, double roundoffs = FUNCTION)
{
    return rounded(lo, hi, roundoffs).or_nan(x.may_be_nan);
}

__device__ __forceinline__ Interval sqrt(const Interval &a)
{
    const Interval x = inside(a, 0.0, infinite());
    return increasing(x, ::sqrt(x.lo), ::sqrt(x.hi), ROOT);
}
__device__ __forceinline__ Interval recip(const Interval &x) { return Interval::of(1.0) / x; }
__device__ __forceinline__ Interval rsqrt(const Interval &x) { return Interval::of(1.0) / sqrt(x); }
__device__ __forceinline__ Interval cbrt(const Interval &x) { return increasing(x, cbrt_of(x.lo), cbrt_of(x.hi)); }
__device__ __forceinline__ Interval exp(const Interval &x) { return increasing(x, exp_of(x.lo), exp_of(x.hi)); }
__device__ __forceinline__ Interval ln(const Interval &a)
{
    const Interval x = inside(a, 0.0, infinite());
    return increasing(x, ln_of(x.lo), ln_of(x.hi));
}
__device__ __forceinline__ Interval sinh(const Interval &x) { return increasing(x, sinh_of(x.lo), sinh_of(x.hi)); }
__device__ __forceinline__ Interval cosh(const Interval &a)
{
    const Interval x = abs(a);
    return increasing(x, cosh_of(x.lo), cosh_of(x.hi));
}
__device__ __forceinline__ Interval tanh(const Interval &x) { return increasing(x, tanh_of(x.lo), tanh_of(x.hi)); }

// Functions of which the range is known.
__device__ __forceinline__ Interval sin(const Interval &x)
{
    return increasing(x, -1.0, 1.0).or_nan(x.is_unbounded());
}
__device__ __forceinline__ Interval cos(const Interval &x) { return sin(x); }
__device__ __forceinline__ Interval tan(const Interval &) { return Interval::whole(); }
__device__ __forceinline__ Interval asin(const Interval &a)
{
    return increasing(inside(a, -1.0, 1.0), -PI / 2, PI / 2);
}
__device__ __forceinline__ Interval acos(const Interval &a)
{
    return increasing(inside(a, -1.0, 1.0), 0.0, PI);
}
__device__ __forceinline__ Interval atan(const Interval &x) { return increasing(x, -PI / 2, PI / 2); }
__device__ __forceinline__ Interval atan2(const Interval &y, const Interval &x)
{
    return increasing(y, -PI, PI).or_nan(x.may_be_nan);
}
__device__ __forceinline__ Interval erf(const Interval &x) { return increasing(x, -1.0, 1.0); }
__device__ __forceinline__ Interval erfc(const Interval &x) { return increasing(x, 0.0, 2.0); }

__device__ __forceinline__ Interval powf(const Interval &x, const Interval &exponent)
{
    if (x.lo < 0.0 || (x.lo == 0.0 && exponent.lo < 0.0)) return Interval::whole();
    // The logarithm is linear in the exponent, and in that of the base.
    const Interval powers = of_results(
        power_of(x.lo, exponent.lo), power_of(x.lo, exponent.hi), power_of(x.hi, exponent.lo),
        power_of(x.hi, exponent.hi), FUNCTION);
    return powers.or_nan(x.may_be_nan || exponent.may_be_nan);
}

// Repeated squaring of a number.
template <u32 N> __device__ __forceinline__ Interval raise(double x)
{
    Interval power = Interval::exactly(1.0);
#pragma unroll
    for (int bit = 31; bit >= 0; --bit) {
        if (N >> bit == 0) continue;
        power = power * power;
        if (N >> bit & 1) power = power * Interval::exactly(x);
    }
    return power;
}
template <int N> __device__ __forceinline__ Interval powi(const Interval &x)
{
    constexpr u32 SIZE = N < 0 ? 0u - u32(N) : u32(N);
    const Interval base = N % 2 == 0 ? abs(x) : x;
    const Interval power = {raise<SIZE>(base.lo).lo, raise<SIZE>(base.hi).hi, x.may_be_nan};
    return N < 0 ? recip(power) : power;
}
template <int N> __device__ __forceinline__ Interval rsqrt_powi(const Interval &x)
{
    return Interval::exactly(1.0) * powi<N>(rsqrt(x));
}

__device__ __forceinline__ Interval floor(const Interval &x) { return {::floor(x.lo), ::floor(x.hi), x.may_be_nan}; }
__device__ __forceinline__ Interval ceil(const Interval &x) { return {::ceil(x.lo), ::ceil(x.hi), x.may_be_nan}; }
__device__ __forceinline__ Interval round(const Interval &x) { return {::round(x.lo), ::round(x.hi), x.may_be_nan}; }
__device__ __forceinline__ Interval trunc(const Interval &x) { return {::trunc(x.lo), ::trunc(x.hi), x.may_be_nan}; }
__device__ __forceinline__ Interval copysign(const Interval &x, const Interval &sign)
{
    const Truth is_negative = {
        sign.lo <= 0.0 || sign.may_be_nan, sign.hi >= 0.0 || sign.may_be_nan};
    return is_negative.select(-abs(x), abs(x));
}
__device__ __forceinline__ Interval mul_add(const Interval &x, const Interval &a, const Interval &b)
{
    return rounded_sum(b, x * a);
}

// Vectors.

template <int D>
__device__ __forceinline__ Vector<D> operator+(const Vector<D> &a, const Vector<D> &b)
{
    Vector<D> sum;
    for (u32 k = 0; k < D; ++k) sum[k] = a[k] + b[k];
    return sum;
}
template <int D>
__device__ __forceinline__ Vector<D> rounded_sum(const Vector<D> &a, const Vector<D> &b)
{
    Vector<D> sum;
    for (u32 k = 0; k < D; ++k) sum[k] = rounded_sum(a[k], b[k]);
    return sum;
}
template <int D>
__device__ __forceinline__ Vector<D> operator+(const ProductVector<D> &a, const Vector<D> &b)
{
    return rounded_sum<D>(b, a);
}
template <int D>
__device__ __forceinline__ Vector<D> operator+(const Vector<D> &a, const ProductVector<D> &b)
{
    return rounded_sum<D>(a, b);
}
template <int D>
__device__ __forceinline__ Vector<D> operator+(const ProductVector<D> &a, const ProductVector<D> &b)
{
    return rounded_sum<D>(a, b);
}
template <int D>
__device__ __forceinline__ Vector<D> operator-(const Vector<D> &a, const Vector<D> &b)
{
    Vector<D> difference;
    for (u32 k = 0; k < D; ++k) difference[k] = a[k] - b[k];
    return difference;
}
template <int D> __device__ __forceinline__ Vector<D> operator-(const Vector<D> &a)
{
    Vector<D> negative;
    for (u32 k = 0; k < D; ++k) negative[k] = -a[k];
    return negative;
}
template <int D>
__device__ __forceinline__ ProductVector<D> operator*(const Vector<D> &a, const Interval &s)
{
    ProductVector<D> product;
    for (u32 k = 0; k < D; ++k) product[k] = a[k] * s;
    return product;
}
template <int D>
__device__ __forceinline__ ProductVector<D> operator*(const Interval &s, const Vector<D> &a)
{
    return a * s;
}
template <int D>
__device__ __forceinline__ Vector<D> operator/(const Vector<D> &a, const Interval &s)
{
    Vector<D> quotient;
    for (u32 k = 0; k < D; ++k) quotient[k] = a[k] / s;
    return quotient;
}
template <int D> __device__ __forceinline__ Vector<D> operator-(Point<D>, Point<D>)
{
    Vector<D> difference;
    for (u32 k = 0; k < D; ++k) difference[k] = Interval::whole();
    return difference;
}

template <int D>
__device__ __forceinline__ Interval dot(const Vector<D> &a, const Vector<D> &b)
{
    Interval sum = a[0] * b[0];
    for (u32 k = 1; k < D; ++k) sum = rounded_sum(sum, a[k] * b[k]);
    return sum;
}
template <int D>
__device__ __forceinline__ Interval dot_plus(const Vector<D> &a, const Vector<D> &b, const Interval &c)
{
    return dot<D>(a, b) + c;
}
template <int D> __device__ __forceinline__ Interval norm2(const Vector<D> &a)
{
    const Interval square = dot<D>(a, a);
    return {::fmax(square.lo, 0.0), square.hi, square.may_be_nan};
}
template <int D>
__device__ __forceinline__ Interval norm2_plus(const Vector<D> &a, const Interval &c)
{
    return norm2<D>(a) + c;
}
template <int D> __device__ __forceinline__ Interval norm(const Vector<D> &a) { return sqrt(norm2<D>(a)); }

__device__ __forceinline__ Vector<3> cross(const Vector<3> &a, const Vector<3> &b)
{
    return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

// Entries of which some index within bounds is that of.

__device__ __forceinline__ bool are_inside(Integers index, u32 n)
{
    return index.lo <= index.hi && index.hi < n;
}

template <int N>
__device__ __forceinline__ Interval entry(const Entries<N> &entries, Integers index)
{
    if (!are_inside(index, N)) return Interval::whole();
    Interval found = entries[index.lo];
    for (u32 k = index.lo + 1; k <= index.hi; ++k) found = hull(found, entries[k]);
    return found;
}

// Without an index that registers do not have.
template <int N> __device__ __forceinline__ Interval entry(const Array<N> &array, Integers index)
{
    if (!are_inside(index, N)) return Interval::whole();
    Interval found = {infinite(), -infinite(), false};
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
        if (index.lo <= k && k <= index.hi) found = hull(found, array[k]);
    }
    return found;
}

template <int ROWS, int COLUMNS>
__device__ __forceinline__ Interval entry(
    const Table<ROWS, COLUMNS> &table, Integers row, Integers column)
{
    if (!are_inside(row, ROWS) || !are_inside(column, COLUMNS)) return Interval::whole();
    Interval found = {infinite(), -infinite(), false};
    for (u32 k = row.lo; k <= row.hi; ++k) {
        for (u32 l = column.lo; l <= column.hi; ++l) {
            found = hull(found, table.at[k * COLUMNS + l].stored());
        }
    }
    return found;
}

} // namespace nbody::bounds
