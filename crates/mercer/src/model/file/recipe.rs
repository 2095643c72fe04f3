//! How a model was fitted: what somebody needs who has the training data and wants to see whether the model is what it says.

use serde_json::{Map, Value as Json};

use super::container::Flaw;
use crate::model::facts::{Fact, Facts};
use crate::model::setting::Value;
use crate::model::space::AnyEstimator;

/// Parameters that say how long or with how much memory a fit may go on, and change nothing of what is asked.
const MEANS: [&str; 4] = ["cache", "time-limit", "working-set", "initial"];

/// The method, its parameters, and how much there was to fit to.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The name of the method.
    pub method: String,
    /// The parameters of the method by name, without those that are left open and those that say how long a fit may take.
    pub parameters: Vec<(String, Value)>,
    /// Rows of the training data.
    pub rows: usize,
    /// The sum of their weights.
    pub weight: f64,
    /// C of each pair of classes, where the fit found it for a ν; else none.
    pub prices: Vec<f64>,
}

impl Recipe {
    /// The settings of an estimator whose fit to so many rows, with these weights (none for 1), found `found`.
    #[must_use]
    pub fn of(estimator: &AnyEstimator, found: &Facts, rows: usize, weights: &[f64]) -> Self {
        let card = estimator.card();
        let known = card.parameters.iter().map(|about| about.name).filter(|name| !MEANS.contains(name));
        let given = known.filter_map(|name| Some((name.to_owned(), estimator.get(name)?)));
        let mut parameters: Vec<(String, Value)> =
            given.filter(|(_, value)| *value != Value::Absent).collect();
        parameters.sort_by(|a, b| a.0.cmp(&b.0));
        let prices = match found.get("c") {
            Some(Fact::Numbers(prices)) => prices.clone(),
            _ => Vec::new(),
        };
        let weight = if weights.is_empty() { rows as f64 } else { weights.iter().sum() };
        Self { method: card.name.to_owned(), parameters, rows, weight, prices }
    }

    /// A parameter by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// The number of that name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(Value::number)
    }

    /// Whether the flag of that name is set.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::flag)
    }

    /// The word of that name.
    #[must_use]
    pub fn word(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub(super) fn print(&self) -> String {
        let mut object = Map::new();
        object.insert("method".into(), self.method.as_str().into());
        let parameters = self.parameters.iter().map(|(name, value)| (name.clone(), json(value)));
        object.insert("parameters".into(), Json::Object(parameters.collect()));
        object.insert("rows".into(), self.rows.into());
        object.insert("weight".into(), number(self.weight));
        if !self.prices.is_empty() {
            object.insert("prices".into(), self.prices.iter().copied().map(number).collect());
        }
        Json::Object(object).to_string()
    }

    pub(super) fn parse(text: &str) -> Result<Self, Flaw> {
        let wrong = |what: &str| -> Flaw { format!("entry 'recipe': {what}").into() };
        let whole: Json = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
        let Json::Object(mut object) = whole else { return Err(wrong("not an object")) };
        let (Some(Json::String(method)), Some(Json::Object(parameters))) =
            (object.remove("method"), object.remove("parameters"))
        else {
            return Err(wrong("no method, or no parameters"));
        };
        let read = |(name, json): (String, Json)| match value(&json) {
            Some(value) => Ok((name, value)),
            None => Err(wrong(&format!("parameter '{name}' is no value"))),
        };
        let rows = object.remove("rows").and_then(|rows| rows.as_u64());
        let rows =
            rows.and_then(|rows| usize::try_from(rows).ok()).ok_or_else(|| wrong("no number of rows"))?;
        let weight = object.remove("weight").as_ref().and_then(told).ok_or_else(|| wrong("no weight"))?;
        let prices = match object.remove("prices") {
            None => Vec::new(),
            Some(Json::Array(list)) => {
                list.iter().map(told).collect::<Option<_>>().ok_or_else(|| wrong("a price is no number"))?
            }
            Some(_) => return Err(wrong("prices are no list")),
        };
        if let Some(name) = object.keys().next() {
            return Err(wrong(&format!("unknown part '{name}'")));
        }
        let parameters = parameters.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { method, parameters, rows, weight, prices })
    }
}

/// A number; one that is not finite as its name.
fn number(number: f64) -> Json {
    if number.is_finite() { number.into() } else { number.to_string().into() }
}

/// The number that a value of JSON tells.
fn told(json: &Json) -> Option<f64> {
    match json {
        Json::String(word) if ["inf", "-inf", "NaN"].contains(&word.as_str()) => word.parse().ok(),
        other => other.as_f64(),
    }
}

fn json(value: &Value) -> Json {
    match value {
        Value::Absent => Json::Null,
        Value::Flag(flag) => (*flag).into(),
        Value::Whole(count) => (*count).into(),
        Value::Number(own) => number(*own),
        Value::Numbers(numbers) => numbers.iter().copied().map(number).collect(),
        Value::Word(word) => word.as_str().into(),
        Value::Weights(weights) => weights
            .iter()
            .map(|(class, weight)| Json::from(vec![class.as_str().into(), number(*weight)]))
            .collect(),
    }
}

fn value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => Value::Absent,
        Json::Bool(flag) => Value::Flag(*flag),
        Json::Number(own) => {
            own.as_u64().map_or_else(|| told(json).map(Value::Number), |own| Some(Value::Whole(own)))?
        }
        Json::String(word) => told(json).map_or_else(|| Value::Word(word.clone()), Value::Number),
        Json::Array(list) if list.iter().any(Json::is_array) => {
            let pair = |pair: &Json| match pair.as_array()?.as_slice() {
                [Json::String(class), weight] => Some((class.clone(), told(weight)?)),
                _ => None,
            };
            Value::Weights(list.iter().map(pair).collect::<Option<_>>()?)
        }
        Json::Array(list) if list.is_empty() => Value::Weights(Vec::new()),
        Json::Array(list) => Value::Numbers(list.iter().map(told).collect::<Option<_>>()?),
        Json::Object(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let recipe = Recipe {
            method: "svc".into(),
            parameters: vec![
                ("c".into(), Value::Number(f64::INFINITY)),
                ("multiclass".into(), Value::Word("ovo".into())),
                ("seed".into(), Value::Whole(u64::MAX)),
                ("squared".into(), Value::Flag(false)),
                ("weight".into(), Value::Weights(vec![("a, b".into(), 0.1 + 0.2)])),
            ],
            rows: 7,
            weight: 7.5,
            prices: vec![f64::INFINITY, 1.0 / 3.0],
        };
        assert_eq!(Recipe::parse(&recipe.print()).unwrap(), recipe);
    }

    #[test]
    fn what_is_no_recipe_is_refused() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"method":"svc","parameters":{},"rows":-1,"weight":1}"#,
            r#"{"method":"svc","parameters":{"c":{}},"rows":1,"weight":1}"#,
            r#"{"method":"svc","parameters":{},"rows":1,"weight":1,"more":0}"#,
            r#"{"method":"svc","parameters":{},"rows":1,"weight":1,"prices":["x"]}"#,
        ] {
            assert!(Recipe::parse(text).is_err(), "{text}");
        }
    }
}
