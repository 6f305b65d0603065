//! Liquid argon, the simulation of Rahman 1964 (Phys. Rev. 136, A405): 864 atoms by Lennard-Jones
//! at 94.4 K and 1.374 g/cm³ in a periodic box, velocity Verlet with steps of 10 fs. It prints the
//! first peak of the pair distribution and the diffusion coefficient beside the published values,
//! and draws the pair distribution and the mean square displacement.
//!
//! `cargo run --release -p nbody-argon -- FOLDER` takes about 20 s on a core. As in the
//! publication, the potential has a step at the cutoff, so that the energy is conserved to about
//! 10⁻³.
//!
//! `-- state-point` instead measures the energy and the pressure of 2048 atoms at a state point
//! that NIST has published, in about two minutes. `-- drift` measures the drift of the energy over
//! 10⁵ steps with a switched potential.
#![forbid(unsafe_code)]

mod liquid;
mod measure;
mod state_point;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use nbody::{Device, DeviceName};

use liquid::{EPSILON, Liquid, RAHMAN, SIGMA, TAU, truncated};
use measure::{Distances, displacements, mean_and_error, peak, slope};
use nbody_interactions::lennard_jones::LennardJones;
use nbody_plots::{Axis, Curve, Figure};

/// Step in picoseconds.
const STEP: f64 = 0.01;
/// Temperature in kelvin.
const TEMPERATURE: f64 = 94.4;
/// Temperature in kelvin at which the lattice melts.
const HOT: f64 = 300.0;
/// Steps between two scalings of the velocities.
const SCALING: u32 = 20;
/// Number of scalings while hot, and at the temperature of the measurement.
const SCALINGS: [u32; 2] = [20, 80];
/// Number of corrections of the mean temperature before the measurement.
const CORRECTIONS: u32 = 6;
/// Number of samples of each mean temperature.
const CORRECTION_SAMPLES: u32 = 40;
/// Steps between two samples.
const SAMPLING: u32 = 5;
/// Number of independent parts of the measurement.
const PARTS: usize = 8;
/// Number of samples in each part.
const SAMPLES: usize = 200;
/// Number of samples over which displacements are measured.
const LAGS: usize = 61;
/// First sample of the linear part, which gives the diffusion coefficient.
const LINEAR: usize = 30;
/// Bins of the pair distribution.
const BINS: usize = 200;

/// Published values (Rahman 1964): place and height of the first peak, in ångström, and the
/// diffusion coefficient in 10⁻⁵ cm²/s.
const PEAK: (f64, f64) = (3.7, 2.8);
const DIFFUSION: f64 = 2.43;

/// Diffusion coefficients of σ²/τ in 10⁻⁵ cm²/s: 1 Å²/ps is 10⁻⁴ cm²/s.
const DIFFUSION_UNIT: f64 = 10.0;

/// Simulate liquid argon as Rahman 1964, and draw g.svg, the pair distribution, and msd.svg, the
/// mean square displacement.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true, term_width = 80)]
struct Arguments {
    /// The folder of the plots, made if it does not exist.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The device: cpu, cpu:LEVEL, emulator, cuda:N or best; by default the first GPU, or the CPU.
    #[arg(long, global = true)]
    device: Option<DeviceName>,
    #[command(subcommand)]
    other: Option<Other>,
}

/// Measurements instead, which draw nothing.
#[derive(Clone, Copy, Subcommand)]
enum Other {
    /// Measure the energy and the pressure of 2048 atoms at a state point that NIST has published.
    StatePoint,
    /// Measure the drift of the energy over 100000 steps with a switched potential.
    Drift,
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
    match arguments.other {
        Some(Other::StatePoint) => return state_point::compare(&device),
        Some(Other::Drift) => return state_point::drift(&device),
        None => {}
    }
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder)?;
    let measured = simulate(&device)?;
    measured.draw(folder)?;
    println!("{} atoms on {device}\n\n{}", RAHMAN.atoms(), measured.table());
    println!("\nplots: {}", folder.join("{g,msd}.svg").display());
    Ok(())
}

/// Measured values, in ångström, picoseconds and kelvin.
struct Measured {
    /// Pair distribution.
    g: Vec<(f64, f64)>,
    /// Mean square displacement after each time.
    displacements: Vec<(f64, f64)>,
    /// Values for each part.
    temperatures: Vec<f64>,
    peaks: Vec<(f64, f64)>,
    diffusion: Vec<f64>,
    /// Largest relative error of the energy.
    energy_error: f64,
}

fn simulate(device: &Device) -> Result<Measured, Box<dyn Error>> {
    let corrections = CORRECTIONS * CORRECTION_SAMPLES * SAMPLING;
    let steps = (SCALINGS[0] + SCALINGS[1]) * SCALING + corrections;
    let bar = ProgressBar::new(u64::from(steps) + (PARTS * SAMPLES) as u64 * u64::from(SAMPLING));
    bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3}% {msg}")?);
    let mut liquid = Liquid::new(device, truncated(RAHMAN.cutoff), RAHMAN, STEP / TAU)?;
    bar.set_message("equilibration");
    for (temperature, scalings) in [HOT, TEMPERATURE].into_iter().zip(SCALINGS) {
        for _ in 0..scalings {
            liquid.scale_to(temperature / EPSILON)?;
            liquid.advance(SCALING)?;
            bar.inc(SCALING.into());
        }
    }
    correct(&mut liquid, &bar)?;
    bar.set_message("measurement");
    let measured = measure(&mut liquid, &bar)?;
    bar.finish_and_clear();
    Ok(measured)
}

/// Scales the mean temperature over time, since the instantaneous temperature fluctuates by some
/// kelvin.
fn correct(liquid: &mut Liquid<LennardJones>, bar: &ProgressBar) -> Result<(), Box<dyn Error>> {
    for _ in 0..CORRECTIONS {
        let mut mean = 0.0;
        for _ in 0..CORRECTION_SAMPLES {
            liquid.advance(SAMPLING)?;
            bar.inc(SAMPLING.into());
            mean += liquid.state()?[0] * EPSILON / f64::from(CORRECTION_SAMPLES);
        }
        liquid.scale_by(TEMPERATURE / mean)?;
    }
    Ok(())
}

fn measure(
    liquid: &mut Liquid<LennardJones>,
    bar: &ProgressBar,
) -> Result<Measured, Box<dyn Error>> {
    let [_, energy] = liquid.state()?;
    let mut all = Distances::new(RAHMAN.edge, BINS);
    let mut measured = Measured {
        g: Vec::new(),
        displacements: vec![(0.0, 0.0); LAGS],
        temperatures: Vec::new(),
        peaks: Vec::new(),
        diffusion: Vec::new(),
        energy_error: 0.0,
    };
    for _ in 0..PARTS {
        let mut distances = Distances::new(RAHMAN.edge, BINS);
        let (mut trajectory, mut temperature) = (Vec::new(), 0.0);
        for _ in 0..SAMPLES {
            liquid.advance(SAMPLING)?;
            bar.inc(SAMPLING.into());
            let [now, total] = liquid.state()?;
            temperature += now * EPSILON / SAMPLES as f64;
            let error = (total / energy - 1.0).abs();
            if error.is_nan() || error > measured.energy_error {
                measured.energy_error = error;
            }
            let positions = liquid.positions()?;
            distances.add(&positions);
            trajectory.push(positions);
        }
        let squares = displacements(&trajectory, LAGS);
        let time = |lag: usize| lag as f64 * f64::from(SAMPLING) * STEP;
        let points: Vec<_> =
            squares.iter().enumerate().map(|(k, x)| (time(k), x * SIGMA * SIGMA)).collect();
        for (sum, point) in measured.displacements.iter_mut().zip(&points) {
            *sum = (point.0, sum.1 + point.1 / PARTS as f64);
        }
        measured.diffusion.push(slope(&points[LINEAR..]) / 6.0 * DIFFUSION_UNIT);
        measured.temperatures.push(temperature);
        measured.peaks.extend(peak(&distances.g()));
        all.merge(&distances);
    }
    measured.g = all.g().into_iter().map(|(r, g)| (r * SIGMA, g)).collect();
    Ok(measured)
}

impl Measured {
    /// Formats the measured values beside the published ones, with the standard errors of their
    /// means.
    fn table(&self) -> String {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header(["", "measured", "standard error", "Rahman 1964"]);
        let places: Vec<_> = self.peaks.iter().map(|peak| peak.0 * SIGMA).collect();
        let heights: Vec<_> = self.peaks.iter().map(|peak| peak.1).collect();
        for (name, values, published) in [
            ("temperature (K)", &self.temperatures, TEMPERATURE),
            ("first peak of g(r), at (Å)", &places, PEAK.0),
            ("first peak of g(r), height", &heights, PEAK.1),
            ("diffusion coefficient (10⁻⁵ cm²/s)", &self.diffusion, DIFFUSION),
        ] {
            let (mean, error) = mean_and_error(values);
            let cells = [format!("{mean:.3}"), format!("{error:.3}"), published.to_string()];
            table.add_row([&[name.to_owned()], &cells[..]].concat());
        }
        let error = format!("{:.1e}", self.energy_error);
        table.add_row(["relative error of the energy", &error]);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let lines = table.lines().map(|line| line.trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Draws g.svg and msd.svg.
    fn draw(&self, folder: &std::path::Path) -> Result<(), Box<dyn Error>> {
        let g = Figure::new(
            "Pair distribution of liquid argon",
            Axis::linear("r (Å)"),
            Axis::linear("g(r)"),
        )
        .curve(Curve::line("measured", self.g.clone()).without_marks())
        .curve(Curve::points("first peak, Rahman 1964", vec![PEAK]));
        fs::write(folder.join("g.svg"), g.svg()?)?;
        // Line with the slope of the published diffusion coefficient, through the middle of the
        // linear part.
        let end = self.displacements[LAGS - 1];
        let slope = 6.0 * DIFFUSION / DIFFUSION_UNIT;
        let start = (end.0 - end.1 / slope).max(0.0);
        let published = vec![(start, end.1 - slope * (end.0 - start)), end];
        let displacements = Figure::new(
            "Mean square displacement in liquid argon",
            Axis::linear("time (ps)"),
            Axis::linear("mean square displacement (Å²)"),
        )
        .curve(Curve::line("measured", self.displacements.clone()).without_marks())
        .curve(Curve::model("6 D t, D = 2.43·10⁻⁵ cm²/s, Rahman 1964", published));
        Ok(fs::write(folder.join("msd.svg"), displacements.svg()?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_unknown_are_no_folders() {
        let parse = |words: &[&str]| Arguments::try_parse_from([&["argon"], words].concat());
        assert_eq!(parse(&["plots"]).unwrap().folder, PathBuf::from("plots"));
        assert_eq!(parse(&[]).unwrap().folder, PathBuf::from("."));
        assert!(matches!(parse(&["state-point"]).unwrap().other, Some(Other::StatePoint)));
        assert!(matches!(parse(&["drift"]).unwrap().other, Some(Other::Drift)));
        assert!(matches!(
            parse(&["drift", "--device", "cpu"]).unwrap(),
            Arguments { device: Some(DeviceName::Cpu(None)), other: Some(Other::Drift), .. }
        ));
        for words in [&["--help"][..], &["--device"], &["-x"], &["a", "b"], &["drift", "a"]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
