/* Two threads, each with a cluster of its own. */
#include <pthread.h>

#include "check.h"

enum { N = 100, STEPS = 40 };

static double found[3][STEPS];

/* Moves a particle of a cluster and evaluates its potential, many times. */
static void *work(void *argument)
{
    const int slot = *(int *)argument, id = slot == 2 ? 0 : slot;
    double x[1][3] = {{0.5, 0.5, 0.5}}, v[1][3] = {{0.0, 0.0, 0.0}}, a[1][3], j[1][3], p[1];
    int index[1] = {-5}, k;
    if (g6_open(id) != 0) return NULL;
    for (k = 0; k < N; ++k) at_rest(id, k, k, 1.0 + id, sin(k), cos(k), 0.01 * k);
    for (k = 0; k < STEPS; ++k) {
        at_rest(id, k, k, 1.0 + id, 0.02 * k, 0.0, 0.0);
        g6calc_firsthalf(id, N, 1, index, x, v, NULL, NULL, NULL, 0.01, NULL);
        if (g6calc_lasthalf(id, N, 1, index, x, v, 0.01, NULL, a, j, p) == 0) found[slot][k] = p[0];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int slots[3] = {0, 1, 2}, k;
    for (k = 0; k < 2; ++k) CHECK(pthread_create(&threads[k], NULL, work, &slots[k]) == 0);
    for (k = 0; k < 2; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
    work(&slots[2]);
    for (k = 0; k < STEPS; ++k) {
        CHECK(found[0][k] < -1.0 && found[0][k] == found[2][k]);
        CHECK(near(found[1][k], 2.0 * found[0][k], 1e-6));
    }
    CHECK(g6_close(0) == 0 && g6_close(1) == 0);
    return failures != 0;
}
