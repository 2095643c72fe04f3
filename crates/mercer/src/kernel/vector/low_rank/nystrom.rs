//! Nyström's approximation of a kernel by landmarks.
//!
//! With landmarks z₁ … z_m, their kernel values K_ZZ = LLᵀ and k_Z(x) = (k(z₁, x), …, k(z_m, x))ᵀ,
//!
//! φ(x) = L⁻¹k_Z(x), k̃(x, y) = ⟨φ(x), φ(y)⟩ = k_Z(x)ᵀ K_ZZ⁻¹ k_Z(y):
//!
//! the inner products of the projections onto the span of the landmarks in feature space. k̃ is k wherever x or y is a landmark, and
//! r(x) = k(x, x) − k̃(x, x) ≥ 0 is the squared distance of x from the span, by which |k(x, y) − k̃(x, y)| ≤ √(r(x) r(y)). A landmark whose own r, after those
//! before it, is below [`DEPENDENT`] of its kernel value is left out, so that K_ZZ has a factor on any machine.
//!
//! Cost: m² kernel values and m³/3 multiplications for a fit; m kernel values and m²/2 multiplications for a point. Memory: m²
//! numbers, and the landmarks. Williams and Seeger, *Using the Nyström method to speed up kernel machines*, 2001.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{LandmarkChoice, kernel};
use crate::data::{Points, Vectors};
use crate::error::{DataProblem, ErrorKind, Result, check};
use crate::kernel::call::Call;
use crate::kernel::vector::{VectorExpr, VectorKernel};
use crate::kernel::{Bound, Definiteness, Kernel};
use crate::linalg::{Broken, Cholesky, Lower, dot};
use crate::memory::room;

/// A landmark adds nothing where those before it leave less than this share of its kernel value. The images of points are then right to about
/// m · 1e-16 / √1e-10, and what is left out changes no kernel value by more than 1e-10 of the largest.
pub(super) const DEPENDENT: f64 = 1e-10;

/// The most landmarks, so that a short text cannot ask for more memory than there is: their factor has 2³³ entries.
const MOST: usize = 1 << 17;

/// Rows of kernel values held at once.
const BLOCK: usize = 256;

/// Nyström's approximation of a kernel, as a feature map. Text: `nystrom(rbf(gamma=1), landmarks=100, choose=uniform, seed=0)`.
///
/// It has no values until its landmarks are chosen, when the kernel of which it is a map is [fitted](Kernel::fitted), as every method does.
///
/// ```
/// use std::ops::ControlFlow;
/// use mercer::data::Vectors;
/// use mercer::gram::square;
/// use mercer::kernel::{Kernel, Nystrom, Reference, linear, rbf};
///
/// let x = Vectors::dense(1, (0..50).map(|i| f64::from(i) / 50.0).collect::<Vec<_>>());
/// let kernel = linear().on(Nystrom::new(rbf(1.0), 8).into()).fitted(&Reference::new(&x), &mut |_| ControlFlow::Continue(()))?;
/// let (near, exact): (Vec<f64>, Vec<f64>) = (square(&kernel, &x)?, square(&rbf(1.0), &x)?);
/// assert!(near.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone)]
pub struct Nystrom {
    /// k, positive semi-definite.
    pub kernel: VectorExpr,
    /// m ≥ 1: the most landmarks.
    pub landmarks: usize,
    /// How they are chosen.
    pub choose: LandmarkChoice,
    /// What they are drawn by.
    pub seed: u64,
    found: Option<Arc<Landmarks>>,
}

/// Landmarks, and what images of points are made by.
struct Landmarks {
    points: Vectors,
    /// k bound to the landmarks.
    bound: Box<dyn Bound<Vectors>>,
    /// L
    factor: Cholesky,
}

impl PartialEq for Nystrom {
    /// Equal parameters, and the same landmarks where they are chosen.
    fn eq(&self, other: &Self) -> bool {
        let settings = |map: &Self| (map.landmarks, map.choose, map.seed);
        let same = match (&self.found, &other.found) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.points == b.points,
            (a, b) => a.is_none() && b.is_none(),
        };
        same && settings(self) == settings(other) && self.kernel == other.kernel
    }
}

impl fmt::Debug for Nystrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} with {} landmarks", self.found.as_ref().map_or(0, |found| found.points.len()))
    }
}

impl fmt::Display for Nystrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, landmarks, choose, seed, .. } = self;
        write!(f, "nystrom({kernel}, landmarks={landmarks}, choose={}, seed={seed})", choose.name())
    }
}

impl Nystrom {
    /// A map of a kernel with so many landmarks, drawn uniformly by the seed 0.
    pub fn new(kernel: VectorExpr, landmarks: usize) -> Self {
        Self { kernel, landmarks, choose: LandmarkChoice::Uniform, seed: 0, found: None }
    }

    /// Sets how landmarks are chosen.
    #[must_use]
    pub fn choose(mut self, choose: LandmarkChoice) -> Self {
        self.choose = choose;
        self.found = None;
        self
    }

    /// Sets what landmarks are drawn by.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.found = None;
        self
    }

    /// The map with its landmarks chosen from points.
    ///
    /// # Errors
    /// If a parameter is out of its range, the kernel cannot be evaluated on the points, or it is zero on all landmarks.
    pub fn fitted(self, points: &Vectors) -> Result<Self> {
        self.check()?;
        if points.is_empty() {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        points.check_finite()?;
        let chosen = self.choose.of(&self.kernel, points, self.landmarks, self.seed)?;
        let found = Landmarks::independent(&self.kernel, chosen)?;
        Ok(Self { found: Some(Arc::new(found)), ..self })
    }

    /// The map with landmarks that were chosen before, or that are the caller's own.
    ///
    /// # Errors
    /// If there are none or too many, or the kernel cannot be evaluated on them or is not positive definite there.
    pub fn with_points(self, landmarks: Vectors) -> Result<Self> {
        self.check()?;
        let m = landmarks.len();
        check(
            "landmarks",
            m as f64,
            (1..=self.landmarks).contains(&m),
            "must be one or more, and no more than the map has",
        )?;
        landmarks.check_finite()?;
        let found = Landmarks::new(&self.kernel, landmarks)?;
        Ok(Self { found: Some(Arc::new(found)), ..self })
    }

    /// The landmarks, once they are chosen.
    #[must_use]
    pub fn points(&self) -> Option<&Vectors> {
        self.found.as_ref().map(|found| &found.points)
    }

    /// r(x) = k(x, x) − ‖φ(x)‖² of each point: what the approximation leaves out of its kernel value.
    ///
    /// # Errors
    /// If the landmarks are not chosen, or the points do not fit them.
    pub fn residual(&self, points: &Vectors) -> Result<Vec<f64>> {
        self.width(points.width())?;
        let own = self.kernel.diagonal(points)?;
        let found = self.found()?;
        let (all, mut residual) = ((0..points.len()).collect::<Vec<_>>(), Vec::with_capacity(own.len()));
        for rows in all.chunks(BLOCK) {
            let images = found.images(points, rows);
            // Negative by rounding only.
            residual.extend(images.iter().zip(rows).map(|(image, &i)| (own[i] - dot(image, image)).max(0.0)));
        }
        Ok(residual)
    }

    pub(in crate::kernel) fn parse(call: &Call<'_>) -> Result<Self> {
        let (kernel, call) = kernel(call)?;
        call.accept(&["landmarks", "choose", "seed"], Some("landmarks"))?;
        let landmarks = call.whole("landmarks", Some("landmarks"), 100)?;
        let choose = match call.argument("choose", None) {
            Some(argument) => call.choice(argument, "choice of landmarks", &LandmarkChoice::ALL)?,
            None => LandmarkChoice::Uniform,
        };
        Ok(Self { kernel, landmarks, choose, seed: call.whole("seed", None, 0)?, found: None })
    }

    pub(in crate::kernel) fn check(&self) -> Result<()> {
        let kernel = &self.kernel;
        kernel.check()?;
        let m = self.landmarks;
        check("landmarks", m as f64, (1..=MOST).contains(&m), "must lie in 1 to 131072")?;
        let leaves = kernel.leaves();
        let own = |leaf: &&crate::kernel::VectorLeaf| {
            leaf.kernel == VectorKernel::Precomputed || leaf.maps.iter().any(super::super::Map::is_low_rank)
        };
        if kernel.is_centered() || leaves.iter().any(own) || kernel.definiteness() == Definiteness::Unknown {
            let what = format!(
                "nystrom of {kernel}: of a positive semi-definite kernel on features that is not centred and has no such map itself"
            );
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        }
        Ok(())
    }

    pub(in crate::kernel) fn is_open(&self) -> bool {
        self.found.is_none()
    }

    /// The kernel, to be changed: the landmarks are then another kernel's.
    pub(in crate::kernel) fn kernel_mut(&mut self) -> &mut VectorExpr {
        self.found = None;
        &mut self.kernel
    }

    fn found(&self) -> Result<&Landmarks> {
        let what = || format!("images under {self} before it is fitted to points").into();
        self.found.as_deref().ok_or_else(|| ErrorKind::Unsupported { what: what() }.into())
    }

    /// How many features it makes of `input` features.
    pub(in crate::kernel) fn width(&self, input: usize) -> Result<usize> {
        let points = &self.found()?.points;
        let expected = points.width();
        if input != expected {
            return Err(ErrorKind::Data(DataProblem::Width { found: input, expected }).into());
        }
        Ok(points.len())
    }

    /// How many landmarks were chosen.
    pub(in crate::kernel) fn landmarks_found(&self) -> usize {
        self.points().map_or(0, Points::len)
    }

    /// Replaces `out` by φ(row), kernel values by their definition; NaN before the landmarks are chosen.
    pub(in crate::kernel) fn apply(&self, row: &[f64], out: &mut Vec<f64>) {
        let Some(found) = &self.found else { return out.push(f64::NAN) };
        let point = crate::data::Row::Dense64(row);
        let value = |j: usize| self.kernel.value_in(row.len(), point, found.points.row(j));
        let mut image = [(0..found.points.len()).map(value).collect()];
        found.factor.solve_lower(&mut image);
        out.append(&mut image[0]);
    }

    /// φ of each point, row after row.
    pub(in crate::kernel) fn images(&self, points: &Vectors) -> Vec<f64> {
        let found = self.found().expect("a map that is not fitted accepts no points");
        let all: Vec<usize> = (0..points.len()).collect();
        let mut images = Vec::with_capacity(points.len() * found.points.len());
        for rows in all.chunks(BLOCK) {
            found.images(points, rows).iter().for_each(|image| images.extend_from_slice(image));
        }
        images
    }
}

impl Landmarks {
    /// Landmarks that do not depend on each other.
    fn new(kernel: &VectorExpr, points: Vectors) -> Result<Self> {
        let bound = kernel.bind(&points)?;
        let values = kernel_values(&*bound, &points)?;
        match Cholesky::new(values, &mut |_| ControlFlow::Continue(())) {
            Ok(factor) => Ok(Self { points, bound, factor }),
            Err(Broken::Interrupted) => Err(ErrorKind::Interrupted.into()),
            Err(Broken::NotDefinite(i)) => {
                let what = format!("landmark {}, whose image depends on those of others", i + 1).into();
                Err(ErrorKind::Unsupported { what }.into())
            }
        }
    }

    /// Landmarks less those that depend on others before them.
    fn independent(kernel: &VectorExpr, points: Vectors) -> Result<Self> {
        let found = Self::new(kernel, points.clone());
        if let Ok(found) = found {
            let own = found.bound.diagonal();
            let pivots = found.factor.diagonal();
            if pivots.iter().zip(&own).all(|(pivot, own)| pivot * pivot > DEPENDENT * own) {
                return Ok(found);
            }
        }
        let bound = kernel.bind(&points)?;
        let kept = independent_rows(&kernel_values(&*bound, &points)?);
        if kept.is_empty() {
            let what = format!("nystrom of {kernel}, which is zero on all landmarks").into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        Self::new(kernel, points.select(&kept))
    }

    /// φ of some points.
    fn images(&self, points: &Vectors, rows: &[usize]) -> Vec<Vec<f64>> {
        let mut images = vec![vec![0.0; self.points.len()]; rows.len()];
        self.bound.rows_f64(points, rows, &mut images.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        self.factor.solve_lower(&mut images);
        images
    }
}

/// The kernel values of points with each other, given the kernel bound to them.
pub(super) fn kernel_values(bound: &dyn Bound<Vectors>, points: &Vectors) -> Result<Lower> {
    let m = points.len();
    room("the kernel values of the landmarks", 2 * Lower::<f64>::bytes(m), None, "take fewer landmarks")?;
    let (mut values, all) = (Lower::zeros(m), (0..m).collect::<Vec<_>>());
    for (rows, out) in all.chunks(BLOCK).zip(values.rows_mut().chunks_mut(BLOCK)) {
        bound.rows_f64(points, rows, out);
    }
    for i in 0..m {
        if let Some(j) = values.row(i).iter().position(|value| !value.is_finite()) {
            return Err(ErrorKind::Data(DataProblem::KernelNotFinite { row: i + 1, column: j + 1 }).into());
        }
    }
    Ok(values)
}

/// The rows of a Gram matrix that are not, to rounding, combinations of those before them.
fn independent_rows(values: &Lower) -> Vec<usize> {
    let (mut kept, mut rows) = (Vec::new(), Vec::<Vec<f64>>::new());
    for i in 0..values.n() {
        let own = values.row(i)[i];
        let mut row: Vec<f64> = kept.iter().map(|&j: &usize| values.row(i)[j]).collect();
        for j in 0..row.len() {
            let (before, rest) = row.split_at_mut(j);
            rest[0] = (rest[0] - dot(before, &rows[j][..j])) / rows[j][j];
        }
        let left = own - dot(&row, &row);
        if left > DEPENDENT * own {
            row.push(left.sqrt());
            kept.push(i);
            rows.push(row);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_depend_on_those_before_are_left_out() {
        // Points 2 and 4 are copies of 0 and 1; row 3 is the sum of rows 0 and 1.
        let points = [[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]];
        let mut values = Lower::zeros(5);
        for (i, row) in values.rows_mut().into_iter().enumerate() {
            row.iter_mut().enumerate().for_each(|(j, value)| *value = dot(&points[i], &points[j]));
        }
        assert_eq!(independent_rows(&values), [0, 1]);
    }
}
