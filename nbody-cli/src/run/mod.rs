//! `nbody run`.

pub mod error;
pub mod history;
mod image;
mod output;
mod progress;
mod restart;
pub mod settings;
pub mod simulation;

use std::error::Error as StdError;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::ArgGroup;
use nbody::models::Snapshot;
use nbody::{Device, DeviceName};

use crate::format::{self, Format};
use crate::select::Numerics;
use crate::table::Table;
use crate::{Outcome, sphere, ticks};
use error::Error;
use history::{Counts, History, Row};
use image::View;
use output::{Folder, INTERRUPTED};
use progress::Progress;
use restart::Restart;
use settings::{IntegratorName, Settings};
use simulation::Simulation;

/// Exit code after Ctrl-C: 128 and the number of the signal, as in a shell.
const INTERRUPT: u8 = 130;
/// Roundoff of times, relative to the time between snapshots.
const ROUNDOFF: f64 = 1e-9;

const AFTER_HELP: &str = "\
The folder gets, with the snapshot at the beginning as number 0000:
  snapshot-NNNN.csv   the particles at that time (.nemo or .xyz with --format)
  snapshot-NNNN.png   their mass projected on x and y, in colours of its logarithm
  energies.csv        of each snapshot the time, the energies, their error; so far the steps, the
                      particles that they advanced, and the seconds of the integration
  lagrange.csv        of each snapshot the radii that contain 10, 25, 50, 75 and 90% of the mass
  energy.svg, lagrange.svg   the same as plots, drawn at the end
  checkpoint.json     the run as it is, for --restart
Energies are those at the last step before the time of a snapshot, or at it. With block time steps they
are most accurate at multiples of the largest step, where the steps of all particles end.

Ctrl-C ends the run after the step, writes interrupted.csv and .png and the checkpoint, and exits with
130; a second Ctrl-C ends it at once. A run that is continued gives the same bits as one that was not
interrupted, on the same device.";

#[derive(clap::Args)]
#[command(group(ArgGroup::new("start").required(true).args(["model", "n", "restart"])))]
#[command(after_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Arguments {
    /// The initial particles: CSV (.csv) or NEMO text (.nemo, .txt), as `nbody plummer` writes them.
    #[arg(value_name = "FILE")]
    model: Option<PathBuf>,
    /// Begin with a Plummer sphere of N particles in virial equilibrium, that of `nbody plummer`.
    #[arg(short, long)]
    n: Option<usize>,
    /// The seed of the Plummer sphere; a seed always gives the same particles.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Continue a run from its checkpoint.json, with its settings; only --until, --every, --format,
    /// --device and --output may be others. Without --output it continues in the folder of the file.
    #[arg(long, value_name = "FILE")]
    restart: Option<PathBuf>,
    /// The folder to write into, which must not hold another run.
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "restart")]
    output: Option<PathBuf>,
    /// The integrator [default: hermite].
    #[arg(long, value_enum)]
    integrator: Option<IntegratorName>,
    /// The time at the end [default: 1].
    #[arg(long, value_name = "T")]
    until: Option<f64>,
    /// The time between snapshots; by default there is one at the end.
    #[arg(long, value_name = "T")]
    every: Option<f64>,
    /// The softening length [default: 0].
    #[arg(long)]
    eps: Option<f64>,
    /// The accuracy of Hermite steps: Aarseth's eta [default: 0.02].
    #[arg(long)]
    eta: Option<f64>,
    /// The accuracy of the first Hermite step, eta |a| / |da/dt| [default: 0.005].
    #[arg(long, value_name = "ETA")]
    eta_start: Option<f64>,
    /// The largest Hermite step; steps are this divided by powers of two [default: 0.125].
    #[arg(long, value_name = "STEP")]
    largest: Option<f64>,
    /// Evaluations and corrections of a Hermite step: n of P(EC)^n [default: 1].
    #[arg(long, value_name = "N")]
    iterations: Option<u32>,
    /// The step of the leapfrog integrator, which needs it.
    #[arg(long)]
    step: Option<f64>,
    /// Sum the forces of the leapfrog integrator by a tree with this opening angle, such as 0.6; the potential energy
    /// that scales the Plummer sphere, too, on the CPU.
    #[arg(long, value_name = "THETA")]
    tree: Option<f64>,
    /// The device: cpu, cpu:LEVEL, emulator or cuda:N; by default the first GPU, or the CPU.
    #[arg(long)]
    device: Option<DeviceName>,
    #[command(flatten)]
    numerics: Numerics,
    /// The format of the snapshots [default: csv].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let start = Instant::now();
    let interrupted = interruption()?;
    let mut run = match &arguments.restart {
        Some(path) => Run::resume(arguments, path)?,
        None => Run::begin(arguments)?,
    };
    let ended = run.advance(&interrupted);
    run.progress.finish();
    let drawn = run.draw();
    let ended = ended?;
    drawn?;
    run.report(start.elapsed(), ended)
}

/// Returns the flag that Ctrl-C sets. A second one ends the process.
fn interruption() -> Result<Arc<AtomicBool>, ctrlc::Error> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPT.into());
        }
    })?;
    Ok(flag)
}

/// The end of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Complete,
    Interrupted,
}

/// A run with its simulation and its output.
struct Run {
    simulation: Simulation,
    settings: Settings,
    folder: Folder,
    view: View,
    history: History,
    device: Device,
    particles: usize,
    counts: Counts,
    progress: Progress,
}

impl Run {
    /// Begins a run, and writes its first snapshot.
    fn begin(arguments: &Arguments) -> Result<Self, Box<dyn StdError>> {
        let settings = Settings::new(arguments)?;
        let device = arguments.device.map_or_else(|| Ok(Device::best()), DeviceName::open)?;
        let folder = Folder::provide(arguments.output.as_deref().unwrap_or(Path::new("run")))?;
        let snapshot = particles(arguments)?;
        let begin = snapshot.time;
        settings.check_times(begin, begin)?;
        let mut simulation = Simulation::new(&device, &settings, &snapshot)?;
        let first = measure(&mut simulation, &snapshot, Counts::default())?;
        let view = view(&snapshot, &first);
        let history = History::new(first);
        let progress = Progress::new(begin, settings.until, Counts::default(), 0.0);
        let particles = snapshot.particles.len();
        let counts = Counts::default();
        let run = Self {
            simulation,
            settings,
            folder,
            view,
            history,
            device,
            particles,
            counts,
            progress,
        };
        run.write(&snapshot)?;
        Ok(run)
    }

    /// Continues a run from a file.
    fn resume(arguments: &Arguments, path: &Path) -> Result<Self, Box<dyn StdError>> {
        let Restart { settings, view, counts, history, state } = Restart::load(path)?;
        let settings = settings.resume(path, arguments)?;
        let device = arguments.device.map_or_else(|| Ok(Device::best()), DeviceName::open)?;
        let folder = Folder::resume(path, arguments.output.as_deref())?;
        let simulation = Simulation::resume(&device, &settings, &state)?;
        let (begin, time) = (history.first().time, simulation.time().max(history.last().time));
        settings.check_times(begin, time)?;
        let progress = Progress::new(begin, settings.until, counts, history.last_error());
        let particles = state.particles();
        Ok(Self {
            simulation,
            settings,
            folder,
            view,
            history,
            device,
            particles,
            counts,
            progress,
        })
    }

    /// Advances to the end, with snapshots on the way.
    fn advance(&mut self, interrupted: &AtomicBool) -> Result<Ended, Box<dyn StdError>> {
        while let Some(time) = self.next_time() {
            let ended = self.advance_to(time, interrupted)?;
            if ended == Ended::Interrupted {
                self.interrupt()?;
                return Ok(ended);
            }
            self.record(time)?;
        }
        Ok(Ended::Complete)
    }

    /// Returns the time of the next snapshot, if there is one.
    fn next_time(&self) -> Option<f64> {
        let (begin, last) = (self.history.first().time, self.history.last().time);
        let until = self.settings.until;
        let regular = self.settings.every.map(|every| {
            let number = ((last - begin) / every + ROUNDOFF).floor() + 1.0;
            begin + number * every
        });
        // A snapshot next to the end, but for rounding errors, is that at the end.
        let near = |time: f64| time >= until - ROUNDOFF * (until - begin);
        let next = regular.filter(|&time| !near(time)).unwrap_or(until);
        (last < until).then_some(next)
    }

    /// Advances to the last step before this time, or at it.
    fn advance_to(
        &mut self,
        time: f64,
        interrupted: &AtomicBool,
    ) -> Result<Ended, nbody_integrate::Error> {
        let pairs = self.pairs_of_particle();
        loop {
            if !self.simulation.ends_by(time) {
                self.timed(Simulation::wait)?;
                return Ok(Ended::Complete);
            }
            if interrupted.load(Ordering::Relaxed) {
                self.timed(Simulation::wait)?;
                return Ok(Ended::Interrupted);
            }
            let block = self.timed(Simulation::advance)?;
            self.counts.steps += 1;
            self.counts.particle_steps += block;
            self.progress.show(&mut self.simulation, &self.history, self.counts, pairs)?;
        }
    }

    /// Does a part of the integration, and adds its time.
    fn timed<T>(
        &mut self,
        part: impl FnOnce(&mut Simulation) -> Result<T, nbody_integrate::Error>,
    ) -> Result<T, nbody_integrate::Error> {
        let start = Instant::now();
        let done = part(&mut self.simulation)?;
        self.counts.seconds += start.elapsed().as_secs_f64();
        Ok(done)
    }

    /// Returns the ordered pairs that are evaluated to advance a particle by a step.
    fn pairs_of_particle(&self) -> f64 {
        self.particles as f64 * f64::from(self.settings.integrator.evaluations())
    }

    /// Measures and writes a snapshot.
    fn record(&mut self, time: f64) -> Result<(), Box<dyn StdError>> {
        let snapshot = self.snapshot(time)?;
        let row = measure(&mut self.simulation, &snapshot, self.counts)?;
        self.history.push(row);
        self.write(&snapshot)
    }

    /// Writes the last snapshot of the history, the tables and the file to restart from.
    fn write(&self, snapshot: &Snapshot) -> Result<(), Box<dyn StdError>> {
        let name = format!("snapshot-{:04}", self.history.number());
        self.folder.snapshot(&name, snapshot, self.settings.format, &self.view)?;
        self.save()
    }

    /// Writes the particles as they are, and the file to restart from. They are no part of the
    /// history: with or without an interruption a run has the same snapshots.
    fn interrupt(&self) -> Result<(), Box<dyn StdError>> {
        let snapshot = self.snapshot(self.simulation.time())?;
        self.folder.snapshot(INTERRUPTED, &snapshot, self.settings.format, &self.view)?;
        self.save()
    }

    fn snapshot(&self, time: f64) -> Result<Snapshot, Error> {
        self.simulation.snapshot(time).map_err(|source| Error::Lost { time, source })
    }

    fn save(&self) -> Result<(), Box<dyn StdError>> {
        self.folder.save(&Restart {
            settings: self.settings.clone(),
            view: self.view.clone(),
            counts: self.counts,
            history: self.history.clone(),
            state: self.simulation.state()?,
        })
    }

    fn draw(&self) -> Result<(), Box<dyn StdError>> {
        let Settings { integrator, eps, precision, accumulation, math, .. } = &self.settings;
        let (name, n) = (integrator.name(), self.particles);
        let caption = format!(
            "{n} particles, softening length {eps}, {name} integrator on {}; {precision} precision, \
             {accumulation} accumulation, {math} mathematics",
            self.device
        );
        self.history.draw(self.folder.path(), &caption)
    }

    /// Prints the table at the end.
    fn report(&self, wall: Duration, ended: Ended) -> Outcome {
        let mut table = Table::new(&[
            "integrator",
            "device",
            ">N",
            ">time",
            ">steps",
            ">mean block",
            ">integration",
            ">pairs/s",
            ">wall time",
            ">energy error",
        ]);
        let time = match ended {
            Ended::Complete => self.history.last().time,
            Ended::Interrupted => self.simulation.time(),
        };
        let Counts { steps, particle_steps, seconds } = self.counts;
        let block = particle_steps as f64 / steps as f64;
        let rate = self.pairs_of_particle() * particle_steps as f64 / seconds;
        table.row(vec![
            self.settings.integrator.name().to_owned(),
            self.device.name(),
            self.particles.to_string(),
            time.to_string(),
            steps.to_string(),
            format!("{block:.1}"),
            format!("{seconds:.3} s"),
            ticks::power(rate.log10()),
            format!("{:.3} s", wall.as_secs_f64()),
            format!("{:.2e}", self.history.last_error()),
        ]);
        let mut out = std::io::stdout().lock();
        for line in table.lines() {
            writeln!(out, "{line}")?;
        }
        if ended == Ended::Complete {
            return Ok(ExitCode::SUCCESS);
        }
        let file = self.folder.checkpoint();
        writeln!(out, "interrupted; continue with: nbody run --restart {}", file.display())?;
        Ok(ExitCode::from(INTERRUPT))
    }
}

/// Returns the initial particles.
fn particles(arguments: &Arguments) -> Result<Snapshot, Box<dyn StdError>> {
    let snapshot = if let Some(path) = &arguments.model {
        let read = format::read(path).ok_or_else(|| Error::Extension { path: path.clone() })?;
        read.map_err(|source| Error::Model { path: path.clone(), source })?
    } else {
        let n = arguments.n.unwrap_or(0);
        match arguments.tree {
            None => sphere::in_equilibrium(n, arguments.seed)?,
            Some(_) => sphere::in_equilibrium_by_tree(n, arguments.seed)?,
        }
    };
    if let Some(index) = snapshot.particles.iter().position(|particle| particle.mass < 0.0) {
        let mass = snapshot.particles[index].mass;
        return Err(Error::NegativeMass { index, mass }.into());
    }
    let mass = snapshot.mass();
    if mass > 0.0 && mass.is_finite() {
        return Ok(snapshot);
    }
    // The sum of no masses is -0.
    Err(Error::TotalMass { particles: snapshot.particles.len(), mass: mass + 0.0 }.into())
}

/// Measures a snapshot.
fn measure(
    simulation: &mut Simulation,
    snapshot: &Snapshot,
    counts: Counts,
) -> Result<Row, Box<dyn StdError>> {
    let energies = simulation.energies()?;
    error::check_energies(&energies, snapshot.time)?;
    Ok(Row::new(snapshot, &energies, counts))
}

/// Returns the square that all images show: one and a half times as far from the centre as the sphere
/// with 90% of the mass reaches at the beginning.
fn view(snapshot: &Snapshot, first: &Row) -> View {
    let sum = |c: usize| snapshot.particles.iter().map(|p| p.mass * p.pos[c]).sum::<f64>();
    let radius = first.outer_radius();
    let half = if radius > 0.0 { 1.5 * radius } else { 1.0 };
    View { centre: [0, 1].map(|c| sum(c) / snapshot.mass()), half }
}
