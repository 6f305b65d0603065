#include "header.cuh"

namespace nbody::law {

struct Yukawa {
    real kappa;
    real switch_;
    real end;
};

struct alignas(packing(3 * COORDINATE + 1)) Atom {
    Point<3> pos;
    real charge;
};

struct Force {
    Vector<3> force;
    real energy;
};

// Falls from 1 to 0 between two distances.
__device__ __forceinline__ real fall(real r, real switch_, real end)
{
    if (r <= switch_) {
        return real(1.0);
    }
    const real x = divide(r - switch_, end - switch_);
    return real(1.0) - x * x * (real(3.0) - real(2.0) * x);
}

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Yukawa &self, const Space &space, const Atom &i, const Atom &j, Force &f)
{
    const real r = norm(space.difference(i.pos, j.pos));
    const real e = divide(i.charge * j.charge * exp(-self.kappa * r), r)
        * fall(r, self.switch_, self.end);
    f.energy += real(0.5) * e;
    // The force on i.
    const real part = self.end - self.switch_;
    const real part_2 = real(2.0) * divide(r - self.switch_, part);
    f.force -= divide((r <= self.switch_ ? real(0.0)
        : divide(divide(i.charge * j.charge * exp(-self.kappa * r), r) * part_2
        * (real(0.5) * part_2 - (real(3.0) - part_2)), part)) - e
        * (divide(real(1.0), r) + self.kappa), r) * space.difference(i.pos, j.pos);
}

// Adds to f what j does to i, and to g what i does to j.
__device__ __forceinline__ void pair_symmetric(
    const Yukawa &self, const Space &space, const Atom &i, const Atom &j, Force &f, Force &g)
{
    const real r = norm(space.difference(i.pos, j.pos));
    const real e = divide(i.charge * j.charge * exp(-self.kappa * r), r)
        * fall(r, self.switch_, self.end);
    f.energy += real(0.5) * e;
    g.energy += real(0.5) * e;
    // The force on i.
    const real part = self.end - self.switch_;
    const real part_2 = real(2.0) * divide(r - self.switch_, part);
    const real force_factor = divide((r <= self.switch_ ? real(0.0)
        : divide(divide(i.charge * j.charge * exp(-self.kappa * r), r) * part_2
        * (real(0.5) * part_2 - (real(3.0) - part_2)), part)) - e
        * (divide(real(1.0), r) + self.kappa), r);
    const Vector<3> pos_i_minus_pos_j = space.difference(i.pos, j.pos);
    f.force -= force_factor * pos_i_minus_pos_j;
    g.force += force_factor * pos_i_minus_pos_j;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Yukawa;
using ParticleI = law::Atom;
using ParticleJ = law::Atom;
using Accumulators = law::Force;
constexpr int IDIM = 3 * COORDINATE + 1;
constexpr int JDIM = 3 * COORDINATE + 1;
constexpr int FDIM = 4;
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
    total[0] += f.force.x;
    total[1] += f.force.y;
    total[2] += f.force.z;
    total[3] += f.energy;
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    for (int k = 0; k < FDIM; ++k) total[k] += part[k];
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    compensate(term.force, f.force, lost.force);
    compensate(term.energy, f.energy, lost.energy);
}

} // namespace nbody
