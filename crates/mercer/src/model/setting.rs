//! Parameters of estimators by name: what the doors ask, set and explain without knowing any method.
//!
//! An estimator lists its parameters once, by `settings!`: each line makes the setter of the Rust builder and the row of
//! the table that `mercer train --help`, the model file and Python read.

use std::fmt;
use std::time::Duration;

use crate::solve::{Selection, Smo};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Left open.
    Absent,
    /// Yes or no.
    Flag(bool),
    /// A whole number that is not negative.
    Whole(u64),
    /// A number.
    Number(f64),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// A word, or the text of a kernel.
    Word(String),
    /// A factor for each of the classes named.
    Weights(Vec<(String, f64)>),
}

impl Value {
    /// The number, of a whole number too.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Whole(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The whole number, also where it is written as a number.
    #[must_use]
    pub fn whole(&self) -> Option<u64> {
        match self {
            Self::Whole(value) => Some(*value),
            Self::Number(value) if *value >= 0.0 && value.fract() == 0.0 && *value < 2f64.powi(53) => {
                Some(*value as u64)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("none"),
            Self::Flag(value) => write!(f, "{value}"),
            Self::Whole(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Numbers(values) => {
                f.write_str(&values.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
            }
            Self::Word(word) => f.write_str(word),
            Self::Weights(weights) => {
                let weight = |(class, weight): &(String, f64)| format!("{class}={weight}");
                f.write_str(&weights.iter().map(weight).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// What a parameter can be given as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Yes or no.
    Flag,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// A number, or several of which the best is taken, or `auto` where the domain says so.
    Numbers,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// The text of a kernel.
    Kernel,
    /// A factor for each of the classes named.
    Weights,
    /// Seconds.
    Seconds,
    /// Megabytes.
    Megabytes,
}

/// A type that a parameter can have.
pub trait Setting {
    /// What it can be given as.
    const KIND: Kind;
    /// The value.
    fn value(&self) -> Value;
    /// Takes a value; false where it is of another kind.
    fn assign(&mut self, value: &Value) -> bool;
}

/// Assigns what was found, if anything was.
fn assign<T>(place: &mut T, found: Option<T>) -> bool {
    let known = found.is_some();
    if let Some(found) = found {
        *place = found;
    }
    known
}

impl Setting for f64 {
    const KIND: Kind = Kind::Number;
    fn value(&self) -> Value {
        Value::Number(*self)
    }
    fn assign(&mut self, value: &Value) -> bool {
        assign(self, value.number())
    }
}

impl Setting for bool {
    const KIND: Kind = Kind::Flag;
    fn value(&self) -> Value {
        Value::Flag(*self)
    }
    fn assign(&mut self, value: &Value) -> bool {
        let Value::Flag(flag) = value else { return false };
        *self = *flag;
        true
    }
}

impl Setting for u64 {
    const KIND: Kind = Kind::Whole;
    fn value(&self) -> Value {
        Value::Whole(*self)
    }
    fn assign(&mut self, value: &Value) -> bool {
        assign(self, value.whole())
    }
}

impl Setting for usize {
    const KIND: Kind = Kind::Whole;
    fn value(&self) -> Value {
        Value::Whole(*self as u64)
    }
    fn assign(&mut self, value: &Value) -> bool {
        assign(self, value.whole().and_then(|value| Self::try_from(value).ok()))
    }
}

impl<T: Setting + Default> Setting for Option<T> {
    const KIND: Kind = T::KIND;
    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Absent, T::value)
    }
    fn assign(&mut self, value: &Value) -> bool {
        if *value == Value::Absent {
            *self = None;
            return true;
        }
        let mut inner = T::default();
        let known = inner.assign(value);
        if known {
            *self = Some(inner);
        }
        known
    }
}

impl Setting for Duration {
    const KIND: Kind = Kind::Seconds;
    fn value(&self) -> Value {
        Value::Number(self.as_secs_f64())
    }
    fn assign(&mut self, value: &Value) -> bool {
        assign(self, value.number().and_then(|seconds| Self::try_from_secs_f64(seconds).ok()))
    }
}

impl Setting for Vec<(String, f64)> {
    const KIND: Kind = Kind::Weights;
    fn value(&self) -> Value {
        Value::Weights(self.clone())
    }
    fn assign(&mut self, value: &Value) -> bool {
        let Value::Weights(weights) = value else { return false };
        self.clone_from(weights);
        true
    }
}

impl Setting for Selection {
    const KIND: Kind = Kind::Flag;
    fn value(&self) -> Value {
        Value::Flag(*self == Self::FirstOrder)
    }
    fn assign(&mut self, value: &Value) -> bool {
        let Value::Flag(first) = value else { return false };
        *self = if *first { Self::FirstOrder } else { Self::SecondOrder };
        true
    }
}

/// Makes an enum of words a [`Setting`]: its variants and their words.
macro_rules! words {
    ($type:ty: $($variant:path = $word:literal),+ $(,)?) => {
        impl $crate::model::setting::Setting for $type {
            const KIND: $crate::model::setting::Kind = $crate::model::setting::Kind::Choice(&[$($word),+]);
            fn value(&self) -> $crate::model::setting::Value {
                $crate::model::setting::Value::Word(match self { $($variant => $word),+ }.to_owned())
            }
            fn assign(&mut self, value: &$crate::model::setting::Value) -> bool {
                let $crate::model::setting::Value::Word(word) = value else { return false };
                match word.as_str() {
                    $($word => *self = $variant,)+
                    _ => return false,
                }
                true
            }
        }
    };
}
pub(super) use words;

/// A parameter of an estimator: its name, what it means, and how it is read and set.
pub struct Parameter<E> {
    /// What is told of it.
    pub about: About,
    get: Box<dyn Fn(&E) -> Value + Send + Sync>,
    set: Box<dyn Fn(&mut E, &Value) -> bool + Send + Sync>,
}

/// What is told of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// Its name: `c`, `max-iterations`.
    pub name: &'static str,
    /// Its letter on the command line.
    pub letter: Option<char>,
    /// What it can be given as.
    pub kind: Kind,
    /// The values allowed, in words.
    pub domain: &'static str,
    /// What it means, in words.
    pub meaning: &'static str,
    /// Its value where nothing is said.
    pub default: Value,
    /// What it belongs to, as a heading: `Solver`; empty where it is the method's own.
    pub group: &'static str,
}

impl<E: 'static> Parameter<E> {
    /// A parameter that is a field.
    pub(super) fn new<T: Setting + 'static>(
        about: (&'static str, Option<char>, &'static str, &'static str),
        get: fn(&E) -> &T,
        set: fn(&mut E) -> &mut T,
    ) -> Self {
        Self::with(about, T::KIND, move |e| get(e).value(), move |e, value| set(e).assign(value))
    }

    /// A parameter that is read and set by functions.
    pub(super) fn with(
        (name, letter, domain, meaning): (&'static str, Option<char>, &'static str, &'static str),
        kind: Kind,
        get: impl Fn(&E) -> Value + Send + Sync + 'static,
        set: impl Fn(&mut E, &Value) -> bool + Send + Sync + 'static,
    ) -> Self {
        let about = About { name, letter, kind, domain, meaning, default: Value::Absent, group: "" };
        Self { about, get: Box::new(get), set: Box::new(set) }
    }

    /// The parameter as one of a group.
    pub(super) fn in_group(mut self, group: &'static str) -> Self {
        self.about.group = group;
        self
    }

    /// The parameter as one of an estimator that this one is a part of.
    pub(super) fn of_part<W: 'static>(
        self,
        part: fn(&W) -> &E,
        part_mut: fn(&mut W) -> &mut E,
    ) -> Parameter<W> {
        let Self { about, get, set } = self;
        Parameter {
            about,
            get: Box::new(move |whole| get(part(whole))),
            set: Box::new(move |whole, value| set(part_mut(whole), value)),
        }
    }

    /// Its value.
    pub fn get(&self, estimator: &E) -> Value {
        (self.get)(estimator)
    }

    /// Sets it; false where the value is of another kind.
    pub fn set(&self, estimator: &mut E, value: &Value) -> bool {
        (self.set)(estimator, value)
    }
}

/// Makes the setters of an estimator and the table of its parameters.
///
/// A line is: field, its type (`| into` where the setter takes whatever becomes it), the name in the table and its letter if
/// it has one, the values allowed, the meaning.
macro_rules! settings {
    ($estimator:ident<K>: $($field:ident: $type:ty $(| $into:ident)?, $name:literal $($letter:literal)?, $domain:literal, $meaning:literal;)*) => {
        impl<K> $estimator<K> {
            $(
                #[doc = concat!("Sets the ", $meaning, "; ", $domain, ".")]
                #[must_use]
                pub fn $field(mut self, $field: $crate::model::setting::settings!(@given $type $(| $into)?)) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*

            /// The parameters set by these, by name.
            pub(in crate::model) fn own_parameters() -> Vec<$crate::model::setting::Parameter<Self>>
            where
                K: 'static,
            {
                vec![$(
                    $crate::model::setting::Parameter::new(
                        ($name, $crate::model::setting::settings!(@letter $($letter)?), $domain, $meaning),
                        |e: &Self| &e.$field,
                        |e: &mut Self| &mut e.$field,
                    ),
                )*]
            }
        }
    };
    (@given $type:ty) => { $type };
    (@given $type:ty | into) => { impl Into<$type> };
    (@letter) => { None };
    (@letter $letter:literal) => { Some($letter) };
}
pub(super) use settings;

/// The setting `solver` of an estimator whose dual is solved by [`Smo`], and its tolerance.
macro_rules! solved_by_smo {
    ($($estimator:ident),+) => {$(
        impl<K> $estimator<K> {
            /// Sets how the dual is solved.
            #[must_use]
            pub fn solver(mut self, solver: $crate::solve::Smo) -> Self {
                self.solver = solver;
                self
            }

            /// Sets the largest violation of the optimality conditions accepted.
            #[must_use]
            pub fn tolerance(mut self, tolerance: f64) -> Self {
                self.solver.tolerance = tolerance;
                self
            }

            /// All parameters by name: its own and those of the solver.
            pub(in crate::model) fn parameters() -> Vec<$crate::model::setting::Parameter<Self>>
            where
                K: 'static,
            {
                let solver = $crate::model::setting::solver().into_iter();
                let solver = solver.map(|row| row.of_part(|e: &Self| &e.solver, |e: &mut Self| &mut e.solver));
                Self::own_parameters().into_iter().chain(solver).collect()
            }
        }
    )+};
}
pub(super) use solved_by_smo;

/// Bytes in a megabyte of `cache`.
const MEGABYTE: f64 = (1 << 20) as f64;

/// The parameters of the solver of quadratic programmes.
pub(super) fn solver() -> Vec<Parameter<Smo>> {
    let cache = Parameter::with(
        ("cache", None, "above 0", "megabytes for kernel rows"),
        Kind::Megabytes,
        |smo: &Smo| Value::Number(smo.cache_bytes as f64 / MEGABYTE),
        |smo, value| {
            let bytes = value.number().map(|megabytes| megabytes * MEGABYTE);
            let bytes = bytes.filter(|bytes| (1.0..usize::MAX as f64).contains(bytes));
            assign(&mut smo.cache_bytes, bytes.map(|bytes| bytes as usize))
        },
    );
    macro_rules! row {
        ($name:literal $($letter:literal)?, $domain:literal, $meaning:literal, $field:ident) => {
            Parameter::new(
                ($name, settings!(@letter $($letter)?), $domain, $meaning),
                |smo: &Smo| &smo.$field,
                |smo: &mut Smo| &mut smo.$field,
            )
        };
    }
    let rows = vec![
        row!("tolerance" 't', "above 0", "largest violation of the optimality conditions accepted", tolerance),
        row!(
            "working-set",
            "2 or more",
            "variables changed together; by the size of the problem where left open",
            working_set
        ),
        row!(
            "first-order",
            "a flag",
            "choice of the second variable of a step by the violation alone: with a working set of 2 Platt's algorithm",
            selection
        ),
        row!(
            "exact",
            "a flag",
            "end by the linear system of the free variables in double precision: right to rounding",
            exact
        ),
        row!("shrinking", "a flag", "setting aside of decided variables", shrinking),
        cache,
        row!(
            "time-limit",
            "seconds, 0 or more",
            "most time, after which the best model so far is taken",
            time_limit
        ),
        row!(
            "max-iterations",
            "a whole number",
            "most steps, after which the best model so far is taken; max(10^7, 100 rows) where left open",
            iteration_limit
        ),
    ];
    rows.into_iter().map(|row| row.in_group("Solver")).collect()
}
