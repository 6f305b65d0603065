//! A star cluster in motion: a Plummer sphere, integrated by the Hermite integrator with block
//! time steps. It prints radii, profiles and integrals of motion beside Plummer's model in
//! equilibrium, and the work of the integrator, and draws the profiles, the Lagrangian radii and
//! the error of the energy.
//!
//! `cargo run --release -p nbody-plummer -- FOLDER` takes about 10 s on two cores; `--help` lists
//! the options. Beyond the relaxation time, as with `-n 1024 --until 60`, the sphere leaves
//! equilibrium: encounters of stars make its centre contract and its halo expand. `cluster.rs`
//! shows the use of the integrator.
#![forbid(unsafe_code)]

mod cluster;
mod measure;
mod model;
mod plots;
mod tables;

use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use nbody::{Device, DeviceName};
use nbody_integrate::Steps;

use cluster::{Cluster, Integrals};
use measure::{RandomSpheres, Shells, sphere};

/// Samples per unit of time, at multiples of the largest step, where the steps of all stars end.
const SAMPLES: u32 = 4;
/// Seed of the stars.
const SEED: u64 = 1;
/// Softening length, small compared with the scale radius of 0.59: only close encounters are
/// softened.
const EPS: f64 = 1.0 / 256.0;
/// Fractions of the mass for which radii are measured.
const FRACTIONS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];
/// Radii of the shells of the table.
const SHELLS: [f64; 6] = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0];
/// Range of radii in the plots.
const PLOTTED: Range<f64> = 0.1..10.0;
/// Number of shells in the plots.
const PLOTTED_SHELLS: u32 = 20;

/// Simulate a star cluster, and compare it with Plummer's model: tables, and the plots
/// density.svg, dispersion.svg, lagrange.svg and energy.svg.
#[derive(Parser)]
#[command(term_width = 80)]
struct Arguments {
    /// The folder of the plots, made if it does not exist.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The number of stars.
    #[arg(short, default_value_t = 2048, value_parser = stars)]
    n: u32,
    /// The time at the end, in N-body units: a star crosses the cluster in 2.8.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    until: u32,
    /// The device: cpu, emulator, cuda:N or best; by default the first GPU, or the CPU.
    #[arg(long)]
    device: Option<DeviceName>,
}

/// Parses a number of stars: `2048`, `1e4`.
#[expect(clippy::cast_sign_loss, reason = "in the range")]
fn stars(text: &str) -> Result<u32, String> {
    let (least, most) = (256, 1 << 20);
    let range = f64::from(least)..=f64::from(most);
    let number = text.parse().ok().filter(|x: &f64| x.fract() == 0.0 && range.contains(x));
    let number = number.ok_or_else(|| format!("expected a whole number from {least} to {most}"));
    number.map(|number| number as u32)
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let device = arguments.device.map_or_else(|| Ok(Device::best()), DeviceName::open)?;
    std::fs::create_dir_all(&arguments.folder)?;
    let measured = simulate(&device, arguments)?;
    measured.draw(&arguments.folder)?;
    println!("{}", measured.report(&device));
    let plots = arguments.folder.join("{density,dispersion,lagrange,energy}.svg");
    println!("\nplots: {}", plots.display());
    Ok(())
}

/// Measurements of a run, in standard units.
struct Measured {
    stars: usize,
    samples: Vec<Sample>,
    /// Means over the samples, first for the table and then for the plots.
    shells: Shells,
    plotted: Shells,
    random: RandomSpheres,
    /// Block steps and steps of stars, in the first unit of time and in total.
    first_steps: Steps,
    steps: Steps,
    /// Time steps at the end, each with its number of stars.
    step_counts: Vec<(f64, usize)>,
    /// Wall time of the integration.
    wall: Duration,
}

/// Measured values at one time.
struct Sample {
    time: f64,
    radii: [f64; FRACTIONS.len()],
    integrals: Integrals,
}

fn simulate(device: &Device, arguments: &Arguments) -> Result<Measured, Box<dyn Error>> {
    let stars = arguments.n as usize;
    let samples = arguments.until * SAMPLES;
    let bar = ProgressBar::new(samples.into());
    bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3}% {msg}")?);
    bar.set_message("initial stars");
    let mut cluster = Cluster::new(device, &sphere(stars, SEED)?, EPS)?;
    let mut measured = Measured::new(stars)?;
    measured.sample(&mut cluster, 0.0)?;
    for sample in 1..=samples {
        let time = f64::from(sample) / f64::from(SAMPLES);
        let begin = Instant::now();
        cluster.advance_to(time)?;
        measured.wall += begin.elapsed();
        measured.sample(&mut cluster, time)?;
        if sample == SAMPLES {
            measured.first_steps = cluster.steps();
        }
        bar.inc(1);
        bar.set_message(format!("time {time}, energy error {:.0e}", measured.energy_error()));
    }
    bar.finish_and_clear();
    measured.steps = cluster.steps();
    measured.step_counts = cluster.step_counts()?;
    Ok(measured)
}

impl Measured {
    fn new(stars: usize) -> Result<Self, nbody::models::Error> {
        Ok(Self {
            stars,
            samples: Vec::new(),
            shells: Shells::new(SHELLS.to_vec()),
            plotted: Shells::new(geometric(PLOTTED, PLOTTED_SHELLS).collect()),
            random: RandomSpheres::new(stars, SEED + 1)?,
            first_steps: Steps::default(),
            steps: Steps::default(),
            step_counts: Vec::new(),
            wall: Duration::ZERO,
        })
    }

    /// Adds a sample at the time of the last block step.
    fn sample(&mut self, cluster: &mut Cluster, time: f64) -> Result<(), nbody_integrate::Error> {
        let snapshot = cluster.snapshot(time)?;
        self.shells.add(&snapshot);
        self.plotted.add(&snapshot);
        let mut radii = [0.0; FRACTIONS.len()];
        radii.copy_from_slice(&snapshot.lagrangian_radii(&FRACTIONS));
        self.samples.push(Sample { time, radii, integrals: cluster.integrals()? });
        Ok(())
    }

    /// Returns the relative error of the energy at each sample after the first.
    fn energy_errors(&self) -> impl Iterator<Item = (f64, f64)> {
        let before = self.samples[0].integrals.energy();
        let error = move |energy: f64| ((energy - before) / before).abs();
        self.samples[1..].iter().map(move |it| (it.time, error(it.integrals.energy())))
    }

    /// Returns the largest relative error of the energy so far.
    fn energy_error(&self) -> f64 {
        // NaN counts as the largest.
        self.energy_errors().map(|point| point.1).max_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// Returns the last sample.
    fn end(&self) -> &Sample {
        &self.samples[self.samples.len() - 1]
    }

    /// Returns the mean over time of a measured value.
    fn mean(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(of).sum::<f64>() / self.samples.len() as f64
    }
}

/// Returns numbers at equal ratios from the beginning to the end of a range: the first and `steps`
/// more.
fn geometric(range: Range<f64>, steps: u32) -> impl Iterator<Item = f64> {
    let ratio = range.end / range.start;
    (0..=steps).map(move |k| range.start * ratio.powf(f64::from(k) / f64::from(steps)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_cluster_is_in_equilibrium() {
        let arguments =
            Arguments::try_parse_from(["plummer", "-n", "256", "--until", "1"]).unwrap();
        let measured = simulate(&Device::cpu(), &arguments).unwrap();
        assert_eq!((measured.samples.len(), measured.end().time), (5, 1.0));
        let virial = measured.mean(|it| it.integrals.virial_ratio());
        assert!((virial - 1.0).abs() < 0.05, "{virial}");
        let radius = measured.mean(|it| it.radii[2]);
        assert!((radius / model::radius(0.5) - 1.0).abs() < 0.1, "{radius}");
        assert!((1e-12..1e-4).contains(&measured.energy_error()), "{}", measured.energy_error());
        assert_eq!(measured.steps, measured.first_steps);
        assert_eq!(measured.step_counts.iter().map(|it| it.1).sum::<usize>(), 256);

        let report = measured.report(&Device::cpu());
        let folder = tempfile::tempdir().unwrap();
        measured.draw(folder.path()).unwrap();
        for expected in ["256 stars until time 1", "radius of 50%", "0.7686", "0.5 .. 1"] {
            assert!(report.contains(expected), "{expected}:\n{report}");
        }
        for name in ["density", "dispersion", "lagrange", "energy"] {
            let plot = std::fs::read_to_string(folder.path().join(name).with_extension("svg"));
            assert!(plot.unwrap().contains("256 stars"), "{name}");
        }
    }

    #[test]
    fn an_energy_that_is_nan_is_the_largest_error() {
        let mut measured = Measured::new(256).unwrap();
        for (time, kinetic) in [(0.0, 0.25), (1.0, f64::NAN), (2.0, 0.25)] {
            let integrals = Integrals { kinetic, potential: -0.5, ..Integrals::default() };
            measured.samples.push(Sample { time, radii: [1.0; 5], integrals });
        }
        assert!(measured.energy_error().is_nan(), "{}", measured.energy_error());
    }

    #[test]
    fn numbers_of_stars_may_have_exponents() {
        assert_eq!((stars("1e4"), stars("256")), (Ok(10_000), Ok(256)));
        for text in ["255", "1e7", "300.5", "-300", "nan", ""] {
            assert!(stars(text).unwrap_err().contains("from 256 to 1048576"), "{text}");
        }
    }

    #[test]
    fn radii_rise_in_equal_ratios() {
        let radii: Vec<_> = geometric(0.1..10.0, 2).collect();
        let errors = radii.iter().zip([0.1, 1.0, 10.0]).map(|(r, expected)| r / expected - 1.0);
        assert!(radii.len() == 3 && errors.into_iter().all(|error| error.abs() < 1e-12));
    }
}
