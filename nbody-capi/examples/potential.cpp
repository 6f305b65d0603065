// A potential of your own from C++: gravity with a fifth force, declared in the file fifth_force.rs.
//
//     c++ -std=c++11 potential.cpp $(pkg-config --cflags --libs nbody)
//     ./a.out cpu
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "nbody.hpp"

using vector = std::array<double, 3>;

static const double alpha = 0.5, lambda = 0.3, eps2 = 0.01;

struct bodies {
    std::vector<vector> pos;
    std::vector<double> mass;
};

// Fills a cube evenly.
static bodies cube(std::size_t n) {
    bodies bodies;
    for (std::size_t k = 1; k <= n; k++) {
        bodies.pos.push_back({std::fmod(0.8191725134 * k, 1.0), std::fmod(0.6710436067 * k, 1.0),
                              std::fmod(0.5497004779 * k, 1.0)});
        bodies.mass.push_back(1.0 / n);
    }
    return bodies;
}

// Sums the potential of all bodies but one in the plain way, at a place.
static double potential(const bodies &bodies, std::size_t without, const vector &at) {
    double sum = 0;
    for (std::size_t j = 0; j < bodies.pos.size(); j++) {
        double r2 = eps2;
        for (int k = 0; k < 3; k++) r2 += std::pow(bodies.pos[j][k] - at[k], 2);
        const double r = std::sqrt(r2);
        if (j != without) sum -= bodies.mass[j] / r * (1 + alpha * std::exp(-r / lambda));
    }
    return sum;
}

// Returns a component of the acceleration: the slope of the potential.
static double slope(const bodies &bodies, std::size_t i, int k) {
    const double h = 1e-4;
    vector left = bodies.pos[i], right = bodies.pos[i];
    left[k] -= h;
    right[k] += h;
    return (potential(bodies, i, left) - potential(bodies, i, right)) / (2 * h);
}

static int run(const char *device_name) {
    const bodies bodies = cube(300);
    const std::size_t n = bodies.pos.size();
    std::vector<vector> acc(n);
    std::vector<double> pot(n);

    const nbody::law law = nbody::law::read("fifth_force.rs");
    for (const nbody_field &field : law.fields(NBODY_PARAMETERS))
        std::printf("parameter      %s\n", field.name);
    nbody::device device(device_name);
    nbody::engine engine = nbody::engine::all_pairs(device, law, {alpha, lambda, eps2});
    nbody::buffer particles = engine.upload_i(n, {{"pos", bodies.pos}, {"mass", bodies.mass}});
    nbody::buffer results = engine.results(n);
    engine.evaluate_self(particles, results);
    results.read({{"acc", acc}, {"pot", pot}});

    double error = 0;
    for (std::size_t i = 0; i < n; i++) {
        error = std::fmax(error, std::fabs(pot[i] - potential(bodies, i, bodies.pos[i])));
        for (int k = 0; k < 3; k++)
            error = std::fmax(error, std::fabs(acc[i][k] - slope(bodies, i, k)));
    }
    std::printf("body 0         acc %9.6f %9.6f %9.6f  pot %9.6f\n", acc[0][0], acc[0][1], acc[0][2],
                pot[0]);
    std::printf("largest error  %.1e\n", error);
    return error < 1e-5 ? 0 : 1;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "best");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nbody: %s\n", error.what());
        return 1;
    }
}
