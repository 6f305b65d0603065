//! Boundary elements on the unit sphere.

use std::f64::consts::PI;

use nbody::check::{reference, reference_self};
use nbody::{Domain, Point, Vector};
use nbody_interactions::{double_layer, single_layer};

use crate::near;
use crate::shapes::sphere;

const PANELS: usize = 2000;
const AREA: f64 = 4.0 * PI / PANELS as f64;

/// The density that holds a conducting sphere at unit potential, from the single-layer equation,
/// has the charge 4πR, which is the capacitance of the sphere. Outside, its field equals the field
/// of this charge at the centre.
///
/// Fails with `0.5 / core::f64::consts::PI`, with `f.gradient += ...` and with `rinv` in place of
/// `rinv * rinv`.
#[test]
fn capacitance_of_a_sphere() {
    let points = sphere(PANELS);
    let targets: Vec<_> = points.iter().map(|p| single_layer::Target { pos: Point(*p) }).collect();
    let panels = |density: &[f64]| -> Vec<_> {
        let panel = |(p, density): (&[f64; 3], &f64)| single_layer::Panel {
            pos: Point(*p),
            charge: density * AREA,
        };
        points.iter().zip(density).map(panel).collect()
    };
    // A panel acts on itself like a disc, whose potential at the centre is half the radius.
    let own = 0.5 * (AREA / PI).sqrt();
    let mut density = vec![1.0; PANELS];
    for _ in 0..40 {
        let panels = panels(&density);
        let others =
            reference_self::<_, f64>(&single_layer::SingleLayer, Domain::Open, &targets, &panels)
                .unwrap();
        for (density, others) in density.iter_mut().zip(others) {
            // Richardson's iteration: a single layer of the sphere has eigenvalues up to 1.
            *density += 1.0 - (others.pot + own * *density);
        }
    }
    let charge: f64 = density.iter().sum::<f64>() * AREA;
    near(charge, 4.0 * PI, 4.0 * PI, 3e-3);
    let target = [single_layer::Target { pos: Point::new(0.0, 1.2, 1.6) }];
    let layer = single_layer::SingleLayer;
    let outside = reference::<_, f64>(&layer, Domain::Open, &target, &panels(&density)).unwrap()[0];
    near(outside.pot, 0.5, 0.5, 3e-3);
    near(outside.gradient[1], -0.6 * 0.25, 0.25, 3e-3);
    near(outside.gradient[2], -0.8 * 0.25, 0.25, 3e-3);
}

/// Evaluates the potential of a double layer of density μ(x, y, z) at a point.
fn layer(density: impl Fn([f64; 3]) -> f64, at: [f64; 3]) -> double_layer::Potential {
    let panel = |p: [f64; 3]| double_layer::Panel {
        pos: Point(p),
        dipole: Vector(p.map(|n| n * density(p) * AREA)),
    };
    let panels: Vec<_> = sphere(PANELS).into_iter().map(panel).collect();
    let target = [double_layer::Target { pos: Point(at) }];
    reference::<_, f64>(&double_layer::DoubleLayer, Domain::Open, &target, &panels).unwrap()[0]
}

/// The potential of a constant double layer is the solid angle: −1 inside, 0 outside (Gauss). For
/// the density z, the potential is −2z/3 inside and z/3r³ outside (Kellogg 1929, chapter IX, for
/// harmonics of degree 1).
///
/// Fails with `f.pot -= ...`, with `0.5 / core::f64::consts::PI`, with `2.0 * along` and with
/// `j.dipole + 3.0 * along * rinv2 * d`.
#[test]
fn double_layers_of_a_sphere() {
    let (inside, outside) = ([0.1, 0.2, 0.5], [0.0, 1.2, 1.6]);
    near(layer(|_| 1.0, inside).pot, -1.0, 1.0, 3e-3);
    near(layer(|_| 1.0, outside).pot, 0.0, 1.0, 3e-3);
    let found = layer(|p| p[2], inside);
    near(found.pot, -2.0 / 3.0 * inside[2], 1.0, 3e-3);
    for (found, expected) in found.gradient.0.into_iter().zip([0.0, 0.0, -2.0 / 3.0]) {
        near(found, expected, 1.0, 1e-2);
    }
    let found = layer(|p| p[2], outside);
    near(found.pot, 1.6 / 24.0, 1.0, 3e-3);
    // The gradient of z/3r³ at r = 2.
    let expected = [0.0, -1.6 * 1.2 / 32.0, 1.0 / 24.0 - 1.6 * 1.6 / 32.0];
    for (found, expected) in found.gradient.0.into_iter().zip(expected) {
        near(found, expected, 1.0, 3e-3);
    }
}
