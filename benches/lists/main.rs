//! Benchmark of neighbour lists on the CPU: steps of a Lennard-Jones liquid, compared with plain
//! scalar loops, on one thread: `cargo bench -p nbody-benches --bench lists`. With `-- gas` it
//! measures a gas whose cutoffs depend on particles; with `-- sod` a shock tube of such a gas.
//! Times are processor times, not wall-clock times, per particle and step.
#![allow(missing_docs)]
// The plain code of particles in cells keeps its casts and indices.
#![allow(clippy::cast_sign_loss, clippy::cast_possible_wrap, clippy::needless_range_loop)]

mod fluid;
mod gas;
mod plain;
mod sod;

use fluid::{Atom, Fluid, equilibrated};
use plain::Plain;
use rustix::time::{ClockId, clock_gettime};

const DENSITY: f64 = 0.8442;
const CUTOFF: f64 = 2.5;
const DT: f64 = 0.005;
/// The skin of the half list; the skin of the neighbour lists is a fifth of the cutoff.
const SKIN: f64 = 0.3;
/// Cells of the lattice along an edge, and copies along an edge.
const SIZES: [[u32; 2]; 4] = [[14, 1], [20, 1], [16, 2], [21, 3]];
/// Particle-steps of a turn, and the number of turns.
const PARTICLE_STEPS: usize = 2_560_000;
const TURNS: usize = 5;
/// Enough steps for several rebuilds in a turn.
const LEAST_STEPS: usize = 24;

/// Returns the processor time of this process in seconds.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Times of the parts of a step, in nanoseconds per particle and step, for each turn.
struct Times {
    name: &'static str,
    parts: Vec<(&'static str, Vec<f64>)>,
}

impl Times {
    fn new(name: &'static str, parts: &[&'static str]) -> Self {
        Self { name, parts: parts.iter().map(|&part| (part, vec![0.0; TURNS])).collect() }
    }

    fn totals(&self) -> Vec<f64> {
        (0..TURNS).map(|turn| self.parts.iter().map(|(_, times)| times[turn]).sum()).collect()
    }

    fn print(&self) {
        let parts = self.parts.iter().map(|(part, times)| format!("{part} {}", spread(times)));
        let parts: Vec<_> = parts.collect();
        println!("  {:24} {}  ({})", self.name, spread(&self.totals()), parts.join(", "));
    }

    /// Times a part of a turn.
    fn time(&mut self, turn: usize, part: usize, unit: f64, task: impl FnOnce()) {
        let start = now();
        task();
        self.parts[part].1[turn] += (now() - start) * 1e9 / unit;
    }
}

/// Returns the median, the least and the greatest time.
fn spread(times: &[f64]) -> String {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    format!("{:.1} [{:.1}, {:.1}]", sorted[TURNS / 2], sorted[0], sorted[TURNS - 1])
}

/// Returns the ratios of the times of two programs, turn by turn.
fn ratio(a: &Times, b: &Times) -> String {
    let ratios = a.totals().into_iter().zip(b.totals()).map(|(a, b)| a / b);
    let ratios: Vec<_> = ratios.collect();
    let mut sorted = ratios.clone();
    sorted.sort_by(f64::total_cmp);
    format!("{:.2} [{:.2}, {:.2}]", sorted[TURNS / 2], sorted[0], sorted[TURNS - 1])
}

fn measure([cells, copies]: [u32; 2]) {
    let (length, atoms) = equilibrated(cells, copies, DENSITY, CUTOFF);
    let n = atoms.len();
    let steps = PARTICLE_STEPS.div_ceil(n).max(LEAST_STEPS);
    let unit = (n * steps) as f64;
    let pairs = || atoms.iter().map(|Atom { pos, vel }| [pos.0, vel.0]);
    let mut fluid = Fluid::new(length, CUTOFF, DT, &atoms);
    let mut by_cells = Plain::new([length, CUTOFF, 0.0, DT], pairs());
    let mut by_list = Plain::new([length, CUTOFF, SKIN, DT], pairs());
    check(&mut fluid, &mut by_cells, &mut by_list);

    let mut ours = Times::new("neighbour lists", &["check or rebuild", "forces", "motion"]);
    let mut cells = Times::new("loop over cells", &["forces", "motion"]);
    let mut verlet = Times::new("loop over a half list", &["check or rebuild", "forces", "motion"]);
    let before = (fluid.rebuilds(), by_list.rebuilds);
    for turn in 0..TURNS {
        for _ in 0..steps {
            ours.time(turn, 0, unit, || fluid.update());
            ours.time(turn, 1, unit, || fluid.evaluate());
            ours.time(turn, 2, unit, || fluid.advance());
        }
        for _ in 0..steps {
            cells.time(turn, 0, unit, || by_cells.evaluate_by_cells());
            cells.time(turn, 1, unit, || by_cells.advance());
        }
        for _ in 0..steps {
            verlet.time(turn, 0, unit, || by_list.update());
            verlet.time(turn, 1, unit, || by_list.evaluate_by_list());
            verlet.time(turn, 2, unit, || by_list.advance());
        }
    }
    let all = (steps * TURNS) as f64;
    let each = |before, after| all / (after - before) as f64;
    println!(
        "N = {n}, {TURNS} turns of {steps} steps, steps for each rebuild {:.1} and {:.1}",
        each(before.0, fluid.rebuilds()),
        each(before.1, by_list.rebuilds)
    );
    for times in [&ours, &cells, &verlet] {
        times.print();
    }
    println!(
        "  {:24} {} over cells, {} over a half list",
        "times as fast",
        ratio(&cells, &ours),
        ratio(&verlet, &ours)
    );
}

/// Compares the initial forces of all programs.
fn check(fluid: &mut Fluid, by_cells: &mut Plain, by_list: &mut Plain) {
    fluid.update();
    fluid.evaluate();
    by_cells.evaluate_by_cells();
    by_list.update();
    by_list.evaluate_by_list();
    let ours = fluid.forces();
    for (name, theirs) in [("cells", by_cells.forces()), ("half list", by_list.forces())] {
        for (k, (a, b)) in ours.iter().zip(&theirs).enumerate() {
            for axis in 0..3 {
                let tolerance = 0.1 + 1e-3 * a[axis].abs();
                assert!((a[axis] - b[axis]).abs() < tolerance, "{name}, {k}: {a:?}, {b:?}");
            }
        }
    }
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let chosen: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    if std::env::args().any(|arg| arg == "gas") {
        return pool.install(gas::measure);
    }
    if std::env::args().any(|arg| arg == "sod") {
        return pool.install(sod::measure);
    }
    pool.install(|| {
        for (k, size) in SIZES.into_iter().enumerate() {
            if chosen.is_empty() || chosen.contains(&k) {
                measure(size);
            }
        }
    });
}
