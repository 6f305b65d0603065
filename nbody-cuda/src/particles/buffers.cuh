// Particles and results in memory. Loads convert their numbers to `double`, exactly.
namespace nbody {

// A particle in memory: words without padding, one for each number; in mixed precision a
// coordinate is double-single and has two. A particle may have more numbers than the program uses:
// PLACES are the first words of the program's numbers.
template <typename Type, int COUNT, bool MIXED, int... PLACES>
struct alignas(COUNT * sizeof(Type) % 16 == 0 ? 16 : COUNT * sizeof(Type) % 8 == 0 ? 8 : sizeof(Type))
Row {
    using Word = Type;
    static constexpr bool DOUBLE_SINGLE = MIXED;
    Word words[COUNT];

    static __device__ __forceinline__ constexpr int place(int c)
    {
        constexpr int places[] = {PLACES...};
        return places[c];
    }
};

// Reads the numbers of a particle.
template <typename Row> struct RowReader {
    const Row &row;

    __device__ __forceinline__ void coordinate(int c, double &x)
    {
        x = row.words[Row::place(c)];
        if constexpr (Row::DOUBLE_SINGLE) x += row.words[Row::place(c) + 1];
    }
    __device__ __forceinline__ void real(int c, double &x) { x = row.words[Row::place(c)]; }
    __device__ __forceinline__ void index(int c, u32 &n) { n = integer(row.words[Row::place(c)]); }
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

// Writes the numbers of a record that does not exist.
struct NoRecord {
    __device__ __forceinline__ void coordinate(int, double &x) { x = not_a_number(); }
    __device__ __forceinline__ void real(int, double &x) { x = not_a_number(); }
    __device__ __forceinline__ void index(int, u32 &n) { n = ~0u; }
};

// All second particles, which some programs read by an index.
template <typename Particle, typename Rows> struct SecondParticles {
    Rows rows;
    u32 n;

    __device__ __forceinline__ Particle at(u32 k) const
    {
        if (k < n) return load<Particle>(rows, k);
        Particle none;
        NoRecord numbers;
        each_number(none, numbers);
        return none;
    }
};

// Results in memory: number c of the program is in column PLACES[c].
template <typename Type, int... PLACES> struct Columns {
    Type word;

    static __device__ __forceinline__ constexpr int place(int c)
    {
        constexpr int places[] = {PLACES...};
        return places[c];
    }
};

} // namespace nbody
