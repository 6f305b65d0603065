//! The interactions of the command line: ready ones by their names, others in files, and the values
//! of their parameters.

use std::error::Error;
use std::ffi::OsStr;
use std::path::Path;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nbody::Interaction;
use nbody::law::{DeclareError, Field, FieldKind, Law, read};
use nbody::models::uniform_rows;
use nbody::untyped::Rows as _;
use nbody_interactions::{Visitor, visit_all};

use crate::record::{Record, Value};
use crate::wrong::Wrong;

/// The random numbers of parameters.
const SEED: u64 = 0;

/// Interactions, and values of their parameters.
#[derive(clap::Args)]
pub struct Interactions {
    /// The interactions: names of ready ones, or files of declarations that end in .rs, for each
    /// of their interactions; by default all ready ones.
    #[arg(value_parser = InteractionOrFile)]
    interactions: Vec<String>,
    /// Set a parameter, NAME=NUMBER, or all its numbers, NAME=X,Y,Z. By default a ready interaction
    /// has parameters that suit particles in the unit cube; an interaction of a file has random
    /// ones: numbers from 0 to 1, integers from 0 to 3.
    #[arg(long, value_name = "NAME=NUMBER")]
    set: Vec<Setting>,
}

impl Interactions {
    /// Returns the interactions, with their parameters.
    pub fn choose(&self) -> Result<Vec<Chosen>, Box<dyn Error>> {
        choose(&self.interactions, &self.set)
    }

    /// Returns whether these are all ready interactions, and none is named.
    pub fn are_all(&self) -> bool {
        self.interactions.is_empty()
    }
}

/// Returns the interactions of these names and files, or all ready ones, with their parameters.
pub fn choose(names: &[String], settings: &[Setting]) -> Result<Vec<Chosen>, Box<dyn Error>> {
    let mut all = Vec::new();
    for name in names {
        all.extend(named(name)?);
    }
    if names.is_empty() {
        all = ready();
    }
    for (k, setting) in settings.iter().enumerate() {
        let name = &setting.name;
        Wrong::if_so(
            settings[..k].iter().any(|earlier| earlier.name == *name),
            &format!("--set {name} is given twice: leave one out"),
        )?;
        let mut is_known = false;
        for chosen in &mut all {
            is_known |= chosen.set(setting).map_err(Wrong)?;
        }
        if !is_known {
            let known: Vec<_> = all.iter().map(Chosen::names).collect();
            return Err(Wrong(format!("no parameter `{name}`: {}", known.join("; "))).into());
        }
    }
    Ok(all)
}

/// An interaction, and a row of its parameters.
#[derive(Clone)]
pub struct Chosen {
    pub law: &'static Law,
    pub parameters: Vec<u64>,
    /// Whether a reader of results knows the parameters.
    is_ready: bool,
    /// Whether the law comes from a file, so that devices compile it.
    pub is_of_file: bool,
}

impl Chosen {
    /// Returns a ready interaction.
    pub fn new<X: Interaction>(interaction: X) -> Self {
        let mut parameters = vec![0; X::DIM];
        (&&[interaction][..]).write(0..1, &mut parameters);
        Self { law: X::LAW, parameters, is_ready: true, is_of_file: false }
    }

    /// Returns an interaction with random parameters.
    fn of(law: &'static Law) -> Self {
        let parameters = uniform_rows(law.parameters, 1, SEED).words().to_vec();
        Self { law, parameters, is_ready: false, is_of_file: true }
    }

    /// Returns whether i-particles and j-particles may be one set, in one buffer.
    pub fn has_one_record(&self) -> bool {
        self.law.i == self.law.j
    }

    /// Sets a parameter; returns whether there is one of this name.
    fn set(&mut self, setting: &Setting) -> Result<bool, String> {
        let Setting { name, numbers } = setting;
        let mut first = 0;
        for field in self.law.parameters {
            let range = first..first + field.kind.components();
            first = range.end;
            if field.name != name {
                continue;
            }
            if numbers.len() != range.len() && numbers.len() != 1 {
                let (law, found) = (self.law.name, numbers.len());
                let expected = match range.len() {
                    1 => "1 number".to_owned(),
                    n => format!("1 number or {n}"),
                };
                return Err(format!(
                    "--set {name}: expected {expected} for `{field}` of {law}, found {found}"
                ));
            }
            for (word, number) in self.parameters[range].iter_mut().zip(numbers.iter().cycle()) {
                *word = self::word(field, *number)?;
            }
            self.is_ready = false;
            return Ok(true);
        }
        Ok(false)
    }

    /// Names the parameters with their types.
    fn names(&self) -> String {
        let names: Vec<_> = self.law.parameters.iter().map(ToString::to_string).collect();
        let names = if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") };
        format!("{} has {names}", self.law.name)
    }

    /// Returns the values of the parameters: a number, or several.
    fn record(&self) -> Record {
        let mut rest = &self.parameters[..];
        let mut record = Record::default();
        for Field { name, kind, .. } in self.law.parameters {
            let (words, others) = rest.split_at(kind.components());
            rest = others;
            let number = |word: &u64| match kind {
                FieldKind::U32 => Value::from(*word),
                _ => Value::from(f64::from_bits(*word)),
            };
            match words {
                [word] => record.push(name, number(word)),
                words => record.push(name, Value::List(words.iter().map(number).collect())),
            }
        }
        record
    }

    /// Formats the parameters: `eps2 = 0.25`.
    fn values(&self) -> String {
        let mut rest = &self.parameters[..];
        let mut values = Vec::new();
        for Field { name, kind, .. } in self.law.parameters {
            let (words, others) = rest.split_at(kind.components());
            rest = others;
            let number = |word: &u64| match kind {
                FieldKind::U32 => word.to_string(),
                _ => f64::from_bits(*word).to_string(),
            };
            let numbers: Vec<_> = words.iter().map(number).collect();
            values.push(format!("{name} = {}", numbers.join(",")));
        }
        values.join(", ")
    }
}

/// Returns lines with the parameters that a reader of results does not know, each after an empty
/// line; nothing for ready interactions.
pub fn parameters_of(all: &[Chosen]) -> String {
    let unknown = all.iter().filter(|it| !it.is_ready && !it.parameters.is_empty());
    let line = |it: &Chosen| format!("\n{}: {}", it.law.name, it.values());
    let lines: String = unknown.map(line).collect();
    if lines.is_empty() { lines } else { format!("\n\nParameters:{lines}") }
}

/// Returns the parameters of each interaction.
pub fn parameter_record(all: &[Chosen]) -> Record {
    Record(all.iter().map(|it| (it.law.name, it.record().into())).collect())
}

/// Returns the word of a number of a field.
fn word(field: &Field, number: f64) -> Result<u64, String> {
    if field.kind != FieldKind::U32 {
        return Ok(number.to_bits());
    }
    let is_integer = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    // Checked: an integer of 32 bits.
    #[allow(clippy::cast_sign_loss)]
    let word = number as u64;
    let expected = format!("expected an integer from 0 to {}", u32::MAX);
    is_integer.then_some(word).ok_or_else(|| format!("`{field}` = {number}: {expected}"))
}

/// A value of a parameter, as on the command line.
#[derive(Clone, Debug)]
pub struct Setting {
    name: String,
    numbers: Vec<f64>,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected NAME=NUMBER or NAME=X,Y,Z".to_owned();
        let (name, numbers) = text.split_once('=').ok_or_else(expected)?;
        let number = |text: &str| {
            let number = text.trim().parse().ok().filter(|number: &f64| !number.is_nan());
            number.ok_or_else(expected)
        };
        let numbers = numbers.split(',').map(number).collect::<Result<_, _>>()?;
        Ok(Self { name: name.trim().to_owned(), numbers })
    }
}

/// Returns all ready interactions.
fn ready() -> Vec<Chosen> {
    struct All(Vec<Chosen>);
    impl Visitor for All {
        fn visit<X: Interaction>(&mut self, interaction: X) {
            self.0.push(Chosen::new(interaction));
        }
    }
    let mut all = All(Vec::new());
    visit_all(&mut all);
    all.0
}

/// Returns the ready interaction of this name, or the interactions that a file declares.
pub fn named(name: &str) -> Result<Vec<Chosen>, Box<dyn Error>> {
    if !is_file(name) {
        return Ok(ready().into_iter().filter(|it| it.law.name == name).collect());
    }
    let laws = match read(name) {
        Ok(declared) => declared.laws,
        // Each fault names the file and begins with `error:`, as the message of the command does.
        Err(faults @ DeclareError::Text(_)) => {
            let faults = faults.to_string();
            return Err(faults.strip_prefix("error: ").unwrap_or(&faults).into());
        }
        Err(error) => return Err(error.into()),
    };
    if laws.is_empty() {
        return Err(format!("{name} declares no interaction, only programs per particle").into());
    }
    Ok(laws.into_iter().map(Chosen::of).collect())
}

/// Returns whether this is no name of a ready interaction but a file.
fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "rs")
}

/// Returns whether this names a file of another kind rather than an interaction.
fn is_path(name: &str) -> bool {
    name.contains(['.', std::path::MAIN_SEPARATOR]) || Path::new(name).exists()
}

/// Refuses a file of another kind.
fn no_declaration(name: &str) -> Result<String, String> {
    let found = match Path::new(name).extension().and_then(OsStr::to_str) {
        Some(extension) => format!(", and this one in .{extension}"),
        None => String::new(),
    };
    Err(format!("a file of declarations ends in .rs{found}"))
}

/// Parses the name of a ready interaction, or of a file with declarations.
#[derive(Clone)]
pub struct InteractionOrFile;

impl TypedValueParser for InteractionOrFile {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        match value.to_str() {
            Some(name) if is_file(name) => Ok(name.to_owned()),
            Some(name) if is_path(name) => no_declaration.parse_ref(command, argument, value),
            _ => names().parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names: Vec<_> = names().possible_values()?.collect();
        Some(Box::new(names.into_iter()))
    }
}

/// Parses the name of a ready interaction.
fn names() -> PossibleValuesParser {
    ready().iter().map(|it| it.law.name).collect::<Vec<_>>().into()
}
