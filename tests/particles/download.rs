//! Downloads of one field on every device, compared with whole records.

use nbody::law::{FieldValue, Record};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Particles, Selection};
use nbody_tests::particle_programs::{Body, Drift, Pull, Runner, Star};

const SIZES: [usize; 10] = [0, 1, 2, 15, 16, 17, 255, 256, 257, 70_001];

/// Compares one field of all particles with the field of their downloaded records.
fn same<P, T>(device: &Device, particles: &Particles<P>, name: &str, of: impl Fn(&P) -> T)
where
    P: Record<Lane = f64>,
    T: FieldValue + PartialEq,
{
    let expected: Vec<_> = particles.download().unwrap().iter().map(of).collect();
    let found: Vec<T> = particles.download_field(name).unwrap();
    let (n, precision) = (particles.len(), particles.precision());
    assert!(found == expected, "{device}, `{name}` of {n} particles in {precision}");
}

#[test]
fn fields_are_those_of_the_records() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        for &precision in Precision::ALL {
            for n in SIZES {
                let bodies = device.upload(&uniform::<Body>(n, 1), precision).unwrap();
                same(device, &bodies, "pos", |body| body.pos);
                same(device, &bodies, "vel", |body| body.vel);
                same(device, &bodies, "mass", |body| body.mass);
                same(device, &bodies, "kind", |body| body.kind);
                same(device, &bodies, "table", |body| body.table);
                // Records with an odd number of words.
                let stars = device.upload(&uniform::<Star>(n, 1), precision).unwrap();
                same(device, &stars, "flag", |star| star.flag);
                same(device, &stars, "weight", |star| star.weight);
                same(device, &stars, "pos", |star| star.pos);
            }
        }
    }
}

#[test]
fn a_field_is_that_after_all_earlier_work() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let pull = AllPairs::new(device, Pull { eps2: 0.5 }).unwrap();
        let start = uniform::<Body>(300, 1);
        let mut bodies = pull.upload(&start).unwrap();
        let mut drift = PerParticle::new(device, Drift { dt: 0.5 }).unwrap();
        drift.update(&mut bodies, ()).unwrap();
        same(device, &bodies, "pos", |body| body.pos);
        let positions: Vec<Point> = bodies.download_field("pos").unwrap();
        assert!(positions.iter().zip(&start).all(|(pos, body)| *pos != body.pos), "{device}");
        // A buffer with more memory than its particles need.
        let mut selection = Selection::new(device).unwrap();
        let runners = device.upload(&uniform::<Runner>(300, 1), Precision::Double).unwrap();
        selection.select(&runners, "active").unwrap();
        let mut first = device.upload(&uniform::<Runner>(300, 1), Precision::Double).unwrap();
        selection.gather(17, &runners, &mut first).unwrap();
        same(device, &first, "due", |runner| runner.due);
        assert_eq!(first.download_field::<u32>("due").unwrap().len(), 17);
    }
}

#[test]
fn the_cpu_engine_needs_no_device() {
    let stars = uniform::<Star>(40, 1);
    let packed = Device::cpu().upload(&stars, Precision::Double).unwrap();
    let weights: Vec<_> = stars.iter().map(|star| star.weight).collect();
    assert_eq!(packed.download_field::<f64>("weight").unwrap(), weights);
    assert!(packed.download_field::<u32>("weight").is_err());
}
