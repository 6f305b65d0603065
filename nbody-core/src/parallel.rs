//! Loops on all threads, compiled once: callers hand in closures behind references, so that their
//! types do not reach the thread pool, whose code would be compiled again for each of them.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// The stack that any thread has left for a task.
const STACK: usize = 1 << 20;

/// Runs a task that takes so many bytes of stack, and those that it starts, in threads made for it if
/// others may have less. Whether they can be made.
pub(crate) fn with_stack(bytes: usize, task: &mut (dyn FnMut() + Send)) -> bool {
    if bytes <= STACK {
        task();
        return true;
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads())
        .stack_size(bytes.saturating_add(STACK))
        .build();
    pool.map(|pool| pool.install(task)).is_ok()
}

/// How many threads there are.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// Runs a task for each of `0..count`.
pub(crate) fn each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

/// Gives each chunk of a slice, with the number of its first item, to a task.
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
    // Whoever comes next takes the next.
    each(count, &|_| {
        let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
        if let Some((k, items)) = next {
            task(k * chunk, items);
        }
    });
}

/// Collects what a function, which takes so many bytes of stack, makes of `0..n`.
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
        // What there is may do: the stack is an estimate, and there is no other way.
        task();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_whatever_the_chunk() {
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

    /// More numbers than a thread has room for by itself, one after another.
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
