//! `nbody model`.

use nbody::models::{Particle, Snapshot};

use crate::{nbody, stderr, stdout};

/// Returns the snapshot that `nbody model` writes to its standard output.
fn model(arguments: &[&str]) -> Snapshot {
    let output = nbody(&[&["model"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    Snapshot::read_csv(&output.stdout[..]).unwrap()
}

/// Returns the number of particles, the kinetic and the potential energy.
fn energies(snapshot: &Snapshot) -> (usize, [f64; 2]) {
    let energies = [snapshot.kinetic_energy(), snapshot.potential_energy()];
    (snapshot.particles.len(), energies)
}

fn assert_energies(arguments: &[&str], n: usize, expected: [f64; 2]) {
    let (found, energies) = energies(&model(arguments));
    let is_near = energies.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(found == n && is_near, "{arguments:?}: {found} {energies:?}");
}

#[test]
fn clusters_have_their_number_and_their_virial_ratio() {
    let equilibrium = [0.25, -0.5];
    assert_eq!(nbody(&["model", "plummer", "50"]).stdout, nbody(&["plummer", "50"]).stdout);
    assert_energies(&["king", "60", "--w0", "3"], 60, equilibrium);
    assert_energies(&["hernquist", "60", "--virial-ratio", "0.1"], 60, [0.05, -0.5]);
    assert_energies(&["plummer", "60", "--virial-ratio", "0"], 60, [0.0, -0.5]);
    assert_energies(&["uniform", "60"], 60, [0.0, -0.5]);
    let warm = ["--virial-ratio", "0.5", "--rotation", "1"];
    assert_energies(&[&["fractal", "60", "--dimension", "2"], &warm[..]].concat(), 60, equilibrium);
    let masses = ["--mass-function", "salpeter", "--masses", "0.5,20"];
    assert_energies(&[&["king", "60"], &masses[..]].concat(), 60, equilibrium);
    assert_eq!(model(&["galaxy", "60"]), nbody::models::galaxy(60, 1).unwrap());
    let sampled = nbody::models::king(60, 5.0, 7).unwrap();
    assert_eq!(model(&["king", "60", "--w0", "5", "--seed", "7", "--as-sampled"]), sampled);
    assert_ne!(model(&["hernquist", "60"]), model(&["hernquist", "60", "--seed", "2"]));
}

/// A table states its units, without which nobody can give --units.
#[test]
fn tables_begin_with_their_units() {
    for (arguments, units) in [
        (&["plummer", "9"][..], "G = 1, total mass 1, virial radius 1"),
        (&["plummer", "9", "--as-sampled"], "G = 1, total mass 1, the length of the model"),
        (&["model", "king", "9"], "G = 1, total mass 1, virial radius 1"),
        (
            &["model", "uniform", "9", "--as-sampled"],
            "G = 1, total mass 1, the length of the model",
        ),
        (&["model", "galaxy", "9"], "G = 1, total mass 1, scale length of the disk 1"),
    ] {
        let text = stdout(&nbody(arguments));
        assert!(text.starts_with(&format!("# units: {units}\n# time 0\n")), "{text}");
        let nemo = stdout(&nbody(&[arguments, &["--format", "nemo"]].concat()));
        assert!(nemo.starts_with("9\n3\n0\n"), "{nemo}");
    }
}

#[test]
fn masses_are_those_of_the_mass_function() {
    let masses = ["--mass-function", "kroupa", "--masses", "0.2,5"];
    let output = nbody(&[&["model", "plummer", "3000"], &masses[..]].concat());
    let (text, snapshot) = (stderr(&output), Snapshot::read_csv(&output.stdout[..]).unwrap());
    let unit = text.strip_prefix("the unit of mass is ").unwrap();
    let units = unit.replace('\n', ", virial radius 1\n");
    let head = format!("# units: G = 1, total mass 1 of {units}# time 0\n");
    assert!(stdout(&output).starts_with(&head), "{head}");
    let unit: f64 = unit.strip_suffix(" solar masses\n").unwrap().parse().unwrap();
    let of = |p: &Particle| p.mass * unit;
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for mass in snapshot.particles.iter().map(of) {
        (least, most) = (least.min(mass), most.max(mass));
    }
    assert!(
        (0.199_999..0.21).contains(&least) && (3.0..5.000_001).contains(&most),
        "{least} {most}"
    );
    assert!((snapshot.mass() - 1.0).abs() < 1e-12);
    // The mean of Kroupa's function between these limits is 0.63 solar masses.
    assert!((unit / 3000.0 - 0.63).abs() < 0.04, "{unit}");
}

#[test]
fn binaries_come_first_and_are_bound() {
    let options = ["--binaries", "0.25", "--axes", "1e-6,1e-5", "--mass-function", "kroupa"];
    let snapshot = model(&[&["king", "1000", "--as-sampled"], &options[..]].concat());
    // A quarter of 800 single stars and binaries.
    assert_eq!(snapshot.particles.len(), 1000);
    let binding = |a: &Particle, b: &Particle| {
        let square = |a: [f64; 3], b: [f64; 3]| (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>();
        let mass = a.mass + b.mass;
        1.0 / (2.0 / square(a.pos, b.pos).sqrt() - square(a.vel, b.vel) / mass)
    };
    let (pairs, _) = snapshot.particles.as_chunks();
    let axes: Vec<f64> = pairs.iter().map(|[a, b]| binding(a, b)).collect();
    let bound = axes.iter().map(|axis| (0.99e-6..1.01e-5).contains(axis));
    assert!(bound.enumerate().all(|(k, is_bound)| is_bound == (k < 200)), "{axes:?}");
    // Stars keep the masses that they have without binaries.
    let of = |snapshot: &Snapshot| snapshot.particles.iter().map(|p| p.mass).collect::<Vec<_>>();
    let single = of(&model(&["plummer", "1000", "--mass-function", "kroupa"]));
    assert!(of(&snapshot).iter().zip(single).all(|(a, b)| (a - b).abs() < 1e-14));
    let equal = model(&["uniform", "7", "--binaries", "1"]);
    let masses: Vec<_> = equal.particles.iter().map(|p| p.mass).collect();
    assert!(
        masses.iter().all(|m| (m - 1.0 / 7.0).abs() < 1e-15) && masses.len() == 7,
        "{masses:?}"
    );
    assert_eq!(model(&["king", "5", "--binaries", "0"]), model(&["king", "5"]));
}

#[test]
fn rotation_is_about_the_z_axis() {
    let momentum = |share: &str| {
        let snapshot = model(&["king", "4000", "--as-sampled", "--rotation", share]);
        let of = |p: &Particle| p.mass * (p.pos[0] * p.vel[1] - p.pos[1] * p.vel[0]);
        snapshot.particles.iter().map(of).sum::<f64>()
    };
    let [still, half, whole] = ["0", "0.5", "1"].map(momentum);
    assert!(still.abs() < 0.02 && (half - 0.5 * whole).abs() < 0.02, "{still} {half} {whole}");
    assert!((0.2..0.25).contains(&whole), "{whole}");
}

#[test]
fn wrong_arguments_are_refused_and_no_file_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.csv").to_str().unwrap().to_owned();
    for (arguments, code, part) in [
        (&["plummer", "many"][..], 2, "invalid value 'many'"),
        (&["plummer", "9", "--rotation", "1.5"], 2, "expected a number from 0 to 1"),
        (&["plummer", "9", "--binaries", "nan"], 2, "expected a number from 0 to 1"),
        (&["plummer", "9", "--virial-ratio", "inf"], 2, "expected a number of zero or more"),
        (&["plummer", "9", "--virial-ratio=-1"], 2, "expected a number of zero or more"),
        (
            &["plummer", "9", "--mass-function", "flat"],
            2,
            "possible values: equal, kroupa, salpeter",
        ),
        (&["plummer", "9", "--masses", "1,2"], 2, "--mass-function"),
        (&["plummer", "9", "--axes", "1,2"], 2, "--binaries"),
        (&["plummer", "9", "--binaries", "0.5", "--axes", "2,1"], 2, "such as 0.1,100"),
        (&["plummer", "9", "--binaries", "0.5", "--axes", "2"], 2, "such as 0.1,100"),
        (&["plummer", "9", "--as-sampled", "--virial-ratio", "1"], 2, "cannot be used with"),
        (&["plummer", "9", "--w0", "3"], 2, "unexpected argument '--w0'"),
        (&["galaxy", "9", "--binaries", "0.5"], 2, "unexpected argument '--binaries'"),
        (&["sphere", "9"], 2, "unrecognized subcommand 'sphere'"),
        (
            &["plummer", "9", "--mass-function", "equal", "--masses", "1,2"],
            2,
            "masses are equal: give",
        ),
        (&["plummer", "9", "--binaries", "0", "--axes", "1,2"], 2, "give --binaries above 0"),
        (
            &["plummer", "9", "--mass-function", "kroupa", "--masses", "1,2000"],
            2,
            "masses from 0.01 to 1000",
        ),
        (
            &["plummer", "9", "--mass-function", "kroupa", "--masses", "0.001,1"],
            2,
            "masses from 0.01 to",
        ),
        (&["uniform", "9", "--rotation", "0.5"], 2, "give --virial-ratio above 0"),
        (&["plummer", "9", "--virial-ratio", "0", "--rotation", "0.5"], 2, "particles at rest"),
        (&["king", "9", "--w0", "17"], 2, "expected a number from 0.1 to 16"),
        (&["fractal", "9", "--dimension", "0.5"], 2, "expected a number from 1 to 3"),
        (&["king", "0"], 2, "expected a whole number of particles, 1 or more"),
        (&["hernquist", "1"], 1, "cannot be scaled to virial equilibrium"),
        (&["hernquist", "99999999999999"], 2, "so many particles do not fit into memory"),
        (
            &["king", "9", "--format", "nemo"],
            2,
            "has the extension of --format csv, but nemo is wanted",
        ),
    ] {
        let output = nbody(&[&["model"], arguments, &["-o", &path]].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", stdout(&output));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
    }
    std::fs::write(&path, "mine").unwrap();
    let write = |more: &[&str]| nbody(&[&["model", "king", "9", "-o", &path], more].concat());
    let refused = write(&[]);
    assert!(!refused.status.success() && stderr(&refused).contains("exists: give another name"));
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    assert!(write(&["--overwrite"]).status.success());
    assert_eq!(std::fs::read(&path).unwrap(), nbody(&["model", "king", "9", "-o", "-"]).stdout);
}
