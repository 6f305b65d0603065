#include "header.cuh"

namespace nbody::law {

struct Words {
    alignas(sizeof(real)) u32 salt;
    real width;
};

struct alignas(packing(2)) Item {
    alignas(sizeof(real)) u32 kind;
    alignas(sizeof(real)) u32 id;
};

struct Sums {
    u32 count;
    u32 mixed;
    real noise;
};

constexpr u32 MASK = 65027u;

// Returns a normally distributed number: Philox4x32-10, Box-Muller.
__device__ __forceinline__ real gaussian_4(u32 key, u32 counter, u32 second, u32 third)
{
    u32 k0 = key;
    u32 k1 = 0u;
    u32 c0 = counter;
    u32 c1 = second;
    u32 c2 = third;
    u32 c3 = 0u;
#pragma unroll
    for (u32 turn = 0; turn < 10; ++turn) {
        const u32 high0 = mul_high(c0, 3528531795u);
        const u32 high2 = mul_high(c2, 3449720151u);
        const u32 low0 = c0 * 3528531795u;
        const u32 low2 = c2 * 3449720151u;
        c0 = high2 ^ c1 ^ k0;
        c1 = low2;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 2654435769u;
        k1 += 3144134277u;
    }
    const real square = -real(2.0)
        * ln(real(min(c0, 4294967166u) | 1u) * real(2.3283064365386963e-10));
    const real angle = real(6.283185307179586)
        * (real(min(c1, 4294967166u) | 1u) * real(2.3283064365386963e-10) - real(0.5));
    return sqrt(square) * cos(angle);
}

// Returns a random number between 0 and 1: Philox4x32-10.
__device__ __forceinline__ real random_3(u32 key, u32 counter, u32 second)
{
    u32 k0 = key;
    u32 k1 = 0u;
    u32 c0 = counter;
    u32 c1 = second;
    u32 c2 = 0u;
    u32 c3 = 0u;
#pragma unroll
    for (u32 turn = 0; turn < 10; ++turn) {
        const u32 high0 = mul_high(c0, 3528531795u);
        const u32 high2 = mul_high(c2, 3449720151u);
        const u32 low0 = c0 * 3528531795u;
        const u32 low2 = c2 * 3449720151u;
        c0 = high2 ^ c1 ^ k0;
        c1 = low2;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 2654435769u;
        k1 += 3144134277u;
    }
    return real(min(c0, 4294967166u) | 1u) * real(2.3283064365386963e-10);
}

// Returns a random word: Philox4x32-10.
__device__ __forceinline__ u32 random_bits_2(u32 key, u32 counter)
{
    u32 k0 = key;
    u32 k1 = 0u;
    u32 c0 = counter;
    u32 c1 = 0u;
    u32 c2 = 0u;
    u32 c3 = 0u;
#pragma unroll
    for (u32 turn = 0; turn < 10; ++turn) {
        const u32 high0 = mul_high(c0, 3528531795u);
        const u32 high2 = mul_high(c2, 3449720151u);
        const u32 low0 = c0 * 3528531795u;
        const u32 low2 = c2 * 3449720151u;
        c0 = high2 ^ c1 ^ k0;
        c1 = low2;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 2654435769u;
        k1 += 3144134277u;
    }
    return c0;
}

__device__ __forceinline__ u32 hash(u32 n)
{
    u32 h = n;
    h ^= h >> 16u;
    h *= 2146121005u;
    return h ^ (h >> 15u);
}

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Words &self, const Space &, const Item &i, const Item &j, Sums &f)
{
    const u32 a = hash(i.kind + self.salt);
    const u32 b = hash(j.kind << 9u) >> (j.id * 7u % 32u);
    f.count += quotient(a, b) + a / 10u * 3u + remainder(a, b) * 2u;
    // More bits than there are.
    f.count += (a << 1u) + (b << ((i.id + 1u) % 32u)) - remainder(a, b + 1u);
    u32 n = ~(a & b & MASK);
    n /= 3u;
    n = remainder(n, j.kind);
    n <<= (i.kind + 1u) % 32u;
    n >>= 2u;
    f.mixed += (n << 4u) | (n >> 28u);
    f.mixed += rotate_left(n, 4u) + mul_high(a, b | 1u) * max(min(i.id, j.id), 3u);
    const u32 least = min(i.id, j.id);
    const u32 most = max(i.id, j.id);
    f.noise += random_3(self.salt, least, most) - gaussian_4(self.salt, i.id, j.id, 1u);
    f.mixed += random_bits_2(self.salt, i.kind);
    const u32 share = to_u32(divide(real(a), self.width));
    f.mixed += share + to_u32(real(share) * real(0.5) - real(1.0));
    f.mixed += count_ones(a ^ b) + rotate_left(8u, 33u) + mul_high(i.kind, j.kind);
}

// Adds to f what j does to i, and to g what i does to j.
__device__ __forceinline__ void pair_symmetric(
    const Words &self, const Space &, const Item &i, const Item &j, Sums &f, Sums &g)
{
    const u32 a = hash(i.kind + self.salt);
    const u32 a_back = hash(j.kind + self.salt);
    const u32 b = hash(j.kind << 9u) >> (j.id * 7u % 32u);
    const u32 b_back = hash(i.kind << 9u) >> (i.id * 7u % 32u);
    f.count += quotient(a, b) + a / 10u * 3u + remainder(a, b) * 2u;
    g.count += quotient(a_back, b_back) + a_back / 10u * 3u + remainder(a_back, b_back) * 2u;
    // More bits than there are.
    f.count += (a << 1u) + (b << ((i.id + 1u) % 32u)) - remainder(a, b + 1u);
    g.count += (a_back << 1u) + (b_back << ((j.id + 1u) % 32u)) - remainder(a_back, b_back + 1u);
    u32 n = ~(a & b & MASK);
    u32 n_back = ~(a_back & b_back & MASK);
    n /= 3u;
    n_back /= 3u;
    n = remainder(n, j.kind);
    n_back = remainder(n_back, i.kind);
    n <<= (i.kind + 1u) % 32u;
    n_back <<= (j.kind + 1u) % 32u;
    n >>= 2u;
    n_back >>= 2u;
    f.mixed += (n << 4u) | (n >> 28u);
    g.mixed += (n_back << 4u) | (n_back >> 28u);
    f.mixed += rotate_left(n, 4u) + mul_high(a, b | 1u) * max(min(i.id, j.id), 3u);
    g.mixed += rotate_left(n_back, 4u) + mul_high(a_back, b_back | 1u) * max(min(i.id, j.id), 3u);
    const u32 least = min(i.id, j.id);
    const u32 most = max(i.id, j.id);
    const real noise_part = random_3(self.salt, least, most);
    f.noise += noise_part - gaussian_4(self.salt, i.id, j.id, 1u);
    g.noise += noise_part - gaussian_4(self.salt, j.id, i.id, 1u);
    f.mixed += random_bits_2(self.salt, i.kind);
    g.mixed += random_bits_2(self.salt, j.kind);
    const real inverse_width = divide(real(1.0), self.width);
    const u32 share = to_u32(real(a) * inverse_width);
    const u32 share_back = to_u32(real(a_back) * inverse_width);
    f.mixed += share + to_u32(real(share) * real(0.5) - real(1.0));
    g.mixed += share_back + to_u32(real(share_back) * real(0.5) - real(1.0));
    f.mixed += count_ones(a ^ b) + rotate_left(8u, 33u) + mul_high(i.kind, j.kind);
    g.mixed += count_ones(a_back ^ b_back) + rotate_left(8u, 33u) + mul_high(i.kind, j.kind);
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Words;
using ParticleI = law::Item;
using ParticleJ = law::Item;
using Accumulators = law::Sums;
constexpr int IDIM = 2;
constexpr int JDIM = 2;
constexpr int FDIM = 3;
constexpr bool SELF_PAIRS = false;
constexpr bool LOOKS_UP = false;
constexpr bool KEEPS_INDEX = false;
constexpr bool CUTOFF = false;
constexpr bool CUTOFF_READS_J = false;

// The accumulators before the first pair.
__device__ __forceinline__ Accumulators nothing()
{
    return {};
}

// The backup accumulators before the first bag.
__device__ __forceinline__ void reset(backup (&total)[FDIM])
{
    for (backup &sum : total) sum = 0;
}

// Folds the accumulators of one bag into the backup accumulators.
__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])
{
    total[0] = word<backup>(integer(total[0]) + f.count);
    total[1] = word<backup>(integer(total[1]) + f.mixed);
    total[2] += f.noise;
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] = word<backup>(integer(total[0]) + integer(part[0]));
    total[1] = word<backup>(integer(total[1]) + integer(part[1]));
    total[2] += part[2];
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    f.count += term.count;
    f.mixed += term.mixed;
    compensate(term.noise, f.noise, lost.noise);
}

} // namespace nbody
