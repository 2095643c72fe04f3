//! The lines `probA`, `probB` and `prob_density_marks`.
//!
//! A classifier has both of the first, a and b of the sigmoid of each pair; a regression the first alone, which is σ; a
//! one-class machine the third.

use super::header::Kind;
use super::print::{list, number, unsupported};
use crate::error::Result;
use crate::model::lines::Fields;
use crate::model::probability::{Calibration, Density, Estimate, Noise, Probability, Sigmoid};

const A: &str = "probA";
const B: &str = "probB";
const MARKS: &str = "prob_density_marks";
const COUNT: usize = 10;

/// What the lines of a machine with `outputs` functions say; nothing where there are none.
pub(super) fn read(fields: &Fields<'_>, kind: &Kind, outputs: usize) -> Result<Option<Estimate>> {
    let own: &[&str] = match kind {
        Kind::Classifier { .. } => &[A, B],
        Kind::Regression => &[A],
        Kind::OneClass => &[MARKS],
    };
    for name in [A, B, MARKS] {
        if let (Ok(line), false) = (fields.line(name), own.contains(&name)) {
            return Err(line.error(format!("'{name}' in a model that does not have it")));
        }
    }
    if own.iter().all(|name| fields.line(name).is_err()) {
        return Ok(None);
    }
    let numbers = |name: &str, count: usize| fields.list(name, count, |word| word.number());
    Ok(Some(match kind {
        Kind::Classifier { .. } => {
            let (a, b) = (numbers(A, outputs)?, numbers(B, outputs)?);
            let pair = |(a, b)| Calibration::Sigmoid(Sigmoid { a, b });
            Estimate::Classes(Probability { pairs: a.into_iter().zip(b).map(pair).collect() })
        }
        Kind::Regression => {
            let word = fields.one(A)?;
            let sigma = word.number()?;
            if sigma < 0.0 {
                return Err(word.other(format!("{A} = {sigma}: must not be negative")));
            }
            Estimate::Noise(Noise { sigma })
        }
        Kind::OneClass => {
            let found = numbers(MARKS, COUNT)?;
            let falls = || fields.line(MARKS).map(|line| line.error(format!("'{MARKS}' must not fall")));
            match <[f64; COUNT]>::try_from(found) {
                Ok(marks) if marks.is_sorted() => Estimate::Density(Density { marks }),
                _ => return Err(falls()?),
            }
        }
    }))
}

/// Writes the lines, where LIBSVM has them.
pub(super) fn print(text: &mut String, estimate: &Estimate) -> Result<()> {
    match estimate {
        Estimate::Classes(probability) => {
            let sigmoid = |pair: &Calibration| match pair {
                Calibration::Sigmoid(sigmoid) => Ok(*sigmoid),
                Calibration::Isotonic(_) => {
                    Err(unsupported("isotonic probabilities in a LIBSVM model; it has Platt's sigmoids"))
                }
            };
            let sigmoids = probability.pairs.iter().map(sigmoid).collect::<Result<Vec<_>>>()?;
            list(text, A, sigmoids.iter().map(|sigmoid| sigmoid.a), number);
            list(text, B, sigmoids.iter().map(|sigmoid| sigmoid.b), number);
        }
        Estimate::Noise(noise) => list(text, A, [noise.sigma], number),
        Estimate::Density(density) => list(text, MARKS, density.marks, number),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::file::Saved;
    use crate::model::libsvm::{parse, print};
    use crate::model::probability::Isotonic;

    /// A model of one support vector a class, with lines before its vectors.
    fn text(kind: &str, classes: usize, lines: &str) -> String {
        let (outputs, total) = match kind {
            "c_svc" | "nu_svc" => (classes * (classes - 1) / 2, classes),
            _ => (1, 2),
        };
        let numbers = |count: usize| " 1".repeat(count);
        let of_classes = kind.ends_with("svc");
        let label = |k: usize| format!(" {}", k + 1);
        let labels = (0..classes).map(label).collect::<String>();
        let labels = if of_classes { format!("label{labels}\n") } else { String::new() };
        let sizes = if of_classes { format!("nr_sv{}\n", numbers(classes)) } else { String::new() };
        let vector = format!("{} 1:1 \n", numbers(if of_classes { classes - 1 } else { 1 }).trim());
        format!(
            "svm_type {kind}\nkernel_type linear\nnr_class {classes}\ntotal_sv {total}\nrho{}\n{labels}{lines}{sizes}SV\n{}",
            numbers(outputs),
            vector.repeat(total),
        )
    }

    fn read_back(text: &str) -> Saved {
        let saved = parse(text.as_bytes()).unwrap();
        assert_eq!(print(&saved).unwrap(), text);
        saved
    }

    #[test]
    fn lines_are_kept_and_written_where_libsvm_has_them() {
        let classes = text("c_svc", 3, "probA -1 0.30000000000000004 -2.5e-7\nprobB 0 1 2\n");
        let Some(Estimate::Classes(found)) = read_back(&classes).probability else { panic!("no sigmoids") };
        assert_eq!(found.pairs[1], Calibration::Sigmoid(Sigmoid { a: 0.1 + 0.2, b: 1.0 }));
        let of_nu = parse(classes.replace("c_svc", "nu_svc").as_bytes()).unwrap();
        assert_eq!(of_nu.probability, Some(Estimate::Classes(found)));

        let noise = read_back(&text("epsilon_svr", 2, "probA 0.25\n")).probability;
        assert_eq!(noise, Some(Estimate::Noise(Noise { sigma: 0.25 })));
        let marks = "prob_density_marks -5 -4 -3 -2 -1 1 1 3 4 5\n";
        let Some(Estimate::Density(density)) = read_back(&text("one_class", 2, marks)).probability else {
            panic!("no marks")
        };
        assert_eq!(density.marks[5..7], [1.0, 1.0]);
        assert_eq!(read_back(&text("c_svc", 2, "")).probability, None);
    }

    #[test]
    fn lines_that_do_not_fit_are_refused_where_they_stand() {
        let refusal = |kind: &str, classes: usize, lines: &str| {
            let error = parse(text(kind, classes, lines).as_bytes()).unwrap_err().to_string();
            error.replace("<memory>:", "")
        };
        let svc = |lines: &str| refusal("c_svc", 3, lines);
        assert_eq!(svc("probA 1 2\nprobB 1 2 3\n"), "7:10: 'probA' has 2 values where 3 are expected");
        assert_eq!(svc("probA 1 2 3\nprobB 1 2 3 4\n"), "8:14: 'probB' has 4 values where 3 are expected");
        assert_eq!(svc("probA 1 2 3\n"), "9:3: no line 'probB' before SV");
        assert_eq!(svc("probB 1 2 3\n"), "9:3: no line 'probA' before SV");
        assert_eq!(
            svc("probA 1 nan 3\nprobB 1 2 3\n"),
            "7:9: not finite: 'nan'; every value must be a finite number"
        );
        assert_eq!(svc("probA 1 2 x\nprobB 1 2 3\n"), "7:11: not a number: 'x'");
        let twice = svc("probA 1 2 3\nprobA 1 2 3\nprobB 1 2 3\n");
        assert_eq!(twice, "8:1: 'probA' for the second time");
        let other = svc("prob_density_marks 1 2 3\n");
        assert_eq!(other, "7:25: 'prob_density_marks' in a model that does not have it");
        assert_eq!(refusal("nu_svr", 2, "probB 1\n"), "6:8: 'probB' in a model that does not have it");
        assert_eq!(refusal("nu_svr", 2, "probA -1\n"), "6:7: probA = -1: must not be negative");
        assert_eq!(refusal("nu_svr", 2, "probA\n"), "6:6: 'probA' has no value");
        let marks = |list: &str| refusal("one_class", 2, &format!("prob_density_marks {list}\n"));
        assert_eq!(marks("1 2 3"), "6:25: 'prob_density_marks' has 3 values where 10 are expected");
        assert_eq!(marks("1 2 3 4 5 6 7 9 8 10"), "6:40: 'prob_density_marks' must not fall");
        assert_eq!(
            refusal("one_class", 2, "probA 1\nprobB 1\n"),
            "6:8: 'probA' in a model that does not have it"
        );
    }

    #[test]
    fn a_cut_model_is_refused_at_every_byte() {
        let whole = text("c_svc", 3, "probA 1 2 3\nprobB 1 2 3\n");
        assert!(parse(whole.as_bytes()).is_ok());
        for length in 0..whole.len() {
            assert!(parse(&whole.as_bytes()[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn what_libsvm_does_not_have_is_refused() {
        let plain = parse(text("c_svc", 2, "").as_bytes()).unwrap();
        let isotonic = Isotonic { thresholds: vec![0.0], values: vec![0.5] };
        let pairs = vec![Calibration::Isotonic(isotonic)];
        let with = |estimate| Saved { probability: Some(estimate), ..plain.clone() };
        let error = print(&with(Estimate::Classes(Probability { pairs }))).unwrap_err().to_string();
        assert!(error.contains("isotonic probabilities in a LIBSVM model"), "{error}");
        let error = print(&with(Estimate::Noise(Noise { sigma: 1.0 }))).unwrap_err().to_string();
        assert!(error.contains("a probability of kind 'noise' does not belong to 'svc'"), "{error}");
    }
}
