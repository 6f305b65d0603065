// The loop over particles of a program, `Program`: the loop of nbody-core/src/compiled/particles.rs.
#pragma once

#include "others.hpp"

namespace nbody {

// Writes a record to one element of the lines of a block.
struct Write : Numbers<Write> {
    Line *line;
    size_t at;

    NBODY_INLINE Write(Line *first, size_t place) : line(first), at(place) {}
    NBODY_INLINE void real(Real &number) { (line++)->at[at] = with_bits<Word>(number.value); }
    NBODY_INLINE void integer(U32 &number) { (line++)->at[at] = number.value; }
    NBODY_INLINE void coordinate(Coordinate &number) { real(number); }
};

// Runs the program on some blocks of particles. A measure writes to `totals`.
template <class Program>
NBODY_INLINE void run(
    const Setting &setting, Line *p, const Line *q, const Line *f, const Line *g,
    const Line *seconds, size_t number_of_seconds, size_t blocks, size_t first, Line *totals)
{
    using P = typename Program::P;
    const auto self = broadcast<typename Program::Parameters>(setting.parameters, 0);
    const Either space = Either::in_domain(setting.domain);
    const auto total_read = load<typename Program::G>(g, 0);
    const Others<typename Program::Q> others{seconds, number_of_seconds};
    for (size_t k = 0; k < blocks * LINE; ++k) {
        P particle = load<P>(p, k);
        const auto second = load<typename Program::Q>(q, k);
        const auto results = load<typename Program::F>(f, k);
        if constexpr (Program::UPDATES) {
            Program::update(self, space, particle, second, results, total_read, others);
            particle.visit(Write{p + k / LINE * WORDS<P>, k % LINE});
        } else {
            using T = typename Program::T;
            T total;
            Program::measure(
                self, space, particle, second, results, total_read, others,
                U32{uint32_t(first + k)}, total);
            total.visit(Write{totals + k / LINE * WORDS<T>, k % LINE});
        }
    }
}

template <class Program> constexpr ProgramShape shape()
{
    size_t total = 0;
    if constexpr (!Program::UPDATES) total = DIM<typename Program::T>;
    return {WORDS<typename Program::Parameters>, WORDS<typename Program::P>,
            WORDS<typename Program::Q>, WORDS<typename Program::F>,
            WORDS<typename Program::G>, total};
}

} // namespace nbody

extern "C" {
extern const nbody::ProgramShape nbody_shape = nbody::shape<nbody::Program>();

void nbody_particles(
    const nbody::Setting *setting, nbody::Line *p, const nbody::Line *q, const nbody::Line *f,
    const nbody::Line *g, const nbody::Line *seconds, size_t number_of_seconds, size_t blocks, size_t first, nbody::Line *totals)
{
    nbody::run<nbody::Program>(*setting, p, q, f, g, seconds, number_of_seconds, blocks, first, totals);
}
}
