//! Snapshots written and read back, and malformed files.

#[cfg(feature = "hdf5")]
mod hdf5;
mod python;

use std::io::{BufRead, BufReader, Read as _};

use nbody_models::{Error, Particle, Snapshot, plummer};
use proptest::prelude::*;

fn csv(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot.write_csv(&mut bytes).unwrap();
    bytes
}

fn nemo(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot.write_nemo(&mut bytes).unwrap();
    bytes
}

fn xyz(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot.write_xyz(&mut bytes).unwrap();
    bytes
}

type Read = fn(&[u8]) -> Result<Snapshot, Error>;
type Write = fn(&Snapshot) -> Vec<u8>;

/// The formats, each with its reader.
const FORMATS: [(&str, Write, Read); 3] = [
    ("CSV", csv, |text| Snapshot::read_csv(text)),
    ("NEMO", nemo, |text| Snapshot::read_nemo(text)),
    ("XYZ", xyz, |text| Snapshot::read_xyz(text)),
];

#[test]
fn a_snapshot_comes_back_bit_by_bit() {
    let mut snapshot = plummer(37, 1).unwrap();
    snapshot.time = 0.1;
    for (name, write, read) in FORMATS {
        assert_eq!(read(&write(&snapshot)).unwrap(), snapshot, "{name}");
        let empty = Snapshot::default();
        assert_eq!(read(&write(&empty)).unwrap(), empty, "{name}");
    }
}

#[test]
fn a_file_that_is_cut_short_is_refused_wherever_it_ends() {
    let snapshot = Snapshot { time: 12.5, ..plummer(12, 1).unwrap() };
    for (name, write, read) in FORMATS {
        let whole = write(&snapshot);
        assert!(whole.len() > 1000, "{name}");
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{name}: {end} of {} bytes", whole.len());
        }
    }
}

/// Writes a table of two particles with this separator, header and exponent.
fn table(comments: &str, header: &str, separator: &str, exponent: &str) -> String {
    let row = |mass: f64, x: f64| {
        let numbers = [mass, x, -2.0, 3.0, 0.25, -0.5, 1e-3];
        numbers.map(|x| format!("{x:e}").replace('e', exponent)).join(separator)
    };
    format!("{comments}{header}\n{}\n{}\n", row(0.5, 1.0), row(0.25, -1.5))
}

#[test]
fn tables_of_other_programs_are_read() {
    let particle = |mass, x| Particle { mass, pos: [x, -2.0, 3.0], vel: [0.25, -0.5, 1e-3] };
    let expected = [particle(0.5, 1.0), particle(0.25, -1.5)];
    for names in ["mass,x,y,z,vx,vy,vz", "Mass,X,Y,Z,VX,VY,VZ", "mass x y z vx vy vz"] {
        for mark in ["", "# ", "#"] {
            for separator in [",", ", ", ";", "\t", " ", "   "] {
                for exponent in ["e", "E", "D", "d"] {
                    let text = table("# time 2\n", &format!("{mark}{names}"), separator, exponent);
                    for text in [text.clone(), text.replace('\n', "\r\n"), text.replace('\n', "\r")]
                    {
                        let found = Snapshot::read_csv(text.as_bytes()).unwrap();
                        assert_eq!(
                            (found.time, &found.particles[..]),
                            (2.0, &expected[..]),
                            "{text}"
                        );
                    }
                }
            }
        }
    }
    // A byte-order mark, comments in Latin-1, quotes, an index, an exponent of three digits.
    let rows = b"\xef\xbb\xbf# time: 2\n#\xe9toiles\n\"\",\"mass\",x,y,z,vx,vy,vz,\"na, me\"\n        0,0.5-100,\"1\",2.,3,4,5,6,\"a, b\"\n";
    let found = Snapshot::read_csv(&rows[..]).unwrap();
    let particle = Particle { mass: 0.5e-100, pos: [1.0, 2.0, 3.0], vel: [4.0, 5.0, 6.0] };
    assert_eq!(found, Snapshot { time: 2.0, particles: vec![particle] });
    let nemo = "\u{feff}1\r\n3\r\n0.2D+01\r\n0.5-100\r\n1d0 2 3\r\n4 5 6\r\n";
    assert_eq!(Snapshot::read_nemo(nemo.as_bytes()).unwrap(), found);
    let xyz = "1\nLattice=\"9 0 0\" properties=species:S:1:Velo:R:3:id:I:1:masses:R:1:pos:R:3 time=2\n        Ar 4 5 6 17 0.5D-100 1 2 3\n\n";
    assert_eq!(Snapshot::read_xyz(xyz.as_bytes()).unwrap(), found);
}

#[test]
fn files_have_the_documented_layout() {
    let particle = Particle { mass: 0.5, pos: [1.0, 2.0, 3.5], vel: [-1.0, 0.0, 1e-9] };
    let snapshot = Snapshot { time: 2.0, particles: vec![particle] };
    assert_eq!(
        String::from_utf8(csv(&snapshot)).unwrap(),
        "# time 2\n# particles 1\nmass,x,y,z,vx,vy,vz\n0.5,1,2,3.5,-1,0,0.000000001\n"
    );
    assert_eq!(
        String::from_utf8(nemo(&snapshot)).unwrap(),
        "1\n3\n2\n0.5\n1 2 3.5\n-1 0 0.000000001\n"
    );
    let mut xyz = Vec::new();
    snapshot.write_xyz(&mut xyz).unwrap();
    assert_eq!(
        String::from_utf8(xyz).unwrap(),
        "1\nProperties=pos:R:3:velo:R:3:mass:R:1 Time=2\n1 2 3.5 -1 0 0.000000001 0.5\n"
    );
}

#[test]
fn columns_come_in_any_order() {
    let text = "id,vz,vy,vx,z,y,x,mass\n7,6,5,4,3,2,1,0.5\n";
    let particle = Particle { mass: 0.5, pos: [1.0, 2.0, 3.0], vel: [4.0, 5.0, 6.0] };
    assert_eq!(Snapshot::read_csv(text.as_bytes()).unwrap().particles, [particle]);
}

#[test]
fn the_time_is_read_from_a_comment() {
    let time = |comments: &str| {
        let text = format!("{comments}\nmass,x,y,z,vx,vy,vz\n");
        Snapshot::read_csv(text.as_bytes()).unwrap().time
    };
    for comment in [
        "# time 0.5",
        "#time=0.5",
        "# time = 0.5",
        "# t = 0.5",
        "#\ttime\t5e-1 ",
        "# t=0.5",
        "# time: 0.5",
        "# Time = 0.5",
        "## TIME 5.0D-1",
        "# Time [Myr] = 0.5",
        "# t: 0.5 Myr",
        "# particles 0, t = 0.5",
        "# snapshot time: 0.5",
        "  # time 0.5",
        "% time 0.5",
        "! time = 0.5",
        "# N=300 t=0.5",
        "# N=300 time=0.5 eps=0.1",
        "# snapshot at t=0.5",
        "# Snapshot 3 at time = 0.5",
        "# step 10 time 0.5",
        "# - time: 0.5",
        "# \"time\": 0.5",
        "# {\"step\": 3, \"time\": 0.5}",
        "# 1 time unit = 14.9 Myr, t = 0.5",
    ] {
        assert_eq!(time(comment), 0.5, "{comment}");
        assert_eq!(time(&format!("\u{feff}{comment}")), 0.5, "{comment}");
        assert_eq!(time(&format!("# timestep 0.1\n{comment}\n# time 2")), 0.5, "{comment}");
    }
    let others = [
        "# timestep 0.1",
        "# times 3",
        "# time_step = 0.1",
        "# t 3",
        "# total = 3",
        "# dt = 3",
        "# time-step 3",
        "# crossing time = 2.8",
        "# particles in time",
        "# time step 0.1",
        "# time unit: 3 Myr",
        "# 1 time unit = 14.9 Myr",
        "# cpu time: 33",
        "# wall time 33 s",
        "# end time = 9",
    ];
    for comment in others {
        assert_eq!(time(comment), 0.0, "{comment}");
    }
    for name in ["time", "Time", "t"] {
        let column = format!("{name},mass,x,y,z,vx,vy,vz\n0.5,1,2,3,4,5,6,7\n0.5,1,2,3,4,5,6,7\n");
        assert_eq!(Snapshot::read_csv(column.as_bytes()).unwrap().time, 0.5, "{name}");
    }
    for key in ["Time=0.5", "time = 0.5", "t=0.5", "Time =\"0.5\""] {
        let xyz = format!("1\n{key} Properties=pos:R:3:velo:R:3:mass:R:1\n1 2 3 4 5 6 7\n");
        assert_eq!(Snapshot::read_xyz(xyz.as_bytes()).unwrap().time, 0.5, "{key}");
    }
}

#[test]
fn errors_of_malformed_files_name_the_line_and_the_fault() {
    let csv = [
        ("mass,x,y,z,vx,vy\n", 1, "vz"),
        ("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n1,2,3,nan,5,6,7\n", 3, "`nan`"),
        ("mass,x,y,z,vx,vy,vz\n1,2,three,4,5,6,7\n", 2, "`three`"),
        ("mass,x,y,z,vx,vy,vz\n1,2,3\n", 2, "columns"),
        ("# time soon\nmass,x,y,z,vx,vy,vz\n", 1, "`soon`"),
        ("# timestep 1\n# t = inf\nmass,x,y,z,vx,vy,vz\n", 2, "`inf`"),
        ("", 1, "mass"),
        ("mass,x,y,z,vx,vy,vz,x\n", 1, "two columns x"),
        ("# a\n#mass,x,y,z,X,vx,vy,vz\n1,2,3,4,5,6,7,8\n", 2, "two columns x"),
        ("1,2,3,4,5,6,7\n", 1, "a column mass"),
        ("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7,8\n", 2, "8 columns, expected 7"),
        ("mass;x;y;z;vx;vy;vz\n\n1;2;0,5;4;5;6;7\n", 3, "2 columns"),
        ("# caf\u{e9}\nmass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\u{fffd}\n", 3, "expected vz"),
        ("# time = 0,5\nmass,x,y,z,vx,vy,vz\n", 1, "`0,5`"),
        ("# N = 3, t: 0,5\nmass,x,y,z,vx,vy,vz\n", 1, "`0,5`"),
        ("# time:\nmass,x,y,z,vx,vy,vz\n", 1, "the time"),
        ("# time 1\nmass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n# time 2\n", 4, "one snapshot in a file"),
        (
            "#mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n#mass,x,y,z,vx,vy,vz\n",
            3,
            "one snapshot in a file",
        ),
        (
            "time,mass,x,y,z,vx,vy,vz\n1,1,2,3,4,5,6,7\n2,1,2,3,4,5,6,7\n",
            3,
            "one snapshot in a file",
        ),
        ("# time 3\nmass,x,y,z,vx,vy,vz,time\n1,2,3,4,5,6,7,8\n", 3, "3 as in line 1"),
        ("# particles 2\nmass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n", 3, "2 particles, as line 1 states"),
        ("# particles: many\nmass,x,y,z,vx,vy,vz\n", 1, "a whole number"),
        ("# particles 1\nmass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7", 3, "cut short"),
        ("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n1,2,3,4,5,6,7", 3, "cut short"),
        ("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,1-3\n", 2, "`1-3`"),
    ];
    for (text, line, part) in csv {
        wrong(Snapshot::read_csv(text.as_bytes()), line, part);
    }
    let nemo = [
        ("", 1, "end of the file"),
        ("-1\n3\n0\n", 1, "`-1`"),
        ("1\n2\n0\n", 2, "3 dimensions"),
        ("1\n3\n0\n1\n1 2 3\n1 2\n", 6, "end of the file"),
        ("1\n3\n0\n1\n1 2 inf\n1 2 3\n", 5, "`inf`"),
        ("1\n3\n0\n1\n1 2 3\n1 2 3\n4\n", 7, "`4`"),
        ("18446744073709551615\n3\n0\n1\n", 4, "a mass"),
    ];
    for (text, line, part) in nemo {
        wrong(Snapshot::read_nemo(text.as_bytes()), line, part);
    }
    let head = "2\nProperties=pos:R:3:velo:R:3:mass:R:1";
    let xyz = [
        (String::new(), 1, "number of particles"),
        ("two\n".to_owned(), 1, "`two`"),
        ("2\n".to_owned(), 1, "Properties"),
        ("2\nAr 1 2 3\n".to_owned(), 2, "Properties=pos:R:3"),
        ("2\nProperties=pos:R:3:mass:R:1\n".to_owned(), 2, "velo"),
        ("2\nProperties=pos:R:2:velo:R:3:mass:R:1\n".to_owned(), 2, "pos once, with 3 columns"),
        ("2\nProperties=pos:R:3:velo:R:3:pos:R:3:mass:R:1\n".to_owned(), 2, "pos once"),
        ("2\nProperties=pos:R:3:velo:R:3:mass\n".to_owned(), 2, "types and numbers"),
        (format!("{head} Time=soon\n"), 2, "`soon`"),
        (format!("{head} Time=1 time=2\n"), 2, "two of time"),
        (format!("{head}\n1 2 3 4 5 6 7\n1 2 3 4 5 6\n"), 4, "6 columns"),
        (format!("{head}\n1 2 3 4 5 6 7\n1 2 3 4 5 6 m\n"), 4, "expected mass"),
        (format!("{head}\n1 2 3 4 5 6 7\n"), 3, "2 particles, as line 1 states"),
        (format!("{head}\n1 2 3 4 5 6 7\n1 2 3 4 5 6 7\n2\n"), 5, "one snapshot"),
    ];
    for (text, line, part) in &xyz {
        wrong(Snapshot::read_xyz(text.as_bytes()), *line, part);
    }
    wrong(Snapshot::read_csv(&b"\xff\xfem\0a\0"[..]), 1, "UTF-16");
    wrong(Snapshot::read_csv(&b"mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,\xe9\n"[..]), 2, "expected vz");
}

/// Streams without an end, which would fill the memory.
#[test]
fn streams_that_are_no_text_are_refused_where_that_shows() {
    type Read = fn(&mut dyn BufRead) -> Result<Snapshot, Error>;
    let readers: [Read; 3] = [
        |from| Snapshot::read_csv(from),
        |from| Snapshot::read_nemo(from),
        |from| Snapshot::read_xyz(from),
    ];
    for read in readers {
        let endless = |head: &'static [u8], byte| {
            read(&mut BufReader::new(head.chain(std::io::repeat(byte))))
        };
        wrong(endless(b"", 0), 1, "a byte 0x00, expected text");
        wrong(endless(b"# a\n# b\n", 0x1b), 3, "a byte 0x1b");
        wrong(endless(b"2\n", b' '), 2, "more than 1048576 bytes");
        wrong(endless(b"", 0xff), 1, "more than 1048576 bytes");
    }
}

fn wrong(read: Result<Snapshot, Error>, expected: u64, part: &str) {
    let error = read.unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::Syntax { line, .. } if line == expected), "{message}");
    assert!(message.contains(part), "{message}");
}

proptest! {
    #[test]
    fn readers_never_panic(text in "[0-9eE.,\\-#=:; \n\t\"timeassxyzvnPropR]{0,80}") {
        for header in ["", "mass,x,y,z,vx,vy,vz\n", "1\n", "1\nProperties="] {
            for (_, _, read) in FORMATS {
                let _ = read(format!("{header}{text}").as_bytes());
            }
        }
    }

    #[test]
    fn any_numbers_come_back_or_are_refused(rows in proptest::collection::vec(any::<[f64; 7]>(), 1..4)) {
        let particle = |&[mass, x, y, z, vx, vy, vz]: &[f64; 7]| {
            Particle { mass, pos: [x, y, z], vel: [vx, vy, vz] }
        };
        let snapshot = Snapshot { time: rows[0][0], particles: rows.iter().map(particle).collect() };
        let is_finite = rows.as_flattened().iter().all(|x| x.is_finite());
        for (name, write, read) in FORMATS {
            match read(&write(&snapshot)) {
                Ok(found) => prop_assert_eq!(&found, &snapshot, "{}", name),
                Err(error) => prop_assert!(!is_finite, "{}: {}", name, error),
            }
        }
    }
}
