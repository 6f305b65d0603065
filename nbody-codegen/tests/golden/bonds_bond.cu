#include "particle_header.cuh"

namespace nbody::law {

// A bond that breaks.
struct Bond {
    real extent; // Extent at which it breaks.
};

struct Atom {
    Point<3> pos;
    alignas(sizeof(real)) u32 kind;
};

// The parameters of a bond.
struct Spring {
    real k;
    real length;
};

struct Force {
    Vector<3> force;
    real pot;
    u32 broken;
};

// Pulls both atoms.
__device__ __forceinline__ void tuple(
    const Bond &self, const Space &space, const Spring &t, const Atom &a, const Atom &b, Force &f,
    Force &g)
{
    const Vector<3> d = space.difference(a.pos, b.pos);
    const real r = norm(d);
    if (r > self.extent) {
        f.broken += 1u;
        g.broken += b.kind;
        return;
    }
    const real e = real(0.5) * t.k * powi<2>(r - t.length);
    f.force -= divide(real(2.0) * (real(0.5) * t.k) * (r - t.length), r) * d;
    g.force -= -(divide(real(2.0) * (real(0.5) * t.k) * (r - t.length), r) * d);
    f.pot += real(0.5) * e;
    g.pot += real(0.5) * e;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Bond;
using ParticleP = law::Atom;
using TupleT = law::Spring;
constexpr int PDIM = 4;
constexpr int TDIM = 2;
using Accumulators = law::Force;
constexpr int FDIM = 5;
constexpr int MEMBERS = 2; // particles of a tuple

// Calls a function of `visit` with each number of a record, and its place.
template <typename Visit>
__device__ __forceinline__ void each_number(law::Spring &record, Visit &visit)
{
    visit.real(0, record.k);
    visit.real(1, record.length);
}

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
    const Parameters &self, const Space &space, const TupleT &t, const ParticleP (&p)[MEMBERS],
    Accumulators (&f)[MEMBERS])
{
    law::tuple(self, space, t, p[0], p[1], f[0], f[1]);
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
