//! The command as processes of MPI, under several MPI libraries, and as threads.
//!
//! `cargo xtask test` provides Open MPI and MPICH, and names their folders in the environment; other
//! tests take the `mpirun` of the system, if there is one.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// An MPI library: the folder of its `mpirun`, and the library if it is not the launcher's own.
#[derive(Clone, Debug)]
struct Mpi {
    name: &'static str,
    folder: PathBuf,
    library: Option<PathBuf>,
}

fn folder_of(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Returns the libraries of this machine: Open MPI, MPICH, MPICH by the interface of MPI-5, and the
/// system's.
fn libraries() -> Vec<Mpi> {
    let mut all = Vec::new();
    if let Some(folder) = folder_of("NBODY_OPENMPI") {
        all.push(Mpi { name: "Open MPI", folder, library: None });
    }
    if let Some(folder) = folder_of("NBODY_MPICH") {
        let standard = folder.join("../lib/libmpi_abi.so.1");
        all.push(Mpi { name: "MPICH", folder: folder.clone(), library: None });
        all.push(Mpi { name: "MPI-5", folder, library: Some(standard) });
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    let of_system = env::split_paths(&paths).find(|folder| folder.join("mpirun").is_file());
    all.extend(of_system.map(|folder| Mpi { name: "system", folder, library: None }));
    all
}

/// Returns the command as `n` processes.
fn processes(mpi: &Mpi, n: usize, arguments: &[&str]) -> Command {
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = [mpi.folder.clone()].into_iter().chain(env::split_paths(&paths));
    let paths: OsString = env::join_paths(paths).unwrap();
    let mut command = Command::new(mpi.folder.join("mpirun"));
    command
        .args(["-n", &n.to_string()])
        .arg(env!("CARGO_BIN_EXE_nbody"))
        .args(arguments)
        .env("PATH", paths)
        .env("RAYON_NUM_THREADS", "1")
        // Open MPI refuses the superuser, and more processes than cores.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        .env_remove("NBODY_MPI");
    if let Some(library) = &mpi.library {
        command.env("NBODY_MPI", library);
    }
    command
}

fn text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

fn run(folder: &Path, integrator: &[&str]) -> Vec<String> {
    let common = ["run", "--device", "cpu", "--no-images", "--eps", "0.01", "-n", "300"];
    let out = ["-o", folder.to_str().unwrap()];
    [&common[..], integrator, &out].concat().into_iter().map(str::to_owned).collect()
}

const BLOCK: [&str; 2] = ["--until", "0.0625"];
const LEAPFROG: [&str; 6] =
    ["--until", "0.0625", "--integrator", "leapfrog", "--step", "0.0078125"];

/// Any number of processes writes the same files, to the last bit, under every library.
#[test]
fn processes_have_the_bits_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = [BTreeSet::new(), BTreeSet::new()];
    let all = libraries();
    for (k, mpi) in all.iter().enumerate() {
        // Each library with two numbers of processes; two of them with all.
        let numbers = if k < 2 { vec![1, 2, 3, 4] } else { vec![2, 4] };
        for n in numbers {
            for (integrator, files) in [&BLOCK[..], &LEAPFROG].into_iter().zip(&mut files) {
                let out = folder.path().join(format!("{k}-{n}-{}", integrator.len()));
                let arguments = run(&out, integrator);
                let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
                let output = processes(mpi, n, &arguments).output().unwrap();
                let printed = text(&output);
                assert!(output.status.success(), "{} {n}: {printed}", mpi.name);
                let device = if n == 1 { "cpu".to_owned() } else { format!("{n} x cpu") };
                assert_eq!(
                    printed.matches("total energy").count(),
                    1,
                    "{} {n}: {printed}",
                    mpi.name
                );
                assert!(printed.contains(&device), "{} {n}: {printed}", mpi.name);
                files.insert(fs::read(out.join("snapshot-0001.csv")).unwrap());
            }
        }
    }
    if !all.is_empty() {
        assert_eq!(files.map(|files| files.len()), [1, 1]);
    }
}

/// MPI takes the memory of the emulator by its address, for results of all particles and for particles
/// of trees: the files are the same as where messages pass through the host.
#[test]
fn memory_passes_by_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let trees = [&LEAPFROG[..], &["--tree", "0.5", "--distribute-trees"]].concat();
    let mut files = [BTreeSet::new(), BTreeSet::new()];
    let all = libraries();
    for (k, mpi) in all.iter().enumerate() {
        for way in ["", "none"] {
            for (integrator, files) in [&BLOCK[..], &trees].into_iter().zip(&mut files) {
                let out = folder.path().join(format!("{k}-{way}-{}", integrator.len()));
                let mut arguments = run(&out, integrator);
                let device = arguments.iter_mut().find(|it| *it == "cpu").unwrap();
                "emulator".clone_into(device);
                let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
                let output =
                    processes(mpi, 2, &arguments).env("NBODY_GPU_AWARE", way).output().unwrap();
                assert!(output.status.success(), "{}: {}", mpi.name, text(&output));
                files.insert(fs::read(out.join("snapshot-0001.csv")).unwrap());
            }
        }
    }
    if !all.is_empty() {
        assert_eq!(files.map(|files| files.len()), [1, 1]);
    }
}

/// A run that ends on two processes goes on on one, as if it had been one run.
#[test]
fn a_checkpoint_is_for_any_number_of_processes() {
    let Some(mpi) = libraries().into_iter().next() else { return };
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let once = |n, out: &Path, arguments: &[&str]| {
        let arguments =
            [&run(out, &[])[..8], &arguments.iter().map(|&it| it.to_owned()).collect::<Vec<_>>()]
                .concat();
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let output = processes(&mpi, n, &arguments).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    };
    let [of_whole, of_parts] = [&whole, &parts].map(|path| path.to_str().unwrap());
    once(3, &whole, &["--until", "0.125", "--every", "0.0625", "-o", of_whole]);
    once(2, &parts, &["--until", "0.0625", "--every", "0.0625", "-o", of_parts]);
    let checkpoint = parts.join("checkpoint.json");
    let arguments = ["run", "--device", "cpu", "--until", "0.125", "--restart"];
    let arguments = [&arguments[..], &[checkpoint.to_str().unwrap()]].concat();
    let output = processes(&mpi, 1, &arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let last = |folder: &Path| fs::read(folder.join("snapshot-0002.csv")).unwrap();
    assert_eq!(last(&whole), last(&parts));
}

/// Returns the numbers of a snapshot.
fn numbers(folder: &Path, number: usize) -> Vec<f64> {
    let text = fs::read_to_string(folder.join(format!("snapshot-{number:04}.csv"))).unwrap();
    let row = |line: &str| line.split(',').map(|it| it.trim().parse().ok()).collect();
    text.lines().filter_map(row).flat_map(|row: Vec<f64>| row).collect()
}

/// Processes that distribute the particles of a tree, and write checkpoints as often as they can, end
/// within the errors of the tree where one process does, under every library; the run goes on on any
/// number of processes.
#[test]
fn processes_distribute_the_particles_of_trees() {
    let folder = tempfile::tempdir().unwrap();
    let mut alone = None;
    for (k, mpi) in libraries().iter().enumerate() {
        let once = |n, arguments: &[&str]| {
            let output = processes(mpi, n, arguments).output().unwrap();
            assert!(output.status.success(), "{}: {}", mpi.name, text(&output));
        };
        let run = |n, name: &str, more: &[&str]| {
            let out = folder.path().join(name);
            let tree = [&LEAPFROG[..], &["--tree", "0.5", "--every", "0.03125"], more].concat();
            let arguments = run(&out, &tree);
            once(n, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
            out
        };
        let alone = alone.get_or_insert_with(|| run(1, "alone", &[]));
        let own = ["--distribute-trees", "--checkpoint-every", "0.000001"];
        let distributed = run(3, &k.to_string(), &own);
        for number in [1, 2] {
            let [expected, found] = [&*alone, &distributed].map(|it| numbers(it, number));
            assert!(expected.len() > 1000 && expected.len() == found.len(), "{}", mpi.name);
            let off = expected.iter().zip(&found).map(|(a, b)| (a - b).abs());
            // NaN is not near.
            assert!(off.clone().all(|off| off < 1e-2), "{}", off.fold(0.0, f64::max));
            assert_ne!(expected, found, "the tree of one process");
        }
        let checkpoint = distributed.join("checkpoint.json");
        let resumed = ["run", "--device", "cpu", "--until", "0.125", "--distribute-trees"];
        once(2, &[&resumed[..], &["--restart", checkpoint.to_str().unwrap()]].concat());
        assert!(distributed.join("snapshot-0004.csv").exists());
    }
}

/// Failures end all processes within seconds, and their reason is printed.
#[test]
fn failures_end_the_job_with_their_reason() {
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        // The first process alone refuses a folder of another run; the others wait for it.
        fs::write(folder.path().join("energies.csv"), "").unwrap();
        let arguments = run(folder.path(), &BLOCK);
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let begin = Instant::now();
        let output = processes(&mpi, 3, &arguments).output().unwrap();
        let printed = text(&output);
        assert!(!output.status.success(), "{}: {printed}", mpi.name);
        assert!(printed.contains("error: rank 0: "), "{}: {printed}", mpi.name);
        assert!(printed.contains("holds energies.csv of another run"), "{}: {printed}", mpi.name);
        assert!(begin.elapsed() < Duration::from_secs(20), "{}", mpi.name);
    }
}

/// Starts a long run on two processes, and waits until it has begun. Its messages are in a file.
fn begun(out: &Path) -> Option<(Child, tempfile::NamedTempFile)> {
    let mpi = libraries().into_iter().next()?;
    let arguments = run(out, &["--until", "1000", "--every", "0.125"]);
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let messages = tempfile::NamedTempFile::new().unwrap();
    let mut job = processes(&mpi, 2, &arguments);
    let job = job.stdout(Stdio::null()).stderr(messages.reopen().unwrap()).spawn().unwrap();
    let begin = Instant::now();
    while !out.join("checkpoint.json").is_file() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the run has not begun");
        thread::sleep(Duration::from_millis(20));
    }
    Some((job, messages))
}

/// Returns the exit code of a job, which ends within 20 seconds.
fn end(mut job: Child) -> i32 {
    let begin = Instant::now();
    while job.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the job goes on");
        thread::sleep(Duration::from_millis(20));
    }
    job.wait().unwrap().code().unwrap_or(-1)
}

/// Starts a long run on two processes, sends one of them a signal once it has begun, and returns the
/// exit code.
fn signalled(signal: &str, out: &Path) -> Option<i32> {
    let (job, _messages) = begun(out)?;
    // The processes of this run are known by its folder.
    let name = out.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten().filter(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.starts_with(env!("CARGO_BIN_EXE_nbody")) && line.contains(name)
    });
    let processes: Vec<_> = processes.map(|it| it.file_name()).collect();
    assert_eq!(processes.len(), 2);
    let sent = Command::new("kill").arg(signal).arg(&processes[1]).status().unwrap();
    assert!(sent.success());
    Some(end(job))
}

/// A process that cannot write, as to a full disk, ends the job with the reason.
#[test]
fn a_process_that_cannot_write_ends_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let Some((job, messages)) = begun(&out) else { return };
    // Moved at once: a folder that is emptied file by file can be written to meanwhile.
    fs::rename(&out, folder.path().join("moved")).unwrap();
    assert_ne!(end(job), 0);
    let printed = fs::read_to_string(messages.path()).unwrap();
    // The next file that is written: a snapshot, or the checkpoint after it.
    let reason = format!("error: rank 0: cannot write {}", out.display());
    assert!(printed.contains(&reason), "{printed}");
}

/// A killed process ends the others.
#[test]
fn a_killed_process_ends_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let Some(code) = signalled("-KILL", &out) else { return };
    assert_ne!(code, 0);
    assert!(!out.join("interrupted.csv").is_file());
}

/// A signal to one process interrupts the run on all of them, with a file to restart from.
#[test]
fn a_signal_to_one_process_interrupts_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let Some(code) = signalled("-TERM", &out) else { return };
    assert_ne!(code, 0);
    assert!(out.join("interrupted.csv").is_file());
}

/// Processes that another library's launcher has started are refused: each would be a job alone.
#[test]
fn processes_of_another_launcher_are_refused() {
    let (Some(open), Some(mpich)) = (folder_of("NBODY_OPENMPI"), folder_of("NBODY_MPICH")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = run(folder.path(), &BLOCK);
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let library = Some(open.join("../lib/libmpi.so.40"));
    let mpi = Mpi { name: "mixed", folder: mpich, library };
    let output = processes(&mpi, 2, &arguments).output().unwrap();
    let printed = text(&output);
    assert!(!output.status.success(), "{printed}");
    assert!(printed.contains("error: started as one of 2 processes, but Open MPI"), "{printed}");
    // A library that is not there.
    let mpi = Mpi { library: Some(folder.path().join("libmpi.so")), ..mpi };
    let output = processes(&mpi, 2, &arguments).output().unwrap();
    let printed = text(&output);
    assert!(!output.status.success(), "{printed}");
    assert!(printed.contains("no MPI library: looked for"), "{printed}");
}

/// More GPUs than there are, and GPUs under `mpirun`.
#[test]
fn gpus_that_cannot_be_had_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["run", "-n", "10", "--gpus", "99", "-o", out.to_str().unwrap()];
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
        command.args(arguments);
        command
    };
    let output = command().output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("no CUDA d"), "{printed}");
    let output = command().env("OMPI_COMM_WORLD_SIZE", "2").output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("--gpus is for one process"), "{printed}");
}

/// Returns the cells of a CSV file, by the names of the columns. Names of evaluations have a space after
/// each comma.
fn cells(path: &Path) -> Vec<std::collections::BTreeMap<String, String>> {
    let text = fs::read_to_string(path).unwrap().replace(", ", " ");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<_> = lines.next().unwrap().collect();
    lines.map(|line| names.iter().cloned().zip(line).collect()).collect()
}

/// Strong scaling has one number of particles, weak scaling one for each rank.
#[test]
fn scaling_over_ranks_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("scaling.csv");
    let bench = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
        command.args(["bench", "--device", "cpu", "--csv"]).arg(&csv).args(arguments);
        command.output().unwrap()
    };
    let out = bench(&["gravity", "-n", "300", "--ranks", "1,2"]);
    assert!(out.status.success(), "{}", text(&out));
    let strong = cells(&csv);
    let column = |rows: &[std::collections::BTreeMap<String, String>], name: &str| -> Vec<String> {
        rows.iter().map(|row| row[name].clone()).collect()
    };
    assert_eq!(column(&strong, "ranks"), ["1", "2"]);
    assert_eq!(column(&strong, "n"), ["300", "300"]);
    assert_eq!(strong[0]["speed_up"], "1");
    let number = |row: &std::collections::BTreeMap<String, String>, name: &str| {
        row[name].parse::<f64>().unwrap()
    };
    let [one, two] = [0, 1].map(|k| number(&strong[k], "median_s"));
    assert!((number(&strong[1], "speed_up") - one / two).abs() < 1e-9);
    assert!((number(&strong[1], "efficiency") - one / two / 2.0).abs() < 1e-9);

    let plots = folder.path().join("plots");
    let trees = ["--tree", "--far", "second", "-n", "400,600", "--distribute-trees"];
    let ranks = ["--weak", "--ranks", "1,3", "--plots", plots.to_str().unwrap()];
    let out = bench(&[&trees[..], &ranks].concat());
    assert!(out.status.success(), "{}", text(&out));
    let weak = cells(&csv);
    assert_eq!(column(&weak, "n"), ["400", "600", "1200", "1800"]);
    for (row, first) in [(2, 0), (3, 1)] {
        let efficiency = number(&weak[first], "median_s") / number(&weak[row], "median_s");
        assert!((number(&weak[row], "efficiency") - efficiency).abs() < 1e-9);
        let balance = number(&weak[row], "balance");
        assert!(balance > 0.0 && balance <= 1.0, "{balance}");
        assert!(number(&weak[row], "walk_s") > 0.0);
    }
    assert!(plots.join("ranks.svg").is_file());

    for refused in [
        &["gravity", "--ranks", "1,2", "--gpus", "2"][..],
        &["gravity", "--weak"],
        &["gravity", "--ranks", "0"],
        &["gravity", "--ranks", "2", "--device", "cpu"],
    ] {
        assert!(!bench(refused).status.success(), "{refused:?}");
    }
}

/// Scaling over lists has the parts of a step, the balance and the ghosts; processes measure them, too.
#[test]
fn scaling_of_lists_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("lists.csv");
    let arguments = ["bench", "--lists", "lennard_jones", "-n", "2000", "--device", "cpu", "--csv"];
    let arguments = [&arguments[..], &[csv.to_str().unwrap()]].concat();
    for weak in [&[][..], &["--weak"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
        let out = command.args(&arguments).args(["--ranks", "1,2"]).args(weak).output().unwrap();
        assert!(out.status.success(), "{}", text(&out));
        let rows = cells(&csv);
        let number = |k: usize, name: &str| rows[k][name].parse::<f64>().unwrap();
        assert_eq!(rows[1]["n"], if weak.is_empty() { "2000" } else { "4000" });
        let work = number(1, "n") / number(0, "n");
        let efficiency = work * number(0, "median_s") / number(1, "median_s") / 2.0;
        assert!((number(1, "efficiency") - efficiency).abs() < 1e-9);
        for part in ["look_s", "order_s", "list_s", "force_s"] {
            assert!(number(1, part) > 0.0 && number(1, part) < 10.0, "{part}: {}", rows[1][part]);
        }
        // Differences of times, which other work may hide.
        for part in ["exchange_s", "migrate_s"] {
            assert!((0.0..10.0).contains(&number(1, part)), "{part}: {}", rows[1][part]);
        }
        let (balance, ghosts) = (number(1, "balance"), number(1, "ghosts"));
        assert!(balance > 0.0 && balance <= 1.0 && ghosts > 0.0 && ghosts < 1.0);
        assert_eq!([number(0, "ghosts"), number(0, "balance")], [0.0, 1.0]);
        let pairs = number(1, "neighbours") * number(1, "n") / number(1, "force_s");
        assert!((number(1, "pairs_per_second") / pairs - 1.0).abs() < 1e-9 && pairs > 0.0);
    }
    let Some(mpi) = libraries().into_iter().next() else { return };
    let output = processes(&mpi, 2, &arguments).output().unwrap();
    let printed = text(&output);
    assert!(output.status.success(), "{printed}");
    assert_eq!(printed.matches("\n\n2 x cpu\n\n").count(), 1, "{printed}");
    let ghosts: f64 = cells(&csv)[0]["ghosts"].parse().unwrap();
    assert!(ghosts > 0.0 && ghosts < 1.0, "{ghosts}");
}
