//! Relevant dimension estimation: how many leading eigenvectors of a Gram matrix carry information on the targets.
//!
//! With $K = UΛUᵀ$, eigenvalues descending, the targets have the coefficients $sᵢ = uᵢᵀy$. Noise is spread evenly over all
//! coefficients; the part of the targets that the kernel can represent is in the leading ones (Braun, Buhmann and Müller
//! 2008). The two-component model takes sᵢ ~ N(0, σ₁²) up to the cut d and N(0, σ₂²) after it, σ₁ ≥ σ₂, and chooses the d
//! of the greatest likelihood, which minimises
//!
//! $ℓ(d) = (d/n) log σ̂₁² + ((n−d)/n) log σ̂₂²$.
//!
//! Leave-one-out takes least squares on the d leading eigenvectors, $ŷ = U_d U_dᵀ y$, and chooses the d that minimises
//! $(1/n) Σ ((yᵢ − ŷᵢ)/(1 − hᵢ))²$, $hᵢ = Σ_{k ≤ d} u²_{ki}$. Both cost O(n²) for all d together, after one decomposition.

use rayon::prelude::*;

use crate::linalg::Eigen;

/// The error of an eigenvalue, in units of nε times the largest eigenvalue: a few in the smallest matrices, less in larger
/// ones.
const ROUNDING: f64 = 8.0;

/// The criterion by which the cut is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// The likelihood of the two-component model.
    #[default]
    TwoComponents,
    /// Leave-one-out on the leading eigenvectors.
    LeaveOneOut,
}

/// A cut of the spectrum and its two criteria.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// d, the number of eigenvectors before the cut.
    pub dimension: usize,
    /// ℓ(d), the mean over the targets.
    pub likelihood: f64,
    /// The mean squared error of leave-one-out, summed over the targets.
    pub leave_one_out: f64,
}

/// One target in the basis of the eigenvectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// sᵢ, one for each eigenvalue. For equal eigenvalues the single coefficients are arbitrary; the sum of their squares is
    /// not.
    pub coefficients: Vec<f64>,
    /// d for this target alone.
    pub dimension: usize,
    /// σ̂₁² at the common cut: the mean square of the coefficients before it.
    pub relevant: f64,
    /// σ̂₂² at the common cut: the mean square of the coefficients after it, which estimates the variance of the noise.
    pub noise: f64,
    /// ŷ at the common cut: the targets without the noise.
    pub denoised: Vec<f64>,
}

/// The relevant dimension of a spectrum for some targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// λᵢ, descending.
    pub eigenvalues: Vec<f64>,
    /// The targets, with one common cut.
    pub targets: Vec<Target>,
    /// All possible cuts: up to n/2, and not between eigenvalues that are equal up to rounding.
    pub cuts: Vec<Cut>,
    /// The cut by the two-component model.
    pub by_likelihood: usize,
    /// The cut by leave-one-out.
    pub by_leave_one_out: usize,
    /// The criterion by which the cut was chosen.
    pub criterion: Criterion,
    /// ℓ(0): one variance for all coefficients. A cut that carries no information on the targets has this value too.
    pub without_cut: f64,
}

impl Relevance {
    /// d by the chosen criterion.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self.criterion {
            Criterion::TwoComponents => self.by_likelihood,
            Criterion::LeaveOneOut => self.by_leave_one_out,
        }
    }

    /// The value of the chosen criterion at its cut, by which kernels are compared: the smaller the better.
    #[must_use]
    pub fn score(&self) -> f64 {
        let scores = self.cuts.iter().map(|cut| cut.score(self.criterion));
        scores.fold(f64::INFINITY, f64::min)
    }

    /// Whether the cut is the last possible one, so that there may be relevant dimensions beyond it.
    #[must_use]
    pub fn at_the_end(&self) -> bool {
        self.cuts.last().is_some_and(|cut| cut.dimension == self.dimension())
    }
}

impl Cut {
    /// The value of `criterion` at this cut.
    #[must_use]
    pub fn score(&self, criterion: Criterion) -> f64 {
        match criterion {
            Criterion::TwoComponents => self.likelihood,
            Criterion::LeaveOneOut => self.leave_one_out,
        }
    }
}

/// The eigenvectors of the matrix √wᵢ k(xᵢ, xⱼ) √wⱼ, and the weights w of its points. But for zeros, the spectrum is that
/// of the Gram matrix of wᵢ copies of each point.
pub(crate) struct Spectrum<'a> {
    eigen: &'a Eigen,
    /// √wᵢ
    roots: Vec<f64>,
    /// Σ wᵢ
    total: f64,
}

impl<'a> Spectrum<'a> {
    pub(crate) fn new(eigen: &'a Eigen, weights: &[f64]) -> Self {
        let roots = weights.iter().map(|w| w.sqrt()).collect();
        Self { eigen, roots, total: weights.iter().sum() }
    }

    fn len(&self) -> usize {
        self.roots.len()
    }

    /// The i-th eigenvector, by descending eigenvalues.
    fn vector(&self, i: usize) -> Vec<f64> {
        self.eigen.vector(self.len() - 1 - i)
    }

    /// Cuts the spectrum for `targets`, each of which has a number for every point. `None` if there is no possible cut.
    pub(crate) fn relevance(&self, targets: &[Vec<f64>], criterion: Criterion) -> Option<Relevance> {
        let eigenvalues: Vec<f64> = self.eigen.values.iter().rev().copied().collect();
        let dimensions = self.dimensions(&eigenvalues);
        let scaled: Vec<Vec<f64>> = targets.iter().map(|y| product(y, &self.roots)).collect();
        let coefficients = self.coefficients(&scaled);
        let parts: Vec<Components> =
            coefficients.iter().map(|s| Components::new(s, self.total, &dimensions)).collect();
        let errors = self.leave_one_out(targets, &coefficients, &dimensions);
        let cut = |at: usize| Cut {
            dimension: dimensions[at],
            likelihood: mean(parts.iter().map(|part| part.likelihood[at])),
            leave_one_out: errors.iter().map(|errors| errors[at]).sum(),
        };
        let cuts: Vec<Cut> = (0..dimensions.len()).map(cut).collect();
        let by_likelihood = best(&dimensions, |at| cuts[at].likelihood)?;
        let by_leave_one_out = best(&dimensions, |at| cuts[at].leave_one_out)?;
        let without_cut = mean(parts.iter().map(|part| part.without_cut));
        let at = match criterion {
            Criterion::TwoComponents => by_likelihood,
            Criterion::LeaveOneOut => by_leave_one_out,
        };
        let mut targets = Vec::with_capacity(coefficients.len());
        for ((coefficients, part), errors) in coefficients.into_iter().zip(&parts).zip(&errors) {
            let dimension = match criterion {
                Criterion::TwoComponents => best(&dimensions, |at| part.likelihood[at])?,
                Criterion::LeaveOneOut => best(&dimensions, |at| errors[at])?,
            };
            let (relevant, noise) = part.variances(at);
            let denoised = self.leading(&coefficients, at);
            targets.push(Target { coefficients, dimension, relevant, noise, denoised });
        }
        Some(Relevance {
            eigenvalues,
            targets,
            cuts,
            by_likelihood,
            by_leave_one_out,
            criterion,
            without_cut,
        })
    }

    /// The possible cuts. There is none between eigenvalues that are equal up to rounding, whose eigenvectors are an
    /// arbitrary basis, and none after an eigenvalue that is not positive, whose eigenvector is not in the feature space.
    /// Cuts end at n/2, because a few coefficients at the end could have a very small σ₂ by chance.
    fn dimensions(&self, eigenvalues: &[f64]) -> Vec<usize> {
        let n = self.len();
        let largest = eigenvalues.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let rounding = ROUNDING * n as f64 * f64::EPSILON * largest;
        let after = |d: usize| eigenvalues.get(d).map_or(0.0, |value| value.max(0.0));
        (1..=n)
            .take_while(|&d| d as f64 <= self.total / 2.0)
            .filter(|&d| eigenvalues[d - 1] > rounding && eigenvalues[d - 1] - after(d) > rounding)
            .collect()
    }

    /// The coefficients sᵢ of each target. Each is one sum, computed by one thread.
    fn coefficients(&self, scaled: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |i: usize| -> Vec<f64> {
            let vector = self.vector(i);
            scaled.iter().map(|y| product(&vector, y).iter().sum()).collect()
        };
        let rows: Vec<Vec<f64>> = (0..self.len()).into_par_iter().map(of).collect();
        (0..scaled.len()).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
    }

    /// ŷ by the `dimension` leading eigenvectors.
    fn leading(&self, coefficients: &[f64], dimension: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        for (i, s) in coefficients.iter().enumerate().take(dimension) {
            values.iter_mut().zip(self.vector(i)).for_each(|(value, u)| *value += u * s);
        }
        values.iter().zip(&self.roots).map(|(value, root)| value / root).collect()
    }

    /// The leave-one-out error of each target at each cut.
    fn leave_one_out(
        &self,
        targets: &[Vec<f64>],
        coefficients: &[Vec<f64>],
        dimensions: &[usize],
    ) -> Vec<Vec<f64>> {
        let n = self.len();
        let mut hat = vec![0.0; n];
        let mut values = vec![vec![0.0; n]; targets.len()];
        let mut errors = vec![Vec::with_capacity(dimensions.len()); targets.len()];
        let mut next = dimensions.iter().peekable();
        for i in 0..dimensions.last().copied().unwrap_or(0) {
            let vector: Vec<f64> = self.vector(i).iter().zip(&self.roots).map(|(u, root)| u / root).collect();
            hat.iter_mut().zip(&vector).for_each(|(hat, u)| *hat += u * u);
            for (values, s) in values.iter_mut().zip(coefficients) {
                values.iter_mut().zip(&vector).for_each(|(value, u)| *value += u * s[i]);
            }
            if next.next_if_eq(&&(i + 1)).is_some() {
                for ((errors, y), values) in errors.iter_mut().zip(targets).zip(&values) {
                    errors.push(self.left_out(y, values, &hat));
                }
            }
        }
        errors
    }

    /// The mean square of (yᵢ − ŷᵢ)/(1 − hᵢ).
    fn left_out(&self, y: &[f64], values: &[f64], hat: &[f64]) -> f64 {
        // A point with h = 1 has an eigenvector to itself: a fit without the point predicts 0 there. The error of the
        // quotient below is ε/(1 − h).
        let error = |i: usize| {
            let rest = 1.0 - hat[i];
            if rest > f64::EPSILON.sqrt() { (y[i] - values[i]) / rest } else { y[i] }
        };
        let mean_square = |f: &dyn Fn(usize) -> f64| {
            (0..y.len()).map(|i| (self.roots[i] * f(i)).powi(2)).sum::<f64>() / self.total
        };
        // Errors below the rounding error of ŷ are not told apart.
        let rounding = self.len() as f64 * f64::EPSILON;
        mean_square(&error).max(rounding.powi(2) * mean_square(&|i| y[i]))
    }
}

/// The two-component model of one target, at all cuts.
struct Components {
    /// ℓ at each cut.
    likelihood: Vec<f64>,
    /// σ̂₁² and σ̂₂² at each cut, by its dimension.
    variances: Vec<(usize, f64, f64)>,
    /// ℓ(0)
    without_cut: f64,
}

impl Components {
    fn new(coefficients: &[f64], total: f64, dimensions: &[usize]) -> Self {
        // Summed from the end: if the leading vectors fit a target exactly, the rest is a sum of small squares, not a
        // difference of large numbers.
        let mut after = vec![0.0; coefficients.len() + 1];
        for i in (0..coefficients.len()).rev() {
            after[i] = after[i + 1] + coefficients[i].powi(2);
        }
        let square = after[0];
        // The rounding error of a coefficient is ε√n ‖y‖; smaller variances are not told apart.
        let least = (coefficients.len() as f64 * f64::EPSILON.powi(2) * square).max(f64::MIN_POSITIVE);
        let without_cut = (square / total).max(least).ln();
        let mut before = 0.0;
        let mut counted = 0;
        let (mut likelihood, mut variances) = (Vec::new(), Vec::new());
        for &dimension in dimensions {
            before += coefficients[counted..dimension].iter().map(|s| s * s).sum::<f64>();
            counted = dimension;
            let d = dimension as f64;
            let (relevant, noise) = (before / d, after[dimension] / (total - d));
            let share = d / total;
            // If σ̂₁ < σ̂₂, the greatest likelihood subject to σ₁ ≥ σ₂ is at σ₁ = σ₂.
            likelihood.push(if relevant >= noise {
                share * relevant.max(least).ln() + (1.0 - share) * noise.max(least).ln()
            } else {
                without_cut
            });
            variances.push((dimension, relevant, noise));
        }
        Self { likelihood, variances, without_cut }
    }

    /// σ̂₁² and σ̂₂² at a cut.
    fn variances(&self, dimension: usize) -> (f64, f64) {
        let found = self.variances.iter().find(|variances| variances.0 == dimension);
        found.map_or((f64::NAN, f64::NAN), |&(_, relevant, noise)| (relevant, noise))
    }
}

/// The first of `dimensions` with the smallest score.
fn best(dimensions: &[usize], score: impl Fn(usize) -> f64) -> Option<usize> {
    (0..dimensions.len()).min_by(|&a, &b| score(a).total_cmp(&score(b))).map(|at| dimensions[at])
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
#[path = "rde_tests.rs"]
mod tests;
