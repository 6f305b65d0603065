// Common parts of the hand-written kernels: loads of j-particles, sums, and the host program,
// which finds the fastest kernels, times them and checks their results.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

constexpr int BLOCK = 128;         // threads
constexpr int BAG = 256;           // j-particles in shared memory
constexpr int SITES = 1 << 30;     // for particles, see `site`
constexpr int CHECKED = 256; // i-particles to compare with a double loop in f64
constexpr double TOLERANCE = 5e-6; // of sums, relative to the sum of the magnitudes of their terms
constexpr int WAVES = 16; // largest number of waves of blocks due to splits
constexpr int RUNS = 5;            // fewest runs of a measurement
constexpr float TIME = 1000;       // shortest duration of a measurement, in ms
constexpr float TRIAL = 100; // shortest duration of a trial, in ms

#define CHECK(call) check(call, #call)
inline void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
}

// All pairs of n particles; the j-particles are cut into splits. Blocks that run side by side read
// the same j-particles: block = split * tiles + tile of i-particles.
template <int SUMS>
struct Work {
    const float4 *particles; // n, and padding up to a whole tile
    int n, splits;
    double *parts;   // sum c of i-particle k by split s at [(s * SUMS + c) * n + k]
    unsigned *ended; // ended splits of each tile of i-particles, zero before and after
    float *out;      // sum c of i-particle k at [k * SUMS + c]
};

// The I i-particles of this thread and their sums. The thread reads each j-particle once for all
// of them.
template <int I, int SUMS>
struct Summation {
    const Work<SUMS> work;
    const int tiles = tiles_of(work.n);
    const int tile = blockIdx.x % tiles, split = blockIdx.x / tiles;
    double total[I][SUMS] = {};

    __host__ __device__ static int tiles_of(int n) { return (n - 1) / (BLOCK * I) + 1; }

    __device__ int place(int m) const { return (tile * I + m) * BLOCK + threadIdx.x; }
    // Threads beyond the last particle repeat it and write nothing.
    __device__ int index(int m) const { return min(place(m), work.n - 1); }

    template <typename Do>
    __device__ __forceinline__ static void each(Do act)
    {
#pragma unroll
        for (int m = 0; m < I; ++m) {
#pragma unroll
            for (int c = 0; c < SUMS; ++c) act(m, c);
        }
    }

    // Calls add(bag of j-particles, index of its first j-particle, sums) for all bags of this
    // split, and folds the sums of each bag into f64. The next bag is loaded while this one is
    // read.
    template <typename Add>
    __device__ __forceinline__ void run(Add add)
    {
        __shared__ float4 halves[2][BAG];
        const long long all = (work.n - 1) / BAG + 1;
        const int begin = all * split / work.splits, end = all * (split + 1) / work.splits;
        const auto fetch = [&](int t) {
#pragma unroll
            for (int k = threadIdx.x, turn = 0; turn < BAG / BLOCK; ++turn, k += BLOCK) {
                const auto to = unsigned(__cvta_generic_to_shared(&halves[t % 2][k]));
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                             "l"(&work.particles[t * BAG + k]) : "memory");
            }
        };
        fetch(begin);
        for (int t = begin; t < end; ++t) {
            asm volatile("cp.async.wait_all;" ::: "memory");
            __syncthreads(); // this bag is loaded, and no thread reads the previous one
            if (t + 1 < end) fetch(t + 1);
            float sums[I][SUMS] = {};
            add(halves[t % 2], t * BAG, sums);
            each([&](int m, int c) { total[m][c] += sums[m][c]; });
        }
    }

    // The last split of a tile to end sums all splits, in order: every run has the same bits.
    __device__ __forceinline__ void finish()
    {
        const auto part = [&](int s, int m, int c) {
            return &work.parts[(size_t(s) * SUMS + c) * work.n + index(m)];
        };
        if (work.splits > 1) {
            each([&](int m, int c) {
                if (place(m) < work.n) *part(split, m, c) = total[m][c];
            });
            __shared__ bool last;
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence(); // the part comes before the count,
                last = atomicAdd(&work.ended[tile], 1u) == unsigned(work.splits - 1);
                if (last) work.ended[tile] = 0;
                __threadfence(); // and the parts of others are read after it
            }
            __syncthreads();
            if (!last) return;
            each([&](int m, int c) { total[m][c] = 0; });
#pragma unroll 4
            for (int s = 0; s < work.splits; ++s) {
                each([&](int m, int c) { total[m][c] += __ldcg(part(s, m, c)); });
            }
        }
        each([&](int m, int c) {
            if (place(m) < work.n) work.out[size_t(place(m)) * SUMS + c] = float(total[m][c]);
        });
    }
};

// Particle k, with w, at its own site of a lattice of 2^-10 in the unit cube, as if at random.
// Squared distances are exact in f32, so that a cutoff separates the same pairs in f32 and f64,
// and no distance is zero.
inline float4 site(unsigned k, float w)
{
    for (unsigned odd : {0x2c1b3c6du, 0x297a2d39u, 0x1b56c4e9u}) { // permutes the sites
        k = (k ^ k >> 15) * odd % SITES;
    }
    k ^= k >> 15;
    const auto coordinate = [](unsigned c) { return float(c % 1024 + 1) / 1024; };
    return {coordinate(k), coordinate(k >> 10), coordinate(k >> 20), w};
}

template <typename T>
struct Buffer {
    T *at;

    explicit Buffer(size_t count) { CHECK(cudaMalloc(&at, count * sizeof(T))); }
    Buffer(const Buffer &) = delete;
    ~Buffer() { cudaFree(at); }
};

// Kernels on the same n particles, checked and timed. An `Interaction` has
//   SUMS                   numbers of the result of an i-particle
//   particle(k), padding() particle k, and a particle that acts on nothing
//   pair(i, j, sum, size)  adds the action of j on i, and the sizes of its terms, in f64
template <typename Interaction>
class Bench {
public:
    static constexpr int SUMS = Interaction::SUMS;
    struct Kernel {
        int i_per_thread;
        void (*run)(Work<SUMS>, Interaction);
    };

    Bench(const Interaction &interaction, int n)
        : interaction(interaction), n(n), particles((n - 1) / BAG * BAG + BAG),
          ended((n - 1) / BLOCK + 1), out(size_t(n) * SUMS), found(size_t(n) * SUMS)
    {
        std::vector<float4> host;
        for (int k = 0; k < n; ++k) host.push_back(Interaction::particle(k));
        host.resize((n - 1) / BAG * BAG + BAG, Interaction::padding());
        const size_t bytes = host.size() * sizeof(float4);
        CHECK(cudaMemcpy(particles.at, host.data(), bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(ended.at, 0, ((n - 1) / BLOCK + 1) * sizeof(unsigned)));
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&stop));
        for (Checked &each : checked) {
            each.i = (&each - checked) * (n - 1ll) / (CHECKED - 1); // the first and the last, too
            for (int j = 0; j < n; ++j) {
                if (j != each.i) interaction.pair(host[each.i], host[j], each.sum, each.size);
            }
        }
    }
    ~Bench()
    {
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
    }

    static void header()
    {
        std::printf("%10s  %-10s %8s %6s %11s %7s %9s %8s\n", "N", "kernel", "i/thread", "splits",
                    "ms", "spread", "Gpairs/s", "error");
    }

    // Prints the fastest of several kernels. Each is tried with numbers of splits that fill the
    // GPU once or several times.
    void fastest(const char *name, std::initializer_list<Kernel> kernels)
    {
        Kernel best{};
        int best_splits = 0;
        float least = std::numeric_limits<float>::infinity();
        double error = 0;
        for (const Kernel &kernel : kernels) {
            int multiprocessors, resident, before = 0;
            CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
            CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel.run, BLOCK, 0));
            for (int waves = 1; waves <= WAVES; waves *= 2) {
                const int wanted = waves * multiprocessors * resident / tiles(kernel);
                const int splits = std::clamp(wanted, 1, (n - 1) / BAG + 1);
                if (splits == before) continue;
                before = splits;
                const float ms = median(times(kernel, splits, 1, TRIAL));
                error = std::max(error, compare(name, kernel, splits));
                if (ms < least) best = kernel, best_splits = splits, least = ms;
            }
        }
        const std::vector<float> ms = times(best, best_splits, RUNS, TIME);
        const double middle = median(ms);
        std::printf("%10d  %-10s %8d %6d %11.4f %6.1f%% %9.1f %8.1e\n", n, name, best.i_per_thread,
                    best_splits, middle, 100 * (ms.back() - ms.front()) / middle,
                    double(n) * n / middle * 1e-6, error);
        std::fflush(stdout);
    }

private:
    struct Checked {
        int i;
        double sum[SUMS] = {}, size[SUMS] = {};
    };

    int tiles(const Kernel &kernel) const
    {
        return (n - 1) / (BLOCK * kernel.i_per_thread) + 1;
    }

    static float median(const std::vector<float> &sorted) { return sorted[sorted.size() / 2]; }

    // Returns the sorted times in milliseconds of at least this many runs, for at least this time.
    std::vector<float> times(const Kernel &kernel, int splits, size_t runs, float time)
    {
        const Buffer<double> parts(splits > 1 ? size_t(splits) * SUMS * n : 1);
        const Work<SUMS> work{particles.at, n, splits, parts.at, ended.at, out.at};
        CHECK(cudaMemset(out.at, 0xff, found.size() * sizeof(float))); // NaN
        const auto once = [&] {
            float ms;
            CHECK(cudaEventRecord(start));
            kernel.run<<<tiles(kernel) * splits, BLOCK>>>(work, interaction);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            return ms;
        };
        const float first = once(); // clocks and caches warm up
        if (runs == 1 && first > time) return {first};
        std::vector<float> ms;
        for (float sum = 0; ms.size() < runs || sum < time; sum += ms.back()) ms.push_back(once());
        std::sort(ms.begin(), ms.end());
        return ms;
    }

    // Returns the largest error of the results of the last run.
    double compare(const char *name, const Kernel &kernel, int splits)
    {
        CHECK(cudaMemcpy(found.data(), out.at, found.size() * sizeof(float),
                         cudaMemcpyDeviceToHost));
        double largest = 0;
        for (const Checked &each : checked) {
            for (int c = 0; c < SUMS; ++c) {
                const double difference = std::abs(found[size_t(each.i) * SUMS + c] - each.sum[c]);
                const double error = difference == 0 ? 0 : difference / each.size[c];
                if (!(error <= TOLERANCE)) {
                    std::fprintf(stderr,
                                 "N = %d, %s, %d i-particles for a thread, %d splits: error %g of "
                                 "sum %d of i-particle %d is above %g\n",
                                 n, name, kernel.i_per_thread, splits, error, c, each.i, TOLERANCE);
                    std::exit(1);
                }
                largest = std::max(largest, error);
            }
        }
        return largest;
    }

    const Interaction interaction;
    const int n;
    const Buffer<float4> particles;
    const Buffer<unsigned> ended;
    const Buffer<float> out;
    std::vector<float> found;
    Checked checked[CHECKED];
    cudaEvent_t start, stop;
};

// Returns the numbers of particles on the command line, or the default numbers.
inline std::vector<int> numbers(int count, char **arguments)
{
    std::vector<int> numbers;
    for (int k = 1; k < count; ++k) {
        const char *const end = arguments[k] + std::strlen(arguments[k]);
        int n = 0;
        const auto [rest, error] = std::from_chars(arguments[k], end, n);
        if (error != std::errc() || rest != end || n < 1 || n > SITES) {
            std::fprintf(stderr, "%s: expected a number of particles from 1 to %d\nusage: %s [N...]\n",
                         arguments[k], SITES, arguments[0]);
            std::exit(2);
        }
        numbers.push_back(n);
    }
    return numbers.empty() ? std::vector<int>{16384, 131072, 1048576} : numbers;
}
