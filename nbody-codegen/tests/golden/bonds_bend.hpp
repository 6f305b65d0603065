namespace nbody {

namespace law {

// A bend towards a right angle.
struct Bend {
    Real k{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(k);
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

// Adds the results of the particles of a tuple: fa, fb, fc.
template <class Space>
NBODY_INLINE void tuple(
    const Bend &self, const Space &space, const Atom &a, const Atom &b, const Atom &c, Force &fa,
    Force &fb, Force &fc)
{
    const Vector<3> p = space.difference(a.pos, b.pos);
    const Vector<3> q = space.difference(c.pos, b.pos);
    const Real e = self.k * p.dot(q).powi(2);
    fa.force = fa.force.minus_product(Real::splat(2.0) * self.k * p.dot(q), q);
    fc.force = fc.force.minus_product(Real::splat(2.0) * self.k * p.dot(q), p);
    fb.force = fb.force
        + ((q * (Real::splat(2.0) * self.k * p.dot(q))).plus_product(Real::splat(2.0) * self.k
        * p.dot(q), p));
    fb.pot = fb.pot + e;
    fb.broken = Real::add_u32(fb.broken, Real::splat_u32(1u));
}

} // namespace law

// The names by which loops know the tuple.
struct Program {
    using Parameters = law::Bend;
    using P = law::Atom;
    using T = Nothing;
    using F = law::Force;
    static constexpr size_t MEMBERS = 3;

    template <class Space>
    static NBODY_INLINE void tuple(
        const Parameters &self, const Space &space, const T &, const P *p, F *f)
    {
        law::tuple(self, space, p[0], p[1], p[2], f[0], f[1], f[2]);
    }
};

} // namespace nbody
