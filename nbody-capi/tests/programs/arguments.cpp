// Every function with every argument wrong in turn, while another thread computes: a status, a message,
// outputs that are 0, and nothing lost.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nbody.h"

namespace {

void must(bool holds, const std::string &what) {
    if (holds) return;
    std::fprintf(stderr, "%s; last message: %s\n", what.c_str(), nbody_last_message());
    std::exit(1);
}

void ok(nbody_status status, const char *what) { must(status == NBODY_OK, what); }
#define OK(call) ok(call, #call)

// Handles of objects that exist, of freed ones, and of none.
std::vector<std::uint64_t> handles;

const std::size_t HUGE_SIZES[] = {0, std::size_t(1) << 60, std::size_t(-1)};

// The wrong values of a type.
template <class T> std::vector<T> wrong(T) {
    static_assert(std::is_pointer<T>::value, "a kind of argument without wrong values");
    std::vector<T> values = {nullptr};
    // A misaligned address, which is never read.
    if (alignof(std::remove_pointer_t<T>) > 1) values.push_back(reinterpret_cast<T>(std::uintptr_t(1)));
    return values;
}
template <> std::vector<double> wrong(double) {
    return {std::nan(""), INFINITY, -INFINITY, -2.0, 0.0, 1e308, 5e-324};
}
template <> std::vector<std::int32_t> wrong(std::int32_t) {
    using limits = std::numeric_limits<std::int32_t>;
    return {0, -1, 10, limits::max(), limits::min()};
}
template <> std::vector<std::ptrdiff_t> wrong(std::ptrdiff_t) {
    using limits = std::numeric_limits<std::ptrdiff_t>;
    return {1, -2, limits::max(), limits::max() - 3, limits::min(), limits::min() / 2};
}
template <> std::vector<std::size_t> wrong(std::size_t) {
    return {std::begin(HUGE_SIZES), std::end(HUGE_SIZES)};
}
template <> std::vector<const char *> wrong(const char *) {
    // As long as any text that a length belongs to.
    static const char texts[][512] = {"", "nothing of this name", "\xff\xfe", "mod m {", "/"};
    return {nullptr, texts[0], texts[1], texts[2], texts[3], texts[4]};
}
template <class Handle> std::vector<Handle> wrong_handles() {
    std::vector<Handle> values;
    for (std::uint64_t id : handles) {
        Handle handle;
        handle.id = id;
        values.push_back(handle);
    }
    return values;
}
template <> std::vector<nbody_device> wrong(nbody_device) { return wrong_handles<nbody_device>(); }
template <> std::vector<nbody_law> wrong(nbody_law) { return wrong_handles<nbody_law>(); }
template <> std::vector<nbody_program> wrong(nbody_program) { return wrong_handles<nbody_program>(); }
template <> std::vector<nbody_buffer> wrong(nbody_buffer) { return wrong_handles<nbody_buffer>(); }
template <> std::vector<nbody_engine> wrong(nbody_engine) { return wrong_handles<nbody_engine>(); }
template <> std::vector<nbody_runner> wrong(nbody_runner) { return wrong_handles<nbody_runner>(); }
template <> std::vector<nbody_tuples> wrong(nbody_tuples) { return wrong_handles<nbody_tuples>(); }
template <> std::vector<nbody_integrator> wrong(nbody_integrator) { return wrong_handles<nbody_integrator>(); }

int calls = 0, failures = 0;
std::vector<std::string> called;

// Frees an object that a call created, and checks the output of a call that failed.
template <class T> void end(const std::string &, nbody_status, T) {}
void end(const std::string &what, nbody_status status, nbody_buffer *out) {
    if (!out || std::uintptr_t(out) == 1) return;
    must((out->id == 0) == (status != NBODY_OK), what + ": the output");
    OK(nbody_buffer_free(*out));
}
void end(const std::string &what, nbody_status status, nbody_engine *out) {
    if (!out || std::uintptr_t(out) == 1) return;
    must((out->id == 0) == (status != NBODY_OK), what + ": the output");
    OK(nbody_engine_free(*out));
}
void end(const std::string &what, nbody_status status, nbody_runner *out) {
    if (!out || std::uintptr_t(out) == 1) return;
    must((out->id == 0) == (status != NBODY_OK), what + ": the output");
    OK(nbody_runner_free(*out));
}
void end(const std::string &what, nbody_status status, nbody_tuples *out) {
    if (!out || std::uintptr_t(out) == 1) return;
    must((out->id == 0) == (status != NBODY_OK), what + ": the output");
    OK(nbody_tuples_free(*out));
}
void end(const std::string &what, nbody_status status, nbody_integrator *out) {
    if (!out || std::uintptr_t(out) == 1) return;
    must((out->id == 0) == (status != NBODY_OK), what + ": the output");
    OK(nbody_integrator_free(*out));
}

template <std::size_t I, class... A, std::size_t... K>
void each(const char *name, nbody_status (*f)(A...), std::tuple<A...> good, std::index_sequence<K...>) {
    for (auto value : wrong<std::tuple_element_t<I, std::tuple<A...>>>(std::get<I>(good))) {
        auto arguments = good;
        std::get<I>(arguments) = value;
        const nbody_status status = f(std::get<K>(arguments)...);
        const std::string what = std::string(name) + ", argument " + std::to_string(I);
        must(status >= 0 && status < NBODY_ERROR_FAULT, what + ": a fault");
        if (status) must(*nbody_last_message() != 0, what + ": no message");
        (void)std::initializer_list<int>{(end(what, status, std::get<K>(arguments)), 0)...};
        ++calls;
        failures += status != NBODY_OK;
    }
}

template <class... A, std::size_t... I>
void all(const char *name, nbody_status (*f)(A...), std::tuple<A...> good, std::index_sequence<I...> k) {
    called.push_back(name);
    (void)std::initializer_list<int>{(each<I>(name, f, good, k), 0)...};
}

template <class... A, class... B> void vary(const char *name, nbody_status (*f)(A...), B... good) {
    all(name, f, std::tuple<A...>(good...), std::index_sequence_for<A...>());
}
#define VARY(f, ...) vary(#f, f, __VA_ARGS__)

// A call that was given NaN for the parameter at this place.
void refused(nbody_status status, const std::string &place) {
    const std::string message = nbody_last_message(), expected = "parameter `" + place + "` is NaN";
    must(status == NBODY_ERROR_NUMBERS && message.find(expected) == 0, place + " is NaN");
}

const std::size_t N = 40;
double pos[N][3], mass[N];
nbody_column in[2];

// Computes with objects of its own.
void compute(nbody_device device, nbody_law law, double *pot) {
    double eps2 = 0.01;
    nbody_engine engine;
    nbody_buffer bodies, results;
    nbody_column out = {"pot", pot, NBODY_F64, NBODY_HOST_MEMORY, 0, 0};
    OK(nbody_engine_all_pairs(device, law, &eps2, 1, nullptr, &engine));
    OK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &bodies));
    OK(nbody_engine_results(engine, N, &results));
    OK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, results, NBODY_REPLACE));
    OK(nbody_buffer_read(results, 0, N, &out, 1));
    OK(nbody_engine_free(engine));
    OK(nbody_buffer_free(bodies));
    OK(nbody_buffer_free(results));
}

const char TEXT[] = "mod moving { pub struct Drift { pub dt: Real } pub struct P { pub pos: Point, pub vel: Vector }"
                    " impl Update for Drift { type P = P; fn update(&self, p: &mut P) { p.pos += self.dt * p.vel; } }"
                    " pub struct Sum; pub struct Total { pub sum: Real } impl Measure for Sum { type P = P;"
                    " type T = Total; fn measure(&self, p: &P, total: &mut Total) { total.sum += p.vel.norm2(); } } }";
const char HOLD[] = "mod holds { pub struct Hold { pub k: Real } pub struct P { pub pos: Point }"
                    " pub struct F { pub force: Vector } impl Tuple for Hold { type P = P; type F = F;"
                    " fn tuple(&self, [a, b]: [&P; 2], [f, g]: [&mut F; 2]) { let d = a.pos - b.pos;"
                    " f.force -= self.k * d; g.force += self.k * d; } } }";
const char LAW[] = "mod pull { pub struct Pull { pub k: Real } pub struct Q { pub pos: Point }"
                   " pub struct F { pub acc: Vector } impl Interaction for Pull { type I = Q; type J = Q; type F = F;"
                   " fn cutoff(&self, i: &Q, j: &Q) -> Real { self.k } fn pair(&self, i: &Q, j: &Q, f: &mut F) {"
                   " f.acc += j.pos - i.pos; } } }";

} // namespace

int main() {
    double eps2 = 0.01, seconds, total[1], first[N], last[N], box[3] = {2, 2, 2}, vectors[9] = {2, 0, 0, 1, 2, 0, -1, 0.5, 2}, dt = 0.5, k = 0.2, vel[N][3];
    std::size_t count;
    std::uint32_t addresses[2] = {3, 1}, pairs[2][2] = {{0, 1}, {2, 3}};
    double held = 0.5;
    char text[80];
    nbody_field fields[4];
    nbody_device device, other;
    nbody_law law, pull;
    nbody_program drift, sum, bond, hold;
    nbody_engine engine, tree, lists, of_other, created;
    nbody_buffer bodies, results, of_other_law, of_other_device, moving, freed, made;
    nbody_runner runner, measure, new_runner;
    nbody_options options = NBODY_OPTIONS;
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            pos[i][c] = std::fmod(0.618 * double(3 * i + c + 1), 1.0);
            vel[i][c] = std::fmod(0.414 * double(3 * i + c + 1), 1.0);
        }
        mass[i] = 1.0 / double(N);
    }
    in[0] = {"pos", pos, NBODY_F64, NBODY_HOST_MEMORY, 0, 0};
    in[1] = {"mass", mass, NBODY_F64, NBODY_HOST_MEMORY, 0, 0};
    nbody_column motion[2] = {in[0], {"vel", vel, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
    nbody_column out = {"pot", last, NBODY_F64, NBODY_HOST_MEMORY, 0, 0};

    OK(nbody_device_open("cpu", &device));
    OK(nbody_device_open("emulator", &other));
    OK(nbody_law_ready("gravity", &law));
    OK(nbody_law_declare(LAW, sizeof LAW - 1, nullptr, &pull));
    OK(nbody_program_declare(TEXT, sizeof TEXT - 1, "drift", &drift));
    OK(nbody_program_declare(TEXT, sizeof TEXT - 1, "sum", &sum));
    OK(nbody_engine_all_pairs(device, law, &eps2, 1, nullptr, &engine));
    OK(nbody_engine_all_pairs(other, law, &eps2, 1, nullptr, &of_other));
    OK(nbody_engine_tree(device, law, &eps2, 1, NBODY_THETA, 0.5, 0, nullptr, &tree));
    OK(nbody_engine_lists(device, pull, &k, 1, 0.1, nullptr, &lists));
    OK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &bodies));
    OK(nbody_engine_upload(of_other, NBODY_I, N, in, 2, &of_other_device));
    OK(nbody_engine_upload(lists, NBODY_I, N, in, 1, &of_other_law));
    OK(nbody_engine_results(engine, N, &results));
    OK(nbody_runner_create(device, drift, &dt, 1, &runner));
    OK(nbody_runner_create(device, sum, nullptr, 0, &measure));
    OK(nbody_runner_upload(runner, NBODY_P, NBODY_DOUBLE, N, motion, 2, &moving));
    OK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &freed));
    OK(nbody_buffer_free(freed));
    // Objects that may be freed by a call with the wrong handle are not among them.
    handles = {0, 1, ~std::uint64_t(0), std::uint64_t(std::uintptr_t(&engine)), freed.id, of_other_law.id ^ (std::uint64_t(1) << 31),
               device.id + (std::uint64_t(1) << 32)};
    compute(device, law, first);

    std::atomic<bool> ends(false);
    std::thread computing([&] {
        double pot[N];
        while (!ends) {
            compute(device, law, pot);
            must(!std::memcmp(pot, first, sizeof pot), "other bits in another thread");
        }
    });

    VARY(nbody_device_open, "cpu", &other);
    // MPI does not run here.
    must(nbody_device_over_mpi("cpu", 0, 0, &other) != NBODY_OK, "ranks without MPI");
    VARY(nbody_device_over_mpi, "cpu", 0, NBODY_DISTRIBUTED, &other);
    OK(nbody_device_open("emulator", &other));
    VARY(nbody_device_name, device, text, sizeof text);
    VARY(nbody_device_free, nbody_device());
    VARY(nbody_engine_free, nbody_engine());
    VARY(nbody_buffer_free, nbody_buffer());
    VARY(nbody_runner_free, nbody_runner());
    VARY(nbody_integrator_free, nbody_integrator());
    VARY(nbody_tuples_free, nbody_tuples());
    nbody_law no_law;
    nbody_program no_program;
    VARY(nbody_law_ready, "gravity", &no_law);
    VARY(nbody_law_declare, LAW, sizeof LAW - 1, "pull", &no_law);
    VARY(nbody_law_read, "/nowhere.rs", "pull", &no_law);
    VARY(nbody_program_declare, TEXT, sizeof TEXT - 1, "drift", &no_program);
    VARY(nbody_program_read, "/nowhere.rs", "drift", &no_program);
    VARY(nbody_law_fields, law, NBODY_I, fields, std::size_t(4), &count);
    VARY(nbody_program_ready, "harmonic_bond", &no_program);
    VARY(nbody_program_members, drift, &count);
    VARY(nbody_program_fields, drift, NBODY_P, fields, std::size_t(4), &count);

    // Handles of other objects too, from here on, where no call frees them.
    handles.insert(handles.end(), {device.id, law.id, drift.id, engine.id, tree.id, lists.id, runner.id, of_other.id,
                                   of_other_device.id, of_other_law.id, results.id, moving.id, pull.id});
    VARY(nbody_engine_all_pairs, device, law, &eps2, std::size_t(1), &options, &created);
    VARY(nbody_engine_tree, device, law, &eps2, std::size_t(1), NBODY_THETA, 0.5, NBODY_SECOND, &options, &created);
    VARY(nbody_engine_lists, device, pull, &k, std::size_t(1), 0.1, &options, &created);
    VARY(nbody_engine_set_domain, lists, box);
    VARY(nbody_engine_set_triclinic, lists, vectors);
    VARY(nbody_engine_exclude, lists, std::size_t(2), &pairs[0][0]);
    VARY(nbody_engine_upload, engine, NBODY_I, N, in, std::size_t(2), &made);
    VARY(nbody_engine_results, engine, std::size_t(3), &made);
    VARY(nbody_engine_evaluate, engine, bodies, bodies, NBODY_SAME, results, NBODY_REPLACE);
    VARY(nbody_engine_time, engine, bodies, bodies, NBODY_SAME, results, &seconds);
    VARY(nbody_engine_set_opening, tree, NBODY_THETA, 0.5, NBODY_MONOPOLE);
    VARY(nbody_buffer_count, bodies, &count);
    VARY(nbody_buffer_read, results, std::size_t(0), N, &out, std::size_t(1));
    VARY(nbody_runner_create, device, drift, &dt, std::size_t(1), &new_runner);
    VARY(nbody_runner_set_domain, runner, box, 0);
    VARY(nbody_runner_set_triclinic, runner, vectors, 0);
    VARY(nbody_runner_upload, runner, NBODY_P, NBODY_DOUBLE, N, motion, std::size_t(2), &made);
    const nbody_buffer *no_inputs = nullptr;
    VARY(nbody_runner_measure, measure, moving, no_inputs, std::size_t(0), total, std::size_t(1));
    nbody_buffer whole;
    OK(nbody_runner_total(measure, &whole));
    handles.push_back(whole.id);
    VARY(nbody_runner_total, measure, &made);
    VARY(nbody_runner_measure_into, measure, moving, no_inputs, std::size_t(0), whole);
    handles.pop_back();
    nbody_tuples bonds, holds, new_tuples;
    nbody_buffer forces;
    nbody_column of_bond[2] = {{"k", mass, NBODY_F64, NBODY_HOST_MEMORY, 0, 0},
                               {"length", mass, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
    OK(nbody_program_ready("harmonic_bond", &bond));
    OK(nbody_program_declare(HOLD, sizeof HOLD - 1, "hold", &hold));
    OK(nbody_tuples_create(device, bond, nullptr, 0, &options, &bonds));
    OK(nbody_tuples_create(device, hold, &held, 1, nullptr, &holds));
    OK(nbody_tuples_set(bonds, N, 2, 2, pairs[0], 0, of_bond, 2));
    OK(nbody_tuples_results(bonds, N, &forces));
    handles.insert(handles.end(), {bonds.id, bond.id});
    VARY(nbody_tuples_create, device, hold, &held, std::size_t(1), &options, &new_tuples);
    VARY(nbody_tuples_count, bonds, &count);
    VARY(nbody_tuples_upload, bonds, N, in, std::size_t(1), &made);
    VARY(nbody_tuples_results, bonds, N, &made);
    VARY(nbody_tuples_evaluate, bonds, moving, forces, NBODY_ADD);
    VARY(nbody_tuples_time, bonds, moving, forces, NBODY_ADD, &seconds);
    handles.resize(handles.size() - 2);
    VARY(nbody_tuples_set, bonds, N, std::size_t(2), std::size_t(2), pairs[0], std::ptrdiff_t(8), of_bond, std::size_t(2));
    double table[3] = {1, 2, 3}, of_table[20];
    VARY(nbody_spline_numbers, NBODY_SPLINE_HERMITE, 0.0, 1.0, table, table, std::size_t(3), of_table, std::size_t(20));
    VARY(nbody_tuples_set_domain, bonds, box);
    VARY(nbody_tuples_set_parameters, holds, &held, std::size_t(1));
    OK(nbody_tuples_free(bonds));
    OK(nbody_tuples_free(holds));
    OK(nbody_buffer_free(forces));
    nbody_steps steps = NBODY_STEPS;
    nbody_column star[3] = {in[0], in[1], motion[1]};
    nbody_integrator run, new_run;
    double now, next;
    std::uint64_t taken, advanced;
    steps.method = NBODY_LEAPFROG, steps.step = 0.01;
    OK(nbody_integrator_create(engine, N, star, 3, &steps, &run));
    VARY(nbody_integrator_create, engine, N, star, std::size_t(3), &steps, &new_run);
    VARY(nbody_integrator_advance, run);
    VARY(nbody_integrator_time, run, &now, &next);
    VARY(nbody_integrator_count, run, &taken, &advanced);
    VARY(nbody_integrator_read, run, now, N, &motion[1], std::size_t(1));
    VARY(nbody_integrator_energies, run, &now, &next);
    VARY(nbody_integrator_save, run, "arguments.checkpoint");
    OK(nbody_integrator_save(run, "arguments.checkpoint"));
    VARY(nbody_integrator_resume, engine, "arguments.checkpoint", &new_run, &count);
    // Calls that change an object run on objects of their own.
    nbody_runner mine;
    nbody_buffer own;
    nbody_engine changed;
    OK(nbody_runner_create(device, drift, &dt, 1, &mine));
    OK(nbody_engine_all_pairs(device, law, &eps2, 1, nullptr, &changed));
    OK(nbody_engine_upload(changed, NBODY_I, N, in, 2, &own));
    handles = {0, 1, freed.id, device.id, law.id};
    VARY(nbody_engine_set_parameters, changed, &eps2, std::size_t(1));
    VARY(nbody_runner_set_parameters, mine, &dt, std::size_t(1));
    // NaN at each place of each array of parameters.
    const double nan = std::nan("");
    for (nbody_device of : {device, other}) {
        refused(nbody_engine_all_pairs(of, law, &nan, 1, nullptr, &created), "eps2");
        refused(nbody_engine_tree(of, law, &nan, 1, NBODY_THETA, 0.5, 0, nullptr, &created), "eps2");
        refused(nbody_engine_lists(of, pull, &nan, 1, 0.1, nullptr, &created), "k");
        refused(nbody_runner_create(of, drift, &nan, 1, &new_runner), "dt");
        refused(nbody_tuples_create(of, hold, &nan, 1, nullptr, &new_tuples), "k");
        must(!created.id && !new_runner.id && !new_tuples.id, "nothing is created with NaN");
    }
    refused(nbody_engine_set_parameters(changed, &nan, 1), "eps2");
    refused(nbody_engine_set_parameters(tree, &nan, 1), "eps2");
    refused(nbody_engine_set_parameters(lists, &nan, 1), "k");
    refused(nbody_runner_set_parameters(mine, &nan, 1), "dt");
    OK(nbody_engine_set_parameters(changed, &eps2, 1));
    refused(nbody_engine_set_parameters(changed, &nan, 1), "eps2");
    // The call changed nothing.
    OK(nbody_engine_evaluate(changed, own, own, NBODY_SAME, results, NBODY_REPLACE));
    OK(nbody_buffer_read(results, 0, N, &out, 1));
    must(!std::memcmp(first, last, sizeof first), "the parameters before NaN");
    nbody_law atoms;
    double pair[33];
    OK(nbody_law_ready("lennard_jones", &atoms));
    for (std::size_t k = 0; k < 33; ++k) {
        std::fill(pair, pair + 33, 0.5);
        pair[k] = nan;
        const std::string index = "[" + std::to_string(k % 16) + "]";
        const std::string place = k < 16 ? "sigma2" + index : k < 32 ? "epsilon" + index : "cutoff";
        refused(nbody_engine_all_pairs(device, atoms, pair, 33, nullptr, &created), place);
    }
    // Nothing is beyond an infinite cutoff.
    pair[32] = INFINITY;
    OK(nbody_engine_all_pairs(device, atoms, pair, 33, nullptr, &created));
    OK(nbody_engine_free(created));
    VARY(nbody_runner_update, mine, moving, no_inputs, std::size_t(0));
    VARY(nbody_integrator_set_step, run, 0.01);
    VARY(nbody_integrator_set_wrap, run, 0);
    OK(nbody_integrator_set_step(run, 1e-3));
    // A time so late would take steps for ever.
    for (double wrong_time : {std::nan(""), -double(INFINITY), -1.0})
        must(nbody_integrator_advance_to(run, wrong_time) == NBODY_ERROR_ARGUMENT, "a wrong time");
    OK(nbody_integrator_free(run));
    VARY(nbody_buffer_resize, results, N);
    OK(nbody_buffer_resize(results, N));
    VARY(nbody_buffer_write, own, N, in, std::size_t(2));
    OK(nbody_buffer_write(own, N, in, 2));
    VARY(nbody_buffer_write_at, own, std::size_t(2), addresses, in, std::size_t(2));
    VARY(nbody_buffer_append, own, bodies);
    VARY(nbody_buffer_retain, own, bodies, static_cast<const char *>("mass"), &count);

    ends = true;
    computing.join();
    must(!nbody_law_ready_name(std::size_t(-1)) && !nbody_program_ready_name(std::size_t(-1)) && nbody_version() && nbody_abi_version(), "names");
    OK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, results, NBODY_REPLACE));
    OK(nbody_buffer_read(results, 0, N, &out, 1));
    must(!std::memcmp(first, last, sizeof first), "other bits after wrong calls");
    std::fprintf(stderr, "%d calls of %zu functions, %d failed\n", calls, called.size(), failures);
    must(failures > 400 && called.size() == 66, "most wrong arguments are refused");
    for (nbody_engine it : {engine, tree, lists, of_other, changed}) OK(nbody_engine_free(it));
    for (nbody_buffer it : {bodies, results, of_other_law, of_other_device, moving, own, whole}) OK(nbody_buffer_free(it));
    for (nbody_runner it : {runner, measure, mine}) OK(nbody_runner_free(it));
    OK(nbody_device_free(device));
    OK(nbody_device_free(other));
    std::puts("ok");
    return 0;
}
