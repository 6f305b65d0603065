// The meetings of tiles of i-particles with groups of j-particles, which blocks share out.
namespace nbody {

using u64 = unsigned long long;

constexpr u32 TILE = BLOCK * I_PER_THREAD;
static_assert(TILE % J_GROUP == 0 && J_GROUP <= BLOCK && J_GROUP % LANES == 0, "tiles of whole groups");

// The meetings of the tiles of one launch.
struct Share : Tiles {
    // Returns the number of meetings of earlier tiles.
    __device__ __forceinline__ u64 meetings_before(u32 tile) const
    {
        const u64 groups = (n + J_GROUP - 1) / J_GROUP;
        const u64 k = tile - first;
        return k * (groups - u64(first) * (TILE / J_GROUP)) - k * (k - 1) / 2 * (TILE / J_GROUP);
    }

    // Returns the first meeting of this block.
    __device__ __forceinline__ u64 begin(u32 block) const
    {
        return meetings_before(end) * block / blocks;
    }

    // Returns the block that has this meeting.
    __device__ __forceinline__ u32 block_of(u64 meeting) const
    {
        return u32(((meeting + 1) * blocks - 1) / meetings_before(end));
    }

    // Returns the offset, in `i_parts`, of the sums of this block for this tile.
    __device__ __forceinline__ size_t i_part(u32 block, u32 tile) const
    {
        return size_t(block - block_begin + (tile - first)) * FDIM * TILE;
    }

    // Returns the offset, in `j_parts`, of the row of this tile. The row has a column for each
    // particle from the first particle of the tile on.
    __device__ __forceinline__ size_t j_part(u32 tile) const
    {
        const u64 k = tile - first;
        return (k * (n - u64(first) * TILE) - k * (k - 1) / 2 * TILE) * FDIM;
    }
};

} // namespace nbody
