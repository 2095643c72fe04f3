//! The hidden layer: where its centres are and how wide its units.

use std::ops::Range;

use rayon::prelude::*;

use super::units::Hidden;
use crate::data::Vectors;
use crate::gram::{Gram, matrix};
use crate::linalg::{Lower, Tick};
use crate::model::prelude::*;
use crate::solve::network::kmeans::Packed;
use crate::solve::network::medoids::k_medoids;
use crate::solve::network::ols::{Chosen, Ends, choose};

/// Units per root of the number of points where nothing is said.
const UNITS_PER_ROOT: f64 = 10.0;

/// Units at most where nothing is said: the output weights take a matrix of so many rows and columns.
const MOST_UNITS: usize = 2000;

/// Bytes of a dense copy of sparse vectors for their means; of larger ones medoids are taken.
const DENSE_BYTES: usize = 1 << 30;

/// Squared distances below this part of k(x, x) + k(c, c) are rounding errors of two points that are the same.
const SAME: f64 = 1e-12;

/// How the centres of the units are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Centers {
    /// Means of clusters of the points, as k-means finds them; in spaces without means, for tables of kernel values, and
    /// for sparse vectors of very many features the medoids.
    #[default]
    KMeans,
    /// Points that are nearest, in the kernel's feature space, to the mean of a cluster.
    KMedoids,
    /// All points that differ.
    All,
    /// Points chosen one after the other, each for what it explains of the targets: orthogonal least squares.
    Ols,
}

words!(Centers: Centers::KMeans = "k-means", Centers::KMedoids = "k-medoids", Centers::All = "all", Centers::Ols = "ols");

/// What a unit is, and its width.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Width {
    /// h(x) = k(x, c): the kernel is the unit, with its own width.
    #[default]
    Kernel,
    /// h(x) = exp(−d²(x, c)/2σ²) of the kernel's distance d, σ the mean distance of the centre to its nearest neighbours.
    Nearest,
    /// As `Nearest`, with this σ for all units.
    Value(f64),
}

impl From<f64> for Width {
    fn from(sigma: f64) -> Self {
        Self::Value(sigma)
    }
}

impl Setting for Width {
    const KIND: Kind = Kind::Numbers;
    fn value(&self) -> Value {
        match self {
            Self::Kernel => Value::Word("kernel".to_owned()),
            Self::Nearest => Value::Word("nearest".to_owned()),
            Self::Value(sigma) => Value::Number(*sigma),
        }
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Word(word) if word == "kernel" => Some(Self::Kernel),
            Value::Word(word) if word == "nearest" => Some(Self::Nearest),
            other => other.number().map(Self::Value),
        }
    }
}

/// The settings of a hidden layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The number of units, most of them where fewer points differ; none for ten times the root of the number of points, at most 2,000.
    pub units: Option<usize>,
    /// How the centres are found.
    pub centers: Centers,
    /// What a unit is.
    pub width: Width,
    /// Centres whose mean distance is the width [by nearest centres](Width::Nearest).
    pub neighbors: usize,
    /// What that distance is multiplied by.
    pub spread: f64,
    /// Most iterations of k-means or k-medoids.
    pub rounds: usize,
    /// The part of the squares of the targets that orthogonal least squares may leave.
    pub tolerance: f64,
    /// What the first centres are drawn by.
    pub seed: u64,
}

impl Default for Layer {
    /// Centres by five iterations of k-means, the kernel itself as the unit. Where the width is by nearest centres, the mean
    /// distance to the five nearest ones: of 1, 2 and 5 centres and factors from 0.7 to 5 the error over nine sets (heart,
    /// diabetes, vowel, glass, sonar, housing, abalone, banana, digits) was then the least far from each set's best, 10 % in the mean.
    fn default() -> Self {
        Self {
            units: None,
            centers: Centers::KMeans,
            width: Width::Kernel,
            neighbors: 5,
            spread: 1.0,
            rounds: 5,
            tolerance: 1e-6,
            seed: 0,
        }
    }
}

impl Layer {
    /// The parameters by name.
    pub(super) fn parameters() -> Vec<Parameter<Self>> {
        rows! { Self:
            units, "units", "1 or more", "number of units; ten times the root of the number of points, at most 2000, where left open";
            centers, "centers", "k-means, k-medoids, all or ols", "way to find the centres of the units: means or medoids of clusters, all points that differ, or points chosen one after the other by orthogonal least squares";
            width, "width", "kernel, nearest or a number above 0", "unit: the kernel itself, or a Gaussian of the kernel's distance whose width is by the nearest centres or given";
            neighbors, "neighbors", "1 or more", "nearest centres whose mean distance is a unit's width";
            spread, "spread", "above 0", "factor on the width by the nearest centres";
            rounds, "rounds", "0 or more", "most iterations of k-means or k-medoids";
            tolerance, "tolerance" 't', "0 or more, below 1", "part of the variance of the targets that orthogonal least squares may leave";
            seed, "seed", "a whole number", "seed by which the first centres are drawn";
        }
    }

    /// Refuses settings out of range.
    pub(super) fn check(&self) -> Result<()> {
        let units = self.units.unwrap_or(1);
        check("units", units as f64, units > 0, "must be at least 1")?;
        check("neighbors", self.neighbors as f64, self.neighbors > 0, "must be at least 1")?;
        check(
            "spread",
            self.spread,
            self.spread > 0.0 && self.spread.is_finite(),
            "must be positive and finite",
        )?;
        let tolerance = self.tolerance;
        check("tolerance", tolerance, (0.0..1.0).contains(&tolerance), "must lie in [0, 1)")?;
        match self.width {
            Width::Value(sigma) => {
                check("width", sigma, sigma > 0.0 && sigma.is_finite(), "must be positive and finite")
            }
            Width::Nearest if self.centers == Centers::Ols => {
                let (value, rule) = (
                    "nearest".into(),
                    "kernel or a number with centers = ols: candidates have no neighbours yet",
                );
                Err(ErrorKind::Setting { name: "width", value, rule }.into())
            }
            _ => Ok(()),
        }
    }

    /// The number of units for points of that total weight.
    fn count(&self, total: f64) -> usize {
        let usual = (UNITS_PER_ROOT * total.sqrt()).ceil().min(MOST_UNITS as f64);
        self.units.unwrap_or(usual.max(1.0) as usize)
    }

    /// Finds the layer for weighted points and targets. Errors name points of positive weight.
    pub(super) fn fit<X: Points, K: Kernel<X>>(
        &self,
        own: &Weighted<X>,
        kernel: &K,
        targets: &[Vec<f64>],
        job: &mut Job<'_, X>,
    ) -> Result<Fit<X>> {
        let count = self.count(own.weights.iter().sum()).min(own.points.len());
        let stage = [("centres", 1.0)];
        let mut fit = if let Some(vectors) = self.means(own, kernel) {
            let mut stages = job.stages();
            let mut plan = Plan::new(&mut stages, &stage);
            self.by_means(own, vectors, count, &mut plan.stage(0))?
        } else {
            let gram = job.compute.gram(kernel, &own.points)?;
            if self.centers == Centers::All {
                let needed = Lower::<f64>::bytes(gram.len());
                room("the distances of all points", needed, job.memory, "take fewer centres")?;
            }
            let mut stages = job.stages();
            let mut plan = Plan::new(&mut stages, &stage);
            let mut tick = plan.stage(0);
            let chosen = match self.centers {
                Centers::All => distinct(&*gram, &mut tick)?,
                Centers::Ols => self.chosen(own, kernel, targets, count, &mut tick)?,
                Centers::KMeans | Centers::KMedoids => {
                    k_medoids(&*gram, &own.weights, count, self.rounds, self.seed, &mut tick)?
                }
            };
            let centers = own.points.select(&chosen);
            Fit { centers, widths: Vec::new(), support: own.positions(chosen) }
        };
        fit.widths = self.widths(kernel, &fit.centers)?;
        Ok(fit)
    }

    /// The vectors whose means are the centres, where that is asked for and can be.
    fn means<'x, X: Points, K: Kernel<X>>(&self, own: &'x Weighted<X>, kernel: &K) -> Option<&'x Vectors> {
        let vectors =
            own.points.as_vectors().filter(|_| self.centers == Centers::KMeans && !kernel.is_tabled())?;
        let bytes = vectors.len().saturating_mul(vectors.width()).saturating_mul(4);
        (!vectors.is_sparse() || bytes <= DENSE_BYTES).then_some(vectors)
    }

    fn by_means<X: Points>(
        &self,
        own: &Weighted<X>,
        vectors: &Vectors,
        count: usize,
        tick: Tick<'_>,
    ) -> Result<Fit<X>> {
        let visit = |i: usize, put: &mut dyn FnMut(usize, f64)| vectors.row(i).for_each(put);
        let packed = Packed::new(vectors.width(), &own.weights, &visit);
        let centers = packed.k_means(count, self.rounds, self.seed, tick)?;
        let rows = Dense::new(vectors.width(), centers.concat());
        let made = own.points.with_rows(&rows).filter(|made| made.len() == centers.len());
        // Vectors without features have no rows to make; all of them are the same point.
        let centers = made.unwrap_or_else(|| own.points.select(&[0]));
        Ok(Fit { centers, widths: Vec::new(), support: Vec::new() })
    }

    /// The points that orthogonal least squares chooses, in the order of the choice.
    fn chosen<X: Points, K: Kernel<X>>(
        &self,
        own: &Weighted<X>,
        kernel: &K,
        targets: &[Vec<f64>],
        count: usize,
        tick: Tick<'_>,
    ) -> Result<Vec<usize>> {
        let widths = self.widths(kernel, &own.points)?;
        let bound = kernel.bind(&own.points)?;
        let units = Hidden::new(&*bound, &own.points, &widths, |points| kernel.diagonal(points))?;
        let ends = Ends { units: count, tolerance: self.tolerance };
        let Chosen { units, .. } = choose(&units, &own.weights, targets, ends, tick)?;
        Ok(units)
    }

    /// σ of each centre; none where the units are the kernel.
    fn widths<X: Points, K: Kernel<X>>(&self, kernel: &K, centers: &X) -> Result<Vec<f64>> {
        let m = centers.len();
        match self.width {
            Width::Kernel => Ok(Vec::new()),
            Width::Value(sigma) => Ok(vec![sigma; m]),
            Width::Nearest => {
                let bound = kernel.bind(centers)?;
                let diagonal = bound.diagonal();
                let distances = |j: usize| {
                    let mut row = vec![0.0; m];
                    bound.rows_f64(centers, &[j], &mut [&mut row]);
                    let square = |i: usize| (diagonal[i] + diagonal[j] - 2.0 * row[i]).max(0.0);
                    let mut others: Vec<f64> = (0..m).filter(|&i| i != j).map(square).collect();
                    let count = self.neighbors.min(others.len());
                    if count == 0 {
                        return 0.0;
                    }
                    others.select_nth_unstable_by(count - 1, f64::total_cmp);
                    self.spread * others[..count].iter().map(|square| square.sqrt()).sum::<f64>()
                        / count as f64
                };
                let widths: Vec<f64> = (0..m).into_par_iter().map(distances).collect();
                if let Some(j) = widths.iter().position(|width| !width.is_finite()) {
                    return Err(
                        ErrorKind::Data(DataProblem::KernelNotFinite { row: j + 1, column: j + 1 }).into()
                    );
                }
                // A single centre has no neighbours, and centres can be the same to the kernel: those are as wide as the
                // narrowest of the others.
                let least = widths.iter().copied().filter(|width| *width > 0.0).fold(f64::INFINITY, f64::min);
                let least = if least.is_finite() { least } else { 1.0 };
                Ok(widths.into_iter().map(|width| if width > 0.0 { width } else { least }).collect())
            }
        }
    }
}

/// A hidden layer.
pub(super) struct Fit<X> {
    pub(super) centers: X,
    /// σ of each centre; none where the units are the kernel.
    pub(super) widths: Vec<f64>,
    /// Positions of the centres in the training data; none where they are means.
    pub(super) support: Vec<usize>,
}

/// The points that differ from all before them, to the kernel.
fn distinct(gram: &dyn Gram, tick: Tick<'_>) -> Result<Vec<usize>> {
    let (lower, diagonal) = (matrix::lower(gram, tick)?, gram.diagonal());
    let first = |&i: &usize| {
        let same = |(j, k): (usize, &f64)| {
            let ends = diagonal[i] + diagonal[j];
            ends - 2.0 * k <= SAME * ends.abs()
        };
        !lower.row(i)[..i].iter().enumerate().any(same)
    };
    let all: Range<usize> = 0..gram.len();
    Ok(all.filter(first).collect())
}
