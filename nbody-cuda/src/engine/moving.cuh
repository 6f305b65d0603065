// Rows that move between ranks.
namespace nbody {

// Copies rows of `words` words, one thread per word: the rows with these indices, or the first rows
// if `indices` is null.
extern "C" __global__ void __launch_bounds__(BLOCK) copy_rows(
    const u32 *__restrict__ from, const u32 *__restrict__ indices, u32 *__restrict__ to,
    const u32 count, const u32 words)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t k = at / words;
    if (k >= count) return;
    const size_t row = indices ? indices[k] : k;
    to[at] = from[row * words + at % words];
}

// Copies arriving rows of `words` words, one thread per word: the first ones to the rows of `places`,
// further ones behind the `n` rows.
extern "C" __global__ void __launch_bounds__(BLOCK) place_rows(
    const u32 *__restrict__ from, const u32 *__restrict__ places, u32 *__restrict__ rows,
    const u32 count, const u32 words, const u32 n, const u32 free)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t k = at / words;
    if (k >= count) return;
    const size_t row = k < free ? places[k] : n + k - free;
    rows[row * words + at % words] = from[at];
}

// Returns the number of places before a row.
__device__ __forceinline__ u32 places_before(const u32 *places, u32 count, u32 row)
{
    u32 least = 0;
    while (least < count) {
        const u32 middle = least + (count - least) / 2;
        if (places[middle] < row) least = middle + 1;
        else count = middle;
    }
    return least;
}

// Fills `count` empty rows, whose places are in order, by the last rows that are not empty, so that
// the rows end at `n`; one thread per word of the rows after that.
extern "C" __global__ void __launch_bounds__(BLOCK) fill_rows(
    u32 *rows, const u32 *__restrict__ places, const u32 count, const u32 words, const u32 n)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const u32 k = u32(at / words);
    if (k >= count) return;
    const u32 before = places_before(places, count, n + k);
    if (before < count && places[before] == n + k) return;
    const u32 staying = k - (before - places_before(places, count, n));
    rows[size_t(places[staying]) * words + at % words] = rows[size_t(n) * words + at];
}

} // namespace nbody
