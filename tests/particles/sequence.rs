//! Sequences of operations on every device.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Interaction, Particles, PerParticle, Results, Sequence};
use nbody_tests::particle_programs::{Body, Drift, Pull, Relax, Star};

/// A step of a simulation, in which parameters and the number of results change.
struct Step {
    pull: AllPairs<Pull>,
    drift: PerParticle<Drift>,
    relax: PerParticle<Relax>,
    bodies: Particles<Body>,
    stars: Particles<Star>,
    results: Results<<Pull as Interaction>::F>,
}

impl Step {
    fn new(device: &Device) -> Self {
        let n = 300;
        let pull = AllPairs::new(device, Pull { eps2: 0.1 }).unwrap();
        Self {
            results: pull.results(n).unwrap(),
            pull,
            drift: PerParticle::new(device, Drift { dt: 0.0 }).unwrap(),
            relax: PerParticle::new(device, Relax { rate: 0.0 }).unwrap(),
            bodies: device.upload(&uniform::<Body>(n, 1), Precision::Single).unwrap(),
            stars: device.upload(&uniform::<Star>(n, 2), Precision::Mixed).unwrap(),
        }
    }

    /// Does step `k`, and returns the number of results.
    fn run(&mut self, k: u32) -> Result<usize, nbody::Error> {
        let Self { pull, drift, relax, bodies, stars, results } = self;
        let first = if k < 6 { 100 + k as usize } else { 300 };
        drift.set_parameters(Drift { dt: 0.01 * f64::from(k) });
        relax.set_parameters(Relax { rate: 0.1 });
        relax.update(bodies, &*stars)?;
        drift.update(bodies, ())?;
        results.resize(first)?;
        pull.evaluate_first_into(bodies, bodies, results)?;
        if k == 8 {
            // A copy in between follows the preceding launches.
            assert!(bodies.download()?.iter().all(|body| body.pos.0[0].is_finite()));
        }
        drift.update(bodies, ())?;
        Ok(first)
    }
}

#[test]
fn a_sequence_has_the_effect_of_its_operations() {
    for device in nbody_tests::all_devices() {
        let (mut plain, mut repeated) = (Step::new(&device), Step::new(&device));
        let mut sequence = Sequence::new(&device);
        for k in 0..12 {
            let expected = plain.run(k).unwrap();
            assert_eq!(sequence.run(|| repeated.run(k)).unwrap(), expected);
            if k % 5 < 2 {
                continue;
            }
            let [a, b] = [&plain, &repeated].map(|step| {
                let results = step.results.download::<f64>().unwrap();
                (step.bodies.download().unwrap(), results)
            });
            assert!(a == b, "{device}, {k}");
        }
    }
}

#[test]
fn an_error_in_a_sequence_leaves_what_was_done_before_it() {
    for device in nbody_tests::all_devices() {
        let mut bodies = device.upload(&uniform::<Body>(40, 1), Precision::Double).unwrap();
        let before = bodies.download().unwrap();
        let mut drift = PerParticle::new(&device, Drift { dt: 1.0 }).unwrap();
        let mut sequence = Sequence::new(&device);
        for k in 1..8 {
            let failed = sequence.run(|| {
                drift.update(&mut bodies, ())?;
                Device::upload::<Body>(&device, &[], Precision::Double)?
                    .download_range(0..1)
                    .map(drop)
            });
            assert!(failed.is_err());
            let found = bodies.download().unwrap();
            let moved = |a: &Body, b: &Body| {
                let way = (b.pos - a.pos).norm();
                (way - f64::from(k) * a.vel.norm()).abs() < 1e-12 * f64::from(k)
            };
            assert!(before.iter().zip(&found).all(|(a, b)| moved(a, b)), "{device}, {k}");
        }
    }
}
