// Refinement of estimates by the binomial series of (1 - error)^-exponent.
#pragma once

namespace nbody::series {

// The largest number of terms of a series.
constexpr size_t MOST_TERMS = 3;

// The largest error of the square of an estimate in double precision, which has 14 bits.
constexpr double LARGEST_ERROR = 1.0 / 8192.0;

// Constants of (1 - error)^-exponent in single precision, to second order, as a completed square:
// factor * ((error + shift)^2 + rest). nbody-core says why they have these values.
struct Square {
    double factor, one_and_shift, rest;
};

// Returns the constants of an exponent of 1 or 3/2.
constexpr Square square(double exponent)
{
    const double factor = exponent > 1.0 ? 2.0 : 1.0;
    const double shift = exponent / (2.0 * factor);
    return {factor, 1.0 + shift, 1.0 / factor - shift * shift};
}

// The coefficients of 1, error, error^2, ...
struct Coefficients {
    double at[MOST_TERMS + 1];
};

// Returns the coefficient of error^term.
constexpr double coefficient(double exponent, size_t term)
{
    double product = 1.0;
    for (size_t k = 0; k < term; ++k) product *= (exponent + double(k)) / double(k + 1);
    return product;
}

constexpr Coefficients coefficients(double exponent)
{
    Coefficients all{};
    for (size_t term = 0; term <= MOST_TERMS; ++term) all.at[term] = coefficient(exponent, term);
    return all;
}

// Returns the coefficients of a series with `terms` terms after the 1. The last coefficient but one
// compensates for most of the first omitted term (economization).
constexpr Coefficients economized(double exponent, size_t terms)
{
    Coefficients all = coefficients(exponent);
    if (terms > 1) {
        all.at[terms - 1] += coefficient(exponent, terms + 1) * LARGEST_ERROR * LARGEST_ERROR;
    }
    return all;
}

} // namespace nbody::series
