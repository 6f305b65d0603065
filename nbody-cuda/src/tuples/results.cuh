// Results of tuples, and their sums in memory, which are in `double` until they are stored.
namespace nbody {

// The particles of a tuple.
struct alignas(MEMBERS % 4 == 0 ? 16 : MEMBERS % 2 == 0 ? 8 : 4) Indices {
    u32 at[MEMBERS];
};

// The record of a tuple; tuples without records have none in memory.
template <typename Row> __device__ __forceinline__ TupleT record(const Row *rows, u32 kind)
{
    return load<TupleT>(rows, kind);
}
__device__ __forceinline__ Nothing record(const Nothing *, u32) { return {}; }

// Evaluates a tuple.
__device__ __forceinline__ void evaluate(
    const Parameters &parameters, const Space &space, const RowP *particles, const RowT *records,
    const Indices &members, u32 kind, Accumulators (&f)[MEMBERS])
{
    ParticleP p[MEMBERS];
#pragma unroll
    for (int m = 0; m < MEMBERS; ++m) {
        p[m] = load<ParticleP>(particles, members.at[m]);
        f[m] = nothing();
    }
    act(parameters, space, record(records, kind), p, f);
}

// Reads the result of particle k of n.
__device__ __forceinline__ void load_result(
    const ColumnsF *results, u32 k, size_t n, backup (&sum)[FDIM])
{
#pragma unroll
    for (int c = 0; c < FDIM; ++c) {
        const Word number = results[ColumnsF::place(c) * n + k].word;
        sum[c] = INTEGER[c] ? word<backup>(integer(number)) : backup(number);
    }
}

// Rounds a sum to the precision of the results, and stores it as the result of particle k of n.
__device__ __forceinline__ void store_result(
    const backup (&sum)[FDIM], ColumnsF *results, u32 k, size_t n)
{
#pragma unroll
    for (int c = 0; c < FDIM; ++c) {
        const Word number = INTEGER[c] ? word<Word>(integer(sum[c])) : Word(sum[c]);
        results[ColumnsF::place(c) * n + k].word = number;
    }
}

} // namespace nbody
