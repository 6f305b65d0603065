namespace nbody {

namespace law {

struct Yukawa {
    Real kappa{};
    Real switch_{};
    Real end{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 3;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(kappa);
        visit(switch_);
        visit(end);
    }
};

struct Atom {
    Point<3> pos{};
    Real charge{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(charge);
    }
};

struct Force {
    Vector<3> force{};
    Real energy{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 4;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(force);
        visit(energy);
    }

    static NBODY_INLINE Force select(Mask _mask, const Force &_yes, const Force &_no)
    {
        return {nbody::select(_mask, _yes.force, _no.force),
            nbody::select(_mask, _yes.energy, _no.energy)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Force &_term, Force &_total, Force &_lost)
    {
        nbody::compensate(_term.force, _total.force, _lost.force);
        nbody::compensate(_term.energy, _total.energy, _lost.energy);
    }
};

// Falls from 1 to 0 between two distances.
NBODY_INLINE Real fall(Real r, Real switch_, Real end)
{
    Real _value{};
    Mask _on = Real::splat_mask(true);
    const Mask _holds_1 = Real::le(r, switch_);
    {
        const Mask _when_1 = _holds_1;
        _value = nbody::select((_when_1 & _on), Real::splat(1.0), _value);
        _on = _on & !_when_1;
    }
    if (!Real::any(_on)) return _value;
    const Real x = (r - switch_) / (end - switch_);
    return nbody::select(_on,
        Real::splat(1.0).minus_product(x * x, Real::splat(3.0).minus_product(Real::splat(2.0), x)),
        _value);
}

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(
    const Yukawa &self, const Space &space, const Atom &i, const Atom &j, Force &f)
{
    const Real r = space.difference(i.pos, j.pos).norm();
    const Real e = i.charge * j.charge * ((-self.kappa) * r).exp() / r
        * law::fall(r, self.switch_, self.end);
    f.energy = f.energy.plus_product(Real::splat(0.5), e);
    // The force on i.
    const Real part = self.end - self.switch_;
    const Real part_2 = Real::splat(2.0) * ((r - self.switch_) / part);
    f.force = f.force.minus_product((nbody::select(Real::le(r, self.switch_), Real::splat(0.0),
        i.charge * j.charge * ((-self.kappa) * r).exp() / r * part_2
        * (part_2.times_minus(Real::splat(0.5), Real::splat(3.0) - part_2)) / part).minus_product(e,
        Real::splat(1.0) / r + self.kappa)) / r, space.difference(i.pos, j.pos));
}

// Adds to f what j does to i, and to g what i does to j.
template <class Space>
NBODY_INLINE void pair_symmetric(
    const Yukawa &self, const Space &space, const Atom &i, const Atom &j, Force &f, Force &g)
{
    const Real r = space.difference(i.pos, j.pos).norm();
    const Real e = i.charge * j.charge * ((-self.kappa) * r).exp() / r
        * law::fall(r, self.switch_, self.end);
    f.energy = f.energy.plus_product(Real::splat(0.5), e);
    g.energy = g.energy.plus_product(Real::splat(0.5), e);
    // The force on i.
    const Real part = self.end - self.switch_;
    const Real part_2 = Real::splat(2.0) * ((r - self.switch_) / part);
    const Real force_factor = (nbody::select(Real::le(r, self.switch_), Real::splat(0.0), i.charge
        * j.charge * ((-self.kappa) * r).exp() / r * part_2
        * (part_2.times_minus(Real::splat(0.5), Real::splat(3.0) - part_2)) / part).minus_product(e,
        Real::splat(1.0) / r + self.kappa)) / r;
    const Vector<3> pos_i_minus_pos_j = space.difference(i.pos, j.pos);
    f.force = f.force.minus_product(force_factor, pos_i_minus_pos_j);
    g.force = g.force.plus_product(force_factor, pos_i_minus_pos_j);
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Yukawa;
    using I = law::Atom;
    using J = law::Atom;
    using F = law::Force;
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
