// The results that a program per particle reads.
namespace nbody {

// Reads the results of a particle, one in each column.
template <typename Columns> struct ColumnReader {
    const Columns *column;
    size_t n; // number of particles

    __device__ __forceinline__ void real(int c, double &x) { x = column[Columns::place(c) * n].word; }
    __device__ __forceinline__ void index(int c, u32 &k)
    {
        k = integer(column[Columns::place(c) * n].word);
    }
};

template <typename Columns>
__device__ __forceinline__ ResultsF results_of(const Columns *results, u32 k, u32 n)
{
    ResultsF f;
    ColumnReader<Columns> reader{results + k, n};
    each_number(f, reader);
    return f;
}

__device__ __forceinline__ ResultsF results_of(const Nothing *, u32, u32) { return {}; }

} // namespace nbody
