namespace nbody {

namespace law {

struct Body {
    Point<3> pos{};
    Vector<3> vel{};
    Real mass{};
    U32 kind{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 5;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(vel);
        visit(mass);
        visit(kind);
    }
};

struct Drift {
    Real dt{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(dt);
    }
};

// Displaces free particles.
template <class Space>
NBODY_INLINE void update(const Drift &self, const Space &space, Body &p)
{
    Mask _on = Real::splat_mask(true);
    // Fixed particles stay.
    const Mask _holds_1 = Real::eq_u32(p.kind, Real::splat_u32(1u));
    {
        const Mask _when_1 = _holds_1;
        _on = _on & !_when_1;
    }
    if (!Real::any(_on)) return;
    p.pos = nbody::select(_on, p.pos + (p.vel * (self.dt)), p.pos);
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Drift;
    using P = law::Body;
    using Q = Nothing;
    using F = Nothing;
    using G = Nothing;
    static constexpr bool UPDATES = true;

    template <class Space>
    static NBODY_INLINE void update(
        const Parameters &self, const Space &space, P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others)
    {
        law::update(self, space, p);
    }
};

} // namespace nbody
