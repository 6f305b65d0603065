//! Formats measurements as a table and as rows of a file.

use nbody::Options;

use super::measure::{CONVENTION, Measurement, Times};
use crate::record::{Record, record};
use crate::table::{Page, Table, known, ms, sections};

const SPEED: [&str; 7] =
    ["interaction", ">N", "schedule", ">Gpairs/s", ">Gflop/s", ">time/ms", ">fastest"];
const PROGRAM: [&str; 6] =
    ["interaction", ">N", ">registers", ">blocks", ">spilled/B", ">of limit"];
const LEGEND: [(&str, &str); 9] = [
    ("N", "particles of one set with itself where i and j are one type, else i x N: all N² pairs"),
    ("schedule", "symmetric evaluates both directions of a pair at once; few is of few i"),
    ("Gpairs/s", "10⁹ ordered pairs per second"),
    ("Gflop/s", "by the operations of the pair; by the convention for gravity, 38 times Gpairs/s"),
    ("time/ms", "of an evaluation, the median of the runs"),
    ("fastest", "the fastest run, in ms"),
    ("registers", "of a thread"),
    ("blocks", "resident on a multiprocessor"),
    (
        "of limit",
        "fraction of the issue limit of the machine code; where that branches, a range from its \
         shortest path to all branches",
    ),
];

/// Formats tables for each device: of the speed and, of a GPU, of the machine code.
pub fn page(
    measurements: &[Measurement],
    options: Options,
    nvdisasm: bool,
    parameters: &str,
) -> String {
    let Options { precision, accumulation, math, pairs, .. } = options;
    let mut page = Page::new(&format!(
        "Pairs per second of resident data: {precision} precision, {accumulation} accumulation, {math} \
         mathematics, pairs {pairs}."
    ));
    for (device, measurements) in sections(measurements, |each| each.device.clone()) {
        let (mut speed, mut program) = (Table::new(&SPEED), Table::new(&PROGRAM));
        for each in &measurements {
            speed.row(speed_of(each));
            program.row(program_of(each));
        }
        page.table(&device, &speed);
        if measurements.iter().any(|each| each.usage.is_some()) {
            page.table(&format!("{device}: machine code"), &program);
        }
    }
    page.legend(&LEGEND);
    if measurements.iter().any(|each| each.properties.is_some()) && !nvdisasm {
        page.words("The fraction of the issue limit needs nvdisasm, which was not found.");
    }
    page.words(parameters);
    page.to_string()
}

fn speed_of(each: &Measurement) -> Vec<String> {
    let Times { median, fastest, .. } = each.times;
    vec![
        each.interaction.to_owned(),
        each.size.to_string(),
        each.schedule.name().to_owned(),
        format!("{:.3}", each.pairs_per_second() / 1e9),
        format!("{:.2}", each.flops() / 1e9),
        ms(median),
        ms(fastest),
    ]
}

fn program_of(each: &Measurement) -> Vec<String> {
    let usage = each.usage.as_ref();
    vec![
        each.interaction.to_owned(),
        each.size.to_string(),
        known(usage.map(|usage| usage.registers)),
        known(usage.map(|usage| usage.blocks)),
        known(usage.map(|usage| usage.local)),
        known(each.of_limit().map(percent)),
    ]
}

/// Formats one percentage if both are equal, else both.
fn percent([least, all]: [f64; 2]) -> String {
    let [least, all] = [least, all].map(|fraction| format!("{:.0}", 100.0 * fraction));
    if least == all { format!("{all}%") } else { format!("{least}-{all}%") }
}

/// Returns a measurement in full precision.
pub fn record(each: &Measurement, options: Options, time: &str) -> Record {
    let Options { precision, accumulation, math, pairs, .. } = options;
    let (gpu, usage) = (each.properties.as_ref(), each.usage.as_ref());
    let (limits, of_limit) = (each.limits(), each.of_limit());
    record! {
        date: time,
        interaction: each.interaction,
        device: &each.device,
        architecture: gpu.map(|gpu| gpu.architecture),
        multiprocessors: gpu.map(|gpu| gpu.multiprocessors),
        clock_hz: gpu.map(|gpu| gpu.hertz),
        driver_cuda: gpu.map(|gpu| &gpu.driver),
        compiler: each.compiler.as_ref(),
        n: each.size.n,
        i: each.size.i.unwrap_or(each.size.n),
        sets: if each.one_set { "one" } else { "two" },
        precision: precision.name(),
        accumulation: accumulation.name(),
        math: math.name(),
        pairs: pairs.to_string(),
        schedule: each.schedule.name(),
        pairs_per_s: each.pairs_per_second(),
        flop_per_pair: each.operations,
        flop_per_s: each.flops(),
        flop_per_s_of_38: each.pairs_per_second() * CONVENTION,
        median_s: each.times.median,
        fastest_s: each.times.fastest,
        slowest_s: each.times.slowest,
        runs: each.times.runs,
        registers: usage.map(|usage| usage.registers),
        blocks_per_multiprocessor: usage.map(|usage| usage.blocks),
        spilled_bytes: usage.map(|usage| usage.local),
        shared_bytes: usage.map(|usage| usage.shared),
        slots_per_pair_least: each.slots.map(|slots| slots.least),
        slots_per_pair_all: each.slots.map(|slots| slots.all),
        limit_pairs_per_s_least: limits.map(|[_, least]| least),
        limit_pairs_per_s_all: limits.map(|[all, _]| all),
        of_limit_least: of_limit.map(|[least, _]| least),
        of_limit_all: of_limit.map(|[_, all]| all),
        peak_flop_per_s: each.peak,
    }
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
    fn devices_have_tables_of_their_own_and_gpus_one_of_the_machine_code() {
        let options = Options::default();
        let cpu =
            Measurement { device: "cpu".to_owned(), properties: None, usage: None, ..sample() };
        let text = page(&[sample(), cpu], options, true, "");
        let rows: Vec<_> = text.lines().filter(|line| line.starts_with("gravity")).collect();
        let words = |row: &str| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let figures =
            ["gravity", "1000000", "symmetric", "3717.120", "74342.40", "269.025", "269.025"];
        assert_eq!(words(rows[0]), figures, "{text}");
        assert_eq!(words(rows[1]), ["gravity", "1000000", "128", "3", "0", "100-133%"], "{text}");
        assert_eq!((words(rows[2]), rows.len()), (words(rows[0]), 3), "{text}");
        assert!(!text.contains("nvdisasm") && text.contains("\n\ncpu\n\ninteraction "), "{text}");
        assert!(page(&[sample()], options, false, "").contains("needs nvdisasm"));
        let long = Measurement { interaction: "switched_lennard_jones", ..sample() };
        let text = page(&[long], options, true, "");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let few = Measurement { slots: None, ..sample() };
        assert!(!page(&[few], options, false, "").contains("of limit "));
    }

    #[test]
    fn every_row_has_the_same_columns() {
        let options = Options::default();
        let cpu = Measurement { properties: None, usage: None, slots: None, ..sample() };
        let names = |each: &Measurement| {
            let Record(values) = record(each, options, "now");
            values.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&sample()), names(&cpu));
    }
}
