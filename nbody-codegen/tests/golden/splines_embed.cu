#include "particle_header.cuh"

namespace nbody::law {

struct Atom {
    Point<3> pos;
    real density;
    alignas(sizeof(real)) u32 kind;
};

struct Embed {
    Spline<16> embedding;
    Splines<3, 1, 16> of_kind;
    alignas(sizeof(real)) u32 due;
};

// Changes p.
__device__ __forceinline__ void update(const Embed &self, const Space &, Atom &p)
{
    p.density = self.embedding.at(p.density) + self.embedding.slope(p.density);
    p.density += self.of_kind.element(p.kind).at(p.density);
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Embed;
using ParticleP = law::Atom;
using ParticleQ = Nothing;
using ResultsF = Nothing;
using TotalG = Nothing;
constexpr int PDIM = 5;
constexpr int QDIM = 0;
constexpr int RDIM = 0;
constexpr int GDIM = 0;
constexpr int GATHERS = 0; // of second particles by an index
// Whether the update assigns each number of the particle.
constexpr bool CHANGES[PDIM] = {false, false, false, true, false};

// Calls a function of `visit` with each number of a record, and its place.
template <typename Visit>
__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)
{
    visit.coordinate(0, record.pos.x);
    visit.coordinate(1, record.pos.y);
    visit.coordinate(2, record.pos.z);
    visit.real(3, record.density);
    visit.index(4, record.kind);
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
