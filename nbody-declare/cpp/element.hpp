// Masks and integers of lanes of one element, and functions of their numbers that C++ has not as Rust
// has them.
#pragma once

namespace nbody {

// Functions that Rust does not take from the C library of the system. Rust sets them after loading.
struct HostFunctions {
    float (*erff)(float), (*erfcf)(float);
    double (*erf)(double), (*erfc)(double);
    float (*cbrtf)(float);
    double (*cbrt)(double);
};
[[maybe_unused]] static HostFunctions host;

struct Mask {
    bool value{};
};
NBODY_INLINE Mask operator&(Mask a, Mask b) { return {bool(a.value & b.value)}; }
NBODY_INLINE Mask operator|(Mask a, Mask b) { return {bool(a.value | b.value)}; }
NBODY_INLINE Mask operator^(Mask a, Mask b) { return {a.value != b.value}; }
NBODY_INLINE Mask operator!(Mask a) { return {!a.value}; }

struct U32 {
    uint32_t value{};
};
NBODY_INLINE U32 operator&(U32 a, U32 b) { return {a.value & b.value}; }
NBODY_INLINE U32 operator|(U32 a, U32 b) { return {a.value | b.value}; }
NBODY_INLINE U32 operator^(U32 a, U32 b) { return {a.value ^ b.value}; }

// The smaller and the larger number; if one is NaN, the other. Processors disagree about zeros of
// different signs, and these are the instructions that Rust uses.
#ifdef __aarch64__
NBODY_INLINE Element least(Element x, Element y) { return NBODY_C(fmin)(x, y); }
NBODY_INLINE Element greatest(Element x, Element y) { return NBODY_C(fmax)(x, y); }
#else
NBODY_INLINE Element least(Element x, Element y) { return x != x ? y : y < x ? y : x; }
NBODY_INLINE Element greatest(Element x, Element y) { return x != x ? y : y > x ? y : x; }
#endif

NBODY_INLINE Element power(Element x, Element y)
{
    // Rust's compiler replaces a constant exponent of 1/2 and a constant base of 2^n by these
    // functions, which may round otherwise.
    if (__builtin_constant_p(y) && y == Element(0.5)) {
        return x == Element(-INFINITY) ? -x : NBODY_C(fabs)(NBODY_C(sqrt)(x));
    }
    if (__builtin_constant_p(x) && x > 0) {
        const int n = NBODY_C(ilogb)(x);
        if (n != 0 && -63 < n && n < 63 && x == NBODY_C(ldexp)(Element(1), n)) {
            return NBODY_C(exp2)(Element(n) * y);
        }
    }
    return NBODY_C(pow)(x, y);
}

} // namespace nbody

extern "C" void nbody_begin(const nbody::HostFunctions *functions) { nbody::host = *functions; }
