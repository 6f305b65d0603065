//! Every CUDA program, run in the emulator, and every CPU kernel with each of the vector
//! instructions that there are: compared with the reference, and in exact mathematics with the bits
//! of one another.
//!
//! The last line tells how many programs and kernels ran, and how often.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use nbody::{
    AllPairs, Case, Device, Domain, Interaction, Math, Options, Pairs, Precision, SimdLevel, Tiling,
};
use nbody_interactions::Visitor;
use nbody_models::{domains, ways};

/// Around every boundary: bags, tiles and threads.
const SIZES: [usize; 8] = [0, 1, 2, 127, 128, 129, 1000, 2049];

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);
static RUNS: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let arguments = Arguments::from_args();
    let domains = domains().expect("a box with room");
    let mut trials = Trials { domains, trials: Vec::new() };
    nbody_tests::visit_all(&mut trials);
    let conclusion = libtest_mimic::run(&arguments, trials.trials);
    let (programs, runs) = (PROGRAMS.load(Ordering::Relaxed), RUNS.load(Ordering::Relaxed));
    println!("emulated: {programs} programs, {runs} runs");
    conclusion.exit();
}

struct Trials {
    domains: [Domain; 2],
    trials: Vec<Trial>,
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        for domain in self.domains {
            // What to expect takes longer to find than a program to run, and is the same in all
            // ways to compute but those of mixed precision, whose particles are others.
            let [shared, mixed] = [Cases::<X>::default(), Cases::default()];
            for options in ways(domain) {
                let precision = options.precision;
                let cases = if precision == Precision::Mixed { &mixed } else { &shared }.clone();
                self.trials.push(Trial::test(format!("{}/{options}", X::NAME), move || {
                    let all = || nbody_models::cases(&interaction, domain, precision, &SIZES);
                    check(interaction, options, cases.get_or_init(all))
                }));
            }
        }
    }
}

/// Made by the first trial that needs them, gone with the last.
type Cases<X> = Arc<OnceLock<Vec<Case<X>>>>;

fn check<X: Interaction>(
    interaction: X,
    options: Options,
    cases: &[Case<X>],
) -> Result<(), Failed> {
    let cache = tempfile::tempdir()?;
    let emulator = Device::emulator()?.with_cache_dir(cache.path());
    let levels = SimdLevel::available().map(Device::cpu_with).collect::<Result<Vec<_>, _>>()?;
    // Both directions at once also where it does not pay.
    let unordered = X::THIRD_LAW.map(|_| Options { pairs: Pairs::Unordered, ..options });
    // In exact mathematics all levels run the same code, that of scalars.
    let exact = options.math == Math::Exact;
    let checked = if exact { &levels[levels.len() - 1..] } else { &levels };
    for device in [&emulator].into_iter().chain(checked) {
        for options in [options].into_iter().chain(unordered) {
            let mut direct = AllPairs::with_options(device, interaction, options)?;
            PROGRAMS.fetch_add(1, Ordering::Relaxed);
            for case in cases {
                RUNS.fetch_add(1, Ordering::Relaxed);
                let report = case.check(&mut direct, &options)?;
                if !report.passes() {
                    let (name, pairs) = (case.name(), options.pairs);
                    return Err(format!("{device}: {name}, {pairs} pairs:\n{report}").into());
                }
            }
        }
    }
    if exact && X::OPERATIONS.special == 0 {
        // Bags that end within a tile, and splits that do not come out even.
        let tilings = [(256, 1), (100, 3), (7, 20)].map(|(bag, splits)| Tiling { bag, splits });
        for k in 0..levels.len().max(tilings.len()) {
            let options = Options { tiling: Some(tilings[k % tilings.len()]), ..options };
            same_bits([&emulator, &levels[k % levels.len()]], interaction, options, cases)?;
        }
    }
    Ok(())
}

fn same_bits<X: Interaction>(
    devices: [&Device; 2],
    interaction: X,
    options: Options,
    cases: &[Case<X>],
) -> Result<(), Failed> {
    let one = &mut AllPairs::with_options(devices[0], interaction, options)?;
    let other = &mut AllPairs::with_options(devices[1], interaction, options)?;
    for case in cases {
        RUNS.fetch_add(1, Ordering::Relaxed);
        if !case.same_bits(one, other)? {
            let (name, [one, other]) = (case.name(), devices);
            return Err(format!("{one}, {other}: {name}, {:?}: bits differ", options.tiling).into());
        }
    }
    Ok(())
}
