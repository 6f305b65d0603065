//! The table, the cells and the plot of measurements over lists.

use std::time::Duration;

use nbody::Options;
use nbody_plots::{Axis, Curve, Figure};

use super::Row;
use super::measure::{INTERVAL, RUNS};
use crate::date;
use crate::files::Cells;
use crate::table::Table;

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

pub fn table(rows: &[Row], options: Options) -> String {
    let mut table = Table::new(&[
        "device",
        "interaction",
        ">N",
        ">neighbours",
        ">listed",
        ">tested",
        ">ghosts",
        ">rebuilt every",
        ">step / ms",
        ">from",
        ">to",
        ">exchange",
        ">look",
        ">migrate",
        ">order",
        ">list",
        ">force",
        ">rest",
        ">pairs/s",
        ">steps/s",
    ]);
    let ms = |time: Duration| format!("{:.3}", 1e3 * time.as_secs_f64());
    for row in rows {
        let has_ghosts = row.ghosts > 0.0;
        let of_ranks = |cell: String| if has_ghosts { cell } else { "-".to_owned() };
        let [within, listed, tested] = row.pairs;
        let mut cells = vec![row.device.clone(), row.interaction.to_owned(), row.n.to_string()];
        cells.push(format!("{within:.1}"));
        cells.extend([listed, tested].map(|pairs| format!("{:.2}", pairs / within)));
        cells.push(of_ranks(format!("{:.3}", row.ghosts)));
        cells.push(format!("{:.1}", row.interval));
        cells.extend(row.times.map(ms));
        let [exchange, look, migrate, order, list, force] = row.parts.all().map(ms);
        cells.extend([of_ranks(exchange), look, of_ranks(migrate), order, list, force]);
        cells.push(ms(row.parts.rest(row.times[0])));
        cells.push(format!("{:.2e}", row.pairs_per_second()));
        cells.push(format!("{:.2e}", row.rate()));
        table.row(cells);
    }
    let Options { precision, accumulation, math, .. } = options;
    format!(
        "Neighbour lists: the pairs of a particle within the cutoff, and in terms of them the pairs within cutoff and \
         skin, and\nthe tested ones; ghosts for each particle of a rank; steps for each rebuild. The time of a step, \
         the median of {RUNS} runs of\n{INTERVAL} steps, with the least and the greatest. Its parts, in further steps; \
         migrate, order and list are in steps that\nrebuild; rest: motion, launches, agreement. Pairs within the \
         cutoff per second of the forces, steps of particles per\nsecond. {precision} precision, {accumulation} \
         accumulation, {math} mathematics.\n\n{}",
        table.lines().join("\n")
    )
}

pub fn cells(row: &Row, options: Options, time: &str) -> Cells {
    let Options { precision, accumulation, math, .. } = options;
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    let [within, listed, tested] = row.pairs;
    let mut cells = vec![
        ("date", time.to_owned()),
        ("device", row.device.clone()),
        ("interaction", row.interaction.to_owned()),
        ("n", row.n.to_string()),
        ("precision", precision.to_string()),
        ("accumulation", accumulation.to_string()),
        ("math", math.to_string()),
        ("cutoff", row.cutoff.to_string()),
        ("density", row.density.to_string()),
        ("skin", row.skin.to_string()),
        ("neighbours", within.to_string()),
        ("listed_pairs", listed.to_string()),
        ("tested_pairs", tested.to_string()),
        ("ghosts", row.ghosts.to_string()),
        ("steps_per_rebuild", row.interval.to_string()),
        ("seconds", seconds(row.times[0])),
        ("least_seconds", seconds(row.times[1])),
        ("greatest_seconds", seconds(row.times[2])),
    ];
    let names = [
        "exchange_seconds",
        "look_seconds",
        "migrate_seconds",
        "order_seconds",
        "list_seconds",
        "force_seconds",
    ];
    cells.extend(names.into_iter().zip(row.parts.all().map(seconds)));
    cells.push(("pairs_per_second", row.pairs_per_second().to_string()));
    cells
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
