namespace nbody {

namespace law {

struct Tabulated {
    U32 kind{};
    Spline<64> energy{}; // An energy over the square of the distance.
    Real scale{};
    Spline<9> density{};
    Splines<3, 3, 12> of_pair{}; // Energies over the distance, by the kinds of i and j.
    Splines<3, 1, 5> of_kind{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 2, CUBICS = 224, CUBIC_LINES = 58;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(kind);
        visit(energy);
        visit(scale);
        visit(density);
        visit(of_pair);
        visit(of_kind);
    }
};

struct Atom {
    Point<3> pos{};
    Real density{};
    U32 kind{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 2;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(density);
        visit(kind);
    }
};

struct Sums {
    Real energy{};
    Vector<3> force{};
    Real bend{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 5;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(energy);
        visit(force);
        visit(bend);
    }

    static NBODY_INLINE Sums select(Mask _mask, const Sums &_yes, const Sums &_no)
    {
        return {nbody::select(_mask, _yes.energy, _no.energy),
            nbody::select(_mask, _yes.force, _no.force), nbody::select(_mask, _yes.bend, _no.bend)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Sums &_term, Sums &_total, Sums &_lost)
    {
        nbody::compensate(_term.energy, _total.energy, _lost.energy);
        nbody::compensate(_term.force, _total.force, _lost.force);
        nbody::compensate(_term.bend, _total.bend, _lost.bend);
    }
};

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(
    const Tabulated &self, const Space &space, const Atom &i, const Atom &j, Sums &f)
{
    const Real r2 = space.difference(i.pos, j.pos).norm2();
    const Real e = self.energy.at(r2).plus_product(self.scale,
        self.density.at(i.density * r2.sqrt()));
    const Mask _holds_1 = Real::eq_u32(j.kind, self.kind);
    {
        const Mask _when_1 = _holds_1;
        f.energy = f.energy.plus_where(_when_1, e);
    }
    const Real part = r2.sqrt();
    f.force = f.force.minus_product((self.scale * i.density * self.density.slope(i.density * part)
        / part).plus_product(Real::splat(2.0), self.energy.slope(r2)),
        space.difference(i.pos, j.pos));
    const Real r = r2.sqrt();
    const Real of_pair = self.of_pair.entry(i.kind, j.kind).at(r)
        * self.of_kind.element(j.kind).at(r);
    f.energy = f.energy + (of_pair + self.of_kind.element(Real::splat_u32(2u)).slope(r));
    f.force = f.force.minus_product(((self.of_pair.entry(i.kind, j.kind).at(part)
        * self.of_kind.element(j.kind).slope(part)).plus_product(self.of_kind.element(j.kind).at(part), self.of_pair.entry(i.kind, j.kind).slope(part))) / part, space.difference(i.pos, j.pos));
    for (uint32_t k = 0; k < 3; ++k) {
        f.bend = f.bend + self.of_pair.entry(Real::splat_u32(0u), Real::splat_u32(k)).curvature(r);
    }
    f.bend = f.bend
        + (self.density.curvature(i.density + j.density) - self.density.third_derivative(r2));
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Tabulated;
    using I = law::Atom;
    using J = law::Atom;
    using F = law::Sums;
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
        law::pair(self, space, i, j, f);
    }
};

} // namespace nbody
