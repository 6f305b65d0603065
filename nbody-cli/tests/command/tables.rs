//! Tables within 80 columns, and the same results as JSON documents.

use serde_json::Value;

use crate::{nbody, records, stderr, stdout};

/// Returns the figures of a row of a document as a line of a table has them.
type Figures = fn(&Value) -> Vec<String>;

/// Commands that print tables; whether they write CSV files; figures that do not change from run to
/// run.
const COMMANDS: &[(&str, bool, Figures)] = &[
    ("devices", false, |row| texts(row, &["name"])),
    ("emit hermite --far", false, |row| {
        let order = |name: &str| format!("theta^{}", row[name]);
        let orders = ["monopoles", "monopoles_of_both_signs", "second_order"];
        let first = row["charges"][0].as_str().unwrap().split(' ').next().unwrap();
        let mut figures = texts(row, &["result"]);
        figures.extend(orders.map(|kind| order(&format!("order_of_{kind}"))));
        figures.push(first.trim_end_matches(',').to_owned());
        figures
    }),
    ("bench gravity switched_lennard_jones -n 64 --device cpu", true, |row| {
        [texts(row, &["interaction", "schedule"]), numbers(row, &["n"])].concat()
    }),
    ("bench gravity -i 3 -n 2048 --device cpu", true, |row| {
        [texts(row, &["interaction"]), numbers(row, &["i", "n"])].concat()
    }),
    ("bench --tree -n 600 --theta 0.7 --device cpu", true, |row| {
        let groups = number(row, "evaluations_by_groups");
        vec![row["n"].to_string(), "0.7".to_owned(), format!("{groups:.0}")]
    }),
    ("bench --lists switched_lennard_jones -n 2000 --device cpu", true, |row| {
        let [within, listed] = ["neighbours", "listed_pairs"].map(|name| number(row, name));
        vec![format!("{within:.1}"), format!("{:.2}", listed / within)]
    }),
    ("bench gravity -n 300 --device cpu --ranks 1,2", true, |row| numbers(row, &["n", "ranks"])),
    ("bench --tree -n 600 --device cpu --ranks 2 --far second", true, |row| {
        numbers(row, &["n", "ranks"])
    }),
    ("bench --lists lennard_jones -n 2000 --device cpu --ranks 2 --weak", true, |row| {
        vec![row["n"].to_string(), format!("{:.1}", number(row, "neighbours"))]
    }),
    ("accuracy -n 100 --device cpu", true, |row| {
        vec!["max".to_owned(), row["n"].to_string(), format!("{:.1e}", number(row, "max"))]
    }),
    ("accuracy gravity -n 100 --device cpu", true, |row| {
        let rms = format!("{:.1e}", number(row, "rms"));
        [texts(row, &["field"]), vec!["rms".to_owned(), rms]].concat()
    }),
    ("accuracy --tree -n 600 --theta 0.8 --share 0.01 --device cpu", true, |row| {
        let errors = ["mean", "rms", "p99", "max", "mean_pot"].map(|name| number(row, name));
        let errors = errors.map(|error| format!("{error:.1e}"));
        [errors.to_vec(), vec![format!("{:.0}", number(row, "evaluations"))]].concat()
    }),
    ("energy -n 16 --eta 0.04 --device cpu", true, |row| {
        let error = format!("{:.2e}", number(row, "energy_error"));
        [texts(row, &["precision"]), numbers(row, &["eta", "block_steps"]), vec![error]].concat()
    }),
    ("scaling -n 16,32,64 --device cpu", true, |row| {
        let error = format!("{:.2e}", number(row, "unit_energy_error"));
        let names = ["n", "quarter_block_steps", "quarter_particle_steps"];
        [numbers(row, &names), vec![error]].concat()
    }),
    ("tune gravity -n 64 --device emulator", false, |row| {
        [texts(row, &["sets"]), numbers(row, &["n"])].concat()
    }),
];

fn texts(row: &Value, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| row[*name].as_str().unwrap().to_owned()).collect()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"))
}

fn numbers(row: &Value, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| number(row, name).to_string()).collect()
}

/// Runs a command to success.
fn succeed(arguments: &[&str]) -> String {
    let output = nbody(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// Requires lines that fit, but for names that do not.
fn assert_narrow(text: &str) {
    for line in text.lines() {
        let has_room = line.split(' ').all(|word| word.len() < 60);
        assert!(line.chars().count() <= 80 || !has_room, "{line}\nin {text}");
        assert_eq!(line, line.trim_end(), "{text}");
    }
}

/// Parses the document of a command, which names the command and the version.
fn document(arguments: &[&str]) -> Value {
    let text = succeed(arguments);
    let found: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(found["command"], arguments[0]);
    assert_eq!(found["version"], env!("CARGO_PKG_VERSION"));
    found
}

#[test]
fn tables_fit_80_columns_and_documents_have_their_figures() {
    for &(command, writes_csv, figures) in COMMANDS {
        assert_agreement(command, writes_csv, figures);
    }
}

/// Requires that the table, the document and the file of a command have the same figures; returns the
/// table and the document.
fn assert_agreement(command: &str, writes_csv: bool, figures: Figures) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("rows.csv").to_str().unwrap().to_owned();
    let arguments: Vec<_> = command.split(' ').collect();
    let text = succeed(&arguments);
    assert_narrow(&text);
    let sheet = if writes_csv { &["--csv", &csv[..]][..] } else { &[] };
    let found = document(&[&arguments[..], &["--json"], sheet].concat());
    let rows = found["rows"].as_array().unwrap();
    assert!(!rows.is_empty(), "{command}: {found}");
    let lines: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    for row in rows {
        let wanted = figures(row);
        let has_all = |line: &Vec<&str>| wanted.iter().all(|it| line.contains(&&it[..]));
        assert!(lines.iter().any(has_all), "{command}: {wanted:?} in {text}");
    }
    if writes_csv {
        assert_same(command, rows, &records(&csv));
    }
    (text, found)
}

#[test]
fn verify_passes_on_the_cpu() {
    let text = succeed(&["verify", "gravity", "--device", "cpu", "--set", "eps2=0.5"]);
    assert_narrow(&text);
    let end = "\n\nParameters:\ngravity: eps2 = 0.5\n\n28 passed, 0 failed\n";
    assert!(text.ends_with(end), "{text}");
    assert!(text.contains("\nbits          compared with the scalars"), "{text}");
}

/// The law takes a second, since it has no points and no tree.
#[test]
fn documents_of_verify_have_the_figures_of_its_table() {
    let command = "verify kolmogorov_smirnov --device cpu";
    let (_, found) = assert_agreement(command, false, |row| {
        let worst = format!("{:.3}", number(row, "worst_error"));
        let names = ["domain", "precision", "accumulation", "math"];
        [texts(row, &names), vec![worst, "passed".to_owned()]].concat()
    });
    let rows = found["rows"].as_array().unwrap().len();
    assert_eq!((&found["passed"], &found["failed"]), (&rows.into(), &0.into()));
    assert!(found["parameters"]["kolmogorov_smirnov"].is_object(), "{found}");
}

/// Requires that a file has the values of a document.
fn assert_same(command: &str, rows: &[Value], sheet: &[csv::StringRecord]) {
    assert_eq!(rows.len() + 1, sheet.len(), "{command}");
    for (row, cells) in rows.iter().zip(&sheet[1..]) {
        for (name, cell) in sheet[0].iter().zip(cells) {
            match &row[name] {
                // The rows of a scaling may come from earlier files.
                Value::Null if name == "date" && command.starts_with("scaling") => {}
                Value::Null => assert_eq!(cell, "", "{command}: {name}"),
                Value::String(text) => assert_eq!(cell, text, "{command}: {name}"),
                Value::Number(number) => {
                    assert_eq!(cell.parse().ok(), number.as_f64(), "{command}: {name}");
                }
                other => panic!("{command}: {name} is {other}"),
            }
        }
    }
}

#[test]
fn documents_of_scaling_have_the_models() {
    let found = document(&["scaling", "-n", "16,32,64", "--device", "cpu", "--json"]);
    let (model, row) = (&found["models"][0], &found["rows"][1]);
    let [constant, particle, pair] =
        ["block_step_seconds", "particle_seconds", "pair_seconds"].map(|name| number(model, name));
    let names = ["n", "quarter_block_steps", "quarter_particle_steps", "quarter_predicted_s"];
    let [n, steps, particles, predicted] = names.map(|name| number(row, name));
    let expected = steps * (constant + particle * n) + pair * n * particles;
    assert!((predicted / expected - 1.0).abs() < 1e-9, "{found}");
    let found = document(&["scaling", "-n", "16", "--device", "cpu", "--json"]);
    assert!(found["models"][0]["refused"].as_str().unwrap().starts_with("no model is fitted"));
    assert_eq!(found["rows"][0]["quarter_predicted_s"], Value::Null);
}

#[test]
fn the_report_of_a_run_is_a_table_or_a_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let arguments = ["run", "-n", "16", "--until", "0.25", "--device", "cpu", "--output"];
    let text = succeed(&[&arguments[..], &[&path("text")]].concat());
    assert_narrow(&text);
    let found = document(&[&arguments[..], &[&path("json"), "--json"]].concat());
    let row = |name: &str| -> Vec<&str> {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].split_whitespace().collect()
    };
    let [begin, end] = ["begin", "end"].map(|at| &found[at]);
    for (name, key) in [("total energy", "total_energy"), ("virial ratio T/|U|", "virial_ratio")] {
        assert_eq!(row(name), [begin, end].map(|it| format!("{:.4}", number(it, key))), "{text}");
    }
    assert_eq!(row("energy error"), ["-", &format!("{:.2e}", number(&found, "energy_error"))]);
    assert_eq!(row("hard binaries"), [begin, end].map(|it| it["hard_binaries"].to_string()));
    let work = format!("{} steps, mean block {:.1}", found["steps"], number(&found, "mean_block"));
    assert!(text.contains(&work), "{work} in {text}");
    assert_eq!((&found["ended"], number(&found, "time")), (&"complete".into(), 0.25));
    assert_eq!((&found["particles"], &found["snapshots"]), (&16.into(), &2.into()));
    assert_eq!(found["folder"], path("json"));
    assert!(std::path::Path::new(found["checkpoint"].as_str().unwrap()).exists());
}

/// A measurement in a pipe prints lines about its progress, also within a long step.
#[test]
fn measurements_tell_their_progress_in_lines() {
    let folder = tempfile::tempdir().unwrap();
    let law = folder.path().join("springs.rs");
    std::fs::write(&law, crate::SPRINGS).unwrap();
    for (command, parts) in [
        (&["accuracy", law.to_str().unwrap(), "-n", "3000"][..], &[" 0/6 reference of 3000, "][..]),
        (&["bench", "gravity", "-n", "64"], &[" 0/1 gravity on cpu, 64"]),
        (&["energy", "-n", "300", "--eta", "0.005", "--precision", "double"], &["% eta = 0.005"]),
    ] {
        let every = |time| {
            let output = nbody(&[command, &["--device", "cpu", "--log-every", time]].concat());
            assert!(output.status.success(), "{command:?}: {}", stderr(&output));
            String::from_utf8(output.stderr).unwrap()
        };
        let log = every("10ms");
        assert!(parts.iter().all(|part| log.contains(part)), "{command:?}: {log}");
        assert!(log.lines().all(crate::is_progress) && every("1h").is_empty(), "{log}");
    }
}
