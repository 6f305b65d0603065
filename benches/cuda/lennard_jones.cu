// Hand-written Lennard-Jones forces of all ordered pairs, for comparison with generated kernels:
// u(r) = 4 epsilon (s^12 - s^6) with s = sigma / r within the cutoff, parameters by both types.
// Force, potential and virial of each i-particle, in f32.
//
//     nvcc -O3 -std=c++17 -arch=native --use_fast_math -o lj benches/cuda/lennard_jones.cu
//     ./lj [N...]
#include "bench.cuh"

#include <type_traits>

struct LennardJones {
    static constexpr int SUMS = 5; // force, potential, virial
    static constexpr int TYPES = 4;

    float2 powers[TYPES][TYPES]; // 4 epsilon sigma^12 and 4 epsilon sigma^6
    float cutoff2;

    static double sigma2(int a, int b) { return (4 + a) * (4 + b) / 16384.0; }
    static double epsilon(int a, int b) { return (8 + a) * (8 + b) / 64.0; }

    explicit LennardJones(float cutoff) : cutoff2(cutoff * cutoff)
    {
        for (int a = 0; a < TYPES; ++a) {
            for (int b = 0; b < TYPES; ++b) {
                const double sigma6 = std::pow(sigma2(a, b), 3);
                powers[a][b].x = float(4 * epsilon(a, b) * sigma6 * sigma6);
                powers[a][b].y = float(4 * epsilon(a, b) * sigma6);
            }
        }
    }

    // The fourth number has the bits of the type.
    static float4 particle(unsigned k)
    {
        const unsigned type = k * 2654435769u >> 30;
        float w;
        std::memcpy(&w, &type, sizeof w);
        return site(k, w);
    }
    static float4 padding() { return {1e18f, 1e18f, 1e18f, 0}; }

    void pair(const float4 &i, const float4 &j, double (&sum)[SUMS], double (&size)[SUMS]) const
    {
        const double d[] = {double(i.x) - j.x, double(i.y) - j.y, double(i.z) - j.z};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 >= cutoff2) return;
        unsigned a, b;
        std::memcpy(&a, &i.w, sizeof a);
        std::memcpy(&b, &j.w, sizeof b);
        const double s6 = std::pow(sigma2(a, b) / r2, 3);
        const double u6 = 4 * epsilon(a, b) * s6, u12 = u6 * s6;
        const auto add = [&](int c, double repulsion, double attraction) {
            sum[c] += repulsion - attraction;
            size[c] += std::abs(repulsion) + std::abs(attraction);
        };
        for (int c = 0; c < 3; ++c) add(c, 12 * u12 / r2 * d[c], 6 * u6 / r2 * d[c]);
        add(3, u12, u6);
        add(4, 12 * u12, 6 * u6);
    }
};

// Keeps an address in shared memory in a register. The compiler would recompute a known address by
// four instructions wherever it is used.
template <typename T>
__device__ __forceinline__ T *kept(T *shared)
{
    const auto address = unsigned(__cvta_generic_to_shared(shared));
    return static_cast<T *>(__cvta_shared_to_generic(__shfl_sync(~0u, address, threadIdx.x % 32)));
}

// The i-particles of a thread, and their sums.
template <int I>
struct Atoms : Summation<I, 5> {
    float3 at[I];
    const float2 *powers[I]; // by the type of j

    __device__ __forceinline__ Atoms(const Work<5> &work, const LennardJones &lj)
        : Summation<I, 5>{work}
    {
        constexpr int TYPES = LennardJones::TYPES;
        __shared__ float2 table[TYPES * TYPES]; // one word per bank: no bank conflicts
#pragma unroll
        for (int k = 0; k < TYPES * TYPES; ++k) table[k] = lj.powers[k / TYPES][k % TYPES];
#pragma unroll
        for (int m = 0; m < I; ++m) {
            const float4 atom = work.particles[this->index(m)];
            at[m] = {atom.x, atom.y, atom.z};
            powers[m] = kept(table + TYPES * __float_as_uint(atom.w));
        }
    }

    __device__ __forceinline__ float3 difference(int m, const float4 &j) const
    {
        return {at[m].x - j.x, at[m].y - j.y, at[m].z - j.z};
    }

    // Adds a sixth of the force and virial of j, and its potential; zero if r2inv is zero.
    __device__ __forceinline__ void add(int m, const float4 &j, const float3 &d, float r2inv,
                                        float (&sums)[5]) const
    {
        const float2 power = powers[m][__float_as_uint(j.w)];
        const float r6inv = r2inv * r2inv * r2inv;
        const float well = fmaf(power.x, r6inv, -power.y); // the potential times r^6
        const float virial = r6inv * fmaf(power.x, r6inv, well);
        const float s = virial * r2inv;
        sums[0] = fmaf(s, d.x, sums[0]);
        sums[1] = fmaf(s, d.y, sums[1]);
        sums[2] = fmaf(s, d.z, sums[2]);
        sums[3] = fmaf(r6inv, well, sums[3]);
        sums[4] += virial;
    }

    __device__ __forceinline__ void finish()
    {
        this->each([&](int m, int c) { this->total[m][c] *= c == 3 ? 1 : 6; });
        Summation<I, 5>::finish();
    }
};

// a^2 + c
__device__ __forceinline__ float norm2_plus(const float3 &a, float c)
{
    return fmaf(a.x, a.x, fmaf(a.y, a.y, fmaf(a.z, a.z, c)));
}

// All lanes of a warp loop over a bag together. With BRANCH, a warp evaluates the pair if any lane
// has a hit. Without BRANCH, it evaluates every pair; pairs beyond the cutoff add zero.
template <int I, bool BRANCH, int RESIDENT>
__global__ void __launch_bounds__(BLOCK, RESIDENT) side_by_side(Work<5> work, LennardJones lj)
{
    Atoms<I> i(work, lj);
    i.run([&](const float4 *bag, int first, float (&sums)[I][5]) {
        const auto meet = [&](auto diagonal) {
#pragma unroll 4
            for (int k = 0; k < BAG; ++k) {
                const float4 j = bag[k];
#pragma unroll
                for (int m = 0; m < I; ++m) {
                    const float3 d = i.difference(m, j);
                    const float r2 = norm2_plus(d, 0);
                    const bool self = diagonal.value && first + k == i.index(m);
                    const bool near = r2 < lj.cutoff2 && !self;
                    if (BRANCH && !near) continue;
                    i.add(m, j, d, near ? 1 / r2 : 0, sums[m]);
                }
            }
        };
        // Self pairs occur only where the bag overlaps the tile.
        const int begin = i.tile * BLOCK * I;
        if (first < begin + BLOCK * I && begin < first + BAG) meet(std::true_type());
        else meet(std::false_type());
    });
    i.finish();
}

// Cutoff filter: each lane marks its hits in a bag, a bit for each candidate, and then loops over
// its own hits. A warp iterates as often as its busiest lane has hits; with all lanes together it
// would evaluate nearly every candidate.
template <int I, int UNROLL, int RESIDENT>
__global__ void __launch_bounds__(BLOCK, RESIDENT) filtered(Work<5> work, LennardJones lj)
{
    constexpr int WORDS = BAG / 32, NEXT = I * BLOCK;
    __shared__ unsigned words[(WORDS + 1) * NEXT]; // one word beyond the last is read
    unsigned *const hits = kept(words + threadIdx.x);
    Atoms<I> i(work, lj);
    i.run([&](const float4 *bag, int first, float (&sums)[I][5]) {
#pragma unroll 1
        for (int word = 0; word < WORDS; ++word) {
            unsigned near[I] = {};
#pragma unroll UNROLL
            for (int k = 31; k >= 0; --k) {
                const float4 j = bag[word * 32 + k];
#pragma unroll
                for (int m = 0; m < I; ++m) {
                    // The sign bit marks a hit; one instruction shifts it in.
                    const float beyond = norm2_plus(i.difference(m, j), -lj.cutoff2);
                    near[m] = __funnelshift_l(__float_as_uint(beyond), near[m], 1);
                }
            }
#pragma unroll
            for (int m = 0; m < I; ++m) hits[word * NEXT + m * BLOCK] = near[m];
        }
#pragma unroll
        for (int m = 0; m < I; ++m) {
            unsigned *const mine = hits + m * BLOCK;
            const int self = i.index(m) - first;
            if (0 <= self && self < BAG) mine[self / 32 * NEXT] &= ~(1u << self % 32);
            // Without a branch in the loop, lanes stay together when one of them needs its next
            // word.
            unsigned near = mine[0];
            for (int word = 0; word < WORDS;) {
                const int k = (31 - __clz(near)) & 31;
                const float4 j = bag[word * 32 + k];
                const float3 d = i.difference(m, j);
                i.add(m, j, d, near != 0 ? 1 / norm2_plus(d, 0) : 0, sums[m]);
                near &= ~(1u << k);
                if (near == 0) near = mine[++word * NEXT];
            }
        }
    });
    i.finish();
}

int main(int count, char **arguments)
{
    const std::vector<int> sizes = numbers(count, arguments);
    Bench<LennardJones>::header();
    for (int n : sizes) {
        Bench<LennardJones> bench(LennardJones(0.25f), n);
        bench.fastest("branch", {{1, side_by_side<1, true, 8>}, {2, side_by_side<2, true, 6>}});
        bench.fastest("select", {{1, side_by_side<1, false, 8>},
                                 {2, side_by_side<2, false, 6>},
                                 {4, side_by_side<4, false, 4>}});
        bench.fastest("filtered", {{1, filtered<1, 32, 8>},
                                {2, filtered<2, 32, 6>},
                                {2, filtered<2, 32, 8>},
                                {4, filtered<4, 16, 4>}});
    }
}
