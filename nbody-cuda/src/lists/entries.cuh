// Entries of arrays and tables at bounded indices; NaN if an index may be out of range.
namespace nbody::bounds {

__device__ __forceinline__ bool are_inside(Integers index, u32 n)
{
    return index.lo <= index.hi && index.hi < n;
}

// Registers cannot be indexed: tests every entry.
template <int N> __device__ __forceinline__ Interval entry(const Interval (&among)[N], Integers index)
{
    if (!are_inside(index, N)) return whole();
    Interval found = {infinite(), -infinite(), false};
#pragma unroll
    for (u32 k = 0; k < N; ++k) {
        if (index.lo <= k && k <= index.hi) found = hull(found, among[k]);
    }
    return found;
}

// Returns the bounds of an entry of a table in memory.
template <int ROWS, int COLUMNS>
__device__ __forceinline__ Interval entry(const Interval *table, Integers row, Integers column)
{
    if (!are_inside(row, ROWS) || !are_inside(column, COLUMNS)) return whole();
    Interval found = {infinite(), -infinite(), false};
    for (u32 k = row.lo; k <= row.hi; ++k) {
        for (u32 l = column.lo; l <= column.hi; ++l) found = hull(found, stored(table[k * COLUMNS + l]));
    }
    return found;
}

} // namespace nbody::bounds
