namespace nbody {

namespace law {

struct Atom {
    Point<3> pos{};
    Array<6> strain{};
    Vector<2> flat{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 8;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(strain);
        visit(flat);
    }
};

struct Force {
    Vector<3> force{};
    Array<6> virial{};
    Array<3> flat{};
    Array<1> line{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 13;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(force);
        visit(virial);
        visit(flat);
        visit(line);
    }

    static NBODY_INLINE Force select(Mask _mask, const Force &_yes, const Force &_no)
    {
        return {nbody::select(_mask, _yes.force, _no.force),
            nbody::select(_mask, _yes.virial, _no.virial),
            nbody::select(_mask, _yes.flat, _no.flat), nbody::select(_mask, _yes.line, _no.line)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Force &_term, Force &_total, Force &_lost)
    {
        nbody::compensate(_term.force, _total.force, _lost.force);
        nbody::compensate(_term.virial, _total.virial, _lost.virial);
        nbody::compensate(_term.flat, _total.flat, _lost.flat);
        nbody::compensate(_term.line, _total.line, _lost.line);
    }
};

struct Relax {
    Real rate{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 1;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(rate);
    }
};

// Changes p.
template <class Space>
NBODY_INLINE void update(const Relax &self, const Space &space, Atom &p, const Force &f)
{
    p.strain = Array<6>{{p.strain[0].plus_product(self.rate, f.virial[0]),
        p.strain[1].plus_product(self.rate, f.virial[1]),
        p.strain[2].plus_product(self.rate, f.virial[2]),
        p.strain[3].plus_product(self.rate, f.virial[3]),
        p.strain[4].plus_product(self.rate, f.virial[4]),
        p.strain[5].plus_product(self.rate, f.virial[5])}};
    p.strain = Array<6>{{p.strain[1], p.strain[0], p.strain[2], p.strain[3], p.strain[5],
        p.strain[4]}};
    p.strain[2] = p.strain[2] * Real::splat(0.5);
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Relax;
    using P = law::Atom;
    using Q = Nothing;
    using F = law::Force;
    using G = Nothing;
    static constexpr bool UPDATES = true;

    template <class Space>
    static NBODY_INLINE void update(
        const Parameters &self, const Space &space, P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others)
    {
        law::update(self, space, p, f);
    }
};

} // namespace nbody
