#include "particle_header.cuh"

namespace nbody::law {

// A bend towards a right angle.
struct Bend {
    real k;
};

struct Atom {
    Point<3> pos;
    alignas(sizeof(real)) u32 kind;
};

struct Force {
    Vector<3> force;
    real pot;
    u32 broken;
};

// Adds the results of the particles of a tuple: fa, fb, fc.
__device__ __forceinline__ void tuple(
    const Bend &self, const Space &space, const Atom &a, const Atom &b, const Atom &c, Force &fa,
    Force &fb, Force &fc)
{
    const Vector<3> p = space.difference(a.pos, b.pos);
    const Vector<3> q = space.difference(c.pos, b.pos);
    const real e = self.k * powi<2>(dot(p, q));
    fa.force -= real(2.0) * self.k * dot(p, q) * q;
    fc.force -= real(2.0) * self.k * dot(p, q) * p;
    fb.force += real(2.0) * self.k * dot(p, q) * q + real(2.0) * self.k * dot(p, q) * p;
    fb.pot += e;
    fb.broken += 1u;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Bend;
using ParticleP = law::Atom;
using TupleT = Nothing;
constexpr int PDIM = 4;
constexpr int TDIM = 0;
using Accumulators = law::Force;
constexpr int FDIM = 5;
constexpr int MEMBERS = 3; // particles of a tuple

// Calls a function of `visit` with each number of a record, and its place.
template <typename Visit>
__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)
{
    visit.coordinate(0, record.pos.x);
    visit.coordinate(1, record.pos.y);
    visit.coordinate(2, record.pos.z);
    visit.index(3, record.kind);
}

// Runs the program for one tuple.
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, const TupleT &, const ParticleP (&p)[MEMBERS],
    Accumulators (&f)[MEMBERS])
{
    law::tuple(self, space, p[0], p[1], p[2], f[0], f[1], f[2]);
}

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
    total[3] += f.pot;
    total[4] = word<backup>(integer(total[4]) + f.broken);
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] += part[0];
    total[1] += part[1];
    total[2] += part[2];
    total[3] += part[3];
    total[4] = word<backup>(integer(total[4]) + integer(part[4]));
}

} // namespace nbody
