//! Parallel loops. They take closures by reference to trait objects, so that the code of the
//! thread pool is compiled once and not for each type of closure.
//!
//! Loops keep results by value, in registers or on the stack. Where copies of a law's records
//! would overflow the stack of a thread, an evaluation runs in threads with a larger stack
//! (`with_stack`).

use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack in bytes that every thread of a pool has left for a task.
const STACK: usize = 1 << 20;

/// Runs a task that needs `bytes` of stack, with all tasks that it starts, in a thread pool of its
/// own if other threads may have less. Returns `false` without running the task if no such pool
/// can be created.
pub(crate) fn with_stack(bytes: usize, task: &mut (dyn FnMut() + Send)) -> bool {
    if bytes <= STACK {
        task();
        return true;
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads())
        .stack_size(bytes.saturating_add(STACK))
        .build();
    pool.map(|pool| pool.install(task)).is_ok()
}

/// Returns the number of threads.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// Runs a task for each of `0..count`.
pub(crate) fn each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    let run = || (0..count).into_par_iter().for_each(task);
    if !is_fork() {
        return run();
    }
    match pool_of_fork() {
        Some(pool) => pool.install(run),
        None => (0..count).for_each(task),
    }
}

/// Returns whether this process was forked from the one that the threads of the common pool belong to: it
/// has none of them, and would wait for them for ever.
fn is_fork() -> bool {
    static PROCESS: OnceLock<u32> = OnceLock::new();
    let here = std::process::id();
    *PROCESS.get_or_init(|| here) != here && rayon::current_thread_index().is_none()
}

/// Returns a pool of this process; `None` if no pool can be created.
fn pool_of_fork() -> Option<&'static ThreadPool> {
    static POOL: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);
    let here = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = *pool
        && process == here
    {
        return Some(pool);
    }
    // The pool of another process is left alone, since its threads are not here.
    let made = ThreadPoolBuilder::new().num_threads(threads()).build().ok()?;
    let made: &'static ThreadPool = Box::leak(Box::new(made));
    *pool = Some((here, made));
    Some(made)
}

/// Runs a task for each chunk of a slice, with the index of its first item.
pub(crate) fn each_chunk<T: Send>(
    items: &mut [T],
    chunk: usize,
    task: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    let chunk = chunk.max(1);
    if items.len() <= chunk {
        return task(0, items);
    }
    let count = items.len().div_ceil(chunk);
    let chunks = Mutex::new(items.chunks_mut(chunk).enumerate());
    // Each task takes the next chunk, whatever its own number.
    each(count, &|_| {
        let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
        if let Some((k, items)) = next {
            task(k * chunk, items);
        }
    });
}

/// Collects `make(0)` to `make(n - 1)`; `make` needs `stack` bytes of stack.
pub(crate) fn map<T: Clone + Default + Send>(
    n: usize,
    stack: usize,
    make: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let mut all = Vec::new();
    let task = &mut || {
        all = vec![T::default(); n];
        each_chunk(&mut all, 1, &|k, items| items.iter_mut().for_each(|item| *item = make(k)));
    };
    if !with_stack(stack, task) {
        // The stack of the present threads may suffice, since `stack` is an upper estimate.
        task();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_in_order_for_every_chunk() {
        for n in [0, 1, 7, 8, 9, 100] {
            let expected: Vec<_> = (0..n).map(|k| k * k).collect();
            for chunk in [0, 1, 3, 8, 1000] {
                let mut squares = vec![0; n];
                each_chunk(&mut squares, chunk, &|first, items| {
                    items.iter_mut().enumerate().for_each(|(k, item)| *item = (first + k).pow(2));
                });
                assert_eq!(squares, expected, "{n} {chunk}");
            }
            for stack in [0, 3 * STACK] {
                assert_eq!(map(n, stack, &|k| k * k), expected, "{n} {stack}");
            }
        }
    }

    /// Recurses with 8 KiB of stack at each level, more in total than a default thread has.
    #[inline(never)]
    fn deep(depth: usize) -> u64 {
        let numbers = std::hint::black_box([depth as u64; 1 << 10]);
        if depth == 0 { 0 } else { numbers[depth] - depth as u64 + deep(depth - 1) }
    }

    #[test]
    fn tasks_have_the_stack_that_they_need() {
        let sums = map(4, 1 << 25, &|k| deep(300 * k));
        assert_eq!(sums, [0; 4]);
        assert!(!with_stack(usize::MAX, &mut || unreachable!("no thread has that")));
    }
}
