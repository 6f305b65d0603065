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
    static constexpr bool UPDATES = true;

    template <class Space>
    static NBODY_INLINE void update(
        const Parameters &self, const Space &space, P &p, const Q &q, const F &f)
    {
        law::update(self, space, p, f);
    }
};

} // namespace nbody
