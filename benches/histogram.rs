//! Pairs by distance, as for g(r) of a liquid, in one result over all pairs, beside a plain loop on
//! one thread of the CPU.
//!
//! `cargo bench -p nbody-benches --bench histogram` prints the median of the times with the shortest
//! and the longest one, and the ordered pairs per second, of a plain loop, of the CPU at each level of
//! vector instructions, and of the GPUs; `RAYON_NUM_THREADS=1` gives the CPU one thread, and
//! `-- 100000` measures this number of particles.

use std::hint::black_box;
use std::time::{Duration, Instant};

use nbody::cpu::SimdLevel;
use nbody::prelude::*;
use nbody::{Error, Sources};
use nbody_interactions::radial_distribution::{BINS, Centre, RadialDistribution};

const SIZES: [usize; 2] = [10_000, 100_000];
const RUNS: usize = 11;
/// Pairs of the longest measurement on a processor.
const LONG: f64 = 2e9;

fn main() -> Result<(), Error> {
    println!(
        "{:<32} {:>9} {:>12} {:>12} {:>12} {:>12}",
        "device", "N", "median", "least", "most", "pairs/s"
    );
    let given: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    for n in if given.is_empty() { SIZES.to_vec() } else { given } {
        let centres: Vec<Centre> = nbody::models::uniform(n, 1);
        let pairs = (n as f64).powi(2);
        if pairs < LONG {
            row("plain loop, f32, one thread", n, plain_loop(&centres));
        }
        for level in SimdLevel::available() {
            let device = Device::cpu_with(level)?;
            let runs = if pairs > LONG { 3 } else { RUNS };
            row(&format!("cpu, {level}"), n, measured(&device, &centres, runs)?);
        }
        let is_gpu = |device: &Device| !device.is_cpu() && device.name() != "emulator";
        for device in Device::all().into_iter().filter(is_gpu) {
            row(&device.name(), n, measured(&device, &centres, RUNS)?);
        }
    }
    Ok(())
}

fn row(device: &str, n: usize, mut times: Vec<Duration>) {
    times.sort();
    let median = times[times.len() / 2];
    let [median_ms, least, most] = [median, times[0], times[times.len() - 1]]
        .map(|time| format!("{:.3} ms", time.as_secs_f64() * 1e3));
    let rate = (n as f64).powi(2) / median.as_secs_f64();
    println!("{device:<32} {n:>9} {median_ms:>12} {least:>12} {most:>12} {rate:>12.2e}");
}

/// Measures the engine, after a first evaluation.
fn measured(device: &Device, centres: &[Centre], runs: usize) -> Result<Vec<Duration>, Error> {
    let options = Options::default().domain(Domain::periodic([1.0; 3])?);
    let law = RadialDistribution { per_length: 2.0 * f64::from(BINS) };
    let mut totals = PairTotals::with_options(device, law, options)?;
    let centres = totals.upload(centres)?;
    let mut run = || {
        let start = Instant::now();
        black_box(totals.total_of(&centres, Sources::Same(&centres))?);
        Ok(start.elapsed())
    };
    run()?;
    (0..runs).map(|_| run()).collect()
}

/// Measures the loop that a user would write.
fn plain_loop(centres: &[Centre]) -> Vec<Duration> {
    let positions: Vec<[f32; 3]> = centres.iter().map(|it| it.pos.0.map(|x| x as f32)).collect();
    let run = || {
        let start = Instant::now();
        let mut bins = [0_u32; BINS as usize];
        for (k, i) in positions.iter().enumerate() {
            for (l, j) in positions.iter().enumerate() {
                let mut square = 0.0;
                for axis in 0..3 {
                    let mut d = j[axis] - i[axis];
                    if d > 0.5 {
                        d -= 1.0;
                    } else if d < -0.5 {
                        d += 1.0;
                    }
                    square += d * d;
                }
                #[expect(clippy::cast_sign_loss, reason = "a root is not negative")]
                let bin = (square.sqrt() * 2.0 * BINS as f32) as usize;
                if k != l && bin < bins.len() {
                    bins[bin] += 1;
                }
            }
        }
        black_box(&bins);
        start.elapsed()
    };
    (0..RUNS).map(|_| run()).collect()
}
