//! Relevant dimensions of a spectrum: where the part that knows of the targets ends and noise begins.
//!
//! With $K = UΛUᵀ$, eigenvalues descending, the targets have the coefficients $sᵢ = uᵢᵀy$. Noise spreads evenly over all of them;
//! what the kernel can say of the targets lives in the leading ones (Braun, Buhmann and Müller 2008). The two-component model
//! takes sᵢ ~ N(0, σ₁²) up to the cut d and N(0, σ₂²) after it, σ₁ ≥ σ₂, and chooses the d of the greatest likelihood:
//!
//! $ℓ(d) = (d/n) log σ̂₁² + ((n−d)/n) log σ̂₂²$, least.
//!
//! Leave-one-out takes least squares on the d leading eigenvectors, $ŷ = U_d U_dᵀ y$, and chooses the d of the least
//! $(1/n) Σ ((yᵢ − ŷᵢ)/(1 − hᵢ))²$, $hᵢ = Σ_{k ≤ d} u²_{ki}$. Both cost O(n²) for all d together, after one decomposition.

use rayon::prelude::*;

use crate::linalg::Eigen;

/// Eigenvalues are right to so many times nε of the largest: a few in the smallest matrices, less in others.
const ROUNDING: f64 = 8.0;

/// What chooses the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// The likelihood of the two-component model.
    #[default]
    TwoComponents,
    /// Leave-one-out on the leading eigenvectors.
    LeaveOneOut,
}

/// A place where the spectrum can be cut, and what speaks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// d: eigenvectors before the cut.
    pub dimension: usize,
    /// ℓ(d), the mean over the targets.
    pub likelihood: f64,
    /// The mean squared error of leave-one-out, summed over the targets.
    pub leave_one_out: f64,
}

/// One target in the basis of the eigenvectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// sᵢ, one for each eigenvalue. Those of equal eigenvalues are arbitrary one by one; the sum of their squares is not.
    pub coefficients: Vec<f64>,
    /// d for this target alone.
    pub dimension: usize,
    /// σ̂₁² at the common cut: the mean square of the coefficients before it.
    pub relevant: f64,
    /// σ̂₂² at the common cut: the mean square of those after it, which is the variance of the noise.
    pub noise: f64,
    /// ŷ at the common cut.
    pub denoised: Vec<f64>,
}

/// What a spectrum says of some targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// λᵢ, descending.
    pub eigenvalues: Vec<f64>,
    /// The targets, one cut for all of them.
    pub targets: Vec<Target>,
    /// Every place where the spectrum can be cut: up to n/2, and not between eigenvalues that are equal to rounding.
    pub cuts: Vec<Cut>,
    /// The cut by the two-component model.
    pub by_likelihood: usize,
    /// The cut by leave-one-out.
    pub by_leave_one_out: usize,
    /// What has chosen.
    pub criterion: Criterion,
    /// ℓ(0): one variance for all coefficients. A cut that says nothing of the targets has the same.
    pub without_cut: f64,
}

impl Relevance {
    /// d by the criterion that has chosen.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self.criterion {
            Criterion::TwoComponents => self.by_likelihood,
            Criterion::LeaveOneOut => self.by_leave_one_out,
        }
    }

    /// The criterion at its cut: what kernels are compared by, the less the better.
    #[must_use]
    pub fn score(&self) -> f64 {
        let scores = self.cuts.iter().map(|cut| cut.score(self.criterion));
        scores.fold(f64::INFINITY, f64::min)
    }

    /// Whether the cut is the last there can be, so that the relevant part may go on beyond it.
    #[must_use]
    pub fn at_the_end(&self) -> bool {
        self.cuts.last().is_some_and(|cut| cut.dimension == self.dimension())
    }
}

impl Cut {
    /// What `criterion` minimises.
    #[must_use]
    pub fn score(&self, criterion: Criterion) -> f64 {
        match criterion {
            Criterion::TwoComponents => self.likelihood,
            Criterion::LeaveOneOut => self.leave_one_out,
        }
    }
}

/// A Gram matrix decomposed, and the weights of its points: the matrix is that of √wᵢ k(xᵢ, xⱼ) √wⱼ, whose spectrum is
/// that of wᵢ copies of each point but for zeros.
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

    /// Cuts the spectrum for `targets`, each of which has a number for every point. None if it cannot be cut.
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

    /// Where the spectrum can be cut. Eigenvectors of eigenvalues that rounding does not tell apart are any basis of their
    /// space, so a cut among them would be chance; those of no positive eigenvalue are not in the feature space. The
    /// last few coefficients could fake a very small σ₂, hence n/2.
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

    /// sᵢ of each target. Each is one sum of one thread.
    fn coefficients(&self, scaled: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |i: usize| -> Vec<f64> {
            let vector = self.vector(i);
            scaled.iter().map(|y| product(&vector, y).iter().sum()).collect()
        };
        let rows: Vec<Vec<f64>> = (0..self.len()).into_par_iter().map(of).collect();
        (0..scaled.len()).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
    }

    /// ŷ of the `dimension` leading eigenvectors.
    fn leading(&self, coefficients: &[f64], dimension: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        for (i, s) in coefficients.iter().enumerate().take(dimension) {
            values.iter_mut().zip(self.vector(i)).for_each(|(value, u)| *value += u * s);
        }
        values.iter().zip(&self.roots).map(|(value, root)| value / root).collect()
    }

    /// The errors of leave-one-out of each target at each cut.
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
        // A point with h = 1 has an eigenvector to itself: without it there is nothing there, and 0 is left of ŷ. The
        // quotient of two differences is right to ε/(1 − h).
        let error = |i: usize| {
            let rest = 1.0 - hat[i];
            if rest > f64::EPSILON.sqrt() { (y[i] - values[i]) / rest } else { y[i] }
        };
        let mean_square = |f: &dyn Fn(usize) -> f64| {
            (0..y.len()).map(|i| (self.roots[i] * f(i)).powi(2)).sum::<f64>() / self.total
        };
        // Below rounding of ŷ all errors are the same.
        let rounding = self.len() as f64 * f64::EPSILON;
        mean_square(&error).max(rounding.powi(2) * mean_square(&|i| y[i]))
    }
}

/// The two-component model of one target.
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
        // From behind: what is left of a target that the leading vectors fit exactly is a sum of small squares, not a
        // difference of large ones.
        let mut after = vec![0.0; coefficients.len() + 1];
        for i in (0..coefficients.len()).rev() {
            after[i] = after[i + 1] + coefficients[i].powi(2);
        }
        let square = after[0];
        // Rounding leaves ε√n ‖y‖ in each coefficient; below that all variances are the same.
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
            // Where σ̂₁ < σ̂₂ the greatest likelihood under σ₁ ≥ σ₂ has both the same.
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

/// The first of `dimensions` with the least score.
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
