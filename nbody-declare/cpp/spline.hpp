// Splines: nbody-core/src/numeric/spline.rs, which explains them.
#pragma once

namespace nbody {

// The piece that contains x, by its number, and the distance from its beginning.
struct Piece {
    Real number, distance;

    NBODY_INLINE Piece(const Stored *scale, size_t last, Real x)
    {
        const Real t = (x - Real::stored(scale)) * Real::stored(scale + STORED);
        number = t.max(Real::splat(0)).min(Real::splat(double(last))).floor();
        distance = t - number;
    }
};

// Returns the derivative of this order of the polynomial of a piece.
template <int ORDER>
NBODY_INLINE Real polynomial(const Stored *scale, const Real (&cubic)[4], Real u)
{
    const Real inverse = Real::stored(scale + STORED);
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
        return polynomial<ORDER>(cubics, cubic, distance);
    }

    template <int ORDER> NBODY_INLINE Real derivative(Real x) const
    {
        const Piece piece(cubics, LAST, x);
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

} // namespace nbody
