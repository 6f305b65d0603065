#include "header.cuh"

namespace nbody::law {

struct Everything {
    Table<3, 2> table;
    real strength;
    Vector<3> axis;
};

// A particle that feels the others.
struct alignas(packing(3 * COORDINATE + 3)) Target {
    Point<3> pos; // Position.
    real float_;
    alignas(sizeof(real)) u32 kind;
    alignas(sizeof(real)) u32 other;
};

struct alignas(packing(3 * COORDINATE + 9)) Source {
    Point<3> pos;
    Vector<3> vel;
    Array<4> raw;
    alignas(sizeof(real)) u32 kind;
    alignas(sizeof(real)) u32 other;
};

struct Sums {
    Vector<3> force;
    Array<2> rows;
    real count;
};

// Range.
constexpr real RADIUS = real(6.283185307179586);
constexpr u32 FLAG = 3u;

// A kernel with compact support.
__device__ __forceinline__ real w(real q)
{
    const real t = real(1.0) - q;
    // Beyond its support.
    if (t < real(0.0)) {
        return real(0.0);
    }
    return powi<3>(t);
}

__device__ __forceinline__ real steps(real x, bool near)
{
    real y = x;
    if (near && x < real(1.0)) {
        y += w(x);
        // Deeper.
        if (y > real(0.5) || !near) {
            y = -y;
        }
    } else if (x == real(2.0)) {
        y *= real(2.0);
    } else {
        y = y - (x - real(1.0));
    }
    return y;
}

// The distance along an axis.
__device__ __forceinline__ real along(const Space &space, Vector<3> axis, Point<3> a, Point<3> b)
{
    return dot(axis, space.difference(a, b));
}

// Farther for some.
__device__ __forceinline__ real cutoff(
    const Everything &self, const Space &, const Target &target, const Source &source)
{
    if (target.kind == FLAG) {
        return real(2.0) * self.strength;
    }
    return self.strength;
}

// Adds what there is.
__device__ __forceinline__ void pair(
    const Everything &self, const Space &space, const Target &here, const Source &there, Sums &sums)
{
    const Vector<3> d = space.difference(there.pos, here.pos);
    const real h = along(space, self.axis, here.pos, there.pos);
    const real r = norm(d);
    const Vector<3> d_2 = -d / (r + real(1.0));
    if (r > real(100.0) * self.strength) {
        return; // Too far.
    }
    const bool near = r < RADIUS;
    real new_;
    if (near) {
        const real s = steps(r, near) * self.strength;
        new_ = min(max(s, real(0.1)), here.float_) + there.raw[1] * there.raw[3];
    } else {
        new_ = abs(recip(r) - real(1.0));
    }
    const bool same = here.kind == there.kind && (here.other & FLAG) != 0u;
    const Vector<3> spin = cross(d_2, there.vel) + self.axis
        * divide(dot(self.axis, there.vel), norm2_plus(self.axis, real(1.0)));
    Vector<3> turned = spin;
    turned.x += new_;
    if (same) {
        sums.force += new_ * turned;
        sums.rows[0] += real(there.kind) - real(1.0);
    }
    sums.force.z -= tanh(real(0.5) * new_);
    sums.rows[1] += divide((near ? real(1.0) : real(0.0))
        * (new_ - (r - new_)), divide(real(2.0), real(3.0) + r * r));
    // Each component by itself.
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
        sums.rows[k] += there.raw[k + 1u] * entry(there.raw, there.kind) * d_2[k];
        if (k == 1u) {
            sums.force[k] -= entry(self.table, here.kind, there.other) * real(k);
        }
    }
    sums.count += near ? h : same ? real(0.5) : real(0.0);
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Everything;
using ParticleI = law::Target;
using ParticleJ = law::Source;
using Accumulators = law::Sums;
constexpr int IDIM = 3 * COORDINATE + 3;
constexpr int JDIM = 3 * COORDINATE + 9;
constexpr int FDIM = 6;
constexpr bool SELF_PAIRS = true;
constexpr bool LOOKS_UP = true;
constexpr bool KEEPS_INDEX = false;
constexpr bool CUTOFF = true;
constexpr bool CUTOFF_READS_J = false;

// Negative at the cutoff and beyond it.
__device__ __forceinline__ real within(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)
{
    const real reach = law::cutoff(self, space, i, j);
    return within_reach(reach, space.difference(j.pos, i.pos));
}

// Whether a pair is at the cutoff or beyond it.
__device__ __forceinline__ bool beyond(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)
{
    const real reach = law::cutoff(self, space, i, j);
    return beyond_reach(reach, space.difference(j.pos, i.pos));
}

// The cutoff of an i-particle.
__device__ __forceinline__ real cutoff_of(
    const Parameters &self, const Space &space, const ParticleI &i)
{
    return law::cutoff(self, space, i, ParticleJ{});
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
    total[3] += f.rows[0];
    total[4] += f.rows[1];
    total[5] += f.count;
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    for (int k = 0; k < FDIM; ++k) total[k] += part[k];
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    compensate(term.force, f.force, lost.force);
    compensate(term.rows, f.rows, lost.rows);
    compensate(term.count, f.count, lost.count);
}

} // namespace nbody
