//! The measured peak of the processor, by multiply-adds alone.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::numeric::precision::Precision;
#[cfg(target_arch = "aarch64")]
use crate::numeric::simd::array::Array;
use crate::numeric::simd::lanes::{LINE, Lanes, Line, Word};
use crate::numeric::simd::level::SimdLevel;
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::{avx2, avx512};
use crate::options::{Math, Options};
use crate::parallel;

/// Length of a chain of multiply-adds in a task; takes some tenths of a millisecond.
const STEPS: usize = 1 << 16;
/// Number of tasks per thread in a run, for load balance.
const TASKS: usize = 16;
/// Duration of the runs for each number of chains; the fastest run counts.
const TIME: Duration = Duration::from_millis(50);

/// Returns the floating-point operations per second of multiply-adds alone, two each, in registers
/// and on all threads, with these instructions and in the precision and mathematics of these
/// options: the roof of the roofline model. The measurement takes less than 0.2 seconds.
pub fn peak(level: SimdLevel, options: &Options) -> f64 {
    let Options { precision, math, .. } = *options;
    // The types of the loops of an interaction.
    let single = match precision {
        Precision::Single => true,
        Precision::Double => false,
        Precision::Mixed => math == Math::Exact,
    };
    match level {
        _ if math == Math::Exact || !level.is_available() => of::<f32, f64>(single),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => of::<avx2::Single, avx2::Double>(single),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => of::<avx512::Single, avx512::Double>(single),
        #[cfg(target_arch = "aarch64")]
        SimdLevel::Neon => of::<Array<f32, 4>, Array<f64, 2>>(single),
        _ => of::<f32, f64>(single),
    }
}

fn of<S: Lanes, D: Lanes>(single: bool) -> f64 {
    if single { fastest::<S>() } else { fastest::<D>() }
}

/// Returns the largest rate over several numbers of chains, since processors differ in latency and
/// registers.
fn fastest<L: Lanes>() -> f64 {
    let rates = [
        rate(8, L::WIDTH, chains::<L, 8>),
        rate(12, L::WIDTH, chains::<L, 12>),
        rate(24, L::WIDTH, chains::<L, 24>),
    ];
    rates.into_iter().fold(0.0, f64::max)
}

/// Returns the operations per second of this many chains on vectors of this width.
fn rate(chains: usize, width: usize, run: fn()) -> f64 {
    let tasks = TASKS * parallel::threads();
    let begin = Instant::now();
    let mut least = f64::INFINITY;
    while begin.elapsed() < TIME {
        let start = Instant::now();
        parallel::each(tasks, &|_| run());
        least = least.min(start.elapsed().as_secs_f64());
    }
    (2 * tasks * STEPS * chains * width) as f64 / least
}

/// Runs independent chains of multiply-adds.
fn chains<L: Lanes, const CHAINS: usize>() {
    // Numbers unknown to the compiler, in the range of all precisions.
    let [scale, shift] = black_box([0.5, 1.0]);
    L::vectorize(
        #[inline(always)]
        || {
            let (scale, shift) = (L::splat(scale), L::splat(shift));
            let mut chains = [L::default(); CHAINS];
            for (k, chain) in chains.iter_mut().enumerate() {
                *chain = L::splat(black_box(k as f64));
            }
            for _ in 0..STEPS {
                for chain in &mut chains {
                    *chain = shift.plus_product(*chain, scale);
                }
            }
            let mut sum = L::default();
            for chain in &chains {
                sum += *chain;
            }
            let mut line = Line([Word::<L>::default(); LINE]);
            sum.store(&mut line);
            black_box(line);
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiply_adds_are_done_and_take_time() {
        for level in [SimdLevel::Scalar, SimdLevel::best()] {
            let options = Options::default();
            let rate = peak(level, &options) / parallel::threads() as f64;
            // From one thread of a slow shared machine to beyond any present one.
            assert!((1e7..1e12).contains(&rate), "{level}: {rate:e}");
        }
    }
}
