// A pair potential from a table, from C++: Lennard-Jones from its values at knots.
//
//     c++ -std=c++11 tabulated.cpp $(pkg-config --cflags --libs nbody)
//     ./a.out cpu
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "nbody.hpp"

using vector = std::array<double, 3>;

static double potential(double r2) { return 4 * (std::pow(r2, -6) - std::pow(r2, -3)); }

static int run(const char *device_name) {
    const int knots = 1024;
    std::vector<double> energies(knots);
    for (int k = 0; k < knots; k++) energies[k] = potential(0.7 + k * (6.25 - 0.7) / (knots - 1));
    std::vector<double> parameters = nbody::spline(0.7, 6.25, energies); // a value for each knot
    parameters.push_back(2.5);                                         // the cutoff of `tabulated`

    const double r = 1.25;
    const std::vector<vector> pos = {{{0, 0, 0}}, {{r, 0, 0}}};
    std::vector<vector> force(2);
    std::vector<double> pot(2);
    nbody::device device(device_name);
    const nbody::law law = nbody::law::ready("tabulated");
    nbody::engine engine = nbody::engine::all_pairs(device, law, parameters);
    nbody::buffer particles = engine.upload_i(2, {{"pos", pos}});
    nbody::buffer results = engine.results(2);
    engine.evaluate_self(particles, results);
    results.read({{"force", force}, {"pot", pot}});

    const double pull = 24 / r * (2 * std::pow(r, -12) - std::pow(r, -6));
    const double error = std::fmax(std::fabs(pot[0] - potential(r * r)), std::fabs(force[1][0] - pull));
    std::printf("two atoms      force %9.6f  pot %9.6f\n", force[1][0], pot[0]);
    std::printf("largest error  %.1e\n", error);
    return error < 1e-3 ? 0 : 1;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "best");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nbody: %s\n", error.what());
        return 1;
    }
}
