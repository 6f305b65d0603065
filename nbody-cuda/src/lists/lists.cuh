// Lists of the j-particles that may be within reach of an i-particle of a group, as in
// nbody-core's `near::list`. Lists take memory one after another, in any order.
namespace nbody {

constexpr u32 LEVELS = 5; // levels of a tree over 2^27 particles
constexpr u32 PARTS = 128; // parts of a list that a warp keeps

// Accepted j-particles of a leaf: the entry of the first particle of the leaf, and a bit for each
// accepted particle.
struct Part {
    u32 first, accepted;
};

// A group of i-particles.
struct Group {
    Bounds box;
    double centre[3];
    float half[3]; // the greatest distance from the centre along each axis
    float extent2; // the squared distance in any direction is at most this
    Relative particles[LANES]; // missing particles repeat the first one
};

// The state of the search of a warp for the j-particles of a group.
struct Desk {
    Group group;
    Leaf leaf; // the leaf to test
    Part parts[PARTS];
    u64 begin; // first entry of the list
};

// The shared memory of a block while its warps search.
struct SearchShared {
    double displacements[IMAGES][3];
    Level levels[LEVELS]; // levels of the tree
    u32 top; // the top level of the tree
    Bounds whole; // the box of all j-particles
    Desk desks[WARPS];
};

// Returns whether an image exists. Along open axes, only the undisplaced image exists.
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

// Returns the number of the lowest bit.
__device__ __forceinline__ u32 lowest(u32 bits) { return ::__ffs(int(bits)) - 1; }

// Sets the box and the particles of a group. Returns the particle of this lane.
__device__ __forceinline__ Relative find_group(const Order &i, u32 index, Group &group)
{
    const u32 n = i.from.n, first = index * GROUP, lane = threadIdx.x % LANES;
    const u32 place = first + lane < n ? first + lane : first;
    const Bounds box = i.bounds[index];
    Relative relative = {};
    ::__syncwarp();
    for (u32 axis = 0; axis < 3; ++axis) {
        const double centre = box.least[axis] * 0.5 + box.greatest[axis] * 0.5;
        relative.x[axis] = float(i.positions[size_t(axis) * n + place] - centre);
        const float half = greatest_of_warp(::fabsf(relative.x[axis]));
        if (lane == 0) {
            group.centre[axis] = centre;
            group.half[axis] = half;
        }
    }
    group.particles[lane] = relative;
    if (lane == 0) {
        group.box = box;
        group.extent2 = norm2_of(group.half[0], group.half[1], group.half[2]);
    }
    ::__syncwarp();
    return relative;
}

// Returns the squared distance between a box and another box, which is displaced.
__device__ __forceinline__ double distance2(
    const Bounds &one, const Bounds &other, const double (&displacement)[3])
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

// Returns the squared distance between two particles.
__device__ __forceinline__ float distance2(const Relative &one, const Relative &other)
{
    return norm2_of(one.x[0] - other.x[0], one.x[1] - other.x[1], one.x[2] - other.x[2]);
}

// The search of a warp for the j-particles of a group.
class Search {
    const Order &j;
    const SearchShared &shared;
    Desk &desk;
    const Nearest nearest;
    const u32 lane = threadIdx.x % LANES;
    // Nodes left to visit in the level with the number of this lane: the first of 32 nodes, and a
    // bit for each node.
    u32 first_left = 0, left = 0;
    float leaf_limit = 0.0f; // greatest squared distance within reach for the particles of a leaf

    // Returns the nodes within reach, a bit for each of 32 nodes from `first` on.
    __device__ __forceinline__ u32 near_nodes(
        GroupReach &reach, u32 level, u32 first, const double (&displacement)[3])
    {
        const Level nodes = shared.levels[level];
        const u32 node = first + lane;
        bool is_near = false;
        if (node < nodes.count) {
            const double limit = reach.of_node(nodes.first + node);
            const Bounds &box = j.bounds[nodes.first + node];
            is_near = distance2(desk.group.box, box, displacement) <= limit;
            if (level == 0) leaf_limit = reach.of_leaf();
        }
        return ::__ballot_sync(~0u, int(is_near));
    }

    // Returns the position of the j-particle of this lane in a leaf. Lanes without a particle
    // receive the position of the last j-particle.
    __device__ __forceinline__ Position position_in(u32 leaf) const
    {
        const u32 place = leaf * GROUP + lane, last = j.from.n - 1;
        return j.now[place < last ? place : last];
    }

    // Returns the j-particles near an i-particle of the group, a bit for each lane. The j-particle
    // of a lane has this position, if `is_there`.
    __device__ __forceinline__ u32 near_particles(
        bool is_there, const Position &position, const double (&displacement)[3], float most)
    {
        const Group &group = desk.group;
        Relative at = {{}, 1.0f};
        for (u32 axis = 0; axis < 3; ++axis) {
            at.x[axis] = float((position.x[axis] + displacement[axis]) - group.centre[axis]);
        }
        ::__syncwarp();
        desk.leaf[lane] = at;
        ::__syncwarp();
        bool is_near = false, is_beyond = !is_there;
        if constexpr (HAS_TENSOR_CORES) {
            const float norm2 = norm2_of(at.x[0], at.x[1], at.x[2]);
            const float least = nearest(desk.leaf) + norm2;
            // The numbers of i are rounded by at most 2^-11, and the numbers of j by at most
            // 2^-10, where 2 i.j is at most |i|^2 + |j|^2. The sums are accurate to 2^-18 of their
            // terms, and the exact test to 2^-21.
            const float error = 0x1.1p-9f * (group.extent2 + norm2) + 1e-36f;
            is_near = is_there && least + error <= most;
            is_beyond |= least - error > most;
        }
        u32 near = ::__ballot_sync(~0u, int(is_near));
        for (u32 open = ::__ballot_sync(~0u, int(!is_near && !is_beyond)); open != 0; open &= open - 1) {
            const u32 k = lowest(open);
            const bool is_near_me = !(distance2(group.particles[lane], desk.leaf[k]) > most);
            near |= u32(::__any_sync(~0u, int(is_near_me))) << k;
        }
        return near;
    }

    // Calls `take` with the parts of the list from these leaves, given by a bit for each of 32
    // leaves from `first` on.
    template <typename Take>
    __device__ __forceinline__ void search_leaves(u32 first, u32 leaves, u32 image, const Take &take)
    {
        Position next = position_in(first + lowest(leaves));
        while (leaves != 0) {
            const u32 k = lowest(leaves), place = (first + k) * GROUP;
            const Position position = next;
            leaves &= leaves - 1;
            // The next leaf is loaded while this one is tested.
            if (leaves != 0) next = position_in(first + lowest(leaves));
            const u32 accepted = near_particles(
                place + lane < j.from.n, position, shared.displacements[image],
                value_of(k, leaf_limit));
            if (accepted != 0) take(Part{place | image << INDEX_BITS, accepted});
        }
    }

    // Searches an image of all j-particles, depth first.
    template <typename Take>
    __device__ __forceinline__ void search_image(GroupReach &reach, u32 image, const Take &take)
    {
        u32 level = shared.top, first = 0;
        while (true) {
            u32 near = near_nodes(reach, level, first, shared.displacements[image]);
            if (level == 0) {
                if (near != 0) search_leaves(first, near, image, take);
                near = 0;
            }
            while (near == 0) {
                if (level == shared.top) return;
                ++level;
                first = value_of(level, first_left);
                near = value_of(level, left);
            }
            if (lane == level) {
                first_left = first;
                left = near & (near - 1);
            }
            first = (first + lowest(near)) * GROUP;
            --level;
        }
    }

public:
    __device__ __forceinline__ Search(
        const Order &i, const Order &j, u32 group, const SearchShared &shared, Desk &desk)
        : j(j), shared(shared), desk(desk), nearest(find_group(i, group, desk.group))
    {
    }

    // Calls `take` with each part of the list, in order.
    template <typename Take>
    __device__ __forceinline__ void search(GroupReach &reach, const Take &take)
    {
        const bool is_near = lane < IMAGES && exists(lane, j.frame.length)
            && distance2(desk.group.box, shared.whole, shared.displacements[lane])
                <= reach.farthest();
        u32 images = ::__ballot_sync(~0u, int(is_near));
        for (; images != 0; images &= images - 1) search_image(reach, lowest(images), take);
    }

    // Writes the entries of a part.
    __device__ __forceinline__ void write(const Part &part, u32 *to) const
    {
        const u32 before = ::__popc(part.accepted & ((1u << lane) - 1));
        if (part.accepted >> lane & 1) to[before] = part.first + lane;
    }
};

// Takes memory for a list, possibly beyond the capacity. Returns its first place.
__device__ __forceinline__ u64 take_room(const Room &room, u32 count)
{
    u64 begin = 0;
    if (threadIdx.x % LANES == 0) begin = ::atomicAdd(room.used, u64(count));
    return ::__shfl_sync(~0u, begin, 0);
}

// Writes the place of a list, and the origin of its pairs.
__device__ __forceinline__ void set_list(
    const Order &i, const NewLists &built, const Group &group, u32 index, u64 begin, u32 count)
{
    built.lists.begins[index] = begin;
    built.lists.counts[index] = count;
    for (u32 axis = 0; axis < 3; ++axis) {
        // In a wide group, coordinates far from the middle would lose digits.
        const double width = group.box.greatest[axis] - group.box.least[axis];
        const bool is_wide = width > WIDE * greatest(built.reach) && i.frame.length[axis] == 0.0;
        built.lists.origins[size_t(3) * index + axis] = is_wide ? 0.0 : group.centre[axis];
    }
}

// Builds the list of a group. A search counts its entries and keeps its parts, if there are at
// most PARTS. A second search writes the parts of a longer list.
__device__ __forceinline__ void list_group(
    const Order &i, const Order &j, const NewLists &built, u32 index, const SearchShared &shared,
    Desk &desk)
{
    const bool is_first = threadIdx.x % LANES == 0;
    Search search(i, j, index, shared, desk);
    const u32 place = index * LANES + threadIdx.x % LANES;
    const bool is_wanted = place < i.from.n && i.sort.even.values[place] < built.wanted;
    if (::__ballot_sync(~0u, int(is_wanted)) == 0) {
        if (is_first) set_list(i, built, desk.group, index, 0, 0);
        ::__syncwarp();
        return;
    }
    GroupReach reach(built.reach, index, j.frame.length, desk.group.half);
    u32 count = 0, parts = 0;
    bool writes = false;
    do {
        search.search(reach, [&](const Part &part) {
            if (writes) {
                search.write(part, built.lists.entries + desk.begin + count);
            } else if (parts++ < PARTS && is_first) {
                desk.parts[parts - 1] = part;
            }
            count += ::__popc(part.accepted);
        });
        if (writes) return;
        const u64 begin = take_room(built.room, count);
        const bool fits = begin + count <= built.room.capacity;
        if (is_first) {
            set_list(i, built, desk.group, index, begin, fits ? count : NO_ROOM);
            desk.begin = begin;
        }
        ::__syncwarp();
        if (!fits) return;
        writes = true;
        count = 0;
    } while (parts > PARTS);
    u32 *to = built.lists.entries + desk.begin;
    for (u32 k = 0; k < parts; ++k) {
        search.write(desk.parts[k], to);
        to += ::__popc(desk.parts[k].accepted);
    }
}

// Sets the variables that all groups share.
__device__ __forceinline__ void begin_search(const Order &j, SearchShared &shared)
{
    if (threadIdx.x >= LANES) return;
    const u32 image = threadIdx.x, top_of_tree = top_level(j.from.n);
    if (image == 0) shared.top = top_of_tree;
    if (image <= top_of_tree) shared.levels[image] = level_of(j.from.n, image);
    const Level top = level_of(j.from.n, top_of_tree);
    const Bounds whole = box_of_warp(image < top.count ? j.bounds[top.first + image] : no_box());
    if (image == 0) shared.whole = whole;
    const u32 steps[] = {image, image / 3, image / 9};
    if constexpr (TILTED) {
        const auto step = [&](u32 axis) { return double(int(steps[axis] % 3) - 1); };
        if (image >= IMAGES) return;
        displace_tilted(shared.displacements[image], step(0), step(1), step(2), j.frame.length, j.frame.tilt);
        return;
    }
    for (u32 axis = 0; axis < 3 && image < IMAGES; ++axis) {
        shared.displacements[image][axis] = (int(steps[axis] % 3) - 1) * j.frame.length[axis];
    }
}

// Builds all lists, with a warp for each group.
__device__ __forceinline__ void build_lists(
    const Order &i, const Order &j, const NewLists &built, SearchShared &shared)
{
    begin_search(j, shared);
    __syncthreads();
    const u32 groups = level_of(i.from.n, 0).count, warp = threadIdx.x / LANES;
    for (u32 k = blockIdx.x * WARPS + warp; k < groups; k += gridDim.x * WARPS) {
        list_group(i, j, built, k, shared, shared.desks[warp]);
    }
}

} // namespace nbody
