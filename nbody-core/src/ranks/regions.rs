//! The division of space among ranks.

/// Regions of space, one for each rank: orthogonal recursive bisection (Berger & Bokhari 1987). Each
/// cut divides the ranks of a region into two halves, and the weight of its points in proportion.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    /// The cuts in preorder: a cut, all cuts below it, all cuts above it.
    cuts: Vec<Cut>,
    ranks: usize,
}

/// A point, and its share of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighted {
    /// The point.
    pub at: [f64; 3],
    /// Its weight, at least 0.
    pub weight: f64,
}

/// The axis that a cut is across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// The axis along which the points extend farthest.
    Longest,
    /// The last of the axes along which they extend about as far: particles often come in the order of
    /// their last coordinate, so that neighbours of the cut are neighbours in memory.
    Last,
}

/// The extent of points along an axis, in terms of the longest, that is about as long.
const ALIKE: f64 = 0.9;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    axis: usize,
    /// The least coordinate above the cut.
    at: f64,
}

impl Regions {
    /// The region of one rank: all of space.
    pub const WHOLE: Self = Self { cuts: Vec::new(), ranks: 1 };

    /// Divides space among ranks, at least one, by points with weights; in a periodic space the
    /// points are in its box.
    pub fn new(points: &mut [Weighted], ranks: usize, across: Across) -> Self {
        let mut regions = Self { cuts: Vec::new(), ranks: ranks.max(1) };
        regions.divide(points, ranks.max(1), across);
        regions
    }

    fn divide(&mut self, points: &mut [Weighted], ranks: usize, across: Across) {
        if ranks == 1 {
            return;
        }
        let (axis, below) = (across.axis(points), ranks / 2);
        points.sort_unstable_by(|a, b| a.at[axis].total_cmp(&b.at[axis]));
        let middle = middle(points, axis, below as f64 / ranks as f64);
        let at = points.get(middle).or(points.last()).map_or(0.0, |point| point.at[axis]);
        self.cuts.push(Cut { axis, at });
        let (of_below, of_above) = points.split_at_mut(middle);
        self.divide(of_below, below, across);
        self.divide(of_above, ranks - below, across);
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns the axis of each cut, and the least coordinate above it, in preorder: a cut, all
    /// cuts below it, all cuts above it. Of the ranks of a region, the first half is below.
    pub fn cuts(&self) -> impl Iterator<Item = (usize, f64)> {
        self.cuts.iter().map(|cut| (cut.axis, cut.at))
    }

    /// Returns the region of a rank, without the points of its upper sides; without a bound where space
    /// is not cut.
    pub fn bounds(&self, rank: usize) -> Bounds {
        let [lo, hi] = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];
        let mut bounds = Bounds { lo, hi };
        let (mut first, mut ranks, mut cut) = (0, self.ranks, 0);
        while ranks > 1 {
            let Cut { axis, at } = self.cuts[cut];
            let below = ranks / 2;
            if rank < first + below {
                bounds.hi[axis] = bounds.hi[axis].min(at);
                (ranks, cut) = (below, cut + 1);
            } else {
                bounds.lo[axis] = bounds.lo[axis].max(at);
                (first, ranks, cut) = (first + below, ranks - below, cut + below);
            }
        }
        bounds
    }

    /// Returns the rank whose region a point is in.
    pub fn rank(&self, point: &[f64; 3]) -> usize {
        let (mut first, mut ranks, mut cut) = (0, self.ranks, 0);
        while ranks > 1 {
            let Cut { axis, at } = self.cuts[cut];
            let below = ranks / 2;
            if point[axis] < at {
                (ranks, cut) = (below, cut + 1);
            } else {
                // The ranks below have one cut less than ranks.
                (first, ranks, cut) = (first + below, ranks - below, cut + below);
            }
        }
        first
    }
}

/// Returns the number of points, in the order of a coordinate, below the cut that comes nearest to this
/// part of their weight. Points of one plane, as of a lattice, are all on one side.
fn middle(points: &[Weighted], axis: usize, part: f64) -> usize {
    let weight = |points: &[Weighted]| points.iter().map(|point| point.weight).sum::<f64>();
    let (mut sum, wanted) = (0.0, weight(points) * part);
    let is_below = |point: &&Weighted| {
        sum += point.weight;
        sum <= wanted
    };
    let middle = points.iter().take_while(is_below).count();
    let Some(at) = points.get(middle).map(|point| point.at[axis]) else { return points.len() };
    let least = points.partition_point(|point| point.at[axis].total_cmp(&at).is_lt());
    let greatest = points.partition_point(|point| point.at[axis].total_cmp(&at).is_le());
    let less = wanted - weight(&points[..least]);
    let more = weight(&points[..greatest]) - wanted;
    if more < less && greatest < points.len() { greatest } else { least }
}

impl Across {
    /// Returns the axis for these points, without the outermost eighths: single particles far away do not
    /// count.
    fn axis(self, points: &mut [Weighted]) -> usize {
        let n = points.len();
        if n == 0 {
            return 0;
        }
        let mut extent = |axis: usize| {
            let mut at = |k: usize| {
                let order = |a: &Weighted, b: &Weighted| a.at[axis].total_cmp(&b.at[axis]);
                points.select_nth_unstable_by(k, order).1.at[axis]
            };
            at(n - 1 - n / 8) - at(n / 8)
        };
        let extents = [0, 1, 2].map(&mut extent);
        let longest = extents.into_iter().fold(0.0, f64::max);
        let axis = match self {
            Self::Longest => (0..3).find(|axis| extents[*axis] >= longest),
            Self::Last => (0..3).rev().find(|axis| extents[*axis] >= ALIKE * longest),
        };
        axis.unwrap_or(0)
    }
}

/// A box around i-particles, and the least length of their last results; infinite if it is not known, so
/// that distances alone open cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetBox {
    /// The box.
    pub bounds: Bounds,
    /// The least length.
    pub least: f64,
}

/// A bounding box of points; of no points at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub lo: [f64; 3],
    /// The greatest coordinates.
    pub hi: [f64; 3],
}

impl Bounds {
    /// The box of no points.
    pub const NOTHING: Self = Self { lo: [f64::INFINITY; 3], hi: [f64::NEG_INFINITY; 3] };

    /// Returns whether this is a box of no points.
    pub fn is_empty(&self) -> bool {
        self.lo[0] > self.hi[0]
    }

    /// Returns the box of points.
    pub fn of(points: &[[f64; 3]]) -> Self {
        let mut bounds = Self::NOTHING;
        for point in points {
            bounds.add(point);
        }
        bounds
    }

    /// Extends the box to a point.
    pub fn add(&mut self, point: &[f64; 3]) {
        for (axis, x) in point.iter().enumerate() {
            self.lo[axis] = self.lo[axis].min(*x);
            self.hi[axis] = self.hi[axis].max(*x);
        }
    }

    /// Returns whether an image of a point is within a distance of the box, in a space with these
    /// lengths, 0 along open axes. The point and the box are in the periodic box.
    pub fn is_near(&self, point: &[f64; 3], distance: f64, lengths: &[f64; 3]) -> bool {
        self.is_near_box(&Self { lo: *point, hi: *point }, distance, lengths)
    }

    /// Returns whether an image of a point of another box is within a distance of this one, as in
    /// [`is_near`](Self::is_near). A box of no points is near nothing.
    pub fn is_near_box(&self, other: &Self, distance: f64, lengths: &[f64; 3]) -> bool {
        let mut square = 0.0;
        for (axis, length) in lengths.iter().enumerate() {
            let gap = |by: f64| {
                let [lo, hi] = [other.lo[axis] + by, other.hi[axis] + by];
                (self.lo[axis] - hi).max(lo - self.hi[axis]).max(0.0)
            };
            let images = [gap(0.0), gap(-length), gap(*length)];
            let least = images.into_iter().fold(f64::INFINITY, f64::min);
            square += least * least;
        }
        square <= distance * distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Divides space by points of equal weights.
    fn regions(points: &[[f64; 3]], ranks: usize) -> Regions {
        let weighted = |&at: &[f64; 3]| Weighted { at, weight: 1.0 };
        Regions::new(&mut points.iter().map(weighted).collect::<Vec<_>>(), ranks, Across::Last)
    }

    /// Returns points of equal weights in a box of these lengths.
    fn weighted(points: &[[f64; 3]], lengths: [f64; 3]) -> Vec<Weighted> {
        let at = |point: &[f64; 3]| [0, 1, 2].map(|axis| point[axis] * lengths[axis]);
        points.iter().map(|point| Weighted { at: at(point), weight: 1.0 }).collect()
    }

    /// Numbers in [0, 1).
    fn points(n: usize) -> Vec<[f64; 3]> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..n).map(|_| [next(), next(), next()]).collect()
    }

    #[test]
    fn each_rank_has_its_part_of_the_points() {
        for n in [0, 1, 2, 7, 100, 1000] {
            for ranks in 1..20 {
                let points = points(n);
                let regions = regions(&points, ranks);
                assert_eq!(regions.cuts.len(), ranks - 1);
                let mut counts = vec![0; ranks];
                for point in &points {
                    counts[regions.rank(point)] += 1;
                }
                assert_eq!(counts.iter().sum::<usize>(), n);
                let most = counts.iter().max().copied().unwrap_or(0);
                let least = counts.iter().min().copied().unwrap_or(0);
                // Each of at most five levels rounds the share of its ranks.
                assert!(most - least <= 5, "{n} points, {ranks} ranks: {counts:?}");
            }
        }
    }

    /// Points are in the bounds of the region of their rank, and in no others.
    #[test]
    fn regions_have_bounds() {
        for ranks in 1..20 {
            let points = points(200);
            let regions = regions(&points, ranks);
            for point in &points {
                for rank in 0..ranks {
                    let Bounds { lo, hi } = regions.bounds(rank);
                    let is_in = (0..3).all(|axis| (lo[axis]..hi[axis]).contains(&point[axis]));
                    assert_eq!(is_in, rank == regions.rank(point), "{point:?}, {rank} of {ranks}");
                }
            }
        }
    }

    /// Each of two ranks gets half of the weight, as nearly as points allow.
    #[test]
    fn heavy_points_count_more() {
        for n in [2, 3, 100, 1000] {
            let weight = |point: &[f64; 3]| if point[0] + point[1] < 0.7 { 10.0 } else { 1.0 };
            let weighted = |at: [f64; 3]| Weighted { at, weight: weight(&at) };
            let mut points: Vec<_> = points(n).into_iter().map(weighted).collect();
            let regions = Regions::new(&mut points, 2, Across::Longest);
            let mut weights = [0.0; 2];
            for point in &points {
                weights[regions.rank(&point.at)] += point.weight;
            }
            assert!((weights[0] - weights[1]).abs() <= 20.0, "{n} points: {weights:?}");
        }
    }

    #[test]
    fn of_axes_that_are_alike_the_last_is_cut() {
        let cube = points(1000);
        assert_eq!(Across::Last.axis(&mut weighted(&cube, [1.0; 3])), 2);
        for axis in 0..3 {
            let mut lengths = [1.0; 3];
            lengths[axis] = 1.5;
            for across in [Across::Longest, Across::Last] {
                assert_eq!(across.axis(&mut weighted(&cube, lengths)), axis);
            }
        }
    }

    /// The planes of a lattice are on one side of a cut, as nearly in halves as they can be.
    #[test]
    fn planes_are_on_one_side() {
        for planes in 2..8_u32 {
            let points: Vec<_> = (0..60 * planes)
                .map(|k| [f64::from(k % 4), f64::from(k / 4 % 15) / 8.0, 9.0 * f64::from(k / 60)])
                .collect();
            let regions = regions(&points, 2);
            assert_eq!(regions.cuts[0].axis, 2);
            let below = points.iter().filter(|point| regions.rank(point) == 0).count();
            assert!(below.abs_diff(points.len() - below) <= 60 * (planes as usize % 2), "{planes}");
        }
    }

    /// A point far away does not turn the cut, and a plane of points is cut within it.
    #[test]
    fn cuts_are_across_the_longest_axis_of_most_points() {
        let mut disk: Vec<_> = points(100).iter().map(|[x, y, _]| [*x, 4.0 * y, 0.0]).collect();
        disk.push([0.0, 0.0, 1e9]);
        assert_eq!(regions(&disk, 2).cuts[0].axis, 1);
    }

    /// Compared with the distances to a fine grid of points of the box.
    #[test]
    fn points_near_a_box_are_near_one_of_its_points_or_images() {
        let bounds = Bounds::of(&[[0.25, 0.5, 0.0], [0.5, 0.75, 1.0]]);
        let grid = || (0..=16).map(|k| f64::from(k) / 16.0);
        let [mut near, mut far] = [0; 2];
        for lengths in [[0.0; 3], [1.0, 1.0, 0.0], [2.0, 0.0, 1.5]] {
            for point in points(100) {
                let mut least = f64::INFINITY;
                for x in grid() {
                    for y in grid() {
                        for z in grid() {
                            let of_box = [0.25 + x / 4.0, 0.5 + y / 4.0, z];
                            let square = (0..3).map(|axis| {
                                let mut d = point[axis] - of_box[axis];
                                if lengths[axis] > 0.0 {
                                    d -= lengths[axis] * (d / lengths[axis]).round();
                                }
                                d * d
                            });
                            least = least.min(square.sum::<f64>().sqrt());
                        }
                    }
                }
                // The grid is 1/16 long at most, so that a point of it is within 0.04.
                let found = bounds.is_near(&point, 0.2, &lengths);
                assert!(found || least > 0.2, "{point:?} {least}");
                assert!(!found || least < 0.2 + 0.04, "{point:?} {least}");
                if found { near += 1 } else { far += 1 }
            }
        }
        assert!(near > 50 && far > 50, "{near} {far}");
        assert!(!Bounds::NOTHING.is_near(&[0.0; 3], 1e100, &[1.0; 3]));
    }

    /// A box is near another one if a corner of the nearest image is.
    #[test]
    fn boxes_are_near_through_the_sides_of_space() {
        let bounds = |lo: f64, hi: f64| Bounds { lo: [lo; 3], hi: [hi; 3] };
        let [left, right] = [bounds(0.0, 0.25), bounds(0.5, 0.75)];
        let root = 3.0_f64.sqrt();
        for (lengths, apart) in [([0.0; 3], 0.25 * root), ([1.0; 3], 0.25 * root)] {
            assert!(left.is_near_box(&right, apart * 1.001, &lengths));
            assert!(!left.is_near_box(&right, apart * 0.999, &lengths));
        }
        let far = bounds(0.875, 0.9375);
        assert!(left.is_near_box(&far, 0.0625 * root * 1.001, &[1.0; 3]));
        assert!(!left.is_near_box(&far, 0.0625 * root * 0.999, &[1.0; 3]));
        assert!(!left.is_near_box(&far, 0.5, &[1.0, 1.0, 0.0]));
        assert!(!left.is_near_box(&Bounds::NOTHING, 1e100, &[1.0; 3]));
        assert!(!Bounds::NOTHING.is_near_box(&left, 1e100, &[1.0; 3]));
    }
}
