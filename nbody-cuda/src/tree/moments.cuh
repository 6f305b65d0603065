// Moments of the charges of cells, as nbody-core's `tree::moments` finds them.
namespace nbody {

// The sum, the first and the second moments of some weight around a centre: xx, yy, zz, xy, xz and yz.
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

    // Adds moments around a centre at this distance.
    __device__ __forceinline__ void add_moved(const SecondMoments &part, const Position &by)
    {
        const double x = by.x[0], y = by.x[1], z = by.x[2];
        const double a = part.first[0], b = part.first[1], c = part.first[2];
        const double moved[] = {
            (2.0 * a + part.sum * x) * x,
            (2.0 * b + part.sum * y) * y,
            (2.0 * c + part.sum * z) * z,
            a * y + b * x + part.sum * x * y,
            a * z + c * x + part.sum * x * z,
            b * z + c * y + part.sum * y * z,
        };
        sum += part.sum;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            first[axis] += part.first[axis] + part.sum * by.x[axis];
        }
#pragma unroll
        for (u32 k = 0; k < 6; ++k) second[k] += part.second[k] + moved[k];
    }
};

// The sum alone, which is all that monopoles need.
struct Sum {
    double sum;

    __device__ __forceinline__ void add(double weight, const Position &) { sum += weight; }
    __device__ __forceinline__ void add_moved(const Sum &part, const Position &) { sum += part.sum; }
};

template <bool HAS_SECOND> struct MomentsOf {
    using Kind = SecondMoments;
};
template <> struct MomentsOf<false> {
    using Kind = Sum;
};
using Moments = MomentsOf<SECOND>::Kind;

// A cell as it is seen from afar.
struct Summary {
    Position centre, least, greatest; // of the magnitudes of the charges; the bounds
    Moments weight; // the magnitudes of the charges around the centre
    u64 is_of_one_sign; // one charge gives the weight, and has one sign in all particles
};

// The moments of all charges of a cell around its centre.
struct Charged {
    Moments of[CHARGES];
};

// Records whose words are in columns, so that neighbouring threads read and write neighbouring words.
template <typename Record> class Columns {
    u64 *words; // word w of record k at [w * stride + k]
    u64 stride;
    static constexpr u32 WORDS = sizeof(Record) / sizeof(u64);

public:
    __device__ __forceinline__ Record operator[](u32 k) const
    {
        Record record;
#pragma unroll
        for (u32 w = 0; w < WORDS; ++w) reinterpret_cast<u64 *>(&record)[w] = words[w * stride + k];
        return record;
    }

    __device__ __forceinline__ void store(u32 k, const Record &record) const
    {
#pragma unroll
        for (u32 w = 0; w < WORDS; ++w) {
            words[w * stride + k] = reinterpret_cast<const u64 *>(&record)[w];
        }
    }
};

// The j-particles in order, and the moments of cells.
struct Sources {
    real *words; // records, those of far particles behind them
    const Position *positions;
    Columns<Summary> summaries;
    Columns<Charged> charges;
    u32 n;
};

__device__ __forceinline__ Position apart(const Position &a, const Position &b)
{
    return {a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]};
}

__device__ __forceinline__ bool is_finite(double x) { return x - x == 0.0; }

// Returns the length of a vector, whose squares may be beyond the range of numbers.
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
#pragma unroll
    for (u32 k = 0; k < N; ++k) sum += vector[k] / most * (vector[k] / most);
    return most * ::sqrt(sum);
}

// Returns the centre of weights, given their sum and the sum of weighted positions; where that is none, the
// middle. Rounding leaves it within the bounds.
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

// Adds a particle at this distance from the centre.
__device__ __forceinline__ void add(
    Summary &body, Charged &charges, double weight, const double (&q)[CHARGES], const Position &at)
{
    body.weight.add(weight, at);
#pragma unroll
    for (u32 c = 0; c < CHARGES; ++c) charges.of[c].add(q[c], at);
}

// Sums up the particles of a leaf.
__device__ __forceinline__ void sum_leaf(const Sources &j, u32 k, const Cell &cell)
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
    j.summaries.store(k, body);
    j.charges.store(k, charges);
}

// Adds a child at this distance from the centre.
__device__ __forceinline__ void add_moved(
    Summary &body, Charged &charges, const Summary &part, const Charged &of_part, const Position &by)
{
    body.weight.add_moved(part.weight, by);
#pragma unroll
    for (u32 c = 0; c < CHARGES; ++c) charges.of[c].add_moved(of_part.of[c], by);
}

// Sums up the children of a cell.
__device__ __forceinline__ void sum_children(const Sources &j, u32 k, const Cell &cell)
{
    const u32 first = cell.children / FAN, end = first + cell.children % FAN + 1;
    Summary body = {};
    body.least = j.summaries[first].least;
    body.greatest = j.summaries[first].greatest;
    Position weighted = {};
    Charged charges = {};
    double sum = 0.0;
    bool is_negative = false, is_positive = false, is_of_one_sign = true;
    for (u32 child = first; child < end; ++child) {
        const Summary part = j.summaries[child];
        const double weight = part.weight.sum, of_sign = j.charges[child].of[SIGN].sum;
        sum += weight;
        // The charges of a child that are of one sign have that of their sum.
        is_of_one_sign &= part.is_of_one_sign;
        is_negative |= of_sign < 0.0;
        is_positive |= of_sign > 0.0;
        if constexpr (!SECOND) add_moved(body, charges, part, j.charges[child], {});
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) weighted.x[axis] += weight * part.centre.x[axis];
        widen(body, part.least, part.greatest);
    }
    body.centre = centre_of(weighted, sum, body.least, body.greatest);
    for (u32 child = first; SECOND && child < end; ++child) {
        const Summary part = j.summaries[child];
        add_moved(body, charges, part, j.charges[child], apart(part.centre, body.centre));
    }
    body.is_of_one_sign = is_of_one_sign && !(is_negative && is_positive);
    j.summaries.store(k, body);
    j.charges.store(k, charges);
}

// Sums up all leaves.
__device__ __forceinline__ void sum_leaves(const Sources &j, const Cells &cells, u32 count)
{
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
        const Cell cell = cells.cells[k];
        if (cell.children == NO_CHILD) sum_leaf(j, k, cell);
    }
}

// Sums up the divided cells of a depth.
__device__ __forceinline__ void sum_depth(const Sources &j, const Cells &cells, u32 depth)
{
    const u32 first = cells.firsts[depth], end = cells.firsts[depth + 1];
    for (u32 k = first + blockIdx.x * BLOCK + threadIdx.x; k < end; k += gridDim.x * BLOCK) {
        const Cell cell = cells.cells[k];
        if (cell.children != NO_CHILD) sum_children(j, k, cell);
    }
}

} // namespace nbody
