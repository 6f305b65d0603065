// The reach of lists whose cutoffs depend on numbers of particles: bounds of these numbers for
// groups and for the nodes of their tree, and the greatest cutoff of pairs with bounded numbers,
// as in nbody-core's `near::cutoff`.
namespace nbody {

using bounds::Interval;

// Blocks per multiprocessor while lists are built: two on devices where three would have too few
// registers.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
constexpr u32 RESIDENT_BLOCKS = 2;
#else
constexpr u32 RESIDENT_BLOCKS = 3;
#endif

using Reach = VaryingReach;

__device__ __forceinline__ u32 watched(u32 set) { return set == 0 ? WATCHED_I : WATCHED_J; }

__device__ __forceinline__ Interval no_number()
{
    return {bounds::infinite(), -bounds::infinite(), false};
}

// Returns a number exactly as stored.
__device__ __forceinline__ double number(const Positions &from, u32 k, Stored stored)
{
    const Byte *const at = from.rows + size_t(k) * from.row_bytes + stored.byte;
    if (stored.kind == INTEGER) return *reinterpret_cast<const u32 *>(at);
    if (stored.kind == DOUBLE) return *reinterpret_cast<const double *>(at);
    return *reinterpret_cast<const float *>(at);
}

// Returns the margin of the lists.
__device__ __forceinline__ Margin margin_now(const Reach &reach, const Change &change, const Margin &)
{
    return margin_of(change, reach.found->greatest, reach.found->skin);
}

// Returns the part of particle k, at a place of the order, in the growth of cutoffs. It depends on
// the excess of the particle's numbers over the bounds of its group; NaN exceeds all bounds.
__device__ __forceinline__ double growth_of(
    const Reach &reach, const Order &order, u32 set, u32 at, u32 k)
{
    const u32 numbers = watched(set);
    const Interval *const bounds = reach.bounds[set] + size_t(at / GROUP) * numbers;
    double growth = 0.0;
    for (u32 w = 0; w < numbers; ++w) {
        const Stored stored = reach.numbers[set][w];
        if (stored.kind == UNWATCHED) continue;
        const double x = number(order.from, k, stored);
        const double lo = bounds[w].lo, hi = bounds[w].hi;
        if (lo <= x && x <= hi) continue;
        const bool is_nonnegative = reach.found->is_nonnegative;
        const Slopes &of_number = reach.slopes[set][w];
        const double (&slopes)[2] = is_nonnegative ? of_number.nonnegative : of_number.any;
        double part = bounds::infinite();
        if (x > hi) part = slopes[0] == 0.0 ? 0.0 : slopes[0] * (x - hi);
        else if (x < lo && !(is_nonnegative && x < 0.0)) {
            part = slopes[1] == 0.0 ? 0.0 : slopes[1] * (lo - x);
        }
        growth += part;
    }
    return growth;
}

__device__ __forceinline__ Interval hull_of_warp(Interval x)
{
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        const int other = int((threadIdx.x ^ half) % LANES);
        x.lo = ::fmin(x.lo, ::__shfl_sync(~0u, x.lo, other));
        x.hi = ::fmax(x.hi, ::__shfl_sync(~0u, x.hi, other));
    }
    x.may_be_nan = ::__any_sync(~0u, int(x.may_be_nan));
    return x;
}

// Writes the bounds of a node from the bounds of up to 32 nodes below it.
__device__ __forceinline__ void join(
    Interval *bounds, u32 numbers, Level below, u32 child, u32 to)
{
    const u32 node = child + threadIdx.x % LANES;
    for (u32 w = 0; w < numbers; ++w) {
        const Interval *const from = bounds + size_t(below.first + node) * numbers + w;
        const Interval all = hull_of_warp(node < below.count ? *from : no_number());
        if (threadIdx.x % LANES == 0) bounds[size_t(to) * numbers + w] = all;
    }
}

// Writes the bounds of groups, and of the first level above them.
__device__ __forceinline__ void find_bounds(const Reach &reach, const Order &order, u32 set)
{
    const u32 n = order.from.n, warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const u32 numbers = watched(set);
    const Level groups = level_of(n, 0), above = level_of(n, 1);
    for (u32 chunk = blockIdx.x; chunk < above.count; chunk += gridDim.x) {
        for (u32 g = warp; g < GROUP; g += WARPS) {
            const u32 group = chunk * GROUP + g, place = group * GROUP + lane;
            if (group >= groups.count) break;
            for (u32 w = 0; w < numbers; ++w) {
                Interval x = no_number();
                if (place < n) {
                    const u32 k = order.sort.even.values[place];
                    const double value = number(order.from, k, reach.numbers[set][w]);
                    reach.values[set][size_t(w) * n + place] = value;
                    x = bounds::exactly(value);
                }
                x = hull_of_warp(x);
                if (lane == 0) reach.bounds[set][size_t(group) * numbers + w] = x;
            }
        }
        __syncthreads();
        if (warp == 0 && groups.count > GROUP) {
            join(reach.bounds[set], numbers, groups, chunk * GROUP, above.first + chunk);
        }
    }
}

// Finds bounds in a phase of the order of particles.
__device__ __forceinline__ void bounds_phase(
    const Reach &reach, const Order &order, u32 set, u32 phase)
{
    if (phase == BOXES_PHASE) find_bounds(reach, order, set);
    if (phase <= BOXES_PHASE) return;
    const u32 level = phase - BOXES_PHASE + 1, warps = gridDim.x * WARPS;
    const Level below = level_of(order.from.n, level - 1), here = level_of(order.from.n, level);
    for (u32 k = blockIdx.x * WARPS + threadIdx.x / LANES; k < here.count; k += warps) {
        join(reach.bounds[set], watched(set), below, k * GROUP, here.first + k);
    }
}

// Returns the greatest magnitude of a cutoff; infinite if it is unbounded or the cutoff may be
// NaN.
__device__ __forceinline__ double magnitude(const Interval &cutoff)
{
    return bounds::is_finite(cutoff) ? ::fmax(::fabs(cutoff.lo), ::fabs(cutoff.hi)) : bounds::infinite();
}

// Writes the bounds of the numbers of all particles of a set.
__device__ __forceinline__ void bounds_of_all(
    const Reach &reach, const Order &order, u32 set, Interval *all)
{
    const Level nodes = level_of(order.from.n, top_level(order.from.n));
    const u32 node = threadIdx.x % LANES, numbers = watched(set);
#pragma unroll
    for (u32 w = 0; w < numbers; ++w) {
        const Interval *const from = reach.bounds[set] + size_t(nodes.first + node) * numbers + w;
        all[w] = hull_of_warp(node < nodes.count ? *from : no_number());
    }
}

// Returns the greatest cutoff of pairs of particles whose numbers have these bounds.
__device__ __forceinline__ double cutoff_of(const Reach &reach, const Interval *of_i, const Interval *of_j)
{
    double cutoff = reach.constant;
    each_cutoff(reach.parameters, of_i, of_j, [&](u32, const Interval &bounds) {
        cutoff = ::fmax(cutoff, magnitude(bounds));
    });
    return cutoff;
}

// Returns the median of the greatest cutoffs of 32 pairs of groups, one pair per lane of a warp.
__device__ __forceinline__ double typical_cutoff(const Reach &reach, const Order &i, const Order &j)
{
    const u32 lane = threadIdx.x % LANES;
    const u64 of_i = u64(lane) * level_of(i.from.n, 0).count / LANES;
    const u64 of_j = u64(lane) * level_of(j.from.n, 0).count / LANES;
    const double cutoff =
        cutoff_of(reach, reach.bounds[0] + of_i * WATCHED_I, reach.bounds[1] + of_j * WATCHED_J);
    u32 before = 0;
    for (u32 k = 0; k < LANES; ++k) {
        const double other = ::__shfl_sync(~0u, cutoff, int(k));
        before += other < cutoff || (other == cutoff && k < lane);
    }
    const u32 middle = ::__ffs(int(::__ballot_sync(~0u, int(before == LANES / 2)))) - 1;
    return ::__shfl_sync(~0u, cutoff, int(middle));
}

// Finds the greatest cutoff of all pairs and the skin; each block finds both by itself.
__device__ __forceinline__ bool find_reach(const Reach &reach, const Order &i, const Order &j)
{
    if (threadIdx.x < LANES) {
        Interval of_i[WATCHED_I + 1], of_j[WATCHED_J + 1];
        bounds_of_all(reach, i, 0, of_i);
        bounds_of_all(reach, j, 1, of_j);
        double greatest = reach.constant;
        u32 reason = NOTHING;
        each_cutoff(reach.parameters, of_i, of_j, [&](u32 law, const Interval &cutoff) {
            const double size = magnitude(cutoff);
            if (size == bounds::infinite() && reason == NOTHING) reason = UNBOUNDED - law;
            greatest = ::fmax(greatest, size);
        });
        // There are no particles.
        const bool is_empty =
            (WATCHED_I > 0 && i.from.n == 0) || (WATCHED_J > 0 && j.from.n == 0);
        if (is_empty) {
            greatest = 0.0;
            reason = NOTHING;
        }
        const bool is_held = greatest == 0.0 || (greatest >= LEAST_CUTOFF && greatest <= MOST_CUTOFF);
        if (!is_held && reason == NOTHING) reason = BEYOND_BOX;
        const double typical = is_empty ? 0.0 : typical_cutoff(reach, i, j);
        double skin = reach.share * typical + reach.length;
        for (u32 axis = 0; axis < 3; ++axis) {
            const double length = i.frame.length[axis];
            if (!(length > 0.0)) continue;
            skin = ::fmin(skin, (TILTED ? 0.5 * length : length) - greatest);
            if (greatest >= length / 2.0 && reason == NOTHING) reason = BEYOND_BOX;
        }
        bool is_nonnegative = true;
        for (u32 w = 0; w < WATCHED_I; ++w) is_nonnegative &= of_i[w].lo >= 0.0;
        for (u32 w = 0; w < WATCHED_J; ++w) is_nonnegative &= of_j[w].lo >= 0.0;
        if (threadIdx.x == 0) {
            // All blocks write the same.
            *reach.found = {greatest, skin, reason, is_nonnegative};
        }
    }
    __syncthreads();
    return reach.found->refused == NOTHING;
}

// Returns the reason why lists were not built.
__device__ __forceinline__ u32 refusal(const Reach &reach) { return reach.found->refused; }

__device__ __forceinline__ double greatest(const Reach &reach)
{
    return reach.found->greatest + reach.found->skin;
}

// The reach of a group.
class GroupReach {
    const Reach &reach;
    const Interval *of_i;
    const double (&length)[3];
    const float (&half)[3];
    double here = 0.0; // reach of the last node

public:
    __device__ __forceinline__ GroupReach(
        const Reach &reach, u32 group, const double (&length)[3], const float (&half)[3])
        : reach(reach), of_i(reach.bounds[0] + size_t(group) * WATCHED_I), length(length), half(half)
    {
    }

    // Returns the greatest squared distance within reach of any pair.
    __device__ __forceinline__ double farthest() const
    {
        return node_limit(greatest(reach), length);
    }

    __device__ __forceinline__ double of_node(u32 node)
    {
        const Interval *const of_j = reach.bounds[1] + size_t(node) * WATCHED_J;
        here = cutoff_of(reach, of_i, of_j) + reach.found->skin;
        return node_limit(here, length);
    }

    __device__ __forceinline__ float of_leaf() const { return limit(here, half); }
};

} // namespace nbody
