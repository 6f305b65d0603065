// Results of tuples: they are rounded to the precision of the results, and summed in `double` in the
// order of the tuples.
namespace nbody {

// The particles of a tuple.
struct alignas(MEMBERS % 4 == 0 ? 16 : MEMBERS % 2 == 0 ? 8 : 4) Indices {
    u32 at[MEMBERS];
};

// Rounds a number of a sum to the precision of the results.
__device__ __forceinline__ Word narrow(int c, backup number)
{
    return INTEGER[c] ? word<Word>(integer(number)) : Word(number);
}

__device__ __forceinline__ backup widen(int c, Word number)
{
    return INTEGER[c] ? word<backup>(integer(number)) : backup(number);
}

// The record of a tuple; tuples without records have none in memory.
template <typename Row> __device__ __forceinline__ Row row_of(const Row *rows, u32 k)
{
    return rows[k];
}
__device__ __forceinline__ Nothing row_of(const Nothing *, u32) { return {}; }

template <typename Row> __device__ __forceinline__ TupleT unpack_record(const Row &row)
{
    return unpack<TupleT>(row);
}
__device__ __forceinline__ Nothing unpack_record(const Nothing &) { return {}; }

// A tuple in memory, with its particles.
struct Loaded {
    Indices indices;
    RowP particles[MEMBERS];
    RowT record;
};

__device__ __forceinline__ Loaded load_tuple(
    const RowP *particles, const RowT *records, const Indices *members, u32 tuple)
{
    Loaded loaded;
    loaded.indices = members[tuple];
    loaded.record = row_of(records, tuple);
#pragma unroll
    for (int m = 0; m < MEMBERS; ++m) loaded.particles[m] = particles[loaded.indices.at[m]];
    return loaded;
}

// Evaluates a tuple.
__device__ __forceinline__ void evaluate(
    const Parameters &parameters, const Space &space, const Loaded &tuple,
    Accumulators (&f)[MEMBERS])
{
    ParticleP p[MEMBERS];
#pragma unroll
    for (int m = 0; m < MEMBERS; ++m) {
        p[m] = unpack<ParticleP>(tuple.particles[m]);
        f[m] = nothing();
    }
    act(parameters, space, unpack_record(tuple.record), p, f);
}

// The numbers of a particle in the results, which sums replace or are added to. They are read before
// the sums are known, so that no thread waits for them.
struct Stored {
    ColumnsF *column;
    size_t n; // number of particles
    bool adds;
    Word before[FDIM];

    __device__ __forceinline__ Stored(ColumnsF *results, u32 k, u32 count, bool added)
        : column(results + k), n(count), adds(added)
    {
        if (!adds) return;
#pragma unroll
        for (int c = 0; c < FDIM; ++c) before[c] = column[ColumnsF::place(c) * n].word;
    }

    __device__ __forceinline__ void store(const backup (&sum)[FDIM])
    {
        backup all[FDIM];
#pragma unroll
        for (int c = 0; c < FDIM; ++c) all[c] = adds ? widen(c, before[c]) : sum[c];
        if (adds) merge(sum, all);
#pragma unroll
        for (int c = 0; c < FDIM; ++c) column[ColumnsF::place(c) * n].word = narrow(c, all[c]);
    }
};

} // namespace nbody
