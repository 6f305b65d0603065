// Given pairs of a subset of all particles, which are named by their numbers among all.
namespace nbody {

// Appends numbers of particles to the numbers of `first` others; the numbers of rows, if `from` is null.
// Stores the row of each particle plus 1, if `rows` is not null.
extern "C" __global__ void __launch_bounds__(BLOCK) number_rows(
    const u32 *__restrict__ from, u32 *__restrict__ numbers, u32 *__restrict__ rows, const u32 first,
    const u32 n)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    const u32 number = from != nullptr ? from[k] : k;
    numbers[first + k] = number;
    if (rows != nullptr) rows[number] = first + k + 1;
}

// Lists the given pairs of the first `own` i-particles, a group for each warp: an entry for each pair,
// in the order of rows.
extern "C" __global__ void __launch_bounds__(BLOCK) list_pairs(
    const u64 *__restrict__ begins, const u32 *__restrict__ indices, const u32 *__restrict__ numbers,
    const u32 *__restrict__ rows, const GivenLists lists, const u32 image, const u32 own,
    const u32 groups)
{
    const u32 thread = blockIdx.x * BLOCK + threadIdx.x, group = thread / LANES;
    if (group >= groups) return;
    const u32 lane = threadIdx.x % LANES;
    u64 k = 0, end = 0;
    if (thread < own) {
        k = begins[numbers[thread]];
        end = begins[numbers[thread] + 1];
    }
    const u32 count = u32(end - k);
    u32 behind = count;
    for (u32 step = 1; step < LANES; step *= 2) {
        const u32 earlier = value_of(threadIdx.x - step, behind);
        if (lane >= step) behind += earlier;
    }
    const u32 all = value_of(LANES - 1, behind);
    u64 place = 0;
    if (lane == 0) {
        place = ::atomicAdd(lists.used, u64(all));
        lists.begins[group] = place;
        lists.counts[group] = all;
    }
    place = value_of(0, place) + behind - count;
    for (; k < end; ++k, ++place) {
        const u32 row = rows[indices[k]];
        if (row == 0) *lists.missing = 1;
        lists.entries[place] = (row - 1) | image;
        lists.masks[place] = 1u << lane;
    }
}

} // namespace nbody
