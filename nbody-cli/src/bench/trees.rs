//! `nbody bench --tree`: the time of each stage of gravity by trees, and the pairs of walks by
//! groups and by particle, as in Hamada & Nitadori 2010 (Proc. SC10, table 1), compared with all
//! pairs.

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::ProgressBar;
use nbody::cuda::Walk;
use nbody::models::Particle;
use nbody::trees::{TreeReport, TreeTimes};
use nbody::{AllPairs, Device, Engine as _, Opening, Options, Point, Sources, Tree};
use nbody_interactions::gravity::{Body, Gravity};
use nbody_plots::{Axis, Curve, Figure};

use crate::accuracy::Model;
use crate::files::{self, Reserved, Sheet};
use crate::progress::Reporting;
use crate::record::{self, Record, record};
use crate::select::expansion;
use crate::table::{Page, SPREAD, Table, known, ms, sections, spread};
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
    pub fn run(
        &self,
        reporting: Reporting,
        sheet: Option<Sheet>,
        plots: Option<&std::path::Path>,
    ) -> Outcome {
        let _folder = plots.map(Reserved::new).transpose()?;
        let time = date::now();
        let rows = self.rows(&*reporting.progress()?)?;
        let records: Vec<_> = rows.iter().map(|row| self.record(row, &time)).collect();
        if reporting.json {
            record::print("bench", record! { mode: "tree", rows: records.clone() })?;
        } else {
            writeln!(std::io::stdout().lock(), "{}", self.page(&rows))?;
        }
        if let Some(mut sheet) = sheet {
            records.iter().try_for_each(|record| sheet.row(record))?;
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

    fn page(&self, rows: &[Row]) -> Page {
        let Options { precision, accumulation, math, .. } = self.options;
        let mut page = Page::new(&format!(
            "Gravity by trees, medians of {RUNS} runs: eps2 {}, {precision} precision, {accumulation} \
             accumulation, {math} mathematics.",
            self.eps2
        ));
        let title = |row: &Row| format!("{}, {}", row.device, row.model.name());
        for (title, rows) in sections(rows, title) {
            let table = |header: &[&str], cells: &dyn Fn(&Row) -> Vec<String>| {
                let header = [&[">N", "far", "opening"], header].concat();
                Table::of(&header, rows.iter().map(|row| [row.names(), cells(row)].concat()))
            };
            page.table(&format!("{title}: times in ms"), &table(&TIMES, &Row::times));
            page.table(&format!("{title}: evaluations"), &table(&EVALUATIONS, &Row::evaluations));
            page.table(&format!("{title}: speed"), &table(&SPEED, &Row::speed));
        }
        page.legend(&LEGEND);
        page
    }

    fn record(&self, row: &Row, time: &str) -> Record {
        let Options { precision, accumulation, math, .. } = self.options;
        let report = &row.report;
        record! {
            date: time,
            device: &row.device,
            model: row.model.name(),
            n: row.n,
            eps2: self.eps2,
            precision: precision.name(),
            accumulation: accumulation.name(),
            math: math.name(),
            far: row.opening.far_particles().to_string(),
            opening: row.opening.to_string(),
            cells: report.cells,
            tested_per_group: report.tested as f64 / report.groups as f64,
            evaluations_by_groups: report.evaluations_per_target(),
            evaluations_by_particle: row.own,
            sort_seconds: row.stages.order,
            build_seconds: row.stages.build,
            walk_seconds: row.stages.walk,
            exchange_seconds: row.stages.exchange,
            seconds: row.times[0],
            least_seconds: row.times[1],
            greatest_seconds: row.times[2],
            all_pairs_seconds: row.direct,
            particles_per_second: row.particles_per_second(),
            pairs_per_second_of_walk: row.pairs_per_second(),
            pairs_per_second: row.rate(),
            bytes: report.bytes,
        }
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

const TIMES: [&str; 5] = [">sort", ">build", ">walk", ">exchange", ">total"];
const EVALUATIONS: [&str; 5] = [">groups", ">own", ">ratio", ">pairs/s", ">spread"];
const SPEED: [&str; 4] = [">particles/s", ">38 Gflop/s", ">20 Gflop/s", ">direct/ms"];
const LEGEND: [(&str, &str); 13] = [
    ("far", "the far particles of cells: monopoles, or moments of the second order"),
    ("opening", "the angle that opens cells, or their greatest error as a share of results"),
    ("sort", "the order along the curve"),
    ("exchange", "the exchange with other ranks"),
    ("total", "of the whole evaluation"),
    ("groups", "evaluations of a particle where groups share walks"),
    ("own", "the same by a walk of its own"),
    ("ratio", "the first in terms of the second"),
    ("pairs/s", "evaluations of the walk per second"),
    SPREAD,
    ("particles/s", "of the whole evaluation, as the next"),
    ("38 Gflop/s", "by 38 operations of a pair, or 20 as in the paper"),
    ("direct/ms", "time of all pairs"),
];

impl Row {
    /// Returns the cells that each table begins with.
    fn names(&self) -> Vec<String> {
        let far = expansion(self.opening.far_particles()).to_owned();
        vec![self.n.to_string(), far, self.opening.to_string()]
    }

    fn times(&self) -> Vec<String> {
        let TreeTimes { order, build, walk, exchange, .. } = self.stages;
        let exchange = (!exchange.is_zero()).then(|| ms(exchange));
        vec![ms(order), ms(build), ms(walk), known(exchange), ms(self.times[0])]
    }

    fn evaluations(&self) -> Vec<String> {
        let groups = self.report.evaluations_per_target();
        vec![
            format!("{groups:.0}"),
            known(self.own.map(|own| format!("{own:.0}"))),
            known(self.own.map(|own| format!("{:.2}", groups / own))),
            format!("{:.2e}", self.pairs_per_second()),
            spread(self.times),
        ]
    }

    fn speed(&self) -> Vec<String> {
        let [gravity, paper] = FLOPS.map(|flops| format!("{:.1}", flops * self.rate() / 1e9));
        let particles = format!("{:.2e}", self.particles_per_second());
        vec![particles, gravity, paper, known(self.direct.map(ms))]
    }

    fn particles_per_second(&self) -> f64 {
        self.n as f64 / self.times[0].as_secs_f64()
    }

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
