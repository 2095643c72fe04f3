//! The parameters of a kernel: name, value, domain and spelling, each stated once.
//!
//! A kernel shows its parameters as [`Field`]s that borrow its values. Its text, the parsing of that text, the check of
//! the values, the parameters that a search may move and the lists of kernels all come from them.

use std::fmt;
use std::ops::RangeInclusive;

use super::call::Call;
use super::listed::ListedParameter;
use super::parameter::Slot;
use super::text::Number;
use crate::error::{Result, check};

/// The largest index of a feature, from 1: that of a data file.
pub(crate) const MAX_INDEX: usize = i32::MAX as usize;

/// A parameter of a kernel in its place.
pub(crate) struct Field<'a> {
    pub(super) name: &'static str,
    /// Its letter in the formula.
    symbol: &'static str,
    pub(super) value: Value<'a>,
    alternative: Option<Alternative>,
    /// Where it may not be left out, a remark for the error that says so.
    required: Option<&'static str>,
    /// Whether a text leaves it out where it has its first choice.
    quiet: bool,
}

/// The value of a parameter and its domain.
pub(crate) enum Value<'a> {
    /// A positive number, searched on a log scale.
    Scale(&'a mut f64),
    /// A positive number up to 1, searched on a log scale.
    Share(&'a mut f64),
    /// A finite number, searched from this one upwards.
    Shift(&'a mut f64, f64),
    /// A whole number in a range, and the rule that says which.
    Whole(&'a mut u32, RangeInclusive<u32>, &'static str),
    /// A positive number; none is found from data.
    OpenScale(&'a mut Option<f64>),
    /// A whole number in a range, and the rule that says which; none is found from data.
    OpenWhole(&'a mut Option<u32>, RangeInclusive<u32>, &'static str),
    /// The index of a feature, from 1.
    Index(&'a mut usize),
    /// One of several values with a name: the names, which of them is chosen, and how another is.
    Choice { names: Vec<&'static str>, chosen: usize, choose: Box<dyn FnMut(usize) + 'a> },
}

/// The text of a parameter that is found from data.
const AUTO: &str = "auto";

/// A parameter that may be given in place of another.
#[derive(Clone, Copy)]
struct Alternative {
    name: &'static str,
    /// The value of the other parameter, as a formula and as a function of this one.
    formula: &'static str,
    convert: fn(f64) -> f64,
}

impl<'a> Field<'a> {
    fn new(name: &'static str, symbol: &'static str, value: Value<'a>) -> Self {
        Self { name, symbol, value, alternative: None, required: None, quiet: false }
    }

    /// A positive number, searched on a log scale.
    pub(crate) fn scale(name: &'static str, symbol: &'static str, value: &'a mut f64) -> Self {
        Self::new(name, symbol, Value::Scale(value))
    }

    /// A positive number up to 1, searched on a log scale.
    pub(crate) fn share(name: &'static str, symbol: &'static str, value: &'a mut f64) -> Self {
        Self::new(name, symbol, Value::Share(value))
    }

    /// A finite number, searched from `least` upwards.
    pub(crate) fn shift(name: &'static str, symbol: &'static str, value: &'a mut f64, least: f64) -> Self {
        Self::new(name, symbol, Value::Shift(value, least))
    }

    /// A whole number in `range`; `rule` says that it must be.
    pub(crate) fn whole(
        name: &'static str,
        symbol: &'static str,
        value: &'a mut u32,
        range: RangeInclusive<u32>,
        rule: &'static str,
    ) -> Self {
        Self::new(name, symbol, Value::Whole(value, range, rule))
    }

    /// A positive number, searched on a log scale, or none, which is found from data.
    pub(crate) fn open_scale(name: &'static str, symbol: &'static str, value: &'a mut Option<f64>) -> Self {
        Self::new(name, symbol, Value::OpenScale(value))
    }

    /// A whole number in `range`, or none, which is found from data; `rule` says that it must be one of the two.
    pub(crate) fn open_whole(
        name: &'static str,
        symbol: &'static str,
        value: &'a mut Option<u32>,
        range: RangeInclusive<u32>,
        rule: &'static str,
    ) -> Self {
        Self::new(name, symbol, Value::OpenWhole(value, range, rule))
    }

    /// The index of a feature, from 1.
    pub(crate) fn index(name: &'static str, symbol: &'static str, value: &'a mut usize) -> Self {
        Self::new(name, symbol, Value::Index(value))
    }

    /// One of `choices`, told apart by `same`.
    pub(crate) fn choice<T: Copy>(
        name: &'static str,
        symbol: &'static str,
        value: &'a mut T,
        choices: &'static [(&'static str, T)],
        same: fn(&T, &T) -> bool,
    ) -> Self {
        let chosen = choices.iter().position(|(_, choice)| same(choice, value)).unwrap_or(0);
        let names = choices.iter().map(|(name, _)| *name).collect();
        let choose = Box::new(move |choice: usize| *value = choices[choice].1);
        Self::new(name, symbol, Value::Choice { names, chosen, choose })
    }

    /// A second parameter that may be given in place of this one, whose value it makes by `formula`.
    pub(crate) fn or(mut self, name: &'static str, formula: &'static str, convert: fn(f64) -> f64) -> Self {
        self.alternative = Some(Alternative { name, formula, convert });
        self
    }

    /// The parameter may not be left out; the error that says so ends with `remark`. It may be given without its name.
    pub(crate) fn required(mut self, remark: &'static str) -> Self {
        self.required = Some(remark);
        self
    }

    /// A choice that the text of a kernel leaves out where it is the first one, which is the default.
    pub(crate) fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// Whether the text of a kernel may leave it out whatever the other parameters are.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether the text of a kernel leaves it out.
    pub(super) fn is_left_out(&self) -> bool {
        self.quiet && matches!(self.value, Value::Choice { chosen: 0, .. })
    }

    /// Checks the value.
    ///
    /// # Errors
    /// A value outside the domain.
    pub(super) fn check(&self) -> Result<()> {
        let scale = |value: f64| {
            check(self.name, value, value > 0.0 && value.is_finite(), "must be positive and finite")
        };
        match &self.value {
            Value::Scale(value) => scale(**value),
            Value::OpenScale(value) => value.map_or(Ok(()), scale),
            Value::OpenWhole(value, range, rule) => {
                value.map_or(Ok(()), |value| check(self.name, f64::from(value), range.contains(&value), rule))
            }
            Value::Share(value) => {
                check(self.name, **value, **value > 0.0 && **value <= 1.0, "must lie in (0, 1]")
            }
            Value::Shift(value, _) => check(self.name, **value, value.is_finite(), "must be finite"),
            Value::Whole(value, range, rule) => {
                check(self.name, f64::from(**value), range.contains(value), rule)
            }
            Value::Index(value) => {
                let rule = "features count from 1 to 2147483647";
                check(self.name, **value as f64, (1..=MAX_INDEX).contains(value), rule)
            }
            Value::Choice { .. } => Ok(()),
        }
    }

    /// Takes the value that a call gives, if any.
    pub(super) fn read(&mut self, call: &Call<'_>, bare: Option<&str>) -> Result<()> {
        let given = call.argument(self.name, bare);
        if let Some((alternative, argument)) =
            self.alternative.and_then(|a| call.argument(a.name, None).map(|argument| (a, argument)))
        {
            let Alternative { name, formula, convert } = alternative;
            if given.is_some() {
                let both = format!("{} takes {} or {name}, not both", call.name, self.name);
                return Err(call.fail(call.at, both));
            }
            let value = call.real(argument)?;
            let converted = convert(value);
            if !(value > 0.0 && converted > 0.0 && converted.is_finite()) {
                let rule =
                    format!("{name} = {}: must be positive and finite, and {formula} too", argument.value);
                return Err(call.fail(argument.at, rule));
            }
            if let Value::Scale(value) | Value::Share(value) | Value::Shift(value, _) = &mut self.value {
                **value = converted;
            }
            return Ok(());
        }
        match (&mut self.value, given) {
            (Value::Choice { names, .. }, None) if self.required.is_some() => {
                let remark = self.required.unwrap_or_default();
                let needs = format!("{} needs {}={}{remark}", call.name, self.name, names.join(", "));
                return Err(call.fail(call.at, needs));
            }
            (_, None) => {}
            (Value::OpenScale(value), Some(argument)) => {
                **value = if argument.value == AUTO { None } else { Some(call.real(argument)?) };
            }
            (Value::OpenWhole(value, ..), Some(argument)) => {
                **value = if argument.value == AUTO { None } else { Some(call.whole(self.name, bare, 0)?) };
            }
            (Value::Scale(value) | Value::Share(value) | Value::Shift(value, _), Some(argument)) => {
                **value = call.real(argument)?
            }
            (Value::Whole(value, ..), Some(_)) => **value = call.whole(self.name, bare, 0)?,
            (Value::Index(value), Some(_)) => **value = call.whole(self.name, bare, 0)?,
            (Value::Choice { names, chosen, choose }, Some(argument)) => {
                let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
                *chosen = match numbers {
                    Some(numbers) => {
                        let value = call.real(argument)?;
                        let rule =
                            || call.fail(argument.at, format!("{} must be {}", self.name, one_of(names)));
                        numbers.iter().position(|number| *number == value).ok_or_else(rule)?
                    }
                    None => {
                        let places: Vec<(&str, usize)> = names.iter().copied().zip(0..).collect();
                        call.choice(argument, self.name, &places)?
                    }
                };
                choose(*chosen);
            }
        }
        Ok(())
    }

    /// What values it may have, in words, with its letter in the formula; empty where all finite numbers will do.
    fn domain(&self) -> String {
        let Self { name, symbol, .. } = self;
        match &self.value {
            Value::Scale(_) => format!("{symbol} > 0"),
            Value::OpenScale(_) => format!("{symbol} > 0 or {AUTO}"),
            Value::OpenWhole(_, range, _) => {
                format!("{symbol} from {} to {} or {AUTO}", range.start(), range.end())
            }
            Value::Share(_) => format!("{symbol} in (0, 1]"),
            Value::Shift(..) => String::new(),
            Value::Whole(_, range, _) => format!("{symbol} from {} to {}", range.start(), range.end()),
            Value::Index(_) => format!("{symbol} from 1"),
            Value::Choice { names, .. } => {
                format!("{} is {}", if symbol.is_empty() { name } else { symbol }, one_of(names))
            }
        }
    }

    /// Its name in a text, and that of the parameter that may be given in its place.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [Some(self.name), self.alternative.map(|other| other.name)].into_iter().flatten()
    }

    /// Whether it may not be left out.
    pub(super) fn is_required(&self) -> bool {
        self.required.is_some()
    }

    /// Shows the value to a search, where a search may move it.
    pub(super) fn visit(self, visit: &mut dyn FnMut(Slot<'_>)) {
        match self.value {
            Value::Scale(value) => visit(Slot::scale(self.name, value)),
            Value::Share(value) => visit(Slot::share(self.name, value)),
            Value::Shift(value, least) => visit(Slot::shift(self.name, value, least)),
            Value::OpenScale(Some(value)) => visit(Slot::scale(self.name, value)),
            Value::OpenScale(None)
            | Value::OpenWhole(..)
            | Value::Whole(..)
            | Value::Index(_)
            | Value::Choice { .. } => {}
        }
    }

    /// The parameter as a list of kernels shows it, its value as the default.
    pub(super) fn listed(&self) -> ListedParameter {
        ListedParameter {
            name: self.name,
            default: self.required.is_none().then(|| self.value.to_string()),
            domain: self.domain(),
            alternative: self.alternative.map(|alternative| (alternative.name, alternative.formula)),
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale(value) | Self::Share(value) | Self::Shift(value, _) => Number(**value).fmt(f),
            Self::Whole(value, ..) => write!(f, "{value}"),
            Self::OpenScale(Some(value)) => Number(*value).fmt(f),
            Self::OpenWhole(Some(value), ..) => write!(f, "{value}"),
            Self::OpenScale(None) | Self::OpenWhole(None, ..) => f.write_str(AUTO),
            Self::Index(value) => write!(f, "{value}"),
            Self::Choice { names, chosen, .. } => f.write_str(names[*chosen]),
        }
    }
}

/// `a, b or c`
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        _ => names.join(""),
    }
}
