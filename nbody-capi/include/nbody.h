/* nbody: pairwise interactions on GPUs and CPUs, from C. Compiles as C99 and as C++11.
 *
 * A law is a function of a pair of particles: a ready one by its name, or a declaration as text. An
 * engine evaluates a law on a device. Particles and results are buffers in the memory of the device;
 * columns copy fields between them and memory of the caller.
 *
 *     nbody_device device; nbody_law law; nbody_engine engine; nbody_buffer bodies, field;
 *     double eps2 = 0.01;
 *     nbody_column in[] = {
 *         {"pos",  x, NBODY_F64, NBODY_HOST_MEMORY, 0, 0},
 *         {"mass", m, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
 *     nbody_column out[] = {{"acc", a, NBODY_F64, NBODY_HOST_MEMORY, 0, 0}};
 *     if (nbody_device_open("best", &device)
 *         || nbody_law_ready("gravity", &law)
 *         || nbody_engine_all_pairs(device, law, &eps2, 1, NULL, &engine)
 *         || nbody_engine_upload(engine, NBODY_I, n, in, 2, &bodies)
 *         || nbody_engine_results(engine, n, &field)
 *         || nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, field, NBODY_REPLACE)
 *         || nbody_buffer_read(field, 0, n, out, 1))
 *         fprintf(stderr, "%s\n", nbody_last_message());
 *
 * Rules of every function
 * - It returns a status: 0 if it succeeded. nbody_last_message() then says what was found, what was
 *   expected, and what to do. A call that fails changes no object, but numbers that it was to write
 *   may be written in part.
 * - An output comes last. A handle is set to 0 first, so that it is never left undefined.
 * - A handle is a number, and 0 is none. A handle that was freed, or that belongs to another kind of
 *   object, is an error. An object that is freed while a call of another thread uses it ends after
 *   that call. To free 0 does nothing.
 * - An evaluation on a GPU may still run when the call returns; a call that reads its results waits.
 *   A failure of the GPU in between is the status of a later call.
 * - All functions may be called from several threads. A call that uses an engine, a runner, tuples, an
 *   integrator or a buffer that another call changes, waits until that call ends. Calls that read one buffer run at
 *   once.
 * - Counts and sizes are those of C: records and numbers begin with 0; strides are in bytes.
 * - Memory of the caller is used during the call alone.
 */
#ifndef NBODY_H
#define NBODY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: nbody_abi_version() of the library must return it. */
#define NBODY_ABI_VERSION 1

/* Statuses */
typedef int32_t nbody_status;
enum {
    NBODY_OK = 0,
    NBODY_ERROR_ARGUMENT = 1,    /* an argument is wrong */
    NBODY_ERROR_DECLARATION = 2, /* a declaration is wrong; the message shows the place */
    NBODY_ERROR_DEVICE = 3,      /* a device or its driver failed */
    NBODY_ERROR_MEMORY = 4,      /* too little memory, on the host or on the device */
    NBODY_ERROR_UNSUPPORTED = 5, /* the law, the device or this version cannot do it */
    NBODY_ERROR_COMPILER = 6,    /* a compiler is missing or failed, or its cache cannot be used */
    NBODY_ERROR_NUMBERS = 7,     /* numbers are NaN or infinite, or no step is short enough */
    NBODY_ERROR_FAULT = 99       /* a fault of nbody; please report it */
};

/* Returns the message of the last call of this thread that failed, in UTF-8; empty before. The string
 * is good until the next call of this thread fails, or the thread ends. */
const char *nbody_last_message(void);
/* Returns the version of nbody. */
const char *nbody_version(void);
/* Returns the version of the interface of the library. */
uint32_t nbody_abi_version(void);

/* Handles */
typedef struct nbody_device { uint64_t id; } nbody_device;
typedef struct nbody_law { uint64_t id; } nbody_law;         /* never freed */
typedef struct nbody_program { uint64_t id; } nbody_program; /* never freed */
typedef struct nbody_buffer { uint64_t id; } nbody_buffer;
typedef struct nbody_engine { uint64_t id; } nbody_engine;
typedef struct nbody_runner { uint64_t id; } nbody_runner;
typedef struct nbody_integrator { uint64_t id; } nbody_integrator;
typedef struct nbody_tuples { uint64_t id; } nbody_tuples;

/* Devices */

/* Opens a device: "best" (the first GPU if there is one, else the CPU), "cpu", "cpu:avx2" or another
 * level, "cuda", "cuda:1", or "emulator". */
nbody_status nbody_device_open(const char *name, nbody_device *device);
/* Connects the devices of all ranks of an MPI communicator into one device; all of them call this
 * together, after MPI_Init, and afterwards make the same calls with the same particles. Each gives the
 * name of its own device, of one kind; "best" is the GPU of its place on its host. The communicator is
 * an integer of Fortran, MPI_Comm_c2f(communicator), and may be freed. Evaluations of all pairs and of
 * trees are shared out, and every rank has all results. For trees each rank has all particles, with the
 * results of one process to the last bit (NBODY_REPLICATED, or 0), or those in its region of space
 * (NBODY_DISTRIBUTED); docs/ranks.md has more. A device or an evaluation that fails on one rank fails
 * on all. */
enum { NBODY_REPLICATED = 1, NBODY_DISTRIBUTED = 2 };
nbody_status nbody_device_over_mpi(const char *name, int32_t communicator, int32_t trees,
                                   nbody_device *device);
/* Copies the display name and a zero; a name that is longer than the capacity is cut. */
nbody_status nbody_device_name(nbody_device device, char *text, size_t capacity);
/* Frees the handle; engines and buffers of the device stay good. */
nbody_status nbody_device_free(nbody_device device);

/* Laws, and programs per particle and per tuple. They live as long as the process; one declaration has one
 * handle. docs/languages.md has tables of the ready ones, their parameters and their fields. */

/* Returns the name of the ready law k, from 0 on; NULL after the last. */
const char *nbody_law_ready_name(size_t k);
/* Finds a ready law. */
nbody_status nbody_law_ready(const char *name, nbody_law *law);
/* Declares the law of this name from a text of this length in bytes; with NULL, the only law. The name
 * is the name of its struct in snake case: `fifth_force` for `struct FifthForce`. docs/language.md
 * describes the language. */
nbody_status nbody_law_declare(const char *text, size_t length, const char *name, nbody_law *law);
/* Reads the law of this name from a file; with NULL, the only law. */
nbody_status nbody_law_read(const char *path, const char *name, nbody_law *law);
/* The same for programs: updates and measures of each particle, and tuples. Ready ones are the bonds, angles
 * and dihedrals of force fields. */
const char *nbody_program_ready_name(size_t k);
nbody_status nbody_program_ready(const char *name, nbody_program *program);
nbody_status nbody_program_declare(const char *text, size_t length, const char *name,
                                   nbody_program *program);
nbody_status nbody_program_read(const char *path, const char *name, nbody_program *program);

/* Records */
enum {
    NBODY_PARAMETERS = 1,
    NBODY_I = 2,     /* i-particles: the targets */
    NBODY_J = 3,     /* j-particles: the sources */
    NBODY_F = 4,     /* results */
    NBODY_P = 5,     /* particles of a program */
    NBODY_Q = 6,     /* second particles of a program */
    NBODY_TOTAL = 7, /* total of a measure */
    NBODY_TUPLE = 8, /* record of each tuple */
    NBODY_G = 9,     /* total that a program reads */
    /* Of several records of one kind, the second is NBODY_F + NBODY_NEXT, the third NBODY_F + 2 *
     * NBODY_NEXT, and so on. */
    NBODY_NEXT = 16
};

/* Kinds of fields */
enum {
    NBODY_REAL = 1,
    NBODY_VECTOR = 2,
    NBODY_POINT = 3,
    NBODY_ARRAY = 4,
    NBODY_INTEGER = 5,
    NBODY_MIN = 6,
    NBODY_MAX = 7,
    NBODY_ARG_MIN = 8, /* two columns: "field.value", and "field.index" of an integer type */
    NBODY_COUNT = 9,
    NBODY_SPLINE = 10, /* a parameter: 4 * (knots + 2) numbers, which nbody_spline_numbers writes */
    NBODY_TENSOR = 11, /* symmetric, of 6 numbers: xx, yy, zz, xy, xz, yz; of 3: xx, yy, xy; of 1: xx */
    NBODY_ARG_MAX = 12, /* as NBODY_ARG_MIN */
    NBODY_NEAREST = 13, /* two columns: "field.values", and "field.indices" of an integer type, each of half of the components */
    NBODY_SPLINES = 14 /* a parameter: the numbers of each spline of an array, one behind the other, row by row */
};

typedef struct nbody_field {
    const char *name; /* lives as long as the process */
    int32_t kind;
    uint32_t components;
} nbody_field;

/* Describes the first fields of a record, up to the capacity, and returns the number of all; with NULL
 * and 0 the number alone. */
nbody_status nbody_law_fields(nbody_law law, int32_t record, nbody_field *fields, size_t capacity,
                              size_t *count);
nbody_status nbody_program_fields(nbody_program program, int32_t record, nbody_field *fields,
                                  size_t capacity, size_t *count);
/* Kinds of splines: straight lines between values at knots; the cubic spline through values, whose second
 * derivative is continuous; the cubic spline with these values and slopes */
enum { NBODY_SPLINE_LINEAR = 1, NBODY_SPLINE_CUBIC = 2, NBODY_SPLINE_HERMITE = 3 };
/* Writes the numbers of a spline with knots at equal distances from the first to the last point: 4 *
 * (knots + 2) numbers, which is the capacity. They are the parameter of a law that declares Spline<N>.
 * Slopes may be NULL but for NBODY_SPLINE_HERMITE. */
nbody_status nbody_spline_numbers(int32_t kind, double first, double last, const double *values,
                                  const double *slopes, size_t knots, double *numbers,
                                  size_t capacity);
/* Returns the number of particles of a tuple; 0 for a program per particle. */
nbody_status nbody_program_members(nbody_program program, size_t *count);

/* Columns: a field of records in memory of the caller, at any strides and any alignment.
 *   x[n][3], Fortran's x(3,n):  record stride 0 (no gaps), component stride 0
 *   x[3][n], Fortran's x(n,3):  record stride sizeof(double), component stride n * sizeof(double)
 *   struct body b[n]:           &b[0].x, record stride sizeof(struct body), component stride 0
 * Reals take NBODY_F32 and NBODY_F64, integers the other types. Integers have 32 bits without a sign;
 * one that does not fit is an error. The index of a minimum over no pairs is -1 in types with a sign,
 * else UINT32_MAX. */
enum {
    NBODY_F32 = 1,
    NBODY_F64 = 2,
    NBODY_I32 = 3,
    NBODY_U32 = 4,
    NBODY_I64 = 5,
    NBODY_U64 = 6
};
enum {
    NBODY_HOST_MEMORY = 0,
    /* Memory of the GPU of the buffer, from cudaMalloc or another allocator of the process: its numbers
     * are aligned, and never pass through the host. The call waits until all work of the process on the
     * GPU has ended, and returns when the copy has ended. All columns of a call are in one memory. A CPU
     * has none; with the emulator, it is memory of the process. */
    NBODY_DEVICE_MEMORY = 1
};

typedef struct nbody_column {
    const char *field;
    void *data; /* the first number of the first record; only read where a call reads */
    int32_t type;
    int32_t memory;
    ptrdiff_t record_stride;    /* bytes from record to record; 0: records without gaps */
    ptrdiff_t component_stride; /* bytes from component to component; 0: without gaps */
} nbody_column;

/* Options of engines. Begin with `nbody_options options = NBODY_OPTIONS;`: every field that is 0 has
 * its default, also fields that later versions add. */
enum { NBODY_SINGLE = 1, NBODY_MIXED = 2, NBODY_DOUBLE = 3 };
enum {
    NBODY_DIRECT = 1,
    NBODY_BLOCKED = 2,
    NBODY_BLOCKED_F64 = 3,
    NBODY_COMPENSATED = 4
};
enum { NBODY_FAST = 1, NBODY_EXACT = 2 };
enum { NBODY_PAIRS_AUTO = 1, NBODY_PAIRS_ORDERED = 2, NBODY_PAIRS_SYMMETRIC = 3 };

typedef struct nbody_options {
    size_t size;           /* of this struct in bytes */
    int32_t precision;     /* default: single */
    int32_t accumulation;  /* default: blocked, with backup accumulators in double */
    int32_t math;          /* default: fast */
    int32_t pairs;         /* default: auto */
    uint64_t bag;          /* summation order: j-particles of a bag, and */
    uint64_t splits;       /* splits; both 0: the engine chooses */
    const double *lengths; /* of a periodic box along x, y and z, INFINITY for an open direction;
                              NULL: open space */
} nbody_options;
#define NBODY_OPTIONS {sizeof(nbody_options), 0, 0, 0, 0, 0, 0, NULL}

/* Engines. Parameters are the numbers of the law's parameters in their order (NBODY_PARAMETERS), an
 * array with all its numbers, a table row by row; NULL and 0 for a law without parameters. NaN is an
 * error, infinity is not. */

/* Creates an engine of all pairs. */
nbody_status nbody_engine_all_pairs(nbody_device device, nbody_law law, const double *parameters,
                                    size_t count, const nbody_options *options,
                                    nbody_engine *engine);
/* Creates an engine that evaluates by a tree. A cell is opened that is seen at a larger angle than
 * `value` (NBODY_THETA), or whose estimated error is a larger share of the last results
 * (NBODY_RELATIVE). */
enum { NBODY_THETA = 1, NBODY_RELATIVE = 2 };
enum { NBODY_MONOPOLE = 1, NBODY_SECOND = 2 };
nbody_status nbody_engine_tree(nbody_device device, nbody_law law, const double *parameters,
                               size_t count, int32_t criterion, double value, int32_t expansion,
                               const nbody_options *options, nbody_engine *engine);
/* Creates an engine with neighbour lists of its own, which reach beyond the cutoff by the skin, and
 * are built again when particles have moved by half of it. The law declares the cutoff; a periodic box
 * is in the options. */
#define NBODY_AUTO_SKIN (-1.0)
nbody_status nbody_engine_lists(nbody_device device, nbody_law law, const double *parameters,
                                size_t count, double skin, const nbody_options *options,
                                nbody_engine *engine);
/* Sets the parameters; nothing is compiled again. */
nbody_status nbody_engine_set_parameters(nbody_engine engine, const double *parameters,
                                         size_t count);
/* Sets the domain: three lengths of a periodic box, or NULL for open space. */
nbody_status nbody_engine_set_domain(nbody_engine engine, const double *lengths);
/* Sets a triclinic box: the nine components of its vectors a = (ax, 0, 0), b = (bx, by, 0) and
 * c = (cx, cy, cz), with positive ax, by and cz, |bx| and |cx| of at most ax/2, and |cy| of at most
 * by/2. Trees and lists over ranks refuse it. */
nbody_status nbody_engine_set_triclinic(nbody_engine engine, const double *vectors);
/* Sets the criterion by which a tree opens cells. */
nbody_status nbody_engine_set_opening(nbody_engine engine, int32_t criterion, double value,
                                      int32_t expansion);
/* Leaves out n pairs (i, j) of an engine of lists, instead of the pairs left out before. */
nbody_status nbody_engine_exclude(nbody_engine engine, size_t n, const uint32_t *pairs);
/* Copies n particles to the device, NBODY_I or NBODY_J: a column for each field. They have the precision
 * of the engine; other engines of this device and precision take them too, if their law has these
 * fields and no others. A law with one record takes NBODY_I as j-particles. */
nbody_status nbody_engine_upload(nbody_engine engine, int32_t record, size_t n,
                                 const nbody_column *columns, size_t count,
                                 nbody_buffer *particles);
/* Allocates results of n i-particles. */
nbody_status nbody_engine_results(nbody_engine engine, size_t n, nbody_buffer *results);
/* Evaluates pairs, and stores the sums.
 *   NBODY_OTHERS: j-particles are another set; a set that is given twice meets itself at distance 0
 *   NBODY_SAME:   i-particle k is j-particle k, and does not meet itself (unless the law has
 *                 SELF_PAIRS); if the law has one record, one buffer is both, else each has its own
 *   NBODY_FIRST:  the same, for the first particles alone, one for each result */
enum { NBODY_OTHERS = 1, NBODY_SAME = 2, NBODY_FIRST = 3 };
enum { NBODY_REPLACE = 1, NBODY_ADD = 2 };
nbody_status nbody_engine_evaluate(nbody_engine engine, nbody_buffer i, nbody_buffer j,
                                   int32_t sources, nbody_buffer results, int32_t store);
/* Measures the time of one evaluation on the device, in seconds, and replaces the results. The first
 * evaluation of an engine takes longer: it compiles, and fills caches. */
nbody_status nbody_engine_time(nbody_engine engine, nbody_buffer i, nbody_buffer j,
                               int32_t sources, nbody_buffer results, double *seconds);
/* Frees the engine; its particles and results stay good. */
nbody_status nbody_engine_free(nbody_engine engine);

/* Buffers */

/* Returns the number of records. */
nbody_status nbody_buffer_count(nbody_buffer buffer, size_t *count);
/* Changes the number of results, and sets them to the results without any pair. */
nbody_status nbody_buffer_resize(nbody_buffer results, size_t n);
/* Replaces fields of all particles. With a column for each field, their number may change. */
nbody_status nbody_buffer_write(nbody_buffer particles, size_t n, const nbody_column *columns,
                                size_t count);
/* Replaces fields of the particles at n addresses, each address once, from memory of the host. With a
 * column for each field, only these particles travel to the device, and addresses behind the end append
 * particles: the call then gives every address from the end to its largest. */
nbody_status nbody_buffer_write_at(nbody_buffer particles, size_t n, const uint32_t *addresses,
                                   const nbody_column *columns, size_t count);
/* Appends copies of all particles of another buffer of the same device, record and precision, on the device.
 * The buffer then has twice the memory if it needs more. */
nbody_status nbody_buffer_append(nbody_buffer particles, nbody_buffer others);
/* Keeps the particles where a field of unsigned integers is not zero, in their order, and removes the
 * others, on the device: a field of the same record of `by`, or of the particles themselves if `by` is 0.
 * Returns the number that is kept. Results and other buffers of these particles stay. */
nbody_status nbody_buffer_retain(nbody_buffer particles, nbody_buffer by, const char *field,
                                 size_t *count);
/* Copies the fields that have a column, of n records from the record `first` on, to the caller. */
nbody_status nbody_buffer_read(nbody_buffer buffer, size_t first, size_t n,
                               const nbody_column *columns, size_t count);
nbody_status nbody_buffer_free(nbody_buffer buffer);

/* Runners: a program per particle with its parameters on a device. It finds its fields by name in the
 * records of any buffer. Inputs are the buffers that it reads besides the particles, in the order of its
 * function: second particles, results, and totals, each of them one record for all particles. */
nbody_status nbody_runner_create(nbody_device device, nbody_program program,
                                 const double *parameters, size_t count, nbody_runner *runner);
nbody_status nbody_runner_set_parameters(nbody_runner runner, const double *parameters,
                                         size_t count);
/* Sets the domain, and whether an update wraps positions into the box (0 or 1). */
nbody_status nbody_runner_set_domain(nbody_runner runner, const double *lengths, int32_t wraps);
/* Sets a triclinic box of nine components, and whether an update wraps positions into it (0 or 1). */
nbody_status nbody_runner_set_triclinic(nbody_runner runner, const double *vectors, int32_t wraps);
/* Copies n particles to the device, NBODY_P or NBODY_Q: a column for each field. */
nbody_status nbody_runner_upload(nbody_runner runner, int32_t record, int32_t precision, size_t n,
                                 const nbody_column *columns, size_t count,
                                 nbody_buffer *particles);
/* Allocates the total of a measure, one record NBODY_TOTAL in double precision, set to the total of no
 * particle. Programs whose record NBODY_G has these fields read it. */
nbody_status nbody_runner_total(nbody_runner runner, nbody_buffer *total);
/* Updates each particle. */
nbody_status nbody_runner_update(nbody_runner runner, nbody_buffer particles,
                                 const nbody_buffer *inputs, size_t count);
/* Returns the total of a measure over all particles: the numbers of its record. */
nbody_status nbody_runner_measure(nbody_runner runner, nbody_buffer particles,
                                  const nbody_buffer *inputs, size_t inputs_count, double *total,
                                  size_t count);
/* Writes the total of a measure over all particles to a buffer of nbody_runner_total. On a GPU the host
 * neither waits for it nor receives it. NaN in a total that a program reads replaces all that it writes:
 * reals by NaN, integers by 2^32 - 1. */
nbody_status nbody_runner_measure_into(nbody_runner runner, nbody_buffer particles,
                                       const nbody_buffer *inputs, size_t count,
                                       nbody_buffer total);
nbody_status nbody_runner_free(nbody_runner runner);

/* Tuples: a program per tuple, such as a bond, an angle or a dihedral, with its parameters on a device, and
 * the given tuples. It finds its fields by name in the records of any buffers, so that particles and results
 * of neighbour lists serve: NBODY_ADD adds to their results. Each tuple is evaluated in double, and its results
 * are rounded to the precision of the buffer; a particle sums them in double in the order of the tuples, so
 * that every device gives the same bits, except in functions such as exp. */

/* Creates an engine without tuples. Of the options it takes the precision of the particles and results that
 * it allocates, and the box; the others change nothing. */
nbody_status nbody_tuples_create(nbody_device device, nbody_program program,
                                 const double *parameters, size_t count,
                                 const nbody_options *options, nbody_tuples *tuples);
nbody_status nbody_tuples_set_parameters(nbody_tuples tuples, const double *parameters,
                                         size_t count);
/* Sets the domain: three lengths of a periodic box, or NULL for open space. */
nbody_status nbody_tuples_set_domain(nbody_tuples tuples, const double *lengths);
/* Replaces all tuples by n tuples of this number of members, which must be the number of the program, among
 * this number of particles. The indices of the members of a tuple follow one another, from 0 on; tuples
 * begin `stride` bytes apart, a multiple of 4, or 0 without gaps. The record of the tuples (NBODY_TUPLE) has
 * a column for each field, in memory of the host; NULL and 0 if the program has none. An index of no particle
 * and a particle twice in one tuple are errors, and the old tuples stay. */
nbody_status nbody_tuples_set(nbody_tuples tuples, size_t particles, size_t n, size_t members,
                              const uint32_t *indices, ptrdiff_t stride,
                              const nbody_column *columns, size_t count);
/* Returns the number of tuples. */
nbody_status nbody_tuples_count(nbody_tuples tuples, size_t *count);
/* Copies n particles to the device: a column for each field of NBODY_P. */
nbody_status nbody_tuples_upload(nbody_tuples tuples, size_t n, const nbody_column *columns,
                                 size_t count, nbody_buffer *particles);
/* Allocates results of n particles, NBODY_F: single for single precision, else double. */
nbody_status nbody_tuples_results(nbody_tuples tuples, size_t n, nbody_buffer *results);
/* Evaluates the tuples, and stores the sums of each particle, or adds them. Particles and results have the
 * number that the tuples were set for; other fields of the results stay. */
nbody_status nbody_tuples_evaluate(nbody_tuples tuples, nbody_buffer particles,
                                   nbody_buffer results, int32_t store);
/* Measures the time of one such evaluation on the device, in seconds. */
nbody_status nbody_tuples_time(nbody_tuples tuples, nbody_buffer particles, nbody_buffer results,
                               int32_t store, double *seconds);
/* Frees the tuples; their particles and results stay good. */
nbody_status nbody_tuples_free(nbody_tuples tuples);

/* Integrators: an engine, its particles and their motions in double precision on the device, and the time.
 * A leapfrog needs a law with `pos` among its particles and `acc` or `force` among its results; Hermite
 * integrators need `pos` and `vel`, `acc` and `jerk`. Energies need `pot`. */
enum {
    NBODY_LEAPFROG = 1,     /* a shared and constant step; second order, symplectic */
    NBODY_HERMITE = 2,      /* a shared step by the accelerations; fourth order */
    NBODY_BLOCK_HERMITE = 3 /* steps of the particles, in powers of two; not over lists */
};

/* Begin with `nbody_steps steps = NBODY_STEPS;` and set the method. */
typedef struct nbody_steps {
    size_t size;        /* of this struct in bytes */
    int32_t method;
    int32_t iterations; /* evaluations and corrections of a Hermite step; default: 1 */
    double begin;       /* the time at which the run begins */
    double step;        /* the step of a leapfrog, negative back in time; the largest step of a Hermite
                           integrator, default: 1/8 */
    double eta;         /* accuracy of Hermite steps; default: 0.02 */
    double eta_start;   /* accuracy of the first step; default: 0.005 */
} nbody_steps;
#define NBODY_STEPS {sizeof(nbody_steps), 0, 0, 0, 0, 0, 0}

/* Begins a run: a column for each field of the law's particles, and for `pos`, `vel` and `mass`. The
 * integrator uses the engine, whose handle may be freed, or used in other calls between the steps: new
 * parameters hold from the next step on. */
nbody_status nbody_integrator_create(nbody_engine engine, size_t n, const nbody_column *columns,
                                     size_t count, const nbody_steps *steps,
                                     nbody_integrator *integrator);
/* Takes one step; with block time steps, the step of one block. */
nbody_status nbody_integrator_advance(nbody_integrator integrator);
/* Takes all steps that end by a time. */
nbody_status nbody_integrator_advance_to(nbody_integrator integrator, double time);
/* Returns the time at the end of the last step, and at the end of the next. */
nbody_status nbody_integrator_time(nbody_integrator integrator, double *time, double *next);
/* Returns the number of steps, and the number of steps of single particles. */
nbody_status nbody_integrator_count(nbody_integrator integrator, uint64_t *steps,
                                    uint64_t *particle_steps);
/* Copies the motions of all n particles at a time within the next step, predicted from the last, to
 * columns `pos`, `vel` and `mass`. */
nbody_status nbody_integrator_read(nbody_integrator integrator, double time, size_t n,
                                   const nbody_column *columns, size_t count);
/* Returns the energies at the end of the last step. */
nbody_status nbody_integrator_energies(nbody_integrator integrator, double *kinetic,
                                       double *potential);
/* Sets the step of a leapfrog from now on. */
nbody_status nbody_integrator_set_step(nbody_integrator integrator, double step);
/* Sets whether a leapfrog wraps positions into the periodic box of the engine (0 or 1). */
nbody_status nbody_integrator_set_wrap(nbody_integrator integrator, int32_t wraps);
/* Saves the run to a file: the motions and all other fields of the particles, the time, the steps and
 * their numbers. A file at the path is replaced when all is written to PATH.part. Over neighbour lists
 * and by a tree with NBODY_RELATIVE, only a leapfrog is saved. */
nbody_status nbody_integrator_save(nbody_integrator integrator, const char *path);
/* Resumes a run from its file, and returns the number n of particles. The engine is of the law of the run;
 * with the device, the parameters and the options of its engine too, the run goes on with the same bits.
 * A file that is damaged, cut short or of another law is an error. */
nbody_status nbody_integrator_resume(nbody_engine engine, const char *path,
                                     nbody_integrator *integrator, size_t *n);
nbody_status nbody_integrator_free(nbody_integrator integrator);

#ifdef __cplusplus
}
#endif

#endif
