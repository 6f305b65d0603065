//! Periodic images.

use crate::triclinic::Cell;

/// Bits of a list's entry that hold the sorted index of the j-particle; the bits above hold its
/// image.
pub const INDEX_BITS: u32 = 27;
/// The largest number of particles in lists.
pub const LIMIT: usize = 1 << INDEX_BITS;
/// The number of images.
pub const IMAGES: u32 = 27;
/// The image without a shift: the particle itself.
pub const ITSELF: u32 = 13;

/// Returns the shift of an image, -1, 0 or 1 vectors of the box each; x varies fastest.
pub fn shift(image: u32) -> [f64; 3] {
    [image % 3, image / 3 % 3, image / 9].map(|steps| f64::from(steps) - 1.0)
}

/// Returns the displacement of an image in this box.
pub fn displacement(image: u32, cell: &Cell) -> [f64; 3] {
    cell.displacement(shift(image))
}

/// Returns whether the image exists in this box: along open axes nothing is shifted.
pub fn exists(image: u32, cell: &Cell) -> bool {
    let shift = shift(image);
    (0..3).all(|axis| shift[axis] == 0.0 || cell.lengths[axis] > 0.0)
}

/// Returns the image nearest to another particle in the box, from the displacement between both
/// particles.
pub fn nearest(displacement: &[f64; 3], cell: &Cell) -> u32 {
    if cell.is_tilted() {
        return in_brick(displacement, cell);
    }
    let [x, y, z] = [0, 1, 2].map(|axis| {
        // Two particles in the box are less than one length apart.
        match cell.lengths[axis] / 2.0 {
            half if half > 0.0 && displacement[axis] > half => 0,
            half if half > 0.0 && displacement[axis] < -half => 2,
            _ => 1,
        }
    });
    x + 3 * y + 9 * z
}

/// Returns the image whose displacement from another particle is within the brick of half lengths
/// in a triclinic box.
fn in_brick(displacement: &[f64; 3], cell: &Cell) -> u32 {
    let mut shift = [0.0; 3];
    for axis in (0..3).rev().filter(|&axis| cell.lengths[axis] > 0.0) {
        let d = displacement[axis] + cell.displacement(shift)[axis];
        shift[axis] = -(d / cell.lengths[axis]).round_ties_even().clamp(-1.0, 1.0);
    }
    let [x, y, z] = shift.map(|shift| match shift {
        _ if shift < 0.0 => 0,
        _ if shift > 0.0 => 2,
        _ => 1,
    });
    x + 3 * y + 9 * z
}

/// Returns the place of an entry's j-particle in its order.
pub fn place(entry: u32) -> usize {
    (entry & ((1 << INDEX_BITS) - 1)) as usize
}

/// Returns the image of an entry's j-particle.
pub fn image(entry: u32) -> u32 {
    entry >> INDEX_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_the_neighbouring_boxes() {
        let cell = Cell::rectangular([2.0, 0.0, 4.0]);
        let all: Vec<_> = (0..IMAGES).filter(|&image| exists(image, &cell)).collect();
        assert_eq!(all, [3, 4, 5, 12, 13, 14, 21, 22, 23]);
        assert_eq!(displacement(ITSELF, &cell), [0.0; 3]);
        assert_eq!(displacement(21, &cell), [-2.0, 0.0, 4.0]);
        assert_eq!(nearest(&[1.5, 9.0, -3.0], &cell), 21);
        assert_eq!(nearest(&[-1.0, 9.0, 2.0], &cell), ITSELF);
        assert!(all.into_iter().all(|image| {
            nearest(&displacement(image, &cell).map(|d| -0.75 * d), &cell) == image
        }));
        let cell = Cell { lengths: [4.0, 3.0, 5.0], tilts: [-2.0, 1.5, -1.5] };
        // c + b loses one a, so that it is within half of a length of the whole numbers.
        assert_eq!(displacement(ITSELF + 9 + 3, &cell), [-0.5, 1.5, 5.0]);
        for image in 0..IMAGES {
            let d = displacement(image, &cell).map(|d| -0.74 * d);
            let shift = displacement(nearest(&d, &cell), &cell);
            let within = |axis: usize| (d[axis] + shift[axis]).abs() <= cell.lengths[axis] / 2.0;
            assert!((0..3).all(within), "{image}");
        }
        const { assert!(IMAGES <= 1 << (u32::BITS - INDEX_BITS)) };
    }
}
