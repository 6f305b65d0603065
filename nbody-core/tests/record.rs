//! Records, vectors and scalars.
mod common;
use common::{Body, Field, Gravity};
use nbody_core::{Interaction, Record};

#[test]
fn dimensions_are_derived() {
    assert_eq!((Body::<f64>::DIM, Field::<f64>::DIM, Gravity::<f64>::DIM), (4, 4, 1));
}
#[test]
fn a_law_has_the_layouts_of_its_types() {
    let nbody_core::Law { name, parameters, i, j, f, .. } = *Gravity::LAW;
    assert_eq!(name, "gravity");
    assert_eq!(parameters, Gravity::<f64>::FIELDS);
    assert_eq!((i, j, f), (Body::<f64>::FIELDS, Body::<f64>::FIELDS, Field::<f64>::FIELDS));
}
#[test]
fn raw_rows_cast_to_bodies_without_a_copy() {
    let rows = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]];
    let bodies: &[Body] = bytemuck::cast_slice(&rows);
    assert_eq!(bodies[1].pos.0, [5.0, 6.0, 7.0]);
    assert!(bodies[0].mass == 4.0);
}
