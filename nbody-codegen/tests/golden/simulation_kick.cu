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

// Changes velocities by accelerations.
struct Kick {
    real dt; // The step.
};

// Changes p.
__device__ __forceinline__ void update(const Kick &self, const Space &, Body &p, const Field &f)
{
    p.vel += self.dt * f.acc; // a kick
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Kick;
using ParticleP = law::Body;
using ParticleQ = Nothing;
using ResultsF = law::Field;
using TotalG = Nothing;
constexpr int PDIM = 8;
constexpr int QDIM = 0;
constexpr int RDIM = 12;
constexpr int GDIM = 0;
constexpr int GATHERS = 0; // of second particles by an index
// Whether the update assigns each number of the particle.
constexpr bool CHANGES[PDIM] = {false, false, false, true, true, true, false, false};

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
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &f,
    const TotalG &, const Others &)
{
    law::update(self, space, p, f);
}

} // namespace nbody
