//! Indices along a Hilbert curve (Skilling 2004, AIP Conf. Proc. 707, 381).

/// Returns the index of a cell along the Hilbert curve through cells of this many bits along each of
/// `D` axes.
pub fn index<const D: usize>(mut cell: [u32; D], bits: u32) -> u64 {
    // From the coordinates to the transposed index: undo the excess work of all smaller cubes.
    let mut bit = 1 << (bits - 1);
    while bit > 1 {
        let below = bit - 1;
        for axis in 0..D {
            if cell[axis] & bit != 0 {
                cell[0] ^= below;
            } else {
                let exchanged = (cell[0] ^ cell[axis]) & below;
                cell[0] ^= exchanged;
                cell[axis] ^= exchanged;
            }
        }
        bit >>= 1;
    }
    // Gray code.
    for axis in 1..D {
        cell[axis] ^= cell[axis - 1];
    }
    let mut flips = 0;
    let mut bit = 1 << (bits - 1);
    while bit > 1 {
        if cell[D - 1] & bit != 0 {
            flips ^= bit - 1;
        }
        bit >>= 1;
    }
    // The index has one bit of each axis in turn.
    let mut index = 0;
    for bit in (0..bits).rev() {
        for part in cell {
            index = index << 1 | u64::from((part ^ flips) >> bit & 1);
        }
    }
    index
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
    fn the_curve_fills_large_cubes() {
        assert_eq!(index::<3>([0; 3], 16), 0);
        assert_eq!(index::<3>([0xffff, 0, 0], 16), (1 << 48) - 1);
        assert_eq!(index::<2>([0xff_ffff, 0], 24), (1 << 48) - 1);
    }
}
