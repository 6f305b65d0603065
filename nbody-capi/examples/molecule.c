/* A molecule from C: a chain of beads with bonds, angles and dihedrals, and Lennard-Jones forces by
 * neighbour lists, all in one buffer of results.
 *
 *     cc -std=c99 molecule.c $(pkg-config --cflags --libs nbody) -lm
 *     ./a.out cpu */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "nbody.h"

enum { N = 40, TYPES = 4 };

struct bond {
    uint32_t beads[2];
    double k, length;
};

static struct bond bonds[N - 1];
static uint32_t angles[N - 2][3], dihedrals[N - 3][4], near[2 * N - 3][2];
static double stiffness[N], bend[N], phase[N];
static uint32_t kind[N], multiplicity[N];
static double x[N][3], force[N][3], pot[N];

static nbody_engine pairs;
static nbody_tuples of_bonds, of_angles, of_dihedrals;
static nbody_buffer beads, results;

/* Ends the program with the message of nbody if a call failed. */
static void check(nbody_status status) {
    if (status == NBODY_OK) return;
    fprintf(stderr, "nbody: %s\n", nbody_last_message());
    exit(1);
}

/* Lays the chain along a wave, and names the beads of each bond, angle and dihedral. */
static void make_chain(void) {
    uint32_t i, pair = 0, m;
    for (i = 0; i < N; i++) {
        x[i][0] = 0.8 * i, x[i][1] = 0.6 * sin(2.1 * i), x[i][2] = 0.5 * cos(1.3 * i);
        stiffness[i] = 5, bend[i] = 1.9, phase[i] = 0.3, multiplicity[i] = 3;
    }
    for (i = 0; i + 1 < N; i++) bonds[i] = (struct bond){{i, i + 1}, 100, 1};
    for (i = 0; i + 2 < N; i++)
        for (m = 0; m < 3; m++) angles[i][m] = i + m;
    for (i = 0; i + 3 < N; i++)
        for (m = 0; m < 4; m++) dihedrals[i][m] = i + m;
    for (i = 0; i + 1 < N; i++) near[pair][0] = i, near[pair++][1] = i + 1;
    for (i = 0; i + 2 < N; i++) near[pair][0] = i, near[pair++][1] = i + 2;
}

/* Computes the forces, and returns the energy: half of the sum over pairs, since both beads of a pair have
 * its energy, and the sum over tuples, whose beads share it. */
static double evaluate(void) {
    nbody_column pos = {.field = "pos", .data = x, .type = NBODY_F64};
    nbody_column out[] = {{.field = "force", .data = force, .type = NBODY_F64},
                          {.field = "pot", .data = pot, .type = NBODY_F64}};
    double of_pairs = 0, all = 0;
    int i;
    check(nbody_buffer_write(beads, N, &pos, 1));
    check(nbody_engine_evaluate(pairs, beads, beads, NBODY_SAME, results, NBODY_REPLACE));
    check(nbody_buffer_read(results, 0, N, &out[1], 1));
    for (i = 0; i < N; i++) of_pairs += pot[i];

    check(nbody_tuples_evaluate(of_bonds, beads, results, NBODY_ADD));
    check(nbody_tuples_evaluate(of_angles, beads, results, NBODY_ADD));
    check(nbody_tuples_evaluate(of_dihedrals, beads, results, NBODY_ADD));
    check(nbody_buffer_read(results, 0, N, out, 2));
    for (i = 0; i < N; i++) all += pot[i];
    return all - 0.5 * of_pairs;
}

int main(int argc, char **argv) {
    const double box[3] = {40, 40, 40}, h = 1e-5;
    const ptrdiff_t stride = sizeof(struct bond);
    nbody_column in[] = {{.field = "pos", .data = x, .type = NBODY_F64},
                         {.field = "kind", .data = kind, .type = NBODY_U32}};
    nbody_column of_bond[] = {{"k", &bonds[0].k, NBODY_F64, NBODY_HOST_MEMORY, stride, 0},
                              {"length", &bonds[0].length, NBODY_F64, NBODY_HOST_MEMORY, stride, 0}};
    nbody_column of_angle[] = {{.field = "k", .data = stiffness, .type = NBODY_F64},
                               {.field = "angle", .data = bend, .type = NBODY_F64}};
    nbody_column of_dihedral[] = {{.field = "k", .data = stiffness, .type = NBODY_F64},
                                  {.field = "phase", .data = phase, .type = NBODY_F64},
                                  {.field = "n", .data = multiplicity, .type = NBODY_U32}};
    double parameters[2 * TYPES * TYPES + 1], energy, error = 0, expected[N][3];
    nbody_options options = NBODY_OPTIONS;
    nbody_device device;
    nbody_law law;
    nbody_program bond, angle, dihedral;
    int i, k;

    make_chain();
    for (i = 0; i < TYPES * TYPES; i++) parameters[i] = 1, parameters[TYPES * TYPES + i] = 0.5;
    parameters[2 * TYPES * TYPES] = 2.5;
    options.precision = NBODY_DOUBLE;
    options.lengths = box;
    check(nbody_device_open(argc > 1 ? argv[1] : "best", &device));
    check(nbody_law_ready("shifted_lennard_jones", &law));
    check(nbody_engine_lists(device, law, parameters, 2 * TYPES * TYPES + 1, 0.4, &options, &pairs));
    check(nbody_engine_exclude(pairs, 2 * N - 3, near[0]));
    check(nbody_engine_upload(pairs, NBODY_I, N, in, 2, &beads));
    check(nbody_engine_results(pairs, N, &results));

    check(nbody_program_ready("harmonic_bond", &bond));
    check(nbody_program_ready("harmonic_angle", &angle));
    check(nbody_program_ready("periodic_dihedral", &dihedral));
    check(nbody_tuples_create(device, bond, NULL, 0, &options, &of_bonds));
    check(nbody_tuples_create(device, angle, NULL, 0, &options, &of_angles));
    check(nbody_tuples_create(device, dihedral, NULL, 0, &options, &of_dihedrals));
    check(nbody_tuples_set(of_bonds, N, N - 1, 2, bonds[0].beads, stride, of_bond, 2));
    check(nbody_tuples_set(of_angles, N, N - 2, 3, angles[0], 0, of_angle, 2));
    check(nbody_tuples_set(of_dihedrals, N, N - 3, 4, dihedrals[0], 0, of_dihedral, 3));

    energy = evaluate();
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) expected[i][k] = force[i][k];
    for (i = 0; i < N; i += 7)
        for (k = 0; k < 3; k++) { /* a force is the slope of the energy */
            const double at = x[i][k];
            double slope;
            x[i][k] = at - h, slope = evaluate();
            x[i][k] = at + h, slope -= evaluate();
            x[i][k] = at;
            error = fmax(error, fabs(slope / (2 * h) - expected[i][k]));
        }
    printf("bead 0         force %9.5f %9.5f %9.5f\n", expected[0][0], expected[0][1], expected[0][2]);
    printf("energy         %.6f\n", energy);
    printf("largest error  %.1e\n", error);
    check(nbody_tuples_free(of_bonds));
    check(nbody_tuples_free(of_angles));
    check(nbody_tuples_free(of_dihedrals));
    check(nbody_engine_free(pairs));
    check(nbody_buffer_free(beads));
    check(nbody_buffer_free(results));
    check(nbody_device_free(device));
    return error < 1e-4 ? 0 : 1;
}
