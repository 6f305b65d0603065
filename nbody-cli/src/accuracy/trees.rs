//! `nbody accuracy --tree`: errors, evaluations and times of trees, as in Nakasato 2012 (J.
//! Comput. Sci. 3, 132, tables 6 and 7), with far particles of both orders, beside all pairs.

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::ProgressBar;
use nbody::check::Report;
use nbody::cuda::Walk;
use nbody::models::{Snapshot, fractal, galaxy, plummer, uniform_sphere};
use nbody::{AllPairs, Device, Expansion, Opening, Options, Tree};
use nbody_interactions::gravity::{Body, Field, Gravity};
use nbody_plots::{Axis, Curve, Figure};

use crate::files::{self, Reserved, Sheet};
use crate::progress::Reporting;
use crate::record::{self, Record, record};
use crate::table::{Page, Table, sections};
use crate::{Outcome, date, select};

/// The largest number of compared particles.
const TARGETS: usize = 2000;
const SEED: u64 = 1;
/// The dimension of the fractal cluster.
const DIMENSION: f64 = 1.6;
/// The largest numbers of particles for which all pairs are evaluated, too, on the CPU and on a
/// GPU.
const DIRECT: [usize; 2] = [131_072, 1 << 20];
/// Number of timed runs after one untimed run; the shortest counts.
const RUNS: usize = 3;

/// The particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Model {
    /// A Plummer sphere.
    Plummer,
    /// A uniform sphere.
    Uniform,
    /// A disk, a bulge and a halo.
    Galaxy,
    /// A fractal cluster of dimension 1.6.
    Fractal,
}

impl Model {
    pub fn particles(self, n: usize) -> Result<Snapshot, nbody::models::Error> {
        match self {
            Self::Plummer => plummer(n, SEED),
            Self::Uniform => uniform_sphere(n, SEED),
            Self::Galaxy => galaxy(n, SEED),
            Self::Fractal => fractal(n, DIMENSION, SEED),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Plummer => "plummer",
            Self::Uniform => "uniform",
            Self::Galaxy => "galaxy",
            Self::Fractal => "fractal",
        }
    }
}

/// The method of summation over pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    Direct,
    Tree(Opening),
}

impl Method {
    fn name(self) -> String {
        match self {
            Self::Direct => "direct".to_owned(),
            Self::Tree(opening) => opening.far_particles().to_string(),
        }
    }

    fn opening(self) -> String {
        match self {
            Self::Direct => "-".to_owned(),
            Self::Tree(opening) => opening.to_string(),
        }
    }
}

/// Parameters of the measurements.
pub struct Trees<'a> {
    pub device: &'a Device,
    pub walk: Walk,
    pub sizes: &'a [usize],
    pub models: &'a [Model],
    pub angles: &'a [f64],
    pub shares: &'a [f64],
    pub eps2: f64,
    pub options: Options,
}

#[derive(Debug)]
struct Row {
    model: Model,
    n: usize,
    targets: usize,
    method: Method,
    evaluations: f64,
    report: Report,
    time: Duration,
}

impl Trees<'_> {
    /// Measures, prints a table, and writes the requested files.
    pub fn run(
        &self,
        reporting: Reporting,
        sheet: Option<Sheet>,
        plots: Option<&std::path::Path>,
    ) -> Outcome {
        let _folder = plots.map(Reserved::new).transpose()?;
        let (time, rows) = (date::now(), self.rows(&*reporting.progress()?)?);
        let records: Vec<_> = rows.iter().map(|row| self.record(row, &time)).collect();
        if reporting.json {
            record::print("accuracy", record! { mode: "tree", rows: records.clone() })?;
        } else {
            writeln!(std::io::stdout().lock(), "{}", self.page(&rows))?;
        }
        if let Some(mut sheet) = sheet {
            records.iter().try_for_each(|record| sheet.row(record))?;
            sheet.finish()?;
        }
        let Some(folder) = plots else { return Ok(ExitCode::SUCCESS) };
        for (model, n) in self.cases() {
            let rows = rows.iter().filter(|row| row.model == model && row.n == n);
            let name = format!("tree-{}-{n}.svg", model.name());
            let figure = self.figure(&rows.collect::<Vec<_>>(), &time);
            files::write(&folder.join(name), &figure.svg()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn cases(&self) -> impl Iterator<Item = (Model, usize)> {
        self.models.iter().flat_map(|&model| self.sizes.iter().map(move |&n| (model, n)))
    }

    /// Lists the methods for this number of particles.
    fn methods(&self, n: usize) -> Vec<Method> {
        let kinds = [Expansion::Monopole, Expansion::Second];
        let openings = select::openings(self.angles, self.shares, &kinds).into_iter();
        let limit = DIRECT[usize::from(self.device.properties().is_some())];
        let direct = (n <= limit).then_some(Method::Direct);
        direct.into_iter().chain(openings.map(Method::Tree)).collect()
    }

    fn rows(&self, bar: &ProgressBar) -> Result<Vec<Row>, Box<dyn Error>> {
        let count: usize = self.cases().map(|(_, n)| 1 + self.methods(n).len()).sum();
        bar.inc_length(count as u64);
        let mut rows = Vec::new();
        for (model, n) in self.cases() {
            let name = model.name();
            bar.set_message(format!("reference, {name} of {n}"));
            let particles = model.particles(n)?.particles;
            let body =
                |p: &nbody::models::Particle| Body { pos: nbody::Point(p.pos), mass: p.mass };
            let bodies: Vec<_> = particles.iter().map(body).collect();
            let targets = nbody::check::sample(n, TARGETS);
            let (law, domain) = (Gravity { eps2: self.eps2 }, self.options.domain);
            let truth = nbody::check::reference_self_sample::<Gravity, f64>(
                &law, domain, &bodies, &bodies, &targets,
            )?;
            bar.inc(1);
            for method in self.methods(n) {
                bar.set_message(format!("{} {}, {name} of {n}", method.name(), method.opening()));
                let (found, evaluations, time) = self.measure(method, law, &bodies)?;
                let found: Vec<_> = targets.iter().map(|&k| found[k]).collect();
                let report = nbody::check::compare::<Field, f64>(&found, &truth, None)?;
                let targets = targets.len();
                rows.push(Row { model, n, targets, method, evaluations, report, time });
                bar.inc(1);
            }
        }
        Ok(rows)
    }

    /// Returns the results, the evaluations per particle, and the shortest time.
    fn measure(
        &self,
        method: Method,
        law: Gravity,
        bodies: &[Body],
    ) -> Result<(Vec<Field>, f64, Duration), nbody::Error> {
        match method {
            Method::Direct => {
                let engine = AllPairs::with_options(self.device, law, self.options)?;
                let (results, time, _) = timed(engine, bodies)?;
                Ok((results, bodies.len() as f64, time))
            }
            Method::Tree(opening) => {
                let mut engine = Tree::with_options(self.device, law, opening, self.options)?;
                engine.set_walk(self.walk)?;
                let (results, time, engine) = timed(engine, bodies)?;
                Ok((results, engine.report()?.evaluations_per_target(), time))
            }
        }
    }

    fn page(&self, rows: &[Row]) -> Page {
        let Options { precision, math, accumulation, .. } = self.options;
        let mut page = Page::new(&format!(
            "Relative errors of accelerations by trees against f64, of a sample of at most {TARGETS} particles, \
             on {}: walks by {}, eps2 {}, {precision} precision, {accumulation} accumulation, {math} \
             mathematics.",
            self.place(),
            self.walk,
            self.eps2
        ));
        for (title, rows) in sections(rows, |row| format!("{} of {}", row.model.name(), row.n)) {
            page.table(&title, &Table::of(&HEADER, rows.into_iter().map(Row::cells)));
        }
        page.legend(&LEGEND);
        page
    }

    /// Returns the name of the device, with the number of threads of a CPU.
    fn place(&self) -> String {
        let name = self.device.name();
        if self.device.is_cpu() {
            format!("{name}, {} threads", rayon::current_num_threads())
        } else {
            name
        }
    }

    fn record(&self, row: &Row, time: &str) -> Record {
        let Options { precision, math, accumulation, .. } = self.options;
        let [acc, pot] = row.fields();
        record! {
            date: time,
            device: self.device.name(),
            walk: self.walk.to_string(),
            model: row.model.name(),
            n: row.n,
            compared: row.targets,
            eps2: self.eps2,
            precision: precision.name(),
            math: math.name(),
            accumulation: accumulation.name(),
            far: row.method.name(),
            opening: row.method.opening(),
            evaluations: row.evaluations,
            mean: acc.mean,
            rms: acc.rms,
            median: acc.median,
            p99: acc.p99,
            max: acc.max,
            mean_pot: pot.mean,
            max_pot: pot.max,
            seconds: row.time,
            particles_per_second: row.n as f64 / row.time.as_secs_f64(),
        }
    }

    /// Plots the mean error against the time, with a line for each kind of far particles and of
    /// opening.
    fn figure(&self, rows: &[&Row], time: &str) -> Figure {
        let point = |row: &&Row| {
            let (kind, label) = match row.method {
                Method::Tree(opening) => match opening.share() {
                    Some(share) => (", by share", share.to_string()),
                    None => (", by angle", opening.to_string().replace("theta ", "θ ")),
                },
                Method::Direct => ("", String::new()),
            };
            let [acc, _] = row.fields();
            let name = format!("{}{kind}", row.method.name());
            (name, (row.time.as_secs_f64(), acc.mean), label)
        };
        let Options { precision, .. } = self.options;
        let (model, n) = rows.first().map_or(("", 0), |row| (row.model.name(), row.n));
        Figure::new(
            format!("Error of gravity by trees, {model}, N = {n}, {}", date::day(time)),
            Axis::logarithmic("time of an evaluation").prefixed("s"),
            Axis::logarithmic("mean relative error of accelerations"),
        )
        .caption(format!(
            "{precision} precision, eps2 {}, {}; all pairs and trees by {}. Labels: opening angle θ, or share of \
             the force.",
            self.eps2,
            self.place(),
            self.walk
        ))
        // In the order of their openings, whatever the noise of their times.
        .curves(Curve::by_name_in_order(rows.iter().map(point)))
    }
}

const HEADER: [&str; 9] =
    ["far", "opening", ">pairs", ">mean", ">rms", ">p99", ">max", ">mean pot", ">time/ms"];
const LEGEND: [(&str, &str); 7] = [
    (
        "far",
        "the far particles of cells: monopoles, or moments of the second order; direct: all pairs",
    ),
    ("opening", "the angle that opens cells, or their greatest error as a share of results"),
    ("pairs", "evaluated for a particle"),
    ("rms", "root of the mean square; these four errors are of accelerations"),
    ("p99", "the error that 99 of 100 particles do not reach"),
    ("mean pot", "mean error of potentials"),
    ("time/ms", "of an evaluation of all particles, the least of the runs"),
];

impl Row {
    fn cells(&self) -> Vec<String> {
        let [acc, pot] = self.fields();
        let far = match self.method {
            Method::Direct => "direct",
            Method::Tree(opening) => select::expansion(opening.far_particles()),
        };
        let mut cells = vec![far.to_owned(), self.method.opening()];
        cells.push(format!("{:.0}", self.evaluations));
        let errors = [acc.mean, acc.rms, acc.p99, acc.max, pot.mean];
        cells.extend(errors.map(|error| format!("{error:.1e}")));
        cells.push(format!("{:.1}", 1e3 * self.time.as_secs_f64()));
        cells
    }

    /// Returns the errors of accelerations and of potentials.
    fn fields(&self) -> [&nbody::check::FieldReport; 2] {
        [0, 1].map(|k| &self.report.fields[k])
    }
}

/// Returns the results of an engine, the shortest of several times, and the engine.
fn timed<E>(mut engine: E, bodies: &[Body]) -> Result<(Vec<Field>, Duration, E), nbody::Error>
where
    E: nbody::Engine<Gravity>,
{
    let particles = engine.upload(bodies)?;
    let mut out = engine.results(bodies.len())?;
    let mut least = Duration::MAX;
    for run in 0..=RUNS {
        let time = engine.time(&particles, nbody::Sources::Same(&particles), &mut out)?;
        // The first run maps memory, and finds the results that relative openings compare with.
        if run > 0 {
            least = least.min(time);
        }
    }
    Ok((out.download::<f64>()?, least, engine))
}
