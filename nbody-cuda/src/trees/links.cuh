// Walks of particles: a thread for each i-particle follows links from cell to cell, from an opened
// cell to its first child, and from any other cell to the next cell after its descendants
// (Nakasato 2012, J. Comput. Sci. 3, 132). It evaluates particles and far particles as it meets
// them.
namespace nbody {

// The sums of an i-particle.
struct Sums {
    Running current[1];
    backup total[FDIM];
    u32 since = 0; // pairs since the last fold

    __device__ __forceinline__ Sums()
    {
        current[0] = nothing_yet();
        reset(total);
    }

    __device__ __forceinline__ void fold_now()
    {
        fold(current[0], total);
        current[0] = nothing_yet();
        since = 0;
    }
};

// Returns the target of an i-particle at this position: a box without extent.
__device__ __forceinline__ Target target_of_particle(const WalkedTree &walk, const Position &at, u32 index)
{
    Target target;
    for (u32 axis = 0; axis < 3; ++axis) {
        const float x = coordinate_in(*walk.frame, at, axis);
        set_bounds(target, axis, x, x);
    }
    target.most = walk.is_estimated ? most_error(walk, walk.before[index]) : 0.0f;
    return target;
}

// Evaluates the walks of all i-particles.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) walk_links(
    const Parameters parameters, const Space space, const WalkedTree walk,
    const ParticleI *__restrict__ i_particles, backup *__restrict__ out)
{
    __shared__ Parameters shared_self; // for entries whose index differs between threads
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    __syncthreads();
    const Parameters &self = LOOKS_UP ? shared_self : parameters;
    const u32 place = blockIdx.x * BLOCK + threadIdx.x;
    if (place >= walk.ni || !is_mine(walk.dealt, place)) return;
    const u32 index = walk.order[place];
    if (index >= walk.stored.wanted) return;
    const ParticleI i = i_particles[index];
    const Target target = target_of_particle(walk, walk.at[place], index);
    const Own own = walk.one_set ? Own{place, place + 1} : Own{0, 0};
    const Test test(walk);
    Sums sums;
    u64 tested = 0, evaluations = 0;
    const auto meet_source = [&](u32 k) {
        meet(self, space, i, walk.sources[k], k, sums.current[0]);
        ++evaluations;
        if (FOLD_EACH_BAG && ++sums.since == FOLDED) sums.fold_now();
    };
    if (walk.one_set && SELF_PAIRS) meet_source(place);
    u32 k = 0;
    do {
        const Seen cell = walk.cells[k];
        const float distance2 = test.distance2(cell.centre, k, target.middle, target.half);
        const bool is_far = test.is_far(cell, distance2, target.most) && !own.overlaps(cell);
        ++tested;
        if (!is_far && cell.children != NO_CHILD) {
            k = cell.children / FAN;
            continue;
        }
        const Acting acting = is_far ? far_particles_of(walk, cell, k) : own.particles_of(cell);
        for (u32 m = 0; m < acting.count; ++m) meet_source(own.pass(acting.first, m));
        k = walk.next[k];
    } while (k != 0);
    sums.fold_now();
    store_walked(walk, sums.total, out, place, index);
    count_work(walk, {tested, evaluations, 0});
}

} // namespace nbody
