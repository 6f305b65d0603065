#include "header.cuh"

namespace nbody::law {

struct Fluid {
    Table<2, 2> strength;
    real range;
    real alpha;
};

struct alignas(packing(3 * COORDINATE + 12)) Parcel {
    Point<3> pos;
    Vector<3> vel;
    Vector<3> spin;
    real mass;
    real h;
    alignas(sizeof(real)) u32 kind;
    Array<3> modes;
};

struct Change {
    Vector<3> acc;
    Vector<3> torque;
    real heating;
    Array<3> modes;
    real energy;
    real nearest;
    real signal;
    u32 alike;
};

__device__ __forceinline__ real slope(real q)
{
    if (q > real(2.0)) {
        return real(0.0);
    }
    const real t = real(1.0) - real(0.5) * q;
    return -real(5.0) * powi<3>(t);
}

__device__ __forceinline__ real power(real x)
{
    real y = real(1.0);
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        y *= x + real(k);
    }
    return y;
}

// Neither even nor odd by itself.
__device__ __forceinline__ real jump(real x, real y)
{
    return exp(x) * ceil(y) + mul_add(x, y, -y);
}

// The distance beyond which a pair contributes nothing.
__device__ __forceinline__ real cutoff(
    const Fluid &self, const Space &, const Parcel &one, const Parcel &other)
{
    return self.range * max(one.h, other.h);
}

// Adds to g what j does to i.
__device__ __forceinline__ void pair(
    const Fluid &self, const Space &space, const Parcel &i, const Parcel &j, Change &g)
{
    const Vector<3> d = space.difference(i.pos, j.pos);
    const Vector<3> v = i.vel - j.vel;
    const real r2 = norm2(d);
    const real r = sqrt(r2);
    // Too near to tell them apart.
    if (r == real(0.0)) {
        return;
    }
    const real slope_i = divide(slope(divide(r, i.h)), i.h);
    const real slope_j = divide(slope(divide(r, j.h)), j.h);
    // The mean of both.
    const real shared = real(0.5) * (slope_i + slope_j);
    const real approach = divide(dot(d, v), r);
    real viscosity = real(0.0);
    Vector<3> push = d * real(0.0);
    if (approach < real(0.0)) {
        viscosity = -self.alpha * approach * (i.h + j.h);
        push = v * approach;
        push.x += d.x;
    }
    g.acc -= j.mass * divide(viscosity * shared, r) * d; // and the pressure
    g.acc += push;
    g.acc += i.mass * slope_i * j.mass * d - j.mass * slope_j * i.mass * v;
    const real own = entry(self.strength, i.kind, j.kind) * slope_i;
    g.heating += divide(j.mass * own * approach, r2);
    g.torque += own * cross(d, j.spin) + cross(-d, v) * power(j.mass * r);
    Vector<3> turned = i.spin - d;
    if (i.kind == j.kind) {
        g.alike += 1u;
        turned = turned * i.mass;
        turned.y -= r;
    } else if (r < real(1.0)) {
        turned = cross(v, j.spin);
    }
    // Its second component is even, the others are not.
    Vector<3> mixed = i.spin;
    mixed.y = r;
    mixed = v * (i.mass * mixed.y);
    u32 kind = i.kind;
    kind = kind == j.kind ? kind + 1u : i.kind ^ j.kind;
    g.torque -= mixed / (real(1.0) + real(kind));
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        const real jump_2 = i.modes[k] - j.modes[k];
        g.modes[k] += jump_2 * shared * r;
        if (k == 1u) {
            g.modes[k] -= turned[k] * jump_2;
        }
    }
    g.energy += divide(i.mass * j.mass, r) + norm(turned) * sin(i.mass - j.mass);
    g.energy -= r < real(1.0) ? i.mass : jump(d.x, v.y);
    g.nearest = min(g.nearest, r + i.h);
    g.signal = max(g.signal, floor(i.h + j.h) + floor(d.x));
}

// Adds to g what j does to i, and to g_2 what i does to j.
__device__ __forceinline__ void pair_symmetric(
    const Fluid &self, const Space &space, const Parcel &i, const Parcel &j, Change &g, Change &g_2)
{
    const Vector<3> d = space.difference(i.pos, j.pos);
    const Vector<3> v = i.vel - j.vel;
    const real r2 = norm2(d);
    const real r = sqrt(r2);
    // Too near to tell them apart.
    if (r == real(0.0)) {
        return;
    }
    const real slope_i = divide(slope(divide(r, i.h)), i.h);
    const real slope_j = divide(slope(divide(r, j.h)), j.h);
    // The mean of both.
    const real shared = real(0.5) * (slope_i + slope_j);
    const real approach = divide(dot(d, v), r);
    real viscosity = real(0.0);
    Vector<3> push = d * real(0.0);
    if (approach < real(0.0)) {
        viscosity = -self.alpha * approach * (i.h + j.h);
        push = v * approach;
        push.x += d.x;
    }
    const real acc_factor = divide(viscosity * shared, r);
    g.acc -= j.mass * acc_factor * d; // and the pressure
    g_2.acc += i.mass * acc_factor * d;
    g.acc += push;
    g_2.acc -= push;
    g.acc += i.mass * slope_i * j.mass * d - j.mass * slope_j * i.mass * v;
    g_2.acc += i.mass * slope_i * j.mass * v - j.mass * slope_j * i.mass * d;
    const real own = entry(self.strength, i.kind, j.kind) * slope_i;
    const real own_back = entry(self.strength, j.kind, i.kind) * slope_j;
    const real approach_over_r2 = divide(approach, r2);
    g.heating += j.mass * own * approach_over_r2;
    g_2.heating += i.mass * own_back * approach_over_r2;
    const Vector<3> cross_minus_d_v = cross(-d, v);
    g.torque += own * cross(d, j.spin) + power(j.mass * r) * cross_minus_d_v;
    g_2.torque += power(i.mass * r) * cross_minus_d_v - own_back * cross(d, i.spin);
    Vector<3> turned = i.spin - d;
    Vector<3> turned_back = j.spin + d;
    if (i.kind == j.kind) {
        g.alike += 1u;
        g_2.alike += 1u;
        turned = i.mass * turned;
        turned_back = j.mass * turned_back;
        turned.y -= r;
        turned_back.y -= r;
    } else if (r < real(1.0)) {
        turned = cross(v, j.spin);
        turned_back = -cross(v, i.spin);
    }
    // Its second component is even, the others are not.
    Vector<3> mixed = i.spin;
    Vector<3> mixed_back = j.spin;
    mixed.y = r;
    mixed_back.y = r;
    mixed_back = -(j.mass * mixed.y * v);
    mixed = i.mass * mixed.y * v;
    u32 kind = i.kind;
    u32 kind_back = j.kind;
    kind_back = kind == j.kind ? kind_back + 1u : i.kind ^ j.kind;
    kind = kind == j.kind ? kind + 1u : i.kind ^ j.kind;
    g.torque -= mixed / (real(1.0) + real(kind));
    g_2.torque -= mixed_back / (real(1.0) + real(kind_back));
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        const real jump_2 = i.modes[k] - j.modes[k];
        const real jump_2_shared = jump_2 * shared;
        g.modes[k] += jump_2_shared * r;
        g_2.modes[k] -= jump_2_shared * r;
        if (k == 1u) {
            g.modes[k] -= turned[k] * jump_2;
            g_2.modes[k] += turned_back[k] * jump_2;
        }
    }
    const real mass_i_mass_j_over_r = divide(i.mass * j.mass, r);
    const real energy_factor = sin(i.mass - j.mass);
    g.energy += mass_i_mass_j_over_r + norm(turned) * energy_factor;
    g_2.energy += mass_i_mass_j_over_r - norm(turned_back) * energy_factor;
    g.energy -= r < real(1.0) ? i.mass : jump(d.x, v.y);
    g_2.energy -= r < real(1.0) ? j.mass : jump(-d.x, -v.y);
    g.nearest = min(g.nearest, r + i.h);
    g_2.nearest = min(g_2.nearest, r + j.h);
    const real floor_h_i_plus_h_j = floor(i.h + j.h);
    g.signal = max(g.signal, floor_h_i_plus_h_j + floor(d.x));
    g_2.signal = max(g_2.signal, floor_h_i_plus_h_j + floor(-d.x));
}

} // namespace nbody::law

namespace nbody {

// The names by which kernels know the law.
using Parameters = law::Fluid;
using ParticleI = law::Parcel;
using ParticleJ = law::Parcel;
using Accumulators = law::Change;
constexpr int IDIM = 3 * COORDINATE + 12;
constexpr int JDIM = 3 * COORDINATE + 12;
constexpr int FDIM = 14;
constexpr bool SELF_PAIRS = false;
constexpr bool LOOKS_UP = true;
constexpr bool KEEPS_INDEX = false;
constexpr bool CUTOFF = true;
constexpr bool CUTOFF_READS_J = true;

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
    return beyond_reach(reach, space.difference(i.pos, j.pos));
}

// The accumulators before the first pair.
__device__ __forceinline__ Accumulators nothing()
{
    return {{}, {}, {}, {}, {}, infinity(), -infinity(), {}};
}

// The backup accumulators before the first bag.
__device__ __forceinline__ void reset(backup (&total)[FDIM])
{
    for (backup &sum : total) sum = 0;
    total[11] = infinity();
    total[12] = -infinity();
}

// Folds the accumulators of one bag into the backup accumulators.
__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])
{
    total[0] += f.acc.x;
    total[1] += f.acc.y;
    total[2] += f.acc.z;
    total[3] += f.torque.x;
    total[4] += f.torque.y;
    total[5] += f.torque.z;
    total[6] += f.heating;
    total[7] += f.modes[0];
    total[8] += f.modes[1];
    total[9] += f.modes[2];
    total[10] += f.energy;
    if (f.nearest < total[11]) total[11] = f.nearest;
    if (f.signal > total[12]) total[12] = f.signal;
    total[13] = word<backup>(integer(total[13]) + f.alike);
}

// Merges the backup accumulators of a later split.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] += part[0];
    total[1] += part[1];
    total[2] += part[2];
    total[3] += part[3];
    total[4] += part[4];
    total[5] += part[5];
    total[6] += part[6];
    total[7] += part[7];
    total[8] += part[8];
    total[9] += part[9];
    total[10] += part[10];
    if (part[11] < total[11]) total[11] = part[11];
    if (part[12] > total[12]) total[12] = part[12];
    total[13] = word<backup>(integer(total[13]) + integer(part[13]));
}

// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.
__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)
{
    compensate(term.acc, f.acc, lost.acc);
    compensate(term.torque, f.torque, lost.torque);
    compensate(term.heating, f.heating, lost.heating);
    compensate(term.modes, f.modes, lost.modes);
    compensate(term.energy, f.energy, lost.energy);
    f.nearest = min(f.nearest, term.nearest);
    f.signal = max(f.signal, term.signal);
    f.alike += term.alike;
}

} // namespace nbody
