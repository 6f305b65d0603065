//! Every interaction against a truth that is not its own formula: an analytic result, a published
//! number, a conservation law, or the derivative of another of its results.
//!
//! Each test says with which change of its interaction it was seen to fail.

mod boundary;
mod electrostatics;
mod gravitation;
mod hydrodynamics;
mod molecular;
mod optics;
mod shapes;
mod statistics;
mod vortex;

/// Fails unless the values agree to a part of `scale`; NaN agrees with nothing.
#[track_caller]
fn near(found: f64, expected: f64, scale: f64, tolerance: f64) {
    let error = (found - expected).abs() / scale;
    assert!(error <= tolerance, "found {found}, expected {expected}: error {error:e}");
}
