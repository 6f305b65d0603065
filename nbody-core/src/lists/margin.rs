//! The margin of lists: how far particles may move, cutoffs grow and the box change before a list
//! can miss a pair.
//!
//! When lists are built they get every pair at a distance of at most R = c + s, where c is the
//! cutoff of the pair, or more, and s the skin. Since then the lengths L of a periodic box have
//! become a L; m is the least a of all axes, or 1 if that is less. A particle at x has moved by u
//! if it is now at a x + u, up to lengths of the box: motion that scales with the box does not
//! count. A pair that was d apart in some image is now a d + u - v apart in the same image, so
//! that
//!
//! m |d| <= |a d + u - v| + |u| + |v|.
//!
//! If the pair is now within its cutoff, which has grown by g, then m |d| <= c + g + |u| + |v|.
//! The lists have the pair if this bound is at most m (c + s), which holds if
//!
//! |u| + |v| + g <= s - (1 - m) (C + s),
//!
//! where C is the greatest cutoff. The growth is g <= p + q, one part for each particle: how far
//! its components are outside the bounds that cutoffs were found for, times the largest rate at
//! which a cutoff changes with a component. If cutoffs also grow by G independently of particles,
//! half of G counts for each particle. So lists are complete if for each particle
//!
//! |u| + p <= (s - (1 - m) (C + s) - G) / 2.
//!
//! Every image is at most one length away, since R does not exceed the lengths. In a triclinic box
//! R does not exceed half of ax, by and cz: then the 27 images of
//! [`displacement`](Cell::displacement) have every pair. If the vectors change, lists are built
//! again. All engines make the same decisions.

use crate::triclinic::Cell;

/// Coordinates beyond this many lengths of a periodic box are wrapped before displacements are
/// computed, which would otherwise lose digits.
pub const OUTSIDE: f64 = 1024.0;
/// The relative rounding error of a position wrapped into the box.
pub const WRAPPED: f64 = 4.0 * f64::EPSILON;

/// Changes since lists were built, apart from changes of particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// The factor of positions along each axis; 1 along open axes.
    pub scale: [f64; 3],
    /// The least factor of all axes, and at most 1.
    pub least: f64,
    /// The largest shift of a position with the box.
    pub drift: f64,
    /// The largest motion of a particle that cannot change a nearest image.
    pub room: f64,
    /// An exclusive bound for cutoffs: half of the shortest length of the box, or just above the
    /// largest cutoff of the precision.
    pub half: f64,
    /// The growth of cutoffs that is independent of particles.
    pub growth: f64,
}

/// The margin left for each particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margin {
    /// The factor of positions along each axis.
    pub scale: [f64; 3],
    /// The limit of a particle's motion plus its part of the growth of cutoffs.
    most: f64,
    /// An exclusive limit of a particle's part of the growth of cutoffs.
    growth: f64,
}

impl Change {
    /// Returns the change from the box `before` to `now`; `None` if other axes are open, or if one
    /// of two different boxes is triclinic. `most` is the greatest cutoff of the precision.
    pub fn of(before: &Cell, now: &Cell, growth: f64, most: f64) -> Option<Self> {
        if (before.is_tilted() || now.is_tilted()) && before != now {
            return None;
        }
        let (before, now) = (&before.lengths, &now.lengths);
        let infinite = f64::INFINITY;
        let mut change = Self {
            scale: [1.0; 3],
            least: 1.0,
            drift: 0.0,
            room: infinite,
            half: most.next_up(),
            growth,
        };
        for axis in 0..3 {
            let (from, to) = (before[axis], now[axis]);
            if (from > 0.0) != (to > 0.0) {
                return None;
            }
            if to > 0.0 {
                change.half = change.half.min(to * 0.5);
            }
            if to.to_bits() != from.to_bits() {
                let (scale, drift) = (to / from, (to - from).abs());
                change.scale[axis] = scale;
                change.least = change.least.min(scale);
                change.drift = change.drift.max(drift);
                change.room = change.room.min(to * 0.5 - drift);
            }
        }
        Some(change)
    }

    /// Returns the margin of lists with this greatest cutoff and skin; `None` if they must be
    /// built again.
    pub fn margin(&self, greatest: f64, skin: f64) -> Option<Margin> {
        let Self { scale, least, drift, room, half, growth } = *self;
        let reach = greatest + skin;
        let lost = if least < 1.0 { (1.0 - least) * reach } else { 0.0 };
        let most = (skin - lost - growth) * 0.5;
        // Positions are relative to the places of groups at the last build, and would lose digits
        // far from there.
        let is_near = drift <= reach && (drift == 0.0 || most <= room);
        let is_good = most >= 0.0 && is_near && greatest + growth < half;
        is_good.then_some(Margin { scale, most, growth: (half - greatest) * 0.5 })
    }
}

impl Margin {
    /// Returns the margin of lists just built in this box, for this greatest cutoff and skin. `most` is the greatest cutoff of the precision.
    pub fn at_first([greatest, skin]: [f64; 2], cell: &Cell, most: f64) -> Self {
        let periodic = cell.lengths.iter().filter(|length| **length > 0.0);
        let half = periodic.fold(most.next_up(), |half, length| half.min(length * 0.5));
        Self { scale: [1.0; 3], most: skin * 0.5, growth: (half - greatest) * 0.5 }
    }

    /// Returns the limit of a particle's motion plus its part of the growth of cutoffs, and the
    /// exclusive limit of this part.
    pub fn parts(&self) -> [f64; 2] {
        [self.most, self.growth]
    }

    /// Returns the greatest permissible square of a particle's motion, given its part of the
    /// growth of cutoffs; negative, below any square, if nothing is left. It is finite, so that an
    /// infinite square is refused.
    pub fn limit(&self, growth: f64) -> f64 {
        let left = self.most - growth;
        let is_good = left >= 0.0 && (growth == 0.0 || growth < self.growth);
        if is_good { (left * left).min(f64::MAX) } else { -1.0 }
    }
}
