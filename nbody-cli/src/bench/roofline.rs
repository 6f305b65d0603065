//! Roofline plot of the interactions.
//!
//! An all-pairs kernel reads little memory, so bandwidth is no bound: on a GPU its roof is the
//! issue limit, on a CPU the measured peak of multiply-adds. So the plot is a roofline turned on
//! its side: a row for each interaction, the one with the fewest operations of a pair at the top,
//! and flop/s along the row.

use nbody::cuda::Properties;
use nbody::cuda::sass::issue_limit;
use nbody_plots::{Axis, Row, Rows, Wall, prefixed};

use super::head::Head;
use super::measure::Measurement;

/// Plots each interaction and device at the largest N.
pub fn rows(head: &Head, measurements: &[Measurement]) -> Rows {
    let largest = measurements.iter().map(|each| each.size.n).max().unwrap_or(0);
    let mut chosen: Vec<_> = measurements.iter().filter(|each| each.size.n == largest).collect();
    chosen.sort_by_key(|each| each.operations);
    let title = format!("Operations per second at N = {largest}: {}", head.place(measurements));
    let axis = Axis::logarithmic("operations per second").prefixed("");
    let operations = format!(
        "{}, with the number of operations in brackets, also where the symmetric schedule saves some.",
        Head::pairs(&chosen)
    );
    let mut rows = Rows::new(title, axis).caption(head.numerics()).caption(operations);
    if chosen.iter().any(|each| each.limits().is_some()) {
        rows = rows.caption(
            "Roof: the issue limit of the machine code; where that branches, a range from all \
             branches to the shortest path.",
        );
    }
    let peaks = peaks(&chosen);
    if !peaks.is_empty() {
        rows = rows.caption(
            "Roof of a CPU: multiply-adds alone, two operations each, on all threads, as measured \
             in this run.",
        );
    }
    let of_cpus = peaks.into_iter().map(|(device, peak)| Wall {
        name: format!("{device}: multiply-adds alone, {}", prefixed(peak, "")),
        at: peak,
        is_dashed: true,
        kind: Some(device.to_owned()),
    });
    let of_gpus = slots(&chosen).into_iter().flat_map(|slots| {
        [(1.0, "an operation in every issue slot"), (2.0, "a fused multiply-add in every slot")]
            .map(|(each, name)| Wall {
                name: name.to_owned(),
                at: each * slots,
                is_dashed: each > 1.0,
                kind: None,
            })
    });
    let walls: Vec<_> = of_cpus.chain(of_gpus).collect();
    rows.rows(of_interactions(&chosen)).walls(walls).ranges("roof of its machine code")
}

/// Returns a row for each interaction, with a mark for each device and number of i-particles.
fn of_interactions(chosen: &[&Measurement]) -> Vec<Row> {
    let mut names: Vec<(&str, u32)> = Vec::new();
    for each in chosen {
        if !names.contains(&(each.interaction, each.operations)) {
            names.push((each.interaction, each.operations));
        }
    }
    let row = |(name, operations): (&str, u32)| {
        let all = || chosen.iter().filter(move |each| each.interaction == name);
        let roof = all().find_map(|each| roof(each));
        let start = Row::new(format!("{name} ({operations})")).range(roof);
        all().fold(start, |row, each| row.mark(kind(each), each.flops()))
    };
    names.into_iter().map(row).collect()
}

/// Names the device and the number of i-particles of a measurement.
fn kind(each: &Measurement) -> String {
    let few = each.size.i.map_or_else(String::new, |i| format!(", {i} i-particles"));
    format!("{}{few}", each.device)
}

/// Returns the CPUs, each with the largest of its measured peaks, since other processes may have
/// slowed some measurements.
fn peaks<'a>(chosen: &[&'a Measurement]) -> Vec<(&'a str, f64)> {
    let mut peaks: Vec<(&str, f64)> = Vec::new();
    for each in chosen {
        let Some(peak) = each.peak else { continue };
        match peaks.iter_mut().find(|(device, _)| *device == each.device) {
            Some((_, largest)) => *largest = largest.max(peak),
            None => peaks.push((&each.device, peak)),
        }
    }
    peaks
}

/// Returns the flop/s of one operation in every issue slot, for each kind of GPU.
fn slots(chosen: &[&Measurement]) -> Vec<f64> {
    let of = |gpu: &Properties| issue_limit(gpu.multiprocessors, gpu.hertz, 1.0);
    let mut all: Vec<_> =
        chosen.iter().filter_map(|each| each.properties.as_ref().map(of)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Returns the flop/s at the limits of a measurement.
fn roof(each: &Measurement) -> Option<[f64; 2]> {
    each.limits().map(|limits| limits.map(|limit| limit * f64::from(each.operations)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::Size;
    use crate::bench::measure::tests::sample;
    use nbody::Options;

    #[test]
    fn rows_are_sorted_by_operations_and_roofs_are_drawn() {
        let other = Measurement { interaction: "neighbours", operations: 10, ..sample() };
        let small = Measurement { interaction: "small", size: Size { i: None, n: 10 }, ..sample() };
        let head = Head { day: "2026-11-21", options: Options::default() };
        let text = rows(&head, &[sample(), other, small]).svg().unwrap();
        let words =
            ["gravity (20)", "neighbours (10)", "roof of its machine code", "fused multiply-add"];
        assert!(words.iter().all(|words| text.contains(words)), "{text}");
        assert!(!text.contains("small"), "{text}");
        assert!(!text.contains("multiply-adds alone"), "{text}");
        assert!(text.find("neighbours (10)") > text.find("gravity (20)"), "{text}");
    }

    #[test]
    fn the_roof_of_a_cpu_is_its_measured_peak() {
        let cpu = |peak| Measurement {
            device: "cpu".to_owned(),
            properties: None,
            slots: None,
            peak: Some(peak),
            ..sample()
        };
        let all = [cpu(2e14), sample(), cpu(5e14)];
        assert_eq!(peaks(&all.iter().collect::<Vec<_>>()), [("cpu", 5e14)]);
        let head = Head { day: "2026-11-21", options: Options::default() };
        let text = rows(&head, &all).svg().unwrap();
        assert!(text.contains("cpu: multiply-adds alone, 500 T"), "{text}");
        assert!(text.contains("as measured in this run"), "{text}");
    }
}
