// Cells as walks see them.
namespace nbody {

constexpr u32 FAN = 8; // the most children of a cell
constexpr u32 NO_CHILD = 0;
constexpr u32 COUNT_BITS = 28; // of the number of particles of a cell

// A cell; lengths are in units of the frame.
struct alignas(16) Seen {
    float centre[3]; // of charge
    float limit2; // the square of the distance beyond which it may act from afar
    u32 first; // of its particles
    u32 counts; // of its particles, and above these bits of its far particles
    u32 children; // the first one times FAN, and one less than their number; or NO_CHILD
    float strength; // the binary logarithm of its charge times a power of its radius

    __device__ __forceinline__ u32 count() const { return counts % (1u << COUNT_BITS); }
    __device__ __forceinline__ u32 far_count() const { return counts >> COUNT_BITS; }
};

} // namespace nbody
