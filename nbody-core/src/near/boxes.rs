//! Boxes of groups of particles, and an implicit tree over them.

use super::GROUP;

/// The least and greatest coordinates of some particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub least: [f64; 3],
    /// The greatest coordinates.
    pub greatest: [f64; 3],
}

impl Default for Bounds {
    /// Returns the bounds of no particle.
    fn default() -> Self {
        Self { least: [f64::INFINITY; 3], greatest: [f64::NEG_INFINITY; 3] }
    }
}

impl Bounds {
    /// Returns the bounds of these positions.
    pub fn of(positions: &[[f64; 3]]) -> Self {
        let point = |&position: &[f64; 3]| Self { least: position, greatest: position };
        positions.iter().map(point).fold(Self::default(), Self::and)
    }

    /// Returns the bounds of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            least: [0, 1, 2].map(|axis| self.least[axis].min(other.least[axis])),
            greatest: [0, 1, 2].map(|axis| self.greatest[axis].max(other.greatest[axis])),
        }
    }

    /// Returns the middle.
    pub fn centre(&self) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.least[axis] * 0.5 + self.greatest[axis] * 0.5)
    }

    /// Returns the point that positions of pairs within this reach are relative to: the middle, but the
    /// origin along open axes that these bounds are wide along, where it would cost digits.
    pub fn origin(&self, reach: f64, lengths: &[f64; 3]) -> [f64; 3] {
        const WIDE: f64 = 8.0;
        let centre = self.centre();
        [0, 1, 2].map(|axis| {
            let is_wide = self.greatest[axis] - self.least[axis] > WIDE * reach;
            if is_wide && lengths[axis] == 0.0 { 0.0 } else { centre[axis] }
        })
    }

    /// Returns the square of the distance to other bounds that are displaced.
    pub fn distance2(&self, other: &Self, displacement: &[f64; 3]) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let below = self.least[axis] - (other.greatest[axis] + displacement[axis]);
            let above = (other.least[axis] + displacement[axis]) - self.greatest[axis];
            below.max(above).max(0.0)
        });
        x * x + y * y + z * z
    }
}

/// The boxes of groups, then those of 32 consecutive boxes each, and so on up to at most 32 boxes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The levels; that of the groups first.
    pub levels: Vec<Vec<Bounds>>,
}

impl Tree {
    /// Builds the tree over particles in their order.
    pub fn of(positions: &[[f64; 3]]) -> Self {
        let mut levels = vec![positions.chunks(GROUP).map(Bounds::of).collect::<Vec<_>>()];
        while let Some(boxes) = levels.last()
            && boxes.len() > GROUP
        {
            let joined = |boxes: &[Bounds]| boxes.iter().copied().reduce(Bounds::and);
            levels.push(boxes.chunks(GROUP).filter_map(joined).collect());
        }
        Self { levels }
    }

    /// Returns the boxes of the groups.
    pub fn groups(&self) -> &[Bounds] {
        &self.levels[0]
    }

    /// Calls a function with the groups, in order, all of whose ancestors it may `enter`.
    pub fn visit(&self, enter: &dyn Fn(usize, usize) -> bool, visit: &mut dyn FnMut(usize)) {
        let top = self.levels.len() - 1;
        for node in 0..self.levels[top].len() {
            self.visit_below(top, node, enter, visit);
        }
    }

    fn visit_below(
        &self,
        level: usize,
        node: usize,
        enter: &dyn Fn(usize, usize) -> bool,
        visit: &mut dyn FnMut(usize),
    ) {
        if !enter(level, node) {
            return;
        }
        if level == 0 {
            return visit(node);
        }
        let end = self.levels[level - 1].len().min((node + 1) * GROUP);
        for child in node * GROUP..end {
            self.visit_below(level - 1, child, enter, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_contain_their_particles_and_are_visited_in_order() {
        for n in [0, 1, 31, 32, 33, 1024, 1025, 33_000] {
            let positions: Vec<_> =
                (0..n).map(|k| [f64::from(k), -f64::from(k), f64::from(k % 5)]).collect();
            let tree = Tree::of(&positions);
            assert!(tree.levels.last().is_some_and(|boxes| boxes.len() <= GROUP));
            for (level, boxes) in tree.levels.iter().enumerate() {
                let particles = positions.chunks(GROUP.pow(level as u32 + 1));
                assert_eq!(boxes.len(), particles.len());
                for (bounds, particles) in boxes.iter().zip(particles) {
                    assert_eq!(*bounds, Bounds::of(particles));
                }
            }
            let mut visited = Vec::new();
            tree.visit(&|_, _| true, &mut |group| visited.push(group));
            assert_eq!(visited, (0..positions.len().div_ceil(GROUP)).collect::<Vec<_>>());
            visited.clear();
            tree.visit(&|level, node| level > 0 || node % 2 == 1, &mut |group| visited.push(group));
            assert!(visited.len() <= tree.groups().len() / 2 && visited.iter().all(|k| k % 2 == 1));
        }
    }

    #[test]
    fn displaced_boxes_have_distances() {
        let one = Bounds { least: [0.0; 3], greatest: [1.0, 2.0, 3.0] };
        let other = Bounds { least: [4.0, 1.0, -2.0], greatest: [5.0, 9.0, -1.0] };
        assert_eq!(one.distance2(&other, &[0.0; 3]), 9.0 + 0.0 + 1.0);
        assert_eq!(one.distance2(&other, &[-4.0, 0.0, 2.0]), 0.0);
        assert_eq!(other.distance2(&one, &[0.0, 7.5, 0.0]), 9.0 + 0.0 + 1.0);
        assert_eq!(one.centre(), [0.5, 1.0, 1.5]);
    }
}
