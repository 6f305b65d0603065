/* The calls of the GRAPE-6 library, on GPUs and CPUs: link with -lsapporo.
 *
 * A cluster is named by an id; a NULL id is cluster 0. Units are the units of the caller, with
 * G = 1. Calls return 0, or -1 after an error, whose message is written to standard error once.
 */
#ifndef NBODY_G6LIB_H
#define NBODY_G6LIB_H

#ifdef __cplusplus
extern "C" {
#endif

/* The set with pointers, as Fortran calls it. */

/* Opens a cluster, and closes it. A cluster that is opened again has no particles. */
int g6_open_(int *id);
int g6_close_(int *id);

/* Returns the most i-particles of an evaluation: 16384. */
int g6_npipes_(void);

/* Do nothing: numbers have no fixed point. The unit is not read. */
int g6_set_tunit_(void *unit);
int g6_set_xunit_(void *unit);

/* Sets the time to which j-particles are predicted. */
int g6_set_ti_(int *id, double *ti);

/* Sets the j-particle at an address: its identity, time, time step (not used), mass, an 18th of the
 * second derivative of the acceleration (not used), a sixth of the jerk, half of the acceleration,
 * velocity and position. */
int g6_set_j_particle_(int *id, int *address, int *index, double *tj, double *dtj, double *mass,
                       double k18[3], double j6[3], double a2[3], double v[3], double x[3]);

/* Begins an evaluation: the forces of the first nj j-particles on ni i-particles, except between
 * particles of one identity. aold, j6old and phiold are not used, and may be NULL, as may h2, the
 * squared radii of neighbour lists. */
void g6calc_firsthalf_(int *id, int *nj, int *ni, int index[], double xi[][3], double vi[][3],
                       double aold[][3], double j6old[][3], double phiold[], double *eps2,
                       double h2[]);

/* Waits for the results: acceleration, jerk and potential. Only id and ni are read. After an error
 * the results are NaN. acc and jerk may be one array, which then has the jerk. */
int g6calc_lasthalf_(int *id, int *nj, int *ni, int index[], double xi[][3], double vi[][3],
                     double *eps2, double h2[], double acc[][3], double jerk[][3], double pot[]);

/* Does the same, and returns the identity of the nearest j-particle; -1 if there is none. */
int g6calc_lasthalf2_(int *id, int *nj, int *ni, int index[], double xi[][3], double vi[][3],
                      double *eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int inn[]);

/* Do nothing: particles are sent with the next evaluation, and stay when a cluster is reset. */
int g6_initialize_jp_buffer_(int *id, int *size);
int g6_flush_jp_buffer_(int *id);
int g6_reset_(int *id);
int g6_reset_fofpga_(int *id);

/* Finds the neighbours of the i-particles of the last evaluation: the j-particles nearer than the
 * square root of h2. Returns 1 if an i-particle has more than the 256 of a list. */
int g6_read_neighbour_list_(int *id);

/* Copies the identities in a list, in ascending order, and returns their number in n_neighbours.
 * Returns 1 if there are more neighbours than were copied. */
int g6_get_neighbour_list_(int *id, int *ipipe, int *maxlength, int *n_neighbours,
                           int neighbour_list[]);

/* The set with values, as C calls it. It is not in the library: programs such as ph4 have functions
 * of these names. */

static inline int g6_open(int id) { return g6_open_(&id); }

static inline int g6_close(int id) { return g6_close_(&id); }

static inline int g6_npipes(void) { return g6_npipes_(); }

static inline int g6_get_number_of_pipelines(void) { return g6_npipes_(); }

static inline int g6_set_tunit(double unit) { return g6_set_tunit_(&unit); }

static inline int g6_set_xunit(double unit) { return g6_set_xunit_(&unit); }

static inline int g6_set_ti(int id, double ti) { return g6_set_ti_(&id, &ti); }

static inline int g6_set_j_particle(int id, int address, int index, double tj, double dtj,
                                    double mass, double k18[3], double j6[3], double a2[3],
                                    double v[3], double x[3])
{
    return g6_set_j_particle_(&id, &address, &index, &tj, &dtj, &mass, k18, j6, a2, v, x);
}

static inline void g6calc_firsthalf(int id, int nj, int ni, int index[], double xi[][3],
                                    double vi[][3], double aold[][3], double j6old[][3],
                                    double phiold[], double eps2, double h2[])
{
    g6calc_firsthalf_(&id, &nj, &ni, index, xi, vi, aold, j6old, phiold, &eps2, h2);
}

static inline int g6calc_lasthalf(int id, int nj, int ni, int index[], double xi[][3],
                                  double vi[][3], double eps2, double h2[], double acc[][3],
                                  double jerk[][3], double pot[])
{
    return g6calc_lasthalf_(&id, &nj, &ni, index, xi, vi, &eps2, h2, acc, jerk, pot);
}

static inline int g6calc_lasthalf2(int id, int nj, int ni, int index[], double xi[][3],
                                   double vi[][3], double eps2, double h2[], double acc[][3],
                                   double jerk[][3], double pot[], int inn[])
{
    return g6calc_lasthalf2_(&id, &nj, &ni, index, xi, vi, &eps2, h2, acc, jerk, pot, inn);
}

static inline int g6_initialize_jp_buffer(int id, int size)
{
    return g6_initialize_jp_buffer_(&id, &size);
}

static inline int g6_flush_jp_buffer(int id) { return g6_flush_jp_buffer_(&id); }

static inline int g6_reset(int id) { return g6_reset_(&id); }

static inline int g6_reset_fofpga(int id) { return g6_reset_fofpga_(&id); }

static inline int g6_reinitialize(int id) { return g6_reset_(&id); }

static inline int g6_read_neighbour_list(int id) { return g6_read_neighbour_list_(&id); }

static inline int g6_get_neighbour_list(int id, int ipipe, int maxlength, int *n_neighbours,
                                        int neighbour_list[])
{
    return g6_get_neighbour_list_(&id, &ipipe, &maxlength, n_neighbours, neighbour_list);
}

/* Lists are sorted, and sums do not overflow. */
static inline void g6_set_neighbour_list_sort_mode(int mode) { (void)mode; }

static inline int g6_set_overflow_flag_test_mode(int aflag, int jflag, int pflag)
{
    (void)aflag;
    (void)jflag;
    (void)pflag;
    return 0;
}

#ifdef __cplusplus
}
#endif

#endif
