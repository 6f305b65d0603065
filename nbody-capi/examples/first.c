/* The first program in C: the gravity of two bodies.
 *
 *     cc -std=c99 first.c $(pkg-config --cflags --libs nbody) -lm
 *     ./a.out cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "nbody.h"

/* Ends the program with the message of nbody if a call failed. */
static void check(nbody_status status) {
    if (status == NBODY_OK) return;
    fprintf(stderr, "nbody: %s\n", nbody_last_message());
    exit(1);
}

int main(int argc, char **argv) {
    double x[2][3] = {{0, 0, 0}, {2, 0, 0}}, mass[2] = {1, 3}, acc[2][3]; /* G = 1 */
    double eps2 = 0, error;                                               /* no softening */
    nbody_device device;
    nbody_law gravity;
    nbody_engine engine;
    nbody_buffer bodies, field;
    nbody_column in[] = {{.field = "pos", .data = x, .type = NBODY_F64},
                         {.field = "mass", .data = mass, .type = NBODY_F64}};
    nbody_column out[] = {{.field = "acc", .data = acc, .type = NBODY_F64}};

    check(nbody_device_open(argc > 1 ? argv[1] : "best", &device));
    check(nbody_law_ready("gravity", &gravity));
    check(nbody_engine_all_pairs(device, gravity, &eps2, 1, NULL, &engine));
    check(nbody_engine_upload(engine, NBODY_I, 2, in, 2, &bodies));
    check(nbody_engine_results(engine, 2, &field));
    check(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, field, NBODY_REPLACE));
    check(nbody_buffer_read(field, 0, 2, out, 1));

    error = fabs(acc[0][0] - 0.75) + fabs(acc[1][0] + 0.25); /* 3 / 2^2 and -1 / 2^2 */
    printf("accelerations %.6f %.6f, error %.1e\n", acc[0][0], acc[1][0], error);
    check(nbody_buffer_free(bodies));
    check(nbody_buffer_free(field));
    check(nbody_engine_free(engine));
    check(nbody_device_free(device));
    return error < 1e-6 ? 0 : 1;
}
