//! Tests of the accuracy table.

use super::*;

fn rows(sizes: &[usize], options: Options) -> Vec<Row> {
    let subjects = &[Subject::of_the_paper(false)];
    Accuracy { subjects, devices: &[Device::cpu()], sizes, options }
        .rows(&ProgressBar::hidden())
        .unwrap()
}

#[test]
fn errors_are_ordered_by_accumulation_and_tiny_in_double_precision() {
    // A direct sum is one running sum for ordered pairs only; on the CPU, mixed precision is
    // `f64` in fast mathematics.
    let options = Options::default().pairs(Pairs::Ordered).math(Math::Exact);
    let single = rows(&[2000], options);
    let [direct, blocked, double, compensated, mixed] = &single[..] else { panic!("{single:?}") };
    assert!(direct.rms > blocked.rms && blocked.rms > double.rms, "{single:?}");
    assert!(double.rms > compensated.rms && blocked.rms > mixed.rms, "{single:?}");
    assert!(single.iter().all(|row| row.max >= row.rms && row.rms > 1e-9), "{single:?}");
    let options = options.precision(Precision::Double);
    assert!(rows(&[500], options).iter().all(|row| row.max < 1e-12));
}

/// Single precision has the error of rounded positions; mixed precision does not.
#[test]
fn mixed_precision_keeps_the_digits_of_positions() {
    let options = Options::default().pairs(Pairs::Ordered).math(Math::Exact);
    let subjects = &[Subject::of_the_paper(true)];
    let accuracy = Accuracy { subjects, devices: &[Device::cpu()], sizes: &[2000], options };
    let rows = accuracy.rows(&ProgressBar::hidden()).unwrap();
    let [_, _, double, compensated, mixed] = &rows[..] else { panic!("{rows:?}") };
    assert!(mixed.rms < double.rms && compensated.rms < mixed.rms, "{rows:?}");
}

#[test]
fn one_particle_has_no_error() {
    assert!(rows(&[1], Options::default()).iter().all(|row| row.max == 0.0));
}

#[test]
fn the_report_mentions_a_sample() {
    let row = |options: Options| Row {
        device: "cpu".to_owned(),
        n: 65536,
        targets: TARGETS,
        interaction: "attraction",
        field: "acc",
        particles: Particles::Rounded,
        precision: options.precision,
        accumulation: options.accumulation,
        schedule: Schedule::Ordered,
        max: 2e-6,
        rms: 1e-7,
    };
    let rows: Vec<_> = columns(Options::default()).into_iter().map(row).collect();
    let text = page(&rows, Options::default(), "").to_string();
    assert!(text.contains("a sample is compared"), "{text}");
    let line = "65536  acc    rms    1.0e-7   1.0e-7       1.0e-7       1.0e-7  1.0e-7";
    assert!(text.contains("\n\nattraction on cpu\n\n") && text.contains(line), "{text}");
}
