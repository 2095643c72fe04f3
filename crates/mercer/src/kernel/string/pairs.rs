//! Kernels that compare two sequences place by place, one row against several columns at once.
//!
//! Columns are packed in groups, one in each lane: place after place, the codes of all lanes together, 0 after the end of a
//! shorter one. Those of a group are of similar length. A value depends on its two texts only, so that its bits depend neither on
//! the number of threads nor on what else is asked for.
//!
//! Memory: four bytes for each place of a group and lane, and k(c, c) of the columns.

use rayon::prelude::*;

use super::Unit;
use super::unit::Alphabet;
use crate::data::Real;
use crate::error::Result;
use crate::kernel::{Bound, tree};

/// Columns that are sorted by length together: enough that the lanes of a group are about equally long, and few enough that
/// the first columns of a row are in few groups.
const SORTED: usize = 512;

/// Groups of a task, so that handing it out costs nothing beside the work.
const TASK: usize = 4;

/// A kernel on sequences of codes.
pub(super) trait Comparison<const N: usize>: Send + Sync + 'static {
    /// Memory that is used again from group to group.
    type Scratch: Default + Send;

    /// k(x, y) for each lane of `y`; the code 0 is no unit.
    fn values(&self, x: &[u32], y: &[[u32; N]], scratch: &mut Self::Scratch) -> [f64; N];

    /// A rough cost in nanoseconds of a value for sequences of so many units.
    fn cost(&self, length: f64) -> f64;
}

/// Some columns, one in each lane.
struct Group<const N: usize> {
    /// Which columns, at most one for each lane.
    columns: Vec<usize>,
    codes: Vec<[u32; N]>,
}

struct BoundPairs<C, const N: usize> {
    kernel: C,
    alphabet: Alphabet,
    columns: Vec<String>,
    groups: Vec<Group<N>>,
    diagonal: Vec<f64>,
    cost: f64,
}

/// Binds a comparison to columns.
///
/// # Errors
/// If there are too many different units, or a value of the diagonal is not finite in single precision.
pub(super) fn bind<C: Comparison<N>, const N: usize>(
    kernel: C,
    unit: Unit,
    columns: &[String],
) -> Result<Box<dyn Bound<Vec<String>>>> {
    let (alphabet, codes) = Alphabet::learn(unit, columns)?;
    let own = codes.par_iter().map_init(C::Scratch::default, |scratch, codes| own(&kernel, codes, scratch));
    let diagonal = tree::finite(own.collect())?;
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.chunks_mut(SORTED).for_each(|some| some.sort_by_key(|&j| codes[j].len()));
    let groups =
        order.chunks(SORTED).flat_map(|some| some.chunks(N)).map(|some| Group::new(some, &codes)).collect();
    let length = codes.iter().map(Vec::len).sum::<usize>() as f64 / codes.len().max(1) as f64;
    let cost = kernel.cost(length);
    Ok(Box::new(BoundPairs { kernel, alphabet, columns: columns.to_vec(), groups, diagonal, cost }))
}

/// k(x, x) of `points[rows]`.
pub(super) fn squares<C: Comparison<N>, const N: usize>(
    kernel: &C,
    unit: Unit,
    points: &[String],
    rows: &[usize],
) -> Vec<f64> {
    let of = |scratch: &mut C::Scratch, &i: &usize| {
        let learnt = Alphabet::learn(unit, std::slice::from_ref(&points[i]));
        learnt.map_or(f64::NAN, |(_, codes)| own(kernel, &codes[0], scratch))
    };
    rows.par_iter().map_init(C::Scratch::default, of).collect()
}

/// k(x, x).
fn own<C: Comparison<N>, const N: usize>(kernel: &C, codes: &[u32], scratch: &mut C::Scratch) -> f64 {
    let lane = |&code: &u32| {
        let mut lanes = [0; N];
        lanes[0] = code;
        lanes
    };
    let packed: Vec<[u32; N]> = codes.iter().map(lane).collect();
    kernel.values(codes, &packed, scratch)[0]
}

impl<const N: usize> Group<N> {
    fn new(columns: &[usize], codes: &[Vec<u32>]) -> Self {
        let longest = columns.iter().map(|&j| codes[j].len()).max().unwrap_or(0);
        let mut packed = vec![[0; N]; longest];
        for (lane, &j) in columns.iter().enumerate() {
            packed.iter_mut().zip(&codes[j]).for_each(|(lanes, &code)| lanes[lane] = code);
        }
        Self { columns: columns.to_vec(), codes: packed }
    }
}

impl<C: Comparison<N>, const N: usize> BoundPairs<C, N> {
    fn fill<T: Real>(&self, points: &[String], rows: &[usize], out: &mut [&mut [T]]) {
        out.par_iter_mut().zip(rows).for_each(|(out, &i)| {
            let x = self.alphabet.codes(&points[i]);
            let width = out.len();
            let wanted = |group: &&Group<N>| group.columns.iter().any(|&j| j < width);
            let groups: Vec<&Group<N>> = self.groups.iter().filter(wanted).collect();
            let values: Vec<[f64; N]> = groups
                .par_iter()
                .with_min_len(TASK)
                .map_init(C::Scratch::default, |scratch, group| self.kernel.values(&x, &group.codes, scratch))
                .collect();
            for (group, values) in groups.iter().zip(values) {
                for (&j, value) in group.columns.iter().zip(values) {
                    if let Some(entry) = out.get_mut(j) {
                        *entry = T::from_f64(value);
                    }
                }
            }
        });
    }
}

impl<C: Comparison<N>, const N: usize> Bound<Vec<String>> for BoundPairs<C, N> {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }

    fn own(&self, points: &Vec<String>, rows: &[usize]) -> Option<Vec<f64>> {
        let of = |scratch: &mut C::Scratch, &i: &usize| match self.columns.get(i) {
            Some(column) if *column == points[i] => self.diagonal[i],
            _ => own(&self.kernel, &self.alphabet.codes(&points[i]), scratch),
        };
        Some(rows.par_iter().map_init(C::Scratch::default, of).collect())
    }

    fn rows(&self, points: &Vec<String>, rows: &[usize], out: &mut [&mut [f32]]) {
        self.fill(points, rows, out);
    }

    fn rows_f64(&self, points: &Vec<String>, rows: &[usize], out: &mut [&mut [f64]]) {
        self.fill(points, rows, out);
    }

    fn cost(&self) -> f64 {
        self.cost
    }
}
