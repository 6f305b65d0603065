// Reads blocks of arguments, and writes the results of all operations.

#include <cstdio>

using namespace nbody;

static void put(Real x)
{
    Line line;
    x.store(line);
    std::fwrite(line.at, sizeof(Word), Real::WIDTH, stdout);
}

static void put(U32 x)
{
    Line line;
    Real::store_u32(x, line);
    std::fwrite(line.at, sizeof(Word), Real::WIDTH, stdout);
}

static void put(Mask x) { put(Real::select_u32(x, Real::splat_u32(1), Real::splat_u32(0))); }

static Array<5> select_array(Mask mask, const Array<5> &yes, const Array<5> &no)
{
    return select(mask, yes, no);
}

static Coordinate coordinate(Real hi, Real lo)
{
    bool is_first = true;
    return Real::coordinate_from([&] {
        const Real next = is_first ? hi : lo;
        is_first = false;
        return next;
    });
}

struct Arguments {
    Line a, b, c, k, l;
    alignas(64) double d;
};

static void evaluate(const Arguments &arguments, size_t at)
{
    const double d = arguments.d;
    const uint32_t last = ~uint32_t{0};
    const Real a = Real::load(arguments.a, at);
    const Real b = Real::load(arguments.b, at);
    const Real c = Real::load(arguments.c, at);
    const U32 k = Real::load_u32(arguments.k, at);
    const U32 l = Real::load_u32(arguments.l, at);
    const Mask m = Real::lt(a, b), n = Real::lt_u32(k, l);

    const Vector<3> v{{a, b, c}}, w{{c, -a, b}};
    const Vector<2> x{{b, a}};
    const Real small = Real::splat(0x1p-30);
    const Point<3> p{{coordinate(a, c * small), coordinate(b, a), coordinate(c, b * small)}};
    const Point<3> q{{coordinate(b, a * small), coordinate(c, b), coordinate(a, -c * small)}};
    const Domain box{{LENGTHS}, {INVERSES}, {}, true, false}, unbounded{{}, {}, {}, false, false};
    const Domain skewed{{EDGES}, {PER_EDGE}, {TILTS}, true, true};
    const auto triclinic = Triclinic::in_domain(skewed);
    const auto tilted = Either::in_domain(skewed);
    const Open open{};
    const auto periodic = Periodic::in_domain(box);
    const auto everywhere = Either::in_domain(unbounded), inside = Either::in_domain(box);
    const OfLists<Periodic> listed{periodic};

    const Array<5> all{{a, b, c, a + b, b + c}};
    const auto &entries = all;
    const Table<3, 4> table{{{{a, b, c, a}}, {{b, c, a, b}}, {{-a, -b, -c, -a}}}};
    const Table<20, 18> large = [&] {
        Table<20, 18> large;
        for (size_t r = 0; r < 20; ++r) {
            for (size_t s = 0; s < 18; ++s) large[r][s] = Real::splat(double(18 * r + s));
        }
        return large;
    }();
    Stored numbers[24];
    for (size_t k = 0; k < 24; ++k) numbers[k] = with_bits<Word>(Element(double(k) * 0.75 - 1.5));
    const Spline<4> spline{numbers};
    Stored of_splines[120];
    for (size_t k = 0; k < 120; ++k) of_splines[k] = with_bits<Word>(Element(double(k) * 0.125 - 1.5));
    const Splines<2, 3, 3> splines{of_splines};
    Array<5> sums = all;
    add_to_entry(sums, k, m, c);
    Counts<3> counts{{k, l, k}};
    add_to_entry(&counts[0], 3, k & Real::splat_u32(3), m, l);
    Real sum = a, lost = b;
    compensate(c, sum, lost);
    ArgMin first, any;
    first.take<Open>(a, k);
    first.take<Open>(b, l);
    any.take<OfLists<Open>>(a, k);
    any.take<OfLists<Open>>(b, l);
    any.take<OfLists<Open>>(a, l);
    const ArgMin chosen = select(m, first, any);
    ArgMax farthest, most;
    farthest.take<Open>(a, k);
    farthest.take<Open>(b, l);
    most.take<OfLists<Open>>(a, l);
    most.take<OfLists<Open>>(b, k);
    most.take<OfLists<Open>>(a, k);
    Nearest<2> few;
    Nearest<3> many;
    const Real values[] = {a, b, a, c};
    const U32 indices[] = {k, l, l, k};
    for (size_t n = 0; n < 4; ++n) {
        few.take<Open>(values[n], indices[n]);
        many.take<OfLists<Open>>(values[n], indices[n]);
    }
    Nearest<3> both = many, other;
    other.values = {{a, c, c}};
    other.indices = {{l, k, l}};
    both.merge<OfLists<Open>>(other);
    both = select(m, both, many);
    const Real near = Real::splat(1.0) - Real::splat(ROUNDOFF) * Real::from_u32(k);
    const Real total = Real::broadcast(a.sum()), least = Real::broadcast(a.least());
    const Real greatest = Real::broadcast(a.greatest());
#if NBODY_LANE <= NBODY_MIXED
    host = {[](float x) { return x + 1; }, [](float x) { return x + 2; },
            [](double x) { return x + 1; }, [](double x) { return x + 2; },
            [](float x) { return x + 3; }, [](double x) { return x + 3; }};
#endif
    const Real erf = a.erf(), erfc = a.erfc(), cbrt = a.cbrt();
    const U32 constants = Real::splat_u32(
        Real::WIDTH + 100 * Real::REGISTERS + 10000 * Real::COORDINATE_WORDS
        + 100000 * Real::REORDERS + 1000000 * Real::ENDS_EARLY);

    OPERATIONS
}

int main()
{
    Arguments arguments;
    while (std::fread(&arguments, sizeof arguments, 1, stdin) == 1) {
        for (size_t at = 0; at < LINE; at += Real::WIDTH) evaluate(arguments, at);
    }
}
