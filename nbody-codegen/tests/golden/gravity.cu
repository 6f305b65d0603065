#include "header.cuh"

namespace nbody::law {

// Newtonian gravity with Plummer softening; G = 1.
struct Gravity {
    real eps2; // Squared softening length.
};

struct alignas(packing(3 * COORDINATE + 1)) Body {
    Point<3> pos;
    real mass;
};

struct Field {
    Vector<3> acc;
    real pot;
};

// Adds to f what j does to i.
__device__ __forceinline__ void pair(
    const Gravity &self, const Space &space, const Body &i, const Body &j, Field &f)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    // Softening keeps close encounters finite.
    const real rinv = rsqrt(norm2_plus(d, self.eps2));
    const real mr = j.mass * rinv; // the potential of j
    f.acc += mr * rinv * rinv * d;
    f.pot -= mr;
}

// Adds to f what j does to i, and to g what i does to j.
__device__ __forceinline__ void pair_symmetric(
    const Gravity &self, const Space &space, const Body &i, const Body &j, Field &f, Field &g)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    // Softening keeps close encounters finite.
    const real rinv = rsqrt(norm2_plus(d, self.eps2));
    const real rinv3 = rinv * rinv * rinv;
    f.acc += j.mass * rinv3 * d;
    g.acc -= i.mass * rinv3 * d;
    f.pot -= j.mass * rinv;
    g.pot -= i.mass * rinv;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Gravity;
using ParticleI = law::Body;
using ParticleJ = law::Body;
using Accumulators = law::Field;
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
    total[0] += f.acc.x;
    total[1] += f.acc.y;
    total[2] += f.acc.z;
    total[3] += f.pot;
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
    compensate(term.pot, f.pot, lost.pot);
}

} // namespace nbody
