//! `nbody run`.

mod arguments;
mod binaries;
mod diagnostics;
pub mod error;
mod gravity;
pub mod history;
mod interruption;
mod output;
mod particles;
mod progress;
mod question;
mod report;
mod resolution;
mod restart;
mod scaled;
pub mod settings;
pub mod simulation;
mod sink;
mod units;

use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use nbody::models::Snapshot;
use nbody::{Device, Precision};
use nbody_integrate::Energies;

use crate::camera::{Camera, Wanted};
use crate::ranks::{self, Rank};
use crate::wrong::Wrong;
use crate::{Outcome, cache, message, plot};
use error::Error;
use history::{Counts, History, Row};
use interruption::Interruption;
use output::{Folder, INTERRUPTED};
use progress::Progress;
use question::Question;
use resolution::Unheld;
use restart::Restart;
use scaled::Scaled;
use settings::Settings;
use simulation::prepare_tree;
use sink::{Formatted, Sink};
use units::Units;

pub use arguments::Arguments;
pub use gravity::FileUnits;
pub use restart::About;

/// Checkpoints at snapshots take at most this fraction of the time.
const SHARE: f64 = 0.05;
/// Rounding error of times, relative to the time between snapshots.
const ROUNDOFF: f64 = 1e-9;

pub fn run(arguments: &Arguments) -> Outcome {
    let interruption = Interruption::listen()?;
    ranks::run(arguments.gpus, arguments.distribute_trees, |rank| {
        run_as(rank, arguments, interruption.clone())
    })
}

/// Runs as one of the ranks.
fn run_as(rank: &Rank, arguments: &Arguments, interruption: Interruption) -> Outcome {
    let start = Instant::now();
    let preparing = Progress::preparing(rank, arguments);
    let mut run = match &arguments.restart {
        Some(path) => Run::resume(rank, arguments, path, (interruption, start))?,
        None => Run::begin(rank, arguments, (interruption, start))?,
    };
    preparing.finish_and_clear();
    let ended = run.advance();
    run.progress.finish();
    let drawn = run.draw(arguments.movie);
    let ended = ended?;
    let movie = drawn?;
    if !arguments.quiet {
        run.report(start.elapsed(), ended, movie.as_deref(), arguments.json)?;
    }
    run.warn();
    Ok(match ended {
        Ended::Complete => ExitCode::SUCCESS,
        Ended::Interrupted => ExitCode::from(interruption::EXIT),
    })
}

/// The end of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Complete,
    Interrupted,
}

/// A run with its simulation and its output.
struct Run {
    rank: Rank,
    simulation: Scaled,
    settings: Settings,
    folder: Folder,
    camera: Camera,
    history: History,
    device: Device,
    particles: usize,
    counts: Counts,
    progress: Progress,
    checkpoints: Checkpoints,
    interruption: Interruption,
    /// The end of the wall time.
    end: Option<Instant>,
    question: Question,
    /// Whether the file to restart from is of the last snapshot.
    is_saved: bool,
    /// Whether the run continues another one.
    is_resumed: bool,
}

/// The times of checkpoints.
struct Checkpoints {
    /// Longest wall time between two checkpoints.
    every: Duration,
    last: Instant,
    cost: Duration,
}

impl Checkpoints {
    fn new(arguments: &Arguments) -> Self {
        let every = Duration::try_from_secs_f64(60.0 * arguments.checkpoint_every);
        let every = every.unwrap_or(Duration::MAX);
        Self { every, last: Instant::now(), cost: Duration::ZERO }
    }

    /// Returns whether a checkpoint is due, after a step or after a snapshot.
    fn is_due(&self, is_snapshot: bool) -> bool {
        let elapsed = self.last.elapsed();
        elapsed >= self.every || is_snapshot && self.cost <= elapsed.mul_f64(SHARE)
    }
}

impl Run {
    /// Begins a run, and writes its first snapshot.
    fn begin(
        rank: &Rank,
        arguments: &Arguments,
        (interruption, start): (Interruption, Instant),
    ) -> Result<Self, Box<dyn StdError>> {
        // Nothing but the arguments is wrong here.
        let mut settings = Settings::new(arguments).map_err(|error| Wrong(error.to_string()))?;
        let (device, folder, snapshot) = provide(rank, arguments, &settings)?;
        let begin = snapshot.time;
        settings.check_times(begin, None)?;
        if rank.is_first() {
            settings.warn_of_times(begin);
        }
        if settings.eps == 0.0
            && let Some((first, second)) = resolution::together(&snapshot)
        {
            return Err(Error::Together { first, second, time: begin }.into());
        }
        let units = Units::of(&snapshot, settings.until, settings.eps, settings.units.gravity);
        settings.scale_default(arguments, &units, begin);
        if Units::move_as_one(&snapshot) {
            settings.lengthen_default(arguments, begin);
        }
        let inner = units.inward(&snapshot);
        settings.precision = precision(rank, arguments, &settings, &units, &inner)?;
        let mut simulation = Scaled::new(&device, &settings, units, &inner)?;
        let energies = energies(&mut simulation, begin)?;
        let first = Row::new(&inner, &units, begin, &energies, Counts::default());
        if rank.is_first() && (arguments.units.is_some() || arguments.gravity.is_some()) {
            report::warn_of_units(first.virial_ratio());
        }
        interruption.begin();
        let camera = camera(&arguments.camera.unwrap_or_default(), &units, &inner, begin, &first);
        let sink = Sink {
            folder: &folder,
            settings: &settings,
            camera: &camera,
            is_first: rank.is_first(),
        };
        let (first, state) = sink.snapshot("snapshot-0000", (&inner, first), &simulation, true)?;
        let run = Self {
            camera,
            particles: snapshot.particles.len(),
            history: History::new(first, units.bulk()),
            counts: Counts::default(),
            progress: Progress::new(
                rank,
                arguments,
                [begin, settings.until],
                Counts::default(),
                0.0,
            ),
            checkpoints: Checkpoints::new(arguments),
            rank: rank.clone(),
            simulation,
            settings,
            folder,
            device,
            interruption,
            end: arguments.wall_time.and_then(|time| start.checked_add(time)),
            question: Question::new(),
            is_saved: false,
            is_resumed: false,
        };
        if rank.is_first() {
            run.history.write(run.folder.path())?;
        }
        run.save(state)?;
        Ok(run)
    }

    /// Continues a run from a file.
    fn resume(
        rank: &Rank,
        arguments: &Arguments,
        path: &Path,
        (interruption, start): (Interruption, Instant),
    ) -> Result<Self, Box<dyn StdError>> {
        let wanted = arguments.output.as_deref();
        let own = if rank.is_first() { Folder::of_file(path, wanted)? } else { None };
        let Restart { settings, units, view: camera, counts, history, state } =
            Restart::load(path)?;
        let settings = settings.resume(path, arguments)?;
        let device = rank.open(arguments.device)?;
        if rank.is_first() {
            cache::warn(std::slice::from_ref(&device), &[]);
        }
        let folder = match (own, wanted) {
            _ if !rank.is_first() => Folder::unused(),
            (None, Some(other)) => Folder::provide(other)?,
            (Some(own), _) => own,
            (None, None) => Folder::provide(Path::new("."))?,
        };
        let simulation = Scaled::resume(&device, &settings, units, &state)?;
        let (begin, time) = (history.first().time, simulation.time().max(history.last().time));
        settings.check_times(begin, Some(time))?;
        // A checkpoint is written after the last step before a snapshot.
        let last = history.last().time;
        if simulation.ends_by(last) {
            let reason =
                format!("its state is of time {}, its last snapshot of {last}", simulation.time());
            return Err(Error::Malformed { path: path.to_owned(), reason }.into());
        }
        interruption.begin();
        // Rows after the checkpoint are computed again.
        if rank.is_first() {
            history.write(folder.path())?;
        }
        let limits = [begin, settings.until];
        Ok(Self {
            particles: state.particles(),
            progress: Progress::new(rank, arguments, limits, counts, history.last_error()),
            checkpoints: Checkpoints::new(arguments),
            rank: rank.clone(),
            simulation,
            settings,
            folder,
            camera,
            history,
            device,
            counts,
            interruption,
            end: arguments.wall_time.and_then(|time| start.checked_add(time)),
            question: Question::new(),
            is_saved: false,
            is_resumed: true,
        })
    }

    /// Advances to the end, with snapshots on the way.
    fn advance(&mut self) -> Result<Ended, Box<dyn StdError>> {
        while let Some(time) = self.next_time() {
            if self.advance_to(time)? == Ended::Interrupted {
                self.interrupt()?;
                return Ok(Ended::Interrupted);
            }
            self.record(time)?;
        }
        // The last snapshot may have been followed by a checkpoint.
        if !self.is_saved {
            self.save(None)?;
        }
        Ok(Ended::Complete)
    }

    /// Returns the time of the next snapshot, if there is one.
    fn next_time(&self) -> Option<f64> {
        let (begin, last) = (self.history.first().time, self.history.last().time);
        let until = self.settings.until;
        let rounding = settings::resolution(begin.abs().max(until.abs()));
        let regular = self.settings.every.map(|every| {
            let roundoff = ROUNDOFF.max(4.0 * rounding / every);
            let number = ((last - begin) / every + roundoff).floor() + 1.0;
            begin + number * every
        });
        // A regular snapshot at the end, up to rounding errors, is the final one.
        let near = |time: f64| time >= until - ROUNDOFF * (until - begin);
        let next = regular.filter(|&time| !near(time)).unwrap_or(until);
        (last < until).then_some(next)
    }

    /// Advances to the last step that ends by this time.
    fn advance_to(&mut self, time: f64) -> Result<Ended, Box<dyn StdError>> {
        let pairs = self.pairs_of_particle();
        loop {
            let is_late = self.end.is_some_and(|end| Instant::now() >= end);
            let says = [self.interruption.is_asked() || is_late, self.is_due(false)];
            let [is_asked, is_due] = self.question.ask(&self.rank, self.counts.steps, says)?;
            if is_due {
                self.timed(Scaled::wait)?;
                self.checkpoint(None)?;
            }
            if is_asked {
                self.timed(Scaled::wait)?;
                return Ok(Ended::Interrupted);
            }
            if !self.simulation.ends_by(time) {
                self.timed(Scaled::wait)?;
                return Ok(Ended::Complete);
            }
            let block = self.timed(Scaled::advance)?;
            self.counts.steps += 1;
            self.counts.particle_steps += block;
            self.progress.show(&mut self.simulation, &self.history, self.counts, pairs)?;
        }
    }

    /// Runs a part of the integration, and adds its time.
    fn timed<T>(&mut self, part: impl FnOnce(&mut Scaled) -> Result<T, Error>) -> Result<T, Error> {
        let start = Instant::now();
        let done = part(&mut self.simulation)?;
        self.counts.seconds += start.elapsed().as_secs_f64();
        Ok(done)
    }

    /// Returns the number of ordered pairs evaluated to advance a particle by a step.
    fn pairs_of_particle(&self) -> f64 {
        self.particles as f64 * f64::from(self.settings.integrator.evaluations())
    }

    /// Measures and writes a snapshot.
    fn record(&mut self, time: f64) -> Result<(), Box<dyn StdError>> {
        let inner = self.simulation.inner(time)?;
        let energies = energies(&mut self.simulation, time)?;
        let row = Row::new(&inner, &self.simulation.units, time, &energies, self.counts);
        let name = format!("snapshot-{:04}", self.history.number() + 1);
        let ([_, is_due], _) = self.rank.ask([false, self.is_due(true)], Duration::ZERO)?;
        let (row, state) = self.sink().snapshot(&name, (&inner, row), &self.simulation, is_due)?;
        self.history.push(row);
        if self.rank.is_first() {
            self.history.append(self.folder.path())?;
        }
        if is_due {
            self.checkpoint(state)?;
        }
        self.is_saved = is_due;
        Ok(())
    }

    /// Returns whether a checkpoint is due, after a step or after a snapshot, by the time of the first
    /// rank.
    fn is_due(&self, is_snapshot: bool) -> bool {
        self.rank.is_first() && self.checkpoints.is_due(is_snapshot)
    }

    fn sink(&self) -> Sink<'_> {
        let Self { folder, settings, camera, rank, .. } = self;
        Sink { folder, settings, camera, is_first: rank.is_first() }
    }

    /// Writes the present particles, and the file to restart from. They do not enter the history:
    /// a run has the same snapshots with or without an interruption.
    fn interrupt(&self) -> Result<(), Box<dyn StdError>> {
        let time = self.simulation.time();
        let inner = self.simulation.inner(time)?;
        self.sink().write(INTERRUPTED, &self.simulation.units.outward(&inner, time))?;
        self.save(None)
    }

    /// Writes the file to restart from, and measures the time that this takes.
    fn checkpoint(&mut self, state: Option<Formatted>) -> Result<(), Box<dyn StdError>> {
        let begin = Instant::now();
        self.save(state)?;
        (self.checkpoints.last, self.checkpoints.cost) = (Instant::now(), begin.elapsed());
        Ok(())
    }

    /// Writes the file to restart from, of a state that may be formatted already. All ranks gather
    /// the state.
    fn save(&self, state: Option<Formatted>) -> Result<(), Box<dyn StdError>> {
        let Formatted { state, rows } = match state {
            Some(formatted) => formatted,
            None => self.sink().format(&self.simulation)?,
        };
        if !self.rank.is_first() {
            return Ok(());
        }
        let restart = Restart {
            settings: self.settings.clone(),
            units: self.simulation.units,
            view: self.camera,
            counts: self.counts,
            history: self.history.clone(),
            state,
        };
        restart.save(&self.folder.checkpoint(), &rows)
    }

    /// Draws the plots and, if it is wanted, the film, whose file is returned.
    fn draw(&self, movie: bool) -> Result<Option<PathBuf>, Box<dyn StdError>> {
        if !self.rank.is_first() {
            return Ok(None);
        }
        let caption = self.settings.describe(self.particles);
        let folder = self.folder.path();
        self.history.series().draw(folder, &caption, &self.settings.units)?;
        // Earlier images may have been drawn again by another camera.
        let camera = self.is_resumed.then_some((&self.camera, &self.settings.units));
        if movie { plot::film(folder, camera).map(Some) } else { Ok(None) }
    }
}

/// Returns a precision that resolves the pairs: the precision of the settings or, unless it was
/// requested, a higher one.
fn precision(
    rank: &Rank,
    arguments: &Arguments,
    settings: &Settings,
    units: &Units,
    inner: &Snapshot,
) -> Result<Precision, Error> {
    let (given, eps) = (settings.precision, settings.eps / units.length());
    let Some(found) = resolution::unheld(inner, eps, given) else { return Ok(given) };
    let higher = [Precision::Mixed, Precision::Double].into_iter();
    let higher = higher.skip(usize::from(given == Precision::Mixed));
    let is_enough = |it: &Precision| resolution::unheld(inner, eps, *it).is_none();
    let wanted = higher.clone().find(is_enough).unwrap_or(Precision::Double);
    let what = match found {
        Unheld::Pair { first, second, distance } => format!(
            "particles {first} and {second}, at a distance of {:e}, are not told apart in {given} precision",
            distance * units.length()
        ),
        Unheld::Far { index, distance } => format!(
            "particle {index}, {:e} from the centre of mass, is out of the range of {given} precision",
            distance * units.length()
        ),
    };
    if arguments.numerics.precision.is_some() {
        return Err(Error::Precision { what, wanted });
    }
    if rank.is_first() {
        message::print(format_args!("{what}: the run is in {wanted} precision"));
    }
    Ok(wanted)
}

/// Returns the energies at a time, which are finite.
fn energies(simulation: &mut Scaled, time: f64) -> Result<Energies, Box<dyn StdError>> {
    let energies = simulation.energies()?;
    error::check_energies(&energies, time)?;
    Ok(energies)
}

/// Opens the device and the folder, and reads or makes the particles, at the same time if there is one
/// rank: a GPU takes its time to start, and to compile the programs of trees.
fn provide(
    rank: &Rank,
    arguments: &Arguments,
    settings: &Settings,
) -> Result<(Device, Folder, Snapshot), Box<dyn StdError>> {
    thread::scope(|scope| {
        let is_alone = !rank.has_others();
        let own = is_alone.then(|| scope.spawn(|| particles::own(arguments)));
        let device = rank.open(arguments.device)?;
        if rank.is_first() {
            cache::warn(std::slice::from_ref(&device), &[]);
        }
        let output = arguments.output.as_deref().unwrap_or(Path::new("run"));
        let folder = if rank.is_first() { Folder::provide(output)? } else { Folder::unused() };
        if let Some(n) = arguments.n.filter(|_| is_alone) {
            // A failure is reported where the programs are needed.
            let _ = prepare_tree(&device, settings, n.get());
        }
        let snapshot = match own {
            Some(thread) => sink::join(thread)?,
            None => particles::shared(rank, arguments)?,
        };
        Ok((device, folder, snapshot))
    })
}

/// Points the camera at the particles: it shows one and a half times the initial radius of the
/// sphere with 90% of the mass, from the centre to each side, unless another width is wanted.
fn camera(wanted: &Wanted, units: &Units, inner: &Snapshot, begin: f64, first: &Row) -> Camera {
    let sum = |c: usize| inner.particles.iter().map(|p| p.mass * p.pos[c]).sum::<f64>();
    let (origin, _) = units.origin(begin);
    let centre = [0, 1, 2].map(|c| origin[c] + sum(c) / inner.mass() * units.length());
    Camera::new(wanted, centre, first.outer_radius())
}
