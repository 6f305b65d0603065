// Particles and results in memory. Their numbers become `double` when they are loaded, exactly.
namespace nbody {

// A particle in memory: words without padding, one for each number, and two for a coordinate in mixed
// precision, which is double-single.
template <typename Type, int COUNT, bool MIXED>
struct alignas(COUNT * sizeof(Type) % 16 == 0 ? 16 : COUNT * sizeof(Type) % 8 == 0 ? 8 : sizeof(Type))
Row {
    using Word = Type;
    static constexpr bool DOUBLE_SINGLE = MIXED;
    Word at[COUNT];
};

// Reads the numbers of a particle, in their order.
template <typename Row> struct RowReader {
    const Row &row;
    int next = 0;

    __device__ __forceinline__ void coordinate(int c, double &x)
    {
        real(c, x);
        if constexpr (Row::DOUBLE_SINGLE) x += row.at[next++];
    }
    __device__ __forceinline__ void real(int, double &x) { x = row.at[next++]; }
    __device__ __forceinline__ void index(int, u32 &n) { n = integer(row.at[next++]); }
};

template <typename Particle, typename Row>
__device__ __forceinline__ Particle unpack(const Row &row)
{
    Particle particle;
    RowReader<Row> reader{row};
    each_number(particle, reader);
    return particle;
}

template <typename Particle, typename Row>
__device__ __forceinline__ Particle load(const Row *rows, u32 k)
{
    const Row row = rows[k];
    return unpack<Particle>(row);
}

template <typename Particle> __device__ __forceinline__ Particle load(const Nothing *, u32)
{
    return {};
}

// Reads the results of a particle, one in each column.
template <typename Word> struct ColumnReader {
    const Word *column;
    size_t n; // particles

    __device__ __forceinline__ void real(int c, double &x) { x = column[c * n]; }
    __device__ __forceinline__ void index(int c, u32 &k) { k = integer(column[c * n]); }
};

template <typename Word>
__device__ __forceinline__ ResultsF results_of(const Word *results, u32 k, u32 n)
{
    ResultsF f;
    ColumnReader<Word> reader{results + k, n};
    each_number(f, reader);
    return f;
}

__device__ __forceinline__ ResultsF results_of(const Nothing *, u32, u32) { return {}; }

} // namespace nbody
