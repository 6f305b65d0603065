//! Measurements of the speed of an interaction.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use nbody::cuda::sass::{self, Slots};
use nbody::cuda::{Properties, Schedule, Usage, programs};
use nbody::models::uniform_rows;
use nbody::untyped::{Buffer, Engine};
use nbody::{Device, Error, Options, Sources};

use crate::interactions::Chosen;

/// Smallest number of runs of a measurement.
const RUNS: usize = 5;
/// Shortest duration of a measurement with fewer than this number of runs.
const TIME: Duration = Duration::from_secs(1);
const MOST_RUNS: usize = 5000;
/// Floating-point operations of a pair of gravity, by the convention of Warren et al. 1997, which
/// Hamada & Iitaka 2007 and many others use.
pub const CONVENTION: f64 = 38.0;

/// Speed of an interaction, and resources of its program.
#[derive(Clone, Debug)]
pub struct Measurement {
    pub interaction: &'static str,
    pub device: String,
    pub properties: Option<Properties>,
    pub size: Size,
    /// Whether one set was evaluated with itself, not two sets.
    pub one_set: bool,
    pub schedule: Schedule,
    /// Floating-point operations of an ordered pair.
    pub operations: u32,
    pub times: Times,
    pub compiler: Option<String>,
    pub usage: Option<Usage>,
    pub slots: Option<Slots>,
    /// Peak of a CPU, measured just before: the flop/s of multiply-adds alone.
    pub peak: Option<f64>,
}

/// The particles of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of i-particles; `None` if it equals the number of j-particles.
    pub i: Option<usize>,
    /// Number of j-particles.
    pub n: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.i {
            Some(i) => f.pad(&format!("{i} x {}", self.n)),
            None => f.pad(&self.n.to_string()),
        }
    }
}

/// Times of the runs of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub median: Duration,
    pub fastest: Duration,
    pub slowest: Duration,
    pub runs: usize,
}

impl Times {
    /// Measures at least [`RUNS`] runs, for at least [`TIME`] by their own times, on which all
    /// ranks agree.
    fn of(mut run: impl FnMut() -> Result<Duration, Error>) -> Result<Self, Error> {
        run()?; // warms up clocks and caches
        let (mut times, mut spent) = (Vec::new(), Duration::ZERO);
        while times.len() < RUNS || spent < TIME && times.len() < MOST_RUNS {
            let time = run()?;
            times.push(time);
            spent += time;
        }
        times.sort();
        let runs = times.len();
        Ok(Self { median: times[runs / 2], fastest: times[0], slowest: times[runs - 1], runs })
    }
}

impl Measurement {
    /// Returns ordered pairs per second; all pairs of a run count.
    pub fn pairs_per_second(&self) -> f64 {
        let Size { i, n } = self.size;
        i.unwrap_or(n) as f64 * n as f64 / self.times.median.as_secs_f64()
    }

    /// Returns floating-point operations per second, by the count of the interaction.
    pub fn flops(&self) -> f64 {
        self.pairs_per_second() * f64::from(self.operations)
    }

    /// Returns the issue limit in pairs per second: with all branches of the loop taken, and on
    /// its shortest path.
    pub fn limits(&self) -> Option<[f64; 2]> {
        let (gpu, slots) = (self.properties.as_ref()?, self.slots?);
        let limit = |slots| sass::issue_limit(gpu.multiprocessors, gpu.hertz, slots);
        Some([limit(slots.all), limit(slots.least)])
    }

    /// Returns fractions of the issue limit: on the shortest path through the loop, and with all
    /// branches taken. The true fraction lies between them; they are equal if the loop has no
    /// branch.
    pub fn of_limit(&self) -> Option<[f64; 2]> {
        let [all, least] = self.limits()?;
        let rate = self.pairs_per_second();
        Some([rate / least, rate / all])
    }
}

/// Measures uniform particles: one set if i and j are of one record and number, else two sets.
pub fn measure(
    device: &Device,
    chosen: &Chosen,
    options: Options,
    size: Size,
    nvdisasm: Option<&Path>,
) -> Result<Measurement, Error> {
    let law = chosen.law;
    let mut direct = device.untyped().all_pairs(law, &chosen.parameters, options)?;
    let peak = device.simd_level().map(|level| nbody::cpu::peak(level, &options));
    let ni = size.i.unwrap_or(size.n);
    let upload = |fields, n, seed| {
        device.untyped().upload(&uniform_rows(fields, n, seed), options.precision)
    };
    let i = upload(law.i, ni, 1)?;
    let others = if chosen.has_one_record() && size.i.is_none() {
        None
    } else {
        Some(upload(law.j, size.n, 2)?)
    };
    let sources = others.as_deref().map_or(Sources::Same(&*i), Sources::Others);
    let times = time(&mut *direct, &*i, sources)?;
    let properties = device.properties();
    let slots = nvdisasm.filter(|_| properties.is_some()).and_then(|path| slots(&*direct, path));
    let (program, build) = programs::compiled(&*direct).unzip();
    Ok(Measurement {
        interaction: law.name,
        device: device.name(),
        properties,
        size,
        one_set: others.is_none(),
        schedule: program.map_or(Schedule::Ordered, |program| program.config.schedule),
        operations: law.operations.flops(),
        times,
        compiler: build.map(|build| build.compiler.clone()),
        usage: build.and_then(|build| build.usage),
        slots,
        peak,
    })
}

fn time(
    direct: &mut dyn Engine,
    i: &dyn Buffer,
    sources: Sources<'_, dyn Buffer>,
) -> Result<Times, Error> {
    let mut out = direct.results(i.len())?;
    Times::of(|| direct.time(i, sources, &mut *out))
}

/// Counts the issue slots of a pair in the program that ran. Returns `None` if it cannot be
/// disassembled, such as PTX compiled by the driver.
fn slots(direct: &dyn Engine, nvdisasm: &Path) -> Option<Slots> {
    let (program, build) = programs::compiled(direct)?;
    let kernels = sass::disassemble(nvdisasm, &build.image).ok()?;
    Slots::of(direct.law(), program, &kernels)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Gravity on an H200, with the symmetric schedule, at the issue limit on the shortest path.
    pub fn sample() -> Measurement {
        let mut gpu = Properties::default();
        (gpu.multiprocessors, gpu.hertz, gpu.architecture) = (132, 1.98e9, 90);
        let mut usage = Usage::default();
        (usage.registers, usage.shared, usage.blocks) = (128, 8192, 3);
        let median = Duration::from_secs_f64(1e12 * 9.0 / (132.0 * 128.0 * 1.98e9));
        Measurement {
            interaction: "gravity",
            device: "NVIDIA H200 (cuda:0)".to_owned(),
            properties: Some(gpu),
            size: Size { i: None, n: 1_000_000 },
            one_set: true,
            schedule: Schedule::Symmetric,
            operations: 20,
            times: Times { median, fastest: median, slowest: median, runs: 5 },
            compiler: Some("NVRTC 13.0 for sm_90".to_owned()),
            usage: Some(usage),
            slots: Some(Slots { all: 12.0, least: 9.0 }),
            peak: None,
        }
    }

    #[test]
    fn fractions_of_the_limit_bound_the_true_one() {
        let each = sample();
        let slots = 132.0 * 128.0 * 1.98e9;
        assert_eq!(each.limits(), Some([slots / 12.0, slots / 9.0]));
        let [least, all] = each.of_limit().unwrap();
        assert!((least - 1.0).abs() < 1e-6 && (all - 12.0 / 9.0).abs() < 1e-6, "{least} {all}");
        assert!((each.flops() / each.pairs_per_second() - 20.0).abs() < 1e-9);
        assert_eq!(Measurement { slots: None, ..sample() }.of_limit(), None);
        assert_eq!(Measurement { properties: None, ..sample() }.of_limit(), None);
    }

    #[test]
    fn runs_are_enough_and_times_are_their_quantiles() {
        let of = |unit: Duration| {
            let mut calls = 0;
            let times = Times::of(|| {
                calls += 1;
                Ok(unit * (calls % 5))
            });
            let times = times.unwrap();
            assert_eq!(times.runs as u32 + 1, calls);
            let found = [times.fastest, times.median, times.slowest];
            assert_eq!(found, [Duration::ZERO, 2 * unit, 4 * unit]);
            times.runs
        };
        // Long runs, runs that take the time together, and runs that take no time.
        assert_eq!(of(TIME), RUNS);
        assert_eq!(of(TIME / 100), 50);
        assert_eq!(of(Duration::ZERO), MOST_RUNS);
    }

    #[test]
    fn one_set_is_measured_where_i_and_j_are_one_type() {
        use nbody_interactions::gravity::Gravity;
        use nbody_interactions::hologram::Hologram;
        let (device, options) = (Device::cpu(), Options::default());
        let size = Size { i: None, n: 10 };
        let gravity = &Chosen::new(Gravity { eps2: 0.25 });
        assert!(measure(&device, gravity, options, size, None).unwrap().one_set);
        let few = Size { i: Some(3), n: 10 };
        assert!(!measure(&device, gravity, options, few, None).unwrap().one_set);
        let hologram = &Chosen::new(Hologram { wavenumber: 4.0, wavenumber_lo: 0.0 });
        assert!(!measure(&device, hologram, options, size, None).unwrap().one_set);
    }
}
