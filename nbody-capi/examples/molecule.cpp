// A molecule from C++: a chain of beads with bonds, angles and dihedrals, and Lennard-Jones forces by
// neighbour lists, all in one buffer of results.
//
//     c++ -std=c++11 molecule.cpp $(pkg-config --cflags --libs nbody)
//     ./a.out cpu
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "nbody.hpp"

static const std::uint32_t n = 40;

// A chain of beads along a wave, with the beads of each bond, angle and dihedral, and their constants.
struct chain {
    std::vector<std::array<double, 3>> pos;
    std::vector<std::uint32_t> kind = std::vector<std::uint32_t>(n);
    std::vector<std::array<std::uint32_t, 2>> bonds, near;
    std::vector<std::array<std::uint32_t, 3>> angles;
    std::vector<std::array<std::uint32_t, 4>> dihedrals;
    std::vector<double> k, length, bend, stiffness, phase;
    std::vector<std::uint32_t> multiplicity;

    chain() : k(n, 100), length(n, 1), bend(n, 1.9), stiffness(n, 5), phase(n, 0.3), multiplicity(n, 3) {
        for (std::uint32_t i = 0; i < n; i++) {
            pos.push_back({{0.8 * i, 0.6 * std::sin(2.1 * i), 0.5 * std::cos(1.3 * i)}});
            if (i >= 1) bonds.push_back({{i - 1, i}});
            if (i >= 2) angles.push_back({{i - 2, i - 1, i}});
            if (i >= 3) dihedrals.push_back({{i - 3, i - 2, i - 1, i}});
            if (i >= 1) near.push_back({{i - 1, i}});
            if (i >= 2) near.push_back({{i - 2, i}});
        }
    }
};

static double sum(const std::vector<double> &numbers) {
    double sum = 0;
    for (double number : numbers) sum += number;
    return sum;
}

static int run(const char *device_name) {
    const double box[3] = {40, 40, 40}, h = 1e-5;
    chain chain;
    nbody_options options = nbody::options();
    options.precision = NBODY_DOUBLE;
    options.lengths = box;
    std::vector<double> lennard_jones(16, 1); // squared diameters of pairs of types, then depths,
    lennard_jones.resize(32, 0.5);
    lennard_jones.push_back(2.5); // and the cutoff

    nbody::device device(device_name);
    nbody::engine pairs = nbody::engine::lists(device, nbody::law::ready("shifted_lennard_jones"),
                                               lennard_jones, 0.4, options);
    pairs.exclude(chain.near.size(), chain.near[0].data());
    nbody::buffer beads = pairs.upload_i(n, {{"pos", chain.pos}, {"kind", chain.kind}});
    nbody::buffer results = pairs.results(n);

    nbody::tuples bonds(device, nbody::program::ready("harmonic_bond"), {}, options);
    nbody::tuples angles(device, nbody::program::ready("harmonic_angle"), {}, options);
    nbody::tuples dihedrals(device, nbody::program::ready("periodic_dihedral"), {}, options);
    bonds.set(n, chain.bonds, {{"k", chain.k}, {"length", chain.length}});
    angles.set(n, chain.angles, {{"k", chain.stiffness}, {"angle", chain.bend}});
    dihedrals.set(n, chain.dihedrals,
                  {{"k", chain.stiffness}, {"phase", chain.phase}, {"n", chain.multiplicity}});

    // Computes the forces, and returns the energy: half of the sum over pairs, since both beads of a
    // pair have its energy, and the sum over tuples, whose beads share it.
    std::vector<std::array<double, 3>> force(n);
    std::vector<double> pot(n);
    const auto evaluate = [&] {
        beads.write(n, {{"pos", chain.pos}});
        pairs.evaluate_self(beads, results);
        results.read({{"pot", pot}});
        const double of_pairs = sum(pot);

        bonds.evaluate(beads, results, NBODY_ADD);
        angles.evaluate(beads, results, NBODY_ADD);
        dihedrals.evaluate(beads, results, NBODY_ADD);
        results.read({{"force", force}, {"pot", pot}});
        return sum(pot) - 0.5 * of_pairs;
    };

    const double energy = evaluate();
    const std::vector<std::array<double, 3>> expected = force;
    double error = 0;
    for (std::uint32_t i = 0; i < n; i += 7)
        for (int k = 0; k < 3; k++) { // a force is the slope of the energy
            const double at = chain.pos[i][k];
            chain.pos[i][k] = at - h;
            const double before = evaluate();
            chain.pos[i][k] = at + h;
            const double slope = (before - evaluate()) / (2 * h);
            chain.pos[i][k] = at;
            error = std::fmax(error, std::fabs(slope - expected[i][k]));
        }
    std::printf("bead 0         force %9.5f %9.5f %9.5f\n", expected[0][0], expected[0][1], expected[0][2]);
    std::printf("energy         %.6f\n", energy);
    std::printf("largest error  %.1e\n", error);
    return error < 1e-4 ? 0 : 1;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "best");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nbody: %s\n", error.what());
        return 1;
    }
}
