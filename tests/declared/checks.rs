//! The reference, the error bounds and the ranges of laws as text have the bits of the compiled laws.

use nbody::Error;
use nbody::check::untyped::{ErrorBounds, range, reference};
use nbody::law::{Field, FieldKind, Law};
use nbody::prelude::*;
use nbody::untyped::OwnedRows;
use rayon::prelude::*;

use super::cases::{Case, cases};

/// One law in so many is compared; `NBODY_ALL_UNITS` compares all.
const SHARE: usize = if cfg!(feature = "quick") { 12 } else { 4 };
fn share() -> usize {
    if std::env::var_os("NBODY_ALL_UNITS").is_some() { 1 } else { SHARE }
}

/// Numbers of i-particles and of j-particles.
const SIZES: [usize; 2] = [23, 61];

/// Returns the first rows of both records.
fn rows(case: &Case, law: &'static Law, [ni, nj]: [usize; 2]) -> [OwnedRows; 2] {
    let rows = |fields, words: &[u64], n| {
        let row = words.len() / super::cases::N;
        OwnedRows::new(fields, words[..n * row].to_vec()).unwrap()
    };
    [rows(law.i, &case.i, ni), rows(law.j, &case.j, nj)]
}

/// Returns the words of the reference and of bounds for every precision.
fn checked(case: &Case, law: &'static Law, domain: Domain) -> Vec<(String, Vec<u64>)> {
    let parameters = &case.parameters[..];
    let mut all = Vec::new();
    for (sizes, one_set) in [(SIZES, false), ([SIZES[0]; 2], true)] {
        let [i, j] = rows(case, law, sizes);
        let sources = if one_set { Sources::Same(&j as _) } else { Sources::Others(&j as _) };
        let expected = reference(law, parameters, domain, &i, sources).unwrap();
        all.push((format!("reference, one set {one_set}"), expected.words().to_vec()));
        for length in [0.0, 0.75] {
            let bounds = ErrorBounds::new(law, parameters, domain, &i, sources).unwrap();
            let bounds = bounds.with_position_error(length);
            for &precision in Precision::ALL {
                let options = Options::default().precision(precision);
                let title = format!("bounds in {precision}, one set {one_set}, {length}");
                all.push((title, bounds.bounds(&options).words().to_vec()));
            }
        }
    }
    all
}

/// Returns whether all words are equal; any NaN equals any NaN.
fn are_equal(a: &[u64], b: &[u64]) -> bool {
    let is_equal =
        |(a, b): (&u64, &u64)| a == b || f64::from_bits(*a).is_nan() && f64::from_bits(*b).is_nan();
    a.len() == b.len() && a.iter().zip(b).all(is_equal)
}

#[test]
fn checks_of_laws_as_text_have_the_bits_of_compiled_laws() {
    let share = share();
    let boxed = Domain::periodic([1.0, 0.5, f64::INFINITY]).unwrap();
    let compare = |case: &Case| {
        let mut faults = Vec::new();
        for domain in [Domain::Open, boxed] {
            if case.compiled.check_domain(&domain).is_err() {
                continue;
            }
            let [found, expected] =
                [case.declared, case.compiled].map(|law| checked(case, law, domain));
            for ((title, found), (_, expected)) in found.iter().zip(&expected) {
                if !are_equal(found, expected) {
                    let (name, first) = (case.compiled.name, found.iter().zip(expected));
                    let first = first.map(|(a, b)| [a, b].map(|x| f64::from_bits(*x)));
                    let first = first.clone().find(|[a, b]| a != b);
                    faults.push(format!("{name}, {domain:?}: {title}: {first:?}"));
                }
            }
        }
        faults
    };
    let all = cases();
    let some: Vec<_> = all.iter().enumerate().filter(|(k, _)| k % share == 0).collect();
    let faults: Vec<_> = some.par_iter().flat_map_iter(|(_, case)| compare(case)).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Returns the records with their real numbers in another unit.
fn scaled(rows: &OwnedRows, fields: &'static [Field], unit: f64) -> OwnedRows {
    let kinds = fields.iter().flat_map(|it| std::iter::repeat_n(it.kind, it.kind.components()));
    let scaled = rows.words().iter().zip(kinds.cycle()).map(|(&word, kind)| match kind {
        FieldKind::U32 => word,
        _ => (unit * f64::from_bits(word)).to_bits(),
    });
    OwnedRows::new(fields, scaled.collect()).unwrap()
}

/// Returns the message of a refused range, and the bits of its numbers.
fn figures(range: &Result<(), Error>) -> Option<(String, [u64; 2])> {
    let error = range.as_ref().err()?;
    let numbers = match error {
        Error::BeyondRange { found, computed, .. } => [*found, *computed],
        _ => [0.0; 2],
    };
    // Any NaN equals any NaN.
    let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
    Some((error.to_string(), numbers.map(bits)))
}

#[test]
fn ranges_of_laws_as_text_are_the_ranges_of_compiled_laws() {
    let all = cases();
    let compare = |(k, unit): (usize, f64)| {
        let case = &all[k];
        let check = |law: &'static Law| {
            let [i, j] = rows(case, law, SIZES);
            let (i, j) = (scaled(&i, law.i, unit), scaled(&j, law.j, unit));
            let options = Options::default();
            range(law, &case.parameters, &options, &i, Sources::Others(&j as _))
        };
        let [found, expected] = [case.declared, case.compiled].map(check);
        let title = format!("{} in units of {unit:e}", case.compiled.name);
        assert_eq!(figures(&found), figures(&expected), "{title}");
        matches!(found, Err(Error::BeyondRange { what: "results", .. }))
    };
    let share = share();
    let some = (0..all.len()).filter(|k| k % share == 0);
    let some: Vec<_> =
        some.flat_map(|k| [2_f64.powi(-75), 1.0, 2_f64.powi(60)].map(|unit| (k, unit))).collect();
    let beyond = some.par_iter().filter(|it| compare(**it)).count();
    assert!(beyond > 0 && beyond < some.len(), "{beyond} of {}", some.len());
}
