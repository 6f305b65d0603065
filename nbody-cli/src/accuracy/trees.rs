//! `nbody accuracy --tree`: errors, evaluations and times of trees, as in Nakasato 2012 (J.
//! Comput. Sci. 3, 132, tables 6 and 7), with far particles of both orders, beside all pairs.

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::check::Report;
use nbody::cuda::Walk;
use nbody::models::{Snapshot, fractal, galaxy, plummer, uniform_sphere};
use nbody::{AllPairs, Device, Expansion, Opening, Options, Tree};
use nbody_interactions::gravity::{Body, Field, Gravity};
use nbody_plots::{Axis, Curve, Figure};

use crate::files::{self, Cells, Reserved, Sheet};
use crate::table::Table;
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
    pub fn run(&self, sheet: Option<Sheet>, plots: Option<&std::path::Path>) -> Outcome {
        let _folder = plots.map(Reserved::new).transpose()?;
        let (time, rows) = (date::now(), self.rows()?);
        writeln!(std::io::stdout().lock(), "{}", self.report(&rows))?;
        if let Some(mut sheet) = sheet {
            rows.iter().try_for_each(|row| sheet.row(&self.cells(row, &time)))?;
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

    fn rows(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
        let count: usize = self.cases().map(|(_, n)| 1 + self.methods(n).len()).sum();
        let bar = ProgressBar::new(count as u64).with_style(style);
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
        bar.finish_and_clear();
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

    fn report(&self, rows: &[Row]) -> String {
        let mut table = Table::new(&[
            "model",
            ">N",
            "far particles",
            "opening",
            ">evaluations",
            ">mean",
            ">rms",
            ">p99",
            ">max",
            ">mean of pot",
            ">time / ms",
            ">particles/s",
        ]);
        for row in rows {
            let [acc, pot] = row.fields();
            let mut cells = vec![row.model.name().to_owned(), row.n.to_string()];
            cells.extend([row.method.name(), row.method.opening()]);
            cells.push(format!("{:.0}", row.evaluations));
            cells.extend(
                [acc.mean, acc.rms, acc.p99, acc.max, pot.mean].map(|e| format!("{e:.2e}")),
            );
            cells.push(format!("{:.1}", 1e3 * row.time.as_secs_f64()));
            cells.push(format!("{:.2e}", row.n as f64 / row.time.as_secs_f64()));
            table.row(cells);
        }
        let Options { precision, math, accumulation, .. } = self.options;
        format!(
            "Relative errors of accelerations and potentials by trees against f64, of a sample of at most \
             {TARGETS} particles;\nevaluations of a particle, and the least of {RUNS} times on {}. Walks by {}, \
             eps2 {},\n{precision} precision, {accumulation} accumulation, {math} mathematics.\n\n{}",
            self.place(),
            self.walk,
            self.eps2,
            table.lines().join("\n")
        )
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

    fn cells(&self, row: &Row, time: &str) -> Cells {
        let Options { precision, math, accumulation, .. } = self.options;
        let [acc, pot] = row.fields();
        vec![
            ("date", time.to_owned()),
            ("device", self.device.name()),
            ("walk", self.walk.to_string()),
            ("model", row.model.name().to_owned()),
            ("n", row.n.to_string()),
            ("compared", row.targets.to_string()),
            ("eps2", self.eps2.to_string()),
            ("precision", precision.to_string()),
            ("math", math.to_string()),
            ("accumulation", accumulation.to_string()),
            ("far", row.method.name()),
            ("opening", row.method.opening()),
            ("evaluations", row.evaluations.to_string()),
            ("mean", acc.mean.to_string()),
            ("rms", acc.rms.to_string()),
            ("median", acc.median.to_string()),
            ("p99", acc.p99.to_string()),
            ("max", acc.max.to_string()),
            ("mean_pot", pot.mean.to_string()),
            ("max_pot", pot.max.to_string()),
            ("seconds", row.time.as_secs_f64().to_string()),
        ]
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

impl Row {
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
