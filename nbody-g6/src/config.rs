//! The device and the precision of a cluster.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Once;

use nbody::prelude::*;
use nbody::{DeviceName, Error as NbodyError};

use crate::error::{Error, say};

/// The file of Sapporo 2 in the working folder, which lists the ordinals of devices.
const CONFIG: &str = "sapporo2.config";
/// The variable that names the device: `cpu`, `emulator`, `cuda:0`, `best`.
const DEVICE: &str = "NBODY_G6_DEVICE";
/// The variable that names the precision.
const PRECISION: &str = "NBODY_G6_PRECISION";

/// The device and the precision of a cluster.
#[derive(Debug)]
pub struct Setup {
    pub device: Device,
    pub precision: Precision,
}

impl Setup {
    /// Returns the setup of the cluster with this id: on the device that the environment names, on
    /// a device of the configuration file, or on a GPU if one answers. Clusters take turns at
    /// several GPUs.
    pub fn of(id: i32) -> Result<Self, Error> {
        Ok(Self { device: device(id)?, precision: precision()? })
    }
}

fn precision() -> Result<Precision, Error> {
    let Some(found) = variable(PRECISION) else { return Ok(Precision::Mixed) };
    let named = Precision::ALL.iter().find(|precision| precision.to_string() == found);
    let names: Vec<_> = Precision::ALL.iter().map(ToString::to_string).collect();
    let expected = names.join(", ");
    named.copied().ok_or(Error::Variable { variable: PRECISION, found, expected })
}

fn device(id: i32) -> Result<Device, Error> {
    if let Some(name) = variable(DEVICE) {
        return Ok(name.parse::<DeviceName>()?.open()?);
    }
    let turn = id.unsigned_abs() as usize;
    if let Some(ordinals) = read(Path::new(CONFIG))? {
        return Ok(Device::cuda(ordinals[turn % ordinals.len()])?);
    }
    match gpu(turn) {
        Ok(device) => Ok(device),
        Err(error) => {
            static TOLD: Once = Once::new();
            TOLD.call_once(|| {
                let reason = error.map(|error| format!(" ({error})")).unwrap_or_default();
                say(&format!("no GPU answers{reason}: the CPU computes"));
            });
            Ok(Device::cpu())
        }
    }
}

/// Opens a GPU, or returns the error, if there is one.
fn gpu(turn: usize) -> Result<Device, Option<NbodyError>> {
    match Device::cuda_count()? {
        0 => Err(None),
        count => Ok(Device::cuda(turn % count)?),
    }
}

fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Reads the ordinals of a configuration file: their number, then each on a line. `None` without
/// the file, and if it leaves the choice to the library.
fn read(path: &Path) -> Result<Option<Vec<usize>>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(Error::Read { path: path.to_owned(), cause }),
    };
    parse(&text, path)
}

fn parse(text: &str, path: &Path) -> Result<Option<Vec<usize>>, Error> {
    let lines: Vec<_> = text.lines().collect();
    let number = |line: usize, expected: &'static str| {
        let found = lines.get(line).copied().unwrap_or_default();
        // What follows a number is a comment.
        let word = found.split_whitespace().next().unwrap_or_default();
        word.parse::<i32>().map_err(|_| {
            let (path, found) = (path.to_owned(), found.to_owned());
            Error::Config { path, line: line + 1, found, expected }
        })
    };
    let count = number(0, "the number of devices")?;
    let Some(count) = usize::try_from(count).ok().filter(|count| *count > 0) else {
        return Ok(None);
    };
    let expected = "the ordinal of a device, from 0";
    let ordinal = |line: usize| {
        number(line, expected)?.try_into().map_err(|_| {
            let (path, found) = (path.to_owned(), lines[line].to_owned());
            Error::Config { path, line: line + 1, found, expected }
        })
    };
    (1..=count).map(ordinal).collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_listed_behind_their_number() {
        let parse = |text| parse(text, Path::new(CONFIG));
        assert_eq!(parse("2\n0\n3\n").unwrap(), Some(vec![0, 3]));
        assert_eq!(parse("1 device\n1 the second\nother").unwrap(), Some(vec![1]));
        assert_eq!(parse("0\n").unwrap(), None);
        assert_eq!(parse("-1\n0\n1\n").unwrap(), None);
        let refused = |text| parse(text).unwrap_err().to_string();
        assert_eq!(
            refused("2\n0\n"),
            "sapporo2.config:3: found ``, expected the ordinal of a device, from 0"
        );
        assert_eq!(
            refused("1\n-2\n"),
            "sapporo2.config:2: found `-2`, expected the ordinal of a device, from 0"
        );
        assert_eq!(
            refused("two\n"),
            "sapporo2.config:1: found `two`, expected the number of devices"
        );
        assert!(read(Path::new("/no such folder/sapporo2.config")).unwrap().is_none());
    }
}
