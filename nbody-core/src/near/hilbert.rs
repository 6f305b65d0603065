//! Indices along a Hilbert curve (Skilling 2004, AIP Conf. Proc. 707, 381).
// Loops over indices are those that compilers turn into vector code.
#![allow(clippy::needless_range_loop)]

/// Returns the index of a cell along the Hilbert curve through cells of this many bits along each of
/// `D` axes.
pub fn index<const D: usize>(cell: [u32; D], bits: u32) -> u64 {
    let [index] = indices(cell.map(|along| [along]), bits);
    index
}

/// Returns the indices of `N` cells, whose coordinates along each axis are an array.
#[inline(always)]
pub fn indices<const D: usize, const N: usize>(mut cells: [[u32; N]; D], bits: u32) -> [u64; N] {
    // From the coordinates to the transposed index: undo the excess work of all smaller cubes.
    for bit in (1..bits).rev() {
        let below = (1 << bit) - 1;
        for axis in 0..D {
            for k in 0..N {
                let [first, along] = [cells[0][k], cells[axis][k]];
                let is_set = (along >> bit & 1).wrapping_neg();
                let exchanged = (first ^ along) & below & !is_set;
                cells[axis][k] ^= exchanged;
                cells[0][k] ^= exchanged | below & is_set;
            }
        }
    }
    // Gray code.
    for axis in 1..D {
        for k in 0..N {
            cells[axis][k] ^= cells[axis - 1][k];
        }
    }
    let mut flips = [0; N];
    for bit in 1..bits {
        for k in 0..N {
            let is_set = (cells[D - 1][k] >> bit & 1).wrapping_neg();
            flips[k] ^= ((1 << bit) - 1) & is_set;
        }
    }
    // The index has one bit of each axis in turn.
    let mut indices = [0; N];
    for bit in (0..bits).rev() {
        for along in &cells {
            for k in 0..N {
                indices[k] = indices[k] << 1 | u64::from((along[k] ^ flips[k]) >> bit & 1);
            }
        }
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits all cells of a small cube in order, and checks that each step leads to a neighbour.
    fn check<const D: usize>(bits: u32) {
        let cells = 1_u32 << (bits * D as u32);
        let mut path = vec![[u32::MAX; D]; cells as usize];
        for k in 0..cells {
            let cell = std::array::from_fn(|axis| k >> (bits * axis as u32) & ((1 << bits) - 1));
            path[index::<D>(cell, bits) as usize] = cell;
        }
        for pair in path.windows(2) {
            let steps = (0..D).map(|axis| pair[0][axis].abs_diff(pair[1][axis]));
            assert_eq!(steps.sum::<u32>(), 1, "{pair:?}");
        }
    }

    #[test]
    fn each_step_leads_to_a_neighbouring_cell() {
        check::<2>(1);
        check::<2>(5);
        check::<3>(1);
        check::<3>(4);
    }

    #[test]
    fn many_cells_have_the_indices_of_each() {
        let cell = |k: u32| [k * 7919 % 512, k * 104_729 % 512, k * 31 % 512];
        let along = |axis: usize| std::array::from_fn::<_, 16, _>(|k| cell(k as u32)[axis]);
        let found = indices([along(0), along(1), along(2)], 9);
        assert_eq!(found, std::array::from_fn(|k| index(cell(k as u32), 9)));
    }

    #[test]
    fn the_curve_fills_large_cubes() {
        assert_eq!(index::<3>([0; 3], 16), 0);
        assert_eq!(index::<3>([0xffff, 0, 0], 16), (1 << 48) - 1);
        assert_eq!(index::<2>([0xff_ffff, 0], 24), (1 << 48) - 1);
    }
}
