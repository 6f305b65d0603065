//! The file from which a run is continued: JSON, which preserves all numbers to the last bit.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::error::Error;
use super::history::{Counts, History};
use super::output::CHECKPOINT;
use super::settings::Settings;
use super::simulation::State;
use super::units::Units;
use crate::camera::Camera;
use crate::files;

/// Version of the format.
const VERSION: u32 = 1;

/// A run between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restart {
    pub settings: Settings,
    /// The units of the state. All other numbers are in the units of the files.
    #[serde(default)]
    pub units: Units,
    pub view: Camera,
    pub counts: Counts,
    pub history: History,
    pub state: State,
}

/// The file without the particles of the state, which are written apart, by all threads.
#[derive(Serialize)]
struct Document<'a> {
    nbody_run: u32,
    settings: &'a Settings,
    units: &'a Units,
    view: &'a Camera,
    counts: &'a Counts,
    history: &'a History,
    state: State,
}

/// The place of the particles in the text of a [`Document`], which ends with the state.
const PARTICLES: &str = "\"particles\":[";

/// The part of the file that is the same in all versions.
#[derive(Deserialize)]
struct Head {
    nbody_run: u32,
}

/// The parts of the file that describe the run.
#[derive(Debug, Deserialize)]
pub struct About {
    pub settings: Settings,
    pub view: Camera,
    /// The state by the name of the integrator.
    state: HashMap<String, Particles>,
}

/// The particles of a state, which are counted.
#[derive(Debug, Deserialize)]
struct Particles {
    particles: Vec<IgnoredAny>,
}

/// Reads a file that begins as JSON does; a stream of anything else may have no end.
fn text(path: &Path) -> io::Result<String> {
    let mut reader = BufReader::new(File::open(path)?);
    if !reader.fill_buf()?.starts_with(b"{") {
        return Err(io::Error::new(ErrorKind::InvalidData, "expected `{` at its beginning"));
    }
    io::read_to_string(reader)
}

impl About {
    /// Reads the file of a folder, if there is one.
    pub fn of_folder(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(CHECKPOINT);
        if !path.exists() {
            return Ok(None);
        }
        let wrong = |reason: String| Error::Malformed { path: path.clone(), reason };
        let text = text(&path).map_err(|error| wrong(error.to_string()))?;
        serde_json::from_str(&text).map(Some).map_err(|error| wrong(error.to_string()))
    }

    /// Describes the run and its units, for captions.
    pub fn describe(&self) -> [String; 2] {
        self.settings.describe(self.state.values().map(|it| it.particles.len()).sum())
    }
}

impl Restart {
    /// Writes the file, with the formatted particles of the state.
    pub fn save(&self, path: &Path, rows: &[Vec<u8>]) -> Result<(), Box<dyn std::error::Error>> {
        let Self { settings, units, view, counts, history, state } = self;
        let (nbody_run, state) = (VERSION, state.without_particles());
        let document = Document { nbody_run, settings, units, view, counts, history, state };
        let text = serde_json::to_string(&document)?;
        let at = text.rfind(PARTICLES).expect("a state has particles") + PARTICLES.len();
        let (before, after) = text.split_at(at);
        files::replace(path, |out| {
            out.write_all(before.as_bytes())?;
            rows.iter().try_for_each(|text| out.write_all(text))?;
            out.write_all(after.as_bytes())?;
            out.flush()?;
            // The previous file survives even if the machine stops.
            Ok(out.get_ref().sync_all()?)
        })
    }

    pub fn load(path: &Path) -> Result<Self, Error> {
        let wrong = |reason: String| Error::Malformed { path: path.to_owned(), reason };
        let text = text(path).map_err(|error| wrong(error.to_string()))?;
        let head: Head = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if head.nbody_run != VERSION {
            let (found, expected) = (head.nbody_run, VERSION);
            return Err(Error::Version { path: path.to_owned(), found, expected });
        }
        let restart: Self =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        match restart.fault() {
            None => Ok(restart),
            Some(fault) => Err(wrong(fault)),
        }
    }

    /// Returns a reason why this is no state of a run, for example after edits by hand.
    fn fault(&self) -> Option<String> {
        let Self { settings, units, view, counts, history, state } = self;
        if !state.is_of(&settings.integrator) {
            return Some(format!(
                "its state is not of the {} integrator",
                settings.integrator.name()
            ));
        }
        if !(view.half > 0.0 && counts.is_valid() && history.is_valid() && units.is_valid()) {
            return Some("its numbers are not those of a run".to_owned());
        }
        state.fault()
    }
}

#[cfg(test)]
mod tests {
    use nbody::models::plummer;
    use nbody_integrate::Energies;

    use super::*;
    use crate::camera::Along;
    use crate::format::Format;
    use crate::run::diagnostics::Diagnostics;
    use crate::run::history::Row;
    use crate::run::settings::Integrator;

    /// A run of particles with these numbers.
    fn sample(particles: Vec<[f64; 7]>) -> Restart {
        let snapshot = plummer(50, 1).unwrap();
        let energies = Energies { kinetic: 0.1 + 0.2, potential: -1.0 / 3.0 };
        let settings = Settings {
            integrator: Integrator::Leapfrog { step: 0.1, tree: None },
            interaction: "gravity".to_owned(),
            units: "pc, Msun, km/s".parse().unwrap(),
            eps: 1e-3,
            precision: nbody::Precision::Mixed,
            accumulation: nbody::Accumulation::Blocked,
            math: nbody::Math::Exact,
            until: 2.0,
            every: None,
            format: Format::Xyz,
            images: true,
        };
        let counts = Counts { steps: 7, particle_steps: 350, seconds: 0.7 };
        let units = Units::default();
        let row = |time, counts| {
            let state = Diagnostics::new(&snapshot, &units, time);
            Row::new(&snapshot, &units, time, &energies, counts).with_state(state)
        };
        let mut history = History::new(row(0.5, Counts::default()), 0.0);
        history.push(row(0.7, counts));
        let view = Camera { centre: [1e-17, -0.0], half: 0.1, along: Along::Y, follows: true };
        let state = State::Leapfrog { begin: 0.5, steps: 7, particles };
        Restart { settings, units, view, counts, history, state }
    }

    #[test]
    fn numbers_come_back_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint.json");
        let mut bits = 1_u64;
        let number = |_| loop {
            // Knuth's generator (MMIX).
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let number = f64::from_bits(bits);
            if number.is_finite() {
                break number;
            }
        };
        let numbers: Vec<_> = (0..7000).map(number).collect();
        let mut particles = numbers.as_chunks::<7>().0.to_vec();
        for numbers in &mut particles {
            numbers[6] = numbers[6].abs().min(1e290);
        }
        particles.push([0.0, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::EPSILON, 0.1 + 0.2]);
        let restart = sample(particles);
        restart.save(&path, &restart.state.rows().unwrap()).unwrap();
        assert_eq!(Restart::load(&path).unwrap(), restart);
    }

    #[test]
    fn files_of_other_contents_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint.json");
        let restart = sample(vec![[1.0; 7]]);
        restart.save(&path, &restart.state.rows().unwrap()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let message = |from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            std::fs::write(&path, text.replace(from, to)).unwrap();
            Restart::load(&path).unwrap_err().to_string()
        };
        for (from, to, part) in [
            ("\"nbody_run\":1", "\"nbody_run\":2", "version 2 of restart files, expected 1"),
            ("\"nbody_run\":1,", "", "missing field `nbody_run`"),
            ("\"mixed\"", "\"half\"", "expected single, double"),
            ("\"eps\":0.001,", "", "missing field `eps`"),
            ("[1.0,1.0,", "[null,1.0,", "not a file to restart from"),
            ("[1.0,1.0,", "[1.0,", "not a file to restart from"),
            ("[1.0,1.0,1.0,1.0,1.0,1.0,1.0]", "[1,1,1,1,1,1,-1]", "its particle 0 has mass -1"),
            ("[[1.0,1.0,1.0,1.0,1.0,1.0,1.0]]", "[]", "its 0 particles have a total mass of 0"),
            (",1.0]]", ",-0.0]]", "its 1 particles have a total mass of 0"),
            ("\"half\":0.1", "\"half\":-0.1", "not those of a run"),
            (
                "\"steps\":7,\"particle_steps\":350",
                "\"steps\":7,\"particle_steps\":18446744073709551615",
                "not those of a run",
            ),
            ("\"units\":{\"length\":0", "\"units\":{\"length\":1", "not those of a run"),
            ("{\"leapfrog\":{\"step\":0.1}}", HERMITE, "state is not of the hermite integrator"),
        ] {
            let message = message(from, to);
            assert!(message.contains(part), "{message}");
        }
    }

    const HERMITE: &str = r#"{"hermite":{"eta":0.1,"eta_start":0.1,"largest":0.1}}"#;
}
