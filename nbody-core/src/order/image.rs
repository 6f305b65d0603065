//! Periodic images.

/// Bits of a list's entry that hold the sorted index of the j-particle; the bits above hold its
/// image.
pub const INDEX_BITS: u32 = 27;
/// The largest number of particles in lists.
pub const LIMIT: usize = 1 << INDEX_BITS;
/// The number of images.
pub const IMAGES: u32 = 27;
/// The image without a shift: the particle itself.
pub const ITSELF: u32 = 13;

/// Returns the shift of an image, -1, 0 or 1 box lengths along each axis; x varies fastest.
pub fn shift(image: u32) -> [f64; 3] {
    [image % 3, image / 3 % 3, image / 9].map(|steps| f64::from(steps) - 1.0)
}

/// Returns the displacement of an image in a box of these lengths, which are 0 along open axes.
pub fn displacement(image: u32, lengths: &[f64; 3]) -> [f64; 3] {
    let shift = shift(image);
    [0, 1, 2].map(|axis| shift[axis] * lengths[axis])
}

/// Returns whether the image exists in a box of these lengths: along open axes nothing is shifted.
pub fn exists(image: u32, lengths: &[f64; 3]) -> bool {
    let shift = shift(image);
    (0..3).all(|axis| shift[axis] == 0.0 || lengths[axis] > 0.0)
}

/// Returns the image nearest to another particle in the box, from the displacement between both
/// particles.
pub fn nearest(displacement: &[f64; 3], lengths: &[f64; 3]) -> u32 {
    let [x, y, z] = [0, 1, 2].map(|axis| {
        // Two particles in the box are less than one length apart.
        match lengths[axis] / 2.0 {
            half if half > 0.0 && displacement[axis] > half => 0,
            half if half > 0.0 && displacement[axis] < -half => 2,
            _ => 1,
        }
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
        let lengths = [2.0, 0.0, 4.0];
        let all: Vec<_> = (0..IMAGES).filter(|&image| exists(image, &lengths)).collect();
        assert_eq!(all, [3, 4, 5, 12, 13, 14, 21, 22, 23]);
        assert_eq!(displacement(ITSELF, &lengths), [0.0; 3]);
        assert_eq!(displacement(21, &lengths), [-2.0, 0.0, 4.0]);
        assert_eq!(nearest(&[1.5, 9.0, -3.0], &lengths), 21);
        assert_eq!(nearest(&[-1.0, 9.0, 2.0], &lengths), ITSELF);
        assert!(all.into_iter().all(|image| {
            nearest(&displacement(image, &lengths).map(|d| -0.75 * d), &lengths) == image
        }));
        const { assert!(IMAGES <= 1 << (u32::BITS - INDEX_BITS)) };
    }
}
