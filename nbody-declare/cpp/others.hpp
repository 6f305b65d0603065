// Second particles that a program per particle reads by an index.
#pragma once

#include "record.hpp"

namespace nbody {

// Writes a record that does not exist.
struct NoRecord : Numbers<NoRecord> {
    NBODY_INLINE void real(Real &number) { number.value = __builtin_nan(""); }
    NBODY_INLINE void integer(U32 &number) { number.value = UINT32_MAX; }
    NBODY_INLINE void coordinate(Coordinate &number) { real(number); }
};

// All second particles, which some programs read by an index.
template <class Q> struct Others {
    const Line *lines;
    size_t n;

    // Returns the second particle of this index; without one, NaN, and 2^32 - 1 for integers.
    NBODY_INLINE Q at(U32 index) const
    {
        if (index.value < n) return load<Q>(lines, index.value);
        Q none;
        none.visit(NoRecord());
        return none;
    }
};

} // namespace nbody
