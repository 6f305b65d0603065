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

// A particle that takes part or not, with a table of powers.
struct Star {
    Point<3> pos{};
    Vector<3> acc{};
    Real dt{};
    Array<3> powers{};
    U32 active{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 8;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(acc);
        visit(dt);
        visit(powers);
        visit(active);
    }
};

struct Predict {
    Real time{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(time);
    }
};

NBODY_INLINE Real half(Real x)
{
    return Real::splat(0.5) * x;
}

// Changes body.
template <class Space>
NBODY_INLINE void update(
    const Predict &self, const Space &space, Body &body, const Star &star, const Field &field)
{
    body.kind = star.active;
    const Mask _holds_1 = Real::eq_u32(star.active, Real::splat_u32(0u))
        | Real::eq_u32(field.near, Real::splat_u32(0u));
    {
        const Mask _when_1 = _holds_1;
        body.pos = nbody::select(_when_1, star.pos, body.pos);
    }
    {
        const Mask _unless_1 = !_holds_1;
        const Real dt = self.time - star.dt;
        body.pos = nbody::select(_unless_1, body.pos
            - ((body.vel.minus_product(Real::splat(0.5) * dt, star.acc)) * (dt)), body.pos);
        for (uint32_t k = 0; k < 3; ++k) {
            body.vel[k] = nbody::select(_unless_1, body.vel[k] + star.powers[k], body.vel[k]);
        }
        body.vel[0] = nbody::select(_unless_1, body.vel[0] * law::half(field.nearest.value),
            body.vel[0]);
        body.mass = nbody::select(_unless_1, field.closest.max(Real::splat(1.0)), body.mass);
    }
    for (uint32_t k_2 = 0; k_2 < 2; ++k_2) {
        body.mass = body.mass + field.few.values[k_2];
        body.kind = Real::add_u32(body.kind, field.few.indices[k_2]);
    }
    const Mask _holds_2 = Real::eq_u32(field.nearest.index, Real::splat_u32(7u))
        & Real::lt_u32(Real::splat_u32(2u), field.few.indices[1]);
    {
        const Mask _when_2 = _holds_2;
        body.kind = nbody::select(_when_2, body.kind | Real::splat_u32(4u), body.kind);
        body.mass = nbody::select(_when_2, body.mass / Real::splat(2.0), body.mass);
    }
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Predict;
    using P = law::Body;
    using Q = law::Star;
    using F = law::Field;
    using G = Nothing;
    static constexpr bool UPDATES = true;

    template <class Space>
    static NBODY_INLINE void update(
        const Parameters &self, const Space &space, P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others)
    {
        law::update(self, space, p, q, f);
    }
};

} // namespace nbody
