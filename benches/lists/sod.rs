//! The shock tube of Sod (1978, J. Comput. Phys. 27, 1) in three dimensions, by smoothed particle
//! hydrodynamics with gradient corrections. Compares smoothing lengths that are iterated in each
//! step with smoothing lengths that are set once per step.

use nbody::lists::HasCutoff;
use nbody::prelude::*;
use nbody::{Neighbours, Particles, Results, ShortRange};
use nbody_interactions::cubic_spline_3d::{self, CubicDensity3, CubicMomentum3, Fluid};
use programs::{Parcel, Residual, SetLength, State, Step};

use crate::gas::{ETA, level, median_of, random, tube};
use crate::now;

/// The lengths of the box, which contains the gas and its mirror image.
const LENGTHS: [f64; 3] = [2.0, 0.25, 0.25];
const GAMMA: f64 = 1.4;
const DT: f64 = 0.002;
const STEPS: usize = 100;
/// The greatest relative change of a smoothing length after which iteration stops.
const TOLERANCE: f64 = 1e-3;
const ITERATIONS: usize = 10;

/// For two plateaus of the exact solution at the time 0.2: the edges, away from waves and relative
/// to the initial membrane, and the density. Then the pressure and the velocity of both plateaus.
const PLATEAUS: [([f64; 2], f64); 2] = [([0.04, 0.14], 0.42632), ([0.23, 0.31], 0.26557)];
const PRESSURE: f64 = 0.30313;
const VELOCITY: f64 = 0.92745;

#[nbody::interaction]
mod programs {
    /// A particle of the gas, with its specific internal energy.
    pub struct Parcel {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
        pub h: Real,
        pub density: Real,
        pub p: Real,
        pub sound: Real,
        pub energy: Real,
    }

    pub struct Density {
        pub density: Real,
        pub by_h: Real,
    }

    pub struct Change {
        pub acc: Vector,
        pub heating: Real,
    }

    /// Sets smoothing lengths by densities.
    pub struct SetLength {
        pub eta: Real,
    }

    impl Update for SetLength {
        type P = Parcel;
        type F = Density;
        fn update(&self, p: &mut Parcel, f: &Density) {
            p.h = self.eta * (p.mass / f.density).cbrt();
        }
    }

    /// Finds the greatest relative change that `SetLength` would make.
    pub struct Residual {
        pub eta: Real,
    }

    pub struct Greatest {
        pub change: Max<Real>,
    }

    impl Measure for Residual {
        type P = Parcel;
        type F = Density;
        type T = Greatest;
        fn measure(&self, p: &Parcel, f: &Density, t: &mut Greatest) {
            t.change.max((self.eta * (p.mass / f.density).cbrt() / p.h - 1.0).abs());
        }
    }

    /// The equation of state of an ideal gas.
    pub struct State {
        pub gamma: Real,
    }

    impl Update for State {
        type P = Parcel;
        type F = Density;
        fn update(&self, p: &mut Parcel, f: &Density) {
            let omega = 1.0 + p.h / (3.0 * f.density) * f.by_h;
            let pressure = (self.gamma - 1.0) * f.density * p.energy;
            p.density = f.density;
            p.p = pressure / (omega * f.density * f.density);
            p.sound = (self.gamma * pressure / f.density).sqrt();
        }
    }

    /// A step of the leapfrog integrator; velocities are half a step behind positions.
    pub struct Step {
        pub dt: Real,
    }

    impl Update for Step {
        type P = Parcel;
        type F = Change;
        fn update(&self, p: &mut Parcel, f: &Change) {
            p.vel += self.dt * f.acc;
            p.energy += self.dt * f.heating;
            p.pos += self.dt * p.vel;
        }
    }
}

/// The times at which smoothing lengths change.
#[derive(Clone, Copy)]
enum Lengths {
    /// In each step, until they agree with the densities.
    Iterated,
    /// At the end of each step, which evaluates densities this number of times.
    Fixed(usize),
}

/// The gas, with its lists and the processor time of each step.
struct Tube {
    near: Neighbours,
    density: ShortRange<CubicDensity3>,
    momentum: ShortRange<CubicMomentum3>,
    step: PerParticle<Step>,
    parcels: Particles<Parcel>,
    sums: Results<cubic_spline_3d::Density>,
    rates: Results<cubic_spline_3d::Change>,
    times: Vec<f64>,
    evaluations: usize,
}

impl Tube {
    fn new(fluid: &[Fluid]) -> Self {
        let parcel = |&Fluid { pos, mass, h, .. }: &Fluid| {
            let pressure_by_density = if pos.0[0] < 0.5 * LENGTHS[0] { 1.0 } else { 0.8 };
            let (vel, energy) = (Vector::new(0.0, 0.0, 0.0), pressure_by_density / (GAMMA - 1.0));
            Parcel { pos, vel, mass, h, density: 1.0, p: 1.0, sound: 1.0, energy }
        };
        let parcels: Vec<_> = fluid.iter().map(parcel).collect();
        let domain = Domain::periodic(LENGTHS).expect("a box");
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
        let (density, momentum) = (density.expect("a cutoff"), momentum.expect("a cutoff"));
        let mut step = PerParticle::new(&Device::cpu(), Step { dt: DT }).expect("the CPU");
        step.set_domain(domain).expect("a box");
        step.set_wrap(true);
        let parcels = near.upload(&parcels).expect("room for the particles");
        let sums = density.results(fluid.len()).expect("room for the results");
        let rates = momentum.results(fluid.len()).expect("room for the results");
        let (times, evaluations) = (Vec::new(), 0);
        Self { near, density, momentum, step, parcels, sums, rates, times, evaluations }
    }

    fn find_densities(&mut self) {
        let laws: [&dyn HasCutoff; 2] = [&self.density, &self.momentum];
        self.near.update(&self.parcels, &laws).expect("finite positions");
        let sums = &mut self.sums;
        self.density.evaluate_over(&self.near, &self.parcels, sums).expect("good lists");
        self.evaluations += 1;
    }

    /// Sets smoothing lengths by the densities.
    fn set_lengths(&mut self) {
        let sums = &self.sums;
        let mut set = PerParticle::new(&Device::cpu(), SetLength { eta: ETA }).expect("the CPU");
        set.update_by_name(&mut self.parcels, sums).expect("densities");
    }

    /// Returns the greatest relative change that `set_lengths` would make.
    fn residual(&self) -> f64 {
        let sums = &self.sums;
        let mut residual =
            PerParticle::new(&Device::cpu(), Residual { eta: ETA }).expect("the CPU");
        residual.measure_by_name(&self.parcels, sums).expect("densities").change
    }

    /// Advances by a step. Returns the number of evaluations of densities.
    fn advance(&mut self, lengths: Lengths) -> usize {
        let (start, before) = (now(), self.evaluations);
        self.find_densities();
        match lengths {
            Lengths::Iterated => {
                while self.evaluations - before < ITERATIONS && self.residual() >= TOLERANCE {
                    self.set_lengths();
                    self.find_densities();
                }
            }
            Lengths::Fixed(count) => (1..count).for_each(|_| self.find_densities()),
        }
        let sums = &self.sums;
        let mut state = PerParticle::new(&Device::cpu(), State { gamma: GAMMA }).expect("the CPU");
        state.update_by_name(&mut self.parcels, sums).expect("densities");
        let rates = &mut self.rates;
        self.momentum.evaluate_over(&self.near, &self.parcels, rates).expect("good lists");
        if let Lengths::Fixed(_) = lengths {
            self.set_lengths();
        }
        let rates = &self.rates;
        self.step.update_by_name(&mut self.parcels, rates).expect("rates");
        self.times.push(now() - start);
        self.evaluations - before
    }

    /// Prints the time of steps, and the plateaus with the exact solution.
    fn print(&mut self, name: &str) {
        println!(
            "  {name}: {:.1} ms a step, median {:.1}; {:.2} densities a step, {} rebuilds",
            self.mean() * 1e3,
            median_of(self.times.clone()) * 1e3,
            self.evaluations as f64 / STEPS as f64,
            self.near.rebuilds().expect("lists"),
        );
        let parcels = self.parcels.download().expect("parcels");
        for ([from, to], density) in PLATEAUS {
            let is_in = |it: &&Parcel| (from..to).contains(&(it.pos.0[0] - 0.5 * LENGTHS[0]));
            let inside: Vec<_> = parcels.iter().filter(is_in).collect();
            let mean = |of: &dyn Fn(&Parcel) -> f64| {
                inside.iter().map(|it| of(it)).sum::<f64>() / inside.len() as f64
            };
            let density = [mean(&|it| it.density), density];
            let pressure = [mean(&|it| (GAMMA - 1.0) * it.density * it.energy), PRESSURE];
            let velocity = [mean(&|it| it.vel.x), VELOCITY];
            let all = [("density", density), ("pressure", pressure), ("velocity", velocity)];
            let shown = all.map(|(name, [found, exact])| {
                let error = found / exact - 1.0;
                assert!(error.abs() < 0.05, "{name} {found} instead of {exact}");
                format!("{name} {found:.3} ({:+.1}%)", error * 100.0)
            });
            println!("    {}", shown.join(", "));
        }
    }

    /// Returns the mean time of a step.
    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }
}

/// Measures the tube with iterated lengths, with fixed lengths and the same number of evaluations
/// of densities, and with fixed lengths and one evaluation.
pub fn measure() {
    let (mut fluid, mut state) = (tube(LENGTHS[0]), 3);
    // The layers of a stretched lattice resist; disorder lets them flow.
    for particle in &mut fluid {
        let jitter = particle.h / 6.0;
        particle.pos = Point(particle.pos.0.map(|x| x + jitter * (random(&mut state) - 0.5)));
    }
    let [mut iterated, mut fixed, mut single] = [0; 3].map(|_| Tube::new(&fluid));
    for _ in 0..STEPS {
        let count = iterated.advance(Lengths::Iterated);
        fixed.advance(Lengths::Fixed(count));
        single.advance(Lengths::Fixed(1));
    }
    println!("Sod's shock tube, {} particles, {STEPS} steps:", fluid.len());
    iterated.print("lengths iterated");
    fixed.print("lengths fixed, as many densities");
    single.print("lengths fixed, one density");
    let [ratio, of_single] = [&fixed, &single].map(|other| iterated.mean() / other.mean());
    println!(
        "  iterated lengths take {ratio:.2} times as long as fixed ones and as many densities, {of_single:.2} times \
         as long as one density"
    );
}
