//! The command `nbody` with files of declarations.

use std::process::{Command, Output};

/// A screened charge, which a tree can evaluate.
const SCREENED: &str = "
mod screened {
    /// A screened charge.
    struct Screened { kappa: Real, eps2: Real }
    struct Charge { pos: Point, charge: Real }
    struct Field { force: Vector, potential: Real }

    impl Interaction for Screened {
        type I = Charge;
        type J = Charge;
        type F = Field;
        fn pair(&self, i: &Charge, j: &Charge, f: &mut Field) {
            let d = j.pos - i.pos;
            let r2 = d.norm2() + self.eps2;
            let rinv = r2.rsqrt();
            let potential = j.charge * (-self.kappa * r2 * rinv).exp() * rinv;
            f.potential += potential;
            f.force -= potential * (self.kappa + rinv) * rinv * d;
        }
    }
}
";

/// A contact with a cutoff, an extreme, a count and integers, of two records.
const CONTACT: &str = "
mod contact {
    struct Contact { radius: Real, kind: u32 }
    struct Grain { pos: Point, size: Real, kind: u32 }
    struct Wall { pos: Point, size: Real }
    struct Touched { push: Vector, nearest: Min<Real>, count: Count }

    impl Interaction for Contact {
        type I = Grain;
        type J = Wall;
        type F = Touched;
        fn cutoff(&self, i: &Grain, j: &Wall) -> Real {
            self.radius * (i.size + j.size)
        }
        fn pair(&self, i: &Grain, j: &Wall, f: &mut Touched) {
            let d = j.pos - i.pos;
            let r2 = d.norm2();
            f.nearest.min(r2);
            if i.kind != self.kind {
                f.push -= j.size / (r2 + 1.0) * d;
                f.count += 1;
            }
        }
    }
}
";

const PROGRAM: &str = "
struct Halve { by: Real }
struct Body { mass: Real }
impl Update for Halve {
    type P = Body;
    fn update(&self, p: &mut Body) {
        p.mass = p.mass * self.by;
    }
}
";

/// A folder with a cache of its own and the files of a test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Writes a file of both interactions.
    fn laws(&self) -> String {
        self.write("laws.rs", &[SCREENED, CONTACT].concat())
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_nbody"))
            .args(arguments)
            .env("NBODY_CACHE_DIR", self.0.path().join("cache"))
            .output()
            .unwrap()
    }

    /// Returns the text that a command prints.
    fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        // A slow machine prints lines about the progress, which begin with a date.
        let is_progress = |line: &str| line.starts_with("20") && line.contains("Z ");
        let is_silent = error.lines().all(is_progress);
        assert!(output.status.success() && is_silent, "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Requires that a command ends with this code and an error that begins so.
    fn refuse(&self, arguments: &[&str], code: i32, begin: &str) {
        let output = self.run(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.starts_with(begin) && output.stdout.is_empty(), "{arguments:?}: {error}");
    }
}

/// Returns the words of the lines that begin with a word.
fn lines<'a>(text: &'a str, first: &str) -> Vec<Vec<&'a str>> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words.first() == Some(&first)).collect()
}

#[test]
fn bench_measures_every_interaction_of_a_file_beside_ready_ones() {
    let folder = Folder::new();
    let (file, csv) = (folder.laws(), folder.0.path().join("bench.csv"));
    let others = ["gravity", "--set", "eps2=0.25", "--set", "radius=0.125", "--device", "cpu"];
    let sizes = ["-n", "96", "--csv", csv.to_str().unwrap()];
    let text = folder.succeed(&[&["bench", &file][..], &others, &sizes].concat());
    for (name, parameters) in [
        ("screened:", &["kappa = 0.6", "eps2 = 0.25"][..]),
        ("contact:", &["radius = 0.125, kind = "]),
        ("gravity:", &["eps2 = 0.25"]),
    ] {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        assert!(parameters.iter().all(|it| line.contains(it)), "{name} {parameters:?}: {text}");
        let rows = lines(&text, name.trim_end_matches(':'));
        assert_eq!(rows.len(), 1, "{text}");
        assert!(rows[0][3].parse::<f64>().unwrap() > 0.0, "{text}");
    }
    let rows = std::fs::read_to_string(csv).unwrap();
    let sets: Vec<_> = rows.lines().skip(1).map(|row| row.contains(",one,")).collect();
    assert_eq!(sets, [true, false, true], "{rows}");
}

#[test]
fn tune_and_emit_take_a_file() {
    let folder = Folder::new();
    let file = folder.laws();
    let contact = folder.write("contact.rs", CONTACT);
    let text = folder.succeed(&["tune", &contact, "--device", "emulator", "-n", "64"]);
    // The records differ, so that there are two sets.
    let rows = lines(&text, "64");
    assert!(rows.len() == 1 && rows[0][1] == "two" && text.contains("\ncontact\n"), "{text}");
    assert!(text.contains("\n\nParameters:\ncontact: radius = "), "{text}");
    let text = folder.succeed(&["emit", &file]);
    assert!(text.contains("struct Screened {") && text.contains("struct Contact {"), "{text}");
}

#[test]
fn verify_checks_a_file_in_every_way() {
    let folder = Folder::new();
    let file = folder.write("contact.rs", CONTACT);
    let text = folder.succeed(&["verify", &file, "--set", "radius=0.125", "--device", "cpu"]);
    assert!(text.trim_end().ends_with("28 passed, 0 failed"), "{text}");
    assert!(text.contains("contact: radius = 0.125"), "{text}");
    // The contact has no function, so that bits are compared; it has no tree.
    assert!(text.contains("\ncontact on cpu\n"), "{text}");
    let domains = ["open", "periodic", "triclinic"].map(|domain| lines(&text, domain));
    let rows: Vec<_> = domains.concat();
    assert_eq!(rows.len(), 28, "{text}");
    assert!(rows.iter().all(|row| row[5] == "0"), "{text}");
    assert!(rows.iter().any(|row| row.contains(&"same")), "{text}");
    // Bounds that are too wide would hide errors.
    let worst = |row: &Vec<&str>| row[6].parse::<f64>().unwrap();
    let single = |row: &&Vec<&str>| row[1..3] == ["single", "direct"];
    let worst: Vec<_> = rows.iter().filter(single).map(worst).collect();
    assert!(worst.len() == 2 && worst.iter().all(|worst| *worst > 0.01), "{worst:?}");
}

#[test]
fn accuracy_measures_each_field_of_a_file() {
    let folder = Folder::new();
    let (file, csv) = (folder.laws(), folder.0.path().join("accuracy.csv"));
    let arguments = ["accuracy", &file, "--device", "cpu", "-n", "500", "--math", "exact"];
    let text = folder.succeed(&[&arguments[..], &["--csv", csv.to_str().unwrap()]].concat());
    let (screened, contact) = text.split_once("\n\ncontact on cpu\n\n").unwrap();
    let rows = [lines(screened, "500"), lines(contact, "500")].concat();
    let fields: Vec<_> = rows.iter().map(|row| row[1]).collect();
    let expected = ["force", "potential", "push", "nearest", "count"];
    assert_eq!(fields, expected.map(|field| [field; 2]).concat(), "{text}");
    for (row, field) in rows.iter().zip(fields) {
        let errors: Vec<f64> = row[3..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(errors.len(), 5, "{text}");
        // Squared distances and counts of these particles are exact.
        let is_exact = ["nearest", "count"].contains(&field);
        let range = if is_exact { 0.0..=0.0 } else { 1e-9..=1e-5 };
        assert!(errors.iter().all(|error| range.contains(error)), "{field:?}: {text}");
    }
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 1 + 5 * 5);
}

#[test]
fn files_that_declare_no_interaction_are_refused_with_the_reason() {
    let folder = Folder::new();
    let missing = folder.0.path().join("missing.rs");
    let missing = missing.to_str().unwrap();
    let faulty = folder.write("faulty.rs", &SCREENED.replace("d.norm2()", "d.nor2()"));
    let program = folder.write("program.rs", PROGRAM);
    let fault = format!("error: `Vector` has no method `nor2`\n  --> {faulty}:14:24\n");
    for command in ["emit", "bench", "tune", "verify", "accuracy"] {
        folder.refuse(&[command, missing], 1, &format!("error: cannot read {missing}: "));
        folder.refuse(&[command, &faulty], 1, &fault);
        let begin = format!("error: {program} declares no interaction, only programs");
        folder.refuse(&[command, &program], 1, &begin);
        folder.refuse(&[command, "laws.txt"], 2, "error: invalid value 'laws.txt'");
    }
}

#[test]
fn parameters_that_do_not_exist_are_refused_with_the_existing_ones() {
    let folder = Folder::new();
    let file = folder.laws();
    let screened = "screened has kappa: Real, eps2: Real; contact has radius: Real, kind: u32";
    for (setting, code, error) in [
        ("kapa=1", 2, format!("error: no parameter `kapa`: {screened}\n")),
        (
            "kappa=1,2",
            2,
            "error: --set kappa: expected 1 number for `kappa: Real` of screened, found 2\n"
                .to_owned(),
        ),
        ("kind=1.5", 2, "error: `kind: u32` = 1.5: expected an integer from 0 to".to_owned()),
        ("kind=-1", 2, "error: `kind: u32` = -1: expected an integer from 0 to".to_owned()),
        ("kappa", 2, "error: invalid value 'kappa' for '--set <NAME=NUMBER>'".to_owned()),
        ("kappa=one", 2, "error: invalid value 'kappa=one' for".to_owned()),
    ] {
        for command in ["bench", "tune", "verify", "accuracy"] {
            folder.refuse(&[command, &file, "--set", setting], code, &error);
        }
    }
}
