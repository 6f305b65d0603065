/* The fourth-order Hermite method with block time steps (Makino & Aarseth 1992).
 *
 *     hermite               a Plummer sphere of 256 stars to time 1
 *     hermite FILE UNTIL    the stars of a table that `nbody plummer` has written
 */
#include <string.h>
#include <time.h>

#include "check.h"

static const double EPS2 = 1.0 / 65536.0, ETA = 0.02, ETA_START = 0.005, LONGEST = 1.0 / 8.0;

typedef struct {
    double mass, pos[3], vel[3], acc[3], jerk[3], pot, time, step;
} star;

/* The i-particles of a block: predicted, and their results. */
typedef struct {
    int n, *index;
    double (*pos)[3], (*vel)[3], (*acc)[3], (*jerk)[3], *pot, *h2;
} block;

/* Seconds in the program itself, and in calls of the library. */
typedef struct { double own, send, first, last; } times;

static star *stars;
static double *ends; /* of the steps */
static int n;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) exit(2);
    return memory;
}

/* Returns a number in (0, 1), the same on each machine. */
static double uniform(void)
{
    static unsigned long long state = 88172645463325252ULL;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static void direction(double length, double v[3])
{
    const double z = 2.0 * uniform() - 1.0, phi = 6.283185307179586 * uniform();
    const double r = sqrt(1.0 - z * z);
    v[0] = length * r * cos(phi), v[1] = length * r * sin(phi), v[2] = length * z;
}

/* Samples a Plummer sphere in N-body units (Aarseth, Henon & Wielen 1974). */
static void sample(void)
{
    const double scale = 3.0 * 3.141592653589793 / 16.0;
    int i;
    n = 256, stars = allocate((size_t)n, sizeof(star));
    for (i = 0; i < n; ++i) {
        double r, q, g;
        do r = 1.0 / sqrt(pow(uniform(), -2.0 / 3.0) - 1.0); while (r > 10.0);
        do q = uniform(), g = 0.1 * uniform(); while (g > q * q * pow(1.0 - q * q, 3.5));
        stars[i].mass = 1.0 / n;
        direction(scale * r, stars[i].pos);
        direction(q * sqrt(2.0 / scale) * pow(1.0 + r * r, -0.25), stars[i].vel);
    }
}

/* Reads a table with the columns mass, x, y, z, vx, vy, vz. */
static void read_table(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512] = "";
    int room = 0;
    do if (file == NULL || fgets(line, sizeof line, file) == NULL) {
        printf("%s: cannot be read, or has no stars\n", path);
        exit(2);
    } while (line[0] == '#');
    if (strcmp(line, "mass,x,y,z,vx,vy,vz\n") != 0) {
        printf("%s: expected the columns mass,x,y,z,vx,vy,vz, found %s", path, line);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        star s = {0};
        CHECK(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &s.mass, &s.pos[0], &s.pos[1], &s.pos[2],
                     &s.vel[0], &s.vel[1], &s.vel[2]) == 7);
        if (n == room && (stars = realloc(stars, (size_t)(room = 2 * room + 64) * sizeof(star))) == NULL) exit(2);
        stars[n++] = s;
    }
    fclose(file);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double energy(void)
{
    double sum = 0.0;
    int i, k;
    for (i = 0; i < n; ++i) {
        double v2 = 0.0;
        for (k = 0; k < 3; ++k) v2 += stars[i].vel[k] * stars[i].vel[k];
        sum += 0.5 * stars[i].mass * (v2 + stars[i].pot);
    }
    return sum;
}

static double square(const double v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

/* Halves a step until it is at most `wanted`; doubles it once if it then begins at `time`. */
static double step(double old, double wanted, double time)
{
    while (old > wanted) old *= 0.5;
    if (2.0 * old <= wanted && 2.0 * old <= LONGEST && time / (2.0 * old) == floor(time / (2.0 * old))) old *= 2.0;
    return old;
}

static void send(int i)
{
    const star *s = &stars[i];
    double a2[3], j6[3], k18[3] = {0.0, 0.0, 0.0};
    int k;
    for (k = 0; k < 3; ++k) a2[k] = s->acc[k] * (1.0 / 2.0), j6[k] = s->jerk[k] * (1.0 / 6.0);
    CHECK(g6_set_j_particle(0, i, i, s->time, s->step, s->mass, k18, j6, a2, (double *)s->vel, (double *)s->pos) == 0);
}

/* Predicts the stars of a block at a time. */
static void predict(block *b, double time)
{
    int m, k;
    for (m = 0; m < b->n; ++m) {
        const star *s = &stars[b->index[m]];
        const double h = time - s->time;
        for (k = 0; k < 3; ++k) {
            b->pos[m][k] = s->pos[k] + h * (s->vel[k] + h * (1.0 / 2.0) * (s->acc[k] + h * (1.0 / 3.0) * s->jerk[k]));
            b->vel[m][k] = s->vel[k] + h * (s->acc[k] + h * (1.0 / 2.0) * s->jerk[k]);
        }
    }
}

static void evaluate(block *b, double time, times *spent)
{
    double begin = seconds(), between;
    g6_set_ti(0, time);
    g6calc_firsthalf(0, n, b->n, b->index, b->pos, b->vel, b->acc, b->jerk, b->pot, EPS2, b->h2);
    between = seconds();
    CHECK(g6calc_lasthalf(0, n, b->n, b->index, b->pos, b->vel, EPS2, b->h2, b->acc, b->jerk, b->pot) == 0);
    spent->first += between - begin, spent->last += seconds() - between;
}

/* Corrects a star at the end of its step, and chooses its next step (Aarseth 1985). */
static void correct(star *s, const double a[3], const double j[3])
{
    const double h = s->step, by_h = 1.0 / h;
    double snap[3], crackle[3], na, nj, ns, nc;
    int k;
    for (k = 0; k < 3; ++k) {
        const double da = s->acc[k] - a[k];
        const double begin = (-6.0 * da - h * (4.0 * s->jerk[k] + 2.0 * j[k])) * by_h * by_h;
        crackle[k] = (12.0 * da + 6.0 * h * (s->jerk[k] + j[k])) * by_h * by_h * by_h;
        s->pos[k] += h * (s->vel[k] + h * (1.0 / 2.0) * (s->acc[k] + h * (1.0 / 3.0) * (s->jerk[k]
                   + h * (1.0 / 4.0) * (begin + h * (1.0 / 5.0) * crackle[k]))));
        s->vel[k] += h * (s->acc[k] + h * (1.0 / 2.0) * (s->jerk[k]
                   + h * (1.0 / 3.0) * (begin + h * (1.0 / 4.0) * crackle[k])));
        snap[k] = begin + h * crackle[k];
        s->acc[k] = a[k], s->jerk[k] = j[k];
    }
    na = sqrt(square(a)), nj = square(j), ns = square(snap), nc = square(crackle);
    s->time += h;
    s->step = step(h, sqrt(ETA * (na * sqrt(ns) + nj) / (sqrt(nj * nc) + ns)), s->time);
}

/* Finds the stars whose steps end next, and returns that time. */
static double select_next(block *b, double until)
{
    double time = until;
    int i;
    for (i = 0; i < n; ++i) if (ends[i] < time) time = ends[i];
    for (i = b->n = 0; i < n; ++i) if (ends[i] == time) b->index[b->n++] = i;
    return time;
}

static void select_all(block *b)
{
    int i;
    for (i = 0; i < n; ++i) b->index[i] = i;
    b->n = n;
}

static void keep_results(const block *b)
{
    int m;
    for (m = 0; m < b->n; ++m) {
        star *s = &stars[b->index[m]];
        memcpy(s->acc, b->acc[m], sizeof s->acc), memcpy(s->jerk, b->jerk[m], sizeof s->jerk);
        s->pot = b->pot[m];
    }
}

int main(int argc, char **argv)
{
    const double until = argc > 2 ? atof(argv[2]) : 1.0;
    double before, after, start, time = 0.0;
    long blocks = 0, steps = 0;
    times spent = {0}, ignored = {0};
    block b;
    int i, m;
    if (argc > 1) read_table(argv[1]);
    else sample();
    ends = allocate((size_t)n, sizeof(double));
    b.index = allocate((size_t)n, sizeof(int));
    b.pos = allocate((size_t)n, sizeof *b.pos), b.vel = allocate((size_t)n, sizeof *b.vel);
    b.acc = allocate((size_t)n, sizeof *b.acc), b.jerk = allocate((size_t)n, sizeof *b.jerk);
    b.pot = allocate((size_t)n, sizeof(double)), b.h2 = allocate((size_t)n, sizeof(double));

    CHECK(g6_open(0) == 0);
    CHECK(n <= g6_npipes());
    for (i = 0; i < n; ++i) send(i);
    select_all(&b), predict(&b, 0.0), evaluate(&b, 0.0, &ignored), keep_results(&b);
    for (i = 0; i < n; ++i) {
        stars[i].step = step(LONGEST, ETA_START * sqrt(square(stars[i].acc) / square(stars[i].jerk)), 0.0);
        ends[i] = stars[i].step;
        send(i);
    }
    before = energy();

    start = seconds();
    while (time < until && failures == 0) {
        double begin;
        time = select_next(&b, until);
        predict(&b, time);
        evaluate(&b, time, &spent);
        for (m = 0; m < b.n; ++m) {
            star *s = &stars[b.index[m]];
            correct(s, b.acc[m], b.jerk[m]);
            ends[b.index[m]] = s->time + s->step;
        }
        begin = seconds();
        for (m = 0; m < b.n; ++m) send(b.index[m]);
        spent.send += seconds() - begin;
        ++blocks, steps += b.n;
    }
    spent.own = seconds() - start - spent.send - spent.first - spent.last;

    select_all(&b), predict(&b, time), evaluate(&b, time, &ignored);
    for (i = 0; i < n; ++i) {
        memcpy(stars[i].pos, b.pos[i], sizeof b.pos[i]), memcpy(stars[i].vel, b.vel[i], sizeof b.vel[i]);
        stars[i].pot = b.pot[i];
    }
    after = energy();
    printf("%d stars, %ld blocks, %ld steps, energy %.12f, error %.1e\n", n, blocks, steps, after, after / before - 1.0);
    printf("seconds: %.4f = %.4f of the program + %.4f set_j_particle + %.4f firsthalf + %.4f lasthalf\n",
           spent.own + spent.send + spent.first + spent.last, spent.own, spent.send, spent.first, spent.last);
    CHECK(blocks > 0);
    CHECK(near(before, -0.25, 0.2));
    CHECK(near(after, before, 1e-5));
    CHECK(g6_close(0) == 0);
    free(stars), free(ends), free(b.index), free(b.pos), free(b.vel), free(b.acc), free(b.jerk), free(b.pot), free(b.h2);
    return failures != 0;
}
