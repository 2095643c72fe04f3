//! The grid that units of a self-organising map sit on: places, distances and neighbours.

/// How the units of a grid lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lattice {
    /// At whole coordinates; the eight units around a unit are its neighbours.
    Rectangular,
    /// Every second row half a unit to the right, rows √3/2 apart; the six units at distance 1 are neighbours.
    Hexagonal,
}

/// Units in rows and columns; the unit in row r and column c, from 0, has the number r·columns + c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Rows of units.
    pub rows: usize,
    /// Units in a row.
    pub columns: usize,
    /// How they lie.
    pub lattice: Lattice,
}

impl Grid {
    /// How many units there are.
    #[must_use]
    pub fn units(&self) -> usize {
        self.rows * self.columns
    }

    /// The place of a unit: across, down.
    #[must_use]
    pub fn place(&self, unit: usize) -> [f64; 2] {
        let (row, column) = (unit / self.columns, unit % self.columns);
        match self.lattice {
            Lattice::Rectangular => [column as f64, row as f64],
            Lattice::Hexagonal => [column as f64 + 0.5 * (row % 2) as f64, row as f64 * 0.75_f64.sqrt()],
        }
    }

    /// The squared distance of two units on the grid.
    #[must_use]
    pub fn square_distance(&self, unit: usize, other: usize) -> f64 {
        square_distance(self.place(unit), self.place(other))
    }

    /// Whether two units are neighbours.
    #[must_use]
    pub fn adjacent(&self, unit: usize, other: usize) -> bool {
        // Halfway between the farthest neighbours (distance √2 or 1) and the nearest of the others (2 or √3).
        let limit = match self.lattice {
            Lattice::Rectangular => 3.0,
            Lattice::Hexagonal => 2.0,
        };
        unit != other && self.square_distance(unit, other) < limit
    }

    /// All pairs of neighbours, each once and the lower number first, in ascending order.
    #[must_use]
    pub fn pairs(&self) -> Vec<[usize; 2]> {
        let units = self.units();
        // Neighbours lie in the same row or the next.
        let others = |unit: usize| unit + 1..units.min((unit / self.columns + 2) * self.columns);
        let pairs = |unit: usize| others(unit).filter(move |&other| self.adjacent(unit, other));
        (0..units).flat_map(|unit| pairs(unit).map(move |other| [unit, other])).collect()
    }

    /// The place of the unit in the last row and column, farthest across and down.
    pub(super) fn extent(&self) -> [f64; 2] {
        (0..self.units()).map(|unit| self.place(unit)).fold([0.0; 2], |[x, y], [a, b]| [x.max(a), y.max(b)])
    }

    /// The unit nearest to a place; of several the first.
    pub(super) fn nearest(&self, place: [f64; 2]) -> usize {
        let distance = |unit: usize| square_distance(self.place(unit), place);
        (1..self.units()).fold(0, |best, unit| if distance(unit) < distance(best) { unit } else { best })
    }

    /// The Gaussian neighbourhood h(j, u) = exp(−δ²(j, u)/2s²) of width s, a row of all units u for each unit j; where s is 0
    /// its limit, 1 for u = j and 0 else.
    pub(super) fn neighbourhood(&self, width: f64) -> Vec<f64> {
        let units = self.units();
        let value = |at: usize| gaussian(self.square_distance(at / units, at % units), width);
        (0..units * units).map(value).collect()
    }

    /// The shares Ĥ of units in prototypes: m_j = Σ_u Ĥ(j, u) · Σ_{c(i) = u} wᵢφ(xᵢ), with Σ_u Ĥ(j, u)·mass(u) = 1 for the
    /// sums `masses` of the weights of the points of each unit, of which one at least is positive.
    ///
    /// Ĥ(j, ·) is h(j, ·) times a number for each j. With δ² measured from the nearest unit that has points, the largest h is
    /// 1 for any width: a unit without points takes the mean of those around it, as h → 0 everywhere of the nearest.
    pub(super) fn shares(&self, width: f64, masses: &[f64]) -> Vec<f64> {
        let units = self.units();
        let mut shares = Vec::with_capacity(units * units);
        for j in 0..units {
            let square = |u: usize| self.square_distance(j, u);
            let occupied = (0..units).filter(|&u| masses[u] > 0.0);
            let nearest = occupied.map(square).fold(f64::INFINITY, f64::min);
            let h = |u: usize| gaussian((square(u) - nearest).max(0.0), width);
            let row: Vec<f64> = (0..units).map(|u| if masses[u] > 0.0 { h(u) } else { 0.0 }).collect();
            let total: f64 = row.iter().zip(masses).map(|(h, mass)| h * mass).sum();
            shares.extend(row.iter().map(|h| h / total));
        }
        shares
    }
}

fn square_distance([a, b]: [f64; 2], [c, d]: [f64; 2]) -> f64 {
    (a - c) * (a - c) + (b - d) * (b - d)
}

/// exp(−square/2s²), and its limit where s is 0.
fn gaussian(square: f64, width: f64) -> f64 {
    if square <= 0.0 { 1.0 } else { (-square / (2.0 * width * width)).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: usize, columns: usize, lattice: Lattice) -> Grid {
        Grid { rows, columns, lattice }
    }

    #[test]
    fn inner_units_have_eight_or_six_neighbours() {
        for (lattice, expected, pairs) in [(Lattice::Rectangular, 8, 110), (Lattice::Hexagonal, 6, 85)] {
            let grid = grid(6, 6, lattice);
            for unit in [7, 8, 13, 14, 19] {
                assert_eq!((0..36).filter(|&other| grid.adjacent(unit, other)).count(), expected);
            }
            let all = (0..36).flat_map(|a| (a + 1..36).map(move |b| [a, b]));
            assert_eq!(grid.pairs(), all.filter(|&[a, b]| grid.adjacent(a, b)).collect::<Vec<_>>());
            assert_eq!(grid.pairs().len(), pairs);
        }
    }

    #[test]
    fn a_place_belongs_to_its_unit() {
        for lattice in [Lattice::Rectangular, Lattice::Hexagonal] {
            let grid = grid(4, 5, lattice);
            assert!((0..20).all(|unit| grid.nearest(grid.place(unit)) == unit));
            assert_eq!(grid.neighbourhood(0.0)[..2], [1.0, 0.0]);
        }
    }

    #[test]
    fn shares_are_the_neighbourhood_normalised() {
        let grid = grid(3, 3, Lattice::Rectangular);
        let masses = [2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 3.0, 1.0];
        let (shares, h) = (grid.shares(0.8, &masses), grid.neighbourhood(0.8));
        for j in 0..9 {
            let total: f64 = (0..9).map(|u| h[j * 9 + u] * masses[u]).sum();
            for u in (0..9).filter(|&u| masses[u] > 0.0) {
                assert!((shares[j * 9 + u] - h[j * 9 + u] / total).abs() < 1e-12);
            }
        }
        // At width 0 a unit is the mean of its points, or those of the nearest units that have points: here of 0 and 2.
        let sharp = grid.shares(0.0, &masses);
        assert_eq!(sharp[..3], [0.5, 0.0, 0.0]);
        assert_eq!(sharp[9..12], [1.0 / 3.0, 0.0, 1.0 / 3.0]);
    }
}
