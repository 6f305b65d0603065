//! Formats measurements as a table and as rows of a file.

use std::time::Duration;

use nbody::Options;

use super::measure::{CONVENTION, Measurement};
use crate::files::{Cells, number};
use crate::table::Table;

const HEADER: [&str; 15] = [
    "interaction",
    "device",
    ">N",
    "schedule",
    ">pairs/s",
    ">flop/s",
    ">38 flop/s",
    ">median",
    ">fastest",
    ">slowest",
    ">runs",
    ">registers",
    ">blocks",
    ">spilled",
    ">of limit",
];

/// Formats the table, with a caption that explains its columns.
pub fn table(measurements: &[Measurement], options: Options, nvdisasm: bool) -> String {
    let Options { precision, accumulation, math, pairs, .. } = options;
    let mut table = Table::new(&HEADER);
    for each in measurements {
        table.row(row(each));
    }
    let gpu = measurements.iter().any(|each| each.properties.is_some());
    let missing = if gpu && !nvdisasm { "\nIt needs nvdisasm, which was not found." } else { "" };
    format!(
        "{precision} precision, {accumulation} accumulation, {math} mathematics, pairs {pairs}; \
         resident data\n\n{}\n\n\
         Pairs: all N² ordered pairs of one set with itself where I and J are one type, else i x N.\n\
         38 flop/s: by the convention for gravity. Blocks: resident on a multiprocessor.\n\
         Of limit: fraction of the issue limit of the machine code; where that branches, a \
         range\nfrom its shortest path to all branches.{missing}",
        table.lines().join("\n")
    )
}

fn row(each: &Measurement) -> Vec<String> {
    let rate = each.pairs_per_second();
    let usage =
        |of: fn(&nbody::cuda::Usage) -> u32| each.usage.as_ref().map(|usage| of(usage).to_string());
    let known = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
    vec![
        each.interaction.to_owned(),
        each.device.clone(),
        each.size.to_string(),
        each.schedule.name().to_owned(),
        format!("{:.3} G", rate / 1e9),
        format!("{:.2} G", each.flops() / 1e9),
        format!("{:.2} G", rate * CONVENTION / 1e9),
        milliseconds(each.times.median),
        milliseconds(each.times.fastest),
        milliseconds(each.times.slowest),
        each.times.runs.to_string(),
        known(usage(|usage| usage.registers)),
        known(usage(|usage| usage.blocks)),
        known(usage(|usage| usage.local).map(|local| format!("{local} B"))),
        known(each.of_limit().map(percent)),
    ]
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Formats one percentage if both are equal, else both.
fn percent([least, all]: [f64; 2]) -> String {
    let [least, all] = [least, all].map(|fraction| format!("{:.0}", 100.0 * fraction));
    if least == all { format!("{all}%") } else { format!("{least}-{all}%") }
}

/// Lists all cells of a measurement, in full precision.
pub fn cells(each: &Measurement, options: Options, time: &str) -> Cells {
    let Options { precision, accumulation, math, pairs, .. } = options;
    let gpu = each.properties.as_ref();
    let usage = each.usage.as_ref();
    let limits = each.limits();
    let of_limit = each.of_limit();
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    vec![
        ("date", time.to_owned()),
        ("interaction", each.interaction.to_owned()),
        ("device", each.device.clone()),
        ("architecture", number(gpu.map(|gpu| gpu.architecture))),
        ("multiprocessors", number(gpu.map(|gpu| gpu.multiprocessors))),
        ("clock_hz", number(gpu.map(|gpu| gpu.hertz))),
        ("driver_cuda", number(gpu.map(|gpu| &gpu.driver))),
        ("compiler", number(each.compiler.as_ref())),
        ("n", each.size.n.to_string()),
        ("i", each.size.i.unwrap_or(each.size.n).to_string()),
        ("sets", if each.one_set { "one" } else { "two" }.to_owned()),
        ("precision", precision.to_string()),
        ("accumulation", accumulation.to_string()),
        ("math", math.to_string()),
        ("pairs", pairs.to_string()),
        ("how", each.schedule.name().to_owned()),
        ("pairs_per_s", each.pairs_per_second().to_string()),
        ("flop_per_pair", each.operations.to_string()),
        ("flop_per_s", each.flops().to_string()),
        ("flop_per_s_of_38", (each.pairs_per_second() * CONVENTION).to_string()),
        ("median_s", seconds(each.times.median)),
        ("fastest_s", seconds(each.times.fastest)),
        ("slowest_s", seconds(each.times.slowest)),
        ("runs", each.times.runs.to_string()),
        ("registers", number(usage.map(|usage| usage.registers))),
        ("blocks_per_multiprocessor", number(usage.map(|usage| usage.blocks))),
        ("spilled_bytes", number(usage.map(|usage| usage.local))),
        ("shared_bytes", number(usage.map(|usage| usage.shared))),
        ("slots_per_pair_least", number(each.slots.map(|slots| slots.least))),
        ("slots_per_pair_all", number(each.slots.map(|slots| slots.all))),
        ("limit_pairs_per_s_least", number(limits.map(|[_, least]| least))),
        ("limit_pairs_per_s_all", number(limits.map(|[all, _]| all))),
        ("of_limit_least", number(of_limit.map(|[least, _]| least))),
        ("of_limit_all", number(of_limit.map(|[_, all]| all))),
        ("peak_flop_per_s", number(each.peak)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::tests::sample;

    #[test]
    fn a_limit_is_one_figure_or_a_range() {
        assert_eq!(percent([0.811, 0.811]), "81%");
        assert_eq!(percent([0.1, 0.834]), "10-83%");
    }

    #[test]
    fn a_table_has_dashes_for_unknown_figures() {
        let options = Options::default();
        let cpu =
            Measurement { device: "cpu".to_owned(), properties: None, usage: None, ..sample() };
        let text = table(&[sample(), cpu], options, true);
        let rows: Vec<_> = text.lines().filter(|line| line.starts_with("gravity")).collect();
        for part in ["symmetric", "3717.120 G", "74342.40 G", "0 B", "100-133%"] {
            assert!(rows[0].contains(part), "{part} in {text}");
        }
        assert!(rows[1].ends_with(" 5          -       -        -         -"), "{text}");
        assert!(!text.contains("nvdisasm"));
        assert!(table(&[sample()], options, false).contains("needs nvdisasm"));
    }

    #[test]
    fn every_row_has_the_same_columns() {
        let options = Options::default();
        let cpu = Measurement { properties: None, usage: None, slots: None, ..sample() };
        let names = |each: &Measurement| {
            cells(each, options, "now").into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&sample()), names(&cpu));
    }
}
