//! The page: a template with a style, scripts and the particles.

use std::error::Error;
use std::io::Write;

use serde::Serialize;

use super::base64;
use super::encode::Scene;
use super::energies;
use super::frame::Frame;
use crate::columns::Points;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
/// The scripts, in the order of their use of one another.
const SCRIPTS: [&str; 8] = [
    include_str!("page/numbers.js"),
    include_str!("page/data.js"),
    include_str!("page/colours.js"),
    include_str!("page/camera.js"),
    include_str!("page/drawing.js"),
    include_str!("page/player.js"),
    include_str!("page/controls.js"),
    include_str!("page/main.js"),
];

/// Everything that the page knows but the particles.
#[derive(Serialize)]
pub struct Header<'a> {
    title: &'a str,
    bits: u32,
    scene: &'a Scene,
    frames: Vec<FrameHeader>,
}

/// A snapshot without its particles.
#[derive(Serialize)]
struct FrameHeader {
    time: f64,
    /// Number of shown particles, and of all.
    shown: usize,
    total: usize,
    /// The snapshot whose masses these particles have.
    masses: usize,
    /// Whether the next snapshot has the same particles in the same order.
    is_joined: bool,
    mass_centre: [f64; 3],
    density_centre: [f64; 3],
    energy_error: Option<f64>,
}

impl<'a> Header<'a> {
    pub fn new(title: &'a str, frames: &[Frame], scene: &'a Scene, energies: &Points) -> Self {
        let mut headers: Vec<FrameHeader> = Vec::with_capacity(frames.len());
        for (k, frame) in frames.iter().enumerate() {
            let is_same = k > 0 && frame.masses == frames[k - 1].masses;
            let mut masses = k;
            if let Some(before) = headers.last_mut().filter(|_| is_same) {
                masses = before.masses;
                before.is_joined = true;
            }
            headers.push(FrameHeader {
                time: frame.time,
                shown: frame.positions.len(),
                total: frame.total,
                masses,
                is_joined: false,
                mass_centre: scene.in_unit(frame.mass_centre),
                density_centre: scene.in_unit(frame.density_centre),
                energy_error: energies::at(energies, frame.time),
            });
        }
        Self { title, bits: scene.bits.number(), scene, frames: headers }
    }
}

/// Writes the page.
pub fn write(
    header: &Header,
    frames: &[Frame],
    scene: &Scene,
    to: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    for (k, part) in TEMPLATE.split("@@").enumerate() {
        match part {
            text if k % 2 == 0 => to.write_all(text.as_bytes())?,
            "title" => to.write_all(escaped(header.title).as_bytes())?,
            "style" => to.write_all(STYLE.as_bytes())?,
            "header" => to.write_all(json(header)?.as_bytes())?,
            "particles" => particles(header, frames, scene, to)?,
            "scripts" => SCRIPTS.iter().try_for_each(|script| to.write_all(script.as_bytes()))?,
            other => return Err(format!("the page has no part {other}").into()),
        }
    }
    Ok(())
}

/// Writes the particles of each snapshot, and their masses unless an earlier one has the same.
fn particles(
    header: &Header,
    frames: &[Frame],
    scene: &Scene,
    to: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    for (k, (frame, about)) in frames.iter().zip(&header.frames).enumerate() {
        block(&format!("particles-{k}"), &scene.particles(frame), to)?;
        if about.masses == k {
            block(&format!("masses-{k}"), &scene.masses(frame), to)?;
        }
    }
    Ok(())
}

fn block(id: &str, bytes: &[u8], to: &mut impl Write) -> std::io::Result<()> {
    write!(to, "<script type=\"text/plain\" id=\"{id}\">")?;
    to.write_all(&base64::encode(bytes))?;
    writeln!(to, "</script>")
}

/// Returns JSON that cannot end the element that contains it.
fn json(header: &Header) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(header)?.replace('<', "\\u003c"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use nbody::models::{Snapshot, plummer};

    use super::*;

    fn written(title: &str, snapshots: Vec<Snapshot>) -> String {
        let frames: Vec<_> = snapshots.into_iter().map(|it| Frame::new(it, 1)).collect();
        let scene = Scene::new(&frames, None).unwrap();
        let header = Header::new(title, &frames, &scene, &vec![(0.0, 1e-3)]);
        let mut page = Vec::new();
        write(&header, &frames, &scene, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn names_with_markup_stay_text() {
        let page = written("</script><b>&", vec![plummer(2, 1).unwrap()]);
        assert!(page.contains("<title>&lt;/script&gt;&lt;b&gt;&amp; "), "{page}");
        assert!(!page.contains("</script><b>"), "{page}");
        assert!(page.contains("\"title\":\"\\u003c/script>\\u003cb>&\""), "{page}");
    }

    #[test]
    fn the_same_masses_are_written_once() {
        let (one, mut other) = (plummer(9, 1).unwrap(), plummer(9, 2).unwrap());
        other.particles[3].mass *= 2.0;
        let fewer = plummer(8, 1).unwrap();
        let page = written("run", vec![one.clone(), one, other.clone(), other, fewer]);
        let written = |name: &str| page.contains(&format!("id=\"{name}\""));
        let masses = [0, 1, 2, 3, 4].map(|k| written(&format!("masses-{k}")));
        assert_eq!(masses, [true, false, true, false, true]);
        assert!((0..5).all(|k| written(&format!("particles-{k}"))));
        let joined: Vec<_> = page.match_indices("\"is_joined\":true").collect();
        assert_eq!(joined.len(), 2);
    }

    #[test]
    fn the_page_is_complete_and_refers_to_nothing_else() {
        let page = written("run", vec![plummer(2, 1).unwrap()]);
        assert!(!page.contains("@@"));
        for reference in
            ["src=", "href=", "url(", "@import", "http:", "https:", "fetch(", "import "]
        {
            assert!(!page.contains(reference), "{reference}");
        }
    }
}
