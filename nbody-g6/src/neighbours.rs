//! Neighbour lists: the identities of the j-particles within a sphere around each i-particle.

use nbody::prelude::Point;
use rayon::prelude::*;

/// The identities that a list holds, as on Sapporo.
const SLOTS: usize = 256;

/// The sphere of an i-particle: its centre and its squared radius.
#[derive(Clone, Copy, Debug)]
pub struct Sphere {
    pub pos: Point,
    pub id: u32,
    pub h2: f64,
}

/// The list of each i-particle, in ascending order, and the number of its neighbours.
#[derive(Debug)]
pub struct Lists(Vec<(Vec<i32>, usize)>);

impl Lists {
    /// Finds the neighbours among j-particles at these positions. A particle is no neighbour of
    /// itself.
    pub fn find(spheres: &[Sphere], positions: &[Point], ids: &[u32]) -> Self {
        let of_sphere = |sphere: &Sphere| {
            let near = positions
                .iter()
                .zip(ids)
                .filter(|&(pos, id)| (*pos - sphere.pos).norm2() < sphere.h2 && *id != sphere.id);
            let mut list: Vec<_> = near.map(|(_, &id)| id.cast_signed()).collect();
            list.sort_unstable();
            let count = list.len();
            list.truncate(SLOTS);
            (list, count)
        };
        Self(spheres.par_iter().map(of_sphere).collect())
    }

    /// Returns whether an i-particle has more neighbours than a list holds.
    pub fn overflow(&self) -> bool {
        self.0.iter().any(|(list, count)| *count > list.len())
    }

    /// Returns the number of i-particles.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the list of an i-particle and whether it has more neighbours.
    pub fn of(&self, pipe: usize) -> Option<(&[i32], bool)> {
        self.0.get(pipe).map(|(list, count)| (&list[..], *count > list.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_what_is_nearer_than_the_radius() {
        let positions: Vec<_> = (0..600).map(|k| Point::new(f64::from(k), 0.0, 0.0)).collect();
        let ids: Vec<_> = (0..600).rev().collect();
        let sphere = |x: f64, id: u32, h2: f64| Sphere { pos: Point::new(x, 0.0, 0.0), id, h2 };
        let spheres = [
            sphere(3.0, 596, 4.0),
            sphere(3.0, 7, 4.0),
            sphere(3.0, 7, 0.0),
            sphere(f64::NAN, 7, 4.0),
            sphere(300.0, 299, 128.5_f64.powi(2)),
            sphere(300.0, 1000, 128.5_f64.powi(2)),
        ];
        let lists = Lists::find(&spheres, &positions, &ids);
        assert_eq!(lists.of(0), Some((&[595, 597][..], false)));
        assert_eq!(lists.of(1), Some((&[595, 596, 597][..], false)));
        assert_eq!(lists.of(2), Some((&[][..], false)));
        assert_eq!(lists.of(3), Some((&[][..], false)));
        let (list, overflow) = lists.of(4).unwrap();
        assert_eq!((list.len(), list[0], list[255], overflow), (256, 171, 427, false));
        let (list, overflow) = lists.of(5).unwrap();
        assert_eq!((list.len(), list[0], list[255], overflow), (256, 171, 426, true));
        assert_eq!(lists.of(6), None);
        assert!(lists.overflow());
    }
}
