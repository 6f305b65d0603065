//! Ways to compute, for the verification of engines: all of them, or a covering array.

use std::collections::BTreeSet;

use nbody_core::{Accumulation, Domain, Error, Law, Math, Options, Pairs, Precision};

/// Returns unbounded space, and two boxes for particles in the unit cube. The length of the first is
/// 1 along x and 1/2 along y, and z is open; the second is triclinic. The lengths are powers of two,
/// and the other components of vectors are multiples of 1/16, so that all precisions agree on the
/// nearest image.
pub fn domains() -> Result<[Domain; 3], Error> {
    let vectors = [[1.0, 0.0, 0.0], [0.3125, 0.5, 0.0], [-0.4375, 0.1875, 0.5]];
    let boxes = [Domain::periodic([1.0, 0.5, f64::INFINITY])?, Domain::triclinic(vectors)?];
    Ok([Domain::Open, boxes[0], boxes[1]])
}

/// Lists the ways to compute in this space, without redundant ones: blocked accumulation in double
/// precision equals the default, and mixed precision sums as single precision does. In a box only
/// the differences of positions change, so that one accumulation suffices.
pub fn ways(domain: Domain) -> Vec<Options> {
    let mut ways = Vec::new();
    for &precision in Precision::ALL {
        for &accumulation in Accumulation::ALL {
            for &math in Math::ALL {
                ways.push(
                    Options::default()
                        .precision(precision)
                        .accumulation(accumulation)
                        .math(math)
                        .domain(domain),
                );
            }
        }
    }
    ways.retain(|way| match way.precision {
        Precision::Single => true,
        Precision::Double => way.accumulation != Accumulation::Blocked,
        Precision::Mixed => way.accumulation == Accumulation::default(),
    });
    ways.retain(|way| !domain.is_periodic() || way.accumulation == Accumulation::default());
    ways
}

/// Lists the ways in these spaces, with ordered pairs and, where Newton's third law allows it,
/// with symmetric ones. Compensated sums always use ordered pairs. Spaces that engines refuse for
/// this law are left out: periodic boxes, if the law has no points.
pub fn all_ways(law: &Law, domains: [Domain; 3]) -> Vec<Options> {
    let mut ways = product(domains, law.third_law.is_some());
    ways.retain(|way| law.check_domain(&way.domain).is_ok());
    ways
}

fn product(domains: [Domain; 3], third_law: bool) -> Vec<Options> {
    let ordered: Vec<_> = domains.into_iter().flat_map(ways).collect();
    let symmetric = ordered.iter().filter(|way| third_law && may_be_symmetric(way));
    let symmetric: Vec<_> = symmetric.map(|&way| way.pairs(Pairs::Symmetric)).collect();
    [ordered, symmetric].concat()
}

fn may_be_symmetric(way: &Options) -> bool {
    way.accumulation != Accumulation::Compensated
}

/// Selects a covering array of strength 2 from [`all_ways`]: any two choices of precision,
/// accumulation, mathematics, space and pairs that meet in one of all ways meet in one of these.
///
/// The default is always among them. `turn` is the interaction's place in the library. Each
/// interaction gets another selection, so that the whole library covers all ways.
pub fn paired_ways(law: &Law, domains: [Domain; 3], turn: usize) -> Vec<Options> {
    cover(&all_ways(law, domains), turn)
}

/// Builds the covering array greedily: the default, a way nearest to it, and then always the way
/// that adds the most new pairs of choices; `turn` selects among equally good ways.
fn cover(all: &[Options], turn: usize) -> Vec<Options> {
    let near_default = |way: &&Options| {
        way.accumulation == Accumulation::default()
            && way.precision != Precision::Mixed
            && !way.domain.is_periodic()
            && **way != Options::default()
    };
    let near_default: Vec<_> = all.iter().filter(near_default).copied().collect();
    let first = [Options::default(), near_default[turn % near_default.len()]];
    let mut missing: BTreeSet<_> = all.iter().flat_map(meetings).collect();
    let mut taken = Vec::new();
    loop {
        let new = |way: &Options| meetings(way).iter().filter(|it| missing.contains(*it)).count();
        let most = all.iter().map(new).max().unwrap_or(0);
        let next = match first.get(taken.len()) {
            Some(way) => *way,
            None if most == 0 => return taken,
            None => {
                let best: Vec<_> = all.iter().filter(|way| new(way) == most).collect();
                *best[(turn + STRIDE * taken.len()) % best.len()]
            }
        };
        missing.retain(|meeting| !meetings(&next).contains(meeting));
        taken.push(next);
    }
}

/// Step through equally good ways, coprime to their usual numbers, so that turns differ in more
/// than the first way.
const STRIDE: usize = 5;

/// A pair of choices of a way, each with the index of its option.
type Meeting = [(usize, &'static str); 2];

fn meetings(way: &Options) -> Vec<Meeting> {
    let choices = [
        way.precision.name(),
        way.accumulation.name(),
        way.math.name(),
        way.domain.name(),
        way.pairs.name(),
    ];
    let choices: Vec<_> = choices.into_iter().enumerate().collect();
    let pairs = |k: usize| choices[..k].iter().map(move |&earlier| (k, earlier));
    (0..choices.len()).flat_map(pairs).map(|(k, earlier)| [earlier, choices[k]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fewer interactions than any library has.
    const LIBRARY: usize = 24;

    fn met(ways: &[Options]) -> BTreeSet<Meeting> {
        ways.iter().flat_map(meetings).collect()
    }

    fn name(way: &Options) -> String {
        format!("{way}/{}", way.pairs)
    }

    #[test]
    fn any_two_choices_meet_in_each_interaction() {
        for third_law in [false, true] {
            let all = product(domains().unwrap(), third_law);
            for turn in 0..2 * all.len() {
                let some = cover(&all, turn);
                assert!(some.iter().all(|way| all.contains(way)));
                assert_eq!(met(&some), met(&all), "turn {turn}");
                assert!(some.contains(&Options::default()) && some.len() <= 18, "{}", some.len());
            }
        }
    }

    #[test]
    fn a_library_has_every_way() {
        for third_law in [false, true] {
            let all = product(domains().unwrap(), third_law);
            for first in 0..all.len() {
                let turns = first..first + LIBRARY;
                let some: Vec<_> = turns.flat_map(|turn| cover(&all, turn)).collect();
                let missing: Vec<_> =
                    all.iter().filter(|way| !some.contains(way)).map(name).collect();
                assert!(missing.is_empty(), "from {first}: {missing:?}");
            }
        }
    }

    #[test]
    fn the_numbers_of_ways() {
        let counts = [false, true].map(|third_law| product(domains().unwrap(), third_law).len());
        assert_eq!(counts, [28, 52]);
    }
}
