//! Early prediction: a classifier for each part of the space (Hsieh, Si and Dhillon 2014).
//!
//! The points are divided into cells by kernel k-means, and each cell gets an [`Svc`] of its own. With $m_j$ the mean of some
//! points in feature space, x goes to the cell with the largest
//!
//! $2⟨φ(x), m_j⟩ − ‖m_j‖² = ‖φ(x)‖² − ‖φ(x) − m_j‖²$, that is, to the nearest mean,
//!
//! and is decided by the machine of that cell alone. Each machine is exact and has its certificates. The whole is an
//! **approximation** of the classifier of all points: it leaves out every kernel value between two cells, nothing bounds what that
//! costs, and there is no gap of the whole.
//!
//! Cost: of n points in m cells, m problems of about n/m, so about an m-th of the kernel values of one; then 512·n for the
//! cells. A prediction costs 512 kernel values and those with the support points of one cell. It pays from about 100,000
//! points on: below, the solver stopped early (`Smo::time_limit`) is as good as fast.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::rbf;
//! use mercer::model::{Local, Svc};
//!
//! // Two clouds far apart, and classes inside each.
//! let x = Vectors::dense(1, vec![0.0, 0.1, 0.9, 1.0, 50.0, 50.1, 50.9, 51.0]);
//! let y = Labels::first_seen(["a", "a", "b", "b", "b", "b", "c", "c"]);
//! let model = Local::new(Svc::new(rbf(2.0)).c(10.0)).cells(2).fit(&x, &y)?;
//! assert_eq!(model.predict(&Vectors::dense(1, vec![0.05, 0.95, 50.0, 50.8]))?, ["a", "b", "b", "c"]);
//! let sizes: Vec<usize> = model.cells.iter().map(|cell| cell.size).collect();
//! assert_eq!(sizes, [4, 4]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod gate;
mod model;

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::class_weights::check_known;
use super::svc::Svc;
use crate::model::compute::{Compute, SIDE_BY_SIDE};
use crate::model::job::{Watcher, of_part};
use crate::model::prelude::*;
use crate::solve::divide::SAMPLE;
use crate::solve::{Phases, Shared};

use gate::Gate;
pub use model::{Cell, LocalModel};

/// Points in a cell, about, and the most cells, where their number is not given. On 150,000 points cells of this
/// size are seven times as fast as the whole and 0.7 % of the points worse; half as many cells take half as long again and are
/// 0.2 % worse, twice as many save a third. With more than 64 there would be fewer than 8 points of the sample to find each by.
const CELL: usize = 10_000;
const MOST: usize = 64;

/// C-SVC by cells: an approximation for 100,000 points and more.
#[derive(Debug, Clone, PartialEq)]
pub struct Local<K> {
    /// What is fitted to each cell.
    pub svc: Svc<K>,
    /// Cells, at most, from 1 to 512; one for about 10,000 points, from 1 to 64, where absent. There are fewer where there
    /// are fewer different points. With one, it is the exact classifier.
    pub cells: Option<usize>,
}

settings! { Local<K>:
    cells: Option<usize> | into, "cells", "from 1 to 512", "most cells that the points are divided into; one for 10,000 points, from 1 to 64, where left open";
    /// Fits a classifier to each cell.
    fit(Labels) -> LocalModel by svc.kernel;
}

impl<K> Local<K> {
    /// Cells of about 10,000 points, and `svc` for each.
    pub fn new(svc: Svc<K>) -> Self {
        Self { svc, cells: None }
    }

    /// All parameters by name: its own and those of the classifiers, which always vote.
    fn parameters() -> Vec<Parameter<Self>>
    where
        K: 'static,
    {
        let inner = Svc::parameters().into_iter().filter(|row| row.about.name != "multiclass");
        let inner = inner.map(|row| row.of_part(|e: &Self| &e.svc, |e: &mut Self| &mut e.svc));
        Self::own_parameters().into_iter().chain(inner).collect()
    }

    /// The classifier of the cells: prices are those of the whole, the budget for rows is shared out.
    fn of_cells(&self, weights: &[f64], cells: usize) -> Svc<K>
    where
        K: Clone,
    {
        let c = if self.svc.mean { self.svc.c / weights.iter().sum::<f64>() } else { self.svc.c };
        let cache_bytes = self.svc.solver.cache_bytes / cells.clamp(1, SIDE_BY_SIDE);
        let solver = Smo { cache_bytes, ..self.svc.solver.clone() };
        Svc { c, mean: false, solver, ..self.svc.clone() }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Local<K> {
    type Target = Labels;
    type Model = LocalModel<X, K>;

    fn check(&self) -> Result<()> {
        let cells = self.cells.unwrap_or(1);
        check("cells", cells as f64, (1..=SAMPLE).contains(&cells), "must be from 1 to 512")?;
        Estimator::<X>::check(&self.svc)
    }

    /// Fits a classifier to each cell. Where the watch ends the fit, the model has the best so far of each cell, and of a
    /// cell that was not reached its most frequent class.
    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<LocalModel<X, K>> {
        Estimator::<X>::check(self)?;
        check_known(&self.svc.class_weights, y)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let started = Instant::now();
        let count = self.cells.unwrap_or((own.points.len() / CELL).clamp(1, MOST));
        let gate = Gate::new(&self.svc.kernel, &own.points, count, job.compute);
        let gate = gate.map_err(|error| own.error(error))?;
        let svc = self.of_cells(&own.weights, gate.cells.len());
        let fitted = {
            let (compute, mut rounds) = (job.compute, job.rounds());
            let shared = Shared::new(&mut rounds, gate.cells.len(), started);
            let whole = Whole { svc: &svc, own: &own, y: &y, compute };
            let one = |(number, index): (usize, &Vec<usize>)| {
                let left = svc.solver.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
                whole.fit(index, left, &mut of_part(&shared, number))
            };
            gate.cells.par_iter().enumerate().map(one).collect::<Result<Vec<_>>>()
        };
        let (mut cells, phases): (Vec<_>, Vec<_>) =
            fitted.map_err(|error| own.error(error))?.into_iter().unzip();
        job.phases = phases.into_iter().chain([job.phases]).sum();
        for classifier in cells.iter_mut().filter_map(|cell: &mut Cell<X, K>| cell.classifier.as_mut()) {
            classifier.support = own.positions(std::mem::take(&mut classifier.support));
        }
        let (support, classes) = (own.positions(gate.support), y.classes().to_vec());
        Ok(LocalModel { gate: gate.expansion, support, cells, classes })
    }
}

/// What the cells are parts of.
struct Whole<'a, X: Points, K> {
    svc: &'a Svc<K>,
    own: &'a Weighted<X>,
    y: &'a Labels,
    compute: &'a dyn Compute<X>,
}

impl<X: Points, K: Kernel<X> + Clone> Whole<'_, X, K> {
    /// Fits the cell of the points at `index`.
    fn fit(
        &self,
        index: &[usize],
        left: Option<Duration>,
        watcher: Watcher<'_>,
    ) -> Result<(Cell<X, K>, Phases)> {
        let y = self.y.select(index);
        let weights: Vec<f64> = index.iter().map(|&i| self.own.weights[i]).collect();
        let sums = class_sums(&y, &weights);
        let most = first_largest(&sums);
        let class = self.y.classes().iter().position(|name| *name == y.classes()[most]);
        let class = class.expect("a class of a cell is one of all");
        if sums.len() == 1 {
            return Ok((Cell { size: index.len(), class, classifier: None }, Phases::default()));
        }
        let class_weights = self.svc.class_weights.iter();
        let svc = Svc {
            class_weights: class_weights.filter(|(name, _)| y.classes().contains(name)).cloned().collect(),
            solver: Smo { time_limit: left, ..self.svc.solver.clone() },
            ..self.svc.clone()
        };
        let mut job = Job::new().weights(&weights).watched(watcher).on(self.compute);
        let fitted = svc.fit_in(&self.own.points.select(index), &y, &mut job);
        let mut classifier = fitted.map_err(|error| error.about(index))?;
        classifier.support.iter_mut().for_each(|i| *i = index[*i]);
        Ok((Cell { size: index.len(), class, classifier: Some(classifier) }, job.phases))
    }
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "C-SVC for each cell of the points, approximate, for 100,000 points and more";
    let title = ("local", summary, "local", &[][..]);
    Method::new(title, |kernel| Local::new(Svc::new(kernel)), Local::parameters, model::read)
}
