/* Checkpoints: runs that are saved, freed and resumed have the bits of unbroken runs; damaged files and files
 * of another law are refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

static void must(int line, int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "line %d: %s: %s\n", line, what, nbody_last_message());
        exit(1);
    }
}
#define MUST(holds) must(__LINE__, holds, #holds)
#define OK(call) MUST((call) == NBODY_OK)
#define REFUSED(call, status, part) MUST((call) == (status) && strstr(nbody_last_message(), part))

#define N 30
#define FILE_NAME "run.checkpoint"

static const char SPRING[] =
    "mod spring { pub struct Spring { pub k: Real } pub struct End { pub pos: Point, pub kind: u32, pub charge: Real }\n"
    "pub struct Pull { pub force: Vector, pub pot: Real }\n"
    "impl Interaction for Spring { type I = End; type J = End; type F = Pull;\n"
    "fn cutoff(&self, i: &End, j: &End) -> Real { 0.4 }\n"
    "fn pair(&self, i: &End, j: &End, f: &mut Pull) { let d = j.pos - i.pos;\n"
    "let k = if i.kind == j.kind { self.k } else { -self.k };\n"
    "f.force += k * j.charge * d; f.pot += 0.5 * k * d.norm2(); } } }\n";

static double pos[N][3], vel[N][3], mass[N], charge[N];
static uint32_t kind[N];
static const double BOX[3] = {1, 1, INFINITY};
static const double VECTORS[9] = {1, 0, 0, -0.5, 1.1, 0, 0.3, 0.4, 0.9};

static nbody_column column(const char *field, const void *data, int32_t type) {
    nbody_column column;
    memset(&column, 0, sizeof column);
    column.field = field, column.data = (void *)data, column.type = type;
    return column;
}

/* A law, how it is evaluated, and the method. */
enum way { ALL_PAIRS, LISTS, SKEWED, TREE };
struct setup {
    const char *law; /* NULL: the spring */
    enum way way;
    int32_t method, iterations;
    double step;
};

static nbody_law law_of(const struct setup *setup) {
    nbody_law law;
    if (setup->law) OK(nbody_law_ready(setup->law, &law));
    else OK(nbody_law_declare(SPRING, sizeof SPRING - 1, NULL, &law));
    return law;
}

static nbody_engine engine_of(nbody_device device, const struct setup *setup) {
    nbody_engine engine;
    nbody_options options = NBODY_OPTIONS;
    const double parameter = setup->law ? 0.01 : 4;
    const nbody_law law = law_of(setup);
    if (setup->way == LISTS || setup->way == SKEWED) {
        if (setup->way == LISTS) options.lengths = BOX;
        OK(nbody_engine_lists(device, law, &parameter, 1, 0.05, &options, &engine));
        if (setup->way == SKEWED) OK(nbody_engine_set_triclinic(engine, VECTORS));
    } else if (setup->way == TREE) {
        OK(nbody_engine_tree(device, law, &parameter, 1, NBODY_RELATIVE, 0.01, 0, &options, &engine));
    } else {
        OK(nbody_engine_all_pairs(device, law, &parameter, 1, &options, &engine));
    }
    return engine;
}

/* All that a caller sees of a run. */
struct state {
    double pos[N][3], vel[N][3], mass[N], time, next, kinetic, potential;
    uint64_t steps, particle_steps;
};

static struct state state_of(nbody_integrator run) {
    struct state state;
    nbody_column columns[3];
    memset(&state, 0, sizeof state);
    columns[0] = column("pos", state.pos, NBODY_F64);
    columns[1] = column("vel", state.vel, NBODY_F64);
    columns[2] = column("mass", state.mass, NBODY_F64);
    OK(nbody_integrator_time(run, &state.time, &state.next));
    OK(nbody_integrator_read(run, 0.5 * (state.time + state.next), N, columns, 3));
    OK(nbody_integrator_count(run, &state.steps, &state.particle_steps));
    return state;
}

static void advance(nbody_integrator run, int steps) {
    for (int k = 0; k < steps; k++) OK(nbody_integrator_advance(run));
}

static nbody_integrator begin(nbody_engine engine, const struct setup *setup) {
    nbody_steps steps = NBODY_STEPS;
    nbody_column columns[5];
    nbody_integrator run;
    columns[0] = column("pos", pos, NBODY_F64);
    columns[1] = column("vel", vel, NBODY_F64);
    columns[2] = column("mass", mass, NBODY_F64);
    columns[3] = column("charge", charge, NBODY_F64);
    columns[4] = column("kind", kind, NBODY_U32);
    steps.method = setup->method, steps.step = setup->step, steps.iterations = setup->iterations;
    steps.begin = 0.3, steps.eta = setup->method == NBODY_LEAPFROG ? 0 : 0.03;
    OK(nbody_integrator_create(engine, N, columns, setup->law ? 3 : 5, &steps, &run));
    return run;
}

/* Compares a run that is saved, freed and resumed, twice, with an unbroken one. */
static void resumes(nbody_device device, const struct setup *setup) {
    nbody_engine engine = engine_of(device, setup);
    nbody_integrator run = begin(engine, setup), again;
    struct state expected, found;
    double kinetic[2], potential[2];
    size_t n;
    int part;
    advance(run, 5);
    if (setup->method == NBODY_LEAPFROG) {
        /* The step and the wrapping are no longer the first ones. */
        OK(nbody_integrator_set_step(run, 1.5 * setup->step));
        if (setup->way == LISTS || setup->way == SKEWED) OK(nbody_integrator_set_wrap(run, 1));
        advance(run, 3);
    }
    for (part = 0; part < 2; part++) {
        OK(nbody_integrator_save(run, FILE_NAME));
        found = state_of(run);
        advance(run, 6);
        expected = state_of(run);
        OK(nbody_integrator_energies(run, &kinetic[0], &potential[0]));
        OK(nbody_integrator_free(run));
        OK(nbody_engine_free(engine));
        engine = engine_of(device, setup);
        OK(nbody_integrator_resume(engine, FILE_NAME, &again, &n));
        MUST(n == N);
        {
            const struct state resumed = state_of(again);
            MUST(!memcmp(&resumed, &found, sizeof found));
        }
        advance(again, 6);
        found = state_of(again);
        MUST(!memcmp(&found, &expected, sizeof found));
        OK(nbody_integrator_energies(again, &kinetic[1], &potential[1]));
        MUST(kinetic[0] == kinetic[1] && potential[0] == potential[1]);
        run = again;
    }
    OK(nbody_integrator_free(run));
    OK(nbody_engine_free(engine));
}

/* Writes the file. */
static void put(const unsigned char *bytes, size_t length) {
    FILE *file = fopen(FILE_NAME, "wb");
    MUST(file && fwrite(bytes, 1, length, file) == length && !fclose(file));
}

/* Refuses files that are damaged, cut short, of another version or of another law. */
static void refuses(nbody_device device) {
    const struct setup setup = {"hermite", ALL_PAIRS, NBODY_BLOCK_HERMITE, 0, 0.125};
    const struct setup other = {"gravity", ALL_PAIRS, NBODY_LEAPFROG, 0, 0.01};
    const struct setup listed = {NULL, LISTS, NBODY_LEAPFROG, 0, 0.01};
    static unsigned char bytes[1 << 16];
    nbody_engine engine = engine_of(device, &setup), of_other = engine_of(device, &other);
    nbody_integrator run = begin(engine, &setup), none;
    size_t length, k, n;
    FILE *file;
    OK(nbody_integrator_save(run, FILE_NAME));
    file = fopen(FILE_NAME, "rb");
    MUST(file != NULL);
    length = fread(bytes, 1, sizeof bytes, file);
    MUST(!fclose(file) && length > N * 16 * sizeof(double) && length < sizeof bytes);
    REFUSED(nbody_integrator_resume(of_other, FILE_NAME, &none, &n), NBODY_ERROR_ARGUMENT,
            "run.checkpoint is a run of `hermite` with pos: Point, vel: Vector, mass: Real, given an engine of "
            "`gravity` with pos: Point, mass: Real, vel: Vector");
    MUST(none.id == 0 && n == 0);
    for (k = 0; k < length; k += k < 64 ? 1 : 61) {
        const unsigned char good = bytes[k];
        bytes[k] ^= (unsigned char)(1 << k % 8);
        put(bytes, length);
        REFUSED(nbody_integrator_resume(engine, FILE_NAME, &none, &n),
                k >= 8 && k < 16 ? NBODY_ERROR_UNSUPPORTED : NBODY_ERROR_ARGUMENT,
                k < 8 ? "is no checkpoint of a run" : k < 16 ? "of version" : "is damaged or cut short");
        MUST(none.id == 0 && n == 0);
        bytes[k] = good;
    }
    for (k = 0; k <= length; k += k + 9 < length ? 31 : 1) {
        put(bytes, k);
        if (k < length)
            REFUSED(nbody_integrator_resume(engine, FILE_NAME, &none, &n), NBODY_ERROR_ARGUMENT,
                    k < 8 ? "is no checkpoint of a run" : "is damaged or cut short");
    }
    bytes[length] = 0;
    put(bytes, length + 1);
    REFUSED(nbody_integrator_resume(engine, FILE_NAME, &none, &n), NBODY_ERROR_ARGUMENT, "is damaged");
    put(bytes, length);
    OK(nbody_integrator_resume(engine, FILE_NAME, &none, &n));
    OK(nbody_integrator_free(none));
    REFUSED(nbody_integrator_resume(engine, "nowhere", &none, &n), NBODY_ERROR_ARGUMENT, "cannot read nowhere");
    REFUSED(nbody_integrator_resume(engine, ".", &none, &n), NBODY_ERROR_ARGUMENT, "cannot read .");
    REFUSED(nbody_integrator_save(run, "no/where"), NBODY_ERROR_ARGUMENT, "cannot write no/where");
    REFUSED(nbody_integrator_save(run, "/dev/null"), NBODY_ERROR_ARGUMENT, "give the path of a file");
    MUST(!fopen(FILE_NAME ".part", "rb"));
    OK(nbody_integrator_free(run));
    OK(nbody_engine_free(engine));
    OK(nbody_engine_free(of_other));
    /* Positions that are wrapped, and an engine without a box. */
    engine = engine_of(device, &listed);
    run = begin(engine, &listed);
    OK(nbody_integrator_set_wrap(run, 1));
    OK(nbody_integrator_save(run, FILE_NAME));
    OK(nbody_integrator_free(run));
    OK(nbody_engine_set_domain(engine, NULL));
    REFUSED(nbody_integrator_resume(engine, FILE_NAME, &none, &n), NBODY_ERROR_ARGUMENT, "periodic box");
    OK(nbody_engine_free(engine));
}

int main(int count, char **arguments) {
    static const struct setup setups[] = {
        {"gravity", ALL_PAIRS, NBODY_LEAPFROG, 0, 0.01},
        {"gravity", TREE, NBODY_LEAPFROG, 0, 0.01},
        {NULL, ALL_PAIRS, NBODY_LEAPFROG, 0, -0.01},
        {NULL, LISTS, NBODY_LEAPFROG, 0, 0.02},
        {NULL, SKEWED, NBODY_LEAPFROG, 0, 0.02},
        {"hermite", ALL_PAIRS, NBODY_HERMITE, 0, 0.0625},
        {"hermite", ALL_PAIRS, NBODY_HERMITE, 3, 0.125},
        {"hermite", ALL_PAIRS, NBODY_BLOCK_HERMITE, 0, 0.125},
        {"hermite", ALL_PAIRS, NBODY_BLOCK_HERMITE, 2, 0.0625},
    };
    nbody_device device;
    size_t k, i, c;
    for (i = 0; i < N; i++) {
        for (c = 0; c < 3; c++) {
            pos[i][c] = fmod(0.618 * (double)(3 * i + c + 1), 1.0);
            vel[i][c] = fmod(0.414 * (double)(3 * i + c + 1), 1.0) - 0.5;
        }
        mass[i] = 1.0 / (double)(N + i), charge[i] = 0.5 + 0.01 * (double)i, kind[i] = (uint32_t)(i % 3);
    }
    OK(nbody_device_open(count > 1 ? arguments[1] : "cpu", &device));
    for (k = 0; k < sizeof setups / sizeof *setups; k++) resumes(device, &setups[k]);
    /* Files do not depend on the device. */
    if (count == 1) refuses(device);
    OK(nbody_device_free(device));
    puts("ok");
    return 0;
}
