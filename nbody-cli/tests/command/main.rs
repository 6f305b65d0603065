//! The command `nbody`, run as a process.

mod convert;
mod model;
mod plot;
mod tables;
mod view;
mod wrong;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use nbody::cuda::{Program, Walk};
use nbody::models::Snapshot;
use nbody::{Device, Interaction, Options};
use nbody_interactions::{gravity::Gravity, hermite::Hermite};

fn nbody(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nbody")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the messages, without lines about the progress, which a slow machine prints.
fn stderr(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    text.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

/// Returns whether a line begins with a date.
fn is_progress(line: &str) -> bool {
    line.get(..21).is_some_and(|date| date.starts_with("20") && date.ends_with("Z "))
}

#[test]
fn devices_are_listed_on_any_machine() {
    let output = nbody(&["devices"]);
    assert!(output.status.success());
    let text = stdout(&output);
    for line in ["cuda", "cpu", "emulator", "best", "NVRTC"] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line} in {text}");
    }
}

#[test]
fn charges_are_listed_or_the_reason_why_there_are_none() {
    let output = nbody(&["emit", "--far", "hermite"]);
    let lines: Vec<_> = stdout(&output).lines().map(str::to_owned).collect();
    let momenta = "vel.x * mass, vel.y * mass, vel.z * mass";
    let [header, acc, jerk, ..] = &lines[..] else { panic!("{lines:?}") };
    assert!(header.starts_with("result") && header.contains("both signs"), "{header}");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(acc), "acc theta^2 theta^1 theta^3 mass");
    assert_eq!(words(jerk), format!("jerk theta^1 theta^1 theta^2 {momenta},"));
    let output = nbody(&["emit", "--far", "softened"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
    let reason = "`j.eps` is no factor of `(d.norm2() + eps2).rsqrt()`";
    assert_eq!(stderr(&output), format!("error: softened is no sum over charges: {reason}\n"));
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let run = |arguments: &[&str], limit: &str| {
        Command::new(env!("CARGO_BIN_EXE_nbody"))
            .args(arguments)
            .env("NBODY_CACHE_DIR", &cache)
            .env("NBODY_CACHE_LIMIT", limit)
            .output()
            .unwrap()
    };
    let document = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&run(arguments, "3").stdout).unwrap()
    };
    let shown = |entries, bytes, limit| {
        let folder = cache.display();
        format!("folder   {folder}\nentries  {entries}\nbytes    {bytes}\nlimit    {limit}\n")
    };
    assert_eq!(stdout(&run(&["cache"], "")), shown(0, 0, 1 << 30));
    std::fs::create_dir(&cache).unwrap();
    let entry = cache.join("0123456789abcdef0123456789abcdef");
    std::fs::write(entry.with_extension("cubin"), b"compiled").unwrap();
    std::fs::write(entry.with_extension("cu"), b"text").unwrap();
    std::fs::write(cache.join("mine.txt"), b"mine").unwrap();
    assert_eq!(stdout(&run(&["cache"], "3")), shown(1, 12, 3 << 20));
    let found = document(&["cache", "--json"]);
    assert_eq!((&found["command"], &found["folder"]), (&"cache".into(), &cache.to_str().into()));
    let numbers = ["entries", "bytes", "limit_bytes"].map(|name| found[name].as_u64());
    assert_eq!(numbers, [1, 12, 3 << 20].map(Some));
    let output = run(&["cache", "--clear"], "");
    assert_eq!(stdout(&output), format!("removed 1 entries, 12 bytes, from {}\n", cache.display()));
    assert_eq!(stdout(&run(&["cache"], "")), shown(0, 0, 1 << 30));
    assert!(cache.join("mine.txt").exists());
    let found = document(&["cache", "--clear", "--json"]);
    assert_eq!((&found["removed_entries"], &found["removed_bytes"]), (&0.into(), &0.into()));
    let output = run(&["cache"], "lots");
    assert_eq!(output.status.code(), Some(1));
    let expected = "error: NBODY_CACHE_LIMIT is `lots`, expected a whole number of MiB\n";
    assert_eq!(stderr(&output), expected);
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_may_write_to_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let all = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder.path(), all).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_nbody"))
        .arg("cache")
        .env("NBODY_CACHE_DIR", folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("entries  0"), "{}", stdout(&output));
    let error = stderr(&output);
    assert!(error.starts_with("error: the kernel cache ") && error.contains("777"), "{error}");

    // Where nothing is compiled, the cache has no use. Each command ends here before it measures.
    let law = folder.path().join("law.rs");
    std::fs::write(&law, SPRINGS).unwrap();
    let law = law.to_str().unwrap();
    for (arguments, is_reported) in [
        ("bench gravity --csv /no/such/file --device", [false, true]),
        ("bench gravity --ranks 1 --csv /no/such/file --device", [false, true]),
        ("bench --tree --csv /no/such/file --device", [false, true]),
        (&format!("bench {law} --csv /no/such/file --device"), [true, true]),
        ("accuracy --csv /no/such/file --device", [false, true]),
        ("accuracy --tree --csv /no/such/file --device", [false, true]),
        (&format!("accuracy {law} --csv /no/such/file --device"), [true, true]),
        ("energy --csv /no/such/file --device", [false, true]),
        ("scaling --csv /no/such/file --device", [false, true]),
        ("run -n 16 --output /dev/null/run --device", [false, true]),
    ] {
        for (device, is_reported) in ["cpu", "emulator"].into_iter().zip(is_reported) {
            let output = Command::new(env!("CARGO_BIN_EXE_nbody"))
                .args(arguments.split(' '))
                .arg(device)
                .env("NBODY_CACHE_DIR", folder.path())
                .output()
                .unwrap();
            let error = stderr(&output);
            assert!(output.stdout.is_empty() && error.contains("error: cannot "), "{error}");
            let warnings = error.matches("warning: the kernel cache ").count();
            assert_eq!(warnings, usize::from(is_reported), "{arguments} {device}: {error}");
        }
    }
}

/// An interaction that is no ready one.
const SPRINGS: &str = "
struct Springs { k: Real }
struct Body { pos: Point }
struct Force { force: Vector }
impl Interaction for Springs {
    type I = Body;
    type J = Body;
    type F = Force;
    fn pair(&self, i: &Body, j: &Body, f: &mut Force) {
        f.force += self.k * (j.pos - i.pos);
    }
}
";

#[test]
fn help_names_every_variable() {
    let text = stdout(&nbody(&["--help"]));
    for name in ["CACHE_DIR", "CACHE_LIMIT", "NVRTC", "NVDISASM", "CXX_TIMEOUT"] {
        assert!(text.contains(&format!("\n  NBODY_{name} ")), "{name} in {text}");
    }
}

#[test]
fn emit_prints_the_interaction_or_the_program_that_is_compiled() {
    let program = Program::new(Gravity::LAW, Options::default()).unwrap();
    let declared = stdout(&nbody(&["emit", "gravity"]));
    assert!(declared.starts_with("namespace nbody::law {\n\n// Newtonian gravity"), "{declared}");
    assert!(declared.contains(" void pair(") && !declared.contains("__global__"), "{declared}");
    assert!(program.source.contains(&declared));
    let symmetric = stdout(&nbody(&["emit", "gravity", "--schedule", "symmetric"]));
    assert!(symmetric.contains(" void pair_symmetric("), "{symmetric}");
    let few = stdout(&nbody(&["emit", "gravity", "--schedule", "few", "--program"]));
    assert!(few.contains(" few(\n"), "{few}");
    let output = nbody(&["emit", "hologram", "--schedule", "symmetric"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("hologram has no program of the schedule symmetric"), "{message}");
    let groups = stdout(&nbody(&["emit", "gravity", "--walk", "groups", "--program"]));
    assert_eq!(
        groups,
        Program::walk(Gravity::LAW, Options::default(), Walk::Groups).unwrap().source
    );
    let particles = stdout(&nbody(&["emit", "gravity", "--walk", "particles", "--program"]));
    assert!(particles.contains(" walk_links(\n"), "{particles}");
    let output = nbody(&["emit", "softened", "--walk", "particles", "--program"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("`softened` has no tree"), "{message}");
    assert_eq!(stdout(&nbody(&["emit", "gravity", "--program"])), program.source);
    let numerics = ["--precision", "double", "--math", "exact"];
    let output = nbody(&[&["emit", "hermite", "--program"], &numerics[..]].concat());
    assert_ne!(stdout(&output), Program::new(Hermite::LAW, Options::default()).unwrap().source);
    assert!(stdout(&output).contains("using real = double;"));
}

#[test]
fn unknown_names_are_refused_with_the_valid_ones() {
    for (arguments, part) in [
        (&["emit", "gravitation"][..], "gravity, attraction, softened, hermite"),
        (&["emit", "gravity", "--precision", "half"], "expected single, double"),
        (&["verify", "--device", "gpu"], "expected cpu, cpu:LEVEL (scalar"),
        (&["bench", "--device", "cpu:mmx"], "emulator, cuda:N or best"),
        (&["bench", "-n", "0"], "invalid value '0'"),
        (&["bench", "-n", "18446744073709551615"], "so many particles do not fit into memory"),
        (&["bench", "-i", "99999999999999"], "so many particles do not fit into memory"),
        (&["tune", "-n", "99999999999999"], "so many particles do not fit into memory"),
        (&["accuracy", "-n", "99999999999999"], "so many particles do not fit into memory"),
        (&["plummer", "many"], "invalid value 'many'"),
        (&["scaling", "-n", "64,1"], "expected a whole number of particles from 2 to"),
        (&["energy", "-n", "1"], "expected a whole number of particles from 2 to"),
        (&["energy", "--limit", "0"], "invalid value '0' for '--limit <STEPS>'"),
        (&["energy", "--precision", "single,half"], "expected single, double"),
        (&[], "Usage: nbody"),
    ] {
        let output = nbody(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_missing_gpu_is_a_failure() {
    let missing = format!("cuda:{}", Device::cuda_count().unwrap_or(0));
    for command in ["verify", "bench", "accuracy", "scaling", "energy"] {
        let output = nbody(&[command, "--device", &missing]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).starts_with("error: no CUDA "), "{}", stderr(&output));
    }
}

#[test]
fn bench_measures() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, plots) = (path("bench.csv"), path("deep/plots"));
    let arguments = ["bench", "gravity", "hologram", "--device", "cpu", "-n", "64,100"];
    let output = nbody(&[&arguments[..], &["--csv", &csv, "--plots", &plots]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("gravity")).collect();
    assert_eq!(rows.len(), 2, "{text}");
    let cells: Vec<_> = rows[0].split_whitespace().collect();
    assert_eq!(cells[..3], ["gravity", "64", "ordered"], "{text}");
    assert!(cells[3].parse::<f64>().unwrap() > 0.0, "{text}");
    // No progress bar in a pipe.
    assert!(stderr(&output).is_empty() && !text.contains(['\r', '\u{1b}']), "{text}");
    let rows = records(&csv);
    let [n, rate, median] = ["n", "pairs_per_s", "median_s"].map(|name| numbers(&rows, name));
    assert_eq!(n, [64.0, 100.0, 64.0, 100.0]);
    for ((n, rate), median) in n.iter().zip(rate).zip(median) {
        assert!((rate * median / (n * n) - 1.0).abs() < 1e-9, "{rows:?}");
    }
    assert_eq!(column(&rows, "sets"), ["one", "one", "two", "two"]);
    assert!(column(&rows, "date").iter().all(|date| date.ends_with('Z')), "{rows:?}");
    for name in ["speed.svg", "roofline.svg", "error.svg"] {
        let words =
            if name == "error.svg" { ["direct", "blocked-f64"] } else { ["gravity", "hologram"] };
        let text = drawing(&plots, name);
        assert!(words.iter().all(|word| text.contains(word)), "{name}: {text}");
    }
}

#[test]
fn accuracy_writes_the_same_table_to_pipes_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, plots) = (path("accuracy.csv"), path("plots"));
    let arguments = ["accuracy", "--device", "cpu", "-n", "100,500"];
    let output = nbody(&[&arguments[..], &["--csv", &csv, "--plots", &plots]].concat());
    let text = stdout(&output);
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    assert_eq!(text.matches("  acc    rms  ").count(), 2, "{text}");
    let rows = records(&csv);
    assert_eq!(column(&rows, "accumulation")[..3], ["direct", "blocked", "blocked-f64"]);
    let [max, rms] = ["max", "rms"].map(|name| numbers(&rows, name));
    assert!(max.iter().zip(&rms).all(|(max, rms)| max >= rms && *max < 1e-5), "{rows:?}");
    drawing(&plots, "error.svg");
    let file = path("output.txt");
    let status = Command::new(env!("CARGO_BIN_EXE_nbody"))
        .args(arguments)
        .stdout(std::fs::File::create(&file).unwrap())
        .status();
    assert!(status.unwrap().success());
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

#[test]
fn scaling_measures_and_fits_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, plots) = (path("scaling.csv"), path("plots"));
    let arguments = ["scaling", "--device", "cpu", "--eta", "0.04", "-n", "16,32,64,128"];
    let output = nbody(&[&arguments[..], &["--csv", &csv, "--plots", &plots]].concat());
    let text = stdout(&output);
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_row = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let table: Vec<_> = text.lines().filter(is_row).map(cells).collect();
    let rows = records(&csv);
    let names =
        ["n", "quarter_block_steps", "quarter_particle_steps", "quarter_s", "unit_block_steps"];
    let [n, steps, particles, seconds, whole] = names.map(|name| numbers(&rows, name));
    assert_eq!(n, [16.0, 32.0, 64.0, 128.0]);
    let (of_steps, of_times) = table.split_at(4);
    for (k, (line, times)) in of_steps.iter().zip(of_times).enumerate() {
        assert_eq!(line[..3], [n[k], steps[k], particles[k]].map(|x| x.to_string()), "{text}");
        let [measured, predicted, ratio] =
            [1, 2, 3].map(|cell| times[cell].parse::<f64>().unwrap());
        assert!((measured - seconds[k]).abs() < 1e-4 && predicted > 0.0 && ratio > 0.0, "{text}");
        assert!(steps[k] < whole[k] && particles[k] >= 2.0 * n[k], "{text}");
    }
    assert_eq!(table.len(), 8, "{text}");
    let errors = numbers(&rows, "unit_energy_error");
    assert!(errors.iter().all(|e| *e != 0.0 && e.abs() < 1e-4), "{errors:?}");
    assert_eq!(column(&rows, "eta"), ["0.04"; 4]);
    for part in
        ["S, block steps a time unit", "247 N^0.35", "t0, of a block step", "r, rate of pairs"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let plot = drawing(&plots, "scaling.svg");
    assert!(
        ["dashed curves are the models", "cpu: model S = "].iter().all(|it| plot.contains(it)),
        "{plot}"
    );

    // The same from the file, without a measurement.
    let again = nbody(&["scaling", "--from", &csv, "--eta", "0.04"]);
    assert!(again.status.success() && stdout(&again) == text, "{}", stdout(&again));
    // No file is lost: neither the one that is read, nor another, for no measurement.
    let (whole, other) = (std::fs::read(&csv).unwrap(), path("other.csv"));
    std::fs::write(&other, "mine").unwrap();
    for (to, device, part) in [
        (&csv, &["--device", "cpu"][..], "is a file of --from too"),
        (&csv, &[], "is a file of --from too"),
        (&other, &[], "--from without --device makes none"),
    ] {
        let arguments = ["scaling", "--from", &csv, "--eta", "0.04", "--csv", to];
        let refused = nbody(&[&arguments[..], device].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(part), "{}", stderr(&refused));
        assert!(std::fs::read(&csv).unwrap() == whole && std::fs::read(&other).unwrap() == b"mine");
    }
    for (from, part) in [
        (&csv, "N = 16: measured with --eta 0.04, and this run has 0.02; give --eta 0.04"),
        (&path("plots/scaling.svg"), "give a file that `nbody scaling --csv` wrote"),
        (&path("missing.csv"), "missing.csv"),
    ] {
        let refused = nbody(&["scaling", "--from", from]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains(part), "{}", stderr(&refused));
    }

    let text = stdout(&nbody(&["scaling", "--device", "cpu", "-n", "8,16"]));
    assert!(text.contains("no model is fitted to 2 different N"), "{text}");
}

#[test]
fn energy_errors_are_shown_where_integrations_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, plots) = (path("energy.csv"), path("plots"));
    let arguments = ["energy", "--device", "cpu", "-n", "16", "--eta", "0.08,0.01", "--eps", "0.1"];
    let all = nbody(&[&arguments[..], &["--csv", &csv, "--plots", &plots]].concat());
    assert!(all.status.success() && stderr(&all).is_empty(), "{}", stderr(&all));
    let rows = records(&csv);
    let precisions = ["single", "single", "mixed", "mixed", "double", "double"];
    assert_eq!(column(&rows, "precision"), precisions);
    let [steps, errors, times] =
        ["block_steps", "energy_error", "time"].map(|name| numbers(&rows, name));
    assert_eq!(times, [1.0; 6]);
    for k in [0, 2, 4] {
        assert!(steps[k] < steps[k + 1] && errors[k].abs() > errors[k + 1].abs(), "{rows:?}");
    }
    let plot = drawing(&plots, "energy.svg");
    assert!(["0.01", "0.08", "double, cpu"].iter().all(|word| plot.contains(word)), "{plot}");

    let limit = column(&rows, "block_steps")[4].to_owned();
    let limited = ["--precision", "double", "--limit", &limit, "--csv", &csv, "--plots", &plots];
    let output = nbody(&[&arguments[..], &limited].concat());
    let text = stdout(&output);
    let ends: Vec<_> = text.lines().filter(|line| line.starts_with("double ")).collect();
    assert!(ends[0].contains("e-") && !ends[0].contains("ended"), "{text}");
    assert!(ends[1].contains("  ended at 0."), "{text}");
    let rows = records(&csv);
    assert_eq!(column(&rows, "energy_error")[1], "");
    let [times, steps] = ["time", "block_steps"].map(|name| numbers(&rows, name));
    assert!(times[0] == 1.0 && times[1] < 1.0 && steps[1].to_string() == limit, "{rows:?}");
    let plot = drawing(&plots, "energy.svg");
    assert!(plot.contains("0.08") && !plot.contains("0.01"), "{plot}");
}

#[test]
fn paths_that_cannot_be_written_are_errors_before_the_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let inside = file.join("inside").to_str().unwrap().to_owned();
    for command in ["bench", "accuracy", "scaling", "energy"] {
        for (option, message) in
            [("--csv", "error: cannot create "), ("--plots", "error: cannot write in ")]
        {
            let output = nbody(&[command, "--device", "cpu", "-n", "64", option, &inside]);
            assert_eq!(output.status.code(), Some(1));
            let error = stderr(&output);
            assert!(error.starts_with(message) && error.contains(&inside), "{error}");
            assert!(output.stdout.is_empty(), "{}", stdout(&output));
        }
    }
}

#[test]
fn accuracy_measures_trees() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, plots) = (path("trees.csv"), path("plots"));
    let arguments = ["accuracy", "--tree", "-n", "3000", "--model", "plummer,galaxy"];
    let openings = ["--theta", "0.9,0.5", "--share", "0.01", "--csv", &csv, "--plots", &plots];
    let output = nbody(&[&arguments[..], &openings].concat());
    let text = stdout(&output);
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    let (_, galaxy) = text.split_once("\n\ngalaxy of 3000\n\n").unwrap();
    let rows = |far: &str| galaxy.lines().filter(|line| line.starts_with(far)).count();
    assert_eq!(["direct ", "monopole ", "second "].map(rows), [1, 3, 3], "{text}");
    let rows = records(&csv);
    let [evaluations, mean, rms, p99, max] =
        ["evaluations", "mean", "rms", "p99", "max"].map(|name| numbers(&rows, name));
    for first in [0, 7] {
        // All pairs; then monopoles with two angles and a share; then second order.
        assert!(evaluations[first] == 3000.0 && mean[first] < 1e-6, "{text}");
        for k in first + 1..first + 7 {
            let is_good = mean[k] <= rms[k] && mean[k] <= p99[k] && p99[k] <= max[k];
            assert!(is_good && (1e-6..2e-2).contains(&mean[k]), "{text}");
        }
        assert!(mean[first + 1] > mean[first + 2] && mean[first + 4] > mean[first + 5], "{text}");
    }
    assert!(drawing(&plots, "tree-plummer-3000.svg").contains("second order, by share"));
}

#[test]
fn bench_measures_the_stages_of_trees() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, plots) = (path("stages.csv"), path("plots"));
    let arguments = ["bench", "--tree", "--device", "cpu", "--device", "emulator", "-n", "600"];
    let others = ["--theta", "0.7", "--far", "second", "--csv", &csv, "--plots", &plots];
    let output = nbody(&[&arguments[..], &others].concat());
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    let rows = records(&csv);
    let names = ["seconds", "least_seconds", "walk_seconds", "evaluations_by_groups"];
    let [all, least, walk, by_groups] = names.map(|name| numbers(&rows, name));
    for k in 0..2 {
        assert!(least[k] <= all[k] && 0.0 < walk[k], "{}", stdout(&output));
    }
    // The CPU has no walks by particle; both devices have one tree.
    let own = column(&rows, "evaluations_by_particle");
    let of_particle: f64 = own[1].parse().unwrap();
    assert!(own[0].is_empty() && 0.0 < of_particle && of_particle < by_groups[1], "{own:?}");
    assert!(by_groups[0] == by_groups[1] && by_groups[0] <= 600.0, "{by_groups:?}");
    assert!(drawing(&plots, "tree-speed.svg").contains("all pairs, emulator"));
}

#[test]
fn bench_measures_the_parts_of_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, plots) = (path("lists.csv"), path("plots"));
    let arguments = ["bench", "--lists", "lennard_jones", "wendland_density2", "-n", "600"];
    let others = ["--device", "cpu", "--device", "emulator", "--csv", &csv, "--plots", &plots];
    let output = nbody(&[&arguments[..], &others].concat());
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    let rows = records(&csv);
    let names = rows[0].iter().skip_while(|name| *name != "cutoff");
    for name in
        names.filter(|name| !["ghosts", "exchange_seconds", "migrate_seconds"].contains(name))
    {
        let all = numbers(&rows, name);
        assert!(all.len() == 4 && all.iter().all(|x| *x > 0.0 && x.is_finite()), "{name}: {all:?}");
    }
    let names = ["neighbours", "listed_pairs", "tested_pairs", "steps_per_rebuild"];
    let [within, listed, tested, steps] = names.map(|name| numbers(&rows, name));
    for k in 0..4 {
        assert!((50.0..60.0).contains(&within[k]) && steps[k] == 10.0, "{}", stdout(&output));
        assert!(within[k] < listed[k] && listed[k] < tested[k], "{}", stdout(&output));
    }
    // Both devices have the same pairs within the cutoff, though not the same steps that rebuild.
    assert_eq!([within[0], within[2]], [within[1], within[3]]);
    assert!(drawing(&plots, "list-speed.svg").contains("wendland_density2, emulator"));
}

/// The density, the skin and the cutoff are in the units of the law.
#[test]
fn bench_takes_the_density_of_lists() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("lists.csv").to_str().unwrap().to_owned();
    let arguments = ["bench", "--lists", "lennard_jones", "--device", "cpu", "-n", "3000"];
    let units = ["--set", "cutoff=2.5", "--density", "0.8442", "--skin", "0.75", "--csv", &csv];
    let output = nbody(&[&arguments[..], &units].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("cutoff = 2.5"), "{}", stdout(&output));
    let rows = records(&csv);
    let found = ["cutoff", "density", "skin"].map(|name| numbers(&rows, name)[0]);
    assert_eq!(found, [2.5, 0.8442, 0.75]);
    let expected = 0.8442 * 4.0 / 3.0 * std::f64::consts::PI * 2.5_f64.powi(3);
    let within = numbers(&rows, "neighbours")[0];
    assert!((within / expected - 1.0).abs() < 0.05, "{within}, expected {expected}");
}

#[test]
fn bench_refuses_lists_of_interactions_without_a_cutoff() {
    for (arguments, part) in [
        (
            &["gravity"][..],
            "`gravity` has no cutoff, and so no neighbour lists: declare `fn cutoff`",
        ),
        (&["lennard_jones", "gravity", "--ranks", "1,2"], "or leave out --lists to measure all"),
        (&["lennard_jones", "--set", "cutoff=0"], "`lennard_jones` has a cutoff of 0"),
        (&["lennard_jones", "-n", "100"], "take a larger box or a shorter cutoff"),
    ] {
        let output = nbody(&[&["bench", "--lists", "--device", "cpu"], arguments].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{}", stdout(&output));
    }
    for arguments in [
        &["--lists", "--tree"][..],
        &["--lists", "--distribute-trees"],
        &["--lists", "-i", "3"],
        &["--lists", "--density", "0"],
        &["--lists", "--density", "1", "--neighbours", "3"],
        &["--density", "1"],
    ] {
        assert_eq!(
            nbody(&[&["bench"], arguments].concat()).status.code(),
            Some(2),
            "{arguments:?}"
        );
    }
}

/// Reads the rows of a CSV file, the header first.
fn records(path: &str) -> Vec<csv::StringRecord> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    reader.records().collect::<Result<_, _>>().unwrap()
}

fn column<'a>(rows: &'a [csv::StringRecord], name: &str) -> Vec<&'a str> {
    let at = rows[0].iter().position(|found| found == name).unwrap();
    rows[1..].iter().map(|row| &row[at]).collect()
}

fn numbers(rows: &[csv::StringRecord], name: &str) -> Vec<f64> {
    column(rows, name).iter().map(|cell| cell.parse().unwrap()).collect()
}

/// Reads the text of a plot, and checks that its elements are nested correctly.
fn drawing(folder: &str, name: &str) -> String {
    let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let mut open = Vec::new();
    for part in text.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap();
        let element = tag.trim_start_matches('/').split_whitespace().next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(element), "{name}");
        } else if !tag.ends_with('/') && !tag.starts_with(['?', '!']) {
            open.push(element);
        }
    }
    assert!(open.is_empty() && text.contains("</svg>"), "{name}: {open:?}");
    assert!(!text.contains("NaN"), "{name}");
    text
}

#[test]
fn plummer_writes_snapshots_that_read_back() {
    let csv = nbody(&["plummer", "50"]);
    let nemo = nbody(&["plummer", "50", "--format", "nemo"]);
    let snapshot = Snapshot::read_csv(&csv.stdout[..]).unwrap();
    assert_eq!(snapshot, Snapshot::read_nemo(&nemo.stdout[..]).unwrap());
    let xyz = stdout(&nbody(&["plummer", "50", "--format", "xyz"]));
    assert_eq!(xyz.lines().next(), Some("50"), "{xyz}");
    assert_eq!(xyz.lines().count(), 52, "{xyz}");
    assert!((snapshot.potential_energy() + 0.5).abs() < 1e-12);
    assert_ne!(nbody(&["plummer", "50", "--as-sampled"]).stdout, csv.stdout);
    assert_ne!(nbody(&["plummer", "50", "--seed", "2"]).stdout, csv.stdout);
    let output = nbody(&["plummer", "5", "-o", "/no/such/folder/file.csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/no/such/folder/file.csv"), "{}", stderr(&output));
}

#[test]
fn plummer_writes_the_format_of_the_extension_and_replaces_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let expected = Snapshot::read_csv(&nbody(&["plummer", "20"]).stdout[..]).unwrap();
    let succeed = |arguments: &[&str]| {
        let output = nbody(&[&["plummer", "20", "-o"], arguments].concat());
        assert!(output.status.success() && output.stdout.is_empty(), "{}", stderr(&output));
        std::fs::read(arguments[0]).unwrap()
    };
    let refuse = |arguments: &[&str], part: &str| {
        let output = nbody(&[&["plummer", "20", "-o"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    };
    assert_eq!(Snapshot::read_nemo(&succeed(&[&path("a.nemo")])[..]).unwrap(), expected);
    assert_eq!(Snapshot::read_xyz(&succeed(&[&path("a.XYZ")])[..]).unwrap(), expected);
    assert_eq!(Snapshot::read_csv(&succeed(&[&path("a.CSV")])[..]).unwrap(), expected);
    assert_eq!(Snapshot::read_csv(&succeed(&[&path("a")])[..]).unwrap(), expected);
    let nemo = succeed(&[&path("b"), "--format", "nemo"]);
    assert_eq!(Snapshot::read_nemo(&nemo[..]).unwrap(), expected);
    refuse(&[&path("c.nemo"), "--format", "csv"], "the extension of --format nemo, but csv");
    refuse(&[&path("c.dat")], "the extension is that of no format; give .csv");
    assert!(!folder.path().join("c.nemo").exists() && !folder.path().join("c.dat").exists());
    std::fs::write(path("mine.csv"), "mine").unwrap();
    refuse(&[&path("mine.csv")], "exists: give another name, or --overwrite");
    assert_eq!(std::fs::read(path("mine.csv")).unwrap(), b"mine");
    let replaced = succeed(&[&path("mine.csv"), "--overwrite"]);
    assert_eq!(Snapshot::read_csv(&replaced[..]).unwrap(), expected);
    let output = nbody(&["plummer", "20", "-o", "/dev/stdout"]);
    assert_eq!(Snapshot::read_csv(&output.stdout[..]).unwrap(), expected);
    // No temporary file stays.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6);
}

#[test]
fn a_measurement_that_is_killed_keeps_the_file_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("energy.csv");
    std::fs::write(&csv, "mine").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_nbody"))
        .args(["energy", "--device", "cpu", "-n", "100000", "--csv", csv.to_str().unwrap()])
        .spawn()
        .unwrap();
    let start = Instant::now();
    let is_begun = || folder.path().join("energy.csv.part").exists();
    while start.elapsed() < Duration::from_secs(60) && !is_begun() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read(&csv).unwrap(), b"mine");
    assert!(is_begun());
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nbody"))
        .args(["plummer", "20000", "--as-sampled"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
}
