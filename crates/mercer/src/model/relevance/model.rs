//! A fitted relevance vector machine.

use std::f64::consts::PI;

use crate::model::prelude::*;
use crate::solve::relevance::{Relevant, sigmoid};

/// Functions over relevance vectors, with the uncertainty of their weights.
#[derive(Debug, Clone, PartialEq)]
pub struct RelevanceModel<X, K> {
    /// f: one output, or one for each class.
    pub expansion: Expansion<X, K>,
    /// Roots of the covariance of the weights: the squares of a function's outputs sum to the variance of f(x).
    pub spread: Expansion<X, K>,
    /// How many outputs of [`RelevanceModel::spread`] belong to each function; of two classes there is one function.
    pub sizes: Vec<usize>,
    /// Class names; none for numbers.
    pub classes: Vec<String>,
    /// The precision of the prior of each weight: function after function, of each that of the constant first, where it has one, then of
    /// its vectors. None in files of versions that did not keep them.
    pub precisions: Vec<f64>,
    /// The variance of the noise; 0 for classes.
    pub noise: f64,
    /// The log evidence of each function, or that of all together by a softmax.
    pub evidence: Vec<f64>,
    /// The largest derivative of a log evidence in the logarithm of a prior's precision, or of the noise's: the certificate.
    pub gradient: f64,
    /// Steps taken, of the function that took most.
    pub steps: u64,
    /// Whether no step is left that gains as much as the tolerance.
    pub converged: bool,
    /// Points that could become relevance vectors, and points of the data.
    pub candidates: [usize; 2],
    /// Positions of the relevance vectors in the training data, from 0.
    pub support: Vec<usize>,
}

impl<X: Points, K: Kernel<X> + Clone> RelevanceModel<X, K> {
    /// The model of climbs over the columns of `points`; `own` are the points that differ of so many `rows`.
    pub(super) fn new(
        kernel: &K,
        (own, rows): (&Weighted<X>, usize),
        points: &[Option<usize>],
        found: &[Relevant],
        classes: Vec<String>,
    ) -> Self {
        // A climb of several functions has candidates of each, one function after the other.
        let place = |candidate: usize| (points[candidate % points.len()], candidate / points.len());
        let relevant = found.iter().flat_map(|one| &one.posterior.columns).filter_map(|&c| place(c).0);
        let mut support: Vec<usize> = relevant.collect();
        support.sort_unstable();
        support.dedup();
        let joint = classes.len() > 2 && found.len() == 1;
        let functions = if joint { classes.len() } else { found.len() };
        let owner = |function: usize| &found[if joint { 0 } else { function }].posterior;
        let sizes: Vec<usize> = (0..functions).map(|function| owner(function).columns.len()).collect();
        let (outputs, roots) = (classes.len().max(1), sizes.iter().sum::<usize>());
        let (mut weights, mut spread) =
            (vec![0.0; support.len() * outputs], vec![0.0; support.len() * roots]);
        let (mut offsets, mut spread_offsets) = (vec![0.0; outputs], vec![0.0; roots]);
        let mut first = 0;
        for (function, &size) in sizes.iter().enumerate() {
            let own = owner(function);
            for (at, &candidate) in own.columns.iter().enumerate() {
                let (point, of) = place(candidate);
                if joint && of != function {
                    continue;
                }
                let root = &own.root[at * size..(at + 1) * size];
                // Of two classes one function is both outputs, with opposite signs.
                let signed: &[(usize, f64)] =
                    if classes.len() == 2 { &[(0, -1.0), (1, 1.0)] } else { &[(function, 1.0)] };
                match point.and_then(|point| support.binary_search(&point).ok()) {
                    Some(row) => {
                        signed.iter().for_each(|(o, sign)| weights[row * outputs + o] = sign * own.mean[at]);
                        spread[row * roots + first..][..size].copy_from_slice(root);
                    }
                    // An offset is subtracted.
                    None => {
                        signed.iter().for_each(|(o, sign)| offsets[*o] = -sign * own.mean[at]);
                        spread_offsets[first..][..size].iter_mut().zip(root).for_each(|(b, u)| *b = -u);
                    }
                }
            }
            first += size;
        }
        let vectors = own.points.select(&support);
        let count = support.len();
        let candidates = points.iter().flatten().count();
        Self {
            expansion: Expansion::new(
                kernel.clone(),
                vectors.clone(),
                Coefficients::full(count, outputs, weights),
                offsets,
            ),
            spread: Expansion::new(
                kernel.clone(),
                vectors,
                Coefficients::full(count, roots, spread),
                spread_offsets,
            ),
            sizes,
            precisions: found.iter().flat_map(|one| one.posterior.alpha.iter().copied()).collect(),
            noise: if classes.is_empty() { found[0].noise } else { 0.0 },
            classes,
            evidence: found.iter().map(|one| one.evidence).collect(),
            gradient: found.iter().map(|one| one.gradient).fold(0.0, f64::max),
            steps: found.iter().map(|one| one.steps).max().unwrap_or(0),
            converged: found.iter().all(|one| one.converged),
            // Copies are candidates with the point that stands for them.
            candidates: [if candidates == own.points.len() { rows } else { candidates }, rows],
            support: own.positions(support),
        }
    }
}

impl<X: Points, K: Kernel<X>> RelevanceModel<X, K> {
    /// What `of` makes of the outputs of [`RelevanceModel::spread`] that belong to each function, at each of `points`.
    fn spreads<T: Send>(&self, points: &X, of: impl Fn(&[&[f64]]) -> T + Sync) -> Result<Vec<T>> {
        self.spread.map_double(points, |outputs| {
            let mut rest = outputs;
            let own = |&size: &usize| {
                let (own, others) = rest.split_at(size);
                rest = others;
                own
            };
            of(&self.sizes.iter().map(own).collect::<Vec<_>>())
        })
    }

    /// The variance of each function at each of `points`, without that of the noise.
    fn variances(&self, points: &X) -> Result<Vec<Vec<f64>>> {
        let square = |own: &&[f64]| own.iter().map(|u| u * u).sum();
        self.spreads(points, |functions| functions.iter().map(square).collect())
    }

    /// The deviation of each output at each of `points`: of numbers that of the noise too.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn deviations(&self, points: &X) -> Result<Dense<f64>> {
        let outputs = self.expansion.offsets().len();
        let deviation = |variances: Vec<f64>| {
            (0..outputs).map(move |o| (self.noise + variances[o.min(variances.len() - 1)]).sqrt())
        };
        Ok(Dense::new(outputs, self.variances(points)?.into_iter().flat_map(deviation).collect()))
    }

    /// f at each of `points`, and its deviation.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predicted(&self, points: &X) -> Result<(Dense<f64>, Dense<f64>)> {
        Ok((self.expansion.rows(points, true)?, self.deviations(points)?))
    }

    /// What decides between the classes: f of each class divided by √(1 + πv/8), v its variance, the logarithm of the odds of that
    /// class, of which the uncertainty of the weights leaves less the larger it is; under a softmax f itself.
    fn judged(&self, points: &X) -> Result<Dense<f64>> {
        let (classes, values) = (self.classes.len(), self.expansion.rows(points, true)?);
        if self.is_joint() {
            return Ok(values);
        }
        let variances = self.variances(points)?;
        let rows = values.values().chunks(classes.max(1)).zip(&variances);
        let moderate = |(row, variances): (&[f64], &Vec<f64>)| {
            let variance = |c: usize| variances[c.min(variances.len() - 1)];
            row.iter().enumerate().map(|(c, f)| moderated(*f, variance(c))).collect::<Vec<_>>()
        };
        Ok(Dense::new(classes, rows.flat_map(moderate).collect()))
    }

    /// The logarithms of the odds of each class against the likeliest class a under a softmax: (f_c − f_a)/√(1 + πv/8) with v the
    /// variance of f_c − f_a, which nothing that all functions have in common changes.
    fn log_odds(&self, points: &X) -> Result<Dense<f64>> {
        let (classes, values) = (self.classes.len(), self.expansion.rows(points, true)?);
        let likeliest: Vec<usize> = values.values().chunks(classes).map(first_largest).collect();
        // The roots of all functions are of the same weights: those of a difference are differences of theirs.
        let differences = self.spreads(points, |functions| {
            let square = |a: usize, c: usize| {
                functions[a].iter().zip(functions[c]).map(|(a, c)| (a - c) * (a - c)).sum::<f64>()
            };
            (0..classes * classes).map(|at| square(at / classes, at % classes)).collect::<Vec<_>>()
        })?;
        let rows = values.values().chunks(classes).zip(likeliest).zip(&differences);
        let odds = |((row, a), squares): ((&[f64], usize), &Vec<f64>)| {
            let against = |(c, f): (usize, &f64)| moderated(f - row[a], squares[a * classes + c]);
            row.iter().enumerate().map(against).collect::<Vec<_>>()
        };
        Ok(Dense::new(classes, rows.flat_map(odds).collect()))
    }

    /// Whether all functions were fitted together, by a softmax.
    fn is_joint(&self) -> bool {
        self.sizes.len() > 1 && self.evidence.len() == 1
    }

    fn predict_as(&self, points: &X, _: How) -> Result<Vec<usize>> {
        let values = self.judged(points)?;
        Ok((0..values.len()).map(|i| first_largest(values.row(i))).collect())
    }
}
classifies!(RelevanceModel);

/// A logarithm of odds with a Gaussian uncertainty of that variance, as that of the mean probability (MacKay 1992).
fn moderated(log_odds: f64, variance: f64) -> f64 {
    log_odds / (1.0 + PI / 8.0 * variance).sqrt()
}

impl<X: Space> Model<X> for RelevanceModel<X, X::Kernel> {
    made_of!(expansion, support, classes);

    fn kind(&self) -> &'static str {
        if self.classes.is_empty() { "rvr" } else { "rvc" }
    }

    /// Weights of nearly collinear kernels are large and cancel.
    fn double(&self, _: How) -> bool {
        true
    }

    fn change(&mut self, change: &mut dyn FnMut(Expansion<X, X::Kernel>) -> Expansion<X, X::Kernel>) {
        self.expansion.change(change);
        let points = self.expansion.points().clone();
        self.spread = self.spread.clone().with_points(points);
    }

    fn quality(&self) -> Quality {
        let value = self.evidence.iter().sum();
        Quality::Reached { what: "log_evidence", value, iterations: self.steps, converged: self.converged }
    }

    fn facts(&self) -> Facts {
        let facts = Facts::default()
            .with("evidence", self.evidence.as_slice())
            .with("gradient", self.gradient)
            .with("relevance_vectors", self.support.len())
            .with("candidates", self.candidates[0])
            .with("of_points", self.candidates[1]);
        if self.classes.is_empty() { facts.with("noise", self.noise) } else { facts }
    }

    fn words(&self) -> String {
        let [candidates, points] = self.candidates;
        let vectors = count(self.support.len(), "relevance vector");
        let of = if candidates < points {
            format!("{candidates} candidates, drawn from {points} points")
        } else {
            count(points, "point")
        };
        let least = if self.classes.is_empty() { "that of the noise" } else { "nothing" };
        format!("{vectors} of {of}; far from them its deviation shrinks, to {least}")
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        if self.classes.is_empty() { ("", vec!["f".to_owned()]) } else { ("class", self.classes.clone()) }
    }

    fn decisions(&self, points: &X, _: How) -> Result<Dense<f64>> {
        if self.classes.is_empty() { self.expansion.rows(points, true) } else { self.judged(points) }
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        if self.classes.is_empty() {
            return Ok(Prediction::Values(self.expansion.rows(points, true)?));
        }
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, _: How) -> Result<Dense<f64>> {
        match self.classes.is_empty() {
            true => without("rvr", "scores of classes"),
            false => self.judged(points),
        }
    }

    /// σ(f/√(1 + πv/8)) with v the variance of f, of more than two classes as shares of their sum; or the softmax of the odds against the
    /// likeliest class.
    fn probabilities(&self, points: &X, _: How) -> Result<Dense<f64>> {
        let classes = self.classes.len();
        if classes == 0 {
            return without("rvr", "probabilities");
        }
        let values = if self.is_joint() { self.log_odds(points)? } else { self.judged(points)? };
        let mut all = Vec::with_capacity(classes * points.len());
        for i in 0..values.len() {
            let row = values.row(i);
            let odds = |&f: &f64| if self.is_joint() { f.exp() } else { sigmoid(f) };
            let own: Vec<f64> = row.iter().map(odds).collect();
            let sum: f64 = own.iter().sum();
            all.extend(own.iter().map(|p| if sum > 0.0 { p / sum } else { 1.0 / classes as f64 }));
        }
        Ok(Dense::new(classes, all))
    }

    fn calibrates(&self) -> Calibrates {
        if self.classes.is_empty() { Calibrates::Nothing } else { Calibrates::Own }
    }

    fn deviations(&self, points: &X) -> Result<Dense<f64>> {
        RelevanceModel::deviations(self, points)
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let outputs = match self.classes.len() {
            0 => 1,
            _ => parts::check_names(&self.classes, 2)?,
        };
        let functions = if outputs == 2 { 1 } else { outputs };
        parts::same("functions", self.sizes.len(), functions)?;
        if !self.is_joint() {
            parts::same("evidences", self.evidence.len(), functions)?;
        }
        let roots = self.sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
        let roots = roots.ok_or("more roots of covariances than can be counted")?;
        parts::check(&self.spread, roots, &[]).map_err(|flaw| format!("covariance: {flaw}"))?;
        let precisions = if self.is_joint() { self.sizes.first().copied().unwrap_or(0) } else { roots };
        parts::same_or_none("precisions", self.precisions.len(), precisions)?;
        if !self.precisions.iter().all(|alpha| *alpha > 0.0 && alpha.is_finite()) {
            return Err("a precision is not a positive finite number".into());
        }
        let numbers = [self.noise, self.gradient];
        if !numbers.iter().chain(&self.evidence).all(|number| number.is_finite()) || self.noise < 0.0 {
            return Err("the noise, the gradient or an evidence is not a finite number".into());
        }
        parts::check(&self.expansion, outputs, &self.support)
    }

    /// Tensors `spread` (a row for each vector, a column for each root), `spread_offsets`, `sizes`, `precisions` where they are known, `evidence`, `measures` (noise,
    /// gradient) and `counts` (steps, whether it converged, candidates, points).
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let roots = self.spread.offsets().len();
        writer.table("spread", &parts::check(&self.spread, roots, &[])?);
        writer.list("spread_offsets", self.spread.offsets());
        writer.counts("sizes", &self.sizes);
        if !self.precisions.is_empty() {
            writer.list("precisions", &self.precisions);
        }
        writer.list("evidence", &self.evidence);
        writer.list("measures", &[self.noise, self.gradient]);
        let [candidates, points] = self.candidates.map(|count| count as u64);
        writer.tensor("counts", &[4], [self.steps, u64::from(self.converged), candidates, points]);
        Ok(())
    }
}

pub(super) fn read<X: Space>(reader: &mut Reader<'_>) -> Result<RelevanceModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> =
        reader.optional("classes").map(|json| text::parse("classes", &json)).transpose()?.unwrap_or_default();
    parts::no_certificates(reader)?;
    let expansion: Expansion<X, X::Kernel> = parts::read_full(reader, "", classes.len().max(1))?;
    let (shape, spread) = reader.tensor::<f64>("spread", 2)?;
    let spread_offsets: Vec<f64> = reader.list("spread_offsets")?;
    let vectors = expansion.points().len();
    if shape != [vectors, spread_offsets.len()] {
        return Err("tensor 'spread' is not one row per relevance vector, one column per offset".into());
    }
    let [noise, gradient] = reader.list::<f64>("measures")?[..] else {
        return Err("tensor 'measures' must be two numbers".into());
    };
    let [steps, converged, candidates, points] = reader.list::<u64>("counts")?[..] else {
        return Err("tensor 'counts' must be four numbers".into());
    };
    let coefficients = Coefficients::full(vectors, spread_offsets.len(), spread);
    Ok(RelevanceModel {
        spread: Expansion::new(
            expansion.kernel().clone(),
            expansion.points().clone(),
            coefficients,
            spread_offsets,
        ),
        expansion,
        sizes: reader.counts("sizes")?,
        precisions: reader.list_or_none("precisions")?,
        classes,
        noise,
        evidence: reader.list("evidence")?,
        gradient,
        steps,
        converged: converged != 0,
        candidates: [candidates as usize, points as usize],
        support: reader.counts("support")?,
    })
}
