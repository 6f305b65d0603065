//! Every law as text gives the bits of its compiled form, on the CPU by C++.
//!
//! A unit is a lane and a space: a program in C++ for each law. Each law takes some of the units, so
//! that each unit meets many laws; `NBODY_ALL_UNITS` takes all of them. In a unit every accumulation,
//! schedule and engine is compared.

use nbody::law::Law;
use nbody::prelude::*;
use nbody::untyped::Engine;
use nbody::{Store, SummationOrder};
use nbody_tests::ways::levels;
use nbody_verify::{all_ways, domains};
use rayon::prelude::*;

use super::cases::{Case, N, cases, download, upload};

/// One law in so many takes a unit.
const SHARE: usize = if cfg!(feature = "quick") { 24 } else { 6 };

/// Returns the first difference of two results; any NaN equals any NaN.
pub fn difference(
    found: &Result<Vec<u64>, nbody::Error>,
    expected: &Result<Vec<u64>, nbody::Error>,
) -> Option<String> {
    let (found, expected) = match (found, expected) {
        (Ok(found), Ok(expected)) => (found, expected),
        (Err(found), Err(expected)) if found.to_string() == expected.to_string() => return None,
        _ => return Some(format!("{:?} and {:?}", found.as_ref().err(), expected.as_ref().err())),
    };
    let differ = |(a, b): &(&u64, &u64)| {
        a != b && !(f64::from_bits(**a).is_nan() && f64::from_bits(**b).is_nan())
    };
    let differences = found.iter().zip(expected).filter(differ).count();
    let first = found.iter().zip(expected).position(|pair| differ(&pair))?;
    let [one, other] = [found, expected].map(|it| f64::from_bits(it[first]));
    Some(format!("{differences} of {} differ, {first}: {one:e} {other:e}", found.len()))
}

/// An engine of a law.
type Create<'a> = dyn Fn(&'static Law) -> Box<dyn Engine> + Sync + 'a;

impl Case {
    /// Compares the results of an engine of both laws: of two sets or of one, stored and added.
    fn compare(
        &self,
        device: &Device,
        name: &str,
        options: Options,
        create: &Create,
    ) -> Vec<String> {
        let mut faults = Vec::new();
        for (is_one_set, store) in [(true, Store::Replace), (false, Store::Add)] {
            let results = |law| self.results(device, options, &mut *create(law), is_one_set, store);
            let (found, expected) = (results(self.declared), results(self.compiled));
            if let Some(difference) = difference(&found, &expected) {
                let device = device.name();
                faults.push(format!("{device} {name} {options:?} {store:?}: {difference}"));
            }
        }
        faults
    }

    /// Returns the words of results, or the error of an evaluation that is refused.
    pub fn results(
        &self,
        device: &Device,
        options: Options,
        engine: &mut dyn Engine,
        is_one_set: bool,
        store: Store,
    ) -> Result<Vec<u64>, nbody::Error> {
        let law = engine.law();
        let i = upload(device, law.i, &self.i, options.precision);
        let j = upload(device, law.j, &self.j, options.precision);
        let sources = if is_one_set { Sources::Same(&*j) } else { Sources::Others(&*j) };
        let mut out = engine.results(N)?;
        if store == Store::Add {
            engine.evaluate(&*i, sources, &mut *out, Store::Replace)?;
        }
        engine.evaluate(&*i, sources, &mut *out, store)?;
        Ok(download(&*out))
    }

    /// Compares every engine with these options.
    fn compare_all(&self, device: &Device, options: Options) -> Vec<String> {
        let (untyped, parameters) = (device.untyped(), &self.parameters[..]);
        let direct =
            |law| -> Box<dyn Engine> { untyped.all_pairs(law, parameters, options).unwrap() };
        let mut faults = self.compare(device, "all pairs", options, &direct);
        if options.pairs == Pairs::Symmetric {
            return faults;
        }
        let order = SummationOrder { bag: 48, splits: 3 };
        let in_order = options.order(order);
        let direct =
            |law| -> Box<dyn Engine> { untyped.all_pairs(law, parameters, in_order).unwrap() };
        faults.extend(self.compare(device, "all pairs in order", in_order, &direct));
        if self.compiled.cutoff {
            let listed = |law| -> Box<dyn Engine> {
                Box::new(device.listed(law, parameters, options).unwrap())
            };
            faults.extend(self.compare(device, "lists", options, &listed));
        }
        if self.compiled.charges.is_ok()
            && untyped.tree(self.compiled, parameters, Opening::theta(0.6), options).is_ok()
        {
            for opening in [Opening::theta(0.6), Opening::relative(1e-3)] {
                let tree = |law| -> Box<dyn Engine> {
                    untyped.tree(law, parameters, opening, options).unwrap()
                };
                faults.extend(self.compare(device, "tree", options, &tree));
            }
        }
        faults
    }
}

#[test]
fn laws_as_text_have_the_bits_of_compiled_laws() {
    let all_units = std::env::var_os("NBODY_ALL_UNITS").is_some();
    let (domains, levels) = (domains().unwrap(), levels());
    let faults: Vec<_> = cases()
        .par_iter()
        .enumerate()
        .flat_map_iter(|(k, case)| {
            let mut faults = Vec::new();
            for (level, device) in levels.iter().enumerate() {
                for options in all_ways(case.compiled, domains) {
                    let is_exact = options.math == Math::Exact;
                    let lane = if is_exact { 0 } else { 1 + level };
                    let space = if lane > 1 { options.domain.kind() as usize } else { 0 };
                    let unit = lane * 9 + 3 * options.precision as usize + space;
                    let is_repeated = is_exact && level > 0;
                    if all_units || !is_repeated && (k + unit).is_multiple_of(SHARE) {
                        faults.extend(case.compare_all(device, options));
                    }
                }
            }
            faults
                .into_iter()
                .map(|fault| format!("{}: {fault}", case.compiled.name))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults[..faults.len().min(20)].join("\n")
    );
}
