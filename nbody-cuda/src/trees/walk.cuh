// The test of cells against a box of i-particles. It repeats nbody-core's `tree::walk` operation
// by operation, so that exact mathematics opens the same cells everywhere.
namespace nbody {

__device__ __forceinline__ u32 count_of(const Seen &cell) { return cell.counts % (1u << COUNT_BITS); }

__device__ __forceinline__ u32 far_count_of(const Seen &cell) { return cell.counts >> COUNT_BITS; }

// The box of i-particles in units of the frame, and the binary logarithm of their greatest allowed
// error.
struct Target {
    float middle[3], half[3], slack[3], most;
};

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

// Returns the binary logarithm of the greatest error of a result of this length.
__device__ __forceinline__ float most_error(const WalkedTree &walk, double length)
{
    return float(::log2(walk.share * length));
}

// The tests of cells. In a periodic box, cells with several images near a group are opened.
class Test {
    const WalkedTree &walk;
    float length[3]; // of the box, infinite along open axes

public:
    __device__ __forceinline__ Test(const WalkedTree &walk) : walk(walk)
    {
        const Frame &frame = *walk.frame;
        for (u32 axis = 0; PERIODIC && axis < 3; ++axis) {
            const double of_box = frame.length[axis];
            length[axis] = of_box > 0.0 ? float(of_box * frame.scale) : infinity32();
        }
    }

    static __device__ __forceinline__ float infinity32() { return ::__uint_as_float(0x7f800000u); }

    // Returns the squared distance of a cell from a box; 0 for a cell with several images near the
    // box.
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

    // Returns whether a cell may act from afar at this distance, on results with this greatest
    // error.
    __device__ __forceinline__ bool is_far(const Seen &cell, float distance2, float most) const
    {
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

// The particles of the group itself; none if i and j are two sets.
struct Own {
    u32 begin, end;

    __device__ __forceinline__ bool overlaps(const Seen &cell) const
    {
        return (cell.first < end) & (begin < cell.first + count_of(cell));
    }

    // Returns the particles of a cell without the group's own particles, which `pass` skips.
    __device__ __forceinline__ Acting particles_of(const Seen &cell) const
    {
        const u32 count = count_of(cell), last = cell.first + count;
        if (!overlaps(cell)) return {cell.first, count};
        const u32 before = cell.first < begin ? begin - cell.first : 0;
        const u32 after = end < last ? last - end : 0;
        return {before > 0 ? cell.first : end, before + after};
    }

    // Returns the place of entry k of a range that begins at particle `first`, without the group's
    // own particles.
    __device__ __forceinline__ u32 pass(u32 first, u32 k) const
    {
        const u32 place = first + k;
        return first < begin && place >= begin ? place + (end - begin) : place;
    }
};

// Returns the far particles of a cell; its particles if it has no far particles.
__device__ __forceinline__ Acting far_particles_of(const WalkedTree &walk, const Seen &cell, u32 k)
{
    const u32 count = far_count_of(cell);
    const bool has_some = count > 0;
    return {has_some ? walk.nj + k * walk.room : cell.first, has_some ? count : count_of(cell)};
}

// Stores the result of an i-particle; also in its row, if ranks share out the walks. Results that are
// to be added are then added once all ranks have succeeded.
__device__ __forceinline__ void store_walked(
    const WalkedTree &walk, backup (&total)[FDIM], backup *out, u32 place, u32 index)
{
    if (walk.rows) {
        backup *const row = row_of(walk.dealt, place, walk.rows);
#pragma unroll
        for (int c = 0; c < FDIM; ++c) row[c] = total[c];
        if (walk.stored.adds) return;
    }
    store_result(walk.stored, total, out, index);
}

__device__ __forceinline__ void count_work(const WalkedTree &walk, const Work &work)
{
    if (!walk.counts) return;
    ::atomicAdd(&walk.counters->work.tested, work.tested);
    ::atomicAdd(&walk.counters->work.evaluations, work.evaluations);
    ::atomicAdd(&walk.counters->work.walks, work.walks);
}

} // namespace nbody
