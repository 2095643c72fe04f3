//! What is known of a model or a fit, by name: for `inspect --json`, reports and Python alike.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::setting::Value;
use crate::data::Dense;

/// A fact about a model.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Fact {
    /// Not known, or not there.
    Absent,
    /// Yes or no.
    Flag(bool),
    /// A number of things.
    Count(u64),
    /// A number.
    Number(f64),
    /// A word or a text.
    Text(String),
    /// Several numbers of things.
    Counts(Vec<usize>),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// Several texts.
    Texts(Vec<String>),
    /// A table of numbers.
    Table(#[serde(serialize_with = "rows")] Dense<f64>),
    /// Facts of each of several parts.
    Parts(Vec<Facts>),
}

macro_rules! fact_from {
    ($($type:ty => $make:expr),+ $(,)?) => {$(
        impl From<$type> for Fact {
            fn from(value: $type) -> Self {
                let make: fn($type) -> Self = $make;
                make(value)
            }
        }
    )+};
}
fact_from!(
    bool => Self::Flag,
    u64 => Self::Count,
    usize => |count| Self::Count(count as u64),
    f64 => Self::Number,
    &str => |text| Self::Text(text.to_owned()),
    String => Self::Text,
    Vec<usize> => Self::Counts,
    &[usize] => |counts| Self::Counts(counts.to_vec()),
    Vec<f64> => Self::Numbers,
    &[f64] => |numbers| Self::Numbers(numbers.to_vec()),
    Vec<String> => Self::Texts,
    &[String] => |texts| Self::Texts(texts.to_vec()),
    Dense<f64> => Self::Table,
    Vec<Facts> => Self::Parts,
);

impl From<Value> for Fact {
    fn from(value: Value) -> Self {
        match value {
            Value::Absent => Self::Absent,
            Value::Flag(flag) => Self::Flag(flag),
            Value::Whole(count) => Self::Count(count),
            Value::Number(number) => Self::Number(number),
            Value::Numbers(numbers) => Self::Numbers(numbers),
            Value::Word(word) => Self::Text(word),
            Value::Weights(_) => Self::Text(value.to_string()),
        }
    }
}

impl<T: Into<Self>> From<Option<T>> for Fact {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

/// A table as a list of its rows.
fn rows<S: Serializer>(table: &Dense<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq((0..table.len()).map(|i| table.row(i)))
}

/// Facts in the order in which they are told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts(Vec<(&'static str, Fact)>);

impl Facts {
    /// With one fact more.
    #[must_use]
    pub fn with(mut self, name: &'static str, fact: impl Into<Fact>) -> Self {
        self.add(name, fact);
        self
    }

    /// Adds a fact; one of that name is replaced.
    pub fn add(&mut self, name: &'static str, fact: impl Into<Fact>) {
        let fact = fact.into();
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, place)) => *place = fact,
            None => self.0.push((name, fact)),
        }
    }

    /// The fact of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, fact)| fact)
    }

    /// The number of that name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(Fact::Number(number)) => Some(*number),
            Some(Fact::Count(count)) => Some(*count as f64),
            _ => None,
        }
    }

    /// Names and facts, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Fact)> {
        self.0.iter().map(|(name, fact)| (*name, fact))
    }

    /// Adds all facts of another list.
    pub fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|(name, fact)| self.add(name, fact));
    }
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, fact)| map.serialize_entry(name, fact))?;
        map.end()
    }
}
