//! Points packed for the products: columns into panels once, rows into strips or sparse rows per block.

use rayon::prelude::*;

use super::element::Element;
use crate::data::{Points, Row, Vectors};
use crate::error::{DataProblem, ErrorKind, Result};
use crate::kernel::Map;
use crate::kernel::vector::profile::Termwise;
use crate::simd::{Aligned, PANEL, STRIP, SparseRows};

/// Sparse columns whose dense panels would take more bytes than this stay sparse.
const DENSE_BYTES: usize = 1 << 30;

/// Sparse spaces wider than this are packed over the features that occur in the columns only.
const MANY_FEATURES: usize = 1 << 20;

/// Rows with a smaller share of entries than this are multiplied sparsely. A stored entry costs about as much as
/// 1.3 entries of the dense product, which has no index to follow.
const SPARSE_SHARE: f64 = 0.6;

/// The columns of a Gram as seen through some maps, less a centre where only differences matter.
pub(super) struct View<T> {
    maps: Vec<Map>,
    /// Features of the points as they are seen through the maps.
    width: usize,
    /// Features packed: all, or those of `occurring`.
    depth: usize,
    /// The features that occur in the columns, ascending, where only those are packed.
    occurring: Option<Vec<u32>>,
    columns: usize,
    center: Option<Vec<f64>>,
    termwise: bool,
    packed: Packed<T>,
    /// Squared norm of each column, padded to whole panels.
    norms: Vec<T>,
}

enum Packed<T> {
    /// Panel after panel, each feature after feature.
    Panels(Aligned<T>),
    /// Sparse columns, for spaces too wide to be dense.
    Wide(SparseRows<T>),
}

/// The place of feature `k` among those packed, none where it occurs in no column.
fn place_of(occurring: Option<&[u32]>, k: usize) -> Option<usize> {
    occurring.map_or(Some(k), |occurring| occurring.binary_search(&(k as u32)).ok())
}

/// Rows of `points` less the centre, in the precision of the engine, over the features packed; zeros are left out.
fn sparse_rows<T: Element>(
    points: &Vectors,
    rows: impl Iterator<Item = usize>,
    center: Option<&[f64]>,
    occurring: Option<&[u32]>,
) -> SparseRows<T> {
    let mut packed = SparseRows::new();
    for i in rows {
        about(points, i, center, |k, v| {
            if let Some(place) = place_of(occurring, k).filter(|_| v != 0.0) {
                packed.push(place as u32, T::from_f64(v));
            }
        });
        packed.end_row();
    }
    packed
}

/// Rows of a block, packed to meet the columns of a [`View`].
pub(super) struct RowSet<T> {
    packed: PackedRows<T>,
    /// Squared norm of each row.
    pub(super) norms: Vec<T>,
}

enum PackedRows<T> {
    Strips(Vec<T>),
    Sparse(SparseRows<T>),
    /// The rows as a panel over the features that occur in them, to meet [`Packed::Wide`]: for each feature of
    /// the space its place among those, and `PANEL` values for each place.
    Panel {
        place: Vec<u32>,
        values: Aligned<T>,
    },
}

/// A feature that occurs in none of the rows.
const ABSENT: u32 = u32::MAX;

fn pack_panel<T: Element>(rows: &SparseRows<T>, depth: usize) -> PackedRows<T> {
    let mut place = vec![ABSENT; depth];
    (0..rows.len()).for_each(|r| rows.row(r).entries().for_each(|(k, _)| place[k as usize] = 0));
    let mut places = 0;
    for p in place.iter_mut().filter(|p| **p != ABSENT) {
        *p = places;
        places += 1;
    }
    let mut values = Aligned::zeros(places as usize * PANEL);
    for r in 0..rows.len() {
        rows.row(r).entries().for_each(|(k, v)| values[place[k as usize] as usize * PANEL + r] = v);
    }
    PackedRows::Panel { place, values }
}

/// The features that occur in sparse `points`, ascending.
fn occurring(points: &Vectors) -> Vec<u32> {
    let mut features = Vec::with_capacity(points.stored());
    (0..points.len()).for_each(|i| points.row(i).for_each(|k, _| features.push(k as u32)));
    features.sort_unstable();
    features.dedup();
    features
}

/// `points` seen through `maps`; borrowed where there are none.
pub(super) fn mapped<'a>(points: &'a Vectors, maps: &[Map]) -> Result<std::borrow::Cow<'a, Vectors>> {
    maps.iter().try_fold(std::borrow::Cow::Borrowed(points), |points, map| {
        Ok(std::borrow::Cow::Owned(map.images(&points)))
    })
}

/// Puts the entries of row `i` less the centre; a sparse row stands for all of its zeros too.
fn about(points: &Vectors, i: usize, center: Option<&[f64]>, mut put: impl FnMut(usize, f64)) {
    let row = points.row(i);
    let Some(center) = center else { return row.for_each(put) };
    match row {
        Row::Dense32(values) => {
            values.iter().zip(center).enumerate().for_each(|(k, (&v, c))| put(k, f64::from(v) - c));
        }
        Row::Dense64(values) => values.iter().zip(center).enumerate().for_each(|(k, (v, c))| put(k, v - c)),
        sparse => {
            let mut next = 0;
            sparse.for_each(|k, v| {
                (next..k).for_each(|zero| put(zero, -center[zero]));
                put(k, v - center[k]);
                next = k + 1;
            });
            (next..center.len()).for_each(|zero| put(zero, -center[zero]));
        }
    }
}

/// Points summed by one task while means are taken: the sums do not depend on the number of threads.
const MEAN_TASK: usize = 8192;

/// Mean of each feature.
fn mean(points: &Vectors) -> Vec<f64> {
    let n = points.len();
    let piece = |task: usize| {
        let mut sums = vec![0.0; points.width()];
        let rows = task * MEAN_TASK..n.min((task + 1) * MEAN_TASK);
        rows.for_each(|i| points.row(i).for_each(|k, v| sums[k] += v));
        sums
    };
    let pieces: Vec<Vec<f64>> = (0..n.div_ceil(MEAN_TASK)).into_par_iter().map(piece).collect();
    let total = |k: usize| pieces.iter().map(|piece| piece[k]).sum::<f64>();
    (0..points.width()).map(|k| total(k) / n.max(1) as f64).collect()
}

/// Sums that the squares of a row are added up in, in turn: one alone would wait for itself.
const SUMS: usize = 8;

/// ‖x − centre‖² of row `i`.
pub(super) fn square(points: &Vectors, i: usize, center: Option<&[f64]>) -> f64 {
    match (points.row(i), center) {
        (Row::Dense32(values), Some(center)) => sum_of_squares(values, center, |&v, c| f64::from(v) - c),
        (Row::Dense64(values), Some(center)) => sum_of_squares(values, center, |v, c| v - c),
        _ => {
            let mut sum = 0.0;
            about(points, i, center, |_, v| sum += v * v);
            sum
        }
    }
}

/// Σ difference(xₖ, cₖ)².
fn sum_of_squares<T>(values: &[T], center: &[f64], difference: impl Fn(&T, &f64) -> f64) -> f64 {
    let mut sums = [0.0; SUMS];
    let add = |sum: &mut f64, (v, c)| {
        let d = difference(v, c);
        *sum += d * d;
    };
    let ((values, last), (center, last_center)) = (values.as_chunks::<SUMS>(), center.as_chunks::<SUMS>());
    for (values, center) in values.iter().zip(center) {
        sums.iter_mut().zip(values.iter().zip(center)).for_each(|(sum, pair)| add(sum, pair));
    }
    sums.iter_mut().zip(last.iter().zip(last_center)).for_each(|(sum, pair)| add(sum, pair));
    sums.iter().sum()
}

/// The centre to pack points about: their mean, but for points so sparse or so wide that it would fill them. The width
/// that counts is that of the points themselves, whatever they are embedded in.
fn center<T>(points: &Vectors, centred: bool) -> Option<Vec<f64>> {
    let full = || {
        let width = (0..points.len()).into_par_iter().map(|i| points.row(i).width()).max().unwrap_or(0);
        points.stored() as f64 > SPARSE_SHARE * points.len() as f64 * width as f64
            && points.width() <= MANY_FEATURES
            && dense_bytes::<T>(points.len(), points.width()) <= DENSE_BYTES
    };
    (centred && (!points.is_sparse() || full())).then(|| mean(points))
}

/// Bytes of dense panels.
fn dense_bytes<T>(columns: usize, depth: usize) -> usize {
    columns.next_multiple_of(PANEL).saturating_mul(size_of::<T>()).saturating_mul(depth)
}

/// The squared norm of each of `points` seen through `maps`, about their mean.
pub(super) fn squares(points: &Vectors, maps: &[Map]) -> Result<Vec<f64>> {
    let points = mapped(points, maps)?;
    let center = center::<f32>(&points, true);
    Ok((0..points.len()).into_par_iter().map(|i| square(&points, i, center.as_deref())).collect())
}

/// The largest squared norm of `points` seen through `maps`, about their mean if `centred`.
pub(super) fn largest_square(points: &Vectors, maps: &[Map], centred: bool) -> Result<f64> {
    let points = mapped(points, maps)?;
    let center = center::<f32>(&points, centred);
    let squares = (0..points.len()).into_par_iter().map(|i| square(&points, i, center.as_deref()));
    Ok(squares.reduce(|| 0.0, f64::max))
}

impl<T: Element> View<T> {
    /// Packs `columns`. With `termwise`, only dense panels
    /// will do.
    pub(super) fn new(columns: &Vectors, maps: &[Map], centred: bool, termwise: bool) -> Result<Self> {
        let points = mapped(columns, maps)?;
        let (n, width) = (points.len(), points.width());
        let center = center::<T>(&points, centred);
        let occurring =
            (points.is_sparse() && width > MANY_FEATURES && !termwise).then(|| occurring(&points));
        let depth = occurring.as_ref().map_or(width, Vec::len);
        let panels = n.div_ceil(PANEL);
        let wide = points.is_sparse() && dense_bytes::<T>(n, depth) > DENSE_BYTES;
        if wide && termwise {
            let what = format!("a kernel that compares feature by feature on {width} sparse features").into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        let mut norms = vec![T::default(); panels * PANEL];
        norms.par_iter_mut().take(n).enumerate().for_each(|(i, norm)| {
            *norm = T::from_f64(square(&points, i, center.as_deref()));
        });
        if let Some(i) = norms.iter().position(|norm| !norm.to_f64().is_finite()) {
            return Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: i + 1 }).into());
        }
        let packed = if wide {
            Packed::Wide(sparse_rows(&points, 0..n, None, occurring.as_deref()))
        } else {
            let mut values = Aligned::zeros(panels * PANEL * depth);
            if depth > 0 {
                values.par_chunks_mut(PANEL * depth).enumerate().for_each(|(p, panel)| {
                    for c in 0..PANEL.min(n - p * PANEL) {
                        let put = |k: usize, v: f64| {
                            if let Some(place) = place_of(occurring.as_deref(), k) {
                                panel[place * PANEL + c] = T::from_f64(v);
                            }
                        };
                        about(&points, p * PANEL + c, center.as_deref(), put);
                    }
                });
            }
            Packed::Panels(values)
        };
        Ok(Self { maps: maps.to_vec(), width, depth, occurring, columns: n, center, termwise, packed, norms })
    }

    /// Whether blocks should have at most `PANEL` rows.
    pub(super) fn is_wide(&self) -> bool {
        matches!(self.packed, Packed::Wide(_))
    }

    /// Features of the view.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Squared norms of the columns of panel `p`.
    pub(super) fn norms(&self, p: usize) -> &[T] {
        &self.norms[p * PANEL..(p + 1) * PANEL]
    }

    /// Packs the rows of a block; the points have the width of the columns.
    pub(super) fn pack(&self, points: &Vectors, rows: &[usize]) -> RowSet<T> {
        self.seen(points, rows, |points, rows| self.pack_mapped(points, rows))
    }

    /// Squared norms of rows, about the centre of the columns.
    pub(super) fn squares(&self, points: &Vectors, rows: &[usize]) -> Vec<f64> {
        let center = self.center.as_deref();
        self.seen(points, rows, |points, rows| rows.iter().map(|&i| square(points, i, center)).collect())
    }

    /// What `work` makes of rows seen through the maps.
    fn seen<R>(&self, points: &Vectors, rows: &[usize], work: impl Fn(&Vectors, &[usize]) -> R) -> R {
        if self.maps.is_empty() {
            return work(points, rows);
        }
        let all: Vec<usize> = (0..rows.len()).collect();
        let chosen = points.select(rows);
        let images = mapped(&chosen, &self.maps);
        work(&images.expect("points as wide as the columns can be mapped as they were"), &all)
    }

    fn pack_mapped(&self, points: &Vectors, rows: &[usize]) -> RowSet<T> {
        let center = self.center.as_deref();
        let norms = rows.iter().map(|&i| T::from_f64(square(points, i, center))).collect();
        let sparse = || sparse_rows(points, rows.iter().copied(), center, self.occurring.as_deref());
        let packed = if self.is_wide() {
            pack_panel(&sparse(), self.depth)
        } else if self.termwise || !self.sparsely(points, rows) {
            let mut strips = vec![T::default(); rows.len().div_ceil(STRIP) * STRIP * self.depth];
            for (r, &i) in rows.iter().enumerate() {
                let strip = &mut strips[r / STRIP * STRIP * self.depth..];
                let put = |k: usize, v: f64| {
                    if let Some(place) = place_of(self.occurring.as_deref(), k) {
                        strip[place * STRIP + r % STRIP] = T::from_f64(v);
                    }
                };
                about(points, i, center, put);
            }
            PackedRows::Strips(strips)
        } else {
            PackedRows::Sparse(sparse())
        };
        RowSet { packed, norms }
    }

    /// Whether rows are multiplied entry by entry: where they are mostly zeros, and where they are so few that the strips would
    /// be mostly empty.
    fn sparsely(&self, points: &Vectors, rows: &[usize]) -> bool {
        let stored = |points: &Vectors, i: usize| match points.row(i) {
            _ if self.center.is_some() => self.depth,
            Row::Dense32(values) => values.iter().filter(|v| **v != 0.0).count(),
            Row::Dense64(values) => values.iter().filter(|v| **v != 0.0).count(),
            sparse => sparse.stored(),
        };
        if rows.len() >= STRIP && (self.center.is_some() || !points.is_sparse()) {
            return false;
        }
        let stored: usize = rows.iter().map(|&i| stored(points, i)).sum();
        stored as f64 <= SPARSE_SHARE * (rows.len().next_multiple_of(STRIP) * self.depth) as f64
    }

    /// Inner products of `count` rows from `first` (a multiple of `STRIP`) with the columns of panel `p`, row after
    /// row. `out` has room for whole strips.
    pub(super) fn dots(&self, rows: &RowSet<T>, first: usize, count: usize, p: usize, out: &mut [T]) {
        let panel = |values: &[T]| -> std::ops::Range<usize> {
            debug_assert!(values.len() >= (p + 1) * PANEL * self.depth);
            p * PANEL * self.depth..(p + 1) * PANEL * self.depth
        };
        match (&self.packed, &rows.packed) {
            (Packed::Panels(values), PackedRows::Strips(strips)) => {
                for s in 0..count.div_ceil(STRIP) {
                    let strip = &strips[(first / STRIP + s) * STRIP * self.depth..];
                    T::dots(self.depth, strip, &values[panel(values)], &mut out[s * STRIP * PANEL..]);
                }
            }
            (Packed::Panels(values), PackedRows::Sparse(sparse)) => {
                for r in 0..count {
                    T::sparse_dots(sparse.row(first + r), &values[panel(values)], &mut out[r * PANEL..]);
                }
            }
            (Packed::Wide(columns), PackedRows::Panel { place, values }) => {
                let (mut column, mut sums) = (SparseRows::new(), [T::default(); PANEL]);
                for c in 0..PANEL.min(self.columns - p * PANEL) {
                    column.clear();
                    for (k, v) in columns.row(p * PANEL + c).entries() {
                        if place[k as usize] != ABSENT {
                            column.push(place[k as usize], v);
                        }
                    }
                    column.end_row();
                    T::sparse_dots(column.row(0), values, &mut sums);
                    (0..count).for_each(|r| out[r * PANEL + c] = sums[first + r]);
                }
            }
            _ => unreachable!("`pack` chooses rows that meet the columns"),
        }
    }

    /// Sums over features of `term`, as [`View::dots`] does for products.
    pub(super) fn termwise(
        &self,
        term: Termwise,
        rows: &RowSet<T>,
        first: usize,
        count: usize,
        p: usize,
        out: &mut [T],
    ) {
        let (Packed::Panels(values), PackedRows::Strips(strips)) = (&self.packed, &rows.packed) else {
            unreachable!("termwise views are packed densely")
        };
        let panel = &values[p * PANEL * self.depth..(p + 1) * PANEL * self.depth];
        for r in 0..count {
            let strip = &strips[(first + r) / STRIP * STRIP * self.depth..];
            let mut sums = [0.0; PANEL];
            for k in 0..self.depth {
                let a = strip[k * STRIP + (first + r) % STRIP].to_f64();
                for (sum, b) in sums.iter_mut().zip(&panel[k * PANEL..(k + 1) * PANEL]) {
                    *sum += term.term(a, b.to_f64());
                }
            }
            (0..PANEL).for_each(|c| out[r * PANEL + c] = T::from_f64(sums[c]));
        }
    }
}
