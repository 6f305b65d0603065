// The results of ranks, in the order of the caller. One thread copies one row: the rows that it reads
// lie anywhere, but each is read at once.
namespace nbody {

// Finds the place of each index; `order` has the index of each of n places.
extern "C" __global__ void __launch_bounds__(BLOCK) find_places(
    const u32 *__restrict__ order, const u32 n, const u32 wanted, u32 *__restrict__ places)
{
    const u32 place = blockIdx.x * BLOCK + threadIdx.x;
    if (place < n && order[place] < wanted) places[order[place]] = place;
}

// Stores the wanted results of the other ranks, and of this rank, too, if results are to be added.
extern "C" __global__ void __launch_bounds__(BLOCK) arrange_results(
    const Dealt dealt, const Stored stored, const u32 *__restrict__ places,
    const backup *__restrict__ rows, backup *__restrict__ out)
{
    const u32 index = blockIdx.x * BLOCK + threadIdx.x;
    if (index >= stored.wanted) return;
    const u32 place = places[index];
    if (!stored.adds && is_mine(dealt, place)) return;
    const backup *const row = row_of(dealt, place, rows);
    backup total[FDIM];
#pragma unroll
    for (int c = 0; c < FDIM; ++c) total[c] = row[c];
    store_result(stored, total, out, index);
}

} // namespace nbody
