/* Columns in memory of the device: in the emulator, memory of the process; with -DWITH_CUDA, of cudaMalloc.
 * The bits are those of columns in memory of the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

#ifdef WITH_CUDA
#include <cuda_runtime.h>
#define DEVICE "cuda"
static void *allocate(size_t n) {
    void *p = NULL;
    return cudaMalloc(&p, n) == cudaSuccess ? p : NULL;
}
static void copy(void *to, const void *from, size_t n) {
    if (cudaMemcpy(to, from, n, cudaMemcpyDefault) != cudaSuccess) exit(2);
}
#else
#define DEVICE "emulator"
static void *allocate(size_t n) { return malloc(n); }
static void copy(void *to, const void *from, size_t n) { memcpy(to, from, n); }
#endif

#define N 1000

static void check(int line, nbody_status status) {
    if (status) {
        fprintf(stderr, "line %d: %s\n", line, nbody_last_message());
        exit(1);
    }
}
#define OK(call) check(__LINE__, call)

static nbody_column column(const char *field, const void *data, int32_t type, int32_t memory,
                           ptrdiff_t record, ptrdiff_t component) {
    nbody_column column;
    memset(&column, 0, sizeof column);
    column.field = field, column.data = (void *)data, column.type = type, column.memory = memory;
    column.record_stride = record, column.component_stride = component;
    return column;
}

/* Evaluates, and returns the accelerations as x[3][n], and the potentials. */
static void evaluate(nbody_engine engine, const nbody_column *in, float *acc, double *pot, int32_t memory) {
    nbody_buffer bodies, results;
    nbody_column out[2];
    out[0] = column("acc", acc, NBODY_F32, memory, sizeof(float), N * sizeof(float));
    out[1] = column("pot", pot, NBODY_F64, memory, 0, 0);
    OK(nbody_engine_upload(engine, NBODY_I, N, in, 2, &bodies));
    OK(nbody_engine_results(engine, N, &results));
    OK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, results, NBODY_REPLACE));
    OK(nbody_buffer_read(results, 0, N, out, 2));
    /* One field anew: the masses in reverse order, and back. */
    {
        nbody_column mass = in[1];
        mass.data = (char *)mass.data + (N - 1) * sizeof(double), mass.record_stride = -(ptrdiff_t)sizeof(double);
        OK(nbody_buffer_write(bodies, N, &mass, 1));
        OK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, results, NBODY_REPLACE));
        out[1].data = pot + N;
        OK(nbody_buffer_read(results, 0, N, out + 1, 1));
    }
    OK(nbody_buffer_free(bodies));
    OK(nbody_buffer_free(results));
}

int main(int count, char **arguments) {
    static double pos[N][3], mass[N], pot[2][2 * N];
    static float acc[2][3 * N];
    const double eps2 = 1e-3;
    nbody_device device;
    nbody_law law;
    nbody_engine engine;
    int32_t precision, k;
    uint64_t seed = 1;
    for (k = 0; k < 4 * N; ++k) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        (k < 3 * N ? pos[k / 3] : mass)[k < 3 * N ? k % 3 : k - 3 * N] = (double)(seed >> 11) * 0x1p-53;
    }
    OK(nbody_device_open(count > 1 ? arguments[1] : DEVICE, &device));
    OK(nbody_law_ready("gravity", &law));
    for (precision = NBODY_SINGLE; precision <= NBODY_DOUBLE; ++precision) {
        nbody_options options = NBODY_OPTIONS;
        nbody_column in[2];
        double *x = allocate(sizeof pos), *m = allocate(sizeof mass), *p = allocate(sizeof pot[1]);
        float *a = allocate(sizeof acc[1]);
        if (!x || !m || !p || !a) return 2;
        options.precision = precision;
        OK(nbody_engine_all_pairs(device, law, &eps2, 1, &options, &engine));
        in[0] = column("pos", pos, NBODY_F64, NBODY_HOST_MEMORY, 0, 0);
        in[1] = column("mass", mass, NBODY_F64, NBODY_HOST_MEMORY, 0, 0);
        evaluate(engine, in, acc[0], pot[0], NBODY_HOST_MEMORY);
        copy(x, pos, sizeof pos), copy(m, mass, sizeof mass);
        in[0].data = x, in[1].data = m, in[0].memory = in[1].memory = NBODY_DEVICE_MEMORY;
        evaluate(engine, in, a, p, NBODY_DEVICE_MEMORY);
        copy(acc[1], a, sizeof acc[1]), copy(pot[1], p, sizeof pot[1]);
        if (memcmp(acc[0], acc[1], sizeof acc[0]) || memcmp(pot[0], pot[1], sizeof pot[0])) {
            fprintf(stderr, "precision %d: other bits\n", (int)precision);
            return 1;
        }
        if (!memcmp(pot[0], pot[0] + N, N * sizeof(double))) return 1;
#ifdef WITH_CUDA
        /* Memory of the host, and memory that ends too early. */
        {
            nbody_buffer bodies;
            in[0].data = pos;
            if (nbody_engine_upload(engine, NBODY_I, N, in, 2, &bodies) != NBODY_ERROR_ARGUMENT) return 1;
            puts(nbody_last_message());
            in[0].data = x;
            if (nbody_engine_upload(engine, NBODY_I, 50000000, in, 2, &bodies) != NBODY_ERROR_ARGUMENT) return 1;
            puts(nbody_last_message());
            cudaFree(x), cudaFree(m), cudaFree(p), cudaFree(a);
        }
#else
        free(x), free(m), free(p), free(a);
#endif
        OK(nbody_engine_free(engine));
    }
    OK(nbody_device_free(device));
    puts("ok");
    return 0;
}
