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

    /// Yes or no, where the value is that.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
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
    /// A number, or several of which the best is taken, or a word where the domain says so: `auto`.
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
pub trait Setting: Sized {
    /// What it can be given as.
    const KIND: Kind;
    /// The value.
    fn value(&self) -> Value;
    /// What a value stands for; nothing where it is of another kind.
    fn of(value: &Value) -> Option<Self>;
    /// Takes a value; false where it is of another kind.
    fn assign(&mut self, value: &Value) -> bool {
        Self::of(value).map(|found| *self = found).is_some()
    }
}

/// Makes types [`Setting`]s. A line is: type, what it can be given as, its value, what a value stands for.
macro_rules! settable {
    ($($type:ty: $kind:ident, $value:expr, $of:expr;)+) => {$(
        impl $crate::model::setting::Setting for $type {
            const KIND: $crate::model::setting::Kind = $crate::model::setting::Kind::$kind;
            fn value(&self) -> $crate::model::setting::Value {
                let value: fn(&Self) -> $crate::model::setting::Value = $value;
                value(self)
            }
            fn of(value: &$crate::model::setting::Value) -> Option<Self> {
                let of: fn(&$crate::model::setting::Value) -> Option<Self> = $of;
                of(value)
            }
        }
    )+};
}
pub(super) use settable;

settable! {
    f64: Number, |number| Value::Number(*number), Value::number;
    bool: Flag, |flag| Value::Flag(*flag), Value::flag;
    u64: Whole, |count| Value::Whole(*count), Value::whole;
    usize: Whole, |count| Value::Whole(*count as u64), |value| Self::try_from(value.whole()?).ok();
    Duration: Seconds, |time| Value::Number(time.as_secs_f64()), |value| Self::try_from_secs_f64(value.number()?).ok();
    Vec<(String, f64)>: Weights, |weights| Value::Weights(weights.clone()), |value| match value {
        Value::Weights(weights) => Some(weights.clone()),
        _ => None,
    };
    Selection: Flag, |selection| Value::Flag(*selection == Self::FirstOrder), |value| {
        value.flag().map(|first| if first { Self::FirstOrder } else { Self::SecondOrder })
    };
}

impl<T: Setting> Setting for Option<T> {
    const KIND: Kind = T::KIND;
    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Absent, T::value)
    }
    fn of(value: &Value) -> Option<Self> {
        if *value == Value::Absent { Some(None) } else { T::of(value).map(Some) }
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
            fn of(value: &$crate::model::setting::Value) -> Option<Self> {
                let $crate::model::setting::Value::Word(word) = value else { return None };
                match word.as_str() {
                    $($word => Some($variant),)+
                    _ => None,
                }
            }
        }
    };
}
pub(super) use words;

/// Reads a parameter of an estimator.
type Get<E> = dyn Fn(&E) -> Value + Send + Sync;
/// Sets a parameter of an estimator; false where the value is of another kind.
type Set<E> = dyn Fn(&mut E, &Value) -> bool + Send + Sync;

/// A parameter of an estimator: its name, what it means, and how it is read and set.
pub struct Parameter<E> {
    /// What is told of it.
    pub about: About,
    get: Box<Get<E>>,
    set: Box<Set<E>>,
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

    /// A parameter that is a number in one of several cases, and absent in the others.
    pub(super) fn of_case(
        about: (&'static str, Option<char>, &'static str, &'static str),
        get: fn(&E) -> Option<f64>,
        set: fn(&mut E, f64),
    ) -> Self {
        let assign = move |e: &mut E, value: &Value| match value.number() {
            Some(number) => {
                set(e, number);
                true
            }
            None => *value == Value::Absent && get(e).is_none(),
        };
        Self::with(about, Kind::Number, move |e| get(e).value(), assign)
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

/// Parameters that are fields. A line is: field, the name in the table and its letter if it has one, the values allowed,
/// the meaning.
macro_rules! rows {
    ($estimator:ty: $($($field:ident).+, $name:literal $($letter:literal)?, $domain:literal, $meaning:literal;)*) => {
        vec![$(
            $crate::model::setting::Parameter::new(
                ($name, $crate::model::setting::rows!(@letter $($letter)?), $domain, $meaning),
                |e: &$estimator| &e.$($field).+,
                |e: &mut $estimator| &mut e.$($field).+,
            ),
        )*]
    };
    (@letter) => { None };
    (@letter $letter:literal) => { Some($letter) };
}
pub(super) use rows;

/// Makes the setters of an estimator, the table of its parameters, and `fit`.
///
/// A line is: field, its type (`| into` where the setter takes whatever becomes it), the name in the table and its letter if
/// it has one, the values allowed, the meaning. The last line says what the estimator is fitted to, and the model.
macro_rules! settings {
    ($estimator:ident<K>: $($field:ident: $type:ty $(| $into:ident)?, $name:literal $($letter:literal)?, $domain:literal, $meaning:literal;)*
    $($(#[$doc:meta])+ fit($($target:ty)?) -> $model:ident;)?) => {
        impl<K> $estimator<K> {
            $(
                #[doc = concat!("Sets the ", $meaning, "; ", $domain, ".")]
                #[must_use]
                pub fn $field(mut self, $field: $crate::model::setting::settings!(@given $type $(| $into)?)) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*

            $(
                $(#[$doc])+
                ///
                /// # Errors
                /// If a parameter, the points or what is known of them cannot be used.
                pub fn fit<X: $crate::data::Points>(&self, x: &X $(, y: &$target)?) -> $crate::Result<$model<X, K>>
                where
                    K: $crate::kernel::Kernel<X> + Clone,
                {
                    let y = $crate::model::setting::settings!(@target y $($target)?);
                    $crate::memory::within_memory(|| {
                        $crate::model::Estimator::fit_in(self, x, y, &mut $crate::model::Job::new())
                    })
                }
            )?

            /// The parameters set by these, by name.
            pub(in crate::model) fn own_parameters() -> Vec<$crate::model::setting::Parameter<Self>>
            where
                K: 'static,
            {
                $crate::model::setting::rows! { Self: $($field, $name $($letter)?, $domain, $meaning;)* }
            }
        }
    };
    (@given $type:ty) => { $type };
    (@given $type:ty | into) => { impl Into<$type> };
    (@target $y:ident) => { &() };
    (@target $y:ident $target:ty) => { $y };
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
            bytes.map(|bytes| smo.cache_bytes = bytes as usize).is_some()
        },
    );
    let mut rows = rows! { Smo:
        tolerance, "tolerance" 't', "above 0", "largest violation of the optimality conditions accepted";
        working_set, "working-set", "2 or more", "variables changed together; by the size of the problem where left open";
        selection, "first-order", "a flag", "choice of the second variable of a step by the violation alone: with a working set of 2 Platt's algorithm";
        exact, "exact", "a flag", "end by the linear system of the free variables in double precision: right to rounding";
        shrinking, "shrinking", "a flag", "setting aside of decided variables";
        time_limit, "time-limit", "seconds, 0 or more", "most time, after which the best model so far is taken";
        iteration_limit, "max-iterations", "a whole number", "most steps, after which the best model so far is taken; max(10^7, 100 rows) where left open";
    };
    rows.insert(5, cache);
    rows.into_iter().map(|row| row.in_group("Solver")).collect()
}
