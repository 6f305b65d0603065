// Moments of the charges of cells, as in nbody-core's `tree::moments`.
namespace nbody {

// The sum, and the first and second moments of a weight around a centre: xx, yy, zz, xy, xz and
// yz.
struct SecondMoments {
    double sum, first[3], second[6];

    __device__ __forceinline__ void add(double weight, const Position &at)
    {
        const double x = at.x[0], y = at.x[1], z = at.x[2];
        const double products[] = {x * x, y * y, z * z, x * y, x * z, y * z};
        sum += weight;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) first[axis] += weight * at.x[axis];
#pragma unroll
        for (u32 k = 0; k < 6; ++k) second[k] += weight * products[k];
    }

    // Returns the moments around a centre displaced by -`by`.
    __device__ __forceinline__ SecondMoments moved(const Position &by) const
    {
        const double x = by.x[0], y = by.x[1], z = by.x[2];
        const double a = first[0], b = first[1], c = first[2];
        const double change[] = {
            (2.0 * a + sum * x) * x,
            (2.0 * b + sum * y) * y,
            (2.0 * c + sum * z) * z,
            a * y + b * x + sum * x * y,
            a * z + c * x + sum * x * z,
            b * z + c * y + sum * y * z,
        };
        SecondMoments moments = *this;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) moments.first[axis] += sum * by.x[axis];
#pragma unroll
        for (u32 k = 0; k < 6; ++k) moments.second[k] += change[k];
        return moments;
    }
};

// The sum alone, which suffices for monopoles.
struct Sum {
    double sum;

    __device__ __forceinline__ void add(double weight, const Position &) { sum += weight; }
    __device__ __forceinline__ Sum moved(const Position &) const { return *this; }
};

template <bool HAS_SECOND> struct MomentsOf {
    using Kind = SecondMoments;
};
template <> struct MomentsOf<false> {
    using Kind = Sum;
};
using Moments = MomentsOf<SECOND>::Kind;

// A cell as seen from afar.
struct Summary {
    Position centre, least, greatest; // centre of the magnitudes of the charges; the bounds
    Moments weight; // the magnitudes of the charges around the centre
    u64 is_of_one_sign; // whether one charge gives the weight, with one sign in all particles
};

// The moments of all charges of a cell around its centre.
struct Charged {
    Moments of[CHARGES];
};

// Returns a record in columns; neighbouring threads read neighbouring words.
template <typename Record> __device__ __forceinline__ Record record_of(const Columns &columns, u32 k)
{
    constexpr u32 WORDS = sizeof(Record) / sizeof(u64);
    Record record;
#pragma unroll
    for (u32 w = 0; w < WORDS; ++w) {
        reinterpret_cast<u64 *>(&record)[w] = columns.words[w * columns.stride + k];
    }
    return record;
}

// Writes a record in columns.
template <typename Record>
__device__ __forceinline__ void store(const Columns &columns, u32 k, const Record &record)
{
    constexpr u32 WORDS = sizeof(Record) / sizeof(u64);
#pragma unroll
    for (u32 w = 0; w < WORDS; ++w) {
        columns.words[w * columns.stride + k] = reinterpret_cast<const u64 *>(&record)[w];
    }
}

__device__ __forceinline__ Summary summary_of(const TreeSources &j, u32 k)
{
    return record_of<Summary>(j.summaries, k);
}

__device__ __forceinline__ Charged moments_of(const TreeSources &j, u32 k)
{
    return record_of<Charged>(j.charges, k);
}

__device__ __forceinline__ Position apart(const Position &a, const Position &b)
{
    return {a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]};
}

// Returns the length of a vector. The squares of its components may overflow or underflow.
template <u32 N> __device__ __forceinline__ double length_of(const double (&vector)[N])
{
    double most = 0.0, sum = 0.0;
    bool is_number = true;
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
        most = ::fmax(most, ::fabs(vector[k]));
        is_number &= vector[k] == vector[k];
    }
    if (!is_number) return ::__longlong_as_double(0x7ff8000000000000ll);
    if (most == 0.0 || !is_finite(most)) return most;
    // Divides by the largest component only if the squares need it.
    const double unit = most >= 1e-120 && most < 1e120 ? 1.0 : most;
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
        const double component = unit == 1.0 ? vector[k] : vector[k] / unit;
        sum += component * component;
    }
    return unit * ::sqrt(sum);
}

// Returns the centre of weights from their sum and the sum of weighted positions; the middle of
// the bounds if there is no such centre. Clamps it to the bounds, which rounding may leave.
__device__ __forceinline__ Position centre_of(
    const Position &weighted, double sum, const Position &least, const Position &greatest)
{
    Position centre;
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
        const double low = least.x[axis], high = greatest.x[axis], mean = weighted.x[axis] / sum;
        centre.x[axis] =
            is_finite(mean) ? ::fmin(::fmax(mean, low), high) : low / 2.0 + high / 2.0;
    }
    return centre;
}

// Widens bounds.
__device__ __forceinline__ void widen(Summary &body, const Position &least, const Position &greatest)
{
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
        body.least.x[axis] = ::fmin(body.least.x[axis], least.x[axis]);
        body.greatest.x[axis] = ::fmax(body.greatest.x[axis], greatest.x[axis]);
    }
}

// Adds a particle at a position relative to the centre.
__device__ __forceinline__ void add(
    Summary &body, Charged &charges, double weight, const double (&q)[CHARGES], const Position &at)
{
    body.weight.add(weight, at);
#pragma unroll
    for (u32 c = 0; c < CHARGES; ++c) charges.of[c].add(q[c], at);
}

// Sums the particles of a leaf.
__device__ __forceinline__ void sum_leaf(const TreeSources &j, u32 k, const Cell &cell)
{
    Summary body = {};
    body.least = body.greatest = j.positions[cell.first];
    Position weighted = {};
    Charged charges = {};
    double sum = 0.0;
    bool is_negative = false, is_positive = false;
    for (u32 p = cell.first; p < cell.end; ++p) {
        double q[CHARGES];
        charges_of(j.words + size_t(p) * ROW, q);
        const Position position = j.positions[p];
        const double weight = weight_of(q);
        sum += weight;
        is_negative |= q[SIGN] < 0.0;
        is_positive |= q[SIGN] > 0.0;
        if constexpr (!SECOND) add(body, charges, weight, q, position);
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) weighted.x[axis] += weight * position.x[axis];
        widen(body, position, position);
    }
    body.centre = centre_of(weighted, sum, body.least, body.greatest);
    for (u32 p = cell.first; SECOND && p < cell.end; ++p) {
        double q[CHARGES];
        charges_of(j.words + size_t(p) * ROW, q);
        add(body, charges, weight_of(q), q, apart(j.positions[p], body.centre));
    }
    body.is_of_one_sign = HAS_SIGN && !(is_negative && is_positive);
    store(j.summaries, k, body);
    store(j.charges, k, charges);
}

// Returns the sums of numbers of the children of a cell in the order of the children, which are in
// FAN lanes.
template <typename Numbers> __device__ __forceinline__ Numbers sum_in_order(const Numbers &numbers)
{
    constexpr u32 COUNT = sizeof(Numbers) / sizeof(double);
    const u32 first = threadIdx.x / FAN * FAN;
    Numbers sums = {};
#pragma unroll
    for (u32 w = 0; w < COUNT; ++w) {
        double &sum = reinterpret_cast<double *>(&sums)[w];
        const double number = reinterpret_cast<const double *>(&numbers)[w];
#pragma unroll
        for (u32 child = 0; child < FAN; ++child) sum += value_of(first + child, number);
    }
    return sums;
}

// Returns whether a condition holds for a child of the cell of this lane.
__device__ __forceinline__ bool holds_for_one(bool holds)
{
    const u32 lanes = ::__ballot_sync(~0u, holds) >> threadIdx.x % LANES / FAN * FAN;
    return lanes % (1u << FAN) > 0;
}

// Sums the children of a cell, which are in FAN lanes. All lanes of a warp must take part, also
// lanes of cells without children.
__device__ __forceinline__ void sum_children(const TreeSources &j, u32 k, const Cell &cell)
{
    const u32 lane = threadIdx.x % FAN, last = cell.children % FAN;
    const bool is_child = cell.children != NO_CHILD && lane <= last;
    const u32 child = cell.children / FAN + (lane < last ? lane : last);
    const Summary part = summary_of(j, child); // several lanes have the last child
    Charged of_part = moments_of(j, child);
    // The sign of all charges of the child, if they have one sign.
    const double sign = of_part.of[SIGN].sum;
    Summary body = {};
    struct {
        double weight;
        Position weighted;
    } sums = {};
    if (is_child) {
        sums.weight = part.weight.sum;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            sums.weighted.x[axis] = part.weight.sum * part.centre.x[axis];
        }
    }
    sums = sum_in_order(sums);
    body.least = part.least;
    body.greatest = part.greatest;
#pragma unroll
    for (u32 half = FAN / 2; half > 0; half /= 2) {
        Position least, greatest;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            least.x[axis] = value_of(threadIdx.x ^ half, body.least.x[axis]);
            greatest.x[axis] = value_of(threadIdx.x ^ half, body.greatest.x[axis]);
        }
        widen(body, least, greatest);
    }
    body.centre = centre_of(sums.weighted, sums.weight, body.least, body.greatest);
    const Position by = apart(part.centre, body.centre);
    if (is_child) body.weight = part.weight.moved(by);
#pragma unroll
    for (u32 c = 0; c < CHARGES; ++c) of_part.of[c] = is_child ? of_part.of[c].moved(by) : Moments{};
    body.weight = sum_in_order(body.weight);
    of_part = sum_in_order(of_part);
    const bool is_mixed = holds_for_one(is_child && !part.is_of_one_sign);
    const bool is_negative = holds_for_one(is_child && sign < 0.0);
    const bool is_positive = holds_for_one(is_child && sign > 0.0);
    body.is_of_one_sign = !is_mixed && !(is_negative && is_positive);
    if (lane > 0 || cell.children == NO_CHILD) return;
    store(j.summaries, k, body);
    store(j.charges, k, of_part);
}

// Sums all leaves.
__device__ __forceinline__ void sum_leaves(const TreeSources &j, const Cells &cells, u32 count)
{
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
        const Cell cell = cells.cells[k];
        if (cell.children == NO_CHILD) sum_leaf(j, k, cell);
    }
}

// Sums the divided cells of a depth.
__device__ __forceinline__ void sum_depth(const TreeSources &j, const Cells &cells, u32 depth)
{
    const u32 first = cells.firsts[depth], end = cells.firsts[depth + 1];
    for (u64 batch = first + u64(blockIdx.x) * CELLS; batch < end; batch += gridDim.x * CELLS) {
        const u32 k = u32(batch) + threadIdx.x / FAN;
        const Cell cell = k < end ? cells.cells[k] : Cell{0, 0, NO_CHILD, 0};
        if (::__any_sync(~0u, cell.children != NO_CHILD)) sum_children(j, k, cell);
    }
}

} // namespace nbody
