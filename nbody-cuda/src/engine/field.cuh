// Downloads of a field: its words, without the words of other fields.
namespace nbody {

// Copies `words` words, from word `first` on, of each of n rows with `row_words` words; one thread
// per word.
extern "C" __global__ void __launch_bounds__(BLOCK) copy_field(
    const u32 *__restrict__ rows, u32 *__restrict__ to, const u32 n, const u32 row_words,
    const u32 first, const u32 words)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t k = at / words;
    if (k < n) to[at] = rows[k * row_words + first + at % words];
}

} // namespace nbody
