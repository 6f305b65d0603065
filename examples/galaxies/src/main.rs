//! Two disk galaxies that meet: each has a disk, a bulge and a halo. They follow a parabolic
//! orbit, integrated by leapfrog with forces from a tree. The example draws the density of the
//! stars as frames of a film, in which tides draw the disks out into bridges and tails (Toomre &
//! Toomre 1972), and the error of the energy.
//!
//! `cargo run --release -p nbody-galaxies -- -o FOLDER` is meant for a GPU; on a CPU, `--n 20000`
//! gives the same picture with more noise. `--help` lists the options. `simulation.rs` shows the
//! use of the tree.
#![forbid(unsafe_code)]

mod arguments;
mod energy;
mod error;
mod folder;
mod frames;
mod orbit;
mod simulation;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use nbody::{Device, DeviceName};
use nbody_plots::density::View;

use arguments::Arguments;
use energy::History;
use error::Error;
use simulation::Simulation;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            // As for what clap refuses.
            if matches!(error, Error::Number { .. }) {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

/// Simulates, writes all files, and returns the report.
fn run(arguments: &Arguments) -> Result<String, Error> {
    arguments.check()?;
    let device = arguments.device.map_or_else(|| Ok(Device::best()), DeviceName::open)?;
    let folder = &arguments.output;
    folder::provide(folder)?;
    let (history, wall) = simulate(&device, arguments)?;
    history.write(&folder.join("energy.csv"))?;
    history.draw(&folder.join("energy.svg"))?;
    Ok(report(arguments, &device, &history, wall))
}

/// Advances to the end and draws the frames. Returns the energies after each step, and the
/// duration of the steps.
fn simulate(device: &Device, arguments: &Arguments) -> Result<(History, Duration), Error> {
    let steps = arguments.steps();
    let style = ProgressStyle::with_template("{bar:40} {percent:>3}% {msg}");
    let bar = ProgressBar::new(steps);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message("initial particles");
    let mut simulation = Simulation::new(device, arguments)?;
    let view = frames::view(arguments.separation);
    let mut history = History::default();
    history.add(0.0, simulation.energies()?)?;
    let mut wall = Duration::ZERO;
    for frame in 0..arguments.frames {
        for _ in bar.position()..arguments.steps_before(frame) {
            let begin = Instant::now();
            simulation.advance()?;
            wall += begin.elapsed();
            history.add(simulation.time(), simulation.energies()?)?;
            bar.inc(1);
            let error = history.greatest_error();
            bar.set_message(format!("time {:.2}, energy error {error:.0e}", simulation.time()));
        }
        draw(&view, &simulation, &arguments.output.join(format!("frame-{frame:04}.png")))?;
    }
    bar.finish_and_clear();
    Ok((history, wall))
}

/// Draws a frame.
fn draw(view: &View, simulation: &Simulation, path: &Path) -> Result<(), Error> {
    let stars = simulation.stars()?;
    let image = frames::draw(view, &stars, simulation.time());
    let image = image.map_err(|source| Error::Picture { path: path.into(), source })?;
    folder::write(path, &image)
}

fn report(arguments: &Arguments, device: &Device, history: &History, wall: Duration) -> String {
    let (steps, opening) = (arguments.steps(), arguments.opening());
    let milliseconds = 1e3 * wall.as_secs_f64() / steps as f64;
    format!(
        "{} particles in two galaxies until time {}, by a tree of {opening}, on {device}\n\
         {steps} steps of {milliseconds:.3} ms; greatest relative error of the energy {:.1e}\n\
         files: {}",
        arguments.n,
        history.end(),
        history.greatest_error(),
        arguments.output.join("{frame-*.png,energy.csv,energy.svg}").display()
    )
}
