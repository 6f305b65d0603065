// Arrays of counts that the threads of a block share. Integers may be added in any order.
namespace nbody {

// Returns the number of words of `n` counts in a result: one that stays 0, since an array of words
// is not empty.
__device__ constexpr int kept(int n) { return n > 0 ? 1 : 0; }

// Returns the counts of the block.
__device__ __forceinline__ u32 *shared_counts()
{
    __shared__ u32 counts[COUNTS > 0 ? COUNTS : 1];
    return counts;
}

// FIRST is the place of the first count among all counts of the result.
template <int N, int FIRST = 0> struct Counts {
    struct Count {
        u32 k;
        __device__ __forceinline__ void operator+=(u32 n) const
        {
            ::atomicAdd(shared_counts() + FIRST + k, n);
        }
    };
    __device__ __forceinline__ Count operator[](u32 k) const { return {k}; }
};

// Adds to the count of an index, if it exists.
template <int N, int FIRST>
__device__ __forceinline__ void add_at(const Counts<N, FIRST> &counts, u32 index, u32 n)
{
    if (index < N) counts[index] += n;
}

// The block has the counts already, whichever thread adds up the others.
template <int N, int FIRST>
__device__ __forceinline__ void add_counts(const Counts<N, FIRST> &, const Counts<N, FIRST> &)
{
}
template <int N, int FIRST>
__device__ __forceinline__ void fold_counts(const Counts<N, FIRST> &, backup *)
{
}
template <int N> __device__ __forceinline__ void merge_counts(const backup *, backup *) {}

} // namespace nbody
