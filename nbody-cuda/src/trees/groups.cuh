// Walks of groups: a warp walks for its 32 i-particles, and evaluates the cells and particles that
// it meets bag by bag, in the order of the depths of cells.
namespace nbody {

static_assert(BLOCK == LANES, "a warp a block");

// The folded sums of the i-particles of a warp.
using Totals = backup[FDIM][LANES];

// The shared memory of a warp.
struct Shared {
    Slot bag[BAG];
    u32 entries[BAG]; // the j-particles of the bag
    u32 untested[FAN * LANES]; // queued cells
    u32 queue[2][AT_HAND]; // the first opened cells of two depths, as in `Seen::children`
    float at[LANES][3]; // the i-particles in units of the frame
    Target target;
    Totals totals;
    u32 tested; // cells tested by the walk of a group
    Work work; // of the warp
};
static_assert(sizeof(Shared) <= BAG * (sizeof(Slot) + 4) + sizeof(Totals) + WALKED + 16, "the host knows the size");
static_assert(!FOLD_EACH_BAG || FOLDED % BAG == 0, "the host knows the bags");

__device__ __forceinline__ u32 lane() { return threadIdx.x; }

__device__ __forceinline__ u32 value_of(u32 lane, u32 value)
{
    return ::__shfl_sync(~0u, value, int(lane % LANES));
}

__device__ __forceinline__ float value_of(u32 lane, float value)
{
    return ::__uint_as_float(value_of(lane, ::__float_as_uint(value)));
}

// Begins to copy a j-particle into a bag; the copy ends with `wait_for_copies`.
__device__ __forceinline__ void copy(Slot &slot, const ParticleJ &from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr u32 PART = alignof(ParticleJ), PARTS = sizeof(ParticleJ) / PART;
    const u32 to = u32(::__cvta_generic_to_shared(&slot));
    const char *const bytes = reinterpret_cast<const char *>(&from);
#pragma unroll
    for (u32 k = 0; k < PARTS; ++k) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :: "r"(to + k * PART), "l"(bytes + k * PART), "n"(PART));
    }
#else
    slot.j = from;
#endif
}

// Waits for the copies of all lanes.
__device__ __forceinline__ void wait_for_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    ::__syncwarp();
}

// Returns the sum over the lanes up to and including this one.
__device__ __forceinline__ u32 sum_up_to(u32 count)
{
#pragma unroll
    for (u32 step = 1; step < LANES; step *= 2) {
        const u32 earlier = ::__shfl_up_sync(~0u, count, step);
        count += lane() >= step ? earlier : 0;
    }
    return count;
}

// Returns the least over the lanes of a non-negative number.
__device__ __forceinline__ float least_of_warp(float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return ::__uint_as_float(::__reduce_min_sync(~0u, ::__float_as_uint(x)));
#else
    for (u32 half = LANES / 2; half > 0; half /= 2) x = ::fminf(x, value_of(lane() ^ half, x));
    return x;
#endif
}

// Returns the number of lanes before this one that vote.
__device__ __forceinline__ u32 votes_before(u32 votes) { return ::__popc(votes & ((1u << lane()) - 1)); }

// Finds the box of the i-particles of the warp, and their greatest error.
__device__ __forceinline__ void find_target(
    const WalkedTree &walk, const Position &at, u32 index, Shared &shared)
{
    const double infinite = ::__longlong_as_double(0x7ff0000000000000ll);
    Target target;
    for (u32 axis = 0; axis < 3; ++axis) {
        float least = coordinate_in(*walk.frame, at, axis), greatest = least;
        shared.at[lane()][axis] = least;
        for (u32 half = LANES / 2; half > 0; half /= 2) {
            least = ::fminf(least, value_of(lane() ^ half, least));
            greatest = ::fmaxf(greatest, value_of(lane() ^ half, greatest));
        }
        set_bounds(target, axis, least, greatest);
    }
    target.most = 0.0f;
    if (walk.is_estimated) {
        // NaN stays: a group with NaN opens every cell.
        float most = most_error(walk, index < walk.stored.wanted ? walk.before[index] : infinite);
        for (u32 half = LANES / 2; half > 0; half /= 2) {
            const float other = value_of(lane() ^ half, most);
            most = other < most || other != other ? other : most;
        }
        target.most = most;
    }
    ::__syncwarp();
    if (lane() == 0) shared.target = target;
    ::__syncwarp();
}

// The walk of a group, which lists entries bag by bag.
class Walker {
    const WalkedTree &walk;
    const Test test;
    const Own own;
    Shared &shared;
    // Opened cells of this depth, the number processed, and opened cells of the next depth.
    u32 parity = 0, opened = 0, done = 0, next_opened = 0;
    // Queued cells, and the number already tested.
    u32 cells = 1, begun = 0;
    // Particles through which the last tested cells act, one cell per lane: the range of this
    // lane, the end of it among all lanes, the number of all, and the number already listed.
    u32 first_acting = 0, count_acting = 0, end = 0, all = 0, listed = 0;

public:
    __device__ __forceinline__ Walker(
        const WalkedTree &walk, const Own &own, Shared &shared)
        : walk(walk), test(walk), own(own), shared(shared)
    {
        ::__syncwarp();
        if (lane() == 0) {
            shared.untested[0] = 0; // the root
            shared.tested = 1;
        }
        ::__syncwarp();
    }

    // Lists entries until the bag is full or the walk ends. Returns the number of entries.
    __device__ __forceinline__ u32 list()
    {
        u32 count = 0;
        ::__syncwarp();
        while (count < u32(BAG)) {
            if (listed == all) {
                if (begun == cells && !open_cells()) break;
                test_cells();
                continue;
            }
            const u32 rest = all - listed, room = u32(BAG) - count;
            const u32 some = rest < room ? rest : room;
            list_acting(count, some);
            count += some;
            listed += some;
        }
        ::__syncwarp();
        return count;
    }

private:
    // Lists `some` particles through which the last tested cells act, from this place in the bag
    // on.
    __device__ __forceinline__ void list_acting(u32 place, u32 some)
    {
        constexpr u32 AT_ONCE = 4;
        // The entries of this lane, in the range of this bag among the entries of all lanes.
        const u32 first = end - count_acting;
        const u32 from = first > listed ? first : listed, to = end < listed + some ? end : listed + some;
        const u32 count = from < to ? to - from : 0;
        const u32 begin = from - first, at = place + (from - listed);
        u32 *entries = shared.entries + at, entry = first_acting + begin;
#pragma unroll 1
        for (u32 rest = count; ::__any_sync(~0u, rest > 0); rest -= rest < AT_ONCE ? rest : AT_ONCE) {
#pragma unroll
            for (u32 m = 0; m < AT_ONCE; ++m) {
                if (m < rest) entries[m] = entry + m;
            }
            entries += AT_ONCE;
            entry += AT_ONCE;
        }
        if (!(first_acting < own.begin && own.begin < first_acting + count_acting)) return;
        for (u32 k = 0; k < count; ++k) shared.entries[at + k] = own.pass(first_acting, begin + k);
    }

    // Queues the children of the next opened cells. Returns whether there are any.
    __device__ __forceinline__ bool open_cells()
    {
        if (done == opened) {
            if (next_opened == 0) return false;
            parity ^= 1;
            opened = next_opened;
            next_opened = done = 0;
            ::__syncwarp();
        }
        const u32 k = done + lane();
        const bool is_opened = k < opened;
        const u32 children = is_opened ? queued(k) : 0;
        const u32 count = is_opened ? children % FAN + 1 : 0;
        const u32 end = sum_up_to(count);
        ::__syncwarp();
#pragma unroll
        for (u32 m = 0; m < FAN; ++m) {
            if (m < count) shared.untested[end - count + m] = children / FAN + m;
        }
        cells = value_of(LANES - 1, end);
        if (lane() == 0) shared.tested += cells;
        begun = 0;
        done += opened - done < LANES ? opened - done : LANES;
        ::__syncwarp();
        return true;
    }

    // Returns the memory of the opened cells of a depth.
    __device__ __forceinline__ u32 *queue_of(u32 parity) const
    {
        return walk.queues + (size_t(blockIdx.x) * 2 + parity) * QUEUE;
    }

    __device__ __forceinline__ u32 queued(u32 k) const
    {
        return k < AT_HAND ? shared.queue[parity][k] : queue_of(parity)[k];
    }

    // Returns the squared distance of a cell from the nearest i-particle. If the cell is too near,
    // the distance may be from another i-particle that is too near, too. Valid in lanes that vote.
    __device__ __forceinline__ float nearest(const Seen &cell, u32 k, u32 votes) const
    {
        constexpr u32 FEW = 8;
        return ::__popc(votes) <= FEW ? nearest_of_few(cell, k, votes) : nearest_of_many(cell, k, votes);
    }

    // Tests one cell after another, each lane with an i-particle.
    __device__ __forceinline__ float nearest_of_few(const Seen &cell, u32 k, u32 votes) const
    {
        float nearest2 = 0.0f;
#pragma unroll 1
        for (; votes != 0; votes &= votes - 1) {
            const u32 source = ::__ffs(int(votes)) - 1;
            float centre[3];
            for (u32 axis = 0; axis < 3; ++axis) centre[axis] = value_of(source, cell.centre[axis]);
            const u32 of_source = PERIODIC ? value_of(source, k) : 0;
            const float mine2 = test.distance2(centre, of_source, shared.at[lane()], shared.target.slack);
            const float least2 = least_of_warp(mine2);
            if (lane() == source) nearest2 = least2;
        }
        return nearest2;
    }

    // Tests one i-particle after another, each lane with a cell.
    __device__ __forceinline__ float nearest_of_many(const Seen &cell, u32 k, u32 votes) const
    {
        constexpr u32 SOME = 8;
        const bool matters = votes >> lane() & 1;
        float nearest2 = Test::infinity32();
#pragma unroll 1
        for (u32 first = 0; first < LANES; first += SOME) {
#pragma unroll
            for (u32 m = 0; m < SOME; ++m) {
                const float distance2 =
                    test.distance2(cell.centre, k, shared.at[first + m], shared.target.slack);
                nearest2 = ::fminf(nearest2, distance2);
            }
            if (!::__any_sync(~0u, matters && cell.limit2 < nearest2)) break;
        }
        return nearest2;
    }

    // Tests a queued cell in each lane, if there are enough.
    __device__ __forceinline__ void test_cells()
    {
        const u32 count = cells - begun < LANES ? cells - begun : LANES;
        const bool is_tested = lane() < count;
        const u32 k = shared.untested[is_tested ? begun + lane() : 0];
        const Seen cell = walk.cells[k];
        // A cell that contains particles of the group never acts on it from afar, whatever
        // rounding says.
        const bool overlaps = own.overlaps(cell), is_other = is_tested & !overlaps;
        const float distance2 = test.distance2(cell.centre, k, shared.target.middle, shared.target.half);
        bool is_far = is_other & test.is_far(cell, distance2, shared.target.most);
        bool is_large = is_other & !is_far & ((opened > CROWD) | (count_of(cell) >= MANY));
        if (::__any_sync(~0u, is_large)) {
            // Most cells are too near to any one i-particle.
            const float one2 = test.distance2(cell.centre, k, shared.at[LANES / 2], shared.target.slack);
            is_large &= cell.limit2 < one2;
        }
        const u32 large = ::__ballot_sync(~0u, is_large);
        if (large != 0) {
            const float nearest2 = nearest(cell, k, large);
            is_far |= is_large & test.is_far(cell, nearest2, shared.target.most);
        }
        bool is_opened = is_tested & !is_far & (cell.children != NO_CHILD);
        const u32 votes = ::__ballot_sync(~0u, is_opened);
        const u32 place = next_opened + votes_before(votes);
        is_opened &= place < QUEUE;
        if (is_opened) {
            if (place < AT_HAND) shared.queue[parity ^ 1][place] = cell.children;
            else queue_of(parity ^ 1)[place] = cell.children;
        }
        next_opened += ::__popc(votes);
        if (next_opened > QUEUE) next_opened = QUEUE;
        Acting acting = {cell.first, count_of(cell)};
        if (is_far) acting = far_particles_of(walk, cell, k);
        if (overlaps) acting = own.particles_of(cell);
        first_acting = acting.first;
        count_acting = is_tested & !is_opened ? acting.count : 0;
        end = sum_up_to(count_acting);
        all = value_of(LANES - 1, end);
        listed = 0;
        begun += count;
    }
};

// Folds the running sums and clears them.
__device__ __forceinline__ void fold_now(Running &current, Totals &totals)
{
    backup total[FDIM];
    load(&totals[0][0], lane(), LANES, total);
    fold(current, total);
    store(total, &totals[0][0], lane(), LANES);
    current = nothing_yet();
}

// Adds the contributions of a bag to the sums of an i-particle. On the diagonal, the i-particle
// has place `mine` in the bag.
__device__ __forceinline__ void sum_bag(
    const Parameters &self, const Space &space, const ParticleI (&i)[1], const Slot *bag, u32 count,
    u32 mine, bool diagonal, Running (&current)[1])
{
    if (count == u32(BAG) && !diagonal) {
        side_by_side(self, space, i, bag, 0, current);
    } else {
        one_by_one(self, space, i, bag, 0, {0, 1, count}, mine, LANES, diagonal, current);
    }
}

// Copies j-particles into the bag; `place_of(k)` is the place of entry k among all j-particles.
// Slots beyond the last entry receive the last entry, too: branches would cost more.
template <typename PlaceOf>
__device__ __forceinline__ void fill(
    Shared &shared, const ParticleJ *sources, u32 count, const PlaceOf &place_of)
{
    constexpr u32 TURNS = 4;
    ::__syncwarp();
#pragma unroll 1
    for (u32 first = lane(); first < u32(BAG); first += TURNS * LANES) {
        u32 places[TURNS];
#pragma unroll
        for (u32 turn = 0; turn < TURNS; ++turn) {
            const u32 k = first + turn * LANES;
            places[turn] = place_of(k < count ? k : count - 1);
        }
#pragma unroll
        for (u32 turn = 0; turn < TURNS; ++turn) {
            const u32 k = first + turn * LANES;
            if (BAG % (TURNS * LANES) == 0 || k < u32(BAG)) copy(shared.bag[k], sources[places[turn]]);
        }
    }
    wait_for_copies();
}

// Consecutive i-particles, one per lane. Lanes beyond the last i-particle compute it again and
// write nothing.
struct Group {
    u32 first, count;

    __device__ __forceinline__ bool has_lane() const { return lane() < count; }
    // Returns the place, in the order of the tree, of the i-particle of a lane.
    __device__ __forceinline__ u32 place() const { return first + (has_lane() ? lane() : count - 1); }
    __device__ __forceinline__ bool wants(const WalkedTree &walk, u32 index) const
    {
        return has_lane() && index < walk.stored.wanted;
    }
};

// Stores the results and the effort of a group.
__device__ __forceinline__ void finish(
    const WalkedTree &walk, const Group &group, u32 met, Shared &shared, backup *out)
{
    const u32 place = group.place(), index = walk.order[place];
    backup total[FDIM];
    load(&shared.totals[0][0], lane(), LANES, total);
    if (group.wants(walk, index)) store_walked(walk, total, out, place, index);
    if (group.has_lane()) walk.efforts.of_particles[index] = OF_PAIRS * met + shared.tested;
    if (lane() > 0) return;
    shared.work.tested += shared.tested;
    shared.work.evaluations += u64(met) * group.count;
    ++shared.work.walks;
}

// Evaluates the walk of a group.
__device__ __forceinline__ void walk_group(
    const Parameters &self, const Space &space, const WalkedTree &walk, const ParticleI *i_particles, const Group &group,
    Shared &shared, backup *out)
{
    const u32 place = group.place(), index = walk.order[place];
    if (!::__any_sync(~0u, group.wants(walk, index))) {
        if (group.has_lane()) walk.efforts.of_particles[index] = 0;
        return;
    }
    ParticleI i[1] = {i_particles[index]};
    Running current[1] = {nothing_yet()};
    backup total[FDIM];
    reset(total);
    store(total, &shared.totals[0][0], lane(), LANES);
    find_target(walk, walk.at[place], index, shared);
    const Own own = walk.one_set ? Own{group.first, group.first + group.count} : Own{0, 0};

    const bool skip_self = !SELF_PAIRS;
    for (u32 begin = own.begin; begin < own.end; begin += BAG) {
        const u32 some = own.end - begin < u32(BAG) ? own.end - begin : u32(BAG);
        fill(shared, walk.sources, some, [=](u32 k) { return begin + k; });
        sum_bag(self, space, i, shared.bag, some, place - begin, skip_self, current);
        if constexpr (FOLD_EACH_BAG) fold_now(current[0], shared.totals);
    }
    u32 met = 0; // without its own particles
    Walker walker(walk, own, shared);
    for (u32 some = BAG; some == u32(BAG);) {
        some = walker.list();
        if (some == 0) break;
        fill(shared, walk.sources, some, [&](u32 k) { return shared.entries[k]; });
        sum_bag(self, space, i, shared.bag, some, 0, false, current);
        met += some;
        if (FOLD_EACH_BAG && met % FOLDED == 0) fold_now(current[0], shared.totals);
    }
    fold_now(current[0], shared.totals);
    finish(walk, group, own.end - own.begin + met, shared, out);
}

// Evaluates the walks of all groups, or of the groups of this rank, heavy groups first. `out` is a
// structure of arrays, component c of i-particle k of the caller at [c * wanted + k].
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) walk_groups(
    const Parameters parameters, const Space space, const WalkedTree walk,
    const ParticleI *__restrict__ i_particles, backup *__restrict__ out)
{
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    __shared__ Shared shared;
    const Efforts &efforts = walk.efforts;
    if (lane() == 0) shared.work = {0, 0, 0};
    for (;;) {
        const u32 heavy = efforts.heavy[0], numbers = heavy + (walk.ni + LANES - 1) / LANES;
        const u32 number = value_of(0, lane() == 0 ? ::atomicAdd(&walk.counters->next, 1u) : 0);
        if (number >= numbers) {
            // All groups are taken; the last warp to notice resets the counter.
            if (lane() == 0 && number == numbers + gridDim.x - 1) walk.counters->next = 0;
            break;
        }
        const u32 k = number < heavy ? efforts.heavy[1 + number] : number - heavy;
        if (number >= heavy && efforts.is_heavy[k]) continue;
        const u32 first = k * LANES, rest = walk.ni - first;
        if (!is_mine(walk.dealt, first)) continue;
        const Group group = {first, rest < LANES ? rest : LANES};
        walk_group(self, space, walk, i_particles, group, shared, out);
    }
    if (lane() == 0) count_work(walk, shared.work);
}

} // namespace nbody
