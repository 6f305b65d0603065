//! Indices along a Hilbert curve (Skilling 2004, AIP Conf. Proc. 707, 381).
// Compilers vectorize loops over indices.
#![allow(clippy::needless_range_loop)]

/// Returns the index of a cell along the Hilbert curve; its coordinates along `D` axes have this
/// many bits.
pub fn index<const D: usize>(cell: [u32; D], bits: u32) -> u64 {
    let [index] = indices(cell.map(|along| [along]), bits);
    index
}

/// Returns the indices of `N` cells, given by an array of coordinates for each axis.
#[inline(always)]
pub fn indices<const D: usize, const N: usize>(mut cells: [[u32; N]; D], bits: u32) -> [u64; N] {
    // From the coordinates to the transposed index: undo the excess work of all smaller cubes.
    for bit in (1..bits).rev() {
        let below = (1 << bit) - 1;
        for axis in 0..D {
            for k in 0..N {
                let [first, along] = [cells[0][k], cells[axis][k]];
                // Moves the bit to the sign, and from there to all bits.
                let is_set = ((along << (31 - bit)).cast_signed() >> 31).cast_unsigned();
                let changed = (first ^ along | is_set) & below;
                cells[axis][k] ^= changed & !is_set;
                cells[0][k] ^= changed;
            }
        }
    }
    // Gray code.
    for axis in 1..D {
        for k in 0..N {
            cells[axis][k] ^= cells[axis - 1][k];
        }
    }
    // A bit is flipped by each bit above it along the last axis.
    let mut flips = cells[D - 1].map(|along| along >> 1);
    for step in [1, 2, 4, 8, 16] {
        for k in 0..N {
            flips[k] ^= flips[k] >> step;
        }
    }
    // The index takes one bit of each axis in turn.
    let mut indices = [0; N];
    for along in &cells {
        for k in 0..N {
            indices[k] = indices[k] << 1 | spread::<D>(along[k] ^ flips[k]);
        }
    }
    indices
}

/// Moves bit b to bit D b.
#[inline(always)]
fn spread<const D: usize>(bits: u32) -> u64 {
    let steps: &[(u32, u64)] = match D {
        2 => &[
            (16, 0x0000_ffff_0000_ffff),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ],
        _ => &[
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ],
    };
    steps.iter().fold(bits.into(), |bits, (by, kept)| (bits | bits << by) & kept)
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
