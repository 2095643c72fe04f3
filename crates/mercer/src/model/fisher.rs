//! The kernel Fisher discriminant.
//!
//! [`Fisher`] (Mika, Rätsch, Weston, Schölkopf and Müller 1999; of several classes Baudat and Anouar 2000) looks for
//! axes w of feature space on which the class means lie far apart and the classes are narrow: w maximises
//!
//!   ρ = wᵀS_B w / (wᵀ(S_B + S_W)w + μ‖w‖²),
//!
//! with S_W the mean scatter within classes and S_B that of their means, both over n, so that μ does not depend on n. C classes
//! have at most C − 1 axes. They are scaled so that wᵀ(S_W + μI)w = 1: distances along the axes are then in units of the
//! width of the classes, and a point belongs to the class whose mean is nearest. Of two classes a [`Threshold`] between
//! the means decides. Without μ every class of a kernel of full rank collapses to a point, on the training data only.
//!
//! The penalty is on ‖w‖² = αᵀKα, not on ‖α‖²: the answer is that of a ridge regression of class codes, which costs one
//! factorisation where the other needs the square of K, and a point twice in the data is a point of weight two.
//!
//! Cost: n²/2 kernel values, n³/3 multiplications, and n² numbers of 8 bytes (half of the matrix, and its factor). With [`Fisher::points`] the axes are looked for
//! in the span of m points that are chosen greedily: about 120·n·m² multiplications and 2·n·m numbers, and prediction is
//! n/m times faster. It saves memory first of all: the whole runs at the speed of a matrix product, so that only an m well below
//! n/50 saves time.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::Fisher;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.5, -1.0, 1.0, 1.5, 2.0]);
//! let y = Labels::first_seen(["low", "low", "low", "high", "high", "high"]);
//! let model = Fisher::new(rbf(0.5)).regularizer(1e-2).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-1.2, 3.0]))?, ["low", "high"]);
//! // One axis, about the mean of the data.
//! let axis = model.transform(&x)?;
//! assert!(axis.columns() == 1 && axis.row(0)[0] > 0.0 && axis.row(5)[0] < 0.0);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::expansion::{CoefficientBlock, Coefficients, Expansion};
use super::scores::first_largest;
use super::svc::Svc;
use super::values;
use super::weights::Present;
use crate::data::{Dense, Labels, Points, Vectors};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::gram::{Gram, Lazy};
use crate::kernel::{Kernel, linear};
use crate::linalg::Lower;
use crate::solve::fisher::{Axes, Classes, Greedy, greedy, whole};
use crate::solve::{Follow, Plan, room, unfollowed};

/// Where two classes part on their axis.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Threshold {
    /// Half way between the class means.
    #[default]
    Means,
    /// Where a linear support vector machine on the axis has its border, as Mika et al. do: it looks at the points near
    /// the border, and at how many there are of each class.
    Svm {
        /// C, the price of a margin error, on an axis where the class means are at −1 and 1.
        c: f64,
    },
}

/// The kernel Fisher discriminant and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Fisher<K> {
    /// k
    pub kernel: K,
    /// μ > 0: the price of ‖w‖² beside the scatter within classes.
    pub regularizer: f64,
    /// The most expansion points; none for all.
    pub points: Option<usize>,
    /// Where the drawing of candidates for expansion points begins.
    pub seed: u64,
    /// How two classes are told apart on their axis.
    pub threshold: Threshold,
    /// A weight for each point; empty for 1. A whole number is the same as so many copies of the point, 0 as none.
    pub weights: Vec<f64>,
    /// Bytes that the matrices may take; none for what the machine has.
    pub memory: Option<usize>,
}

/// A fitted discriminant: its axes, and where the classes lie on them.
#[derive(Debug, Clone, PartialEq)]
pub struct FisherModel<X, K> {
    /// One output for each axis, best first; zero at the mean of the training data.
    pub expansion: Expansion<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// The mean of each class on the axes: one row per class, one column per axis.
    pub centers: Dense<f64>,
    /// Of two classes, where they part on the axis; the first lies above it.
    pub threshold: Option<f64>,
    /// ρ of each axis, between 0 and 1: the share of the scatter along it, with the penalty, that is between the classes.
    pub ratios: Vec<f64>,
    /// Positions of the expansion points in the training data, from 0.
    pub support: Vec<usize>,
    /// μ
    pub regularizer: f64,
    /// The certificate: the relative residual of the linear systems that the axes solve.
    pub residual: f64,
}

impl<K> Fisher<K> {
    /// μ = 10⁻³, all points, the threshold half way between the means.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            regularizer: 1e-3,
            points: None,
            seed: 0,
            threshold: Threshold::Means,
            weights: Vec::new(),
            memory: None,
        }
    }

    /// Sets μ.
    #[must_use]
    pub fn regularizer(mut self, regularizer: f64) -> Self {
        self.regularizer = regularizer;
        self
    }

    /// Sets the most expansion points: the sparse discriminant.
    #[must_use]
    pub fn points(mut self, points: usize) -> Self {
        self.points = Some(points);
        self
    }

    /// Sets where the drawing of candidates begins.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets how two classes are told apart.
    #[must_use]
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets a weight for each point.
    #[must_use]
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Sets the bytes that the matrices may take.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        let mu = self.regularizer;
        check("mu", mu, mu > 0.0 && mu.is_finite(), "must be positive and finite")?;
        if let Some(points) = self.points {
            check("points", points as f64, points > 0, "must be at least 1")?;
        }
        match self.threshold {
            Threshold::Means => Ok(()),
            Threshold::Svm { c } => check("c", c, c > 0.0 && c.is_finite(), "must be positive and finite"),
        }
    }

    /// Fits the axes.
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used, or the matrix does not fit into memory.
    pub fn fit<X: Points>(&self, x: &X, y: &Labels) -> Result<FisherModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_followed(x, y, &mut unfollowed())
    }

    /// The same, followed by a callback that sees each step and can end the fit.
    ///
    /// # Errors
    /// As [`Fisher::fit`]; [`ErrorKind::Interrupted`] if the callback ends it.
    pub fn fit_followed<X: Points>(&self, x: &X, y: &Labels, follow: Follow<'_>) -> Result<FisherModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        y.check(x.len())?;
        x.check_finite()?;
        let present = Present::new(&self.weights, x.len())?;
        let (x, y) = (&present.points(x), &present.labels(y));
        y.check(x.len())?;
        let classes = Classes { index: y.index(), count: y.classes().len(), weights: &present.weights };
        let (axes, mut support) = self.axes(x, &classes, follow).map_err(|error| present.error(error))?;
        if axes.ratios.is_empty() {
            return Err(ErrorKind::Data(DataProblem::SameMeans).into());
        }
        let centers = centers(&axes, &classes);
        let threshold = match y.classes().len() {
            2 => Some(self.part(&axes, &centers, y, &present.weights)?),
            _ => None,
        };
        let expansion = self.expansion(x.select(&support), &axes);
        present.positions(&mut support);
        Ok(FisherModel {
            expansion,
            classes: y.classes().to_vec(),
            centers,
            threshold,
            ratios: axes.ratios,
            support,
            regularizer: self.regularizer,
            residual: axes.residual,
        })
    }

    /// The axes and the points over which they are expanded.
    fn axes<X: Points>(&self, x: &X, classes: &Classes<'_>, follow: Follow<'_>) -> Result<(Axes, Vec<usize>)>
    where
        K: Kernel<X>,
    {
        let (n, mu) = (x.len() as u64, self.regularizer);
        if let Some(points) = self.points.filter(|&points| points < x.len()) {
            let what = "a discriminant with so many expansion points";
            room(what, 16 * n * points as u64, self.memory, "take fewer of them")?;
            let gram = Lazy::new(&self.kernel, x)?;
            let mut plan = Plan::new(follow, &[("expansion points", 1.0)]);
            let settings = Greedy { points, seed: self.seed };
            return greedy(classes, mu, &settings, &mut plan.stage(0), |index| values::rows(&gram, index));
        }
        // Half of the matrix and its factor, packed panels of it, and the right sides.
        let sides = 6 * classes.count as u64;
        let needed = 2 * Lower::<f64>::bytes(x.len()) + 8 * n * (2 * 384 + sides);
        room("the Gram matrix", needed, self.memory, "look for the axes in the span of fewer points")?;
        let gram = Lazy::new(&self.kernel, x)?;
        let count = n as f64;
        let values = count * count / 2.0 * x.width() as f64;
        let mut plan =
            Plan::new(follow, &[("kernel values", values), ("factorisation", count.powi(3) / 3.0)]);
        let lower = values::lower(&gram, &mut plan.stage(0))?;
        gram.release_scratch();
        let axes = whole(lower, classes, mu, &mut plan, 1)?;
        Ok((axes, (0..x.len()).collect()))
    }

    fn expansion<X: Points>(&self, points: X, axes: &Axes) -> Expansion<X, K>
    where
        K: Kernel<X> + Clone,
    {
        let (count, outputs) = (points.len(), axes.ratios.len());
        let values = (0..count).flat_map(|i| axes.coefficients.iter().map(move |axis| axis[i])).collect();
        let block = CoefficientBlock { points: 0..count, outputs: (0..outputs).collect(), values };
        Expansion {
            kernel: self.kernel.clone(),
            points,
            coefficients: Coefficients { blocks: vec![block], outputs },
            offsets: axes.offsets.clone(),
        }
    }

    /// Where two classes part.
    fn part(&self, axes: &Axes, centers: &Dense<f64>, y: &Labels, weights: &[f64]) -> Result<f64> {
        let (first, second) = (centers.row(0)[0], centers.row(1)[0]);
        let (middle, half) = (0.5 * (first + second), 0.5 * (first - second));
        let Threshold::Svm { c } = self.threshold else { return Ok(middle) };
        let axis = axes.projections[0].iter().map(|f| (f - middle) / half).collect();
        let axis = Vectors::dense::<f64>(1, axis);
        let svc = Svc::new(linear()).c(c).tolerance(SVM_TOLERANCE).weights(weights.to_vec());
        let expansion = svc.fit(&axis, y)?.expansion;
        // f(z) = slope·z − b, from its values at 0 and 1.
        let values = expansion.map_double(&Vectors::dense(1, vec![0.0, 1.0]), |f| f[0])?;
        let slope = values[1] - values[0];
        // A machine that sees no reason to part the classes, or to part them this way round, has no border.
        let border = if slope > 0.0 { -values[0] / slope } else { 0.0 };
        Ok(middle + half * border.clamp(-1.0, 1.0))
    }
}

/// Of the machine that finds the threshold, on an axis of length 2 between the class means.
const SVM_TOLERANCE: f64 = 1e-5;

/// The class means on the axes, class after class.
fn centers(axes: &Axes, classes: &Classes<'_>) -> Dense<f64> {
    let means: Vec<Vec<f64>> = axes.projections.iter().map(|axis| classes.means(axis)).collect();
    let values = (0..classes.count).flat_map(|class| means.iter().map(move |axis| axis[class])).collect();
    Dense::new(means.len(), values)
}

impl<X: Points, K: Kernel<X>> FisherModel<X, K> {
    /// Where each of `points` lies on the axes: one row per point, one column per axis. In double precision, since
    /// coefficients can be large.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn transform(&self, points: &X) -> Result<Dense<f64>> {
        let rows = self.expansion.map_double(points, <[f64]>::to_vec)?;
        Ok(Dense::new(self.ratios.len(), rows.concat()))
    }

    /// What decides, for each of `points`. Of two classes one column, positive for the first class: how far beyond the
    /// threshold it lies. Of more one column per class, of which the largest decides: −½ the squared distance to its mean.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn decisions(&self, points: &X) -> Result<Dense<f64>> {
        let columns = if self.threshold.is_some() { 1 } else { self.classes.len() };
        Ok(Dense::new(columns, self.expansion.map_double(points, |f| self.decision(f))?.concat()))
    }

    /// The number of the class of each point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict_index(&self, points: &X) -> Result<Vec<usize>> {
        self.expansion.map_double(points, |f| match self.decision(f).as_slice() {
            [single] => usize::from(*single < 0.0),
            several => first_largest(several),
        })
    }

    /// The class of each point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict(&self, points: &X) -> Result<Vec<&str>> {
        Ok(self.predict_index(points)?.into_iter().map(|class| self.classes[class].as_str()).collect())
    }

    fn decision(&self, place: &[f64]) -> Vec<f64> {
        match self.threshold {
            Some(threshold) => vec![place[0] - threshold],
            None => (0..self.classes.len())
                .map(|class| {
                    let square = |(f, m): (&f64, &f64)| (f - m) * (f - m);
                    -0.5 * place.iter().zip(self.centers.row(class)).map(square).sum::<f64>()
                })
                .collect(),
        }
    }
}
