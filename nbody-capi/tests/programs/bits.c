/* Gravity in exact mathematics and a given summation order, from numbers of a file to another file. */
#include <stdio.h>
#include <stdlib.h>

#include "nbody.h"

#define CHECK(call)                                                                  \
    do {                                                                             \
        if ((call) != NBODY_OK) {                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, nbody_last_message());        \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

enum { N = 500 };

static double x[N][3], mass[N], results[N][4];

int main(int argc, char **argv) {
    const int32_t precisions[] = {NBODY_SINGLE, NBODY_MIXED, NBODY_DOUBLE};
    const double eps2 = 0.01;
    nbody_options options = NBODY_OPTIONS;
    nbody_column in[] = {{.field = "pos", .data = x, .type = NBODY_F64},
                         {.field = "mass", .data = mass, .type = NBODY_F64}};
    nbody_column out[] = {
        {.field = "acc", .data = results[0], .type = NBODY_F64, .record_stride = sizeof results[0]},
        {.field = "pot", .data = &results[0][3], .type = NBODY_F64, .record_stride = sizeof results[0]}};
    nbody_device device;
    nbody_law law;
    int k;
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(x, sizeof x, 1, file) != 1 || fread(mass, sizeof mass, 1, file) != 1) return 1;
    fclose(file);
    file = fopen(argv[2], "wb");
    if (!file) return 1;
    options.math = NBODY_EXACT;
    options.bag = 64;
    options.splits = 3;
    CHECK(nbody_device_open("best", &device));
    CHECK(nbody_law_ready("gravity", &law));
    for (k = 0; k < 3; k++) {
        nbody_engine engine;
        nbody_buffer bodies, field;
        options.precision = precisions[k];
        CHECK(nbody_engine_all_pairs(device, law, &eps2, 1, &options, &engine));
        CHECK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &bodies));
        CHECK(nbody_engine_results(engine, N, &field));
        CHECK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, field, NBODY_REPLACE));
        CHECK(nbody_buffer_read(field, 0, N, out, 2));
        if (fwrite(results, sizeof results, 1, file) != 1) return 1;
    }
    return fclose(file) ? 1 : 0;
}
