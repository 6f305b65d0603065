/* Integrators: two bodies that circle each other, on laws that are ready and a law from text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

static void must(int line, int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "line %d: %s: %s\n", line, what, nbody_last_message());
        exit(1);
    }
}
#define MUST(holds) must(__LINE__, holds, #holds)
#define OK(call) MUST((call) == NBODY_OK)

static const char TEXT[] =
    "mod spring { pub struct Spring { pub k: Real } pub struct End { pub pos: Point, pub charge: Real }\n"
    "pub struct Pull { pub force: Vector, pub pot: Real }\n"
    "impl Interaction for Spring { type I = End; type J = End; type F = Pull;\n"
    "fn pair(&self, i: &End, j: &End, f: &mut Pull) { let d = j.pos - i.pos;\n"
    "f.force += self.k * j.charge * d; f.pot += 0.5 * self.k * d.norm2(); } } }\n";

static nbody_column column(const char *field, const void *data) {
    nbody_column column;
    memset(&column, 0, sizeof column);
    column.field = field, column.data = (void *)data, column.type = NBODY_F64;
    return column;
}

/* Runs for half a period of the circle, and checks positions and energy. */
static void circle(nbody_device device, nbody_law law, double parameter, int32_t method, double step, double speed) {
    double x[2][3] = {{-0.5, 0, 0}, {0.5, 0, 0}}, v[2][3] = {{0, 0, 0}, {0, 0, 0}}, m[2] = {0.5, 0.5};
    const double charge[2] = {1, 1}, half = 3.14159265358979323846 * 0.5 / speed;
    double kinetic, potential, first, now, next;
    uint64_t count, particles;
    nbody_engine engine;
    nbody_integrator run;
    nbody_options options = NBODY_OPTIONS;
    nbody_steps steps = NBODY_STEPS;
    nbody_column columns[4];
    size_t n = parameter > 0 ? 4 : 3;
    v[0][1] = -speed, v[1][1] = speed;
    columns[0] = column("pos", x), columns[1] = column("vel", v), columns[2] = column("mass", m);
    columns[3] = column("charge", charge);
    options.precision = NBODY_DOUBLE;
    OK(nbody_engine_all_pairs(device, law, &parameter, 1, &options, &engine));
    steps.method = method, steps.step = step, steps.begin = 2, steps.eta = 0.005;
    if (n == 4) MUST(nbody_integrator_create(engine, 2, columns, 3, &steps, &run) == NBODY_ERROR_ARGUMENT);
    OK(nbody_integrator_create(engine, 2, columns, n, &steps, &run));
    OK(nbody_engine_free(engine));
    OK(nbody_integrator_energies(run, &kinetic, &potential));
    first = kinetic + potential;
    OK(nbody_integrator_advance(run));
    OK(nbody_integrator_advance_to(run, 2 + half));
    OK(nbody_integrator_time(run, &now, &next));
    MUST(now > 2 && now <= 2 + half + 1e-9 && next > now);
    OK(nbody_integrator_count(run, &count, &particles));
    MUST(count > 3 && particles >= count && particles <= 2 * count);
    OK(nbody_integrator_read(run, 2 + half, 2, columns, 3));
    MUST(fabs(x[0][0] - 0.5) < 1e-4 && fabs(x[1][0] + 0.5) < 1e-4 && fabs(v[0][1] - speed) < 1e-3);
    OK(nbody_integrator_energies(run, &kinetic, &potential));
    MUST(fabs(kinetic + potential - first) < 1e-6 * fabs(first));
    MUST(nbody_integrator_read(run, 1, 2, columns, 3) == NBODY_ERROR_ARGUMENT);
    MUST(nbody_integrator_advance_to(run, 1) == NBODY_ERROR_ARGUMENT);
    MUST(nbody_integrator_set_step(run, step) == (method == NBODY_LEAPFROG ? NBODY_OK : NBODY_ERROR_ARGUMENT));
    MUST(nbody_integrator_set_wrap(run, 1) == NBODY_ERROR_ARGUMENT);
    OK(nbody_integrator_free(run));
}

int main(int count, char **arguments) {
    nbody_device device;
    nbody_law gravity, hermite, spring;
    OK(nbody_device_open(count > 1 ? arguments[1] : "cpu", &device));
    OK(nbody_law_ready("gravity", &gravity));
    OK(nbody_law_ready("hermite", &hermite));
    OK(nbody_law_declare(TEXT, sizeof TEXT - 1, NULL, &spring));
    circle(device, gravity, 0, NBODY_LEAPFROG, 1e-3, 0.5);
    circle(device, hermite, 0, NBODY_LEAPFROG, 1e-3, 0.5);
    circle(device, hermite, 0, NBODY_HERMITE, 0.125, 0.5);
    circle(device, hermite, 0, NBODY_BLOCK_HERMITE, 0.125, 0.5);
    circle(device, spring, 2, NBODY_LEAPFROG, 1e-3, sqrt(2.0));
    {
        /* A law without a jerk. */
        const double x[3] = {0, 0, 0}, eps2 = 0;
        nbody_engine engine;
        nbody_integrator run;
        nbody_steps steps = NBODY_STEPS;
        nbody_column columns[3];
        columns[0] = column("pos", x), columns[1] = column("vel", x), columns[2] = column("mass", x);
        OK(nbody_engine_all_pairs(device, gravity, &eps2, 1, NULL, &engine));
        steps.method = NBODY_HERMITE;
        MUST(nbody_integrator_create(engine, 1, columns, 3, &steps, &run) == NBODY_ERROR_UNSUPPORTED);
        MUST(run.id == 0 && strstr(nbody_last_message(), "jerk"));
        OK(nbody_engine_free(engine));
    }
    OK(nbody_device_free(device));
    puts("ok");
    return 0;
}
