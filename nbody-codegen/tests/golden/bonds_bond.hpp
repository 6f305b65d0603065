namespace nbody {

namespace law {

// A bond that breaks.
struct Bond {
    Real extent{}; // Extent at which it breaks.
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(extent);
    }
};

struct Atom {
    Point<3> pos{};
    U32 kind{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(kind);
    }
};

// The parameters of a bond.
struct Spring {
    Real k{};
    Real length{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 2;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(k);
        visit(length);
    }
};

struct Force {
    Vector<3> force{};
    Real pot{};
    U32 broken{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 5;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(force);
        visit(pot);
        visit.count(broken);
    }

    static NBODY_INLINE Force select(Mask _mask, const Force &_yes, const Force &_no)
    {
        return {nbody::select(_mask, _yes.force, _no.force),
            nbody::select(_mask, _yes.pot, _no.pot), nbody::select(_mask, _yes.broken, _no.broken)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Force &_term, Force &_total, Force &_lost)
    {
        nbody::compensate(_term.force, _total.force, _lost.force);
        nbody::compensate(_term.pot, _total.pot, _lost.pot);
        _total.broken = Real::add_u32(_total.broken, _term.broken);
    }
};

// Pulls both atoms.
template <class Space>
NBODY_INLINE void tuple(
    const Bond &self, const Space &space, const Spring &t, const Atom &a, const Atom &b, Force &f,
    Force &g)
{
    Mask _on = Real::splat_mask(true);
    const Vector<3> d = space.difference(a.pos, b.pos);
    const Real r = d.norm();
    const Mask _holds_1 = Real::lt(self.extent, r);
    {
        const Mask _when_1 = _holds_1;
        f.broken = Real::add_u32(f.broken, nbody::select(_when_1, Real::splat_u32(1u), U32{}));
        g.broken = Real::add_u32(g.broken, nbody::select(_when_1, b.kind, U32{}));
        _on = _on & !_when_1;
    }
    if (!Real::any(_on)) return;
    const Real e = Real::splat(0.5) * t.k * (r - t.length).powi(2);
    f.force = nbody::select(_on,
        f.force.minus_product(Real::splat(2.0) * (Real::splat(0.5) * t.k) * (r - t.length) / r, d),
        f.force);
    g.force = g.force.minus_where(_on,
        -(d * (Real::splat(2.0) * (Real::splat(0.5) * t.k) * (r - t.length) / r)));
    f.pot = nbody::select(_on, f.pot.plus_product(Real::splat(0.5), e), f.pot);
    g.pot = nbody::select(_on, g.pot.plus_product(Real::splat(0.5), e), g.pot);
}

} // namespace law

// The names by which loops know the tuple.
struct Program {
    using Parameters = law::Bond;
    using P = law::Atom;
    using T = law::Spring;
    using F = law::Force;
    static constexpr size_t MEMBERS = 2;

    template <class Space>
    static NBODY_INLINE void tuple(
        const Parameters &self, const Space &space, const T &t, const P *p, F *f)
    {
        law::tuple(self, space, t, p[0], p[1], f[0], f[1]);
    }
};

} // namespace nbody
