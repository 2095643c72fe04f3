//! The entries of the header that are JSON.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Training;
use super::container::Flaw;
use crate::solve::{Certificate, Stop};

pub(in crate::model) fn print(value: &impl Serialize) -> Result<String, Flaw> {
    serde_json::to_string(value).map_err(|error| error.to_string().into())
}

pub(in crate::model) fn parse<T: DeserializeOwned>(key: &str, json: &str) -> Result<T, Flaw> {
    serde_json::from_str(json).map_err(|error| format!("entry '{key}': {error}").into())
}

pub(in crate::model) fn certificates(certificates: &[Certificate]) -> Result<String, Flaw> {
    print(&certificates.iter().map(CertificateEntry::from).collect::<Vec<_>>())
}

pub(in crate::model) fn read_certificates(json: &str) -> Result<Vec<Certificate>, Flaw> {
    let entries: Vec<CertificateEntry> = parse("certificates", json)?;
    entries.into_iter().map(Certificate::try_from).collect()
}

pub(super) fn training(training: &Training) -> Result<String, Flaw> {
    print(&TrainingEntry {
        c: training.c.map(Number),
        nu: training.nu.map(Number),
        epsilon: training.epsilon.map(Number),
        class_weights: training.class_weights.iter().copied().map(Number).collect(),
        tolerance: Number(training.tolerance),
    })
}

pub(super) fn read_training(json: &str) -> Result<Training, Flaw> {
    let entry: TrainingEntry = parse("training", json)?;
    let class_weights = entry.class_weights.into_iter().map(|weight| weight.0).collect();
    let number = |number: Option<Number>| number.map(|number| number.0);
    Ok(Training {
        c: number(entry.c),
        nu: number(entry.nu),
        epsilon: number(entry.epsilon),
        class_weights,
        tolerance: entry.tolerance.0,
    })
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainingEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nu: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    epsilon: Option<Number>,
    class_weights: Vec<Number>,
    tolerance: Number,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CertificateEntry {
    objective: Number,
    gap: Option<Number>,
    violation: Number,
    iterations: u64,
    rows: Number,
    stop: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    exact: bool,
}

impl From<&Certificate> for CertificateEntry {
    fn from(certificate: &Certificate) -> Self {
        Self {
            objective: Number(certificate.objective),
            gap: certificate.gap.map(Number),
            violation: Number(certificate.violation),
            iterations: certificate.iterations,
            rows: Number(certificate.rows),
            stop: certificate.stop.name().to_owned(),
            exact: certificate.exact,
        }
    }
}

impl TryFrom<CertificateEntry> for Certificate {
    type Error = Flaw;

    fn try_from(entry: CertificateEntry) -> Result<Self, Flaw> {
        let stop = Stop::ALL.into_iter().find(|stop| stop.name() == entry.stop);
        Ok(Self {
            objective: entry.objective.0,
            gap: entry.gap.map(|gap| gap.0),
            violation: entry.violation.0,
            iterations: entry.iterations,
            rows: entry.rows.0,
            stop: stop.ok_or_else(|| format!("entry 'certificates': unknown reason '{}'", entry.stop))?,
            exact: entry.exact,
        })
    }
}

/// A number of which JSON may have no form: C of a hard margin is infinite, and so can a violation be.
struct Number(f64);

const NOT_FINITE: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&self.0.to_string())
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Finite(f64),
            Word(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Finite(value) => Ok(Self(value)),
            Form::Word(word) => NOT_FINITE
                .into_iter()
                .find(|value| value.to_string() == word)
                .map(Self)
                .ok_or_else(|| D::Error::custom(format!("not a number: '{word}'"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_keep_every_bit() {
        let certificate = Certificate {
            objective: -0.1 - 0.2,
            gap: Some(1e-300),
            violation: f64::INFINITY,
            iterations: u64::MAX,
            rows: 5e-324,
            stop: Stop::TimeLimit,
            exact: false,
        };
        let none = Certificate { gap: None, exact: true, stop: Stop::Interrupted, ..certificate };
        let both = [certificate, none];
        assert_eq!(read_certificates(&certificates(&both).unwrap()).unwrap(), both);
    }

    #[test]
    fn training_keeps_every_bit() {
        let hard = Training {
            c: Some(f64::INFINITY),
            nu: None,
            epsilon: None,
            class_weights: vec![1.0 / 3.0, 2.0],
            tolerance: 0.1 + 0.2,
        };
        let found = Training {
            c: None,
            nu: Some(0.1 + 0.2),
            epsilon: Some(5e-324),
            class_weights: vec![],
            ..hard.clone()
        };
        for made in [hard, found] {
            assert_eq!(read_training(&training(&made).unwrap()).unwrap(), made);
        }
    }

    #[test]
    fn training_of_a_classifier_is_written_as_it_always_was() {
        let json = r#"{"c":10.0,"class_weights":[],"tolerance":0.001}"#;
        let made =
            Training { c: Some(10.0), nu: None, epsilon: None, class_weights: vec![], tolerance: 1e-3 };
        assert_eq!(read_training(json).unwrap(), made);
        assert_eq!(training(&made).unwrap(), json);
    }

    #[test]
    fn numbers_are_read_to_the_last_bit() {
        // Without `serde_json`'s `float_roundtrip` some of these come back one bit off.
        let mut bits = 0x3ff0_0000_0000_0001_u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let back: Number = parse("x", &print(&Number(value)).unwrap()).unwrap();
                assert_eq!(back.0.to_bits(), value.to_bits());
            }
        }
    }

    #[test]
    fn an_unknown_reason_to_stop_is_refused() {
        let json = r#"[{"objective":0,"gap":null,"violation":0,"iterations":0,"rows":0,"stop":"bored"}]"#;
        assert_eq!(&*read_certificates(json).unwrap_err(), "entry 'certificates': unknown reason 'bored'");
    }
}
