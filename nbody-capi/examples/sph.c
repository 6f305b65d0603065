/* Smoothed particle hydrodynamics from C: the density of a gas in a periodic box, over neighbour lists.
 *
 *     cc -std=c99 sph.c $(pkg-config --cflags --libs nbody) -lm
 *     ./a.out cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "nbody.h"

enum { N = 3000 };

struct particle {
    double x[3], h, mass; /* the kernel ends at 2 h */
};

static struct particle gas[N];
static double density[N];

/* Ends the program with the message of nbody if a call failed. */
static void check(nbody_status status) {
    if (status == NBODY_OK) return;
    fprintf(stderr, "nbody: %s\n", nbody_last_message());
    exit(1);
}

/* The cubic spline in three dimensions. */
static double kernel(double q, double h) {
    double w = q < 1 ? 1 - q * q * (1.5 - 0.75 * q) : q < 2 ? 0.25 * pow(2 - q, 3) : 0;
    return w / (3.141592653589793 * h * h * h);
}

/* Returns the largest relative error against a loop over all pairs of nearest images in the unit box. */
static double error_of_density(void) {
    double error = 0;
    int i, j, k;
    for (i = 0; i < N; i++) {
        double sum = 0;
        for (j = 0; j < N; j++) {
            double r2 = 0;
            for (k = 0; k < 3; k++) {
                double d = gas[i].x[k] - gas[j].x[k];
                d -= floor(d + 0.5);
                r2 += d * d;
            }
            sum += gas[j].mass * kernel(sqrt(r2) / gas[i].h, gas[i].h);
        }
        error = fmax(error, fabs(density[i] - sum) / sum);
    }
    return error;
}

int main(int argc, char **argv) {
    const double box[] = {1, 1, 1}, constants[] = {0.8191725134, 0.6710436067, 0.5497004779};
    const ptrdiff_t stride = sizeof(struct particle);
    nbody_column of_i[] = {{"pos", gas[0].x, NBODY_F64, NBODY_HOST_MEMORY, stride, 0},
                           {"h", &gas[0].h, NBODY_F64, NBODY_HOST_MEMORY, stride, 0}};
    nbody_column of_j[] = {{"pos", gas[0].x, NBODY_F64, NBODY_HOST_MEMORY, stride, 0},
                           {"mass", &gas[0].mass, NBODY_F64, NBODY_HOST_MEMORY, stride, 0}};
    nbody_column out = {.field = "density", .data = density, .type = NBODY_F64};
    nbody_options options = NBODY_OPTIONS;
    nbody_device device;
    nbody_law law;
    nbody_engine engine;
    nbody_buffer targets, sources, results;
    double worst = 0;
    int i, k, step;

    for (i = 0; i < N; i++) {
        for (k = 0; k < 3; k++) gas[i].x[k] = fmod(constants[k] * (i + 1), 1.0);
        gas[i].h = 0.08 * (1 + 0.2 * gas[i].x[0]);
        gas[i].mass = 1.0 / N;
    }
    options.lengths = box;
    check(nbody_device_open(argc > 1 ? argv[1] : "best", &device));
    check(nbody_law_ready("cubic_density3", &law));
    check(nbody_engine_lists(device, law, NULL, 0, NBODY_AUTO_SKIN, &options, &engine));
    check(nbody_engine_upload(engine, NBODY_I, N, of_i, 2, &targets));
    check(nbody_engine_upload(engine, NBODY_J, N, of_j, 2, &sources));
    check(nbody_engine_results(engine, N, &results));

    for (step = 0; step < 3; step++) { /* the lists are built again when they no longer serve */
        check(nbody_engine_evaluate(engine, targets, sources, NBODY_SAME, results, NBODY_REPLACE));
        check(nbody_buffer_read(results, 0, N, &out, 1));
        worst = fmax(worst, error_of_density());
        printf("step %d  density[0] %.6f  largest error %.1e\n", step, density[0], worst);
        for (i = 0; i < N; i++) gas[i].x[0] += 0.02 * sin(6.283185307179586 * gas[i].x[1]);
        check(nbody_buffer_write(targets, N, of_i, 1)); /* the positions alone */
        check(nbody_buffer_write(sources, N, of_j, 1));
    }
    check(nbody_buffer_free(targets));
    check(nbody_buffer_free(sources));
    check(nbody_buffer_free(results));
    check(nbody_engine_free(engine));
    check(nbody_device_free(device));
    return worst < 1e-5 ? 0 : 1;
}
