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
//! let model = Fisher::new(rbf(0.5)).mu(1e-2).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-1.2, 3.0]))?, ["low", "high"]);
//! // One axis, about the mean of the data.
//! let axis = model.transform(&x)?;
//! assert!(axis.columns() == 1 && axis.row(0)[0] > 0.0 && axis.row(5)[0] < 0.0);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::values;
use crate::data::Vectors;
use crate::kernel::linear;
use crate::linalg::Lower;
use crate::model::prelude::*;
use crate::model::svm::Svc;
use crate::solve::fisher::{Axes, Classes, Greedy, greedy, whole};

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
    pub mu: f64,
    /// The most expansion points; none for all.
    pub points: Option<usize>,
    /// Where the drawing of candidates for expansion points begins.
    pub seed: u64,
    /// How two classes are told apart on their axis.
    pub threshold: Threshold,
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
    pub mu: f64,
    /// The certificate: the relative residual of the linear systems that the axes solve.
    pub residual: f64,
}

settings! { Fisher<K>:
    mu: f64, "mu", "above 0", "price mu of the squared norm of an axis beside the scatter within classes";
    points: Option<usize> | into, "points", "1 or more", "most expansion points, chosen one after the other, each the best of 59 drawn by the seed; all points where left open";
    seed: u64, "seed", "a whole number", "seed by which candidates for expansion points are drawn";
    threshold: Threshold, "threshold", "means or svm", "rule by which two classes part on their axis";
    /// Fits the axes. It is refused where the matrix does not fit into memory.
    fit(Labels) -> FisherModel;
}

impl Setting for Threshold {
    const KIND: Kind = Kind::Choice(&["means", "svm"]);
    fn value(&self) -> Value {
        Value::Word(if *self == Self::Means { "means" } else { "svm" }.to_owned())
    }
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Word(word) if word == "means" => Some(Self::Means),
            Value::Word(word) if word == "svm" => Some(Self::Svm { c: 1.0 }),
            _ => None,
        }
    }
    /// The price of a support vector machine that is there already stays.
    fn assign(&mut self, value: &Value) -> bool {
        let found = Self::of(value);
        if let Some(found) = found.filter(|found| found.value() != self.value()) {
            *self = found;
        }
        found.is_some()
    }
}

impl<K> Fisher<K> {
    /// μ = 10⁻³, all points, the threshold half way between the means.
    pub fn new(kernel: K) -> Self {
        Self { kernel, mu: 1e-3, points: None, seed: 0, threshold: Threshold::Means }
    }

    /// All parameters by name: `c` is the price of the machine that finds the threshold.
    fn parameters() -> Vec<Parameter<Self>>
    where
        K: 'static,
    {
        let about = (
            "c",
            Some('c'),
            "above 0, with threshold svm",
            "price C of the linear machine that finds the threshold",
        );
        let get = |fisher: &Self| match fisher.threshold {
            Threshold::Svm { c } => Value::Number(c),
            Threshold::Means => Value::Absent,
        };
        let set = |fisher: &mut Self, value: &Value| match (value.number(), fisher.threshold) {
            (Some(c), Threshold::Svm { .. }) => {
                fisher.threshold = Threshold::Svm { c };
                true
            }
            _ => *value == Value::Absent,
        };
        let mut rows = Self::own_parameters();
        rows.push(Parameter::with(about, Kind::Number, get, set));
        rows
    }

    /// The axes and the points over which they are expanded.
    fn axes<X: Points>(
        &self,
        kernel: &K,
        x: &X,
        classes: &Classes<'_>,
        job: &mut Job<'_, X>,
    ) -> Result<(Axes, Vec<usize>)>
    where
        K: Kernel<X>,
    {
        let (n, mu, memory) = (x.len() as u64, self.mu, job.memory);
        if let Some(points) = self.points.filter(|&points| points < x.len()) {
            let what = "a discriminant with so many expansion points";
            room(what, 16 * n * points as u64, memory, "take fewer of them")?;
            let gram = job.compute.gram(kernel, x)?;
            let mut stages = job.stages();
            let mut plan = Plan::new(&mut stages, &[("expansion points", 1.0)]);
            let settings = Greedy { points, seed: self.seed };
            return greedy(classes, mu, &settings, &mut plan.stage(0), |index| values::rows(&*gram, index));
        }
        // Half of the matrix and its factor, packed panels of it, and the right sides.
        let sides = 6 * classes.count as u64;
        let needed = 2 * Lower::<f64>::bytes(x.len()) + 8 * n * (2 * 384 + sides);
        room("the Gram matrix", needed, memory, "look for the axes in the span of fewer points")?;
        let gram = job.compute.gram(kernel, x)?;
        let count = n as f64;
        let values = count * count / 2.0 * x.width() as f64;
        let costs = [("kernel values", values), ("factorisation", count.powi(3) / 3.0)];
        let mut stages = job.stages();
        let mut plan = Plan::new(&mut stages, &costs);
        let lower = values::lower(&*gram, &mut plan.stage(0))?;
        gram.release_scratch();
        let axes = whole(lower, classes, mu, &mut plan, 1)?;
        Ok((axes, (0..x.len()).collect()))
    }

    /// Where two classes part.
    fn part(&self, axes: &Axes, centers: &Dense<f64>, y: &Labels, weights: &[f64]) -> Result<f64> {
        let (first, second) = (centers.row(0)[0], centers.row(1)[0]);
        let (middle, half) = (0.5 * (first + second), 0.5 * (first - second));
        let Threshold::Svm { c } = self.threshold else { return Ok(middle) };
        let axis = axes.projections[0].iter().map(|f| (f - middle) / half).collect();
        let axis = Vectors::dense::<f64>(1, axis);
        let svc = Svc::new(linear()).c(c).tolerance(SVM_TOLERANCE);
        let expansion = svc.fit_in(&axis, y, &mut Job::new().weights(weights))?.expansion;
        // f(z) = slope·z − b, from its values at 0 and 1.
        let values = expansion.map_double(&Vectors::dense(1, vec![0.0, 1.0]), |f| f[0])?;
        let slope = values[1] - values[0];
        // A machine that sees no reason to part the classes, or to part them this way round, has no border.
        let border = if slope > 0.0 { -values[0] / slope } else { 0.0 };
        Ok(middle + half * border.clamp(-1.0, 1.0))
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Fisher<K> {
    type Target = Labels;
    type Model = FisherModel<X, K>;

    fn check(&self) -> Result<()> {
        let mu = self.mu;
        check("mu", mu, mu > 0.0 && mu.is_finite(), "must be positive and finite")?;
        if let Some(points) = self.points {
            check("points", points as f64, points > 0, "must be at least 1")?;
        }
        match self.threshold {
            Threshold::Means => Ok(()),
            Threshold::Svm { c } => check("c", c, c > 0.0 && c.is_finite(), "must be positive and finite"),
        }
    }

    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<FisherModel<X, K>> {
        Estimator::<X>::check(self)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let classes = Classes { index: y.index(), count: y.classes().len(), weights: &own.weights };
        if classes.count > 2 && self.threshold != Threshold::Means {
            let (value, rule) =
                (format!("svm of {} classes", classes.count).into(), "means for more than two");
            return Err(ErrorKind::Setting { name: "threshold", value, rule }.into());
        }
        let kernel = own.kernel(&self.kernel, job)?;
        let axes = self.axes(&kernel, &own.points, &classes, job);
        let (axes, support) = axes.map_err(|error| own.error(error))?;
        if axes.ratios.is_empty() {
            return Err(ErrorKind::Data(DataProblem::SameMeans).into());
        }
        let centers = centers(&axes, &classes);
        let threshold = match y.classes().len() {
            2 => Some(self.part(&axes, &centers, &y, &own.weights)?),
            _ => None,
        };
        Ok(FisherModel {
            expansion: Expansion::new(
                kernel,
                own.points.select(&support),
                Coefficients::columns(support.len(), &axes.coefficients),
                axes.offsets,
            ),
            classes: y.classes().to_vec(),
            centers,
            threshold,
            ratios: axes.ratios,
            support: own.positions(support),
            mu: self.mu,
            residual: axes.residual,
        })
    }
}

/// The tolerance of the machine that finds the threshold, on an axis of length 2 between the class means.
const SVM_TOLERANCE: f64 = 1e-5;

/// The class means on the axes, class after class.
fn centers(axes: &Axes, classes: &Classes<'_>) -> Dense<f64> {
    let means: Vec<Vec<f64>> = axes.projections.iter().map(|axis| classes.means(axis)).collect();
    Dense::new(means.len(), interleaved(classes.count, &means))
}

impl<X: Points, K: Kernel<X>> FisherModel<X, K> {
    /// Where each of `points` lies on the axes: one row per point, one column per axis. In double precision, since
    /// coefficients can be large.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn transform(&self, points: &X) -> Result<Dense<f64>> {
        self.expansion.rows(points, true)
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

    fn predict_as(&self, points: &X, _: How) -> Result<Vec<usize>> {
        self.expansion.map_as(points, true, |f| match self.decision(f).as_slice() {
            [single] => usize::from(*single < 0.0),
            several => first_largest(several),
        })
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

classifies!(FisherModel);

impl<X: Space> Model<X> for FisherModel<X, X::Kernel> {
    made_of!("fisher" double: expansion, support, classes);

    fn quality(&self) -> Quality {
        Quality::direct(self.residual)
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("mu", self.mu)
            .with("ratios", self.ratios.as_slice())
            .with("centers", self.centers.clone())
            .with("threshold", self.threshold)
            .with("expansion_points", self.support_points())
    }

    fn words(&self) -> String {
        let classes = count(self.classes.len(), "class");
        format!("{classes} on axes between them, mu = {}", short(self.mu))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("axis", (1..=self.ratios.len()).map(|k| k.to_string()).collect())
    }

    fn decisions(&self, points: &X, _: How) -> Result<Dense<f64>> {
        FisherModel::decisions(self, points)
    }

    fn predict(&self, points: &X, _: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_index(points)?))
    }

    /// Of two classes how far beyond the threshold a point lies, and its opposite.
    fn scores(&self, points: &X, _: How) -> Result<Dense<f64>> {
        let decisions = FisherModel::decisions(self, points)?;
        if decisions.columns() > 1 {
            return Ok(decisions);
        }
        Ok(Dense::new(2, decisions.values().iter().flat_map(|d| [*d, -d]).collect()))
    }

    fn components(&self, points: &X) -> Result<Dense<f64>> {
        self.transform(points)
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let (classes, axes) = (parts::check_names(&self.classes, 2)?, self.ratios.len());
        if axes == 0 || axes >= classes {
            return Err(
                format!("{axes} axes of {classes} classes: there must be one or more, and fewer").into()
            );
        }
        parts::same("class means", self.centers.len(), classes)?;
        parts::same("axes of class means", self.centers.columns(), axes)?;
        if !self.centers.values().iter().all(|mean| mean.is_finite()) {
            return Err("a class mean is not a finite number".into());
        }
        if !self.ratios.iter().all(|ratio| (0.0..=1.0).contains(ratio)) {
            return Err("the ratio of an axis does not lie between 0 and 1".into());
        }
        parts::same("thresholds", usize::from(self.threshold.is_some()), usize::from(classes == 2))?;
        if !self.threshold.is_none_or(f64::is_finite) {
            return Err("the threshold is not a finite number".into());
        }
        parts::check_residual(self.mu, self.residual)?;
        parts::check(&self.expansion, axes, &self.support)
    }

    /// Tensors `centers` (a row for each class, a column for each axis), `ratios` (one for each axis),
    /// `threshold` (one number of two classes, else none), `regularizer` and `residual` (one number each).
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        writer.table("centers", &self.centers);
        writer.list("ratios", &self.ratios);
        writer.tensor("threshold", &[usize::from(self.threshold.is_some())], self.threshold);
        writer.list("regularizer", &[self.mu]);
        writer.list("residual", &[self.residual]);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<FisherModel<X, X::Kernel>, Flaw> {
    let ratios: Vec<f64> = reader.list("ratios")?;
    let (shape, means) = reader.tensor::<f64>("centers", 2)?;
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    if ratios.is_empty() || shape != [classes.len(), ratios.len()] {
        return Err("the class means are not one row per class, one column per axis".into());
    }
    parts::no_certificates(reader)?;
    Ok(FisherModel {
        expansion: parts::read_full(reader, "", ratios.len())?,
        classes,
        centers: Dense::new(ratios.len(), means),
        threshold: match reader.list("threshold")?[..] {
            [] => None,
            [threshold] => Some(threshold),
            _ => return Err("tensor 'threshold' must be one number or none".into()),
        },
        ratios,
        support: reader.counts("support")?,
        mu: parts::number(reader, "regularizer")?,
        residual: parts::number(reader, "residual")?,
    })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "Fisher discriminant: axes on which classes lie apart, and classes by them";
    Method::new(("fisher", summary, "fisher", &[]), Fisher::new, Fisher::parameters, read)
}
