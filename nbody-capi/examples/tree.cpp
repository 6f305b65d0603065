// A tree from C++: gravity of a star cluster, its error against all pairs and the time of both.
//
//     c++ -std=c++11 tree.cpp $(pkg-config --cflags --libs nbody)
//     ./a.out cpu
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "nbody.hpp"

using vector = std::array<double, 3>;

// Fills a Plummer sphere of scale length 1. The fractions of k a, k b and k c, with the three constants
// below, fill a cube evenly.
static std::vector<vector> cluster(std::size_t n) {
    std::vector<vector> pos(n);
    double k = 0;
    for (vector &x : pos) {
        k += 1;
        double inside = std::fmod(0.8191725134 * k, 1.0); // the mass within r
        double c = 2 * std::fmod(0.6710436067 * k, 1.0) - 1, s = std::sqrt(1 - c * c);
        double angle = 6.283185307179586 * std::fmod(0.5497004779 * k, 1.0);
        double r = 1 / std::sqrt(std::pow(inside, -2.0 / 3) - 1);
        x = {r * s * std::cos(angle), r * s * std::sin(angle), r * c};
    }
    return pos;
}

static std::vector<vector> accelerations(nbody::engine &engine, const nbody::buffer &stars) {
    nbody::buffer results = engine.results(stars.count());
    engine.evaluate_self(stars, results);
    std::vector<vector> acc(stars.count());
    results.read({{"acc", acc}});
    return acc;
}

// Returns the root mean square of the relative errors.
static double error(const std::vector<vector> &found, const std::vector<vector> &expected) {
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); i++) {
        double difference = 0, norm = 0;
        for (int k = 0; k < 3; k++) {
            difference += std::pow(found[i][k] - expected[i][k], 2);
            norm += std::pow(expected[i][k], 2);
        }
        sum += difference / norm;
    }
    return std::sqrt(sum / found.size());
}

static int run(const char *device_name) {
    const std::size_t n = 20000;
    const double eps2 = 1e-4;
    const std::vector<vector> pos = cluster(n);
    const std::vector<double> mass(n, 1.0 / n); // G = 1, and the cluster has mass 1

    nbody::device device(device_name);
    const nbody::law gravity = nbody::law::ready("gravity");
    nbody::engine direct = nbody::engine::all_pairs(device, gravity, {eps2});
    nbody::engine tree = nbody::engine::tree(device, gravity, {eps2}, 0.9);
    // Engines of one device and precision share particles, if their laws have the same fields.
    nbody::buffer stars = direct.upload_i(n, {{"pos", pos}, {"mass", mass}});
    nbody::buffer results = direct.results(n);
    const std::vector<vector> expected = accelerations(direct, stars);
    std::printf("all pairs                      %8.2f ms\n", 1e3 * direct.time_self(stars, results));

    double before = 1;
    bool good = true;
    for (double theta : {0.9, 0.6, 0.3}) { // a cell seen at a larger angle is opened
        tree.set_opening(NBODY_THETA, theta);
        const double now = error(accelerations(tree, stars), expected);
        const double seconds = tree.time_self(stars, results);
        std::printf("tree, theta %.1f  error %.1e  %8.2f ms\n", theta, now, 1e3 * seconds);
        good = good && now < before / 2; // smaller angles have smaller errors
        before = now;
    }
    return good && before < 1e-3 ? 0 : 1;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "best");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nbody: %s\n", error.what());
        return 1;
    }
}
