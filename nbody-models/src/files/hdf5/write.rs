//! Writing.

use std::io::Write;

use hdf5_pure::{AttrValue, FileBuilder, LibVer};

use super::{
    FILES, HEADER, MASS, MASSES, NUMBERS, POSITION, REDSHIFT, TIME, TOTAL, TYPE, TYPES, VELOCITY,
    WRITE, layout,
};
use crate::{Error, Snapshot};

/// Attributes of other physics.
const FLAGS: [&str; 6] = [
    "Flag_Sfr",
    "Flag_Cooling",
    "Flag_StellarAge",
    "Flag_Metals",
    "Flag_Feedback",
    "Flag_Entropy_ICs",
];

pub fn write(snapshot: &Snapshot, to: impl Write) -> Result<(), Error> {
    let count = u32::try_from(snapshot.particles.len()).map_err(|_| {
        let found = format!("{} particles", snapshot.particles.len());
        layout("the snapshot", found, "fewer than 2^32 in an HDF5 file: write CSV")
    })?;
    let mut file = FileBuilder::new();
    file.with_libver_bounds(LibVer::Earliest, LibVer::V18);
    let mut header = file.create_group(HEADER);
    for (name, value) in attributes(snapshot.time, count) {
        header.set_attr(name, value);
    }
    file.add_group(header.finish());
    // GADGET has no group of a type without particles.
    if count > 0 {
        tables(snapshot, &mut file);
    }
    file.finish_to(to).map_err(failed)
}

/// Returns the attributes of the header.
fn attributes(time: f64, count: u32) -> Vec<(&'static str, AttrValue)> {
    let mut numbers = vec![0; TYPES];
    numbers[TYPE] = count;
    let mut attributes = vec![
        (NUMBERS, AttrValue::U32Array(numbers.clone())),
        (TOTAL, AttrValue::U32Array(numbers)),
        ("NumPart_Total_HighWord", AttrValue::U32Array(vec![0; TYPES])),
        (MASSES, AttrValue::F64Array(vec![0.0; TYPES])),
        (TIME, AttrValue::F64(time)),
        (FILES, AttrValue::I32(1)),
        ("HubbleParam", AttrValue::F64(1.0)),
        ("Flag_DoublePrecision", AttrValue::I32(1)),
    ];
    attributes.extend(
        [REDSHIFT, "BoxSize", "Omega0", "OmegaLambda"].map(|name| (name, AttrValue::F64(0.0))),
    );
    attributes.extend(FLAGS.map(|name| (name, AttrValue::I32(0))));
    attributes
}

/// Writes the tables of the particles.
fn tables(snapshot: &Snapshot, file: &mut FileBuilder) {
    let particles = &snapshot.particles;
    let rows = particles.len() as u64;
    let mut group = file.create_group(&format!("PartType{TYPE}"));
    let positions: Vec<f64> = particles.iter().flat_map(|p| p.pos).collect();
    group.create_dataset(POSITION).with_f64_data(&positions).with_shape(&[rows, 3]);
    let velocities: Vec<f64> = particles.iter().flat_map(|p| p.vel).collect();
    group.create_dataset(VELOCITY).with_f64_data(&velocities).with_shape(&[rows, 3]);
    let masses: Vec<f64> = particles.iter().map(|p| p.mass).collect();
    group.create_dataset(MASS).with_f64_data(&masses);
    let identifiers: Vec<u32> = (1..).take(particles.len()).collect();
    group.create_dataset("ParticleIDs").with_u32_data(&identifiers);
    file.add_group(group.finish());
}

fn failed(error: hdf5_pure::Error) -> Error {
    let source = match error {
        hdf5_pure::Error::Io(source) => source,
        other => std::io::Error::other(other.to_string()),
    };
    Error::Io { action: WRITE, source }
}
