//! The comparison of a measured number with the expected one.

use std::error::Error;

/// Prints a number beside the expected one; an error if they differ by more than the tolerance.
#[allow(dead_code, reason = "some examples compare nothing")]
pub fn judge(name: &str, found: f64, expected: f64, tolerance: f64) -> Result<(), Box<dyn Error>> {
    println!("{name:<36}{found:>12.6}   expected {expected:.6} within {tolerance:.1e}");
    if (found - expected).abs() <= tolerance {
        Ok(())
    } else {
        Err(format!("{name}: found {found}, expected {expected} within {tolerance:e}").into())
    }
}

#[test]
fn a_number_is_judged_by_its_tolerance() {
    assert!(judge("", 1.0, 1.5, 0.5).is_ok());
    assert!([1.51, -0.5, f64::NAN].iter().all(|x| judge("", *x, 1.0, 0.5).is_err()));
}
