//! Tests of the search for lists.

use proptest::prelude::*;

use super::*;
use crate::domain::Domain;
use crate::order::frame::Frame;
use crate::order::image::{image, place};

fn ordered(positions: &[[f64; 3]], domain: &Domain) -> Ordered {
    let frame = Frame::of(positions.len(), &|k| positions[k], domain, 3);
    Ordered::of(positions, domain, &frame)
}

/// Returns the pairs of the lists within reach, by the indices of the caller, each once.
fn pairs_of(
    lists: &Lists,
    i: &Ordered,
    j: &Ordered,
    lengths: &[f64; 3],
    reach: f64,
) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (k, a) in i.positions.iter().enumerate() {
        for &entry in lists.of(k / GROUP) {
            let b = j.positions[place(entry)];
            let shift = image::displacement(image(entry), lengths);
            let d = [0, 1, 2].map(|axis| b[axis] + shift[axis] - a[axis]);
            if d.iter().map(|d| d * d).sum::<f64>() <= reach * reach {
                pairs.push([i.indices[k], j.indices[place(entry)]]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the pairs within reach by testing all pairs at their nearest images.
fn all_pairs(i: &[[f64; 3]], j: &[[f64; 3]], lengths: &[f64; 3], reach: f64) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (k, a) in i.iter().enumerate() {
        for (l, b) in j.iter().enumerate() {
            let d = [0, 1, 2].map(|axis| {
                let (d, length) = (b[axis] - a[axis], lengths[axis]);
                if length > 0.0 { d - length * (d / length).round_ties_even() } else { d }
            });
            if d.iter().map(|d| d * d).sum::<f64>() <= reach * reach {
                pairs.push([k as u32, l as u32]);
            }
        }
    }
    pairs
}

fn check(i: &[[f64; 3]], j: &[[f64; 3]], domain: &Domain, reach: f64) {
    let [lengths, _] = domain.factors();
    let (a, b) = (ordered(i, domain), ordered(j, domain));
    let lists = Lists::build(&a, &b, &lengths, &(reach * (1.0 + 1e-12)));
    assert!((0..a.tree.groups().len()).all(|g| lists.of(g).is_sorted()));
    assert_eq!(pairs_of(&lists, &a, &b, &lengths, reach), all_pairs(i, j, &lengths, reach));
}

fn points(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<[f64; 3]>> {
    // Uniform, in a plane, on a few points, and far away.
    let coordinate = prop_oneof![
        8 => -2.0..3.0_f64,
        2 => Just(0.5),
        1 => (0..4).prop_map(f64::from),
        1 => Just(1e6),
    ];
    proptest::collection::vec([coordinate.clone(), coordinate.clone(), coordinate], n)
}

proptest! {
    #[test]
    fn lists_have_every_pair_within_reach_once(
        i in points(0..120), j in points(0..120), reach in 0.0..1.0_f64, periodic in 0..8_u32,
    ) {
        let length = |bit: u32| if periodic >> bit & 1 == 1 { 2.01 } else { f64::INFINITY };
        let domain = Domain::periodic([length(0), length(1), length(2)]).unwrap();
        check(&i, &j, &domain, reach);
    }
}

#[test]
fn lists_are_short() {
    let n = 8000;
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 20.0
    };
    let positions: Vec<_> = (0..n).map(|_| [random(), random(), random()]).collect();
    let domain = Domain::periodic([20.0; 3]).unwrap();
    let ordered = ordered(&positions, &domain);
    let [lengths, _] = domain.factors();
    let lists = Lists::build(&ordered, &ordered, &lengths, &2.8);
    let mean = lists.entries.len() as f64 / (n / GROUP) as f64;
    assert!((300.0..480.0).contains(&mean), "{mean}");
    check(&positions[..2000], &positions, &domain, 0.5);
}
