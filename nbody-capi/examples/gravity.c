/* Gravity from C: the accelerations and potentials of a small star cluster.
 *
 *     cc -std=c99 gravity.c $(pkg-config --cflags --libs nbody) -lm
 *     ./a.out cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "nbody.h"

enum { N = 1000 };

static double x[N][3], mass[N];            /* G = 1, and the cluster has mass 1 */
static double acc[N][3], pot[N];           /* by nbody */
static double loop_acc[N][3], loop_pot[N]; /* by a double loop */

/* Ends the program with the message of nbody if a call failed. */
static void check(nbody_status status) {
    if (status == NBODY_OK) return;
    fprintf(stderr, "nbody: %s\n", nbody_last_message());
    exit(1);
}

/* Fills a Plummer sphere of scale length 1. The fractions of k a, k b and k c, with the three constants
 * below, fill a cube evenly. */
static void make_cluster(void) {
    int k;
    for (k = 0; k < N; k++) {
        double inside = fmod(0.8191725134 * (k + 1), 1.0); /* the mass within r */
        double c = 2 * fmod(0.6710436067 * (k + 1), 1.0) - 1, s = sqrt(1 - c * c);
        double angle = 6.283185307179586 * fmod(0.5497004779 * (k + 1), 1.0);
        double r = 1 / sqrt(pow(inside, -2.0 / 3) - 1);
        x[k][0] = r * s * cos(angle);
        x[k][1] = r * s * sin(angle);
        x[k][2] = r * c;
        mass[k] = 1.0 / N;
    }
}

/* Sums over all pairs in the plain way, with the squared softening length eps2. */
static void double_loop(double eps2) {
    int i, j, k;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            double d[3], r2 = eps2;
            if (i == j) continue;
            for (k = 0; k < 3; k++) d[k] = x[j][k] - x[i][k], r2 += d[k] * d[k];
            for (k = 0; k < 3; k++) loop_acc[i][k] += mass[j] * d[k] / (r2 * sqrt(r2));
            loop_pot[i] -= mass[j] / sqrt(r2);
        }
}

int main(int argc, char **argv) {
    double eps2 = 0.01, energy = 0, error = 0, largest = 0;
    char name[64];
    nbody_device device;
    nbody_law gravity;
    nbody_engine engine;
    nbody_buffer stars, field;
    nbody_column in[] = {{.field = "pos", .data = x, .type = NBODY_F64},
                         {.field = "mass", .data = mass, .type = NBODY_F64}};
    nbody_column out[] = {{.field = "acc", .data = acc, .type = NBODY_F64},
                          {.field = "pot", .data = pot, .type = NBODY_F64}};
    int i, k;

    make_cluster();
    check(nbody_device_open(argc > 1 ? argv[1] : "best", &device));
    check(nbody_law_ready("gravity", &gravity));
    check(nbody_engine_all_pairs(device, gravity, &eps2, 1, NULL, &engine));
    check(nbody_engine_upload(engine, NBODY_I, N, in, 2, &stars));
    check(nbody_engine_results(engine, N, &field));
    check(nbody_engine_evaluate(engine, stars, stars, NBODY_SAME, field, NBODY_REPLACE));
    check(nbody_buffer_read(field, 0, N, out, 2));

    double_loop(eps2);
    for (i = 0; i < N; i++) {
        energy += 0.5 * mass[i] * pot[i]; /* each pair is in two potentials */
        error = fmax(error, fabs(pot[i] - loop_pot[i]));
        for (k = 0; k < 3; k++) error = fmax(error, fabs(acc[i][k] - loop_acc[i][k]));
        for (k = 0; k < 3; k++) largest = fmax(largest, fabs(loop_acc[i][k]));
    }
    check(nbody_device_name(device, name, sizeof name));
    printf("device            %s\n", name);
    printf("star 0            acc %9.6f %9.6f %9.6f  pot %9.6f\n", acc[0][0], acc[0][1], acc[0][2],
           pot[0]);
    printf("potential energy  %.6f\n", energy);
    printf("largest error     %.1e\n", error / largest);

    check(nbody_buffer_free(stars));
    check(nbody_buffer_free(field));
    check(nbody_engine_free(engine));
    check(nbody_device_free(device));
    return error < 1e-5 * largest ? 0 : 1;
}
