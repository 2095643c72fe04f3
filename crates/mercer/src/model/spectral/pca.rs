//! Kernel principal component analysis: the directions of largest variance in feature space.
//!
//! With φ̃ the feature map about the mean of the data and K̃ᵢⱼ = ⟨φ̃(xᵢ), φ̃(xⱼ)⟩ (equations 26 to 28 of lecture 001), a
//! direction of the covariance C = (1/N) Σ φ̃(xᵢ)φ̃(xᵢ)ᵀ with variance λ/N is V = Σ αᵢ φ̃(xᵢ), where K̃α = λα and
//! λ(α·α) = 1 (Schölkopf, Smola and Müller 1998; equations 23 and 24, which write Nλ for our λ). The component of a new point
//! is
//!
//! ⟨V, φ̃(x)⟩ = Σ αᵢ k̃(xᵢ, x) = Σ αᵢ k(xᵢ, x) − Σ αᵢ mᵢ, with mᵢ = (1/N) Σⱼ k(xᵢ, xⱼ):
//!
//! what a new point's own centring would add is multiplied by Σ αᵢ, and that is 0. So a component is an expansion as of any
//! other machine, and Σ αᵢ mᵢ its offset.
//!
//! A point of weight w counts as w copies of it. Then K̃ is replaced by W^½K̃W^½ with the weighted mean, whose eigenvalues are
//! those of the K̃ of the copies, and α is the sum over the copies.
//!
//! Cost: n² kernel values, in one n×n matrix; for few components about a dozen products of it with 32 vectors, for many
//! (an eighth of n or more) or small n a dense decomposition of O(n³) on one thread and twice as much memory again.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::linear;
//! use mercer::model::Pca;
//!
//! // With the linear kernel it is PCA: these points lie on a line through (1, 2) along (3, 4)/5.
//! let x = Vectors::dense(2, vec![1.0, 2.0, 4.0, 6.0, -2.0, -2.0]);
//! let model = Pca::new(linear()).fit(&x)?;
//! assert_eq!(model.eigenvalues.len(), 1);
//! assert!((model.eigenvalues[0] - 50.0).abs() < 1e-12);
//! let along = model.transform(&Vectors::dense(2, vec![7.0, 10.0]))?.values()[0];
//! assert!((along.abs() - 10.0).abs() < 1e-12);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::values;
use crate::gram::Gram;
use crate::linalg::{Deflated, Eigen, Largest, Square};
use crate::model::prelude::*;
use crate::simd::huge_zeros;

/// Components of the table's method where nothing is said.
const COMPONENTS: usize = 10;

/// Kernel PCA and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Pca<K> {
    /// k
    pub kernel: K,
    /// How many components, of those there are; none for all.
    pub components: Option<usize>,
}

/// Fitted components.
#[derive(Debug, Clone, PartialEq)]
pub struct PcaModel<X, K> {
    /// An output for each component: Σ αᵢ k(xᵢ, x) − Σ αᵢ mᵢ.
    pub expansion: Expansion<X, K>,
    /// λ, eigenvalues of K̃, descending: N times the variance along each component.
    pub eigenvalues: Vec<f64>,
    /// The trace of K̃, N times the variance in all directions.
    pub total: f64,
    /// The weight of each point of the expansion.
    pub weights: Vec<f64>,
    /// mᵢ, the mean of k(xᵢ, ·) over the training points: ⟨φ(xᵢ), mean φ⟩.
    pub row_means: Vec<f64>,
    /// How good the components are: the largest ‖K̃v − λv‖ over unit v, divided by the largest λ.
    pub residual: f64,
    /// Positions of the points in the training data, from 0.
    pub support: Vec<usize>,
}

settings! { Pca<K>:
    components: Option<usize> | into, "components", "1 or more", "number of components; fewer where the data have a smaller rank, all there are where left open";
    /// Finds the components of `x`. It is refused where the matrix does not fit into memory, or all points are the same to
    /// the kernel.
    fit() -> PcaModel;
}

impl<K> Pca<K> {
    /// All components there are.
    pub fn new(kernel: K) -> Self {
        Self { kernel, components: None }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Pca<K> {
    type Target = ();
    type Model = PcaModel<X, K>;

    fn check(&self) -> Result<()> {
        match self.components {
            Some(count) => check("components", count as f64, count > 0, "must be at least 1"),
            None => Ok(()),
        }
    }

    fn fit_in(&self, x: &X, (): &(), job: &mut Job<'_, X>) -> Result<PcaModel<X, K>> {
        Estimator::<X>::check(self)?;
        let own = Weighted::new(x, job.weights)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let gram = own.gram(&kernel, job)?;
        let n = gram.len();
        // One at most is lost to the mean.
        let wanted = self.components.unwrap_or(n).min(n.saturating_sub(1)).max(1);
        let few = Largest::pays(n, wanted);
        let beside = if few { Largest::bytes(n, wanted) } else { 16 * (n as u64).pow(2) };
        let instead = "take fewer points, or fewer components";
        room("the Gram matrix", 8 * (n as u64).pow(2) + beside, job.memory, instead)?;

        let values = (n * n) as f64;
        // A dozen products with 32 vectors; a value costs as much again as its features, for the exponential.
        let solving = if few { 12.0 * 32.0 * values } else { 9.0 * values * n as f64 };
        let kernel_values = values / 2.0 * (60.0 + 2.0 * own.points.width() as f64);
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &[("kernel values", kernel_values), ("components", solving)]);
        let square = values::square(&*gram, &mut plan.stage(0));
        let mut square = square.map_err(|error| own.error(error))?;
        let centred = Centred::new(&mut square, &own.weights, &*gram);
        let found = centred.largest(square, wanted, few, &mut plan.stage(1))?;
        centred.model(kernel.clone(), own.points.clone(), found, own.all_positions())
    }
}

/// What centring takes: means of rows, and the matrix W^½KW^½ that they were taken from.
struct Centred<'a> {
    weights: &'a [f64],
    /// √wᵢ/√N, which is what the projection to the centre leaves nothing of.
    unit: Vec<f64>,
    row_means: Vec<f64>,
    /// The mean of the row means, ‖mean φ‖².
    mean: f64,
    /// Σ wᵢkᵢᵢ
    trace: f64,
}

impl<'a> Centred<'a> {
    /// Takes the means of the rows of K, then makes it W^½KW^½ in place.
    fn new(square: &mut Square, weights: &'a [f64], gram: &dyn Gram) -> Self {
        let total: f64 = weights.iter().sum();
        let row_means: Vec<f64> = square.product(weights).iter().map(|sum| sum / total).collect();
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        square.scale(&roots);
        let pairs = || weights.iter().zip(&row_means);
        Self {
            weights,
            unit: roots.iter().map(|root| root / total.sqrt()).collect(),
            mean: pairs().map(|(w, m)| w * m).sum::<f64>() / total,
            trace: weights.iter().zip(gram.diagonal()).map(|(w, k)| w * k).sum(),
            row_means,
        }
    }

    /// The largest eigenvalues of the centred matrix.
    fn largest(
        &self,
        mut square: Square,
        wanted: usize,
        few: bool,
        tick: &mut dyn FnMut(f64) -> std::ops::ControlFlow<()>,
    ) -> Result<Largest> {
        if few {
            let operator = Deflated { matrix: &square, unit: Some(&self.unit) };
            if let Some(found) = Largest::of(operator, wanted, tick)? {
                return Ok(found);
            }
        }
        let roots: Vec<f64> = self.weights.iter().map(|w| w.sqrt()).collect();
        let means = &self.row_means;
        // The sum of two means is the same whichever comes first: the matrix stays symmetric to the bit.
        square.map(|i, j, k| k + roots[i] * roots[j] * (self.mean - (means[i] + means[j])));
        let eigen = Eigen::of(&square).ok_or(ErrorKind::Data(DataProblem::NoVariance))?;
        if tick(1.0).is_break() {
            return Err(ErrorKind::Interrupted.into());
        }
        Ok(Largest::of_all(&square, &eigen, wanted))
    }

    /// The components that are more than rounding.
    fn model<X: Points, K: Kernel<X>>(
        self,
        kernel: K,
        points: X,
        found: Largest,
        support: Vec<usize>,
    ) -> Result<PcaModel<X, K>> {
        let n = self.weights.len();
        // K̃ is right to eps·‖K‖ only, and an eigenvalue of n numbers to n·eps of the largest.
        let least = f64::EPSILON * (n as f64 * found.values[0]).max(self.trace.abs());
        let count = found.values.iter().take_while(|&&value| value > least).count();
        if count == 0 {
            return Err(ErrorKind::Data(DataProblem::NoVariance).into());
        }
        let mut values = huge_zeros(n * count);
        for (c, (vector, value)) in found.vectors.iter().zip(&found.values).take(count).enumerate() {
            // Rounding mixes vectors of small eigenvalues with that of the mean, whose eigenvalue is 0; but Σα must be 0.
            let along: f64 = vector.iter().zip(&self.unit).map(|(v, u)| v * u).sum();
            let length = (1.0 - along * along).sqrt() * value.sqrt();
            for i in 0..n {
                values[i * count + c] = (vector[i] - along * self.unit[i]) * self.weights[i].sqrt() / length;
            }
        }
        let mut offsets = vec![0.0; count];
        for (row, mean) in values.chunks(count).zip(&self.row_means) {
            offsets.iter_mut().zip(row).for_each(|(offset, alpha)| *offset += alpha * mean);
        }
        let coefficients = Coefficients::full(n, count, values);
        Ok(PcaModel {
            expansion: Expansion::new(kernel, points, coefficients, offsets),
            eigenvalues: found.values[..count].to_vec(),
            total: self.trace - self.weights.iter().sum::<f64>() * self.mean,
            weights: self.weights.to_vec(),
            row_means: self.row_means,
            residual: found.residual,
            support,
        })
    }
}

impl<X: Points, K: Kernel<X>> PcaModel<X, K> {
    /// The components of each of `points`, a row for each point, in double precision.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn transform(&self, points: &X) -> Result<Dense<f64>> {
        self.expansion.rows(points, true)
    }
}

impl<X, K> PcaModel<X, K> {
    /// How many components there are.
    #[must_use]
    pub fn components(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The share of the variance that each component explains. They sum to 1 over all components of a kernel that is
    /// positive semi-definite.
    #[must_use]
    pub fn explained(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|value| value / self.total).collect()
    }

    /// α, a row for each point, a column for each component.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        self.expansion.coefficients().first_block()
    }

    /// The components of the points that the model is made of, a row for each: λα/w, without a kernel value.
    #[must_use]
    pub fn scores(&self) -> Dense<f64> {
        let rows = self.coefficients().chunks(self.components()).zip(&self.weights);
        let score = |(row, w): (&[f64], &f64)| {
            row.iter().zip(&self.eigenvalues).map(|(alpha, value)| alpha * value / w).collect::<Vec<_>>()
        };
        Dense::new(self.components(), rows.flat_map(score).collect())
    }
}

impl<X: Clone, K: Clone> PcaModel<X, K> {
    /// The model with its first components only.
    ///
    /// # Errors
    /// If there are not so many, or none is asked for.
    pub fn first(&self, count: usize) -> Result<Self> {
        let holds = count > 0 && count <= self.components();
        check("components", count as f64, holds, "must be at least 1 and no more than the model has")?;
        let rows = self.coefficients().chunks(self.components());
        let values = rows.flat_map(|row| row[..count].to_vec()).collect();
        Ok(Self {
            expansion: Expansion::new(
                self.expansion.kernel().clone(),
                self.expansion.points().clone(),
                Coefficients::full(self.weights.len(), count, values),
                self.expansion.offsets()[..count].to_vec(),
            ),
            eigenvalues: self.eigenvalues[..count].to_vec(),
            ..self.clone()
        })
    }
}

impl<X: Space> Model<X> for PcaModel<X, X::Kernel> {
    made_of!("kpca" double: expansion, support);

    fn quality(&self) -> Quality {
        Quality::direct(self.residual)
    }

    fn facts(&self) -> Facts {
        let facts = Facts::default()
            .with("components", self.components())
            .with("eigenvalues", self.eigenvalues.as_slice())
            .with("explained", self.explained())
            .with("total", self.total);
        let weighted = self.weights.iter().any(|weight| *weight != 1.0);
        if weighted { facts.with("point_weights", self.weights.as_slice()) } else { facts }
    }

    fn words(&self) -> String {
        count(self.components(), "component")
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("component", (1..=self.components()).map(|k| k.to_string()).collect())
    }

    fn predict(&self, _: &X, _: How) -> Result<Prediction> {
        without("kpca", "predictions (use mercer transform or mercer denoise)")
    }

    fn components(&self, points: &X) -> Result<Dense<f64>> {
        self.transform(points)
    }

    fn own_components(&self) -> Option<Dense<f64>> {
        Some(self.scores())
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let points = self.expansion.points().len();
        parts::same("weights of points", self.weights.len(), points)?;
        parts::same("means of kernel values", self.row_means.len(), points)?;
        let positive = |values: &[f64]| values.iter().all(|value| *value > 0.0 && value.is_finite());
        if self.eigenvalues.is_empty() || !positive(&self.eigenvalues) {
            return Err("the eigenvalues are not positive, finite numbers, one or more".into());
        }
        if !self.eigenvalues.is_sorted_by(|a, b| a >= b) {
            return Err("the eigenvalues do not descend".into());
        }
        if !positive(&self.weights) || !self.row_means.iter().all(|mean| mean.is_finite()) {
            return Err(
                "a weight of a point is not positive, or a mean of kernel values is not finite".into()
            );
        }
        if !(self.total.is_finite() && self.residual >= 0.0 && self.residual.is_finite()) {
            return Err("the total variance or the residual is not a finite number".into());
        }
        parts::check(&self.expansion, self.eigenvalues.len(), &self.support)
    }

    /// Tensors `eigenvalues` (one per component), `weights` and `row_means` (one per point), `total` and `residual` (one
    /// number each).
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        writer.list("eigenvalues", &self.eigenvalues);
        writer.list("weights", &self.weights);
        writer.list("row_means", &self.row_means);
        writer.list("total", &[self.total]);
        writer.list("residual", &[self.residual]);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<PcaModel<X, X::Kernel>, Flaw> {
    let eigenvalues: Vec<f64> = reader.list("eigenvalues")?;
    parts::no_certificates(reader)?;
    Ok(PcaModel {
        expansion: parts::read_full(reader, "", eigenvalues.len())?,
        eigenvalues,
        total: parts::number(reader, "total")?,
        weights: reader.list("weights")?,
        row_means: reader.list("row_means")?,
        residual: parts::number(reader, "residual")?,
        support: reader.counts("support")?,
    })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "kernel PCA: the directions of largest variance in feature space";
    let new = |kernel| Pca::new(kernel).components(COMPONENTS);
    Method::new(("kpca", summary, "kpca", &[]), new, Pca::own_parameters, read)
}
