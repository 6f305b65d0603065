#include "header.cuh"

namespace nbody::law {

struct Pairs {
    real width;
};

struct alignas(packing(3 * COORDINATE + 2)) Atom {
    Point<3> pos;
    real mass;
    alignas(sizeof(real)) u32 kind;
};

struct Bins {
    u32 all;
    Counts<64, 0> shells; // By distance.
    Array<3> weight;
    Counts<3, 64> kinds;
    real last;
};

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Pairs &self, const Space &space, const Atom &i, const Atom &j, Bins &f)
{
    const real r = norm(space.difference(j.pos, i.pos));
    f.all += 1u;
    const u32 bin = to_u32(divide(r, self.width));
    // By distance.
    add_at(f.shells, bin, 1u);
    if (r < real(4.0) * self.width) {
        const real term = j.mass * i.mass;
#pragma unroll
        for (u32 k_2 = 0; k_2 < 3; ++k_2) {
            if (j.kind == k_2) {
                f.weight[k_2] += term;
            }
        }
        const real term_2 = real(0.5) * r;
#pragma unroll
        for (u32 k_3 = 0; k_3 < 3; ++k_3) {
            if (i.kind == k_3) {
                f.weight[k_3] -= term_2;
            }
        }
        add_at(f.kinds, j.kind, 1u);
        f.kinds[2] += 3u;
    }
    f.last += r;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Pairs;
using ParticleI = law::Atom;
using ParticleJ = law::Atom;
using Accumulators = law::Bins;
constexpr int IDIM = 3 * COORDINATE + 2;
constexpr int JDIM = 3 * COORDINATE + 2;
constexpr int FDIM = 5 + kept(67);
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
    total[0] = word<backup>(integer(total[0]) + f.all);
    fold_counts(f.shells, total + 1);
    total[1 + kept(64)] += f.weight[0];
    total[2 + kept(64)] += f.weight[1];
    total[3 + kept(64)] += f.weight[2];
    fold_counts(f.kinds, total + 4 + kept(64));
    total[4 + kept(67)] += f.last;
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] = word<backup>(integer(total[0]) + integer(part[0]));
    merge_counts<kept(64)>(part + 1, total + 1);
    total[1 + kept(64)] += part[1 + kept(64)];
    total[2 + kept(64)] += part[2 + kept(64)];
    total[3 + kept(64)] += part[3 + kept(64)];
    merge_counts<kept(3)>(part + 4 + kept(64), total + 4 + kept(64));
    total[4 + kept(67)] += part[4 + kept(67)];
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    f.all += term.all;
    add_counts(term.shells, f.shells);
    compensate(term.weight, f.weight, lost.weight);
    add_counts(term.kinds, f.kinds);
    compensate(term.last, f.last, lost.last);
}

} // namespace nbody
