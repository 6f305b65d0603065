// Splines of the parameters.
namespace nbody {

// The coefficients of a polynomial, by ascending powers.
struct alignas(4 * sizeof(real) > 16 ? 16 : 4 * sizeof(real)) Cubic {
    real a, b, c, d;
};

// Piecewise polynomials on KNOTS points at equal distances. The first piece is before the first
// knot and the last one after the last knot, where the function continues as its tangent.
template <u32 KNOTS> struct Spline {
    const Cubic *cubics;
    real begin; // of the first piece, where it counts as one as long as others
    real inverse; // of the distance of knots

    __device__ __forceinline__ real at(real x) const
    {
        real u;
        const Cubic p = piece(x, u);
        return p.a + u * (p.b + u * (p.c + u * p.d));
    }

    __device__ __forceinline__ real slope(real x) const
    {
        real u;
        const Cubic p = piece(x, u);
        return (p.b + u * ((p.c + p.c) + u * (p.d * real(3)))) * inverse;
    }

    __device__ __forceinline__ real curvature(real x) const
    {
        real u;
        const Cubic p = piece(x, u);
        return ((p.c + p.c) + u * (p.d * real(6))) * (inverse * inverse);
    }

    __device__ __forceinline__ real third_derivative(real x) const
    {
        real u;
        const Cubic p = piece(x, u);
        // NaN stays NaN.
        return (p.d * real(6) + u * real(0)) * (inverse * inverse * inverse);
    }

    // Returns the polynomial of the piece that contains x, and the distance from its beginning.
    __device__ __forceinline__ Cubic piece(real x, real &u) const
    {
        const real t = (x - begin) * inverse;
        // NaN is in the first piece.
        const real inside = min(max(t, real(0)), real(KNOTS));
        u32 k;
        u = t - whole(inside, k);
        return loaded(cubics + k);
    }

    // Rounds a small number down, and returns it as an integer, too. A sum that is rounded down takes
    // less time than conversions.
    static __device__ __forceinline__ real whole(real x, u32 &k)
    {
#ifdef __CUDACC__
        if constexpr (sizeof(real) == 4) {
            const float sum = ::__fadd_rd(x, 8388608.0f); // 2^23
            k = ::__float_as_uint(sum) & 0x007fffffu;
            return sum - 8388608.0f;
        } else {
            const double sum = ::__dadd_rd(x, 4503599627370496.0); // 2^52
            k = u32(::__double2loint(sum));
            return sum - 4503599627370496.0;
        }
#else
        k = u32(x);
        return real(k);
#endif
    }

    static __device__ __forceinline__ Cubic loaded(const Cubic *p)
    {
#ifdef __CUDACC__
        if constexpr (sizeof(real) == 4) {
            const float4 q = ::__ldg(reinterpret_cast<const float4 *>(p));
            return {q.x, q.y, q.z, q.w};
        } else {
            const double2 q = ::__ldg(reinterpret_cast<const double2 *>(p));
            const double2 r = ::__ldg(reinterpret_cast<const double2 *>(p) + 1);
            return {q.x, q.y, r.x, r.y};
        }
#else
        return *p;
#endif
    }
};

// Splines in rows and columns. Each begins with a row that has its scale.
template <u32 ROWS, u32 COLUMNS, u32 KNOTS> struct Splines {
    const Cubic *cubics;

    // Returns the spline of this index; beyond the end one whose values are NaN.
    __device__ __forceinline__ Spline<KNOTS> element(u32 index) const
    {
        const bool exists = index < ROWS * COLUMNS;
        const Cubic *first = cubics + (exists ? index : 0) * (KNOTS + 2);
        const Cubic scale = Spline<KNOTS>::loaded(first);
        return {first + 1, exists ? scale.a : not_a_number(), scale.b};
    }

    __device__ __forceinline__ Spline<KNOTS> entry(u32 row, u32 column) const
    {
        const bool exists = row < ROWS && column < COLUMNS;
        return element(exists ? row * COLUMNS + column : ~0u);
    }
};

} // namespace nbody
