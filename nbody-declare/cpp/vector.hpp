// Vectors, points, arrays and tables of numbers, and the operations of results.
#pragma once

namespace nbody {

// A vector, such as a displacement, a velocity or a force.
template <size_t D> struct Vector {
    Real at[D]{};

    NBODY_INLINE Real &operator[](size_t k) { return at[k]; }
    NBODY_INLINE const Real &operator[](size_t k) const { return at[k]; }

    // Sums from the first component on.
    NBODY_INLINE Real dot(const Vector &other) const
    {
        Real sum = at[0] * other[0];
        for (size_t k = 1; k < D; ++k) sum = sum.plus_product(at[k], other[k]);
        return sum;
    }
    // Computes the scalar product plus a number, which comes first where that is faster.
    NBODY_INLINE Real dot_plus(const Vector &other, Real plus) const
    {
        Real reordered = plus;
        for (size_t k = 0; k < D; ++k) reordered = reordered.plus_product(at[k], other[k]);
        if constexpr (Real::REORDERS) return reordered;
#if NBODY_LANE == NBODY_BOUNDED
        return (dot(other) + plus).or_reordered(reordered);
#endif
        return dot(other) + plus;
    }
    NBODY_INLINE Real norm2() const { return dot(*this); }
    NBODY_INLINE Real norm2_plus(Real plus) const { return dot_plus(*this, plus); }
    NBODY_INLINE Real norm() const { return norm2().sqrt(); }

    NBODY_INLINE Vector plus_product(Real scale, const Vector &other) const
    {
        Vector sum;
        for (size_t k = 0; k < D; ++k) sum[k] = at[k].plus_product(scale, other[k]);
        return sum;
    }
    NBODY_INLINE Vector minus_product(Real scale, const Vector &other) const
    {
        Vector rest;
        for (size_t k = 0; k < D; ++k) rest[k] = at[k].minus_product(scale, other[k]);
        return rest;
    }
    NBODY_INLINE Vector times_minus(Real scale, const Vector &other) const
    {
        Vector rest;
        for (size_t k = 0; k < D; ++k) rest[k] = at[k].times_minus(scale, other[k]);
        return rest;
    }
    NBODY_INLINE Vector plus_where(Mask mask, const Vector &term) const
    {
        Vector sum;
        for (size_t k = 0; k < D; ++k) sum[k] = at[k].plus_where(mask, term[k]);
        return sum;
    }
    NBODY_INLINE Vector minus_where(Mask mask, const Vector &term) const
    {
        Vector rest;
        for (size_t k = 0; k < D; ++k) rest[k] = at[k].minus_where(mask, term[k]);
        return rest;
    }
    NBODY_INLINE Vector cross(const Vector &v) const
    {
        static_assert(D == 3, "the vector product has three components");
        const auto minor = [](Real a, Real b, Real c, Real d) __attribute__((always_inline)) {
            return (a * d).minus_product(b, c);
        };
        return {{minor(at[1], at[2], v[1], v[2]), minor(at[2], at[0], v[2], v[0]),
                 minor(at[0], at[1], v[0], v[1])}};
    }
};

// A position. The difference of two points is a vector.
template <size_t D> struct Point {
    Coordinate at[D]{};

    NBODY_INLINE Coordinate &operator[](size_t k) { return at[k]; }
    NBODY_INLINE const Coordinate &operator[](size_t k) const { return at[k]; }
};

template <size_t N> struct Array {
    Real at[N]{};

    NBODY_INLINE Real &operator[](size_t k) { return at[k]; }
    NBODY_INLINE const Real &operator[](size_t k) const { return at[k]; }
};

template <size_t N> struct Counts {
    U32 at[N]{};

    NBODY_INLINE U32 &operator[](size_t k) { return at[k]; }
    NBODY_INLINE const U32 &operator[](size_t k) const { return at[k]; }
};

template <size_t ROWS, size_t COLUMNS> struct Table {
    Array<COLUMNS> at[ROWS]{};

    NBODY_INLINE Array<COLUMNS> &operator[](size_t k) { return at[k]; }
    NBODY_INLINE const Array<COLUMNS> &operator[](size_t k) const { return at[k]; }
};

template <size_t D> NBODY_INLINE Vector<D> operator+(const Vector<D> &a, const Vector<D> &b)
{
    Vector<D> sum;
    for (size_t k = 0; k < D; ++k) sum[k] = a[k] + b[k];
    return sum;
}

template <size_t D> NBODY_INLINE Vector<D> operator-(const Vector<D> &a, const Vector<D> &b)
{
    Vector<D> rest;
    for (size_t k = 0; k < D; ++k) rest[k] = a[k] - b[k];
    return rest;
}

template <size_t D> NBODY_INLINE Vector<D> operator-(const Vector<D> &a)
{
    Vector<D> opposite;
    for (size_t k = 0; k < D; ++k) opposite[k] = -a[k];
    return opposite;
}

template <size_t D> NBODY_INLINE Vector<D> operator*(const Vector<D> &a, Real scale)
{
    Vector<D> product;
    for (size_t k = 0; k < D; ++k) product[k] = a[k] * scale;
    return product;
}

template <size_t D> NBODY_INLINE Vector<D> operator*(Real scale, const Vector<D> &a)
{
    return a * scale;
}

template <size_t D> NBODY_INLINE Vector<D> operator/(const Vector<D> &a, Real scale)
{
    Vector<D> quotient;
    for (size_t k = 0; k < D; ++k) quotient[k] = a[k] / scale;
    return quotient;
}

template <size_t D> NBODY_INLINE Vector<D> &operator+=(Vector<D> &a, const Vector<D> &b)
{
    return a = a + b;
}

template <size_t D> NBODY_INLINE Vector<D> &operator-=(Vector<D> &a, const Vector<D> &b)
{
    return a = a - b;
}

template <size_t D> NBODY_INLINE Vector<D> operator-(const Point<D> &a, const Point<D> &b)
{
    Vector<D> d;
    for (size_t k = 0; k < D; ++k) d[k] = Real::difference(a[k], b[k]);
    return d;
}

// Displaces a position. Coordinates of a higher precision have no sum with a number.
template <size_t D> NBODY_INLINE Point<D> operator+(Point<D> a, const Vector<D> &by)
{
    for (size_t k = 0; k < D; ++k) a[k] = a[k] + by[k];
    return a;
}

template <size_t D> NBODY_INLINE Point<D> operator-(Point<D> a, const Vector<D> &by)
{
    for (size_t k = 0; k < D; ++k) a[k] = a[k] - by[k];
    return a;
}

template <size_t D> NBODY_INLINE Point<D> &operator+=(Point<D> &a, const Vector<D> &by)
{
    return a = a + by;
}

template <size_t D> NBODY_INLINE Point<D> &operator-=(Point<D> &a, const Vector<D> &by)
{
    return a = a - by;
}

// The minimum or the maximum over pairs, and the index of its j-particle: the first one, if several
// pairs share it.
template <bool GREATEST> struct Extremum {
    Real value = Real::splat(GREATEST ? -INFINITY : INFINITY);
    U32 index = Real::splat_u32(~uint32_t{0});

    static NBODY_INLINE Mask is_before(Real a, Real b)
    {
        return GREATEST ? Real::lt(b, a) : Real::lt(a, b);
    }

    // Returns whether the value comes before another one, as `take` chooses.
    template <class Space> NBODY_INLINE Mask comes_first(Real other, U32 its_index) const
    {
        const Mask comes_first = is_before(value, other);
        if constexpr (Space::IN_ORDER) return comes_first;
        const Mask is_any = is_before(value, Extremum{}.value);
        const Mask is_equal = Real::eq(value, other) & is_any;
        return comes_first | (is_equal & Real::lt_u32(index, its_index));
    }

    // Takes a value and its index if the value is more extreme, or if it is equal and the index is
    // less. NaN is never taken, nor is the infinity without any pair. If particles come in order,
    // the first of equal values stays.
    template <class Space> NBODY_INLINE void take(Real other, U32 its_index)
    {
        const Extremum its{other, its_index};
        const Mask takes = its.template comes_first<Space>(value, index);
        value = Real::select(takes, other, value);
        index = Real::select_u32(takes, its_index, index);
    }
};
using ArgMin = Extremum<false>;
using ArgMax = Extremum<true>;

// The K least values over pairs, in ascending order, and the indices of their j-particles. Equal values
// are in the order of their indices, and the first ones stay. Missing values are infinite.
template <size_t K> struct Nearest {
    Array<K> values;
    Counts<K> indices;

    NBODY_INLINE Nearest()
    {
        for (size_t k = 0; k < K; ++k) {
            values[k] = ArgMin{}.value;
            indices[k] = ArgMin{}.index;
        }
    }

    // Inserts a value and its index if it comes before the last one, which it drops. NaN and infinite
    // values never do.
    template <class Space> NBODY_INLINE void take(Real value, U32 index)
    {
        const ArgMin its{value, index};
        Mask takes = its.comes_first<Space>(values[K - 1], indices[K - 1]);
        if (!Real::any(takes)) return;
        for (size_t k = K - 1; k > 0; --k) {
            const Mask moves = its.comes_first<Space>(values[k - 1], indices[k - 1]);
            const Real here = Real::select(takes, value, values[k]);
            const U32 its_place = Real::select_u32(takes, index, indices[k]);
            values[k] = Real::select(moves, values[k - 1], here);
            indices[k] = Real::select_u32(moves, indices[k - 1], its_place);
            takes = moves;
        }
        values[0] = Real::select(takes, value, values[0]);
        indices[0] = Real::select_u32(takes, index, indices[0]);
    }

    // Takes the values of another one, and their indices.
    template <class Space> NBODY_INLINE void merge(const Nearest &other)
    {
        for (size_t k = 0; k < K; ++k) {
            // The next values are infinite, too.
            if (!Real::any(Real::lt(other.values[k], Real::splat(INFINITY)))) return;
            take<Space>(other.values[k], other.indices[k]);
        }
    }
};

// Returns `yes` where the mask is true, `no` elsewhere.
NBODY_INLINE Real select(Mask mask, Real yes, Real no) { return Real::select(mask, yes, no); }
NBODY_INLINE Mask select(Mask mask, Mask yes, Mask no) { return (mask & yes) | ((!mask) & no); }
NBODY_INLINE U32 select(Mask mask, U32 yes, U32 no) { return Real::select_u32(mask, yes, no); }
template <bool GREATEST>
NBODY_INLINE Extremum<GREATEST> select(
    Mask mask, const Extremum<GREATEST> &yes, const Extremum<GREATEST> &no)
{
    return {select(mask, yes.value, no.value), select(mask, yes.index, no.index)};
}

template <size_t D>
NBODY_INLINE Point<D> select(Mask mask, const Point<D> &yes, const Point<D> &no)
{
    Point<D> chosen;
    for (size_t k = 0; k < D; ++k) chosen[k] = Real::select_coordinate(mask, yes[k], no[k]);
    return chosen;
}

template <size_t D>
NBODY_INLINE Vector<D> select(Mask mask, const Vector<D> &yes, const Vector<D> &no)
{
    Vector<D> chosen;
    for (size_t k = 0; k < D; ++k) chosen[k] = select(mask, yes[k], no[k]);
    return chosen;
}

template <size_t N>
NBODY_INLINE Array<N> select(Mask mask, const Array<N> &yes, const Array<N> &no)
{
    Array<N> chosen;
    for (size_t k = 0; k < N; ++k) chosen[k] = select(mask, yes[k], no[k]);
    return chosen;
}

template <size_t N>
NBODY_INLINE Counts<N> select(Mask mask, const Counts<N> &yes, const Counts<N> &no)
{
    Counts<N> chosen;
    for (size_t k = 0; k < N; ++k) chosen[k] = select(mask, yes[k], no[k]);
    return chosen;
}

template <size_t K>
NBODY_INLINE Nearest<K> select(Mask mask, const Nearest<K> &yes, const Nearest<K> &no)
{
    Nearest<K> chosen;
    chosen.values = select(mask, yes.values, no.values);
    chosen.indices = select(mask, yes.indices, no.indices);
    return chosen;
}

template <size_t R, size_t C>
NBODY_INLINE Table<R, C> select(Mask mask, const Table<R, C> &yes, const Table<R, C> &no)
{
    Table<R, C> chosen;
    for (size_t k = 0; k < R; ++k) chosen[k] = select(mask, yes[k], no[k]);
    return chosen;
}

// Adds a term to a sum, and the rounding error of the sum to `lost`. The error is exact, whichever
// of term and sum is larger (Knuth 1969, The Art of Computer Programming 2, section 4.2.2).
NBODY_INLINE void compensate(Real term, Real &sum, Real &lost)
{
    const Real before = sum;
    sum += term;
    const Real added = sum - before;
    lost += (before - (sum - added)) + (term - added);
}

template <size_t D>
NBODY_INLINE void compensate(const Vector<D> &term, Vector<D> &sum, Vector<D> &lost)
{
    for (size_t k = 0; k < D; ++k) compensate(term[k], sum[k], lost[k]);
}

template <size_t N>
NBODY_INLINE void compensate(const Array<N> &term, Array<N> &sum, Array<N> &lost)
{
    for (size_t k = 0; k < N; ++k) compensate(term[k], sum[k], lost[k]);
}

// Counts have no rounding errors.
template <size_t N>
NBODY_INLINE void compensate(const Counts<N> &term, Counts<N> &sum, Counts<N> &)
{
    for (size_t k = 0; k < N; ++k) sum[k] = Real::add_u32(sum[k], term[k]);
}

template <size_t R, size_t C>
NBODY_INLINE void compensate(const Table<R, C> &term, Table<R, C> &sum, Table<R, C> &lost)
{
    for (size_t k = 0; k < R; ++k) compensate(term[k], sum[k], lost[k]);
}

// Adds a term to the sum of this index where the mask is true, if the sum exists.
NBODY_INLINE void add_to_entry(Real *sums, size_t n, U32 index, Mask mask, Real term)
{
    // Often the index is a field of the j-particle, which is the same for all elements.
    uint32_t k;
    if (!Real::uniform(index, k)) {
        Real::scatter(sums, n, index, Real::select(mask, term, Real{}));
    } else if (k < n) {
        sums[k] = sums[k].plus_where(mask, term);
    }
}

// Increases the count of this index where the mask is true, if the count exists.
NBODY_INLINE void add_to_entry(U32 *counts, size_t n, U32 index, Mask mask, U32 term)
{
    term = Real::select_u32(mask, term, Real::splat_u32(0));
    uint32_t k;
    if (!Real::uniform(index, k)) {
        Real::scatter_u32(counts, n, index, term);
    } else if (k < n) {
        counts[k] = Real::add_u32(counts[k], term);
    }
}

template <size_t N>
NBODY_INLINE void add_to_entry(Array<N> &sums, U32 index, Mask mask, Real term)
{
    add_to_entry(sums.at, N, index, mask, term);
}

// Returns the entry of this index; NaN beyond the end.
template <size_t N> NBODY_INLINE Real Real::gather(const Array<N> &entries, U32 index)
{
    return gather(entries.at, N, index);
}

// The most rows or columns that are searched by one selection each.
constexpr size_t MOST_SELECTIONS = 16;

// Returns the entry of a table in this row and column; NaN if there is none.
template <size_t R, size_t C>
NBODY_INLINE Real Real::gather_entry(const Table<R, C> &table, U32 row, U32 column)
{
    // The j-particle is the same for all elements of a vector, so they often look up one column or
    // one row.
    Real found = splat(NOT_A_NUMBER);
    uint32_t one;
    if (R <= MOST_SELECTIONS && uniform(column, one)) {
        if (one >= C) return found;
        for (uint32_t k = 0; k < R; ++k) {
            found = select(eq_u32(row, splat_u32(k)), table[k][one], found);
        }
        return found;
    }
    if (C <= MOST_SELECTIONS && uniform(row, one)) {
        if (one >= R) return found;
        for (uint32_t k = 0; k < C; ++k) {
            found = select(eq_u32(column, splat_u32(k)), table[one][k], found);
        }
        return found;
    }
    const Mask inside = lt_u32(row, splat_u32(R)) & lt_u32(column, splat_u32(C));
    const U32 index = add_u32(mul_u32(row, splat_u32(C)), column);
    return gather(table.at[0].at, R * C, select_u32(inside, index, splat_u32(~uint32_t{0})));
}

} // namespace nbody
