// The reach of lists whose cutoffs depend on no particle: the same for all pairs.
namespace nbody {

constexpr u32 RESIDENT_BLOCKS = 3; // blocks per multiprocessor while lists are built

using Reach = ConstantReach;

// Returns the margin of the lists, which the host has computed.
__device__ __forceinline__ Margin margin_now(const Reach &, const Change &, const Margin &of_host)
{
    return of_host;
}

// Returns the part of a particle in the growth of cutoffs.
__device__ __forceinline__ double growth_of(const Reach &, const Order &, u32, u32, u32) { return 0.0; }

__device__ __forceinline__ void bounds_phase(const Reach &, const Order &, u32, u32) {}

// Finds the reach of all pairs. Returns whether there is one.
__device__ __forceinline__ bool find_reach(const Reach &, const Order &, const Order &) { return true; }

// Returns the reason why lists were not built.
__device__ __forceinline__ u32 refusal(const Reach &) { return NOTHING; }

__device__ __forceinline__ double greatest(const Reach &reach) { return reach.greatest; }

// The reach of a group.
class GroupReach {
    double node_most;
    float leaf_most;

public:
    __device__ __forceinline__ GroupReach(
        const Reach &reach, u32, const double (&length)[3], const float (&half)[3])
        : node_most(node_limit(reach.greatest, length)), leaf_most(limit(reach.greatest, half))
    {
    }

    // Returns the greatest squared distance within reach of any pair.
    __device__ __forceinline__ double farthest() const { return node_most; }

    // Returns the greatest squared distance from a node; each thread has a node.
    __device__ __forceinline__ double of_node(u32) { return node_most; }

    // Returns the greatest squared distance from a particle of the last node, which is a leaf.
    __device__ __forceinline__ float of_leaf() const { return leaf_most; }
};

} // namespace nbody
