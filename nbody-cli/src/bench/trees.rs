//! `nbody bench --tree`: the time of each stage of gravity by trees, and the pairs of walks by
//! groups and by particle, as in Hamada & Nitadori 2010 (Proc. SC10, table 1), compared with all
//! pairs.

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::cuda::Walk;
use nbody::models::Particle;
use nbody::trees::{TreeReport, TreeTimes};
use nbody::{AllPairs, Device, Engine as _, Opening, Options, Point, Sources, Tree};
use nbody_interactions::gravity::{Body, Gravity};
use nbody_plots::{Axis, Curve, Figure};

use crate::accuracy::Model;
use crate::files::{self, Cells, Reserved, Sheet};
use crate::table::Table;
use crate::{Outcome, date};

/// Number of timed runs after one untimed run; the median counts.
const RUNS: usize = 5;
/// Evaluations before the measurements of distributed particles: after 16, ranks divide them by the
/// work that they had.
const UNTIL_BALANCED: usize = 18;
/// The largest numbers of particles for which all pairs are evaluated, too, on the CPU and on a
/// GPU.
const DIRECT: [usize; 2] = [65_536, 1 << 20];
/// Operations of a pair of gravity: by the common count (Warren & Salmon 1993), and by the count
/// of the paper.
const FLOPS: [f64; 2] = [38.0, 20.0];

/// Parameters of the measurements.
pub struct Trees<'a> {
    pub devices: &'a [Device],
    pub models: &'a [Model],
    pub sizes: Vec<usize>,
    pub openings: Vec<Opening>,
    pub eps2: f64,
    pub options: Options,
    /// Whether trees are compared with all pairs, and walks with other walks.
    pub compares: bool,
    /// Whether ranks distribute the particles of trees.
    pub distributes: bool,
}

/// A measurement.
pub struct Row {
    pub device: String,
    model: Model,
    pub n: usize,
    opening: Opening,
    /// The tree and its walks by groups.
    report: TreeReport,
    /// The median times of its stages.
    pub stages: TreeTimes,
    /// The evaluations per particle in walks by particle, if the device has such walks.
    own: Option<f64>,
    /// The median, the shortest and the longest time.
    pub times: [Duration; 3],
    /// The median time of all pairs.
    direct: Option<Duration>,
}

impl Trees<'_> {
    /// Measures, prints a table, and writes the requested files.
    pub fn run(&self, sheet: Option<Sheet>, plots: Option<&std::path::Path>) -> Outcome {
        let _folder = plots.map(Reserved::new).transpose()?;
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
        let (time, bar) = (date::now(), ProgressBar::new(0).with_style(style));
        let rows = self.rows(&bar)?;
        writeln!(std::io::stdout().lock(), "{}", self.report(&rows))?;
        if let Some(mut sheet) = sheet {
            rows.iter().try_for_each(|row| sheet.row(&self.cells(row, &time)))?;
            sheet.finish()?;
        }
        if let Some(folder) = plots {
            let figure = self.figure(&rows, &time);
            files::write(&folder.join("tree-speed.svg"), &figure.svg()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Measures every model, number of particles, device and opening.
    pub fn rows(&self, bar: &ProgressBar) -> Result<Vec<Row>, Box<dyn Error>> {
        let cases = self.models.len() * self.sizes.len() * self.devices.len();
        bar.inc_length((cases * (1 + self.openings.len())) as u64);
        let mut rows = Vec::new();
        for &model in self.models {
            for &n in &self.sizes {
                bar.set_message(format!("{} of {n}", model.name()));
                let particles = model.particles(n)?.particles;
                let body = |p: &Particle| Body { pos: Point(p.pos), mass: p.mass };
                let bodies: Vec<_> = particles.iter().map(body).collect();
                for device in self.devices {
                    bar.set_message(format!("all pairs, {} of {n} on {device}", model.name()));
                    let direct = self.direct(device, &bodies)?;
                    bar.inc(1);
                    for &opening in &self.openings {
                        bar.set_message(format!("tree, {} of {n} on {device}", model.name()));
                        rows.push(self.measure(device, (model, &bodies), opening, direct)?);
                        bar.inc(1);
                    }
                }
            }
        }
        bar.finish_and_clear();
        Ok(rows)
    }

    /// Returns the median time of all pairs, unless there are too many.
    fn direct(&self, device: &Device, bodies: &[Body]) -> Result<Option<Duration>, nbody::Error> {
        if !self.compares || bodies.len() > DIRECT[usize::from(device.properties().is_some())] {
            return Ok(None);
        }
        let law = Gravity { eps2: self.eps2 };
        let mut engine = AllPairs::with_options(device, law, self.options)?;
        let (particles, mut out) = (engine.upload(bodies)?, engine.results(bodies.len())?);
        let sources = Sources::Same(&particles);
        let [median, ..] = median(&mut || engine.time(&particles, sources, &mut out))?;
        Ok(Some(median))
    }

    fn measure(
        &self,
        device: &Device,
        (model, bodies): (Model, &[Body]),
        opening: Opening,
        direct: Option<Duration>,
    ) -> Result<Row, nbody::Error> {
        let law = Gravity { eps2: self.eps2 };
        let mut tree = Tree::with_options(device, law, opening, self.options)?;
        let (particles, mut out) = (tree.upload(bodies)?, tree.results(bodies.len())?);
        let sources = Sources::Same(&particles);
        for _ in 0..if self.distributes { UNTIL_BALANCED } else { 0 } {
            tree.evaluate_self_into(&particles, &particles, &mut out)?;
        }
        let times = median(&mut || tree.time(&particles, sources, &mut out))?;
        tree.set_timed(true);
        let mut stages: [Vec<Duration>; 4] = Default::default();
        for _ in 0..RUNS {
            tree.evaluate_self_into(&particles, &particles, &mut out)?;
            let report = tree.report()?;
            let times = report.times.expect("times are measured");
            let of_run = [times.order, times.build, times.walk, times.exchange];
            for (all, time) in stages.iter_mut().zip(of_run) {
                all.push(time);
            }
        }
        let report = tree.report()?;
        for all in &mut stages {
            all.sort();
        }
        let [order, build, walk, exchange] = stages.map(|all| all[RUNS / 2]);
        let mut stages = TreeTimes::new(order, build, walk);
        stages.exchange = exchange;
        let own = if tree.device().is_cpu() || !self.compares {
            None
        } else {
            tree.set_walk(Walk::Particles)?;
            tree.evaluate_self_into(&particles, &particles, &mut out)?;
            Some(tree.report()?.evaluations_per_target())
        };
        let (device, n) = (device.name(), bodies.len());
        Ok(Row { device, model, n, opening, report, stages, own, times, direct })
    }

    fn report(&self, rows: &[Row]) -> String {
        let mut table = Table::new(&[
            "device",
            "model",
            ">N",
            "far particles",
            "opening",
            ">by groups",
            ">by particle",
            ">ratio",
            ">sort / ms",
            ">build",
            ">walk",
            ">exchange",
            ">total",
            ">from",
            ">to",
            ">particles/s",
            ">pairs/s",
            ">Gflop/s of 38",
            ">of 20",
            ">all pairs / ms",
        ]);
        for row in rows {
            let ms = |time: Duration| format!("{:.3}", 1e3 * time.as_secs_f64());
            let TreeTimes { order, build, walk, exchange, .. } = row.stages;
            let by_groups = row.report.evaluations_per_target();
            let mut cells = vec![row.device.clone(), row.model.name().to_owned()];
            cells.push(row.n.to_string());
            cells.extend([row.opening.far_particles().to_string(), row.opening.to_string()]);
            cells.push(format!("{by_groups:.0}"));
            cells.push(row.own.map_or_else(|| "-".to_owned(), |own| format!("{own:.0}")));
            let ratio = row.own.map(|own| format!("{:.2}", by_groups / own));
            cells.push(ratio.unwrap_or_else(|| "-".to_owned()));
            cells.extend([order, build, walk].map(ms));
            cells.push(if exchange.is_zero() { "-".to_owned() } else { ms(exchange) });
            cells.extend(row.times.map(ms));
            cells.push(format!("{:.2e}", row.n as f64 / row.times[0].as_secs_f64()));
            cells.push(format!("{:.2e}", row.pairs_per_second()));
            cells.extend(FLOPS.map(|flops| format!("{:.0}", flops * row.rate() / 1e9)));
            cells.push(row.direct.map_or_else(|| "-".to_owned(), ms));
            table.row(cells);
        }
        let Options { precision, accumulation, math, .. } = self.options;
        format!(
            "Gravity by trees: the evaluations of a particle where groups share walks and by its own walk, the medians \
             of {RUNS} times\nof each stage, and of the whole with the least and the greatest; pairs per second of the \
             walk, and operations per\nsecond of the whole. eps2 {}, {precision} precision, {accumulation} \
             accumulation, {math} mathematics.\n\n{}",
            self.eps2,
            table.lines().join("\n")
        )
    }

    fn cells(&self, row: &Row, time: &str) -> Cells {
        let Options { precision, accumulation, math, .. } = self.options;
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        let report = &row.report;
        vec![
            ("date", time.to_owned()),
            ("device", row.device.clone()),
            ("model", row.model.name().to_owned()),
            ("n", row.n.to_string()),
            ("eps2", self.eps2.to_string()),
            ("precision", precision.to_string()),
            ("accumulation", accumulation.to_string()),
            ("math", math.to_string()),
            ("far", row.opening.far_particles().to_string()),
            ("opening", row.opening.to_string()),
            ("cells", report.cells.to_string()),
            ("tested_per_group", (report.tested as f64 / report.groups as f64).to_string()),
            ("evaluations_by_groups", report.evaluations_per_target().to_string()),
            ("evaluations_by_particle", row.own.map_or_else(String::new, |own| own.to_string())),
            ("sort_seconds", seconds(row.stages.order)),
            ("build_seconds", seconds(row.stages.build)),
            ("walk_seconds", seconds(row.stages.walk)),
            ("exchange_seconds", seconds(row.stages.exchange)),
            ("seconds", seconds(row.times[0])),
            ("least_seconds", seconds(row.times[1])),
            ("greatest_seconds", seconds(row.times[2])),
            ("all_pairs_seconds", row.direct.map_or_else(String::new, seconds)),
            ("bytes", report.bytes.to_string()),
        ]
    }

    /// Plots the time against N, with a line for each device, model and opening, and one for all
    /// pairs.
    fn figure(&self, rows: &[Row], time: &str) -> Figure {
        let tree = |row: &Row| {
            let name = format!("{}, {}", row.what(), row.device);
            (name, (row.n as f64, row.times[0].as_secs_f64()))
        };
        let first = |row: &&Row| row.opening == self.openings[0] && row.model == self.models[0];
        let direct = |row: &Row| {
            let name = format!("all pairs, {}", row.device);
            Some((name, (row.n as f64, row.direct?.as_secs_f64())))
        };
        let points = rows.iter().map(tree);
        let points = points.chain(rows.iter().filter(first).filter_map(direct));
        let Options { precision, accumulation, math, .. } = self.options;
        Figure::new(
            format!("Time of gravity by trees, {}", date::day(time)),
            Axis::logarithmic("particles N").at_values(),
            Axis::logarithmic("time of an evaluation").prefixed("s"),
        )
        .caption(format!(
            "{precision} precision, {accumulation} accumulation, {math} mathematics, eps2 {}; medians \
             of {RUNS} runs, sort and build included.",
            self.eps2
        ))
        .curves(Curve::by_name(points))
    }
}

impl Row {
    /// Returns the name of the tree.
    pub fn what(&self) -> String {
        format!("{}, {}, {}", self.model.name(), self.opening.far_particles(), self.opening)
    }

    /// Returns the pairs per second of the walk.
    fn pairs_per_second(&self) -> f64 {
        self.report.evaluations as f64 / self.stages.walk.as_secs_f64()
    }

    /// Returns the pairs per second of the whole evaluation.
    fn rate(&self) -> f64 {
        self.report.evaluations as f64 / self.times[0].as_secs_f64()
    }
}

/// Returns the median, the shortest and the longest of several times, after one untimed run.
fn median(
    run: &mut dyn FnMut() -> Result<Duration, nbody::Error>,
) -> Result<[Duration; 3], nbody::Error> {
    run()?;
    let mut times = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    times.sort();
    Ok([times[RUNS / 2], times[0], times[RUNS - 1]])
}
