// The loop over tuples, `Program`: the loop of nbody-core/src/compiled/tuples.rs.
#pragma once

#include "record.hpp"

namespace nbody {

// Reads several rows of words, one in each element.
struct ReadRows : Numbers<ReadRows> {
    const uint64_t *const *rows;
    size_t next = 0;

    explicit NBODY_INLINE ReadRows(const uint64_t *const *first) : rows(first) {}

    NBODY_INLINE Line line()
    {
        Line line{};
        for (size_t k = 0; k < Real::WIDTH; ++k) line.at[k] = rows[k][next];
        ++next;
        return line;
    }
    NBODY_INLINE void real(Real &number) { number = Real::load(line(), 0); }
    NBODY_INLINE void integer(U32 &number) { number = Real::load_u32(line(), 0); }
    NBODY_INLINE void coordinate(Coordinate &number) { real(number); }
};

// Merges the results of an element into the sums of a particle, at a place of the lines of its block.
template <class Record> struct Merge : Numbers<Merge<Record>> {
    Line *sum;
    const Line *line;
    size_t place, element;

    NBODY_INLINE Merge(Line *block, size_t at, const Line *lines, size_t k)
        : sum(block), line(lines), place(at), element(k)
    {}

    // Merges the next number by an operation of bits.
    template <class Operation> NBODY_INLINE void next(const Operation &operation)
    {
        Word &word = (sum++)->at[place];
        word = operation(word, (line++)->at[element]);
    }

    using Numbers<Merge<Record>>::operator();
    NBODY_INLINE void real(Real &)
    {
        next([](Word a, Word b) {
            return with_bits<Word>(with_bits<double>(a) + with_bits<double>(b));
        });
    }
    NBODY_INLINE void least(Real &)
    {
        next([](Word a, Word b) { return with_bits<double>(b) < with_bits<double>(a) ? b : a; });
    }
    NBODY_INLINE void greatest(Real &)
    {
        next([](Word a, Word b) { return with_bits<double>(b) > with_bits<double>(a) ? b : a; });
    }
    NBODY_INLINE void integer(U32 &)
    {
        next([](Word a, Word b) { return Word(uint32_t(uint32_t(a) + uint32_t(b))); });
    }
    NBODY_INLINE void coordinate(Coordinate &number) { real(number); }
};

// Evaluates a tuple in each element, and merges their results into the sums of their particles, one tuple
// after another.
template <class Program> NBODY_INLINE void run(const Setting &setting, const TupleWork &work)
{
    using P = typename Program::P;
    using T = typename Program::T;
    using F = typename Program::F;
    constexpr size_t MEMBERS = Program::MEMBERS;
    const auto self = broadcast<typename Program::Parameters>(setting.parameters, 0);
    const Either space = Either::in_domain(setting.domain);
    for (size_t begin = 0; begin < work.tuples; begin += Real::WIDTH) {
        const uint32_t *const tuples = work.indices + begin * MEMBERS;
        const uint32_t *const places = work.places + begin * MEMBERS;
        P particles[MEMBERS];
        F results[MEMBERS];
        for (size_t m = 0; m < MEMBERS; ++m) {
            const uint64_t *rows[Real::WIDTH];
            for (size_t k = 0; k < Real::WIDTH; ++k) {
                rows[k] = work.particles + tuples[k * MEMBERS + m] * DIM<P>;
            }
            particles[m].visit(ReadRows{rows});
        }
        T record;
        record.visit(Load{work.records + begin / LINE * DIM<T>, begin % LINE});
        Program::tuple(self, space, record, particles, results);
        Line found[MEMBERS][DIM<F> + 1];
        for (size_t m = 0; m < MEMBERS; ++m) store(results[m], found[m]);
        for (size_t k = 0; k < Real::WIDTH; ++k) {
            for (size_t m = 0; m < MEMBERS; ++m) {
                const uint32_t place = places[k * MEMBERS + m];
                if (place == UINT32_MAX) continue;
                results[m].visit(Merge<F>{work.sums + place / LINE, place % LINE, found[m], k});
            }
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
    nbody::run<nbody::Program>(*setting, *work);
}
}
