// A cluster of stars by block time steps from C++: the integrator keeps the stars on the device, and
// each has a step of its own.
//
//     c++ -std=c++11 cluster.cpp $(pkg-config --cflags --libs nbody)
//     ./a.out cpu
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "nbody.hpp"

using vector = std::array<double, 3>;

static int run(const char *device_name) {
    const std::size_t n = 200;
    const double eps2 = 1e-4, end = 1; // G = 1
    std::vector<vector> pos(n), vel(n);
    const std::vector<double> mass(n, 1.0 / n);
    for (std::size_t i = 0; i < n; i++) { // evenly in a cube, which rotates
        const double k = i + 1.0;
        pos[i] = {std::fmod(0.8191725134 * k, 1.0) - 0.5, std::fmod(0.6710436067 * k, 1.0) - 0.5,
                  std::fmod(0.5497004779 * k, 1.0) - 0.5};
        vel[i] = {-pos[i][1], pos[i][0], 0};
    }

    nbody::device device(device_name);
    nbody_options options = nbody::options();
    options.precision = NBODY_MIXED;
    nbody::engine engine =
        nbody::engine::all_pairs(device, nbody::law::ready("hermite"), {eps2}, options);
    nbody::integrator cluster(engine, n, {{"pos", pos}, {"vel", vel}, {"mass", mass}},
                              nbody::steps(NBODY_BLOCK_HERMITE));
    const std::pair<double, double> first = cluster.energies();
    cluster.advance_to(0.5 * end);
    cluster.save("cluster.run"); // another process could go on from here
    cluster = nbody::integrator::resume(engine, "cluster.run");
    std::remove("cluster.run");
    cluster.advance_to(end);
    cluster.read(end, {{"pos", pos}, {"vel", vel}});
    const std::pair<double, double> last = cluster.energies();

    const double before = first.first + first.second, after = last.first + last.second;
    double spread = 0;
    for (const vector &x : pos) spread += (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / n;
    std::printf("block steps       %llu\n", (unsigned long long)cluster.count());
    std::printf("steps of stars    %llu\n", (unsigned long long)cluster.particle_steps());
    std::printf("rms radius        %.4f\n", std::sqrt(spread));
    std::printf("energy            %.6f\n", after);
    std::printf("error of energy   %.1e\n", after / before - 1);
    return std::fabs(after / before - 1) < 1e-5 && spread > 0 && spread < 1 ? 0 : 1;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "best");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nbody: %s\n", error.what());
        return 1;
    }
}
