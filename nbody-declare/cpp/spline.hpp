// Splines: nbody-core/src/numeric/spline.rs, which explains them.
#pragma once

namespace nbody {

// The piece that contains x, by its number, and the distance from its beginning.
struct Piece {
    Real number, distance;

    NBODY_INLINE Piece(Real begin, Real inverse, size_t last, Real x)
    {
        const Real t = (x - begin) * inverse;
        number = t.max(Real::splat(0)).min(Real::splat(double(last))).floor();
        distance = t - number;
    }
};

// Returns the derivative of this order of the polynomial of a piece.
template <int ORDER>
NBODY_INLINE Real polynomial(Real inverse, const Real (&cubic)[4], Real u)
{
    const auto [a, b, c, d] = cubic;
    if constexpr (ORDER == 0) {
        return a.plus_product(u, b.plus_product(u, c.plus_product(u, d)));
    } else if constexpr (ORDER == 1) {
        return b.plus_product(u, (c + c).plus_product(u, d * Real::splat(3))) * inverse;
    } else if constexpr (ORDER == 2) {
        return (c + c).plus_product(u, d * Real::splat(6)) * (inverse * inverse);
    } else {
        // NaN stays NaN.
        const Real third = (d * Real::splat(6)).plus_product(u, Real::splat(0));
        return third * (inverse * inverse * inverse);
    }
}

template <size_t KNOTS> struct Spline {
    // Rows of four numbers: the scale, and the polynomials.
    const Stored *cubics{};

    static constexpr size_t CUBICS = KNOTS + 2, LAST = KNOTS;

    NBODY_INLINE Real at(Real x) const { return derivative<0>(x); }
    NBODY_INLINE Real slope(Real x) const { return derivative<1>(x); }
    NBODY_INLINE Real curvature(Real x) const { return derivative<2>(x); }
    NBODY_INLINE Real third_derivative(Real x) const { return derivative<3>(x); }

    template <int ORDER> NBODY_INLINE Real of_piece(Real number, Real distance) const
    {
        Real cubic[4];
        Real::cubic(cubics + 4 * STORED, LAST, number, cubic);
        return polynomial<ORDER>(Real::stored(cubics + STORED), cubic, distance);
    }

    template <int ORDER> NBODY_INLINE Real derivative(Real x) const
    {
        const Piece piece(Real::stored(cubics), Real::stored(cubics + STORED), LAST, x);
        const Real found = of_piece<ORDER>(piece.number, piece.distance);
#if NBODY_LANE == NBODY_BOUNDED
        // In another precision a point near a knot may be in the neighbouring piece.
        const double near = piece.distance.error * SINGLE_ROUNDOFF;
        double step;
        if (piece.distance.value <= near && piece.number.value > 0) step = -1;
        else if (piece.distance.value >= 1 - near && piece.number.value < double(LAST)) step = 1;
        else return found;
        const Real to_other{step, 0};
        const Real other = of_piece<ORDER>(piece.number + to_other, piece.distance - to_other);
        const double apart = __builtin_fabs(other.value - found.value) / SINGLE_ROUNDOFF;
        return {found.value, greatest(found.error, other.error + apart)};
#else
        return found;
#endif
    }
};

// A spline for each element of a lane, among COUNT splines; NaN for an index beyond them.
template <size_t COUNT, size_t KNOTS> struct Chosen {
    const Stored *cubics;
    U32 index;

    static constexpr size_t CUBICS = Spline<KNOTS>::CUBICS, LAST = Spline<KNOTS>::LAST;

    NBODY_INLINE Real at(Real x) const { return derivative<0>(x); }
    NBODY_INLINE Real slope(Real x) const { return derivative<1>(x); }
    NBODY_INLINE Real curvature(Real x) const { return derivative<2>(x); }
    NBODY_INLINE Real third_derivative(Real x) const { return derivative<3>(x); }

    template <int ORDER> NBODY_INLINE Real derivative(Real x) const
    {
#if NBODY_LANE == NBODY_BOUNDED
        if (index.value >= COUNT) return {NOT_A_NUMBER, 0};
        const Spline<KNOTS> one{cubics + 4 * STORED * CUBICS * index.value};
        return one.template derivative<ORDER>(x);
#else
        const Mask exists = Real::lt_u32(index, Real::splat_u32(COUNT));
        const U32 number = Real::select_u32(exists, index, Real::splat_u32(0));
        const Real first = Real::from_u32(number) * Real::splat(double(CUBICS));
        Real scale[4], cubic[4];
        Real::cubic(cubics, COUNT * CUBICS - 1, first, scale);
        x = Real::select(exists, x, Real::splat(NOT_A_NUMBER));
        const Piece piece(scale[0], scale[1], LAST, x);
        const Real row = first + (piece.number + Real::splat(1));
        Real::cubic(cubics, COUNT * CUBICS - 1, row, cubic);
        return polynomial<ORDER>(scale[1], cubic, piece.distance);
#endif
    }
};

// Splines in rows and columns, one behind the other.
template <size_t ROWS, size_t COLUMNS, size_t KNOTS> struct Splines {
    const Stored *cubics{};

    static constexpr size_t CUBICS = ROWS * COLUMNS * Spline<KNOTS>::CUBICS;

    NBODY_INLINE Chosen<ROWS * COLUMNS, KNOTS> element(U32 index) const { return {cubics, index}; }

    NBODY_INLINE Chosen<ROWS * COLUMNS, KNOTS> entry(U32 row, U32 column) const
    {
        const Mask inside = Real::lt_u32(row, Real::splat_u32(ROWS))
            & Real::lt_u32(column, Real::splat_u32(COLUMNS));
        const U32 index = Real::add_u32(Real::mul_u32(row, Real::splat_u32(COLUMNS)), column);
        return element(Real::select_u32(inside, index, Real::splat_u32(~uint32_t{0})));
    }
};

} // namespace nbody
