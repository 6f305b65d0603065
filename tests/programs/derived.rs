//! Cost of derived forces and jerks: issue slots of a pair, in terms of formulas by hand.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use nbody::check::untyped::reference;
use nbody::cuda::sass::Slots;
use nbody::cuda::{KernelConfig, Program};
use nbody::law::{Law, declare};
use nbody::untyped::Rows as _;
use nbody::{Domain, Interaction, Options, Sources};
use nbody_interactions::{gay_berne, hermite};
use nbody_models::uniform_rows;

use crate::sass::{Tools, compile};

/// Laws by hand and derived ones. As text they need no compilation for the CPU.
const POTENTIALS: &str = include_str!("laws/potentials.rs");
const RODS: &str = include_str!("laws/rods.rs");
const JERKS: &str = include_str!("laws/jerks.rs");

/// The greatest slots of a derived force, in terms of the slots by hand.
const MOST: f64 = 1.15;

/// Returns a trial for each potential.
pub fn trials(tools: &Arc<Tools>) -> Result<Vec<Trial>, String> {
    let declared = |text| declare(text).map_err(|error| error.to_string());
    let [potentials, rods, jerks] = [declared(POTENTIALS)?, declared(RODS)?, declared(JERKS)?];
    let law = |name: &str| potentials.law(name).map_err(|error| error.to_string());
    let rods = rods.only_law().map_err(|error| error.to_string())?;
    let jerks = jerks.only_law().map_err(|error| error.to_string())?;
    let pairs = [
        (law("lennard_jones")?, law("derived_lennard_jones")?),
        (law("buckingham")?, law("derived_buckingham")?),
        (law("yukawa")?, law("derived_yukawa")?),
        (law("switched")?, law("derived_switched")?),
        (rods, gay_berne::GayBerne::LAW),
        (hermite::Hermite::LAW, jerks),
    ];
    let trial = |(by_hand, derived): (&'static Law, &'static Law)| {
        let tools = tools.clone();
        Trial::test(format!("{}_costs_as_much_as_by_hand", derived.name), move || {
            compare(&tools, [by_hand, derived])
        })
    };
    let same = Trial::test("gay_berne_by_hand_has_the_same_results", move || same_rods(rods));
    let jerks = Trial::test("hermite_by_hand_has_the_same_results", move || same_jerks(jerks));
    Ok(pairs.into_iter().map(trial).chain([same, jerks]).collect())
}

/// Compares the results of the derived and of the other Gay-Berne interaction: slots of wrong forces
/// would not count.
fn same_rods(by_hand: &'static Law) -> Result<(), Failed> {
    // Axes in the unit cube are longer than 1.
    let law = gay_berne::GayBerne {
        chi: 0.25,
        sigma0: 1.0 / 16.0,
        ..gay_berne::GayBerne::new([3.0, 2.0, 2.0, 1.5], 0.75)
    };
    same([gay_berne::GayBerne::LAW, by_hand], &parameters(law), 1e-10)
}

/// Compares the derived jerk with the library's.
fn same_jerks(derived: &'static Law) -> Result<(), Failed> {
    let law = hermite::Hermite { eps2: 1.0 / 64.0 };
    same([derived, hermite::Hermite::LAW], &parameters(law), 1e-12)
}

fn parameters<X: Interaction>(law: X) -> Vec<u64> {
    let mut words = vec![0; X::DIM];
    (&&[law][..]).write(0..1, &mut words);
    words
}

/// Compares the results of two laws with the same records: two vectors and a number.
fn same(laws: [&'static Law; 2], parameters: &[u64], most: f64) -> Result<(), Failed> {
    let results = |law: &'static Law| -> Result<Vec<[f64; 7]>, Failed> {
        let particles = uniform_rows(law.i, 100, 1);
        let same = Sources::Same(&particles as _);
        let found = reference(law, parameters, Domain::Open, &particles, same)?;
        let (rows, rest) = found.words().as_chunks::<7>();
        assert!(rest.is_empty() && rows.len() == 100, "seven numbers of each particle");
        Ok(rows.iter().map(|row| row.map(f64::from_bits)).collect())
    };
    let [derived, by_hand] = [results(laws[0])?, results(laws[1])?];
    for (found, expected) in derived.iter().zip(&by_hand) {
        let off: f64 = [0..3, 3..6, 6..7]
            .map(|field| off(&found[field.clone()], &expected[field]))
            .iter()
            .sum();
        if !(off < most) {
            return Err(format!("{off:e}: {found:?}, {expected:?} by hand").into());
        }
    }
    Ok(())
}

/// Returns the length of the difference of two vectors, in terms of the second.
fn off(found: &[f64], expected: &[f64]) -> f64 {
    let difference = found.iter().zip(expected).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    (difference / expected.iter().map(|x| x * x).sum::<f64>()).sqrt()
}

fn compare(tools: &Tools, laws: [&Law; 2]) -> Result<(), Failed> {
    let [by_hand, derived] = [slots(tools, laws[0])?, slots(tools, laws[1])?];
    let ratio = derived / by_hand;
    println!("{}: {derived} slots, {by_hand} by hand: {ratio:.3}", laws[1].name);
    if ratio <= MOST { Ok(()) } else { Err(format!("{ratio:.3} times the slots").into()) }
}

fn slots(tools: &Tools, law: &Law) -> Result<f64, Failed> {
    let options = Options::default();
    let program = Program::with_config(law, options, KernelConfig::widest(law, options)?);
    let (_, kernels) = compile(tools, &program, 90)?;
    Ok(Slots::of(law, &program, &kernels).ok_or("no FORCE-LOOP")?.all)
}
