//! The gravitational constant, by its value or by the units of a file.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The gravitational constant times the nominal mass of the Sun, in m³/s² (IAU 2015, resolution B3).
const GM_SUN: f64 = 1.327_124_4e20;
/// The gravitational constant in m³/(kg s²) (CODATA 2022).
const G: f64 = 6.6743e-11;
const AU: f64 = 149_597_870_700.0;
const PARSEC: f64 = 648_000.0 / std::f64::consts::PI * AU;
const DAY: f64 = 86_400.0;
const YEAR: f64 = 365.25 * DAY;

/// Lengths in metres.
const LENGTHS: [(&str, f64); 7] = [
    ("m", 1.0),
    ("km", 1e3),
    ("AU", AU),
    ("pc", PARSEC),
    ("kpc", 1e3 * PARSEC),
    ("Mpc", 1e6 * PARSEC),
    ("Rsun", 6.957e8),
];
/// Masses times G, in m³/s².
const MASSES: [(&str, f64); 5] = [
    ("kg", G),
    ("g", 1e-3 * G),
    ("Msun", GM_SUN),
    ("Mearth", 3.986_004e14),
    ("Mjup", 1.266_865_3e17),
];
/// Times in seconds.
const TIMES: [(&str, f64); 6] = [
    ("s", 1.0),
    ("day", DAY),
    ("yr", YEAR),
    ("kyr", 1e3 * YEAR),
    ("Myr", 1e6 * YEAR),
    ("Gyr", 1e9 * YEAR),
];
/// Speeds in metres per second, in place of a time.
const SPEEDS: [(&str, f64); 2] = [("m/s", 1.0), ("km/s", 1e3)];

/// The units of the particles: the gravitational constant and, if known, the names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileUnits {
    pub gravity: f64,
    /// The names of the units of length, mass and time.
    pub names: Option<[String; 3]>,
}

/// N-body units: G and the mass are 1, the energy is -1/4.
const STANDARD: &str = "N-body units";

impl FileUnits {
    /// The units of spheres that the command makes.
    pub fn standard() -> Self {
        let names = [STANDARD; 3].map(str::to_owned);
        Self { gravity: 1.0, names: Some(names) }
    }

    /// Units that are unknown but for the gravitational constant.
    pub fn with_gravity(gravity: f64) -> Self {
        Self { gravity, names: None }
    }

    /// Returns the label of an axis of lengths.
    pub fn of_length(&self, label: &str) -> String {
        self.label(label, 0)
    }

    /// Returns the label of an axis of times.
    pub fn of_time(&self, label: &str) -> String {
        self.label(label, 2)
    }

    fn label(&self, label: &str, unit: usize) -> String {
        match &self.names {
            Some(names) => format!("{label} ({})", names[unit]),
            None => label.to_owned(),
        }
    }

    /// Returns the name of the unit of length, if it is a physical one.
    pub fn length(&self) -> Option<&str> {
        self.physical(0)
    }

    /// Returns the name of the unit of time, if it is a physical one.
    pub fn time(&self) -> Option<&str> {
        self.physical(2)
    }

    fn physical(&self, unit: usize) -> Option<&str> {
        let names = self.names.as_ref().filter(|names| names[0] != STANDARD)?;
        Some(&names[unit])
    }

    /// Describes the units.
    pub fn describe(&self) -> String {
        let gravity = self.gravity;
        match &self.names {
            Some(names) if names[0] == STANDARD => {
                "N-body units, G = M = 1 and E = -1/4".to_owned()
            }
            Some([length, mass, time]) => format!("{length}, {mass}, {time}, G = {gravity:.6e}"),
            None => format!("units of the file, G = {gravity}"),
        }
    }
}

impl Default for FileUnits {
    fn default() -> Self {
        Self::with_gravity(1.0)
    }
}

impl FromStr for FileUnits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names: Vec<_> = text.split(',').map(str::trim).collect();
        let [length, mass, time] = names[..] else {
            return Err(format!(
                "{} units, expected a length, a mass and a time: {}",
                names.len(),
                known()
            ));
        };
        let find =
            |table: &[(&str, f64)], name: &str| table.iter().find(|it| it.0 == name).map(|it| it.1);
        let wrong = |what: &str, name: &str| format!("`{name}` is no unit of {what}: {}", known());
        let metres = find(&LENGTHS, length).ok_or_else(|| wrong("length", length))?;
        let gm = find(&MASSES, mass).ok_or_else(|| wrong("mass", mass))?;
        let seconds =
            find(&TIMES, time).or_else(|| find(&SPEEDS, time).map(|speed| metres / speed));
        let seconds = seconds.ok_or_else(|| wrong("time or speed", time))?;
        let of_time =
            if time.contains('/') { format!("{length}/({time})") } else { time.to_owned() };
        let names = Some([length.to_owned(), mass.to_owned(), of_time]);
        Ok(Self { gravity: gm * seconds * seconds / (metres * metres * metres), names })
    }
}

/// Lists the units.
fn known() -> String {
    let names =
        |table: &[(&'static str, f64)]| table.iter().map(|it| it.0).collect::<Vec<_>>().join(" ");
    format!(
        "lengths are {}; masses {}; times {}, or speeds {}, as in \"pc, Msun, Myr\"",
        names(&LENGTHS),
        names(&MASSES),
        names(&TIMES),
        names(&SPEEDS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gravity(text: &str) -> f64 {
        text.parse::<FileUnits>().unwrap().gravity
    }

    #[test]
    fn known_systems_have_their_constants() {
        for (units, expected) in [
            ("pc, Msun, km/s", 4.300_917e-3),
            ("pc, Msun, Myr", 4.498_5e-3),
            ("kpc,Msun,km/s", 4.300_917e-6),
            ("AU, Msun, day", 0.017_202_098_95 * 0.017_202_098_95),
            ("m, kg, s", 6.6743e-11),
            ("km, Mearth, s", 398_600.4),
        ] {
            let found = gravity(units);
            assert!((found / expected - 1.0).abs() < 1e-5, "{units}: {found:e}");
        }
        // Kepler's third law.
        let year = std::f64::consts::TAU / gravity("AU, Msun, yr").sqrt();
        assert!((year - 1.0).abs() < 1e-4, "{year}");
        let names = "pc, Msun, km/s".parse::<FileUnits>().unwrap().names;
        assert_eq!(names.unwrap(), ["pc", "Msun", "pc/(km/s)"]);
    }

    #[test]
    fn unknown_units_are_refused_with_the_known_ones() {
        for (text, part) in [
            ("pc, Msun", "2 units, expected a length, a mass and a time: lengths are m km AU"),
            ("Msun, pc, Myr", "`Msun` is no unit of length: "),
            ("pc, lb, Myr", "`lb` is no unit of mass: "),
            ("pc, Msun, pc", "`pc` is no unit of time or speed: "),
        ] {
            let error = text.parse::<FileUnits>().unwrap_err();
            assert!(error.starts_with(part), "{error}");
        }
    }
}
