//! Ways to compute, to check engines on: all of them, or so few that they still meet in pairs.

use std::collections::BTreeSet;

use nbody_core::{Accumulation, Domain, Error, Law, Math, Options, Pairs, Precision};

/// Space without end, and a box that particles in the unit cube reach across: along x from face
/// to face, along y twice, along z not at all. Its lengths are powers of two, so that all
/// precisions agree on which image is the nearest.
pub fn domains() -> Result<[Domain; 2], Error> {
    Ok([Domain::Open, Domain::periodic([1.0, 0.5, f64::INFINITY])?])
}

/// The ways to compute in this space, but for those that say nothing new: the blocked accumulation
/// in double precision is the default one, and mixed precision sums as single does. In a box, whose
/// differences are taken before anything is summed, one accumulation stands for all.
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

/// The ways in these spaces, and where both directions of a pair may be evaluated at once, each also
/// so. Compensated sums are of ordered pairs whatever is asked for.
pub fn all_ways(law: &Law, domains: [Domain; 2]) -> Vec<Options> {
    product(domains, law.third_law.is_some())
}

fn product(domains: [Domain; 2], third_law: bool) -> Vec<Options> {
    let ordered: Vec<_> = domains.into_iter().flat_map(ways).collect();
    let both = ordered.iter().filter(|way| third_law && may_be_unordered(way));
    let both: Vec<_> = both.map(|&way| way.pairs(Pairs::Symmetric)).collect();
    [ordered, both].concat()
}

fn may_be_unordered(way: &Options) -> bool {
    way.accumulation != Accumulation::Compensated
}

/// Some of [`all_ways`] in which any two choices meet that meet in any of them: of precision,
/// accumulation, mathematics, space and pairs (a covering array of strength 2).
///
/// The default is always among them. `turn` is the interaction's place in the library: each has
/// others, so that a library has them all.
pub fn paired_ways(law: &Law, domains: [Domain; 2], turn: usize) -> Vec<Options> {
    cover(&product(domains, law.third_law.is_some()), turn)
}

/// Takes the default, one of those that say little new, and then again and again the way in which
/// most choices meet that have not met: of several, another in each turn.
fn cover(all: &[Options], turn: usize) -> Vec<Options> {
    let little_new = |way: &&Options| {
        way.accumulation == Accumulation::default()
            && way.precision != Precision::Mixed
            && !way.domain.is_periodic()
            && **way != Options::default()
    };
    let little_new: Vec<_> = all.iter().filter(little_new).copied().collect();
    let first = [Options::default(), little_new[turn % little_new.len()]];
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

/// So that what is taken first and next does not go together.
const STRIDE: usize = 5;

/// Two choices of a way, each with its kind.
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
    const LIBRARY: usize = 16;

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
                assert!(some.contains(&Options::default()) && some.len() <= 14, "{}", some.len());
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
    fn there_are_as_many_ways_as_ever() {
        let [plain, both] = [false, true].map(|both| product(domains().unwrap(), both).len());
        assert_eq!((plain, both), (22, 40));
    }
}
