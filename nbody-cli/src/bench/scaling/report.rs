//! The table, the cells and the plot of a scaling.

use std::time::Duration;

use nbody_plots::{Axis, Curve, Figure};

use super::super::Arguments;
use super::row::{Listed, Row, Stages};
use crate::date;
use crate::record::{Record, record};
use crate::table::{Page, Table, ms, sections};

const SPEED: [&str; 7] =
    [">N", ">ranks", ">median/ms", ">fastest", ">slowest", ">speed-up", ">efficiency"];
const LISTED: [&str; 6] = [">N", ">ranks", ">balance", ">ghosts", ">neighbours", ">pairs/s"];
const LEGEND: [(&str, &str); 7] = [
    ("speed-up", "of the pairs, walks or steps a second, against the fewest ranks"),
    ("efficiency", "the same for each rank"),
    ("rest", "motion, agreement, waiting and launches"),
    ("balance", "the mean time of walks or forces, in terms of the longest"),
    ("ghosts", "for each particle of a rank; 0 where each rank evaluates all"),
    ("neighbours", "pairs within the cutoff of a particle"),
    ("pairs/s", "these pairs of all particles per second of the forces"),
];

/// Formats tables for each evaluation: of the times, and of the stages.
pub fn page<'a>(rows: &'a [Row], first: &impl Fn(&Row) -> &'a Row, arguments: &Arguments) -> Page {
    let kind =
        if arguments.weak { "Weak scaling, N particles for each rank" } else { "Strong scaling" };
    let device = rows.first().map_or("", |row| &row.device);
    let mut page = Page::new(&format!(
        "{kind}: ranks are threads of this process with a device each, the first {device}; one rank is the \
         device without ranks."
    ));
    for (what, rows) in sections(rows, |row| row.what.clone()) {
        let mut speed = Table::new(&SPEED);
        for row in &rows {
            let (ratio, efficiency) = (row.speed_up(first(row)), row.efficiency(first(row)));
            let figures = [ratio, efficiency].map(|figure| format!("{figure:.2}"));
            speed.row([names(row), row.times.map(ms).to_vec(), figures.to_vec()].concat());
        }
        page.table(&what, &speed);
        let stages: Vec<_> =
            rows.iter().filter_map(|row| Some((*row, row.stages.as_ref()?))).collect();
        if let Some((_, of_first)) = stages.first() {
            page.table(
                &format!("{what}: the longest of all ranks in ms"),
                &longest(of_first, &stages),
            );
            if of_first.listed.is_some() {
                page.table(&format!("{what}: lists"), &lists(&stages));
            }
        }
    }
    page.legend(&LEGEND);
    page
}

fn names(row: &Row) -> Vec<String> {
    vec![row.n.to_string(), row.ranks.to_string()]
}

fn longest(first: &Stages, rows: &[(&Row, &Stages)]) -> Table {
    let stages: Vec<_> = first.longest.iter().map(|(name, ..)| format!(">{name}")).collect();
    let mut header = vec![">N", ">ranks"];
    header.extend(stages.iter().map(String::as_str));
    header.push(">rest");
    // Lists have their balance in another table.
    header.extend(first.listed.is_none().then_some(">balance"));
    let mut table = Table::new(&header);
    for (row, Stages { longest, balance, .. }) in rows {
        let sum: Duration = longest.iter().map(|(.., time)| *time).sum();
        let times = longest.iter().map(|(.., time)| *time);
        let times = times.chain([row.times[0].saturating_sub(sum)]).map(ms);
        let cells = times.chain([format!("{balance:.2}")]).take(header.len() - 2).collect();
        table.row([names(row), cells].concat());
    }
    table
}

fn lists(rows: &[(&Row, &Stages)]) -> Table {
    let mut table = Table::new(&LISTED);
    for (row, Stages { balance, listed, .. }) in rows {
        let Some(Listed { ghosts, neighbours, pairs_per_second }) = listed else { continue };
        let cells = vec![
            format!("{balance:.2}"),
            format!("{ghosts:.3}"),
            format!("{neighbours:.1}"),
            format!("{pairs_per_second:.2e}"),
        ];
        table.row([names(row), cells].concat());
    }
    table
}

/// Returns a measurement in full precision.
pub fn record(row: &Row, first: &Row, arguments: &Arguments, time: &str) -> Record {
    let mut record = record! {
        date: time,
        device: &row.device,
        evaluation: &row.what,
        n: row.n.n,
        i: row.n.i.unwrap_or(row.n.n),
        scaling: if arguments.weak { "weak" } else { "strong" },
        ranks: row.ranks,
        median_s: row.times[0],
        fastest_s: row.times[1],
        slowest_s: row.times[2],
        speed_up: row.speed_up(first),
        efficiency: row.efficiency(first),
    };
    if let Some(Stages { longest, balance, listed }) = &row.stages {
        for (_, column, time) in longest {
            record.push(column, *time);
        }
        record.push("balance", *balance);
        if let Some(Listed { ghosts, neighbours, pairs_per_second }) = *listed {
            record.push("ghosts", ghosts);
            record.push("neighbours", neighbours);
            record.push("pairs_per_second", pairs_per_second);
        }
    }
    record
}

/// Plots the speed-up against the ranks.
pub fn figure<'a>(
    rows: &'a [Row],
    first: &impl Fn(&Row) -> &'a Row,
    arguments: &Arguments,
    time: &str,
) -> Figure {
    let point = |row: &Row| {
        let name = format!("{}, N = {}", row.what, first(row).n);
        (name, (row.ranks as f64, row.speed_up(first(row))))
    };
    let kind = if arguments.weak { "Weak" } else { "Strong" };
    let more = if arguments.weak { " on one rank, and as many for each further one" } else { "" };
    Figure::new(
        format!("{kind} scaling over ranks, {}", date::day(time)),
        Axis::logarithmic("ranks").at_values(),
        Axis::logarithmic("speed-up"),
    )
    .caption(format!("N particles{more}; medians, against the fewest ranks."))
    .curves(Curve::by_name(rows.iter().map(point)))
}
