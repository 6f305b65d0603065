// The loops over pairs of a law, `Law`: the loops of nbody-core/src/compiled/, which explains them.
#pragma once

#include "record.hpp"

namespace nbody {

using I = Law::I;
using J = Law::J;
using F = Law::F;
using Parameters = Law::Parameters;

// The vectors of i-particles that, with their sums, leave registers for the pair.
constexpr size_t numbers_in_registers()
{
    return DIM<I> + DIM<F> > 0 ? DIM<I> + DIM<F> : 1;
}
constexpr size_t vectors()
{
    const size_t room = Real::REGISTERS / numbers_in_registers();
    return !Real::REORDERS || room < 2 ? 1 : room < 4 ? 2 : 4;
}
constexpr size_t VECTORS = vectors();
// Two vectors are taken together, too: with long vectors a group of a tree has no more.
constexpr bool TAKES_TWO = VECTORS > 2 && Law::CHARGES;
// Whether a cutoff filter finds the hits before they are evaluated.
constexpr bool FILTERS = Law::CUTOFF && Real::REORDERS;
// Whether loops for both directions are faster.
constexpr bool HAS_SYMMETRIC = Real::REORDERS && NBODY_SYMMETRIC;

// The most candidates that the cutoff filter tests before it evaluates the hits.
constexpr size_t CANDIDATES = 256;

// The candidates within the cutoff, found without a branch.
struct Hits {
    uint8_t indices[CANDIDATES];
    size_t count = 0;

    NBODY_INLINE void add(size_t index, bool is_within)
    {
        indices[count % CANDIDATES] = uint8_t(index);
        count += is_within;
    }
};

// The sums of a vector, compensated or not.
struct RunningSum {
    F total, lost;
    bool is_compensated;

    NBODY_INLINE RunningSum(const Line *sums, const Line *lost_sums)
        : total(load<F>(sums, 0)), lost(), is_compensated(lost_sums != nullptr)
    {
        if (is_compensated) lost = load<F>(lost_sums, 0);
    }

    // Adds the effect of a pair where the mask is set.
    template <class Space, class Pair> NBODY_INLINE void add(Mask meets, Pair &&pair)
    {
        const F before = is_compensated ? F{} : total;
        F after = before;
        pair(after);
        after = F::select(meets, after, before);
        if (is_compensated) F::template compensate<Space>(after, total, lost);
        else total = after;
    }

    NBODY_INLINE void write(Line *sums, Line *lost_sums) const
    {
        store(total, sums);
        if (is_compensated) store(lost, lost_sums);
    }
};

// Evaluates all pairs of `COUNT` vectors.
template <size_t COUNT, class Space>
NBODY_INLINE void evaluate(
    const Parameters &self, const Space &space, const I (&i)[4], const View &j, F (&f)[4])
{
    // With few registers, keeping a j-particle for the next vector would spill sums. It is loaded
    // again instead; the compiler does not know that it is the same.
    constexpr bool REREADS = COUNT > 1 && Real::REGISTERS < 32;
    const Line *again = j.lines;
    if constexpr (REREADS) __asm__("" : "+r"(again));
    F f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    for (size_t k = j.begin; k < j.end; ++k) {
        const J first = broadcast<J>(j.lines, k);
        const U32 index = Real::splat_u32(uint32_t(j.first + k));
        Law::pair(self, space, i[0], first, index, f0);
        if constexpr (COUNT > 1) {
            const J second = REREADS ? broadcast<J>(again, k) : first;
            Law::pair(self, space, i[1], second, index, f1);
            if constexpr (COUNT > 2) {
                Law::pair(self, space, i[2], second, index, f2);
                Law::pair(self, space, i[3], second, index, f3);
            }
        }
    }
    f[0] = f0, f[1] = f1, f[2] = f2, f[3] = f3;
}

// Finds the j-particles within the cutoff of each vector, then evaluates the hits.
template <class Space>
NBODY_INLINE void filter_and_evaluate(
    const Parameters &self, const Space &space, const I (&i)[4], const View &j, F (&f)[4])
{
    for (size_t first = j.begin; first < j.end; first += CANDIDATES) {
        const size_t count = j.end - first < CANDIDATES ? j.end - first : CANDIDATES;
        Hits hits[VECTORS];
        for (size_t k = 0; k < count; ++k) {
            const J particle = broadcast<J>(j.lines, first + k);
            for (size_t v = 0; v < VECTORS; ++v) {
                hits[v].add(k, Real::any(Law::within(self, space, i[v], particle)));
            }
        }
        for (size_t v = 0; v < VECTORS; ++v) {
            F sum = f[v];
            for (size_t hit = 0; hit < hits[v].count; ++hit) {
                const size_t k = first + hits[v].indices[hit];
                const U32 index = Real::splat_u32(uint32_t(j.first + k));
                Law::pair(self, space, i[v], broadcast<J>(j.lines, k), index, sum);
            }
            f[v] = sum;
        }
    }
}

template <class Space>
NBODY_INLINE void several(const Setting &setting, const View &of_i, const View &j, Line *sums)
{
    const Space space = Space::in_domain(setting.domain);
    const Parameters self = broadcast<Parameters>(setting.parameters, 0);
    const bool is_two = TAKES_TWO && of_i.end - of_i.begin == 2 * Real::WIDTH;
    const size_t count = is_two ? 2 : VECTORS;
    const auto vector = [&](size_t k) {
        return of_i.begin + (k < count ? k : count - 1) * Real::WIDTH;
    };
    const I i[4] = {load<I>(of_i.lines, vector(0)), load<I>(of_i.lines, vector(1)),
                    load<I>(of_i.lines, vector(2)), load<I>(of_i.lines, vector(3))};
    F f[4];
    for (size_t k = 0; k < count; ++k) f[k] = load<F>(sums + k * DIM<F>, 0);
    if constexpr (FILTERS) {
        filter_and_evaluate(self, space, i, j, f);
    } else if constexpr (TAKES_TWO) {
        if (is_two) evaluate<2>(self, space, i, j, f);
        else evaluate<VECTORS>(self, space, i, j, f);
    } else {
        evaluate<VECTORS>(self, space, i, j, f);
    }
    for (size_t k = 0; k < count; ++k) store(f[k], sums + k * DIM<F>);
}

template <class Space>
NBODY_INLINE void one(
    const Setting &setting, const View &of_i, const View &j, Line *sums, Line *lost)
{
    const Space space = Space::in_domain(setting.domain);
    const Parameters self = broadcast<Parameters>(setting.parameters, 0);
    const U32 own = Real::count_from(uint32_t(of_i.first + of_i.begin));
    const I i = load<I>(of_i.lines, of_i.begin);
    const Mask meets_self = Real::splat_mask(!setting.skips_self);
    RunningSum sum(sums, lost);
    for (size_t k = j.begin; k < j.end; ++k) {
        const J particle = broadcast<J>(j.lines, k);
        if constexpr (FILTERS) {
            if (!Real::any(Law::within(self, space, i, particle))) continue;
        }
        const U32 index = Real::splat_u32(uint32_t(j.first + k));
        sum.template add<Space>(
            meets_self | !Real::eq_u32(own, index), [&](F &f) __attribute__((always_inline)) {
                Law::pair(self, space, i, particle, index, f);
            });
    }
    sum.write(sums, lost);
}

// Visits the chosen j-particles, in order, each with its number and its index in the set.
template <class Visit> NBODY_INLINE void each_chosen(const Listed &j, Visit &&visit)
{
    constexpr size_t CHOSEN = 64;
    for (size_t part = 0; part < j.parts; ++part) {
        const Line *lines = j.lines + part * (CHOSEN / LINE) * WORDS<J>;
        for (uint64_t chosen = j.chosen[part]; chosen != 0; chosen &= chosen - 1) {
            const size_t of_part = size_t(__builtin_ctzll(chosen));
            const size_t k = part * CHOSEN + of_part;
            uint32_t index = 0;
            if (k < j.entry_count) {
                const size_t place = j.entries[k] & j.place_mask;
                if (place < j.index_count) index = j.indices[place];
            }
            visit(k, broadcast<J>(lines, of_part), Real::splat_u32(index));
        }
    }
}

template <class Space>
NBODY_INLINE void listed(
    const Setting &setting, const View &of_i, const Listed &j, Line *sums, Line *lost)
{
    const Space space = Space::in_domain(setting.domain);
    const Parameters self = broadcast<Parameters>(setting.parameters, 0);
    const I i = load<I>(of_i.lines, of_i.begin);
    if (j.masks == nullptr && lost == nullptr) {
        F f = load<F>(sums, 0);
        each_chosen(j, [&](size_t, const J &particle, U32 index) __attribute__((always_inline)) {
            Law::pair(self, space, i, particle, index, f);
        });
        return store(f, sums);
    }
    const U32 own = j.bits == nullptr
        ? U32{}
        : Real::load_u32(j.bits[of_i.begin / LINE], of_i.begin % LINE);
    RunningSum sum(sums, lost);
    each_chosen(j, [&](size_t k, const J &particle, U32 index) __attribute__((always_inline)) {
        const Mask meets = j.masks == nullptr
            ? Real::splat_mask(true)
            : !Real::eq_u32(own & Real::splat_u32(j.masks[k]), U32{});
        sum.template add<Space>(meets, [&](F &f) __attribute__((always_inline)) {
            Law::pair(self, space, i, particle, index, f);
        });
    });
    sum.write(sums, lost);
}

// Evaluates both directions of the pairs of one or two j-particles with vectors of i-particles.
template <class Both, class Space>
NBODY_INLINE void evaluate_symmetric(
    const Parameters &self, const Space &space, const View &of_i, const J (&j)[2], bool two,
    Line *sums, F (&of_j)[2])
{
    F g = of_j[0], h = of_j[1];
    for (size_t k = of_i.begin; k < of_i.end; k += Real::WIDTH, sums += DIM<F>) {
        const I i = load<I>(of_i.lines, k);
        F f = load<F>(sums, 0);
        Both::pair_symmetric(self, space, i, j[0], f, g);
        if (two) Both::pair_symmetric(self, space, i, j[1], f, h);
        store(f, sums);
    }
    of_j[0] = g, of_j[1] = h;
}

// Finds the vectors of i-particles within the cutoff of a j-particle, then evaluates both
// directions of the hits.
template <class Both, class Space>
NBODY_INLINE void filter_and_evaluate_symmetric(
    const Parameters &self, const Space &space, const View &of_i, const J &j, Line *sums, F &of_j)
{
    Hits hits;
    const size_t count = (of_i.end - of_i.begin + Real::WIDTH - 1) / Real::WIDTH;
    for (size_t v = 0; v < count; ++v) {
        const I i = load<I>(of_i.lines, of_i.begin + v * Real::WIDTH);
        hits.add(v, Real::any(Both::within(self, space, i, j)));
    }
    F g = of_j;
    for (size_t hit = 0; hit < hits.count; ++hit) {
        const size_t v = hits.indices[hit];
        const I i = load<I>(of_i.lines, of_i.begin + v * Real::WIDTH);
        F f = load<F>(sums + v * DIM<F>, 0);
        Both::pair_symmetric(self, space, i, j, f, g);
        store(f, sums + v * DIM<F>);
    }
    of_j = g;
}

template <class Space, class Both>
NBODY_INLINE void symmetric(
    const Setting &setting, const View &i, const View &j, Line *i_sums, Line *j_sums)
{
    if constexpr (HAS_SYMMETRIC) {
        const Space space = Space::in_domain(setting.domain);
        const Parameters self = broadcast<Parameters>(setting.parameters, 0);
        const size_t first = j.begin / LINE;
        // Two at a time, so that i-particles and their sums are read half as often.
        for (size_t k = j.begin; k < j.end; k += 2) {
            const bool two = k + 1 < j.end;
            const J pair[2] = {broadcast<J>(j.lines, k), broadcast<J>(j.lines, k + two)};
            F sums[2];
            if constexpr (FILTERS) {
                for (size_t it = 0; it < 1u + two; ++it) {
                    filter_and_evaluate_symmetric<Both>(self, space, i, pair[it], i_sums, sums[it]);
                }
            } else {
                evaluate_symmetric<Both>(self, space, i, pair, two, i_sums, sums);
            }
            for (size_t it = 0; it < 1u + two; ++it) {
                Line *lines = j_sums + ((k + it) / LINE - first) * DIM<F>;
                sums[it].visit(Reduce{lines, (k + it) % LINE});
            }
        }
    }
}

} // namespace nbody

extern "C" {
extern const nbody::Shape nbody_shape = {
    nbody::Real::WIDTH, nbody::VECTORS, nbody::WORDS<nbody::Parameters>, nbody::WORDS<nbody::I>,
    nbody::WORDS<nbody::J>, nbody::DIM<nbody::F>, nbody::HAS_SYMMETRIC,
};

void nbody_several(
    const nbody::Setting *setting, const nbody::View *i, const nbody::View *j, nbody::Line *sums)
{
    nbody::several<nbody::SpaceOfPairs>(*setting, *i, *j, sums);
}

void nbody_one(
    const nbody::Setting *setting, const nbody::View *i, const nbody::View *j, nbody::Line *sums,
    nbody::Line *lost)
{
    nbody::one<nbody::SpaceOfPairs>(*setting, *i, *j, sums, lost);
}

void nbody_listed(
    const nbody::Setting *setting, const nbody::View *i, const nbody::Listed *j, nbody::Line *sums,
    nbody::Line *lost)
{
    nbody::listed<nbody::SpaceOfLists>(*setting, *i, *j, sums, lost);
}

void nbody_symmetric(
    const nbody::Setting *setting, const nbody::View *i, const nbody::View *j, nbody::Line *i_sums,
    nbody::Line *j_sums)
{
    nbody::symmetric<nbody::SpaceOfPairs, nbody::Law>(*setting, *i, *j, i_sums, j_sums);
}
}
