//! Curves that coincide: a lower one is drawn wider, as a halo.

use crate::curve::width;

/// Largest number of lines that widen another.
const MOST_LAYERS: u32 = 3;

/// Points in coordinates of the axes.
pub type Coordinates = Vec<(f64, f64)>;

/// Counts the lines on top of each line, which are later in the list. The coordinate of a pixel
/// along the vertical axis is given.
pub fn layers(lines: &[Coordinates], pixel: f64) -> Vec<u32> {
    let mut layers: Vec<u32> = vec![0; lines.len()];
    for k in (0..lines.len()).rev() {
        let on_top = (k + 1..lines.len()).filter(|&other| {
            coincide(&lines[k], &lines[other], f64::from(width(layers[other])) / 2.0 * pixel)
        });
        let below = on_top.map(|other| layers[other] + 1).max();
        layers[k] = below.unwrap_or(0).min(MOST_LAYERS);
    }
    layers
}

/// Tests whether two lines share half of the segments of the first, or a point if either is a single
/// point.
fn coincide(a: &Coordinates, b: &Coordinates, near: f64) -> bool {
    let meets = |&(x, y): &(f64, f64)| b.iter().any(|&(u, v)| u == x && (v - y).abs() < near);
    if a.len() == 1 || b.len() == 1 {
        return a.iter().any(meets);
    }
    let shared = a.windows(2).filter(|piece| piece.iter().all(meets)).count();
    shared > 0 && 2 * shared >= a.len() - 1
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_that_coincide_are_nested() {
        let layers = |lines: &[&[(f64, f64)]]| {
            let lines: Vec<_> = lines.iter().map(|it| it.to_vec()).collect();
            super::layers(&lines, 0.01)
        };
        let (low, high) = ([(0.0, 0.0), (1.0, 0.3), (2.0, 0.6)], [(0.0, 2.0), (1.0, 2.3)]);
        // Nearly equal to `low` from 1 on.
        let joins = [(0.0, 1.7), (1.0, 0.3002), (2.0, 0.6002)];
        let crosses = [(0.0, 2.0), (1.0, 0.3), (2.0, -1.0)];
        assert_eq!(layers(&[&low, &high, &crosses]), [0, 0, 0]);
        assert_eq!(layers(&[&low, &high, &joins, &low]), [2, 0, 1, 0]);
        assert_eq!(layers(&[&high, &low, &low, &low]), [0, 2, 1, 0]);
        // Another line that shares a third of the segments is not hidden.
        let long = [(0.0, 0.0), (1.0, 0.3), (2.0, 1.6), (3.0, 5.0)];
        assert_eq!(layers(&[&long, &low]), [0, 0]);
        // A single point has no visible segment.
        assert_eq!(layers(&[&low[..1], &low, &high[..1]]), [1, 0, 0]);
        assert_eq!(layers(&[&[], &[(1.0, 5.0)], &low]), [0, 0, 0]);
    }
}
