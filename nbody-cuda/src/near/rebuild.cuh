// The rebuild of neighbour lists, in one launch: it looks whether the lists are still good, and if not
// builds them again. The host need not know.
namespace nbody {

// What the host asks for.
struct Request {
    double allowed2; // the greatest square of a displacement since the lists were built
    u32 now; // the number of this launch
    u32 forced; // build the lists, whether they are good or not
    u32 two_sets; // 1 if j-particles are in another buffer, 2 if they must be at the places of i
    u32 i_phases, j_phases; // phases that order each set
};

// What launches leave behind for the next one.
struct State {
    u32 wanted; // the last launch that built lists
    // The first particle whose position is not finite, those of i before those of j; or the reason why
    // cutoffs are refused.
    u32 refused;
};

constexpr u32 ELSEWHERE = 1u << 31; // with a particle of j that is not at the place of that of i

// The answer to the host: this in the upper bits, with a number below.
enum Answer : u32 { STILL_GOOD, BUILT, REFUSED };
constexpr u32 ANSWER_BITS = 60;

// Looks at the particles of a set, whose numbers begin with `first`.
__device__ __forceinline__ void check(
    const Request &request, const Reach &reach, const Order &order, u32 set, State *state, u32 first)
{
    const u32 n = order.from.n;
    const double allowed = allowed2(reach, request.allowed2);
    bool moved = request.forced;
    for (u32 place = blockIdx.x * BLOCK + threadIdx.x; place < n; place += gridDim.x * BLOCK) {
        const u32 k = request.forced ? place : order.sort.even.values[place];
        double sum = 0.0;
        bool is_finite = true;
        for (u32 axis = 0; axis < order.frame.dimensions; ++axis) {
            const double x = coordinate(order.from, k, axis);
            is_finite &= ::fabs(x) < ::__longlong_as_double(0x7ff0000000000000ll);
            if (request.forced) continue;
            const double length = order.frame.length[axis];
            double d = x - order.positions[size_t(axis) * n + place];
            if (length > 0.0) {
                d -= length * ::rint(d / length);
                // The position before was wrapped into the box, and rounded.
                if (::fabs(d) <= 0x1p-50 * (::fabs(x) + length)) d = 0.0;
            }
            sum += d * d;
        }
        if (!is_finite) ::atomicMin(&state->refused, first + k);
        moved |= sum > allowed;
        if (!request.forced) moved |= !covers(reach, order, set, place, k);
    }
    if (moved) state->wanted = request.now;
}

// Looks whether the particles of two buffers are at the same places.
__device__ __forceinline__ void compare(const Positions &i, const Order &j, State *state)
{
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < i.n; k += gridDim.x * BLOCK) {
        for (u32 axis = 0; axis < j.frame.dimensions; ++axis) {
            if (coordinate(i, k, axis) != coordinate(j.from, k, axis)) {
                ::atomicMin(&state->refused, ELSEWHERE | k);
            }
        }
    }
}

// Returns whether this launch builds lists, which all blocks see alike.
__device__ __forceinline__ bool is_wanted(const Request &request, const State *state)
{
    const volatile State *const now = state;
    return now->wanted == request.now && now->refused == NOTHING;
}

__device__ __forceinline__ u64 answer(const Request &request, State *state, const Lists &lists)
{
    const u32 reason = refusal(lists.reach);
    if (reason != NOTHING && is_wanted(request, state)) state->refused = reason;
    if (state->refused != NOTHING) {
        return u64(REFUSED) << ANSWER_BITS | state->refused;
    }
    if (state->wanted != request.now) return u64(STILL_GOOD) << ANSWER_BITS;
    return u64(BUILT) << ANSWER_BITS | *lists.used;
}

union RebuildShared {
    OrderShared order;
    SearchShared search[WARPS];
};

// The phases: a look; the order of i, and of j if they are two sets; lists; the answer. Of one set, j is
// i.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) rebuild(
    const Request request, const Order i, const Order j, const Lists lists, State *state,
    u32 *arrived, volatile u64 *reply, const u32 first_phase, const u32 end_phase)
{
    __shared__ RebuildShared shared;
    __shared__ Order orders[2]; // to save registers
    if (threadIdx.x == 0) {
        orders[0] = i;
        orders[1] = j;
    }
    __syncthreads();
    const u32 j_begin = 1 + request.i_phases;
    const u32 build = j_begin + request.j_phases;
    bool wanted = first_phase > 0 && is_wanted(request, state);
    for (u32 phase = first_phase; phase < end_phase; ++phase) {
        if (phase > first_phase && (phase == 1 || wanted)) grid_barrier(arrived);
        if (phase == 1) wanted = is_wanted(request, state);
        if (phase == 0) {
            if (request.two_sets == 2) compare(orders[0].from, orders[1], state);
            for (u32 set = 0; set < (request.two_sets > 0 ? 2 : 1); ++set) {
                check(request, lists.reach, orders[set], set, state, set == 0 ? 0 : orders[0].from.n);
            }
        } else if (phase > build) {
            if (blockIdx.x == 0 && threadIdx.x == 0) *reply = answer(request, state, lists);
        } else if (wanted && phase < build) {
            if (phase == 1 && blockIdx.x == 0 && threadIdx.x == 0) *lists.used = 0;
            const bool of_j = phase >= j_begin;
            const u32 phase_of_set = phase - (of_j ? j_begin : 1);
            order_phase(orders[of_j], phase_of_set, shared.order);
            bounds_phase(lists.reach, orders[of_j], of_j, phase_of_set);
        } else if (wanted && find_reach(lists.reach, orders[0], orders[1])) {
            build_lists(orders[0], orders[1], lists, shared.search);
        }
    }
}

} // namespace nbody
