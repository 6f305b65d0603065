// The numbers of records, in order.
#pragma once

#include "lane.hpp"

namespace nbody {

// Rows of splines among parameters, and the lines that they fill.
template <class Record> constexpr auto cubics(int) -> decltype(size_t{Record::CUBICS})
{
    return Record::CUBICS;
}
template <class> constexpr size_t cubics(long) { return 0; }
template <class Record> constexpr auto lines_of_cubics(int) -> decltype(size_t{Record::CUBIC_LINES})
{
    return Record::CUBIC_LINES;
}
template <class> constexpr size_t lines_of_cubics(long) { return 0; }

// The numbers of a record.
template <class Record>
constexpr size_t DIM = Record::COORDINATES + Record::NUMBERS + 4 * cubics<Record>(0);

// A record without numbers.
struct Nothing {
    static constexpr size_t COORDINATES = 0, NUMBERS = 0;
    template <class Visit> NBODY_INLINE void visit(Visit &&) {}
};

// Records of one kind beside one another.
template <class First, class Rest> struct Joined {
    static constexpr size_t COORDINATES = First::COORDINATES + Rest::COORDINATES,
                            NUMBERS = First::NUMBERS + Rest::NUMBERS;
    First first;
    Rest rest;
    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        first.visit(visit);
        rest.visit(visit);
    }
};

// Visits the numbers of fields in order, by `real` and `integer` of the derived class.
template <class Derived> struct Numbers {
    NBODY_INLINE Derived &derived() { return static_cast<Derived &>(*this); }

    NBODY_INLINE void operator()(Real &number) { derived().real(number); }
    NBODY_INLINE void operator()(U32 &number) { derived().integer(number); }
    NBODY_INLINE void least(Real &number) { derived().real(number); }
    NBODY_INLINE void greatest(Real &number) { derived().real(number); }
    NBODY_INLINE void count(U32 &number) { derived().integer(number); }
    template <bool GREATEST> NBODY_INLINE void operator()(Extremum<GREATEST> &extremum)
    {
        derived().real(extremum.value);
        derived().integer(extremum.index);
    }
    template <size_t K> NBODY_INLINE void operator()(Nearest<K> &nearest)
    {
        for (size_t k = 0; k < K; ++k) derived().real(nearest.values[k]);
        for (size_t k = 0; k < K; ++k) derived().integer(nearest.indices[k]);
    }
    template <size_t D> NBODY_INLINE void operator()(Vector<D> &vector)
    {
        for (size_t k = 0; k < D; ++k) derived().real(vector[k]);
    }
    template <size_t N> NBODY_INLINE void operator()(Array<N> &array)
    {
        for (size_t k = 0; k < N; ++k) derived().real(array[k]);
    }
    template <size_t N> NBODY_INLINE void operator()(Counts<N> &counts)
    {
        for (size_t k = 0; k < N; ++k) derived().integer(counts[k]);
    }
    template <size_t R, size_t C> NBODY_INLINE void operator()(Table<R, C> &table)
    {
        for (size_t k = 0; k < R; ++k) (*this)(table[k]);
    }
    template <size_t N> NBODY_INLINE void operator()(Spline<N> &spline)
    {
        derived().cubics(spline.cubics, Spline<N>::CUBICS);
    }
    template <size_t R, size_t C, size_t N> NBODY_INLINE void operator()(Splines<R, C, N> &splines)
    {
        derived().cubics(splines.cubics, Splines<R, C, N>::CUBICS);
    }
    template <size_t D> NBODY_INLINE void operator()(Point<D> &point)
    {
        for (size_t k = 0; k < D; ++k) derived().coordinate(point[k]);
    }
};

} // namespace nbody
