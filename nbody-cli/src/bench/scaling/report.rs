//! The table, the cells and the plot of a scaling.

use std::time::Duration;

use nbody_plots::{Axis, Curve, Figure};

use super::super::Arguments;
use super::row::{Listed, Row, Stages};
use crate::date;
use crate::files::Cells;
use crate::table::Table;

pub fn table<'a>(
    rows: &'a [Row],
    first: &impl Fn(&Row) -> &'a Row,
    arguments: &Arguments,
) -> String {
    let mut header = vec!["evaluation", ">N", ">ranks", ">median / ms", ">fastest", ">slowest"];
    header.extend([">speed-up", ">efficiency"]);
    let stages = rows.first().and_then(|row| row.stages.as_ref());
    let names = stages.iter().flat_map(|it| &it.longest).enumerate();
    let unit = |k: usize| if k == 0 { " / ms" } else { "" };
    let names: Vec<_> = names.map(|(k, (name, ..))| format!(">{name}{}", unit(k))).collect();
    header.extend(names.iter().map(String::as_str));
    if let Some(Stages { listed, .. }) = stages {
        header.extend([">rest", ">balance"]);
        header.extend(listed.iter().flat_map(|_| [">ghosts", ">neighbours", ">pairs/s"]));
    }
    let mut table = Table::new(&header);
    let ms = |time: Duration| format!("{:.3}", 1e3 * time.as_secs_f64());
    for row in rows {
        let mut cells = vec![row.what.clone(), row.n.clone(), row.ranks.to_string()];
        cells.extend(row.times.map(ms));
        cells.push(format!("{:.2}", row.speed_up(first(row))));
        cells.push(format!("{:.2}", row.efficiency(first(row))));
        if let Some(Stages { longest, balance, listed }) = &row.stages {
            let known: Duration = longest.iter().map(|(.., time)| *time).sum();
            cells.extend(longest.iter().map(|(.., time)| ms(*time)));
            cells.push(ms(row.times[0].saturating_sub(known)));
            cells.push(format!("{balance:.2}"));
            if let Some(Listed { ghosts, neighbours, pairs_per_second }) = listed {
                cells.extend([format!("{ghosts:.3}"), format!("{neighbours:.1}")]);
                cells.push(format!("{pairs_per_second:.2e}"));
            }
        }
        table.row(cells);
    }
    let devices = rows.first().map(|row| row.device.clone()).unwrap_or_default();
    let of_what =
        if arguments.weak { "Weak scaling: N particles for each rank." } else { "Strong scaling." };
    let stages = if arguments.tree {
        "\nStages: the medians of the slowest rank; rest: agreement, waiting and launches. Balance: the mean \
         time of walks, in terms\nof the longest."
    } else if arguments.lists.is_on {
        "\nParts of a step: the means of the slowest rank; rest: motion, agreement, waiting and launches. Balance: \
         the mean time of\nforces, in terms of the longest. Ghosts for each particle of a rank: 0 where \
         each rank evaluates all.\nPairs within the cutoff of a particle, and of all per second of the forces."
    } else {
        ""
    };
    format!(
        "{of_what} Ranks are threads of this process with a device each, the first {devices}; one rank is the \
         device without\nranks. Speed-up and efficiency: of the pairs, walks or steps a second, against the fewest ranks.\
         {stages}\n\n{}",
        table.lines().join("\n")
    )
}

pub fn cells(row: &Row, first: &Row, arguments: &Arguments, time: &str) -> Cells {
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    let mut cells = vec![
        ("date", time.to_owned()),
        ("device", row.device.clone()),
        ("evaluation", row.what.clone()),
        ("n", row.n.clone()),
        ("scaling", if arguments.weak { "weak" } else { "strong" }.to_owned()),
        ("ranks", row.ranks.to_string()),
        ("median_s", seconds(row.times[0])),
        ("fastest_s", seconds(row.times[1])),
        ("slowest_s", seconds(row.times[2])),
        ("speed_up", row.speed_up(first).to_string()),
        ("efficiency", row.efficiency(first).to_string()),
    ];
    if let Some(Stages { longest, balance, listed }) = &row.stages {
        cells.extend(longest.iter().map(|(_, column, time)| (*column, seconds(*time))));
        cells.push(("balance", balance.to_string()));
        if let Some(Listed { ghosts, neighbours, pairs_per_second }) = listed {
            cells.push(("ghosts", ghosts.to_string()));
            cells.push(("neighbours", neighbours.to_string()));
            cells.push(("pairs_per_second", pairs_per_second.to_string()));
        }
    }
    cells
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
