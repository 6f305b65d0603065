// Displacements of positions in unbounded space and in periodic boxes.
#pragma once

#include "vector.hpp"

namespace nbody {

// Unbounded space.
struct Open {
    // Whether an i-particle meets the j-particles in the order of their indices.
    static constexpr bool IN_ORDER = true;

    static NBODY_INLINE Open in_domain(const Domain &) { return {}; }

    template <size_t D>
    NBODY_INLINE Vector<D> difference(const Point<D> &a, const Point<D> &b) const
    {
        return a - b;
    }
};

// A periodic box: displacements lead to the nearest image.
struct Periodic {
    static constexpr bool IN_ORDER = true;
    Coordinate lengths[3];
    Real inverses[3];

    static NBODY_INLINE Periodic in_domain(const Domain &domain)
    {
        Periodic space;
        for (size_t k = 0; k < 3; ++k) {
            space.lengths[k] = Real::coordinate(domain.lengths[k]);
            space.inverses[k] = Real::splat(domain.inverses[k]);
        }
        return space;
    }

    template <size_t D>
    NBODY_INLINE Vector<D> difference(const Point<D> &a, const Point<D> &b) const
    {
        Vector<D> d;
        for (size_t k = 0; k < D; ++k) {
            d[k] = Real::nearest_difference(a[k], b[k], lengths[k % 3], inverses[k % 3]);
        }
        return d;
    }
};

// A triclinic box: displacements lose whole vectors c, b and a.
struct Triclinic {
    static constexpr bool IN_ORDER = true;
    Coordinate vectors[3][3];
    Real inverses[3];

    static NBODY_INLINE Triclinic in_domain(const Domain &domain)
    {
        const double *const lengths = domain.lengths, *const tilts = domain.tilts;
        const double vectors[3][3] = {
            {lengths[0], 0, 0}, {tilts[0], lengths[1], 0}, {tilts[1], tilts[2], lengths[2]}};
        Triclinic space;
        for (size_t k = 0; k < 3; ++k) {
            space.inverses[k] = Real::splat(domain.inverses[k]);
            for (size_t l = 0; l < 3; ++l) space.vectors[k][l] = Real::coordinate(vectors[k][l]);
        }
        return space;
    }

    template <size_t D>
    NBODY_INLINE Vector<D> difference(const Point<D> &a, const Point<D> &b) const
    {
        Coordinate d[D];
        for (size_t k = 0; k < D; ++k) d[k] = Real::apart(a[k], b[k]);
        for (size_t k = D; k-- > 0;) {
            const Real n = (Real::rounded(d[k]) * inverses[k]).round_ties_even();
            for (size_t l = 0; l <= k; ++l) d[l] = Real::without(d[l], n, vectors[k][l]);
        }
        Vector<D> rounded;
        for (size_t k = 0; k < D; ++k) rounded[k] = Real::rounded(d[k]);
        return rounded;
    }
};

// Any space, as a branch at each difference: slower than the spaces themselves, but compiled once
// for all.
struct Either {
    static constexpr bool IN_ORDER = true;
    bool is_periodic, is_triclinic;
    Periodic periodic;
    Triclinic triclinic;

    static NBODY_INLINE Either in_domain(const Domain &domain)
    {
        return {domain.is_periodic, domain.is_triclinic, Periodic::in_domain(domain),
                Triclinic::in_domain(domain)};
    }

    template <size_t D>
    NBODY_INLINE Vector<D> difference(const Point<D> &a, const Point<D> &b) const
    {
        return !is_periodic ? Open{}.difference(a, b)
            : is_triclinic  ? triclinic.difference(a, b)
                            : periodic.difference(a, b);
    }
};

// A space in which an i-particle meets the j-particles in the order of a list.
template <class Space> struct OfLists {
    static constexpr bool IN_ORDER = false;
    Space space;

    static NBODY_INLINE OfLists in_domain(const Domain &domain)
    {
        return {Space::in_domain(domain)};
    }

    template <size_t D>
    NBODY_INLINE Vector<D> difference(const Point<D> &a, const Point<D> &b) const
    {
        return space.difference(a, b);
    }
};

} // namespace nbody
