// Runs the kernels of the program above on the CPU: block after block, each thread of a block a
// fiber that runs from barrier to barrier.
#include <stdlib.h>
#include <ucontext.h>

#include <utility>

thread_local emulated::Dim threadIdx, blockIdx;

namespace emulated {

enum Status { SUCCESS = 0, DIVERGED = 1, NO_MEMORY = 2 };

constexpr size_t STACK = 256 * 1024;

enum class State { READY, WAITING, DONE };

struct Fiber {
    ucontext_t context;
    State state;
};

// What the fibers of this thread of the host share.
static thread_local ucontext_t scheduler;
static thread_local Fiber *running;
static thread_local void (*entry)(const void *);
static thread_local const void *kernel_call;

static void yield(State state)
{
    running->state = state;
    swapcontext(&running->context, &scheduler);
}

static void start()
{
    entry(kernel_call);
    yield(State::DONE);
}

// Runs each fiber to its next barrier; the fibers must all reach it, or all end.
static Status run_to_barrier(Fiber *fibers, unsigned threads, bool &ended)
{
    unsigned done = 0;
    for (unsigned t = 0; t < threads; ++t) {
        running = &fibers[t];
        threadIdx.x = t;
        swapcontext(&scheduler, &running->context);
        done += running->state == State::DONE;
    }
    ended = done == threads;
    return done == 0 || ended ? SUCCESS : DIVERGED;
}

static Status run_block(Fiber *fibers, char *stacks, unsigned threads)
{
    for (unsigned t = 0; t < threads; ++t) {
        getcontext(&fibers[t].context);
        fibers[t].context.uc_stack.ss_sp = stacks + t * STACK;
        fibers[t].context.uc_stack.ss_size = STACK;
        fibers[t].context.uc_link = nullptr;
        makecontext(&fibers[t].context, start, 0);
    }
    bool ended = false;
    Status status = SUCCESS;
    while (!ended && status == SUCCESS) status = run_to_barrier(fibers, threads, ended);
    return status;
}

template <typename Call>
static Status run_grid(const Call &call, unsigned blocks, unsigned threads)
{
    auto *fibers = static_cast<Fiber *>(malloc(threads * sizeof(Fiber)));
    auto *stacks = static_cast<char *>(malloc(threads * STACK));
    Status status = fibers && stacks ? SUCCESS : NO_MEMORY;
    entry = [](const void *call) { (*static_cast<const Call *>(call))(); };
    kernel_call = &call;
    for (unsigned b = 0; b < blocks && status == SUCCESS; ++b) {
        blockIdx.x = b;
        status = run_block(fibers, stacks, threads);
    }
    free(stacks);
    free(fibers);
    return status;
}

template <typename... A, size_t... K>
static Status launch(
    void (*kernel)(A...), unsigned blocks, void **arguments, std::index_sequence<K...>)
{
    return run_grid(
        [=] { kernel(*static_cast<A *>(arguments[K])...); }, blocks, nbody::BLOCK);
}

template <typename... A>
static Status launch(void (*kernel)(A...), unsigned blocks, void **arguments)
{
    return launch(kernel, blocks, arguments, std::index_sequence_for<A...>());
}

} // namespace emulated

void __syncthreads() { emulated::yield(emulated::State::WAITING); }

extern "C" int emulate_all_pairs(unsigned blocks, void **arguments)
{
    return emulated::launch(nbody::all_pairs, blocks, arguments);
}

extern "C" int emulate_merge_splits(unsigned blocks, void **arguments)
{
    return emulated::launch(nbody::merge_splits, blocks, arguments);
}
