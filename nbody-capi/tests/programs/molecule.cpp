// The molecule of molecule.c from vectors, its bonds from a text, in every layout of tuples.
// Arguments: the device, the number of precisions, the input, the output, the text.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "nbody.hpp"

#define MUST(condition)                                                   \
    do {                                                                  \
        if (!(condition)) {                                               \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);  \
            std::exit(1);                                                 \
        }                                                                 \
    } while (0)

namespace {

const std::uint32_t n = 60;

template <std::size_t N> using members = std::vector<std::array<std::uint32_t, N>>;

// Returns the tuples of neighbours along the chain.
template <std::size_t N> members<N> successive() {
    members<N> tuples(n + 1 - N);
    for (std::uint32_t i = 0; i < tuples.size(); i++)
        for (std::uint32_t m = 0; m < N; m++) tuples[i][m] = i + m;
    return tuples;
}

std::vector<double> line(double first, double step) {
    std::vector<double> numbers(n);
    for (std::size_t i = 0; i < n; i++) numbers[i] = first + step * double(i);
    return numbers;
}

struct result {
    double force[3], pot, virial;
};

std::vector<result> read(const nbody::buffer &buffer) {
    std::vector<result> results(n);
    buffer.read({{"force", results[0].force, sizeof(result)},
                 {"pot", &results[0].pot, sizeof(result)},
                 {"virial", &results[0].virial, sizeof(result)}});
    return results;
}

bool equal(const std::vector<result> &a, const std::vector<result> &b) {
    return !std::memcmp(a.data(), b.data(), n * sizeof(result));
}

template <class T> nbody::input reals(const char *field, const std::vector<double> &numbers, std::vector<T> &kept,
                                      std::ptrdiff_t gap, bool backward) {
    const std::ptrdiff_t count = n - 1, step = backward ? -gap : gap;
    kept.assign(std::size_t(gap) * n, T(-7));
    T *first = kept.data() + (backward ? (count - 1) * gap : 0);
    for (std::ptrdiff_t i = 0; i < count; i++) first[i * step] = T(numbers[std::size_t(i)]);
    return nbody::input(field, static_cast<const T *>(first), step * std::ptrdiff_t(sizeof(T)));
}

// Sets the bonds in every layout of indices and records: the results are the same.
void layouts(nbody::tuples &bonds, const nbody::buffer &beads, nbody::buffer &results,
             const std::vector<double> &k, const std::vector<double> &length) {
    const std::ptrdiff_t count = n - 1;
    const std::vector<result> expected = read(results);
    for (int layout = 0; layout < 48; layout++) {
        const bool backward = layout & 1, narrow = layout & 2;
        const std::ptrdiff_t gap = layout & 4 ? 3 : 1;
        const std::ptrdiff_t steps[] = {0, 2, 1, 5, -2, -5}; // 1: tuples share a bead, and its index
        const std::ptrdiff_t step = steps[layout / 8], apart = step ? step : 2;
        std::vector<std::uint32_t> indices(5 * n, 99);
        std::uint32_t *first = indices.data() + (apart < 0 ? (1 - count) * apart : 0);
        for (std::ptrdiff_t i = 0; i < count; i++)
            for (int m = 0; m < 2; m++) first[i * apart + m] = std::uint32_t(i + m);
        std::vector<float> floats;
        std::vector<double> doubles;
        bonds.set(n, 1, 2, std::vector<std::uint32_t>{5, 7}.data(), 0, {{"k", k}, {"length", length}}); // others before
        bonds.set(n, n - 1, 2, first, 4 * step,
                  {narrow ? reals("k", k, floats, gap, backward) : nbody::input("k", k),
                   narrow ? nbody::input("length", length) : reals("length", length, doubles, gap, backward)});
        MUST(bonds.count() == n - 1);
        bonds.evaluate(beads, results);
        MUST(equal(read(results), expected));
    }
}

} // namespace

int main(int argc, char **argv) {
    MUST(argc == 6);
    std::vector<std::array<double, 3>> x(n);
    std::FILE *file = std::fopen(argv[3], "rb");
    MUST(file && std::fread(x.data(), n * sizeof x[0], 1, file) == 1);
    std::fclose(file);
    file = std::fopen(argv[4], "wb");
    MUST(file);
    const double box[3] = {12, 13, 14};
    const std::vector<std::int32_t> kind(n);
    std::vector<std::uint64_t> multiplicity(n);
    members<2> near = successive<2>();
    for (std::uint32_t i = 0; i < n; i++) {
        multiplicity[i] = 1 + i % 3;
        if (i >= 2) near.push_back({{i - 2, i}});
    }
    const std::vector<double> k = line(50, 1), length = line(1, 1 / 64.0);
    std::vector<double> parameters(16, 0.75);
    parameters.resize(32, 0.5);
    parameters.push_back(2.5);
    nbody::device device(argv[1]);
    nbody_options options = nbody::options();
    options.math = NBODY_EXACT;
    options.lengths = box;
    const nbody::program bond = nbody::program::read(argv[5], "harmonic_bond");
    MUST(bond.members() == 2 && bond.fields(NBODY_TUPLE).size() == 2 && bond.fields(NBODY_F).size() == 3);
    for (int precision = 1; precision <= std::atoi(argv[2]); precision++) {
        options.precision = precision;
        nbody::engine pairs = nbody::engine::lists(device, nbody::law::ready("shifted_lennard_jones"), parameters,
                                                   0.25, options);
        pairs.exclude(near.size(), near[0].data());
        nbody::buffer atoms = pairs.upload_i(n, {{"pos", x}, {"kind", kind}}), forces = pairs.results(n);
        nbody::tuples bonds(device, bond, {}, options);
        nbody::tuples angles(device, nbody::program::ready("harmonic_angle"), {}, options);
        nbody::tuples dihedrals(device, nbody::program::ready("periodic_dihedral"), {}, options);
        bonds.set(n, successive<2>(), {{"k", k}, {"length", length}});
        angles.set(n, successive<3>(), {{"k", line(4, 1 / 8.0)}, {"angle", line(1.75, 1 / 128.0)}});
        dihedrals.set(n, successive<4>(),
                      {{"k", line(2, 1 / 4.0)}, {"phase", line(0, 1 / 32.0)}, {"n", multiplicity}});
        pairs.evaluate_self(atoms, forces);
        for (nbody::tuples *tuples : {&bonds, &angles, &dihedrals}) tuples->evaluate(atoms, forces, NBODY_ADD);
        std::vector<result> found[3] = {read(forces)};

        nbody::buffer own = bonds.upload(n, {{"pos", x}}), alone = bonds.results(n);
        bonds.set_domain(nullptr);
        for (int k = 0; k < 2; k++) bonds.evaluate(own, alone);
        found[1] = read(alone);
        bonds.set_domain(box);
        MUST(bonds.time(own, alone, NBODY_ADD) >= 0);
        found[2] = read(alone);
        bonds.evaluate(own, alone);
        layouts(bonds, own, alone, k, length);
        for (const std::vector<result> &it : found) MUST(std::fwrite(it.data(), n * sizeof(result), 1, file) == 1);
        members<2> none;
        bonds.set(n, none, {{"k", k}, {"length", length}});
        MUST(bonds.count() == 0);
    }
    return std::fclose(file) ? 1 : 0;
}
