//! The pair distribution g(r), mean square displacements, and the errors of means.

/// Histogram of the distances of pairs in a cubic periodic box.
pub struct Distances {
    edge: f64,
    counts: Vec<u64>,
    samples: u64,
    particles: usize,
}

impl Distances {
    /// Creates an empty histogram with this many bins up to half the edge.
    pub fn new(edge: f64, bins: usize) -> Self {
        Self { edge, counts: vec![0; bins], samples: 0, particles: 0 }
    }

    fn width(&self) -> f64 {
        0.5 * self.edge / self.counts.len() as f64
    }

    /// Adds all pairs, each at the distance of its nearest images.
    #[expect(clippy::cast_sign_loss, reason = "distances are not negative")]
    pub fn add(&mut self, positions: &[[f64; 3]]) {
        let (edge, width) = (self.edge, self.width());
        for (k, a) in positions.iter().enumerate() {
            for b in &positions[..k] {
                let square = |c: usize| {
                    let d = a[c] - b[c];
                    (d - edge * (d / edge).round()).powi(2)
                };
                let distance = (square(0) + square(1) + square(2)).sqrt();
                if let Some(count) = self.counts.get_mut((distance / width) as usize) {
                    *count += 1;
                }
            }
        }
        self.samples += 1;
        self.particles = positions.len();
    }

    /// Adds another histogram of the same box and bins.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.samples += other.samples;
        self.particles = other.particles;
    }

    /// Returns g(r) at the middle of each bin.
    pub fn g(&self) -> Vec<(f64, f64)> {
        let (n, width) = (self.particles as f64, self.width());
        let pairs = 0.5 * n * (n - 1.0) * self.samples as f64 / self.edge.powi(3);
        let of_bin = |(k, &count): (usize, &u64)| {
            let (inner, outer) = (k as f64 * width, (k + 1) as f64 * width);
            let shell = 4.0 / 3.0 * std::f64::consts::PI * (outer.powi(3) - inner.powi(3));
            (0.5 * (inner + outer), count as f64 / (pairs * shell))
        };
        self.counts.iter().enumerate().map(of_bin).collect()
    }
}

/// Returns the maximum of g(r), by a parabola through the highest bin and its neighbours.
pub fn peak(g: &[(f64, f64)]) -> Option<(f64, f64)> {
    let highest = (1..g.len().saturating_sub(1)).max_by(|&a, &b| g[a].1.total_cmp(&g[b].1))?;
    let [(before, y0), (at, y1), (_, y2)] = [g[highest - 1], g[highest], g[highest + 1]];
    let (slope, curvature) = (0.5 * (y2 - y0), y0 - 2.0 * y1 + y2);
    if curvature >= 0.0 {
        return Some((at, y1));
    }
    let shift = -slope / curvature;
    Some((at + shift * (at - before), y1 + 0.5 * slope * shift))
}

/// Returns the mean square displacements after 0 .. `lags` samples, averaged over the particles
/// and over all samples as origins.
pub fn displacements(trajectory: &[Vec<[f64; 3]>], lags: usize) -> Vec<f64> {
    let mean = |lag: usize| {
        let pairs = trajectory.iter().zip(&trajectory[lag..]);
        let squares = pairs
            .flat_map(|(a, b)| a.iter().zip(b))
            .map(|(a, b)| (0..3).map(|c| (b[c] - a[c]).powi(2)).sum::<f64>());
        let (sum, count) = squares.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
        sum / count
    };
    (0..lags.min(trajectory.len())).map(mean).collect()
}

/// Returns the slope of the least-squares line.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    above / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// Returns the mean of independent values, and its standard error.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g_of_a_lattice_counts_its_neighbours() {
        // A simple cubic lattice of spacing 1: 6 neighbours at 1, 12 at √2.
        let axis = || (0..6).map(f64::from);
        let cells = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])));
        // The particles may be in any image of the box.
        let places: Vec<_> = cells.map(|[x, y, z]| [x + 6.0, y, z - 12.0]).collect();
        let mut distances = Distances::new(6.0, 30);
        distances.add(&places);
        let mut more = Distances::new(6.0, 30);
        more.add(&places);
        distances.merge(&more);
        let g = distances.g();
        let neighbours = |bin: usize| {
            let (inner, outer) = (0.1 * bin as f64, 0.1 * (bin + 1) as f64);
            let shell = 4.0 / 3.0 * std::f64::consts::PI * (outer.powi(3) - inner.powi(3));
            g[bin].1 * shell * (215.0 / 216.0)
        };
        assert!((neighbours(10) - 6.0).abs() < 1e-9, "{}", neighbours(10));
        assert!((neighbours(14) - 12.0).abs() < 1e-9, "{}", neighbours(14));
        assert!(g[5].1 == 0.0 && (g[5].0 - 0.55).abs() < 1e-12);
    }

    #[test]
    fn a_peak_is_between_bins() {
        let parabola = |x: f64| (x, 3.0 - (x - 1.23).powi(2));
        let g: Vec<_> = (0..30).map(|k| parabola(0.1 * f64::from(k))).collect();
        let (at, height) = peak(&g).unwrap();
        assert!((at - 1.23).abs() < 1e-9 && (height - 3.0).abs() < 1e-9, "{at} {height}");
        assert_eq!(peak(&g[..2]), None);
    }

    #[test]
    fn straight_motion_has_displacements_of_the_square_of_time() {
        let at = |t: u32| vec![[f64::from(t), 0.0, 1.0], [0.0, -2.0 * f64::from(t), 5.0]];
        let trajectory: Vec<_> = (0..5).map(at).collect();
        assert_eq!(displacements(&trajectory, 4), [0.0, 2.5, 10.0, 22.5]);
        assert_eq!(displacements(&trajectory, 9).len(), 5);
    }

    #[test]
    fn lines_and_means_are_those_of_the_textbook() {
        assert_eq!(slope(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0)]), 2.0);
        let (mean, error) = mean_and_error(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(mean, 2.5);
        assert!((error - (5.0_f64 / 12.0).sqrt()).abs() < 1e-12);
    }
}
