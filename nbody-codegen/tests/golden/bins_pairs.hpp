namespace nbody {

namespace law {

struct Pairs {
    Real width{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(width);
    }
};

struct Atom {
    Point<3> pos{};
    Real mass{};
    U32 kind{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 2;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(mass);
        visit(kind);
    }
};

struct Bins {
    U32 all{};
    Counts<64> shells{}; // By distance.
    Array<3> weight{};
    Counts<3> kinds{};
    Real last{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 72;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit.count(all);
        visit(shells);
        visit(weight);
        visit(kinds);
        visit(last);
    }

    static NBODY_INLINE Bins select(Mask _mask, const Bins &_yes, const Bins &_no)
    {
        return {nbody::select(_mask, _yes.all, _no.all),
            nbody::select(_mask, _yes.shells, _no.shells),
            nbody::select(_mask, _yes.weight, _no.weight),
            nbody::select(_mask, _yes.kinds, _no.kinds), nbody::select(_mask, _yes.last, _no.last)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Bins &_term, Bins &_total, Bins &_lost)
    {
        _total.all = Real::add_u32(_total.all, _term.all);
        nbody::compensate(_term.shells, _total.shells, _lost.shells);
        nbody::compensate(_term.weight, _total.weight, _lost.weight);
        nbody::compensate(_term.kinds, _total.kinds, _lost.kinds);
        nbody::compensate(_term.last, _total.last, _lost.last);
    }
};

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(const Pairs &self, const Space &space, const Atom &i, const Atom &j, Bins &f)
{
    const Real r = space.difference(j.pos, i.pos).norm();
    f.all = Real::add_u32(f.all, Real::splat_u32(1u));
    const U32 bin = Real::to_u32(r / self.width);
    // By distance.
    {
        const U32 _entry = bin;
        const Mask _mask = Real::splat_mask(true);
        nbody::add_to_entry(&f.shells[0], 64, _entry, _mask, Real::splat_u32(1u));
    }
    const Mask _holds_1 = Real::lt(r, (Real::splat(4.0) * self.width));
    {
        const Mask _when_1 = _holds_1;
        const Real term = j.mass * i.mass;
        {
            const U32 _entry = j.kind;
            const Mask _mask = (_when_1);
            nbody::add_to_entry(&f.weight[0], 3, _entry, _mask, term);
        }
        const Real term_2 = Real::splat(0.5) * r;
        {
            const U32 _entry = i.kind;
            const Mask _mask = (_when_1);
            nbody::add_to_entry(&f.weight[0], 3, _entry, _mask, -(term_2));
        }
        {
            const U32 _entry = j.kind;
            const Mask _mask = (_when_1);
            nbody::add_to_entry(&f.kinds[0], 3, _entry, _mask, Real::splat_u32(1u));
        }
        f.kinds[2] = Real::add_u32(f.kinds[2], nbody::select(_when_1, Real::splat_u32(3u), U32{}));
    }
    f.last = f.last + r;
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Pairs;
    using I = law::Atom;
    using J = law::Atom;
    using F = law::Bins;
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
