// Gathering results of which each rank has evaluated a share. A piece has the rows of a share,
// column after column, as the results have all rows; rank r has piece r. One thread copies one row.
namespace nbody {

// Copies rows `begin` to `end` of n results to a piece. A number has `words` words.
extern "C" __global__ void __launch_bounds__(BLOCK) pack_share(
    const u32 *__restrict__ results, u32 *__restrict__ pieces, const u32 n, const u32 begin,
    const u32 end, const u32 columns, const u32 words, const u32 piece_rows, const u32 rank)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= end - begin) return;
    u32 *const piece = pieces + size_t(rank) * columns * piece_rows * words;
    for (u32 c = 0; c < columns; ++c) {
        const size_t from = (size_t(c) * n + begin + k) * words;
        const size_t to = (size_t(c) * piece_rows + k) * words;
        for (u32 w = 0; w < words; ++w) piece[to + w] = results[from + w];
    }
}

// Copies the pieces of all ranks but this one to the results.
extern "C" __global__ void __launch_bounds__(BLOCK) unpack_shares(
    const u32 *__restrict__ pieces, u32 *__restrict__ results, const u32 n, const u32 columns,
    const u32 words, const u32 piece_rows, const u32 rank)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    const u32 of = k / piece_rows;
    if (k >= n || of == rank) return;
    const u32 *const piece = pieces + size_t(of) * columns * piece_rows * words;
    for (u32 c = 0; c < columns; ++c) {
        const size_t from = (size_t(c) * piece_rows + k % piece_rows) * words;
        const size_t to = (size_t(c) * n + k) * words;
        for (u32 w = 0; w < words; ++w) results[to + w] = piece[from + w];
    }
}

} // namespace nbody
