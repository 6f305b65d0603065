namespace nbody {

namespace law {

struct Hermite {
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
    static constexpr size_t COORDINATES = 3, NUMBERS = 4;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(vel);
        visit(mass);
    }
};

struct Field {
    Vector<3> acc{};
    Vector<3> jerk{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 6;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(acc);
        visit(jerk);
    }

    static NBODY_INLINE Field select(Mask _mask, const Field &_yes, const Field &_no)
    {
        return {nbody::select(_mask, _yes.acc, _no.acc), nbody::select(_mask, _yes.jerk, _no.jerk)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Field &_term, Field &_total, Field &_lost)
    {
        nbody::compensate(_term.acc, _total.acc, _lost.acc);
        nbody::compensate(_term.jerk, _total.jerk, _lost.jerk);
    }
};

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(
    const Hermite &self, const Space &space, const Body &i, const Body &j, Field &f)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    const Real rinv = (d.norm2_plus(self.eps2)).rsqrt();
    const Vector<3> a = d * (j.mass * rinv.powi(3));
    f.acc = f.acc + a;
    // The rate of the acceleration.
    const Vector<3> part = j.vel - i.vel;
    f.jerk = f.jerk.plus_product(j.mass * rinv.powi(3),
        part.minus_product(Real::splat(3.0) * rinv.powi(2) * part.dot(d), d));
}

// Adds to f what j does to i, and to g what i does to j.
template <class Space>
NBODY_INLINE void pair_symmetric(
    const Hermite &self, const Space &space, const Body &i, const Body &j, Field &f, Field &g)
{
    const Vector<3> d = space.difference(j.pos, i.pos);
    const Real rinv = (d.norm2_plus(self.eps2)).rsqrt();
    const Real rinv3 = rinv.powi(3);
    f.acc = f.acc.plus_product(j.mass * rinv3, d);
    g.acc = g.acc.minus_product(i.mass * rinv3, d);
    // The rate of the acceleration.
    const Vector<3> part = j.vel - i.vel;
    const Vector<3> jerk_factor = part.minus_product(Real::splat(3.0) * rinv.powi(2) * part.dot(d),
        d);
    f.jerk = f.jerk.plus_product(j.mass * rinv3, jerk_factor);
    g.jerk = g.jerk.minus_product(i.mass * rinv3, jerk_factor);
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Hermite;
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
