namespace nbody {

namespace law {

struct Words {
    U32 salt{};
    Real width{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 2;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(salt);
        visit(width);
    }
};

struct Item {
    U32 kind{};
    U32 id{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 2;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(kind);
        visit(id);
    }
};

struct Sums {
    U32 count{};
    U32 mixed{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 2;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit.count(count);
        visit.count(mixed);
    }

    static NBODY_INLINE Sums select(Mask _mask, const Sums &_yes, const Sums &_no)
    {
        return {nbody::select(_mask, _yes.count, _no.count),
            nbody::select(_mask, _yes.mixed, _no.mixed)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Sums &_term, Sums &_total, Sums &_lost)
    {
        _total.count = Real::add_u32(_total.count, _term.count);
        _total.mixed = Real::add_u32(_total.mixed, _term.mixed);
    }
};

constexpr uint32_t MASK = 65027u;

NBODY_INLINE U32 hash(U32 n)
{
    U32 h = n;
    h = h ^ Real::shr_u32(h, Real::splat_u32(16u));
    h = Real::mul_u32(h, Real::splat_u32(2146121005u));
    return h ^ Real::shr_u32(h, Real::splat_u32(15u));
}

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(const Words &self, const Space &space, const Item &i, const Item &j, Sums &f)
{
    const U32 a = law::hash(Real::add_u32(i.kind, self.salt));
    const U32 b = Real::shr_u32(law::hash(Real::shl_u32(j.kind, Real::splat_u32(9u))),
        Real::mul_u32(j.id, Real::splat_u32(7u)));
    f.count = Real::add_u32(f.count,
        Real::add_u32(Real::add_u32(Real::div_u32(a, b),
        Real::mul_u32(Real::div_u32(a, Real::splat_u32(10u)), Real::splat_u32(3u))),
        Real::mul_u32(Real::rem_u32(a, b), Real::splat_u32(2u))));
    // More bits than there are.
    f.count = Real::add_u32(f.count,
        Real::sub_u32(Real::add_u32(Real::shl_u32(a, Real::splat_u32(33u)),
        Real::shl_u32(b, Real::add_u32(i.id, Real::splat_u32(1u)))),
        Real::rem_u32(a, Real::add_u32(b, Real::splat_u32(1u)))));
    U32 n = ((a & b) & Real::splat_u32(MASK)) ^ Real::splat_u32(4294967295u);
    n = Real::div_u32(n, Real::splat_u32(3u));
    n = Real::rem_u32(n, j.kind);
    n = Real::shl_u32(n, Real::add_u32(i.kind, Real::splat_u32(1u)));
    n = Real::shr_u32(n, Real::splat_u32(2u));
    f.mixed = Real::add_u32(f.mixed, Real::shl_u32(n, Real::splat_u32(4u))
        | Real::shr_u32(n, Real::splat_u32(28u)));
    f.mixed = Real::add_u32(f.mixed,
        Real::add_u32(Real::rotate_u32(n, Real::splat_u32(4u)),
        Real::mul_u32(Real::high_u32(a, b | Real::splat_u32(1u)),
        Real::max_u32(Real::min_u32(i.id, j.id), Real::splat_u32(3u)))));
    const U32 share = Real::to_u32(Real::from_u32(a) / self.width);
    f.mixed = Real::add_u32(f.mixed,
        Real::add_u32(share,
        Real::to_u32(Real::splat(0.5).times_minus(Real::from_u32(share), Real::splat(1.0)))));
    f.mixed = Real::add_u32(f.mixed,
        Real::add_u32(Real::add_u32(Real::ones_u32(a ^ b),
        Real::rotate_u32(Real::splat_u32(8u), Real::splat_u32(33u))),
        Real::high_u32(i.kind, j.kind)));
}

// Adds to f what j does to i, and to g what i does to j.
template <class Space>
NBODY_INLINE void pair_symmetric(
    const Words &self, const Space &space, const Item &i, const Item &j, Sums &f, Sums &g)
{
    const U32 a = law::hash(Real::add_u32(i.kind, self.salt));
    const U32 a_back = law::hash(Real::add_u32(j.kind, self.salt));
    const U32 b = Real::shr_u32(law::hash(Real::shl_u32(j.kind, Real::splat_u32(9u))),
        Real::mul_u32(j.id, Real::splat_u32(7u)));
    const U32 b_back = Real::shr_u32(law::hash(Real::shl_u32(i.kind, Real::splat_u32(9u))),
        Real::mul_u32(i.id, Real::splat_u32(7u)));
    f.count = Real::add_u32(f.count,
        Real::add_u32(Real::add_u32(Real::div_u32(a, b),
        Real::mul_u32(Real::div_u32(a, Real::splat_u32(10u)), Real::splat_u32(3u))),
        Real::mul_u32(Real::rem_u32(a, b), Real::splat_u32(2u))));
    g.count = Real::add_u32(g.count,
        Real::add_u32(Real::add_u32(Real::div_u32(a_back, b_back),
        Real::mul_u32(Real::div_u32(a_back, Real::splat_u32(10u)), Real::splat_u32(3u))),
        Real::mul_u32(Real::rem_u32(a_back, b_back), Real::splat_u32(2u))));
    // More bits than there are.
    f.count = Real::add_u32(f.count,
        Real::sub_u32(Real::add_u32(Real::shl_u32(a, Real::splat_u32(33u)),
        Real::shl_u32(b, Real::add_u32(i.id, Real::splat_u32(1u)))),
        Real::rem_u32(a, Real::add_u32(b, Real::splat_u32(1u)))));
    g.count = Real::add_u32(g.count,
        Real::sub_u32(Real::add_u32(Real::shl_u32(a_back, Real::splat_u32(33u)),
        Real::shl_u32(b_back, Real::add_u32(j.id, Real::splat_u32(1u)))),
        Real::rem_u32(a_back, Real::add_u32(b_back, Real::splat_u32(1u)))));
    U32 n = ((a & b) & Real::splat_u32(MASK)) ^ Real::splat_u32(4294967295u);
    U32 n_back = ((a_back & b_back) & Real::splat_u32(MASK)) ^ Real::splat_u32(4294967295u);
    n = Real::div_u32(n, Real::splat_u32(3u));
    n_back = Real::div_u32(n_back, Real::splat_u32(3u));
    n = Real::rem_u32(n, j.kind);
    n_back = Real::rem_u32(n_back, i.kind);
    n = Real::shl_u32(n, Real::add_u32(i.kind, Real::splat_u32(1u)));
    n_back = Real::shl_u32(n_back, Real::add_u32(j.kind, Real::splat_u32(1u)));
    n = Real::shr_u32(n, Real::splat_u32(2u));
    n_back = Real::shr_u32(n_back, Real::splat_u32(2u));
    f.mixed = Real::add_u32(f.mixed, Real::shl_u32(n, Real::splat_u32(4u))
        | Real::shr_u32(n, Real::splat_u32(28u)));
    g.mixed = Real::add_u32(g.mixed, Real::shl_u32(n_back, Real::splat_u32(4u))
        | Real::shr_u32(n_back, Real::splat_u32(28u)));
    f.mixed = Real::add_u32(f.mixed,
        Real::add_u32(Real::rotate_u32(n, Real::splat_u32(4u)),
        Real::mul_u32(Real::high_u32(a, b | Real::splat_u32(1u)),
        Real::max_u32(Real::min_u32(i.id, j.id), Real::splat_u32(3u)))));
    g.mixed = Real::add_u32(g.mixed,
        Real::add_u32(Real::rotate_u32(n_back, Real::splat_u32(4u)),
        Real::mul_u32(Real::high_u32(a_back, b_back | Real::splat_u32(1u)),
        Real::max_u32(Real::min_u32(i.id, j.id), Real::splat_u32(3u)))));
    const Real inverse_width = Real::splat(1.0) / self.width;
    const U32 share = Real::to_u32(Real::from_u32(a) * inverse_width);
    const U32 share_back = Real::to_u32(Real::from_u32(a_back) * inverse_width);
    f.mixed = Real::add_u32(f.mixed,
        Real::add_u32(share,
        Real::to_u32(Real::splat(0.5).times_minus(Real::from_u32(share), Real::splat(1.0)))));
    g.mixed = Real::add_u32(g.mixed,
        Real::add_u32(share_back,
        Real::to_u32(Real::splat(0.5).times_minus(Real::from_u32(share_back), Real::splat(1.0)))));
    f.mixed = Real::add_u32(f.mixed,
        Real::add_u32(Real::add_u32(Real::ones_u32(a ^ b),
        Real::rotate_u32(Real::splat_u32(8u), Real::splat_u32(33u))),
        Real::high_u32(i.kind, j.kind)));
    g.mixed = Real::add_u32(g.mixed,
        Real::add_u32(Real::add_u32(Real::ones_u32(a_back ^ b_back),
        Real::rotate_u32(Real::splat_u32(8u), Real::splat_u32(33u))),
        Real::high_u32(i.kind, j.kind)));
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Words;
    using I = law::Item;
    using J = law::Item;
    using F = law::Sums;
    static constexpr bool CUTOFF = false, CHARGES = false, SYMMETRIC = true;

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
