//! The settings of a run, which its restart file contains.

use std::fmt;
use std::path::Path;

use nbody::{Accumulation, Interaction as _, Math, Options, Precision};
use nbody_integrate::HermiteOptions;
use nbody_interactions::{gravity::Gravity, hermite::Hermite};
use serde::{Deserialize, Serialize};

use super::arguments::{Arguments, IntegratorName};
use super::error::{Error, Near};
use super::gravity::FileUnits;
use super::units::Units;
use crate::format::Format;
use crate::message;

/// An integrator with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    Hermite(HermiteSettings),
    HermiteShared(HermiteSettings),
    Leapfrog {
        step: f64,
        /// The opening angle of the tree; `None` evaluates all pairs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<f64>,
    },
}

/// The parameters of a Hermite integrator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HermiteSettings {
    eta: f64,
    eta_start: f64,
    largest: f64,
    /// Missing in older files of runs with block time steps, which always had one iteration.
    #[serde(default = "once")]
    iterations: u32,
}

fn once() -> u32 {
    1
}

impl HermiteSettings {
    fn new(arguments: &Arguments) -> Self {
        let default = HermiteOptions::default();
        Self {
            eta: arguments.eta.unwrap_or(default.eta),
            eta_start: arguments.eta_start.unwrap_or(default.eta_start),
            largest: arguments.largest.unwrap_or(default.largest),
            iterations: arguments.iterations.unwrap_or(default.iterations),
        }
    }

    fn in_units(self, units: &Units) -> Self {
        Self { largest: self.largest / units.time(), ..self }
    }

    pub fn options(self) -> HermiteOptions {
        let Self { eta, eta_start, largest, iterations } = self;
        let options = HermiteOptions::default().eta(eta).eta_start(eta_start);
        options.largest(largest).iterations(iterations)
    }
}

impl Integrator {
    fn new(arguments: &Arguments) -> Result<Self, Error> {
        let name = arguments.integrator.unwrap_or(IntegratorName::Hermite);
        let given = parameters_given(arguments);
        let foreign = given.iter().find(|(option, value)| value.is_some() && !name.has(option));
        if let Some((option, _)) = foreign {
            return Err(Error::WrongIntegrator { option, integrator: name.name() });
        }
        Ok(match name {
            IntegratorName::Hermite => Self::Hermite(HermiteSettings::new(arguments)),
            IntegratorName::HermiteShared => Self::HermiteShared(HermiteSettings::new(arguments)),
            IntegratorName::Leapfrog => {
                let tree = arguments.tree;
                Self::Leapfrog { step: arguments.step.ok_or(Error::NoStep)?, tree }
            }
        })
    }

    pub fn name(&self) -> &'static str {
        let name = match self {
            Self::Hermite(_) => IntegratorName::Hermite,
            Self::HermiteShared(_) => IntegratorName::HermiteShared,
            Self::Leapfrog { .. } => IntegratorName::Leapfrog,
        };
        name.name()
    }

    pub fn interaction(&self) -> &'static str {
        match self {
            Self::Hermite(_) | Self::HermiteShared(_) => Hermite::LAW.name,
            Self::Leapfrog { .. } => Gravity::LAW.name,
        }
    }

    /// Returns the default precision. Without softening, encounters shorten the steps until the
    /// rounding of single precision outweighs the change of the force in a step, from which the
    /// next step is chosen: steps become shorter still.
    fn precision(&self, eps: f64) -> Precision {
        match self {
            Self::Hermite(_) | Self::HermiteShared(_) if eps == 0.0 => Precision::Mixed,
            _ => Precision::Single,
        }
    }

    /// Returns the number of force evaluations in a step.
    pub fn evaluations(&self) -> u32 {
        match self {
            Self::Hermite(settings) | Self::HermiteShared(settings) => settings.iterations,
            Self::Leapfrog { .. } => 1,
        }
    }

    /// Returns the command-line options of this integrator, with their values.
    fn parameters(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Self::Hermite(settings) | Self::HermiteShared(settings) => {
                let HermiteSettings { eta, eta_start, largest, iterations } = settings;
                let iterations = ("--iterations", iterations.into());
                vec![("--eta", eta), ("--eta-start", eta_start), ("--largest", largest), iterations]
            }
            Self::Leapfrog { step, tree } => {
                let tree = tree.map(|theta| ("--tree", theta));
                [("--step", step)].into_iter().chain(tree).collect()
            }
        }
    }

    /// Returns the integrator with its times in these units.
    fn in_units(self, units: &Units) -> Self {
        match self {
            Self::Hermite(settings) => Self::Hermite(settings.in_units(units)),
            Self::HermiteShared(settings) => Self::HermiteShared(settings.in_units(units)),
            Self::Leapfrog { step, tree } => Self::Leapfrog { step: step / units.time(), tree },
        }
    }

    /// Refuses to distribute the particles of no tree.
    fn check_distribution(&self, arguments: &Arguments) -> Result<(), Error> {
        let has_tree = matches!(self, Self::Leapfrog { tree: Some(_), .. });
        if arguments.distribute_trees && !has_tree { Err(Error::NoTree) } else { Ok(()) }
    }

    fn check(&self) -> Result<(), Error> {
        self.parameters().into_iter().try_for_each(|(option, value)| positive(option, value))
    }
}

/// Returns all integrator options given on the command line.
fn parameters_given(arguments: &Arguments) -> [(&'static str, Option<f64>); 6] {
    [
        ("--tree", arguments.tree),
        ("--step", arguments.step),
        ("--eta", arguments.eta),
        ("--eta-start", arguments.eta_start),
        ("--largest", arguments.largest),
        ("--iterations", arguments.iterations.map(f64::from)),
    ]
}

/// Returns the units of the particles.
fn units(arguments: &Arguments) -> FileUnits {
    if let Some(gravity) = arguments.gravity {
        return FileUnits::with_gravity(gravity);
    }
    let of_sphere = arguments.n.map(|_| FileUnits::standard());
    arguments.units.clone().or(of_sphere).unwrap_or_default()
}

/// Refuses a softening length that is negative or not finite.
fn check_softening(eps: f64) -> Result<(), Error> {
    if eps.is_finite() && eps >= 0.0 {
        return Ok(());
    }
    let expected = "a length of zero or more";
    Err(Error::Number { option: "--eps", value: eps, expected })
}

/// Refuses a value that is not positive and finite.
fn positive(option: &'static str, value: f64) -> Result<(), Error> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::Number { option, value, expected: "a positive number" })
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub integrator: Integrator,
    /// The name of the interaction.
    pub interaction: String,
    /// The units of the particles; in older files G = 1.
    #[serde(default)]
    pub units: FileUnits,
    /// The softening length.
    pub eps: f64,
    #[serde(with = "name")]
    pub precision: Precision,
    #[serde(with = "name")]
    pub accumulation: Accumulation,
    #[serde(with = "name")]
    pub math: Math,
    /// The time at the end.
    pub until: f64,
    /// The time between snapshots; `None` writes only the one at the end.
    pub every: Option<f64>,
    pub format: Format,
    /// Whether snapshots have images; in older files they always have.
    #[serde(default = "always")]
    pub images: bool,
}

fn always() -> bool {
    true
}

impl Settings {
    /// Describes the run and its units, for captions.
    pub fn describe(&self, particles: usize) -> [String; 2] {
        let Self { integrator, eps, precision, accumulation, math, .. } = self;
        let run = format!(
            "{particles} particles, softening length {eps}, {} integrator, {precision} precision, {accumulation} \
             accumulation, {math} mathematics",
            integrator.name()
        );
        [run, format!("units: {}", self.units.describe())]
    }

    /// Returns the settings of a new run.
    pub fn new(arguments: &Arguments) -> Result<Self, Error> {
        let integrator = Integrator::new(arguments)?;
        integrator.check_distribution(arguments)?;
        let Options { accumulation, math, .. } = arguments.numerics.options();
        let eps = arguments.eps.unwrap_or(0.0);
        let precision = arguments.numerics.precision;
        let settings = Self {
            integrator,
            interaction: integrator.interaction().to_owned(),
            units: units(arguments),
            eps,
            precision: precision.unwrap_or_else(|| integrator.precision(eps)),
            accumulation,
            math,
            until: arguments.until.unwrap_or(1.0),
            every: arguments.every,
            format: arguments.format.unwrap_or(Format::Csv),
            images: !arguments.no_images,
        };
        // The sphere of -n begins at time 0.
        if arguments.n.is_some() {
            settings.check_times(0.0, None)?;
        }
        Ok(settings)
    }

    /// Scales the largest step, unless it was given, from N-body units to these units, by a power
    /// of two. It is at most the rest of the run, so that orbits with short periods are resolved.
    pub fn scale_default(&mut self, arguments: &Arguments, units: &Units, begin: f64) {
        let duration = self.until - begin;
        if let Integrator::Hermite(settings) | Integrator::HermiteShared(settings) =
            &mut self.integrator
            && arguments.largest.is_none()
            && !units.are_of_files()
        {
            settings.largest *= units.time();
            while settings.largest > duration {
                settings.largest /= 2.0;
            }
        }
    }

    /// Lengthens the largest step, unless it was given, for bodies that are all at the same place:
    /// the duration of the run is the only scale of their motion.
    pub fn lengthen_default(&mut self, arguments: &Arguments, begin: f64) {
        let duration = self.until - begin;
        if let Integrator::Hermite(settings) | Integrator::HermiteShared(settings) =
            &mut self.integrator
            && arguments.largest.is_none()
        {
            while settings.largest < duration / LONG {
                settings.largest *= 2.0;
            }
        }
    }

    /// Returns the settings of the simulation in these units.
    pub fn in_units(&self, units: &Units) -> Self {
        let integrator = self.integrator.in_units(units);
        Self { integrator, eps: self.eps / units.length(), ..self.clone() }
    }

    /// Returns the settings of a continued run: the settings of the file, except for times, format
    /// and images, which arguments may change.
    pub fn resume(self, path: &Path, arguments: &Arguments) -> Result<Self, Error> {
        self.refuse_others(path, arguments)?;
        self.integrator.check_distribution(arguments)?;
        let settings = Self {
            until: arguments.until.unwrap_or(self.until),
            every: arguments.every.or(self.every),
            format: arguments.format.unwrap_or(self.format),
            images: self.images && !arguments.no_images,
            ..self
        };
        settings.check()?;
        Ok(settings)
    }

    /// Refuses arguments that contradict the file.
    fn refuse_others(&self, path: &Path, arguments: &Arguments) -> Result<(), Error> {
        let Arguments { numerics, .. } = arguments;
        let found = self.integrator.parameters();
        let found = |option| found.iter().find(|(name, _)| *name == option).map(|found| found.1);
        let given = arguments.integrator.map(IntegratorName::name);
        let compared = [
            another("integrator", Some(self.integrator.name()), given),
            another(
                "interaction",
                Some(&self.interaction[..]),
                Some(self.integrator.interaction()),
            ),
            another("softening length", Some(self.eps), arguments.eps),
            another("precision", Some(self.precision), numerics.precision),
            another("accumulation", Some(self.accumulation), numerics.accumulation),
            another("mathematics", Some(self.math), numerics.math),
        ];
        let parameters = parameters_given(arguments);
        let parameters =
            parameters.into_iter().map(|(option, given)| another(option, found(option), given));
        let compared = compared.into_iter().chain(parameters);
        match compared.flatten().next() {
            None => Ok(()),
            Some((name, found, given)) => {
                Err(Error::AnotherRun { path: path.to_owned(), name, found, given })
            }
        }
    }

    fn check(&self) -> Result<(), Error> {
        self.integrator.check()?;
        check_softening(self.eps)?;
        if !self.until.is_finite() {
            let expected = "a finite time";
            return Err(Error::Number { option: "--until", value: self.until, expected });
        }
        self.every.map_or(Ok(()), |every| positive("--every", every))
    }

    /// Refuses times of snapshots that a run from `begin` does not reach. A run that is continued is
    /// at the time `now`, and keeps its step.
    pub fn check_times(&self, begin: f64, now: Option<f64>) -> Result<(), Error> {
        let time = now.unwrap_or(begin);
        if self.until <= time {
            return Err(Error::Until { until: self.until, time });
        }
        self.check_resolution(begin)?;
        let Integrator::Leapfrog { step, .. } = self.integrator else { return Ok(()) };
        let steps = (self.until - begin) / step;
        if steps > MOST_STEPS {
            return Err(Error::TooManySteps { until: self.until, steps, step });
        }
        let every = self.every.map(|every| ("--every", every, every));
        let until = ("--until", self.until, self.until - begin);
        let times: Vec<_> = every.into_iter().chain([until]).collect();
        let Some(&(option, value, interval)) = times.iter().find(|it| !is_multiple(it.2, step))
        else {
            return Ok(());
        };
        let near = if now.is_some() {
            let steps = (interval / step).floor();
            let values = [steps, steps + 1.0].map(|steps| (steps, value - interval + steps * step));
            let values = values
                .into_iter()
                .filter(|&(steps, at)| steps >= 1.0 && (option == "--every" || at > time));
            Near { option, values: values.map(|it| it.1).collect() }
        } else {
            let intervals: Vec<_> = times.iter().map(|it| it.2).collect();
            Near { option: "--step", values: steps_near(&intervals, step) }
        };
        Err(Error::NotMultiple { option, value, step, near })
    }

    /// Warns of snapshots at intervals that the run does not reach.
    pub fn warn_of_times(&self, begin: f64) {
        if let Some(every) = self.every.filter(|every| *every > self.until - begin) {
            message::print(format_args!(
                "warning: --every {every} is longer than the run, from time {begin} to {}: there is a snapshot at \
                 its beginning and at its end only",
                self.until
            ));
        }
    }

    /// Refuses times between snapshots, and steps, that are lost in the rounding errors of times.
    fn check_resolution(&self, begin: f64) -> Result<(), Error> {
        let near = begin.abs().max(self.until.abs());
        let (resolution, least) = (resolution(near), LEAST * resolution(near));
        let step = match self.integrator {
            Integrator::Leapfrog { step, .. } => Some(step),
            _ => None,
        };
        let duration = ("the time from the particles' to --until", Some(self.until - begin));
        for (option, value) in [("--every", self.every), ("--step", step), duration] {
            if let Some(value) = value.filter(|&value| value < least) {
                return Err(Error::TooFine { option, value, near, resolution, least });
            }
        }
        Ok(())
    }

    pub fn options(&self) -> Options {
        let &Self { precision, accumulation, math, .. } = self;
        Options::default().precision(precision).accumulation(accumulation).math(math)
    }
}

/// Number of shorter and of longer steps that are tried for an offer.
const TRIED: u32 = 1000;
/// Step counts up to this number are exact.
const MOST_STEPS: f64 = (1_u64 << 53) as f64;
/// Least time between snapshots, in units of the rounding errors of times.
const LEAST: f64 = 1e4;
/// Largest number of largest steps in a run of bodies that are all at the same place.
const LONG: f64 = 1024.0;

/// Returns whether a time is a multiple of the step, up to rounding errors.
fn is_multiple(time: f64, step: f64) -> bool {
    let steps = time / step;
    (steps - steps.round()).abs() <= 1e-9 * steps.abs().max(1.0) && steps >= 0.5
}

/// Returns the nearest steps, shorter and longer than this one, that divide all times.
fn steps_near(times: &[f64], step: f64) -> Vec<f64> {
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let parts = (least / step).floor();
    let divides = |parts: &f64| {
        let step = least / parts;
        *parts >= 1.0 && times.iter().all(|&time| is_multiple(time, step))
    };
    let first = |mut candidates: std::ops::Range<u32>, sign: f64| {
        candidates.find_map(|k| Some(parts + sign * f64::from(k)).filter(divides))
    };
    // More parts are shorter steps.
    let found = [first(1..TRIED, 1.0), first(0..TRIED, -1.0)];
    found.into_iter().flatten().map(|parts| shortened(least / parts)).collect()
}

/// Returns the number without the digits that are only its rounding error: 0.1 for 0.3 / 3.
fn shortened(number: f64) -> f64 {
    let short = format!("{number:.14e}").parse().unwrap_or(number);
    if (short - number).abs() <= f64::EPSILON * number { short } else { number }
}

/// Returns the greatest spacing of `f64` near this time.
pub fn resolution(time: f64) -> f64 {
    f64::EPSILON * time.abs()
}

/// Returns a setting that differs from the file.
fn another<T: PartialEq + fmt::Display>(
    name: &'static str,
    found: Option<T>,
    given: Option<T>,
) -> Option<(&'static str, String, String)> {
    let given = given.filter(|given| found.as_ref() != Some(given))?;
    let found = found.map_or_else(|| "none".to_owned(), |found| found.to_string());
    Some((name, found, given.to_string()))
}

/// Serializes values by their names on the command line.
mod name {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize as _, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'a, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'a>,
    {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_steps_divide_all_times() {
        let near = |times: &[f64], step| steps_near(times, step);
        assert_eq!(near(&[62.83185], 0.01), [0.009_998_703_055_378_74, 0.010_000_294_445_328_664]);
        assert_eq!(near(&[0.5, 1.0], 0.3), [0.25, 0.5]);
        assert_eq!(near(&[0.2, 0.5], 0.03), [0.025, 0.2 / 6.0]);
        assert_eq!(near(&[0.3, 1.0], 0.2), [0.1]);
        // No step is longer than the time.
        assert_eq!(near(&[1.0], 1.5), [1.0]);
        assert_eq!(near(&[1.0, std::f64::consts::PI], 0.3), [0.0; 0]);
        for step in near(&[1.0, 62.5], 0.0099) {
            assert!(is_multiple(1.0, step) && is_multiple(62.5, step), "{step}");
        }
    }

    #[test]
    fn block_time_steps_without_iterations_have_one() {
        let text = r#"{"hermite":{"eta":0.01,"eta_start":0.002,"largest":0.25}}"#;
        let found: Integrator = serde_json::from_str(text).unwrap();
        assert_eq!(found.evaluations(), 1);
        let Integrator::Hermite(found) = found else { panic!("{found:?}") };
        let expected = HermiteOptions::default().eta(0.01).eta_start(0.002).largest(0.25);
        assert_eq!(found.options(), expected);
    }
}
