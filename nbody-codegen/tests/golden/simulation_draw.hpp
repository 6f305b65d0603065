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

// Draws each body towards another one, the body of its kind.
struct Draw {
    Real rate{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(rate);
    }
};

// Changes p.
template <class Space>
NBODY_INLINE void update(
    const Draw &self, const Space &space, Body &p, const Body &q, const Others<Body> &others)
{
    const Real others_2 = others.at(Real::add_u32(p.kind, Real::splat_u32(1u))).mass - q.mass;
    p.pos = p.pos + (space.difference(others.at(p.kind).pos, p.pos) * (self.rate * others_2));
    p.kind = others.at(Real::splat_u32(0u)).kind;
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Draw;
    using P = law::Body;
    using Q = law::Body;
    using F = Nothing;
    using G = Nothing;
    static constexpr bool UPDATES = true;

    template <class Space>
    static NBODY_INLINE void update(
        const Parameters &self, const Space &space, P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others)
    {
        law::update(self, space, p, q, others);
    }
};

} // namespace nbody
