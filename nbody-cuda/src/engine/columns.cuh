// Copies of numbers between records and memory of the caller, in which a number has a type and a
// stride of its own.
namespace nbody {

using i64 = long long;

template <typename T> __device__ __forceinline__ T *number_at(const Numbers &numbers, u32 k)
{
    // Strides may be negative; addresses wrap around.
    return reinterpret_cast<T *>(numbers.address + k * numbers.stride);
}

// Returns a real of a record, or a position in mixed precision, which is the sum of two numbers.
__device__ __forceinline__ double real_of(const Numbers &from, u32 k)
{
    if (from.kind == F64) return *number_at<const double>(from, k);
    const float *const hi = number_at<const float>(from, k);
    return from.kind == PAIR ? double(hi[0]) + double(hi[1]) : double(hi[0]);
}

__device__ __forceinline__ void put_real(const Numbers &to, u32 k, double value)
{
    if (to.kind == F64) {
        *number_at<double>(to, k) = value;
        return;
    }
    float *const hi = number_at<float>(to, k);
    hi[0] = float(value);
    // The rounding error of an infinity is zero.
    if (to.kind == PAIR) hi[1] = fabsf(hi[0]) <= GREATEST ? float(value - double(hi[0])) : 0.0f;
}

// Returns an integer of a record.
__device__ __forceinline__ i64 integer_of(const Numbers &from, u32 k)
{
    if (from.kind == I32) return *number_at<const int>(from, k);
    if (from.kind == U32) return *number_at<const u32>(from, k);
    return *number_at<const i64>(from, k);
}

// Returns whether a type can hold an integer; types with a sign hold the index of no minimum as -1.
__device__ __forceinline__ bool can_hold(const Numbers &to, i64 value)
{
    const bool has_32_bits = u64(value) <= ~0u;
    return has_32_bits && (to.kind != I32 || value < (1ll << 31) || (value == ~0u && to.is_index));
}

__device__ __forceinline__ void put_integer(const Numbers &to, u32 k, i64 value)
{
    if (to.is_index && value == ~0u && (to.kind == I32 || to.kind == I64)) value = -1;
    if (to.kind == I32 || to.kind == U32) {
        *number_at<u32>(to, k) = u32(value);
    } else {
        *number_at<i64>(to, k) = value;
    }
}

// Finds the first of n records with an integer that does not fit; one thread per record.
extern "C" __global__ void __launch_bounds__(BLOCK) check_integers(
    const Column column, const u32 n, u32 *first)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k < n && !can_hold(column.to, integer_of(column.from, k))) ::atomicMin(first, k);
}

// The columns of one launch.
struct Table {
    Column columns[MOST];
};

// Copies the columns of n records, one thread per number.
extern "C" __global__ void __launch_bounds__(BLOCK) copy_columns(
    const Table table, const u32 count, const u32 n)
{
    const u64 at = u64(blockIdx.x) * BLOCK + threadIdx.x;
    const u32 k = u32(at / count);
    if (k >= n) return;
    const Column &of = table.columns[at % count];
    if (of.from.kind >= I32 && of.from.kind <= U64) {
        put_integer(of.to, k, integer_of(of.from, k));
    } else {
        put_real(of.to, k, real_of(of.from, k));
    }
}

} // namespace nbody
