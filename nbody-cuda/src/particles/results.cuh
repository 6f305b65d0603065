// The results that a program per particle reads, and the total that all particles read.
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

template <typename Results, typename Columns>
__device__ __forceinline__ Results results_of(const Columns *results, u32 k, u32 n)
{
    Results f;
    ColumnReader<Columns> reader{results + k, n};
    each_number(f, reader);
    return f;
}

template <typename Results>
__device__ __forceinline__ Results results_of(const Nothing *, u32, u32)
{
    return {};
}

// Looks for NaN among the numbers of a record.
struct NanFinder {
    bool found = false;

    __device__ __forceinline__ void real(int, double x) { found = found || x != x; }
    __device__ __forceinline__ void index(int, u32) {}
};

// Returns whether the total has NaN, which comparisons of the program would drop: NaN then replaces
// all that the program writes.
template <typename Total> __device__ __forceinline__ bool has_nan(Total &total)
{
    NanFinder finder;
    each_number(total, finder);
    return finder.found;
}

__device__ __forceinline__ bool has_nan(Nothing &) { return false; }

} // namespace nbody
