// The order of the particles of a tree, before its cells are built.
namespace nbody {

// Refuses particles that have different positions, in the box, in the two buffers.
__device__ __forceinline__ void compare(
    const Positions &i, const Positions &j, const Frame &box, TreeState *state)
{
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < i.n; k += gridDim.x * BLOCK) {
        const Position of_i = position_of(i, box, k), of_j = position_of(j, box, k);
        bool is_same = true;
        for (u32 axis = 0; axis < 3; ++axis) is_same &= of_i.x[axis] == of_j.x[axis];
        if (!is_same) ::atomicMin(&state->counters.refused, ELSEWHERE | k);
    }
}

// Finds the keys of a set, and refuses positions that are not finite. `first` is the number of the
// first particle of the set. The block counts the digits of its share in the same phase.
__device__ __forceinline__ void find_keys(
    const OrderedSet &set, const Curve &curve, const Frame &frame, TreeState *state, u32 first)
{
    const Share share = share_of(set.from.n);
    for (u32 k = share.begin + threadIdx.x; k < share.end; k += BLOCK) {
        const Position position = position_of(set.from, frame, k);
        bool is_good = true;
        for (u32 axis = 0; axis < 3; ++axis) is_good &= is_finite(position.x[axis]);
        if (!is_good) ::atomicMin(&state->counters.refused, first + k);
        set.sort.even.keys[k] = key_of(curve, frame, position);
    }
}

// A record of a j-particle, aligned so that a thread reads it in few accesses.
constexpr u32 ROW_BYTES = ROW * sizeof(real);
struct alignas(ROW_BYTES % 16 == 0 ? 16 : ROW_BYTES % 8 == 0 ? 8 : sizeof(real)) Row {
    real words[ROW];

    // Returns the position in the same way as `position_of`.
    __device__ __forceinline__ Position position(const Frame &frame) const
    {
        constexpr u32 AXES = ROW - POSITION < 3 * COORDINATE ? 2 : 3;
        Position position = {};
#pragma unroll
        for (u32 axis = 0; axis < AXES; ++axis) {
            if (axis == frame.dimensions) break;
            const real *const from = words + POSITION + axis * COORDINATE;
            double &x = position.x[axis];
            x = double(from[0]);
            if constexpr (COORDINATE == 2) x += double(from[1]);
            if (frame.length[axis] > 0.0) x = wrap(x, frame.length[axis]);
        }
        return position;
    }
};

// Copies the j-particles in order. A thread copies several at a time: it waits once for all their
// indices, and once for all their records.
__device__ __forceinline__ void place(const OrderedSet &j, const Frame &frame)
{
    constexpr u32 SOME = ROW_BYTES <= 16 ? 4 : ROW_BYTES <= 32 ? 2 : 1;
    const Row *const rows = reinterpret_cast<const Row *>(j.from.rows);
    Row *const to = reinterpret_cast<Row *>(j.words);
    const u32 n = j.from.n, step = gridDim.x * BLOCK;
    for (u64 first = blockIdx.x * BLOCK + threadIdx.x; first < n; first += SOME * step) {
        u32 from[SOME];
        Row some[SOME];
#pragma unroll
        for (u32 m = 0; m < SOME; ++m) {
            from[m] = first + m * step < n ? j.sort.even.values[first + m * step] : 0;
        }
#pragma unroll
        for (u32 m = 0; m < SOME; ++m) some[m] = rows[from[m]];
#pragma unroll
        for (u32 m = 0; m < SOME; ++m) {
            const u64 k = first + m * step;
            if (k >= n) break;
            to[k] = some[m];
            j.at[k] = some[m].position(frame);
        }
    }
}

// Copies the positions of the i-particles in order.
__device__ __forceinline__ void place_positions(const OrderedSet &i, const Frame &frame)
{
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < i.from.n; k += gridDim.x * BLOCK) {
        i.at[k] = position_of(i.from, frame, i.sort.even.values[k]);
    }
}

// Finds the heavy groups of i-particles. The expected effort of a group is the effort, in the last
// walks, of the group that its first i-particle was in.
__device__ __forceinline__ void find_heavy(const Efforts &efforts, const OrderedSet &i, const TreeState *state)
{
    const Work work = state->counters.work;
    const u64 all = work.tested + OF_PAIRS * work.evaluations / LANES;
    const u64 limit = all + all / 2; // the effort if all walks took 1.5 times the mean
    const u32 groups = (i.from.n + LANES - 1) / LANES;
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < groups; k += gridDim.x * BLOCK) {
        const u64 effort = efforts.of_particles[i.sort.even.values[k * LANES]];
        const bool is_heavy = all > 0 && effort * work.walks > limit;
        efforts.is_heavy[k] = is_heavy;
        if (is_heavy) efforts.heavy[1 + ::atomicAdd(&efforts.heavy[0], 1u)] = k;
    }
}

union OrderShared {
    double sample[SAMPLE];
    Curve curve;
    SortShared sort;
};

// The phase that finds keys is the first phase of their sort.
constexpr u32 KEYS_PHASE = 1, SORTED = KEYS_PHASE + SORT_PHASES;

// Orders the particles. The phases choose the frame, find keys, sort the j-particles, sort the
// i-particles if there are two sets, copy the particles, and find heavy groups. With one set, i is
// j.
extern "C" __global__ void __launch_bounds__(BLOCK, 3) order_particles(
    const BuildRequest request, const Frame box, const OrderedSet i, const OrderedSet j, const Efforts efforts, TreeState *state,
    u32 *arrived, const u32 first_phase, const u32 end_phase)
{
    __shared__ OrderShared shared;
    __shared__ Frame frame;
    const u32 last = SORTED + (request.two_sets ? SORT_PHASES - 1 : 0);
    in_phases(first_phase, end_phase, arrived, [&](u32 phase) {
        if (phase == 0) {
            if (blockIdx.x == 0 && threadIdx.x == 0) efforts.heavy[0] = 0;
            clear_sums(j.sort, 0);
            if (request.two_sets) clear_sums(i.sort, 0);
            if (request.two_sets == 2) compare(i.from, j.from, box, state);
            find_middle(j.from, box, state->along, shared.sample);
            return;
        }
        if (phase > KEYS_PHASE && state->counters.refused != NOTHING) return;
        if (phase == KEYS_PHASE && threadIdx.x == 0) {
            frame = choose_frame(box, state->along);
            if (blockIdx.x == 0) state->frame = frame;
        } else if (phase == last && threadIdx.x == 0) {
            frame = state->frame;
        }
        __syncthreads();
        if (phase == KEYS_PHASE) {
            find_curve(frame, shared.curve);
#pragma unroll 1
            for (u32 set = 0; set < 1 + (request.two_sets ? 1 : 0); ++set) {
                const OrderedSet one = set == 0 ? j : i;
                find_keys(one, shared.curve, frame, state, set == 0 ? 0 : j.from.n);
            }
        }
        if (phase < last) {
            // One copy of the code serves both sets.
            const bool is_of_j = phase < SORTED;
            const Sort sort = is_of_j ? j.sort : i.sort;
            sort_phase(sort, is_of_j ? phase - KEYS_PHASE : phase - SORTED + 1, shared.sort);
            if (phase == KEYS_PHASE && request.two_sets) sort_phase(i.sort, 0, shared.sort);
        } else {
            place(j, frame);
            if (request.two_sets) place_positions(i, frame);
            find_heavy(efforts, i, state);
        }
    });
}

} // namespace nbody
