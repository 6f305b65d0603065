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

// Scales velocities to a kinetic energy.
struct Rescale {
    Real kinetic{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(kinetic);
    }
};

// Changes p.
template <class Space>
NBODY_INLINE void update(const Rescale &self, const Space &space, Body &p, const Total &all)
{
    p.vel = p.vel - (all.momentum / all.kinetic);
    p.vel = p.vel * (self.kinetic / all.kinetic).sqrt();
    p.kind = Real::add_u32(all.slowest.index, all.fixed);
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Rescale;
    using P = law::Body;
    using Q = Nothing;
    using F = Nothing;
    using G = law::Total;
    static constexpr bool UPDATES = true;

    template <class Space>
    static NBODY_INLINE void update(
        const Parameters &self, const Space &space, P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others)
    {
        law::update(self, space, p, g);
    }
};

} // namespace nbody
