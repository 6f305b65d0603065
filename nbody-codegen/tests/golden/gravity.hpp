namespace nbody {

namespace law {

// Newtonian gravity with Plummer softening; G = 1.
struct Gravity {
    Real eps2{}; // Squared softening length.
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(eps2);
    }
};

struct Body {
    Point<3> pos{};
    Real mass{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(mass);
    }
};

struct Field {
    Vector<3> acc{};
    Real pot{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 4;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(acc);
        visit(pot);
    }

    static NBODY_INLINE Field select(Mask _mask, const Field &_yes, const Field &_no)
    {
        return {nbody::select(_mask, _yes.acc, _no.acc), nbody::select(_mask, _yes.pot, _no.pot)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Field &_term, Field &_total, Field &_lost)
    {
        nbody::compensate(_term.acc, _total.acc, _lost.acc);
        nbody::compensate(_term.pot, _total.pot, _lost.pot);
    }
};

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(
    const Gravity &self, const Space &space, const Body &i, const Body &j, Field &f)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    // Softening keeps close encounters finite.
    const Real rinv = (d.norm2_plus(self.eps2)).rsqrt();
    const Real mr = j.mass * rinv; // the potential of j
    f.acc = f.acc.plus_product(mr * rinv * rinv, d);
    f.pot = f.pot - mr;
}

// Adds to f what j does to i, and to g what i does to j.
template <class Space>
NBODY_INLINE void pair_symmetric(
    const Gravity &self, const Space &space, const Body &i, const Body &j, Field &f, Field &g)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    // Softening keeps close encounters finite.
    const Real rinv = (d.norm2_plus(self.eps2)).rsqrt();
    const Real rinv3 = rinv * rinv * rinv;
    f.acc = f.acc.plus_product(j.mass * rinv3, d);
    g.acc = g.acc.minus_product(i.mass * rinv3, d);
    f.pot = f.pot.minus_product(j.mass, rinv);
    g.pot = g.pot.minus_product(i.mass, rinv);
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Gravity;
    using I = law::Body;
    using J = law::Body;
    using F = law::Field;
    static constexpr bool CUTOFF = false, CHARGES = true, SYMMETRIC = true;

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
        law::pair(self, space, i, j, f);
    }

    template <class Space>
    static NBODY_INLINE void pair_symmetric(
        const Parameters &self, const Space &space, const I &i, const J &j, F &f, F &g)
    {
        law::pair_symmetric(self, space, i, j, f, g);
    }
};

} // namespace nbody
