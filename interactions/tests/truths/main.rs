//! Tests every interaction against a result that does not use its formula: an analytic result, a
//! published number, a conservation law, or the derivative of another of its results.
//!
//! The comment of each test lists changes of the interaction that were seen to make the test fail.

mod bonded;
mod boundary;
mod dissipative;
mod electrostatics;
mod gravitation;
mod hydrodynamics;
mod molecular;
mod optics;
mod shapes;
mod statistics;
mod tables;
mod thermostats;
mod vortex;

/// Asserts that the values agree within `tolerance` in units of `scale`; NaN never agrees.
#[track_caller]
fn near(found: f64, expected: f64, scale: f64, tolerance: f64) {
    let error = (found - expected).abs() / scale;
    assert!(error <= tolerance, "found {found}, expected {expected}: error {error:e}");
}
