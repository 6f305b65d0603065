//! Lennard-Jones from a table beside its formula, over neighbour lists.
//!
//! `cargo bench -p nbody-benches --bench tables` prints the median of the times of an evaluation with
//! the shortest and the longest one, on one thread of the CPU and on the GPUs; `-- 100000` measures
//! this number of atoms. The laws alternate.

use std::time::Duration;

use nbody::prelude::*;
use nbody::{Error, Interaction};

use laws::{Atom, Formula, Over, Tabulated};

const SIZES: [usize; 2] = [20_000, 1_000_000];
const RUNS: usize = 31;
const CUTOFF: f64 = 2.5;

#[nbody::interaction]
mod laws {
    /// Lennard-Jones by its formula.
    pub struct Formula {
        pub epsilon: Real,
        pub cutoff: Real,
    }
    /// Any potential as a table over the square of the distance.
    pub struct Tabulated {
        pub energy: Spline<1024>,
        pub cutoff: Real,
    }
    /// Any potential as a table over the distance.
    pub struct Over {
        pub energy: Spline<1024>,
        pub cutoff: Real,
    }
    pub struct Atom {
        pub pos: Point,
    }
    pub struct Force {
        pub force: Vector,
        pub energy: Real,
    }

    impl Interaction for Formula {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, i: &Atom, j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let s6 = (i.pos - j.pos).norm2().recip().powi(3);
            let energy = 4.0 * self.epsilon * (s6 * s6 - s6);
            f.energy += energy;
            f.force -= energy.gradient(i.pos);
        }
    }

    impl Interaction for Tabulated {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, i: &Atom, j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let energy = self.energy.at((i.pos - j.pos).norm2());
            f.energy += energy;
            f.force -= energy.gradient(i.pos);
        }
    }

    impl Interaction for Over {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn cutoff(&self, i: &Atom, j: &Atom) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let energy = self.energy.at((i.pos - j.pos).norm());
            f.energy += energy;
            f.force -= energy.gradient(i.pos);
        }
    }
}

fn main() -> Result<(), Error> {
    let given: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    println!(
        "{:<24} {:<12} {:>9}  {:>11} {:>11} {:>11} {:>8}",
        "device", "law", "N", "median", "least", "most", "ratio"
    );
    for n in if given.is_empty() { SIZES.to_vec() } else { given } {
        let devices = Device::all().into_iter().filter(|device| device.name() != "emulator");
        for device in devices {
            if device.is_cpu() {
                // One thread, which others disturb less.
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
                pool.expect("a thread").install(|| measure(&device, n))?;
            } else {
                measure(&device, n)?;
            }
        }
    }
    Ok(())
}

fn measure(device: &Device, n: usize) -> Result<(), Error> {
    let well = |r2: f64| 4.0 * (r2.powi(-6) - r2.powi(-3));
    let square = Spline::from_fn(0.7..=CUTOFF * CUTOFF, well)?;
    let over = Spline::from_fn(0.8..=CUTOFF, |r| well(r * r))?;
    let atoms = liquid(n);
    let mut formula = Measured::new(device, Formula { epsilon: 1.0, cutoff: CUTOFF }, &atoms)?;
    let mut tabulated =
        Measured::new(device, Tabulated { energy: square, cutoff: CUTOFF }, &atoms)?;
    let mut over = Measured::new(device, Over { energy: over, cutoff: CUTOFF }, &atoms)?;
    for _ in 0..RUNS {
        formula.run()?;
        tabulated.run()?;
        over.run()?;
    }
    let base = formula.row(device, "formula", n, None);
    tabulated.row(device, "over r2", n, Some(base));
    over.row(device, "over r", n, Some(base));
    Ok(())
}

/// Returns atoms of a liquid at the density 0.8: a lattice with disorder, in the order of cells.
fn liquid(n: usize) -> Vec<Atom> {
    let side = (1..=n).find(|side| side * side * side >= n).unwrap_or(1);
    let spacing = 0.8_f64.powf(-1.0 / 3.0);
    let jitter = |k: usize| (k.wrapping_mul(2_654_435_761) % 1009) as f64 / 10_090.0;
    let atom = |k: usize| {
        let at = [k % side, k / side % side, k / side / side];
        let place = |c: usize| spacing * (at[c] as f64 + jitter(3 * k + c));
        Atom { pos: Point([0, 1, 2].map(place)) }
    };
    (0..n).map(atom).collect()
}

/// A law over lists, and its times.
struct Measured<X: Interaction> {
    near: Neighbours,
    engine: ShortRange<X>,
    particles: nbody::Particles<Atom>,
    out: nbody::Results<X::F>,
    times: Vec<Duration>,
}

impl<X: Interaction<I = Atom, J = Atom>> Measured<X> {
    fn new(device: &Device, law: X, atoms: &[Atom]) -> Result<Self, Error> {
        let engine = ShortRange::new(device, law)?;
        let mut near = Neighbours::new(device, Skin::Length(0.3))?;
        let particles = near.upload(atoms)?;
        near.update(&particles, &[&engine])?;
        let out = engine.results(atoms.len())?;
        Ok(Self { near, engine, particles, out, times: Vec::new() })
    }

    fn run(&mut self) -> Result<(), Error> {
        let Self { near, engine, particles, out, times } = self;
        times.push(engine.time_over(near, particles, out)?);
        Ok(())
    }

    /// Prints the times, and their ratio to the times of another law. Returns the median.
    fn row(&mut self, device: &Device, law: &str, n: usize, base: Option<f64>) -> f64 {
        self.times.sort();
        let times = &self.times;
        let [median, least, most] =
            [times.len() / 2, 0, times.len() - 1].map(|at| times[at].as_secs_f64());
        let ratio = base.map_or_else(String::new, |base| format!("{:.3}", median / base));
        let [a, b, c] = [median, least, most].map(|time| format!("{:.1} us", time * 1e6));
        println!("{:<24} {law:<12} {n:>9}  {a:>11} {b:>11} {c:>11} {ratio:>8}", device.name());
        median
    }
}
