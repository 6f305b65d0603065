//! Options of the command.

use std::path::PathBuf;

use clap::Parser;
use nbody::{DeviceName, Opening};

use crate::error::Error;
use crate::orbit::Orbit;

/// Largest number of steps whose energies fit into memory.
const MOST_STEPS: f64 = 1e7;
/// Largest number of particles.
const MOST_PARTICLES: usize = 1 << 27;

const AFTER_HELP: &str = "\
Units: G = 1, and each galaxy has mass 1 and a disk of scale length 1; at 2.2
scale lengths its stars circle the centre in a time of 36.

The folder gets:
  frame-NNNN.png   the disks and bulges projected on the plane of the orbit,
                   without the dark halos, in colours of the logarithm of the
                   density, with the time and a scale bar
  energy.csv       the energies after each step, and the relative error of
                   their sum
  energy.svg       this error as a plot

Exit codes: 0 success, 1 a failure, 2 an invalid command line or an option out
of its range.";

/// Simulate two disk galaxies that meet on a parabolic orbit.
#[derive(Parser)]
#[command(version, after_help = AFTER_HELP, allow_negative_numbers = true, term_width = 80)]
pub struct Arguments {
    /// The folder of the frames and the plot, made if it does not exist; it must not hold another
    /// run.
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// The number of particles, half of them in each galaxy.
    #[arg(short, long, default_value_t = 200_000, value_parser = particles)]
    pub n: usize,
    /// The time at the end, to a whole number of steps. On the orbit by default the galaxies are
    /// closest near 40.
    #[arg(long, value_name = "T", default_value_t = 120.0)]
    pub until: f64,
    /// The time step of the leapfrog integrator.
    #[arg(long, default_value_t = 0.1)]
    pub step: f64,
    /// The number of frames: the first at the beginning, the last at the end.
    #[arg(long, default_value_t = 61)]
    pub frames: u64,
    /// The seed of the first galaxy; the second has the next one.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The opening angle of the tree, in radians.
    #[arg(long, default_value_t = 0.7)]
    pub theta: f64,
    /// Open cells of the tree whose error may be greater than this share of a force, such as
    /// 0.005, instead of by an angle.
    #[arg(long, conflicts_with = "theta")]
    pub share: Option<f64>,
    /// The softening length of gravity.
    #[arg(long, default_value_t = 0.05)]
    pub eps: f64,
    /// The distance of the galaxies at the beginning.
    #[arg(long, value_name = "DISTANCE", default_value_t = 20.0)]
    pub separation: f64,
    /// Their least distance, if they were points.
    #[arg(long, value_name = "DISTANCE", default_value_t = 4.0)]
    pub pericentre: f64,
    /// The angle between the second disk and the plane of the orbit, in degrees; the first lies in
    /// it.
    #[arg(long, value_name = "DEGREES", default_value_t = 60.0)]
    pub inclination: f64,
    /// The device: cpu, cpu:LEVEL, emulator, cuda:N or best; by default the first GPU, or the CPU.
    #[arg(long)]
    pub device: Option<DeviceName>,
}

/// Parses a whole number of particles: `20000`, `2e4`. Its range is checked later.
#[expect(clippy::cast_sign_loss, reason = "casts saturate, and negative numbers are refused")]
fn particles(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|x: &f64| *x >= 0.0 && x.fract() == 0.0);
    number.map(|number| number as usize).ok_or_else(|| "expected a whole number".to_owned())
}

impl Arguments {
    /// Refuses numbers out of range.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |option, found: &dyn ToString, expected: String| {
            Err(Error::Number { option, found: found.to_string(), expected })
        };
        if !(4..=MOST_PARTICLES).contains(&self.n) {
            return refuse("--n", &self.n, format!("a number from 4 to {MOST_PARTICLES}"));
        }
        for (option, found) in [
            ("--step", self.step),
            ("--until", self.until),
            ("--theta", self.theta),
            ("--share", self.share.unwrap_or(1.0)),
            ("--pericentre", self.pericentre),
        ] {
            if !(found > 0.0 && found.is_finite()) {
                return refuse(option, &found, "a positive number".to_owned());
            }
        }
        if !(self.eps >= 0.0 && self.eps.is_finite()) {
            return refuse("--eps", &self.eps, "zero or a positive number".to_owned());
        }
        if !self.inclination.is_finite() {
            return refuse("--inclination", &self.inclination, "a finite number".to_owned());
        }
        if !(self.separation >= self.pericentre && self.separation.is_finite()) {
            let expected = format!("at least the distance {} of --pericentre", self.pericentre);
            return refuse("--separation", &self.separation, expected);
        }
        if !(1.0..=MOST_STEPS).contains(&(self.until / self.step)) {
            let expected = format!("from 1 to {MOST_STEPS} steps of {}", self.step);
            return refuse("--until", &self.until, expected);
        }
        let most = self.steps() + 1;
        if !(2..=most).contains(&self.frames) {
            let expected = format!("a number from 2 to {most}, with one after each step");
            return refuse("--frames", &self.frames, expected);
        }
        Ok(())
    }

    /// Returns the number of steps.
    #[expect(clippy::cast_sign_loss, reason = "checked to be positive")]
    pub fn steps(&self) -> u64 {
        (self.until / self.step).round() as u64
    }

    /// Returns the number of steps before a frame: frames are as equally spaced as whole steps
    /// allow.
    pub fn steps_before(&self, frame: u64) -> u64 {
        let product = u128::from(frame) * u128::from(self.steps());
        (product / u128::from(self.frames - 1)) as u64
    }

    /// Returns the opening criterion of the tree.
    pub fn opening(&self) -> Opening {
        self.share.map_or(Opening::theta(self.theta), Opening::relative)
    }

    /// Returns the orbit of the galaxies.
    pub fn orbit(&self) -> Orbit {
        Orbit { separation: self.separation, pericentre: self.pericentre }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(options: &[&str]) -> Arguments {
        Arguments::try_parse_from([&["galaxies", "-o", "folder"], options].concat()).unwrap()
    }

    #[test]
    fn frames_are_equally_spaced_from_the_beginning_to_the_end() {
        let arguments = parse(&["--until", "0.99", "--step", "0.1", "--frames", "4"]);
        arguments.check().unwrap();
        assert_eq!([0, 1, 2, 3].map(|frame| arguments.steps_before(frame)), [0, 3, 6, 10]);
    }

    #[test]
    fn a_share_takes_the_place_of_the_angle() {
        assert_eq!(parse(&[]).opening(), Opening::theta(0.7));
        assert_eq!(parse(&["--share", "0.01"]).opening(), Opening::relative(0.01));
    }

    #[test]
    fn numbers_out_of_their_range_are_refused() {
        parse(&[]).check().unwrap();
        for [option, value] in [
            ["--n", "3"],
            ["--n", "999999999999"],
            ["--step", "0"],
            ["--step", "nan"],
            ["--until", "-1"],
            ["--until", "1e-3"],
            ["--until", "1e30"],
            ["--theta", "-0.5"],
            ["--share", "inf"],
            ["--eps", "-0.1"],
            ["--pericentre", "0"],
            ["--separation", "3.9"],
            ["--inclination", "nan"],
            ["--frames", "1"],
            ["--frames", "1202"],
        ] {
            let message = parse(&[option, value]).check().unwrap_err().to_string();
            assert!(message.starts_with(option) && message.contains("expected"), "{message}");
        }
    }
}
