//! Tests of the search for lists.

use proptest::prelude::*;

use super::*;
use crate::domain::Domain;
use crate::numeric::vector::Point;
use crate::order::frame::Frame;
use crate::order::image::{image, place};

fn ordered(positions: &[[f64; 3]], domain: &Domain) -> Ordered {
    let frame = Frame::of(positions.len(), &|k| positions[k], domain, 3);
    Ordered::of(positions, domain, &frame)
}

/// Returns the pairs of the lists within reach, by the indices of the caller, each once.
fn pairs_of(lists: &Lists, i: &Ordered, j: &Ordered, cell: &Cell, reach: f64) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (k, a) in i.positions.iter().enumerate() {
        for &entry in lists.of(k / GROUP) {
            let b = j.positions[place(entry)];
            let shift = image::displacement(image(entry), cell);
            let d = [0, 1, 2].map(|axis| b[axis] + shift[axis] - a[axis]);
            if d.iter().map(|d| d * d).sum::<f64>() <= reach * reach {
                pairs.push([i.indices[k], j.indices[place(entry)]]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the pairs within reach in a triclinic box by testing all images of all pairs.
fn all_images(i: &[[f64; 3]], j: &[[f64; 3]], domain: &Domain, reach: f64) -> Vec<[u32; 2]> {
    let Domain::Triclinic(vectors) = domain else { unreachable!() };
    let [a, b, c] = vectors.to_array();
    let wrap = |points: &[[f64; 3]]| -> Vec<_> {
        points.iter().map(|point| domain.wrap(Point(*point)).0).collect()
    };
    let (i, j, mut pairs) = (wrap(i), wrap(j), Vec::new());
    for (k, p) in i.iter().enumerate() {
        for (l, q) in j.iter().enumerate() {
            for image in 0..125 {
                let [u, v, w] = [image % 5, image / 5 % 5, image / 25].map(|n| f64::from(n) - 2.0);
                let along =
                    |axis: usize| q[axis] - p[axis] + u * a[axis] + v * b[axis] + w * c[axis];
                if (0..3).map(|axis| along(axis).powi(2)).sum::<f64>() <= reach * reach {
                    pairs.push([k as u32, l as u32]);
                }
            }
        }
    }
    pairs
}

/// Returns the pairs within reach by testing all pairs at their nearest images.
fn all_pairs(i: &[[f64; 3]], j: &[[f64; 3]], cell: &Cell, reach: f64) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (k, a) in i.iter().enumerate() {
        for (l, b) in j.iter().enumerate() {
            let d = [0, 1, 2].map(|axis| {
                let (d, length) = (b[axis] - a[axis], cell.lengths[axis]);
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
    let cell = domain.cell();
    let (a, b) = (ordered(i, domain), ordered(j, domain));
    let lists = Lists::build(&a, &b, &cell, &(reach * (1.0 + 1e-12)));
    assert!((0..a.tree.groups().len()).all(|g| lists.of(g).is_sorted()));
    let expected = if domain.is_triclinic() {
        all_images(i, j, domain, reach)
    } else {
        all_pairs(i, j, &cell, reach)
    };
    assert_eq!(pairs_of(&lists, &a, &b, &cell, reach), expected);
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
        i in points(0..120), j in points(0..120), reach in 0.0..1.0_f64, periodic in 0..12_u32,
        tilts in [-1.0..=1.0_f64, -1.0..=1.0_f64, -1.0..=1.0_f64],
    ) {
        let length = |bit: u32| if periodic >> bit & 1 == 1 { 2.01 } else { f64::INFINITY };
        let [bx, cx, cy] = tilts.map(|tilt| if periodic == 8 { tilt.signum() } else { tilt } * 1.005);
        let domain = if periodic < 8 {
            Domain::periodic([length(0), length(1), length(2)]).unwrap()
        } else {
            let vectors = [[2.01, 0.0, 0.0], [bx, 2.01, 0.0], [cx, cy, 2.01]];
            Domain::triclinic(vectors).unwrap()
        };
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
    let cell = domain.cell();
    let lists = Lists::build(&ordered, &ordered, &cell, &2.8);
    let mean = lists.entries.len() as f64 / (n / GROUP) as f64;
    assert!((300.0..480.0).contains(&mean), "{mean}");
    check(&positions[..2000], &positions, &domain, 0.5);
}
