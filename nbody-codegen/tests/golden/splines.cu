#include "header.cuh"

namespace nbody::law {

struct Tabulated {
    alignas(sizeof(real)) u32 kind;
    Spline<64> energy; // An energy over the square of the distance.
    real scale;
    Spline<9> density;
    Splines<3, 3, 12> of_pair; // Energies over the distance, by the kinds of i and j.
    Splines<3, 1, 5> of_kind;
};

struct alignas(packing(3 * COORDINATE + 2)) Atom {
    Point<3> pos;
    real density;
    alignas(sizeof(real)) u32 kind;
};

struct Sums {
    real energy;
    Vector<3> force;
    real bend;
};

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Tabulated &self, const Space &space, const Atom &i, const Atom &j, Sums &f)
{
    const real r2 = norm2(space.difference(i.pos, j.pos));
    const real e = self.energy.at(r2) + self.scale * self.density.at(i.density * sqrt(r2));
    if (j.kind == self.kind) {
        f.energy += e;
    }
    const real part = sqrt(r2);
    f.force -= (divide(self.scale * i.density * self.density.slope(i.density * part), part)
        + real(2.0) * self.energy.slope(r2)) * space.difference(i.pos, j.pos);
    const real r = sqrt(r2);
    const real of_pair = self.of_pair.entry(i.kind, j.kind).at(r)
        * self.of_kind.element(j.kind).at(r);
    f.energy += of_pair + self.of_kind.element(2u).slope(r);
    f.force -= divide(self.of_pair.entry(i.kind, j.kind).at(part)
        * self.of_kind.element(j.kind).slope(part) + self.of_kind.element(j.kind).at(part)
        * self.of_pair.entry(i.kind, j.kind).slope(part), part) * space.difference(i.pos, j.pos);
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        f.bend += self.of_pair.entry(0u, k).curvature(r);
    }
    f.bend += self.density.curvature(i.density + j.density) - self.density.third_derivative(r2);
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Tabulated;
using ParticleI = law::Atom;
using ParticleJ = law::Atom;
using Accumulators = law::Sums;
constexpr int IDIM = 3 * COORDINATE + 2;
constexpr int JDIM = 3 * COORDINATE + 2;
constexpr int FDIM = 5;
constexpr bool SELF_PAIRS = false;
constexpr bool LOOKS_UP = true;
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
    total[0] += f.energy;
    total[1] += f.force.x;
    total[2] += f.force.y;
    total[3] += f.force.z;
    total[4] += f.bend;
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    for (int k = 0; k < FDIM; ++k) total[k] += part[k];
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    compensate(term.energy, f.energy, lost.energy);
    compensate(term.force, f.force, lost.force);
    compensate(term.bend, f.bend, lost.bend);
}

} // namespace nbody
