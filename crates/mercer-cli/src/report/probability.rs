//! What is said of learnt probabilities.

use mercer::model::probability::{Calibration, Estimate};
use serde_json::{Value, json};

use crate::output::{count, short};

pub(crate) fn words(estimate: &Estimate) -> String {
    match estimate {
        Estimate::Classes(probability) => match &probability.pairs[..] {
            [Calibration::Sigmoid(pair)] => {
                format!("sigmoid, 1/(1 + exp({} f + {}))", short(pair.a), short(pair.b))
            }
            pairs => {
                let knots = |pair: &Calibration| match pair {
                    Calibration::Sigmoid(_) => 0,
                    Calibration::Isotonic(isotonic) => isotonic.thresholds.len(),
                };
                let all = pairs.iter().map(knots).sum();
                let knots = if all > 0 { format!(" with {}", count(all, "knot")) } else { String::new() };
                format!("{}, {}{knots}", estimate.method(), count(pairs.len(), "pair"))
            }
        },
        Estimate::Noise(noise) => {
            format!("noise, e^(-|z|/sigma)/(2 sigma) with sigma = {}", short(noise.sigma))
        }
        Estimate::Density(density) => {
            let [first, .., last] = density.marks;
            format!("density, {} marks from {} to {}", density.marks.len(), short(first), short(last))
        }
    }
}

pub(crate) fn object(estimate: &Estimate) -> Value {
    let mut object = json!({ "method": estimate.method() });
    match estimate {
        Estimate::Classes(probability) => {
            let pair = |pair: &Calibration| match pair {
                Calibration::Sigmoid(sigmoid) => json!({ "a": sigmoid.a, "b": sigmoid.b }),
                Calibration::Isotonic(isotonic) => {
                    json!({ "thresholds": isotonic.thresholds, "values": isotonic.values })
                }
            };
            object["pairs"] = probability.pairs.iter().map(pair).collect();
        }
        Estimate::Noise(noise) => object["sigma"] = json!(noise.sigma),
        Estimate::Density(density) => object["marks"] = json!(density.marks),
    }
    object
}
