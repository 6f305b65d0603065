namespace nbody {

namespace law {

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

struct Embed {
    Spline<16> embedding{};
    Splines<3, 1, 16> of_kind{};
    U32 due{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1, CUBICS = 72, CUBIC_LINES = 19;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(embedding);
        visit(of_kind);
        visit(due);
    }
};

// Changes p.
template <class Space>
NBODY_INLINE void update(const Embed &self, const Space &space, Atom &p)
{
    p.density = self.embedding.at(p.density) + self.embedding.slope(p.density);
    p.density = p.density + self.of_kind.element(p.kind).at(p.density);
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Embed;
    using P = law::Atom;
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
