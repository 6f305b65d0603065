//! The table, the cells and the plot of measurements over lists.

use nbody::Options;
use nbody_plots::{Axis, Curve, Figure};

use super::Row;
use super::measure::{INTERVAL, RUNS};
use crate::date;
use crate::record::{Record, record};
use crate::table::{Page, SPREAD, Table, known, ms, sections, spread};

impl Row {
    /// Returns the pairs within the cutoff per second of their sums.
    fn pairs_per_second(&self) -> f64 {
        self.pairs[0] * self.n as f64 / self.parts.force.as_secs_f64()
    }

    /// Returns the steps of particles per second.
    fn rate(&self) -> f64 {
        self.n as f64 / self.times[0].as_secs_f64()
    }
}

const PAIRS: [&str; 8] =
    ["interaction", ">N", ">neighbours", ">listed", ">tested", ">ghosts", ">every", ">pairs/s"];
const STEP: [&str; 6] = ["interaction", ">N", ">step", ">spread", ">rest", ">steps/s"];
const PARTS: [&str; 8] =
    ["interaction", ">N", ">exchange", ">look", ">migrate", ">order", ">list", ">force"];
const LEGEND: [(&str, &str); 16] = [
    ("neighbours", "pairs of a particle within the cutoff"),
    ("listed", "pairs within cutoff and skin, in terms of these"),
    ("tested", "tested pairs, in terms of these"),
    ("ghosts", "particles of other ranks, for each of a rank"),
    ("every", "steps for each rebuild"),
    ("pairs/s", "pairs within the cutoff per second of the forces"),
    ("step", "time of a step, the median of the runs"),
    SPREAD,
    ("rest", "motion, launches, agreement of ranks"),
    ("steps/s", "steps of particles per second"),
    ("exchange", "ghosts that travel, and waiting"),
    ("look", "whether lists are valid"),
    ("migrate", "in steps that rebuild: particles that change the rank"),
    ("order", "in steps that rebuild: the order of particles"),
    ("list", "in steps that rebuild: the lists"),
    ("force", "the sums over pairs"),
];

/// Formats tables for each device: of the pairs, of the times of a step, and of its parts.
pub fn page(rows: &[Row], options: Options, parameters: &str) -> Page {
    let Options { precision, accumulation, math, .. } = options;
    let mut page = Page::new(&format!(
        "Neighbour lists, {RUNS} runs of {INTERVAL} steps, and further ones for the parts of a step: \
         {precision} precision, {accumulation} accumulation, {math} mathematics."
    ));
    for (device, rows) in sections(rows, |row| row.device.clone()) {
        let table = |header: &[&str], cells: &dyn Fn(&Row) -> Vec<String>| {
            let names = |row: &Row| vec![row.interaction.to_owned(), row.n.to_string()];
            Table::of(header, rows.iter().map(|row| [names(row), cells(row)].concat()))
        };
        page.table(&device, &table(&PAIRS, &pairs));
        page.table(&format!("{device}: times in ms"), &table(&STEP, &step));
        page.table(&format!("{device}: parts of a step in ms"), &table(&PARTS, &parts));
    }
    page.legend(&LEGEND);
    page.words(parameters);
    page
}

/// Formats a figure that a single rank does not have.
fn of_ranks(row: &Row, figure: String) -> String {
    known((row.ghosts > 0.0).then_some(figure))
}

fn pairs(row: &Row) -> Vec<String> {
    let [within, listed, tested] = row.pairs;
    vec![
        format!("{within:.1}"),
        format!("{:.2}", listed / within),
        format!("{:.2}", tested / within),
        of_ranks(row, format!("{:.3}", row.ghosts)),
        format!("{:.1}", row.interval),
        format!("{:.2e}", row.pairs_per_second()),
    ]
}

fn step(row: &Row) -> Vec<String> {
    let rest = row.parts.rest(row.times[0]);
    vec![ms(row.times[0]), spread(row.times), ms(rest), format!("{:.2e}", row.rate())]
}

fn parts(row: &Row) -> Vec<String> {
    let [exchange, look, migrate, order, list, force] = row.parts.all().map(ms);
    vec![of_ranks(row, exchange), look, of_ranks(row, migrate), order, list, force]
}

/// Returns a measurement in full precision.
pub fn record(row: &Row, options: Options, time: &str) -> Record {
    let Options { precision, accumulation, math, .. } = options;
    let [within, listed, tested] = row.pairs;
    let [exchange, look, migrate, order, list, force] = row.parts.all();
    record! {
        date: time,
        device: &row.device,
        interaction: row.interaction,
        n: row.n,
        precision: precision.name(),
        accumulation: accumulation.name(),
        math: math.name(),
        cutoff: row.cutoff,
        density: row.density,
        skin: row.skin,
        neighbours: within,
        listed_pairs: listed,
        tested_pairs: tested,
        ghosts: row.ghosts,
        steps_per_rebuild: row.interval,
        seconds: row.times[0],
        least_seconds: row.times[1],
        greatest_seconds: row.times[2],
        exchange_seconds: exchange,
        look_seconds: look,
        migrate_seconds: migrate,
        order_seconds: order,
        list_seconds: list,
        force_seconds: force,
        pairs_per_second: row.pairs_per_second(),
        steps_per_second: row.rate(),
    }
}

/// Plots the time of a step against N, with a line for each interaction and device.
pub fn figure(rows: &[Row], options: Options, time: &str) -> Figure {
    let point = |row: &Row| {
        let name = format!("{}, {}", row.interaction, row.device);
        (name, (row.n as f64, row.times[0].as_secs_f64()))
    };
    let Options { precision, accumulation, math, .. } = options;
    Figure::new(
        format!("Time of a step over neighbour lists, {}", date::day(time)),
        Axis::logarithmic("particles N").at_values(),
        Axis::logarithmic("time of a step").prefixed("s"),
    )
    .caption(format!(
        "{precision} precision, {accumulation} accumulation, {math} mathematics; medians of {RUNS} \
         runs, with a rebuild every {INTERVAL} steps."
    ))
    .curves(Curve::by_name(rows.iter().map(point)))
}
