#include "particle_header.cuh"

namespace nbody::law {

struct Body {
    Point<3> pos;
    Vector<3> vel;
    real mass;
    alignas(sizeof(real)) u32 kind;
};

// Draws each body towards another one, the body of its kind.
struct Draw {
    real rate;
};

// Changes p.
template <typename Others>
__device__ __forceinline__ void update(
    const Draw &self, const Space &space, Body &p, const Body &q, const Others &others)
{
    const real others_2 = others.at(p.kind + 1u).mass - q.mass;
    p.pos += self.rate * others_2 * space.difference(others.at(p.kind).pos, p.pos);
    p.kind = others.at(0u).kind;
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Draw;
using ParticleP = law::Body;
using ParticleQ = law::Body;
using ResultsF = Nothing;
using TotalG = Nothing;
constexpr int PDIM = 8;
constexpr int QDIM = 8;
constexpr int RDIM = 0;
constexpr int GDIM = 0;
constexpr int GATHERS = 3; // of second particles by an index
// Whether the update assigns each number of the particle.
constexpr bool CHANGES[PDIM] = {true, true, true, false, false, false, false, true};

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
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &q, const ResultsF &,
    const TotalG &, const Others &others)
{
    law::update(self, space, p, q, others);
}

} // namespace nbody
