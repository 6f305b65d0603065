//! `nbody view`: its messages, and its pages in a browser.

mod browser;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use nbody::models::{Particle, Snapshot, plummer};
use serde_json::json;

use self::browser::{Browser, Picture};
use super::{nbody, stderr, stdout};

const SIZE: [u32; 2] = [640, 400];

fn view(paths: &[&Path], options: &[&str]) -> Output {
    let paths = paths.iter().map(|path| path.to_str().unwrap());
    let arguments: Vec<_> =
        ["view"].into_iter().chain(paths).chain(options.iter().copied()).collect();
    nbody(&arguments)
}

/// Writes a page, and returns its path.
fn page(paths: &[&Path], options: &[&str], name: &str) -> PathBuf {
    let folder = if paths[0].is_dir() { paths[0] } else { paths[0].parent().unwrap() };
    let path = folder.join(name);
    let output = view(paths, &[options, &["-o", path.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    path
}

fn particle(mass: f64, pos: [f64; 3], vel: [f64; 3]) -> Particle {
    Particle { mass, pos, vel }
}

fn write(folder: &Path, name: &str, time: f64, particles: Vec<Particle>) -> PathBuf {
    let path = folder.join(name);
    Snapshot { time, particles }.write_csv(fs::File::create(&path).unwrap()).unwrap();
    path
}

/// Five particles in one plane, which move to the right; the one at the centre is the heaviest.
fn cross(time: f64) -> Vec<Particle> {
    let at = |mass, x, y, speed| particle(mass, [x + time, y, 0.0], [speed, 0.0, 0.0]);
    vec![
        at(100.0, 0.0, 0.0, 1.0),
        at(1.0, 1.0, 0.0, 1.0),
        at(1.0, -1.0, 0.0, 10.0),
        at(1.0, 0.0, 0.5, 100.0),
        at(1.0, 0.0, -0.5, 100.0),
    ]
}

#[test]
fn pages_of_folders_and_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    for k in 0..5 {
        write(run, &format!("snapshot-{k:04}.csv"), f64::from(k), cross(0.0));
    }
    let written =
        |output: &Output| fs::read_to_string(stdout(output).split(": ").next().unwrap()).unwrap();
    let output = view(&[run], &[]);
    let line = stdout(&output);
    assert!(
        line.contains("view.html: 5 snapshots of 5 particles, 16 bits per coordinate, "),
        "{line}"
    );
    let page = written(&output);
    assert!(page.contains("id=\"particles-4\"") && page.starts_with("<!DOCTYPE html>"));

    let message = stderr(&view(&[run], &[]));
    assert!(
        message.contains("view.html exists: give another name") && message.contains("--overwrite")
    );
    let output = view(&[run], &["--overwrite", "--every", "3", "--particles", "2", "--bits", "32"]);
    assert!(stdout(&output).contains("2 snapshots of 2 particles, 32 bits"), "{}", stdout(&output));
    let page = written(&output);
    assert!(page.contains("\"time\":3.0,\"shown\":2,\"total\":5") && !page.contains("particles-2"));

    let energies = "time,error\n0,0\n3,-2.5e-7\n";
    fs::write(run.join("energies.csv"), energies).unwrap();
    let page = written(&view(&[run], &["--overwrite"]));
    assert_eq!(page.matches("\"energy_error\":-2.5e-7").count(), 1);
    assert_eq!(page.matches("\"energy_error\":null").count(), 3);
    fs::write(run.join("energies.csv"), "time,error\n0,zero\n").unwrap();
    let message = stderr(&view(&[run], &["--overwrite"]));
    assert!(message.contains("found `zero` instead of a number"), "{message}");
}

#[test]
fn wrong_paths_are_refused_and_leave_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("empty")).unwrap();
    fs::create_dir_all(path("other")).unwrap();
    for name in ["a.txt", "b.png", "c.csv", "d", "e", "f"] {
        fs::write(path("other").join(name), "").unwrap();
    }
    fs::create_dir_all(path("broken")).unwrap();
    write(&path("broken"), "snapshot-0000.csv", 0.0, cross(0.0));
    fs::write(path("broken/snapshot-0001.csv"), "mass,x,y,z,vx,vy,vz\n1,NaN,0,0,0,0,0\n").unwrap();
    fs::create_dir_all(path("nobody")).unwrap();
    write(&path("nobody"), "snapshot-0000.csv", 0.0, vec![]);
    let good = write(folder.path(), "good.csv", 0.0, cross(0.0));
    let out = path("out.html");
    let to = ["-o", out.to_str().unwrap()];
    let own = ["--overwrite", "-o", good.to_str().unwrap()];
    let missing = path("none");
    for (given, options, part) in [
        (&[&missing][..], &to[..], "does not exist: give the folder of a run"),
        (&[&path("empty")], &to, "found an empty folder, expected snapshot-0000 with .csv"),
        (&[&path("other")], &to, "found a.txt, b.png, c.csv, d, e and 1 more, expected"),
        (&[&path("broken")], &to, "snapshot-0001.csv: line 2: found `NaN`, expected x, a finite"),
        (&[&path("nobody")], &to, "have no particles: expected at least one"),
        (&[&good, &path("empty")], &to, "is a folder among other paths"),
        (&[&path("other/b.png")], &to, "expected .csv, .nemo"),
        (&[&good], &[], "without --output: give the file to write"),
        (&[&good], &own, "is one of the snapshots"),
        (&[&good], &["-o", folder.path().to_str().unwrap()], "is a folder: give --output the name"),
        (&[&good], &["-o", "/no/such/folder/x.html"], "cannot write /no/such/folder/x.html"),
    ] {
        let given: Vec<_> = given.iter().map(|path| path.as_path()).collect();
        let output = view(&given, options);
        assert_eq!(output.status.code(), Some(1), "{part}");
        let message = stderr(&output);
        assert!(message.starts_with("error: ") && message.contains(part), "{message}");
        assert!(stdout(&output).is_empty() && !out.exists(), "{part}");
    }
    let before = fs::read(&good).unwrap();
    assert!(!path("empty/view.html").exists() && !before.is_empty());
}

/// Returns the excess of red over blue: hot colours have one, and cool colours a negative one.
fn heat([red, _, blue]: [u8; 3]) -> i32 {
    i32::from(red) - i32::from(blue)
}

/// The part of the picture without texts and controls.
fn bare(browser: &mut Browser) -> Picture {
    browser.press("h", 0);
    let picture = browser.picture();
    browser.press("h", 0);
    picture
}

/// Returns the place on the screen of a point in the plane of the centre, by the scale bar.
fn place(browser: &mut Browser, [x, y]: [f64; 2]) -> [f64; 2] {
    let length: f64 = browser.text("scale-text").parse().unwrap();
    let pixels =
        browser.eval("document.getElementById('scale-line').getBoundingClientRect().width");
    let per_length = pixels.as_f64().unwrap() / length;
    let [width, height] = SIZE.map(f64::from);
    [width / 2.0 + x * per_length, height / 2.0 - y * per_length]
}

/// Checks that a bright point is where the scale bar says, and returns its colour.
fn assert_point(browser: &mut Browser, picture: &Picture, at: [f64; 2]) -> [u8; 3] {
    let expected = place(browser, at);
    let (found, colour) =
        picture.point(expected, 8.0).unwrap_or_else(|| panic!("no point at {at:?}, {expected:?}"));
    let error = (found[0] - expected[0]).hypot(found[1] - expected[1]);
    assert!(error < 1.5, "{at:?} at {found:?} instead of {expected:?}");
    colour
}

#[test]
fn a_browser_shows_the_particles_where_they_are() {
    let Some(program) = browser::program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    write(run, "snapshot-0000.csv", 0.5, cross(0.0));
    write(run, "snapshot-0001.csv", 1.5, cross(0.2));
    // One particle is lost, and another one the heaviest.
    let mut last = cross(0.4);
    last.truncate(4);
    (last[0].mass, last[3].mass) = (1.0, 100.0);
    write(run, "snapshot-0002.csv", 2.5, last);
    fs::write(run.join("energies.csv"), "time,error\n0.5,0\n1.5,-2.5e-7\n2.5,inf\n").unwrap();
    let mut browser = Browser::start(&program, &[]);
    for bits in ["16", "32"] {
        let page = page(&[run], &["--bits", bits], &format!("{bits}.html"));
        browser.open(&page, SIZE);
        assert_eq!(
            browser.text("precision"),
            format!("{bits} bits per coordinate in a box of 2.4 × 1 × 0")
        );
        check_cross(&mut browser);
        check_motion(&mut browser);
        browser.assert_clean();
    }
    check_reset(&mut browser);
    check_extremes(&mut browser, run);
}

/// Checks places, colours, turns and the other controls of a picture.
fn check_cross(browser: &mut Browser) {
    let picture = bare(browser);
    let cool = assert_point(browser, &picture, [1.0, 0.0]);
    let middle = assert_point(browser, &picture, [-1.0, 0.0]);
    let hot = assert_point(browser, &picture, [0.0, 0.5]);
    assert_point(browser, &picture, [0.0, -0.5]);
    // From blue over white to red by the logarithm of the speed.
    assert!(heat(cool) < -50 && heat(hot) > 50, "{cool:?} {hot:?}");
    assert!(heat(middle).abs() < 40, "{middle:?}");
    let at = place(browser, [0.5, 0.3]);
    assert!(picture.point(at, 8.0).is_none(), "a point where none is");
    assert_eq!(browser.text("bar-name"), "speed, logarithmic");
    assert_eq!(
        browser.eval("document.getElementById('bar-numbers').innerText"),
        json!("1\n10\n100")
    );

    // By mass the heaviest is hot, and all others are cool.
    browser.press("c", 0);
    assert_eq!(browser.text("bar-name"), "mass, logarithmic");
    let picture = bare(browser);
    let (heavy, light) =
        (assert_point(browser, &picture, [0.0, 0.0]), assert_point(browser, &picture, [0.0, 0.5]));
    assert!(heat(heavy) > 50 && heat(light) < -50, "{heavy:?} {light:?}");
    browser.press("c", 0);
    assert!(browser.text("bar-name").starts_with("radius"));
    let picture = bare(browser);
    let (inner, outer) =
        (assert_point(browser, &picture, [0.0, 0.0]), assert_point(browser, &picture, [1.0, 0.0]));
    assert!(heat(outer) > 50 && heat(inner) < -50, "{inner:?} {outer:?}");
    browser.press("c", 0);
    browser.press("c", 0);

    // A quarter turn about the x axis, by the view along y: all are on a line.
    browser.press("y", 0);
    let picture = bare(browser);
    assert_point(browser, &picture, [1.0, 0.0]);
    let up = place(browser, [0.0, 0.5]);
    assert!(picture.point(up, 8.0).is_none());
    // Zooming changes the scale bar with the picture, and moving the middle.
    browser.press("r", 0);
    let before = place(browser, [1.0, 0.0]);
    browser.press("-", 0);
    let after = place(browser, [1.0, 0.0]);
    assert!(((before[0] - 320.0) / (after[0] - 320.0) - 1.15).abs() < 1e-3, "{before:?} {after:?}");
    let picture = bare(browser);
    assert_point(browser, &picture, [1.0, 0.0]);
    browser.press("r", 0);
    browser.pinch([300.0, 150.0]);
    let after = place(browser, [1.0, 0.0]);
    assert!(((after[0] - 320.0) / (before[0] - 320.0) - 2.0).abs() < 0.01, "{before:?} {after:?}");
    // The place between the fingers stays: the middle moves away from it.
    let [x, y] = place(browser, [0.0, 0.0]);
    let (found, _) = bare(browser).point([x + 20.0, y + 50.0], 6.0).unwrap();
    assert!((found[0] - x - 20.0).hypot(found[1] - y - 50.0) < 1.5, "{found:?}");
    browser.press("r", 0);
    browser.press("ArrowRight", 8);
    let picture = bare(browser);
    let [x, y] = place(browser, [0.0, 0.5]);
    assert!(picture.point([x + 30.0, y], 3.0).is_some() && picture.point([x, y], 3.0).is_none());
    // A hand that moves to the right turns the front to the right, and the right side to the back,
    // where it seems nearer to the middle.
    browser.press("r", 0);
    browser.drag([320.0, 60.0], [420.0, 60.0]);
    let picture = bare(browser);
    for (at, is_lit) in
        [([0.0, 0.5], true), ([0.69, 0.0], true), ([1.0, 0.0], false), ([-1.02, 0.0], true)]
    {
        let on_screen = place(browser, at);
        assert_eq!(picture.point(on_screen, 7.0).is_some(), is_lit, "{at:?}");
    }
    browser.press("r", 0);
}

/// Checks the slider, playing and the centre that is followed.
fn check_motion(browser: &mut Browser) {
    browser.eval("document.getElementById('follow').value = 'nothing'");
    let seek = "{ const s = document.getElementById('slider'); s.value = 0.5; s.dispatchEvent(new Event('input')) }";
    browser.eval(seek);
    browser.drawn();
    assert!(browser.text("time").starts_with("t = 1"), "{}", browser.text("time"));
    let picture = bare(browser);
    // Halfway between two snapshots.
    assert_point(browser, &picture, [1.1, 0.0]);
    browser.press(".", 0);
    assert_eq!(browser.text("time"), "t = 1.52 / 3 · ΔE/E –2.5×10⁻⁷");
    let picture = bare(browser);
    assert_point(browser, &picture, [1.2, 0.0]);
    browser.press("End", 0);
    // The last one has fewer particles and no finite energy error.
    assert_eq!(browser.text("time"), "t = 2.53 / 3");
    let picture = bare(browser);
    assert_point(browser, &picture, [0.4, 0.5]);
    browser.press("c", 0);
    let picture = bare(browser);
    let masses = [[0.4, 0.5], [0.4, 0.0]].map(|at| heat(assert_point(browser, &picture, at)));
    assert!(masses[0] > 50 && masses[1] < -50, "{masses:?}");
    let gone = place(browser, [0.4, -0.5]);
    assert!(picture.point(gone, 8.0).is_none());
    // Played from the end, it begins anew.
    browser.press(" ", 0);
    browser.wait_for("[0, 1].includes(Math.floor(document.getElementById('slider').value))");
    // It stops at the end, unless it repeats.
    browser.press(">", 0);
    let plays = |label| format!("document.getElementById('play').ariaLabel === '{label}'");
    browser.wait_for(&plays("Play"));
    assert_eq!(browser.text("time"), "t = 2.53 / 3");
    browser.press("l", 0);
    browser.press(" ", 0);
    browser.wait_for("document.getElementById('slider').value > 1");
    browser.wait_for("document.getElementById('slider').value < 1");
    assert_eq!(browser.eval(&plays("Pause")), json!(true));
    browser.press(" ", 0);
}

/// Checks that the picture comes back after the graphics were reset, as when a laptop sleeps.
fn check_reset(browser: &mut Browser) {
    browser.eval(
        "{
            const context = document.getElementById('canvas').getContext('webgl2');
            const reset = context.getExtension('WEBGL_lose_context');
            window.isRestored = false;
            const canvas = document.getElementById('canvas');
            canvas.addEventListener('webglcontextrestored', () => { window.isRestored = true; });
            canvas.addEventListener('webglcontextlost', () => setTimeout(() => reset.restoreContext()));
        }",
    );
    browser.eval("document.getElementById('canvas').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()");
    browser.wait_for("window.isRestored");
    browser.press("Home", 0);
    let picture = bare(browser);
    assert_point(browser, &picture, [0.0, 0.5]);
}

/// Checks pages of particles of any size, and a browser without WebGL.
fn check_extremes(browser: &mut Browser, folder: &Path) {
    let at = |x: f64| particle(1.0, [x, 0.0, 0.0], [0.0; 3]);
    let sphere = plummer(300, 1).unwrap().particles;
    let scaled = |unit: f64| {
        let scale = |it: &Particle| particle(it.mass, it.pos.map(|x| x * unit), it.vel);
        sphere.iter().map(scale).collect::<Vec<_>>()
    };
    for (name, particles) in [
        ("one.csv", vec![at(3.0)]),
        ("same.csv", vec![at(1e30); 20]),
        ("huge.csv", scaled(1e30)),
        ("tiny.csv", scaled(1e-310)),
        ("greatest.csv", vec![at(f64::MAX), at(-f64::MAX), at(0.0)]),
    ] {
        let snapshot = write(folder, name, 0.0, particles);
        let page = page(&[&snapshot], &[], &format!("{name}.html"));
        browser.open(&page, SIZE);
        let picture = bare(browser);
        assert!(picture.lit(200..440, 100..300) > 3, "{name} is dark");
        let texts = browser.eval("document.body.innerText");
        assert!(!texts.as_str().unwrap().contains("NaN"), "{name}: {texts}");
        browser.assert_clean();
    }
    browser.eval("HTMLCanvasElement.prototype.getContext = () => null; 0");
    let blind = "HTMLCanvasElement.prototype.getContext = () => null";
    browser.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": blind}));
    browser.open(&folder.join("one.csv.html"), SIZE);
    assert!(browser.text("failure").starts_with("This page draws by WebGL2, which this browser"));
    browser.assert_clean();
}
