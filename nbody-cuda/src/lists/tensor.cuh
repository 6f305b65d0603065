// Products by tensor cores. Numbers in the format TF32 have the range of `float` and 11
// significant bits.
namespace nbody {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool HAS_TENSOR_CORES = false; // for this format
#else
constexpr bool HAS_TENSOR_CORES = true;
#endif

constexpr u32 TF32 = 0xffffe000; // the bits of a number in this format

// Adds the product of a matrix of 16 rows and a matrix of 8 columns, with 4 numbers in each row
// and column. Lane 4 g + t holds number t of rows g and g + 8 in `a`, and number t of column g in
// `b`. Its sums are row g, then row g + 8, in columns 2 t and 2 t + 1.
__device__ __forceinline__ void multiply_add(
    const u32 (&a)[2], u32 b, const float (&addends)[4], float (&sums)[4])
{
#ifndef __CUDACC__
    for (u32 k = 0; k < 4; ++k) sums[k] = addends[k];
    emulated::multiply_add(sums, a, b);
#elif __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%7, %8, %9, %10};"
        : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(b),
          "f"(addends[0]), "f"(addends[1]), "f"(addends[2]), "f"(addends[3]));
#endif
}

} // namespace nbody
