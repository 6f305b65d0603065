// Runs the kernels of the program above on the CPU, block after block. Each thread of a block is a
// fiber, which runs until it waits for other threads.
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

// Jumps between fibers: faster than switches of contexts. GCC's own jumps save three words.
#if defined(__GNUC__) && !defined(__clang__)
typedef void *Place[5];
#define NBODY_MARK(place) __builtin_setjmp(place)
#define NBODY_JUMP(place) __builtin_longjmp(place, 1)
#else
typedef jmp_buf Place;
#define NBODY_MARK(place) _setjmp(place)
#define NBODY_JUMP(place) _longjmp(place, 1)
#endif

namespace emulated {

enum Status { SUCCESS = 0, DIVERGED = 1, NO_MEMORY = 2 };

// STACK is the least size of the stack of a thread in bytes, a multiple of PAGE, the largest page.
// It has room for copies of the records of the program, which take `RECORDS` bytes, for the
// variables of the declaration, and for the shift of its begin. Below each stack, the host provides
// inaccessible memory of the same size, larger than the frame of any function.
constexpr size_t PAGE = 64 * 1024;
constexpr size_t STACK = (1024 * 1024 + 8 * nbody::RECORDS + PAGE - 1) / PAGE * PAGE + PAGE;
constexpr unsigned WARP = 32;
constexpr unsigned MOST_THREADS = 1024; // threads of a block
// Lanes begin their stacks at different lines of the cache, which cannot hold the same line of 32
// stacks.
constexpr size_t SHIFT = 17 * 64;
static_assert(WARP * SHIFT <= PAGE, "a stack has a page for its shift");

// NEW: not started. AT_BARRIER, AT_WARP_BARRIER, AT_SHUFFLE: waiting for the block or the warp.
// DONE: ended.
enum class State { NEW, AT_BARRIER, AT_WARP_BARRIER, AT_SHUFFLE, DONE };

struct Fiber {
    State state;
    unsigned shuffles;
    Place at; // where it waits
};

// Stacks of at least `STACK` bytes. Each has inaccessible memory of the same size below it.
struct Stacks {
    char *begin;
    size_t bytes; // of one stack
};

// Variables that the fibers of this host thread share.
struct Host {
    Place scheduler;
    Fiber *fibers;
    Stacks stacks;
    ucontext_t context; // of new fibers
    void (*entry)(const void *);
    const void *kernel_call;
    // Values of a shuffle, indexed by the parity of its number: lanes may reach the next shuffle
    // before all lanes have left this one.
    unsigned long long shuffled[2][MOST_THREADS];
};
static thread_local Host host;

static void wait(State state);

// Runs a thread of each block in turn.
static void start()
{
    for (;;) {
        host.entry(host.kernel_call);
        wait(State::DONE);
    }
}

// Goes to the thread with this index.
__attribute__((noinline)) static void run(unsigned t)
{
    threadIdx.x = t;
    Fiber &fiber = host.fibers[t];
    if (fiber.state != State::NEW) NBODY_JUMP(fiber.at);
    const size_t shift = t % WARP * SHIFT;
    host.context.uc_stack.ss_sp = host.stacks.begin + (2 * t + 1) * host.stacks.bytes;
    host.context.uc_stack.ss_size = host.stacks.bytes - shift;
    host.context.uc_link = nullptr;
    makecontext(&host.context, start, 0);
    setcontext(&host.context);
}

__attribute__((noinline)) static void leave() { NBODY_JUMP(host.scheduler); }

// Lets the next lane run, or the scheduler after the last.
__attribute__((noinline)) static void wait(State state)
{
    const unsigned t = threadIdx.x;
    Fiber &fiber = host.fibers[t];
    fiber.state = state;
    if (NBODY_MARK(fiber.at)) return;
    if ((t + 1) % WARP != 0) run(t + 1);
    leave();
}

// Returns the values of all lanes of the warp.
static const unsigned long long *exchange(unsigned long long value)
{
    const unsigned t = threadIdx.x;
    unsigned long long *const values = host.shuffled[host.fibers[t].shuffles++ % 2];
    values[t] = value;
    wait(State::AT_SHUFFLE);
    return values + t / WARP * WARP;
}

__attribute__((noinline)) static void run_lanes(unsigned first)
{
    if (NBODY_MARK(host.scheduler)) return;
    run(first);
}

// Runs the lanes of a warp to the next barrier or to their end. All lanes must stop at the same
// one.
static Status run_warp(unsigned first, State &state)
{
    const Fiber *const fibers = host.fibers;
    do {
        run_lanes(first);
        state = fibers[first].state;
        for (unsigned t = first; t < first + WARP; ++t) {
            if (fibers[t].state != state) return DIVERGED;
        }
    } while (state == State::AT_SHUFFLE || state == State::AT_WARP_BARRIER);
    return SUCCESS;
}

static Status run_block(unsigned threads)
{
    State state = State::NEW;
    while (state != State::DONE) {
        for (unsigned first = 0; first < threads; first += WARP) {
            State found;
            if (run_warp(first, found) != SUCCESS) return DIVERGED;
            if (first > 0 && found != state) return DIVERGED;
            state = found;
        }
    }
    return SUCCESS;
}

// Runs the blocks in descending order, since results must not depend on their order. A launch of
// several phases runs all blocks of one phase before the next phase. `phase` points to the last
// two arguments of the kernel: the number of the phase and its end. On entry they hold the first
// phase and the end of all phases.
template <typename Call>
static Status run_grid(
    const Call &call, unsigned blocks, unsigned threads, unsigned phases, void **phase,
    Stacks stacks)
{
    // New fibers are zeros.
    host.fibers = static_cast<Fiber *>(calloc(threads, sizeof(Fiber)));
    Status status = host.fibers && getcontext(&host.context) == 0 ? SUCCESS : NO_MEMORY;
    host.stacks = stacks;
    host.entry = [](const void *call) { (*static_cast<const Call *>(call))(); };
    host.kernel_call = &call;
    gridDim.x = blocks;
    const unsigned first = phases > 0 ? *static_cast<unsigned *>(phase[0]) : 0;
    for (unsigned number = 0; number < (phases > 0 ? phases : 1); ++number) {
        if (phases > 0) {
            *static_cast<unsigned *>(phase[0]) = first + number;
            *static_cast<unsigned *>(phase[1]) = first + number + 1;
        }
        for (unsigned b = blocks; b > 0 && status == SUCCESS; --b) {
            blockIdx.x = b - 1;
            status = run_block(threads);
        }
    }
    free(host.fibers);
    return status;
}

// The numbers below N. The standard's header takes longer to compile than a short kernel.
template <size_t... K> struct Numbers {};
template <size_t N, size_t... K> struct Below : Below<N - 1, N - 1, K...> {};
template <size_t... K> struct Below<0, K...> {
    using All = Numbers<K...>;
};

template <typename... A, size_t... K>
static Status launch(
    void (*kernel)(A...), unsigned blocks, unsigned phases, void **arguments, Stacks stacks,
    Numbers<K...>)
{
    static_assert(nbody::BLOCK % WARP == 0 && nbody::BLOCK <= MOST_THREADS, "whole warps");
    const auto call = [=] { kernel(*static_cast<A *>(arguments[K])...); };
    void **const phase = phases > 0 ? arguments + sizeof...(A) - 2 : nullptr;
    return run_grid(call, blocks, nbody::BLOCK, phases, phase, stacks);
}

template <typename... A>
static Status launch(
    void (*kernel)(A...), unsigned blocks, unsigned phases, void **arguments, Stacks stacks)
{
    return launch(kernel, blocks, phases, arguments, stacks, typename Below<sizeof...(A)>::All());
}

} // namespace emulated

static void __syncthreads() { emulated::wait(emulated::State::AT_BARRIER); }

static void __syncwarp(unsigned int) { emulated::wait(emulated::State::AT_WARP_BARRIER); }

static unsigned long long __shfl_sync(unsigned int, unsigned long long value, int lane)
{
    return emulated::exchange(value)[unsigned(lane) % emulated::WARP];
}

static unsigned int __shfl_sync(unsigned int lanes, unsigned int value, int lane)
{
    return __shfl_sync(lanes, static_cast<unsigned long long>(value), lane);
}

static unsigned int __shfl_up_sync(unsigned int lanes, unsigned int value, unsigned int step)
{
    const unsigned lane = threadIdx.x % emulated::WARP;
    return __shfl_sync(lanes, value, int(lane < step ? lane : lane - step));
}

static double __shfl_sync(unsigned int lanes, double value, int lane)
{
    const long long bits = __double_as_longlong(value);
    return __longlong_as_double(__shfl_sync(lanes, static_cast<unsigned long long>(bits), lane));
}

static unsigned int __ballot_sync(unsigned int, int holds)
{
    const unsigned long long *const each = emulated::exchange(holds != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < emulated::WARP; ++lane) bits |= unsigned(each[lane]) << lane;
    return bits;
}

namespace emulated {
static void multiply_add(float (&sums)[4], const unsigned int (&a)[2], unsigned int b)
{
    static thread_local unsigned rows[2][WARP], columns[WARP];
    const unsigned lane = threadIdx.x % WARP;
    rows[0][lane] = a[0];
    rows[1][lane] = a[1];
    columns[lane] = b;
    wait(State::AT_WARP_BARRIER);
    for (unsigned k = 0; k < 4; ++k) {
        for (unsigned s = 0; s < 4; ++s) {
            // Elements: rows lane / 4 and lane / 4 + 8; columns lane % 4 * 2 and the next one.
            const float x = __uint_as_float(rows[s / 2][lane / 4 * 4 + k]);
            sums[s] += x * __uint_as_float(columns[(lane % 4 * 2 + s % 2) * 4 + k]);
        }
    }
    wait(State::AT_WARP_BARRIER);
}
} // namespace emulated

static int __all_sync(unsigned int lanes, int holds) { return __ballot_sync(lanes, holds) == ~0u; }

static int __any_sync(unsigned int lanes, int holds) { return __ballot_sync(lanes, holds) != 0; }

// Returns the size of the stack of a thread, in bytes.
extern "C" __attribute__((visibility("default"))) size_t emulated_stack() { return emulated::STACK; }

// Returns the number of threads of a block.
extern "C" __attribute__((visibility("default"))) size_t emulated_threads() { return nbody::BLOCK; }

// Declares the entry point of a kernel; `phases` is 0 for a kernel without phases.
#define NBODY_EMULATE(kernel) \
    extern "C" __attribute__((visibility("default"))) int emulate_##kernel( \
        unsigned blocks, unsigned phases, void **arguments, char *stacks, size_t bytes) \
    { \
        return emulated::launch(nbody::kernel, blocks, phases, arguments, {stacks, bytes}); \
    }
