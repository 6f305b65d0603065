// Far particles: a few j-particles with the moments of a cell, as nbody-core's `tree::far` chooses
// them.
namespace nbody {

// The far particles of a cell: positions relative to its centre, and charges.
struct FarParticles {
    u32 count;
    Position at[FAR];
    double charges[FAR][CHARGES];

    template <typename Charge>
    __device__ __forceinline__ void push(const Position &position, const Charge &charge)
    {
        at[count] = position;
#pragma unroll
        for (u32 c = 0; c < CHARGES; ++c) charges[count][c] = charge(c);
        ++count;
    }
};

// The principal axes of the second moments of a weight, and the second moments per weight along
// them, in descending order.
struct Axes {
    double lengths2[3];
    Position axes[3];
};

// Zeroes element (P, Q) of a symmetric matrix by a rotation.
template <u32 P, u32 Q>
__device__ __forceinline__ void rotate(double (&matrix)[3][3], Position (&axes)[3])
{
    const double element = matrix[P][Q];
    if (element == 0.0) return;
    const double ratio = (matrix[Q][Q] - matrix[P][P]) / (2.0 * element);
    const double sign = ::copysign(1.0, ratio);
    const double tangent = sign / (::fabs(ratio) + ::sqrt(ratio * ratio + 1.0));
    const double cosine = 1.0 / ::sqrt(tangent * tangent + 1.0);
    const double sine = tangent * cosine;
    matrix[P][P] -= tangent * element;
    matrix[Q][Q] += tangent * element;
    constexpr u32 R = 3 - P - Q;
    const double of_p = matrix[R][P], of_q = matrix[R][Q];
    matrix[P][Q] = matrix[Q][P] = 0.0;
    matrix[R][P] = matrix[P][R] = cosine * of_p - sine * of_q;
    matrix[R][Q] = matrix[Q][R] = sine * of_p + cosine * of_q;
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        const double p = axes[P].x[k], q = axes[Q].x[k];
        axes[P].x[k] = cosine * p + -sine * q;
        axes[Q].x[k] = sine * p + cosine * q;
    }
}

template <typename T> __device__ __forceinline__ void exchange(T &a, T &b)
{
    const T first = a;
    a = b;
    b = first;
}

// Finds the axes by Jacobi's rotations.
template <typename Moments> __device__ __forceinline__ Axes axes_of(const Moments &weight)
{
    double mean[6];
#pragma unroll
    for (u32 k = 0; k < 6; ++k) {
        mean[k] = weight.second[k] / weight.sum;
        if (!is_finite(mean[k])) mean[k] = 0.0;
    }
    double matrix[3][3] = {
        {mean[0], mean[3], mean[4]}, {mean[3], mean[1], mean[5]}, {mean[4], mean[5], mean[2]}};
    Axes found = {{}, {{{1.0, 0.0, 0.0}}, {{0.0, 1.0, 0.0}}, {{0.0, 0.0, 1.0}}}};
#pragma unroll 1
    for (u32 sweep = 0; sweep < SWEEPS; ++sweep) {
        rotate<0, 1>(matrix, found.axes);
        rotate<0, 2>(matrix, found.axes);
        rotate<1, 2>(matrix, found.axes);
    }
    double (&lengths2)[3] = found.lengths2;
    for (u32 k = 0; k < 3; ++k) lengths2[k] = matrix[k][k];
    const auto order = [&](u32 a, u32 b) {
        if (!(lengths2[a] < lengths2[b])) return;
        exchange(lengths2[a], lengths2[b]);
        exchange(found.axes[a], found.axes[b]);
    };
    order(0, 1);
    order(1, 2);
    order(0, 1);
    const double least = FLAT * lengths2[0];
    for (u32 k = 0; k < 3; ++k) lengths2[k] = lengths2[k] > least ? lengths2[k] : 0.0;
    return found;
}

__device__ __forceinline__ double dot(const double (&a)[3], const double (&b)[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Returns x a + y b.
__device__ __forceinline__ Position sum_of(double x, const Position &a, double y, const Position &b)
{
    Position sum;
    for (u32 k = 0; k < 3; ++k) sum.x[k] = x * a.x[k] + y * b.x[k];
    return sum;
}

__device__ __forceinline__ Position scaled(double x, const Position &a)
{
    return {a.x[0] * x, a.x[1] * x, a.x[2] * x};
}

__device__ __forceinline__ double sqrt_of_positive(double x) { return ::sqrt(::fmax(x, 0.0)); }

// Adds three equal charges with the traceless second moments of the cell (Kawai & Makino 2001,
// Astrophys. J. 550, L143).
__device__ __forceinline__ void push_three(FarParticles &far, const Axes &axes, double total)
{
    const double alpha = sqrt_of_positive(0.5 * (axes.lengths2[0] - axes.lengths2[2]));
    const double beta = sqrt_of_positive(0.5 * (axes.lengths2[1] - axes.lengths2[2]));
    const double root3 = ::sqrt(3.0);
    const double places[][2] = {{0.0, 2.0 * beta}, {root3 * alpha, -beta}, {-root3 * alpha, -beta}};
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        const Position at = sum_of(places[k][0], axes.axes[0], places[k][1], axes.axes[1]);
        far.push(at, [=](u32) { return total / 3.0; });
    }
}

// Adds six particles of equal weight with the second moments of the weight, and with the sum and
// the first moments of each charge.
template <typename Moments>
__device__ __forceinline__ void push_six(
    FarParticles &far, const Axes &axes, const Moments (&charges)[CHARGES])
{
#pragma unroll
    for (u32 a = 0; a < 3; ++a) {
        const double length = sqrt_of_positive(3.0 * axes.lengths2[a]);
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
            const double side = k == 0 ? length : -length;
            far.push(scaled(side, axes.axes[a]), [&](u32 c) {
                const double moment = dot(charges[c].first, axes.axes[a].x);
                // The two particles on this axis alone have this first moment.
                return charges[c].sum / 6.0 + (side == 0.0 ? 0.0 : moment / (2.0 * side));
            });
        }
    }
}

// Adds ten particles with arbitrary moments up to the second order of all charges: the centre,
// both sides of the three axes of the weight, and three corners between the axes.
template <typename Moments>
__device__ __forceinline__ void push_ten(
    FarParticles &far, const Axes &axes, const Moments (&charges)[CHARGES])
{
    double lengths[3], unit[3];
    for (u32 a = 0; a < 3; ++a) {
        lengths[a] = sqrt_of_positive(3.0 * axes.lengths2[a]);
        unit[a] = lengths[a] > 0.0 ? 1.0 / lengths[a] : 0.0;
    }
    // Moments along the axes, in units of these lengths.
    const auto first = [&](u32 c, u32 a) { return dot(charges[c].first, axes.axes[a].x) * unit[a]; };
    const auto second = [&](u32 c, u32 a, u32 b) {
        const double (&s)[6] = charges[c].second;
        const double rows[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
        double product[3];
        for (u32 k = 0; k < 3; ++k) product[k] = dot(rows[k], axes.axes[b].x);
        return dot(axes.axes[a].x, product) * unit[a] * unit[b];
    };
    far.push({}, [&](u32 c) {
        const double squares = second(c, 0, 0) + second(c, 1, 1) + second(c, 2, 2);
        return charges[c].sum - squares + second(c, 0, 1) + second(c, 0, 2) + second(c, 1, 2);
    });
#pragma unroll
    for (u32 a = 0; a < 3; ++a) {
        const u32 b = (a + 1) % 3, other = (a + 2) % 3;
        far.push(scaled(lengths[a], axes.axes[a]), [&](u32 c) {
            const double corners = second(c, a, b) + second(c, a, other);
            return 0.5 * (second(c, a, a) + first(c, a)) - corners;
        });
        far.push(scaled(-lengths[a], axes.axes[a]), [&](u32 c) {
            return 0.5 * (second(c, a, a) - first(c, a));
        });
    }
#pragma unroll
    for (u32 k = 0; k < 3; ++k) {
        const u32 a = k < 2 ? 0 : 1, b = k == 0 ? 1 : 2;
        const Position at = sum_of(lengths[a], axes.axes[a], lengths[b], axes.axes[b]);
        far.push(at, [&](u32 c) { return second(c, a, b); });
    }
}

// Keeps charge c from being 0, since other charges are divided by it.
__device__ __forceinline__ void keep_from_zero(FarParticles &far, u32 c, double weight)
{
    double largest = 0.0;
    for (u32 k = 0; k < far.count; ++k) largest = ::fmax(largest, ::fabs(far.charges[k][c]));
    const double least = LEAST * (largest > 0.0 ? largest : weight);
    for (u32 k = 0; k < far.count; ++k) {
        double &charge = far.charges[k][c];
        if (::fabs(charge) < least) charge = ::copysign(least, charge);
    }
}

// Chooses the far particles of a cell with this number of particles; none if they would not be
// fewer. A template, since monopoles lack some members.
template <typename Summary, typename Moments>
__device__ __forceinline__ void choose_far(
    FarParticles &far, const Summary &summary, const Moments (&charges)[CHARGES], u32 particles,
    bool is_harmonic)
{
    far.count = 0;
    if constexpr (!SECOND) {
        if (particles > 1) far.push({}, [&](u32 c) { return charges[c].sum; });
    } else if (!summary.is_of_one_sign) {
        if (particles > 10) push_ten(far, axes_of(summary.weight), charges);
    } else if (CHARGES == 1 && is_harmonic) {
        if (particles > 3) push_three(far, axes_of(summary.weight), charges[0].sum);
    } else {
        if (particles > 6) push_six(far, axes_of(summary.weight), charges);
    }
    if (far.count > 0) each_divisor([&](u32 c) { keep_from_zero(far, c, summary.weight.sum); });
}

} // namespace nbody
