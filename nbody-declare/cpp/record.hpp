// Reading and writing of records. A record is a line for each of its words, and each element of a
// line belongs to a particle.
#pragma once

#include "numbers.hpp"

namespace nbody {

// The words of a record.
template <class Record>
constexpr size_t WORDS
    = Record::COORDINATES * Real::COORDINATE_WORDS + Record::NUMBERS + lines_of_cubics<Record>(0);

// Takes cubics of four numbers, which are dense in the lines of parameters.
NBODY_INLINE void take_cubics(const Line *&line, const Stored *&cubics, size_t n)
{
    cubics = line->at;
    line += (4 * n + LINE - 1) / LINE;
}

// Reads consecutive particles of a block, one in each element of the lane.
struct Load : Numbers<Load> {
    const Line *line;
    size_t at;

    NBODY_INLINE Load(const Line *first, size_t place) : line(first), at(place) {}
    NBODY_INLINE void real(Real &number) { number = Real::load(*line++, at); }
    NBODY_INLINE void integer(U32 &number) { number = Real::load_u32(*line++, at); }
    NBODY_INLINE void coordinate(Coordinate &number)
    {
        number = Real::coordinate_from([this] { return Real::load(*line++, at); });
    }
};

// Reads one particle of a block into every element of the lane.
struct Broadcast : Numbers<Broadcast> {
    const Line *line;
    size_t at;

    NBODY_INLINE Broadcast(const Line *first, size_t place) : line(first), at(place) {}
    NBODY_INLINE void real(Real &number) { number = Real::broadcast((line++)->at[at]); }
    NBODY_INLINE void integer(U32 &number) { number = Real::broadcast_u32((line++)->at[at]); }
    NBODY_INLINE void cubics(const Stored *&cubics, size_t n) { take_cubics(line, cubics, n); }
    NBODY_INLINE void coordinate(Coordinate &number)
    {
        number = Real::coordinate_from([this] { return Real::broadcast((line++)->at[at]); });
    }
};

// Writes results, one in each element of the lane, to the first words of lines.
struct Store : Numbers<Store> {
    Line *line;

    explicit NBODY_INLINE Store(Line *first) : line(first) {}
    NBODY_INLINE void real(Real &number) { number.store(*line++); }
    NBODY_INLINE void integer(U32 &number) { Real::store_u32(number, *line++); }
    // Results have no positions.
    NBODY_INLINE void coordinate(Coordinate &) { __builtin_unreachable(); }
};

// Reduces the elements of results, and writes them as the result of one particle of a block.
struct Reduce : Numbers<Reduce> {
    Line *line;
    size_t at;

    NBODY_INLINE Reduce(Line *first, size_t place) : line(first), at(place) {}
    NBODY_INLINE void real(Real &number) { (line++)->at[at] = number.sum(); }
    NBODY_INLINE void least(Real &number) { (line++)->at[at] = number.least(); }
    NBODY_INLINE void greatest(Real &number) { (line++)->at[at] = number.greatest(); }
    // Adds counts. Results that keep the index of a particle have no symmetric form.
    NBODY_INLINE void integer(U32 &number)
    {
        Line counts;
        Real::store_u32(number, counts);
        uint32_t sum = 0;
        for (size_t k = 0; k < Real::WIDTH; ++k) sum += uint32_t(counts.at[k]);
        (line++)->at[at] = sum;
    }
    NBODY_INLINE void coordinate(Coordinate &) { __builtin_unreachable(); }
};

template <class Record> NBODY_INLINE Record load(const Line *lines, size_t particle)
{
    Record record;
    record.visit(Load{lines + particle / LINE * WORDS<Record>, particle % LINE});
    return record;
}

template <class Record> NBODY_INLINE Record broadcast(const Line *lines, size_t particle)
{
    Record record;
    record.visit(Broadcast{lines + particle / LINE * WORDS<Record>, particle % LINE});
    return record;
}

template <class Record> NBODY_INLINE void store(Record record, Line *lines)
{
    record.visit(Store{lines});
}

} // namespace nbody
