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

// Replaces the numbers of the program in the results of particle k of n, or adds to them.
__device__ __forceinline__ void store_sum(
    backup (&sum)[FDIM], ColumnsF *results, u32 k, u32 n, bool adds)
{
    ColumnsF *const column = results + k;
    if (adds) {
        backup all[FDIM];
#pragma unroll
        for (int c = 0; c < FDIM; ++c) {
            all[c] = widen(c, column[ColumnsF::place(c) * size_t(n)].word);
        }
        merge(sum, all);
#pragma unroll
        for (int c = 0; c < FDIM; ++c) sum[c] = all[c];
    }
#pragma unroll
    for (int c = 0; c < FDIM; ++c) column[ColumnsF::place(c) * size_t(n)].word = narrow(c, sum[c]);
}

} // namespace nbody
