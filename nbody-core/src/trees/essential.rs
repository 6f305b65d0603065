//! Locally essential trees: the sources of a rank that act on the i-particles of other ranks
//! (Warren & Salmon 1992, Proc. Supercomputing, 570).
//!
//! A cell acts from afar on all i-particles in some boxes if it does so at the least distance from
//! each box. Far particles are j-particles, so that a rank receives j-particles alone, and builds a
//! tree of them. Cells of far particles add errors of their own; for this reason a cell acts on other
//! ranks at a greater distance only.

use crate::memory::buffer::Buffer;
use crate::ranks::parts::RowLists;
use crate::ranks::regions::TargetBox;
use crate::trees::siblings::bits;
use crate::trees::walk::CellTree;

/// The square of the distance at which a cell acts on other ranks, in units of the square of the
/// distance at which it acts on this one.
pub const MARGIN: f32 = 3.0;

/// The j-particles and far particles of a tree, and the rows that act on the i-particles of each
/// rank.
#[derive(Debug)]
pub struct Essential<'a> {
    /// Records of j-particles.
    pub sources: &'a dyn Buffer,
    /// The rows for each rank.
    pub lists: Box<dyn RowLists>,
}

/// Returns the binary logarithm of the greatest error of results of at least this length.
pub fn greatest_error(share: f64, least: f64) -> f32 {
    (share * least).log2() as f32
}

impl CellTree {
    /// Lists the sources that act on i-particles anywhere in boxes, cells in the order of their
    /// depth; none without boxes. With an opening by errors, the greatest error is this share of the
    /// least result in a box.
    pub fn essential(&self, boxes: &[TargetBox], share: Option<f64>) -> Vec<u32> {
        let boxes = boxes.iter().filter(|it| !it.bounds.is_empty());
        let group = |it: &TargetBox| {
            let most = share.map(|share| greatest_error(share, it.least));
            self.group(&[it.bounds.lo, it.bounds.hi], most)
        };
        let groups: Vec<_> = boxes.map(group).collect();
        let mut entries = Vec::new();
        if groups.is_empty() || self.cells.is_empty() {
            return entries;
        }
        let is_periodic = self.lengths.iter().any(|length| *length < f32::INFINITY);
        let (mut queue, mut next) = (vec![0], 0);
        while let Some(&family) = queue.get(next) {
            let siblings = &self.siblings[family as usize];
            let mut far = siblings.all;
            for group in &groups {
                let distances2 = self.distances2(siblings, &group.middle, &group.half, is_periodic);
                far &= bits(|k| MARGIN * siblings.limits2[k] < distances2[k]);
                if let (Some(estimate), Some(most)) = (&self.estimate, group.most) {
                    let error =
                        |k: usize| siblings.strengths[k] + estimate.at(distances2[k] / MARGIN);
                    far &= bits(|k| error(k) <= most);
                }
            }
            for k in (0..).take_while(|k| siblings.all >> k & 1 == 1) {
                let is_far = far >> k & 1 == 1;
                if is_far || siblings.leaves >> k & 1 == 1 {
                    let [first, end] = siblings.range(k, is_far);
                    entries.extend(first..end);
                } else {
                    queue.push(siblings.children[k]);
                }
            }
            next += 1;
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::law::charges::{Carried, Charges, Expansion};
    use crate::order::frame::{Frame, Grid};
    use crate::order::{lengths, ordered};
    use crate::ranks::regions::Bounds;
    use crate::trees::cells::divide;
    use crate::trees::far::FarParticles;
    use crate::trees::moments::ChargedSources;

    const MASS: Charges = Charges { products: &[&[3]], carried: &[Carried::Charge(0)], sums: &[] };
    /// The distance at which a cell acts, in units of its radius.
    const DISTANCE: f64 = 2.0;

    /// A tree of equal charges, with the charges and the positions of particles and far particles.
    struct Built {
        tree: CellTree,
        sources: Vec<(f64, [f64; 3])>,
        n: usize,
    }

    fn build(n: usize, domain: &Domain) -> Built {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let points: Vec<_> = (0..n).map(|_| [next(), next(), next()]).collect();
        let frame = Frame::with_grid(Grid::TREES, n, &|k| points[k], domain, 3);
        let keys = ordered::sorted(&points, &frame);
        let positions: Vec<_> = keys.iter().map(|&(_, k)| points[k as usize]).collect();
        let (cells, values) = (divide(&keys, &frame), vec![1.0; n]);
        let moments = ChargedSources { charges: MASS, values: &values, positions: &positions };
        let moments = moments.moments(&cells);
        let limits: Vec<_> = moments.summaries.iter().map(|it| DISTANCE * it.radius()).collect();
        let far = FarParticles::of(&cells, &moments, MASS, Expansion::Monopole, &|_| true);
        let of_far = far.charges.iter().copied().zip(far.positions.iter().copied());
        let sources = values.into_iter().zip(positions).chain(of_far).collect();
        let frame = (&frame, lengths(domain, 3));
        Built { tree: CellTree::new(cells, far, &moments, &limits, None, frame), sources, n }
    }

    /// Each particle acts once, by itself or in a cell, and far particles are beyond all boxes.
    #[test]
    fn every_particle_acts_once() {
        let known = |bounds| TargetBox { bounds, least: 1.0 };
        let boxes = [
            known(Bounds::of(&[[1.5, 0.0, 0.0], [2.5, 1.0, 1.0]])),
            known(Bounds::of(&[[-3.0, 0.5, 0.5], [-0.25, 0.5, 0.75]])),
            known(Bounds::of(&[[0.2, 0.2, 0.2], [0.4, 0.3, 0.4]])),
        ];
        let nowhere = known(Bounds::NOTHING);
        let periodic = Domain::periodic([1.0, f64::INFINITY, 8.0]).unwrap();
        for (n, domain) in [1, 2, 16, 17, 1000]
            .into_iter()
            .flat_map(|n| [Domain::Open, periodic].map(|domain| (n, domain)))
        {
            let Built { tree, sources, n } = build(n, &domain);
            assert_eq!(tree.essential(&[], None), [], "{n}");
            assert_eq!(tree.essential(&[nowhere], None), [], "{n}");
            let mut each = Vec::new();
            for boxes in [&boxes[..1], &boxes[1..2], &boxes[2..], &boxes, &[boxes[0], nowhere]] {
                let entries = tree.essential(boxes, None);
                let charge: f64 = entries.iter().map(|&k| sources[k as usize].0).sum();
                assert!((charge - n as f64).abs() < 1e-9 * n as f64, "{n} {boxes:?} {charge}");
                for &k in &entries {
                    let (_, at) = sources[k as usize];
                    let lengths = lengths(&domain, 3);
                    let is_in = boxes.iter().any(|it| it.bounds.is_near(&at, 0.0, &lengths));
                    assert!((k as usize) < n || !is_in, "{n} {boxes:?} {at:?}");
                }
                each.push(entries.len());
            }
            let [one, two, three, all, again] = each[..] else { unreachable!() };
            assert!(all >= one.max(two).max(three) && one == again, "{n} {each:?}");
            // Far from the first box, most particles act in cells; within the third, they do not.
            if n == 1000 && domain == Domain::Open {
                assert!(one < n / 2 && three > one && all < n, "{each:?}");
            }
        }
    }
}
