// Boundaries between consecutive particles in order, which divide cells. Boundary k is before
// particle k. Its level is the level of the cells on its two sides: the first level at which the
// keys of the two particles differ.
namespace nbody {

__device__ __forceinline__ u32 log2_of(u64 n)
{
    const u32 high = u32(n >> 32);
    return high ? 63 - ::__clz(int(high)) : 31 - ::__clz(int(u32(n)));
}

// Returns the number of bits of one axis among `bits` bits of a key.
__device__ __forceinline__ u32 bits_of_axis(u32 bits, u32 dimensions)
{
    return dimensions == 2 ? bits / 2 : bits / 3;
}

__device__ __forceinline__ u32 bits_along(u32 dimensions) { return bits_of_axis(KEY_BITS, dimensions); }

// Narrows a range to the part that contains the first key not less than `least`. The loads do not
// wait for each other.
template <u32 PARTS>
__device__ __forceinline__ void narrow(const u64 *keys, u64 least, u32 &first, u32 &count)
{
    const u32 part = count / PARTS;
    u32 parts = 0;
#pragma unroll
    for (u32 k = 1; k < PARTS; ++k) parts += keys[first + k * part] < least;
    count = parts == PARTS - 1 ? count - parts * part : part;
    first += parts * part;
}

// Returns the place of the first key of a range that is not less than `least`, or the end.
__device__ __forceinline__ u32 begin_in(const u64 *keys, u64 least, u32 first, u32 count)
{
    while (count > 63) narrow<16>(keys, least, first, count);
    while (count > 0) {
        const u32 half = count / 2;
        const bool is_less = keys[first + half] < least;
        first += is_less ? half + 1 : 0;
        count = is_less ? count - half - 1 : half;
    }
    return first;
}

// Searches the keys before particle k for the first key not less than `least`, starting at k.
__device__ __forceinline__ u32 begin_before(const u64 *keys, u64 least, u32 k)
{
    u32 near = 0, far = LEAF;
    while (far < k && keys[k - far] >= least) {
        near = far;
        far *= 16;
    }
    const u32 first = far < k ? k - far : 0;
    return begin_in(keys, least, first, k - near - first);
}

// Searches the keys from particle k on for the first key not less than `least`, starting at k.
__device__ __forceinline__ u32 begin_behind(const u64 *keys, u32 n, u64 least, u32 k)
{
    u32 near = 0, far = LEAF;
    while (far < n - k && keys[k + far] < least) {
        near = far;
        far *= 16;
    }
    return begin_in(keys, least, k + near, (far < n - k ? far : n - k) - near);
}

// Returns whether more than LEAF particles have the same upper bits of their keys as particle k.
__device__ __forceinline__ bool has_many(const u64 *keys, u32 n, u32 k, u32 lower_bits)
{
    const u64 key = keys[k], limit = 1ull << lower_bits;
    u32 before = 0;
#pragma unroll
    for (u32 step = LEAF; step > 0; step /= 2) {
        const u32 more = before + step;
        if (more <= k && (keys[k - more] ^ key) < limit) before = more;
    }
    if (before >= LEAF) return true;
    const u32 last = LEAF - before;
    return last < n - k && (keys[k + last] ^ key) < limit;
}

// The division of a cell at a boundary.
struct Division {
    u32 first; // first particle of the cell, at its first boundary
    u32 end; // end of the child that begins at the boundary
};

// The division of a cell whose particles have equal keys.
struct DivisionIntoParts {
    Division division;
    u32 level;
    bool is_first; // first boundary of the cell
};

// Returns the division at boundary k between particles with equal keys. Such a cell has children
// with equal numbers of particles, at levels beyond the levels of keys. Returns level 0 if no cell
// is divided at the boundary.
__device__ __forceinline__ DivisionIntoParts division_into_parts(
    const u64 *keys, u32 n, u32 k, u32 dimensions)
{
    u32 first = begin_before(keys, keys[k], k);
    u32 end = begin_behind(keys, n, keys[k] + 1, k);
    for (u32 level = bits_along(dimensions) + 1; end - first > LEAF; ++level) {
        const u32 equal = (end - first + FAN - 1) / FAN, part = equal < LEAF ? LEAF : equal;
        const u32 begin = first + (k - first) / part * part;
        const u32 end_of_part = part < end - begin ? begin + part : end;
        if (begin == k) return {{first, end_of_part}, level, k - first == part};
        first = begin;
        end = end_of_part;
    }
    return {};
}

// Returns the level of a boundary, or 0 if no cell is divided there. `is_first_part` receives
// whether it is the first boundary between parts of a cell whose particles have equal keys.
__device__ __forceinline__ u32 level_of(
    const u64 *keys, u32 n, u32 k, u32 dimensions, bool &is_first_part)
{
    is_first_part = false;
    if (k == 0) return 0;
    const u64 differ = keys[k - 1] ^ keys[k];
    if (differ == 0) {
        if (!has_many(keys, n, k, 0)) return 0;
        const DivisionIntoParts parts = division_into_parts(keys, n, k, dimensions);
        is_first_part = parts.is_first;
        return parts.level;
    }
    const u32 above = bits_of_axis(log2_of(differ), dimensions) + 1;
    return has_many(keys, n, k, above * dimensions) ? bits_along(dimensions) - above + 1 : 0;
}

// Returns the division at a boundary of this level.
__device__ __forceinline__ Division division_at(
    const u64 *keys, u32 n, u32 k, u32 level, bool is_first, u32 dimensions)
{
    const u32 bits = bits_along(dimensions);
    if (level > bits) return division_into_parts(keys, n, k, dimensions).division;
    const u32 shift = (bits - level) * dimensions, above = shift + dimensions;
    const u32 first = is_first ? begin_before(keys, keys[k] >> above << above, k) : 0;
    return {first, begin_behind(keys, n, ((keys[k] >> shift) + 1) << shift, k)};
}

// Returns the levels in sight over two ranges: the `near` levels, and the `far` levels that are
// coarser than all of them.
__device__ __forceinline__ u32 in_sight(u32 near, u32 far) { return near | (far & ~near & (near - 1)); }

enum class Side { BEFORE, BEHIND };

// Returns the levels in sight from this lane on one side, where each lane has a level or none.
// `all` receives the levels in sight from beyond the opposite side of the warp.
template <Side SIDE> __device__ __forceinline__ u32 look(u32 own, u32 &all)
{
    constexpr bool IS_BEFORE = SIDE == Side::BEFORE;
    const u32 lane = threadIdx.x % LANES;
    const u32 lanes = IS_BEFORE ? lane : LANES - 1 - lane; // on that side
    u32 seen = own;
#pragma unroll
    for (u32 step = 1; step < LANES; step *= 2) {
        const u32 far = value_of(IS_BEFORE ? lane - step : lane + step, seen);
        if (lanes >= step) seen = in_sight(seen, far);
    }
    all = value_of(IS_BEFORE ? LANES - 1 : 0, seen);
    const u32 next = value_of(IS_BEFORE ? lane - 1 : lane + 1, seen);
    return lanes > 0 ? next : 0;
}

} // namespace nbody
