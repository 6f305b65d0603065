// Lists of the j-particles that may be within reach of some i-particle of a group. nbody-core's
// `near::list` defines them: this builds the same, one after another wherever there is room.
namespace nbody {

constexpr u32 INDEX_BITS = 27; // of an entry, for the place of a j-particle; above it is its image
constexpr u32 IMAGES = 27;
constexpr u32 LEVELS = 6; // of a tree over 2^27 particles, and one of images above it
constexpr u32 NODES = WARPS * LANES; // of a level that a block keeps: the children of a node for each warp
constexpr u32 PARTS = BLOCK; // of a list that a block keeps
constexpr u32 UNROLL = 4; // candidates that are tested at a time
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

// A position relative to the centre of a group.
struct alignas(16) Relative {
    float x[3];
};

// The nodes of a level that are left to visit.
struct Pending {
    u32 next, end;
};

// What a block shares while it searches for the j-particles of a group. A node has its image above its
// index in its level, like an entry.
struct SearchShared {
    double displacements[IMAGES][3];
    Level levels[LEVELS]; // of the tree
    u32 top; // level of the tree
    Box whole; // the box of all j-particles
    Group group;
    u32 images; // within reach
    u32 nodes[LEVELS][NODES];
    Pending pending[LEVELS];
    u32 counts[WARPS]; // of nodes that each warp has found
    float limits[NODES]; // the greatest squares of distances from the particles of leaves
    Part parts[PARTS];
    u32 begins[PARTS]; // of the entries of parts
    Relative candidates[WARPS][LANES + UNROLL];
    u64 begin; // of the list
};

__device__ __forceinline__ u32 index_of(u32 node) { return node & ((1u << INDEX_BITS) - 1); }

// Returns whether a box has an image: there is none along open axes but the particle itself.
__device__ __forceinline__ bool exists(u32 image, const double (&length)[3])
{
    return (image % 3 == 1 || length[0] > 0.0) && (image / 3 % 3 == 1 || length[1] > 0.0)
        && (image / 9 == 1 || length[2] > 0.0);
}

__device__ __forceinline__ float greatest_of_warp(float x)
{
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        x = ::fmaxf(x, ::__shfl_sync(~0u, x, int((threadIdx.x ^ half) % LANES)));
    }
    return x;
}

__device__ __forceinline__ u32 union_of_warp(u32 bits)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return ::__reduce_or_sync(~0u, bits);
#else
    for (u32 half = LANES / 2; half > 0; half /= 2) bits |= value_of(threadIdx.x ^ half, bits);
    return bits;
#endif
}

__device__ __forceinline__ Relative no_particle()
{
    const float infinite = ::__uint_as_float(0x7f800000u);
    return {{infinite, infinite, infinite}};
}

// Finds a group. Returns the particle of this lane, infinitely far away if there is none.
__device__ __forceinline__ Relative find_group(const Order &i, u32 index, Group &group)
{
    const u32 place = index * GROUP + threadIdx.x % LANES;
    const bool is_there = place < i.from.n;
    const Box box = i.boxes[index];
    Relative relative = no_particle();
    __syncthreads();
    for (u32 axis = 0; axis < 3; ++axis) {
        const double centre = box.least[axis] * 0.5 + box.greatest[axis] * 0.5;
        const double x = is_there ? i.positions[size_t(axis) * i.from.n + place] : 0.0;
        const float at = float(x - centre);
        const float half = greatest_of_warp(is_there ? ::fabsf(at) : 0.0f);
        if (is_there) relative.x[axis] = at;
        if (threadIdx.x == 0) {
            group.centre[axis] = centre;
            group.half[axis] = half;
        }
    }
    if (threadIdx.x == 0) group.box = box;
    __syncthreads();
    return relative;
}

// Returns the square of the distance of a box from another one that is displaced.
__device__ __forceinline__ double distance2(
    const Box &one, const Box &other, const double (&displacement)[3])
{
    double gap[3];
    for (u32 axis = 0; axis < 3; ++axis) {
        const double d = displacement[axis];
        const double below = one.least[axis] - (other.greatest[axis] + d);
        const double above = (other.least[axis] + d) - one.greatest[axis];
        gap[axis] = below > 0.0 ? below : above > 0.0 ? above : 0.0;
    }
    return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
}

// The search of a block for the j-particles of a group.
class Search {
    const Order &j;
    SearchShared &shared;
    const Relative i; // of this lane
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;

    // Returns the lanes before this one among some.
    __device__ __forceinline__ u32 rank_among(u32 lanes) const
    {
        return ::__popc(lanes & ((1u << lane) - 1));
    }

    // Finds the children within reach of up to WARPS nodes, in order. Returns how many there are.
    __device__ __forceinline__ u32 find_children(
        GroupReach &reach, u32 level, bool of_images, const u32 *parents, u32 count)
    {
        const Level nodes = shared.levels[level];
        const u32 parent = warp < count ? parents[warp] : 0, image = parent >> INDEX_BITS;
        const u32 child = (of_images ? 0 : index_of(parent) * GROUP) + lane;
        bool is_near = false;
        float leaf_limit = 0.0f;
        if (warp < count && child < nodes.count) {
            const double limit = reach.of_node(nodes.first + child);
            const Box &box = j.boxes[nodes.first + child];
            is_near = distance2(shared.group.box, box, shared.displacements[image]) <= limit;
            if (level == 0) leaf_limit = reach.of_leaf();
        }
        const u32 found = ::__ballot_sync(~0u, int(is_near));
        if (lane == 0) shared.counts[warp] = ::__popc(found);
        __syncthreads();
        u32 before = 0, all = 0;
        for (u32 w = 0; w < WARPS; ++w) {
            if (w < warp) before += shared.counts[w];
            all += shared.counts[w];
        }
        if (is_near) {
            const u32 place = before + rank_among(found);
            shared.nodes[level][place] = child | image << INDEX_BITS;
            if (level == 0) shared.limits[place] = leaf_limit;
        }
        __syncthreads();
        return all;
    }

    // Returns the position of the j-particle of this lane in a leaf, if it is there.
    __device__ __forceinline__ Position position_in(u32 leaf) const
    {
        const u32 n = j.from.n, place = index_of(leaf) * GROUP + lane;
        Position position;
        for (u32 axis = 0; axis < 3; ++axis) {
            position.x[axis] = place < n ? j.positions[size_t(axis) * n + place] : 0.0;
        }
        return position;
    }

    // Returns which j-particles of a leaf, at these positions, are near some i-particle of the group.
    __device__ __forceinline__ u32 near_in_leaf(u32 leaf, const Position &position, float most)
    {
        const Group &group = shared.group;
        const double (&displacement)[3] = shared.displacements[leaf >> INDEX_BITS];
        const bool is_there = index_of(leaf) * GROUP + lane < j.from.n;
        Relative at;
        float gap[3];
        for (u32 axis = 0; axis < 3; ++axis) {
            at.x[axis] = float((position.x[axis] + displacement[axis]) - group.centre[axis]);
            gap[axis] = ::fmaxf(::fabsf(at.x[axis]) - group.half[axis], 0.0f);
        }
        const bool near_box = !(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2] > most);
        const bool is_candidate = is_there && near_box;
        const u32 candidates = ::__ballot_sync(~0u, int(is_candidate)), rank = rank_among(candidates);
        Relative *const kept = shared.candidates[warp];
        const u32 count = ::__popc(candidates), padded = (count + UNROLL - 1) / UNROLL * UNROLL;
        // Some more, infinitely far away.
        if (lane < UNROLL) kept[count + lane] = no_particle();
        ::__syncwarp();
        if (is_candidate) kept[rank] = at;
        ::__syncwarp();
        // Whether each candidate is near the i-particle of this lane, the last one lowest.
        u32 near = 0;
#pragma unroll 1
        for (u32 k = 0; k < padded; k += UNROLL) {
            u32 some = 0;
#pragma unroll
            for (u32 m = 0; m < UNROLL; ++m) {
                const Relative candidate = kept[k + m];
                const float x = i.x[0] - candidate.x[0];
                const float y = i.x[1] - candidate.x[1];
                const float z = i.x[2] - candidate.x[2];
                if (!(x * x + y * y + z * z > most)) some |= 1u << (UNROLL - 1 - m);
            }
            near = near << UNROLL | some;
        }
        near = union_of_warp(near);
        ::__syncwarp();
        return ::__ballot_sync(~0u, int(is_candidate && near >> (padded - 1 - rank) & 1));
    }

public:
    __device__ __forceinline__ Search(
        const Order &i, const Order &j, u32 group, SearchShared &shared)
        : j(j), shared(shared), i(find_group(i, group, shared.group))
    {
    }

    // Finds the leaves within reach, depth first, and calls `visit` with their number: up to NODES at a
    // time, in order.
    template <typename Visit>
    __device__ __forceinline__ void walk(GroupReach &reach, const Visit &visit)
    {
        const u32 images = shared.top + 1; // a level above the tree
        if (warp == 0) {
            const bool is_near = lane < IMAGES && exists(lane, j.frame.length)
                && distance2(shared.group.box, shared.whole, shared.displacements[lane])
                    <= reach.farthest();
            const u32 found = ::__ballot_sync(~0u, int(is_near));
            if (is_near) shared.nodes[images][rank_among(found)] = lane << INDEX_BITS;
            if (lane == 0) shared.images = ::__popc(found);
        }
        __syncthreads();
        u32 level = images, next = 0, end = shared.images;
        while (true) {
            if (next == end) {
                if (level == images) return;
                ++level;
                next = shared.pending[level].next;
                end = shared.pending[level].end;
                continue;
            }
            const u32 count = end - next < WARPS ? end - next : WARPS;
            const u32 *const parents = shared.nodes[level] + next;
            next += count;
            const u32 children = find_children(reach, level - 1, level == images, parents, count);
            if (children == 0) continue;
            if (level == 1) {
                visit(children);
                continue;
            }
            if (threadIdx.x == 0) shared.pending[level] = {next, end};
            --level;
            next = 0;
            end = children;
        }
    }

    // Writes the parts of this many leaves, from `first` on if there is room for them. Returns the number
    // of particles that this warp has accepted.
    __device__ __forceinline__ u32 find_parts(u32 leaves, u32 first)
    {
        u32 count = 0;
        Position next = warp < leaves ? position_in(shared.nodes[0][warp]) : Position{};
        for (u32 k = warp; k < leaves; k += WARPS) {
            const u32 leaf = shared.nodes[0][k];
            const Position position = next;
            // The next leaf is loaded while this one is tested.
            if (k + WARPS < leaves) next = position_in(shared.nodes[0][k + WARPS]);
            const u32 accepted = near_in_leaf(leaf, position, shared.limits[k]);
            count += ::__popc(accepted);
            if (lane == 0 && first + k < PARTS) {
                const u32 image = leaf >> INDEX_BITS;
                shared.parts[first + k] = {index_of(leaf) * GROUP | image << INDEX_BITS, accepted};
            }
        }
        __syncthreads();
        return count;
    }

    // Writes the entries of this many parts. Returns how many there are.
    __device__ __forceinline__ u32 write_parts(u32 parts, u32 *to)
    {
        const bool is_part = threadIdx.x < parts;
        u32 all;
        const u32 begin =
            sum_before(is_part ? ::__popc(shared.parts[threadIdx.x].accepted) : 0, all);
        if (is_part) shared.begins[threadIdx.x] = begin;
        __syncthreads();
        for (u32 k = warp; k < parts; k += WARPS) {
            const Part part = shared.parts[k];
            if (part.accepted >> lane & 1) {
                to[shared.begins[k] + rank_among(part.accepted)] = part.first + lane;
            }
        }
        __syncthreads();
        return all;
    }
};

// Takes room for a list, which may be beyond what there is. Returns where it begins.
__device__ __forceinline__ u64 take_room(const Lists &lists, u32 count, SearchShared &shared)
{
    if (threadIdx.x == 0) shared.begin = ::atomicAdd(lists.used, u64(count));
    __syncthreads();
    return shared.begin;
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
    Search search(i, j, index, shared);
    GroupReach reach(lists.reach, index, j.frame.length, shared.group.half);
    u32 of_warp = 0, parts = 0, count;
    search.walk(reach, [&](u32 leaves) {
        of_warp += search.find_parts(leaves, parts);
        parts += leaves;
    });
    sum_before(threadIdx.x % LANES == 0 ? of_warp : 0, count);
    const u64 begin = take_room(lists, count, shared);
    const bool fits = begin + count <= lists.capacity;
    if (threadIdx.x == 0) set_list(i, lists, shared.group, index, begin, fits ? count : NO_ROOM);
    if (!fits) return;
    u32 *to = lists.entries + begin;
    if (parts <= PARTS) {
        search.write_parts(parts, to);
        return;
    }
    search.walk(reach, [&](u32 leaves) {
        search.find_parts(leaves, 0);
        to += search.write_parts(leaves, to);
    });
}

// Finds what all groups share.
__device__ __forceinline__ void begin_search(const Order &j, SearchShared &shared)
{
    if (threadIdx.x >= LANES) return;
    const u32 image = threadIdx.x, top_of_tree = top_level(j.from.n);
    if (image == 0) shared.top = top_of_tree;
    if (image <= top_of_tree) shared.levels[image] = level_of(j.from.n, image);
    const Level top = level_of(j.from.n, top_of_tree);
    const Box whole = box_of_warp(image < top.count ? j.boxes[top.first + image] : no_box());
    if (image == 0) shared.whole = whole;
    const u32 steps[] = {image, image / 3, image / 9};
    for (u32 axis = 0; axis < 3 && image < IMAGES; ++axis) {
        shared.displacements[image][axis] = (int(steps[axis] % 3) - 1) * j.frame.length[axis];
    }
}

// Builds all lists, a block for each group.
__device__ __forceinline__ void build_lists(
    const Order &i, const Order &j, const Lists &lists, SearchShared &shared)
{
    begin_search(j, shared);
    const u32 groups = level_of(i.from.n, 0).count;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        list_group(i, j, lists, group, shared);
    }
}

} // namespace nbody
