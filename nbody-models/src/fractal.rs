//! Fractal star clusters.

use crate::random::Random;
use crate::{Error, Particle, Snapshot, room_for};

const LOWEST: f64 = 1.0;
const HIGHEST: f64 = 3.0;

/// The least ratio of nodes in the sphere to particles: only some of the nodes are kept, so that
/// the spacing of the last generation does not show.
const NODES_PER_PARTICLE: usize = 2;

/// Greatest distance of a node to its descendants, in units of half the side of its cube: √3 ·
/// 3/2, rounded up.
const REACH: f64 = 2.6;

/// Samples a fractal cluster of `n` equal masses in the unit sphere about the origin: the recipe
/// of Goodwin & Whitworth (2004, A&A 413, 929), for a fractal `dimension` from 1 to 3. At 1.6 the
/// cluster has strong substructure, at 3 it is nearly uniform.
///
/// The cube about the sphere is divided into eight parts, and the parts again, generation by
/// generation. Each part survives with probability 2^(dimension − 3). Its node, the centre of the
/// next division, is its centre shifted along each axis by up to a quarter of its side. Once at
/// least 2 `n` nodes are in the sphere, `n` of them are chosen at random.
///
/// All velocities are zero: the cluster is cold, and [`Snapshot::virialise`] refuses it. The total
/// mass is 1 and the unit of length is the radius of the sphere; these are not standard units. The
/// centre of mass is at rest, but not at the origin; [`Snapshot::centre`] moves it there. The same
/// seed gives the same particles on every machine.
pub fn fractal(n: usize, dimension: f64, seed: u64) -> Result<Snapshot, Error> {
    if n == 0 {
        return Err(Error::TooFew { what: "a fractal cluster", found: n, expected: 1 });
    }
    if !(LOWEST..=HIGHEST).contains(&dimension) {
        let what = "the dimension of a fractal cluster";
        return Err(Error::OutOfRange { what, found: dimension, low: LOWEST, high: HIGHEST });
    }
    let nodes = n.saturating_mul(NODES_PER_PARTICLE);
    // The last generation has up to eight times as many nodes as the previous one, and both are
    // kept.
    room_for::<[f64; 3]>(nodes.saturating_mul(9), "a fractal cluster", n)?;
    let mut random = Random::new(seed);
    let survival = libm::exp2(dimension - 3.0);
    let mut nodes = loop {
        // All parts may die out: start again.
        if let Some(nodes) = grow(&mut random, survival, nodes) {
            break nodes;
        }
    };
    choose(&mut random, &mut nodes, n);
    let mass = 1.0 / n as f64;
    let particles = nodes.into_iter().map(|pos| Particle { mass, pos, ..Particle::default() });
    Ok(Snapshot { time: 0.0, particles: particles.collect() })
}

/// Divides the cube until at least `enough` nodes are in the sphere, and returns them; `None` if
/// all parts die out.
fn grow(random: &mut Random, survival: f64, enough: usize) -> Option<Vec<[f64; 3]>> {
    let mut nodes = vec![[0.0; 3]];
    let mut half = 1.0; // half the side of the cubes of the nodes
    while !nodes.is_empty() {
        if nodes.iter().filter(|node| norm(node) <= 1.0).count() >= enough {
            nodes.retain(|node| norm(node) <= 1.0);
            return Some(nodes);
        }
        nodes = divide(random, survival, &nodes, half);
        half *= 0.5;
        nodes.retain(|node| norm(node) <= 1.0 + REACH * half);
    }
    None
}

/// Returns the surviving children of nodes, whose cubes have this half side.
fn divide(random: &mut Random, survival: f64, nodes: &[[f64; 3]], half: f64) -> Vec<[f64; 3]> {
    let mut children = Vec::new();
    for node in nodes {
        for part in 0..8 {
            if random.uniform() < survival {
                let side = |c: usize| if part >> c & 1 == 0 { -0.5 } else { 0.5 };
                let shift = [0, 1, 2].map(|c| side(c) + 0.25 * (2.0 * random.uniform() - 1.0));
                children.push([0, 1, 2].map(|c| node[c] + half * shift[c]));
            }
        }
    }
    children
}

/// Keeps `n` nodes, chosen at random and in random order.
fn choose(random: &mut Random, nodes: &mut Vec<[f64; 3]>, n: usize) {
    let kept = n.min(nodes.len());
    for k in 0..kept {
        let other = k + random.position(nodes.len() - k);
        nodes.swap(k, other);
    }
    nodes.truncate(kept);
}

fn norm(pos: &[f64; 3]) -> f64 {
    (pos[0] * pos[0] + pos[1] * pos[1] + pos[2] * pos[2]).sqrt()
}
