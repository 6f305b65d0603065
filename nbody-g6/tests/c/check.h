/* Checks of test programs, and arrays between guards. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "g6lib.h"

static int failures = 0;

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static inline void check(int holds, const char *condition, int line)
{
    if (holds) return;
    ++failures;
    printf("line %d: %s\n", line, condition);
}

static inline int near(double found, double expected, double error)
{
    return fabs(found - expected) <= error * fabs(expected);
}

/* Sets a j-particle at rest. */
static inline int at_rest(int id, int address, int index, double mass, double x, double y, double z)
{
    double zero[3] = {0.0, 0.0, 0.0}, pos[3];
    pos[0] = x, pos[1] = y, pos[2] = z;
    return g6_set_j_particle(id, address, index, 0.0, 0.125, mass, zero, zero, zero, zero, pos);
}

#endif
