//! Rows of named values in SI units: they make the CSV files and the JSON documents.

use std::error::Error;
use std::fmt;
use std::io::Write as _;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// A value: numbers in full precision, times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Unknown,
    Flag(bool),
    Integer(u64),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Record(Record),
}

/// The cell of a CSV file; an unknown value is empty.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => Ok(()),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            // Long rows of zeros are no figures.
            Self::Number(x) if *x != 0.0 && !(1e-4..1e16).contains(&x.abs()) => write!(f, "{x:e}"),
            Self::Number(x) => write!(f, "{x}"),
            Self::Text(text) => f.write_str(text),
            Self::List(values) => {
                let values: Vec<_> = values.iter().map(Self::to_string).collect();
                f.write_str(&values.join(" "))
            }
            Self::Record(record) => {
                let value = |(name, value): &(&str, Self)| format!("{name} {value}");
                let values: Vec<_> = record.0.iter().map(value).collect();
                f.write_str(&values.join(" "))
            }
        }
    }
}

macro_rules! from {
    ($($type:ty: $name:ident => $value:expr;)*) => {$(
        impl From<$type> for Value {
            fn from($name: $type) -> Self {
                $value
            }
        }
    )*};
}

from! {
    bool: flag => Self::Flag(flag);
    u32: number => Self::Integer(number.into());
    u64: number => Self::Integer(number);
    usize: number => Self::Integer(number as u64);
    f64: number => Self::Number(number);
    Duration: time => Self::Number(time.as_secs_f64());
    &str: text => Self::Text(text.to_owned());
    &String: text => Self::Text(text.clone());
    String: text => Self::Text(text);
    Record: record => Self::Record(record);
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, T::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(T::into).collect())
    }
}

/// Values with their names, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record(pub Vec<(&'static str, Value)>);

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Record {
    /// Adds a value.
    pub fn push(&mut self, name: &'static str, value: impl Into<Value>) {
        self.0.push((name, value.into()));
    }

    /// Returns this record with the values of another one behind its own.
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// Makes a record: `record! { n: 16, device: "cpu" }`.
macro_rules! record {
    ($($name:ident: $value:expr),* $(,)?) => {
        $crate::record::Record(vec![$((stringify!($name), $crate::record::Value::from($value))),*])
    };
}
pub(crate) use record;

/// Prints a document: the name of the command, the version, and what the command found.
pub fn print(command: &str, found: Record) -> Result<(), Box<dyn Error>> {
    let head = record! { command: command, version: env!("CARGO_PKG_VERSION") };
    let text = serde_json::to_string_pretty(&head.and(found))? + "\n";
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cells_and_json() {
        let inner = record! { name: "a", list: vec![1.5, 2.0] };
        let record = record! {
            n: 16_usize,
            small: -3e-8,
            half: 0.5,
            large: 1e20,
            time: Duration::from_millis(1500),
            none: None::<f64>,
            nan: f64::NAN,
            yes: true,
            inner: inner,
        };
        let cells: Vec<_> = record.0.iter().map(|(_, value)| value.to_string()).collect();
        let expected =
            ["16", "-3e-8", "0.5", "1e20", "1.5", "", "NaN", "true", "name a list 1.5 2"];
        assert_eq!(cells, expected);
        // JSON has no NaN.
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"n":16,"small":-3e-8,"half":0.5,"large":1e+20,"time":1.5,"none":null,"nan":null,"yes":true,"inner":{"name":"a","list":[1.5,2.0]}}"#
        );
    }
}
