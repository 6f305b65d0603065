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
    size_t count;

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
        ARGUMENT(nbody_engine_set_domain(engine, box), "along y");
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
