//! Runs the example as a process.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a small simulation on the CPU; `options` replace its own options.
fn galaxies(folder: &Path, options: &[&str]) -> Output {
    let small = ["--n", "4e2", "--until", "1", "--frames", "3", "--device", "cpu"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_nbody-galaxies"));
    command.args(["--output".as_ref(), folder.as_os_str()]);
    let given = |option: &str| options.contains(&option);
    for option in small.chunks(2).filter(|option| !given(option[0])) {
        command.args(option);
    }
    command.args(options).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the bytes of the pixels of an image, without the rows and columns that have labels.
fn pixels(path: &Path) -> Vec<u8> {
    let decoder = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((frame.width, frame.height), (608, 512));
    let (line, each) = (frame.line_size, frame.line_size / 608);
    let rows = pixels.chunks(line).take(440).skip(40);
    rows.flat_map(|row| &row[..512 * each]).copied().collect()
}

#[test]
fn a_small_run_draws_frames_and_keeps_the_energy() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("new");
    let output = galaxies(&folder, &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    for expected in ["400 particles", "until time 1,", "theta 0.7", "10 steps of", "energy.svg"] {
        assert!(report.contains(expected), "{expected}:\n{report}");
    }
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name()).collect();
    names.sort();
    let frames = ["frame-0000.png", "frame-0001.png", "frame-0002.png"];
    assert_eq!(names, [&["energy.csv", "energy.svg"], &frames[..]].concat());
    let frames = frames.map(|name| pixels(&folder.join(name)));
    for frame in &frames {
        assert!(frame.iter().any(|colour| *colour != frame[0]), "one colour");
    }
    assert_ne!(frames[0], frames[2]);

    let energies = fs::read_to_string(folder.join("energy.csv")).unwrap();
    let number = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap().abs();
    let errors: Vec<_> = energies.lines().skip(1).map(number).collect();
    let greatest = errors.iter().copied().max_by(f64::total_cmp).unwrap();
    assert!(errors.len() == 11 && greatest > 0.0 && greatest < 1e-2, "{greatest}");
    assert!(report.contains(&format!("energy {greatest:.1e}\n")), "{report}");
    assert!(fs::read_to_string(folder.join("energy.svg")).unwrap().contains("E(0)"));
}

#[test]
fn runs_by_shares_have_other_forces() {
    let folder = tempfile::tempdir().unwrap();
    let [angle, share] = [&[][..], &["--share", "0.01"]].map(|options| {
        let folder = folder.path().join(options.len().to_string());
        let output = galaxies(&folder, options);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read_to_string(folder.join("energy.csv")).unwrap()
    });
    assert_ne!(angle, share);
}

#[test]
fn bad_options_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for options in [["--n", "3"], ["--step", "0"], ["--theta", "-1"], ["--frames", "12"]] {
        let output = galaxies(folder.path(), &options);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{message}");
        assert!(message.starts_with(&format!("error: {} is {}", options[0], options[1])));
        assert!(message.contains("expected"), "{message}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_folder_of_another_run_is_refused_and_stays_as_it_is() {
    for name in ["frame-0007.png", "energy.csv", "energy.svg"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), "mine").unwrap();
        fs::write(folder.path().join("mine.txt"), "mine").unwrap();
        let output = galaxies(folder.path(), &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        let part = format!("holds {name} of another run: give another folder");
        assert!(message.contains(&part), "{message}");
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), "mine");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let output = galaxies(&file.path().join("folder"), &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.starts_with("error: --output ") && message.contains("expected a folder"));
}

#[test]
fn particles_that_are_lost_end_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let output = galaxies(folder.path(), &["--step", "1e200", "--until", "1e201"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{message}");
}
