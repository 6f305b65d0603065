// A tree, lists, programs per particle and threads from C++.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
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

const char TEXT[] = R"(
    struct Push { cutoff: Real }
    struct Ball { pos: Point, kind: u32 }
    struct Force { force: Vector, near: ArgMin<Real>, far: ArgMax<Real>, few: Nearest<3>, number: Count }
    impl Interaction for Push {
        type I = Ball; type J = Ball; type F = Force;
        fn cutoff(&self, i: &Ball, j: &Ball) -> Real { self.cutoff }
        fn pair(&self, i: &Ball, j: &Ball, f: &mut Force) {
            let d = i.pos - j.pos;
            let r = d.norm();
            f.force += (self.cutoff - r) * d;
            f.near.min(r);
            f.far.max(r);
            f.few.insert(r);
            if r < 0.5 * self.cutoff { f.number += 1; }
        }
    }
)";

const std::size_t n = 500;

std::vector<double> uniform(std::size_t count) {
    std::uint64_t state = 1;
    std::vector<double> numbers(count);
    for (double &x : numbers) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = static_cast<double>(state >> 40) / 16777216.0;
    }
    return numbers;
}

void trees() {
    nbody::device device("cpu");
    const nbody::law gravity = nbody::law::ready("gravity");
    nbody::engine direct = nbody::engine::all_pairs(device, gravity, {0.01});
    nbody::engine tree = nbody::engine::tree(device, gravity, {0.01}, 0.5);
    const std::vector<double> x = uniform(3 * n);
    const std::vector<float> m(n, 1.0f);
    nbody::buffer bodies = direct.upload_i(n, {{"pos", x.data()}, {"mass", m.data()}});
    std::vector<double> pot[2];
    nbody::engine *engines[] = {&direct, &tree};
    for (int k = 0; k < 2; k++) {
        nbody::buffer results = engines[k]->results(n);
        engines[k]->evaluate_self(bodies, results);
        pot[k].resize(n);
        results.read({{"pot", pot[k].data()}});
    }
    double error = 0.0;
    for (std::size_t i = 0; i < n; i++) error = std::fmax(error, std::fabs(pot[1][i] / pot[0][i] - 1.0));
    MUST(error > 0.0 && error < 1e-2);
}

void lists() {
    nbody::device device("cpu");
    const nbody::law push = nbody::law::declare(TEXT);
    nbody::engine direct = nbody::engine::all_pairs(device, push, {0.1});
    nbody::engine listed = nbody::engine::lists(device, push, {0.1}, 0.02);
    const std::vector<double> x = uniform(3 * n);
    const std::vector<std::int64_t> kind(n, 7);
    nbody::buffer balls = direct.upload_i(n, {{"pos", x.data()}, {"kind", kind.data()}});
    std::vector<std::int32_t> index[2], last[2];
    std::vector<double> greatest[2], values[2];
    std::vector<std::int64_t> indices[2];
    std::vector<std::uint32_t> number[2];
    nbody::engine *engines[] = {&direct, &listed};
    for (int k = 0; k < 2; k++) {
        nbody::buffer results = engines[k]->results(n);
        engines[k]->evaluate_self(balls, results);
        index[k].resize(n), number[k].resize(n), last[k].resize(n), greatest[k].resize(n);
        values[k].resize(3 * n), indices[k].resize(3 * n);
        results.read({{"near.index", index[k].data()}, {"number", number[k].data()},
                      {"far.index", last[k].data()}, {"far.value", greatest[k].data()},
                      {"few.values", values[k].data()}, {"few.indices", indices[k].data()}});
    }
    MUST(index[0] == index[1] && number[0] == number[1]);
    MUST(last[0] == last[1] && greatest[0] == greatest[1]);
    MUST(values[0] == values[1] && indices[0] == indices[1]);
    std::size_t alone = 0;
    for (std::size_t i = 0; i < n; i++) {
        alone += index[0][i] == -1;
        MUST(indices[0][3 * i] == index[0][i] && values[0][3 * i] <= values[0][3 * i + 1]);
        MUST((index[0][i] == -1) == (last[0][i] == -1 && std::isinf(greatest[0][i])));
    }
    MUST(alone < n);
    const std::vector<std::int32_t> negative(n, -7);
    try {
        balls.write(n, {{"pos", x.data()}, {"kind", negative.data()}});
        MUST(false);
    } catch (const nbody::error &error) {
        MUST(error.status() == NBODY_ERROR_ARGUMENT && std::strstr(error.what(), "-7 in record 0"));
    }
}

// Particles that are appended and removed, by a field of their own and by one of others.
void population(const char *name) {
    nbody::device device(name);
    const nbody::law push = nbody::law::declare(TEXT);
    nbody_options options = nbody::options();
    options.precision = NBODY_DOUBLE;
    nbody::engine listed = nbody::engine::lists(device, push, {0.1}, 0.02, options);
    std::vector<double> x = uniform(3 * n), gone = uniform(6 * n);
    std::vector<std::uint32_t> kind(n), flag(2 * n);
    for (std::size_t i = 0; i < n; i++) kind[i] = i % 3 == 1 ? 0 : 1 + i % 2;
    nbody::buffer balls = listed.upload_i(n, {{"pos", x.data()}, {"kind", kind.data()}});
    nbody::buffer results = listed.results(n);
    listed.evaluate_self(balls, results);
    balls.append(listed.upload_i(n, {{"pos", gone.data() + 3 * n}, {"kind", kind.data()}}));
    MUST(balls.count() == 2 * n);
    for (std::size_t i = 0; i < 2 * n; i++) flag[i] = i % 5 != 0;
    nbody::buffer flags = listed.upload_i(2 * n, {{"pos", gone.data()}, {"kind", flag.data()}});
    x.insert(x.end(), gone.begin() + 3 * n, gone.end());
    std::vector<double> stay;
    std::vector<std::uint32_t> kinds;
    for (std::size_t i = 0; i < 2 * n; i++) {
        if (!flag[i] || !kind[i % n]) continue;
        stay.insert(stay.end(), {x[3 * i], x[3 * i + 1], x[3 * i + 2]});
        kinds.push_back(kind[i % n]);
    }
    MUST(balls.retain(flags, "kind") == 2 * n - 2 * n / 5 && flags.count() == 2 * n);
    MUST(balls.retain("kind") == kinds.size() && balls.count() == kinds.size());
    try {
        balls.retain(flags, "kind");
        MUST(false);
    } catch (const nbody::error &error) {
        MUST(std::strstr(error.what(), "flags of particles to keep: found 1000, expected"));
    }
    std::vector<double> left(stay.size()), force[2];
    std::vector<std::uint32_t> left_kinds(kinds.size());
    balls.read({{"pos", left.data()}, {"kind", left_kinds.data()}});
    MUST(left == stay && left_kinds == kinds);
    nbody::engine fresh = nbody::engine::all_pairs(device, push, {0.1}, options);
    nbody::buffer uploaded = fresh.upload_i(kinds.size(), {{"pos", stay.data()}, {"kind", kinds.data()}});
    results.resize(kinds.size());
    for (int k = 0; k < 2; k++) {
        (k == 0 ? listed : fresh).evaluate_self(k == 0 ? balls : uploaded, results);
        force[k].resize(stay.size());
        results.read({{"force", force[k].data()}});
    }
    for (std::size_t k = 0; k < stay.size(); k++) MUST(std::fabs(force[0][k] - force[1][k]) < 1e-12);
}

// Vectors enter by themselves, and are refused if they are too short.
void vectors() {
    nbody::device device("cpu");
    nbody::engine engine = nbody::engine::all_pairs(device, nbody::law::ready("gravity"), {0.01});
    const std::vector<double> x = uniform(3 * n), m(n, 1.0);
    std::vector<std::array<double, 3>> arrays(n), acc(n), expected(n);
    for (std::size_t i = 0; i < n; i++) arrays[i] = {{x[3 * i], x[3 * i + 1], x[3 * i + 2]}};
    std::vector<float> few(n - 1);
    nbody::buffer plain = engine.upload_i(n, {{"pos", x.data()}, {"mass", m.data()}});
    nbody::buffer bodies = engine.upload_i(n, {{"pos", arrays}, {"mass", m}});
    nbody::buffer results = engine.results(n);
    engine.evaluate_self(plain, results);
    results.read({{"acc", expected[0].data()}});
    engine.evaluate_self(bodies, results);
    results.read({{"acc", acc}});
    MUST(acc == expected);
    const char *refused[2] = {nullptr, nullptr};
    for (int k = 0; k < 2; k++) try {
            if (k == 0) engine.upload_i(n, {{"pos", arrays}, {"mass", few}});
            if (k == 1) results.read({{"pot", few}});
        } catch (const nbody::error &error) {
            MUST(error.status() == NBODY_ERROR_ARGUMENT);
            MUST(std::strstr(error.what(), "a vector of 499 records, expected 500"));
            refused[k] = "refused";
        }
    MUST(refused[0] && refused[1]);
    results.read(0, n - 1, {{"pot", few}});
    MUST(few[0] < 0);
    const std::vector<std::array<float, 3>> none;
    nbody::buffer empty = engine.upload_i(0, {{"pos", none}, {"mass", std::vector<double>()}});
    MUST(empty.count() == 0);
}

// A step of a leapfrog, and the kinetic energy.
void programs() {
    const std::string text = R"(
        struct Kick { dt: Real }
        struct Star { pos: Point, mass: Real, vel: Vector }
        struct Acceleration { acc: Vector }
        impl Update for Kick {
            type P = Star; type F = Acceleration;
            fn update(&self, p: &mut Star, f: &Acceleration) { p.vel += self.dt * f.acc; }
        }
        struct Drift { dt: Real }
        impl Update for Drift {
            type P = Star;
            fn update(&self, p: &mut Star) { p.pos += self.dt * p.vel; }
        }
        struct Kinetic;
        struct Energy { kinetic: Real, number: Count }
        impl Measure for Kinetic {
            type P = Star;
            type T = Energy;
            fn measure(&self, p: &Star, t: &mut Energy) {
                t.kinetic += 0.5 * p.mass * p.vel.norm2();
                t.number += 1;
            }
        }
        struct Rescale { kinetic: Real }
        impl Update for Rescale {
            type P = Star; type G = Energy;
            fn update(&self, p: &mut Star, g: &Energy) {
                p.vel *= (self.kinetic / g.kinetic).sqrt();
            }
        }
        struct Pull { eps2: Real }
        impl Interaction for Pull {
            type I = Star; type J = Star; type F = Acceleration;
            fn pair(&self, i: &Star, j: &Star, f: &mut Acceleration) {
                let d = j.pos - i.pos;
                let rinv = (d.norm2() + self.eps2).rsqrt();
                f.acc += j.mass * rinv * rinv * rinv * d;
            }
        }
    )";
    nbody::device device("cpu");
    nbody_options options = nbody::options();
    options.precision = NBODY_DOUBLE;
    nbody::engine pull = nbody::engine::all_pairs(device, nbody::law::declare(text), {0.01}, options);
    const double pos[2][3] = {{0, 0, 0}, {1, 0, 0}}, vel[2][3] = {{0, 1, 0}, {0, -1, 0}};
    const double mass[2] = {1, 2};
    nbody::buffer stars = pull.upload_i(2, {{"pos", pos[0]}, {"vel", vel[0]}, {"mass", mass}});
    nbody::buffer results = pull.results(2);
    pull.evaluate_self(stars, results);
    nbody::runner kick(device, nbody::program::declare(text, "kick"), {0.5});
    nbody::runner drift(device, nbody::program::declare(text, "drift"), {0.25});
    nbody::runner kinetic(device, nbody::program::declare(text, "kinetic"), {});
    std::vector<double> total = kinetic.measure(2, stars);
    MUST(total[0] == 1.5 && total[1] == 2.0);
    nbody::runner rescale(device, nbody::program::declare(text, "rescale"), {6.0});
    nbody::buffer kept = kinetic.total();
    kinetic.measure_into(kept, stars);
    nbody::buffer scaled = pull.upload_i(2, {{"pos", pos[0]}, {"vel", vel[0]}, {"mass", mass}});
    rescale.update(scaled, kept);
    double twice[2][3], energy[1];
    scaled.read({{"vel", twice[0]}});
    kept.read({{"kinetic", energy}});
    MUST(twice[0][1] == 2.0 && twice[1][1] == -2.0 && energy[0] == 1.5);
    kick.update(stars, results);
    drift.update(stars);
    kick.set_parameters({-0.5});
    kick.update(stars, results);
    double x[2][3], v[2][3];
    stars.read({{"pos", x[0]}, {"vel", v[0]}});
    const double acc = 2.0 / std::pow(1.01, 1.5);
    MUST(std::fabs(x[0][0] - 0.25 * 0.5 * acc) < 1e-12 && x[0][1] == 0.25);
    MUST(std::fabs(v[0][0]) < 1e-12 && v[1][1] == -1.0);
    try {
        drift.measure(2, stars);
        MUST(false);
    } catch (const nbody::error &error) {
        MUST(error.status() == NBODY_ERROR_ARGUMENT);
    }
}

// One engine and one set of particles in several threads, each with results of its own.
void threads() {
    nbody::device device("cpu");
    nbody::engine engine = nbody::engine::all_pairs(device, nbody::law::ready("gravity"), {0.01});
    const std::vector<double> x = uniform(3 * n), m(n, 1.0);
    nbody::buffer bodies = engine.upload_i(n, {{"pos", x.data()}, {"mass", m.data()}});
    std::vector<std::vector<double>> pot(4, std::vector<double>(n));
    std::vector<std::thread> threads;
    for (std::vector<double> &mine : pot)
        threads.emplace_back([&] {
            for (int k = 0; k < 20; k++) {
                nbody::buffer results = engine.results(n);
                engine.evaluate_self(bodies, results);
                results.read({{"pot", mine.data()}});
            }
        });
    for (std::thread &thread : threads) thread.join();
    for (const std::vector<double> &other : pot) MUST(other == pot[0]);
}

// Buffers that one thread frees while others use them: each call succeeds, or finds the handle freed.
void races() {
    nbody::device device("cpu");
    nbody::engine engine = nbody::engine::all_pairs(device, nbody::law::ready("gravity"), {0.01});
    const std::vector<double> x = uniform(3 * n), m(n, 1.0);
    for (int k = 0; k < 20; k++) {
        nbody::buffer bodies = engine.upload_i(n, {{"pos", x.data()}, {"mass", m.data()}});
        const nbody_buffer shared = bodies.release();
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; t++)
            threads.emplace_back([&] {
                nbody::buffer results = engine.results(n);
                nbody_status status = NBODY_OK;
                while (status == NBODY_OK)
                    status = nbody_engine_evaluate(engine.get(), shared, shared, NBODY_SAME,
                                                   results.get(), NBODY_REPLACE);
                MUST(status == NBODY_ERROR_ARGUMENT && std::strstr(nbody_last_message(), "freed"));
            });
        std::size_t count;
        MUST(nbody_buffer_count(shared, &count) == NBODY_OK && count == n);
        MUST(nbody_buffer_free(shared) == NBODY_OK);
        for (std::thread &thread : threads) thread.join();
    }
}

} // namespace

/// Memory of the emulator is memory of the process.
void device_memory() {
    nbody::device device("emulator");
    nbody::engine direct = nbody::engine::all_pairs(device, nbody::law::ready("gravity"), {0.01});
    const std::vector<double> x = uniform(3 * n), m = uniform(n);
    std::vector<double> pot[2];
    for (int on_device = 0; on_device < 2; ++on_device) {
        pot[on_device].resize(n);
        const nbody::input pos("pos", x.data()), mass("mass", m);
        nbody::buffer bodies = on_device
                                   ? direct.upload_i(n, {pos.on_device(), mass.on_device()})
                                   : direct.upload_i(n, {pos, mass});
        nbody::buffer field = direct.results(n);
        direct.evaluate_self(bodies, field);
        const nbody::output out("pot", pot[on_device]);
        field.read({on_device ? out.on_device() : out});
    }
    MUST(pot[0] == pot[1] && pot[0][0] < 0);
}

int main() {
    device_memory();
    trees();
    lists();
    population("cpu");
    population("emulator");
    vectors();
    programs();
    threads();
    races();
    std::puts("ok");
}
