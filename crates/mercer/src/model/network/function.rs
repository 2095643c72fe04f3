//! The fitted functions of a network, which classifiers and regressions have in common.

use rayon::prelude::*;

use super::units::Hidden;
use crate::model::prelude::*;
use crate::solve::network::Units;

/// Points evaluated together, which bounds the memory of a prediction.
const BATCH: usize = 64;

/// f(x) = Σⱼ vⱼ hⱼ(x) + b for each output.
#[derive(Debug, Clone, PartialEq)]
pub struct Network<X, K> {
    /// The centres c with the weights v, −b as the offset. Without [`widths`](Network::widths) f is this expansion.
    pub expansion: Expansion<X, K>,
    /// σ of each unit hⱼ(x) = exp(−d²(x, cⱼ)/2σⱼ²), d the distance of the kernel; none where hⱼ(x) = k(x, cⱼ).
    pub widths: Vec<f64>,
    /// Positions of the centres in the training data, from 0; none where the centres are means of points.
    pub support: Vec<usize>,
    /// λ
    pub lambda: f64,
    /// What the fits without a point miss it by, where that chose λ: the mean square, or of a logistic output the mean of −log p.
    pub left_out: Option<f64>,
    /// How well the equations of v hold: the largest ‖(A + λI)v − c‖/‖c‖, or of a logistic output the gradient in parts of that
    /// at v = 0.
    pub quality: Quality,
}

/// The entry `network` of a model file.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    lambda: f64,
    left_out: Option<f64>,
    residual: f64,
    iterations: Option<u64>,
    converged: bool,
}

impl<X: Points, K: Kernel<X>> Network<X, K> {
    /// f at each of `points`, one row per point, one column per output; in double precision throughout where `double`, and
    /// where units are Gaussians of distances always.
    ///
    /// # Errors
    /// If the points do not fit the functions.
    pub(super) fn rows(&self, points: &X, double: bool) -> Result<Dense<f64>> {
        let (centers, outputs) = (self.expansion.points(), self.expansion.offsets().len());
        if self.widths.is_empty() || centers.is_empty() {
            return self.expansion.rows(points, double);
        }
        centers.accepts(points)?;
        points.check_finite()?;
        let bound = self.expansion.bound()?;
        bound.admits(points)?;
        let units = Hidden::new(bound, points, &self.widths, |points| self.expansion.own_values(points))?;
        let m = units.units();
        let mut values = vec![0.0; points.len() * outputs];
        let flaw = values.par_chunks_mut(BATCH * outputs).enumerate().find_map_first(|(batch, out)| {
            let rows = batch * BATCH..batch * BATCH + out.len() / outputs;
            let mut hidden = vec![0.0; rows.len() * m];
            units.rows_f64(rows.clone(), &mut hidden);
            for (hidden, out) in hidden.chunks(m).zip(out.chunks_mut(outputs)) {
                out.iter_mut().zip(self.expansion.offsets()).for_each(|(out, b)| *out = -b);
                let weights = self.expansion.coefficients().first_block().chunks(outputs);
                for (h, weights) in hidden.iter().zip(weights) {
                    out.iter_mut().zip(weights).for_each(|(out, v)| *out += h * v);
                }
            }
            let place = out.iter().position(|value| !value.is_finite())?;
            Some(DataProblem::DecisionNotFinite { row: rows.start + place / outputs + 1 })
        });
        match flaw {
            None => Ok(Dense::new(outputs, values)),
            Some(problem) => Err(ErrorKind::Data(problem).into()),
        }
    }
}

impl<X: Points, K> Network<X, K> {
    /// What is known of it by name.
    pub(super) fn facts(&self) -> Facts {
        Facts::default()
            .with("units", self.expansion.points().len())
            .with("widths", self.widths.as_slice())
            .with("lambda", self.lambda)
            .with("left_out", self.left_out)
    }

    /// Its size and λ, in words.
    pub(super) fn words(&self) -> String {
        format!("{}, lambda = {}", count(self.expansion.points().len(), "unit"), short(self.lambda))
    }

    /// Refuses parts that do not fit together; gives the coefficients as a file holds them.
    pub(super) fn check(&self, outputs: usize) -> Result<Dense<f64>, Flaw> {
        parts::same_or_none("widths", self.widths.len(), self.expansion.points().len())?;
        if !self.widths.iter().all(|width| *width > 0.0 && width.is_finite()) {
            return Err("a width is not a positive finite number".into());
        }
        let usable = |value: f64| value.is_finite() && value >= 0.0;
        if !(usable(self.lambda)
            && self.quality.residual().is_some_and(usable)
            && self.left_out.is_none_or(usable))
        {
            return Err(
                "lambda, the residual and the error at points left out must be finite and not negative"
                    .into(),
            );
        }
        parts::check(&self.expansion, outputs, &self.support)
    }

    /// Writes the tensor `widths` and the entry `network`.
    pub(super) fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let Quality::Residual { residual, iterations, converged } = self.quality else {
            return Err("a network without a residual".into());
        };
        let (lambda, left_out) = (self.lambda, self.left_out);
        let entry = Entry { lambda, left_out, residual, iterations, converged };
        writer.entry("network", text::print(&entry)?);
        writer.list("widths", &self.widths);
        Ok(())
    }
}

/// Reads the functions of a network with so many outputs.
pub(super) fn read<X: Space>(reader: &mut Reader<'_>, outputs: usize) -> Result<Network<X, X::Kernel>, Flaw> {
    let Entry { lambda, left_out, residual, iterations, converged } =
        text::parse("network", &reader.entry("network")?)?;
    parts::no_certificates(reader)?;
    Ok(Network {
        expansion: parts::read_full(reader, "", outputs)?,
        widths: reader.list("widths")?,
        support: reader.counts("support")?,
        lambda,
        left_out,
        quality: Quality::Residual { residual, iterations, converged },
    })
}
