/* A molecule in a box, from positions of a file: all numbers interleaved in structures, in exact mathematics.
 * Arguments: the device, the number of precisions, the input, the output. */
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

enum { N = 60 };

struct bead {
    uint32_t kind;
    float pos[3];
};
struct bond {
    double length;
    uint32_t beads[2];
    float k;
};
struct angle {
    float k, angle;
    uint32_t beads[3];
};
struct dihedral {
    uint32_t beads[4];
    int64_t n;
    double k;
    float phase;
};
struct result {
    double force[3], pot, virial;
};

static struct bead beads[N];
static struct bond bonds[N - 1];
static struct angle angles[N - 2];
static struct dihedral dihedrals[N - 3];
static uint32_t near[2 * N - 3][2];
static struct result results[N];

static void make(const double (*x)[3]) {
    uint32_t i, m, pair = 0;
    for (i = 0; i < N; i++)
        for (m = 0; m < 3; m++) beads[i].pos[m] = (float)x[i][m];
    for (i = 0; i + 1 < N; i++) {
        bonds[i].k = 50.0f + i, bonds[i].length = 1 + i / 64.0;
        for (m = 0; m < 2; m++) bonds[i].beads[m] = near[pair][m] = i + m;
        pair++;
    }
    for (i = 0; i + 2 < N; i++) {
        angles[i].k = 4 + i / 8.0f, angles[i].angle = 1.75f + i / 128.0f;
        for (m = 0; m < 3; m++) angles[i].beads[m] = i + m;
        near[pair][0] = i, near[pair++][1] = i + 2;
    }
    for (i = 0; i + 3 < N; i++) {
        dihedrals[i].k = 2 + i / 4.0, dihedrals[i].phase = i / 32.0f, dihedrals[i].n = 1 + i % 3;
        for (m = 0; m < 4; m++) dihedrals[i].beads[m] = i + m;
    }
}

static nbody_column column(const char *field, const void *data, int32_t type, size_t stride) {
    nbody_column column;
    memset(&column, 0, sizeof column);
    column.field = field, column.data = (void *)data, column.type = type, column.record_stride = (ptrdiff_t)stride;
    return column;
}

static nbody_tuples tuples(nbody_device device, const char *name, const nbody_options *options) {
    nbody_program program;
    nbody_tuples made;
    CHECK(nbody_program_ready(name, &program));
    CHECK(nbody_tuples_create(device, program, NULL, 0, options, &made));
    return made;
}

static void put(nbody_buffer buffer, FILE *file) {
    nbody_column out[3];
    out[0] = column("force", results[0].force, NBODY_F64, sizeof results[0]);
    out[1] = column("pot", &results[0].pot, NBODY_F64, sizeof results[0]);
    out[2] = column("virial", &results[0].virial, NBODY_F64, sizeof results[0]);
    CHECK(nbody_buffer_read(buffer, 0, N, out, 3));
    if (fwrite(results, sizeof results, 1, file) != 1) exit(1);
}

int main(int argc, char **argv) {
    static double x[N][3];
    const double box[3] = {12, 13, 14}, *none = NULL;
    double parameters[33], seconds;
    nbody_options options = NBODY_OPTIONS;
    nbody_device device;
    nbody_law law;
    size_t count;
    int i, precision;
    FILE *file = argc == 5 ? fopen(argv[3], "rb") : NULL;
    if (!file || fread(x, sizeof x, 1, file) != 1) return 1;
    fclose(file);
    file = fopen(argv[4], "wb");
    if (!file) return 1;
    make((const double(*)[3])x);
    for (i = 0; i < 32; i++) parameters[i] = i < 16 ? 0.75 : 0.5;
    parameters[32] = 2.5;
    options.math = NBODY_EXACT;
    options.lengths = box;
    CHECK(nbody_device_open(argv[1], &device));
    CHECK(nbody_law_ready("shifted_lennard_jones", &law));
    for (precision = 1; precision <= atoi(argv[2]); precision++) {
        nbody_engine pairs;
        nbody_tuples all[3];
        nbody_buffer atoms, own, forces, alone;
        nbody_column in[2], of_bond[2], of_angle[2], of_dihedral[3];
        options.precision = precision;
        in[0] = column("pos", beads[0].pos, NBODY_F32, sizeof beads[0]);
        in[1] = column("kind", &beads[0].kind, NBODY_U32, sizeof beads[0]);
        of_bond[0] = column("k", &bonds[0].k, NBODY_F32, sizeof bonds[0]);
        of_bond[1] = column("length", &bonds[0].length, NBODY_F64, sizeof bonds[0]);
        of_angle[0] = column("angle", &angles[0].angle, NBODY_F32, sizeof angles[0]);
        of_angle[1] = column("k", &angles[0].k, NBODY_F32, sizeof angles[0]);
        of_dihedral[0] = column("k", &dihedrals[0].k, NBODY_F64, sizeof dihedrals[0]);
        of_dihedral[1] = column("n", &dihedrals[0].n, NBODY_I64, sizeof dihedrals[0]);
        of_dihedral[2] = column("phase", &dihedrals[0].phase, NBODY_F32, sizeof dihedrals[0]);
        CHECK(nbody_engine_lists(device, law, parameters, 33, 0.25, &options, &pairs));
        CHECK(nbody_engine_exclude(pairs, 2 * N - 3, near[0]));
        CHECK(nbody_engine_upload(pairs, NBODY_I, N, in, 2, &atoms));
        CHECK(nbody_engine_results(pairs, N, &forces));
        all[0] = tuples(device, "harmonic_bond", &options);
        all[1] = tuples(device, "harmonic_angle", &options);
        all[2] = tuples(device, "periodic_dihedral", &options);
        CHECK(nbody_tuples_set(all[0], N, N - 1, 2, bonds[0].beads, sizeof bonds[0], of_bond, 2));
        CHECK(nbody_tuples_set(all[1], N, N - 2, 3, angles[0].beads, sizeof angles[0], of_angle, 2));
        CHECK(nbody_tuples_set(all[2], N, N - 3, 4, dihedrals[0].beads, sizeof dihedrals[0], of_dihedral, 3));
        CHECK(nbody_engine_evaluate(pairs, atoms, atoms, NBODY_SAME, forces, NBODY_REPLACE));
        for (i = 0; i < 3; i++) CHECK(nbody_tuples_evaluate(all[i], atoms, forces, NBODY_ADD));
        put(forces, file);

        /* Bonds alone, in another space and back. */
        CHECK(nbody_tuples_upload(all[0], N, in, 1, &own));
        CHECK(nbody_tuples_results(all[0], N, &alone));
        CHECK(nbody_tuples_set_domain(all[0], none));
        for (i = 0; i < 2; i++) CHECK(nbody_tuples_time(all[0], own, alone, NBODY_REPLACE, &seconds));
        put(alone, file);
        CHECK(nbody_tuples_set_domain(all[0], box));
        CHECK(nbody_tuples_evaluate(all[0], own, alone, NBODY_ADD));
        put(alone, file);
        CHECK(nbody_tuples_count(all[0], &count));
        if (count != N - 1 || !(seconds >= 0)) return 1;
        for (i = 0; i < 3; i++) CHECK(nbody_tuples_free(all[i]));
        CHECK(nbody_buffer_free(own));
        CHECK(nbody_buffer_free(alone));
    }
    return fclose(file) ? 1 : 0;
}
