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
    Nearest<2> few{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 12;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(acc);
        visit(pot);
        visit(nearest);
        visit.count(near);
        visit.least(closest);
        visit(few);
    }

    static NBODY_INLINE Field select(Mask _mask, const Field &_yes, const Field &_no)
    {
        return {nbody::select(_mask, _yes.acc, _no.acc), nbody::select(_mask, _yes.pot, _no.pot),
            nbody::select(_mask, _yes.nearest, _no.nearest),
            nbody::select(_mask, _yes.near, _no.near),
            nbody::select(_mask, _yes.closest, _no.closest),
            nbody::select(_mask, _yes.few, _no.few)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Field &_term, Field &_total, Field &_lost)
    {
        nbody::compensate(_term.acc, _total.acc, _lost.acc);
        nbody::compensate(_term.pot, _total.pot, _lost.pot);
        _total.nearest.take<Space>(_term.nearest.value, _term.nearest.index);
        _total.near = Real::add_u32(_total.near, _term.near);
        _total.closest = _total.closest.min(_term.closest);
        _total.few.merge<Space>(_term.few);
    }
};

// The conserved quantities of a system.
struct Total {
    Real kinetic{};
    Real potential{};
    Vector<3> momentum{};
    ArgMin slowest{};
    ArgMax fastest{};
    U32 fixed{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 10;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(kinetic);
        visit(potential);
        visit(momentum);
        visit(slowest);
        visit(fastest);
        visit.count(fixed);
    }

    static NBODY_INLINE Total select(Mask _mask, const Total &_yes, const Total &_no)
    {
        return {nbody::select(_mask, _yes.kinetic, _no.kinetic),
            nbody::select(_mask, _yes.potential, _no.potential),
            nbody::select(_mask, _yes.momentum, _no.momentum),
            nbody::select(_mask, _yes.slowest, _no.slowest),
            nbody::select(_mask, _yes.fastest, _no.fastest),
            nbody::select(_mask, _yes.fixed, _no.fixed)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Total &_term, Total &_total, Total &_lost)
    {
        nbody::compensate(_term.kinetic, _total.kinetic, _lost.kinetic);
        nbody::compensate(_term.potential, _total.potential, _lost.potential);
        nbody::compensate(_term.momentum, _total.momentum, _lost.momentum);
        _total.slowest.take<Space>(_term.slowest.value, _term.slowest.index);
        _total.fastest.take<Space>(_term.fastest.value, _term.fastest.index);
        _total.fixed = Real::add_u32(_total.fixed, _term.fixed);
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
    t.fastest.take<Space>(v2, index);
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
    using G = Nothing;
    using T = law::Total;
    static constexpr bool UPDATES = false;

    template <class Space>
    static NBODY_INLINE void measure(
        const Parameters &self, const Space &space, const P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others, U32 index, T &t)
    {
        law::measure(self, space, p, f, index, t);
    }
};

} // namespace nbody
