// Sums over tuples. A block of threads sums the results of neighbouring particles: each thread evaluates a
// tuple, and passes its results through shared memory to the threads of the particles, which add them in
// the order of the tuples.
namespace nbody {

using u16 = unsigned short;

// The places of the results of a tuple.
struct alignas(MEMBERS % 4 == 0 ? 8 : MEMBERS % 2 == 0 ? 4 : 2) Slots {
    u16 at[MEMBERS];
};

constexpr u16 NOWHERE = 0xffff; // the place of a result that another block sums
constexpr u32 SLOTS = MEMBERS * BLOCK;
constexpr size_t SHARED = 32 * 1024; // bytes for results
constexpr int FIT = SHARED / (SLOTS * sizeof(backup));
constexpr int COLUMNS = FDIM < FIT ? FDIM : FIT; // numbers of a result that are passed at once

#ifdef __CUDACC__
// The widest words that a type is a multiple of.
template <int ALIGNMENT> struct Words;
template <> struct Words<2> { using Type = u16; };
template <> struct Words<4> { using Type = u32; };
template <> struct Words<8> { using Type = uint2; };
template <> struct Words<16> { using Type = uint4; };
#endif

// Reads a value that no other block reads, so that it takes no place in the cache from particles and
// results.
template <typename Type> __device__ __forceinline__ Type read_once(const Type *p)
{
#ifdef __CUDACC__
    using Word = typename Words<alignof(Type)>::Type;
    constexpr int COUNT = sizeof(Type) / sizeof(Word);
    union {
        Word words[COUNT];
        Type value;
    };
#pragma unroll
    for (int k = 0; k < COUNT; ++k) words[k] = ::__ldcs(reinterpret_cast<const Word *>(p) + k);
    return value;
#else
    return *p;
#endif
}

// Passes the results of a tuple on, if the thread has one, and adds the results from `begin` to `end`.
__device__ __forceinline__ void add_results(
    bool has_tuple, const Accumulators (&f)[MEMBERS], const Slots &slots, u32 begin, u32 end,
    backup (&sum)[FDIM])
{
    __shared__ backup results[COLUMNS][SLOTS];
#pragma unroll
    for (int first = 0; first < FDIM; first += COLUMNS) {
        __syncthreads();
#pragma unroll
        for (int m = 0; m < MEMBERS; ++m) {
            if (!has_tuple || slots.at[m] == NOWHERE) continue;
            backup part[FDIM];
            reset(part);
            fold(f[m], part);
#pragma unroll
            for (int c = first; c < first + COLUMNS && c < FDIM; ++c) {
                results[c - first][slots.at[m]] = part[c];
            }
        }
        __syncthreads();
        for (u32 at = begin; at < end; ++at) {
            backup part[FDIM], all[FDIM];
            reset(part);
#pragma unroll
            for (int c = 0; c < FDIM; ++c) all[c] = sum[c];
#pragma unroll
            for (int c = first; c < first + COLUMNS && c < FDIM; ++c) part[c] = results[c - first][at];
            merge(part, all);
#pragma unroll
            for (int c = first; c < first + COLUMNS && c < FDIM; ++c) sum[c] = all[c];
        }
    }
}

// Sums the results of n particles.
extern "C" __global__ void __launch_bounds__(BLOCK) sum_tuples(
    const Parameters parameters, const Space space, const RowP *__restrict__ particles,
    const RowT *__restrict__ records, const Share *__restrict__ shares,
    const Indices *__restrict__ members, const u32 *__restrict__ kinds,
    const Slots *__restrict__ places, const u16 *__restrict__ ends, ColumnsF *results, const u32 n,
    const u32 adds)
{
    Share share = shares[blockIdx.x];
    const u32 k = share.particle + threadIdx.x;
    const bool has_particle = threadIdx.x < share.particles;
    backup sum[FDIM];
    reset(sum);
    if (has_particle && adds) load_result(results, k, n, sum);
    while (true) {
        const bool has_tuple = threadIdx.x < share.tuples;
        u32 begin = 0, end = 0;
        if (has_particle) {
            const u32 at = share.end + threadIdx.x;
            end = read_once(ends + at);
            begin = threadIdx.x > 0 ? ends[at - 1] : 0;
        }
        Accumulators f[MEMBERS];
        Slots slots;
        if (has_tuple) {
            const u32 tuple = share.tuple + threadIdx.x;
            slots = read_once(places + tuple);
            const Indices indices = read_once(members + tuple);
            evaluate(parameters, space, particles, records, indices, read_once(kinds + tuple), f);
        }
        add_results(has_tuple, f, slots, begin, end, sum);
        if (share.next == 0) break;
        share = shares[gridDim.x + share.next - 1];
    }
    if (has_particle) store_result(sum, results, k, n);
}

} // namespace nbody
