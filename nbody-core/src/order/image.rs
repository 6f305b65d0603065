//! Periodic images.

/// Bits of an entry of a list that hold the sorted index of the j-particle; those above hold the image.
pub const INDEX_BITS: u32 = 27;
/// The most particles that lists can have.
pub const LIMIT: usize = 1 << INDEX_BITS;
/// The number of images.
pub const IMAGES: u32 = 27;
/// The particle itself.
pub const ITSELF: u32 = 13;

/// Returns the shift of an image, -1, 0 or 1 box lengths along each axis; x varies fastest.
pub fn shift(image: u32) -> [f64; 3] {
    [image % 3, image / 3 % 3, image / 9].map(|steps| f64::from(steps) - 1.0)
}

/// Returns the displacement of an image in a box of these lengths, which are zero along open axes.
pub fn displacement(image: u32, lengths: &[f64; 3]) -> [f64; 3] {
    let shift = shift(image);
    [0, 1, 2].map(|axis| shift[axis] * lengths[axis])
}

/// Returns whether a box of these lengths has the image: open axes have no other than the particle.
pub fn exists(image: u32, lengths: &[f64; 3]) -> bool {
    let shift = shift(image);
    (0..3).all(|axis| shift[axis] == 0.0 || lengths[axis] > 0.0)
}

/// Returns the image of a particle in the box that is nearest to another one, from the displacement to the
/// particle.
pub fn nearest(displacement: &[f64; 3], lengths: &[f64; 3]) -> u32 {
    let [x, y, z] = [0, 1, 2].map(|axis| {
        // Two particles in the box are less than a length apart.
        match lengths[axis] / 2.0 {
            half if half > 0.0 && displacement[axis] > half => 0,
            half if half > 0.0 && displacement[axis] < -half => 2,
            _ => 1,
        }
    });
    x + 3 * y + 9 * z
}

/// The place of the j-particle of an entry in the order.
pub fn place(entry: u32) -> usize {
    (entry & ((1 << INDEX_BITS) - 1)) as usize
}

/// The image of the j-particle of an entry.
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
