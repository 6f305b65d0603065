// The least values over pairs, in ascending order, and the indices of their j-particles, by which equal
// values are in order. All places are known when the program is compiled, so that registers can hold
// them.
namespace nbody {

template <int K, typename T> struct Entries {
    T values[K];
    u32 indices[K];
};
template <int K> using Nearest = Entries<K, real>;

template <int K, typename T> __device__ __forceinline__ Entries<K, T> no_neighbours()
{
    Entries<K, T> none;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        none.values[k] = infinity();
        none.indices[k] = NONE;
    }
    return none;
}

// Returns whether a value comes before another one: if it is less, or equal and of a lower index. Where
// values come ORDERED by their indices, a later one of equal values never does. NONE is negative as an
// int.
template <bool ORDERED, typename T>
__device__ __forceinline__ bool is_nearer(T value, u32 index, T other, u32 its_index)
{
    if constexpr (ORDERED) return value < other;
    else return value < other || (value == other && int(index) < int(its_index));
}

// Inserts a value if it comes before the last one, which it drops. Returns whether it did.
template <bool ORDERED, int K, typename T>
__device__ __forceinline__ bool insert(Entries<K, T> &entries, T value, u32 index)
{
    bool takes = is_nearer<ORDERED>(value, index, entries.values[K - 1], entries.indices[K - 1]);
    if (!takes) return false;
#pragma unroll
    for (int k = K - 1; k > 0; --k) {
        const T earlier = entries.values[k - 1];
        const u32 its_index = entries.indices[k - 1];
        const bool moves = is_nearer<ORDERED>(value, index, earlier, its_index);
        entries.values[k] = moves ? earlier : takes ? value : entries.values[k];
        entries.indices[k] = moves ? its_index : takes ? index : entries.indices[k];
        takes = moves;
    }
    entries.values[0] = takes ? value : entries.values[0];
    entries.indices[0] = takes ? index : entries.indices[0];
    return true;
}

template <int K>
__device__ __forceinline__ void take(Nearest<K> &nearest, real value, u32 index)
{
    insert<IN_ORDER>(nearest, value, index);
}

// Inserts values in ascending order. The next one is always in the first place.
template <bool ORDERED, int K, typename From, typename To>
__device__ __forceinline__ void merge_nearest(Entries<K, From> from, Entries<K, To> &to)
{
#pragma unroll 1
    for (int n = 0; n < K; ++n) {
        if (!insert<ORDERED>(to, To(from.values[0]), from.indices[0])) return;
#pragma unroll
        for (int k = 1; k < K; ++k) {
            from.values[k - 1] = from.values[k];
            from.indices[k - 1] = from.indices[k];
        }
    }
}

template <int K> __device__ __forceinline__ Entries<K, backup> of_words(const backup *words)
{
    Entries<K, backup> entries;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        entries.values[k] = words[k];
        entries.indices[k] = integer(words[K + k]);
    }
    return entries;
}

template <int K>
__device__ __forceinline__ void to_words(const Entries<K, backup> &entries, backup *words)
{
#pragma unroll
    for (int k = 0; k < K; ++k) {
        words[k] = entries.values[k];
        words[K + k] = word<backup>(entries.indices[k]);
    }
}

template <int K> __device__ __forceinline__ void reset_nearest(backup *total)
{
    to_words(no_neighbours<K, backup>(), total);
}

template <bool ORDERED, int K>
__device__ __forceinline__ void fold_nearest(const Nearest<K> &nearest, backup *total)
{
    Entries<K, backup> sum = of_words<K>(total);
    merge_nearest<ORDERED>(nearest, sum);
    to_words(sum, total);
}

// The parts may come in any order.
template <int K>
__device__ __forceinline__ void merge_words_of_nearest(const backup *part, backup *total)
{
    Entries<K, backup> sum = of_words<K>(total);
    merge_nearest<false>(of_words<K>(part), sum);
    to_words(sum, total);
}

} // namespace nbody
