/* Right and wrong calls of the library, as programs make them. */
#include <stddef.h>
#include <string.h>

#include "check.h"

enum { N = 8, GUARDS = 64, MANY = 700 };

static const double GUARD = 12345.0;

/* Results between guards, which no call may change. */
static struct {
    double before[GUARDS], acc[N][3], between[GUARDS], jerk[N][3], after[GUARDS], pot[N], behind[GUARDS];
    int inn[N], end[GUARDS];
} out;

static int ids[N];
static double xi[N][3], vi[N][3], h2[N];

static void clear(void)
{
    double *numbers = out.before;
    size_t k;
    for (k = 0; k < offsetof(__typeof__(out), inn) / sizeof(double); ++k) numbers[k] = GUARD;
    for (k = 0; k < N; ++k) out.inn[k] = -7;
    for (k = 0; k < GUARDS; ++k) out.end[k] = -7;
}

static void check_guards(int line)
{
    int k, intact = 1;
    for (k = 0; k < GUARDS; ++k) {
        intact = intact && out.before[k] == GUARD && out.between[k] == GUARD;
        intact = intact && out.after[k] == GUARD && out.behind[k] == GUARD && out.end[k] == -7;
    }
    check(intact, "guards are intact", line);
}

static void begin(int id, int nj, int ni, double eps2)
{
    g6calc_firsthalf(id, nj, ni, ids, xi, vi, NULL, NULL, NULL, eps2, h2);
}

static int finish(int id, int nj, int ni)
{
    clear();
    return g6calc_lasthalf(id, nj, ni, ids, xi, vi, 0.0, h2, out.acc, out.jerk, out.pot);
}

static int finish2(int id, int nj, int ni)
{
    clear();
    return g6calc_lasthalf2(id, nj, ni, ids, xi, vi, 0.0, h2, out.acc, out.jerk, out.pot, out.inn);
}

static int evaluate(int id, int nj, int ni, double eps2)
{
    begin(id, nj, ni, eps2);
    return finish2(id, nj, ni);
}

static int all_nan(int ni)
{
    int i, k, nan = 1;
    for (i = 0; i < ni; ++i) {
        for (k = 0; k < 3; ++k) nan = nan && isnan(out.acc[i][k]) && isnan(out.jerk[i][k]);
        nan = nan && isnan(out.pot[i]);
    }
    return nan;
}

/* Sets i-particles at rest along x, with identities 100, 101 and so on. */
static void targets(void)
{
    int i;
    memset(xi, 0, sizeof xi);
    memset(vi, 0, sizeof vi);
    for (i = 0; i < N; ++i) ids[i] = 100 + i, xi[i][0] = i, h2[i] = 0.0;
}

static void nothing_is_open(void)
{
    CHECK(g6_set_ti(0, 0.0) == -1);
    CHECK(at_rest(0, 0, 1, 1.0, 0.0, 0.0, 0.0) == -1);
    begin(0, 1, 1, 0.0);
    CHECK(finish(0, 1, 2) == -1 && all_nan(2) && out.acc[2][0] == GUARD);
    CHECK(finish2(0, 1, 2) == -1 && all_nan(2) && out.inn[0] == -1 && out.inn[2] == -7);
    CHECK(g6_read_neighbour_list(0) == -1);
    CHECK(g6_close(0) == -1);
    check_guards(__LINE__);
}

static void ids_are_optional_and_units_are_not_read(void)
{
    int unit = 48;
    CHECK(g6_open_(NULL) == 0);
    CHECK(g6_npipes() == 16384);
    CHECK(g6_set_tunit_(&unit) == 0 && g6_set_xunit_(NULL) == 0);
    CHECK(g6_set_tunit(48.0) == 0 && g6_set_xunit(48.0) == 0);
    CHECK(g6_initialize_jp_buffer(0, 100) == 0 && g6_flush_jp_buffer(0) == 0);
    CHECK(g6_reset(0) == 0 && g6_reset_fofpga(0) == 0 && g6_reinitialize(0) == 0);
    CHECK(finish(0, 1, 1) == -1);
    CHECK(all_nan(1));
}

static void nothing_is_loaded(void)
{
    CHECK(evaluate(0, 0, 2, 0.0) == 0);
    CHECK(out.acc[1][2] == 0.0 && out.jerk[0][1] == 0.0 && out.pot[1] == 0.0);
    CHECK(out.inn[0] == -1 && out.inn[1] == -1 && out.inn[2] == -7 && out.pot[2] == GUARD);
    CHECK(evaluate(0, 1, 2, 0.0) == -1 && all_nan(2));
    CHECK(evaluate(0, 0, 0, 0.0) == 0 && out.pot[0] == GUARD);
}

static void gaps_are_refused_until_they_are_filled(void)
{
    CHECK(at_rest(0, 2, 102, 1.0, 2.0, 0.0, 0.0) == 0);
    CHECK(at_rest(0, 1, 101, 1.0, 1.0, 0.0, 0.0) == 0);
    CHECK(evaluate(0, 3, 2, 0.0) == -1 && all_nan(2));
    CHECK(finish2(0, 3, 2) == -1);
    CHECK(at_rest(0, 0, 100, 1.0, 0.0, 0.0, 0.0) == 0);
    CHECK(evaluate(0, 3, 3, 0.0) == 0);
    CHECK(near(out.acc[0][0], 1.25, 1e-6) && near(out.pot[0], -1.5, 1e-6) && out.inn[0] == 101);
    CHECK(fabs(out.acc[1][0]) < 1e-6 && near(out.pot[1], -2.0, 1e-6) && out.inn[1] == 100);
    CHECK(near(out.acc[2][0], -1.25, 1e-6) && out.inn[2] == 101);
    CHECK(at_rest(0, 2000000000, 5, 1.0, 0.0, 0.0, 0.0) == 0);
}

static void fewer_particles_than_are_loaded(void)
{
    CHECK(evaluate(0, 2, 1, 0.0) == 0 && near(out.acc[0][0], 1.0, 1e-6));
    /* A change behind the end is kept. */
    CHECK(at_rest(0, 2, 102, 4.0, 2.0, 0.0, 0.0) == 0);
    CHECK(at_rest(0, 1, 101, 2.0, 1.0, 0.0, 0.0) == 0);
    CHECK(evaluate(0, 2, 1, 0.0) == 0 && near(out.acc[0][0], 2.0, 1e-6));
    CHECK(evaluate(0, 3, 1, 0.0) == 0 && near(out.acc[0][0], 3.0, 1e-6));
    CHECK(evaluate(0, 1, 1, 0.0) == 0 && out.acc[0][0] == 0.0 && out.inn[0] == -1);
    CHECK(evaluate(0, 4, 1, 0.0) == -1);
}

static void identities_exclude_self_pairs(void)
{
    ids[0] = 3000;
    CHECK(evaluate(0, 1, 1, 0.25) == 0);
    CHECK(out.acc[0][0] == 0.0 && near(out.pot[0], -2.0, 1e-6) && out.inn[0] == 100);
    /* Negative identities are identities, too. */
    ids[0] = -1;
    CHECK(evaluate(0, 1, 1, 0.25) == 0 && near(out.pot[0], -2.0, 1e-6));
    CHECK(at_rest(0, 0, -1, 1.0, 0.0, 0.0, 0.0) == 0);
    CHECK(evaluate(0, 1, 2, 0.25) == 0 && out.pot[0] == 0.0 && out.inn[0] == -1);
    CHECK(at_rest(0, 0, 100, 1.0, 0.0, 0.0, 0.0) == 0);
    targets();
}

static void calls_come_in_any_order(void)
{
    double jerk;
    /* Twice, and the second counts. */
    begin(0, 1, 3, 0.0);
    begin(0, 3, 1, 0.0);
    CHECK(finish(0, 3, 1) == 0 && near(out.acc[0][0], 3.0, 1e-6));
    /* Results once more, with and without the nearest; not more results than targets. */
    CHECK(finish2(0, 3, 1) == 0 && near(out.acc[0][0], 3.0, 1e-6) && out.inn[0] == 101);
    CHECK(finish(0, 3, 1) == 0 && near(out.acc[0][0], 3.0, 1e-6));
    CHECK(finish(0, 3, 2) == -1 && all_nan(2));
    CHECK(finish(0, 3, 0) == 0 && out.acc[0][0] == GUARD);
    /* A change after the beginning counts in the next evaluation. */
    begin(0, 3, 1, 0.0);
    CHECK(at_rest(0, 1, 101, 1.0, 1.0, 0.0, 0.0) == 0 && g6_set_ti(0, 1.0) == 0);
    CHECK(finish2(0, 3, 1) == 0 && near(out.acc[0][0], 3.0, 1e-6));
    CHECK(evaluate(0, 3, 1, 0.0) == 0 && near(out.acc[0][0], 2.0, 1e-6));
    /* One array for two results. */
    vi[0][1] = 1.0;
    begin(0, 3, 1, 0.0);
    CHECK(finish(0, 3, 1) == 0);
    jerk = out.jerk[0][1];
    CHECK(near(jerk, -1.0 - 4.0 / 8.0, 1e-6));
    clear();
    CHECK(g6calc_lasthalf(0, 3, 1, ids, xi, vi, 0.0, h2, out.acc, out.acc, out.pot) == 0);
    CHECK(out.acc[0][1] == jerk && near(out.pot[0], -3.0, 1e-6));
    targets();
    check_guards(__LINE__);
}

static void particles_are_predicted(void)
{
    double k18[3] = {9.0, 9.0, 9.0}, j6[3] = {1.0, 0.0, 0.0}, a2[3] = {0.0, 0.5, 0.0};
    double v[3] = {2.0, 0.0, 1.0}, x[3] = {1.0, 0.0, 0.0}, dt = 0.5, d[3], u[3], r;
    int k;
    CHECK(g6_set_j_particle(0, 0, 7, 1.0, 0.25, 2.0, k18, j6, a2, v, x) == 0);
    CHECK(g6_set_ti(0, 1.0 + dt) == 0);
    CHECK(evaluate(0, 1, 1, 0.0) == 0 && out.inn[0] == 7);
    for (k = 0; k < 3; ++k) {
        d[k] = x[k] + dt * (v[k] + dt * (a2[k] + dt * j6[k]));
        u[k] = v[k] + dt * (2.0 * a2[k] + 3.0 * dt * j6[k]);
    }
    r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (k = 0; k < 3; ++k) {
        double approach = 3.0 * (d[0] * u[0] + d[1] * u[1] + d[2] * u[2]) / (r * r);
        CHECK(near(out.acc[0][k], 2.0 * d[k] / (r * r * r), 1e-6));
        CHECK(near(out.jerk[0][k], 2.0 * (u[k] - approach * d[k]) / (r * r * r), 1e-5));
    }
    CHECK(near(out.pot[0], -2.0 / r, 1e-6));
    /* Back to an earlier time. */
    CHECK(g6_set_ti(0, 1.0) == 0);
    CHECK(evaluate(0, 1, 1, 0.0) == 0 && near(out.pot[0], -2.0, 1e-6));
    CHECK(at_rest(0, 0, 100, 1.0, 0.0, 0.0, 0.0) == 0 && g6_set_ti(0, 0.0) == 0);
}

static void numbers_are_checked(void)
{
    double many[3] = {0.0, 0.0, 0.0};
    CHECK(at_rest(0, 0, 100, 5.0, NAN, 0.0, 0.0) == -1);
    CHECK(at_rest(0, 0, 100, INFINITY, 0.0, 0.0, 0.0) == -1);
    CHECK(g6_set_j_particle(0, 0, 100, NAN, 0.0, 5.0, many, many, many, many, many) == -1);
    CHECK(at_rest(0, -1, 100, 5.0, 0.0, 0.0, 0.0) == -1);
    CHECK(g6_set_ti(0, NAN) == -1 && g6_set_ti(0, INFINITY) == -1);
    CHECK(evaluate(0, 3, 3, 0.0) == 0 && near(out.acc[1][0], 3.0, 1e-6));
    /* A bad i-particle has bad results, and no other particle. */
    xi[0][1] = NAN;
    CHECK(evaluate(0, 3, 3, 0.0) == 0 && isnan(out.pot[0]) && near(out.acc[1][0], 3.0, 1e-6));
    targets();
    CHECK(evaluate(0, 3, 3, NAN) == -1 && all_nan(3));
    CHECK(evaluate(0, 3, 3, -1.0) == -1 && all_nan(3));
    CHECK(evaluate(0, -1, 3, 0.0) == -1 && all_nan(3));
    CHECK(evaluate(0, 3, -1, 0.0) == -1 && out.pot[0] == GUARD);
    CHECK(evaluate(0, 2147483647, 3, 0.0) == -1);
    CHECK(evaluate(0, 3, 3, 0.0) == 0 && near(out.acc[1][0], 3.0, 1e-6));
}

static void there_are_so_many_pipes(void)
{
    enum { PIPES = 16384 };
    int *index = (int *)calloc(PIPES + 1, sizeof *index);
    double(*x)[3] = (double(*)[3])calloc(PIPES + 1, sizeof *x);
    double(*a)[3] = (double(*)[3])calloc(PIPES + 1, sizeof *a);
    double *p = (double *)calloc(PIPES + 1, sizeof *p);
    p[PIPES] = GUARD;
    g6calc_firsthalf(0, 3, PIPES, index, x, x, NULL, NULL, NULL, 0.25, NULL);
    CHECK(g6calc_lasthalf(0, 3, PIPES, index, x, x, 0.25, NULL, a, a, p) == 0);
    CHECK(p[0] < -1.0 && p[PIPES - 1] == p[0] && p[PIPES] == GUARD);
    g6calc_firsthalf(0, 3, PIPES + 1, index, x, x, NULL, NULL, NULL, 0.25, NULL);
    CHECK(g6calc_lasthalf(0, 3, PIPES + 1, index, x, x, 0.25, NULL, a, a, p) == -1);
    CHECK(isnan(p[0]) && isnan(p[PIPES - 1]) && p[PIPES] == GUARD);
    free(index), free(x), free(a), free(p);
}

static void null_is_refused(void)
{
    int zero = 0, three = 3, count = 5, list[4];
    double time = 0.0, number = 1.0, v[3] = {0.0, 0.0, 0.0};
    CHECK(g6_set_ti_(&zero, NULL) == -1);
    CHECK(g6_set_j_particle_(&zero, NULL, &zero, &time, NULL, &number, NULL, v, v, v, v) == -1);
    CHECK(g6_set_j_particle_(&zero, &zero, NULL, &time, NULL, &number, NULL, v, v, v, v) == -1);
    CHECK(g6_set_j_particle_(&zero, &zero, &zero, NULL, NULL, &number, NULL, v, v, v, v) == -1);
    CHECK(g6_set_j_particle_(&zero, &zero, &zero, &time, NULL, NULL, NULL, v, v, v, v) == -1);
    CHECK(g6_set_j_particle_(&zero, &zero, &zero, &time, NULL, &number, NULL, NULL, v, v, v) == -1);
    CHECK(g6_set_j_particle_(&zero, &zero, &zero, &time, NULL, &number, NULL, v, NULL, v, v) == -1);
    CHECK(g6_set_j_particle_(&zero, &zero, &zero, &time, NULL, &number, NULL, v, v, NULL, v) == -1);
    CHECK(g6_set_j_particle_(&zero, &zero, &zero, &time, NULL, &number, NULL, v, v, v, NULL) == -1);
    g6calc_firsthalf_(NULL, &three, &three, ids, xi, vi, NULL, NULL, NULL, &time, NULL);
    CHECK(finish(0, 3, 3) == 0);
    g6calc_firsthalf_(NULL, NULL, &three, ids, xi, vi, NULL, NULL, NULL, &time, NULL);
    CHECK(finish(0, 3, 3) == -1 && all_nan(3));
    g6calc_firsthalf_(NULL, &three, NULL, ids, xi, vi, NULL, NULL, NULL, &time, NULL);
    CHECK(finish(0, 3, 3) == -1);
    g6calc_firsthalf_(NULL, &three, &three, NULL, xi, vi, NULL, NULL, NULL, &time, NULL);
    CHECK(finish(0, 3, 3) == -1);
    g6calc_firsthalf_(NULL, &three, &three, ids, NULL, vi, NULL, NULL, NULL, &time, NULL);
    CHECK(finish(0, 3, 3) == -1);
    g6calc_firsthalf_(NULL, &three, &three, ids, xi, NULL, NULL, NULL, NULL, &time, NULL);
    CHECK(finish(0, 3, 3) == -1);
    g6calc_firsthalf_(NULL, &three, &three, ids, xi, vi, NULL, NULL, NULL, NULL, NULL);
    CHECK(finish(0, 3, 3) == -1);
    begin(0, 3, 3, 0.0);
    clear();
    CHECK(g6calc_lasthalf(0, 3, 3, ids, xi, vi, 0.0, h2, NULL, out.jerk, out.pot) == -1);
    CHECK(isnan(out.pot[2]) && out.pot[3] == GUARD);
    CHECK(g6calc_lasthalf(0, 3, 3, ids, xi, vi, 0.0, h2, out.acc, NULL, out.pot) == -1);
    CHECK(g6calc_lasthalf(0, 3, 3, ids, xi, vi, 0.0, h2, out.acc, out.jerk, NULL) == -1);
    CHECK(g6calc_lasthalf2(0, 3, 3, ids, xi, vi, 0.0, h2, out.acc, out.jerk, out.pot, NULL) == -1);
    CHECK(g6calc_lasthalf_(NULL, &three, NULL, ids, xi, vi, NULL, h2, out.acc, out.jerk, out.pot) == -1);
    CHECK(finish2(0, 3, 3) == 0 && near(out.acc[1][0], 3.0, 1e-6));
    CHECK(g6_read_neighbour_list(0) == 0);
    CHECK(g6_get_neighbour_list_(NULL, NULL, &three, &count, list) == -1 && count == 0);
    CHECK(g6_get_neighbour_list_(NULL, &zero, NULL, &count, list) == -1);
    CHECK(g6_get_neighbour_list_(NULL, &zero, &three, NULL, list) == -1);
    CHECK(g6_get_neighbour_list_(NULL, &zero, &three, &count, NULL) == -1);
    check_guards(__LINE__);
}

static void neighbours_are_listed(void)
{
    int n = -1, list[MANY], k, ascends = 1;
    for (k = 3; k < MANY; ++k) CHECK(at_rest(0, k, 2000 - k, 0.0, 50.0 + k * 1e-3, 0.0, 0.0) == 0);
    h2[0] = 1.5, h2[1] = 1.5, h2[2] = 4.5;
    CHECK(evaluate(0, 3, 3, 0.0) == 0);
    CHECK(g6_get_neighbour_list(0, 0, 10, &n, list) == -1 && n == 0);
    CHECK(g6_read_neighbour_list(0) == 0);
    CHECK(g6_get_neighbour_list(0, 0, 10, &n, list) == 0 && n == 1 && list[0] == 101);
    CHECK(g6_get_neighbour_list(0, 1, 2, &n, list) == 0 && n == 2 && list[0] == 100 && list[1] == 102);
    CHECK(g6_get_neighbour_list(0, 2, 1, &n, list) == 1 && n == 1 && list[0] == 100);
    CHECK(g6_get_neighbour_list(0, 2, 0, &n, list) == 1 && n == 0);
    CHECK(g6_get_neighbour_list(0, 3, 9, &n, list) == -1 && n == 0);
    CHECK(g6_get_neighbour_list(0, -1, 9, &n, list) == -1 && n == 0);
    CHECK(g6_get_neighbour_list(0, 0, -1, &n, list) == -1 && n == 0);
    /* More than a list holds. */
    xi[0][0] = 50.0, h2[0] = 100.0;
    CHECK(evaluate(0, MANY, 1, 0.0) == 0 && g6_read_neighbour_list(0) == 1);
    list[256] = -7;
    CHECK(g6_get_neighbour_list(0, 0, MANY, &n, list) == 1 && n == 256 && list[256] == -7);
    for (k = 1; k < n; ++k) ascends = ascends && list[k - 1] < list[k];
    CHECK(ascends);
    /* The radius is one of the beginning; lists end with the next evaluation. */
    h2[0] = 0.0;
    CHECK(g6_read_neighbour_list(0) == 1);
    begin(0, MANY, 1, 0.0);
    CHECK(g6_get_neighbour_list(0, 0, MANY, &n, list) == -1);
    CHECK(g6_read_neighbour_list(0) == 0);
    CHECK(finish(0, MANY, 1) == 0);
    g6calc_firsthalf(0, MANY, 1, ids, xi, vi, NULL, NULL, NULL, 0.0, NULL);
    CHECK(g6_read_neighbour_list(0) == -1);
    targets();
}

static void clusters_are_apart(void)
{
    /* The only cluster has every id. */
    CHECK(evaluate(5, 3, 1, 0.0) == 0 && near(out.acc[0][0], 2.0, 1e-6));
    CHECK(g6_open(5) == 0);
    CHECK(evaluate(5, 3, 1, 0.0) == -1);
    CHECK(at_rest(5, 0, 9, 7.0, 1.0, 0.0, 0.0) == 0);
    begin(0, 3, 1, 0.0);
    CHECK(evaluate(5, 1, 1, 0.0) == 0 && near(out.acc[0][0], 7.0, 1e-6) && out.inn[0] == 9);
    CHECK(finish2(0, 3, 1) == 0 && near(out.acc[0][0], 2.0, 1e-6) && out.inn[0] == 101);
    CHECK(evaluate(6, 1, 1, 0.0) == -1 && g6_close(6) == -1);
    /* Opened again, a cluster has no particles. */
    CHECK(g6_open(5) == 0 && evaluate(5, 1, 1, 0.0) == -1 && evaluate(5, 0, 1, 0.0) == 0);
    CHECK(g6_close(5) == 0 && g6_close(0) == 0 && g6_close(0) == -1);
    CHECK(evaluate(0, 3, 1, 0.0) == -1 && all_nan(1));
    CHECK(g6_open(-3) == 0 && g6_close(-3) == 0);
}

int main(void)
{
    targets();
    nothing_is_open();
    ids_are_optional_and_units_are_not_read();
    nothing_is_loaded();
    gaps_are_refused_until_they_are_filled();
    fewer_particles_than_are_loaded();
    identities_exclude_self_pairs();
    calls_come_in_any_order();
    particles_are_predicted();
    numbers_are_checked();
    there_are_so_many_pipes();
    null_is_refused();
    neighbours_are_listed();
    clusters_are_apart();
    g6_set_neighbour_list_sort_mode(1);
    CHECK(g6_set_overflow_flag_test_mode(1, 1, 1) == 0 && g6_get_number_of_pipelines() == 16384);
    if (failures == 0) puts("traps: all checks hold");
    return failures != 0;
}
