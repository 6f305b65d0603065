//! The command `nbody run`, run as a process.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nbody::models::{Particle, Snapshot};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
    command.args(["run", "--device", "cpu"]).args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Runs to success, and returns what is printed.
fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    // No progress bar in a pipe; steps of tests may be too long for the energy.
    let is_allowed = |line: &str| line.starts_with("warning: the energy error is ");
    assert!(output.status.success() && error.lines().all(is_allowed), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn snapshots_at_longer_intervals_than_the_run_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    for (every, is_reported) in [("0.5", true), ("0.25", false), ("0.125", false)] {
        let out = folder.path().join(every);
        let output = run(&["-n", "8", "--until", "0.25", "--every", every, "-o", text(&out)]);
        let error = String::from_utf8(output.stderr).unwrap();
        let warning = "warning: --every 0.5 is longer than the run, from time 0 to 0.25: there is";
        let expected = if is_reported { warning } else { "" };
        assert!(output.status.success() && error.starts_with(expected), "{error}");
        assert_eq!(error.contains("--every"), is_reported, "{error}");
        let last = if every == "0.125" { "snapshot-0002.csv" } else { "snapshot-0001.csv" };
        assert!(out.join(last).exists() && column(&out, "energies.csv", "time").len() < 4);
    }
}

/// Runs to a failure, and returns its message.
fn fail(arguments: &[&str]) -> String {
    let output = run(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    text
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn snapshot(folder: &Path, name: &str) -> Snapshot {
    let file = fs::read(folder.join(name)).unwrap();
    Snapshot::read_csv(&file[..]).unwrap()
}

/// Reads a column of a table.
fn column(folder: &Path, table: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_path(folder.join(table)).unwrap();
    let at = reader.headers().unwrap().iter().position(|found| found == name).unwrap();
    reader.records().map(|row| row.unwrap()[at].parse().unwrap()).collect()
}

/// The time of the state in the file that a Hermite run restarts from.
fn time_of_checkpoint(folder: &Path) -> f64 {
    let text = fs::read_to_string(folder.join("checkpoint.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let ticks = document["state"]["hermite"]["ticks"].as_u64().unwrap();
    ticks as f64 * 0.125 / (1_u64 << 30) as f64
}

#[test]
fn a_run_writes_snapshots_tables_plots_and_images() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/run");
    let numerics = ["--precision", "double", "--eps", "0.01"];
    let arguments = ["-n", "6.4e1", "--until", "0.5", "--every", "0.2", "-o", text(&out)];
    let printed = succeed(&[&arguments[..], &numerics].concat());
    let head = "64 particles to time 0.5 by the hermite integrator on cpu\nN-body units, G = M = 1 and E = -1/4\n";
    assert!(printed.starts_with(head), "{printed}");
    assert!(
        printed.lines().all(|line| line.starts_with("files in ") || line.len() <= 80),
        "{printed}"
    );
    let names =
        ["energies", "energy", "state", "binaries", "lagrange", "snapshot-0000", "checkpoint"];
    for file in fs::read_dir(&out).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let is_named = names.iter().any(|it| printed.contains(it) && name.starts_with(it));
        assert!(is_named || name.starts_with("snapshot-"), "{name} in {printed}");
    }

    let times = [0.0, 0.2, 0.4, 0.5];
    for table in ["energies.csv", "lagrange.csv", "state.csv"] {
        assert_eq!(column(&out, table, "time"), times);
    }
    let energies = |name| column(&out, "energies.csv", name);
    let [kinetic, potential, total] = ["kinetic", "potential", "total"].map(energies);
    for k in 0..times.len() {
        assert_eq!(kinetic[k] + potential[k], total[k]);
        assert_eq!(energies("error")[k], (total[k] - total[0]) / total[0].abs());
        assert!(energies("error")[k].abs() < 1e-5, "{:?}", energies("error"));
    }
    let particle_steps = energies("particle_steps");
    for (steps, particles) in energies("steps").into_iter().zip(particle_steps).skip(1) {
        assert!(particles > steps && particles < 32.0 * steps, "{particles} in {steps}");
    }
    assert!(energies("error")[3] != 0.0 && energies("steps").is_sorted_by(|a, b| a < b));

    let state = |name| column(&out, "state.csv", name);
    for (k, ratio) in state("virial_ratio").into_iter().enumerate() {
        assert_eq!(ratio, kinetic[k] / potential[k].abs());
    }
    for moment in ["px", "py", "pz", "x", "y", "z"].map(state) {
        assert!(moment.iter().all(|x| x.abs() < 1e-5), "{moment:?}");
    }
    for moment in ["lx", "ly", "lz"].map(state) {
        assert!(moment.iter().all(|l| (l - moment[0]).abs() < 1e-6), "{moment:?}");
    }

    assert_eq!(time_of_checkpoint(&out), 0.5);

    let first = snapshot(&out, "snapshot-0000.csv");
    let plummer =
        Command::new(env!("CARGO_BIN_EXE_nbody")).args(["plummer", "64"]).output().unwrap();
    assert_eq!(first, Snapshot::read_csv(&plummer.stdout[..]).unwrap());
    for (k, time) in times.into_iter().enumerate() {
        let snapshot = snapshot(&out, &format!("snapshot-{k:04}.csv"));
        assert_eq!(snapshot.time, time);
        let radii = snapshot.lagrangian_radii(&[0.5]);
        assert_eq!(column(&out, "lagrange.csv", "r50")[k], radii[0]);
        // Energies are of the last step before the snapshot; particles are predicted to its time.
        assert!((snapshot.kinetic_energy() / kinetic[k] - 1.0).abs() < 1e-2, "{k}");
        let image = fs::File::open(out.join(format!("snapshot-{k:04}.png"))).unwrap();
        let reader = png::Decoder::new(std::io::BufReader::new(image)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (608, 512));
    }
    for (plot, word) in [("energy.svg", "|E - E(0)| / |E(0)|"), ("lagrange.svg", "90% of the mass")]
    {
        let plot = fs::read_to_string(out.join(plot)).unwrap();
        assert!(plot.contains(word) && plot.contains("</svg>") && !plot.contains("NaN"), "{plot}");
    }
}

#[test]
fn particles_come_from_files_and_go_to_files_of_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let body = |sign: f64| Particle {
        mass: 0.5,
        pos: [0.5 * sign, 0.0, 0.0],
        vel: [0.0, 0.5 * sign, 0.0],
    };
    // A circular orbit of period 2 π.
    let binary = Snapshot { time: 3.0, particles: vec![body(-1.0), body(1.0)] };
    binary.write_nemo(fs::File::create(path("binary.nemo")).unwrap()).unwrap();
    binary.write_csv(fs::File::create(path("binary.csv")).unwrap()).unwrap();
    let until = (3.0 + std::f64::consts::PI).to_string();
    for (input, format) in [("binary.nemo", "nemo"), ("binary.csv", "xyz"), ("binary.csv", "csv")] {
        let out = path(format);
        let arguments = [text(&path(input)).to_owned(), text(&out).to_owned()];
        let options = ["--precision", "double", "--format", format, "--until", &until];
        succeed(&[&[&arguments[0][..], "-o", &arguments[1]], &options[..]].concat());
        assert!(out.join(format!("snapshot-0001.{format}")).exists());
    }
    let end = snapshot(&path("csv"), "snapshot-0001.csv");
    let nemo = fs::read(path("nemo/snapshot-0001.nemo")).unwrap();
    assert_eq!(Snapshot::read_nemo(&nemo[..]).unwrap(), end);
    for (a, b) in binary.particles.iter().zip(&end.particles) {
        let is_opposite = (0..3).all(|c| (a.pos[c] + b.pos[c]).abs() < 1e-4);
        assert!(is_opposite, "half an orbit: {a:?} {b:?}");
    }
}

#[test]
fn files_may_be_in_physical_units() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("suns.csv");
    // Two suns on a circle about their centre; Kepler's third law gives the period.
    let gravity = 39.4769_f64;
    let speed = (0.5 * gravity).sqrt();
    let table = format!("mass,x,y,z,vx,vy,vz\n1,0.5,0,0,0,{speed},0\n1,-0.5,0,0,0,-{speed},0\n");
    fs::write(&model, table).unwrap();
    let half = std::f64::consts::PI / (2.0 * gravity).sqrt();
    let until = half.to_string();
    let ways = [["--units", "AU, Msun, yr"], ["--gravity", "39.4769"], ["--G", "39.4769"]];
    for (k, units) in ways.iter().enumerate() {
        let out = folder.path().join(k.to_string());
        let start = [text(&model), "-o", text(&out), "--until", "0.0625", "--largest", "0.001"];
        succeed(&[&start[..], units].concat());
        let checkpoint = out.join("checkpoint.json");
        let printed = succeed(&["--restart", text(&checkpoint), "--until", &until]);
        let end = snapshot(&out, "snapshot-0002.csv");
        assert!((end.particles[0].pos[0] + 0.5).abs() < 1e-4, "{end:?}");
        assert_eq!(end.particles[0].mass, 1.0);
        let near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-4, "{found}, expected {expected}");
        };
        near(column(&out, "energies.csv", "total")[2], -0.5 * gravity);
        near(column(&out, "state.csv", "lz")[2], speed);
        let binary = |name| column(&out, "binaries.csv", name)[2];
        near(binary("semi_major_axis"), 1.0);
        near(binary("binding_energy"), 0.5 * gravity);
        near(binary("binding_energy_in_kt"), 3.0);
        assert!(binary("eccentricity") < 1e-3);
        let plot = fs::read_to_string(out.join("lagrange.svg")).unwrap();
        assert!(plot.contains(if k == 0 { "time (yr)" } else { ">\ntime" }), "{plot}");
        assert!(
            printed.contains(["AU, Msun, yr, G = 3.947", "G = 39.4769"][k.min(1)]),
            "{printed}"
        );
    }
}

#[test]
fn a_run_of_coincident_bodies_continues() {
    let folder = tempfile::tempdir().unwrap();
    let (model, out) = (folder.path().join("model.csv"), folder.path().join("run"));
    let body = |x: f64, v: f64| format!("1,{x},0,0,0,{v},0\n");
    let rows = [body(0.0, 0.0), body(0.0, 0.0), body(1.0, 1.0)].concat();
    fs::write(&model, format!("mass,x,y,z,vx,vy,vz\n{rows}")).unwrap();
    succeed(&[text(&model), "-o", text(&out), "--eps", "0.1", "--until", "0.125"]);
    succeed(&["--restart", text(&out.join("checkpoint.json")), "--until", "0.25"]);
}

#[test]
fn units_that_do_not_fit_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("sphere.csv");
    sphere(&model, 0, 0, 0.0);
    let out = folder.path().join("run");
    let output =
        run(&[text(&model), "-o", text(&out), "--until", "0.01", "--units", "pc,Msun,Myr"]);
    assert!(output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("warning: the virial ratio T/|U| is 127.1: "), "{message}");
}

#[test]
fn a_large_error_of_the_energy_is_reported_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let leapfrog = ["--integrator", "leapfrog", "--step", "0.125", "--tree", "0.9"];
    let output = run(&[&["--n", "300", "-o", text(&out)], &leapfrog[..]].concat());
    assert!(output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("warning: the energy error is "), "{message}");
    assert!(message.contains("a shorter --step, a smaller opening angle (--tree)"), "{message}");
}

#[test]
fn the_wall_time_ends_a_run_that_tells_its_progress_in_lines() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let long = ["--n", "64", "--until", "1e6", "-o", text(&out), "--wall-time", "2s"];
    let output = run(&[&long[..], &["--log-every", "100ms"]].concat());
    assert_eq!(output.status.code(), Some(130));
    let lines = String::from_utf8(output.stderr).unwrap();
    let is_line = |line: &str| line.contains("% t ") && line.contains(" of 1000000, energy error ");
    assert!((1..=20).contains(&lines.lines().count()) && lines.lines().all(is_line), "{lines}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let checkpoint = out.join("checkpoint.json");
    let hint = format!("continue with: nbody run --restart {}\n", checkpoint.display());
    assert!(printed.contains("interrupted.csv") && printed.ends_with(&hint), "{printed}");
    let until = (time_of_checkpoint(&out) + 0.125).to_string();
    let printed = succeed(&["--restart", text(&checkpoint), "--until", &until, "--quiet"]);
    assert_eq!(printed, "");
}

#[test]
fn every_option_has_an_effect() {
    let folder = tempfile::tempdir().unwrap();
    let end = |name: &str, options: &[&str]| {
        let out = folder.path().join(name);
        let arguments = ["--n", "16", "--until", "0.25", "-o", text(&out)];
        succeed(&[&arguments[..], options].concat());
        snapshot(&out, "snapshot-0001.csv")
    };
    let shared = ["--integrator", "hermite-shared", "--eps", "0.1"];
    let leapfrog = ["--integrator", "leapfrog", "--eps", "0.1", "--step", "0.125"];
    let mut ends =
        vec![end("block", &["--eps", "0.1"]), end("shared", &shared), end("leap", &leapfrog)];
    for option in [
        ["--eta", "0.01"],
        ["--eta-start", "0.0001"],
        ["--largest", "0.0009765625"],
        ["--iterations", "2"],
        ["--precision", "mixed"],
        ["--accumulation", "compensated"],
        ["--math", "exact"],
        ["--seed", "2"],
    ] {
        ends.push(end(option[0], &[&shared[..], &option].concat()));
    }
    ends.push(end("eps", &["--eps", "0.2"]));
    ends.push(end("iterated", &["--eps", "0.1", "--iterations", "2"]));
    ends.push(end("step", &[&leapfrog[..4], &["--step", "0.0625"]].concat()));
    ends.push(end("tree", &[&leapfrog[..], &["--tree", "0.9"]].concat()));
    for (k, a) in ends.iter().enumerate() {
        assert!(ends[..k].iter().all(|b| a != b), "run {k} equals another");
    }
}

#[test]
fn rounding_errors_of_the_time_do_not_end_a_run_early() {
    let folder = tempfile::tempdir().unwrap();
    let step = f64::exp2(-13.0);
    let options = ["--largest", &step.to_string(), "--eta", "1e6", "--eta-start", "1e6"];
    for begin in [0.1, 3333.3] {
        let (model, out) = (folder.path().join("model.csv"), folder.path().join(begin.to_string()));
        let body = |x| Particle { mass: 0.5, pos: [x, 0.0, 0.0], vel: [0.0, x, 0.0] };
        let bodies = Snapshot { time: begin, particles: vec![body(-1.0), body(1.0)] };
        bodies.write_csv(fs::File::create(&model).unwrap()).unwrap();
        let until = (begin + 3.0 * step).next_down().to_string();
        succeed(&[&[text(&model), "-o", text(&out), "--until", &until], &options[..]].concat());
        assert_eq!(column(&out, "energies.csv", "steps"), [0.0, 3.0], "{begin}");
    }
}

/// The files that two runs share, but for the wall time.
fn assert_equal(a: &Path, b: &Path, snapshots: usize) {
    for table in ["state.csv", "binaries.csv"] {
        let [a, b] = [a, b].map(|folder| fs::read_to_string(folder.join(table)).unwrap());
        assert_eq!(a, b, "{table}");
    }
    for k in 0..snapshots {
        for extension in ["csv", "png"] {
            let name = format!("snapshot-{k:04}.{extension}");
            assert!(fs::read(a.join(&name)).unwrap() == fs::read(b.join(&name)).unwrap(), "{name}");
        }
    }
    let read = |folder: &Path| {
        let text = fs::read_to_string(folder.join("checkpoint.json")).unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        (document["state"].clone(), document["counts"]["particle_steps"].clone())
    };
    assert_eq!(read(a), read(b));
    assert_eq!(
        fs::read(a.join("lagrange.csv")).unwrap(),
        fs::read(b.join("lagrange.csv")).unwrap()
    );
    for name in ["time", "kinetic", "potential", "error", "steps", "particle_steps"] {
        assert_eq!(column(a, "energies.csv", name), column(b, "energies.csv", name), "{name}");
    }
}

#[test]
fn a_continued_run_equals_one_without_a_break() {
    for integrator in [
        &["--eps", "0.01"][..],
        &["--iterations", "2", "--eps", "0.01"],
        &["--integrator", "hermite-shared", "--iterations", "2", "--eps", "0.01"],
        &["--integrator", "leapfrog", "--step", "0.01", "--eps", "0.1"],
        &["--integrator", "leapfrog", "--step", "0.01", "--eps", "0.1", "--tree", "0.8"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        let start = |until: &str, out: &Path| {
            let arguments = ["--n", "48", "--every", "0.3", "--until", until, "-o", text(out)];
            succeed(&[&arguments[..], integrator].concat());
        };
        start("0.9", &whole);
        start("0.3", &parts);
        let checkpoint = parts.join("checkpoint.json");
        succeed(&["--restart", text(&checkpoint), "--until", "0.9"]);
        assert_equal(&whole, &parts, 4);
        // In a folder of its own.
        let other = folder.path().join("other");
        succeed(&["--restart", text(&checkpoint), "--until", "1.2", "-o", text(&other)]);
        assert_eq!(column(&other, "energies.csv", "time").len(), 5);
        assert!(
            other.join("snapshot-0004.csv").exists() && !parts.join("snapshot-0004.csv").exists()
        );
    }
}

#[test]
fn forces_by_a_tree_keep_the_energy() {
    let folder = tempfile::tempdir().unwrap();
    let leapfrog =
        ["--n", "2000", "--integrator", "leapfrog", "--step", "0.0078125", "--eps", "0.05"];
    let energies = |name: &str, tree: &[&str]| {
        let out = folder.path().join(name);
        let times = ["--until", "0.25", "-o", text(&out)];
        succeed(&[&leapfrog[..], &times, tree].concat());
        column(&out, "energies.csv", "total")
    };
    let [direct, tree] =
        [energies("direct", &[]), energies("tree", &["--tree", "0.6"])].map(|at| [at[0], at[1]]);
    assert!(direct != tree, "{direct:?}");
    for [begin, end] in [direct, tree] {
        assert!((begin / direct[0] - 1.0).abs() < 1e-4, "{direct:?} {tree:?}");
        assert!((end / begin - 1.0).abs() < 1e-4, "{direct:?} {tree:?}");
    }
    let out = text(folder.path()).to_owned() + "/refused";
    let message = fail(&["--n", "10", "--tree", "0.6", "-o", &out]);
    assert!(message.contains("--tree"), "{message}");
    let message = fail(&[&leapfrog[..], &["--tree", "0", "-o", &out]].concat());
    assert!(message.contains("--tree"), "{message}");
    let direct = folder.path().join("direct/checkpoint.json");
    let restart = ["--restart", text(&direct), "--until", "1"];
    for arguments in [&["--n", "10"][..], &leapfrog, &restart] {
        let message = fail(&[arguments, &["--distribute-trees", "-o", &out]].concat());
        assert!(message.contains("--distribute-trees without a tree: give --tree"), "{message}");
    }
}

/// Waits until a condition holds.
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Begins a run, and waits until a file is there.
fn spawn(arguments: &[&str], file: &Path) -> Child {
    let mut command = command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("a file of the run", || file.exists());
    child
}

#[cfg(unix)]
fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for the end after a signal, and returns what is printed.
fn interrupted(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_continues() {
    for signals in [&["-INT"][..], &["-TERM"], &["-HUP"], &["-TERM", "-HUP"]] {
        end_and_continue(signals);
    }
}

/// Ends a run by signals, continues it, and compares it with a whole one.
#[cfg(unix)]
fn end_and_continue(signals: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let options = ["--n", "16", "--eps", "0.1", "--every", "0.25"];
    let arguments = [&options[..], &["--until", "1e6", "-o", text(&parts)]].concat();
    let child = spawn(&arguments, &parts.join("snapshot-0001.png"));
    let checkpoint = parts.join("checkpoint.json");
    for signal in signals {
        send(signal, &child);
    }
    let printed = interrupted(child);
    assert!(printed.contains("continue with: nbody run --restart "), "{printed}");

    let time = snapshot(&parts, "interrupted.csv").time;
    assert_eq!(time_of_checkpoint(&parts), time);
    let until = (time * 4.0).ceil() / 4.0 + 0.25;
    let until = until.to_string();
    succeed(&["--restart", text(&checkpoint), "--until", &until]);
    succeed(&[&options[..], &["--until", &until, "-o", text(&whole)]].concat());
    assert_equal(&whole, &parts, column(&whole, "energies.csv", "time").len());
}

#[test]
fn a_failure_keeps_the_snapshots_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let body = |x| Particle { mass: 0.5, pos: [x, 0.0, 0.0], ..Particle::default() };
    // They fall onto each other at time π / √8 = 1.11.
    let bodies = Snapshot { time: 0.0, particles: vec![body(-0.5), body(0.5)] };
    bodies.write_csv(fs::File::create(path("bodies.csv")).unwrap()).unwrap();
    let (model, out) = (path("bodies.csv"), path("out"));
    let options = ["--precision", "double", "--every", "0.5", "--until", "4"];
    let message = fail(&[&[text(&model), "-o", text(&out)], &options[..]].concat());
    assert!(message.starts_with("error: particles "), "{message}");
    assert!(message.contains("at time 1.1"), "{message}");
    assert_eq!(column(&out, "energies.csv", "time"), [0.0, 0.5, 1.0]);
    assert_eq!(snapshot(&out, "snapshot-0002.csv").time, 1.0);
    assert!(out.join("energy.svg").exists());
    succeed(&["--restart", text(&out.join("checkpoint.json")), "--until", "1.0625"]);
}

#[test]
fn a_snapshot_that_cannot_be_written_loses_none_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let options = ["--n", "16", "--eps", "0.1", "--every", "0.25"];
    succeed(&[&options[..], &["--until", "0.75", "-o", text(&whole)]].concat());
    succeed(&[&options[..], &["--until", "0.25", "-o", text(&parts)]].concat());
    let checkpoint = parts.join("checkpoint.json");
    let rest = ["--restart", text(&checkpoint), "--until", "0.75"];
    let (before, last) =
        (fs::read(&checkpoint).unwrap(), fs::read(parts.join("snapshot-0001.csv")).unwrap());
    // A folder in the place of a file, of the snapshot and of its image.
    for name in ["snapshot-0002.csv", "snapshot-0002.png"] {
        let place = parts.join(name);
        fs::create_dir(&place).unwrap();
        let message = fail(&rest);
        let expected = format!("error: cannot write {}: ", place.display());
        assert!(message.starts_with(&expected), "{message}");
        assert!(fs::read(&checkpoint).unwrap() == before, "{name}");
        assert!(fs::read(parts.join("snapshot-0001.csv")).unwrap() == last, "{name}");
        assert_eq!(column(&parts, "energies.csv", "time"), [0.0, 0.25], "{name}");
        fs::remove_dir(&place).unwrap();
    }
    succeed(&rest);
    assert_equal(&whole, &parts, 4);
}

#[test]
fn wrong_particles_are_refused_before_anything_is_computed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let new = path("new");
    let write = |name: &str, contents: &str| {
        fs::write(path(name), contents).unwrap();
        path(name)
    };
    let table = |rows: &str| format!("# time 2.5\nmass,x,y,z,vx,vy,vz\n{rows}");
    let one = "1,0,0,0,0,0,0\n";
    let nan = write("nan.csv", &table(&format!("{one}1,0,nan,0,0,0,0\n")));
    let infinite = write("infinite.csv", &table(&format!("{one}1,0,0,0,0,-inf,0\n")));
    let large = write("large.csv", &table(&format!("1e999,1,0,0,0,0,0\n{one}")));
    let nemo = write("nan.nemo", "2\n3\n2.5\n1\n1\n0 0 0\n1 0 0\n0 0 0\n0 NaN 0\n");
    let massless = write("massless.csv", &table("0,0,0,0,0,0,0\n-0,1,0,0,0,0,0\n"));
    let negative =
        write("negative.csv", &table(&format!("{one}1,1,0,0,0,0,0\n-1e-9,2,0,0,0,0,0\n")));
    let same =
        write("same.csv", &table("1,1,0,0,0,0,0\n1,5,0,0,0,0,0\n1,9,0,0,0,0,0\n1,5,0,0,1,0,0\n"));
    // A body without mass upon another one.
    let upon =
        write("upon.csv", &table("1,1,0,0,0,0,0\n1,5,0,0,0,0,0\n1,9,0,0,0,0,0\n0,5,0,0,1,0,0\n"));
    let close = "particles 1 and 3 are at a distance of 0e0 at time 2.5: give a softening length";
    for (file, integrator, part) in [
        (&nan, "hermite", "expected y, a finite number"),
        (&infinite, "hermite", "expected vy, a finite number"),
        (&large, "leapfrog", "expected mass, a finite number"),
        (&nemo, "hermite", "a finite number"),
        (&massless, "leapfrog", "2 particles of total mass 0, expected a positive finite mass"),
        (&negative, "leapfrog", "particle 2 has mass -0.000000001, expected zero or more"),
        (&same, "hermite", close),
        (&same, "hermite-shared", close),
        (&same, "leapfrog", close),
        (&upon, "leapfrog", close),
        (&upon, "hermite", close),
    ] {
        let mut arguments = vec![&file[..], "-o", &new, "--until", "4", "--integrator", integrator];
        if integrator == "leapfrog" {
            arguments.extend(["--step", "0.125"]);
        }
        let message = fail(&arguments);
        assert!(message.starts_with("error: ") && message.contains(part), "{file}: {message}");
        assert!(!Path::new(&new).exists(), "{file}, {integrator}");
    }
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_computed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (done, new, file) = (path("done"), path("new"), path("file.csv"));
    succeed(&["--n", "8", "--until", "0.125", "-o", &done]);
    let header = "mass,x,y,z,vx,vy,vz\n";
    fs::write(&file, format!("{header}1,0,0,0,0,0,0\n-1,1,0,0,0,0,0\n")).unwrap();
    let (none, same, xyz) = (path("none.csv"), path("same.csv"), path("a.dat"));
    fs::write(&none, header).unwrap();
    fs::write(&same, format!("{header}1,0,0,0,0,0,0\n1,0,0,0,0,0,0\n")).unwrap();
    let inside = format!("{file}/inside");
    let checkpoint = format!("{done}/checkpoint.json");
    let (table, leap) = (format!("{done}/energies.csv"), ["--integrator", "leapfrog"]);
    let text = fs::read_to_string(&checkpoint).unwrap();
    let foreign = path("foreign.json");
    let replaced = text.replace("\"interaction\":\"hermite\"", "\"interaction\":\"coulomb\"");
    fs::write(&foreign, replaced).unwrap();
    let infinite = path("infinite.json");
    fs::write(&infinite, text.replacen("\"particles\":[[[", "\"particles\":[[[1e999,", 1)).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (negative, empty) = (path("negative.json"), path("empty.json"));
    document["state"]["hermite"]["particles"][0][0][12] = (-0.125).into();
    fs::write(&negative, document.to_string()).unwrap();
    document["state"]["hermite"]["particles"] = Vec::<f64>::new().into();
    fs::write(&empty, document.to_string()).unwrap();
    let other = path("other");
    succeed(&["--n", "8", "--until", "0.125", "-o", &other]);
    let restart = |more: &[&'static str]| [&["--restart", &checkpoint[..]], more].concat();
    let begin = |more: &[&'static str]| [&["--n", "8", "-o", &new], more].concat();
    for (arguments, part) in [
        (vec!["--n", "8", "-o", &done], "checkpoint.json of another run: give another folder"),
        (vec!["--n", "8", "-o", &inside], "cannot write in "),
        (vec!["--n", "8"], "required arguments were not provided"),
        (vec!["-o", &new], "<FILE|--n <N>|--restart <FILE>>"),
        (vec![&xyz, "-o", &new], "the extension is that of no format"),
        (vec![&file, "-o", &new], "particle 1 has mass -1, expected zero or more"),
        (vec![&none, "-o", &new], "0 particles of total mass 0, expected"),
        (vec![&same, "-o", &new], "particles 0 and 1 are at a distance of 0e0 at time 0"),
        (vec![&same, "-o", &new, leap[0], leap[1], "--step", "0.1"], "give a softening length"),
        (begin(&leap), "the leapfrog integrator needs a step"),
        (
            begin(&[leap[0], leap[1], "--iterations", "3"]),
            "the leapfrog integrator has no option --iterations",
        ),
        (begin(&["--step", "0.1"]), "the hermite integrator has no option --step"),
        (begin(&[leap[0], leap[1], "--eta", "0.1"]), "the leapfrog integrator has no option --eta"),
        (
            begin(&[leap[0], leap[1], "--step", "0.3"]),
            "--until is 1, not a multiple of the step 0.3: the leapfrog integrator has snapshots after whole \
             steps; give --step 0.25 or 0.3333333333333333",
        ),
        (begin(&["--until", "-1"]), "--until is -1, but the particles are at time 0 already"),
        (restart(&[]), "--until is 0.125, but the particles are at time 0.125 already"),
        (restart(&leap), "a run with integrator hermite, but leapfrog is wanted"),
        (restart(&["--precision", "double"]), "a run with precision mixed, but double is wanted"),
        (restart(&["--eps", "0.1"]), "a run with softening length 0, but 0.1 is wanted"),
        (restart(&["--step", "0.1"]), "a run with --step none, but 0.1 is wanted"),
        (vec!["--restart", &checkpoint, "-o", &inside, "--until", "1"], "cannot write in "),
        (vec!["--restart", &checkpoint, "-o", &other, "--until", "1"], "of another run: give"),
        (
            vec!["--restart", &negative, "--until", "1"],
            "not a file to restart from: its particle 0",
        ),
        (vec!["--restart", &empty, "--until", "1"], "not a file to restart from: its 0 particles"),
        (begin(&["--every", "1e-14"]), "times near 1 are multiples of 2.2"),
        (begin(&["--until", "1e9", "--every", "1e-6"]), "--every is 0.000001, but times near"),
        (
            begin(&[leap[0], leap[1], "--step", "1e-17", "--until", "1000"]),
            "--step is 0.00000000000000001, but times near 1000",
        ),
        (vec!["--restart", &infinite, "--until", "1"], "not a file to restart from: number out of"),
        (vec!["--restart", &foreign], "a run with interaction coulomb, but hermite is wanted"),
        (vec!["--restart", &table], "not a file to restart from"),
        (vec!["--restart", &new], "not a file to restart from"),
    ] {
        let message = fail(&arguments);
        assert!(
            message.starts_with("error: ") && message.contains(part),
            "{arguments:?}: {message}"
        );
        assert!(!Path::new(&new).join("snapshot-0000.csv").exists(), "{arguments:?}");
    }
}

#[test]
fn times_that_no_run_has_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (done, new, early, late) =
        (path("done"), path("new"), path("early.json"), path("late.csv"));
    let rows = "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,0,0\n";
    fs::write(&late, format!("# time 1e15\n{rows}")).unwrap();
    succeed(&["--n", "8", "--until", "0.125", "-o", &done]);
    let checkpoint = fs::read_to_string(format!("{done}/checkpoint.json")).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&checkpoint).unwrap();
    document["state"]["hermite"]["begin"] = (-1).into();
    fs::write(&early, document.to_string()).unwrap();
    for (arguments, part) in [
        (
            vec!["--restart", &early, "--until", "1"],
            "its state is of time -0.875, its last snapshot of 0.125",
        ),
        (
            vec![&late, "-o", &new, "--until", "1000000000000001"],
            "the time from the particles' to --until is 1, but times near 1000000000000001 are multiples of",
        ),
    ] {
        let message = fail(&arguments);
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

/// Writes a sphere of 48 in units of two to these powers, at this distance from the origin on each axis.
fn sphere(path: &Path, length: i32, mass: i32, distance: f64) {
    let mut sphere = nbody::models::plummer(48, 1).unwrap();
    let speed = power(length) / power((3 * length - mass) / 2);
    for it in &mut sphere.particles {
        it.mass *= power(mass);
        it.pos = it.pos.map(|x| x * power(length) + distance);
        it.vel = it.vel.map(|v| v * speed);
    }
    sphere.write_csv(fs::File::create(path).unwrap()).unwrap();
}

fn power(exponent: i32) -> f64 {
    2_f64.powi(exponent)
}

#[test]
fn results_are_the_same_in_any_units() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (k, options) in [
        &["--largest"][..],
        &["--precision", "mixed", "--math", "exact", "--largest"],
        &["--integrator", "hermite-shared", "--largest"],
        &["--integrator", "leapfrog", "--step"],
        &["--integrator", "leapfrog", "--tree", "0.7", "--step"],
    ]
    .into_iter()
    .enumerate()
    {
        let mut expected: Option<(Snapshot, [Vec<f64>; 5])> = None;
        for (length, mass) in [(0, 0), (70, 104), (-60, 4), (40, 0), (0, -40)] {
            let time = power((3 * length - mass) / 2);
            let (model, out) = (path("model.csv"), path(&format!("{k}-{length}-{mass}")));
            sphere(&model, length, mass, 0.0);
            let [eps, until, every, step] =
                [power(length - 6), 0.5 * time, 0.25 * time, time / 64.0].map(|x| x.to_string());
            let times = ["--until", &until, "--every", &every, "--eps", &eps, "-o", text(&out)];
            let mut arguments = [&[text(&model)][..], &times, options].concat();
            arguments.push(&step);
            succeed(&arguments);
            let mut end = snapshot(&out, "snapshot-0002.csv");
            end.time /= time;
            for it in &mut end.particles {
                it.mass /= power(mass);
                it.pos = it.pos.map(|x| x / power(length));
                it.vel = it.vel.map(|v| v / power(length) * time);
            }
            let units =
                [power(2 * mass - length), power(2 * mass - length), 1.0, 1.0, power(length)];
            let mut tables = ["kinetic", "potential", "error", "steps", "r50"].map(|name| {
                let table = if name == "r50" { "lagrange.csv" } else { "energies.csv" };
                column(&out, table, name)
            });
            for (column, unit) in tables.iter_mut().zip(units) {
                for x in column.iter_mut() {
                    *x /= unit;
                }
            }
            let found = (end, tables);
            let expected = expected.get_or_insert_with(|| found.clone());
            assert!(expected.1[0][0] > 0.1, "{:?}", expected.1);
            assert_eq!(expected.1, found.1, "{options:?}, {length}, {mass}");
            assert!(expected.0 == found.0, "{options:?}, {length}, {mass}");
        }
    }
}

#[test]
fn a_cluster_far_from_the_origin_moves_as_one_at_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let run = |name: &str, distance: f64| {
        let (model, out) = (path("model.csv"), path(name));
        sphere(&model, 0, 0, distance);
        succeed(&[text(&model), "--until", "0.5", "--eps", "0.01", "-o", text(&out)]);
        let energies = |name| column(&out, "energies.csv", name)[1];
        (snapshot(&out, "snapshot-0001.csv"), ["steps", "total", "error"].map(energies))
    };
    let (expected, [steps, total, _]) = run("near", 0.0);
    for (name, distance) in [("far", 1e6), ("farther", 1e8)] {
        let (found, [found_steps, found_total, error]) = run(name, distance);
        assert!((found_steps / steps - 1.0).abs() < 0.05, "{found_steps} {steps}");
        assert!(error.abs() < 1e-6 && (found_total / total - 1.0).abs() < 1e-6, "{error}");
        for (a, b) in expected.particles.iter().zip(&found.particles) {
            let away = (0..3).map(|c| (b.pos[c] - distance - a.pos[c]).abs());
            assert!(away.into_iter().all(|x| x < 1e-5), "{name}: {a:?} {b:?}");
        }
    }
    // Far, in other units and in motion, and continued.
    let model = path("moving.csv");
    sphere(&model, 40, 0, 1e20);
    let mut moving = snapshot(folder.path(), "moving.csv");
    let speed = power(-20);
    for it in &mut moving.particles {
        it.vel[0] += 1e3 * speed;
    }
    moving.write_csv(fs::File::create(&model).unwrap()).unwrap();
    let [quarter, half] = [0.25, 0.5].map(|x| (x * power(60)).to_string());
    let begin = |until: &str, out: &Path| {
        let arguments = [text(&model), "--every", &quarter, "--until", until, "-o", text(out)];
        succeed(&arguments);
    };
    let (whole, parts) = (path("whole"), path("parts"));
    begin(&half, &whole);
    begin(&quarter, &parts);
    let checkpoint = parts.join("checkpoint.json");
    succeed(&["--restart", text(&checkpoint), "--until", &half]);
    assert_equal(&whole, &parts, 3);
    let end = snapshot(&whole, "snapshot-0002.csv");
    let momentum: f64 = end.particles.iter().map(|it| it.mass * it.vel[0]).sum();
    assert!((momentum / (1e3 * speed) - 1.0).abs() < 1e-6, "{momentum}");
    assert!(
        (end.kinetic_energy() / column(&whole, "energies.csv", "kinetic")[2] - 1.0).abs() < 1e-6
    );
    assert!(column(&whole, "energies.csv", "error")[2].abs() < 1e-5);
}

#[test]
fn a_precision_that_does_not_hold_the_pairs_is_raised_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (model, out) = (path("model.csv"), path("out"));
    let pair = |distance: f64| {
        let at = |x: f64, y: f64| Particle { mass: 0.25, pos: [x, y, 0.0], ..Particle::default() };
        let bodies = vec![at(1.0, 0.0), at(1.0, distance), at(-1.0, 0.0), at(-1.0, 0.5)];
        let bodies = Snapshot { time: 0.0, particles: bodies };
        bodies.write_csv(fs::File::create(&model).unwrap()).unwrap();
    };
    let options = ["--until", "1e-9", "--every", "1e-9", "-o"];
    for (distance, precision) in [(1e-6, "mixed"), (1e-13, "double")] {
        pair(distance);
        let fixed = [&model, "--until", "1e-9", "--precision", "single", "-o", &path("refused")];
        let message = fail(&fixed);
        let part = format!("particles 0 and 1, at a distance of {distance:e}, are not told apart");
        assert!(message.contains(&part), "{message}");
        assert!(message.contains(&format!("give --precision {precision}")), "{message}");
        let out = format!("{out}-{precision}");
        let leap = ["--integrator", "leapfrog", "--step", "1e-9"];
        let output = run(&[&[&model[..]], &options[..], &[&out], &leap].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{message}");
        assert!(message.contains(&format!("the run is in {precision} precision\n")), "{message}");
        let potential = column(Path::new(&out), "energies.csv", "potential")[0];
        let pairs = 0.0625 * (1.0 / distance + 2.0);
        assert!((potential / -pairs - 1.0).abs() < 1e-3, "{potential}");
        let checkpoint = format!("{out}/checkpoint.json");
        succeed(&["--restart", &checkpoint, "--until", "2e-9"]);
    }
    // Softened, single precision is enough.
    pair(1e-6);
    succeed(&[&model, "--until", "1e-9", "--eps", "0.01", "-o", &path("softened")]);
}

/// Systems with several scales of time, and with none.
#[test]
fn the_largest_step_suits_orbits_of_all_periods() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in.csv");
    let head = "mass,x,y,z,vx,vy,vz\n";
    let pair = "0.5,0.5,0,0,0,0.5,0\n0.5,-0.5,0,0,0,-0.5,0\n";
    for (case, (rows, until)) in [
        // A third body so far that the period of the pair is 10⁻¹⁴ of its own.
        (format!("{pair}1,1e10,0,0,0,0,0\n"), "1"),
        // A body alone, in units of meters and seconds.
        ("2e30,1.5e11,0,0,3e4,0,0\n".to_owned(), "3e7"),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&file, format!("{head}{rows}")).unwrap();
        for integrator in ["hermite", "hermite-shared"] {
            let out = folder.path().join(format!("{case}-{integrator}"));
            let rest = ["--precision", "double", "--no-images", "--integrator", integrator];
            let arguments =
                [&[text(&file), "-o", text(&out), "--until", until], &rest[..]].concat();
            succeed(&arguments);
            let steps = column(&out, "energies.csv", "steps");
            assert!((4.0..3000.0).contains(&steps[1]), "{case}, {integrator}: {steps:?}");
            let error = column(&out, "energies.csv", "error")[1];
            assert!(error.abs() < 1e-6, "{case}, {integrator}: {error:e}");
        }
    }
}

#[test]
fn files_of_any_format_are_read_and_none_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let plummer = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
        assert!(command.args(["plummer", "30", "-o", file]).status().unwrap().success());
    };
    let mut ends = Vec::new();
    for name in ["a.CSV", "a.nemo", "a.xyz"] {
        let (file, out) = (path(name), path(&format!("{name}-out")));
        plummer(&file);
        succeed(&[&file, "--until", "0.125", "-o", &out]);
        ends.push(snapshot(Path::new(&out), "snapshot-0001.csv"));
        let whole = fs::read(&file).unwrap();
        // In the middle of a number, of a line, and at the end of a line.
        for end in [whole.len() / 2, whole.len() / 2 + 31, whole.len() - 1] {
            fs::write(&file, &whole[..end]).unwrap();
            let message = fail(&[&file, "--until", "0.125", "-o", &path("none")]);
            assert!(message.contains(": line "), "{message}");
        }
    }
    assert!(ends[0] == ends[1] && ends[0] == ends[2]);
}

#[test]
fn images_can_be_left_out_and_a_run_may_have_no_step() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let arguments = ["--n", "8", "--until", "1e-20", "--no-images", "-o", text(&out)];
    let printed = succeed(&arguments);
    assert!(!printed.contains("NaN"), "{printed}");
    let checkpoint = out.join("checkpoint.json");
    succeed(&["--restart", text(&checkpoint), "--until", "0.25"]);
    assert!(out.join("snapshot-0002.csv").exists());
    let paths = fs::read_dir(&out).unwrap().map(|it| it.unwrap().path());
    assert_eq!(paths.filter(|it| it.extension().is_some_and(|it| it == "png")).count(), 0);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_continues_and_no_other_writes_beside_it() {
    use std::os::unix::fs::MetadataExt as _;

    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let options = ["--n", "16", "--eps", "0.1", "--every", "0.25"];
    // A checkpoint every millisecond.
    let often = ["--until", "1e6", "--checkpoint-every", "1.7e-5", "-o", text(&parts)];
    let (checkpoint, table) = (parts.join("checkpoint.json"), parts.join("energies.csv"));
    let mut child = spawn(&[&options[..], &often].concat(), &parts.join("snapshot-0002.png"));
    let place = fs::metadata(&table).unwrap().ino();
    let message = fail(&["--restart", text(&checkpoint), "--until", "3"]);
    assert!(message.contains("another process writes into "), "{message}");
    let message = fail(&["--n", "8", "-o", text(&parts)]);
    assert!(message.contains("another process writes into "), "{message}");
    wait_for("checkpoints", || time_of_checkpoint(&parts) > 1.0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::metadata(&table).unwrap().ino(), place, "the table was written anew");
    let until = (time_of_checkpoint(&parts) * 4.0).ceil() / 4.0 + 0.25;
    let until = until.to_string();
    succeed(&["--restart", text(&checkpoint), "--until", &until]);
    succeed(&[&options[..], &["--until", &until, "-o", text(&whole)]].concat());
    assert_equal(&whole, &parts, column(&whole, "energies.csv", "time").len());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_preparation_and_a_row_of_snapshots_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (early, many) = (folder.path().join("early"), folder.path().join("many"));
    let child = spawn(&["--n", "300000", "-o", text(&early)], &early);
    let start = Instant::now();
    send("-INT", &child);
    interrupted(child);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    // 10^11 snapshots within a step.
    let arguments = ["--n", "8", "--no-images", "--until", "0.125", "--every", "1e-12"];
    let arguments =
        [&arguments[..], &["--eta", "1e9", "--eta-start", "1e9", "-o", text(&many)]].concat();
    let child = spawn(&arguments, &many.join("snapshot-0003.csv"));
    send("-INT", &child);
    let printed = interrupted(child);
    assert!(printed.contains("continue with: nbody run --restart "), "{printed}");
    assert!(many.join("interrupted.csv").exists());
}
