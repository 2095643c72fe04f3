//! The kernel self-organising map: prototypes in feature space on a grid of units, so that units that are neighbours on the grid
//! have prototypes that are alike.
//!
//! The prototypes are m_j = Σᵢ γ_ji φ(xᵢ) with γ ≥ 0 and Σᵢ γ_ji = 1, and the squared distance of a point to one is
//! Kᵢᵢ − 2(Kγ_j)ᵢ + γ_jᵀKγ_j: kernel values alone, so that texts and graphs have maps as vectors have. With the linear kernel it
//! is the ordinary map of Kohonen; with a neighbourhood of width 0 it is kernel k-means.
//!
//! **Batch** (Boulet, Jouve, Rossi and Villa 2008): with c(i) the nearest unit of each point, γ_ji = wᵢh(j, c(i)) / Σ_l w_l
//! h(j, c(l)), then the nearest units are found anew. h is a Gaussian of the distance on the grid, whose width shrinks from
//! epoch to epoch in the first half of the epochs. Then, at the last width, a unit without points takes one of its neighbours on the
//! grid, the farthest from their prototypes, and training ends when no point changes its unit. **Online** (MacDonald and Fyfe 2000): each
//! point in turn moves its nearest unit and those around, γ_j ← (1 − ηh(j, c))γ_j + ηh(j, c)eᵢ.
//!
//! What a map is worth: the *quantisation error*, the mean distance of the points to their nearest prototype, and the *topographic
//! error*, the share of points whose two nearest units are no neighbours. The last width trades one for the other: a small
//! one lets prototypes come near to the points and the map fold.
//!
//! A point of weight w counts as w copies of it, which are joined to one point before training; online it takes the step of w
//! presentations in a row. A kernel that is
//! not positive semi-definite has no distances: squared ones below 0 count as 0, and batch training need not settle.
//!
//! Cost: n²/2 kernel values, held in double precision of up to 4096 points and in single precision of more, where memory has room
//! for n² of them, else computed again in each epoch for
//! the points that have changed their unit; in each epoch of batch training n² additions at most and n·units²
//! multiplications, of online training up to n²·units.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::linear;
//! use mercer::model::Som;
//!
//! // A map of one row orders points on a line.
//! let x = Vectors::dense(1, (0..40).map(|i| ((i * 17) % 40) as f64).collect());
//! let model = Som::new(linear()).rows(1).columns(4).fit(&x)?;
//! let units = model.predict_index(&Vectors::dense(1, vec![0.0, 13.0, 26.0, 39.0]))?;
//! assert!(units == [0, 1, 2, 3] || units == [3, 2, 1, 0]);
//! assert_eq!(model.topographic_error, 0.0);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::cmp::Ordering;

use super::model::{self, SomModel};
use crate::model::prelude::*;
use crate::solve::map::{Grid, Lattice, Schedule, Start, Task, Way, bytes, value_bytes};

/// How a map is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Training {
    /// All points are assigned to units at once, then all prototypes are computed.
    #[default]
    Batch,
    /// One point after the other moves the prototypes near it.
    Online,
}

/// Where the points lie on the grid before training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MapStart {
    /// In the plane of the two first kernel principal components, of 256 points where there are more, over which the grid is
    /// laid.
    #[default]
    Components,
    /// At units drawn at random.
    Random,
}

words!(Lattice: Lattice::Rectangular = "rectangular", Lattice::Hexagonal = "hexagonal");
words!(Training: Training::Batch = "batch", Training::Online = "online");
words!(MapStart: MapStart::Components = "components", MapStart::Random = "random");

/// A kernel self-organising map and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Som<K> {
    /// k
    pub kernel: K,
    /// Rows of the grid.
    pub rows: usize,
    /// Columns of the grid.
    pub columns: usize,
    /// How the units of the grid lie.
    pub grid: Lattice,
    /// How the map is trained.
    pub training: Training,
    /// Passes over the points, at most.
    pub epochs: usize,
    /// The width of the neighbourhood in the first epoch, in units of the grid; none for a fifth of its longer side.
    pub radius: Option<f64>,
    /// The width of the neighbourhood in the last epochs.
    pub end_radius: f64,
    /// The rate η of the first epoch of online training.
    pub rate: f64,
    /// Where the points lie on the grid before training.
    pub start: MapStart,
    /// What a random start and the order of the points in online training are drawn by; none for the order of the data, and
    /// a start as with 0.
    pub seed: Option<u64>,
}

settings! { Som<K>:
    rows: usize, "map-rows", "1 or more", "rows of units of the grid";
    columns: usize, "map-columns", "1 or more", "columns of units of the grid";
    grid: Lattice, "grid", "rectangular or hexagonal", "way the units lie: at whole coordinates, with 8 neighbours, or every second row moved by half a unit, with 6";
    training: Training, "training", "batch or online", "way to train: all points at once, or one after the other";
    epochs: usize, "epochs", "1 or more", "most passes over the points; batch training ends earlier when no point changes its unit";
    radius: Option<f64> | into, "radius", "above 0", "width of the neighbourhood at first, in units of the grid; a fifth of its longer side where left open";
    end_radius: f64, "end-radius", "0 or more, no larger than the radius", "width of the neighbourhood at last; smaller for prototypes nearer to the points, larger for a smoother map";
    rate: f64, "rate", "above 0, at most 1", "step of the nearest unit towards a point, in the first epoch of online training";
    start: MapStart, "map-start", "components or random", "place of the points on the grid before training: by the first two kernel principal components, or drawn";
    seed: Option<u64> | into, "seed", "a whole number", "seed by which a random start and the order of the points in online training are drawn; the order of the data where left open";
    /// Trains a map.
    fit() -> SomModel;
}

impl<K> Som<K> {
    /// Ten rows and columns, rectangular; batch training of 20 epochs at most, from the principal components, the neighbourhood
    /// shrinking from a fifth of the grid to .3 units.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            rows: 10,
            columns: 10,
            grid: Lattice::Rectangular,
            training: Training::Batch,
            epochs: 20,
            radius: None,
            end_radius: 0.3,
            rate: 0.5,
            start: MapStart::Components,
            seed: Some(0),
        }
    }

    /// The width of the neighbourhood at first.
    fn first_radius(&self) -> f64 {
        self.radius
            .unwrap_or_else(|| (0.2 * self.rows.max(self.columns) as f64).max(self.end_radius).max(0.5))
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for Som<K> {
    type Target = ();
    type Model = SomModel<X, K>;

    fn check(&self) -> Result<()> {
        for (name, count) in [("map-rows", self.rows), ("map-columns", self.columns), ("epochs", self.epochs)]
        {
            check(name, count as f64, count > 0, "must be at least 1")?;
        }
        let radius = self.first_radius();
        check("radius", radius, radius > 0.0 && radius.is_finite(), "must be above 0")?;
        let holds = (0.0..=radius).contains(&self.end_radius);
        check("end-radius", self.end_radius, holds, "must be at least 0 and no larger than the radius")?;
        check("rate", self.rate, self.rate > 0.0 && self.rate <= 1.0, "must lie in (0, 1]")
    }

    /// Trains a map. Where the watch ends training, the map is that of the epochs so far.
    fn fit_in(&self, x: &X, (): &(), job: &mut Job<'_, X>) -> Result<SomModel<X, K>> {
        Estimator::<X>::check(self)?;
        let own = Weighted::new(x, job.weights)?;
        own.check_scale()?;
        let joined = match (self.training, self.seed) {
            // In the order of the data.
            (Training::Online, None) => own.unjoined(),
            _ => own.joined(|_, _| Ordering::Equal),
        };
        let own = &joined.own;
        let kernel = own.kernel(&self.kernel, job)?;
        let gram = own.gram(&kernel, job)?;
        let grid = Grid { rows: self.rows, columns: self.columns, lattice: self.grid };
        let (n, units) = (gram.len(), self.rows.saturating_mul(self.columns));
        let beside = bytes(n, units);
        room("a self-organising map", beside, job.memory, "take fewer points or fewer units")?;
        let task = Task {
            grid,
            schedule: Schedule {
                epochs: self.epochs,
                widths: [self.first_radius(), self.end_radius],
                rate: self.rate,
            },
            way: match self.training {
                Training::Batch => Way::Batch,
                Training::Online => Way::Online(self.seed),
            },
            start: match self.start {
                MapStart::Components => Start::Components,
                MapStart::Random => Start::Random(self.seed.unwrap_or(0)),
            },
            weights: &own.weights,
            hold: room("the Gram matrix", value_bytes(n).saturating_add(beside), job.memory, "").is_ok(),
        };
        let (points, units) = (n as f64, units as f64);
        let kernel_values = points * points / 2.0 * (60.0 + 2.0 * own.points.width() as f64);
        let epoch = match self.training {
            Training::Batch => points * (points + units * units),
            Training::Online => points * points * units,
        };
        let mut stages = job.stages();
        let costs = [("kernel values", kernel_values), ("epochs", self.epochs as f64 * epoch)];
        let shared = std::cell::RefCell::new(Plan::new(&mut stages, &costs));
        let map = task.train(&*gram, &mut |share| shared.borrow_mut().stage(0)(share), &mut |share| {
            shared.borrow_mut().stage(1)(share)
        });
        let map = map.map_err(|error| own.error(error))?;
        Ok(SomModel::new(kernel.clone(), &joined, grid, map))
    }
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary =
        "kernel self-organising map: prototypes in feature space on a grid, neighbours of which are alike";
    Method::new(("som", summary, "som", &[]), Som::new, Som::own_parameters, model::read)
}
