//! Gravity of spheres of many bodies; a few bodies are compared with the reference.

use nbody::check::{FieldReport, compare, reference_self_sample};
use nbody::models::Snapshot;
use nbody::{Domain, Engine, Point, Sources, Store};
use nbody_interactions::gravity::{Body, Field, Gravity};

/// Returns the bodies of a model.
pub fn bodies_of(model: &Snapshot) -> Vec<Body> {
    model.particles.iter().map(|p| Body { pos: Point(p.pos), mass: p.mass }).collect()
}

/// Evaluates the first bodies in the field of all, and returns the errors of their accelerations.
pub fn errors_of_first<E: Engine<Gravity>>(
    engine: &mut E,
    law: Gravity,
    bodies: &[Body],
    n: usize,
) -> Result<FieldReport, nbody::Error> {
    let targets: Vec<_> = (0..n).collect();
    let expected =
        reference_self_sample::<Gravity, f64>(&law, Domain::Open, bodies, bodies, &targets)?;
    let (all, mut out) = (engine.upload(bodies)?, engine.results(n)?);
    engine.evaluate_with(&all, Sources::First(&all), &mut out, Store::Replace)?;
    let found = out.download::<f64>()?;
    Ok(compare::<Field, f64>(&found, &expected, None)?.fields.swap_remove(0))
}
