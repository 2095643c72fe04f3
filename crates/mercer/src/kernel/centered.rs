//! Kernels centred about the mean of some points in feature space.
//!
//! With reference points xᵢ of weights wᵢ and φ̄ = Σ wᵢ φ(xᵢ)/Σ wᵢ,
//!
//! k̃(x, y) = ⟨φ(x) − φ̄, φ(y) − φ̄⟩ = k(x, y) − m(x) − m(y) + m̄,
//! m(x) = Σ wᵢ k(xᵢ, x)/Σ wᵢ, m̄ = Σ wᵢ m(xᵢ)/Σ wᵢ.
//!
//! It is a kernel wherever k is one, and also where k is only conditionally positive definite (Schölkopf, *The kernel trick for
//! distances*, 2000, proposition 3). On the reference points themselves, of weight 1, its Gram matrix is HKH with
//! H = I − 11ᵀ/n, which scikit-learn's `KernelCenterer` computes.
//!
//! Cost for n reference points: n² kernel values and n numbers when a kernel is fitted. A reference point is then known by what
//! it is made of ([`Points::key`]), so that training computes no more kernel values than without centring; any other point
//! costs n kernel values. Means are sums in double precision in the order of the points, whatever the number of threads.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::{Kernel, Reference, linear};
//! use std::ops::ControlFlow;
//!
//! // About the mean 3, the inner products of −2, 0 and 2.
//! let points = Vectors::dense(1, vec![1.0, 3.0, 5.0]);
//! let kernel = linear().centered().fitted(&Reference::new(&points), &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(mercer::gram::square::<f64, _, _>(&kernel, &points)?, [4.0, 0.0, -4.0, 0.0, 0.0, 0.0, -4.0, 0.0, 4.0]);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{Bound, Expr, Leaf};
use crate::data::Points;
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::linalg::Tick;

/// Rows of kernel values that a mean is taken over at once.
const BLOCK: usize = 64;

/// What a centred kernel is centred about.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference<X> {
    /// xᵢ
    pub points: X,
    /// wᵢ > 0
    pub weights: Vec<f64>,
    /// m(xᵢ) of each centred part, those of a part after those of the parts inside it; empty where they are to be computed.
    pub means: Vec<Vec<f64>>,
}

impl<X: Points> Reference<X> {
    /// Points that count once each.
    pub fn new(points: &X) -> Self {
        Self::weighted(points, &vec![1.0; points.len()])
    }

    /// Points with a weight for each: a whole number is the same as so many copies of the point.
    pub fn weighted(points: &X, weights: &[f64]) -> Self {
        Self { points: points.clone(), weights: weights.to_vec(), means: Vec::new() }
    }
}

/// What a centred part of an expression is centred about, once that is known; see [`Kernel::fitted`](super::Kernel::fitted).
///
/// It is no part of the expression as a value: all centres are equal, none is printed or parsed.
#[derive(Clone, Default)]
// An expression does not name the type of its points: a tree over positions of leaves has none.
pub struct Center(Option<Arc<dyn Any + Send + Sync>>);

impl PartialEq for Center {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Center {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Fitted" } else { "NotFitted" })
    }
}

impl Center {
    /// The mean in feature space, where it is known.
    pub(super) fn mean<X: Send + Sync + 'static>(&self) -> Option<Arc<Mean<X>>> {
        Arc::clone(self.0.as_ref()?).downcast().ok()
    }

    /// The reference points and their weights, where they are known.
    pub(super) fn points<X: Send + Sync + 'static>(&self) -> Option<(&X, &[f64])> {
        let mean: &Mean<X> = self.0.as_ref()?.downcast_ref()?;
        Some((&mean.anchor.points, &mean.anchor.weights))
    }
}

/// The reference points of all centred parts of an expression.
struct Anchor<X> {
    points: X,
    weights: Vec<f64>,
    total: f64,
    /// The position of each point, by its key.
    places: HashMap<u128, usize>,
}

impl<X: Points> Anchor<X> {
    fn new(reference: &Reference<X>) -> Result<Self> {
        let (points, weights) = (reference.points.clone(), reference.weights.clone());
        if points.is_empty() {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        check("weights", weights.len() as f64, weights.len() == points.len(), "must be one for each point")?;
        for &weight in &weights {
            check("weight", weight, weight > 0.0 && weight.is_finite(), "must be positive and finite")?;
        }
        let places = (0..points.len()).filter_map(|i| Some((points.key(i)?, i))).collect();
        Ok(Self { total: weights.iter().sum(), points, weights, places })
    }

    fn mean(&self, values: &[f64]) -> f64 {
        values.iter().zip(&self.weights).map(|(value, weight)| weight * value).sum::<f64>() / self.total
    }

    /// m(x) of `points[rows]`, given the kernel bound to the reference points.
    fn means(&self, bound: &dyn Bound<X>, points: &X, rows: &[usize]) -> Vec<f64> {
        let columns = self.points.len();
        let mut values = vec![0.0; rows.len() * columns];
        bound.rows_f64(points, rows, &mut values.chunks_mut(columns).collect::<Vec<_>>());
        values.par_chunks(columns).map(|row| self.mean(row)).collect()
    }
}

/// The mean of the reference points in the feature space of one part of an expression.
pub(super) struct Mean<X> {
    anchor: Arc<Anchor<X>>,
    /// m(xᵢ)
    means: Vec<f64>,
    /// m̄
    mean: f64,
    /// The part bound to the reference points.
    bound: OnceLock<Arc<dyn Bound<X>>>,
}

impl<X: Points> Mean<X> {
    fn new(anchor: &Arc<Anchor<X>>, means: Vec<f64>) -> Result<Self> {
        check("means", means.len() as f64, means.len() == anchor.points.len(), "must be one for each point")?;
        means.iter().try_for_each(|&mean| check("mean", mean, mean.is_finite(), "must be finite"))?;
        let mean = anchor.mean(&means);
        Ok(Self { anchor: Arc::clone(anchor), means, mean, bound: OnceLock::new() })
    }

    /// Takes the mean of a part.
    fn of<L: Leaf<Points = X>>(part: &Expr<L>, anchor: &Arc<Anchor<X>>, tick: Tick<'_>) -> Result<Self> {
        let (points, n) = (&anchor.points, anchor.points.len());
        let bound = L::bind_expr(part, points)?;
        let (all, mut means) = ((0..n).collect::<Vec<_>>(), Vec::with_capacity(n));
        for rows in all.chunks(BLOCK) {
            means.extend(anchor.means(&*bound, points, rows));
            if tick(means.len() as f64 / n as f64).is_break() {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        if let Some(i) = means.iter().position(|mean| !mean.is_finite()) {
            let mut row = vec![0.0; n];
            bound.rows_f64(points, &[i], &mut [&mut row]);
            let column = row.iter().position(|value| !value.is_finite()).unwrap_or(i) + 1;
            return Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column }).into());
        }
        Self::new(anchor, means)
    }

    /// The part bound to the reference points.
    pub(super) fn bound<L: Leaf<Points = X>>(&self, part: &Expr<L>) -> Result<Arc<dyn Bound<X>>> {
        if let Some(bound) = self.bound.get() {
            return Ok(Arc::clone(bound));
        }
        // Bound outside of the cell, since a thread that binds may begin on another task meanwhile.
        let bound = L::bind_expr(part, &self.anchor.points)?.into();
        Ok(Arc::clone(self.bound.get_or_init(|| bound)))
    }

    /// m(x) − ½m̄ of `points[rows]`, given the bound part: what k̃(x, y) subtracts for x, and for y.
    pub(super) fn shifts(&self, bound: &dyn Bound<X>, points: &X, rows: &[usize]) -> Vec<f64> {
        let known = |&i: &usize| Some(self.means[*self.anchor.places.get(&points.key(i)?)?]);
        let mut means: Vec<Option<f64>> = rows.iter().map(known).collect();
        let other: Vec<usize> = (0..rows.len()).filter(|&r| means[r].is_none()).collect();
        for block in other.chunks(BLOCK) {
            let rows: Vec<usize> = block.iter().map(|&r| rows[r]).collect();
            let found = self.anchor.means(bound, points, &rows);
            block.iter().zip(found).for_each(|(&r, mean)| means[r] = Some(mean));
        }
        means.into_iter().flatten().map(|mean| mean - 0.5 * self.mean).collect()
    }
}

impl<L: Leaf> Expr<L> {
    /// The expression with what its leaves leave to data found from the reference points, and its centred parts centred about them; as
    /// it is where it is fitted already.
    pub(super) fn fitted_to(&self, reference: &Reference<L::Points>, tick: Tick<'_>) -> Result<Self> {
        let lists = &reference.means;
        let mut fitted = self.settled(&reference.points)?;
        if !self.is_centered() || lists.is_empty() && self.centers().is_some() {
            return Ok(fitted);
        }
        fitted.check()?;
        let mut count = 0;
        fitted.each_center(&mut |_, _| {
            count += 1;
            Ok(())
        })?;
        let rule = "must be one for each centred part";
        check("lists of means", lists.len() as f64, lists.is_empty() || lists.len() == count, rule)?;
        let anchor = Arc::new(Anchor::new(reference)?);
        let mut number = 0;
        fitted.each_center(&mut |part, center| {
            let mean = match lists.get(number) {
                Some(means) => Mean::new(&anchor, means.clone())?,
                None => Mean::of(part, &anchor, &mut |done| tick((number as f64 + done) / count as f64))?,
            };
            number += 1;
            *center = Center(Some(Arc::new(mean)));
            Ok(())
        })?;
        Ok(fitted)
    }

    /// The expression with the parameters found from points that its leaves leave to data.
    pub(super) fn settled(&self, points: &L::Points) -> Result<Self> {
        if !self.leaves().iter().any(|leaf| leaf.is_open()) {
            return Ok(self.clone());
        }
        let mut refused = Ok(());
        let settled = self.clone().map_leaves(&mut |leaf: L| {
            leaf.clone().settled(points).unwrap_or_else(|error| {
                refused = Err(error);
                leaf
            })
        });
        refused.map(|()| settled)
    }

    /// What the centred parts are centred about; none where no part is.
    ///
    /// # Errors
    /// If a part is not fitted, or two are fitted to different points, or a leaf leaves parameters to data.
    pub fn reference(&self) -> Result<Option<Reference<L::Points>>> {
        if self.leaves().iter().any(|leaf| leaf.is_open()) {
            return Err(not_fitted(self));
        }
        let centers = self.centers().ok_or_else(|| not_fitted(self))?;
        let anchor = centers.first().map(|first| &first.anchor);
        Ok(anchor.map(|anchor| Reference {
            points: anchor.points.clone(),
            weights: anchor.weights.clone(),
            means: centers.iter().map(|center| center.means.clone()).collect(),
        }))
    }

    /// The means of all centred parts, each after those inside it; none unless all are fitted to the same points.
    fn centers(&self) -> Option<Vec<Arc<Mean<L::Points>>>> {
        let mut centers = Vec::new();
        for part in self.operands() {
            centers.extend(part.centers()?);
        }
        if let Self::Centered(_, center) = self {
            centers.push(center.mean()?);
        }
        let same = |pair: &[Arc<Mean<L::Points>>]| Arc::ptr_eq(&pair[0].anchor, &pair[1].anchor);
        centers.windows(2).all(same).then_some(centers)
    }

    /// Shows `change` each centred part and its centre, a part after those inside it.
    fn each_center(&mut self, change: &mut dyn FnMut(&Self, &mut Center) -> Result<()>) -> Result<()> {
        self.operands_mut().iter_mut().try_for_each(|part| part.each_center(change))?;
        match self {
            Self::Centered(part, center) => change(part, center),
            _ => Ok(()),
        }
    }
}

/// The error of a kernel that is used before it is fitted.
pub(super) fn not_fitted<L: Leaf>(kernel: &Expr<L>) -> crate::Error {
    let what = format!("values of {kernel} before it is fitted to points").into();
    ErrorKind::Unsupported { what }.into()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::data::{Cells, Graph, GraphParts, Records, Vectors};
    use crate::kernel::arbitrary::value;
    use crate::kernel::{Kernel, VectorExpr, VectorLeaf};

    /// A kernel that must not be asked for a row.
    struct Silent(usize);

    impl<X> Bound<X> for Silent {
        fn columns(&self) -> usize {
            self.0
        }
        fn diagonal(&self) -> Vec<f64> {
            unreachable!("no value is needed")
        }
        fn rows(&self, _: &X, _: &[usize], _: &mut [&mut [f32]]) {
            unreachable!("no value is needed")
        }
        fn rows_f64(&self, _: &X, _: &[usize], _: &mut [&mut [f64]]) {
            unreachable!("no value is needed")
        }
    }

    fn points(n: usize, shift: f64) -> Vectors {
        Vectors::dense(3, (0..3 * n).map(|k| (k as f64 * 0.7 + shift).sin()).collect::<Vec<_>>())
    }

    fn fitted(text: &str, points: &Vectors) -> VectorExpr {
        let kernel: VectorExpr = text.parse().expect(text);
        kernel.fitted(&Reference::new(points), &mut |_| ControlFlow::Continue(())).expect(text)
    }

    #[test]
    fn a_reference_point_is_known_in_any_storage_and_costs_no_kernel_value() {
        let x = points(70, 0.0);
        let Expr::Centered(part, center) = fitted("centered(rbf)", &x) else { unreachable!() };
        let mean: Arc<Mean<Vectors>> = center.mean().expect("fitted");
        let bound = mean.bound::<VectorLeaf>(&part).expect("binds");
        let rows = [69, 3, 3, 40];
        let known = mean.shifts(&Silent(70), &x, &rows);
        let part = mean.shifts(&Silent(70), &x.select(&rows), &[0, 1, 2, 3]);
        // Computed again, the means have the same bits.
        let again = mean.anchor.means(&*bound, &x, &rows);
        assert!(known == part && again.iter().zip(&known).all(|(m, shift)| m - 0.5 * mean.mean == *shift));
        let single = |x: &Vectors| {
            let values = (0..x.len()).flat_map(|i| (0..3).map(move |k| (i, k)));
            Vectors::dense(3, values.map(|(i, k)| x.row(i).get(k) as f32).collect::<Vec<_>>())
        };
        let (narrow, wide) = (single(&x), single(&x).with_width(5));
        assert_eq!((narrow.key(7), narrow.key(7)), (wide.key(7), wide.select(&[7]).key(0)));
        assert_ne!(narrow.key(7), x.key(7));
    }

    #[test]
    fn keys_tell_points_apart() {
        let texts = ["ab", "b", "ab", ""].map(String::from).to_vec();
        let labelled = |labels: [&str; 2]| {
            let labels = Some(labels.map(Into::into).to_vec());
            Graph::new(GraphParts { nodes: 2, edges: vec![(0, 1)], labels, ..GraphParts::default() })
                .expect("a graph")
        };
        let graphs =
            vec![labelled(["C", "N"]), labelled(["C", "O"]), labelled(["C", "N"]), labelled(["N", "C"])];
        let rows = |values: &[f64]| Vectors::dense(1, values.to_vec());
        let sets = vec![rows(&[0.0, 1.0]), rows(&[1.0, 0.0]), rows(&[-0.0, 1.0]), rows(&[0.0, 1.0, 0.0])];
        let keys = [
            [0, 1, 2, 3].map(|i| texts.key(i)),
            [0, 1, 2, 3].map(|i| graphs.key(i)),
            [0, 1, 2, 3].map(|i| sets.key(i)),
            [0, 1, 2, 3].map(|i| rows(&[1.0, 2.0, 1.0, 0.0]).key(i)),
        ];
        for [a, b, c, d] in keys {
            assert!(a.is_some() && a == c && a != b && a != d && b != d);
        }
        let record = |first: &str, second: &str| {
            let column = |name: &str, value: f64| (name.to_owned(), Cells::Numbers(vec![value]));
            Records::new(vec![column(first, 1.0), column(second, 2.0)]).expect("a table").key(0)
        };
        assert!(record("a", "b") == record("a", "b") && record("a", "b") != record("b", "a"));
    }

    #[test]
    fn values_are_those_of_the_definition_one_pair_at_a_time() {
        let (x, new) = (points(8, 0.0), points(3, 0.4));
        for text in
            ["centered(rbf(0.5))", "normalized(centered(linear + 1)*rbf)", "centered(exp(centered(linear)))"]
        {
            let kernel = fitted(text, &x);
            let bound = kernel.bind(&x).expect("binds");
            let mut rows = vec![vec![0.0; 8]; 3];
            let all: Vec<usize> = (0..3).collect();
            bound.rows_f64(&new, &all, &mut rows.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            for (i, row) in rows.iter().enumerate() {
                for (j, found) in row.iter().enumerate() {
                    let exact = value(&kernel, (&new, i), (&x, j));
                    assert!((found - exact).abs() <= 1e-12, "{text}: {found} {exact}");
                    assert!((kernel.value(new.row(i), x.row(j)) - exact).abs() <= 1e-12, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_constant_is_nothing_about_its_mean_and_has_no_angle() {
        let x = points(7, 0.0);
        for text in ["centered(0.1)", "normalized(centered(0.1 + 0*linear))"] {
            let diagonal = fitted(text, &x).diagonal(&x).expect("values");
            assert_eq!(diagonal, [0.0; 7], "{text}");
        }
    }
}
