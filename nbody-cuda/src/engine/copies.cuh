// Copies of rows of words: from and to one field of each row, and to addresses. One thread copies one
// word.
namespace nbody {

// Copies `words` words, from word `first` on, of each of n rows with `row_words` words.
extern "C" __global__ void __launch_bounds__(BLOCK) copy_field(
    const u32 *__restrict__ rows, u32 *__restrict__ to, const u32 n, const u32 row_words,
    const u32 first, const u32 words)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t k = at / words;
    if (k < n) to[at] = rows[k * row_words + first + at % words];
}

// Copies n rows of `words` words to word `first` of the n rows from `row` on, with `row_words` words each.
extern "C" __global__ void __launch_bounds__(BLOCK) put_field(
    const u32 *__restrict__ from, u32 *__restrict__ rows, const u32 n, const u32 row, const u32 row_words,
    const u32 first, const u32 words)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t k = at / words;
    if (k < n) rows[(row + k) * row_words + first + at % words] = from[at];
}

// Copies n rows of `words` words to these addresses, or in order if `addresses` is null.
extern "C" __global__ void __launch_bounds__(BLOCK) scatter(
    const u32 *__restrict__ rows, const u32 *__restrict__ addresses, u32 *__restrict__ to,
    const u32 n, const u32 words)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t k = at / words;
    if (k >= n) return;
    const size_t address = addresses ? addresses[k] : k;
    to[address * words + at % words] = rows[at];
}

} // namespace nbody
