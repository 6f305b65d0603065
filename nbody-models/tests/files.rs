//! Snapshots written and read back, and malformed files.

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

#[test]
fn a_snapshot_comes_back_bit_by_bit() {
    let mut snapshot = plummer(37, 1).unwrap();
    snapshot.time = 0.1;
    assert_eq!(Snapshot::read_csv(&csv(&snapshot)[..]).unwrap(), snapshot);
    assert_eq!(Snapshot::read_nemo(&nemo(&snapshot)[..]).unwrap(), snapshot);
    let empty = Snapshot::default();
    assert_eq!(Snapshot::read_csv(&csv(&empty)[..]).unwrap(), empty);
    assert_eq!(Snapshot::read_nemo(&nemo(&empty)[..]).unwrap(), empty);
}

#[test]
fn files_have_the_documented_layout() {
    let particle = Particle { mass: 0.5, pos: [1.0, 2.0, 3.5], vel: [-1.0, 0.0, 1e-9] };
    let snapshot = Snapshot { time: 2.0, particles: vec![particle] };
    assert_eq!(
        String::from_utf8(csv(&snapshot)).unwrap(),
        "# time 2\nmass,x,y,z,vx,vy,vz\n0.5,1,2,3.5,-1,0,0.000000001\n"
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
    for comment in
        ["# time 0.5", "#time=0.5", "# time = 0.5", "# t = 0.5", "#\ttime\t5e-1 ", "# t=0.5"]
    {
        assert_eq!(time(comment), 0.5, "{comment}");
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
    ];
    for comment in others {
        assert_eq!(time(comment), 0.0, "{comment}");
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
}

fn wrong(read: Result<Snapshot, Error>, expected: u64, part: &str) {
    let error = read.unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::Syntax { line, .. } if line == expected), "{message}");
    assert!(message.contains(part), "{message}");
}

proptest! {
    #[test]
    fn readers_never_panic(text in "[0-9eE.,\\-# \ntimeassxyzvn]{0,80}") {
        let _ = Snapshot::read_csv(text.as_bytes());
        let _ = Snapshot::read_nemo(text.as_bytes());
    }
}
