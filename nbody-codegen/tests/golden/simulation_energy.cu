#include "particle_header.cuh"

namespace nbody::law {

struct Body {
    Point<3> pos;
    Vector<3> vel;
    real mass;
    alignas(sizeof(real)) u32 kind;
};

struct Field {
    Vector<3> acc;
    real pot;
    ArgMin nearest;
    u32 near;
    real closest;
    Nearest<2> few;
};

// The conserved quantities of a system.
struct Total {
    real kinetic;
    real potential;
    Vector<3> momentum;
    ArgMin slowest;
    ArgMax fastest;
    u32 fixed;
};

struct Energy {
};

// Adds to t what p contributes.
__device__ __forceinline__ void measure(
    const Energy &self, const Space &, const Body &p, const Field &f, u32 index, Total &t)
{
    const real v2 = norm2(p.vel);
    t.kinetic += real(0.5) * p.mass * v2;
    t.potential += real(0.5) * p.mass * f.pot;
    t.momentum += p.mass * p.vel;
    take(t.slowest, v2, index);
    take(t.fastest, v2, index);
    if (p.kind == 1u) {
        t.fixed += 1u;
    }
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Energy;
using ParticleP = law::Body;
using ParticleQ = Nothing;
using ResultsF = law::Field;
using TotalG = Nothing;
constexpr int PDIM = 8;
constexpr int QDIM = 0;
constexpr int RDIM = 12;
constexpr int GDIM = 0;
constexpr int GATHERS = 0; // of second particles by an index
using Accumulators = law::Total;
constexpr int FDIM = 10;

// Calls a function of `visit` with each number of a record, and its place.
template <typename Visit>
__device__ __forceinline__ void each_number(law::Body &record, Visit &visit)
{
    visit.coordinate(0, record.pos.x);
    visit.coordinate(1, record.pos.y);
    visit.coordinate(2, record.pos.z);
    visit.real(3, record.vel.x);
    visit.real(4, record.vel.y);
    visit.real(5, record.vel.z);
    visit.real(6, record.mass);
    visit.index(7, record.kind);
}

// Calls a function of `visit` with each number of a record, and its place.
template <typename Visit>
__device__ __forceinline__ void each_number(law::Field &record, Visit &visit)
{
    visit.real(0, record.acc.x);
    visit.real(1, record.acc.y);
    visit.real(2, record.acc.z);
    visit.real(3, record.pot);
    visit.real(4, record.nearest.value);
    visit.index(5, record.nearest.index);
    visit.index(6, record.near);
    visit.real(7, record.closest);
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
        visit.real(8 + k, record.few.values[k]);
        visit.index(10 + k, record.few.indices[k]);
    }
}

// Runs the program for one particle.
template <typename Others>
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, const ParticleP &p, const ParticleQ &,
    const ResultsF &f, const TotalG &, const Others &, u32 index, Accumulators &t)
{
    law::measure(self, space, p, f, index, t);
}

// The accumulators before the first pair.
__device__ __forceinline__ Accumulators nothing()
{
    return {{}, {}, {}, {infinity(), NONE}, {-infinity(), NONE}, {}};
}

// The backup accumulators before the first bag.
__device__ __forceinline__ void reset(backup (&total)[FDIM])
{
    for (backup &sum : total) sum = 0;
    total[5] = infinity();
    total[6] = word<backup>(NONE);
    total[7] = -infinity();
    total[8] = word<backup>(NONE);
}

// Folds the accumulators of one bag into the backup accumulators.
__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])
{
    total[0] += f.kinetic;
    total[1] += f.potential;
    total[2] += f.momentum.x;
    total[3] += f.momentum.y;
    total[4] += f.momentum.z;
    if (comes_first<false>(f.slowest.value, f.slowest.index, total[5], integer(total[6]))) {
        total[5] = f.slowest.value;
        total[6] = word<backup>(f.slowest.index);
    }
    if (comes_first<true>(f.fastest.value, f.fastest.index, total[7], integer(total[8]))) {
        total[7] = f.fastest.value;
        total[8] = word<backup>(f.fastest.index);
    }
    total[9] = word<backup>(integer(total[9]) + f.fixed);
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] += part[0];
    total[1] += part[1];
    total[2] += part[2];
    total[3] += part[3];
    total[4] += part[4];
    if (part[5] < total[5] || (part[5] == total[5] && integer(part[6]) < integer(total[6]))) {
        total[5] = part[5];
        total[6] = part[6];
    }
    if (part[7] > total[7] || (part[7] == total[7] && integer(part[8]) < integer(total[8]))) {
        total[7] = part[7];
        total[8] = part[8];
    }
    total[9] = word<backup>(integer(total[9]) + integer(part[9]));
}

} // namespace nbody
