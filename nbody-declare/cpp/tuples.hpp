// The loop over tuples, `Program`: the loop of nbody-core/src/compiled/tuples.rs.
#pragma once

#include "record.hpp"

namespace nbody {

// Reads a record from a row of words.
struct ReadRow : Numbers<ReadRow> {
    const uint64_t *word;

    explicit NBODY_INLINE ReadRow(const uint64_t *first) : word(first) {}
    NBODY_INLINE void real(Real &number) { number.value = with_bits<double>(*word++); }
    NBODY_INLINE void integer(U32 &number) { number.value = uint32_t(*word++); }
    NBODY_INLINE void coordinate(Coordinate &number) { real(number); }
};

template <class Record> NBODY_INLINE Record row(const uint64_t *rows, size_t k)
{
    Record record;
    record.visit(ReadRow{rows + k * DIM<Record>});
    return record;
}

// Merges a record into the sums of a particle.
template <bool ROUNDED> struct Merge : Numbers<Merge<ROUNDED>> {
    uint64_t *word;

    explicit NBODY_INLINE Merge(uint64_t *first) : word(first) {}

    static NBODY_INLINE double rounded(double x) { return ROUNDED ? double(float(x)) : x; }

    NBODY_INLINE double sum() const { return with_bits<double>(*word); }
    NBODY_INLINE void next(double x) { *word++ = with_bits<uint64_t>(x); }

    using Numbers<Merge<ROUNDED>>::operator();
    NBODY_INLINE void real(Real &number) { next(sum() + rounded(number.value)); }
    NBODY_INLINE void least(Real &number)
    {
        const double x = rounded(number.value);
        next(x < sum() ? x : sum());
    }
    NBODY_INLINE void greatest(Real &number)
    {
        const double x = rounded(number.value);
        next(x > sum() ? x : sum());
    }
    NBODY_INLINE void integer(U32 &number)
    {
        *word = uint32_t(*word) + number.value;
        ++word;
    }
    NBODY_INLINE void coordinate(Coordinate &number) { real(number); }
};

// Evaluates each tuple, and merges its results into the sums of its particles.
template <class Program, bool ROUNDED>
NBODY_INLINE void run(const Setting &setting, const TupleWork &work)
{
    using P = typename Program::P;
    using F = typename Program::F;
    constexpr size_t MEMBERS = Program::MEMBERS;
    const auto self = broadcast<typename Program::Parameters>(setting.parameters, 0);
    const Either space = Either::in_domain(setting.domain);
    for (size_t k = 0; k < work.tuples; ++k) {
        const uint32_t *const tuple = work.indices + k * MEMBERS;
        P particles[MEMBERS];
        F results[MEMBERS];
        for (size_t m = 0; m < MEMBERS; ++m) particles[m] = row<P>(work.particles, tuple[m]);
        Program::tuple(self, space, row<typename Program::T>(work.records, k), particles, results);
        for (size_t m = 0; m < MEMBERS; ++m) {
            const size_t at = tuple[m] - work.first;
            if (tuple[m] < work.first || at >= work.particle_count) continue;
            results[m].visit(Merge<ROUNDED>{work.sums + at * DIM<F>});
        }
    }
}

template <class Program> constexpr TupleShape shape()
{
    return {WORDS<typename Program::Parameters>, Program::MEMBERS, DIM<typename Program::P>,
            DIM<typename Program::T>, DIM<typename Program::F>};
}

} // namespace nbody

extern "C" {
extern const nbody::TupleShape nbody_shape = nbody::shape<nbody::Program>();

void nbody_tuples(const nbody::Setting *setting, const nbody::TupleWork *work)
{
    if (work->is_rounded) nbody::run<nbody::Program, true>(*setting, *work);
    else nbody::run<nbody::Program, false>(*setting, *work);
}
}
