// Runs the kernels of the program above on the CPU, block after block. Each thread of a block is a
// fiber, which runs until it waits for other threads.
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

#include <utility>

thread_local emulated::Dim threadIdx, blockIdx, gridDim;

namespace emulated {

enum Status { SUCCESS = 0, DIVERGED = 1, NO_MEMORY = 2 };

// STACK is the least size of the stack of a thread in bytes, a multiple of PAGE, the largest page.
// It has room for copies of the records of the program, which take `RECORDS` bytes, and for the
// variables of the declaration. Below each stack, the host provides inaccessible memory of the
// same size, larger than the frame of any function.
constexpr size_t PAGE = 64 * 1024;
constexpr size_t STACK = (1024 * 1024 + 8 * nbody::RECORDS + PAGE - 1) / PAGE * PAGE;
constexpr unsigned WARP = 32;
constexpr unsigned MOST_THREADS = 1024; // threads of a block

// NEW: not started. AT_BARRIER, AT_WARP_BARRIER, AT_SHUFFLE: waiting for the block or the warp.
// DONE: ended.
enum class State { NEW, AT_BARRIER, AT_WARP_BARRIER, AT_SHUFFLE, DONE };

struct Fiber {
    State state;
    ucontext_t begin;
    jmp_buf at; // where it waits: jumps are faster than context switches
    unsigned shuffles;
};

// Variables that the fibers of this host thread share.
static thread_local jmp_buf scheduler;
static thread_local Fiber *running;
static thread_local void (*entry)(const void *);
static thread_local const void *kernel_call;
// Values of a shuffle, indexed by the parity of its number: lanes may reach the next shuffle
// before all lanes have left this one.
static thread_local unsigned long long shuffled[2][MOST_THREADS];

static void wait(State state)
{
    running->state = state;
    if (!_setjmp(running->at)) _longjmp(scheduler, 1);
}

// Returns the values of all lanes of the warp.
static const unsigned long long *exchange(unsigned long long value)
{
    unsigned long long *const values = shuffled[running->shuffles++ % 2];
    const unsigned warp = threadIdx.x / WARP * WARP;
    values[threadIdx.x] = value;
    wait(State::AT_SHUFFLE);
    return values + warp;
}

// Runs a thread of each block in turn.
static void start()
{
    for (;;) {
        entry(kernel_call);
        wait(State::DONE);
    }
}

static void run_to_wait(Fiber &fiber)
{
    if (_setjmp(scheduler)) return;
    running = &fiber;
    if (fiber.state == State::NEW) setcontext(&fiber.begin);
    _longjmp(fiber.at, 1);
}

// Runs the lanes of a warp to the next barrier or to their end. All lanes must stop at the same
// one.
static Status run_warp(Fiber *fibers, unsigned first, State &state)
{
    do {
        for (unsigned t = first; t < first + WARP; ++t) {
            threadIdx.x = t;
            run_to_wait(fibers[t]);
        }
        state = fibers[first].state;
        for (unsigned t = first; t < first + WARP; ++t) {
            if (fibers[t].state != state) return DIVERGED;
        }
    } while (state == State::AT_SHUFFLE || state == State::AT_WARP_BARRIER);
    return SUCCESS;
}

// Stacks of at least `STACK` bytes. Each has inaccessible memory of the same size below it.
struct Stacks {
    char *begin;
    size_t bytes; // of one stack
};

// Assigns a stack to each fiber.
static void begin(Fiber *fibers, Stacks stacks, unsigned threads)
{
    for (unsigned t = 0; t < threads; ++t) {
        fibers[t].state = State::NEW;
        fibers[t].shuffles = 0;
        getcontext(&fibers[t].begin);
        fibers[t].begin.uc_stack.ss_sp = stacks.begin + (2 * t + 1) * stacks.bytes;
        fibers[t].begin.uc_stack.ss_size = stacks.bytes;
        fibers[t].begin.uc_link = nullptr;
        makecontext(&fibers[t].begin, start, 0);
    }
}

static Status run_block(Fiber *fibers, unsigned threads)
{
    State state = State::NEW;
    while (state != State::DONE) {
        for (unsigned first = 0; first < threads; first += WARP) {
            State found;
            if (run_warp(fibers, first, found) != SUCCESS) return DIVERGED;
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
    auto *fibers = static_cast<Fiber *>(malloc(threads * sizeof(Fiber)));
    Status status = fibers ? SUCCESS : NO_MEMORY;
    if (status == SUCCESS) begin(fibers, stacks, threads);
    entry = [](const void *call) { (*static_cast<const Call *>(call))(); };
    kernel_call = &call;
    gridDim.x = blocks;
    const unsigned first = phases > 0 ? *static_cast<unsigned *>(phase[0]) : 0;
    for (unsigned number = 0; number < (phases > 0 ? phases : 1); ++number) {
        if (phases > 0) {
            *static_cast<unsigned *>(phase[0]) = first + number;
            *static_cast<unsigned *>(phase[1]) = first + number + 1;
        }
        for (unsigned b = blocks; b > 0 && status == SUCCESS; --b) {
            blockIdx.x = b - 1;
            status = run_block(fibers, threads);
        }
    }
    free(fibers);
    return status;
}

template <typename... A, size_t... K>
static Status launch(
    void (*kernel)(A...), unsigned blocks, unsigned phases, void **arguments, Stacks stacks,
    std::index_sequence<K...>)
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
    return launch(kernel, blocks, phases, arguments, stacks, std::index_sequence_for<A...>());
}

} // namespace emulated

void __syncthreads() { emulated::wait(emulated::State::AT_BARRIER); }

void __syncwarp(unsigned int) { emulated::wait(emulated::State::AT_WARP_BARRIER); }

unsigned long long __shfl_sync(unsigned int, unsigned long long value, int lane)
{
    return emulated::exchange(value)[unsigned(lane) % emulated::WARP];
}

unsigned int __shfl_sync(unsigned int lanes, unsigned int value, int lane)
{
    return __shfl_sync(lanes, static_cast<unsigned long long>(value), lane);
}

unsigned int __shfl_up_sync(unsigned int lanes, unsigned int value, unsigned int step)
{
    const unsigned lane = threadIdx.x % emulated::WARP;
    return __shfl_sync(lanes, value, int(lane < step ? lane : lane - step));
}

double __shfl_sync(unsigned int lanes, double value, int lane)
{
    const long long bits = __double_as_longlong(value);
    return __longlong_as_double(__shfl_sync(lanes, static_cast<unsigned long long>(bits), lane));
}

unsigned int __ballot_sync(unsigned int, int holds)
{
    const unsigned long long *const each = emulated::exchange(holds != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < emulated::WARP; ++lane) bits |= unsigned(each[lane]) << lane;
    return bits;
}

void emulated::multiply_add(float (&sums)[4], const unsigned int (&a)[2], unsigned int b)
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

int __all_sync(unsigned int lanes, int holds) { return __ballot_sync(lanes, holds) == ~0u; }

int __any_sync(unsigned int lanes, int holds) { return __ballot_sync(lanes, holds) != 0; }

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
