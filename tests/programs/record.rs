//! File of the cost of machine code: a readable table with a line for each kernel.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Identification of a kernel: interaction, kernel, precision, architecture.
pub type Key = [String; 4];

/// Figures of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Issue slots of a pair in the FORCE-LOOP, with all branches taken.
    pub slots: f64,
    /// Issue slots of a pair on the shortest path through the FORCE-LOOP.
    pub least: f64,
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread, in bytes.
    pub local: u32,
}

/// Outcome of the comparison with recorded figures.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// Equal up to noise.
    Same,
    /// Some figures are clearly less, and none is more.
    Less(String),
    /// Some figures are more.
    More(String),
}

impl Figures {
    pub fn against(&self, recorded: &Self) -> Verdict {
        let (now, then) = (self, recorded);
        let all = [
            ("slots", slots(now.slots, then.slots), now.slots, then.slots),
            ("least", slots(now.least, then.least), now.least, then.least),
            (
                "registers",
                granted(now.registers).cmp(&granted(then.registers)),
                now.registers.into(),
                then.registers.into(),
            ),
            ("local", now.local.cmp(&then.local), now.local.into(), then.local.into()),
        ];
        let tell = |wanted: Ordering| {
            let chosen = all.iter().filter(|(_, order, ..)| *order == wanted);
            let told = chosen.map(|(what, _, now, then)| format!("{what} {then} -> {now}"));
            told.collect::<Vec<_>>().join(", ")
        };
        let (more, less) = (tell(Ordering::Greater), tell(Ordering::Less));
        if !more.is_empty() {
            Verdict::More(more)
        } else if !less.is_empty() {
            Verdict::Less(less)
        } else {
            Verdict::Same
        }
    }
}

/// Compares slots; differences of 2% are noise of the compiler's scheduling.
fn slots(now: f64, then: f64) -> Ordering {
    const SLACK: f64 = 0.02;
    if (now - then).abs() <= SLACK * then { Ordering::Equal } else { now.total_cmp(&then) }
}

/// Rounds registers per thread up to the allocation unit of a GPU, 8.
fn granted(registers: u32) -> u32 {
    registers.next_multiple_of(8)
}

/// Recorded figures of all kernels, for one version of NVRTC.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub nvrtc: String,
    pub figures: BTreeMap<Key, Figures>,
}

const TITLES: [&str; 8] =
    ["interaction", "kernel", "precision", "architecture", "slots", "least", "registers", "local"];
const COMPILER: &str = "# compiled by NVRTC ";

impl Record {
    /// Parses the file; the error names the malformed line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut record = Self::default();
        for line in text.lines() {
            if let Some(version) = line.strip_prefix(COMPILER) {
                version.clone_into(&mut record.nvrtc);
            }
            let words: Vec<_> = line.split_whitespace().collect();
            if line.starts_with('#') || words == TITLES || words.is_empty() {
                continue;
            }
            let (key, figures) = entry(&words).ok_or_else(|| format!("not understood: {line}"))?;
            if record.figures.insert(key, figures).is_some() {
                return Err(format!("recorded twice: {line}"));
            }
        }
        Ok(record)
    }

    /// Formats the table, with `comment` at its head.
    pub fn print(&self, comment: &str) -> String {
        let mut text = format!("{comment}\n{COMPILER}{}\n\n", self.nvrtc);
        let mut line = |words: [&str; 8]| {
            let [interaction, kernel, precision, architecture, numbers @ ..] = words;
            let _ = write!(text, "{interaction:<24}{kernel:<12}{precision:<11}{architecture:<14}");
            let [slots, least, registers, local] = numbers;
            let _ = writeln!(text, "{slots:>8}{least:>8}{registers:>11}{local:>7}");
        };
        line(TITLES);
        for ([interaction, kernel, precision, architecture], figures) in &self.figures {
            let Figures { slots, least, registers, local } = figures;
            let (slots, least) = (format!("{slots:.2}"), format!("{least:.2}"));
            let (registers, local) = (registers.to_string(), local.to_string());
            let key = [interaction, kernel, precision, architecture];
            let [interaction, kernel, precision, architecture] = key.map(String::as_str);
            line([
                interaction,
                kernel,
                precision,
                architecture,
                &slots,
                &least,
                &registers,
                &local,
            ]);
        }
        text
    }
}

fn entry(words: &[&str]) -> Option<(Key, Figures)> {
    let &[interaction, kernel, precision, architecture, slots, least, registers, local] = words
    else {
        return None;
    };
    let number = |word: &str| word.parse().ok().filter(|number: &f64| number.is_finite());
    let figures = Figures {
        slots: number(slots)?,
        least: number(least)?,
        registers: registers.parse().ok()?,
        local: local.parse().ok()?,
    };
    Some(([interaction, kernel, precision, architecture].map(str::to_owned), figures))
}
