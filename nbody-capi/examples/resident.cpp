// A leapfrog on the device from C++: kicks and drifts are programs per particle, in the file motion.rs,
// and nothing is copied between the steps.
//
//     c++ -std=c++11 resident.cpp $(pkg-config --cflags --libs nbody)
//     ./a.out cpu
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "nbody.hpp"

using vector = std::array<double, 3>;

static int run(const char *device_name) {
    const std::size_t n = 400;
    const double eps2 = 0.01, dt = 1.0 / 64;
    std::vector<vector> pos(n), vel(n), end(n);
    const std::vector<double> mass(n, 1.0 / n); // G = 1
    for (std::size_t i = 0; i < n; i++) {       // evenly in a cube, which rotates
        const double k = i + 1.0;
        pos[i] = {std::fmod(0.8191725134 * k, 1.0) - 0.5, std::fmod(0.6710436067 * k, 1.0) - 0.5,
                  std::fmod(0.5497004779 * k, 1.0) - 0.5};
        vel[i] = {-2 * pos[i][1], 2 * pos[i][0], 0};
    }

    nbody::device device(device_name);
    nbody_options options = nbody::options();
    options.precision = NBODY_DOUBLE;
    nbody::engine gravity =
        nbody::engine::all_pairs(device, nbody::law::ready("gravity"), {eps2}, options);
    nbody::runner kick(device, nbody::program::read("motion.rs", "kick"), {dt / 2});
    nbody::runner drift(device, nbody::program::read("motion.rs", "drift"), {dt});
    nbody::runner energy(device, nbody::program::read("motion.rs", "energy"), {});
    nbody::buffer stars = gravity.upload_i(n, {{"pos", pos}, {"mass", mass}});
    nbody::buffer velocities = drift.upload(NBODY_Q, NBODY_DOUBLE, n, {{"vel", vel}});
    nbody::buffer field = gravity.results(n);

    const auto advance = [&](int steps) {
        for (int step = 0; step < steps; step++) {
            kick.update(velocities, field);
            drift.update(stars, velocities);
            gravity.evaluate_self(stars, field);
            kick.update(velocities, field);
        }
    };
    gravity.evaluate_self(stars, field);
    const double before = energy.measure(1, stars, velocities, field)[0];
    advance(32);
    const double change = energy.measure(1, stars, velocities, field)[0] / before - 1;

    // A leapfrog is reversible: steps back lead to the beginning.
    kick.set_parameters({-dt / 2});
    drift.set_parameters({-dt});
    advance(32);
    stars.read({{"pos", end}});
    double error = 0;
    for (std::size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) error = std::fmax(error, std::fabs(end[i][k] - pos[i][k]));
    std::printf("energy                  %.6f, changed by %.1e\n", before, change);
    std::printf("error after the return  %.1e\n", error);
    return std::fabs(change) < 1e-4 && error < 1e-9 ? 0 : 1;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "best");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nbody: %s\n", error.what());
        return 1;
    }
}
