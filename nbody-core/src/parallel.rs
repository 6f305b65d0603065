//! Loops on all threads, compiled once: callers hand in closures behind references, so that their
//! types do not reach the thread pool, whose code would be compiled again for each of them.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

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

/// Collects what a function makes of `0..n`, of which a thread takes `chunk` at a time.
pub(crate) fn map<T: Clone + Default + Send>(
    n: usize,
    chunk: usize,
    make: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let mut all = vec![T::default(); n];
    each_chunk(&mut all, chunk, &|first, items| {
        for (k, item) in items.iter_mut().enumerate() {
            *item = make(first + k);
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_whatever_the_chunk() {
        for n in [0, 1, 7, 8, 9, 100] {
            for chunk in [0, 1, 3, 8, 1000] {
                let squares = map(n, chunk, &|k| k * k);
                assert_eq!(squares, (0..n).map(|k| k * k).collect::<Vec<_>>(), "{n} {chunk}");
            }
        }
    }
}
