// Neighbour lists: each group of 32 i-particles has a warp for each split of its list. The warp
// stages j-particles in bags, with positions relative to the origin of the group, for the
// FORCE-LOOP.
namespace nbody {

constexpr u32 SPLITS = BLOCK / LANES; // splits of a list
static_assert(BLOCK % LANES == 0 && I_PER_THREAD == 1, "a group is a warp");

// Whether particles have more than a position. With given pairs, the particles of one side may
// have no position.
constexpr bool HAS_MORE_I = sizeof(ParticleI) > WordsI::DIMENSIONS * COORDINATE * sizeof(real);
constexpr bool HAS_MORE_J = sizeof(ParticleJ) > WordsJ::DIMENSIONS * COORDINATE * sizeof(real);
constexpr u32 LOADS = LOOKS_UP || JDIM > 8 ? 1 : 4; // j-particles that a lane loads at a time

// Returns a coordinate from its words.
__device__ __forceinline__ double coordinate_of(const real *words)
{
    if constexpr (COORDINATE == 2) return double(words[0]) + double(words[1]);
    else return words[0];
}

// Rounds to nearest, and keeps subnormal numbers, which fast mathematics would flush to zero.
__device__ __forceinline__ real rounded(double x)
{
#ifdef __CUDACC__
    if constexpr (sizeof(real) == 4) {
        float y;
        asm("cvt.rn.f32.f64 %0, %1;" : "=f"(y) : "d"(x));
        return y;
    }
#endif
    return real(x);
}

// Rounds a coordinate to its words.
__device__ __forceinline__ void set_coordinate(real *words, double x)
{
    words[0] = rounded(x);
    if constexpr (COORDINATE == 2) {
        words[1] = abs(words[0]) < infinity() ? rounded(x - double(words[0])) : real(0);
    }
}

// Copies the particles of a buffer to the order of their lists. Positions continue from the
// positions at which the lists were built: a particle that has left the periodic box since then is
// outside it.
template <typename Words, typename Particle>
__device__ __forceinline__ void copy(
    const real *__restrict__ rows, const Placed &placed, const PeriodicBox &box, Particle *to, Position *at)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= placed.n) return;
    const real *const row = rows + size_t(placed.order[k]) * Words::ROW;
    Position now = {};
    if constexpr (TILTED) {
        Position before = {};
        for (int axis = 0; axis < Words::DIMENSIONS; ++axis) {
            before.x[axis] = placed.before[size_t(axis) * placed.n + k];
            now.x[axis] = coordinate_of(row + Words::coordinate(axis));
        }
        now = moved_tilted(now, before, box.length, box.tilt);
        for (int axis = 0; axis < 3; ++axis) now.x[axis] = before.x[axis] + now.x[axis];
    }
#pragma unroll
    for (int axis = 0; axis < Words::DIMENSIONS; ++axis) {
        if (TILTED) break;
        const double length = box.length[axis];
        const double before = placed.before[size_t(axis) * placed.n + k];
        double x = coordinate_of(row + Words::coordinate(axis));
        if (is_outside(x, length)) x = wrap(x, length);
        now.x[axis] = before + moved_along(x, before, length);
    }
    at[k] = now;
    Particle particle;
    real *const words = reinterpret_cast<real *>(&particle);
#pragma unroll
    for (int w = 0; w < Words::COUNT; ++w) words[w] = row[Words::word(w)];
    to[k] = particle;
}

extern "C" __global__ void __launch_bounds__(BLOCK) copy_i(
    const real *__restrict__ rows, const Placed placed, const PeriodicBox box, ParticleI *to, Position *at)
{
    copy<WordsI>(rows, placed, box, to, at);
}

extern "C" __global__ void __launch_bounds__(BLOCK) copy_j(
    const real *__restrict__ rows, const Placed placed, const PeriodicBox box, ParticleJ *to, Position *at)
{
    copy<WordsJ>(rows, placed, box, to, at);
}

// Returns the displacement of an image. Along open axes and along a missing third axis it is
// infinite, except for the particle itself.
__device__ __forceinline__ Position displacement_of(u32 image, const PeriodicBox &box)
{
    const u32 steps[] = {image % 3, image / 3 % 3, image / 9};
    Position displacement;
    if constexpr (TILTED) {
        const auto step = [&](int axis) { return double(int(steps[axis]) - 1); };
        displace_tilted(displacement.x, step(0), step(1), step(2), box.length, box.tilt);
        if (DIMENSIONS == 2 && steps[2] != 1) displacement.x[0] = infinity();
        return displacement;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const double length = box.length[axis] > 0.0 ? box.length[axis] : double(infinity());
        displacement.x[axis] = steps[axis] == 1 ? 0.0 : (int(steps[axis]) - 1) * length;
    }
    if (DIMENSIONS == 2 && steps[2] != 1) displacement.x[0] = infinity();
    return displacement;
}

// Sets the position of a particle, relative to an origin.
template <typename Words, int POSITION, typename Particle>
__device__ __forceinline__ void set_position(
    Particle &particle, const Position &at, const Position &displacement, const Position &origin)
{
    real *const words = reinterpret_cast<real *>(&particle) + POSITION;
#pragma unroll
    for (int axis = 0; axis < Words::DIMENSIONS; ++axis) {
        const double x = (at.x[axis] + displacement.x[axis]) - origin.x[axis];
        set_coordinate(words + axis * COORDINATE, x);
    }
}

// The j-particles, in the order of their lists.
struct Sources {
    const ParticleJ *particles;
    const Position *at;
    const u32 *order; // indices of the caller
    u32 n;
};

// The shared memory of a warp. The screen needs `norms2`, squared distances from the origin.
struct Bag {
    Slot slots[WORDS * WORD];
    float norms2[SCREENS ? WORDS * WORD : 1];
    u32 own[LANES]; // the place in the bag of each particle of the group, or NOT_THERE
};
constexpr u32 NOT_THERE = ~0u;

// The list of a group. Bag b of B has entries b, b + B, b + 2 B and so on. Consecutive entries are
// close to the same i-particles; in a bag of consecutive entries, the lanes of these i-particles
// would have most of the hits, and the other lanes would wait. Each split, the task of a warp, has
// the same number of bags.
class List {
    const u32 *entries; // null if there was no room for the list
    const u32 nj;
    u64 zeroth; // index of the first entry among the entries of all lists
    u32 listed;

public:
    u32 bags_per_split;

    __device__ __forceinline__ List(const Lists &lists, u32 group, u32 nj) : nj(nj)
    {
        const u32 count = lists.counts[group];
        const bool has_room = count != NO_ROOM;
        entries = has_room ? lists.entries + lists.begins[group] : nullptr;
        zeroth = has_room ? lists.begins[group] : 0;
        listed = has_room ? count : IMAGES * nj;
        const u32 bags = listed / BAG + (listed % BAG != 0);
        bags_per_split = bags <= SPLITS ? 1 : (bags + SPLITS - 1) / SPLITS;
    }

    // Returns the number of entries of a bag.
    __device__ __forceinline__ u32 count(u32 bag) const
    {
        const u32 bags = bags_per_split * SPLITS;
        return bag < listed ? (listed - bag + bags - 1) / bags : 0;
    }

    // Returns the index, in the list, of entry k of a bag.
    __device__ __forceinline__ u32 index(u32 bag, u32 k) const
    {
        return bag + k * (bags_per_split * SPLITS);
    }

    // Returns the index among the entries of all lists.
    __device__ __forceinline__ u64 index_of_all(u32 index) const { return zeroth + index; }

    __device__ __forceinline__ u32 operator[](u32 index) const
    {
        return entries ? entries[index] : index / nj << INDEX_BITS | index % nj;
    }
};

__device__ __forceinline__ u32 place_of(u32 entry) { return entry & ((1u << INDEX_BITS) - 1); }

// Stages the entries of a bag. A lane loads several entries at a time, since each waits for its
// entry and then for its particle.
__device__ __forceinline__ void stage(
    Bag &bag, const List &list, u32 number, u32 count, const Sources &j,
    const Position *displacements, const Position &origin, const ActsOn &acts_on, bool skip_self)
{
    const u32 lane = threadIdx.x % LANES;
    const u32 own = (ITSELF << INDEX_BITS) + blockIdx.x * LANES;
    ::__syncwarp();
    bag.own[lane] = NOT_THERE;
    ::__syncwarp();
#pragma unroll 1
    for (u32 first = lane; first < count; first += LOADS * LANES) {
        u32 entries[LOADS];
        ParticleJ particles[LOADS];
        Position at[LOADS];
        // Beyond the end of the bag, a lane loads its first entry again.
        const auto k_of = [=](u32 m) {
            const u32 k = first + m * LANES;
            return k < count ? k : first;
        };
#pragma unroll
        for (u32 m = 0; m < LOADS; ++m) entries[m] = list[list.index(number, k_of(m))];
#pragma unroll
        for (u32 m = 0; m < LOADS; ++m) {
            const u32 place = place_of(entries[m]);
            if constexpr (HAS_MORE_J) particles[m] = j.particles[place];
            at[m] = j.at[place];
        }
#pragma unroll
        for (u32 m = 0; m < LOADS; ++m) {
            const u32 k = k_of(m), entry = entries[m], place = place_of(entry);
            if (entry - own < LANES) bag.own[entry - own] = k;
            const Position &displacement = displacements[entry >> INDEX_BITS];
            set_position<WordsJ, POSITION_J>(particles[m], at[m], displacement, origin);
            bag.slots[k].j = particles[m];
            bag.slots[k].set_index(j.order, place);
            if constexpr (SCREENS) bag.norms2[k] = norm2_of(particles[m]);
            if constexpr (RESTRICTED) {
                const u32 itself = skip_self ? entry - own : LANES;
                acts_on.set(k, list.index_of_all(list.index(number, k)), j.order[place], itself);
            }
        }
    }
    ::__syncwarp();
}

// Finds the possible hits in a bag by the screen; stores them like `filter`.
template <typename LeftOut>
__device__ __forceinline__ bool screened(
    const Screen &screen, const Bag &bag, u32 count, u32 mine, bool diagonal, Hits *hits,
    u32 (&ends)[1], const LeftOut &left_out)
{
    // Number t of the candidate in column c of each tile: a coordinate, or the squared distance.
    const u32 c = threadIdx.x % LANES / 4, t = threadIdx.x % 4;
    constexpr u32 SLOT = sizeof(Slot) / sizeof(float);
    const u32 axis = t < DIMENSIONS ? t : 0;
    const float *const slots =
        reinterpret_cast<const float *>(&bag.slots[0].j) + POSITION_J + axis * COORDINATE;
    const float *const numbers = kept(t == 3 ? bag.norms2 : slots);
    const u32 step = t == 3 ? 1 : SLOT;
    u32 at[TILES];
#pragma unroll
    for (u32 s = 0; s < TILES; ++s) at[s] = Screen::candidate(s, c) * step;
    u32 found = 0;
    ends[0] = 0;
#pragma unroll 1
    for (u32 begin = 0; begin < count; begin += WORD) {
        u32 columns[TILES];
#pragma unroll
        for (u32 s = 0; s < TILES; ++s) {
            columns[s] = ::__float_as_uint(numbers[at[s]]) & TF32;
            at[s] += WORD * step;
        }
        const u32 last = begin + WORD - 1;
        const u32 none = no_candidates(last, count, mine, diagonal) | left_out(begin);
        found += store_hits(screen.hits(columns) & ~none, last, hits, ends[0]);
    }
    return ::__all_sync(~0u, int(found <= count / 2));
}

// The hits of a lane in a bag, in order, and a sentinel.
class Remaining {
    const Hits *const hits;
    const u32 end;
    u32 at = 0;
    Hits word;

public:
    // Appends the sentinel: the first place of the bag.
    __device__ __forceinline__ Remaining(Hits *hits, u32 end) : hits(hits), end(end)
    {
        hits[end] = {1, 0};
        word = hits[0];
    }

    __device__ __forceinline__ bool any() const { return at < end; }

    // Returns the place of the next hit in the bag.
    __device__ __forceinline__ u32 next()
    {
        const u32 before_last = WORD - 1 - ::__clz(word.bits);
        const u32 k = word.last - before_last;
        word.bits ^= 1u << before_last;
        if (word.bits == 0) word = hits[at += NEXT_HITS];
        return k;
    }
};

// Adds the contribution of a pair to i, if it acts.
__device__ __forceinline__ void meet_if(
    bool acts, const Parameters &self, const Space &space, const ParticleI &i, const Slot &slot,
    Running &current)
{
    if constexpr (FDIM <= 4) {
        // A selection lets the compiler interleave pairs; a branch does not.
        Running after = current;
        meet_near(self, space, i, slot.j, slot.index(0), after);
        if (acts) current = after;
    } else {
        if (acts) meet_near(self, space, i, slot.j, slot.index(0), current);
    }
}

// Evaluates the hits of a screen like `hit_by_hit`, but two at a time.
__device__ __forceinline__ void two_by_two(
    const Parameters &self, const Space &space, const ParticleI &i, const Slot *bag,
    Hits *hits, u32 end, Running &current)
{
    Remaining remaining(hits, end);
    while (remaining.any()) {
        const Slot first = whole(bag[remaining.next()]);
        const bool is_second = remaining.any();
        const Slot second = whole(bag[remaining.next()]);
        meet_if(!is_beyond(self, space, i, first.j), self, space, i, first, current);
        const bool acts = is_second && !is_beyond(self, space, i, second.j);
        meet_if(acts, self, space, i, second, current);
    }
}

// Finds the hits in a bag, by the screen if it works.
template <typename Law>
__device__ __forceinline__ bool find_hits(
    const Law &parameters, const Space &space, const ParticleI (&i)[1], const Screen &screen,
    const Bag &bag, u32 count, u32 mine, bool diagonal, Hits *hits, u32 (&ends)[1],
    const ActsOn &acts_on)
{
    if constexpr (SCREENS) {
        if (screen.works()) {
            return screened(screen, bag, count, mine, diagonal, hits, ends, acts_on);
        }
    }
    return filter(parameters, space, i, bag.slots, count, mine, diagonal, hits, ends, acts_on);
}

// Adds the contributions of a bag to the sums of an i-particle.
template <typename Law>
__device__ __forceinline__ void sum_bag(
    const Law &parameters, const Law &self, const Space &space, const ParticleI (&i)[1],
    const Screen &screen, const Bag &bag, u32 count, bool skip_self, Hits *hits,
    const ActsOn &acts_on, Running (&current)[1])
{
    const Slot *const slots = kept(bag.slots);
    const u32 mine = bag.own[threadIdx.x % LANES];
    const bool diagonal = skip_self && !RESTRICTED;
    u32 ends[1];
    const bool few = find_hits(
        parameters, space, i, screen, bag, count, mine, diagonal, hits, ends, acts_on);
    if (few || RESTRICTED) {
        two_by_two(self, space, i[0], slots, hits, ends[0], current[0]);
    } else {
        one_by_one(self, space, i, slots, 0, {0, 1, count}, mine, BLOCK, diagonal, current);
    }
}

// Adds the sums of the other splits to the sums of the first split, in order.
__device__ __forceinline__ void merge_splits(backup (&total)[FDIM])
{
    if constexpr (SPLITS > 1) {
        constexpr u32 OTHERS = BLOCK - LANES;
        __shared__ backup others[OTHERS * FDIM == 0 ? 1 : OTHERS * FDIM];
        if (threadIdx.x >= LANES) store(total, others, threadIdx.x - LANES, OTHERS);
        __syncthreads();
        if (threadIdx.x >= LANES) return;
        for (u32 split = 1; split < SPLITS; ++split) {
            backup other[FDIM];
            load(others, (split - 1) * LANES + threadIdx.x, OTHERS, other);
            merge(other, total);
        }
    }
}

// Returns whether the result of any particle of the group is wanted.
__device__ __forceinline__ bool has_results(const u32 *i_order, u32 ni, u32 wanted)
{
    const u32 mine = blockIdx.x * LANES + threadIdx.x % LANES;
    return ::__any_sync(~0u, mine < ni && i_order[mine] < wanted);
}

// Sums over the lists of groups, one block per group. `out` is a structure of arrays, component c
// of i-particle k of the caller at [c * ni + k]; with FIRST the first `wanted` alone have results,
// at [c * wanted + k]. With `one_set`, i and j have the same order, and the pair of a particle with
// itself is evaluated only with SELF_PAIRS.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) list(
    const Parameters parameters, const Space space, const PeriodicBox box, const Lists lists,
    const u32 *not_finite, const Restriction restriction, const ParticleI *__restrict__ i_particles, const Position *__restrict__ i_at,
    const u32 *__restrict__ i_order, const u32 ni,
    const ParticleJ *__restrict__ j_particles, const Position *__restrict__ j_at,
    const u32 *__restrict__ j_order, const u32 nj, const u32 one_set, const u32 wanted,
    backup *__restrict__ out)
{
    if (FIRST && !has_results(i_order, ni, wanted)) return;
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    __shared__ Position displacements[IMAGES];
    if (threadIdx.x < IMAGES) displacements[threadIdx.x] = displacement_of(threadIdx.x, box);
    __syncthreads();
    const Parameters &self = LOOKS_UP ? *kept(&shared_self) : parameters;
    __shared__ Bag bags[SPLITS];
    __shared__ Hits shared_hits[HITS + NEXT_HITS];
    const u32 split = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    Bag &bag = bags[split];
    Hits *const hits = kept(shared_hits + threadIdx.x);

    // Lanes beyond the last i-particle compute it again and write nothing.
    const u32 first = blockIdx.x * LANES, mine = first + lane;
    const u32 index = mine < ni ? mine : ni - 1;
    const double *const at = lists.origins + size_t(3) * blockIdx.x;
    const Position origin = {{at[0], at[1], at[2]}};
    ParticleI i[1];
    if constexpr (HAS_MORE_I) i[0] = i_particles[index];
    set_position<WordsI, POSITION_I>(i[0], i_at[index], Position{}, origin);
    Running current[1] = {nothing_yet()};
    backup total[FDIM];
    reset(total);

    if (*not_finite != NOTHING) return;
    const ActsOn acts_on(restriction, i_order + first, ni - first < LANES ? ni - first : LANES);
    const Sources j = {j_particles, j_at, j_order, nj};
    const bool skip_self = one_set && !SELF_PAIRS;
    const Screen screen(parameters, space, i[0]);
    const List list(lists, blockIdx.x, nj);
    for (u32 k = 0; k < list.bags_per_split; ++k) {
        const u32 number = split * list.bags_per_split + k, count = list.count(number);
        if (count == 0) break;
        stage(bag, list, number, count, j, displacements, origin, acts_on, skip_self);
        sum_bag(
            parameters, self, space, i, screen, bag, count, skip_self, hits, acts_on, current);
        if constexpr (FOLD_EACH_BAG) {
            fold(current[0], total);
            current[0] = nothing_yet();
        }
    }
    if constexpr (!FOLD_EACH_BAG) fold(current[0], total);
    merge_splits(total);
    if (split == 0 && mine < ni && (!FIRST || i_order[mine] < wanted)) {
        store(total, out, i_order[mine], FIRST ? wanted : ni);
    }
}

// Adds the results of an evaluation to earlier results, unless the evaluation was skipped.
extern "C" __global__ void __launch_bounds__(BLOCK) add_listed(
    const u32 *not_finite, const backup *__restrict__ results, backup *__restrict__ out, const u32 n)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n || *not_finite != NOTHING) return;
    backup term[FDIM];
    backup sum[FDIM];
    load(results, k, n, term);
    load(out, k, n, sum);
    merge(term, sum);
    store(sum, out, k, n);
}

} // namespace nbody
