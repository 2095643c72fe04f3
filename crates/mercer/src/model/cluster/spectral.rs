//! Spectral clustering: clusters of a graph whose edges are kernel values, cut where little weight crosses.
//!
//! With affinities A and degrees D = diag(Σ_{j≠i} Aᵢⱼ), the k leading eigenvectors u of D^−½AD^−½ relax the normalised cut
//! (Shi and Malik 2000): they solve it over real numbers. Each point is embedded as its entries uᵢ/√dᵢ, and k-means cuts the
//! embedded points. As scikit-learn has it; von Luxburg (2007) tells why it works.
//!
//! Affinities are the values of the kernel, which must not be negative, or the graph of the nearest neighbours by the
//! distance k(x, x) + k(y, y) − 2k(x, y) that any kernel has: ½(N + Nᵀ), with Nᵢⱼ = 1 where xⱼ is one of the `neighbors`
//! points nearest to xᵢ, which is itself one of them.
//!
//! Where affinities are kernel values, a new point is embedded by the extension of the eigenvectors (Bengio and others 2004),
//!
//! y_c(x) = Σⱼ k(x, xⱼ)wⱼyⱼ_c / (λ_c d(x)), d(x) = Σⱼ wⱼk(x, xⱼ),
//!
//! an expansion with an output for each eigenvector and one for d, and goes to the nearest centre. A graph of neighbours says
//! nothing of points that it does not have.
//!
//! A point of weight w counts as w copies of it; the diagonal of A counts only between copies.
//!
//! Cost: the Gram matrix in double precision and some products with it; for a graph of neighbours all kernel values once, of
//! which none is kept, and products with a matrix of some 2·`neighbors` entries in a row.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::Spectral;
//!
//! // Two rings about one centre, which no line separates.
//! let place = |i: i32, radius: f64| [radius * (f64::from(i) * 0.16).cos(), radius * (f64::from(i) * 0.16).sin()];
//! let ring = |radius: f64| (0..40).flat_map(move |i| place(i, radius));
//! let x = Vectors::dense(2, ring(1.0).chain(ring(3.0)).collect());
//! let model = Spectral::new(rbf(4.0)).clusters(2).fit(&x)?;
//! assert!(model.labels[..40].iter().all(|&label| label == model.labels[0]));
//! assert!(model.labels[40..].iter().all(|&label| label != model.labels[0]));
//! let new = Vectors::dense(2, vec![0.7, 0.7, -2.1, 2.1]);
//! assert_eq!(model.predict_index(&new)?, [model.labels[0], model.labels[40]]);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::cmp::Ordering;

use super::{CLUSTERS, Ended, ITERATIONS, RESTARTS, check_clusters, check_parts, names};
use crate::gram::{Gram, matrix};
use crate::linalg::{Largest, Square, Tick};
use crate::model::prelude::*;
use crate::solve::cluster::{self, Affinities, Embedding, Lloyd, Rows, Seeding};

/// An eigenvalue at most this large is rounding, and its eigenvector has no extension to new points.
const SMALL: f64 = 1e-12;

/// The largest residual of eigenvectors that are good enough to cluster by.
const RESIDUAL: f64 = 1e-6;

/// Spectral clustering and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectral<K> {
    /// k
    pub kernel: K,
    /// How many clusters, at least 1, and eigenvectors.
    pub clusters: usize,
    /// Nearest neighbours that a point is joined to, itself among them; none where affinities are the values of the kernel.
    pub neighbors: Option<usize>,
    /// Runs of k-means on the embedded points, of which the best is taken.
    pub restarts: usize,
    /// Most iterations of a run.
    pub max_iterations: usize,
    /// What starts are drawn by.
    pub seed: u64,
}

settings! { Spectral<K>:
    clusters: usize, "clusters", "1 or more", "number of clusters";
    neighbors: Option<usize> | into, "neighbors", "1 or more", "nearest neighbours a point is joined to, itself one of them; kernel values where left open";
    restarts: usize, "restarts", "1 or more", "runs of k-means on the embedded points, of which the best is taken";
    max_iterations: usize, "max-iterations", "1 or more", "most iterations of a run";
    seed: u64, "seed", "a whole number", "seed by which starts are drawn";
    /// Finds clusters. It is refused where a kernel value that is to be an affinity is negative.
    fit() -> SpectralModel;
}

impl<K> Spectral<K> {
    /// Eight clusters, affinities that are the values of the kernel, the best of ten runs of k-means.
    pub fn new(kernel: K) -> Self {
        let (clusters, restarts, max_iterations) = (CLUSTERS, RESTARTS, ITERATIONS);
        Self { kernel, clusters, neighbors: None, restarts, max_iterations, seed: 0 }
    }

    fn lloyd(&self, clusters: usize) -> Lloyd {
        Lloyd {
            clusters,
            restarts: self.restarts,
            start: Seeding::PlusPlus,
            iterations: self.max_iterations,
            seed: self.seed,
            definite: true,
        }
    }

    fn affinities<'w>(&self, gram: &dyn Gram, weights: &'w [f64], tick: Tick<'_>) -> Result<Affinities<'w>> {
        if let Some(count) = self.neighbors {
            return Affinities::neighbours(gram, weights, count, tick);
        }
        let square: Square = matrix::square(gram, tick)?;
        if square.values().iter().any(|value| !value.is_finite()) {
            return Err(cluster::not_finite(gram));
        }
        Affinities::full(square, weights)
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Spectral<K> {
    type Target = ();
    type Model = SpectralModel<X, K>;

    fn check(&self) -> Result<()> {
        check("clusters", self.clusters as f64, self.clusters > 0, "must be at least 1")?;
        let neighbors = self.neighbors.unwrap_or(1);
        check("neighbors", neighbors as f64, neighbors > 0, "must be at least 1")?;
        check("restarts", self.restarts as f64, self.restarts > 0, "must be at least 1")?;
        check("max-iterations", self.max_iterations as f64, self.max_iterations > 0, "must be at least 1")
    }

    fn fit_in(&self, x: &X, (): &(), job: &mut Job<'_, X>) -> Result<SpectralModel<X, K>> {
        Estimator::<X>::check(self)?;
        let all = Weighted::new(x, job.weights)?;
        all.check_scale()?;
        check_clusters(self.clusters, all.points.len())?;
        // Copies are one point of a graph of affinities, however many eigenvectors tell them apart. (Shares do not add up to copies.)
        let joined = all.clone().joined(|_, _| Ordering::Equal);
        let is_joined = self.neighbors.is_none()
            && joined.own.points.len() < all.points.len()
            && all.weights.iter().all(|weight| weight.fract() == 0.0);
        let Joined { own, place, .. } = if is_joined { joined } else { all.clone().unjoined() };
        let n = own.points.len();
        let vectors = self.clusters.min(n);
        let kernel = own.kernel(&self.kernel, job)?;
        let gram = own.gram(&kernel, job)?;
        if self.neighbors.is_none() {
            let bytes = 8 * (n as u64).pow(2) + Largest::bytes(n, vectors);
            room("the Gram matrix", bytes, job.memory, "take fewer points, or a graph of neighbors")?;
        }
        let values = (n * n) as f64;
        let work = if self.neighbors.is_some() { 1e5 * n as f64 } else { 12.0 * 32.0 * values };
        let costs = [
            ("affinities", values * (60.0 + 2.0 * own.points.width() as f64)),
            ("eigenvectors", work),
            ("clusters", 200.0 * n as f64 * (self.clusters as f64).powi(2) * self.restarts as f64),
        ];
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &costs);
        let affinities = self.affinities(&*gram, &own.weights, &mut plan.stage(0));
        let affinities = affinities.map_err(|error| own.error(error))?;
        let embedding = affinities.embed(vectors, &mut plan.stage(1))?;
        let rows = Rows::new(vectors, embedding.rows.clone(), &own.weights);
        let found = self.lloyd(vectors).run(&rows, &own.weights, &mut plan.stage(2));
        let centres = found.centres.iter().flat_map(|centre| rows.combined(centre)).collect();
        let ended =
            Ended { inertia: found.inertia, iterations: found.iterations, converged: found.converged };
        Ok(SpectralModel {
            expansion: extension(kernel.clone(), &all, &embedding, &place),
            classes: names(found.centres.len()),
            support: all.all_positions(),
            neighbors: self.neighbors,
            eigenvalues: embedding.values,
            centres: Dense::new(vectors, centres),
            labels: place.iter().map(|&at| found.labels[at]).collect(),
            sizes: found.sizes,
            residual: embedding.residual,
            ended,
        })
    }
}

/// The functions Σⱼ k(x, xⱼ)wⱼyⱼ_c/λ_c of each eigenvector, and Σⱼ wⱼk(x, xⱼ); `place` is the embedded point of each point.
fn extension<X: Points, K>(
    kernel: K,
    own: &Weighted<X>,
    embedding: &Embedding,
    place: &[usize],
) -> Expansion<X, K> {
    let count = embedding.values.len();
    let factor = |value: &f64| if *value > SMALL { 1.0 / value } else { 0.0 };
    let factors: Vec<f64> = embedding.values.iter().map(factor).collect();
    let row = |(&at, &w): (&usize, &f64)| {
        let entries = embedding.rows[at * count..][..count].iter().zip(&factors);
        entries.map(|(y, factor)| w * y * factor).chain([w]).collect::<Vec<_>>()
    };
    let values = place.iter().zip(&own.weights).flat_map(row).collect();
    let coefficients = Coefficients::full(own.points.len(), count + 1, values);
    Expansion::new(kernel, own.points.clone(), coefficients, vec![0.0; count + 1])
}

/// Clusters of a graph, and centres in the space of its leading eigenvectors.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectralModel<X, K> {
    /// Σⱼ k(x, xⱼ)wⱼyⱼ_c/λ_c for each eigenvector, and the degree Σⱼ wⱼk(x, xⱼ).
    pub expansion: Expansion<X, K>,
    /// The names of the clusters: their numbers from 0.
    pub classes: Vec<String>,
    /// Positions of the points in the training data, from 0.
    pub support: Vec<usize>,
    /// The neighbours of a point in the graph; none where affinities are kernel values.
    pub neighbors: Option<usize>,
    /// λ, the largest eigenvalues of D^−½AD^−½, descending: as many are 1 as the graph has components.
    pub eigenvalues: Vec<f64>,
    /// The centre of each cluster among the embedded points, a row for each.
    pub centres: Dense<f64>,
    /// The cluster of each training point of positive weight, in the order of the data.
    pub labels: Vec<usize>,
    /// The weight of each cluster.
    pub sizes: Vec<f64>,
    /// The largest ‖D^−½AD^−½u − λu‖ of the eigenvectors.
    pub residual: f64,
    ended: Ended,
}

impl<X, K> SpectralModel<X, K> {
    /// How many clusters there are.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.classes.len()
    }

    /// The inertia of the embedded points about their centres.
    #[must_use]
    pub fn inertia(&self) -> f64 {
        self.ended.inertia
    }

    /// y of the training points, a row for each.
    #[must_use]
    pub fn embedding(&self) -> Dense<f64> {
        let count = self.eigenvalues.len();
        let row = |row: &[f64]| {
            let entries =
                row.iter().zip(&self.eigenvalues).map(|(value, lambda)| value * lambda / row[count]);
            entries.collect::<Vec<_>>()
        };
        let values = self.expansion.coefficients().first_block().chunks(count + 1);
        Dense::new(count, values.flat_map(row).collect())
    }

    /// The outputs of the expansion at a point as its place among the embedded points: the origin where all its affinities
    /// are 0.
    fn place(&self, outputs: &[f64]) -> Vec<f64> {
        let (degree, sums) = outputs.split_last().map_or((0.0, outputs), |(degree, sums)| (*degree, sums));
        sums.iter().map(|sum| if degree > 0.0 { sum / degree } else { 0.0 }).collect()
    }

    /// The negative squared distance of a place from each centre.
    fn nearness(&self, place: &[f64]) -> Vec<f64> {
        let square =
            |c: usize| self.centres.row(c).iter().zip(place).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        (0..self.clusters()).map(|c| -square(c)).collect()
    }

    fn refuse_neighbors(&self) -> Result<()> {
        match self.neighbors {
            None => Ok(()),
            Some(_) => without(
                "spectral",
                "new points by a graph of neighbors, which has the training points alone,",
            ),
        }
    }
}

impl<X: Points, K: Kernel<X>> SpectralModel<X, K> {
    /// The number of the nearest centre of each embedded point; of several the lowest.
    fn predict_as(&self, points: &X, how: How) -> Result<Vec<usize>> {
        self.refuse_neighbors()?;
        self.expansion.map_as(points, how.double, |row| first_largest(&self.nearness(&self.place(row))))
    }

    /// y of new points, a row for each, in double precision.
    ///
    /// # Errors
    /// If the points do not fit the model, or it is a graph of neighbours.
    pub fn transform(&self, points: &X) -> Result<Dense<f64>> {
        self.refuse_neighbors()?;
        let rows = self.expansion.map_double(points, |row| self.place(row))?;
        Ok(Dense::new(self.eigenvalues.len(), rows.concat()))
    }
}
classifies!(SpectralModel);

impl<X: Space> Model<X> for SpectralModel<X, X::Kernel> {
    made_of!("spectral": expansion, support, classes);

    fn quality(&self) -> Quality {
        let converged = self.ended.converged && self.residual <= RESIDUAL;
        Ended { converged, ..self.ended }.quality()
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("clusters", self.clusters())
            .with("neighbors", self.neighbors)
            .with("eigenvalues", self.eigenvalues.as_slice())
            .with("eigenvector_residual", self.residual)
            .with("sizes", self.sizes.as_slice())
            .with("labels", self.labels.as_slice())
    }

    fn words(&self) -> String {
        let clusters = count(self.clusters(), "cluster");
        match self.neighbors {
            Some(neighbors) => format!("{clusters} of a graph of {}", count(neighbors, "neighbour")),
            None => format!("{clusters} of a graph of affinities"),
        }
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        let eigenvectors = (1..=self.eigenvalues.len()).map(|c| c.to_string());
        ("eigenvector", eigenvectors.chain(["degree".to_owned()]).collect())
    }

    fn class_of(&self, decisions: &[f64]) -> usize {
        first_largest(&self.nearness(&self.place(decisions)))
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.refuse_neighbors()?;
        let rows = self.expansion.map_as(points, how.double, |row| self.nearness(&self.place(row)))?;
        Ok(Dense::new(self.clusters(), rows.concat()))
    }

    fn components(&self, points: &X) -> Result<Dense<f64>> {
        self.transform(points)
    }

    fn own_components(&self) -> Option<Dense<f64>> {
        Some(self.embedding())
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let (clusters, vectors) = (parts::check_names(&self.classes, 1)?, self.eigenvalues.len());
        check_parts(&self.labels, &self.sizes, clusters)?;
        parts::same("labels", self.labels.len(), self.expansion.points().len())?;
        parts::same("centres", self.centres.len(), clusters)?;
        parts::same("numbers of a centre", self.centres.columns(), vectors)?;
        let numbers =
            self.eigenvalues.iter().chain(self.centres.values()).chain([&self.residual, &self.ended.inertia]);
        if !numbers.copied().all(f64::is_finite) {
            return Err("an eigenvalue, a centre, the residual or the inertia is not finite".into());
        }
        let coefficients = parts::check(&self.expansion, vectors + 1, &self.support)?;
        match (0..coefficients.len()).all(|i| coefficients.row(i)[vectors] > 0.0) {
            true => Ok(coefficients),
            false => Err("the weight of a point is not positive".into()),
        }
    }

    /// Tensors `neighbors` (one number or none), `eigenvalues`, `centres` (a row for each cluster), `labels`, `sizes`,
    /// `residual`, and how k-means ended.
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        writer.counts("neighbors", self.neighbors.as_slice());
        writer.list("eigenvalues", &self.eigenvalues);
        writer.table("centres", &self.centres);
        writer.counts("labels", &self.labels);
        writer.list("sizes", &self.sizes);
        writer.list("residual", &[self.residual]);
        self.ended.write(writer);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<SpectralModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    parts::no_certificates(reader)?;
    let eigenvalues: Vec<f64> = reader.list("eigenvalues")?;
    let (shape, centres) = reader.tensor::<f64>("centres", 2)?;
    if shape[1] != eigenvalues.len() || eigenvalues.is_empty() {
        return Err("tensor 'centres' is not one row per cluster, one column per eigenvalue".into());
    }
    Ok(SpectralModel {
        expansion: parts::read_full(reader, "", eigenvalues.len() + 1)?,
        classes,
        support: reader.counts("support")?,
        neighbors: reader.counts("neighbors")?.first().copied(),
        centres: Dense::new(eigenvalues.len(), centres),
        eigenvalues,
        labels: reader.counts("labels")?,
        sizes: reader.list("sizes")?,
        residual: parts::number(reader, "residual")?,
        ended: Ended::read(reader)?,
    })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary =
        "spectral clustering: a graph of kernel values or nearest neighbours, cut where little crosses";
    Method::new(("spectral", summary, "spectral", &[]), Spectral::new, Spectral::own_parameters, read)
}
