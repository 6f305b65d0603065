/* Each argument wrong: a status, a message, and nothing lost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

static void must(int line, nbody_status found, nbody_status expected, const char *part) {
    if (found != expected || (part && !strstr(nbody_last_message(), part))) {
        fprintf(stderr, "line %d: found %d, expected %d with `%s`: %s\n", line, (int)found,
                (int)expected, part ? part : "", nbody_last_message());
        exit(1);
    }
}
#define OK(call) must(__LINE__, call, NBODY_OK, NULL)
#define ARGUMENT(call, part) must(__LINE__, call, NBODY_ERROR_ARGUMENT, part)
#define STATUS(call, status, part) must(__LINE__, call, status, part)

/* A text without a program per particle. */
static const char LAW[] =
    "struct A { a: Real }\nstruct B { x: Real }\nstruct C { sum: Real }\n"
    "impl Interaction for A {\n    type I = B; type J = B; type F = C;\n"
    "    fn pair(&self, i: &B, j: &B, f: &mut C) { f.sum += self.a * i.x * j.x; }\n}\n";

/* Tuples: each wrong argument leaves the tuples and the results before. */
static void tuples(void) {
    static const char HELD[] =
        "struct Held { k: Real }\nstruct Body { x: Real }\nstruct Push { push: Real }\n"
        "impl Tuple for Held {\n    type P = Body; type F = Push;\n"
        "    fn tuple(&self, [a]: [&Body; 1], [f]: [&mut Push; 1]) { f.push -= self.k * a.x; }\n}\n";
    double pos[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}}, k[2] = {3, 1}, length[2] = {1, 1};
    const double box[3] = {4, 4, 4}, bad[3] = {4, 0, 4};
    double force[4][3], push[4], seconds, parameter = 2;
    uint32_t members[5] = {0, 1, 2, 3, 0};
    nbody_options options = NBODY_OPTIONS;
    nbody_column in[2], x, out;
    nbody_device device, other;
    nbody_law law;
    nbody_program bond, held, drift, bad_program;
    nbody_engine engine;
    nbody_runner runner;
    nbody_tuples bonds, holds, none;
    nbody_buffer atoms, bodies, results, few, elsewhere, of_law, pushes;
    size_t count;
    memset(in, 0, sizeof in), memset(&x, 0, sizeof x), memset(&out, 0, sizeof out);
    in[0].field = "k", in[0].data = k, in[0].type = NBODY_F64;
    in[1].field = "length", in[1].data = length, in[1].type = NBODY_F64;
    x.field = "pos", x.data = pos, x.type = NBODY_F64;
    out.field = "force", out.data = force, out.type = NBODY_F64;
    OK(nbody_device_open("cpu", &device));
    OK(nbody_device_open("emulator", &other));

    ARGUMENT(nbody_program_ready("bond", &bad_program), "no ready program `bond`: expected harmonic_bond, ");
    OK(nbody_program_ready("harmonic_bond", &bond));
    OK(nbody_program_declare(HELD, strlen(HELD), "held", &held));
    OK(nbody_program_members(held, &count));
    if (count != 1) exit(1);
    {
        const char text[] = "struct Drift; struct P { x: Real }\n"
                            "impl Update for Drift { type P = P; fn update(&self, p: &mut P) { p.x += 1.0; } }";
        OK(nbody_program_declare(text, strlen(text), NULL, &drift));
        OK(nbody_program_members(drift, &count));
        if (count != 0) exit(1);
    }
    ARGUMENT(nbody_program_fields(bond, NBODY_Q, NULL, 0, &count), "NBODY_P or NBODY_TUPLE");
    ARGUMENT(nbody_program_fields(drift, NBODY_TUPLE, NULL, 0, &count), "NBODY_Q, NBODY_G or NBODY_TOTAL");
    ARGUMENT(nbody_tuples_create(device, drift, NULL, 0, NULL, &bonds), "`drift` is not a tuple");
    ARGUMENT(nbody_runner_create(device, bond, NULL, 0, &runner), "`harmonic_bond` is not a program per particle");
    ARGUMENT(nbody_tuples_create(device, held, NULL, 0, NULL, &holds), "0 parameters, expected 1: k: Real");
    options.lengths = box;
    STATUS(nbody_tuples_create(device, held, &parameter, 1, &options, &holds), NBODY_ERROR_UNSUPPORTED, "held");
    if (holds.id != 0) exit(1);
    options.precision = 4;
    ARGUMENT(nbody_tuples_create(device, bond, NULL, 0, &options, &bonds), "precision 4");
    options.precision = NBODY_DOUBLE;
    OK(nbody_tuples_create(device, bond, NULL, 0, &options, &bonds));
    OK(nbody_tuples_create(device, held, &parameter, 1, NULL, &holds));
    parameter = NAN;
    STATUS(nbody_tuples_set_parameters(holds, &parameter, 1), NBODY_ERROR_NUMBERS, "`k` is NaN");
    ARGUMENT(nbody_tuples_set_parameters(bonds, &parameter, 1), "1 parameters, expected 0: none");
    ARGUMENT(nbody_tuples_set_domain(bonds, bad), "along y");

    /* The good tuple, which stays. */
    OK(nbody_tuples_set(bonds, 4, 1, 2, members, 0, in, 2));
    ARGUMENT(nbody_tuples_set(bonds, 4, 1, 3, members, 0, in, 2), "tuples of 3 particles, expected 2 of `harmonic_bond`");
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, NULL, 0, in, 2), "indices is NULL");
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 6, in, 2), "indices at a stride of 6 bytes: expected a multiple of 4");
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, PTRDIFF_MIN, in, 2), "beyond any memory");
    ARGUMENT(nbody_tuples_set(bonds, 4, (size_t)1 << 40, 2, members, 0, in, 2), "2199023255552 particles");
    ARGUMENT(nbody_tuples_set(bonds, (size_t)1 << 32, 2, 2, members, 0, in, 2), "4294967296 particles");
    ARGUMENT(nbody_tuples_set(bonds, 3, 2, 2, members, 0, in, 2), "tuples[1] names particle 3 of 3");
    members[3] = (uint32_t)-1;
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 0, in, 2), "tuples[1] names particle 4294967295 of 4");
    members[3] = 2;
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 0, in, 2), "tuple 1 names particle 2 twice");
    members[3] = 3;
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 0, in, 1), "columns `k`, expected `k`, `length`");
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 0, NULL, 0), "columns none, expected `k`, `length`");
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 0, NULL, 2), "columns is NULL");
    ARGUMENT(nbody_tuples_set(holds, 4, 2, 1, members, 0, in, 1), "no field `k`: expected none");
    in[1].memory = in[0].memory = NBODY_DEVICE_MEMORY;
    STATUS(nbody_tuples_set(bonds, 4, 2, 2, members, 0, in, 2), NBODY_ERROR_UNSUPPORTED, "memory of the host");
    in[1].memory = in[0].memory = NBODY_HOST_MEMORY;
    in[1].type = NBODY_U32;
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 0, in, 2), "float or double");
    in[1].type = NBODY_F64, in[1].data = NULL;
    ARGUMENT(nbody_tuples_set(bonds, 4, 2, 2, members, 0, in, 2), "NULL");
    in[1].data = length;
    OK(nbody_tuples_count(bonds, &count));
    if (count != 1) exit(1);

    ARGUMENT(nbody_tuples_upload(bonds, 4, in, 2, &atoms), "no field `k`: expected `pos`");
    ARGUMENT(nbody_tuples_upload(bonds, 4, NULL, 0, &atoms), "columns none, expected `pos`");
    OK(nbody_tuples_upload(bonds, 4, &x, 1, &atoms));
    OK(nbody_tuples_results(bonds, 4, &results));
    OK(nbody_tuples_evaluate(bonds, atoms, results, NBODY_REPLACE));
    ARGUMENT(nbody_tuples_evaluate(bonds, atoms, results, 3), "store 3");
    ARGUMENT(nbody_tuples_evaluate(bonds, atoms, atoms, NBODY_ADD), "one buffer");
    ARGUMENT(nbody_tuples_evaluate(bonds, results, atoms, NBODY_ADD), "particles of tuples");
    OK(nbody_tuples_results(bonds, 3, &few));
    ARGUMENT(nbody_tuples_evaluate(bonds, atoms, few, NBODY_ADD), "results of tuples: found 3, expected 4");
    OK(nbody_buffer_free(few));
    OK(nbody_tuples_upload(bonds, 3, &x, 1, &few));
    ARGUMENT(nbody_tuples_evaluate(bonds, few, results, NBODY_ADD), "particles of tuples: found 3, expected 4");
    x.field = "x", x.record_stride = sizeof pos[0];
    OK(nbody_tuples_upload(holds, 4, &x, 1, &bodies));
    ARGUMENT(nbody_tuples_evaluate(bonds, bodies, results, NBODY_ADD), "`harmonic_bond` needs a field `pos: Point`");
    OK(nbody_law_ready("neighbours", &law));
    parameter = 1;
    OK(nbody_engine_all_pairs(device, law, &parameter, 1, NULL, &engine));
    OK(nbody_engine_results(engine, 4, &of_law));
    ARGUMENT(nbody_tuples_evaluate(bonds, atoms, of_law, NBODY_ADD), "`harmonic_bond` needs a field `force: Vector`");
    ARGUMENT(nbody_tuples_time(bonds, atoms, results, NBODY_ADD, NULL), "NULL");
    ARGUMENT(nbody_tuples_time(bonds, atoms, results, 0, &seconds), "store 0");
    OK(nbody_tuples_create(other, bond, NULL, 0, &options, &none));
    x.field = "pos", x.record_stride = 0;
    OK(nbody_tuples_upload(none, 4, &x, 1, &elsewhere));
    ARGUMENT(nbody_tuples_evaluate(bonds, elsewhere, results, NBODY_ADD), "particles of tuples");
    OK(nbody_tuples_set(none, 4, 1, 2, members, 0, in, 2));
    ARGUMENT(nbody_tuples_evaluate(none, atoms, results, NBODY_ADD), "particles of tuples");
    ARGUMENT(nbody_tuples_evaluate(none, elsewhere, results, NBODY_ADD), "results of tuples");
    OK(nbody_tuples_free(none));
    ARGUMENT(nbody_tuples_free(none), "freed");
    none.id = bonds.id ^ (uint64_t)15 << 56;
    ARGUMENT(nbody_tuples_count(none, &count), "expected the handle of tuples");

    /* Without a record, and with other parameters. */
    OK(nbody_tuples_set(holds, 4, 2, 1, members, 0, NULL, 0));
    OK(nbody_tuples_results(holds, 4, &pushes));
    OK(nbody_tuples_evaluate(holds, bodies, pushes, NBODY_REPLACE));
    parameter = 7;
    OK(nbody_tuples_set_parameters(holds, &parameter, 1));
    OK(nbody_tuples_evaluate(holds, bodies, pushes, NBODY_ADD));
    x.field = "push", x.data = push;
    OK(nbody_buffer_read(pushes, 0, 4, &x, 1));
    if (push[0] != 0 || push[1] != -18 || push[2] != 0) exit(1);
    OK(nbody_buffer_free(pushes));

    /* The bond of length 2 in the box of 4 pulls with 3, once. */
    OK(nbody_buffer_read(results, 0, 4, &out, 1));
    if (fabs(force[0][0]) != 3 || force[0][0] != -force[1][0] || force[2][1] != 0) exit(1);
    OK(nbody_tuples_free(bonds));
    OK(nbody_tuples_free(holds));
    OK(nbody_engine_free(engine));
    OK(nbody_buffer_free(atoms));
    OK(nbody_buffer_free(bodies));
    OK(nbody_buffer_free(results));
    OK(nbody_buffer_free(few));
    OK(nbody_buffer_free(elsewhere));
    OK(nbody_buffer_free(of_law));
    OK(nbody_device_free(device));
    OK(nbody_device_free(other));
}

int main(void) {
    static double pos[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, mass[4] = {1, 1, 1, 1};
    double eps2 = 0.01, acc[4][3], seconds;
    nbody_device device, none;
    nbody_law law, bad;
    nbody_program program;
    nbody_engine engine, tree, mixed;
    nbody_buffer bodies, results, freed;
    nbody_options options = NBODY_OPTIONS;
    nbody_column in[2], one;
    uint32_t address[2] = {1, 1};
    const nbody_buffer itself = {0};
    size_t count;

    tuples();
    memset(in, 0, sizeof in);
    in[0].field = "pos", in[0].data = pos, in[0].type = NBODY_F64;
    in[1].field = "mass", in[1].data = mass, in[1].type = NBODY_F64;

    OK(nbody_device_open("cpu", &device));
    ARGUMENT(nbody_device_open(NULL, &none), "NULL");
    if (none.id != 0) return 1;
    ARGUMENT(nbody_device_open("cpu", NULL), "NULL");
    ARGUMENT(nbody_device_open("gpu", &none), "unknown device `gpu`");
    ARGUMENT(nbody_device_open("gpu", &none), "or best");
    ARGUMENT(nbody_device_open("\xff", &none), "UTF-8");

    ARGUMENT(nbody_law_ready("gravitation", &bad), "expected gravity");
    STATUS(nbody_law_declare("struct A", 8, NULL, &bad), NBODY_ERROR_DECLARATION, "text:1:");
    ARGUMENT(nbody_law_declare(NULL, 8, NULL, &bad), "NULL");
    ARGUMENT(nbody_law_declare("a", (size_t)-1, NULL, &bad), "beyond any memory");
    ARGUMENT(nbody_program_declare(LAW, strlen(LAW), NULL, &program), "declare `impl Update");
    ARGUMENT(nbody_law_read("/nowhere/law.rs", NULL, &bad), "/nowhere/law.rs");
    ARGUMENT(nbody_law_fields(bad, NBODY_I, NULL, 0, &count), "(0)");
    OK(nbody_law_ready("gravity", &law));
    ARGUMENT(nbody_law_fields(law, NBODY_P, NULL, 0, &count), "NBODY_PARAMETERS");
    ARGUMENT(nbody_law_fields(law, NBODY_I, NULL, 1, &count), "NULL");
    OK(nbody_law_fields(law, NBODY_I, NULL, 0, &count));

    ARGUMENT(nbody_engine_all_pairs(device, law, NULL, 0, NULL, &engine), "0 parameters, expected 1: eps2: Real");
    ARGUMENT(nbody_engine_all_pairs(device, law, NULL, 1, NULL, &engine), "NULL");
    ARGUMENT(nbody_engine_all_pairs(none, law, &eps2, 1, NULL, &engine), "device");
    options.precision = 9;
    ARGUMENT(nbody_engine_all_pairs(device, law, &eps2, 1, &options, &engine), "precision 9");
    options.precision = 0;
    options.size = 0;
    ARGUMENT(nbody_engine_all_pairs(device, law, &eps2, 1, &options, &engine), "NBODY_OPTIONS");
    options.size = sizeof options;
    options.bag = 16;
    ARGUMENT(nbody_engine_all_pairs(device, law, &eps2, 1, &options, &engine), "splits");
    OK(nbody_engine_all_pairs(device, law, &eps2, 1, NULL, &engine));
    ARGUMENT(nbody_engine_tree(device, law, &eps2, 1, NBODY_THETA, NAN, 0, NULL, &tree), "NaN");
    ARGUMENT(nbody_engine_tree(device, law, &eps2, 1, 0, 0.5, 0, NULL, &tree), "criterion 0");
    OK(nbody_engine_tree(device, law, &eps2, 1, NBODY_THETA, 0.5, 0, NULL, &tree));
    STATUS(nbody_engine_lists(device, law, &eps2, 1, NBODY_AUTO_SKIN, NULL, &mixed), NBODY_ERROR_UNSUPPORTED, "no cutoff");
    ARGUMENT(nbody_engine_set_opening(engine, NBODY_THETA, 0.5, 0), "tree");
    ARGUMENT(nbody_engine_exclude(engine, 0, NULL), "lists");
    {
        double box[3] = {1, -1, 1};
        double skewed[9] = {1, 0, 0, 0.6, 1, 0, 0, 0, 1};
        ARGUMENT(nbody_engine_set_domain(engine, box), "along y");
        ARGUMENT(nbody_engine_set_triclinic(engine, skewed), "more than ax / 2");
        ARGUMENT(nbody_engine_set_triclinic(engine, NULL), "NULL");
        skewed[3] = 0.5;
        OK(nbody_engine_set_triclinic(engine, skewed));
        STATUS(nbody_engine_set_triclinic(tree, skewed), NBODY_ERROR_UNSUPPORTED, "trees in a triclinic box");
        OK(nbody_engine_set_domain(engine, NULL));
    }

    /* Columns. */
    ARGUMENT(nbody_engine_upload(engine, NBODY_F, 4, in, 2, &bodies), "record 4");
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 1, &bodies), "one for each field");
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, NULL, 2, &bodies), "NULL");
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, (size_t)-1, in, 2, &bodies), "beyond any memory");
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, (size_t)1 << 60, in, 2, &bodies), "beyond any memory");
    in[1].field = "mas";
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "no field `mas`: expected `pos`, `mass`");
    in[1].field = "pos";
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "two columns of `pos`");
    in[1].field = NULL;
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "columns[1].field");
    in[1].field = "mass", in[1].type = NBODY_I32;
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "float or double");
    in[1].type = 0;
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "type 0");
    in[1].type = NBODY_F64, in[1].memory = NBODY_DEVICE_MEMORY;
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "in one memory");
    in[0].memory = NBODY_DEVICE_MEMORY;
    STATUS(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), NBODY_ERROR_UNSUPPORTED, "memory of the host");
    in[0].memory = NBODY_HOST_MEMORY, in[1].memory = 2;
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "memory 2");
    in[1].memory = NBODY_HOST_MEMORY, in[1].data = NULL;
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "NULL");
    in[1].data = mass, in[1].record_stride = PTRDIFF_MAX;
    ARGUMENT(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies), "beyond any memory");
    in[1].record_stride = 0;
    OK(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies));
    OK(nbody_engine_results(engine, 4, &results));

    /* Buffers. */
    ARGUMENT(nbody_engine_evaluate(engine, bodies, bodies, 0, results, NBODY_REPLACE), "sources 0");
    ARGUMENT(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, results, 0), "store 0");
    ARGUMENT(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, bodies, NBODY_REPLACE), "one buffer");
    ARGUMENT(nbody_engine_evaluate(engine, results, bodies, NBODY_OTHERS, bodies, NBODY_REPLACE), NULL);
    ARGUMENT(nbody_engine_time(engine, bodies, bodies, NBODY_SAME, results, NULL), "NULL");
    OK(nbody_engine_time(engine, bodies, bodies, NBODY_SAME, results, &seconds));
    ARGUMENT(nbody_buffer_write(results, 4, in, 2), "results");
    ARGUMENT(nbody_buffer_write(bodies, 3, in, 1), "some fields");
    ARGUMENT(nbody_buffer_write_at(bodies, 2, address, in, 1), "are both 1");
    address[1] = 4;
    ARGUMENT(nbody_buffer_write_at(bodies, 2, address, in, 1), "give one for each field");
    address[1] = 5;
    ARGUMENT(nbody_buffer_write_at(bodies, 2, address, in, 2), "no row for address 4");
    address[1] = 4;
    OK(nbody_buffer_write_at(bodies, 2, address, in, 2));
    OK(nbody_buffer_count(bodies, &count));
    if (count != 5) return 1;
    OK(nbody_buffer_write(bodies, 4, in, 2));
    ARGUMENT(nbody_buffer_append(bodies, bodies), "one buffer");
    ARGUMENT(nbody_buffer_append(bodies, results), "results given as particles to append");
    ARGUMENT(nbody_buffer_append(results, bodies), "results given as particles to append to");
    ARGUMENT(nbody_buffer_retain(bodies, itself, "alive", &count), "no field `alive: u32`");
    if (count != 0) return 1;
    ARGUMENT(nbody_buffer_retain(bodies, itself, NULL, &count), "NULL");
    ARGUMENT(nbody_buffer_retain(bodies, itself, "alive", NULL), "NULL");
    ARGUMENT(nbody_buffer_retain(bodies, results, "alive", &count), "results given as particles");
    ARGUMENT(nbody_buffer_resize(bodies, 3), "particles");
    memset(&one, 0, sizeof one);
    one.field = "acc", one.data = acc, one.type = NBODY_F64;
    ARGUMENT(nbody_buffer_read(results, 1, 4, &one, 1), "4 records from 1");
    ARGUMENT(nbody_buffer_read(results, (size_t)-1, 4, &one, 1), "records from");
    one.record_stride = 8;
    ARGUMENT(nbody_buffer_read(results, 0, 4, &one, 1), "overlap");
    one.record_stride = -24, one.data = acc[3];
    OK(nbody_buffer_read(results, 0, 4, &one, 1));

    /* No particles. */
    in[0].data = in[1].data = NULL;
    OK(nbody_engine_upload(engine, NBODY_I, 0, in, 2, &freed));
    OK(nbody_buffer_resize(results, 0));
    OK(nbody_engine_evaluate(engine, freed, freed, NBODY_SAME, results, NBODY_REPLACE));
    OK(nbody_buffer_read(results, 0, 0, &one, 1));
    OK(nbody_buffer_free(freed));
    OK(nbody_buffer_resize(results, 4));
    in[0].data = pos, in[1].data = mass;

    /* Handles. */
    mixed.id = bodies.id;
    ARGUMENT(nbody_engine_set_domain(mixed, NULL), "found the handle of a buffer, expected the handle of an engine");
    ARGUMENT(nbody_engine_free(mixed), "buffer");
    mixed.id = (uint64_t)(size_t)&mixed;
    ARGUMENT(nbody_engine_free(mixed), "no handle of nbody");
    freed = bodies;
    OK(nbody_buffer_free(bodies));
    ARGUMENT(nbody_buffer_free(freed), "freed");
    ARGUMENT(nbody_engine_evaluate(engine, freed, freed, NBODY_SAME, results, NBODY_REPLACE), "freed");
    OK(nbody_engine_upload(engine, NBODY_I, 4, in, 2, &bodies));
    ARGUMENT(nbody_buffer_count(freed, &count), "freed");
    OK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, results, NBODY_REPLACE));
    freed.id = 0;
    OK(nbody_buffer_free(freed));
    OK(nbody_device_free(device));
    ARGUMENT(nbody_device_free(device), "freed");
    OK(nbody_engine_evaluate(engine, bodies, bodies, NBODY_SAME, results, NBODY_REPLACE));
    OK(nbody_engine_free(engine));
    OK(nbody_engine_free(tree));
    OK(nbody_buffer_free(bodies));
    OK(nbody_buffer_free(results));
    puts("ok");
    return 0;
}
