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
};

constexpr u32 MASK = 65027u;

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
constexpr int FDIM = 2;
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
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] = word<backup>(integer(total[0]) + integer(part[0]));
    total[1] = word<backup>(integer(total[1]) + integer(part[1]));
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    f.count += term.count;
    f.mixed += term.mixed;
}

} // namespace nbody
