// The rebuild of neighbour lists, in two launches. The first looks whether the lists are still
// good; if not, the second orders the particles and builds the lists again. The host need not
// know.
namespace nbody {

// Looks at the particles of a set, which are numbered from `first` on.
__device__ __forceinline__ void check(
    const LookRequest &request, const Reach &reach, const Order &order, u32 set, LookState *state, u32 first)
{
    const u32 n = order.from.n;
    const Margin margin = margin_now(reach, request.change, request.margin);
    bool moved = request.forced;
    for (u32 place = blockIdx.x * BLOCK + threadIdx.x; place < n; place += gridDim.x * BLOCK) {
        const u32 k = request.forced ? place : order.sort.even.values[place];
        double sum = 0.0;
        Position now = {};
        bool is_finite = true;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            if (axis >= order.frame.dimensions) break;
            double x = coordinate(order.from, k, axis);
            is_finite &= ::fabs(x) < ::__longlong_as_double(0x7ff0000000000000ll);
            if constexpr (TILTED) now.x[axis] = x;
            if (TILTED || request.forced) continue;
            const double length = order.frame.length[axis], scale = request.change.scale[axis];
            const double before = order.positions[size_t(axis) * n + place];
            if (is_outside(x, length)) x = wrap(x, length);
            const double moved_by = moved_along(x, before, length);
            now.x[axis] = before + moved_by;
            const double d = scale == 1.0 ? moved_by : moved_along(x, before * scale, length);
            sum += d * d;
        }
        if constexpr (TILTED) {
            Position before = {};
            for (u32 axis = 0; axis < order.frame.dimensions && !request.forced; ++axis) {
                before.x[axis] = order.positions[size_t(axis) * n + place];
            }
            const Position moved_by = moved_tilted(now, before, order.frame.length, order.frame.tilt);
            for (u32 axis = 0; axis < 3; ++axis) {
                now.x[axis] = before.x[axis] + moved_by.x[axis];
                sum += moved_by.x[axis] * moved_by.x[axis];
            }
        }
        if (!request.forced) order.now[place] = now;
        if (!is_finite) ::atomicMin(&state->refused, first + k);
        if (request.forced) continue;
        moved |= !(sum <= limit_of(margin, growth_of(reach, order, set, place, k)));
    }
    if (moved) state->wanted = 1;
}

// Refuses particles that have different positions in the two buffers.
__device__ __forceinline__ void compare(const Positions &i, const Order &j, LookState *state)
{
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < i.n; k += gridDim.x * BLOCK) {
        for (u32 axis = 0; axis < j.frame.dimensions; ++axis) {
            if (coordinate(i, k, axis) != coordinate(j.from, k, axis)) {
                ::atomicMin(&state->refused, ELSEWHERE | k);
            }
        }
    }
}

// Returns whether lists must be built.
__device__ __forceinline__ bool is_wanted(const LookState *state)
{
    return state->wanted && state->refused == NOTHING;
}

// The first launch: a look at the particles of both sets. With one set, j is i.
extern "C" __global__ void __launch_bounds__(BLOCK, 4) look(
    const LookRequest request, const Order i, const Order j, const Reach reach, LookState *state)
{
    if (request.two_sets == 2) compare(i.from, j, state);
    check(request, reach, i, 0, state, 0);
    if (request.two_sets > 0) check(request, reach, j, 1, state, i.from.n);
}

// Returns the answer to the host. Lists that were wanted have been built, with this number of
// entries.
__device__ __forceinline__ u64 answer(const LookState *state, u64 entries)
{
    if (state->refused != NOTHING) return u64(REFUSED) << ANSWER_BITS | state->refused;
    if (!state->wanted) return u64(STILL_GOOD) << ANSWER_BITS;
    return u64(BUILT) << ANSWER_BITS | entries;
}

// The second launch for given lists: the answer.
extern "C" __global__ void __launch_bounds__(BLOCK) tell(LookState *state, volatile u64 *reply)
{
    if (threadIdx.x != 0) return;
    state->wanted = 0;
    *reply = answer(state, 0);
}

// The second launch for lists that the host decides to build: the answer, as if lists that are
// wanted had been built.
extern "C" __global__ void __launch_bounds__(BLOCK) ask(LookState *state, volatile u64 *reply)
{
    if (threadIdx.x != 0) return;
    *reply = answer(state, 0);
    state->wanted = 0;
}

union RebuildShared {
    OrderShared order;
    SearchShared search;
};

// Builds the lists. The last block to finish answers for all blocks.
__device__ __forceinline__ void list_phase(
    const Order &i, const Order &j, const NewLists &built, LookState *state, volatile u64 *reply,
    SearchShared &shared)
{
    if (find_reach(built.reach, i, j)) build_lists(i, j, built, shared);
    __syncthreads();
    if (threadIdx.x > 0) return;
    ::__threadfence();
    if (::atomicAdd(&state->done, 1u) + 1 < gridDim.x) return;
    state->done = 0;
    const u32 reason = refusal(built.reach);
    if (reason != NOTHING) state->refused = reason;
    *reply = answer(state, *static_cast<const volatile u64 *>(built.room.used));
    state->wanted = 0;
}

// The second launch, which only answers if no lists are wanted. It orders i, and j if they are two
// sets; its last phase builds the lists.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT_BLOCKS) rebuild(
    const LookRequest request, const Order i, const Order j, const NewLists built, LookState *state,
    volatile u64 *reply, u32 *arrived, const u32 first_phase, const u32 end_phase)
{
    if (!is_wanted(state)) {
        if (blockIdx.x == 0 && threadIdx.x == 0) *reply = answer(state, 0);
        return;
    }
    __shared__ RebuildShared shared;
    __shared__ Order orders[2]; // to save registers
    if (threadIdx.x == 0) {
        orders[0] = i;
        orders[1] = j;
        if (blockIdx.x == 0 && first_phase == 0) *built.room.used = 0;
    }
    __syncthreads();
    const u32 last = request.phases; // the phase that builds the lists
    in_phases(first_phase, end_phase < last ? end_phase : last, arrived, [&](u32 phase) {
        const bool of_j = phase >= request.i_phases;
        const u32 phase_of_set = phase - (of_j ? request.i_phases : 0);
        order_phase(orders[of_j], phase_of_set, shared.order);
        bounds_phase(built.reach, orders[of_j], of_j, phase_of_set);
    });
    if (end_phase <= last) return;
    if (first_phase < last) grid_barrier(arrived);
    list_phase(i, j, built, state, reply, shared.search);
}

} // namespace nbody
