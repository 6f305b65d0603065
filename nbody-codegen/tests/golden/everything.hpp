namespace nbody {

namespace law {

struct Everything {
    Table<3, 2> table{};
    Real strength{};
    Vector<3> axis{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 10;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(table);
        visit(strength);
        visit(axis);
    }
};

// A particle that feels the others.
struct Target {
    Point<3> pos{}; // Position.
    Real float_{};
    U32 kind{};
    U32 other{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 3;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(float_);
        visit(kind);
        visit(other);
    }
};

struct Source {
    Point<3> pos{};
    Vector<3> vel{};
    Array<4> raw{};
    U32 kind{};
    U32 other{};
    static constexpr size_t COORDINATES = 3, NUMBERS = 9;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(pos);
        visit(vel);
        visit(raw);
        visit(kind);
        visit(other);
    }
};

struct Sums {
    Vector<3> force{};
    Array<2> rows{};
    Real count{};
    static constexpr size_t COORDINATES = 0, NUMBERS = 6;

    template <class Visit> NBODY_INLINE void visit(Visit &&visit)
    {
        visit(force);
        visit(rows);
        visit(count);
    }

    static NBODY_INLINE Sums select(Mask _mask, const Sums &_yes, const Sums &_no)
    {
        return {nbody::select(_mask, _yes.force, _no.force),
            nbody::select(_mask, _yes.rows, _no.rows), nbody::select(_mask, _yes.count, _no.count)};
    }

    template <class Space>
    static NBODY_INLINE void compensate(const Sums &_term, Sums &_total, Sums &_lost)
    {
        nbody::compensate(_term.force, _total.force, _lost.force);
        nbody::compensate(_term.rows, _total.rows, _lost.rows);
        nbody::compensate(_term.count, _total.count, _lost.count);
    }
};

// Range.
constexpr double RADIUS = 6.283185307179586;
constexpr uint32_t FLAG = 3u;

// A kernel with compact support.
NBODY_INLINE Real w(Real q)
{
    Real _value{};
    Mask _on = Real::splat_mask(true);
    const Real t = Real::splat(1.0) - q;
    // Beyond its support.
    const Mask _holds_1 = Real::lt(t, Real::splat(0.0));
    {
        const Mask _when_1 = _holds_1;
        _value = nbody::select((_when_1 & _on), Real::splat(0.0), _value);
        _on = _on & !_when_1;
    }
    if (!Real::any(_on)) return _value;
    return nbody::select(_on, t.powi(3), _value);
}

NBODY_INLINE Real steps(Real x, Mask near)
{
    Real y = x;
    const Mask _holds_1 = near & Real::lt(x, Real::splat(1.0));
    {
        const Mask _when_1 = _holds_1;
        y = nbody::select(_when_1, y + law::w(x), y);
        // Deeper.
        const Mask _holds_2 = Real::lt(Real::splat(0.5), y) | (!near);
        {
            const Mask _when_2 = _when_1 & _holds_2;
            y = nbody::select(_when_2, -y, y);
        }
    }
    {
        const Mask _unless_1 = !_holds_1;
        const Mask _holds_3 = Real::eq(x, Real::splat(2.0));
        {
            const Mask _when_3 = _unless_1 & _holds_3;
            y = nbody::select(_when_3, y * Real::splat(2.0), y);
        }
        {
            const Mask _unless_3 = _unless_1 & !_holds_3;
            y = nbody::select(_unless_3, y - (x - Real::splat(1.0)), y);
        }
    }
    return y;
}

// The distance along an axis.
template <class Space>
NBODY_INLINE Real along(const Space &space, Vector<3> axis, Point<3> a, Point<3> b)
{
    return axis.dot(space.difference(a, b));
}

// Farther for some.
template <class Space>
NBODY_INLINE Real cutoff(
    const Everything &self, const Space &space, const Target &target, const Source &source)
{
    Real _value{};
    Mask _on = Real::splat_mask(true);
    const Mask _holds_1 = Real::eq_u32(target.kind, Real::splat_u32(FLAG));
    {
        const Mask _when_1 = _holds_1;
        _value = nbody::select((_when_1 & _on), Real::splat(2.0) * self.strength, _value);
        _on = _on & !_when_1;
    }
    if (!Real::any(_on)) return _value;
    return nbody::select(_on, self.strength, _value);
}

// Tests whether a pair is closer than its cutoff.
template <class Space>
NBODY_INLINE Mask within(
    const Everything &self, const Space &space, const Target &target, const Source &source)
{
    const Real _reach = law::cutoff(self, space, target, source);
    const Vector<3> _distance = space.difference(target.pos, source.pos);
    return Real::within_reach(_reach, _distance.norm2());
}

// Adds what there is.
template <class Space>
NBODY_INLINE void pair(
    const Everything &self, const Space &space, const Target &here, const Source &there, Sums &sums)
{
    Mask _on = law::within(self, space, here, there);
    if (Real::ENDS_EARLY && !Real::any(_on)) return;
    const Vector<3> d = space.difference(there.pos, here.pos);
    const Real h = law::along(space, self.axis, here.pos, there.pos);
    const Real r = d.norm();
    const Vector<3> d_2 = (-d) / (r + Real::splat(1.0));
    const Mask _holds_1 = Real::lt((Real::splat(100.0) * self.strength), r);
    {
        const Mask _when_1 = _holds_1;
        _on = _on & !_when_1; // Too far.
    }
    if (!Real::any(_on)) return;
    const Mask near = Real::lt(r, Real::splat(RADIUS));
    Real new_{};
    const Mask _holds_2 = near;
    {
        const Mask _when_2 = _holds_2;
        const Real s = law::steps(r, near) * self.strength;
        new_ = nbody::select(_when_2,
            s.max(Real::splat(0.1)).min(here.float_).plus_product(there.raw[1], there.raw[3]),
            new_);
    }
    {
        const Mask _unless_2 = !_holds_2;
        new_ = nbody::select(_unless_2, (r.recip() - Real::splat(1.0)).abs(), new_);
    }
    const Mask same = Real::eq_u32(here.kind, there.kind)
        & (!Real::eq_u32((here.other & Real::splat_u32(FLAG)), Real::splat_u32(0u)));
    const Vector<3> spin = d_2.cross(there.vel).plus_product(self.axis.dot(there.vel)
        / (self.axis.norm2_plus(Real::splat(1.0))), self.axis);
    Vector<3> turned = spin;
    turned[0] = turned[0] + new_;
    const Mask _holds_3 = same;
    {
        const Mask _when_3 = _holds_3;
        sums.force = nbody::select((_when_3 & _on), sums.force.plus_product(new_, turned),
            sums.force);
        sums.rows[0] = sums.rows[0].plus_where((_when_3 & _on), Real::from_u32(there.kind)
            - Real::splat(1.0));
    }
    sums.force[2] = sums.force[2].minus_where(_on, (Real::splat(0.5) * new_).tanh());
    sums.rows[1] = sums.rows[1].plus_where(_on,
        nbody::select(near, Real::splat(1.0), Real::splat(0.0)) * (new_ - (r - new_))
        / (Real::splat(2.0) / (Real::splat(3.0).plus_product(r, r))));
    // Each component by itself.
    for (uint32_t k = 0; k < 2; ++k) {
        sums.rows[k] = nbody::select(_on,
            sums.rows[k].plus_product(there.raw[k + 1u] * Real::gather(there.raw, there.kind),
            d_2[k]), sums.rows[k]);
        const Mask _holds_4 = Real::eq_u32(Real::splat_u32(k), Real::splat_u32(1u));
        {
            const Mask _when_4 = _holds_4;
            sums.force[k] = nbody::select((_when_4 & _on),
                sums.force[k].minus_product(Real::gather_entry(self.table, here.kind, there.other),
                Real::from_u32(Real::splat_u32(k))), sums.force[k]);
        }
    }
    sums.count = sums.count.plus_where(_on,
        nbody::select(near, h, nbody::select(same, Real::splat(0.5), Real::splat(0.0))));
}

} // namespace law

// The names by which loops know the law.
struct Law {
    using Parameters = law::Everything;
    using I = law::Target;
    using J = law::Source;
    using F = law::Sums;
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
        law::pair(self, space, i, j, f);
    }
};

} // namespace nbody
