// Registers of 128 bits: NEON, on every 64-bit ARM. Most operations are vector extensions of GCC
// and clang. For tests, other processors compute the rest element by element.
#pragma once

#ifdef __aarch64__
#include <arm_neon.h>
#endif

namespace nbody {

namespace level {

using Register __attribute__((vector_size(16))) = Element;
using Words __attribute__((vector_size(16))) = Word;
constexpr size_t N = 16 / sizeof(Element);

constexpr size_t REGISTERS = 32;
// Number of terms of the series that refines estimates: quotients and roots are exact.
constexpr size_t TERMS = 0;

} // namespace level

// All bits of each element, set or not.
struct Mask {
    level::Words bits{};

    static NBODY_INLINE Mask splat(bool x) { return {level::Words{} - Word(x)}; }
    NBODY_INLINE bool any() const
    {
        const auto halves = with_bits<uint64_t __attribute__((vector_size(16)))>(bits);
        return (halves[0] | halves[1]) != 0;
    }
    NBODY_INLINE bool all() const { return !Mask{~bits}.any(); }
};
NBODY_INLINE Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
NBODY_INLINE Mask operator|(Mask a, Mask b) { return {a.bits | b.bits}; }
NBODY_INLINE Mask operator^(Mask a, Mask b) { return {a.bits ^ b.bits}; }
NBODY_INLINE Mask operator!(Mask a) { return {~a.bits}; }

// Integers as wide as the numbers. As integers of a lane they have 32 bits.
struct U32 {
    level::Words bits{};

    static NBODY_INLINE U32 splat(uint32_t x) { return {level::Words{} + Word(x)}; }
    // The first element.
    NBODY_INLINE uint32_t first() const { return uint32_t(bits[0]); }
};
NBODY_INLINE U32 operator&(U32 a, U32 b) { return {a.bits & b.bits}; }
NBODY_INLINE U32 operator|(U32 a, U32 b) { return {a.bits | b.bits}; }
NBODY_INLINE U32 operator^(U32 a, U32 b) { return {a.bits ^ b.bits}; }
NBODY_INLINE U32 operator+(U32 a, U32 b) { return {a.bits + b.bits}; }
NBODY_INLINE U32 operator-(U32 a, U32 b) { return {a.bits - b.bits}; }

namespace level {

NBODY_INLINE Register broadcast(Element x)
{
#if NBODY_IS_DOUBLE
    return Register{x, x};
#else
    return Register{x, x, x, x};
#endif
}

NBODY_INLINE U32 bits(Register x) { return {with_bits<Words>(x)}; }
NBODY_INLINE Register from_bits(U32 x) { return with_bits<Register>(x.bits); }

NBODY_INLINE Mask lt(Register a, Register b) { return {with_bits<Words>(a < b)}; }
NBODY_INLINE Mask le(Register a, Register b) { return {with_bits<Words>(a <= b)}; }
NBODY_INLINE Mask eq(Register a, Register b) { return {with_bits<Words>(a == b)}; }
NBODY_INLINE Mask lt(U32 a, U32 b) { return {with_bits<Words>(a.bits < b.bits)}; }
NBODY_INLINE Mask le(U32 a, U32 b) { return {with_bits<Words>(a.bits <= b.bits)}; }
NBODY_INLINE Mask eq(U32 a, U32 b) { return {with_bits<Words>(a.bits == b.bits)}; }

NBODY_INLINE U32 select(Mask mask, U32 yes, U32 no)
{
    return {(mask.bits & yes.bits) | (~mask.bits & no.bits)};
}
NBODY_INLINE Register select(Mask mask, Register yes, Register no)
{
    return from_bits(select(mask, bits(yes), bits(no)));
}
NBODY_INLINE Register plus_where(Register x, Mask mask, Register term)
{
    return x + select(mask, term, Register{});
}
NBODY_INLINE Register minus_where(Register x, Mask mask, Register term)
{
    return x - select(mask, term, Register{});
}

#ifdef __aarch64__
#if NBODY_IS_DOUBLE
#define NBODY_NEON(name) name##q_f64
#else
#define NBODY_NEON(name) name##q_f32
#endif
NBODY_INLINE Register mul_add(Register a, Register b, Register c)
{
    return NBODY_NEON(vfma)(c, a, b);
}
NBODY_INLINE Register min(Register a, Register b) { return NBODY_NEON(vminnm)(a, b); }
NBODY_INLINE Register max(Register a, Register b) { return NBODY_NEON(vmaxnm)(a, b); }
NBODY_INLINE Register sqrt(Register x) { return NBODY_NEON(vsqrt)(x); }
NBODY_INLINE Register floor(Register x) { return NBODY_NEON(vrndm)(x); }
NBODY_INLINE Register ceil(Register x) { return NBODY_NEON(vrndp)(x); }
NBODY_INLINE Register trunc(Register x) { return NBODY_NEON(vrnd)(x); }
NBODY_INLINE Register round_ties_even(Register x) { return NBODY_NEON(vrndn)(x); }
#undef NBODY_NEON
#else
#define NBODY_EACH(name, function) \
    NBODY_INLINE Register name(Register x) \
    { \
        for (size_t k = 0; k < N; ++k) x[k] = NBODY_C(function)(x[k]); \
        return x; \
    }
NBODY_EACH(sqrt, sqrt)
NBODY_EACH(floor, floor)
NBODY_EACH(ceil, ceil)
NBODY_EACH(trunc, trunc)
NBODY_EACH(round_ties_even, rint)
NBODY_INLINE Register mul_add(Register a, Register b, Register c)
{
    for (size_t k = 0; k < N; ++k) c[k] = NBODY_C(fma)(a[k], b[k], c[k]);
    return c;
}
NBODY_INLINE Register min(Register a, Register b)
{
    return select(eq(a, a), select(lt(b, a), b, a), b);
}
NBODY_INLINE Register max(Register a, Register b)
{
    return select(eq(a, a), select(lt(a, b), b, a), b);
}
#undef NBODY_EACH
#endif

NBODY_INLINE Register mul_sub(Register a, Register b, Register c) { return mul_add(a, b, -c); }
NBODY_INLINE Register neg_mul_add(Register a, Register b, Register c) { return mul_add(-a, b, c); }
NBODY_INLINE Register min_with_number(Register x, Register number) { return min(x, number); }
NBODY_INLINE Register rsqrt_estimate(Register x) { return x; }
NBODY_INLINE Register recip_estimate(Register x) { return x; }

NBODY_INLINE Register copysign(Register x, Register sign)
{
    const U32 mask = bits(broadcast(-0.0));
    return from_bits((mask & bits(sign)) | U32{~mask.bits & bits(x).bits});
}
NBODY_INLINE Register abs(Register x)
{
    return from_bits(U32{~bits(broadcast(-0.0)).bits & bits(x).bits});
}

// Reduces modulo 2^32.
NBODY_INLINE U32 wrapped(U32 x) { return x & U32::splat(~uint32_t{0}); }
NBODY_INLINE U32 product(U32 a, U32 b) { return {a.bits * b.bits}; }
// Returns the upper half of a product of 64 bits.
NBODY_INLINE U32 high(U32 a, U32 b)
{
    for (size_t k = 0; k < N; ++k) a.bits[k] = uint64_t{a.bits[k]} * b.bits[k] >> 32;
    return a;
}
NBODY_INLINE U32 shl(U32 x, int n) { return {x.bits << n}; }
NBODY_INLINE U32 shr(U32 x, int n) { return {x.bits >> n}; }
NBODY_INLINE U32 shl(U32 x, U32 n) { return {x.bits << n.bits}; }
NBODY_INLINE U32 shr(U32 x, U32 n) { return {x.bits >> n.bits}; }
NBODY_INLINE Register from_integers(U32 x)
{
    return __builtin_convertvector(wrapped(x).bits, Register);
}

// Reduces all elements to one by a commutative operation.
template <class Operation> NBODY_INLINE Element fold(Register x, Operation operation)
{
#if NBODY_IS_DOUBLE
    return operation(x, Register{x[1], x[0]})[0];
#else
    x = operation(x, Register{x[1], x[0], x[3], x[2]});
    return operation(x, Register{x[2], x[3], x[0], x[1]})[0];
#endif
}

NBODY_INLINE Element sum(Register x)
{
    return fold(x, [](Register a, Register b) { return a + b; });
}

} // namespace level

} // namespace nbody
