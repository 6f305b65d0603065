// The intrinsics of x86.
#pragma once

#if defined(__clang__) || !__has_include(<avx512dqintrin.h>)
#include <immintrin.h>
#else
// GCC spends a third of a second on all of <immintrin.h>, longer than on a law. Its parts ask for
// the guard of the whole.
#ifndef _IMMINTRIN_H_INCLUDED
#define _IMMINTRIN_H_INCLUDED
#endif
// GCC 12 warns of its own undefined registers (bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <smmintrin.h>

#include <avxintrin.h>

#include <avx2intrin.h>

#include <fmaintrin.h>
#ifdef __AVX512F__
#include <avx512fintrin.h>

#include <avx512dqintrin.h>
#endif
#pragma GCC diagnostic pop
#endif

// The intrinsic for numbers of the lane, and for integers as wide as they are.
#if NBODY_IS_DOUBLE
#define NBODY_P(name) name##_pd
#define NBODY_EPI(name) name##_epi64
#define NBODY_EPU(name) name##_epu64
#else
#define NBODY_P(name) name##_ps
#define NBODY_EPI(name) name##_epi32
#define NBODY_EPU(name) name##_epu32
#endif
