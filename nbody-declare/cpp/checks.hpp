// The pair function of a law, `Law`, on the numbers of checks: nbody-core/src/compiled/checked_pair.rs.
#pragma once

#include "numbers.hpp"

namespace nbody {

#if NBODY_LANE == NBODY_BOUNDED
// Returns the relative error of a number, in roundoffs.
NBODY_INLINE double relative(Real number)
{
    const double relative = number.error / __builtin_fabs(number.value);
    return relative != relative ? 0 : relative;
}

// The space of nbody-core/src/numeric/positions.rs.
struct Positions {
    static constexpr bool IN_ORDER = true;
    Either space;
    const CheckSetting &setting;

    NBODY_INLINE explicit Positions(const CheckSetting &of)
        : space(Either::in_domain(of.domain)), setting(of)
    {
    }

    template <size_t D> NBODY_INLINE Vector<D> difference(const Point<D> &a, const Point<D> &b) const
    {
        Vector<D> d = space.difference(a, b);
        double magnitudes[D];
        for (size_t k = 0; k < D; ++k) {
            magnitudes[k] = __builtin_fabs(a[k].value) + __builtin_fabs(b[k].value);
        }
        if (space.is_triclinic) subtract_vectors(magnitudes, D);
        for (size_t k = 0; k < D; ++k) {
            if (setting.double_single) {
                d[k] = Real::double_single_difference(d[k].value, magnitudes[k] + setting.length);
            } else {
                d[k].error += setting.length;
            }
        }
        if (__builtin_fabs(setting.sign) > 0) {
            const double error = setting.roundoff * (relative(d.norm2()) + setting.error);
            const double factor = __builtin_sqrt(greatest(1 + setting.sign * error, 0));
            for (size_t k = 0; k < D; ++k) d[k].value *= factor;
        }
        return d;
    }

private:
    // Adds the magnitudes of the vectors that a triclinic box subtracts; each of them rounds once
    // more.
    NBODY_INLINE void subtract_vectors(double *magnitudes, size_t dimensions) const
    {
        const double *const lengths = setting.domain.lengths, *const tilts = setting.domain.tilts;
        const double before[2][2] = {{tilts[0], 0}, {tilts[1], tilts[2]}};
        for (size_t k = dimensions; k-- > 1;) {
            const double vectors = magnitudes[k] / lengths[k] + 1;
            for (size_t l = 0; l < k; ++l) {
                magnitudes[l] += vectors * __builtin_fabs(before[k - 1][l]);
            }
        }
        for (size_t k = 0; k < dimensions; ++k) magnitudes[k] *= 2;
    }
};

NBODY_INLINE Positions space_of(const CheckSetting &setting) { return Positions(setting); }
#else
NBODY_INLINE Either space_of(const CheckSetting &setting)
{
    return Either::in_domain(setting.domain);
}
#endif

// Reads the numbers of a record.
struct Read : Numbers<Read> {
    const Number *next;

    explicit NBODY_INLINE Read(const Number *first) : next(first) {}
    NBODY_INLINE void real(Real &number) { number = Real::of(next->value, next->error), ++next; }
    NBODY_INLINE void integer(U32 &number) { number = {uint32_t((next++)->value)}; }
    NBODY_INLINE void coordinate(Coordinate &number) { real(number); }
    NBODY_INLINE void cubics(const Stored *&cubics, size_t n)
    {
        cubics = &next->value;
        next += 4 * n;
    }
};

// Writes the numbers of a result.
struct Write : Numbers<Write> {
    Number *next;

    explicit NBODY_INLINE Write(Number *first) : next(first) {}
    NBODY_INLINE void real(Real &number) { *next++ = {number.value, number.bound()}; }
    NBODY_INLINE void integer(U32 &number) { *next++ = {double(number.value), 0}; }
    // Results have no positions.
    NBODY_INLINE void coordinate(Coordinate &) { __builtin_unreachable(); }
};

template <class Record> NBODY_INLINE Record read(const Number *numbers)
{
    Record record;
    record.visit(Read{numbers});
    return record;
}

// Returns the cutoff of a pair; infinite without one.
template <class Of>
NBODY_INLINE Real cutoff(const CheckSetting &setting, const Number *i, const Number *j)
{
    if constexpr (Of::CUTOFF) {
        return Of::cutoff(read<typename Of::Parameters>(setting.parameters), space_of(setting),
                          read<typename Of::I>(i), read<typename Of::J>(j));
    } else {
        return Real::splat(INFINITY);
    }
}

} // namespace nbody

extern "C" {
extern const nbody::CheckShape nbody_shape = {
    nbody::DIM<nbody::Law::Parameters>, nbody::DIM<nbody::Law::I>, nbody::DIM<nbody::Law::J>,
    nbody::DIM<nbody::Law::F>,
};

void nbody_pair(
    const nbody::CheckSetting *setting, const nbody::Number *i, const nbody::Number *j,
    uint32_t index, nbody::Number *f)
{
    using namespace nbody;
    Law::F sums = read<Law::F>(f);
    Law::pair(read<Law::Parameters>(setting->parameters), space_of(*setting), read<Law::I>(i),
              read<Law::J>(j), U32{index}, sums);
    sums.visit(Write{f});
}

void nbody_cutoff(
    const nbody::CheckSetting *setting, const nbody::Number *i, const nbody::Number *j,
    nbody::Number *reach)
{
    const nbody::Real found = nbody::cutoff<nbody::Law>(*setting, i, j);
    *reach = {found.value, found.bound()};
}

bool nbody_within(
    const nbody::CheckSetting *setting, const nbody::Number *i, const nbody::Number *j)
{
    using namespace nbody;
    return Law::within(read<Law::Parameters>(setting->parameters), space_of(*setting),
                       read<Law::I>(i), read<Law::J>(j)).value;
}
}
