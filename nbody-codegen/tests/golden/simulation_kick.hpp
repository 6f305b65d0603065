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

// Changes velocities by accelerations.
struct Kick {
    Real dt{}; // The step.
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(dt);
    }
};

// Changes p.
template <class Space>
NBODY_INLINE void update(const Kick &self, const Space &space, Body &p, const Field &f)
{
    p.vel = p.vel.plus_product(self.dt, f.acc); // a kick
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Kick;
    using P = law::Body;
    using Q = Nothing;
    using F = law::Field;
    using G = Nothing;
    static constexpr bool UPDATES = true;

    template <class Space>
    static NBODY_INLINE void update(
        const Parameters &self, const Space &space, P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others)
    {
        law::update(self, space, p, f);
    }
};

} // namespace nbody
