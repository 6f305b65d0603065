// The cells of a tree of ordered particles.
namespace nbody {

static_assert(sizeof(Moments) == MOMENTS_BYTES && sizeof(Summary) == SUMMARY_BYTES, "the host reserves memory");

// Returns the bounds, along an axis, of the cell of this level that contains a particle, clipped
// to the bounds of all particles.
template <u32 D>
__device__ __forceinline__ void bounds_of(
    const Frame &frame, u32 level, const Position &at, const Summary &whole, u32 axis,
    double (&bounds)[2])
{
    constexpr u32 BITS = KEY_BITS / D;
    const u32 shift = BITS - level;
    const u32 first = cell_of<BITS>(frame, axis, at.x[axis]) >> shift << shift;
    const double begin = frame.origin[axis] + begin_of<BITS>(first) / frame.scale;
    const double end = frame.origin[axis] + begin_of<BITS>(first + (1u << shift)) / frame.scale;
    bounds[0] = ::fmax(begin, whole.least.x[axis]);
    bounds[1] = ::fmin(end, whole.greatest.x[axis]);
}

// Returns the distance beyond which a cell may act from afar. With an opening angle it is the
// distance at which the cell appears under the angle, but at least the radius of the cell;
// otherwise it is CLEAR times the radius.
__device__ __forceinline__ double limit_of(
    const BuildRequest &request, const Frame &frame, const Cell &cell, const Summary &summary,
    const Summary &whole, const Position &at, double radius)
{
    if (!request.is_by_angle) return CLEAR * radius;
    double edge = 0.0, apart2 = 0.0;
    for (u32 axis = 0; axis < frame.dimensions; ++axis) {
        double bounds[2];
        if (frame.dimensions == 2) bounds_of<2>(frame, cell.level, at, whole, axis, bounds);
        else bounds_of<3>(frame, cell.level, at, whole, axis, bounds);
        edge = ::fmax(edge, bounds[1] - bounds[0]);
        const double off = summary.centre.x[axis] - (bounds[0] / 2.0 + bounds[1] / 2.0);
        apart2 += off * off;
    }
    return ::fmax(edge / request.theta + ::sqrt(apart2), radius);
}

// Writes the record of a far particle.
__device__ __forceinline__ void write_far(
    real *words, const Position &at, const double (&charges)[CHARGES], u32 dimensions)
{
#pragma unroll
    for (u32 w = 0; w < ROW; ++w) words[w] = real(0);
    carry(charges, words);
    for (u32 axis = 0; axis < dimensions; ++axis) {
        real *const to = words + POSITION + axis * COORDINATE;
        to[0] = real(at.x[axis]);
        if constexpr (COORDINATE == 2) {
            to[1] = is_finite(to[0]) ? real(at.x[axis] - double(to[0])) : real(0);
        }
    }
}

// Creates the far particles of a cell, and its record for walks. Returns the number of far
// particles.
__device__ __forceinline__ u32 see(
    const BuildRequest &request, const Frame &frame, const TreeSources &j, const Cell &cell, u32 k,
    Seen *seen, float *radii)
{
    const Summary summary = summary_of(j, k);
    const Summary whole = summary_of(j, 0);
    const Charged charges = moments_of(j, k);
    const Position low = apart(summary.centre, summary.least);
    const Position high = apart(summary.greatest, summary.centre);
    double farthest[3];
    for (u32 axis = 0; axis < 3; ++axis) farthest[axis] = ::fmax(low.x[axis], high.x[axis]);
    const double radius = length_of(farthest);
    double limit = limit_of(request, frame, cell, summary, whole, j.positions[cell.first], radius);
    FarParticles far;
    choose_far(far, summary, charges.of, cell.end - cell.first, limit >= request.harmonic);
    double reach = 0.0;
    for (u32 m = 0; m < far.count; ++m) {
        Position at;
        for (u32 axis = 0; axis < 3; ++axis) at.x[axis] = summary.centre.x[axis] + far.at[m].x[axis];
        reach = ::fmax(reach, length_of(apart(at, summary.centre).x));
        real *const words = j.words + (size_t(j.n) + size_t(k) * FAR + m) * ROW;
        write_far(words, at, far.charges[m], frame.dimensions);
    }
    limit = ::fmax(limit, CLEAR * reach) * frame.scale;
    Seen &one = seen[k];
    for (u32 axis = 0; axis < 3; ++axis) {
        one.centre[axis] = float((summary.centre.x[axis] - frame.origin[axis]) * frame.scale);
    }
    one.limit2 = float(limit * limit);
    one.first = cell.first;
    one.counts = (cell.end - cell.first) | far.count << COUNT_BITS;
    one.children = cell.children;
    const double power = SECOND ? 3.0 : whole.is_of_one_sign ? 2.0 : 1.0;
    one.strength = float(::log2(summary.weight.sum) + power * ::log2(radius * frame.scale));
    radii[k] = float(::fmax(radius, reach) * frame.scale);
    return far.count;
}

// Creates the far particles and the records of all cells.
__device__ __forceinline__ void see_all(
    const BuildRequest &request, const TreeSources &j, const Cells &cells, Seen *seen, float *radii, TreeState *state)
{
    const Frame frame = state->frame;
    u32 count = 0, sum;
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < state->extent.cells; k += gridDim.x * BLOCK) {
        count += see(request, frame, j, cells.cells[k], k, seen, radii);
    }
    sum_before(count, sum);
    if (threadIdx.x == 0) ::atomicAdd(&state->far, sum);
}

constexpr u32 SUM_PHASES = CELL_PHASES + 1; // after the phase of the leaves
constexpr u32 SEE_PHASE = SUM_PHASES + DEPTHS - 2, ANSWER_PHASE = SEE_PHASE + 1;
static_assert(ANSWER_PHASE + 1 == BUILD_PHASES, "the phases that the host launches");

// Returns the first phase, from this one on, that has work to do.
__device__ __forceinline__ u32 busy_phase(u32 phase, const TreeState *state)
{
    if (state->counters.refused != NOTHING) return ANSWER_PHASE;
    // A lack of room is known after the third phase.
    if (phase >= CELL_PHASES - 1 && state->extent.is_short) return ANSWER_PHASE;
    if (phase >= SUM_PHASES && phase < SEE_PHASE) {
        // The cells of the last depth are leaves.
        const u32 first = SEE_PHASE - (state->extent.depths - 1);
        return phase < first ? first : phase;
    }
    return phase;
}

__device__ __forceinline__ void answer(const TreeState *state, const TreeSources &j, volatile u64 *reply)
{
    const u32 refused = state->counters.refused;
    const Extent extent = state->extent;
    if (refused != NOTHING) {
        *reply = u64(REFUSED) << ANSWER_BITS | refused;
        return;
    }
    if (extent.is_short) {
        *reply = u64(TOO_SMALL) << ANSWER_BITS | extent.cells;
        return;
    }
    const u64 scale = u64(::__double_as_longlong(state->frame.scale)), exponent = scale >> FRACTION;
    const u64 is_of_box = scale != exponent << FRACTION, sign = summary_of(j, 0).is_of_one_sign;
    *reply = u64(BUILT) << ANSWER_BITS | sign << SIGN_BIT | is_of_box << BOX_BIT
        | exponent << EXPONENT_BITS | extent.cells;
}

// Builds the cells. The first phases divide the particles; later phases sum the leaves, sum the
// cells of each depth from the last to the first, create far particles, and answer.
extern "C" __global__ void __launch_bounds__(BLOCK, SECOND ? 2 : 4) build_cells(
    const BuildRequest request, const u64 *keys, const TreeSources j, const Cells cells, Seen *seen, float *radii,
    TreeState *state, volatile u64 *reply, u32 *arrived, const u32 first_phase, const u32 end_phase)
{
    for (u32 phase = first_phase; phase < end_phase; ++phase) {
        if (phase > first_phase) grid_barrier(arrived);
        phase = busy_phase(phase, state);
        if (phase >= end_phase) break;
        if (phase == 0 && blockIdx.x == 0 && threadIdx.x == 0) {
            state->counters.next = state->far = 0;
            state->counters.work = {};
        }
        if (phase < CELL_PHASES) {
            divide(cells, keys, j.n, state->frame.dimensions, &state->extent, phase);
        } else if (phase < SUM_PHASES) {
            sum_leaves(j, cells, state->extent.cells);
        } else if (phase < SEE_PHASE) {
            sum_depth(j, cells, SEE_PHASE - 1 - phase);
        } else if (phase == SEE_PHASE) {
            see_all(request, j, cells, seen, radii, state);
        } else if (blockIdx.x == 0 && threadIdx.x == 0) {
            answer(state, j, reply);
        }
    }
}

} // namespace nbody
