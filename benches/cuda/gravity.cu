// Hand-written softened gravity of all ordered pairs, for comparison with generated kernels:
// a_i = sum over j of m_j d / (d^2 + eps^2)^(3/2), d from i to j, G = 1, in f32.
//
//     nvcc -O3 -std=c++17 -arch=native --use_fast_math -o gravity benches/cuda/gravity.cu
//     ./gravity [N...]
#include "bench.cuh"

struct Gravity {
    static constexpr int SUMS = 3; // components of the acceleration

    float eps2; // squared softening length

    // The fourth number is the mass, in (0, 1].
    static float4 particle(unsigned k)
    {
        return site(k, float((k * 2654435769u >> 22) + 1) / 1024);
    }
    static float4 padding() { return {}; }

    void pair(const float4 &i, const float4 &j, double (&sum)[SUMS], double (&size)[SUMS]) const
    {
        const double d[] = {double(j.x) - i.x, double(j.y) - i.y, double(j.z) - i.z};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2;
        for (int c = 0; c < SUMS; ++c) {
            const double term = j.w * d[c] / (r2 * std::sqrt(r2));
            sum[c] += term;
            size[c] += std::abs(term);
        }
    }
};

// A pair takes 13 instructions: 3 FADD, 3 FFMA, MUFU.RSQ, 3 FMUL, 3 FFMA. The softening makes the
// pair of a particle with itself zero, without a branch.
template <int I, int UNROLL, int RESIDENT>
__global__ void __launch_bounds__(BLOCK, RESIDENT) gravity(Work<3> work, Gravity gravity)
{
    Summation<I, 3> summation{work};
    float3 i[I];
#pragma unroll
    for (int m = 0; m < I; ++m) {
        const float4 body = work.particles[summation.index(m)];
        i[m] = {body.x, body.y, body.z};
    }
    summation.run([&](const float4 *bag, int, float (&acc)[I][3]) {
#pragma unroll UNROLL
        for (int k = 0; k < BAG; ++k) {
            const float4 j = bag[k];
#pragma unroll
            for (int m = 0; m < I; ++m) {
                const float dx = j.x - i[m].x, dy = j.y - i[m].y, dz = j.z - i[m].z;
                const float rinv = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, gravity.eps2))));
                const float s = j.w * rinv * (rinv * rinv);
                acc[m][0] = fmaf(s, dx, acc[m][0]);
                acc[m][1] = fmaf(s, dy, acc[m][1]);
                acc[m][2] = fmaf(s, dz, acc[m][2]);
            }
        }
    });
    summation.finish();
}

int main(int count, char **arguments)
{
    const std::vector<int> sizes = numbers(count, arguments);
    Bench<Gravity>::header();
    for (int n : sizes) {
        Bench<Gravity>(Gravity{1.0f / 64}, n).fastest("gravity", {
            {1, gravity<1, 32, 8>},
            {2, gravity<2, 16, 6>},
            {2, gravity<2, 16, 8>},
            {4, gravity<4, 8, 4>},
            {4, gravity<4, 8, 5>},
            {8, gravity<8, 4, 3>},
        });
    }
}
