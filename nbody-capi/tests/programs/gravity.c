/* Gravity, ready and as text, from structures of arrays and arrays of structures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

#define CHECK(call)                                                                  \
    do {                                                                             \
        if ((call) != NBODY_OK) {                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, nbody_last_message());        \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)
#define MUST(condition)                                                              \
    do {                                                                             \
        if (!(condition)) {                                                          \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                  \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

enum { N = 300 };

struct body {
    float mass;
    double pos[3];
    char name[5];
};

static const char TEXT[] =
    "struct Pull { eps2: Real }\n"
    "struct Mass { pos: Point, mass: Real }\n"
    "struct Field { acc: Vector, pot: Real }\n"
    "impl Interaction for Pull {\n"
    "    type I = Mass; type J = Mass; type F = Field;\n"
    "    fn pair(&self, i: &Mass, j: &Mass, f: &mut Field) {\n"
    "        let d = j.pos - i.pos;\n"
    "        let rinv = (d.norm2() + self.eps2).rsqrt();\n"
    "        let mr = j.mass * rinv;\n"
    "        f.acc += mr * rinv * rinv * d;\n"
    "        f.pot -= mr;\n"
    "    }\n"
    "}\n";

static double x[3][N], y[N][3], m[N], expected[N][4];
static struct body bodies[N];

static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 16777216.0;
}

static void compare(double found[][4], double tolerance) {
    int i, k;
    for (i = 0; i < N; i++)
        for (k = 0; k < 4; k++)
            MUST(fabs(found[i][k] - expected[i][k]) <= tolerance * fabs(expected[i][3]));
}

static void read_results(nbody_buffer results, double found[][4]) {
    nbody_column out[2] = {{"acc", 0, NBODY_F64, NBODY_HOST_MEMORY, 0, 0},
                           {"pot", 0, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
    out[0].data = found[0];
    out[1].data = &found[0][3];
    out[0].record_stride = out[1].record_stride = sizeof found[0];
    CHECK(nbody_buffer_read(results, 0, N, out, 2));
}

static void of_law(nbody_device device, nbody_law law, double tolerance, int32_t precision) {
    static double found[N][4];
    double eps2 = 0.01, other = 0.5;
    nbody_options options = NBODY_OPTIONS;
    nbody_engine engine;
    nbody_buffer by_component, by_record, of_structs, results, first;
    nbody_column in[2] = {{"pos", 0, NBODY_F64, NBODY_HOST_MEMORY, 0, 0},
                          {"mass", 0, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
    size_t count;
    uint32_t addresses[2] = {7, 3};
    double places[2][3], kept[N][3];
    int i;

    options.precision = precision;
    CHECK(nbody_engine_all_pairs(device, law, &eps2, 1, &options, &engine));
    in[0].data = x;
    in[0].record_stride = sizeof x[0][0];
    in[0].component_stride = sizeof x[0];
    in[1].data = m;
    CHECK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &by_component));
    in[0].data = y;
    in[0].record_stride = in[0].component_stride = 0;
    CHECK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &by_record));
    in[0].data = bodies[0].pos;
    in[1].data = &bodies[0].mass;
    in[1].type = NBODY_F32;
    in[0].record_stride = in[1].record_stride = sizeof bodies[0];
    CHECK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &of_structs));

    CHECK(nbody_engine_results(engine, N, &results));
    CHECK(nbody_engine_evaluate(engine, by_component, by_component, NBODY_SAME, results, NBODY_REPLACE));
    read_results(results, found);
    compare(found, tolerance);
    CHECK(nbody_engine_evaluate(engine, by_record, of_structs, NBODY_SAME, results, NBODY_REPLACE));
    read_results(results, found);
    compare(found, tolerance);

    /* Results are added; other parameters give other results. */
    CHECK(nbody_engine_evaluate(engine, by_record, by_record, NBODY_SAME, results, NBODY_ADD));
    read_results(results, found);
    for (i = 0; i < N; i++) found[i][0] /= 2, found[i][1] /= 2, found[i][2] /= 2, found[i][3] /= 2;
    compare(found, tolerance);
    CHECK(nbody_engine_set_parameters(engine, &other, 1));
    CHECK(nbody_engine_evaluate(engine, by_record, by_record, NBODY_SAME, results, NBODY_REPLACE));
    read_results(results, found);
    MUST(fabs(found[0][3] - expected[0][3]) > 1e-3 * fabs(expected[0][3]));
    CHECK(nbody_engine_set_parameters(engine, &eps2, 1));

    /* The first particles alone. */
    CHECK(nbody_engine_results(engine, 5, &first));
    CHECK(nbody_engine_evaluate(engine, by_record, by_record, NBODY_FIRST, first, NBODY_REPLACE));
    {
        float pot[5];
        nbody_column out = {"pot", 0, NBODY_F32, NBODY_HOST_MEMORY, 0, 0};
        out.data = pot;
        CHECK(nbody_buffer_read(first, 0, 5, &out, 1));
        for (i = 0; i < 5; i++) MUST(fabs(pot[i] - expected[i][3]) < 1e-5 * fabs(expected[i][3]));
    }

    /* Some rows are written, and only their positions change. */
    for (i = 0; i < 3; i++) places[0][i] = 0.25 * i, places[1][i] = 0.5;
    in[0].data = places;
    in[0].record_stride = 0;
    CHECK(nbody_buffer_write_at(by_record, 2, addresses, in, 1));
    in[0].data = kept;
    CHECK(nbody_buffer_read(by_record, 0, N, in, 1));
    MUST(memcmp(kept[7], places[0], sizeof places[0]) == 0);
    MUST(memcmp(kept[3], places[1], sizeof places[1]) == 0);
    MUST(fabs(kept[4][1] - y[4][1]) < 1e-7);

    /* All rows are replaced by fewer. */
    in[0].data = y;
    in[1].data = m;
    in[1].type = NBODY_F64;
    in[1].record_stride = 0;
    CHECK(nbody_buffer_write(by_record, 10, in, 2));
    CHECK(nbody_buffer_count(by_record, &count));
    MUST(count == 10);
    CHECK(nbody_buffer_resize(results, 10));
    CHECK(nbody_engine_evaluate(engine, by_record, by_component, NBODY_OTHERS, results, NBODY_REPLACE));

    CHECK(nbody_buffer_free(by_component));
    CHECK(nbody_buffer_free(by_record));
    CHECK(nbody_buffer_free(of_structs));
    CHECK(nbody_buffer_free(results));
    CHECK(nbody_buffer_free(first));
    CHECK(nbody_engine_free(engine));
}

int main(int argc, char **argv) {
    const char *chosen = argc > 1 ? argv[1] : "cpu";
    nbody_device device;
    nbody_law law, text, again;
    nbody_field fields[4];
    char name[64];
    size_t count, k;
    int i, j, found = 0;

    MUST(nbody_abi_version() == NBODY_ABI_VERSION);
    MUST(strlen(nbody_version()) > 0);
    for (i = 0; i < N; i++) {
        for (j = 0; j < 3; j++) x[j][i] = y[i][j] = bodies[i].pos[j] = uniform();
        m[i] = bodies[i].mass = (float)(uniform() + 0.5);
    }
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            double dx = y[j][0] - y[i][0], dy = y[j][1] - y[i][1], dz = y[j][2] - y[i][2];
            double r2 = dx * dx + dy * dy + dz * dz + 0.01, mr = m[j] / sqrt(r2);
            if (i == j) continue;
            expected[i][0] += mr / r2 * dx;
            expected[i][1] += mr / r2 * dy;
            expected[i][2] += mr / r2 * dz;
            expected[i][3] -= mr;
        }

    CHECK(nbody_device_open(chosen, &device));
    CHECK(nbody_device_name(device, name, sizeof name));
    /* A GPU has a name of its own. */
    MUST(strncmp(chosen, "cuda", 4) == 0 ? strlen(name) > 4 : strcmp(name, chosen) == 0);
    for (k = 0; nbody_law_ready_name(k); k++) found |= strcmp(nbody_law_ready_name(k), "gravity") == 0;
    MUST(found);
    CHECK(nbody_law_ready("lennard_jones_stress", &law));
    CHECK(nbody_law_fields(law, NBODY_F, fields, 4, &count));
    MUST(count == 3 && fields[2].kind == NBODY_TENSOR && fields[2].components == 6);
    CHECK(nbody_law_ready("gravity", &law));
    CHECK(nbody_law_fields(law, NBODY_F, fields, 4, &count));
    MUST(count == 2 && strcmp(fields[0].name, "acc") == 0 && fields[0].kind == NBODY_VECTOR);
    MUST(fields[0].components == 3 && fields[1].kind == NBODY_REAL);
    of_law(device, law, 1e-5, NBODY_SINGLE);
    of_law(device, law, 1e-12, NBODY_DOUBLE);
    CHECK(nbody_law_declare(TEXT, strlen(TEXT), NULL, &text));
    CHECK(nbody_law_declare(TEXT, strlen(TEXT), "pull", &again));
    MUST(text.id == again.id);
    of_law(device, text, 1e-5, NBODY_SINGLE);
    CHECK(nbody_device_free(device));
    puts("ok");
    return 0;
}
