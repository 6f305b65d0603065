//! Boxes at every power of ten: potentials of trees are right, or every device refuses them in the
//! same way.

use nbody::Error;
use nbody::prelude::*;
use nbody_interactions::gravity::{Body, Gravity};
use nbody_tests::scales::{LENGTH, cube, powers, ten_to};

/// Trees refuse the same boxes as all pairs do; otherwise potentials scale with the inverse length
/// of the cube.
#[test]
fn trees_in_a_box_are_right_or_refused_at_every_scale() {
    let devices = nbody_tests::all_devices();
    let bodies = |unit: f64| {
        let mut bodies: Vec<Body> = nbody::models::uniform(400, 1);
        for body in &mut bodies {
            body.pos = Point(body.pos.0.map(|x| x * unit));
        }
        bodies
    };
    let at_one = |precision| {
        let options = Options::default().precision(precision).domain(cube(LENGTH).unwrap());
        let mut all =
            AllPairs::with_options(&Device::cpu(), Gravity { eps2: 0.0 }, options).unwrap();
        all.evaluate_self::<f64>(&bodies(1.0)).unwrap()
    };
    for (&precision, opening) in Precision::ALL.iter().flat_map(|precision| {
        let monopole = Opening::theta(0.5).expansion(nbody::Expansion::Monopole);
        [(precision, Opening::theta(0.7)), (precision, monopole)]
    }) {
        let (expected, mut right) = (at_one(precision), Vec::new());
        let step = if precision == Precision::Double { 23 } else { 6 };
        for power in powers(precision).step_by(step) {
            let unit = ten_to(power);
            let found: Vec<_> = devices
                .iter()
                .map(|device| -> Result<_, Error> {
                    let options =
                        Options::default().precision(precision).domain(cube(LENGTH * unit)?);
                    let mut tree =
                        Tree::with_options(device, Gravity { eps2: 0.0 }, opening, options)?;
                    tree.evaluate_self::<f64>(&bodies(unit))
                })
                .map(|found| found.map_err(|error| error.to_string()))
                .collect();
            let of = format!("{opening:?} at 1e{power} in {precision}");
            match &found[0] {
                Ok(_) => right.push(power),
                Err(message) => {
                    for other in &found {
                        assert_eq!(other.as_ref().unwrap_err(), message, "{of}");
                    }
                }
            }
            for found in found.iter().flatten() {
                for (found, expected) in found.iter().zip(&expected) {
                    let error = (found.pot * unit / expected.pot - 1.0).abs();
                    assert!(error < 0.02, "{of}: {}, expected {}", found.pot * unit, expected.pot);
                }
            }
        }
        assert!(right.len() > 4, "{precision}: {right:?}");
    }
}
