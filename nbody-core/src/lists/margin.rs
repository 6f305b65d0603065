//! The margin of lists: how far particles may move, cutoffs grow and the box change before pairs can be missing.
//!
//! Lists have every pair whose distance was no more than R = c + s when they were built, where c is the cutoff of
//! the pair then, or more, and s is the skin. Let a periodic box of the lengths L have the lengths a L since, with
//! the least a of all axes, or 1 if that is less, named m. A particle that was at x has moved by u if it is at
//! a x + u now, up to lengths of the box: all that scales with the box does not count. A pair that was d apart, in
//! some image, is then a d + u - v apart in the same image, so that
//!
//! m |d| <= |a d + u - v| + |u| + |v|.
//!
//! If it is within its cutoff now, which has grown by g, then m |d| <= c + g + |u| + |v|, and the lists have it if
//! this is no more than m (c + s), which is the case if
//!
//! |u| + |v| + g <= s - (1 - m) (C + s), with the greatest cutoff C.
//!
//! Growth is g <= p + q, of the parts of both particles: how far the numbers of each are beyond the bounds that
//! cutoffs were found for, times the most that a cutoff changes with a number. Where cutoffs grow without regard to
//! particles, by G, half of it is of each. So lists are complete if for each particle
//!
//! |u| + p <= (s - (1 - m) (C + s) - G) / 2.
//!
//! Every image is at most one length away, since R is no more than the lengths. Engines make all decisions alike.

/// A coordinate is wrapped before its distance from a position in a periodic box is found if it is beyond this many
/// lengths: the distance would lose digits.
pub const OUTSIDE: f64 = 1024.0;
/// The relative rounding error of a position that was wrapped into the box.
pub const WRAPPED: f64 = 4.0 * f64::EPSILON;

/// Changes since lists were built, apart from those of the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// The factors of positions along each axis, 1 along open axes.
    pub scale: [f64; 3],
    /// The least factor, or 1.
    pub least: f64,
    /// The greatest length by which a position changes with the box.
    pub drift: f64,
    /// The motion of a particle with which the nearest image stays the same.
    pub room: f64,
    /// The length that no cutoff may reach: half of the shortest one of the box, or the bound of the precision.
    pub half: f64,
    /// The growth of the cutoffs that depend on no particle.
    pub growth: f64,
}

/// The margin that is left for a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margin {
    /// The factors of positions along each axis.
    pub scale: [f64; 3],
    /// The greatest motion, with the part of the growth of a cutoff.
    most: f64,
    /// The part of the growth of a cutoff that is more.
    growth: f64,
}

impl Change {
    /// Returns the change from a box of some lengths to others, which are 0 along open axes; `None` if other axes
    /// are open. Cutoffs may be `most` at most.
    pub fn of(before: &[f64; 3], now: &[f64; 3], growth: f64, most: f64) -> Option<Self> {
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

    /// Returns the margin of lists of this greatest cutoff and skin, if there is one.
    pub fn margin(&self, greatest: f64, skin: f64) -> Option<Margin> {
        let Self { scale, least, drift, room, half, growth } = *self;
        let reach = greatest + skin;
        let lost = if least < 1.0 { (1.0 - least) * reach } else { 0.0 };
        let most = (skin - lost - growth) * 0.5;
        // Positions are relative to where groups were, and would lose digits far away.
        let is_near = drift <= reach && (drift == 0.0 || most <= room);
        let is_good = most >= 0.0 && is_near && greatest + growth < half;
        is_good.then_some(Margin { scale, most, growth: (half - greatest) * 0.5 })
    }
}

impl Margin {
    /// Returns that of lists which have just been built in a box of these lengths, for this greatest cutoff and skin.
    /// Cutoffs may be `most` at most.
    pub fn at_first([greatest, skin]: [f64; 2], lengths: &[f64; 3], most: f64) -> Self {
        let periodic = lengths.iter().filter(|length| **length > 0.0);
        let half = periodic.fold(most.next_up(), |half, length| half.min(length * 0.5));
        Self { scale: [1.0; 3], most: skin * 0.5, growth: (half - greatest) * 0.5 }
    }

    /// Returns the greatest motion of a particle, with the part of the growth of a cutoff, and the part that is
    /// too much.
    pub fn parts(&self) -> [f64; 2] {
        [self.most, self.growth]
    }

    /// Returns the greatest square of the motion of a particle with this part of the growth of a cutoff; less than
    /// any if there is none. An infinite one is beyond.
    pub fn limit(&self, growth: f64) -> f64 {
        let left = self.most - growth;
        let is_good = left >= 0.0 && (growth == 0.0 || growth < self.growth);
        if is_good { (left * left).min(f64::MAX) } else { -1.0 }
    }
}
