#include "particle_header.cuh"

namespace nbody::law {

struct Body {
    Point<3> pos;
    Vector<3> vel;
    real mass;
    alignas(sizeof(real)) u32 kind;
};

struct Drift {
    real dt;
};

// Displaces free particles.
__device__ __forceinline__ void update(const Drift &self, const Space &, Body &p)
{
    // Fixed particles stay.
    if (p.kind == 1u) {
        return;
    }
    p.pos += self.dt * p.vel;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Drift;
using ParticleP = law::Body;
using ParticleQ = Nothing;
using ResultsF = Nothing;
using TotalG = Nothing;
constexpr int PDIM = 8;
constexpr int QDIM = 0;
constexpr int RDIM = 0;
constexpr int GDIM = 0;
constexpr int GATHERS = 0; // of second particles by an index
// Whether the update assigns each number of the particle.
constexpr bool CHANGES[PDIM] = {true, true, true, false, false, false, false, false};

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

// Runs the program for one particle.
template <typename Others>
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &,
    const TotalG &, const Others &)
{
    law::update(self, space, p);
}

} // namespace nbody
