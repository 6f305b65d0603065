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

// Unbounded space or a periodic box, as a branch at each difference: slower than `Open` or
// `Periodic`, but compiled once for both.
struct Either {
    static constexpr bool IN_ORDER = true;
    bool is_periodic;
    Periodic periodic;

    static NBODY_INLINE Either in_domain(const Domain &domain)
    {
        return {domain.is_periodic, Periodic::in_domain(domain)};
    }

    template <size_t D>
    NBODY_INLINE Vector<D> difference(const Point<D> &a, const Point<D> &b) const
    {
        return is_periodic ? periodic.difference(a, b) : Open{}.difference(a, b);
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
