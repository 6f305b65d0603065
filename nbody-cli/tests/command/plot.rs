//! `nbody plot`: plots, images and films of runs.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};

use crate::{nbody, stderr, stdout};

/// Runs in a folder to success, with programs of `path` alone; returns the printed lines.
fn succeed(folder: &Path, path: &Path, arguments: &str) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
    let output = command.args(arguments.split(' ')).current_dir(folder).env("PATH", path).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{arguments}: {}", stderr(&output));
    stdout(&output).lines().map(str::to_owned).collect()
}

fn in_folder(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
    command.args(arguments.split(' ')).current_dir(folder).output().unwrap()
}

/// The number of frames of an image, and their delays in seconds.
fn frames(path: &Path) -> (u32, f64) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
    reader.set_transformations(png::Transformations::IDENTITY);
    let mut reader = reader.read_info().unwrap();
    let count = reader.info().animation_control().map_or(1, |it| it.num_frames);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let mut read = 0;
    while reader.next_frame(&mut pixels).is_ok() {
        read += 1;
    }
    assert_eq!(read, count);
    let control = reader.info().frame_control().copied();
    (count, control.map_or(0.0, |it| f64::from(it.delay_num) / f64::from(it.delay_den)))
}

const RUN: &str = "run --device cpu -n 40 --eps 0.1 --until 0.5 --every 0.125";

#[test]
fn a_run_is_drawn_again_with_another_camera_and_as_a_film() {
    let folder = tempfile::tempdir().unwrap();
    let (here, none) = (folder.path(), folder.path().join("no programs"));
    let printed = succeed(here, &none, &format!("{RUN} --output a --movie --camera x"));
    assert!(printed.iter().any(|line| line.contains("lagrange.svg, movie.png;")), "{printed:?}");
    // Five images in the slowest film.
    assert_eq!(frames(&here.join("a/movie.png")), (5, 0.25));
    let read = |name: &str| fs::read(here.join("a").join(name)).unwrap();
    let names = ["energy.svg", "lagrange.svg", "snapshot-0000.png", "movie.png"];
    let before = names.map(read);

    // The plots and the images are the same.
    for name in &names[..2] {
        fs::remove_file(here.join("a").join(name)).unwrap();
    }
    assert_eq!(succeed(here, &none, "plot a"), ["a/energy.svg", "a/lagrange.svg"]);
    let film = succeed(here, &none, "plot a --movie");
    assert_eq!(film, ["a/energy.svg", "a/lagrange.svg", "a/movie.png"]);
    assert!(names.map(read) == before);

    // A folder with a film is taken.
    fs::create_dir(here.join("c")).unwrap();
    fs::copy(here.join("a/movie.png"), here.join("c/movie.png")).unwrap();
    let output = in_folder(here, &format!("{RUN} --output c"));
    assert!(stderr(&output).contains("c holds movie.png of another run"), "{output:?}");

    // All frames are by one camera, though the images of a run were drawn again by another.
    succeed(here, &none, "plot a --camera z");
    assert!(read("snapshot-0000.png") != before[2]);
    let restart = "run --device cpu --restart a/checkpoint.json --until 0.625 --movie";
    let printed = succeed(here, &none, restart);
    assert!(printed.iter().any(|it| it.contains("wall time since the restart")), "{printed:?}");
    assert_eq!(frames(&here.join("a/movie.png")).0, 6);
    assert!(read("snapshot-0000.png") == before[2]);

    // A missing image is drawn by the camera of the run, all by another camera.
    fs::remove_file(here.join("a/snapshot-0000.png")).unwrap();
    succeed(here, &none, "plot a --movie");
    assert!(read("snapshot-0000.png") == before[2]);
    let printed = succeed(here, &none, "plot a --camera y,width=1,follow -o b");
    assert_eq!(printed.len(), 8, "{printed:?}");
    let image = |name: &str| fs::read(here.join(name)).unwrap();
    assert!(image("a/snapshot-0002.png") != image("b/snapshot-0002.png"));
    assert!(image("a/energy.svg") == image("b/energy.svg"));
}

#[test]
fn runs_of_the_same_units_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    succeed(here, here, &format!("{RUN} --output a --no-images"));
    succeed(here, here, &format!("{RUN} --output b --no-images --seed 2"));
    let printed = succeed(here, here, "plot a b --output both");
    assert_eq!(printed, ["both/energy.svg", "both/lagrange.svg"]);
    let text = fs::read_to_string(here.join("both/lagrange.svg")).unwrap();
    for part in ["a, 10%", "b, 90%", "b: 40 particles, softening length 0.1"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    // Without the file to restart from, curves remain, and the captions go.
    fs::remove_file(here.join("b/checkpoint.json")).unwrap();
    let output = in_folder(here, "plot a b --output both");
    assert!(stderr(&output).contains("draw runs of the same units together"), "{output:?}");
    succeed(here, here, "plot b");
    let text = fs::read_to_string(here.join("b/energy.svg")).unwrap();
    assert!(text.contains("largest so far") && !text.contains("softening"), "{text}");

    for (name, contents, part) in [
        ("energies.csv", "time\n1\n", "found no column error, expected a table with the columns"),
        ("energies.csv", "time,error\n1,x\n", "found `x` instead of a number"),
        ("energies.csv", "", "found no column time"),
    ] {
        fs::write(here.join("b").join(name), contents).unwrap();
        let output = in_folder(here, "plot b");
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    let output = nbody(&["plot", "no such folder"]);
    assert!(stderr(&output).contains("no such folder is no folder"), "{output:?}");
}

/// A program in the place of ffmpeg.
#[cfg(unix)]
fn ffmpeg(folder: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("ffmpeg");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn ffmpeg_gets_all_images_and_its_failures_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    succeed(here, here, &format!("{RUN} --output a"));
    // The last argument is the file to write.
    ffmpeg(here, "for last; do :; done\n/bin/cat > \"$last\"");
    let film = succeed(here, here, "plot a --movie");
    assert_eq!(film[2], "a/movie.mp4");
    let images = (0..5).map(|k| fs::read(here.join(format!("a/snapshot-{k:04}.png"))).unwrap());
    assert!(fs::read(here.join("a/movie.mp4")).unwrap() == images.collect::<Vec<_>>().concat());
    fs::remove_file(here.join("a/movie.mp4")).unwrap();
    ffmpeg(here, "echo first >&2\necho no codec >&2\nexit 3");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nbody"));
    let output = command.args(["plot", "a", "--movie"]).current_dir(here).env("PATH", here);
    let output = output.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("ffmpeg failed (exit status: 3): no codec"), "{output:?}");
    let names = fs::read_dir(here.join("a")).unwrap().map(|it| it.unwrap().file_name());
    let parts = names.filter(|name| name.to_string_lossy().ends_with(".mp4"));
    assert_eq!(parts.count(), 0);
}
