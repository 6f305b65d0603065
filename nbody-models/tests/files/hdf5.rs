//! HDF5 in the layout of GADGET: read back, in the forms of other programs, malformed and damaged.

use hdf5_pure::{AttrValue, FileBuilder, GroupBuilder};
use nbody_models::{Error, Particle, Snapshot, plummer};
use proptest::prelude::*;

fn write(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot.write_hdf5(&mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Result<Snapshot, Error> {
    Snapshot::read_hdf5(bytes)
}

#[test]
fn a_snapshot_comes_back_bit_by_bit() {
    for n in [1, 37, 5000] {
        let snapshot = Snapshot { time: 0.1, ..plummer(n, 1).unwrap() };
        assert_eq!(read(&write(&snapshot)).unwrap(), snapshot, "{n}");
    }
    let empty = Snapshot { time: 2.0, ..Snapshot::default() };
    assert_eq!(read(&write(&empty)).unwrap(), empty);
}

/// Tables of 32 or 64 bits, compressed or not; several types; a mass for a whole type.
#[test]
fn files_of_other_programs_are_read() {
    let particle = |mass, x| Particle { mass, pos: [x, -2.0, 3.0], vel: [0.25, -0.5, 1e3] };
    let expected = [particle(0.5, 1.0), particle(0.25, -1.5), particle(2.0, 7.0)];
    let positions = |of: &[Particle]| of.iter().flat_map(|p| p.pos).collect::<Vec<_>>();
    let velocities = |of: &[Particle]| of.iter().flat_map(|p| p.vel).collect::<Vec<_>>();
    let single = |numbers: Vec<f64>| numbers.iter().map(|x| *x as f32).collect::<Vec<_>>();
    let mut file = FileBuilder::new();
    let mut header = file.create_group("Header");
    header.set_attr("NumPart_ThisFile", AttrValue::I32Array(vec![2, 0, 0, 1]));
    header.set_attr("NumPart_Total", AttrValue::U64Array(vec![2, 0, 0, 1]));
    header.set_attr("MassTable", AttrValue::F64Array(vec![0.0, 5.0, 0.0, 2.0]));
    header.set_attr("Time", AttrValue::F32(0.5));
    file.add_group(header.finish());
    let mut gas = file.create_group("PartType0");
    let rows = gas.create_dataset("Coordinates").with_f32_data(&single(positions(&expected[..2])));
    rows.with_shape(&[2, 3]).with_chunks(&[1, 3]).with_shuffle().with_deflate(6);
    let rows = gas.create_dataset("Velocities").with_f64_data(&velocities(&expected[..2]));
    rows.with_shape(&[2, 3]);
    gas.create_dataset("Masses").with_f32_data(&[0.5, 0.25]);
    gas.create_dataset("Density").with_f32_data(&[1.0, 2.0]);
    file.add_group(gas.finish());
    let mut bulge = file.create_group("PartType3");
    let rows = bulge.create_dataset("Coordinates").with_f64_data(&positions(&expected[2..]));
    rows.with_shape(&[1, 3]);
    let rows =
        bulge.create_dataset("Velocities").with_f32_data(&single(velocities(&expected[2..])));
    rows.with_shape(&[1, 3]);
    file.add_group(bulge.finish());
    let found = read(&file.finish().unwrap()).unwrap();
    assert_eq!(found, Snapshot { time: 0.5, particles: expected.to_vec() });
}

#[test]
fn a_file_that_is_cut_short_is_refused_wherever_it_ends() {
    let whole = write(&Snapshot { time: 12.5, ..plummer(12, 1).unwrap() });
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "{end} of {} bytes", whole.len());
    }
}

/// Bytes of numbers may change; every other change is an error, or harmless.
#[test]
fn damaged_files_never_cause_a_panic_nor_another_number_of_particles() {
    let snapshot = plummer(12, 1).unwrap();
    let whole = write(&snapshot);
    let mut refused = 0;
    for at in 0..whole.len() {
        for value in [0x00, 0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] = value;
            match read(&damaged) {
                Ok(found) => assert_eq!(found.particles.len(), 12, "{at}: {value}"),
                Err(Error::Layout { .. }) => refused += 1,
                Err(error) => panic!("{at}: {value}: {error}"),
            }
        }
    }
    assert!(refused > whole.len(), "{refused} of {}", whole.len());
}

/// Function that adds tables.
type Tables = fn(&mut GroupBuilder);

/// Builds a file of two particles with these attributes.
fn build(attributes: &[(&str, AttrValue)], tables: Tables) -> Vec<u8> {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("Header");
    for (name, value) in attributes {
        group.set_attr(name, value.clone());
    }
    file.add_group(group.finish());
    let mut group = file.create_group("PartType1");
    tables(&mut group);
    file.add_group(group.finish());
    file.finish().unwrap()
}

fn numbers() -> (&'static str, AttrValue) {
    ("NumPart_ThisFile", AttrValue::U32Array(vec![0, 2]))
}

fn tables(group: &mut GroupBuilder) {
    masses(group, &[0.5, 0.25]);
}

/// Adds tables with these masses.
fn masses(group: &mut GroupBuilder, masses: &[f64]) {
    vectors(group, [1.0; 6], &[2, 3]);
    group.create_dataset("Masses").with_f64_data(masses);
}

fn vectors(group: &mut GroupBuilder, rows: [f64; 6], shape: &[u64]) {
    for name in ["Coordinates", "Velocities"] {
        group.create_dataset(name).with_f64_data(&rows).with_shape(shape);
    }
}

#[test]
fn errors_of_headers_name_the_attribute_and_the_fault() {
    let particle = |mass| Particle { mass, pos: [1.0; 3], vel: [1.0; 3] };
    let expected = Snapshot { time: 0.0, particles: vec![particle(0.5), particle(0.25)] };
    assert_eq!(read(&build(&[numbers()], tables)).unwrap(), expected);
    wrong(&build(&[], tables), "Header/NumPart_ThisFile", "the number of particles");
    let negative = ("NumPart_ThisFile", AttrValue::I32Array(vec![0, -2]));
    wrong(&build(&[negative], tables), "Header/NumPart_ThisFile", "whole numbers");
    let others = ("NumPart_ThisFile", AttrValue::U32Array(vec![0, 2, 7]));
    wrong(&build(&[others], tables), "PartType2", "a group of 7 particles");
    let infinite = AttrValue::F64Array(vec![0.0, f64::INFINITY]);
    for (name, value, part) in [
        ("NumPart_Total", AttrValue::U32Array(vec![0, 3]), "[0, 2] as in NumPart_ThisFile"),
        ("NumFilesPerSnapshot", AttrValue::I32(2), "one file"),
        ("Redshift", AttrValue::F64(3.0), "comoving"),
        ("Redshift", AttrValue::F64(f64::NAN), "a finite number"),
        ("Time", AttrValue::F64(f64::NAN), "a finite number"),
        ("Time", AttrValue::String("now".to_owned()), "a finite number"),
        ("MassTable", infinite, "finite numbers"),
    ] {
        wrong(&build(&[numbers(), (name, value)], tables), &format!("Header/{name}"), part);
    }
    wrong(b"mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n", "the file", "an HDF5 file");
    wrong(b"", "the file", "an HDF5 file");
    wrong(&FileBuilder::new().finish().unwrap(), "Header", "as GADGET writes it");
}

#[test]
fn errors_of_tables_name_the_table_and_the_fault() {
    let cases: [(Tables, &str, &str); 7] = [
        (|_| (), "Coordinates", "[2, 3]"),
        (|it| vectors(it, [1.0; 6], &[2, 3]), "Masses", "real numbers of the shape [2]"),
        (
            |it| {
                vectors(it, [1.0; 6], &[2, 3]);
                it.create_dataset("Masses").with_i32_data(&[1, 2]);
            },
            "Masses",
            "i32 of the shape [2]",
        ),
        (|it| masses(it, &[1.0; 3]), "Masses", "f64 of the shape [3]"),
        (|it| masses(it, &[1.0, f64::NAN]), "Masses", "NaN of the particle 1"),
        (
            |it| vectors(it, [1.0; 6], &[3, 2]),
            "Coordinates",
            "found f64 of the shape [3, 2], expected real numbers of the shape [2, 3]",
        ),
        (
            |it| vectors(it, [1.0, 1.0, 1.0, 1.0, f64::INFINITY, 1.0], &[2, 3]),
            "Coordinates",
            "inf of the particle 1",
        ),
    ];
    for (tables, name, part) in cases {
        wrong(&build(&[numbers()], tables), &format!("PartType1/{name}"), part);
    }
}

fn wrong(bytes: &[u8], expected: &str, part: &str) {
    let error = read(bytes).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::Layout { place, .. } if place == expected), "{message}");
    assert!(message.contains(part), "{message}");
}

proptest! {
    #[test]
    fn any_numbers_come_back_or_are_refused(rows in proptest::collection::vec(any::<[f64; 7]>(), 1..4)) {
        let particle = |&[mass, x, y, z, vx, vy, vz]: &[f64; 7]| {
            Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] }
        };
        let snapshot = Snapshot { time: rows[0][0], particles: rows.iter().map(particle).collect() };
        let is_finite = rows.as_flattened().iter().all(|x| x.is_finite());
        match read(&write(&snapshot)) {
            Ok(found) => prop_assert_eq!(found, snapshot),
            Err(error) => prop_assert!(!is_finite, "{}", error),
        }
    }
}

#[test]
fn a_stream_without_the_signature_is_refused() {
    use std::io::{BufReader, repeat};

    let error = Snapshot::read_hdf5(BufReader::new(repeat(0))).unwrap_err().to_string();
    assert!(error.contains("no signature of HDF5, expected an HDF5 file"), "{error}");
    let file = write(&plummer(3, 1).unwrap());
    let user_block = [vec![0; 1024], file].concat();
    let error = read(&user_block).map_or_else(|error| error.to_string(), |_| String::new());
    assert!(!error.contains("signature"), "{error}");
}
