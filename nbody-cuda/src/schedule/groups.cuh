// Walks of groups: a warp walks for its 32 i-particles and evaluates what it meets, bag by bag, in the order of
// the depths of cells.
namespace nbody {

constexpr u32 AT_HAND = 64; // of these in shared memory
constexpr u32 CROWD = 96; // opened cells of a depth, at whose children all cells are tested by the nearest i-particle
static_assert(BLOCK == LANES, "a warp a block");

// What a warp keeps in shared memory.
struct Shared {
    Slot bag[BAG];
    u32 entries[BAG]; // the j-particles of the bag
    u32 tested[FAN * LANES]; // cells that are to be tested
    u32 queue[2][AT_HAND]; // the first opened cells of two depths, as in `Seen::children`
    float at[LANES][3]; // the i-particles in units of the frame
};
static_assert(sizeof(Shared) <= BAG * (sizeof(Slot) + 4) + 1920 + 16, "the host knows the size");

__device__ __forceinline__ u32 lane() { return threadIdx.x; }

__device__ __forceinline__ u32 value_of(u32 lane, u32 value)
{
    return ::__shfl_sync(~0u, value, int(lane % LANES));
}

__device__ __forceinline__ float value_of(u32 lane, float value)
{
    return ::__uint_as_float(value_of(lane, ::__float_as_uint(value)));
}

// Returns the sum over the lanes up to this one.
__device__ __forceinline__ u32 sum_up_to(u32 count)
{
    for (u32 step = 1; step < LANES; step *= 2) {
        const u32 earlier = value_of(lane() - step, count);
        if (lane() >= step) count += earlier;
    }
    return count;
}

// Returns the least of numbers that are not negative.
__device__ __forceinline__ float least_of_warp(float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return ::__uint_as_float(::__reduce_min_sync(~0u, ::__float_as_uint(x)));
#else
    for (u32 half = LANES / 2; half > 0; half /= 2) x = ::fminf(x, value_of(lane() ^ half, x));
    return x;
#endif
}

// Returns the lanes before this one that vote.
__device__ __forceinline__ u32 votes_before(u32 votes) { return ::__popc(votes & ((1u << lane()) - 1)); }

// Returns the box of the i-particles of the warp.
__device__ __forceinline__ Target target_of_warp(
    const Walk &walk, const Position &at, u32 index, Shared &shared)
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
        // NaN stays: such a group opens every cell.
        float most = most_error(walk, index < walk.wanted ? walk.lengths[index] : infinite);
        for (u32 half = LANES / 2; half > 0; half /= 2) {
            const float other = value_of(lane() ^ half, most);
            most = other < most || other != other ? other : most;
        }
        target.most = most;
    }
    return target;
}

// The walk of a group, which lists entries bag by bag.
class Walker {
    const Walk &walk;
    const Test test;
    const Target target;
    const Own own;
    Shared &shared;
    u32 *const queues;
    // Opened cells: those of this depth, of which some are done, and those of the next one.
    u32 parity = 0, opened = 0, done = 0, next_opened = 0;
    // Cells that are to be tested, of which some are.
    u32 cells = 1, begun = 0;
    u32 many = MANY; // particles of cells that are tested by the nearest i-particle
    // The particles through which the last tested cells act, one cell a lane, of which some are listed.
    u32 first_acting = 0, count_acting = 0, end = 0, all = 0, listed = 0;

public:
    u32 tested = 0;

    __device__ __forceinline__ Walker(
        const Walk &walk, const Target &target, const Own &own, Shared &shared)
        : walk(walk), test(walk), target(target), own(own), shared(shared),
          queues(walk.queues + size_t(blockIdx.x) * 2 * QUEUE)
    {
        ::__syncwarp();
        shared.tested[0] = 0; // the root
        ::__syncwarp();
    }

    // Lists entries until the bag is full or the walk ends. Returns how many there are.
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
            const u32 most = rest < room ? rest : room, some = most < LANES ? most : LANES;
            const u32 entry = acting_at(listed + lane());
            if (lane() < some) shared.entries[count + lane()] = entry;
            count += some;
            listed += some;
        }
        ::__syncwarp();
        return count;
    }

private:
    // Returns the particle at this place among those of all lanes, or any one beyond them.
    __device__ __forceinline__ u32 acting_at(u32 place) const
    {
        u32 source = 0; // the number of lanes whose particles are before it
#pragma unroll
        for (u32 step = LANES / 2; step > 0; step /= 2) {
            if (value_of(source + step - 1, end) <= place) source += step;
        }
        // What follows the last particle of a range is not asked for.
        const u32 first = value_of(source, first_acting);
        return own.pass(first, place - value_of(source, end - count_acting));
    }

    // Takes the children of the next opened cells. Returns whether there are any.
    __device__ __forceinline__ bool open_cells()
    {
        if (done == opened) {
            if (next_opened == 0) return false;
            parity ^= 1;
            opened = next_opened;
            many = opened > CROWD ? 0 : MANY;
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
            if (m < count) shared.tested[end - count + m] = children / FAN + m;
        }
        cells = value_of(LANES - 1, end);
        begun = 0;
        done += opened - done < LANES ? opened - done : LANES;
        ::__syncwarp();
        return true;
    }

    __device__ __forceinline__ u32 queued(u32 k) const
    {
        return k < AT_HAND ? shared.queue[parity][k] : queues[parity * QUEUE + k];
    }

    // Returns the square of the distance of a cell from the nearest i-particle, or a smaller one that is still too near
    // where none is far enough. Only those of lanes that vote matter.
    __device__ __forceinline__ float nearest(const Seen &cell, u32 k, u32 votes) const
    {
        constexpr u32 FEW = 8;
        return ::__popc(votes) <= FEW ? nearest_of_few(cell, k, votes) : nearest_of_many(cell, k, votes);
    }

    // Takes one cell after another, and an i-particle with each lane.
    __device__ __forceinline__ float nearest_of_few(const Seen &cell, u32 k, u32 votes) const
    {
        float nearest2 = 0.0f;
#pragma unroll 1
        for (; votes != 0; votes &= votes - 1) {
            const u32 source = ::__ffs(int(votes)) - 1;
            float centre[3];
            for (u32 axis = 0; axis < 3; ++axis) centre[axis] = value_of(source, cell.centre[axis]);
            const u32 of_source = PERIODIC ? value_of(source, k) : 0;
            const float mine2 = test.distance2(centre, of_source, shared.at[lane()], target.slack);
            const float least2 = least_of_warp(mine2);
            if (lane() == source) nearest2 = least2;
        }
        return nearest2;
    }

    // Takes one i-particle after another, and a cell with each lane.
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
                    test.distance2(cell.centre, k, shared.at[first + m], target.slack);
                nearest2 = ::fminf(nearest2, distance2);
            }
            if (!::__any_sync(~0u, matters && cell.limit2 < nearest2)) break;
        }
        return nearest2;
    }

    // Tests a cell with each lane, as far as there are any.
    __device__ __forceinline__ void test_cells()
    {
        const u32 count = cells - begun < LANES ? cells - begun : LANES;
        const bool is_tested = lane() < count;
        const u32 k = shared.tested[is_tested ? begun + lane() : 0];
        const Seen cell = walk.cells[k];
        // A cell with particles of the group never acts on it from afar, whatever rounding says.
        const bool is_other = is_tested && !own.overlaps(cell);
        const float distance2 = test.distance2(cell.centre, k, target.middle, target.half);
        bool is_far = is_other && test.is_far(cell, distance2, target.most);
        const bool is_large = is_other && !is_far && cell.count() >= many;
        const u32 large = ::__ballot_sync(~0u, is_large);
        if (large != 0) {
            const float nearest2 = nearest(cell, k, large);
            is_far |= is_large && test.is_far(cell, nearest2, target.most);
        }
        bool is_opened = is_tested && !is_far && cell.children != NO_CHILD;
        const u32 votes = ::__ballot_sync(~0u, is_opened);
        const u32 place = next_opened + votes_before(votes);
        is_opened &= place < QUEUE;
        if (is_opened) {
            if (place < AT_HAND) shared.queue[parity ^ 1][place] = cell.children;
            else queues[(parity ^ 1) * QUEUE + place] = cell.children;
        }
        next_opened += ::__popc(votes);
        if (next_opened > QUEUE) next_opened = QUEUE;
        const Acting acting = is_far ? far_particles_of(walk, cell, k) : own.particles_of(cell);
        first_acting = acting.first;
        count_acting = is_tested && !is_opened ? acting.count : 0;
        end = sum_up_to(count_acting);
        all = value_of(LANES - 1, end);
        listed = 0;
        begun += count;
        tested += count;
    }
};

// Adds the effect of a bag to the sums of an i-particle, which is `mine` in it on the diagonal.
__device__ __forceinline__ void sum_bag(
    const Parameters &self, const Space &space, const ParticleI (&i)[1], const Slot *bag, u32 count,
    u32 mine, bool diagonal, Running (&current)[1], backup (&total)[FDIM])
{
    if (count == u32(BAG) && !diagonal) {
        side_by_side(self, space, i, bag, 0, current);
    } else {
        one_by_one(self, space, i, bag, 0, {0, 1, count}, mine, LANES, diagonal, current);
    }
    if constexpr (FOLD_EACH_BAG) {
        fold(current[0], total);
        current[0] = nothing_yet();
    }
}

// Copies the entries of a list, or particles from this one on, into the bag.
__device__ __forceinline__ void fill(
    Shared &shared, const ParticleJ *sources, const u32 *entries, u32 first, u32 count)
{
    ::__syncwarp();
#pragma unroll 4
    for (u32 k = lane(); k < count; k += LANES) {
        shared.bag[k].j = sources[entries ? entries[k] : first + k];
    }
    ::__syncwarp();
}

// Evaluates the walks of all groups. `out` is a structure of arrays, component c of i-particle k of the caller at
// [c * wanted + k].
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) walk_groups(
    const Parameters parameters, const Space space, const Walk walk,
    const ParticleI *__restrict__ i_particles, backup *__restrict__ out)
{
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    __shared__ Shared shared;
    const u32 groups = (walk.ni + LANES - 1) / LANES;
    u64 tested = 0, evaluations = 0;
    for (;;) {
        const u32 group = value_of(0, lane() == 0 ? ::atomicAdd(&walk.counters->next, 1u) : 0);
        if (group >= groups) {
            // No warp takes a number after this one, the last.
            if (lane() == 0 && group == groups + gridDim.x - 1) walk.counters->next = 0;
            break;
        }
        const u32 first = group * LANES;
        // Lanes beyond the last i-particle compute it again and write nothing.
        const u32 count = walk.ni - first < LANES ? walk.ni - first : LANES;
        const u32 place = first + (lane() < count ? lane() : count - 1);
        const u32 index = walk.order[place];
        const bool is_wanted = lane() < count && index < walk.wanted;
        if (!::__any_sync(~0u, is_wanted)) continue;
        ParticleI i[1] = {i_particles[index]};
        Running current[1] = {nothing_yet()};
        backup total[FDIM];
        reset(total);
        const Target target = target_of_warp(walk, walk.at[place], index, shared);
        const Own own = walk.one_set ? Own{first, first + count} : Own{0, 0};

        const bool skip_self = !SELF_PAIRS;
        for (u32 begin = own.begin; begin < own.end; begin += BAG) {
            const u32 some = own.end - begin < u32(BAG) ? own.end - begin : u32(BAG);
            fill(shared, walk.sources, nullptr, begin, some);
            sum_bag(
                self, space, i, shared.bag, some, place - begin, skip_self, current, total);
        }
        u32 met = own.end - own.begin;
        Walker walker(walk, target, own, shared);
        for (u32 some = BAG; some == u32(BAG);) {
            some = walker.list();
            if (some == 0) break;
            fill(shared, walk.sources, shared.entries, 0, some);
            sum_bag(self, space, i, shared.bag, some, 0, false, current, total);
            met += some;
        }
        if constexpr (!FOLD_EACH_BAG) fold(current[0], total);
        if (is_wanted) store_result(walk, total, out, index);
        tested += walker.tested;
        evaluations += u64(met) * count;
    }
    if (lane() == 0) count_work(walk, tested, evaluations);
}

} // namespace nbody
