//! Bonds and dihedrals of chains, beside a plain loop over bonds on one thread of the CPU.
//!
//! `cargo bench -p nbody-benches --bench tuples` prints the median of the times with the shortest and
//! the longest one, on the CPU and on the GPUs; `-- 5000` measures this number of tuples.

use std::hint::black_box;
use std::time::{Duration, Instant};

use nbody::prelude::*;
use nbody::{Error, Store, Tuple};
use nbody_interactions::bonded::{
    Angle, Atom, Harmonic, HarmonicAngle, HarmonicBond, Periodic, PeriodicDihedral,
};

/// Atoms of a chain.
const CHAIN: usize = 30;
const SIZES: [usize; 2] = [3000, 1_000_000];
const RUNS: usize = 51;

fn main() -> Result<(), Error> {
    println!(
        "{:<24} {:<24} {:>9}  {:>9} {:>9} {:>9}",
        "device", "tuples", "N", "median", "least", "most"
    );
    let given: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    for n in if given.is_empty() { SIZES.to_vec() } else { given } {
        row("one thread", "plain loop, f32", n, plain_loop_f32(n));
        row("one thread", "plain loop, f64", n, plain_loop_f64(n));
        let devices = Device::all().into_iter().filter(|device| device.name() != "emulator");
        for device in devices {
            let record = Harmonic { k: 3.0, length: 0.9 };
            row(&device.name(), "harmonic_bond", n, measured(&device, HarmonicBond, n, record)?);
            let record = Angle { k: 2.0, angle: 1.9 };
            row(&device.name(), "harmonic_angle", n, measured(&device, HarmonicAngle, n, record)?);
            let record = Periodic { k: 1.5, phase: 0.0, n: 3 };
            let times = measured(&device, PeriodicDihedral, n, record)?;
            row(&device.name(), "periodic_dihedral", n, times);
        }
    }
    Ok(())
}

fn row(device: &str, tuples: &str, n: usize, mut times: Vec<Duration>) {
    times.sort();
    let [median, least, most] = [times.len() / 2, 0, times.len() - 1]
        .map(|at| format!("{:.1} us", times[at].as_secs_f64() * 1e6));
    println!("{device:<24} {tuples:<24} {n:>9}  {median:>9} {least:>9} {most:>9}");
}

/// Returns chains of atoms whose bonds turn by right angles.
fn atoms(n: usize) -> Vec<Atom> {
    let atom = |k: usize| {
        let (along, chain) = (k % CHAIN, k / CHAIN);
        let jitter = |axis: usize| ((k * 3 + axis) * 7919 % 101) as f64 / 505.0;
        let at = [along.div_ceil(2), along / 2, chain % 64];
        let pos = Point([0, 1, 2].map(|axis| at[axis] as f64 + jitter(axis)));
        Atom { pos: pos + Vector([(chain / 64) as f64, 0.0, 0.0]) }
    };
    (0..n).map(atom).collect()
}

/// Returns `n` tuples of atoms that follow one another, and the number of atoms.
fn along_chains<const N: usize>(n: usize) -> (Vec<[u32; N]>, usize) {
    let of_chain = CHAIN + 1 - N;
    let first = |k: usize| k / of_chain * CHAIN + k % of_chain;
    let tuple = |k: usize| std::array::from_fn(|member| (first(k) + member) as u32);
    ((0..n).map(tuple).collect(), n.div_ceil(of_chain) * CHAIN)
}

fn measured<X, const N: usize>(
    device: &Device,
    tuple: X,
    n: usize,
    record: X::T,
) -> Result<Vec<Duration>, Error>
where
    X: Tuple<P = Atom, Members = [u32; N]>,
{
    let (tuples, count) = along_chains::<N>(n);
    let particles = device.upload(&atoms(count), Precision::Single)?;
    let mut engine = Tuples::new(device, tuple)?;
    engine.set(&tuples, &vec![record; n], count)?;
    let mut out = engine.results(count, Precision::Single)?;
    (0..RUNS).map(|_| engine.time(&particles, &mut out, Store::Add)).collect()
}

/// Loops over bonds as a user would write them.
macro_rules! plain_loop {
    ($name:ident $real:ident) => {
        fn $name(n: usize) -> Vec<Duration> {
            let (bonds, count) = along_chains::<2>(n);
            let positions: Vec<[$real; 3]> =
                atoms(count).iter().map(|it| it.pos.0.map(|x| x as $real)).collect();
            let records = vec![[3.0 as $real, 0.9]; n];
            let mut out = vec![[0.0 as $real; 5]; count];
            let mut run = || {
                let start = Instant::now();
                for ([a, b], [k, length]) in bonds.iter().zip(&records) {
                    let [a, b] = [*a as usize, *b as usize];
                    let d = [0, 1, 2].map(|axis| positions[a][axis] - positions[b][axis]);
                    let r = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
                    let x = r - length;
                    let pull = -k * x / r;
                    let (share, virial) = (0.25 * k * x * x, 0.5 * pull * r * r);
                    for axis in 0..3 {
                        out[a][axis] += pull * d[axis];
                        out[b][axis] -= pull * d[axis];
                    }
                    for it in [a, b] {
                        out[it][3] += share;
                        out[it][4] += virial;
                    }
                }
                black_box(&mut out);
                start.elapsed()
            };
            (0..RUNS).map(|_| run()).collect()
        }
    };
}
plain_loop!(plain_loop_f32 f32);
plain_loop!(plain_loop_f64 f64);
