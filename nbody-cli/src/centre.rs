//! Centres of particles.

use nbody::models::Particle;
use rayon::prelude::*;

/// A turn of the search for the density centre leaves out one particle in `LEFT_OUT`; the search ends
/// with one in `LAST`, or with `FEWEST`.
const LEFT_OUT: usize = 4;
const LAST: usize = 100;
const FEWEST: usize = 10;

/// Returns the centre of mass; without a positive total mass, the mean position.
pub fn of_mass(particles: &[Particle]) -> [f64; 3] {
    mean(particles.iter())
}

/// Returns the centre of density, by shrinking spheres (Power et al. 2003, section 2.5): of the
/// particles, the nearest to their centre of mass stay, again and again.
pub fn of_density(particles: &[Particle]) -> [f64; 3] {
    let mut inside: Vec<_> = particles.iter().map(|it| (0.0, it)).collect();
    let last = FEWEST.max(particles.len() / LAST);
    let mut centre = of_mass(particles);
    while inside.len() > last {
        inside.par_iter_mut().for_each(|it| it.0 = square(it.1.pos, centre));
        let count = last.max(inside.len() - inside.len().div_ceil(LEFT_OUT));
        inside.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0));
        inside.truncate(count);
        let next = mean(inside.iter().map(|it| it.1));
        // A mean that rounds to infinity or to NaN, of huge coordinates, is no centre.
        if !next.iter().all(|x| x.is_finite()) {
            break;
        }
        centre = next;
    }
    centre
}

pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|c| a[c] - b[c]);
    x.hypot(y).hypot(z).min(f64::MAX)
}

/// Returns the squared distance, infinite if it is out of range.
fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    [0, 1, 2].map(|c| a[c] - b[c]).iter().map(|d| d * d).sum()
}

/// Returns the mean position by mass. Sums are of parts of the whole, so that none overflows.
fn mean<'a>(particles: impl Iterator<Item = &'a Particle> + Clone) -> [f64; 3] {
    let most = particles.clone().map(|it| it.mass.abs()).fold(0.0, f64::max);
    let scaled = |it: &Particle| if most > 0.0 { it.mass / most } else { 0.0 };
    let total: f64 = particles.clone().map(scaled).sum();
    let is_mass = total > 0.0 && particles.clone().all(|it| it.mass >= 0.0);
    let count = particles.clone().count().max(1) as f64;
    let weight = |it: &Particle| if is_mass { scaled(it) / total } else { 1.0 / count };
    [0, 1, 2].map(|c| particles.clone().map(|it| weight(it) * it.pos[c]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn particle(mass: f64, pos: [f64; 3]) -> Particle {
        Particle { mass, pos, ..Particle::default() }
    }

    #[test]
    fn centres_of_known_particles_are_found() {
        let two = [particle(1.0, [0.0; 3]), particle(3.0, [4.0, 8.0, -4.0])];
        assert_eq!(of_mass(&two), [3.0, 6.0, -3.0]);
        let massless = two.map(|it| Particle { mass: 0.0, ..it });
        assert_eq!(of_mass(&massless), [2.0, 4.0, -2.0]);
        assert_eq!(of_mass(&[]), [0.0; 3]);
        let huge = [particle(1e300, [1e308, 0.0, 0.0]), particle(1e300, [1.5e308, 0.0, 0.0])];
        assert!((of_mass(&huge)[0] / 1.25e308 - 1.0).abs() < 1e-15);
        assert!(of_density(&huge)[0].is_finite());
    }

    #[test]
    fn the_centre_of_density_is_where_particles_are_close() {
        let mut sphere = nbody::models::plummer(8000, 1).unwrap().particles;
        for particle in &mut sphere {
            particle.pos[0] += 5.0;
        }
        // A thin shell of the same mass far away, on one side.
        for k in 0..8000 {
            let angle = f64::from(k);
            sphere.push(particle(0.000_125, [-30.0 + 9.0 * angle.cos(), 9.0 * angle.sin(), 0.0]));
        }
        let (mass, density) = (of_mass(&sphere), of_density(&sphere));
        assert!(distance(mass, [5.0, 0.0, 0.0]) > 10.0, "{mass:?}");
        assert!(distance(density, [5.0, 0.0, 0.0]) < 0.1, "{density:?}");
        // All at one place.
        let one = of_density(&vec![particle(1.0, [7.0; 3]); 500]);
        assert!(distance(one, [7.0; 3]) < 1e-12, "{one:?}");
    }
}
