#include "particle_header.cuh"

namespace nbody::law {

struct Body {
    Point<3> pos;
    Vector<3> vel;
    real mass;
    alignas(sizeof(real)) u32 kind;
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

// Scales velocities to a kinetic energy.
struct Rescale {
    real kinetic;
};

// Changes p.
__device__ __forceinline__ void update(
    const Rescale &self, const Space &, Body &p, const Total &all)
{
    p.vel -= all.momentum / all.kinetic;
    p.vel *= sqrt(divide(self.kinetic, all.kinetic));
    p.kind = all.slowest.index + all.fixed;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Rescale;
using ParticleP = law::Body;
using ParticleQ = Nothing;
using ResultsF = Nothing;
using TotalG = law::Total;
constexpr int PDIM = 8;
constexpr int QDIM = 0;
constexpr int RDIM = 0;
constexpr int GDIM = 10;
constexpr int GATHERS = 0; // of second particles by an index
// Whether the update assigns each number of the particle.
constexpr bool CHANGES[PDIM] = {false, false, false, true, true, true, false, true};

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
__device__ __forceinline__ void each_number(law::Total &record, Visit &visit)
{
    visit.real(0, record.kinetic);
    visit.real(1, record.potential);
    visit.real(2, record.momentum.x);
    visit.real(3, record.momentum.y);
    visit.real(4, record.momentum.z);
    visit.real(5, record.slowest.value);
    visit.index(6, record.slowest.index);
    visit.real(7, record.fastest.value);
    visit.index(8, record.fastest.index);
    visit.index(9, record.fixed);
}

// Runs the program for one particle.
template <typename Others>
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &,
    const TotalG &g, const Others &)
{
    law::update(self, space, p, g);
}

} // namespace nbody
