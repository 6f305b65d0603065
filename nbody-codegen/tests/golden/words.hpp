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
    Real noise{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 3;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit.count(count);
        visit.count(mixed);
        visit(noise);
    }

    static NBODY_INLINE Sums select(Mask _mask, const Sums &_yes, const Sums &_no)
    {
        return {nbody::select(_mask, _yes.count, _no.count),
            nbody::select(_mask, _yes.mixed, _no.mixed),
            nbody::select(_mask, _yes.noise, _no.noise)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Sums &_term, Sums &_total, Sums &_lost)
    {
        _total.count = Real::add_u32(_total.count, _term.count);
        _total.mixed = Real::add_u32(_total.mixed, _term.mixed);
        nbody::compensate(_term.noise, _total.noise, _lost.noise);
    }
};

constexpr uint32_t MASK = 65027u;

// Returns a normally distributed number: Philox4x32-10, Box-Muller.
NBODY_INLINE Real gaussian_4(U32 key, U32 counter, U32 second, U32 third)
{
    U32 k0 = key;
    U32 k1 = Real::splat_u32(0u);
    U32 c0 = counter;
    U32 c1 = second;
    U32 c2 = third;
    U32 c3 = Real::splat_u32(0u);
    for (uint32_t turn = 0; turn < 10; ++turn) {
        const U32 high0 = Real::high_u32(c0, Real::splat_u32(3528531795u));
        const U32 high2 = Real::high_u32(c2, Real::splat_u32(3449720151u));
        const U32 low0 = Real::mul_u32(c0, Real::splat_u32(3528531795u));
        const U32 low2 = Real::mul_u32(c2, Real::splat_u32(3449720151u));
        c0 = (high2 ^ c1) ^ k0;
        c1 = low2;
        c2 = (high0 ^ c3) ^ k1;
        c3 = low0;
        k0 = Real::add_u32(k0, Real::splat_u32(2654435769u));
        k1 = Real::add_u32(k1, Real::splat_u32(3144134277u));
    }
    const Real square = (-Real::splat(2.0))
        * (Real::from_u32(Real::min_u32(c0, Real::splat_u32(4294967166u)) | Real::splat_u32(1u))
        * Real::splat(2.3283064365386963e-10)).ln();
    const Real angle = Real::splat(6.283185307179586)
        * (Real::splat(2.3283064365386963e-10).times_minus(Real::from_u32(Real::min_u32(c1,
        Real::splat_u32(4294967166u)) | Real::splat_u32(1u)), Real::splat(0.5)));
    return square.sqrt() * angle.cos();
}

// Returns a random number between 0 and 1: Philox4x32-10.
NBODY_INLINE Real random_3(U32 key, U32 counter, U32 second)
{
    U32 k0 = key;
    U32 k1 = Real::splat_u32(0u);
    U32 c0 = counter;
    U32 c1 = second;
    U32 c2 = Real::splat_u32(0u);
    U32 c3 = Real::splat_u32(0u);
    for (uint32_t turn = 0; turn < 10; ++turn) {
        const U32 high0 = Real::high_u32(c0, Real::splat_u32(3528531795u));
        const U32 high2 = Real::high_u32(c2, Real::splat_u32(3449720151u));
        const U32 low0 = Real::mul_u32(c0, Real::splat_u32(3528531795u));
        const U32 low2 = Real::mul_u32(c2, Real::splat_u32(3449720151u));
        c0 = (high2 ^ c1) ^ k0;
        c1 = low2;
        c2 = (high0 ^ c3) ^ k1;
        c3 = low0;
        k0 = Real::add_u32(k0, Real::splat_u32(2654435769u));
        k1 = Real::add_u32(k1, Real::splat_u32(3144134277u));
    }
    return Real::from_u32(Real::min_u32(c0, Real::splat_u32(4294967166u)) | Real::splat_u32(1u))
        * Real::splat(2.3283064365386963e-10);
}

// Returns a random word: Philox4x32-10.
NBODY_INLINE U32 random_bits_2(U32 key, U32 counter)
{
    U32 k0 = key;
    U32 k1 = Real::splat_u32(0u);
    U32 c0 = counter;
    U32 c1 = Real::splat_u32(0u);
    U32 c2 = Real::splat_u32(0u);
    U32 c3 = Real::splat_u32(0u);
    for (uint32_t turn = 0; turn < 10; ++turn) {
        const U32 high0 = Real::high_u32(c0, Real::splat_u32(3528531795u));
        const U32 high2 = Real::high_u32(c2, Real::splat_u32(3449720151u));
        const U32 low0 = Real::mul_u32(c0, Real::splat_u32(3528531795u));
        const U32 low2 = Real::mul_u32(c2, Real::splat_u32(3449720151u));
        c0 = (high2 ^ c1) ^ k0;
        c1 = low2;
        c2 = (high0 ^ c3) ^ k1;
        c3 = low0;
        k0 = Real::add_u32(k0, Real::splat_u32(2654435769u));
        k1 = Real::add_u32(k1, Real::splat_u32(3144134277u));
    }
    return c0;
}

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
    const U32 least = Real::min_u32(i.id, j.id);
    const U32 most = Real::max_u32(i.id, j.id);
    f.noise = f.noise
        + (law::random_3(self.salt, least, most)
        - law::gaussian_4(self.salt, i.id, j.id, Real::splat_u32(1u)));
    f.mixed = Real::add_u32(f.mixed, law::random_bits_2(self.salt, i.kind));
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
    const U32 least = Real::min_u32(i.id, j.id);
    const U32 most = Real::max_u32(i.id, j.id);
    const Real noise_part = law::random_3(self.salt, least, most);
    f.noise = f.noise + (noise_part - law::gaussian_4(self.salt, i.id, j.id, Real::splat_u32(1u)));
    g.noise = g.noise + (noise_part - law::gaussian_4(self.salt, j.id, i.id, Real::splat_u32(1u)));
    f.mixed = Real::add_u32(f.mixed, law::random_bits_2(self.salt, i.kind));
    g.mixed = Real::add_u32(g.mixed, law::random_bits_2(self.salt, j.kind));
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
