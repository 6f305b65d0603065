#include "header.cuh"

namespace nbody::law {

struct Extremes {
    real reach;
};

struct alignas(packing(3 * COORDINATE + 2)) Grain {
    Point<3> pos;
    real charge;
    alignas(sizeof(real)) u32 kind;
};

struct Extent {
    real charge;
    real shortest;
    real longest;
    ArgMin nearest;
    ArgMax farthest;
    Nearest<3> few;
    u32 alike;
    Array<48> bins; // Counts by distance.
};

__device__ __forceinline__ real LEAST() { return rounded(0.0f, 1e-46); }
__device__ __forceinline__ real MOST() { return rounded(-infinity(), -3.5e38); }
constexpr u32 FARTHEST = 24u;

// The distance beyond which a pair contributes nothing.
__device__ __forceinline__ real cutoff(
    const Extremes &self, const Space &, const Grain &i, const Grain &j)
{
    return self.reach;
}

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Extremes &self, const Space &space, const Grain &i, const Grain &j, u32 index, Extent &f)
{
    const real r = norm(space.difference(j.pos, i.pos));
    f.charge += j.charge;
    f.shortest = min(f.shortest, r);
    f.longest = max(f.longest, max(r, MOST()) + LEAST() + rounded(0.0f, 1e-300) + real(0.0));
    take(f.nearest, r, index);
    take(f.farthest, r, index);
    take(f.few, r, index);
    if (i.kind == j.kind) {
        f.alike += 1u;
    }
    for (u32 k = 0; k < 48; ++k) {
        if (r > real(k)) {
            f.bins[k] += real(1.0);
        }
    }
#pragma unroll
    for (u32 k_2 = 0; k_2 < 4; ++k_2) {
        f.bins[k_2 + FARTHEST] += r;
    }
    // One entry, selected by an index.
#pragma unroll
    for (u32 k_3 = 28; k_3 < 32; ++k_3) {
        if (j.kind == k_3 && r < real(2.0)) {
            f.bins[k_3] -= j.charge;
        }
    }
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Extremes;
using ParticleI = law::Grain;
using ParticleJ = law::Grain;
using Accumulators = law::Extent;
constexpr int IDIM = 3 * COORDINATE + 2;
constexpr int JDIM = 3 * COORDINATE + 2;
constexpr int FDIM = 62;
constexpr bool SELF_PAIRS = false;
constexpr bool LOOKS_UP = false;
constexpr bool KEEPS_INDEX = true;
constexpr bool CUTOFF = true;
constexpr bool CUTOFF_READS_J = false;

// Negative at the cutoff and beyond it.
__device__ __forceinline__ real within(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)
{
    const real reach = law::cutoff(self, space, i, j);
    return within_reach(reach, space.difference(j.pos, i.pos));
}

// Whether a pair is at the cutoff or beyond it.
__device__ __forceinline__ bool beyond(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)
{
    const real reach = law::cutoff(self, space, i, j);
    return beyond_reach(reach, space.difference(j.pos, i.pos));
}

// The cutoff of an i-particle.
__device__ __forceinline__ real cutoff_of(
    const Parameters &self, const Space &space, const ParticleI &i)
{
    return law::cutoff(self, space, i, ParticleJ{});
}

// The accumulators before the first pair.
__device__ __forceinline__ Accumulators nothing()
{
    return {{}, infinity(), -infinity(), {infinity(), NONE}, {-infinity(), NONE}, no_neighbours<3, real>(), {}, {}};
}

// The backup accumulators before the first bag.
__device__ __forceinline__ void reset(backup (&total)[FDIM])
{
    for (backup &sum : total) sum = 0;
    total[1] = infinity();
    total[2] = -infinity();
    total[3] = infinity();
    total[4] = word<backup>(NONE);
    total[5] = -infinity();
    total[6] = word<backup>(NONE);
    reset_nearest<3>(total + 7);
}

// Folds the accumulators of one bag into the backup accumulators.
__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])
{
    total[0] += f.charge;
    if (f.shortest < total[1]) total[1] = f.shortest;
    if (f.longest > total[2]) total[2] = f.longest;
    if (comes_first<false>(f.nearest.value, f.nearest.index, total[3], integer(total[4]))) {
        total[3] = f.nearest.value;
        total[4] = word<backup>(f.nearest.index);
    }
    if (comes_first<true>(f.farthest.value, f.farthest.index, total[5], integer(total[6]))) {
        total[5] = f.farthest.value;
        total[6] = word<backup>(f.farthest.index);
    }
    fold_nearest<IN_ORDER>(f.few, total + 7);
    total[13] = word<backup>(integer(total[13]) + f.alike);
#pragma unroll
    for (int k = 0; k < 48; ++k) total[14 + k] += f.bins[k];
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] += part[0];
    if (part[1] < total[1]) total[1] = part[1];
    if (part[2] > total[2]) total[2] = part[2];
    if (part[3] < total[3] || (part[3] == total[3] && integer(part[4]) < integer(total[4]))) {
        total[3] = part[3];
        total[4] = part[4];
    }
    if (part[5] > total[5] || (part[5] == total[5] && integer(part[6]) < integer(total[6]))) {
        total[5] = part[5];
        total[6] = part[6];
    }
    merge_words_of_nearest<3>(part + 7, total + 7);
    total[13] = word<backup>(integer(total[13]) + integer(part[13]));
#pragma unroll
    for (int k = 0; k < 48; ++k) total[14 + k] += part[14 + k];
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    compensate(term.charge, f.charge, lost.charge);
    f.shortest = min(f.shortest, term.shortest);
    f.longest = max(f.longest, term.longest);
    take(f.nearest, term.nearest.value, term.nearest.index);
    take(f.farthest, term.farthest.value, term.farthest.index);
    merge_nearest<IN_ORDER>(term.few, f.few);
    f.alike += term.alike;
    compensate(term.bins, f.bins, lost.bins);
}

} // namespace nbody
