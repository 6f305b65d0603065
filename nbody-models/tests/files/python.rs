//! Files exchanged with programs in Python: numpy, ASE and h5py, from the folder of packages that
//! `NBODY_PYTHON` names. `cargo xtask test` provides it; without it nothing is tested.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

use nbody_models::{Error, Snapshot, plummer};

type Write = fn(&Snapshot, File) -> Result<(), Error>;
type Read = fn(BufReader<File>) -> Result<Snapshot, Error>;

/// The formats; the text of ASE has 8 decimals.
const FORMATS: &[(&str, Write, Read, f64)] = &[
    ("csv", |it, to| it.write_csv(to), |from| Snapshot::read_csv(from), 0.0),
    ("nemo", |it, to| it.write_nemo(to), |from| Snapshot::read_nemo(from), 0.0),
    ("xyz", |it, to| it.write_xyz(to), |from| Snapshot::read_xyz(from), 1e-8),
    #[cfg(feature = "hdf5")]
    ("hdf5", |it, to| it.write_hdf5(to), |from| Snapshot::read_hdf5(from), 0.0),
];

#[test]
fn programs_in_python_read_and_write_every_format() {
    let Some(packages) = std::env::var_os("NBODY_PYTHON").filter(|it| !it.is_empty()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let snapshot = Snapshot { time: 0.625, ..plummer(300, 1).unwrap() };
    for (name, write, ..) in FORMATS {
        let file = File::create(folder.path().join(format!("ours.{name}"))).unwrap();
        write(&snapshot, file).unwrap();
    }
    // The numbers themselves, to compare with.
    let numbers = snapshot
        .particles
        .iter()
        .flat_map(|p| [p.mass].into_iter().chain(p.pos).chain(p.vel).flat_map(f64::to_le_bytes));
    std::fs::write(folder.path().join("numbers"), numbers.collect::<Vec<_>>()).unwrap();
    let output = Command::new("python3")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/exchange.py"))
        .arg(folder.path())
        .args(FORMATS.iter().map(|it| it.0))
        .env("PYTHONPATH", packages)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}{text}", String::from_utf8_lossy(&output.stdout));
    for (name, _, read, error) in FORMATS {
        compare(&folder.path().join(format!("theirs.{name}")), *read, &snapshot, *error);
    }
    #[cfg(feature = "hdf5")]
    others(folder.path(), &snapshot);
}

fn open(path: &Path) -> BufReader<File> {
    BufReader::new(File::open(path).unwrap())
}

fn compare(path: &Path, read: Read, expected: &Snapshot, error: f64) {
    let found = read(open(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(found.time, expected.time, "{}", path.display());
    assert_eq!(found.particles.len(), expected.particles.len(), "{}", path.display());
    for (a, b) in found.particles.iter().zip(&expected.particles) {
        let apart = |a: f64, b: f64| (a - b).abs() <= error;
        let same = |a: [f64; 3], b: [f64; 3]| (0..3).all(|c| apart(a[c], b[c]));
        let is_same = apart(a.mass, b.mass) && same(a.pos, b.pos) && same(a.vel, b.vel);
        assert!(is_same, "{}: {a:?} {b:?}", path.display());
    }
}

/// Reads further forms of HDF5: compressed in the newest format of 1.10, of 32 bits and big endian,
/// and a table that claims to be larger than the file.
#[cfg(feature = "hdf5")]
fn others(folder: &Path, snapshot: &Snapshot) {
    let read: Read = |from| Snapshot::read_hdf5(from);
    compare(&folder.join("compressed.hdf5"), read, snapshot, 0.0);
    compare(&folder.join("single.hdf5"), read, snapshot, 1e-6);
    let error = read(open(&folder.join("claimed.hdf5"))).unwrap_err().to_string();
    assert!(error.contains("no more than a file of this size can hold"), "{error}");
}
