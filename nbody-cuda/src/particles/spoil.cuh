// Measures that read the total of an earlier measure.
namespace nbody {

// Replaces a total by NaN, and its integers by 2^32 - 1, if the total that the measure reads has
// NaN.
extern "C" __global__ void __launch_bounds__(BLOCK) spoil(
    const PointerG earlier, backup *__restrict__ total)
{
    TotalG g = results_of<TotalG>(earlier, 0, 1);
    if (!has_nan(g)) return;
    for (u32 c = threadIdx.x; c < FDIM; c += BLOCK) {
        total[c] = INTEGERS[c] ? word<backup>(~0u) : backup(not_a_number());
    }
}

} // namespace nbody
