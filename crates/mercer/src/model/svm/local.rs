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
use super::pairwise::SIDE_BY_SIDE;
use super::svc::Svc;
use super::weights::{Present, class_sums};
use crate::data::{Labels, Points};
use crate::error::{Result, check};
use crate::kernel::Kernel;
use crate::solve::divide::SAMPLE;
use crate::solve::{Phases, Progress, Shared, Smo, Watch, unwatched};

use gate::Gate;
pub use model::{Cell, LocalModel};

/// Points in a cell, about, and the fewest and most cells, where their number is not given. On 150,000 points cells of this
/// size are seven times as fast as the whole and 0.7 % of the points worse; half as many cells take half as long again and are
/// 0.2 % worse, twice as many save a third. With more than 64 there would be fewer than 8 points of the sample to find each by.
const CELL: usize = 10_000;
const FEWEST: usize = 2;
const MOST: usize = 64;

/// C-SVC by cells: an approximation for 100,000 points and more.
#[derive(Debug, Clone, PartialEq)]
pub struct Local<K> {
    /// What is fitted to each cell.
    pub svc: Svc<K>,
    /// Cells, at most, from 1 to 512; one for about 10,000 points, from 2 to 64, where absent. With one, it is the exact machine.
    pub cells: Option<usize>,
}

impl<K> Local<K> {
    /// Cells of about 10,000 points, and `svc` for each.
    pub fn new(svc: Svc<K>) -> Self {
        Self { svc, cells: None }
    }

    /// Sets how many cells there are, at most: there are fewer where there are fewer different points.
    #[must_use]
    pub fn cells(mut self, count: usize) -> Self {
        self.cells = Some(count);
        self
    }

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self) -> Result<()> {
        let cells = self.cells.unwrap_or(FEWEST);
        check("cells", cells as f64, (1..=SAMPLE).contains(&cells), "must be from 1 to 512")?;
        self.svc.check()
    }

    /// Fits a classifier to each cell.
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit<X: Points>(&self, x: &X, y: &Labels) -> Result<LocalModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        self.fit_watched(x, y, &mut unwatched())
    }

    /// The same under a watch, which sees every round of every cell and can end the fit: the model then has the best so far
    /// of each cell, and of a cell that was not reached its most frequent class.
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit_watched<X: Points>(&self, x: &X, y: &Labels, watch: Watch<'_>) -> Result<LocalModel<X, K>>
    where
        K: Kernel<X> + Clone,
    {
        Ok(self.fit_timed(x, y, watch)?.0)
    }

    /// The same, and where the time went, summed over the cells (which run side by side).
    ///
    /// # Errors
    /// If a parameter, the labels or the points cannot be used.
    pub fn fit_timed<X: Points>(
        &self,
        x: &X,
        y: &Labels,
        watch: Watch<'_>,
    ) -> Result<(LocalModel<X, K>, Phases)>
    where
        K: Kernel<X> + Clone,
    {
        self.check()?;
        y.check(x.len())?;
        x.check_finite()?;
        check_known(&self.svc.class_weights, y)?;
        let present = Present::new(&self.svc.weights, x.len())?;
        let (x, y) = (&present.points(x), &present.labels(y));
        y.check(x.len())?;
        let started = Instant::now();
        let count = self.cells.unwrap_or((x.len() / CELL).clamp(FEWEST, MOST));
        let gate = Gate::new(&self.svc.kernel, x, count).map_err(|error| present.error(error))?;
        let whole = self.whole(&present.weights, gate.cells.len());
        let shared = Shared::new(watch, gate.cells.len(), started);
        let part = Part { svc: &whole, x, y, weights: &present.weights };
        let one = |(number, index): (usize, &Vec<usize>)| {
            let left = whole.solver.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
            let mut watch = |progress: &Progress| shared.show(number, progress);
            part.fit(index, left, &mut watch)
        };
        let fitted = gate.cells.par_iter().enumerate().map(one).collect::<Result<Vec<_>>>();
        let (mut cells, phases): (Vec<_>, Vec<_>) =
            fitted.map_err(|error| present.error(error))?.into_iter().unzip();
        let machines = cells.iter_mut().filter_map(|cell: &mut Cell<X, K>| cell.machine.as_mut());
        machines.for_each(|machine| present.positions(&mut machine.support));
        let mut support = gate.support;
        present.positions(&mut support);
        let classes = y.classes().to_vec();
        Ok((LocalModel { gate: gate.expansion, support, cells, classes }, phases.into_iter().sum()))
    }

    /// The machine of the cells: prices are those of the whole, the budget for rows is shared out.
    fn whole(&self, weights: &[f64], cells: usize) -> Svc<K>
    where
        K: Clone,
    {
        let c = if self.svc.mean { self.svc.c / weights.iter().sum::<f64>() } else { self.svc.c };
        let cache_bytes = self.svc.solver.cache_bytes / cells.clamp(1, SIDE_BY_SIDE);
        let solver = Smo { cache_bytes, ..self.svc.solver.clone() };
        Svc { c, mean: false, solver, ..self.svc.clone() }
    }
}

/// What the cells are parts of.
struct Part<'a, X, K> {
    svc: &'a Svc<K>,
    x: &'a X,
    y: &'a Labels,
    weights: &'a [f64],
}

impl<X: Points, K: Kernel<X> + Clone> Part<'_, X, K> {
    /// Fits the cell of the points at `index`.
    fn fit(&self, index: &[usize], left: Option<Duration>, watch: Watch<'_>) -> Result<(Cell<X, K>, Phases)> {
        let y = self.y.select(index);
        let weights: Vec<f64> = index.iter().map(|&i| self.weights[i]).collect();
        let sums = class_sums(&y, &weights);
        let most = (1..sums.len()).fold(0, |best, c| if sums[c] > sums[best] { c } else { best });
        let class = self.y.classes().iter().position(|name| *name == y.classes()[most]);
        let class = class.expect("a class of a cell is one of all");
        if sums.len() == 1 {
            return Ok((Cell { size: index.len(), class, machine: None }, Phases::default()));
        }
        let class_weights = self.svc.class_weights.iter();
        let svc = Svc {
            weights,
            class_weights: class_weights.filter(|(name, _)| y.classes().contains(name)).cloned().collect(),
            solver: Smo { time_limit: left, ..self.svc.solver.clone() },
            ..self.svc.clone()
        };
        let fitted = svc.fit_timed(&self.x.select(index), &y, watch).map_err(|error| error.about(index));
        let (mut machine, phases) = fitted?;
        machine.support.iter_mut().for_each(|i| *i = index[*i]);
        Ok((Cell { size: index.len(), class, machine: Some(machine) }, phases))
    }
}
