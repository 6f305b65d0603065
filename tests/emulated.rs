//! Every CUDA program, run in the emulator and compared with the reference, and in exact
//! mathematics with the bits of the CPU engine.
//!
//! The last line tells how many programs ran, and how often.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use nbody::models::uniform;
use nbody::{
    Accumulation, AllPairs, Device, Engine, Interaction, Math, Options, Precision, Record, Tiling,
    Tolerance, compare, magnitudes, magnitudes_self, reference, reference_self,
};
use nbody_interactions::Visitor;

/// Around every boundary: bags, tiles and threads.
const SIZES: [usize; 8] = [0, 1, 2, 127, 128, 129, 1000, 2049];

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);
static RUNS: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Trials(Vec::new());
    common::visit_all(&mut trials);
    let conclusion = libtest_mimic::run(&arguments, trials.0);
    let (programs, runs) = (PROGRAMS.load(Ordering::Relaxed), RUNS.load(Ordering::Relaxed));
    println!("emulated: {programs} programs, {runs} runs");
    conclusion.exit();
}

struct Trials(Vec<Trial>);

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        for &precision in Precision::ALL {
            for &accumulation in Accumulation::ALL {
                for &math in Math::ALL {
                    let options = Options { precision, accumulation, math, tiling: None };
                    let name = format!("{}/{precision}/{accumulation}/{math}", X::NAME);
                    self.0.push(Trial::test(name, move || check(interaction, options)));
                }
            }
        }
    }
}

fn check<X: Interaction>(interaction: X, options: Options) -> Result<(), Failed> {
    let cache = tempfile::tempdir()?;
    let device = Device::emulator()?.with_cache_dir(cache.path());
    let mut direct = AllPairs::with_options(&device, interaction, options)?;
    PROGRAMS.fetch_add(1, Ordering::Relaxed);
    for (ni, nj) in SIZES.into_iter().zip(SIZES.into_iter().rev()) {
        two_sets(&mut direct, ni, nj)?;
        one_set(&mut direct, ni)?;
    }
    if options.math == Math::Exact && X::OPERATIONS.special == 0 {
        // Bags that end within a tile, and splits that do not come out even.
        for (bag, splits) in [(256, 1), (100, 3), (7, 20)] {
            same_bits(&device, interaction, options, Tiling { bag, splits })?;
        }
    }
    Ok(())
}

fn two_sets<X: Interaction>(direct: &mut AllPairs<X>, ni: usize, nj: usize) -> Result<(), Failed> {
    let (i, j) = (uniform::<X::I>(ni, 1), uniform::<X::J>(nj, 2));
    RUNS.fetch_add(1, Ordering::Relaxed);
    let found = direct.evaluate::<f64>(&i, &j)?;
    let x = *direct.interaction();
    let (expected, scale) = (reference::<X, f64>(&x, &i, &j), magnitudes::<X, f64>(&x, &i, &j));
    within(direct.options(), X::OPERATIONS, nj, &found, &expected, &scale)
}

fn one_set<X: Interaction>(direct: &mut AllPairs<X>, n: usize) -> Result<(), Failed> {
    let (i, j) = (uniform::<X::I>(n, 3), uniform::<X::J>(n, 4));
    RUNS.fetch_add(1, Ordering::Relaxed);
    let found: Vec<X::F> = evaluate_self(direct, &i, &j)?;
    let x = *direct.interaction();
    let (expected, scale) =
        (reference_self::<X, f64>(&x, &i, &j), magnitudes_self::<X, f64>(&x, &i, &j));
    within(direct.options(), X::OPERATIONS, n, &found, &expected, &scale)
}

fn evaluate_self<X: Interaction, E: Engine<X>>(
    engine: &mut E,
    i: &[X::I],
    j: &[X::J],
) -> Result<Vec<X::F>, E::Error> {
    let mut out = engine.fields(i.len())?;
    let (i, j) = (engine.upload(i)?, engine.upload(j)?);
    engine.evaluate_self_into(&i, &j, &mut out)?;
    engine.download::<f64>(&out)
}

fn within<F: Record<Lane = f64, Host = F, With<f64> = F>>(
    options: Options,
    operations: nbody::Operations,
    nj: usize,
    found: &[F],
    expected: &[F],
    scale: &[F],
) -> Result<(), Failed> {
    let report = compare::<F, f64>(found, expected, Some(scale))?;
    let tolerance = Tolerance::new(&options, operations, nj);
    if report.passes(tolerance) {
        return Ok(());
    }
    Err(format!("{} x {nj}, {tolerance:?}:\n{report}", found.len()).into())
}

fn same_bits<X: Interaction>(
    device: &Device,
    interaction: X,
    options: Options,
    tiling: Tiling,
) -> Result<(), Failed> {
    let options = Options { tiling: Some(tiling), ..options };
    let mut emulated = AllPairs::with_options(device, interaction, options)?;
    let mut cpu = AllPairs::with_options(&Device::cpu(), interaction, options)?;
    for n in [1, 129, 1000] {
        let (i, j) = (uniform::<X::I>(n, 5), uniform::<X::J>(n, 6));
        RUNS.fetch_add(2, Ordering::Relaxed);
        let two = (emulated.evaluate::<f64>(&i, &j)?, cpu.evaluate::<f64>(&i, &j)?);
        let one = (evaluate_self(&mut emulated, &i, &j)?, evaluate_self(&mut cpu, &i, &j)?);
        for (found, expected) in [two, one] {
            if bits(&found) != bits(&expected) {
                let report = compare::<X::F, f64>(&found, &expected, None)?;
                return Err(format!("{n} particles, {tiling:?}: bits differ\n{report}").into());
            }
        }
    }
    Ok(())
}

fn bits<F: Record<Lane = f64>>(fields: &[F]) -> Vec<u64> {
    nbody::pack::pack::<F, f64>(fields)
}
