//! Lists of cutoffs that depend on particles, and of boxes that change: a gas of smoothed particles.

use nbody::cpu::SimdLevel;
use nbody::lists::HasCutoff;
use nbody::prelude::*;
use nbody::{Neighbours, Particles, ShortRange, Skin};
use nbody_interactions::cubic_spline_3d::{CubicDensity3, CubicMomentum3, Fluid};
use nbody_interactions::lennard_jones::{Atom, LennardJones};

use crate::now;

const TURNS: usize = 15;
const STEPS: usize = 20;
const ITERATIONS: usize = 3;
/// The smoothing length of a unit of mass at a unit of density.
pub const ETA: f64 = 1.2;

/// Returns random numbers from 0 to 1.
pub fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns the median of the times of a task.
fn median(mut task: impl FnMut()) -> f64 {
    let times = (0..TURNS)
        .map(|_| {
            let start = now();
            task();
            now() - start
        })
        .collect();
    median_of(times)
}

/// Returns the median of times.
pub fn median_of(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the level of vector instructions, AVX2 where the CPU has it.
pub fn level() -> SimdLevel {
    match SimdLevel::best() {
        SimdLevel::Avx512 => SimdLevel::Avx2,
        level => level,
    }
}

/// Both interactions of a gas, and lists of its particles.
struct Gas {
    near: Neighbours,
    density: ShortRange<CubicDensity3>,
    momentum: ShortRange<CubicMomentum3>,
    fluid: Vec<Fluid>,
    particles: Particles<Fluid>,
}

impl Gas {
    fn new(fluid: Vec<Fluid>, lengths: [f64; 3]) -> Self {
        let domain = Domain::periodic(lengths).expect("a box");
        let near =
            Neighbours::with_options(&Device::cpu(), Skin::Auto, Options::default().domain(domain))
                .expect("a skin");
        let options = Options::default();
        let density =
            ShortRange::with_options(&Device::cpu_with(level()).unwrap(), CubicDensity3, options);
        let momentum = ShortRange::with_options(
            &Device::cpu_with(level()).unwrap(),
            CubicMomentum3 { alpha: 1.0 },
            options,
        );
        let particles = near.upload(&fluid).expect("room for the particles");
        let (density, momentum) = (density.expect("a cutoff"), momentum.expect("a cutoff"));
        Self { near, density, momentum, fluid, particles }
    }

    fn update(&mut self) {
        let laws: [&dyn HasCutoff; 2] = [&self.density, &self.momentum];
        self.near.update(&self.particles, &laws).expect("finite positions");
    }

    fn upload(&mut self) {
        self.particles = self.near.upload(&self.fluid).expect("room for the particles");
    }

    /// Returns the time of a rebuild and that of both interactions, for a particle.
    fn costs(&mut self) -> [f64; 2] {
        let n = self.fluid.len();
        let build = median(|| {
            self.near.rebuild();
            self.update();
        });
        let mut sums = self.density.results(n).expect("room for the results");
        let mut forces = self.momentum.results(n).expect("room for the results");
        let evaluate = median(|| {
            let Self { near, density, momentum, particles, .. } = self;
            density.evaluate_over(near, particles, &mut sums).expect("good lists");
            momentum.evaluate_over(near, particles, &mut forces).expect("good lists");
        });
        [build, evaluate].map(|time| time * 1e6 / n as f64)
    }

    /// Moves the particles of a shock for some steps, with densities that are found several times in each. Returns the
    /// time of updates and densities.
    fn shock(&mut self, iterates: bool) -> f64 {
        let n = self.fluid.len();
        let mut sums = self.density.results(n).expect("room for the results");
        let mut time = 0.0;
        for _ in 0..STEPS {
            for particle in &mut self.fluid {
                // From the dense side to the other one.
                particle.pos.x +=
                    2e-4 * (2.0 * std::f64::consts::PI * particle.pos.x).sin().max(0.0);
            }
            for _ in 0..ITERATIONS {
                self.upload();
                let start = now();
                self.update();
                let Self { near, density, particles, .. } = self;
                density.evaluate_over(near, particles, &mut sums).expect("good lists");
                time += now() - start;
                let found = sums.download::<f64>().expect("densities");
                for (particle, found) in self.fluid.iter_mut().zip(found).filter(|_| iterates) {
                    particle.h = ETA * (particle.mass / found.density).cbrt();
                }
            }
        }
        time
    }
}

fn particle(pos: [f64; 3], h: f64, mass: f64) -> Fluid {
    let vel = nbody::Vector::new(pos[1] - 0.5, pos[2] - 0.5, pos[0] - 0.5);
    Fluid { pos: Point(pos), vel, mass, h, density: 1.0, p: 1.0, sound: 1.0 }
}

/// Returns a shock tube of a length: eight times as many particles in the first half.
pub fn tube(length: f64) -> Vec<Fluid> {
    let (mut all, half) = (Vec::new(), 0.5 * length);
    for (first, spacing) in [(0.0, 1.0 / 80.0), (half, 1.0 / 40.0)] {
        let (along, across) = ((half / spacing) as usize, (0.25 / spacing) as usize);
        for k in 0..along * across * across {
            let at = [k % along, k / along % across, k / along / across];
            let [x, y, z] = at.map(|at| (at as f64 + 0.5) * spacing);
            all.push(particle([first + x, y, z], ETA * spacing, 1.0 / 80.0_f64.powi(3)));
        }
    }
    all
}

/// Measures rebuilds of lists of about 60 neighbours, and those of one cutoff.
fn rebuilds() {
    const EDGE: usize = 32;
    let n = EDGE.pow(3);
    let h = 0.5 * (60.0 * 3.0 / (4.0 * std::f64::consts::PI * n as f64)).cbrt();
    let mut state = 1;
    let fluid = (0..n).map(|k| {
        let at = [k % EDGE, k / EDGE % EDGE, k / EDGE / EDGE];
        let at = at.map(|at| (at as f64 + 0.2 + 0.6 * random(&mut state)) / EDGE as f64);
        let wave = 1.0 + 0.05 * (2.0 * std::f64::consts::PI * at[0]).sin();
        particle(at, h * (wave + 0.02 * random(&mut state)), 1.0 / n as f64)
    });
    let fluid: Vec<_> = fluid.collect();
    let atoms: Vec<_> = fluid.iter().map(|it| Atom { pos: it.pos, kind: 0 }).collect();
    let [build, evaluate] = Gas::new(fluid, [1.0; 3]).costs();
    println!("gas: rebuild {build:.2}, density and momentum {evaluate:.2} µs a particle");
    let domain = Domain::periodic([1.0; 3]).expect("a box");
    let mut near =
        Neighbours::with_options(&Device::cpu(), Skin::Auto, Options::default().domain(domain))
            .expect("a skin");
    let table = [[1.0; 4]; 4];
    let liquid = ShortRange::new(
        &Device::cpu(),
        LennardJones { sigma2: table, epsilon: table, cutoff: 2.0 * h },
    );
    let (liquid, atoms) = (liquid.expect("a cutoff"), near.upload(&atoms).expect("atoms"));
    let build = median(|| {
        near.rebuild();
        near.update(&atoms, &[&liquid]).expect("finite positions");
    });
    println!("one cutoff: rebuild {:.2} µs a particle", build * 1e6 / n as f64);
}

/// Measures some wide cutoffs among many.
fn wide() {
    const N: usize = 30_000;
    let mut first = None;
    for wide in [0, 1, 30] {
        let mut state = 2;
        let of = |k: usize| {
            let at = [0; 3].map(|_| random(&mut state));
            particle(at, if k < wide { 0.225 } else { 0.02 }, 1.0)
        };
        let costs = Gas::new((0..N).map(of).collect(), [1.0; 3]).costs();
        let [build, evaluate] = costs;
        let [of_build, of_evaluate] = *first.get_or_insert(costs);
        println!(
            "{wide} cutoffs of 0.45 among {N} of 0.04: rebuild {build:.2} ({:.2} times), density and momentum \
             {evaluate:.2} µs a particle ({:.2} times)",
            build / of_build,
            evaluate / of_evaluate
        );
    }
}

/// Measures all of it.
pub fn measure() {
    rebuilds();
    wide();
    let mut times = [false, true].map(|iterates| {
        let mut gas = Gas::new(tube(1.0), [1.0, 0.25, 0.25]);
        let time = gas.shock(iterates);
        (time, gas.near.rebuilds().expect("lists"))
    });
    for (time, _) in &mut times {
        *time *= 1e3 / STEPS as f64;
    }
    let [(fixed, of_fixed), (naive, of_naive)] = times;
    println!(
        "shock tube: {fixed:.1} ms a step with h fixed, {naive:.1} with {ITERATIONS} iterations of h ({:.2} times); \
         {of_fixed} and {of_naive} rebuilds in {STEPS} steps",
        naive / fixed
    );
    let mut gas = Gas::new(tube(1.0), [1.0, 0.25, 0.25]);
    for step in 0..10 * STEPS {
        let factor = if step % 40 < 20 { 0.999 } else { 1.001 };
        let Domain::Periodic(lengths) = gas.near.domain() else { return };
        let lengths = lengths.to_array().map(|length| length * factor);
        gas.near.set_domain(Domain::periodic(lengths).expect("a box")).expect("a box");
        gas.fluid.iter_mut().for_each(|it| it.pos = Point(it.pos.0.map(|x| x * factor)));
        gas.upload();
        gas.update();
    }
    println!(
        "barostat: {} rebuilds in {} steps, each of which changes lengths by 0.1%",
        gas.near.rebuilds().expect("lists"),
        10 * STEPS
    );
}
