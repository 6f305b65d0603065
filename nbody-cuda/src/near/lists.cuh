// Lists of the j-particles that may be within reach of some i-particle of a group. nbody-core's
// `near::list` defines them: this builds the same, one after another wherever there is room.
namespace nbody {

constexpr u32 INDEX_BITS = 27; // of an entry, for the place of a j-particle; above it is its image
constexpr u32 IMAGES = 27;
constexpr u32 LEVELS = 6; // of a tree over 2^27 particles
constexpr u32 PARTS = 96; // of a list that a warp keeps
constexpr u32 NO_ROOM = ~0u; // the length of a list that there is no room for

// The lists of groups of i-particles, and the origin that positions of their pairs are relative to.
struct Lists {
    u64 *begins;
    u32 *counts;
    double *origins;
    u32 *entries;
    u64 capacity; // entries
    u64 *used; // entries
    Reach reach;
};

// Accepted j-particles of a leaf: the entry of the first one, and a bit for each.
struct Part {
    u32 first, accepted;
};

// A group of i-particles.
struct Group {
    Box box;
    double centre[3];
    float half[3]; // the greatest distance from the centre along each axis
};

// What a warp shares while it searches, to save registers.
struct SearchShared {
    Group group;
    double displacement[3]; // of the image
    u32 pending[LEVELS]; // the nodes left to visit, a bit each
    u32 first[LEVELS]; // of these nodes
    Part parts[PARTS];
};

// The position of an i-particle relative to the centre of its group.
struct Relative {
    float x[3];
};

__device__ __forceinline__ float from_lane(float x, u32 lane) { return ::__shfl_sync(~0u, x, int(lane)); }

__device__ __forceinline__ float greatest_of_warp(float x)
{
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        x = ::fmaxf(x, from_lane(x, (threadIdx.x ^ half) % LANES));
    }
    return x;
}

// Finds a group. Returns the particle of this lane, infinitely far away if there is none.
__device__ __forceinline__ Relative find_group(const Order &i, u32 index, Group &group)
{
    const u32 place = index * GROUP + threadIdx.x % LANES;
    const bool is_there = place < i.from.n;
    const Box box = i.boxes[index];
    Relative relative;
    for (u32 axis = 0; axis < 3; ++axis) {
        const double centre = box.least[axis] * 0.5 + box.greatest[axis] * 0.5;
        const double x = is_there ? i.positions[size_t(axis) * i.from.n + place] : 0.0;
        const float at = float(x - centre);
        const float half = greatest_of_warp(is_there ? ::fabsf(at) : 0.0f);
        relative.x[axis] = is_there ? at : ::__uint_as_float(0x7f800000u);
        if (threadIdx.x % LANES == 0) {
            group.centre[axis] = centre;
            group.half[axis] = half;
        }
    }
    if (threadIdx.x % LANES == 0) group.box = box;
    ::__syncwarp();
    return relative;
}

__device__ __forceinline__ double distance2(
    const Box &one, const Box &other, const double (&displacement)[3])
{
    double gap[3];
    for (u32 axis = 0; axis < 3; ++axis) {
        const double d = displacement[axis];
        const double below = one.least[axis] - (other.greatest[axis] + d);
        const double above = (other.least[axis] + d) - one.greatest[axis];
        gap[axis] = ::fmax(::fmax(below, above), 0.0);
    }
    return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
}

// Returns which j-particles of a leaf are near some i-particle of the group.
__device__ __forceinline__ u32 near_in_leaf(
    const SearchShared &shared, const Relative &i, const Order &j, u32 leaf, float most)
{
    const Group &group = shared.group;
    const u32 place = leaf * GROUP + threadIdx.x % LANES;
    const bool is_there = place < j.from.n;
    float at[3];
    float gap[3];
    for (u32 axis = 0; axis < 3; ++axis) {
        const double x = is_there ? j.positions[size_t(axis) * j.from.n + place] : 0.0;
        at[axis] = float((x + shared.displacement[axis]) - group.centre[axis]);
        gap[axis] = ::fmaxf(::fabsf(at[axis]) - group.half[axis], 0.0f);
    }
    const bool near_box = !(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2] > most);
    u32 candidates = ::__ballot_sync(~0u, int(is_there && near_box));
    u32 accepted = 0;
    while (candidates != 0) {
        const u32 lane = ::__ffs(int(candidates)) - 1;
        candidates &= candidates - 1;
        const float x = i.x[0] - from_lane(at[0], lane);
        const float y = i.x[1] - from_lane(at[1], lane);
        const float z = i.x[2] - from_lane(at[2], lane);
        const bool near = !(x * x + y * y + z * z > most);
        if (::__any_sync(~0u, int(near))) accepted |= 1u << lane;
    }
    return accepted;
}

// Calls `visit` with each part of the list of a group, in order.
template <typename Visit>
__device__ __forceinline__ void search(
    const Relative &i, const Order &j, GroupReach reach, SearchShared &shared, const Visit &visit)
{
    const u32 lane = threadIdx.x % LANES, n = j.from.n;
    u32 top = 0;
    while (level_of(n, top).count > GROUP) ++top;
    for (u32 image = 0; image < IMAGES; ++image) {
        const int shift[] = {int(image % 3) - 1, int(image / 3 % 3) - 1, int(image / 9) - 1};
        bool exists = true;
        ::__syncwarp();
        for (u32 axis = 0; axis < 3; ++axis) {
            const double length = j.frame.length[axis];
            exists &= shift[axis] == 0 || length > 0.0;
            if (lane == 0) shared.displacement[axis] = shift[axis] * length;
        }
        ::__syncwarp();
        if (!exists) continue;
        // Returns which of the nodes from `first` on are within reach.
        const auto within_reach = [&](u32 level, u32 first) {
            const Level nodes = level_of(n, level);
            const u32 node = first + lane;
            const bool near = node < nodes.count
                && distance2(shared.group.box, j.boxes[nodes.first + node], shared.displacement)
                    <= reach.of_node(nodes.first + node);
            return ::__ballot_sync(~0u, int(near));
        };
        u32 level = top, first = 0, pending = within_reach(top, 0);
        while (true) {
            if (pending == 0) {
                if (level == top) break;
                ++level;
                ::__syncwarp();
                pending = shared.pending[level];
                first = shared.first[level];
                continue;
            }
            const u32 next = ::__ffs(int(pending)) - 1, node = first + next;
            pending &= pending - 1;
            if (level == 0) {
                const u32 accepted = near_in_leaf(shared, i, j, node, reach.of_leaf(next));
                if (accepted != 0) visit(Part{node * GROUP | image << INDEX_BITS, accepted});
                continue;
            }
            ::__syncwarp();
            if (lane == 0) {
                shared.pending[level] = pending;
                shared.first[level] = first;
            }
            --level;
            first = node * GROUP;
            pending = within_reach(level, first);
        }
    }
}

// Writes the entries of a part.
__device__ __forceinline__ void write_part(Part part, u32 *to)
{
    const u32 lane = threadIdx.x % LANES;
    const u32 before = ::__popc(part.accepted & ((1u << lane) - 1));
    if (part.accepted >> lane & 1) to[before] = part.first + lane;
}

// Takes room for the list of a group, which may be beyond what there is. Returns where it begins.
__device__ __forceinline__ u64 take_room(const Lists &lists, u32 count)
{
    u32 low = 0, high = 0;
    if (threadIdx.x % LANES == 0) {
        const u64 begin = ::atomicAdd(lists.used, u64(count));
        low = u32(begin);
        high = u32(begin >> 32);
    }
    return u64(value_of(0, high)) << 32 | value_of(0, low);
}

// Writes where a list is, and the origin of its pairs.
__device__ __forceinline__ void set_list(
    const Order &i, const Lists &lists, const Group &group, u32 index, u64 begin, u32 count)
{
    lists.begins[index] = begin;
    lists.counts[index] = count;
    for (u32 axis = 0; axis < 3; ++axis) {
        // Far from the middle of a wide group its coordinates would lose digits.
        const double width = group.box.greatest[axis] - group.box.least[axis];
        const bool is_wide = width > 8.0 * greatest(lists.reach) && i.frame.length[axis] == 0.0;
        lists.origins[size_t(3) * index + axis] = is_wide ? 0.0 : group.centre[axis];
    }
}

// Builds the list of a group. Its length is known after a search, and so are the parts of most lists;
// those of a longer one are written in a second search.
__device__ __forceinline__ void list_group(
    const Order &i, const Order &j, const Lists &lists, u32 index, SearchShared &shared)
{
    const u32 lane = threadIdx.x % LANES;
    ::__syncwarp();
    const Relative relative = find_group(i, index, shared.group);
    u32 *to = nullptr;
    u32 count = 0, parts = 0;
    while (true) {
        const GroupReach reach(lists.reach, index, j.frame.length, shared.group.half);
        search(relative, j, reach, shared, [&](Part part) {
            if (to != nullptr) {
                write_part(part, to);
                to += ::__popc(part.accepted);
                return;
            }
            if (lane == 0 && parts < PARTS) shared.parts[parts] = part;
            ++parts;
            count += ::__popc(part.accepted);
        });
        if (to != nullptr) return;
        const u64 begin = take_room(lists, count);
        const bool fits = begin + count <= lists.capacity;
        if (lane == 0) set_list(i, lists, shared.group, index, begin, fits ? count : NO_ROOM);
        if (!fits) return;
        to = lists.entries + begin;
        if (parts <= PARTS) break;
    }
    ::__syncwarp();
    for (u32 k = 0; k < parts; ++k) {
        const Part part = shared.parts[k];
        write_part(part, to);
        to += ::__popc(part.accepted);
    }
}

// Builds all lists, a warp for each group.
__device__ __forceinline__ void build_lists(
    const Order &i, const Order &j, const Lists &lists, SearchShared (&shared)[WARPS])
{
    const u32 groups = (i.from.n + GROUP - 1) / GROUP;
    const u32 warp = threadIdx.x / LANES;
    for (u32 group = blockIdx.x * WARPS + warp; group < groups; group += gridDim.x * WARPS) {
        list_group(i, j, lists, group, shared[warp]);
    }
}

} // namespace nbody
