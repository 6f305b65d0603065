#include "particle_header.cuh"

namespace nbody::law {

struct Atom {
    Point<3> pos;
    Array<6> strain;
    Vector<2> flat;
};

struct Force {
    Vector<3> force;
    Array<6> virial;
    Array<3> flat;
    Array<1> line;
};

struct Relax {
    real rate;
};

// Changes p.
__device__ __forceinline__ void update(const Relax &self, const Space &, Atom &p, const Force &f)
{
    p.strain = Array<6>{p.strain[0] + self.rate * f.virial[0], p.strain[1] + self.rate
        * f.virial[1], p.strain[2] + self.rate * f.virial[2], p.strain[3] + self.rate
        * f.virial[3], p.strain[4] + self.rate * f.virial[4], p.strain[5] + self.rate
        * f.virial[5]};
    p.strain = Array<6>{p.strain[1], p.strain[0], p.strain[2], p.strain[3], p.strain[5], p.strain[4]};
    p.strain[2] *= real(0.5);
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Relax;
using ParticleP = law::Atom;
using ParticleQ = Nothing;
using ResultsF = law::Force;
using TotalG = Nothing;
constexpr int PDIM = 11;
constexpr int QDIM = 0;
constexpr int RDIM = 13;
constexpr int GDIM = 0;
constexpr int GATHERS = 0; // of second particles by an index
// Whether the update assigns each number of the particle.
constexpr bool CHANGES[PDIM] = {false, false, false, true, true, true, true, true, true, false, false};

// Calls a function of `visit` with each number of a record, and its place.
template <typename Visit>
__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)
{
    visit.coordinate(0, record.pos.x);
    visit.coordinate(1, record.pos.y);
    visit.coordinate(2, record.pos.z);
    visit.real(3, record.strain[0]);
    visit.real(4, record.strain[1]);
    visit.real(5, record.strain[2]);
    visit.real(6, record.strain[3]);
    visit.real(7, record.strain[4]);
    visit.real(8, record.strain[5]);
    visit.real(9, record.flat.x);
    visit.real(10, record.flat.y);
}

// Calls a function of `visit` with each number of a record, and its place.
template <typename Visit>
__device__ __forceinline__ void each_number(law::Force &record, Visit &visit)
{
    visit.real(0, record.force.x);
    visit.real(1, record.force.y);
    visit.real(2, record.force.z);
    visit.real(3, record.virial[0]);
    visit.real(4, record.virial[1]);
    visit.real(5, record.virial[2]);
    visit.real(6, record.virial[3]);
    visit.real(7, record.virial[4]);
    visit.real(8, record.virial[5]);
    visit.real(9, record.flat[0]);
    visit.real(10, record.flat[1]);
    visit.real(11, record.flat[2]);
    visit.real(12, record.line[0]);
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
