namespace nbody {

namespace law {

// Harmonic repulsion; a shear that particles feel.
struct Spring {
    Real k{};
    Array<6> shear{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 7;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(k);
        visit(shear);
    }
};

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

// The part of a tensor without a trace.
NBODY_INLINE Array<6> deviator(Array<6> t)
{
    const Real p = (t[0] + t[1] + t[2]) / Real::splat(3.0);
    return Array<6>{{t[0] - p, t[1] - p, t[2] - p, t[3] - Real::splat(0.0), t[4] - Real::splat(0.0),
        t[5] - Real::splat(0.0)}};
}

// Adds to f what j does to i.
template <class Space>
NBODY_INLINE void pair(
    const Spring &self, const Space &space, const Atom &i, const Atom &j, Force &f)
{
    const Vector<3> d = space.difference(i.pos, j.pos);
    const Vector<3> push = Vector<3>{{((self.shear[0] * d[0]).plus_product(self.shear[3],
        d[1])).plus_product(self.shear[4], d[2]),
        ((self.shear[3] * d[0]).plus_product(self.shear[1], d[1])).plus_product(self.shear[5],
        d[2]),
        ((self.shear[4] * d[0]).plus_product(self.shear[5], d[1])).plus_product(self.shear[2],
        d[2])}}.plus_product(self.k, d);
    // Half for each particle.
    f.virial[0] = f.virial[0].plus_product(Real::splat(0.5), d[0] * push[0]);
    f.virial[1] = f.virial[1].plus_product(Real::splat(0.5), d[1] * push[1]);
    f.virial[2] = f.virial[2].plus_product(Real::splat(0.5), d[2] * push[2]);
    f.virial[3] = f.virial[3].plus_product(Real::splat(0.25),
        (d[0] * push[1]).plus_product(d[1], push[0]));
    f.virial[4] = f.virial[4].plus_product(Real::splat(0.25),
        (d[0] * push[2]).plus_product(d[2], push[0]));
    f.virial[5] = f.virial[5].plus_product(Real::splat(0.25),
        (d[1] * push[2]).plus_product(d[2], push[1]));
    f.force = f.force + push;
    Array<6> t = nbody::select(Real::lt(d.norm2(), Real::splat(1.0)), i.strain,
        law::deviator(j.strain));
    t[3] = t[3] + d[0];
    t = Array<6>{{t[0] * Real::splat(2.0), t[1] * Real::splat(2.0), t[2] * Real::splat(2.0), t[3]
        * Real::splat(2.0), t[4] * Real::splat(2.0), t[5] * Real::splat(2.0)}};
    t = Array<6>{{t[0] - ((-j.strain[0]) / self.k), t[1] - ((-j.strain[1]) / self.k), t[2]
        - ((-j.strain[2]) / self.k), t[3] - ((-j.strain[3]) / self.k), t[4]
        - ((-j.strain[4]) / self.k), t[5] - ((-j.strain[5]) / self.k)}};
    f.virial[0] = f.virial[0] - t[0];
    f.virial[1] = f.virial[1] - t[1];
    f.virial[2] = f.virial[2] - t[2];
    f.virial[3] = f.virial[3] - t[3];
    f.virial[4] = f.virial[4] - t[4];
    f.virial[5] = f.virial[5] - t[5];
    f.virial[5] = f.virial[5]
        + Vector<3>{{((t[0] * d[0]).plus_product(t[3], d[1])).plus_product(t[4], d[2]),
        ((t[3] * d[0]).plus_product(t[1], d[1])).plus_product(t[5], d[2]),
        ((t[4] * d[0]).plus_product(t[5], d[1])).plus_product(t[2], d[2])}}[2];
    const Vector<2> side = i.flat - j.flat;
    f.flat[0] = f.flat[0].plus_product(side[0], side[0]);
    f.flat[1] = f.flat[1].plus_product(side[1], side[1]);
    f.flat[2] = f.flat[2].plus_product(side[0], side[1]);
    f.line[0] = f.line[0] + d[1];
}

// Adds to f what j does to i, and to g what i does to j.
template <class Space>
NBODY_INLINE void pair_symmetric(
    const Spring &self, const Space &space, const Atom &i, const Atom &j, Force &f, Force &g)
{
    const Vector<3> d = space.difference(i.pos, j.pos);
    const Vector<3> push = Vector<3>{{((self.shear[0] * d[0]).plus_product(self.shear[3],
        d[1])).plus_product(self.shear[4], d[2]),
        ((self.shear[3] * d[0]).plus_product(self.shear[1], d[1])).plus_product(self.shear[5],
        d[2]),
        ((self.shear[4] * d[0]).plus_product(self.shear[5], d[1])).plus_product(self.shear[2],
        d[2])}}.plus_product(self.k, d);
    // Half for each particle.
    const Real virial_factor = Real::splat(0.5) * d[0];
    f.virial[0] = f.virial[0].plus_product(virial_factor, push[0]);
    g.virial[0] = g.virial[0].plus_product(virial_factor, push[0]);
    const Real virial_factor_2 = Real::splat(0.5) * d[1];
    f.virial[1] = f.virial[1].plus_product(virial_factor_2, push[1]);
    g.virial[1] = g.virial[1].plus_product(virial_factor_2, push[1]);
    const Real virial_factor_3 = Real::splat(0.5) * d[2];
    f.virial[2] = f.virial[2].plus_product(virial_factor_3, push[2]);
    g.virial[2] = g.virial[2].plus_product(virial_factor_3, push[2]);
    const Real virial_factor_4 = (d[0] * push[1]).plus_product(d[1], push[0]);
    f.virial[3] = f.virial[3].plus_product(Real::splat(0.25), virial_factor_4);
    g.virial[3] = g.virial[3].plus_product(Real::splat(0.25), virial_factor_4);
    const Real virial_factor_5 = (d[0] * push[2]).plus_product(d[2], push[0]);
    f.virial[4] = f.virial[4].plus_product(Real::splat(0.25), virial_factor_5);
    g.virial[4] = g.virial[4].plus_product(Real::splat(0.25), virial_factor_5);
    const Real virial_factor_6 = (d[1] * push[2]).plus_product(d[2], push[1]);
    f.virial[5] = f.virial[5].plus_product(Real::splat(0.25), virial_factor_6);
    g.virial[5] = g.virial[5].plus_product(Real::splat(0.25), virial_factor_6);
    f.force = f.force + push;
    g.force = g.force - push;
    Array<6> t = nbody::select(Real::lt(d.norm2(), Real::splat(1.0)), i.strain,
        law::deviator(j.strain));
    Array<6> t_back = nbody::select(Real::lt(d.norm2(), Real::splat(1.0)), j.strain,
        law::deviator(i.strain));
    t[3] = t[3] + d[0];
    t_back[3] = t_back[3] - d[0];
    t = Array<6>{{t[0] * Real::splat(2.0), t[1] * Real::splat(2.0), t[2] * Real::splat(2.0), t[3]
        * Real::splat(2.0), t[4] * Real::splat(2.0), t[5] * Real::splat(2.0)}};
    t_back = Array<6>{{t_back[0] * Real::splat(2.0), t_back[1] * Real::splat(2.0), t_back[2]
        * Real::splat(2.0), t_back[3] * Real::splat(2.0), t_back[4] * Real::splat(2.0), t_back[5]
        * Real::splat(2.0)}};
    const Real inverse_k = Real::splat(1.0) / self.k;
    t = Array<6>{{t[0].plus_product(j.strain[0], inverse_k),
        t[1].plus_product(j.strain[1], inverse_k), t[2].plus_product(j.strain[2], inverse_k),
        t[3].plus_product(j.strain[3], inverse_k), t[4].plus_product(j.strain[4], inverse_k),
        t[5].plus_product(j.strain[5], inverse_k)}};
    t_back = Array<6>{{t_back[0].plus_product(i.strain[0], inverse_k),
        t_back[1].plus_product(i.strain[1], inverse_k),
        t_back[2].plus_product(i.strain[2], inverse_k),
        t_back[3].plus_product(i.strain[3], inverse_k),
        t_back[4].plus_product(i.strain[4], inverse_k),
        t_back[5].plus_product(i.strain[5], inverse_k)}};
    f.virial[0] = f.virial[0] - t[0];
    g.virial[0] = g.virial[0] - t_back[0];
    f.virial[1] = f.virial[1] - t[1];
    g.virial[1] = g.virial[1] - t_back[1];
    f.virial[2] = f.virial[2] - t[2];
    g.virial[2] = g.virial[2] - t_back[2];
    f.virial[3] = f.virial[3] - t[3];
    g.virial[3] = g.virial[3] - t_back[3];
    f.virial[4] = f.virial[4] - t[4];
    g.virial[4] = g.virial[4] - t_back[4];
    f.virial[5] = f.virial[5] - t[5];
    g.virial[5] = g.virial[5] - t_back[5];
    f.virial[5] = f.virial[5]
        + Vector<3>{{((t[0] * d[0]).plus_product(t[3], d[1])).plus_product(t[4], d[2]),
        ((t[3] * d[0]).plus_product(t[1], d[1])).plus_product(t[5], d[2]),
        ((t[4] * d[0]).plus_product(t[5], d[1])).plus_product(t[2], d[2])}}[2];
    g.virial[5] = g.virial[5]
        - Vector<3>{{((t_back[0] * d[0]).plus_product(t_back[3], d[1])).plus_product(t_back[4],
        d[2]), ((t_back[3] * d[0]).plus_product(t_back[1], d[1])).plus_product(t_back[5], d[2]),
        ((t_back[4] * d[0]).plus_product(t_back[5], d[1])).plus_product(t_back[2], d[2])}}[2];
    const Vector<2> side = i.flat - j.flat;
    f.flat[0] = f.flat[0].plus_product(side[0], side[0]);
    g.flat[0] = g.flat[0].plus_product(side[0], side[0]);
    f.flat[1] = f.flat[1].plus_product(side[1], side[1]);
    g.flat[1] = g.flat[1].plus_product(side[1], side[1]);
    f.flat[2] = f.flat[2].plus_product(side[0], side[1]);
    g.flat[2] = g.flat[2].plus_product(side[0], side[1]);
    f.line[0] = f.line[0] + d[1];
    g.line[0] = g.line[0] - d[1];
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Spring;
    using I = law::Atom;
    using J = law::Atom;
    using F = law::Force;
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
