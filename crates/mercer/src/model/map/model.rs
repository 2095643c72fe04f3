//! A trained self-organising map: the nearest unit of new points, their distances to all units, and what units look like.

use crate::model::prelude::*;
use crate::solve::map::{Grid, Lattice, Map};

/// A trained map.
#[derive(Debug, Clone, PartialEq)]
pub struct SomModel<X, K> {
    /// An output for each unit: ⟨φ(x), m⟩ − ½‖m‖², which is largest for the unit nearest to x.
    pub expansion: Expansion<X, K>,
    /// Names of the units: row and column, from 1, as `3,7`.
    pub classes: Vec<String>,
    /// Where the units lie.
    pub grid: Grid,
    /// The number of the nearest unit of each training point of positive weight, in the order of the data.
    pub winners: Vec<usize>,
    /// The mean distance of the training points to their nearest prototype, in feature space.
    pub quantisation_error: f64,
    /// The share of training points whose two nearest units are no neighbours.
    pub topographic_error: f64,
    /// The weight of the training points of each unit.
    pub hits: Vec<f64>,
    /// For each unit the position in the training data, from 0, of the point nearest to its prototype: what the unit looks
    /// like, of texts and graphs too.
    pub medians: Vec<usize>,
    /// The distances of the prototypes of neighbours, for each pair as [`Grid::pairs`] lists them.
    pub between: Vec<f64>,
    /// Epochs of training.
    pub epochs: usize,
    /// Whether no point changed its unit in the last epoch.
    pub settled: bool,
    /// Positions of the points of the expansion in the training data, from 0; of copies the first.
    pub support: Vec<usize>,
}

/// The name of each unit.
fn names(grid: Grid) -> Vec<String> {
    (0..grid.units()).map(|unit| format!("{},{}", unit / grid.columns + 1, unit % grid.columns + 1)).collect()
}

impl<X: Points, K: Kernel<X>> SomModel<X, K> {
    /// The map of a solver over points that differ.
    pub(super) fn new(kernel: K, Joined { own, place, .. }: &Joined<X>, grid: Grid, map: Map) -> Self {
        let (n, units) = (own.points.len(), grid.units());
        let offsets = map.square_norms.iter().map(|square| 0.5 * square).collect();
        let coefficients = Coefficients::full(n, units, map.coefficients);
        Self {
            expansion: Expansion::new(kernel, own.points.clone(), coefficients, offsets),
            classes: names(grid),
            grid,
            winners: place.iter().map(|&at| map.measures.winners[at]).collect(),
            quantisation_error: map.measures.quantisation,
            topographic_error: map.measures.topographic,
            hits: map.measures.hits,
            medians: own.positions(map.measures.medians),
            between: map.measures.between,
            epochs: map.epochs,
            settled: map.settled,
            support: own.all_positions(),
        }
    }

    /// The number of the nearest unit of each point; of several the lowest.
    fn predict_as(&self, points: &X, how: How) -> Result<Vec<usize>> {
        self.expansion.map_as(points, how.double, first_largest)
    }

    /// The distances of each of `points` to all prototypes in feature space, a row for each point, in double precision.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn distances(&self, points: &X) -> Result<Dense<f64>> {
        let scores = self.expansion.rows(points, true)?;
        let diagonal = self.expansion.own_values(points)?;
        let units = self.grid.units();
        let rows = scores.values().chunks(units).zip(&diagonal);
        let row = |(row, k): (&[f64], &f64)| row.iter().map(|f| distance(*k, *f)).collect::<Vec<_>>();
        Ok(Dense::new(units, rows.flat_map(row).collect()))
    }
}
classifies!(SomModel);

impl<X, K> SomModel<X, K> {
    /// The U-matrix: for each unit the mean distance of its prototype to those of its neighbours, a row for each row of the
    /// grid. Ridges of large values separate groups of points.
    #[must_use]
    pub fn u_matrix(&self) -> Dense<f64> {
        let (mut sums, mut counts) = (vec![0.0; self.grid.units()], vec![0.0_f64; self.grid.units()]);
        for (pair, distance) in self.grid.pairs().iter().zip(&self.between) {
            for &unit in pair {
                sums[unit] += distance;
                counts[unit] += 1.0;
            }
        }
        let means = sums.iter().zip(&counts).map(|(sum, count)| sum / count.max(1.0)).collect();
        Dense::new(self.grid.columns, means)
    }

    /// The coefficients γ of the prototypes: a row of all units for each point of the expansion.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        self.expansion.coefficients().first_block()
    }
}

impl<X: Space> Model<X> for SomModel<X, X::Kernel> {
    made_of!("som": expansion, support, classes);

    /// The epochs are a plan: a map that has not settled in them is no worse than was asked for.
    fn quality(&self) -> Quality {
        Quality::Reached {
            what: "quantisation_error",
            value: self.quantisation_error,
            iterations: self.epochs as u64,
            converged: true,
        }
    }

    fn facts(&self) -> Facts {
        let Value::Word(grid) = self.grid.lattice.value() else { unreachable!("a lattice is a word") };
        Facts::default()
            .with("rows", self.grid.rows)
            .with("columns", self.grid.columns)
            .with("grid", grid)
            .with("quantisation_error", self.quantisation_error)
            .with("topographic_error", self.topographic_error)
            .with("epochs", self.epochs)
            .with("settled", self.settled)
            .with("hits", Dense::new(self.grid.columns, self.hits.clone()))
            .with("u_matrix", self.u_matrix())
            .with("medians", self.medians.as_slice())
            .with("winners", self.winners.as_slice())
    }

    fn words(&self) -> String {
        let Grid { rows, columns, lattice } = self.grid;
        let lattice = match lattice {
            Lattice::Rectangular => "rectangular",
            Lattice::Hexagonal => "hexagonal",
        };
        let torn = short(100.0 * self.topographic_error);
        format!("a {lattice} map of {rows} × {columns} units, topographic error {torn} %")
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("unit", self.classes.clone())
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.expansion.rows(points, how.double)
    }

    fn components(&self, points: &X) -> Result<Dense<f64>> {
        self.distances(points)
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let units = self.grid.rows.checked_mul(self.grid.columns).filter(|&units| units > 0);
        let units = units.ok_or("a grid without units")?;
        parts::same("names of units", self.classes.len(), units)?;
        parts::same("weights of units", self.hits.len(), units)?;
        parts::same("medians", self.medians.len(), units)?;
        if self.winners.len() < self.expansion.points().len() {
            return Err("fewer nearest units than points".into());
        }
        if self.classes != names(self.grid) {
            return Err("the units are not named by their rows and columns".into());
        }
        if self.winners.iter().any(|&unit| unit >= units) {
            return Err("a point at a unit that is not on the grid".into());
        }
        parts::same("distances of neighbours", self.between.len(), self.grid.pairs().len())?;
        let sizes = [self.quantisation_error, self.topographic_error].into_iter();
        let mut sizes = sizes.chain(self.hits.iter().chain(&self.between).copied());
        if !sizes.all(|size| size >= 0.0 && size.is_finite()) || self.topographic_error > 1.0 {
            return Err("an error, a weight or a distance of units is negative or not finite".into());
        }
        parts::check(&self.expansion, units, &self.support)
    }

    /// Tensors `grid` (rows, columns, 1 where hexagonal), `winners` (one per training point), `hits` and `medians` (one per unit),
    /// `between` (one per pair of neighbours), `errors` (quantisation and topographic) and `epochs` (how many, 1 where no
    /// point changed its unit in the last).
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let hexagonal = usize::from(self.grid.lattice == Lattice::Hexagonal);
        writer.counts("grid", &[self.grid.rows, self.grid.columns, hexagonal]);
        writer.counts("winners", &self.winners);
        writer.list("hits", &self.hits);
        writer.counts("medians", &self.medians);
        writer.list("between", &self.between);
        writer.list("errors", &[self.quantisation_error, self.topographic_error]);
        writer.counts("epochs", &[self.epochs, usize::from(self.settled)]);
        Ok(())
    }
}

/// Parses a map; consistency of its parts is checked by the caller.
pub(super) fn read<X: Space>(reader: &mut Reader<'_>) -> Result<SomModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    parts::no_certificates(reader)?;
    let lattice = |hexagonal: usize| if hexagonal == 0 { Lattice::Rectangular } else { Lattice::Hexagonal };
    let grid = match reader.counts("grid")?[..] {
        [rows, columns, hexagonal @ (0 | 1)] => Grid { rows, columns, lattice: lattice(hexagonal) },
        _ => return Err("tensor 'grid' must be rows, columns, and 1 where hexagonal".into()),
    };
    let [quantisation_error, topographic_error] = reader.list("errors")?[..] else {
        return Err("tensor 'errors' must be two numbers".into());
    };
    let [epochs, settled @ (0 | 1)] = reader.counts("epochs")?[..] else {
        return Err("tensor 'epochs' must be a number of epochs, and 1 where the map has settled".into());
    };
    Ok(SomModel {
        expansion: parts::read_full(reader, "", classes.len())?,
        classes,
        grid,
        winners: reader.counts("winners")?,
        quantisation_error,
        topographic_error,
        hits: reader.list("hits")?,
        medians: reader.counts("medians")?,
        between: reader.list("between")?,
        epochs,
        settled: settled == 1,
        support: reader.counts("support")?,
    })
}
