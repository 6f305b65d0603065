// Neighbour lists: a warp for each group of 32 i-particles stages the j-particles of its list in bags,
// with positions relative to the origin of the group, and leaves them to the FORCE-LOOP.
namespace nbody {

static_assert(BLOCK == 32 && I_PER_THREAD == 1, "a group is a warp");

using u64 = unsigned long long;

// A position in the order of lists, or the origin of a group.
struct Position {
    double x[3];
};

// The lengths of the periodic box, which are zero along open axes.
struct Box {
    double length[3];
};

// The lists of groups. An entry is the place of a j-particle in the order, and above it its image.
// Positions of pairs are relative to the origin of the group. A list that there was no room for has
// every j-particle, in each image.
struct Lists {
    const u64 *begins;
    const u32 *counts;
    const u32 *entries;
    const Position *origins;
    const u32 *not_finite; // the first particle whose position is not finite, if any
};

constexpr u32 NO_ROOM = ~0u; // the length of such a list
constexpr u32 ALL_FINITE = ~0u;
constexpr u32 IMAGES = 27;

constexpr u32 INDEX_BITS = 27; // of an entry, for the place
constexpr u32 ITSELF = 13; // the image that is not displaced

// The order of lists: the indices of the caller, and the positions when the lists were built, all x
// first.
struct Placed {
    const u32 *order;
    const double *before;
    u32 n;
};

// Returns a coordinate from its words.
__device__ __forceinline__ double coordinate_of(const real *words)
{
    if constexpr (COORDINATE == 2) return double(words[0]) + double(words[1]);
    else return words[0];
}

// Rounds a coordinate to its words.
__device__ __forceinline__ void set_coordinate(real *words, double x)
{
    words[0] = real(x);
    if constexpr (COORDINATE == 2) {
        words[1] = abs(words[0]) < infinity() ? real(x - double(words[0])) : real(0);
    }
}

// Copies the particles of a buffer to the order of their lists. Their positions continue those when
// the lists were built: a particle that has left the periodic box is beyond it.
template <typename Words, typename Particle>
__device__ __forceinline__ void copy(
    const real *__restrict__ rows, const Placed &placed, const Box &box, Particle *to, Position *at)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= placed.n) return;
    const real *const row = rows + size_t(placed.order[k]) * Words::ROW;
    Position now = {};
#pragma unroll
    for (int axis = 0; axis < DIMENSIONS; ++axis) {
        const double length = box.length[axis];
        const double before = placed.before[size_t(axis) * placed.n + k];
        const double x = coordinate_of(row + Words::coordinate(axis));
        double moved = x - before;
        if (length > 0.0) {
            moved = ::__dsub_rn(moved, ::__dmul_rn(length, ::rint(moved / length)));
            // The position before was wrapped into the box, and rounded.
            if (::fabs(moved) <= 0x1p-50 * (::fabs(x) + length)) moved = 0.0;
        }
        now.x[axis] = before + moved;
    }
    at[k] = now;
    Particle particle;
    real *const words = reinterpret_cast<real *>(&particle);
#pragma unroll
    for (int w = 0; w < Words::COUNT; ++w) words[w] = row[Words::word(w)];
    to[k] = particle;
}

extern "C" __global__ void __launch_bounds__(BLOCK) copy_i(
    const real *__restrict__ rows, const Placed placed, const Box box, ParticleI *to, Position *at)
{
    copy<WordsI>(rows, placed, box, to, at);
}

extern "C" __global__ void __launch_bounds__(BLOCK) copy_j(
    const real *__restrict__ rows, const Placed placed, const Box box, ParticleJ *to, Position *at)
{
    copy<WordsJ>(rows, placed, box, to, at);
}

// Returns whether a box has an image: there is none along open axes but the particle itself.
__device__ __forceinline__ bool exists(u32 image, const Box &box)
{
    return (image % 3 == 1 || box.length[0] > 0.0) && (image / 3 % 3 == 1 || box.length[1] > 0.0)
        && (image / 9 == 1 || (DIMENSIONS == 3 && box.length[2] > 0.0));
}

// Moves a particle to its position relative to an origin.
template <int POSITION, typename Particle>
__device__ __forceinline__ void set_position(
    Particle &particle, const Position &at, const double (&displacement)[3], const Position &origin)
{
    real *const words = reinterpret_cast<real *>(&particle) + POSITION;
#pragma unroll
    for (int axis = 0; axis < DIMENSIONS; ++axis) {
        const double x = (at.x[axis] + displacement[axis]) - origin.x[axis];
        set_coordinate(words + axis * COORDINATE, x);
    }
}

// Stages `count` entries of a list in the bag, from `first` on; without a list, entries are consecutive.
// Returns where in this part the particles of the own group begin, or
// `otherwise` if they do not.
__device__ __forceinline__ u32 stage(
    Slot *bag, const ParticleJ *__restrict__ particles, const Position *__restrict__ at,
    const u32 *__restrict__ order, const u32 *__restrict__ entries, u64 zeroth, u32 first, u32 count,
    const Box &box, const Position &origin, const ActsOn &acts_on, bool skip_self, u32 otherwise)
{
    const u32 own = (ITSELF << INDEX_BITS) + blockIdx.x * BLOCK;
    u32 found = ~0u;
    ::__syncwarp();
    for (u32 k = threadIdx.x; k < count; k += BLOCK) {
        const u32 entry = entries ? entries[zeroth + first + k] : first + k;
        const u32 place = entry & ((1u << INDEX_BITS) - 1);
        const u32 image = entry >> INDEX_BITS;
        if (entry == own) found = k;
        ParticleJ j = particles[place];
        const double displacement[] = {
            (int(image % 3) - 1) * box.length[0], (int(image / 3 % 3) - 1) * box.length[1],
            (int(image / 9) - 1) * box.length[2]};
        set_position<POSITION_J>(j, at[place], displacement, origin);
        bag[k].j = j;
        bag[k].set_index(order, place);
        if constexpr (RESTRICTED) {
            acts_on.set(k, zeroth + first + k, order[place], skip_self ? entry - own : BLOCK);
        }
    }
    ::__syncwarp();
    const u32 finder = ::__ballot_sync(~0u, found != ~0u);
    if (finder == 0) return otherwise;
    return ::__shfl_sync(~0u, found, ::__ffs(finder) - 1);
}

// Sums over the lists of groups, with a block for each. `out` is a structure of arrays, component c of
// i-particle k of the caller at [c * ni + k]. With `one_set`, i and j are in one order, and the pair of a
// particle with itself is evaluated only with SELF_PAIRS.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) list(
    const Parameters parameters, const Space space, const Box box, const Lists lists,
    const Restriction restriction, const ParticleI *__restrict__ i_particles, const Position *__restrict__ i_at,
    const u32 *__restrict__ i_order, const u32 ni,
    const ParticleJ *__restrict__ j_particles, const Position *__restrict__ j_at,
    const u32 *__restrict__ j_order, const u32 nj, const u32 one_set, backup *__restrict__ out)
{
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    __shared__ Slot bag[WORDS * WORD];
    __shared__ Hits shared_hits[HITS];
    Hits *const hits = kept(shared_hits + threadIdx.x);
    const Slot *const kept_bag = kept(bag);
    const Parameters &kept_self = LOOKS_UP ? *kept(&shared_self) : self;

    // Lanes beyond the last i-particle compute it again and write nothing.
    const u32 mine = blockIdx.x * BLOCK + threadIdx.x;
    const u32 index = mine < ni ? mine : ni - 1;
    const Position origin = lists.origins[blockIdx.x];
    ParticleI i[1] = {i_particles[index]};
    set_position<POSITION_I>(i[0], i_at[index], {0.0, 0.0, 0.0}, origin);
    Running current[1] = {nothing_yet()};
    backup total[FDIM];
    reset(total);

    if (*lists.not_finite != ALL_FINITE) return;
    const u32 listed = lists.counts[blockIdx.x];
    const bool has_list = listed != NO_ROOM;
    const u32 *const entries = has_list ? lists.entries : nullptr;
    const u64 zeroth = has_list ? lists.begins[blockIdx.x] : 0;
    const u32 first_of_group = blockIdx.x * BLOCK;
    const ActsOn acts_on(
        restriction, i_order + first_of_group,
        ni - first_of_group < BLOCK ? ni - first_of_group : BLOCK);
    const bool skip_self = one_set && !SELF_PAIRS;
    u32 own = ~0u - BLOCK; // where in the bag the own group begins, modulo 2^32
    for (u32 image = has_list ? ITSELF : 0; image < (has_list ? ITSELF + 1 : IMAGES); ++image) {
        if (!exists(image, box)) continue;
        const u32 begin = has_list ? 0 : image << INDEX_BITS;
        const u32 end = has_list ? listed : begin + nj;
        for (u32 first = begin; first < end; first += BAG) {
            const u32 count = end - first < u32(BAG) ? end - first : u32(BAG);
            own = stage(
                bag, j_particles, j_at, j_order, entries, zeroth, first, count, box, origin, acts_on,
                skip_self, own);
            const bool has_own = own + (BLOCK - 1) < count + (BLOCK - 1); // modulo 2^32
            const bool diagonal = skip_self && has_own && !RESTRICTED;
            u32 ends[1];
            if (filter(
                    parameters, space, i, bag, count, own + threadIdx.x, diagonal, hits, ends,
                    acts_on)
                || RESTRICTED) {
                hit_by_hit(kept_self, space, i, kept_bag, first, hits, ends, current);
            } else {
                one_by_one(
                    self, space, i, bag, first, {0, 1, count}, own + threadIdx.x, BLOCK, diagonal,
                    current);
            }
            if constexpr (FOLD_EACH_BAG) {
                fold(current[0], total);
                current[0] = nothing_yet();
            }
            own = has_own ? own - count : ~0u - BLOCK;
        }
    }
    if constexpr (!FOLD_EACH_BAG) fold(current[0], total);
    if (mine < ni) store(total, out, i_order[mine], ni);
}

// Adds the results of an evaluation to earlier ones, unless it was left out.
extern "C" __global__ void __launch_bounds__(BLOCK) add_listed(
    const Lists lists, const backup *__restrict__ results, backup *__restrict__ out, const u32 n)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n || *lists.not_finite != ALL_FINITE) return;
    backup term[FDIM];
    backup sum[FDIM];
    load(results, k, n, term);
    load(out, k, n, sum);
    merge(term, sum);
    store(sum, out, k, n);
}

} // namespace nbody
