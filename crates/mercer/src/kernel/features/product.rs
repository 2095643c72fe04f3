//! Products of sparse rows with all columns.

use rayon::prelude::*;

use super::lists::{Lists, entry_cost};
use super::store::Store;
use crate::data::{Dense, Real, Sparse, Vectors};
use crate::error::Result;
use crate::kernel::{Bound, Expr, VectorKernel, engine};

/// A feature that more than this share of the columns have is stored densely. Its list costs a row that has it about a nanosecond
/// for each column that has it, share² nanoseconds an entry on average; its place in the matrix costs each entry a thirtieth of one,
/// and rows of the matrix some for being copied.
const FREQUENT: f64 = 0.25;

/// Columns below which no matrix is worth its packing.
const FEW: usize = 64;

/// Nanoseconds an entry that lists must take for a matrix to be worth it: so long it takes to hand the products of the matrix on.
const WORTH: f64 = 1.0;

/// Columns for each place of the matrix. A place takes two numbers for each column, as the engine has a packed copy, and so all of
/// them at most half a Gram of the same precision.
const COLUMNS_A_PLACE: usize = 4;

/// Single precision adds whole numbers exactly up to this sum.
const EXACT: f64 = (1 << 24) as f64;

/// A feature without a place in the dense part.
const NO_PLACE: u32 = u32::MAX;

/// The columns of a product, by feature.
pub(super) struct Product {
    columns: usize,
    lists: Lists,
    dense: Option<Frequent>,
}

/// A precision of kernel values.
pub(super) trait Entry: Real {
    /// Fills `out` with the sums that `fill` leaves in its argument, which holds no particular values before; `room` may be that.
    fn fill(out: &mut [Self], room: &mut Vec<f64>, fill: impl FnOnce(&mut [f64]));
}

impl Entry for f64 {
    fn fill(out: &mut [f64], _room: &mut Vec<f64>, fill: impl FnOnce(&mut [f64])) {
        fill(out);
    }
}

impl Entry for f32 {
    fn fill(out: &mut [f32], room: &mut Vec<f64>, fill: impl FnOnce(&mut [f64])) {
        room.resize(out.len(), 0.0);
        fill(room);
        out.iter_mut().zip(room).for_each(|(entry, sum)| *entry = *sum as f32);
    }
}

/// The features that many columns have.
struct Frequent {
    /// The place of each feature in the matrix.
    place: Vec<u32>,
    places: usize,
    product: Box<dyn Bound<Vectors>>,
    /// Rows of whole numbers up to this squared norm have exact products in single precision; none do where columns are not whole.
    reach: Option<f64>,
}

impl Product {
    /// Lists the columns of each of `features` features.
    pub(super) fn new(columns: &Store, features: usize) -> Result<Self> {
        let dense = Frequent::new(columns, features)?;
        let listed = |f: u32| dense.as_ref().is_none_or(|dense| dense.place[f as usize] == NO_PLACE);
        let lists = Lists::new(columns, features, listed);
        Ok(Self { columns: columns.len(), lists, dense })
    }

    /// Fills `out[r]` with the products of row r of `features` and the columns, each row as far as it goes.
    pub(super) fn rows<T: Entry>(&self, features: &Sparse<f64>, out: &mut [&mut [T]]) {
        let widest = out.iter().map(|row| row.len()).max().unwrap_or(0);
        let dense = self.dense.as_ref().map(|dense| dense.rows(features, widest));
        out.par_iter_mut().enumerate().for_each_init(Default::default, |(room, whole), (r, out)| {
            let (index, values) = features.row(r);
            T::fill(out, room, |sums| {
                let whole = self.lists.whole(index, values, sums.len(), whole);
                match (&dense, whole) {
                    (None, Some(whole)) => {
                        sums.iter_mut().zip(whole).for_each(|(sum, &of_lists)| *sum = f64::from(of_lists));
                    }
                    (Some(dense), Some(whole)) => {
                        dense.copy_row(r, sums);
                        sums.iter_mut().zip(whole).for_each(|(sum, &of_lists)| *sum += f64::from(of_lists));
                    }
                    (dense, None) => {
                        match dense {
                            Some(dense) => dense.copy_row(r, sums),
                            None => sums.fill(0.0),
                        }
                        self.lists.add(index, values, sums);
                    }
                }
            });
        });
    }

    /// A rough cost of a value in nanoseconds.
    pub(super) fn cost(&self) -> f64 {
        1.0 + self.lists.cost(self.columns) + self.dense.as_ref().map_or(0.0, |dense| dense.product.cost())
    }

    /// Bytes of the lists.
    pub(super) fn bytes(&self) -> usize {
        self.lists.bytes()
    }
}

/// Products of rows with as many columns each, one row after the other.
enum Products {
    Single(Vec<f32>, usize),
    Double(Vec<f64>, usize),
}

impl Products {
    /// Copies the first products of row `r`.
    fn copy_row(&self, r: usize, to: &mut [f64]) {
        match self {
            Self::Double(values, width) => to.copy_from_slice(&values[r * width..][..to.len()]),
            Self::Single(values, width) => {
                to.iter_mut().zip(&values[r * width..]).for_each(|(to, &value)| *to = f64::from(value));
            }
        }
    }
}

impl Frequent {
    fn new(columns: &Store, features: usize) -> Result<Option<Self>> {
        let n = columns.len();
        if n < FEW {
            return Ok(None);
        }
        let (place, places) = places(columns, features);
        if places == 0 {
            return Ok(None);
        }
        let mut values = vec![0.0; n * places];
        for (j, row) in values.chunks_mut(places).enumerate() {
            columns.visit(j, |f, value| {
                if let Some(entry) = row.get_mut(place[f as usize] as usize) {
                    *entry = value;
                }
            });
        }
        // Sums of whole numbers are exact in single precision up to this squared norm of a row, as
        // k(x, y)² ≤ k(x, x) k(y, y); others are computed in double precision.
        let largest = largest_square(&values, places);
        let whole = is_whole(&values) && largest <= EXACT * EXACT;
        let matrix: Vectors = match whole {
            true => Dense::new(places, values.iter().map(|&value| value as f32).collect()).into(),
            false => Dense::new(places, values).into(),
        };
        let reach = whole.then_some(EXACT * EXACT / largest);
        let product = engine::bind_within(&Expr::from(VectorKernel::Linear), &matrix, || Ok(reach))?;
        Ok(Some(Self { place, places, product, reach }))
    }

    /// The products of the frequent features of all rows with the first `width` columns.
    fn rows(&self, features: &Sparse<f64>, width: usize) -> Products {
        let matrix = self.dense(features);
        // Sums that are exact are the same in both precisions, and single takes half the time.
        let is_near = |reach: f64| largest_square(matrix.values(), self.places) <= reach;
        let single = self.reach.is_some_and(is_near) && is_whole(matrix.values());
        let (matrix, all): (Vectors, Vec<usize>) = (matrix.into(), (0..features.len()).collect());
        if single {
            let mut values = vec![0.0; all.len() * width];
            self.product.rows(&matrix, &all, &mut slices(&mut values, width));
            Products::Single(values, width)
        } else {
            let mut values = vec![0.0; all.len() * width];
            self.product.rows_f64(&matrix, &all, &mut slices(&mut values, width));
            Products::Double(values, width)
        }
    }

    /// Rows of the features that have a place.
    fn dense(&self, features: &Sparse<f64>) -> Dense<f64> {
        let mut values = vec![0.0; features.len() * self.places];
        for (i, row) in values.chunks_mut(self.places).enumerate() {
            let (index, counts) = features.row(i);
            for (&f, &count) in index.iter().zip(counts) {
                if let Some(entry) = row.get_mut(self.place[f as usize] as usize) {
                    *entry = count;
                }
            }
        }
        Dense::new(self.places, values)
    }
}

/// The place in the matrix of each feature that enough columns have, of those that most columns have where there are too many; and
/// how many places there are.
fn places(columns: &Store, features: usize) -> (Vec<u32>, usize) {
    let n = columns.len();
    let mut counts = vec![0_u32; features];
    (0..n).for_each(|j| columns.visit(j, |f, _| counts[f as usize] += 1));
    let is_frequent = |f: &usize| f64::from(counts[*f]) > FREQUENT * n as f64;
    let mut frequent: Vec<usize> = (0..features).filter(is_frequent).collect();
    if entry_cost(frequent.iter().map(|&f| f64::from(counts[f]) / n as f64)) < WORTH {
        frequent.clear();
    }
    frequent.sort_by_key(|&f| std::cmp::Reverse(counts[f]));
    frequent.truncate(n / COLUMNS_A_PLACE);
    frequent.sort_unstable();
    let mut place = counts;
    place.fill(NO_PLACE);
    frequent.iter().zip(0..).for_each(|(&f, at)| place[f] = at);
    (place, frequent.len())
}

/// Rows of `width` values that lie one after the other.
fn slices<T>(values: &mut [T], width: usize) -> Vec<&mut [T]> {
    values.chunks_mut(width.max(1)).collect()
}

/// The largest squared norm of rows of a matrix, or 1.
fn largest_square(values: &[f64], width: usize) -> f64 {
    let square = |row: &[f64]| row.iter().map(|value| value * value).sum::<f64>();
    values.chunks(width).map(square).fold(1.0, f64::max)
}

fn is_whole(values: &[f64]) -> bool {
    values.iter().all(|value| value.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Row = Vec<(u32, f64)>;

    const FEATURES: usize = 90;

    fn stored(rows: &[Row]) -> Store {
        let mut store = Store::default();
        rows.iter().for_each(|row| store.push(&mut row.clone()));
        store
    }

    /// Rows whose features are in nearly all of them, in some or in few; `value` makes a value of a number below 400.
    fn rows(count: usize, value: fn(u32) -> f64) -> impl Strategy<Value = Vec<Row>> {
        let row = proptest::collection::vec(0..400_u32, FEATURES).prop_map(move |drawn| {
            let is_there = |f: u32, drawn: u32| drawn % 10 < [9, 3, 1][f as usize % 3];
            let found = (0..).zip(drawn).filter(|&(f, drawn)| is_there(f, drawn));
            found.map(|(f, drawn)| (f, value(drawn))).collect()
        });
        proptest::collection::vec(row, count)
    }

    fn product(a: &Row, b: &Row) -> f64 {
        let other = |f: u32| b.iter().find(|entry| entry.0 == f).map_or(0.0, |entry| entry.1);
        a.iter().map(|&(f, value)| value * other(f)).sum()
    }

    fn all_products(columns: &[Row], factor: f64, tolerance: f64) -> std::result::Result<(), TestCaseError> {
        let store = stored(columns);
        let bound = Product::new(&store, FEATURES).expect("values are finite");
        let some = [columns.len() - 1, 0, 1];
        let scaled: Vec<Row> = some
            .iter()
            .map(|&i| columns[i].iter().map(|&(f, value)| (f, factor * value)).collect())
            .collect();
        let found = stored(&scaled).select(&[0, 1, 2], FEATURES);
        let mut values = vec![vec![0.0_f64; columns.len()], vec![0.0; 1], vec![0.0; columns.len() / 2]];
        bound.rows(&found, &mut values.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        for (row, values) in scaled.iter().zip(&values) {
            for (column, value) in columns.iter().zip(values) {
                let wanted = product(row, column);
                prop_assert!((value - wanted).abs() <= tolerance * wanted.abs(), "{} {}", value, wanted);
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        // Counts up to 398, beyond those of one entry of a list; more frequent features than places, and too few columns for any.
        #[test]
        fn products_of_counts_are_exact(many in rows(100, |drawn| f64::from(drawn + 1)), few in rows(5, |drawn| f64::from(drawn + 1))) {
            all_products(&many, 1.0, 0.0)?;
            all_products(&many, -3.0, 0.0)?;
            all_products(&few, 1.0, 0.0)?;
        }

        // Sums of at most 90 terms of one sign, in another order.
        #[test]
        fn products_of_other_values_agree(many in rows(100, |drawn| 0.1 + f64::from(drawn))) {
            all_products(&many, 0.7, 1e-13)?;
        }

        // Sums of squares of 400,000 are beyond 2²⁴, up to which single precision is exact, and below 2⁵³.
        #[test]
        fn products_of_large_counts_are_exact(many in rows(70, |drawn| f64::from(1000 * (drawn + 1)))) {
            all_products(&many, 1.0, 0.0)?;
        }
    }

    #[test]
    fn the_matrix_takes_at_most_half_a_gram() {
        let rows: Vec<Row> = (0..100).map(|_| (0..90).map(|f| (f, 1.0)).collect()).collect();
        let (place, places) = places(&stored(&rows), FEATURES);
        assert_eq!(places, 100 / COLUMNS_A_PLACE);
        assert_eq!(place.iter().filter(|&&place| place != NO_PLACE).count(), places);
    }

    #[test]
    fn few_frequent_features_are_listed() {
        let rows: Vec<Row> = (0..100).map(|j| (j % 2..4).map(|f| (f, 1.0)).collect()).collect();
        assert_eq!(places(&stored(&rows), 4).1, 4);
        let rows: Vec<Row> = (0..100).map(|j| (j % 2..1).map(|f| (f, 1.0)).collect()).collect();
        assert_eq!(places(&stored(&rows), 1).1, 0);
    }
}
