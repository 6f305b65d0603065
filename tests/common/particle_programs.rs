//! Programs per particle, written by hand as the macro writes them: a kick by the results of an
//! interaction, a drift, an update with second particles, and a measure with every reduction.
#![allow(unsafe_code)]

use nbody::__private::{ParticleDeclaration, ParticleLoop};
use nbody::{
    Lane, Measure, Nothing, Operations, ParticleProgram, ParticleText, Record, Space, Update,
};

/// The records, and an interaction whose results the programs read. The parameters of the programs are
/// those of interactions, too, since the macro writes only these.
#[nbody::interaction]
pub mod records {
    pub struct Pull {
        pub eps2: Real,
    }
    pub struct Kick {
        pub dt: Real,
    }
    pub struct Drift {
        pub dt: Real,
    }
    pub struct Relax {
        pub rate: Real,
    }
    pub struct Energy {
        pub scale: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
        pub kind: u32,
        pub table: [Real; 3],
    }
    pub struct Star {
        pub flag: u32,
        pub weight: Real,
        pub pos: Point,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
        pub near: Count,
    }
    pub struct Sum {
        pub sum: Real,
    }
    pub struct Total {
        pub kinetic: Real,
        pub momentum: Vector,
        pub least: Min<Real>,
        pub most: Max<Real>,
        pub count: Count,
        pub slowest: ArgMin<Real>,
    }

    impl Interaction for Pull {
        type I = Body;
        type J = Body;
        type F = Field;
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot -= (d.norm2() + self.eps2) * j.mass;
            if d.norm2() < 0.25 {
                f.near += 1;
            }
        }
    }
    impl Interaction for Kick {
        type I = Body;
        type J = Star;
        type F = Sum;
        fn pair(&self, i: &Body, j: &Star, f: &mut Sum) {
            f.sum += self.dt * i.mass * j.weight;
        }
    }
    impl Interaction for Drift {
        type I = Body;
        type J = Star;
        type F = Sum;
        fn pair(&self, i: &Body, j: &Star, f: &mut Sum) {
            f.sum += self.dt * i.mass * j.weight;
        }
    }
    impl Interaction for Relax {
        type I = Body;
        type J = Star;
        type F = Sum;
        fn pair(&self, i: &Body, j: &Star, f: &mut Sum) {
            f.sum += self.rate * i.mass * j.weight;
        }
    }
    impl Interaction for Energy {
        type I = Body;
        type J = Star;
        type F = Total;
        fn pair(&self, i: &Body, j: &Star, f: &mut Total) {
            f.kinetic += self.scale * i.mass * j.weight;
            f.momentum += i.vel;
            f.least.min(i.mass);
            f.most.max(i.mass);
            f.count += 1;
            f.slowest.min(i.mass);
        }
    }
}
pub use records::{Body, Drift, Energy, Field, Kick, Pull, Relax, Star, Total};

type With<P, L> = <P as Record>::With<L>;

const NO_OPERATIONS: Operations =
    Operations { add: 0, mul: 0, div: 0, sqrt: 0, special: 0, compare: 0 };

macro_rules! text {
    (body) => {
        "
struct alignas(packing(3 * COORDINATE + 8)) Body {
    Point<3> pos;
    Vector<3> vel;
    real mass;
    alignas(sizeof(real)) u32 kind;
    Array<3> table;
};
"
    };
    (star) => {
        "
struct alignas(packing(3 * COORDINATE + 2)) Star {
    alignas(sizeof(real)) u32 flag;
    real weight;
    Point<3> pos;
};
"
    };
    (field) => {
        "
struct Field {
    Vector<3> acc;
    real pot;
    u32 near;
};
"
    };
    (numbers_of_body) => {
        "
// Calls a function of `visit` with each number of a record and its place among them.
template <typename Visit> __device__ __forceinline__ void each_number(law::Body &record, Visit &visit)
{
    visit.coordinate(0, record.pos.x);
    visit.coordinate(1, record.pos.y);
    visit.coordinate(2, record.pos.z);
    visit.real(3, record.vel.x);
    visit.real(4, record.vel.y);
    visit.real(5, record.vel.z);
    visit.real(6, record.mass);
    visit.index(7, record.kind);
    for (int k = 0; k < 3; ++k) visit.real(8 + k, record.table[k]);
}
"
    };
    (numbers_of_star) => {
        "
template <typename Visit> __device__ __forceinline__ void each_number(law::Star &record, Visit &visit)
{
    visit.index(0, record.flag);
    visit.real(1, record.weight);
    visit.coordinate(2, record.pos.x);
    visit.coordinate(3, record.pos.y);
    visit.coordinate(4, record.pos.z);
}
"
    };
    (numbers_of_field) => {
        "
template <typename Visit> __device__ __forceinline__ void each_number(law::Field &record, Visit &visit)
{
    visit.real(0, record.acc.x);
    visit.real(1, record.acc.y);
    visit.real(2, record.acc.z);
    visit.real(3, record.pot);
    visit.index(4, record.near);
}
"
    };
}

// SAFETY: the CUDA text declares the structs as the records say.
unsafe impl Update for Kick {
    type P = Body;
    type Q = Nothing;
    type F = Field;
    const PROGRAM: &'static ParticleProgram = &ParticleDeclaration {
        name: "kick",
        operations: NO_OPERATIONS,
        cuda: ParticleText {
            law: concat!(
                "struct Kick {\n    real dt;\n};\n",
                text!(body),
                text!(field),
                "
// Changes p.
__device__ __forceinline__ void update(const Kick &self, const Space &, Body &p, const Field &f)
{
    p.vel += self.dt * f.acc;
    p.kind = f.near;
}
"
            ),
            names: concat!(
                "// The names by which kernels know the program.
using Parameters = law::Kick;
using ParticleP = law::Body;
using ParticleQ = Nothing;
using ResultsF = law::Field;
constexpr int PDIM = 11;
constexpr int QDIM = 0;
constexpr int RDIM = 5;
constexpr bool CHANGES[PDIM] = {false, false, false, true, true, true, false, true, false, false, false};
",
                text!(numbers_of_body),
                text!(numbers_of_field),
                "
// Runs the program for one particle.
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &f)
{
    law::update(self, space, p, f);
}
"
            ),
        },
        changes: &[false, true, false, true, false],
    }
    .update::<Self>();

    #[inline(always)]
    fn update<L: Lane<Coordinate = L>, S: Space<L>>(
        this: &Kick<L>,
        _: &S,
        p: &mut Body<L>,
        _: &With<Nothing, L>,
        f: &Field<L>,
    ) {
        p.vel += f.acc * this.dt;
        p.kind = f.near;
    }

    #[inline(never)]
    fn cpu_loop() -> ParticleLoop {
        ParticleLoop::of_update::<Self>()
    }
}

// SAFETY: as above.
unsafe impl Update for Drift {
    type P = Body;
    type Q = Nothing;
    type F = Nothing;
    const PROGRAM: &'static ParticleProgram = &ParticleDeclaration {
        name: "drift",
        operations: NO_OPERATIONS,
        cuda: ParticleText {
            law: concat!(
                "struct Drift {\n    real dt;\n};\n",
                text!(body),
                "
// Changes p.
__device__ __forceinline__ void update(const Drift &self, const Space &, Body &p)
{
    p.pos += self.dt * p.vel;
}
"
            ),
            names: concat!(
                "// The names by which kernels know the program.
using Parameters = law::Drift;
using ParticleP = law::Body;
using ParticleQ = Nothing;
using ResultsF = Nothing;
constexpr int PDIM = 11;
constexpr int QDIM = 0;
constexpr int RDIM = 0;
constexpr bool CHANGES[PDIM] = {true, true, true, false, false, false, false, false, false, false, false};
",
                text!(numbers_of_body),
                "
// Runs the program for one particle.
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &)
{
    law::update(self, space, p);
}
"
            ),
        },
        changes: &[true, false, false, false, false],
    }
    .update::<Self>();

    #[inline(always)]
    fn update<L: Lane<Coordinate = L>, S: Space<L>>(
        this: &Drift<L>,
        _: &S,
        p: &mut Body<L>,
        _: &With<Nothing, L>,
        _: &With<Nothing, L>,
    ) {
        p.pos += p.vel * this.dt;
    }

    #[inline(never)]
    fn cpu_loop() -> ParticleLoop {
        ParticleLoop::of_update::<Self>()
    }
}

// SAFETY: as above.
unsafe impl Update for Relax {
    type P = Body;
    type Q = Star;
    type F = Nothing;
    const PROGRAM: &'static ParticleProgram = &ParticleDeclaration {
        name: "relax",
        operations: NO_OPERATIONS,
        cuda: ParticleText {
            law: concat!(
                "struct Relax {\n    real rate;\n};\n",
                text!(body),
                text!(star),
                "
// Changes p.
__device__ __forceinline__ void update(const Relax &self, const Space &space, Body &p, const Star &q)
{
    const Vector<3> d = space.difference(q.pos, p.pos);
    p.vel += self.rate / sqrt(q.weight) * d;
    p.mass -= q.weight / real(3.0);
    p.table[1] = norm2(d);
    p.pos -= self.rate * d;
    if (q.flag == 1u) {
        p.kind += q.flag + 2u;
    }
}
"
            ),
            names: concat!(
                "// The names by which kernels know the program.
using Parameters = law::Relax;
using ParticleP = law::Body;
using ParticleQ = law::Star;
using ResultsF = Nothing;
constexpr int PDIM = 11;
constexpr int QDIM = 5;
constexpr int RDIM = 0;
constexpr bool CHANGES[PDIM] = {true, true, true, true, true, true, true, true, true, true, true};
",
                text!(numbers_of_body),
                text!(numbers_of_star),
                "
// Runs the program for one particle.
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &q, const ResultsF &)
{
    law::update(self, space, p, q);
}
"
            ),
        },
        changes: &[true, true, true, true, true],
    }
    .update::<Self>();

    #[inline(always)]
    fn update<L: Lane<Coordinate = L>, S: Space<L>>(
        this: &Relax<L>,
        space: &S,
        p: &mut Body<L>,
        q: &Star<L>,
        _: &With<Nothing, L>,
    ) {
        let d = space.difference(q.pos, p.pos);
        p.vel += d * (this.rate / q.weight.sqrt());
        p.mass -= q.weight / L::splat(3.0);
        p.table[1] = d.norm2();
        p.pos -= d * this.rate;
        let flagged = L::eq_u32(q.flag, L::splat_u32(1));
        let more = L::add_u32(p.kind, L::add_u32(q.flag, L::splat_u32(2)));
        p.kind = L::select_u32(flagged, more, p.kind);
    }

    #[inline(never)]
    fn cpu_loop() -> ParticleLoop {
        ParticleLoop::of_update::<Self>()
    }
}

// SAFETY: as above.
unsafe impl Measure for Energy {
    type P = Body;
    type Q = Star;
    type F = Field;
    type T = Total;
    const PROGRAM: &'static ParticleProgram = &ParticleDeclaration {
        name: "energy",
        operations: NO_OPERATIONS,
        cuda: ParticleText {
            law: concat!(
                "struct Energy {\n    real scale;\n};\n",
                text!(body),
                text!(star),
                text!(field),
                "
struct Total {
    real kinetic;
    Vector<3> momentum;
    real least;
    real most;
    u32 count;
    ArgMin slowest;
};

// Adds the contribution of p to t.
__device__ __forceinline__ void measure(
    const Energy &self, const Space &space, const Body &p, const Star &q, const Field &f, u32 index,
    Total &t)
{
    t.kinetic += self.scale * p.mass * norm2(p.vel) + f.pot;
    t.momentum += p.mass * space.difference(p.pos, q.pos);
    t.least = min(t.least, p.vel.x);
    t.most = max(t.most, f.acc.y);
    if (q.flag == 1u) {
        t.count += 1u;
        take_min(t.slowest, p.table[2], index);
    }
}
"
            ),
            names: concat!(
                "// The names by which kernels know the program.
using Parameters = law::Energy;
using ParticleP = law::Body;
using ParticleQ = law::Star;
using ResultsF = law::Field;
using Accumulators = law::Total;
constexpr int PDIM = 11;
constexpr int QDIM = 5;
constexpr int RDIM = 5;
constexpr int FDIM = 9;
",
                text!(numbers_of_body),
                text!(numbers_of_star),
                text!(numbers_of_field),
                "
// Runs the program for one particle.
__device__ __forceinline__ void act(
    const Parameters &self, const Space &space, const ParticleP &p, const ParticleQ &q,
    const ResultsF &f, u32 index, Accumulators &t)
{
    law::measure(self, space, p, q, f, index, t);
}

// The total of no particle.
__device__ __forceinline__ Accumulators nothing()
{
    return {{}, {}, infinity(), -infinity(), {}, {infinity(), ArgMin::NONE}};
}

__device__ __forceinline__ void reset(backup (&total)[FDIM])
{
    for (backup &sum : total) sum = 0;
    total[4] = infinity();
    total[5] = -infinity();
    total[7] = infinity();
    total[8] = word<backup>(ArgMin::NONE);
}

// Folds the contribution of a particle into the total.
__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])
{
    total[0] += f.kinetic;
    total[1] += f.momentum.x;
    total[2] += f.momentum.y;
    total[3] += f.momentum.z;
    if (f.least < total[4]) total[4] = f.least;
    if (f.most > total[5]) total[5] = f.most;
    total[6] = word<backup>(integer(total[6]) + f.count);
    if (f.slowest.value < total[7]) {
        total[7] = f.slowest.value;
        total[8] = word<backup>(f.slowest.index);
    }
}

// Merges a later total.
__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])
{
    total[0] += part[0];
    total[1] += part[1];
    total[2] += part[2];
    total[3] += part[3];
    if (part[4] < total[4]) total[4] = part[4];
    if (part[5] > total[5]) total[5] = part[5];
    total[6] = word<backup>(integer(total[6]) + integer(part[6]));
    if (part[7] < total[7] || (part[7] == total[7] && integer(part[8]) < integer(total[8]))) {
        total[7] = part[7];
        total[8] = part[8];
    }
}
"
            ),
        },
        changes: &[],
    }
    .measure::<Self>();

    #[inline(always)]
    fn measure<L: Lane<Coordinate = L>, S: Space<L>>(
        this: &Energy<L>,
        space: &S,
        p: &Body<L>,
        q: &Star<L>,
        f: &Field<L>,
        index: L::U32,
        t: &mut Total<L>,
    ) {
        t.kinetic += this.scale * p.mass * p.vel.norm2() + f.pot;
        t.momentum += space.difference(p.pos, q.pos) * p.mass;
        t.least = t.least.min(p.vel[0]);
        t.most = t.most.max(f.acc[1]);
        let flagged = L::eq_u32(q.flag, L::splat_u32(1));
        let one = L::select_u32(flagged, L::splat_u32(1), L::splat_u32(0));
        t.count = L::add_u32(t.count, one);
        let mut slowest = t.slowest;
        slowest.take(p.table[2], index);
        t.slowest = nbody::ArgMin::select(flagged, slowest, t.slowest);
    }

    #[inline(never)]
    fn cpu_loop() -> ParticleLoop {
        ParticleLoop::of_measure::<Self>()
    }
}
