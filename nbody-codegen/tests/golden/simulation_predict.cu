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

// A particle that takes part or not, with a table of powers.
struct Star {
    Point<3> pos;
    Vector<3> acc;
    real dt;
    Array<3> powers;
    alignas(sizeof(real)) u32 active;
};

struct Predict {
    real time;
};

__device__ __forceinline__ real half(real x)
{
    return real(0.5) * x;
}

// Changes body.
__device__ __forceinline__ void update(
    const Predict &self, const Space &, Body &body, const Star &star, const Field &field)
{
    body.kind = star.active;
    if (star.active == 0u || field.near == 0u) {
        body.pos = star.pos;
    } else {
        const real dt = self.time - star.dt;
        body.pos -= dt * (body.vel - real(0.5) * dt * star.acc);
#pragma unroll
        for (u32 k = 0; k < 3; ++k) {
            body.vel[k] += star.powers[k];
        }
        body.vel.x *= half(field.nearest.value);
        body.mass = max(field.closest, real(1.0));
    }
#pragma unroll
    for (u32 k_2 = 0; k_2 < 2; ++k_2) {
        body.mass += field.few.values[k_2];
        body.kind += field.few.indices[k_2];
    }
    if (field.nearest.index == 7u && field.few.indices[1] > 2u) {
        body.kind |= 4u;
        body.mass = divide(body.mass, real(2.0));
    }
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Predict;
using ParticleP = law::Body;
using ParticleQ = law::Star;
using ResultsF = law::Field;
using TotalG = Nothing;
constexpr int PDIM = 8;
constexpr int QDIM = 11;
constexpr int RDIM = 12;
constexpr int GDIM = 0;
constexpr int GATHERS = 0; // of second particles by an index
// Whether the update assigns each number of the particle.
constexpr bool CHANGES[PDIM] = {true, true, true, true, true, true, true, true};

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
__device__ __forceinline__ void each_number(law::Star &record, Visit &visit)
{
    visit.coordinate(0, record.pos.x);
    visit.coordinate(1, record.pos.y);
    visit.coordinate(2, record.pos.z);
    visit.real(3, record.acc.x);
    visit.real(4, record.acc.y);
    visit.real(5, record.acc.z);
    visit.real(6, record.dt);
#pragma unroll
    for (u32 k = 0; k < 3; ++k) visit.real(7 + k, record.powers[k]);
    visit.index(10, record.active);
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
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &q, const ResultsF &f,
    const TotalG &, const Others &)
{
    law::update(self, space, p, q, f);
}

} // namespace nbody
