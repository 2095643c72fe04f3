//! Linear fits whose rows are anywhere: in files, on other machines.
//!
//! The rows come in *shards*. In each round every shard tells its [`Stats`] at the weights of the round ([`Rounds::stats`]), these are
//! merged ([`Stats::merge`]), and the round is solved ([`Rounds::solve`]): the next weights, or the last. Nothing else
//! moves between threads, processes or the machines of a cluster. Numbers take one round, classes a handful.
//!
//! The features are the rows that a kernel is the inner product of, `linear @ nystrom(rbf(gamma=1), 2000)` above all; its landmarks must be chosen
//! before ([`Kernel::fitted`]). Costs have a derivative: the squared hinge, the logistic loss, squared errors. See
//! [`solve`](crate::solve) for the mathematics and the cost: n·m² multiplications a round, m² numbers of memory, and 4·m² bytes for the Stats of a shard.
//!
//! ```
//! use std::ops::ControlFlow;
//! use mercer::data::{Points, Vectors};
//! use mercer::kernel::{Kernel, Nystrom, Reference, linear, rbf};
//! use mercer::model::{Cost, Rounds, Stats};
//!
//! let x = Vectors::dense(1, (0..200).map(|i| f64::from(i) / 20.0).collect::<Vec<_>>());
//! let y: Vec<f64> = (0..200).map(|i| (f64::from(i) / 20.0).sin()).collect();
//! let kernel = linear().on(Nystrom::new(rbf(1.0), 30).into());
//! let kernel = kernel.fitted(&Reference::new(&x), &mut |_| ControlFlow::Continue(()))?;
//! let mut rounds = Rounds::new(&kernel, 1, Cost::SquaredInsensitive(0.0))?;
//! while rounds.certificate().is_none() {
//!     let shard = |rows: std::ops::Range<usize>| {
//!         let own: Vec<usize> = rows.clone().collect();
//!         rounds.stats(&x.select(&own), &y[rows.clone()], &vec![100.0; rows.len()])
//!     };
//!     let stats = Stats::merge(vec![shard(0..50)?, shard(50..120)?, shard(120..200)?])?;
//!     rounds.solve(&stats)?;
//! }
//! assert!((rounds.values(&Vectors::dense(1, vec![1.0]))?[0] - 1.0_f64.sin()).abs() < 1e-2);
//! assert!(rounds.certificate().unwrap().gap.unwrap() < 1e-6);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::Cost;
use crate::data::{Row, Vectors};
use crate::kernel::{Coordinates, VectorExpr};

use crate::model::prelude::*;
use crate::solve::linear::{Round, Sums, Until, left_out};

/// Rows whose features are in memory at once, however many a shard has.
const BLOCK: usize = 2048;

/// A linear fit in rounds.
#[derive(Debug, Clone)]
pub struct Rounds {
    coordinates: Coordinates,
    /// What the fit is, by which the stats of others are told apart.
    key: u64,
    /// Features of the points.
    inputs: usize,
    /// Features of the rows, and the constant one.
    features: usize,
    constant: f64,
    cost: Cost,
    until: Until,
    round: Round,
    certificate: Option<Certificate>,
}

/// What a shard tells of its rows at the weights of a round.
#[derive(Clone)]
pub struct Stats {
    key: u64,
    round: u64,
    sums: Sums,
}

impl Rounds {
    /// A fit over the rows that a kernel is the inner product of, of points with `inputs` features: with a constant feature 1, whose weight costs as
    /// the others do, to a gap of 1e-6 of the objective in at most 100 rounds.
    ///
    /// # Errors
    /// If the kernel is none of this kind or is not fitted, the points do not fit it, or the cost has a kink.
    pub fn new(kernel: &VectorExpr, inputs: usize, cost: Cost) -> Result<Self> {
        kernel.check()?;
        let coordinates = Kernel::<Vectors>::coordinates(kernel).ok_or_else(|| ErrorKind::Unsupported {
            what: format!(
                "rounds of the kernel {kernel}: it must be linear, linear @ map or a multiple of these"
            )
            .into(),
        })?;
        let landmarks = Kernel::<Vectors>::landmarks(kernel);
        let name = format!("{kernel} {cost:?} {inputs}");
        Self::of(coordinates, inputs, cost, (&name, &landmarks))
    }

    /// The fit over some rows; its name and landmarks tell it from others.
    pub(super) fn of(
        coordinates: Coordinates,
        inputs: usize,
        cost: Cost,
        (name, landmarks): (&str, &[Vectors]),
    ) -> Result<Self> {
        if matches!(cost, Cost::Hinge | Cost::Insensitive(_)) {
            let what =
                "rounds of a cost with a kink; squared-hinge, logistic and squared-insensitive have none";
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        }
        let features = coordinates.width(inputs)?.saturating_add(1);
        let mut key = Fingerprint::default();
        key.add(name.as_bytes());
        for landmarks in landmarks {
            for i in 0..landmarks.len() {
                landmarks.row(i).for_each(|k, value| {
                    key.add(&(k as u64).to_le_bytes());
                    key.add(&value.to_bits().to_le_bytes());
                });
            }
        }
        let until = Until { tolerance: 1e-6, rounds: 100 };
        let (round, key) = (Round::first(features), key.0);
        Ok(Self { coordinates, key, inputs, features, constant: 1.0, cost, until, round, certificate: None })
    }

    /// Sets the value of the constant feature; 0 for no offset.
    #[must_use]
    pub fn constant(mut self, constant: f64) -> Self {
        self.constant = constant;
        self
    }

    /// Sets the largest gap, as a share of the objective, and the most rounds.
    #[must_use]
    pub fn until(mut self, tolerance: f64, rounds: u64) -> Self {
        self.until = Until { tolerance, rounds };
        self
    }

    /// The fit at the weights of a round, as a shard far away needs it.
    ///
    /// # Errors
    /// If there is not one weight for each feature and the constant one, or one is not finite.
    pub fn at(mut self, round: u64, weights: &[f64]) -> Result<Self> {
        let rule = "must be one for each feature and the constant one";
        check("weights", weights.len() as f64, weights.len() == self.features, rule)?;
        weights.iter().try_for_each(|&w| check("weight", w, w.is_finite(), "must be finite"))?;
        self.round = Round { number: round, weights: weights.to_vec(), step: None };
        Ok(self)
    }

    /// The features of some points, and the constant one.
    fn rows(&self, points: &Vectors) -> Result<Vec<Vec<f64>>> {
        let rows = self.coordinates.of(points)?;
        Ok(self.with_constant(&rows))
    }

    /// Rows with the constant feature at last.
    fn with_constant(&self, rows: &Vectors) -> Vec<Vec<f64>> {
        let dense = |row: Row<'_>| {
            let mut own = vec![0.0; self.features];
            row.for_each(|k, value| own[k] = value);
            own[self.features - 1] = self.constant;
            own
        };
        (0..rows.len()).map(|i| dense(rows.row(i))).collect()
    }

    /// What a shard tells in this round: of its points, with a target (±1 for classes) and a price C ≥ 0 for each. A shard may be empty.
    ///
    /// # Errors
    /// If a number is not finite, a target or price is none, or the points do not fit the kernel.
    pub fn stats(&self, x: &Vectors, targets: &[f64], prices: &[f64]) -> Result<Stats> {
        let mut stats = Stats { key: self.key, round: self.round.number, sums: Sums::zero(self.features)? };
        self.add(&mut stats, x, targets, prices)?;
        Ok(stats)
    }

    /// Adds what further points of a shard tell.
    ///
    /// # Errors
    /// As [`Rounds::stats`]; if the stats are of another fit or round.
    pub fn add(&self, stats: &mut Stats, x: &Vectors, targets: &[f64], prices: &[f64]) -> Result<()> {
        self.check(stats)?;
        self.check_shard(x, targets, prices)?;
        let all: Vec<usize> = (0..x.len()).collect();
        for rows in all.chunks(BLOCK) {
            let features = self.rows(&x.select(rows))?;
            let part = rows[0]..rows[0] + rows.len();
            stats.sums.add(
                &features,
                (&targets[part.clone()], &prices[part]),
                self.cost,
                &self.round.weights,
            );
        }
        Ok(())
    }

    /// Refuses points that do not fit, and targets or prices that are none.
    fn check_shard(&self, x: &Vectors, targets: &[f64], prices: &[f64]) -> Result<()> {
        let n = x.len();
        check("targets", targets.len() as f64, targets.len() == n, "must be one per point")?;
        check("prices", prices.len() as f64, prices.len() == n, "must be one per point")?;
        let sides = matches!(self.cost, Cost::SquaredHinge | Cost::Logistic);
        for &target in targets {
            check("target", target, target.is_finite(), "must be finite")?;
            check(
                "target",
                target,
                !sides || target.abs() == 1.0,
                "must be 1 or -1 where there are classes",
            )?;
        }
        prices.iter().try_for_each(|&c| {
            check("price", c, c >= 0.0 && c.is_finite(), "must be finite and not negative")
        })?;
        // The points of a shard without rows may be of any width.
        if n > 0 && x.width() != self.inputs {
            return Err(
                ErrorKind::Data(DataProblem::Width { found: x.width(), expected: self.inputs }).into()
            );
        }
        x.check_finite()
    }

    /// Σ |βᵢ|√rᵢ of a shard, at the last weights: β as the optimality conditions give it, and what the landmarks leave of each kernel value; 0 of
    /// kernels without landmarks. The sums of shards are to be added up for [`Rounds::exact_gap`].
    ///
    /// # Errors
    /// As [`Rounds::stats`].
    pub fn left_out(&self, x: &Vectors, targets: &[f64], prices: &[f64]) -> Result<f64> {
        self.check_shard(x, targets, prices)?;
        let (all, mut sum) = ((0..x.len()).collect::<Vec<usize>>(), 0.0);
        for rows in all.chunks(BLOCK) {
            let points = x.select(rows);
            let images = self.coordinates.of(&points)?;
            let Some(residual) = self.coordinates.residual(&points, &images)? else { return Ok(0.0) };
            let part = rows[0]..rows[0] + rows.len();
            let known = (&targets[part.clone()], &prices[part]);
            sum += left_out(&self.with_constant(&images), known, &residual, self.cost, &self.round.weights);
        }
        Ok(sum)
    }

    /// By how much the weights may miss the optimum of the kernel that landmarks stand for: their gap and ½ left_out².
    #[must_use]
    pub fn exact_gap(&self, left_out: f64) -> Option<f64> {
        Some(self.certificate?.gap? + 0.5 * left_out * left_out)
    }

    /// Solves the round: finds the next weights, or that these are the last, of which there is then a certificate.
    ///
    /// # Errors
    /// If the stats are of another fit or round, of no rows, or not finite.
    pub fn solve(&mut self, stats: &Stats) -> Result<()> {
        self.check(stats)?;
        if stats.sums.rows == 0 {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        if self.certificate.is_none() {
            self.certificate = self.round.advance(&stats.sums, self.cost, self.until)?;
        }
        Ok(())
    }

    fn check(&self, stats: &Stats) -> Result<()> {
        if stats.key != self.key || stats.sums.slope.len() != self.features {
            return Err(ErrorKind::Unsupported { what: "stats of another fit".into() }.into());
        }
        let (own, told) = (self.round.number, stats.round);
        if self.certificate.is_none() && own != told {
            let what = format!("stats of round {told} in round {own}");
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        }
        Ok(())
    }

    /// Bytes that a fit of so many features takes: sums, their factor, a block of rows.
    pub(super) fn bytes(features: usize) -> u64 {
        let m = features as u64 + 1;
        let block = 3 * 8 * BLOCK as u64;
        m.saturating_mul(m.saturating_mul(8).saturating_add(block)).saturating_mul(3) / 2
    }

    /// Primal minus dual objective where the last step began; infinite before.
    pub(super) fn gap(&self) -> f64 {
        self.round.step.as_ref().map_or(f64::INFINITY, |step| step.gap)
    }

    /// The dual objective there.
    pub(super) fn objective(&self) -> f64 {
        self.round.step.as_ref().map_or(0.0, |step| step.gap - step.value)
    }

    /// The number of this round, from 0.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round.number
    }

    /// The weights of this round: of the features, and of the constant one at last.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.round.weights
    }

    /// How good the weights are, once they are the last.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// The function at each of some points.
    ///
    /// # Errors
    /// If the points do not fit the kernel.
    pub fn values(&self, points: &Vectors) -> Result<Vec<f64>> {
        points.check_finite()?;
        let all: Vec<usize> = (0..points.len()).collect();
        let mut values = Vec::with_capacity(all.len());
        for rows in all.chunks(BLOCK) {
            let rows = self.rows(&points.select(rows))?;
            values.extend(rows.iter().map(|row| crate::linalg::dot(row, &self.round.weights)));
        }
        Ok(values)
    }
}

/// Before the numbers of stats in bytes: what they are, and the version of the format.
const MAGIC: [u8; 16] = *b"mercer stats 1\0\0";
/// Bytes before the sums: what they are, key, round, rows, features.
const HEAD: usize = 48;

impl std::fmt::Debug for Stats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stats of {} rows in round {}, {} features", self.rows(), self.round, self.features())
    }
}

impl Stats {
    /// Merges the stats of shards, in the order of the shards: neighbours two by two, then their sums, until one is left. So the bits do
    /// not depend on who merges which, only on the shards and their order.
    ///
    /// # Errors
    /// If there are none, or they are not all of one fit and round.
    pub fn merge(mut stats: Vec<Self>) -> Result<Self> {
        while stats.len() > 1 {
            let mut pairs = stats.into_iter();
            let mut merged = Vec::new();
            while let Some(mut first) = pairs.next() {
                if let Some(second) = pairs.next() {
                    first.plus(&second)?;
                }
                merged.push(first);
            }
            stats = merged;
        }
        stats.pop().ok_or_else(|| ErrorKind::Data(DataProblem::Empty).into())
    }

    /// Adds the stats of another shard.
    ///
    /// # Errors
    /// If they are of another fit or round.
    pub fn plus(&mut self, other: &Self) -> Result<()> {
        let of = |stats: &Self| (stats.key, stats.round, stats.sums.slope.len());
        if of(self) != of(other) {
            return Err(ErrorKind::Unsupported {
                what: "stats of different fits or rounds in one sum".into(),
            }
            .into());
        }
        self.sums.merge(&other.sums);
        Ok(())
    }

    /// The number of rows they are of.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.sums.rows
    }

    /// The number of features, with the constant one.
    #[must_use]
    pub fn features(&self) -> usize {
        self.sums.slope.len()
    }

    /// The stats as bytes, 4·m² and a few; the last four are a checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let m = self.features();
        let mut bytes = Vec::with_capacity(HEAD + 8 * numbers(m as u64).unwrap_or(0) as usize + 8);
        bytes.extend(MAGIC);
        for number in [self.key, self.round, self.sums.rows, m as u64] {
            bytes.extend(number.to_le_bytes());
        }
        let rows = (0..m).flat_map(|i| self.sums.curvature.row(i));
        for number in std::iter::once(&self.sums.cost).chain(&self.sums.slope).chain(rows) {
            bytes.extend(number.to_le_bytes());
        }
        let mut sum = Fingerprint::default();
        sum.add(&bytes);
        bytes.extend(sum.0.to_le_bytes());
        bytes
    }

    /// The stats that [`Stats::to_bytes`] made bytes of.
    ///
    /// # Errors
    /// If the bytes are others, damaged, or hold a number that is not finite.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let refused = |what: &str| crate::Error::from(ErrorKind::Unsupported { what: what.into() });
        let word = |at: usize| {
            let eight = bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok());
            eight.map(u64::from_le_bytes).ok_or_else(|| refused("stats that end early"))
        };
        if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) {
            return Err(refused("bytes that are no stats of a round"));
        }
        let (key, round, rows, m) = (word(16)?, word(24)?, word(32)?, word(40)?);
        // The length is checked before anything is made that long.
        let length = numbers(m).and_then(|count| count.checked_mul(8)?.checked_add(HEAD as u64 + 8));
        if m == 0 || length != Some(bytes.len() as u64) {
            return Err(refused("stats of another length than their features have"));
        }
        let mut sum = Fingerprint::default();
        sum.add(&bytes[..bytes.len() - 8]);
        if word(bytes.len() - 8)? != sum.0 {
            return Err(refused("stats that are damaged: the checksum does not match"));
        }
        let mut sums = Sums::zero(m as usize)?;
        let (mut at, mut finite) = (HEAD, true);
        let mut next = || {
            let number = f64::from_bits(word(at)?);
            at += 8;
            finite &= number.is_finite();
            Ok::<f64, crate::Error>(number)
        };
        (sums.rows, sums.cost) = (rows, next()?);
        for slope in &mut sums.slope {
            *slope = next()?;
        }
        for row in sums.curvature.rows_mut() {
            for number in row {
                *number = next()?;
            }
        }
        if !finite {
            return Err(ErrorKind::Data(DataProblem::FitNotFinite).into());
        }
        Ok(Self { key, round, sums })
    }
}

/// How many numbers stats of so many features have.
fn numbers(m: u64) -> Option<u64> {
    let half = m.checked_mul(m.checked_add(1)?)? / 2;
    half.checked_add(m)?.checked_add(1)
}

/// The hash of Fowler, Noll and Vo, of 64 bits: the same on every machine.
struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
