//! The command lines of the examples: `--device`, a few other words, and nothing else. And the
//! comparison of results with expected numbers.

use std::error::Error;
use std::fmt::Write as _;
use std::process::{ExitCode, exit};

use nbody::{Device, DeviceName};

#[allow(unused_imports, reason = "some examples compare nothing")]
pub use judge::judge;

mod judge;

/// An example, and the words that it takes beside `--device`.
pub struct Usage {
    pub name: &'static str,
    pub about: &'static str,
    /// The name of each word, and its meaning with the default.
    pub words: &'static [[&'static str; 2]],
}

/// A command line.
pub struct Arguments {
    usage: Usage,
    device: Option<DeviceName>,
    words: Vec<String>,
}

impl Arguments {
    /// Reads the command line of this process. Prints the usage for `--help`, and ends with exit
    /// code 2 for any other word than the expected ones.
    pub fn read(usage: Usage) -> Self {
        let mut found = Self { usage, device: None, words: Vec::new() };
        let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        match found.take(words) {
            Ok(true) => found,
            Ok(false) => {
                println!("{}", found.usage.text());
                exit(0)
            }
            Err(message) => found.refuse(&message),
        }
    }

    /// Takes the words of a command line; returns false for `--help`.
    fn take(&mut self, mut words: impl Iterator<Item = String>) -> Result<bool, String> {
        while let Some(word) = words.next() {
            if word == "--help" || word == "-h" {
                return Ok(false);
            }
            if word == "--device" {
                self.set_device(&words.next().ok_or("--device needs a name")?)?;
            } else if let Some(name) = word.strip_prefix("--device=") {
                self.set_device(name)?;
            } else if word.starts_with('-') || self.words.len() == self.usage.words.len() {
                return Err(format!("unexpected argument `{word}`"));
            } else {
                self.words.push(word);
            }
        }
        Ok(true)
    }

    fn set_device(&mut self, name: &str) -> Result<(), String> {
        if self.device.is_some() {
            return Err("--device is given twice".to_owned());
        }
        self.device = Some(name.parse().map_err(|error: nbody::Error| error.to_string())?);
        Ok(())
    }

    /// Opens the device of `--device`.
    pub fn device(&self) -> Result<Option<Device>, nbody::Error> {
        self.device.map(DeviceName::open).transpose()
    }

    /// Returns what the other words say; ends with exit code 2 if they are wrong.
    #[allow(dead_code, reason = "some examples take no other words")]
    pub fn parsed<T>(
        &self,
        parse: impl FnOnce(&mut dyn Iterator<Item = String>) -> Result<T, String>,
    ) -> T {
        parse(&mut self.words.iter().cloned()).unwrap_or_else(|message| self.refuse(&message))
    }

    fn refuse(&self, message: &str) -> ! {
        eprintln!("error: {message}\n\n{}", self.usage.text());
        exit(2)
    }
}

impl Usage {
    fn text(&self) -> String {
        let mut text = format!("{}\n\nUsage: {} [--device NAME]", self.about, self.name);
        // Formatting into a string does not fail.
        for [name, _] in self.words {
            let _ = write!(text, " [{name}]");
        }
        text += "\n\n";
        for [name, meaning] in self.words {
            let _ = writeln!(text, "  {name:<13}  {meaning}");
        }
        text + "  --device NAME  cpu, cpu:LEVEL, emulator, cuda:N or best\n  --help         print this help"
    }
}

/// Parses a whole number from `least` on, such as 10000 or 1e4; `usual` if there is none.
#[allow(dead_code, reason = "some examples have no numbers")]
#[expect(clippy::cast_sign_loss, reason = "casts saturate, and negative numbers are refused")]
pub fn count(
    word: Option<String>,
    name: &str,
    usual: usize,
    least: usize,
) -> Result<usize, String> {
    let Some(word) = word else { return Ok(usual) };
    let number = word.parse().ok().filter(|x: &f64| x.fract() == 0.0 && *x >= least as f64);
    let number = number.ok_or_else(|| {
        format!(
            "`{word}` is no {name}: expected a whole number from {least} on, such as 10000 or 1e4"
        )
    })?;
    Ok(number as usize)
}

/// Runs an example that takes no other word than `--device`.
#[allow(dead_code, reason = "some examples take more words")]
pub fn on_device(
    name: &'static str,
    about: &'static str,
    run: fn(&Device) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    let arguments = Arguments::read(Usage { name, about, words: &[] });
    let device = arguments.device().map(|given| given.unwrap_or_else(Device::best));
    end(device.map_err(Box::from).and_then(|device| run(&device)))
}

/// Ends the example: prints the error, if there is one.
pub fn end(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_expected_words_is_refused() {
        let take = |line: &str| {
            let usage = Usage { name: "example", about: "", words: &[["N", ""]] };
            let mut found = Arguments { usage, device: None, words: Vec::new() };
            let read = found.take(line.split_whitespace().map(str::to_owned));
            read.map(|runs| (runs, found.device.is_some(), found.words))
        };
        assert_eq!(take(""), Ok((true, false, vec![])));
        assert_eq!(take("--device cpu 1e3"), Ok((true, true, vec!["1e3".to_owned()])));
        assert_eq!(take("7 --device=emulator"), Ok((true, true, vec!["7".to_owned()])));
        assert_eq!(take("--help --what").map(|found| found.0), Ok(false));
        for (line, part) in [
            ("1 2", "unexpected argument `2`"),
            ("-x", "unexpected argument `-x`"),
            ("--device", "needs a name"),
            ("--device gpu", "unknown device `gpu`"),
            ("--device cpu --device=cpu", "given twice"),
        ] {
            assert!(take(line).unwrap_err().contains(part), "{line}");
        }
        let number = |word: &str| count(Some(word.to_owned()), "number", 9, 2);
        assert_eq!(
            (number("2"), number("1e4"), count(None, "number", 9, 2)),
            (Ok(2), Ok(10_000), Ok(9))
        );
        assert!(["1", "2.5", "-3", "nan", "inf", "x"].iter().all(|word| number(word).is_err()));
    }
}
