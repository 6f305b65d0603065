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

struct Total {
    Array<6> pressure{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 6;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pressure);
    }

    static NBODY_INLINE Total select(Mask _mask, const Total &_yes, const Total &_no)
    {
        return {nbody::select(_mask, _yes.pressure, _no.pressure)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Total &_term, Total &_total, Total &_lost)
    {
        nbody::compensate(_term.pressure, _total.pressure, _lost.pressure);
    }
};

struct Pressure {
    static constexpr size_t COORDINATES = 0, NUMBERS = 0;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
    }
};

// Adds to t what p contributes.
template <class Space>
NBODY_INLINE void measure(
    const Pressure &self, const Space &space, const Atom &p, const Force &f, Total &t)
{
    t.pressure[0] = t.pressure[0] + (f.virial[0] + p.strain[0]);
    t.pressure[1] = t.pressure[1] + (f.virial[1] + p.strain[1]);
    t.pressure[2] = t.pressure[2] + (f.virial[2] + p.strain[2]);
    t.pressure[3] = t.pressure[3] + (f.virial[3] + p.strain[3]);
    t.pressure[4] = t.pressure[4] + (f.virial[4] + p.strain[4]);
    t.pressure[5] = t.pressure[5] + (f.virial[5] + p.strain[5]);
}

} // namespace law

// The names by which loops know the program.
struct Program {
    using Parameters = law::Pressure;
    using P = law::Atom;
    using Q = Nothing;
    using F = law::Force;
    using G = Nothing;
    using T = law::Total;
    static constexpr bool UPDATES = false;

    template <class Space>
    static NBODY_INLINE void measure(
        const Parameters &self, const Space &space, const P &p, const Q &q, const F &f, const G &g,
        const Others<Q> &others, U32 index, T &t)
    {
        law::measure(self, space, p, f, t);
    }
};

} // namespace nbody
