// The test of cells by a box of i-particles: nbody-core's `tree::walk`, operation by operation, so that exact
// mathematics opens the same cells everywhere.
namespace nbody {

using u64 = unsigned long long;

// A tree, and the i-particles of a walk in its order.
struct Walk {
    const Seen *cells;
    const u32 *next; // the cell behind each one and all that is in it
    const float *radii; // of cells with their far particles
    const ParticleJ *sources; // in order, and behind them the far particles
    const Frame *frame;
    const Position *at; // the positions of the i-particles in order
    const u32 *order; // their indices
    const double *before; // the lengths of the last results
    double *lengths; // of the new ones; null if only distances count
    const float *estimate; // the binary logarithm of |K(d)| / d^p for steps of the square of a distance
    u32 *queues; // room for the opened cells of two depths, for each warp
    Counters *counters;
    double share; // the greatest error in units of the last results
    u32 ni, nj, wanted; // i-particles, j-particles; the first i-particles whose results are wanted
    u32 room; // for the far particles of a cell
    u32 one_set; // i and j are one set
    u32 is_estimated; // cells are opened by the estimate, too
    u32 adds; // the results are added to earlier ones
    u32 counts; // the work of the walk counts
    Efforts efforts;
};

constexpr u32 LANES = 32;

// The box of i-particles in units of the frame, and the binary logarithm of their greatest error.
struct Target {
    float middle[3], half[3], slack[3], most;
};

// Several rounding errors of coordinates in units of the largest one, by which boxes grow.
constexpr float SLACK = 0x1p-21f;
// Cells of so many particles are tested by the nearest i-particle if their box is too near.
constexpr u32 MANY = 1024;

__device__ __forceinline__ float coordinate_in(const Frame &frame, const Position &at, u32 axis)
{
    return float((at.x[axis] - frame.origin[axis]) * frame.scale);
}

// Sets the bounds of a box along an axis.
__device__ __forceinline__ void set_bounds(Target &target, u32 axis, float least, float greatest)
{
    target.middle[axis] = ::__fadd_rn(0.5f * least, 0.5f * greatest);
    target.slack[axis] = SLACK * ::fmaxf(::fabsf(least), ::fabsf(greatest));
    const float half = ::__fsub_rn(0.5f * greatest, 0.5f * least);
    target.half[axis] = ::__fadd_rn(half, target.slack[axis]);
}

// Returns the greatest error for a result of this length.
__device__ __forceinline__ float most_error(const Walk &walk, double length)
{
    return float(::log2(walk.share * length));
}

// The tests of cells; in a periodic box those that have several images near a group are opened.
class Test {
    const Walk &walk;
    float length[3]; // of the box, infinite along open axes

public:
    __device__ __forceinline__ Test(const Walk &walk) : walk(walk)
    {
        const Frame &frame = *walk.frame;
        for (u32 axis = 0; PERIODIC && axis < 3; ++axis) {
            const double of_box = frame.length[axis];
            length[axis] = of_box > 0.0 ? float(of_box * frame.scale) : infinity32();
        }
    }

    static __device__ __forceinline__ float infinity32() { return ::__uint_as_float(0x7f800000u); }

    // Returns the square of the distance of a cell from a box; of one that is not clear of images, 0.
    __device__ __forceinline__ float distance2(
        const float (&centre)[3], u32 k, const float (&middle)[3], const float (&half)[3]) const
    {
        float distance2 = 0.0f;
        bool is_clear = true;
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            float apart = ::__fsub_rn(centre[axis], middle[axis]);
            if constexpr (PERIODIC) {
                const float of_box = length[axis];
                if (of_box < infinity32()) {
                    const float images = ::rintf(::__fdiv_rn(apart, of_box));
                    apart = ::__fsub_rn(apart, ::__fmul_rn(of_box, images));
                }
                const float reach = ::__fadd_rn(::fabsf(apart), half[axis]);
                is_clear &= ::__fadd_rn(reach, walk.radii[k]) < ::__fmul_rn(0.5f, of_box);
            }
            const float outside = ::fmaxf(::__fsub_rn(::fabsf(apart), half[axis]), 0.0f);
            distance2 = ::__fadd_rn(distance2, ::__fmul_rn(outside, outside));
        }
        return is_clear ? distance2 : 0.0f;
    }

    // Returns whether a cell may act from afar at this distance, on results with this greatest error.
    __device__ __forceinline__ bool is_far(const Seen &cell, float distance2, float most) const
    {
        constexpr u32 STEP_BITS = 20; // below the steps of the estimate
        const bool is_beyond = cell.limit2 < distance2;
        if (!walk.is_estimated) return is_beyond;
        const u32 step = ::__float_as_uint(distance2) >> STEP_BITS;
        return is_beyond & (::__fadd_rn(cell.strength, walk.estimate[step]) <= most);
    }
};

// The particles or far particles through which a cell acts.
struct Acting {
    u32 first, count;
};

// The own particles of a group, none if i and j are two sets.
struct Own {
    u32 begin, end;

    __device__ __forceinline__ bool overlaps(const Seen &cell) const
    {
        return (cell.first < end) & (begin < cell.first + cell.count());
    }

    // Returns the particles of a cell but for these, which `pass` passes over.
    __device__ __forceinline__ Acting particles_of(const Seen &cell) const
    {
        const u32 count = cell.count(), last = cell.first + count;
        if (!overlaps(cell)) return {cell.first, count};
        const u32 before = cell.first < begin ? begin - cell.first : 0;
        const u32 after = end < last ? last - end : 0;
        return {before > 0 ? cell.first : end, before + after};
    }

    // Returns the place of entry k of a range of particles from this one on.
    __device__ __forceinline__ u32 pass(u32 first, u32 k) const
    {
        const u32 place = first + k;
        return first < begin && place >= begin ? place + (end - begin) : place;
    }
};

// Returns the far particles of a cell, or its particles if these are no more.
__device__ __forceinline__ Acting far_particles_of(const Walk &walk, const Seen &cell, u32 k)
{
    const u32 count = cell.far_count();
    const bool has_some = count > 0;
    return {has_some ? walk.nj + k * walk.room : cell.first, has_some ? count : cell.count()};
}

// Returns the length of the first field of a result.
__device__ __forceinline__ double length_of(const backup (&result)[FDIM])
{
    double sum = 0.0;
#pragma unroll
    for (int c = 0; c < FIRST_FIELD; ++c) sum += double(result[c]) * double(result[c]);
    return ::sqrt(sum);
}

// Stores the result of an i-particle, or adds it to an earlier one.
__device__ __forceinline__ void store_result(
    const Walk &walk, backup (&total)[FDIM], backup *out, u32 index)
{
    if (walk.lengths) walk.lengths[index] = length_of(total);
    if (walk.adds) {
        backup sum[FDIM];
        load(out, index, walk.wanted, sum);
        merge(total, sum);
        store(sum, out, index, walk.wanted);
    } else {
        store(total, out, index, walk.wanted);
    }
}

__device__ __forceinline__ void count_work(const Walk &walk, const Work &work)
{
    if (!walk.counts) return;
    ::atomicAdd(&walk.counters->work.tested, work.tested);
    ::atomicAdd(&walk.counters->work.evaluations, work.evaluations);
    ::atomicAdd(&walk.counters->work.walks, work.walks);
}

} // namespace nbody
