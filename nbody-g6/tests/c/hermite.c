/* A Plummer sphere, integrated by the fourth-order Hermite method with block time steps. */
#include "check.h"

enum { N = 256 };

static const double EPS2 = 1.0 / 1024.0, ETA = 0.02, END = 1.0, LONGEST = 1.0 / 16.0;

static double mass[N], pos[N][3], vel[N][3], acc[N][3], jerk[N][3], pot[N], t[N], dt[N];

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
    for (i = 0; i < N; ++i) {
        double r, q, g;
        do r = 1.0 / sqrt(pow(uniform(), -2.0 / 3.0) - 1.0); while (r > 10.0);
        do q = uniform(), g = 0.1 * uniform(); while (g > q * q * pow(1.0 - q * q, 3.5));
        mass[i] = 1.0 / N;
        direction(scale * r, pos[i]);
        direction(q * sqrt(2.0 / scale) * pow(1.0 + r * r, -0.25), vel[i]);
    }
}

static double energy(void)
{
    double sum = 0.0;
    int i, k;
    for (i = 0; i < N; ++i) {
        double v2 = 0.0;
        for (k = 0; k < 3; ++k) v2 += vel[i][k] * vel[i][k];
        sum += 0.5 * mass[i] * (v2 + pot[i]);
    }
    return sum;
}

static double norm(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* Halves a step until it is at most `wanted`; doubles it once if it then begins at `time`. */
static double step(double old, double wanted, double time)
{
    while (old > wanted) old *= 0.5;
    if (2.0 * old <= wanted && 2.0 * old <= LONGEST && fmod(time, 2.0 * old) == 0.0) old *= 2.0;
    return old;
}

static void send(int i)
{
    double a2[3], j6[3], k18[3] = {0.0, 0.0, 0.0};
    int k;
    for (k = 0; k < 3; ++k) a2[k] = acc[i][k] / 2.0, j6[k] = jerk[i][k] / 6.0;
    CHECK(g6_set_j_particle(0, i, i, t[i], dt[i], mass[i], k18, j6, a2, vel[i], pos[i]) == 0);
}

/* Evaluates particles, and returns whether that succeeded. */
static int forces(double time, int ni, int index[], double x[][3], double v[][3], double a[][3],
                  double j[][3], double p[])
{
    static double h2[N];
    g6_set_ti(0, time);
    g6calc_firsthalf(0, N, ni, index, x, v, a, j, p, EPS2, h2);
    return g6calc_lasthalf(0, N, ni, index, x, v, EPS2, h2, a, j, p) == 0;
}

/* Corrects particle i at the end of its step, and chooses its next step. */
static void correct(int i, const double a[3], const double j[3])
{
    const double h = dt[i];
    double snap[3], crackle[3];
    int k;
    for (k = 0; k < 3; ++k) {
        const double da = acc[i][k] - a[k];
        const double s = (-6.0 * da - h * (4.0 * jerk[i][k] + 2.0 * j[k])) / (h * h);
        crackle[k] = (12.0 * da + 6.0 * h * (jerk[i][k] + j[k])) / (h * h * h);
        pos[i][k] += h * (vel[i][k] + h / 2.0 * (acc[i][k] + h / 3.0 * (jerk[i][k] + h / 4.0 * (s + h / 5.0 * crackle[k]))));
        vel[i][k] += h * (acc[i][k] + h / 2.0 * (jerk[i][k] + h / 3.0 * (s + h / 4.0 * crackle[k])));
        snap[k] = s + h * crackle[k];
        acc[i][k] = a[k], jerk[i][k] = j[k];
    }
    t[i] += h;
    dt[i] = step(h, sqrt(ETA * (norm(a) * norm(snap) + norm(j) * norm(j)) /
                         (norm(j) * norm(crackle) + norm(snap) * norm(snap))), t[i]);
}

int main(void)
{
    static int index[N];
    static double x[N][3], v[N][3], a[N][3], j[N][3], p[N];
    double begin, end, time = 0.0;
    long blocks = 0, steps = 0;
    int i, k, n;
    sample();
    CHECK(g6_open(0) == 0);
    for (i = 0; i < N; ++i) index[i] = i, send(i);
    CHECK(forces(0.0, N, index, pos, vel, acc, jerk, pot));
    for (i = 0; i < N; ++i) {
        dt[i] = step(LONGEST, 0.01 * norm(acc[i]) / norm(jerk[i]), 0.0);
        send(i);
    }
    begin = energy();
    while (time < END && failures == 0) {
        time = END;
        for (i = 0; i < N; ++i) time = fmin(time, t[i] + dt[i]);
        for (i = n = 0; i < N; ++i) {
            const double h = dt[i];
            if (t[i] + h != time) continue;
            for (k = 0; k < 3; ++k) {
                x[n][k] = pos[i][k] + h * (vel[i][k] + h / 2.0 * (acc[i][k] + h / 3.0 * jerk[i][k]));
                v[n][k] = vel[i][k] + h * (acc[i][k] + h / 2.0 * jerk[i][k]);
            }
            index[n++] = i;
        }
        CHECK(forces(time, n, index, x, v, a, j, p));
        for (i = 0; i < n; ++i) {
            correct(index[i], a[i], j[i]);
            send(index[i]);
        }
        ++blocks, steps += n;
    }
    for (i = 0; i < N; ++i) index[i] = i;
    CHECK(forces(time, N, index, pos, vel, a, j, pot));
    end = energy();
    printf("%ld blocks, %ld steps, energy %.12f, error %.1e\n", blocks, steps, end, end / begin - 1.0);
    CHECK(near(begin, -0.25, 0.2));
    CHECK(near(end, begin, 1e-5));
    CHECK(g6_close(0) == 0);
    return failures != 0;
}
