#include "header.cuh"

namespace nbody::law {

struct Hermite {
    real eps2;
};

struct alignas(packing(3 * COORDINATE + 4)) Body {
    Point<3> pos;
    Vector<3> vel;
    real mass;
};

struct Field {
    Vector<3> acc;
    Vector<3> jerk;
};

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Hermite &self, const Space &space, const Body &i, const Body &j, Field &f)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    const real rinv = rsqrt(norm2_plus(d, self.eps2));
    const Vector<3> a = j.mass * powi<3>(rinv) * d;
    f.acc += a;
    // The rate of the acceleration.
    const Vector<3> part = j.vel - i.vel;
    f.jerk += j.mass * powi<3>(rinv) * (part - real(3.0) * powi<2>(rinv) * dot(part, d) * d);
}

// Adds to f what j does to i, and to g what i does to j.
__device__ __forceinline__ void pair_symmetric(
    const Hermite &self, const Space &space, const Body &i, const Body &j, Field &f, Field &g)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    const real rinv = rsqrt(norm2_plus(d, self.eps2));
    const real rinv3 = powi<3>(rinv);
    f.acc += j.mass * rinv3 * d;
    g.acc -= i.mass * rinv3 * d;
    // The rate of the acceleration.
    const Vector<3> part = j.vel - i.vel;
    const Vector<3> jerk_factor = part - real(3.0) * powi<2>(rinv) * dot(part, d) * d;
    f.jerk += j.mass * rinv3 * jerk_factor;
    g.jerk -= i.mass * rinv3 * jerk_factor;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Hermite;
using ParticleI = law::Body;
using ParticleJ = law::Body;
using Accumulators = law::Field;
constexpr int IDIM = 3 * COORDINATE + 4;
constexpr int JDIM = 3 * COORDINATE + 4;
constexpr int FDIM = 6;
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
    total[0] += f.acc.x;
    total[1] += f.acc.y;
    total[2] += f.acc.z;
    total[3] += f.jerk.x;
    total[4] += f.jerk.y;
    total[5] += f.jerk.z;
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    for (int k = 0; k < FDIM; ++k) total[k] += part[k];
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    compensate(term.acc, f.acc, lost.acc);
    compensate(term.jerk, f.jerk, lost.jerk);
}

} // namespace nbody
