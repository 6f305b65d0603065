//! Formats measurements and models as text, as rows of a file, and as a plot.

use nbody::Options;
use nbody_plots::{Axis, Curve, Figure, prefixed};

use super::model::{Error, Model, Point};
use crate::record::{Record, record};
use crate::sphere::{Experiment, Integrated, LARGEST, PUBLISHED};
use crate::table::{Page, Table, known};

const STEPS: [&str; 5] = [">N", ">block steps", ">particle steps", ">mean block", ">energy error"];
const TIMES: [&str; 6] = [">N", ">seconds", ">predicted", ">ratio", ">µs/block step", ">pairs/s"];
const LEGEND: [(&str, &str); 8] = [
    ("block steps", "of the last quarter of the time unit"),
    ("particle steps", "in these"),
    ("mean block", "particles that a block step advances"),
    ("energy error", "(E - E0) / |E0| at the end of the time unit"),
    ("seconds", "wall time of the last quarter, of the integration alone"),
    ("predicted", "the same by the model for these steps"),
    ("ratio", "the predicted time, in terms of the measured one"),
    ("pairs/s", "N times the particle steps, per second"),
];

/// A measurement: a sphere on a device.
#[derive(Clone, Debug)]
pub struct Row {
    pub device: String,
    pub n: usize,
    pub done: Integrated,
}

impl Row {
    /// Returns the point for the fit, from the last quarter of the time unit.
    fn point(&self) -> Point {
        let quarter = self.done.quarter;
        let steps = quarter.steps as f64;
        Point {
            n: self.n,
            steps: 4.0 * steps,
            block: quarter.particle_steps as f64 / steps,
            seconds: quarter.seconds / steps,
        }
    }

    fn pairs_per_second(&self) -> f64 {
        let quarter = self.done.quarter;
        self.n as f64 * quarter.particle_steps as f64 / quarter.seconds
    }

    /// Returns a row in full precision.
    pub fn record(&self, experiment: &Experiment) -> Record {
        let Experiment { eps, eta, options, .. } = *experiment;
        let Options { precision, accumulation, math, .. } = options;
        let Integrated { whole, quarter, error, .. } = self.done;
        record! {
            device: &self.device,
            n: self.n,
            eps: eps,
            eta: eta,
            precision: precision.name(),
            accumulation: accumulation.name(),
            math: math.name(),
            quarter_block_steps: quarter.steps,
            quarter_particle_steps: quarter.particle_steps,
            quarter_s: quarter.seconds,
            quarter_pairs_per_s: self.pairs_per_second(),
            unit_block_steps: whole.steps,
            unit_particle_steps: whole.particle_steps,
            unit_s: whole.seconds,
            unit_energy_error: error,
        }
    }
}

/// Measurements of a device, and the model fitted to them.
struct Fitted {
    device: String,
    rows: Vec<Row>,
    model: Result<Model, Error>,
}

impl Fitted {
    fn new(device: String, rows: Vec<Row>) -> Self {
        let points: Vec<_> = rows.iter().map(Row::point).collect();
        Self { device, rows, model: Model::fit(&points) }
    }

    /// Returns the time of the last quarter by the model.
    fn predicted(&self, row: &Row) -> Option<f64> {
        self.model.as_ref().ok().map(|model| model.quarter(&row.point()))
    }

    /// Formats the steps and the times of each size.
    fn tables(&self) -> [Table; 2] {
        let (mut steps, mut times) = (Table::new(&STEPS), Table::new(&TIMES));
        for row in &self.rows {
            let Point { block, seconds: step, .. } = row.point();
            let quarter = row.done.quarter;
            steps.row(vec![
                row.n.to_string(),
                quarter.steps.to_string(),
                quarter.particle_steps.to_string(),
                format!("{block:.1}"),
                known(row.done.error.map(|error| format!("{error:.2e}"))),
            ]);
            let predicted = self.predicted(row);
            times.row(vec![
                row.n.to_string(),
                format!("{:.4}", quarter.seconds),
                known(predicted.map(|seconds| format!("{seconds:.4}"))),
                known(predicted.map(|seconds| format!("{:.2}", seconds / quarter.seconds))),
                format!("{:.1}", 1e6 * step),
                prefixed(row.pairs_per_second(), ""),
            ]);
        }
        [steps, times]
    }

    /// Returns the constants of the model, or the reason why there is none.
    fn model_record(&self) -> Record {
        let device = &self.device;
        let model = match &self.model {
            Ok(model) => model,
            Err(error) => return record! { device: device, refused: error.to_string() },
        };
        let points: Vec<_> = self.rows.iter().map(Row::point).collect();
        let residuals = model.residuals(&points);
        record! {
            device: device,
            block_steps_factor: model.steps.factor,
            block_steps_exponent: model.steps.exponent,
            block_steps_rms_residual: residuals.steps,
            mean_block_factor: model.block.factor,
            mean_block_exponent: model.block.exponent,
            mean_block_rms_residual: residuals.block,
            block_step_seconds: model.constant,
            particle_seconds: model.particle,
            pair_seconds: model.pair,
            time_rms_residual: residuals.seconds,
        }
    }

    /// Formats the constants of the model, or the reason why there is none.
    fn constants(&self) -> Result<Table, String> {
        let model = self.model.as_ref().map_err(Error::to_string)?;
        let points: Vec<_> = self.rows.iter().map(Row::point).collect();
        let residuals = model.residuals(&points);
        let mut table = Table::new(&["model", "fitted", ">rms residual", "published"]);
        let mut row = |name: &str, fitted: String, residual: Option<f64>, published: String| {
            let residual = residual.map(|residual| format!("{:.1}%", 100.0 * residual));
            table.row(vec![name.to_owned(), fitted, residual.unwrap_or_default(), published]);
        };
        let [steps, block] = PUBLISHED.map(|(factor, exponent)| law(factor, exponent));
        let Model { steps: fitted, block: fitted_block, .. } = model;
        let fitted = law(fitted.factor, fitted.exponent);
        row("S, block steps a time unit", fitted, Some(residuals.steps), steps);
        let fitted = law(fitted_block.factor, fitted_block.exponent);
        row("n, particles a block step", fitted, Some(residuals.block), block);
        let [constant, particle, rate] = model.costs();
        let form = "t0 + t1 N + n N / r".to_owned();
        row("time of a block step", form, Some(residuals.seconds), String::new());
        row("t0, of a block step", constant, None, String::new());
        row("t1, of a particle", particle, None, String::new());
        row("r, rate of pairs", rate, None, String::new());
        Ok(table)
    }

    /// Returns the measured points, and the curve of the model.
    fn curve(&self) -> Curve {
        let seconds = |row: &Row| (row.n as f64, row.done.quarter.seconds);
        let points: Vec<_> = self.rows.iter().map(seconds).collect();
        let curve = |model: &Model| {
            let points = self.rows.iter().map(Row::point);
            points.map(|point| (point.n as f64, model.quarter(&point))).collect()
        };
        let measured = Curve::points(self.device.clone(), points);
        match self.model.as_ref().ok().map(curve) {
            Some(model) => measured.with_model(model),
            None => measured,
        }
    }

    /// Formats the model in a line, for a caption.
    fn caption(&self) -> String {
        match &self.model {
            Err(error) => format!("{}: {error}", self.device),
            Ok(model) => {
                let [steps, block] =
                    [model.steps, model.block].map(|it| law(it.factor, it.exponent));
                let [constant, particle, rate] = model.costs();
                format!(
                    "{}: model S = {steps}, n = {block}, t0 = {constant}, t1 = {particle}, r = {rate}",
                    self.device
                )
            }
        }
    }
}

impl Model {
    /// Formats t0, t1 and r with their units.
    fn costs(&self) -> [String; 3] {
        let rate = if self.pair > 0.0 {
            format!("{} pairs/s", prefixed(1.0 / self.pair, ""))
        } else {
            "unlimited".to_owned()
        };
        [
            format!("{} µs", rounded(1e6 * self.constant)),
            format!("{} ns", rounded(1e9 * self.particle)),
            rate,
        ]
    }
}

/// Formats a power law of N.
fn law(factor: f64, exponent: f64) -> String {
    format!("{} N^{exponent:.2}", rounded(factor))
}

/// Formats three digits.
fn rounded(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    rounded.to_string()
}

/// All measurements, by device.
pub struct Report {
    experiment: Experiment,
    devices: Vec<Fitted>,
}

impl Report {
    pub fn new(rows: Vec<Row>, experiment: Experiment) -> Self {
        let mut devices: Vec<(String, Vec<Row>)> = Vec::new();
        for row in rows {
            match devices.iter_mut().find(|(device, _)| *device == row.device) {
                Some((_, rows)) => rows.push(row),
                None => devices.push((row.device.clone(), vec![row])),
            }
        }
        let fitted = devices.into_iter().map(|(device, rows)| Fitted::new(device, rows));
        Self { experiment, devices: fitted.collect() }
    }

    /// Describes the integrations in one line, and their numerics in another.
    fn head(&self) -> [String; 2] {
        let Experiment { eps, eta, options, .. } = self.experiment;
        let Options { precision, accumulation, math, .. } = options;
        [
            format!(
                "Plummer spheres in virial equilibrium, softening length {eps}, eta {eta}, largest step \
                 {LARGEST}; from time 3/4 to 1"
            ),
            format!("{precision} precision, {accumulation} accumulation, {math} mathematics"),
        ]
    }

    /// Formats tables and a model for each device.
    pub fn page(&self) -> Page {
        let [integrations, numerics] = self.head();
        let mut page = Page::new(&format!("{integrations}; {numerics}."));
        for fitted in &self.devices {
            let [steps, times] = fitted.tables();
            page.table(&fitted.device, &steps);
            page.table(&format!("{}: times", fitted.device), &times);
            match fitted.constants() {
                Ok(table) => page.table(&format!("{}: model", fitted.device), &table),
                Err(refused) => page.words(&refused),
            }
        }
        page.legend(&LEGEND);
        page
    }

    /// Returns all measurements, with the predictions, and the models.
    pub fn record(&self) -> Record {
        let row = |(fitted, row): (&Fitted, &Row)| {
            let predicted = record! { quarter_predicted_s: fitted.predicted(row) };
            row.record(&self.experiment).and(predicted)
        };
        let rows = self.devices.iter().flat_map(|it| it.rows.iter().map(move |row| (it, row)));
        let rows: Vec<_> = rows.map(row).collect();
        let models: Vec<_> = self.devices.iter().map(Fitted::model_record).collect();
        record! { rows: rows, models: models }
    }

    /// Plots seconds against N: for each device the measured points and the curve of the model.
    pub fn figure(&self, day: &str) -> Figure {
        let devices: Vec<_> = self.devices.iter().map(|fitted| &fitted.device[..]).collect();
        let mut caption = self.head().to_vec();
        caption.extend(self.devices.iter().map(Fitted::caption));
        if self.devices.iter().any(|fitted| fitted.model.is_ok()) {
            caption.push("Points are measured; dashed curves are the models.".to_owned());
        }
        let figure = Figure::new(
            format!("Block time steps: {}, {day}", devices.join(" and ")),
            Axis::logarithmic("particles N").at_values(),
            Axis::logarithmic("wall time of a quarter of a time unit").prefixed("s"),
        );
        let figure = caption.into_iter().fold(figure, Figure::caption);
        figure.curves(self.devices.iter().map(Fitted::curve))
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::{points, sample};
    use super::*;
    use crate::run::history::Counts;

    /// Measurements as predicted by the model, on two devices; the second is half as fast.
    #[expect(clippy::cast_sign_loss, reason = "blocks are positive")]
    fn report(sizes: &[usize]) -> Report {
        let row = |device: &str, slower: f64, point: &Point| {
            let steps = 1000;
            let quarter = Counts {
                steps,
                particle_steps: (point.block * steps as f64).round() as u64,
                seconds: slower * point.seconds * steps as f64,
            };
            let done = Integrated { time: 1.0, whole: quarter, quarter, error: Some(-1.5e-8) };
            Row { device: device.to_owned(), n: point.n, done }
        };
        let points = points(&sample(), sizes);
        let rows =
            points.iter().flat_map(|point| [row("fast", 1.0, point), row("slow", 2.0, point)]);
        let (eps, eta, options, limit) = (0.01, 0.02, Options::default(), u64::MAX);
        Report::new(rows.collect(), Experiment { eps, eta, options, limit })
    }

    #[test]
    fn each_device_has_a_table_and_a_model() {
        let text = report(&[1024, 4096, 16384, 65536]).page().to_string();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].contains("softening length 0.01, eta 0.02"), "{text}");
        let rows: Vec<_> = lines.iter().filter(|line| line.starts_with(" 1024")).collect();
        let cells = |row: &str| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let [steps, fast, _, slow] = [0, 1, 2, 3].map(|k| cells(rows[k]));
        // The number of block steps is the same at every N, also in the fitted power law.
        assert_eq!(steps, ["1024", "1000", "54875", "54.9", "-1.50e-8"], "{text}");
        assert_eq!(fast, ["1024", "0.0451", "0.0451", "1.00", "45.1", "1.25", "G"], "{text}");
        assert_eq!(slow[1..4], ["0.0902", "0.0902", "1.00"], "{text}");
        for part in [
            "S, block steps a time unit  4000 N^0.00                  0.0%  247 N^0.35",
            "n, particles a block step   0.2 N^0.81                   0.0%  0.2 N^0.81",
            "t0, of a block step         45 µs",
            "t1, of a particle           0.02 ns",
            "r, rate of pairs            1 T pairs/s",
            "r, rate of pairs            500 G pairs/s",
        ] {
            assert!(lines.contains(&part), "{part} in {text}");
        }
    }

    #[test]
    fn too_few_sizes_are_shown_without_a_model() {
        let report = report(&[1024, 4096]);
        let text = report.page().to_string();
        assert!(text.contains("no model is fitted to 2 different N"), "{text}");
        assert!(text.contains("seconds  µs/block step") && !text.contains("predicted"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("t0, of"), "{text}");
        assert!(report.figure("today").curves.iter().all(|curve| curve.model.is_none()));
    }

    #[test]
    fn the_plot_has_measurements_and_models() {
        let figure = report(&[1024, 4096, 16384]).figure("today");
        let names: Vec<_> = figure.curves.iter().map(|curve| &curve.name[..]).collect();
        assert_eq!(names, ["fast", "slow"]);
        for Curve { points, model, .. } in &figure.curves {
            let curve = model.as_ref().unwrap();
            let is_near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-3;
            for (a, b) in [(&points[0], &curve[0]), (&points[2], &curve[curve.len() - 1])] {
                assert!(is_near(a.0, b.0) && is_near(a.1, b.1), "{a:?} {b:?}");
            }
            assert!(curve.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{curve:?}");
        }
        assert!(figure.caption[2].contains("t0 = 45 µs"), "{:?}", figure.caption);
    }

    #[test]
    fn pairs_without_a_time_have_no_rate() {
        let [.., rate] = Model { pair: 0.0, ..sample() }.costs();
        assert_eq!(rate, "unlimited");
    }

    #[test]
    fn numbers_have_three_digits() {
        for (number, expected) in
            [(0.012_345, "0.0123"), (1234.5, "1230"), (0.0, "0"), (45.0, "45")]
        {
            assert_eq!(rounded(number), expected);
        }
    }
}
