namespace nbody {

namespace law {

struct Body {
    Point<3> pos{};
    Vector<3> vel{};
    Real mass{};
    U32 kind{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 5;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(vel);
        visit(mass);
        visit(kind);
    }
};

struct Field {
    Vector<3> acc{};
    Real pot{};
    ArgMin nearest{};
    U32 near{};
    Real closest = Real::splat(INFINITY);
    static constexpr size_t COORDINATES = 0, NUMBERS = 8;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(acc);
        visit(pot);
        visit(nearest);
        visit.count(near);
        visit.least(closest);
    }

    static NBODY_INLINE Field select(Mask mask, const Field &yes, const Field &no)
    {
        return {nbody::select(mask, yes.acc, no.acc), nbody::select(mask, yes.pot, no.pot),
            nbody::select(mask, yes.nearest, no.nearest), nbody::select(mask, yes.near, no.near),
            nbody::select(mask, yes.closest, no.closest)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Field &term, Field &total, Field &lost)
    {
        nbody::compensate(term.acc, total.acc, lost.acc);
        nbody::compensate(term.pot, total.pot, lost.pot);
        total.nearest.take<Space>(term.nearest.value, term.nearest.index);
        total.near = Real::add_u32(total.near, term.near);
        total.closest = total.closest.min(term.closest);
    }
};

// The conserved quantities of a system.
struct Total {
    Real kinetic{};
    Real potential{};
    Vector<3> momentum{};
    ArgMin slowest{};
    Real fastest = Real::splat(-INFINITY);
    U32 fixed{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 9;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(kinetic);
        visit(potential);
        visit(momentum);
        visit(slowest);
        visit.greatest(fastest);
        visit.count(fixed);
    }

    static NBODY_INLINE Total select(Mask mask, const Total &yes, const Total &no)
    {
        return {nbody::select(mask, yes.kinetic, no.kinetic),
            nbody::select(mask, yes.potential, no.potential),
            nbody::select(mask, yes.momentum, no.momentum),
            nbody::select(mask, yes.slowest, no.slowest),
            nbody::select(mask, yes.fastest, no.fastest), nbody::select(mask, yes.fixed, no.fixed)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Total &term, Total &total, Total &lost)
    {
        nbody::compensate(term.kinetic, total.kinetic, lost.kinetic);
        nbody::compensate(term.potential, total.potential, lost.potential);
        nbody::compensate(term.momentum, total.momentum, lost.momentum);
        total.slowest.take<Space>(term.slowest.value, term.slowest.index);
        total.fastest = total.fastest.max(term.fastest);
        total.fixed = Real::add_u32(total.fixed, term.fixed);
    }
};

struct Energy {
    static constexpr size_t COORDINATES = 0, NUMBERS = 0;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
    }
};

// Adds to t what p contributes.
template <class Space>
NBODY_INLINE void measure(
    const Energy &self, const Space &space, const Body &p, const Field &f, U32 index, Total &t)
{
    const Real v2 = p.vel.norm2();
    t.kinetic = t.kinetic.plus_product(Real::splat(0.5) * p.mass, v2);
    t.potential = t.potential.plus_product(Real::splat(0.5) * p.mass, f.pot);
    t.momentum = t.momentum.plus_product(p.mass, p.vel);
    t.slowest.take<Space>(v2, index);
    t.fastest = t.fastest.max(v2);
    const Mask _holds_1 = Real::eq_u32(p.kind, Real::splat_u32(1u));
    {
        const Mask _when_1 = _holds_1;
        t.fixed = Real::add_u32(t.fixed, nbody::select(_when_1, Real::splat_u32(1u), U32{}));
    }
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Energy;
    using P = law::Body;
    using Q = Nothing;
    using F = law::Field;
    using T = law::Total;
    static constexpr bool UPDATES = false;

    template <class Space>
    static NBODY_INLINE void measure(
        const Parameters &self, const Space &space, const P &p, const Q &q, const F &f, U32 index,
        T &t)
    {
        law::measure(self, space, p, f, index, t);
    }
};

} // namespace nbody
