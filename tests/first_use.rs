//! What a newcomer meets first.
#![forbid(unsafe_code)]

#[path = "../examples/gravity.rs"]
mod example;

use nbody::prelude::*;

#[test]
fn gravity_takes_thirty_lines_and_works() {
    assert!(include_str!("../examples/gravity.rs").lines().count() <= 30);
    example::main().unwrap();
    let body = |x, mass| example::gravity::Body { pos: Point::new(x, 0.0, 0.0), mass };
    let mut direct =
        AllPairs::new(&Device::best(), example::gravity::Gravity { eps2: 0.0 }).unwrap();
    let fields: Vec<example::gravity::Field> =
        direct.evaluate_self(&[body(0.0, 1.0), body(2.0, 3.0)]).unwrap();
    assert!((fields[0].acc.x - 0.75).abs() < 1e-6 && (fields[1].acc.x + 0.25).abs() < 1e-6);
    assert!((fields[0].pot + 1.5).abs() < 1e-6 && (fields[1].pot + 0.5).abs() < 1e-6);
}

#[test]
fn rows_of_numbers_are_particles_without_a_copy() {
    use nbody_interactions::gravity::{Body, Gravity};
    let rows = [[0.0, 0.0, 0.0, 1.0], [2.0, 0.0, 0.0, 3.0]];
    let bodies: &[Body] = bytemuck::cast_slice(&rows);
    assert_eq!(bodies.as_ptr().cast(), rows.as_ptr());
    let mut direct = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 }).unwrap();
    let fields = direct.evaluate_self(bodies).unwrap();
    let columns: &[[f64; 4]] = bytemuck::cast_slice(&fields);
    assert!((columns[0][0] - 0.75).abs() < 1e-6 && (columns[0][3] + 1.5).abs() < 1e-6);
}
