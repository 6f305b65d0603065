namespace nbody {

namespace law {

struct Extremes {
    Real reach{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(reach);
    }
};

struct Grain {
    Point<3> pos{};
    Real charge{};
    U32 kind{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 2;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(charge);
        visit(kind);
    }
};

struct Extent {
    Real charge{};
    Real shortest = Real::splat(INFINITY);
    Real longest = Real::splat(-INFINITY);
    ArgMin nearest{};
    ArgMax farthest{};
    Nearest<3> few{};
    U32 alike{};
    Array<48> bins{}; // Counts by distance.
    static constexpr size_t COORDINATES = 0, NUMBERS = 62;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(charge);
        visit.least(shortest);
        visit.greatest(longest);
        visit(nearest);
        visit(farthest);
        visit(few);
        visit.count(alike);
        visit(bins);
    }

    static NBODY_INLINE Extent select(Mask _mask, const Extent &_yes, const Extent &_no)
    {
        return {nbody::select(_mask, _yes.charge, _no.charge),
            nbody::select(_mask, _yes.shortest, _no.shortest),
            nbody::select(_mask, _yes.longest, _no.longest),
            nbody::select(_mask, _yes.nearest, _no.nearest),
            nbody::select(_mask, _yes.farthest, _no.farthest),
            nbody::select(_mask, _yes.few, _no.few), nbody::select(_mask, _yes.alike, _no.alike),
            nbody::select(_mask, _yes.bins, _no.bins)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Extent &_term, Extent &_total, Extent &_lost)
    {
        nbody::compensate(_term.charge, _total.charge, _lost.charge);
        _total.shortest = _total.shortest.min(_term.shortest);
        _total.longest = _total.longest.max(_term.longest);
        _total.nearest.take<Space>(_term.nearest.value, _term.nearest.index);
        _total.farthest.take<Space>(_term.farthest.value, _term.farthest.index);
        _total.few.merge<Space>(_term.few);
        _total.alike = Real::add_u32(_total.alike, _term.alike);
        nbody::compensate(_term.bins, _total.bins, _lost.bins);
    }
};

constexpr double LEAST = 1e-46;
constexpr double MOST = -3.5e38;
constexpr uint32_t FARTHEST = 24u;

// The distance beyond which a pair contributes nothing.
template <class Space>
NBODY_INLINE Real cutoff(const Extremes &self, const Space &space, const Grain &i, const Grain &j)
{
    return self.reach;
}

// Tests whether a pair is closer than its cutoff.
template <class Space>
NBODY_INLINE Mask within(const Extremes &self, const Space &space, const Grain &i, const Grain &j)
{
    const Real _reach = law::cutoff(self, space, i, j);
    const Vector<3> _distance = space.difference(i.pos, j.pos);
    return Real::within_reach(_reach, _distance.norm2());
}

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(
    const Extremes &self, const Space &space, const Grain &i, const Grain &j, U32 index, Extent &f)
{
    Mask _on = law::within(self, space, i, j);
    if (Real::ENDS_EARLY && !Real::any(_on)) return;
    const Real r = space.difference(j.pos, i.pos).norm();
    f.charge = f.charge.plus_where(_on, j.charge);
    f.shortest = f.shortest.min(nbody::select(_on, r, Real::splat(INFINITY)));
    f.longest = f.longest.max(nbody::select(_on, r.max(Real::splat(MOST)) + Real::splat(LEAST)
        + Real::splat(1e-300) + Real::splat(0.0), Real::splat(-INFINITY)));
    f.nearest.take<Space>(nbody::select(_on, r, Real::splat(INFINITY)), index);
    f.farthest.take<Space>(nbody::select(_on, r, Real::splat(-INFINITY)), index);
    f.few.take<Space>(nbody::select(_on, r, Real::splat(INFINITY)), index);
    const Mask _holds_1 = Real::eq_u32(i.kind, j.kind);
    {
        const Mask _when_1 = _holds_1;
        f.alike = Real::add_u32(f.alike,
            nbody::select((_when_1 & _on), Real::splat_u32(1u), U32{}));
    }
    for (uint32_t k = 0; k < 48; ++k) {
        const Mask _holds_2 = Real::lt(Real::from_u32(Real::splat_u32(k)), r);
        {
            const Mask _when_2 = _holds_2;
            f.bins[k] = f.bins[k].plus_where((_when_2 & _on), Real::splat(1.0));
        }
    }
    for (uint32_t k_2 = 0; k_2 < 4; ++k_2) {
        f.bins[k_2 + FARTHEST] = f.bins[k_2 + FARTHEST].plus_where(_on, r);
    }
    // One entry, selected by an index.
    {
        const U32 _entry = Real::sub_u32(j.kind, Real::splat_u32(28u));
        const Mask _mask = (Real::lt(r, Real::splat(2.0))) & (_on);
        nbody::add_to_entry(&f.bins[28], 4, _entry, _mask, -(j.charge));
    }
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Extremes;
    using I = law::Grain;
    using J = law::Grain;
    using F = law::Extent;
    static constexpr bool CUTOFF = true, CHARGES = false, SYMMETRIC = false;

    template <class Space>
    static NBODY_INLINE Real cutoff(
        const Parameters &self, const Space &space, const I &i, const J &j)
    {
        return law::cutoff(self, space, i, j);
    }

    template <class Space>
    static NBODY_INLINE Mask within(
        const Parameters &self, const Space &space, const I &i, const J &j)
    {
        return law::within(self, space, i, j);
    }

    template <class Space>
    static NBODY_INLINE void pair(
        const Parameters &self, const Space &space, const I &i, const J &j, U32 index, F &f)
    {
        law::pair(self, space, i, j, index, f);
    }
};

} // namespace nbody
