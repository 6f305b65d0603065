//! Cells of space; the Hilbert curve through them orders particles.

use crate::domain::Domain;
use crate::order::lengths;

/// The resolution of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Bits of a cell's coordinate along each axis, in two and in three dimensions.
    pub bits: [u32; 2],
    /// Bits of the octave of a coordinate; the last octave contains everything beyond.
    pub octaves: u32,
    /// The widest range of equal cells, in units of the range of the bulk of the particles.
    pub spread: f64,
}

impl Grid {
    /// The cells of neighbour lists: keys have 48 bits.
    pub const LISTS: Self = Self { bits: [24, 16], octaves: 4, spread: 1.0 };
    /// The cells of trees: keys have 62 or 63 bits. Only equal cells are cubes, so nearly all
    /// particles lie among these, unless some are very far away.
    pub const TREES: Self = Self { bits: [31, 21], octaves: 5, spread: 32.0 };
}

/// Number of particles in the sample that chooses a frame.
pub const SAMPLE: usize = 1024;
/// One particle in this many of a sample lies beyond the bulk on each side.
pub const TAIL: usize = 16;
/// The edge of a periodic box in units of the frame, half a cell short of 2.
pub const IN_BOX: f64 = 2.0 - 1.0 / 2048.0;

/// The origin and the unit of cells.
///
/// The bulk of the particles is within one unit of the origin, where all cells have one size.
/// Farther out cells double from octave to octave, so that a distant particle does not enlarge the
/// cells of the others. A frame decides which particles are neighbours in the order, and so the
/// speed, but never which pairs are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The origin.
    pub origin: [f64; 3],
    /// The inverse of the unit of the cells.
    pub scale: f64,
    /// The number of dimensions, 2 or 3.
    pub dimensions: usize,
    /// The resolution.
    pub grid: Grid,
}

impl Frame {
    /// Chooses the frame of neighbour lists of `n` particles at these positions.
    pub fn of(
        n: usize,
        position: &dyn Fn(usize) -> [f64; 3],
        domain: &Domain,
        dimensions: usize,
    ) -> Self {
        Self::with_grid(Grid::LISTS, n, position, domain, dimensions)
    }

    /// Chooses the frame of `n` particles at these positions: the box along periodic axes,
    /// elsewhere the bulk of a sample.
    pub fn with_grid(
        grid: Grid,
        n: usize,
        position: &dyn Fn(usize) -> [f64; 3],
        domain: &Domain,
        dimensions: usize,
    ) -> Self {
        let count = n.min(SAMPLE);
        let sample: Vec<_> = (0..count).map(|k| position(k * (n / count))).collect();
        let [lengths, _] = domain.factors();
        let length = lengths[..dimensions].iter().fold(0.0, |most: f64, &length| most.max(length));
        let (mut origin, mut range, mut extent) = ([0.0; 3], 0.0_f64, 0.0_f64);
        for axis in 0..dimensions {
            if lengths[axis] > 0.0 {
                origin[axis] = lengths[axis] / 2.0;
                range = range.max(lengths[axis]);
                continue;
            }
            let mut along: Vec<f64> = sample.iter().map(|position| position[axis]).collect();
            along.sort_by(f64::total_cmp);
            let (Some(least), Some(greatest)) = (along.first(), along.last()) else { continue };
            let [low, high] = [along[count / TAIL], along[count - 1 - count / TAIL]];
            origin[axis] = low / 2.0 + high / 2.0;
            range = range.max(high - low);
            extent = extent.max(greatest - least);
        }
        let range = (range * grid.spread).min(extent).max(range);
        let range = [range, extent, 1.0].into_iter().find(|&range| range > 0.0).unwrap_or(1.0);
        // Along its longest edge the box is a cube of the curve short of half a cell: particles on
        // the far face would otherwise form a thin layer of cells, with flat groups. In open space
        // the unit is a power of two, so that similar particles have the same frame.
        let scale = if length == range { IN_BOX / range } else { power_of_two_below(2.0 / range) };
        Self { origin, scale, dimensions, grid }
    }

    /// Returns the frame after the lengths of the box have changed. Along open axes it stays;
    /// `None` if other axes are open now.
    #[must_use]
    pub fn resized(&self, before: &Domain, now: &Domain) -> Option<Self> {
        let [before, now] = [before, now].map(|domain| lengths(domain, self.dimensions));
        let is_open = |lengths: [f64; 3]| lengths.map(|length| length == 0.0);
        if is_open(before) != is_open(now) {
            return None;
        }
        let [longest, of_now] =
            [before, now].map(|lengths| lengths.into_iter().fold(0.0, f64::max));
        let mut resized = *self;
        for axis in (0..self.dimensions).filter(|&axis| now[axis] > 0.0) {
            resized.origin[axis] = now[axis] / 2.0;
        }
        if self.scale.to_bits() == (IN_BOX / longest).to_bits() {
            resized.scale = IN_BOX / of_now;
        }
        Some(resized)
    }

    /// Returns the bits of a cell's coordinate.
    #[inline(always)]
    pub fn bits(&self) -> u32 {
        self.grid.bits[self.dimensions - 2]
    }

    /// Returns the index, along an axis, of the cell that contains a coordinate.
    #[inline(always)]
    pub fn cell(&self, axis: usize, coordinate: f64) -> u32 {
        let (bits, octave_bits) = (self.bits(), self.grid.octaves);
        let half = 1_u32 << (bits - 1);
        let distance = (coordinate - self.origin[axis]) * self.scale;
        // The octave is the exponent of 1 + distance; the leading bits of the fraction are the
        // step within it.
        let octaves = (1.0 + distance.abs()).to_bits() - 1.0_f64.to_bits();
        let steps = octaves >> (f64::MANTISSA_DIGITS - 1 - (bits - 1 - octave_bits));
        // One unit begins where a cube of the curve does, so the curve visits it in one stretch.
        let unit = 1 << (bits - 1 - octave_bits);
        let steps = steps.min(u64::from(half - 1 - unit)) as u32;
        if distance < 0.0 { half + unit - 1 - steps } else { half + unit + steps }
    }

    /// Returns the distance from the origin, in units of the frame, at which a cell begins; it
    /// ends where the next cell begins. The outermost cells reach to infinity.
    pub fn begin(&self, cell: u32) -> f64 {
        let (bits, octave_bits) = (self.bits(), self.grid.octaves);
        let centre = (1_u32 << (bits - 1)) + (1 << (bits - 1 - octave_bits));
        let steps = u64::from(cell.abs_diff(centre));
        let octaves = steps << (f64::MANTISSA_DIGITS - 1 - (bits - 1 - octave_bits));
        let distance = f64::from_bits(1.0_f64.to_bits() + octaves) - 1.0;
        if cell < centre { -distance } else { distance }
    }
}

/// Returns the greatest power of two not above x, within the range of normal numbers.
fn power_of_two_below(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(x.clamp(f64::MIN_POSITIVE, f64::MAX).to_bits() & EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(positions: &[[f64; 3]], domain: &Domain) -> Frame {
        Frame::of(positions.len(), &|k| positions[k], domain, 3)
    }

    #[test]
    fn cells_ascend_with_the_coordinate_and_grow_beyond_the_bulk() {
        let grid = Grid::LISTS;
        let frame = Frame { origin: [1.0; 3], scale: 0.5, dimensions: 3, grid };
        let cell = |x: f64| frame.cell(0, x);
        let centre = (1 << 15) + (1 << 11);
        assert_eq!([cell(1.0), cell(1.0_f64.next_down())], [centre, centre - 1]);
        let mut last = 0;
        for k in -4000..4000 {
            let found = cell(f64::from(k).powi(3) / 1e6);
            assert!(found >= last, "{k}");
            last = found;
        }
        // 2048 cells on each side within a unit of the origin.
        assert_eq!(cell(1.0 + 2.0) - cell(1.0), 1 << 11);
        assert_eq!(cell(1.0 + 6.0) - cell(1.0 + 2.0), 1 << 11);
        for (x, expected) in [(1e300, 0xffff), (f64::MAX, 0xffff), (-1e300, 1 << 12)] {
            assert_eq!(cell(x), expected);
        }
    }

    #[test]
    fn cells_begin_where_coordinates_enter_them() {
        let grids = [Grid::LISTS, Grid::TREES].into_iter().flat_map(|grid| [(2, grid), (3, grid)]);
        for (dimensions, grid) in grids {
            let frame = Frame { origin: [0.0; 3], scale: 1.0, dimensions, grid };
            for k in -300..300 {
                let cell = frame.cell(0, f64::from(k).powi(3) / 1e6 + 1e-9);
                let [begin, end] = [cell, cell + 1].map(|cell| frame.begin(cell));
                assert!(begin < end);
                let inside = begin / 2.0 + end / 2.0;
                assert_eq!(frame.cell(0, inside), cell, "{dimensions} {grid:?} {k}");
                let width = end - begin;
                let beyond = [begin - width / 4.0, end + width / 4.0];
                assert_eq!(beyond.map(|x| frame.cell(0, x)), [cell - 1, cell + 1]);
            }
        }
    }

    #[test]
    fn outliers_leave_the_cells_of_the_bulk_small() {
        let mut positions: Vec<_> =
            (0..500).map(|k| [f64::from(k), f64::from(k % 7), 0.0]).collect();
        let bulk = frame(&positions, &Domain::Open);
        positions[77] = [1e9, -1e9, 0.0];
        let with_outlier = frame(&positions, &Domain::Open);
        assert_eq!(bulk.scale, with_outlier.scale);
        assert!((250.0 - with_outlier.origin[0]).abs() < 2.0, "{with_outlier:?}");
    }

    #[test]
    fn frames_follow_a_box() {
        let domain = |lengths: [f64; 3]| Domain::periodic(lengths).unwrap();
        let (one, other) = (domain([1.0, 2.0, 3.0]), domain([1.5, 1.75, 2.5]));
        let known = frame(&[[0.5; 3]; 4], &one);
        assert_eq!(known.resized(&one, &other), Some(frame(&[[0.25; 3]; 4], &other)));
        assert_eq!(known.resized(&one, &Domain::Open), None);
        let slab = [4.0, 5.0].map(|x| domain([x, 2.0, f64::INFINITY]));
        let known = frame(&[[0.0; 3], [1.0, 1.0, 40.0]], &slab[0]);
        let resized = known.resized(&slab[0], &slab[1]).unwrap();
        assert_eq!((resized.origin, resized.scale), ([2.5, 1.0, 20.0], known.scale));
    }

    #[test]
    fn any_positions_have_a_frame() {
        assert_eq!(frame(&[], &Domain::Open).scale, 2.0);
        let point = frame(&[[3.0; 3]; 40], &Domain::Open);
        assert_eq!((point.origin, point.scale), ([3.0; 3], 2.0));
        let huge = frame(&[[-f64::MAX; 3], [f64::MAX; 3]], &Domain::Open);
        assert!(huge.scale > 0.0 && huge.origin == [0.0; 3], "{huge:?}");
        assert!(frame(&[[0.0; 3], [f64::MIN_POSITIVE; 3]], &Domain::Open).scale.is_finite());
        let slab = Domain::periodic([8.0, 2.0, f64::INFINITY]).unwrap();
        let slab = frame(&[[0.0; 3], [1.0, 1.0, 20.0]], &slab);
        assert_eq!((slab.origin, slab.scale), ([4.0, 1.0, 10.0], 1.0 / 16.0));
        let cube = frame(&[[0.0; 3]; 9], &Domain::periodic([0.3; 3]).unwrap());
        let begin = 1 << 15;
        assert_eq!([0.0, 0.3].map(|x| cube.cell(0, x)), [begin, begin + 4095]);
    }
}
