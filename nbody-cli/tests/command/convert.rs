//! `nbody convert`, and snapshots on standard streams.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use nbody::models::{Snapshot, plummer};

use crate::{nbody, stderr};

/// Runs the command with this standard input.
fn fed(input: &[u8], arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nbody"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Extensions of the formats.
const FORMATS: &[&str] = &[
    "csv",
    "nemo",
    "xyz",
    #[cfg(feature = "hdf5")]
    "hdf5",
];

#[test]
fn snapshots_pass_through_every_format_and_the_streams() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let expected = Snapshot { time: 0.3, ..plummer(20, 1).unwrap() };
    let mut first = Vec::new();
    expected.write_csv(&mut first).unwrap();
    std::fs::write(path("first.csv"), &first).unwrap();
    for format in FORMATS {
        // From a file to a file, from there to a stream, and from a stream to a stream.
        let file = path(&format!("second.{format}"));
        let output = nbody(&["convert", &path("first.csv"), "-o", &file]);
        assert!(output.status.success() && output.stdout.is_empty(), "{}", stderr(&output));
        let written = nbody(&["convert", &file, "--format", format, "-o", "-"]).stdout;
        assert_eq!(written, std::fs::read(&file).unwrap(), "{format}");
        let output = fed(&written, &["convert", "-", "--from", format]);
        assert_eq!(output.stdout, first, "{format}: {}", stderr(&output));
    }
}

#[test]
fn unreadable_snapshots_are_refused_and_no_file_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("some.dat"), "1,2,3").unwrap();
    let (dat, missing, out) = (path("some.dat"), path("missing.csv"), path("out.csv"));
    for (arguments, code, part) in [
        (&["-"][..], 1, "the standard input has no extension of a format, expected .csv, .nemo"),
        (&["-", "--from", "csv"], 1, "the standard input: line 1: found"),
        (&[&dat], 1, "give --from FORMAT"),
        (&[&dat, "--from", "csv"], 1, "some.dat: line 1: found"),
        #[cfg(feature = "hdf5")]
        (&[&dat, "--from", "hdf5"], 1, "some.dat: the file: found"),
        #[cfg(unix)]
        (&["/dev/zero", "--from", "csv"], 1, "/dev/zero: line 1: found a byte 0x00, expected text"),
        #[cfg(unix)]
        (&["/dev/zero", "--from", "nemo"], 1, "line 1: found a byte 0x00, expected text"),
        #[cfg(unix)]
        (&["/dev/zero", "--from", "xyz"], 1, "line 1: found a byte 0x00, expected text"),
        #[cfg(all(unix, feature = "hdf5"))]
        (&["/dev/zero", "--from", "hdf5"], 1, "the file: found no signature of HDF5"),
        (&[&missing], 1, "missing.csv: cannot open the file: "),
        (&[&missing, "--from", "yaml"], 2, "possible values: csv, nemo, xyz"),
        (&[], 2, "<FILE>"),
    ] {
        let output = fed(b"mass,x\n", &[&["convert", "-o", &out], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
        assert!(!std::path::Path::new(&out).exists(), "{arguments:?}");
    }
}
