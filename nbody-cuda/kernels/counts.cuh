// Arrays of counts of a thread. Registers keep short ones.
namespace nbody {

// Returns the number of words of `n` counts in a result.
__device__ constexpr int kept(int n) { return n; }

template <int N> struct OwnCounts {
    u32 at[N];
    __device__ __forceinline__ u32 &operator[](u32 k) { return at[k]; }
    __device__ __forceinline__ const u32 &operator[](u32 k) const { return at[k]; }
};

// FIRST is the place of the first count among all counts of the result.
template <int N, int FIRST = 0> using Counts = OwnCounts<N>;

// Loops over longer arrays are not unrolled: registers cannot hold them.
template <int N> constexpr int UNROLLED_COUNTS = N <= 32 ? N : 1;

// Adds to the count of an index, if it exists.
template <int N>
__device__ __forceinline__ void add_at(OwnCounts<N> &counts, u32 index, u32 n)
{
    if constexpr (N <= 32) {
#pragma unroll
        for (int k = 0; k < N; ++k) {
            if (index == u32(k)) counts.at[k] += n;
        }
    } else if (index < N) {
        counts.at[index] += n;
    }
}

template <int N>
__device__ __forceinline__ void add_counts(const OwnCounts<N> &term, OwnCounts<N> &sum)
{
#pragma unroll UNROLLED_COUNTS<N>
    for (int k = 0; k < N; ++k) sum.at[k] += term.at[k];
}

// Adds counts to words of a result.
template <int N>
__device__ __forceinline__ void fold_counts(const OwnCounts<N> &counts, backup *total)
{
#pragma unroll UNROLLED_COUNTS<N>
    for (int k = 0; k < N; ++k) total[k] = word<backup>(integer(total[k]) + counts.at[k]);
}

template <int N>
__device__ __forceinline__ void merge_counts(const backup *part, backup *total)
{
#pragma unroll UNROLLED_COUNTS<N>
    for (int k = 0; k < N; ++k) total[k] = word<backup>(integer(total[k]) + integer(part[k]));
}

} // namespace nbody
