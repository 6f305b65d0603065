// Gravity from C++: the accelerations and potentials of a small star cluster.
//
//     c++ -std=c++11 gravity.cpp $(pkg-config --cflags --libs nbody)
//     ./a.out cpu
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "nbody.hpp"

struct star {
    double mass; // G = 1, and the cluster has mass 1
    double pos[3];
};

struct field {
    double acc[3], pot;
};

// Fills a Plummer sphere of scale length 1. The fractions of k a, k b and k c, with the three constants
// below, fill a cube evenly.
static std::vector<star> cluster(std::size_t n) {
    std::vector<star> stars(n);
    double k = 0;
    for (star &star : stars) {
        k += 1;
        double inside = std::fmod(0.8191725134 * k, 1.0); // the mass within r
        double c = 2 * std::fmod(0.6710436067 * k, 1.0) - 1, s = std::sqrt(1 - c * c);
        double angle = 6.283185307179586 * std::fmod(0.5497004779 * k, 1.0);
        double r = 1 / std::sqrt(std::pow(inside, -2.0 / 3) - 1);
        star = {1.0 / n, {r * s * std::cos(angle), r * s * std::sin(angle), r * c}};
    }
    return stars;
}

// Sums over all stars in the plain way.
static field sum(const std::vector<star> &stars, const star &i, double eps2) {
    field sum = {};
    for (const star &j : stars) {
        if (&i == &j) continue;
        double d[3], r2 = eps2;
        for (int k = 0; k < 3; k++) d[k] = j.pos[k] - i.pos[k], r2 += d[k] * d[k];
        for (int k = 0; k < 3; k++) sum.acc[k] += j.mass * d[k] / (r2 * std::sqrt(r2));
        sum.pot -= j.mass / std::sqrt(r2);
    }
    return sum;
}

static int run(const char *device_name) {
    const double eps2 = 0.01;
    const std::vector<star> stars = cluster(1000);
    std::vector<field> fields(stars.size());

    nbody::device device(device_name);
    nbody::engine engine = nbody::engine::all_pairs(device, nbody::law::ready("gravity"), {eps2});
    nbody::buffer bodies = engine.upload_i(stars.size(), {{"pos", stars[0].pos, sizeof(star)},
                                                          {"mass", &stars[0].mass, sizeof(star)}});
    nbody::buffer results = engine.results(stars.size());
    engine.evaluate_self(bodies, results);
    results.read({{"acc", fields[0].acc, sizeof(field)}, {"pot", &fields[0].pot, sizeof(field)}});

    double energy = 0, error = 0, largest = 0;
    for (std::size_t i = 0; i < stars.size(); i++) {
        const field expected = sum(stars, stars[i], eps2);
        energy += 0.5 * stars[i].mass * fields[i].pot; // each pair is in two potentials
        error = std::fmax(error, std::fabs(fields[i].pot - expected.pot));
        for (int k = 0; k < 3; k++) {
            error = std::fmax(error, std::fabs(fields[i].acc[k] - expected.acc[k]));
            largest = std::fmax(largest, std::fabs(expected.acc[k]));
        }
    }
    const field &first = fields[0];
    std::printf("device            %s\n", device.name().c_str());
    std::printf("star 0            acc %9.6f %9.6f %9.6f  pot %9.6f\n", first.acc[0], first.acc[1],
                first.acc[2], first.pot);
    std::printf("potential energy  %.6f\n", energy);
    std::printf("largest error     %.1e\n", error / largest);
    return error < 1e-5 * largest ? 0 : 1;
}

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "best");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "nbody: %s\n", error.what());
        return 1;
    }
}
