// Pairs that act, for neighbour lists without excluded pairs.
namespace nbody {

constexpr bool RESTRICTED = false;

struct ActsOn {
    __device__ __forceinline__ ActsOn(const Restriction &, const u32 *, u32) {}
    __device__ __forceinline__ void set(u32, unsigned long long, u32, u32) const {}
    __device__ __forceinline__ u32 operator()(u32) const { return 0; }
};

} // namespace nbody
