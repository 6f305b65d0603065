// Results of i-particles that an engine has put in order.
namespace nbody {

// Returns the length of the first field of a result.
__device__ __forceinline__ double length_of(const backup (&result)[FDIM])
{
    double sum = 0.0;
#pragma unroll
    for (int c = 0; c < FIRST_FIELD; ++c) sum += double(result[c]) * double(result[c]);
    return ::sqrt(sum);
}

// Stores the result of an i-particle, or adds it to an earlier result; and its length if lengths are
// wanted, or the length of the sum if they are of sums.
__device__ __forceinline__ void store_result(const Stored &stored, backup (&total)[FDIM], backup *out, u32 index)
{
    if (stored.lengths) stored.lengths[index] = length_of(total);
    if (stored.adds) {
        backup sum[FDIM];
        load(out, index, stored.wanted, sum);
        merge(total, sum);
        if (stored.of_sums) stored.lengths[index] = length_of(sum);
        store(sum, out, index, stored.wanted);
    } else {
        store(total, out, index, stored.wanted);
    }
}

} // namespace nbody
