// Places of an order, dealt to ranks in turn, `hand` places at a time. The results of a rank are
// consecutive rows, in the order of its places; a row has the numbers of a result.
namespace nbody {

__device__ __forceinline__ bool is_mine(const Dealt &dealt, u32 place)
{
    return dealt.ranks == 1 || place / dealt.hand % dealt.ranks == dealt.rank;
}

// Returns the row of a place.
template <typename Number> __device__ __forceinline__ Number *row_of(const Dealt &dealt, u32 place, Number *rows)
{
    const u32 turn = place / dealt.hand;
    const u32 of_rank = turn / dealt.ranks * dealt.hand + place % dealt.hand;
    return rows + (size_t(turn % dealt.ranks) * dealt.piece + of_rank) * FDIM;
}

} // namespace nbody
