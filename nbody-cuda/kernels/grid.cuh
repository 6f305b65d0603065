// Phases of a launch: in each phase, blocks see the writes of all blocks in earlier phases. Memory
// that one phase writes and another reads must not be `const __restrict__`, since such reads
// bypass coherent caches.
namespace nbody {

// Waits for all blocks of the grid, which must all be resident. The upper bit of `arrived` flips
// when all blocks have arrived; the other bits are zero before and after.
__device__ __forceinline__ void grid_barrier([[maybe_unused]] u32 *arrived)
{
#ifdef __CUDACC__
    ::__syncthreads();
    if (threadIdx.x == 0) {
        constexpr u32 ALL = 1u << 31;
        const u32 more = blockIdx.x == 0 ? ALL - (gridDim.x - 1) : 1;
        u32 before, now;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                     : "=r"(before) : "l"(arrived), "r"(more) : "memory");
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
        } while (((before ^ now) & ALL) == 0);
    }
    ::__syncthreads();
#endif
    // The emulator runs all blocks of a phase before the next phase.
}

// Calls `phase` with the number of each phase from `first` up to, but not including, `end`.
template <typename Phase>
__device__ __forceinline__ void in_phases(u32 first, u32 end, u32 *arrived, const Phase &phase)
{
    for (u32 number = first; number < end; ++number) {
        if (number > first) grid_barrier(arrived);
        phase(number);
    }
}

} // namespace nbody
