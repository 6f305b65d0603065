#include "header.cuh"

namespace nbody::law {

// Harmonic repulsion; a shear that particles feel.
struct Spring {
    real k;
    Array<6> shear;
};

struct alignas(packing(3 * COORDINATE + 8)) Atom {
    Point<3> pos;
    Array<6> strain;
    Vector<2> flat;
};

struct Force {
    Vector<3> force;
    Array<6> virial;
    Array<3> flat;
    Array<1> line;
};

// The part of a tensor without a trace.
__device__ __forceinline__ Array<6> deviator(Array<6> t)
{
    const real p = divide(t[0] + t[1] + t[2], real(3.0));
    return Array<6>{t[0] - p, t[1] - p, t[2] - p, t[3] - real(0.0), t[4] - real(0.0), t[5]
        - real(0.0)};
}

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Spring &self, const Space &space, const Atom &i, const Atom &j, Force &f)
{
    const Vector<3> d = space.difference(i.pos, j.pos);
    const Vector<3> push = self.k * d
        + Vector<3>{self.shear[0] * d.x + self.shear[3] * d.y + self.shear[4] * d.z, self.shear[3]
        * d.x + self.shear[1] * d.y + self.shear[5] * d.z, self.shear[4] * d.x + self.shear[5] * d.y
        + self.shear[2] * d.z};
    // Half for each particle.
    f.virial[0] += real(0.5) * (d.x * push.x);
    f.virial[1] += real(0.5) * (d.y * push.y);
    f.virial[2] += real(0.5) * (d.z * push.z);
    f.virial[3] += real(0.25) * (d.x * push.y + d.y * push.x);
    f.virial[4] += real(0.25) * (d.x * push.z + d.z * push.x);
    f.virial[5] += real(0.25) * (d.y * push.z + d.z * push.y);
    f.force += push;
    Array<6> t = norm2(d) < real(1.0) ? i.strain : deviator(j.strain);
    t[3] += d.x;
    t = Array<6>{t[0] * real(2.0), t[1] * real(2.0), t[2] * real(2.0), t[3] * real(2.0), t[4]
        * real(2.0), t[5] * real(2.0)};
    t = Array<6>{t[0] - divide(-j.strain[0], self.k), t[1] - divide(-j.strain[1], self.k), t[2]
        - divide(-j.strain[2], self.k), t[3] - divide(-j.strain[3], self.k), t[4]
        - divide(-j.strain[4], self.k), t[5] - divide(-j.strain[5], self.k)};
    f.virial[0] -= t[0];
    f.virial[1] -= t[1];
    f.virial[2] -= t[2];
    f.virial[3] -= t[3];
    f.virial[4] -= t[4];
    f.virial[5] -= t[5];
    f.virial[5] += Vector<3>{t[0] * d.x + t[3] * d.y + t[4] * d.z, t[3] * d.x + t[1] * d.y + t[5]
        * d.z, t[4] * d.x + t[5] * d.y + t[2] * d.z}.z;
    const Vector<2> side = i.flat - j.flat;
    f.flat[0] += side.x * side.x;
    f.flat[1] += side.y * side.y;
    f.flat[2] += side.x * side.y;
    f.line[0] += d.y;
}

// Adds to f what j does to i, and to g what i does to j.
__device__ __forceinline__ void pair_symmetric(
    const Spring &self, const Space &space, const Atom &i, const Atom &j, Force &f, Force &g)
{
    const Vector<3> d = space.difference(i.pos, j.pos);
    const Vector<3> push = self.k * d
        + Vector<3>{self.shear[0] * d.x + self.shear[3] * d.y + self.shear[4] * d.z, self.shear[3]
        * d.x + self.shear[1] * d.y + self.shear[5] * d.z, self.shear[4] * d.x + self.shear[5] * d.y
        + self.shear[2] * d.z};
    // Half for each particle.
    const real virial_factor = real(0.5) * d.x;
    f.virial[0] += virial_factor * push.x;
    g.virial[0] += virial_factor * push.x;
    const real virial_factor_2 = real(0.5) * d.y;
    f.virial[1] += virial_factor_2 * push.y;
    g.virial[1] += virial_factor_2 * push.y;
    const real virial_factor_3 = real(0.5) * d.z;
    f.virial[2] += virial_factor_3 * push.z;
    g.virial[2] += virial_factor_3 * push.z;
    const real virial_factor_4 = d.x * push.y + d.y * push.x;
    f.virial[3] += real(0.25) * virial_factor_4;
    g.virial[3] += real(0.25) * virial_factor_4;
    const real virial_factor_5 = d.x * push.z + d.z * push.x;
    f.virial[4] += real(0.25) * virial_factor_5;
    g.virial[4] += real(0.25) * virial_factor_5;
    const real virial_factor_6 = d.y * push.z + d.z * push.y;
    f.virial[5] += real(0.25) * virial_factor_6;
    g.virial[5] += real(0.25) * virial_factor_6;
    f.force += push;
    g.force -= push;
    Array<6> t = norm2(d) < real(1.0) ? i.strain : deviator(j.strain);
    Array<6> t_back = norm2(d) < real(1.0) ? j.strain : deviator(i.strain);
    t[3] += d.x;
    t_back[3] -= d.x;
    t = Array<6>{t[0] * real(2.0), t[1] * real(2.0), t[2] * real(2.0), t[3] * real(2.0), t[4]
        * real(2.0), t[5] * real(2.0)};
    t_back = Array<6>{t_back[0] * real(2.0), t_back[1] * real(2.0), t_back[2] * real(2.0), t_back[3]
        * real(2.0), t_back[4] * real(2.0), t_back[5] * real(2.0)};
    const real inverse_k = divide(real(1.0), self.k);
    t = Array<6>{t[0] + j.strain[0] * inverse_k, t[1] + j.strain[1] * inverse_k, t[2] + j.strain[2]
        * inverse_k, t[3] + j.strain[3] * inverse_k, t[4] + j.strain[4] * inverse_k, t[5]
        + j.strain[5] * inverse_k};
    t_back = Array<6>{t_back[0] + i.strain[0] * inverse_k, t_back[1] + i.strain[1]
        * inverse_k, t_back[2] + i.strain[2] * inverse_k, t_back[3] + i.strain[3]
        * inverse_k, t_back[4] + i.strain[4] * inverse_k, t_back[5] + i.strain[5] * inverse_k};
    f.virial[0] -= t[0];
    g.virial[0] -= t_back[0];
    f.virial[1] -= t[1];
    g.virial[1] -= t_back[1];
    f.virial[2] -= t[2];
    g.virial[2] -= t_back[2];
    f.virial[3] -= t[3];
    g.virial[3] -= t_back[3];
    f.virial[4] -= t[4];
    g.virial[4] -= t_back[4];
    f.virial[5] -= t[5];
    g.virial[5] -= t_back[5];
    f.virial[5] += Vector<3>{t[0] * d.x + t[3] * d.y + t[4] * d.z, t[3] * d.x + t[1] * d.y + t[5]
        * d.z, t[4] * d.x + t[5] * d.y + t[2] * d.z}.z;
    g.virial[5] -= Vector<3>{t_back[0] * d.x + t_back[3] * d.y + t_back[4] * d.z, t_back[3] * d.x
        + t_back[1] * d.y + t_back[5] * d.z, t_back[4] * d.x + t_back[5] * d.y + t_back[2] * d.z}.z;
    const Vector<2> side = i.flat - j.flat;
    f.flat[0] += side.x * side.x;
    g.flat[0] += side.x * side.x;
    f.flat[1] += side.y * side.y;
    g.flat[1] += side.y * side.y;
    f.flat[2] += side.x * side.y;
    g.flat[2] += side.x * side.y;
    f.line[0] += d.y;
    g.line[0] -= d.y;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Spring;
using ParticleI = law::Atom;
using ParticleJ = law::Atom;
using Accumulators = law::Force;
constexpr int IDIM = 3 * COORDINATE + 8;
constexpr int JDIM = 3 * COORDINATE + 8;
constexpr int FDIM = 13;
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
    total[3] += f.virial[0];
    total[4] += f.virial[1];
    total[5] += f.virial[2];
    total[6] += f.virial[3];
    total[7] += f.virial[4];
    total[8] += f.virial[5];
    total[9] += f.flat[0];
    total[10] += f.flat[1];
    total[11] += f.flat[2];
    total[12] += f.line[0];
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
    compensate(term.virial, f.virial, lost.virial);
    compensate(term.flat, f.flat, lost.flat);
    compensate(term.line, f.line, lost.line);
}

} // namespace nbody
