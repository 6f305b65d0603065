//! Numbers of the particles as bytes of the page.

use serde::Serialize;

use super::arguments::Bits;
use super::frame::Frame;
use super::scale::Scale;
use crate::centre::distance;

/// Greatest whole number of 16 bits.
const STEPS: f64 = u16::MAX as f64;
/// Least radius of half of the particles of a snapshot, in steps of 16 bits: a step is less than a
/// pixel of the page even when these particles fill it.
const RESOLVED: f64 = 500.0;
/// Fraction of the particles at each end of the colours whose values are beyond it.
const BEYOND: f64 = 0.005;
/// Fraction of the particles in the picture at the beginning.
const SHOWN: f64 = 0.9;

/// The box that contains the particles of all snapshots, and the scales of their colours.
#[derive(Debug, Serialize)]
pub struct Scene {
    #[serde(skip)]
    pub bits: Bits,
    pub centre: [f64; 3],
    /// Half of its edges.
    pub half: [f64; 3],
    /// The greatest of these halves, or 1 without an extent. Radii and centres are in this unit.
    pub unit: f64,
    /// Radius about the centre of mass that contains most particles.
    pub extent: f64,
    pub mass: Scale,
    pub speed: Scale,
    /// Distances from the centre of density.
    pub radius: Scale,
}

impl Scene {
    pub fn new(frames: &[Frame], bits: Option<Bits>) -> Result<Self, String> {
        let (centre, half) = region(frames)?;
        let most = half.into_iter().fold(0.0, f64::max);
        let all =
            |of: fn(&Frame) -> &[f64]| frames.iter().flat_map(of).copied().collect::<Vec<_>>();
        let mut scene = Self {
            bits: bits.unwrap_or(Bits::Sixteen),
            centre,
            half,
            unit: if most > 0.0 { most } else { 1.0 },
            extent: 0.0,
            mass: Scale::new(&all(|it| &it.masses), 0.0),
            speed: Scale::new(&all(|it| &it.speeds), BEYOND),
            radius: Scale::new(&[], BEYOND),
        };
        let radii = |centre: fn(&Frame) -> [f64; 3]| -> Vec<Vec<f64>> {
            frames.iter().map(|frame| scene.distances(frame, centre(frame))).collect()
        };
        let extent = quantile(&mut radii(|it| it.mass_centre).concat(), SHOWN);
        let mut radii = radii(|it| it.density_centre);
        (scene.extent, scene.radius) = (extent, Scale::new(&radii.concat(), BEYOND));
        if bits.is_none() && radii.iter_mut().any(|radii| is_coarse(radii)) {
            scene.bits = Bits::ThirtyTwo;
        }
        Ok(scene)
    }

    /// Returns the positions and speeds of a snapshot: x, y, z and the place of the speed on its
    /// scale for each particle, little-endian. With 16 bits they are whole numbers from the least
    /// to the greatest value; with 32, floating point numbers from -1 to 1, and from 0 to 1.
    pub fn particles(&self, frame: &Frame) -> Vec<u8> {
        let speeds = frame.speeds.iter().map(|speed| self.speed.place(*speed));
        let all = frame.positions.iter().map(|at| self.relative(*at)).zip(speeds);
        match self.bits {
            Bits::Sixteen => {
                let steps = |at: [f64; 3], speed| {
                    let [x, y, z] = at.map(|x| step(x.midpoint(1.0)));
                    [x, y, z, step(speed)]
                };
                all.flat_map(|(at, speed)| steps(at, speed)).flat_map(u16::to_le_bytes).collect()
            }
            Bits::ThirtyTwo => {
                let numbers = |[x, y, z]: [f64; 3], speed| [x, y, z, speed].map(|x| x as f32);
                all.flat_map(|(at, speed)| numbers(at, speed)).flat_map(f32::to_le_bytes).collect()
            }
        }
    }

    /// Returns the places of the masses on their scale, as whole numbers of 16 bits.
    pub fn masses(&self, frame: &Frame) -> Vec<u8> {
        let places = frame.masses.iter().map(|mass| step(self.mass.place(*mass)));
        places.flat_map(u16::to_le_bytes).collect()
    }

    /// Returns a point in the unit of the box, from its centre. Rounding errors of a centre do not
    /// leave the box, which may be much smaller than its coordinates.
    pub fn in_unit(&self, point: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|c| self.offset(point, c) / self.unit)
    }

    /// Returns the distances of the particles from a point, in the unit of the box.
    fn distances(&self, frame: &Frame, from: [f64; 3]) -> Vec<f64> {
        let from = self.in_unit(from);
        frame.positions.iter().map(|at| distance(self.in_unit(*at), from)).collect()
    }

    fn offset(&self, point: [f64; 3], c: usize) -> f64 {
        (point[c] - self.centre[c]).clamp(-self.half[c], self.half[c])
    }

    /// Returns a position from -1 to 1 along each axis of the box.
    fn relative(&self, position: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|c| {
            // Along an axis without extent, all are at the centre.
            if self.half[c] > 0.0 { self.offset(position, c) / self.half[c] } else { 0.0 }
        })
    }
}

#[expect(clippy::cast_sign_loss, reason = "places are from 0 to 1")]
fn step(place: f64) -> u16 {
    (place * STEPS).round() as u16
}

/// Returns the centre and half of the edges of the box with the particles of all snapshots.
fn region(frames: &[Frame]) -> Result<([f64; 3], [f64; 3]), String> {
    let positions = || frames.iter().flat_map(|frame| &frame.positions);
    if positions().next().is_none() {
        return Err("no particles to show: expected at least one, in one of the snapshots".into());
    }
    let end =
        |c: usize, of: fn(f64, f64) -> f64| positions().map(|at| at[c]).reduce(of).unwrap_or(0.0);
    let ends = [0, 1, 2].map(|c| (end(c, f64::min), end(c, f64::max)));
    // Halves, since the sums and differences of huge numbers would overflow.
    let centre = ends.map(|(low, high)| if low == high { low } else { low / 2.0 + high / 2.0 });
    let half = [0, 1, 2].map(|c| (ends[c].1 - centre[c]).max(centre[c] - ends[c].0));
    Ok((centre, half))
}

/// Returns whether 16 bits would show: half of the particles of a snapshot are within few steps.
fn is_coarse(radii: &mut [f64]) -> bool {
    radii.len() > 1 && quantile(radii, 0.5) * STEPS / 2.0 < RESOLVED
}

/// Returns the value below which a fraction of all values is.
fn quantile(values: &mut [f64], fraction: f64) -> f64 {
    let Some(last) = values.len().checked_sub(1) else { return 0.0 };
    #[expect(clippy::cast_sign_loss, reason = "a fraction of a length")]
    let place = (fraction * last as f64).round() as usize;
    *values.select_nth_unstable_by(place, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use nbody::models::{Particle, Snapshot, plummer};

    use super::*;

    fn frames(snapshots: Vec<Snapshot>) -> Vec<Frame> {
        snapshots.into_iter().map(|snapshot| Frame::new(snapshot, 1)).collect()
    }

    fn at(places: &[[f64; 3]]) -> Vec<Frame> {
        let particle = |&pos: &[f64; 3]| Particle { mass: 1.0, pos, vel: pos };
        frames(vec![Snapshot { time: 0.0, particles: places.iter().map(particle).collect() }])
    }

    /// Returns the positions in the unit of the box as the page computes them.
    fn decoded(scene: &Scene, frame: &Frame) -> Vec<[f64; 4]> {
        let bytes = scene.particles(frame);
        let numbers: Vec<f64> = match scene.bits {
            Bits::Sixteen => {
                let numbers = bytes.as_chunks().0.iter().map(|it| u16::from_le_bytes(*it));
                let at = |(k, n): (usize, u16)| {
                    let place = f64::from(n) / STEPS;
                    if k % 4 < 3 { place * 2.0 - 1.0 } else { place }
                };
                numbers.enumerate().map(at).collect()
            }
            Bits::ThirtyTwo => {
                bytes.as_chunks().0.iter().map(|it| f64::from(f32::from_le_bytes(*it))).collect()
            }
        };
        numbers.as_chunks().0.to_vec()
    }

    /// Compares decoded positions with the particles, and returns the greatest error as a fraction
    /// of its bound.
    fn worst(scene: &Scene, frames: &[Frame]) -> f64 {
        let bound = match scene.bits {
            Bits::Sixteen => 1.0 / STEPS,
            Bits::ThirtyTwo => f64::exp2(-25.0),
        };
        let mut worst: f64 = 0.0;
        for frame in frames {
            let decoded = decoded(scene, frame);
            assert_eq!(decoded.len(), frame.positions.len());
            for (found, ([x, y, z], speed)) in
                decoded.iter().zip(frame.positions.iter().zip(&frame.speeds))
            {
                assert!(found.iter().all(|it| it.is_finite()), "{found:?}");
                for (c, expected) in [x, y, z].into_iter().enumerate() {
                    let (half, centre) = (scene.half[c], scene.centre[c]);
                    let error = if half == 0.0 {
                        f64::from(u8::from(*expected != centre))
                    } else {
                        // The middle of 16 bits is no whole number.
                        (found[c] - (expected - centre) / half).abs()
                    };
                    let error = if half == 0.0 { error * bound } else { error };
                    worst = worst.max(error / bound);
                }
                let error = (found[3] - scene.speed.place(*speed)).abs();
                worst = worst.max(error / bound);
            }
        }
        worst
    }

    #[test]
    fn positions_and_speeds_are_within_the_stated_bounds() {
        let sphere = || frames(vec![plummer(3000, 1).unwrap(), plummer(2000, 2).unwrap()]);
        for bits in [Bits::Sixteen, Bits::ThirtyTwo] {
            let frames = sphere();
            let scene = Scene::new(&frames, Some(bits)).unwrap();
            let worst = worst(&scene, &frames);
            // The bound is reached: it is not a loose one.
            assert!(worst < 1.0 + 1e-9 && worst > 0.9, "{bits:?}: {worst}");
        }
    }

    #[test]
    fn places_at_every_scale_are_encoded() {
        let huge = f64::MAX;
        for places in [
            &[[0.0; 3]][..],
            &[[1e30, -1e30, 3e30], [-1e30, 2e30, 1e29], [0.0; 3]],
            &[[1e-310, 0.0, 5e-324], [-1e-310, 1e-311, 0.0]],
            &[[huge, -huge, 0.0], [-huge, huge, huge], [1.0, 0.0, -huge]],
            &[[1e9 + 1.0, 7.0, 7.0], [1e9 + 2.0, 7.0, 7.0]],
            &[[1.1e30, 7.0, -0.3]; 5],
            &[[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]],
        ] {
            for bits in [None, Some(Bits::Sixteen), Some(Bits::ThirtyTwo)] {
                let frames = at(places);
                let scene = Scene::new(&frames, bits).unwrap();
                let worst = worst(&scene, &frames);
                assert!(worst <= 1.0 + 1e-6, "{places:?}: {worst}");
                let text = serde_json::to_string(&scene).unwrap();
                assert!(!text.contains("null"), "{text}");
                let centre = scene.in_unit(frames[0].mass_centre);
                assert!(centre.iter().all(|x| x.abs() <= 1.0), "{centre:?}");
                assert!(scene.extent <= 2.0 * 3.0_f64.sqrt(), "{scene:?}");
            }
        }
    }

    #[test]
    fn more_bits_are_taken_where_sixteen_would_show() {
        let bits = |frames: &[Frame]| Scene::new(frames, None).unwrap().bits;
        let sphere = plummer(500, 1).unwrap();
        assert_eq!(bits(&frames(vec![sphere.clone()])), Bits::Sixteen);
        let mut with_escaper = sphere;
        with_escaper.particles[0].pos[0] = 1e3;
        assert_eq!(bits(&frames(vec![with_escaper])), Bits::ThirtyTwo);
        assert_eq!(bits(&at(&[[7.0; 3]])), Bits::Sixteen);
    }

    #[test]
    fn masses_are_places_on_their_scale() {
        let particle = |mass| Particle { mass, ..Particle::default() };
        let particles = [1.0, 100.0, 10.0].map(particle).to_vec();
        let frames = frames(vec![Snapshot { time: 0.0, particles }]);
        let scene = Scene::new(&frames, None).unwrap();
        let steps = [0, u16::MAX, 32768].map(u16::to_le_bytes).concat();
        assert_eq!(scene.masses(&frames[0]), steps);
    }
}
