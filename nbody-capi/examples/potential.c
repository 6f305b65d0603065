/* A potential of your own from C: gravity with a fifth force, declared in a string.
 *
 *     cc -std=c99 potential.c $(pkg-config --cflags --libs nbody) -lm
 *     ./a.out cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

enum { N = 300 };

/* The language is docs/language.md. The law is checked and compiled when the program runs. */
static const char LAW[] =
    "struct FifthForce { alpha: Real, lambda: Real, eps2: Real }\n"
    "struct Body { pos: Point, mass: Real }\n"
    "struct Field { acc: Vector, pot: Real }\n"
    "impl Interaction for FifthForce {\n"
    "    type I = Body; type J = Body; type F = Field;\n"
    "    fn pair(&self, i: &Body, j: &Body, f: &mut Field) {\n"
    "        let d = j.pos - i.pos;\n"
    "        let r = (d.norm2() + self.eps2).sqrt();\n"
    "        let fifth = self.alpha * (-r / self.lambda).exp();\n"
    "        f.pot -= j.mass / r * (1.0 + fifth);\n"
    "        f.acc += j.mass / (r * r * r) * (1.0 + fifth * (1.0 + r / self.lambda)) * d;\n"
    "    }\n"
    "}\n";

static const double ALPHA = 0.5, LAMBDA = 0.3, EPS2 = 0.01;

static double x[3][N], mass[N]; /* x[0] has the x of all bodies, x[1] the y, x[2] the z */
static double acc[3][N], pot[N];

/* Ends the program with the message of nbody if a call failed. */
static void check(nbody_status status) {
    if (status == NBODY_OK) return;
    fprintf(stderr, "nbody: %s\n", nbody_last_message());
    exit(1);
}

/* Sums the potential of all bodies but one in the plain way, at the place (a, b, c). */
static double potential(int without, double a, double b, double c) {
    double sum = 0;
    int j;
    for (j = 0; j < N; j++) {
        double dx = x[0][j] - a, dy = x[1][j] - b, dz = x[2][j] - c;
        double r = sqrt(dx * dx + dy * dy + dz * dz + EPS2);
        if (j != without) sum -= mass[j] / r * (1 + ALPHA * exp(-r / LAMBDA));
    }
    return sum;
}

int main(int argc, char **argv) {
    const double parameters[] = {ALPHA, LAMBDA, EPS2}; /* in the order of the struct */
    const double constants[] = {0.8191725134, 0.6710436067, 0.5497004779}, h = 1e-4;
    double error = 0;
    nbody_device device;
    nbody_law law;
    nbody_engine engine;
    nbody_buffer bodies, field;
    const ptrdiff_t next = sizeof x[0][0], component = sizeof x[0]; /* strides in bytes */
    nbody_column in[] = {{"pos", x, NBODY_F64, NBODY_HOST_MEMORY, next, component},
                         {"mass", mass, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
    nbody_column out[] = {{"acc", acc, NBODY_F64, NBODY_HOST_MEMORY, next, component},
                          {"pot", pot, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
    int i, k;

    for (i = 0; i < N; i++) {
        for (k = 0; k < 3; k++) x[k][i] = fmod(constants[k] * (i + 1), 1.0); /* evenly in a cube */
        mass[i] = 1.0 / N;
    }
    check(nbody_device_open(argc > 1 ? argv[1] : "best", &device));
    check(nbody_law_declare(LAW, strlen(LAW), NULL, &law));
    check(nbody_engine_all_pairs(device, law, parameters, 3, NULL, &engine));
    check(nbody_engine_upload(engine, NBODY_I, N, in, 2, &bodies));
    check(nbody_engine_results(engine, N, &field));
    check(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, field, NBODY_REPLACE));
    check(nbody_buffer_read(field, 0, N, out, 2));

    for (i = 0; i < N; i++) { /* the acceleration is the slope of the potential */
        double a = x[0][i], b = x[1][i], c = x[2][i];
        double slope[3] = {potential(i, a - h, b, c) - potential(i, a + h, b, c),
                           potential(i, a, b - h, c) - potential(i, a, b + h, c),
                           potential(i, a, b, c - h) - potential(i, a, b, c + h)};
        error = fmax(error, fabs(pot[i] - potential(i, a, b, c)));
        for (k = 0; k < 3; k++) error = fmax(error, fabs(acc[k][i] - slope[k] / (2 * h)));
    }
    printf("body 0         acc %9.6f %9.6f %9.6f  pot %9.6f\n", acc[0][0], acc[1][0], acc[2][0],
           pot[0]);
    printf("largest error  %.1e\n", error);
    check(nbody_buffer_free(bodies));
    check(nbody_buffer_free(field));
    check(nbody_engine_free(engine));
    check(nbody_device_free(device));
    return error < 1e-5 ? 0 : 1;
}
