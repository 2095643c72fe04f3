//! The kernel perceptron: one pass after the other, a correction at each mistake.
//!
//! Rosenblatt (1958) in feature space (Aizerman, Braverman and Rozonoer 1964; lecture 003). Every class c has a function
//! F_c(x) = Σᵢ βᵢ_c k(xᵢ, x), zero at first. The points come one after the other; where another class ŷ has a score as
//! large as the own class y of a point,
//!
//!   βᵢ_y ← βᵢ_y + 1, βᵢ_ŷ ← βᵢ_ŷ − 1
//!
//! (Crammer and Singer 2003; with two classes the difference of the two functions is the perceptron of the lecture). It
//! ends after a pass without a mistake, or after [`Perceptron::passes`].
//!
//! **Mistake bound** (Novikoff 1962). Where a function with ‖w‖ = 1 separates two classes with margin γ, and k(x, x) ≤ R², there
//! are at most (R/γ)² mistakes, however often and in whichever order the points come. The `certificate` of a fit on
//! separable data is therefore exact: no mistakes in the last pass.
//!
//! **Averaged** (Freund and Schapire 1999): the mean of all functions on the way, which errs less than the last one on data
//! that are not separable. **Budgeted** (Crammer, Kandola and Singer 2003): with a budget of B support points the one that the
//! others classify best without it makes room, in the mean too; time and memory are then bounded, and the mistake bound
//! is lost.
//!
//! A point of weight w is presented w times in a row. An offset is a constant feature: k + 1 in place of k.
//!
//! Cost: n kernel values for each update (those of points that are corrected again are kept as far as a gigabyte goes) and
//! one look at each point in each pass.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::Perceptron;
//!
//! let x = Vectors::dense(1, vec![-2.0, -1.8, 0.0, 0.2, 1.9, 2.0]);
//! let y = Labels::first_seen(["low", "low", "middle", "middle", "high", "high"]);
//! let model = Perceptron::new(rbf(0.5)).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-3.0, 0.1, 2.1]))?, ["low", "middle", "high"]);
//! assert_eq!(model.mistakes.last(), Some(&0.0));
//! # Ok::<(), mercer::Error>(())
//! ```

use std::ops::ControlFlow;
use std::time::Instant;

use crate::data::SplitMix;
use crate::gram::Gram;
use crate::memory::available;
use crate::model::prelude::*;
use crate::solve::Stage;

/// Bytes of kernel rows that are kept.
const KEPT: usize = 1 << 30;

/// The kernel perceptron and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Perceptron<K> {
    /// k
    pub kernel: K,
    /// Most passes over the points, at least 1.
    pub passes: usize,
    /// Whether the mean of all functions on the way is taken in place of the last one.
    pub average: bool,
    /// Most support points, at least as many as classes; none for as many as there are mistakes.
    pub budget: Option<usize>,
    /// Whether there is an offset: a constant feature of size 1.
    pub offset: bool,
    /// What the order of the points in each pass is drawn by; none for the order of the data.
    pub seed: Option<u64>,
}

settings! { Perceptron<K>:
    passes: usize, "passes", "1 or more", "most passes over the points; it ends earlier after a pass without a mistake";
    average: bool, "average", "a flag", "mean of all functions on the way in place of the last one";
    budget: Option<usize> | into, "budget", "as many as classes or more", "most support points; as many as there are mistakes where left open";
    offset: bool, "offset", "a flag", "constant of the decision";
    seed: Option<u64> | into, "seed", "a whole number", "seed by which the order of the points in each pass is drawn; the order of the data where left open";
    /// Fits a classifier.
    fit(Labels) -> PerceptronModel;
}

impl<K> Perceptron<K> {
    /// Ten passes at most, averaged, no budget, an offset, the points in an order drawn by seed 0.
    pub fn new(kernel: K) -> Self {
        Self { kernel, passes: 10, average: true, budget: None, offset: true, seed: Some(0) }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Perceptron<K> {
    type Target = Labels;
    type Model = PerceptronModel<X, K>;

    fn check(&self) -> Result<()> {
        check("passes", self.passes as f64, self.passes > 0, "must be at least 1")?;
        let budget = self.budget.unwrap_or(1);
        check("budget", budget as f64, budget > 0, "must be at least 1")
    }

    /// Fits a classifier. Where the watch ends the fit, the model is that of the passes so far.
    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<PerceptronModel<X, K>> {
        Estimator::<X>::check(self)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let classes = y.classes().len();
        if let Some(budget) = self.budget {
            check("budget", budget as f64, budget >= classes, "must be at least the number of classes")?;
        }
        let kernel = own.kernel(&self.kernel, job)?;
        let gram = own.gram(&kernel, job)?;
        let mut learner = Learner::new(self, &*gram, &y);
        let (started, mut mistakes) = (Instant::now(), Vec::new());
        let mut order: Vec<usize> = (0..y.len()).collect();
        let mut random = self.seed.map(SplitMix);
        let mut watch = job.stages();
        for pass in 0..self.passes {
            if let Some(random) = &mut random {
                random.shuffle(&mut order);
            }
            let wrong = learner.pass(&order, &own.weights).map_err(|error| own.error(error))?;
            mistakes.push((wrong / own.weights.iter().sum::<f64>()).min(1.0));
            let done = (pass + 1) as f64 / self.passes as f64;
            let seen = watch(&Stage { name: "passes", done, elapsed: started.elapsed() });
            if wrong == 0.0 || seen == ControlFlow::Break(()) {
                break;
            }
        }
        let (updates, coefficients) = (learner.updates, learner.coefficients());
        // The constant feature's weight is Σβ, and an offset is subtracted.
        let sum = |c: usize| coefficients.iter().skip(c).step_by(classes).sum::<f64>();
        let offsets = (0..classes).map(|c| if self.offset { -sum(c) } else { 0.0 }).collect();
        let (expansion, support) = Expansion::over_support(kernel.clone(), &own, &coefficients, offsets);
        Ok(PerceptronModel { expansion, classes: y.classes().to_vec(), support, mistakes, updates })
    }
}

/// The functions while they are learnt.
struct Learner<'a> {
    gram: &'a dyn Gram,
    labels: &'a Labels,
    /// 1 where there is an offset: what is added to each kernel value.
    constant: f64,
    average: bool,
    budget: usize,
    /// F of all points: point after point, one per class.
    scores: Vec<f64>,
    /// β of all points.
    beta: Vec<f64>,
    /// Σ of the presentations before each change times the change, for the mean of all β.
    past: Vec<f64>,
    /// Points presented so far, by weight.
    presented: f64,
    /// Points with a coefficient.
    support: Vec<usize>,
    /// Kernel rows that are kept.
    rows: Vec<Option<Vec<f32>>>,
    /// How many there are, and how many there may be.
    held: usize,
    kept: usize,
    updates: u64,
}

impl<'a> Learner<'a> {
    fn new<K>(settings: &Perceptron<K>, gram: &'a dyn Gram, labels: &'a Labels) -> Self {
        let (n, size) = (labels.len(), labels.len() * labels.classes().len());
        Self {
            gram,
            labels,
            constant: if settings.offset { 1.0 } else { 0.0 },
            average: settings.average,
            budget: settings.budget.unwrap_or(usize::MAX),
            scores: vec![0.0; size],
            beta: vec![0.0; size],
            past: vec![0.0; if settings.average { size } else { 0 }],
            presented: 0.0,
            support: Vec::new(),
            rows: vec![None; n],
            held: 0,
            kept: KEPT.min((available() / 2) as usize) / (4 * n.max(1)),
            updates: 0,
        }
    }

    /// Presents all points in `order`; gives the mistakes by weight.
    fn pass(&mut self, order: &[usize], weights: &[f64]) -> Result<f64> {
        let mut wrong = 0.0;
        for &i in order {
            let mut left = weights[i];
            // A point that is right stays right: only a mistake changes the functions.
            while left > 0.0 {
                let Some(other) = self.mistaken(i) else { break };
                let step = left.min(1.0);
                self.correct(i, other, step)?;
                (left, wrong) = (left - step, wrong + step);
                self.presented += step;
            }
            self.presented += left.max(0.0);
        }
        Ok(wrong)
    }

    /// The class that is taken for that of point `i`, where it is another one.
    fn mistaken(&self, i: usize) -> Option<usize> {
        let (classes, class) = (self.labels.classes().len(), self.labels.index()[i] as usize);
        let scores = &self.scores[i * classes..(i + 1) * classes];
        let others = (0..classes).filter(|&c| c != class);
        let best = others.reduce(|best, c| if scores[c] > scores[best] { c } else { best })?;
        (scores[best] >= scores[class]).then_some(best)
    }

    fn correct(&mut self, i: usize, other: usize, step: f64) -> Result<()> {
        let class = self.labels.index()[i] as usize;
        if !self.support.contains(&i) {
            if self.support.len() >= self.budget {
                self.forget()?;
            }
            self.support.push(i);
        }
        self.updates += 1;
        self.change(i, &[(class, step), (other, -step)])
    }

    /// Adds to the coefficients of point `i`, and so to the scores of all points.
    fn change(&mut self, i: usize, changes: &[(usize, f64)]) -> Result<()> {
        let (n, classes) = (self.labels.len(), self.labels.classes().len());
        let row = match self.rows[i].take() {
            Some(row) => {
                self.held -= 1;
                row
            }
            None => {
                let mut row = vec![0.0; n];
                self.gram.rows(&[i], &mut [&mut row]);
                if let Some(j) = row.iter().position(|value| !value.is_finite()) {
                    let problem = DataProblem::KernelNotFinite { row: i + 1, column: j + 1 };
                    return Err(ErrorKind::Data(problem).into());
                }
                row
            }
        };
        for &(class, change) in changes {
            self.beta[i * classes + class] += change;
            if self.average {
                self.past[i * classes + class] += self.presented * change;
            }
            let scores = self.scores[class..].iter_mut().step_by(classes);
            scores.zip(&row).for_each(|(score, &k)| *score += change * (f64::from(k) + self.constant));
        }
        if self.held < self.kept {
            self.held += 1;
            self.rows[i] = Some(row);
        }
        Ok(())
    }

    /// Takes away the support point that has the largest margin by the others alone; of several the oldest.
    fn forget(&mut self) -> Result<()> {
        let classes = self.labels.classes().len();
        let margin = |&i: &usize| {
            let (class, own) = (self.labels.index()[i] as usize, self.gram.diagonal()[i] + self.constant);
            let score = |c: usize| self.scores[i * classes + c] - self.beta[i * classes + c] * own;
            let others = (0..classes).filter(|&c| c != class).map(score).fold(f64::NEG_INFINITY, f64::max);
            score(class) - others
        };
        let place = first_largest(&self.support.iter().map(margin).collect::<Vec<_>>());
        let i = self.support.remove(place);
        let changes: Vec<(usize, f64)> = (0..classes).map(|c| (c, -self.beta[i * classes + c])).collect();
        self.change(i, &changes)?;
        // Nothing of it stays in the mean either: that is over the points that are left.
        if self.average {
            self.past[i * classes..(i + 1) * classes].fill(0.0);
        }
        if self.rows[i].take().is_some() {
            self.held -= 1;
        }
        Ok(())
    }

    /// β, or its mean over all presentations.
    fn coefficients(self) -> Vec<f64> {
        if !self.average || self.presented == 0.0 {
            return self.beta;
        }
        let mean = |(b, past): (&f64, &f64)| b - past / self.presented;
        self.beta.iter().zip(&self.past).map(mean).collect()
    }
}

/// A fitted perceptron: a function for each class, of which the largest decides.
#[derive(Debug, Clone, PartialEq)]
pub struct PerceptronModel<X, K> {
    /// F: one output for each class.
    pub expansion: Expansion<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// Positions of the support points in the training data, from 0.
    pub support: Vec<usize>,
    /// The share of mistakes in each pass, by weight.
    pub mistakes: Vec<f64>,
    /// Corrections made in all passes.
    pub updates: u64,
}

impl<X: Points, K: Kernel<X>> PerceptronModel<X, K> {
    /// The number of the class with the largest score for each point; of several the lowest.
    fn predict_as(&self, points: &X, how: How) -> Result<Vec<usize>> {
        self.expansion.map_as(points, how.double, first_largest)
    }
}
classifies!(PerceptronModel);

impl<X: Space> Model<X> for PerceptronModel<X, X::Kernel> {
    made_of!("perceptron": expansion, support, classes);

    fn quality(&self) -> Quality {
        Quality::Mistakes { share: self.mistakes.last().copied().unwrap_or(1.0), updates: self.updates }
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("passes", self.mistakes.len())
            .with("mistakes_by_pass", self.mistakes.as_slice())
    }

    fn words(&self) -> String {
        let (classes, passes) = (count(self.classes.len(), "class"), count(self.mistakes.len(), "pass"));
        format!("{classes}, a function for each, after {passes}")
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("class", self.classes.clone())
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.expansion.rows(points, how.double)
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let outputs = parts::check_names(&self.classes, 2)?;
        if self.mistakes.is_empty() || !self.mistakes.iter().all(|share| (0.0..=1.0).contains(share)) {
            return Err("the shares of mistakes are not numbers from 0 to 1, one for each pass".into());
        }
        parts::check(&self.expansion, outputs, &self.support)
    }

    /// Tensors `mistakes` (one for each pass) and `updates` (one number).
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        writer.list("mistakes", &self.mistakes);
        writer.tensor("updates", &[1], [self.updates]);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<PerceptronModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    parts::no_certificates(reader)?;
    let [updates] = reader.list::<u64>("updates")?[..] else {
        return Err("tensor 'updates' must be one number".into());
    };
    Ok(PerceptronModel {
        expansion: parts::read_full(reader, "", classes.len())?,
        classes,
        support: reader.counts("support")?,
        mistakes: reader.list("mistakes")?,
        updates,
    })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "kernel perceptron: a correction at each mistake, averaged, with a budget of support points or without";
    Method::new(("perceptron", summary, "perceptron", &[]), Perceptron::new, Perceptron::own_parameters, read)
}
