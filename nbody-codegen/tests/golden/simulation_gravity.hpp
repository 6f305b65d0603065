namespace nbody {

namespace law {

// Newtonian gravity with Plummer softening; G = 1.
struct Gravity {
    Real eps2{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(eps2);
    }
};

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

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(
    const Gravity &self, const Space &space, const Body &i, const Body &j, U32 index, Field &f)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    const Real r2 = d.norm2_plus(self.eps2);
    const Real rinv = r2.rsqrt();
    f.acc = f.acc.plus_product(j.mass * rinv.powi(3), d);
    f.pot = f.pot.minus_product(j.mass, rinv);
    f.nearest.take<Space>(r2, index);
    f.closest = f.closest.min(r2);
    f.few.take<Space>(r2, index);
    const Mask _holds_1 = Real::lt(r2, Real::splat(1.0));
    {
        const Mask _when_1 = _holds_1;
        f.near = Real::add_u32(f.near, nbody::select(_when_1, Real::splat_u32(1u), U32{}));
    }
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Gravity;
    using I = law::Body;
    using J = law::Body;
    using F = law::Field;
    static constexpr bool CUTOFF = false, CHARGES = false, SYMMETRIC = false;

    template <class Space>
    static NBODY_INLINE Mask within(
        const Parameters &self, const Space &space, const I &i, const J &j)
    {
        return Real::splat_mask(true);
    }

    template <class Space>
    static NBODY_INLINE void pair(
        const Parameters &self, const Space &space, const I &i, const J &j, U32 index, F &f)
    {
        law::pair(self, space, i, j, index, f);
    }
};

} // namespace nbody
