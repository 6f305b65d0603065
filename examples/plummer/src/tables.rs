//! Tables of a run, compared with Plummer's model.

use comfy_table::{CellAlignment, Table, presets};
use nbody::Device;
use nbody_integrate::Steps;

use crate::cluster::LARGEST;
use crate::measure::Shells;
use crate::{FRACTIONS, Measured, Sample, model};

const UNITS: &str = "\
Means in time, in N-body units. The scatter is the standard deviation between random spheres of as
many stars; the dispersion is that of the velocities along one axis.";

impl Measured {
    /// Formats the results of the run.
    pub fn report(&self, device: &Device) -> String {
        let stars = self.stars;
        let end = self.end().time;
        let (crossings, relaxations) =
            (end / model::CROSSING_TIME, end / model::relaxation_time(stars as f64));
        let seconds = self.wall.as_secs_f64();
        let rate = self.steps.particle_steps as f64 * stars as f64 / seconds;
        let head = format!(
            "{stars} stars until time {end}: {crossings:.1} crossing times, {relaxations:.2} relaxation \
             times\n{device}: {seconds:.1} s, {rate:.1e} pairs/s"
        );
        let tables = [
            self.radii(),
            self.profiles(),
            UNITS.to_owned(),
            self.integrals(),
            self.work(),
            self.time_steps(),
        ];
        [&[head], &tables[..]].concat().join("\n\n")
    }

    /// Formats the virial ratio and the Lagrangian radii: means over time, their scatter, and the
    /// model.
    fn radii(&self) -> String {
        let virial = format!("{:.4}", self.mean(|it| it.integrals.virial_ratio()));
        let virial = ["virial ratio -2T/W", &virial, "", "1"].map(str::to_owned);
        let scatter = self.random.scatter(|sphere| sphere.lagrangian_radii(&FRACTIONS));
        let row = |(k, (fraction, scatter)): (usize, (f64, f64))| {
            let figures = figures([self.mean(|it| it.radii[k]), scatter, model::radius(fraction)]);
            [&[format!("radius of {:.0}% of the mass", 100.0 * fraction)], &figures[..]].concat()
        };
        let radii = FRACTIONS.into_iter().zip(scatter).enumerate().map(row);
        let rows = std::iter::once(virial.to_vec()).chain(radii);
        table(&["", "mean in time", "scatter", "Plummer"], rows)
    }

    /// Formats density and velocity dispersion of shells.
    fn profiles(&self) -> String {
        let measures = [Shells::density, Shells::dispersion];
        let measured = measures.map(|measure| measure(&self.shells));
        let scatters = measures
            .map(|measure| self.random.scatter(|sphere| measure(&self.shells.of_one(sphere))));
        let row = |(k, [inner, outer]): (usize, [f64; 2])| {
            let expected = model::of_shell(inner, outer);
            let of = |c: usize| figures([measured[c][k], scatters[c][k], expected[c]]);
            [&[format!("{inner} .. {outer}")], &of(0)[..], &of(1)].concat()
        };
        let header =
            ["distance", "density", "scatter", "Plummer", "dispersion", "scatter", "Plummer"];
        table(&header, self.shells.radii().enumerate().map(row))
    }

    /// Formats the changes of integrals of motion.
    fn integrals(&self) -> String {
        let (first, last) = (&self.samples[0], self.end());
        let change = |of: fn(&Sample) -> [f64; 3]| {
            let (before, after) = (of(first), of(last));
            (0..3).map(|c| (after[c] - before[c]).powi(2)).sum::<f64>().sqrt()
        };
        let rows = [
            ("energy, relative, largest", self.energy_error()),
            ("momentum", change(|it| it.integrals.momentum)),
            ("angular momentum", change(|it| it.integrals.angular_momentum)),
        ];
        let rows = rows.map(|(name, change)| vec![name.to_owned(), format!("{change:.1e}")]);
        table(&["", "change"], rows)
    }

    /// Formats the numbers of steps in the first unit of time, compared with a published fit. Both
    /// depend on the softening and on eta.
    fn work(&self) -> String {
        let Steps { steps, particle_steps } = self.first_steps;
        let (n, blocks) = (self.stars as f64, steps as f64);
        let rows = [
            ("block steps", blocks, 247.0 * n.powf(0.35)),
            ("stars in a block, mean", particle_steps as f64 / blocks, 0.20 * n.powf(0.81)),
        ];
        let rows = rows.map(|(name, measured, published)| {
            vec![name.to_owned(), format!("{measured:.0}"), format!("{published:.0}")]
        });
        table(&["until time 1", "measured", "Portegies Zwart et al. 2007"], rows)
    }

    /// Formats the distribution of the time steps at the end, with the share of each step in the
    /// work.
    fn time_steps(&self) -> String {
        let work = |step: f64, stars: usize| stars as f64 / step;
        let total: f64 = self.step_counts.iter().map(|&(step, stars)| work(step, stars)).sum();
        let row = |&(step, stars): &(f64, usize)| {
            let share = format!("{:.1}%", 100.0 * work(step, stars) / total);
            vec![format!("1/{}", 1.0 / step), stars.to_string(), share]
        };
        let steps = table(
            &["time step at the end", "stars", "share of the work"],
            self.step_counts.iter().map(row),
        );
        let shortest = self.step_counts.iter().map(|it| it.0).fold(LARGEST, f64::min);
        let shared = work(shortest, self.stars) / total;
        format!(
            "{steps}\n\nOne step for all stars, the shortest, would take {shared:.0} times the work."
        )
    }
}

/// Formats a measured value, its scatter and the expected value with the same number of decimals.
#[expect(clippy::cast_sign_loss, reason = "decimals are not negative")]
fn figures(numbers: [f64; 3]) -> [String; 3] {
    let [_, _, expected] = numbers;
    let decimals = (3.0 - expected.log10().floor()).clamp(0.0, 9.0) as usize;
    numbers.map(|x| format!("{x:.decimals$}"))
}

/// Formats a table with its numbers aligned to the right.
fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_row_have_as_many_decimals() {
        assert_eq!(figures([0.308_42, 0.012, 0.308_74]), ["0.3084", "0.0120", "0.3087"]);
        assert_eq!(figures([1.3, f64::NAN, 1.281_23]), ["1.300", "NaN", "1.281"]);
        assert_eq!(figures([4e-4, 2.48e-5, 3.6512e-4])[1..], ["0.0000248", "0.0003651"]);
    }
}
