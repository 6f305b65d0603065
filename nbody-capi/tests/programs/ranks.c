/* All pairs and a tree over the ranks of MPI: each rank has the bits of one process. Lists, which are
 * evaluated in another order, have the same pairs. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

#define CHECK(holds)                                                                             \
    do {                                                                                         \
        if (!(holds)) {                                                                          \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #holds, nbody_last_message());        \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                        \
        }                                                                                        \
    } while (0)

enum { N = 3000 };

static double x[N][3], mass[N], alone[2][N][4], shared[2][N][4], listed[2][N][4];

static void evaluate(nbody_device device, double (*results)[N][4]) {
    const double eps2 = 0.01;
    nbody_options options = NBODY_OPTIONS;
    nbody_column in[] = {{.field = "pos", .data = x, .type = NBODY_F64},
                         {.field = "mass", .data = mass, .type = NBODY_F64}};
    nbody_law law;
    int k;
    options.pairs = NBODY_PAIRS_ORDERED;
    CHECK(nbody_law_ready("gravity", &law) == NBODY_OK);
    for (k = 0; k < 2; k++) {
        double *first = results[k][0];
        const ptrdiff_t row = sizeof results[k][0];
        nbody_column out[] = {{.field = "acc", .data = first, .type = NBODY_F64, .record_stride = row},
                              {.field = "pot", .data = first + 3, .type = NBODY_F64, .record_stride = row}};
        nbody_engine engine;
        nbody_buffer bodies, field;
        if (k == 0) CHECK(nbody_engine_all_pairs(device, law, &eps2, 1, &options, &engine) == NBODY_OK);
        else CHECK(nbody_engine_tree(device, law, &eps2, 1, NBODY_THETA, 0.7, NBODY_SECOND, &options, &engine) == NBODY_OK);
        CHECK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &bodies) == NBODY_OK);
        CHECK(nbody_engine_results(engine, N, &field) == NBODY_OK);
        CHECK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, field, NBODY_REPLACE) == NBODY_OK);
        CHECK(nbody_buffer_read(field, 0, N, out, 2) == NBODY_OK);
    }
}

/* Evaluates over lists, and again after the particles have moved. */
static void evaluate_lists(nbody_device device, double (*results)[N][4]) {
    const double parameters[] = {3.0, 0.15}, box[] = {1.0, 1.0, 1.0};
    nbody_options options = NBODY_OPTIONS;
    const ptrdiff_t row = sizeof results[0][0];
    nbody_law law;
    nbody_engine engine;
    nbody_buffer charges, field;
    int k, turn;
    options.precision = NBODY_DOUBLE;
    options.lengths = box;
    CHECK(nbody_law_ready("ewald", &law) == NBODY_OK);
    CHECK(nbody_engine_lists(device, law, parameters, 2, NBODY_AUTO_SKIN, &options, &engine) == NBODY_OK);
    for (turn = 0; turn < 2; turn++) {
        double moved[N][3];
        nbody_column in[] = {{.field = "pos", .data = moved, .type = NBODY_F64},
                             {.field = "charge", .data = mass, .type = NBODY_F64}};
        double *first = results[turn][0];
        nbody_column out[] = {{.field = "field", .data = first, .type = NBODY_F64, .record_stride = row},
                              {.field = "pot", .data = first + 3, .type = NBODY_F64, .record_stride = row}};
        for (k = 0; k < 3 * N; k++) moved[k / 3][k % 3] = x[k / 3][k % 3] + 0.1 * turn * mass[k / 3];
        if (turn == 0) {
            CHECK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &charges) == NBODY_OK);
            CHECK(nbody_engine_results(engine, N, &field) == NBODY_OK);
        } else {
            CHECK(nbody_buffer_write(charges, N, in, 2) == NBODY_OK);
        }
        CHECK(nbody_engine_evaluate(engine, charges, charges, NBODY_SAME, field, NBODY_REPLACE) == NBODY_OK);
        CHECK(nbody_buffer_read(field, 0, N, out, 2) == NBODY_OK);
    }
}

int main(int argc, char **argv) {
    nbody_device device, over, apart;
    char name[64];
    int provided, rank, size, k, same = 0;
    MPI_Comm ours;
    CHECK(nbody_device_over_mpi("cpu", 0, 0, &over) == NBODY_ERROR_ARGUMENT); /* before MPI_Init */
    CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (k = 0; k < N; k++) {
        x[k][0] = (k * 7919 % 1009) / 1009.0;
        x[k][1] = (k * 104729 % 997) / 997.0;
        x[k][2] = (k * 1299709 % 991) / 991.0;
        mass[k] = 1.0 / (1 + k % 5);
    }
    CHECK(nbody_device_open("cpu", &device) == NBODY_OK);
    evaluate(device, alone);
    /* A device that one rank does not have is an error on all. */
    CHECK(nbody_device_over_mpi(rank == size - 1 ? "cuda:99" : "cpu", MPI_Comm_c2f(MPI_COMM_WORLD), 0, &over) != NBODY_OK);
    /* And so is a name of none. */
    CHECK(nbody_device_over_mpi(rank == size - 1 ? "gpu" : "cpu", MPI_Comm_c2f(MPI_COMM_WORLD), 0, &over) != NBODY_OK);
    /* No name, an unknown distribution of trees, and no place for the device. */
    CHECK(nbody_device_over_mpi(rank == size - 1 ? NULL : "cpu", MPI_Comm_c2f(MPI_COMM_WORLD), 0, &over) != NBODY_OK);
    CHECK(strstr(nbody_last_message(), "the name of the device is NULL") != NULL);
    CHECK(nbody_device_over_mpi("cpu", MPI_Comm_c2f(MPI_COMM_WORLD), rank == size - 1 ? 7 : 0, &over) != NBODY_OK);
    CHECK(strstr(nbody_last_message(), "distribution of trees 7") != NULL);
    CHECK(nbody_device_over_mpi("cpu", MPI_Comm_c2f(MPI_COMM_WORLD), 0, rank == size - 1 ? NULL : &over) != NBODY_OK);
    CHECK(strstr(nbody_last_message(), "device is NULL") != NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    CHECK(nbody_device_over_mpi("cpu", MPI_Comm_c2f(ours), 3, &over) == NBODY_ERROR_ARGUMENT);
    CHECK(nbody_device_over_mpi("cpu", MPI_Comm_c2f(ours), NBODY_DISTRIBUTED, &apart) == NBODY_OK);
    CHECK(nbody_device_over_mpi("cpu", MPI_Comm_c2f(ours), NBODY_REPLICATED, &over) == NBODY_OK);
    MPI_Comm_free(&ours);
    CHECK(nbody_device_name(over, name, sizeof name) == NBODY_OK);
    CHECK(strstr(name, size > 1 ? " x cpu" : "cpu") != NULL);
    evaluate(over, shared);
    CHECK(memcmp(alone, shared, sizeof alone) == 0);
    CHECK(alone[0][0][0] != 0.0 && alone[1][N - 1][3] != 0.0);
    /* The cells of a distributed tree are other ones, and so are the errors. */
    evaluate(apart, shared);
    CHECK(memcmp(alone[0], shared[0], sizeof alone[0]) == 0);
    CHECK((memcmp(alone[1], shared[1], sizeof alone[1]) == 0) == (size == 1));
    for (k = 0; k < N; k++) CHECK(fabs(shared[1][k][3] / alone[1][k][3] - 1.0) < 1e-3);
    CHECK(nbody_device_free(apart) == NBODY_OK);
    evaluate_lists(device, listed);
    evaluate_lists(over, shared);
    for (k = 0; k < 2 * N * 4; k++) {
        const double found = shared[0][0][k], expected = listed[0][0][k];
        CHECK(fabs(found - expected) < 1e-10);
        same += found == expected;
    }
    CHECK(listed[0][0][0] != 0.0 && listed[0][5][0] != listed[1][5][0]);
    /* The order of the sums shows that the particles were distributed. */
    CHECK((same == 2 * N * 4) == (size == 1));
    CHECK(nbody_device_free(over) == NBODY_OK);
    MPI_Finalize();
    if (rank == 0) printf("ok on %d\n", size);
    return 0;
}
