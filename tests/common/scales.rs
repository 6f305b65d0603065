//! Balls at every power of ten: results are right, or every device refuses them in the same way.
#![allow(clippy::missing_panics_doc, reason = "failed checks")]

use nbody::Error;
use nbody::prelude::*;

use super::contacts::contact::{Ball, Near};
use super::contacts::{Random, UNIT};

/// Length of the box, and a cutoff whose square lies between squared distances.
pub const LENGTH: f64 = 2.0;

pub const CUTOFF: f64 = 0.26;

/// Returns the powers of ten at which the precision can represent the cutoff and the box.
pub fn powers(precision: Precision) -> std::ops::RangeInclusive<i32> {
    if precision == Precision::Double { -322..=307 } else { -44..=38 }
}

/// Returns a power of ten, which may be subnormal.
pub fn ten_to(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap()
}

/// Returns balls whose distances are multiples of 1/64 in this unit.
pub fn balls(unit: f64) -> Vec<Ball> {
    let coarse = |x: f64| (x * 64.0).floor() / 64.0 * unit;
    let mut balls = Random(1).balls(70);
    for ball in &mut balls {
        ball.pos = Point(ball.pos.0.map(coarse));
        ball.h = (0.5 * CUTOFF - 4.0 * UNIT * (ball.mass % 8.0) / 8.0) * unit;
    }
    balls
}

/// Results of a device, or the message of its refusal.
pub type Found = Result<Vec<Near>, String>;

pub fn told(found: Result<Vec<Near>, Error>) -> Found {
    found.map_err(|error| {
        // Only the CPU reports the position of a particle whose position is not finite.
        let message = error.to_string();
        let is_lost = message.ends_with("expected finite coordinates");
        let particle = message.split_inclusive(']').next().unwrap_or_default();
        if is_lost { particle.to_owned() } else { message }
    })
}

/// Checks that devices agree on the right results or on a refusal. Returns whether results are
/// right.
pub fn is_right(found: &[Found], expected: &[Near], of: &str) -> bool {
    for other in &found[1..] {
        assert!(*other == found[0], "{of}: {:?}, on the CPU {:?}", first(other), first(&found[0]));
    }
    let Ok(found) = &found[0] else { return false };
    assert!(found == expected, "{of}: {:?}, expected {:?}", found[0], expected[0]);
    true
}

fn first(found: &Found) -> Result<Near, String> {
    found.as_ref().map(|near| near[0]).map_err(Clone::clone)
}

pub fn cube(length: f64) -> Result<Domain, Error> {
    Domain::periodic([length; 3])
}
