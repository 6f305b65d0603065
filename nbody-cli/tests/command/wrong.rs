//! Command lines that are refused before anything is computed.

use std::path::Path;
use std::process::{Command, Output};

use crate::{nbody, stderr, stdout};

/// An option without the option that gives it effect, for every way in which clap could overlook it.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("bench --theta 0.5", "--tree"),
    ("bench gravity --theta 0.5", "--theta"),
    ("bench gravity --share 0.01", "--share"),
    ("bench gravity --far second", "--far"),
    ("bench gravity --eps2 0.1", "--eps2"),
    ("bench gravity --model galaxy", "--model"),
    ("bench -i 8 --theta 0.5", "--theta"),
    ("bench --set eps2=1 --model galaxy", "--model"),
    ("bench --pairs ordered --far second", "--far"),
    ("bench --lists --eps2 0.1", "--eps2"),
    ("bench --tree --set eps2=1", "--set"),
    ("bench --distribute-trees gravity", "--distribute-trees"),
    ("bench --tree --distribute-trees", "for several ranks: give --gpus or --ranks"),
    ("bench --weak", "--ranks"),
    ("bench --weak --gpus 2", "--weak"),
    ("bench --skin 1 -i 8", "--skin"),
    ("bench --tree --density 1", "--density"),
    ("bench --pairs ordered --neighbours 9", "--neighbours"),
    ("bench --ranks 1,2 --gpus 2", "cannot be used with"),
    ("bench --ranks 1,2 --device cpu,cpu", "--ranks takes one --device"),
    ("accuracy --theta 0.5", "--tree"),
    ("accuracy gravity --theta 0.5", "--theta"),
    ("accuracy --pairs ordered --share 0.1", "--share"),
    ("accuracy --unrounded --walk groups", "--walk"),
    ("accuracy gravity --eps2 0", "--eps2"),
    ("accuracy gravity --model galaxy", "--model"),
    ("accuracy --set eps2=1", "<INTERACTIONS>"),
    ("accuracy --tree --set eps2=1", "--set"),
    ("accuracy --tree --device cpu,cpu", "trees are measured on one device"),
    ("emit gravity --precision double", "of the program, and change nothing else"),
    ("emit gravity --accumulation direct", "give --program"),
    ("emit gravity --math exact", "give --program"),
    ("emit gravity --schedule few", "give --program"),
    ("emit gravity --periodic", "--program"),
    ("emit gravity --walk groups", "--program"),
    ("emit gravity --far --math exact", "give --program"),
    ("emit gravity --far --program", "cannot be used with"),
    ("tune --device cpu", "the CPU has nothing to tune: expected emulator or cuda:N"),
    ("tune --device best", "expected emulator or cuda:N"),
    ("scaling --from a.csv -n 16", "-n is of measurements"),
    ("scaling --from a.csv --csv b.csv", "--from without --device makes none"),
    ("verify --gpus 2 --device cpu", "cannot be used with"),
    ("verify gravity --set eps2=1 --set eps2=2", "--set eps2 is given twice"),
    ("run -n 16 -o out --integrator leapfrog", "the leapfrog integrator needs a step"),
    (
        "run -n 16 -o out --integrator leapfrog --step 0.1 --eta 0.1",
        "the leapfrog integrator has no option --eta",
    ),
    ("run -n 16 -o out --step 0.1", "the hermite integrator has no option --step"),
    ("run no.csv -o out --integrator hermite-shared --tree 0.5", "has no option --tree"),
    ("run -n 16 -o out --distribute-trees", "--distribute-trees without a tree"),
    ("emit gravity --json", "--far"),
    ("emit gravity --json --program", "cannot be used with"),
    ("run -n 16 -o out --json --quiet", "cannot be used with"),
    ("plummer 9 --overwrite", "--output"),
    ("plummer 9 --overwrite -o -", "--overwrite is of a file"),
    ("plot a b", "several runs without --output"),
    ("plot a b -o c --movie", "--camera and --movie are for one folder"),
    ("run -n 9 -o run --movie --no-images", "cannot be used with"),
    ("run -n 9 -o run --camera x --no-images", "cannot be used with"),
    ("run --restart run/checkpoint.json --camera x", "cannot be used with"),
    ("model plummer 9 --masses 1,2", "--mass-function"),
    ("model plummer 9 --axes 1,2", "--binaries"),
];

/// Values that no option takes, each with the range.
const OUT_OF_RANGE: &[(&str, &str)] = &[
    ("plot run --camera top", "`top` is no part of a camera, expected x, y, z, width=NUMBER"),
    ("plot run --camera width=-1", "the width is `-1`, expected a positive number"),
    ("run -n 9 -o run --camera x;y", "`x;y` is no part of a camera"),
    ("bench -n 0", "a whole number of particles, 1 or more"),
    ("bench -n 1.5", "a whole number of particles, 1 or more"),
    ("bench -n 16 -n 1e99", "so many particles do not fit into memory"),
    ("bench -i 16,-1", "a whole number of particles, 1 or more"),
    ("bench --gpus 99999999999", "a whole number from 1 to 1024"),
    ("bench --ranks 0", "a whole number from 1 to 1024"),
    ("bench --tree --theta 0", "a positive number"),
    ("bench --tree --share nan", "a positive number"),
    ("bench --tree --eps2=-1", "a number of zero or more"),
    ("bench --lists --skin nan", "a number of zero or more"),
    ("bench --lists --density inf", "a positive number"),
    ("bench --device cpu,gpu", "unknown device `gpu`: expected cpu"),
    ("bench gravity --set eps2=nan", "expected NAME=NUMBER"),
    ("bench gravity --set eps=1", "no parameter `eps`: gravity has eps2: Real"),
    ("accuracy --tree --theta 0.5,inf", "a positive number"),
    ("accuracy --tree --eps2 nan", "a number of zero or more"),
    ("accuracy -n many", "such as 10000 or 1e4"),
    ("energy -n 1", "a whole number of particles from 2 to 4294967295"),
    ("energy -n 1e10", "a whole number of particles from 2 to 4294967295"),
    ("energy --eps 1e200", "a length of zero, or from 1e-150 to 1e150"),
    ("energy --eps 1e-200", "a length of zero, or from 1e-150 to 1e150"),
    ("energy --eta 0.02,0", "a positive number"),
    ("energy --limit 0", "'--limit <STEPS>'"),
    ("scaling --eps=-1", "a length of zero, or from"),
    ("scaling --eta nan", "a positive number"),
    ("tune -n 0", "a whole number of particles, 1 or more"),
    ("run -n 16 -o out --gpus 99999999999", "a whole number from 1 to 1024"),
    ("run -n 16 -o out --eps 1e300", "a length of zero, or from 1e-150 to 1e150"),
    ("run -n 16 -o out --eps 1e-200", "so that its square is a number too"),
    ("run -n 16 -o out --eps=-1", "a length of zero, or from"),
    ("run -n 16 -o out --eta 0", "a positive number, from 1e-150 to 1e150"),
    ("run -n 16 -o out --eta 1e300", "a positive number, from 1e-150 to 1e150"),
    ("run -n 16 -o out --eta-start 1e-300", "a positive number, from 1e-150"),
    ("run -n 16 -o out --largest inf", "a positive number, from 1e-150"),
    ("run -n 16 -o out --every nan", "a positive number, from 1e-150"),
    ("run -n 16 -o out --until 1e300", "a finite time, from -1e150 to 1e150"),
    ("run -n 16 -o out --until=-1", "the particles are at time 0 already"),
    ("run -n 16 -o out --every 1e-14", "times near 1 are multiples of"),
    ("run -n 16 -o out --iterations 0", "a whole number from 1 to 1000"),
    ("run -n 16 -o out --iterations 1001", "a whole number from 1 to 1000"),
    ("run -n 16 -o out --checkpoint-every 0", "a positive number, from 1e-150"),
    ("run no.csv -o out --G 1e200", "a positive number, from 1e-150"),
    ("run -n 16 -o out --integrator leapfrog --step 1e-300", "a positive number, from 1e-150"),
    ("run -n 16 -o out --integrator leapfrog --step 0.3", "not a multiple of the step 0.3"),
    ("run -n 16 -o out --integrator leapfrog --step 0.1 --tree 1e-300", "a positive number, from"),
    ("bench --tree --theta 1e300", "a positive number, from 1e-150 to 1e150"),
    ("accuracy --tree --share 1e-300", "a positive number, from 1e-150 to 1e150"),
    ("run -n 0 -o out", "a whole number of particles, 1 or more"),
    ("run -n 16 -o out --wall-time 5", "time unit needed"),
    ("run -n 16 -o out --units pc,Msun,Myr", "cannot be used with"),
    ("run no.csv -o out --units pc,lb,Myr", "`lb` is no unit of mass"),
    ("run no.csv -o out --units pc,Msun,Myr --G 1", "cannot be used with"),
    ("run no.csv -o out --seed 2", "cannot be used with"),
    ("run --restart no.json --seed 2", "cannot be used with"),
    ("run -n 16 -o out --quiet --log-every 1s", "cannot be used with"),
    ("verify --gpus 0", "a whole number from 1 to 1024"),
    ("plummer 0", "a whole number of particles, 1 or more"),
    ("plummer 1e300", "so many particles do not fit into memory"),
    ("model king 9 --w0 17", "a number from 0.1 to 16"),
    ("model fractal 9 --dimension nan", "a number from 1 to 3"),
    ("model galaxy -- -5", "a whole number of particles, 1 or more"),
    ("model king 9 --mass-function salpeter --masses 1,2000", "masses from 0.01 to 1000"),
    ("completions csh", "possible values: bash"),
    ("emit /", "invalid value '/' for '<INTERACTION>': a file of declarations ends in .rs\n"),
    ("emit x.csv", "a file of declarations ends in .rs, and this one in .csv\n"),
    ("bench gravity y/law", "a file of declarations ends in .rs\n"),
    ("accuracy law.rs.txt", "a file of declarations ends in .rs, and this one in .txt\n"),
    ("verify law", "possible values: gravity"),
    ("nothing", "unrecognized subcommand 'nothing'"),
];

/// Runs the command in this folder, and checks that it is refused and leaves nothing.
fn refuse(folder: &Path, arguments: &str, code: i32, part: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_nbody"))
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
    assert!(error.starts_with("error: ") && error.contains(part), "{arguments}: {error}");
    assert!(output.stdout.is_empty(), "{arguments}: {}", stdout(&output));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0, "{arguments}");
}

#[test]
fn options_without_effect_and_values_out_of_range_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, part) in WITHOUT_EFFECT.iter().chain(OUT_OF_RANGE) {
        refuse(folder.path(), arguments, 2, part);
    }
}

#[test]
fn failures_leave_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, part) in [
        ("bench missing.rs --plots a/b", "cannot read missing.rs"),
        ("accuracy missing.rs --json", "cannot read missing.rs"),
        ("emit softened --far --json", "softened is no sum over charges"),
        ("energy --json --csv no/such.csv --device cpu", "cannot create no/such.csv"),
        ("bench --lists gravity --device cpu --plots a/b --csv c.csv", "has no cutoff"),
        ("bench --lists gravity --ranks 1 --device cpu --plots a/b --csv c.csv", "has no cutoff"),
        (
            "accuracy --tree --walk particles --device cpu -n 9 --plots a/b --csv c.csv",
            "walk by groups",
        ),
        (
            "energy --device cpu --precision double -n 8 --eta 1e-140 --eps 0 --plots a/b --csv c.csv",
            "give a larger --eps or --eta",
        ),
        ("scaling --from missing.csv --plots a/b", "cannot read missing.csv"),
        ("scaling --from .", "cannot read ."),
        #[cfg(unix)]
        ("scaling --from /dev/zero", "/dev/zero has more than 67108864 bytes"),
        #[cfg(unix)]
        ("run --restart /dev/zero", "not a file to restart from: expected `{` at its beginning"),
        ("scaling --from /dev/null --plots a/b", "/dev/null has no measurements"),
        ("convert missing.csv -o out.csv", "missing.csv: cannot open the file"),
        ("emit missing.rs", "cannot read missing.rs"),
    ] {
        refuse(folder.path(), arguments, 1, part);
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let output = nbody(&["man", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: cannot write in "), "{}", stderr(&output));
}

#[test]
fn numbers_with_exponents_and_lists_are_taken() {
    let plummer = |n| nbody(&["plummer", n]).stdout;
    assert_eq!(plummer("2e1"), plummer("20"));
    let rows = |arguments: &str| {
        let output = nbody(&arguments.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{arguments}: {}", stderr(&output));
        stdout(&output).lines().filter(|line| line.starts_with("gravity")).count()
    };
    for lists in
        ["-n 16,2e1 --device cpu,cpu:scalar", "-n 16 -n 20 --device cpu --device cpu:scalar"]
    {
        assert_eq!(rows(&format!("bench gravity {lists}")), 4);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_names_that_are_no_text_are_failures_without_a_backtrace() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    for arguments in [
        &["devices"][..],
        &["cache"],
        &["emit", "gravity"],
        &["plummer", "9"],
        &["completions", "zsh"],
    ] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let output =
            Command::new(env!("CARGO_BIN_EXE_nbody")).args(arguments).stdout(full).output();
        assert_refused(&output.unwrap(), 1, "No space left");
    }
    let name = OsStr::from_bytes(b"\xff.rs");
    for (arguments, code) in
        [(&["emit"][..], 2), (&["plummer"], 2), (&["bench", "-n"], 2), (&["convert"], 1)]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_nbody")).args(arguments).arg(name).output();
        assert_refused(&output.unwrap(), code, "");
    }
}

fn assert_refused(output: &Output, code: i32, part: &str) {
    let error = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(error.starts_with("error: ") && error.contains(part), "{error}");
}

/// All commands but `nbody run`.
const COMMANDS: &[&str] = &[
    "",
    "devices",
    "emit",
    "verify",
    "bench",
    "tune",
    "cache",
    "accuracy",
    "energy",
    "scaling",
    "plummer",
    "model",
    "model king",
    "model fractal",
    "model galaxy",
    "convert",
    "view",
    "completions",
    "man",
];

#[test]
fn help_fits_80_columns() {
    for command in COMMANDS {
        let words = command.split_whitespace().chain(["--help"]).collect::<Vec<_>>();
        let help = stdout(&nbody(&words));
        let long = help.lines().find(|line| line.chars().count() > 80);
        assert!(help.contains("Usage: nbody") && long.is_none(), "{command}: {long:?}");
    }
}

#[test]
fn completions_and_manual_pages_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&nbody(&["completions", shell]));
        assert!(["accuracy", "distribute-trees"].iter().all(|it| script.contains(it)), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("deep/man1");
    let output = nbody(&["man", pages.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("nbody.1").contains("nbody\\-bench"));
    assert!(page("nbody-model-king.1").contains("\\-\\-w0"));
}
