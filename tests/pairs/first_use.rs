//! First steps with the library.
#![forbid(unsafe_code)]

#[path = "../../examples/gravity.rs"]
#[allow(dead_code, reason = "an example with a `main` of its own")]
mod example;

use example::gravity::{Body, Field, Gravity};
use nbody::prelude::*;

/// Two bodies at a distance of 2, of masses 1 and 3, as rows: a position and a mass.
const ROWS: [[f64; 4]; 2] = [[0.0, 0.0, 0.0, 1.0], [2.0, 0.0, 0.0, 3.0]];

fn bodies() -> [Body; 2] {
    ROWS.map(|[x, y, z, mass]| Body { pos: Point::new(x, y, z), mass })
}

/// Compares the results for the two bodies with values by hand: 3 / 2² and 1 / 2², -3 / 2 and -1 /
/// 2.
fn assert_by_hand(results: &[Field]) {
    let expected = [[0.75, 0.0, 0.0, -1.5], [-0.25, 0.0, 0.0, -0.5]];
    let found: &[[f64; 4]] = bytemuck::cast_slice(results);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
        }
    }
}

#[test]
fn the_example_of_gravity_runs() {
    example::run(&Device::best()).unwrap();
}

#[test]
fn the_law_of_the_example_is_newtons_on_every_device() {
    for device in nbody_tests::all_devices() {
        let mut direct = AllPairs::new(&device, Gravity { eps2: 0.0 }).unwrap();
        assert_by_hand(&direct.evaluate_self(&bodies()).unwrap());
    }
}

/// Uses buffers on the CPU, as without the feature `cuda`.
#[test]
fn the_cpu_needs_no_gpu() {
    fn evaluate(bodies: &[Body], sources: &[Body]) -> Result<Vec<Field>, nbody::Error> {
        let mut direct = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 })?;
        let mut out = direct.results(bodies.len())?;
        let (i, j) = (direct.upload(bodies)?, direct.upload(sources)?);
        direct.evaluate_self_into(&i, &j, &mut out)?;
        out.download()
    }
    assert_by_hand(&evaluate(&bodies(), &bodies()).unwrap());
    let error = evaluate(&bodies(), &bodies()[1..]).unwrap_err();
    assert!(matches!(error, nbody::Error::LengthMismatch { found: 1, expected: 2, .. }));
}

#[test]
fn rows_of_numbers_are_particles_without_a_copy() {
    let bodies: &[Body] = bytemuck::cast_slice(&ROWS);
    assert_eq!(bodies.as_ptr().cast(), ROWS.as_ptr());
    let mut direct = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
    assert_by_hand(&direct.evaluate_self(bodies).unwrap());
}
