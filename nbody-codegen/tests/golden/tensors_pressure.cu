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

struct Total {
    Array<6> pressure;
};

struct Pressure {
};

// Adds to t what p contributes.
__device__ __forceinline__ void measure(
    const Pressure &self, const Space &, const Atom &p, const Force &f, Total &t)
{
    t.pressure[0] += f.virial[0] + p.strain[0];
    t.pressure[1] += f.virial[1] + p.strain[1];
    t.pressure[2] += f.virial[2] + p.strain[2];
    t.pressure[3] += f.virial[3] + p.strain[3];
    t.pressure[4] += f.virial[4] + p.strain[4];
    t.pressure[5] += f.virial[5] + p.strain[5];
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the program.
using Parameters = law::Pressure;
using ParticleP = law::Atom;
using ParticleQ = Nothing;
using ResultsF = law::Force;
using TotalG = Nothing;
constexpr int PDIM = 11;
constexpr int QDIM = 0;
constexpr int RDIM = 13;
constexpr int GDIM = 0;
constexpr int GATHERS = 0; // of second particles by an index
using Accumulators = law::Total;
constexpr int FDIM = 6;

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
    const Parameters &self, const Space &space, const ParticleP &p, const ParticleQ &,
    const ResultsF &f, const TotalG &, const Others &, u32, Accumulators &t)
{
    law::measure(self, space, p, f, t);
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
    total[0] += f.pressure[0];
    total[1] += f.pressure[1];
    total[2] += f.pressure[2];
    total[3] += f.pressure[3];
    total[4] += f.pressure[4];
    total[5] += f.pressure[5];
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    for (int k = 0; k < FDIM; ++k) total[k] += part[k];
}

} // namespace nbody
